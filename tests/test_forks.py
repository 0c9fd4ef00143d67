"""A forked process is one of its own: what it is given, what it says and how it ends are as with a plain one."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import forks

TELLING = """
import atexit, os, sys
atexit.register(print, "at exit")
print(sys.argv, __name__, os.getcwd(), os.environ.get("MINE"), sorted(os.environ), sys.stdin.read())
print("and a word of error", file=sys.stderr)
"""
ENDS = ["", "sys.exit(7)", "sys.exit('a reason')", "raise ValueError(3)", "os._exit(9)", "os.kill(os.getpid(), 9)"]


@pytest.mark.parametrize("end", ENDS)
def test_it_does_what_a_plain_one_does(tmp_path: Path, end: str) -> None:
    words = [sys.executable, "-c", TELLING + end, "one", "ö"]
    env = {**os.environ, "MINE": "x"}
    plain, forked = (
        run(words, cwd=tmp_path, env=env, input="given", capture_output=True, encoding="utf-8", check=False)
        for run in (subprocess.run, forks.run)
    )
    assert (forked.returncode, forked.stdout) == (plain.returncode, plain.stdout)
    assert forked.stderr.splitlines()[:1] == plain.stderr.splitlines()[:1]
    assert forked.stderr.splitlines()[-1:] == plain.stderr.splitlines()[-1:]


def test_who_listens_hears_of_it_as_of_a_plain_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mutants are judged by the tests that start processes too, which are known by this."""
    heard: list[str] = []
    monkeypatch.setattr(sys, "audit", lambda event, *_: heard.append(event))
    forks.run([sys.executable, "-c", ""])
    assert heard.count("subprocess.Popen") == 1


def test_it_is_another_process_each_time_and_can_be_stopped() -> None:
    words = [sys.executable, "-c", "import os; print(os.getpid(), flush=True); os.read(0, 1)"]
    pipe = subprocess.PIPE
    with forks.Forked(words, stdin=pipe, stdout=pipe) as one, forks.Forked(words, stdin=pipe, stdout=pipe) as two:
        assert one.stdout
        assert two.stdout
        assert [int(each.readline()) for each in (one.stdout, two.stdout)] == [one.pid, two.pid]
        assert os.getpid() != one.pid != two.pid
        assert one.poll() is None
        one.send_signal(signal.SIGTERM)
        assert one.wait(240) == -signal.SIGTERM
        assert two.poll() is None
        two.communicate(b"x")
        assert two.returncode == 0
