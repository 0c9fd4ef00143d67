"""The two things of a repository that lie in git's own folder: its pre-commit hook, and a section of its settings.

The store writes nothing there, so this does: settings through git itself, the hook as one file, whole or not at all.
"""

import os
import stat
from pathlib import Path

from memdown import git
from memdown.acts.install.parts import section
from memdown.acts.install.targets import CONFIG, PRE_COMMIT
from memdown.errors import MemdownError, Refused, Unreadable, quote
from memdown.store.disk import Disk
from memdown.store.state import reason
from memdown.text import decode, encode

_SECTIONS = {"merge.memdown": ("name", "driver"), "diff.memdown": ("textconv", "xfuncname")}


class RepositorySettings:
    """The repository of a project."""

    def __init__(self, root: Path) -> None:
        self._root = Path(os.path.realpath(root))
        folder = git.hooks_folder(self._root)
        self.is_there = folder is not None
        self._hook = Path(os.path.realpath(folder or self._root)) / "pre-commit"
        self._disk = Disk(self._root)

    def name(self, file: str) -> str:
        """How people know one of the two files."""
        return ".git/config" if file == CONFIG else self._hook.relative_to(self._root).as_posix()

    def refuse_elsewhere(self) -> None:
        """Refuse a project without a repository, or with hooks that lie outside of it."""
        if not self.is_there:
            raise Refused(f"{quote(str(self._root))} is not a git repository; run `git init` first")
        if not self._hook.is_relative_to(self._root):
            raise Refused(
                f"the hooks of this repository are outside the project, in {quote(str(self._hook.parent))};"
                " install from the folder that holds them"
            )

    def read(self, file: str) -> str | None:
        """The hook, or the section of settings as text; None when there is none."""
        if file == CONFIG:
            keys = [f"{name}.{key}" for name, keys in _SECTIONS.items() for key in keys]
            values = {key: git.setting(self._root, key) for key in keys}
            return section({key: value for key, value in values.items() if value}) or None
        if self._hook.is_symlink():
            raise Refused(f"{quote(self.name(PRE_COMMIT))} is a symbolic link; make its target call memdown")
        try:
            return decode(self._disk.read(self._hook)) if self._hook.exists() else None
        except OSError as error:
            raise Unreadable(f"{quote(self.name(PRE_COMMIT))} cannot be read: {error.strerror}") from error

    def write(self, file: str, text: str | None) -> None:
        """Make the hook, or the section, this text; None takes it away."""
        if file == CONFIG:
            values = dict(line.split(" = ", 1) for line in (text or "").splitlines())
            if not all(self._set(name, values) for name in _SECTIONS):
                raise MemdownError("git rejected the settings of the merge driver; see .git/config")
            return
        try:
            self._write_hook(text)
        except OSError as error:
            raise MemdownError(
                f"cannot write {quote(self.name(PRE_COMMIT))}: {reason(error)}; fix that and try again"
            ) from error

    def _set(self, section: str, values: dict[str, str]) -> bool:
        """Make a section what is given of it, whether it was there or not."""
        own = {key.removeprefix(f"{section}."): each for key, each in values.items() if key.startswith(f"{section}.")}
        is_there = any(git.setting(self._root, f"{section}.{key}") for key in _SECTIONS[section])
        return not (own or is_there) or git.set_section(self._root, section, own)

    def _write_hook(self, text: str | None) -> None:
        if text is None:
            self._disk.remove(self._hook)
            return
        like = self._disk.stat(self._hook)
        self._disk.write(self._hook, encode(text), like, lambda _: None)
        if like is None:  # git calls only what may be executed
            self._disk.chmod(self._hook, stat.S_IMODE(self._hook.stat().st_mode) | 0o111)
