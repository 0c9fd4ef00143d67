"""The file of a backup: a zip that any program opens, with a list of all files and their checksums as its first member.

Nothing in it is compressed, and equal files give equal bytes. So it is checked by making it again: whatever is not as
it was written (cut off, changed, with a link, two files of one name, something before or behind it) is refused.
"""

import stat
import struct
import zlib
from collections.abc import Iterator, Sequence
from hashlib import sha256

import msgspec
from msgspec import Struct

from memdown.errors import Refused, Unreadable, quote
from memdown.store.names import same_place

LIST = "memdown-backup.json"
"""The member that lists the others."""
LARGEST = 1 << 30
TO_GIVE = "give a file that `memdown backup` made, or --from and a commit or date to restore a path from git"
"""What to do about a file that is no backup."""
_MOST = 65_000
"""Files that fit into a zip without its extensions."""
_VERSION = 1
_LOCAL, _CENTRAL, _END = struct.Struct("<4s5H3I2H"), struct.Struct("<4s6H3I5H2I"), struct.Struct("<4s4H2IH")
_UTF8, _STORED, _MIDNIGHT, _1980 = 0x800, 0, 0, 0x21
_ZIP_2, _UNIX = 20, 3 << 8


class BackupMember(Struct, frozen=True):
    """One file: its name, its permissions and its bytes."""

    name: str
    mode: int
    data: bytes


class ListedMember(Struct, frozen=True):
    """A file as the list has it."""

    name: str
    mode: str
    size: int
    sha256: str


class BackupList(Struct, frozen=True, rename={"version": "memdown backup"}):
    """What a backup says of itself."""

    version: int
    files: list[ListedMember]


def pack(members: Sequence[BackupMember]) -> bytes:
    """The bytes of a backup; the order of the files does not matter."""
    files = sorted(members, key=lambda each: each.name)
    size = sum(len(each.data) for each in files)
    if size > LARGEST or len(files) > _MOST:
        raise Refused(f"{len(files):,} files of {size >> 20:,} MB are more than one backup holds; archive some first")
    listed = [
        ListedMember(each.name, f"{each.mode:04o}", len(each.data), sha256(each.data).hexdigest()) for each in files
    ]
    text = msgspec.json.format(msgspec.json.encode(BackupList(_VERSION, listed)), indent=1) + b"\n"
    return b"".join(_zip([BackupMember(LIST, 0o644, text), *files]))


def unpack(data: bytes, place: str) -> list[BackupMember]:
    """The files of a backup, all of them as they were; `place` is how people know it."""
    at = _LOCAL.size + len(LIST)
    size = _LOCAL.unpack_from(data)[8] if len(data) >= at else 0
    if data[:4] != b"PK\x03\x04" or data[_LOCAL.size : at] != LIST.encode():
        raise Unreadable(f"{quote(place)} is not a backup of memdown; {TO_GIVE}")
    try:
        found = msgspec.json.decode(data[at : at + size], type=BackupList)
    except (ValueError, RecursionError):  # bytes that are not UTF-8 are no DecodeError
        raise _damaged(place, "its list of files cannot be read") from None
    if found.version != _VERSION:
        raise Unreadable(f"{quote(place)} is a backup of another version of memdown ({found.version}); update memdown")
    members = list(_members(data, at + size, found, place))
    _refuse_twins(members, place)
    if pack(members) != data:
        raise _damaged(place, "it is not as memdown wrote it")
    return members


def _members(data: bytes, at: int, found: BackupList, place: str) -> Iterator[BackupMember]:
    for each in found.files:
        start = at + _LOCAL.size + len(each.name.encode("utf-8", "surrogatepass"))
        at = start + each.size
        content = data[start:at] if each.size >= 0 else b""
        if sha256(content).hexdigest() != each.sha256:
            why = "it was cut off" if at > len(data) else f"{quote(each.name)} in it has another checksum"
            raise _damaged(place, why)
        if len(each.mode) != 4 or not set(each.mode) <= set("01234567"):
            raise _damaged(place, f"{quote(each.name)} in it has no permissions")
        yield BackupMember(each.name, int(each.mode, 8), content)


def _refuse_twins(members: Sequence[BackupMember], place: str) -> None:
    seen: dict[str, str] = {}
    for each in members:
        name = "/".join(map(same_place, each.name.split("/")))
        if name in seen:
            raise Refused(f"{quote(place)} has two files of one name, {quote(seen[name])} and {quote(each.name)}")
        seen[name] = each.name


def _damaged(place: str, why: str) -> Unreadable:
    return Unreadable(f"{quote(place)} is damaged: {why}; nothing was restored, use another backup")


def _zip(members: Sequence[BackupMember]) -> Iterator[bytes]:
    directory: list[bytes] = []
    at = 0
    for each in members:
        name = each.name.encode("utf-8", "surrogatepass")
        sums = (zlib.crc32(each.data), len(each.data), len(each.data))
        head = (_ZIP_2, _UTF8, _STORED, _MIDNIGHT, _1980, *sums, len(name), 0)
        mode = (stat.S_IFREG | each.mode) << 16
        directory.append(_CENTRAL.pack(b"PK\x01\x02", _UNIX | _ZIP_2, *head, 0, 0, 0, mode, at) + name)
        yield (local := _LOCAL.pack(b"PK\x03\x04", *head) + name)
        yield each.data
        at += len(local) + len(each.data)
    size = sum(map(len, directory))
    yield from directory
    yield _END.pack(b"PK\x05\x06", 0, 0, len(members), len(members), size, at, 0)
