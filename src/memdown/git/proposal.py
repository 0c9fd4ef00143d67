"""A branch that holds a proposal: made from texts alone, so that nothing is checked out, staged or run."""

from collections.abc import Mapping
from pathlib import Path

from memdown import git
from memdown.errors import Exists, Refused, quote
from memdown.text import encode


def propose(root: Path, branch: str, texts: Mapping[str, str], message: str) -> str:
    """Commit new texts of files on top of what is checked out, on a branch of its own; the commit."""
    ref = f"refs/heads/{branch}"
    if tip(root, branch):
        raise Exists(f"the branch {branch} already exists; merge or delete it first, in {quote(str(root))}")
    who = git.output(root, "var", "GIT_COMMITTER_IDENT").strip()
    if not who:
        raise Refused(f"git does not know who you are in {quote(str(root))}; set user.name and user.email")
    above = git.output(root, "rev-parse", "--show-prefix").rstrip("\n")
    lines = [f"commit {ref}\ncommitter {who}\n".encode(), _data(message), f"from {git.head(root)}\n".encode()]
    for name, text in texts.items():
        lines += [b"M 100644 inline ", encode(_path(above + name)), b"\n", _data(text)]
    git.output(root, "fast-import", "--quiet", "--date-format=raw", given=b"".join(lines))
    made = tip(root, branch)
    if not made:
        raise Refused(f"git did not make the branch {branch} in {quote(str(root))}; look at that repository")
    return made


def tip(root: Path, branch: str) -> str:
    """The last commit of a branch; empty where there is no such branch."""
    return git.output(root, "rev-parse", "--verify", "--quiet", f"refs/heads/{branch}").strip()


def move(root: Path, branch: str, commit: str) -> None:
    """Make a branch end at a commit; without one, delete it."""
    ref = f"refs/heads/{branch}"
    if commit:
        git.output(root, "update-ref", ref, commit)
    else:
        git.output(root, "update-ref", "-d", ref)


def _data(text: str) -> bytes:
    data = encode(text)
    return b"data %d\n%s\n" % (len(data), data)


def _path(name: str) -> str:
    """A name as fast-import reads it."""
    plain = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{plain}"' if plain != name or name.startswith('"') else name
