"""Finds what looks like a credential, and takes it out.

Places where one may begin are found by plain text search; only there a short pattern looks closer, and what it
finds is weighed: placeholders, names of variables and words are none. The time is that of reading the text once.
"""

import re

from memdown.lazy import beside
from memdown.patterns import lazy

TYPE_CHECKING = False  # as typing's, which hooks cannot afford
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    Check = Callable[[str], bool]
    Row = tuple[str, str, tuple[str, ...], re.Pattern[str], Check]

_ALNUM = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_MARKS = ("memdown: ignore[", "gitleaks:allow", "pragma: allowlist secret")


class Secret:
    """A credential in a text, without what surrounds it."""

    __slots__ = ("code", "end", "kind", "start")

    def __init__(self, start: int, end: int, kind: str, code: str) -> None:
        self.start = start
        self.end = end
        self.kind = kind
        """What it is, as a person says it: "GitHub token"."""
        self.code = code
        """The rule of `memdown check` that reports it."""


def find(text: str, allow: "Collection[str]" = ()) -> "list[Secret]":
    """Every credential in a text, in order, but for those that `allow` lists or a comment on the line permits."""
    found: list[Secret] = []
    end = 0
    for secret in sorted(_candidates(text), key=lambda each: (each.start, -each.end)):
        if secret.start >= end and not _permitted(text, secret, allow):
            found.append(secret)
            end = secret.end
    return found


def redact(text: str, allow: "Collection[str]" = ()) -> str:
    """The text with `[redacted: kind]` in the place of every credential."""
    pieces: list[str] = []
    done = 0
    for secret in find(text, allow):
        pieces += text[done : secret.start], f"[redacted: {secret.kind}]"
        done = secret.end
    return "".join(pieces) + text[done:] if pieces else text


def _candidates(text: str) -> "Iterator[Secret]":
    for code, kind, literals, pattern, check in _TOKENS:
        for literal in literals:
            for at in _places(text, literal):
                if at and text[at - 1] in _ALNUM and literal[0] in _ALNUM:
                    continue  # the middle of a longer word, as in encoded data
                match = pattern.match(text, at)
                if match and check(match[1]):
                    yield Secret(match.start(1), match.end(1), kind, code)
    lowered = text.lower()
    if len(lowered) != len(text):  # a few capital letters have two small ones: places would shift
        lowered = "".join(char if len(low := char.lower()) != 1 else low for char in text)
    for word, weight in _NAMES:
        done = 0
        for at in _places(lowered, word):
            match = _ASSIGNED.match(text, at + len(word)) if at >= done else None
            if match:
                # A long value is looked at once, though the name be in it a hundred times more.
                done = match.end() if match.end() - at > 100 else 0
                found = _assigned(text, match, weight)
                if found:
                    yield found


def _places(text: str, literal: str) -> "Iterator[int]":
    at = text.find(literal)
    while at >= 0:
        yield at
        at = text.find(literal, at + len(literal))


def _permitted(text: str, secret: Secret, allow: "Collection[str]") -> bool:
    value = text[secret.start : secret.end].lower()
    if any(value == each.lower() for each in allow):  # keywords are taken from a text in small letters
        return True
    start = text.rfind("\n", 0, secret.start) + 1
    end = text.find("\n", secret.end)
    # A mark further away is not on what a person calls the line, and a line may have megabytes.
    line = text[max(start, secret.start - 2000) : min(end if end >= 0 else len(text), secret.end + 2000)]
    if not any(mark in line for mark in _MARKS):
        return False
    codes = line.partition(_MARKS[0])[2].partition("]")[0]
    return _MARKS[0] not in line or any(secret.code.startswith(code.strip()) for code in codes.split(",") if code)


# What is weighed


_FAKE = tuple(
    "example placeholder your change dummy xxxx redacted sample fake insert secret-here **** .... 0000000 1234567"
    " abcdefg foobar deadbeef todo".split()
)
_NOT_VALUES = frozenset("<>{}$%()[]…|\\")


def _real(value: str) -> bool:
    """Whether a token is not a stand-in for one: enough different characters, and no word that says so."""
    lowered = value.lower()
    return len(set(value)) >= 8 and not any(word in lowered for word in _FAKE)


def _mixed(value: str) -> bool:
    """The same for tokens whose beginning other words have too: they have a digit and a capital."""
    return _real(value) and any(map(str.isdigit, value)) and any(map(str.isupper, value))


def _any(value: str) -> bool:
    return bool(value)


def _password(value: str) -> bool:
    """Whether what stands in a URL between colon and at sign is a password rather than a name for one."""
    lowered = value.lower()
    return (
        len(value) >= 3
        and not _NOT_VALUES.intersection(value)
        and len(set(value)) >= 3
        and not any(word in lowered for word in _FAKE)
        and lowered not in ("password", "passwd", "pass", "pwd", "secret", "token", "user", "postgres", "root", "admin")
    )


