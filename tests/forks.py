"""Processes that begin with memdown loaded: what a start takes is paid once, and each is a process of its own all the same.

A process that has imported what commands need waits for orders. For each it forks one, in which nothing has run yet but
imports, and which then does what `python -m memdown ...` or `python -c ...` would do: with its own folder, environment
and pipes, and with an end of its own. Tests of the start itself ask for a plain `subprocess`.
"""

import atexit
import gc
import json
import os
import pkgutil
import runpy
import select
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

_READ_AT_START = ("PYTHON", "LC_", "LANG")
"""Variables that an interpreter reads when it starts: a process with others of them is started the usual way."""
_lock = threading.Lock()


class Forked(subprocess.Popen[Any]):
    """A `Popen` of this Python, whose process has all modules already."""

    _end: socket.socket | None = None
    """Where the way that the process ended is told."""

    def _execute_child(self, *given: Any) -> None:
        args, executable, preexec, _, pass_fds, cwd, env, _, _, shell, *rest = given
        pipes, (_, gid, gids, uid, umask, session, group) = rest[:6], rest[6:]
        unusual = (executable, preexec, pass_fds, shell, session, *(each is not None for each in (gid, gids, uid)))
        known = dict(os.environ if env is None else env)
        if any(unusual) or (umask, group) != (-1, -1) or not _is_forkable(args, known):
            super()._execute_child(*given)  # type: ignore[misc]
            return
        sys.audit("subprocess.Popen", sys.executable, args, cwd, env)  # as Popen itself does
        order = {"args": list(map(os.fspath, args[1:])), "cwd": str(Path(cwd or "").absolute()), "env": known}
        self._end, told = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with told:
            streams = [own if each == -1 else each for own, each in enumerate((pipes[0], pipes[3], pipes[5]))]
            _order(_loaded(_kind(args)), order, [*streams, told.fileno()])
        self._close_pipe_fds(*pipes)  # type: ignore[attr-defined]
        self.pid = int(self._end.recv(20))
        self._child_created = True

    def _try_wait(self, flags: int) -> tuple[int, int]:
        if self._end is None:
            return super()._try_wait(flags)  # type: ignore[misc, no-any-return]
        self._end.setblocking(not flags & os.WNOHANG)
        try:
            status = self._end.recv(20)
        except BlockingIOError:
            return 0, 0
        self._end.close()
        return self.pid, int(status or 255)

    def _internal_poll(self, *given: Any, **more: Any) -> int | None:
        if self._end is None:
            return super()._internal_poll(*given, **more)  # type: ignore[misc, no-any-return]
        with self._waitpid_lock:  # type: ignore[attr-defined]
            if self.returncode is None:
                pid, status = self._try_wait(os.WNOHANG)
                if pid:
                    self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode


def run(args: list[str], **given: Any) -> subprocess.CompletedProcess[Any]:
    """As `subprocess.run` does it, and never for longer than a hang takes to be one."""
    check, timeout = given.pop("check", False), given.pop("timeout", 240)
    if given.pop("capture_output", False):
        given["stdout"] = given["stderr"] = subprocess.PIPE
    if (said := given.pop("input", None)) is not None:
        given["stdin"] = subprocess.PIPE
    with Forked(args, **given) as process:
        try:
            out, err = process.communicate(said, timeout)
        except BaseException:
            process.kill()
            raise
    done = subprocess.CompletedProcess(args, process.returncode, out, err)
    if check:
        done.check_returncode()
    return done


def _is_forkable(args: object, env: Mapping[str, str]) -> bool:
    return (
        sys.platform == "linux"
        and isinstance(args, list)
        and (args[:3] == [sys.executable, "-m", "memdown"] or args[:2] == [sys.executable, "-c"])
        and _read_at_start(env) == _read_at_start(os.environ)
    )


def _read_at_start(env: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in env.items() if name.startswith(_READ_AT_START)}


def _kind(args: list[str]) -> str:
    return "http" if "--http" in args or "mcp.http" in args[2] or args[3:4] == ["serve"] else "commands"


