"""A commit as files in a folder of their own, for questions that files answer: no checkout of the user's is touched."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from memdown import git
from memdown.errors import Unreadable
from memdown.text import encode

_SPECIAL = "\\*?[!#"
_OFF = ("-c", "core.hooksPath=/dev/null", "-c", "filter.lfs.smudge=", "-c", "filter.lfs.required=false")
"""A checkout runs nothing of the user's, and fetches nothing."""


@contextmanager
def checkout(root: Path, commit: str, folders: Sequence[str]) -> Iterator[Path]:
    """The same place as `root` in a repository that has this commit, removed with the block of code.

    It borrows the texts of the real one. Only what is in these folders, and the files beside them, is written; git
    knows of all others.
    """
    top = Path(git.output(root, "rev-parse", "--show-toplevel").rstrip("\n"))
    inside = git.output(root, "rev-parse", "--show-prefix").rstrip("\n")
    real = (top / git.output(top, "rev-parse", "--git-path", "objects").rstrip("\n")).resolve()
    form = git.output(root, "rev-parse", "--show-object-format").strip() or "sha1"
    with TemporaryDirectory(prefix="memdown-", ignore_cleanup_errors=True) as folder:
        # Not the system's own spelling of the place: a project's root has no links in it.
        place = Path(folder).resolve() / (root.name or "project")
        place.mkdir()
        git.run(place, "init", "--quiet", "--template=", f"--object-format={form}")
        own = place / ".git"
        (own / "objects/info/alternates").write_bytes(encode(f"{real.as_posix()}\n"))
        shallow = top / git.output(top, "rev-parse", "--git-path", "shallow").rstrip("\n")
        if shallow.is_file():
            (own / "shallow").write_bytes(shallow.read_bytes())
        (own / "info").mkdir(exist_ok=True)
        wanted = [f"/{inside}*", f"!/{inside}*/", *(f"/{_escaped(f'{inside}{each}')}/" for each in folders)]
        (own / "info/sparse-checkout").write_bytes(encode("".join(f"{each}\n" for each in wanted)))
        git.run(place, "config", "core.sparseCheckout", "true")
        done = git.run(place, *_OFF, "checkout", "--quiet", "--detach", commit)
        if done.returncode:
            raise Unreadable(f"git cannot check out {commit[:8]} beside the project; `git fsck` says what is wrong.")
        below = place / inside
        below.mkdir(parents=True, exist_ok=True)
        yield below


def _escaped(name: str) -> str:
    return "".join(f"\\{char}" if char in _SPECIAL else char for char in name)
