"""Every call that touches a folder, shown to whoever watches before it is made; he makes it, or lets it fail.

Python's calls are those of the `os` module, which everything above it uses. SQLite's are replaced in its own table of
system calls, where the library can be reached. Put in place for good: do it in a process that ends soon.
"""

import builtins
import ctypes
import ctypes.util
import io
import os
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

CHANGING = {
    *("write", "fsync", "fdatasync", "replace", "rename", "unlink", "remove", "mkdir", "rmdir", "ftruncate"),
    *("truncate", "link", "symlink", "utime", "chmod", "fchmod", "chown", "fchown"),
}
READING = {"stat", "lstat", "fstat", "scandir", "listdir", "read", "access", "readlink"}
_TWO = {"replace", "rename", "link"}
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_readlink, _fspath = os.readlink, os.fspath


class Call(NamedTuple):
    """One call."""

    name: str
    paths: tuple[str, ...]
    """What it touches, below the folder: "a.md"; "." is the folder itself."""
    changes: bool
    args: tuple[Any, ...]
    make: Callable[..., Any]
    """Make it; a write may be given fewer bytes."""

    def __str__(self) -> str:
        return f"{self.name} {' '.join(self.paths)}"


Watcher = Callable[[Call], Any]


def watch(root: str, watcher: Watcher, *, reading: bool = True) -> None:
    """Show all calls that touch a folder to a watcher, whose value is that of the call."""
    for name in sorted(CHANGING | {"open"} | (READING if reading else set())):
        if hasattr(os, name):
            _replace(name, root, watcher)
    plain_open = io.open
    builtins.open = io.open = _file_opener(plain_open, root)
    with suppress(OSError, AttributeError):  # another SQLite, linked in
        _watch_sqlite(root, watcher)


def _replace(name: str, root: str, watcher: Watcher) -> None:
    plain = getattr(os, name)

    def call(*args: Any, **how: Any) -> Any:
        paths = [_path(args[0] if args else ".", how.get("dir_fd", how.get("src_dir_fd")))]
        if name in _TWO:
            paths.append(_path(args[1], how.get("dst_dir_fd")))
        below = tuple(found for path in paths if (found := _below(path, root)))
        if not below:
            return plain(*args, **how)
        changes = name in CHANGING or (name == "open" and bool(args[1] & _WRITES))
        return watcher(Call(name, below, changes, args, lambda *other: plain(*(other or args), **how)))

    setattr(os, name, call)
    for known in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks):
        if plain in known:
            known.add(call)


def _path(given: Any, folder: int | None) -> str:
    if isinstance(given, int):
        return path_of(given)
    path: str = os.fsdecode(_fspath(given))
    return os.path.abspath(os.path.join(path_of(folder) if folder is not None else "", path))  # noqa: PTH100, PTH118


def path_of(file: int) -> str:
    """The path of an open file."""
    try:
        return _readlink(f"/proc/self/fd/{file}").removesuffix(" (deleted)")
    except OSError:
        return ""


def _below(path: str, root: str) -> str:
    return "." if path == root else path[len(root) + 1 :] if path.startswith(f"{root}/") else ""


class _WatchedFile(io.FileIO):
    def write(self, data: Any) -> int:
        return os.write(self.fileno(), data)


def _file_opener(plain: Any, root: str) -> Any:
    """`open` by way of `os.open` and, where something is written, of `os.write`."""

    def open(
        file: Any, mode: str = "r", buffering: int = -1, encoding: Any = None, errors: Any = None, newline: Any = None
    ) -> Any:
        if isinstance(file, int) or not _below(_path(file, None), root):
            return plain(file, mode, buffering, encoding, errors, newline)

        def opener(path: str, flags: int) -> int:
            return os.open(path, flags, 0o666)

        if mode.strip("bt") == "r":
            return plain(file, mode, buffering, encoding, errors, newline, opener=opener)
        raw = _WatchedFile(file, mode.replace("b", "").replace("t", ""), opener=opener)
        if not buffering:
            return raw
        buffer = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
        return buffer if "b" in mode else io.TextIOWrapper(buffer, encoding, errors, newline)

    def with_options(file: Any, mode: str = "r", *args: Any, **how: Any) -> Any:
        if how.get("opener") is not None or not how.get("closefd", True):
            return plain(file, mode, *args, **how)
        return open(file, mode, *args, **{key: value for key, value in how.items() if key not in ("opener", "closefd")})

    return with_options


# SQLite

_Int, _Size, _Bytes, _Pointer = ctypes.c_int, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_void_p
_CALLS: dict[str, tuple[Any, ...]] = {
    "open": (_Int, _Bytes, _Int, _Int),
    "pwrite64": (ctypes.c_ssize_t, _Int, _Pointer, _Size, ctypes.c_int64),
    "pwrite": (ctypes.c_ssize_t, _Int, _Pointer, _Size, ctypes.c_int64),
    "write": (ctypes.c_ssize_t, _Int, _Pointer, _Size),
    "ftruncate": (_Int, _Int, ctypes.c_int64),
    "unlink": (_Int, _Bytes),
}
_kept: list[Any] = []
"""What C calls must not be collected."""


class _Vfs(ctypes.Structure):
    _fields_ = (
        *((name, _Int) for name in ("version", "size", "longest")),
        *((f"pointer{number}", _Pointer) for number in range(16)),
        *((name, _Pointer) for name in ("set_call", "get_call", "next_call")),
    )


def _watch_sqlite(root: str, watcher: Watcher) -> None:
    library = ctypes.CDLL(ctypes.util.find_library("sqlite3") or "libsqlite3.so.0")
    library.sqlite3_vfs_find.restype = ctypes.POINTER(_Vfs)
    vfs = library.sqlite3_vfs_find(None)
    if vfs.contents.version < 3:
        return
    get = ctypes.CFUNCTYPE(_Pointer, _Pointer, _Bytes)(vfs.contents.get_call)
    put = ctypes.CFUNCTYPE(_Int, _Pointer, _Bytes, _Pointer)(vfs.contents.set_call)
    for name, types in _CALLS.items():
        place = get(vfs, name.encode())
        if place:
            _kept.append(_callback(name, types, place, root, watcher))
            put(vfs, name.encode(), ctypes.cast(_kept[-1], _Pointer))


def _callback(name: str, types: tuple[Any, ...], place: int, root: str, watcher: Watcher) -> Any:
    kind = ctypes.CFUNCTYPE(*types, use_errno=True)
    plain = kind(place)

    def call(*args: Any) -> int:
        below = _below(os.fsdecode(args[0]) if isinstance(args[0], bytes) else path_of(args[0]), root)
        if not below:
            return int(plain(*args))
        changes = name != "open" or bool(args[1] & _WRITES)

        def make(*other: Any) -> int:
            if other:  # a write of fewer bytes
                return int(plain(args[0], args[1], len(other[1]), *args[3:]))
            return int(plain(*args))

        try:
            return int(watcher(Call(f"sqlite {name}", (below,), changes, args, make)))
        except OSError as error:
            ctypes.set_errno(error.errno or 5)
            return -1

    return kind(call)
