"""Repositories of git for tests: a commit in a line, with its author and its day."""

import os
import subprocess
from pathlib import Path

ANN = ("Ann", "ann@example.com")


class Repo:
    """A repository whose commits are made at days that follow each other."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._day = 0
        root.mkdir(parents=True, exist_ok=True)
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *args: str, by: tuple[str, str] = ANN) -> str:
        at = f"{1767225600 + self._day * 86400} +0000"
        names = {
            f"GIT_{who}_{what}": value
            for who in ("AUTHOR", "COMMITTER")
            for what, value in zip(("NAME", "EMAIL"), by, strict=True)
        }
        around = os.environ | names | {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at}
        done = subprocess.run(["git", *args], cwd=self.root, check=True, capture_output=True, env=around)
        return done.stdout.decode("utf-8", "surrogateescape").strip()

    def put(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", "surrogateescape"))

    def commit(self, message: str = "memory", by: tuple[str, str] = ANN) -> str:
        """Commit all there is, a day after the last one; its hash."""
        self._day += 1
        self.git("add", "--all")
        self.git("commit", "--quiet", f"--message={message}", by=by)
        return self.git("rev-parse", "HEAD")