def _strong(value: str, shortest: int) -> bool:
    """Whether a value is no word, no name, no path, no number: pieces of it mix letters and digits, or it is odd."""
    if len(value) < shortest or _NOT_VALUES.intersection(value) or not _real_value(value):
        return False
    return any(_odd(piece) for piece in _PIECES.split(value))


def _real_value(value: str) -> bool:
    return len(set(value)) >= 5 and not any(word in value.lower() for word in _FAKE) and not _KNOWN.fullmatch(value)


def _odd(piece: str) -> bool:
    """Letters and digits in turn, or signs within: what words, versions, units and numbers do not have."""
    if len(piece) < 6:
        return False
    digits = sum(map(str.isdigit, piece))
    letters = sum(map(str.isalpha, piece))
    if digits and letters:
        return not _WORD_WITH_NUMBER.fullmatch(piece) or len(piece) >= 24
    return 0 < letters < len(piece) and (not piece.isascii() or bool(_SIGNS.search(piece)))


_PIECES = lazy(r"[-_./:,;+]+")
_SIGNS = lazy(r"[!@#^&*=~?]")
_WORD_WITH_NUMBER = lazy(r"[A-Z]?[a-z]+\d{1,4}|[A-Z]+\d{1,4}|v?\d+[a-z]{1,3}|[vV]?\d+")
_KNOWN = lazy(  # a UUID, an e-mail address, a date and time, an address, the digest of something
    r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+|\d{4}-\d\d-\d\d[T\d:.+Z-]*"
    r"|(?:https?|file)?:?//\S*|sha\d{1,3}[-:]\S*|[0-9.]+|(?:process\.env|os\.environ|import\.meta)\S*"
)

# What is assigned to a name


_NAMES = tuple(
    (word, length)
    for length, words in {
        8: "password|passwd|passphrase|pwd",
        12: "secret|api_key|apikey|api-key|api key|access_key|accesskey|access key|access-key|accountkey|auth_key"
        "|authkey|encryption_key|signing_key|credential",
        16: "token|private_key|bearer",
    }.items()
    for word in words.split("|")
)
"""Words in names of credentials, and the length from which their value may be one."""
_ASSIGNED = lazy(
    r"(?P<rest>[\w-]{0,24})[\"'`*_]{0,3}[^\S\n]{0,3}(?P<sign>=>|:=|==|=|:|\||[^\S\n]is:?(?=[^\S\n])|)[\"'`*_]{0,3}[^\S\n]{0,3}"
    r"(?P<quote>[\"'`]?)(?P<value>[^\s\"'`]{8,300})"
)
_OTHER_THINGS = lazy(
    r".*(?:hash|sha\d*|digest|ids?|name|url|uri|file|path|count|limit|length|type|field|policy|expiry|env|var|manager"
    r"|header|prefix|format|size|s|usage|budget|version|rotation|scanning|login)",
    re.IGNORECASE | re.DOTALL,
)


def _assigned(text: str, match: "re.Match[str]", weight: int) -> Secret | None:
    """The value that follows a name, when it is a credential."""
    at = match.start()
    rest, sign, value = match["rest"], match["sign"], match["value"]
    bearer = text[at - 6 : at].lower() == "bearer"
    if sign in ("", "==") and not (bearer and not rest and not sign) and not (_is_option(text, at) and not sign):
        return None
    if rest and _OTHER_THINGS.fullmatch(rest):
        return None
    value = value if match["quote"] else value.rstrip(".,;:)]}>*_|&")
    value = value.partition("&")[0] if "&" in value and "=" in value else value
    if not _strong(value, weight):
        return None
    start = match.start("value")
    kind = "authorization header" if bearer else "password" if weight == 8 else "assigned secret"
    return Secret(start, start + len(value), kind, "SEC007" if bearer else "SEC006")


def _is_option(text: str, at: int) -> bool:
    """Whether the name is that of a command's option, which a space may part from its value."""
    word = text[max(at - 40, 0) : at]
    return word[word.rfind(" ") + 1 :].startswith("--")


_CHECKS = {"real": _real, "mixed": _mixed, "any": _any, "password": _password}


def _rows() -> "Iterator[Row]":
    for line in beside(__file__, "secrets.txt").splitlines():
        if not line.startswith("#"):
            code, check, kind, literals, pattern = line.split(" ~ ")
            yield code, kind, tuple(literals.split("|")), lazy(pattern), _CHECKS[check]


_TOKENS = tuple(_rows())
"""Code, kind, beginnings, pattern with the credential as its first group, and what else it must be."""