@cache
def _loaded(kind: str) -> socket.socket:
    """The way to a process that has loaded what this kind of command needs; it ends with this one."""
    ours, theirs = socket.socketpair()
    with theirs:
        words = [sys.executable, __file__, str(theirs.fileno()), kind]
        process = subprocess.Popen(words, pass_fds=[theirs.fileno()], cwd="/", stdin=subprocess.DEVNULL)
    atexit.register(_end, ours, process, os.getpid())
    return ours


def _end(line: socket.socket, process: "subprocess.Popen[bytes]", owner: int) -> None:
    line.close()
    if os.getpid() == owner:
        process.wait(60)


def _order(line: socket.socket, order: object, descriptors: list[int]) -> None:
    data = json.dumps(order).encode()
    with _lock:
        socket.send_fds(line, [len(data).to_bytes(8, "big")], descriptors)
        line.sendall(data)


# In the process that has loaded everything


def _load(kind: str) -> None:
    left_out = ("memdown.__main__", "memdown.hub", "memdown.surfaces.mcp.http")
    import_module("memdown.acts.check.engine").all_rules()
    for found in pkgutil.walk_packages(import_module("memdown").__path__, "memdown."):
        if not found.name.startswith(left_out):
            with suppress(ModuleNotFoundError):  # it needs an extra that is not installed
                import_module(found.name)
    if kind == "http":
        import_module("memdown.surfaces.mcp.http.server")
        with suppress(ModuleNotFoundError):  # as above
            import_module("memdown.surfaces.serve.app")
            import_module("psycopg_pool")
    gc.collect()
    gc.freeze()


def _orders(line: socket.socket) -> tuple[Any, list[int]]:
    """Comes back once for each order, in a process of its own; here it waits for how each of them ends."""
    running: dict[int, tuple[int, int]] = {}
    waiting = select.poll()
    waiting.register(line, select.POLLIN)
    while True:
        for each, _ in waiting.poll():
            if each in running:
                waiting.unregister(each)
                _tell_the_end(each, *running.pop(each))
                continue
            head, descriptors, _, _ = socket.recv_fds(line, 8, 4)
            if not head:
                os._exit(0)
            data = line.recv(int.from_bytes(head, "big"), socket.MSG_WAITALL)
            if not (pid := os.fork()):
                return json.loads(data), descriptors
            *streams, end = descriptors
            for stream in streams:
                os.close(stream)
            os.write(end, str(pid).encode())
            seen = os.pidfd_open(pid)
            running[seen] = (pid, end)
            waiting.register(seen, select.POLLIN)


def _tell_the_end(seen: int, pid: int, end: int) -> None:
    status = os.waitpid(pid, 0)[1]
    with suppress(BrokenPipeError):  # nobody waits for it
        os.write(end, str(status).encode())
    os.close(end)
    os.close(seen)


def _become(order: Any, descriptors: list[int]) -> None:
    """Be what the order asks for, as far as a program can tell."""
    for own, each in enumerate(descriptors[:3]):
        os.dup2(each, own)
    os.closerange(3, 1024)
    os.chdir(order["cwd"])
    os.environ.clear()
    os.environ.update(order["env"])
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        was = getattr(sys, name)
        at_once = number == 2 or os.isatty(number) or getattr(was, "write_through", False)
        mode, lines = ("w" if number else "r"), 1 if at_once else -1
        now = open(number, mode, lines, encoding=was.encoding, errors=was.errors, closefd=False)  # noqa: SIM115 - it stays open
        setattr(sys, name, now)
        setattr(sys, f"__{name}__", now)


def _do(how: str, what: str, *args: str) -> None:
    sys.path[0] = "" if how == "-c" else str(Path.cwd())
    sys.argv = [how, *args]
    if how == "-m":
        runpy.run_module(what, run_name="__main__", alter_sys=True)
    else:
        program = sys.modules["__main__"] = ModuleType("__main__")
        exec(compile(what, "<string>", "exec"), program.__dict__)


def _leave(code: int) -> None:
    """End as an interpreter does, which takes its time with all these modules, without taking each of them apart."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    _load(sys.argv[2])
    asked = _orders(socket.socket(fileno=int(sys.argv[1])))
    _become(*asked)
    try:
        _do(*asked[0]["args"])
    except SystemExit as ended:
        if ended.code is None or isinstance(ended.code, int):
            _leave(int(ended.code or 0) & 0xFF)
        raise
    _leave(0)
