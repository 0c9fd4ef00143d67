"""Which names may stand for a file under a root, on every platform.

A repository is checked out on Linux, macOS and Windows alike, so a name is refused everywhere when one of
them reads it as something else: another folder, a device, a stream, a hidden or a second spelling.
"""

import os
import re
import unicodedata
from functools import lru_cache

from memdown.errors import Refused, quote
from memdown.patterns import lazy

LONGEST_NAME = 1024
LONGEST_COMPONENT = 255

_WINDOWS_ONLY = frozenset('<>"|?*')
_SLASH_LOOK_ALIKES = frozenset("\u2044\u2215\u2216\u29f5\u29f8\u29f9")
_INVISIBLE_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_HIDING_CATEGORIES = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
# Network file systems spell the characters Windows forbids, separators among them, in this private range.
_FORBIDDEN_IN_DISGUISE = range(0xF000, 0xF100)
_NONCHARACTERS = range(0xFDD0, 0xFDF0)
_TIME = lazy(r"(?<=[0-9]{4}-[0-9]{2}-[0-9]{2}T)[0-9]{2}:[0-9]{2}(?::[0-9]{2})?(?=[.Z_-])")
"""A time of day behind its date. Logs are named by it where a colon means nothing, and no Windows has such a file."""
_VARIABLE = lazy(r"%[A-Za-z_][A-Za-z0-9_()]*%")
_ENCODED = lazy(r"%(?:2[ef5]|5c|00|3a|7e|c[01]|[ef]0%[89]0|u[0-9a-f]{4})", re.IGNORECASE)
_SHORT_NAME = lazy(r"[^.~]{1,6}~[0-9]{1,6}(?:\.[^.]{0,3})?")
_DEVICES = frozenset(
    {"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$"}
    | {f"{port}{digit}" for port in ("COM", "LPT") for digit in range(10)}
)


def check_name(name: str, allow_hidden: frozenset[str] = frozenset()) -> str:
    """The name, unchanged, when it is safe below any root; else Refused with the reason.

    Components in `allow_hidden` may begin with a dot; `.git` in any spelling may not, even there.
    """
    reason = _fault_of_name(name)
    if not reason:
        reason = next(filter(None, (_fault_of(part, allow_hidden) for part in name.split("/"))), "")
    if reason:
        raise Refused(f"{quote(name)} is refused as a name: {reason}")
    return name


def same_place(part: str) -> str:
    """Equal for two components that some file system takes for one: by case or by normal form."""
    if part.isascii():
        return part.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", part).casefold())


def is_git(part: str) -> bool:
    """Whether some file system takes this component for git's own folder."""
    return unicodedata.normalize("NFKC", part).casefold().rstrip(" .") == ".git"


def _fault_of_name(name: str) -> str:
    if not name.strip():
        return "it is empty; give a path relative to the root, such as notes/today.md"
    if len(name.encode("utf-8", "surrogatepass")) > LONGEST_NAME:
        return f"it is longer than {LONGEST_NAME} bytes; choose a shorter one"
    if "\\" in name:
        return "it has a backslash; write / between folders"
    if name.startswith("/"):
        return "it is absolute; give a path relative to the root"
    if ":" in name and (os.name == "nt" or ":" in _TIME.sub("", name)):
        return "it has a colon, which means a drive, a stream or a URL elsewhere; leave it out"
    if _WINDOWS_ONLY.intersection(name):
        return 'it has one of < > " | ? *, which Windows cannot store; leave it out'
    if "%" in name and (_ENCODED.search(name) or _VARIABLE.search(name)):
        return "it has a %-encoded character or a variable; write the name itself"
    return "" if name.isascii() and name.isprintable() else _fault_of_characters(name)


def _fault_of_characters(name: str) -> str:
    if any(_hides(char) for char in name):
        return "it has control or invisible characters; leave them out"
    if _SLASH_LOOK_ALIKES.intersection(name):
        return "it has a character that looks like a slash; write / or leave it out"
    plain = unicodedata.normalize("NFKC", name)
    if any(plain.count(char) > name.count(char) for char in "/\\:"):
        return "it has a character that some systems read as a slash, backslash or colon; leave it out"
    return ""


def _hides(char: str) -> bool:
    if unicodedata.category(char) in _HIDING_CATEGORIES or char in _INVISIBLE_LETTERS:
        return True
    code = ord(char)
    return code in _FORBIDDEN_IN_DISGUISE or code in _NONCHARACTERS or code & 0xFFFE == 0xFFFE


@lru_cache(4096)  # a walk meets the name of a folder once for every file below it
def _fault_of(part: str, allow_hidden: frozenset[str]) -> str:
    plain = part if part.isascii() else unicodedata.normalize("NFKC", part)
    if not part:
        return "it has an empty component; write one / between folders and none at the end"
    if not plain.strip(" ."):
        return f"it has the component {quote(part)}; give a path relative to the root without dots"
    if part[0].isspace() or part[-1].isspace() or part[-1] == ".":
        return "a component begins with a space, or ends with a space or a dot, which Windows drops"
    if plain[0] in "~$-":
        return f"a component begins with {plain[0]}, which reads as a home folder, variable or option"
    if len(part.encode()) > LONGEST_COMPONENT:
        return f"a component is longer than {LONGEST_COMPONENT} bytes; choose a shorter one"
    if plain.partition(".")[0].rstrip().upper() in _DEVICES:
        return f"{quote(part)} is a device on Windows; choose another"
    if _SHORT_NAME.fullmatch(plain):
        return f"{quote(part)} is how Windows abbreviates another name; choose one without ~"
    if plain[0] == "." and (part not in allow_hidden or is_git(part)):
        return f"the component {quote(part)} is hidden; memory is kept in files that people see"
    return ""
