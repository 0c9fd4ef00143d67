"""Whether a value is a credential: placeholders, names of variables, paths and words are none."""

import re

from memdown.patterns import lazy

SHORT, MIDDLE, WIDE = 7, 12, 16
"""The lengths from which the value of a password, a key and a token may be one."""

_FAKE = tuple(
    "example placeholder your change dummy xxxx redacted sample fake insert secret-here **** .... •••• 0000000 1234567"
    " abcdefg foobar deadbeef todo tbd <".split()
)
_STAND_IN = lazy(
    r"(?:password|passwort|passwd|pass|secret|token|test|api|key|my|user|admin|root|demo|some|the|dev|new|old|here|jwt|[\W_\d])+",
    re.IGNORECASE,
)
_KNOWN = lazy(  # a sealed secret, an e-mail address, a date and time, an address, a digest, a resource, how to hash
    r"Ag[A-D][A-Za-z0-9+/=]{150,}"
    r"|[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+|\d{4}-\d\d-\d\d[T\d:.+Z-]*|arn:\S*|(?:https?|file|s3|gs)?:?//\S*|sha\d{1,3}[-:]\S*"
    r"|\$(?:2[aby]|argon2\w*|[156])\$\S*|[0-9.,:]+|(?:process\.env|os\.environ|import\.meta)\S*|(?i:argon2\w*|bcrypt\w*|pbkdf2\w*|scrypt\w*)"
    r"|0x[0-9a-fA-F]{40}|[~.]{0,2}/[\w./-]*|\d+[a-z]+(?:\d+[a-z]+)?|[A-Z]:\\.*"
)
_UUID = lazy(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_REFERENCE = lazy(r"\$\{|\$\(|\{\{|^\$\w+$|<[^>]*>|\{[\w.]*\}$|%\(\w+\)s|%\w+%$|#\{|%s$|…|^\[[\w ]*\]$|\$[A-Z_]{3,}")
_CODE = lazy(r"[})\],]|[A-Za-z_@!*&(\[{^/][\w.:>@-]*[(\[{}]|[!@&*][A-Za-z]\w*$|.*\(\)?$")
_WORDS = lazy(
    r"(?:[A-Z]+[a-z]{2,}(?![a-z])|[a-z]{3,}(?![a-z])|[A-Z]{2,}(?![A-Za-z])|\d{1,4}(?!\d)|[Vv](?=\d))+|[A-Za-z]{1,3}\d{1,4}[a-z]?|v?\d+[a-z]{1,3}"
)
_WORD_WITH_NUMBER = lazy(r"[A-Z]?[a-z]{4,}\d{2,6}[!.?]{0,2}|(?:[A-Z]?[a-z]{3,}\d{1,6}){2,}[!.?]{0,2}")
_DIGIT = lazy(r"\d")
_UPPER = lazy(r"[A-Z]")
_LOWER = lazy(r"[a-z]")
_LETTER = lazy(r"[^\W\d_]{2}")
_PIECES = lazy(r"[-_./:,;+]+")
_SIGNS = lazy(r"[!@#^&*=~?$%]")
_CAPITALS = lazy(r"[A-Z]{2}")
_SHORTEST_LETTERS = 10
"""From which length on large and small letters in turn are no word: `iOSApp` is one."""


def is_real(value: str) -> bool:
    """Whether a token is not a stand-in for one: enough different characters, and no word that says so."""
    lowered = value.lower()
    return len(set(value)) >= 8 and not any(word in lowered for word in _FAKE)


def is_mixed(value: str) -> bool:
    """The same for tokens whose beginning other words have too: they have a digit and a capital."""
    return is_real(value) and any(map(str.isdigit, value)) and any(map(str.isupper, value))


def is_random(value: str) -> bool:
    """The same for tokens that could be words: one kind of character follows another more often than in these."""
    kinds = [char for char in value if char.isalnum()]
    return is_real(value) and _DIGIT.search(value) is not None and len(kinds) >= 16 and _turns(value) * 4 >= len(kinds)


def _turns(value: str) -> int:
    """How often a digit, a capital or a small letter is followed by another kind."""
    kinds = ["d" if char.isdigit() else "u" if char.isupper() else "l" for char in value if char.isalnum()]
    return sum(map(str.__ne__, kinds, kinds[1:]))


def is_hard(value: str) -> bool:
    """Whether a value needs no sign before it to be one."""
    kinds = [_DIGIT, _UPPER, _LOWER, _SIGNS]
    is_odd = len(value) >= 8 and _DIGIT.search(value) and not _WORDS.fullmatch(value)
    return bool(is_odd and sum(each.search(value) is not None for each in kinds) > 2) or is_random(value)


def is_url_password(user: str, value: str) -> bool:
    """Whether what stands in a URL between colon and at sign is a password rather than a name for one."""
    lowered = value.lower()
    return (
        len(set(value)) >= 3
        and not _REFERENCE.search(value)
        and not any(word in lowered for word in _FAKE)
        and lowered != user.lower()
        and not _STAND_IN.fullmatch(value)
        and not (value.isupper() and value.isalpha())
    )


def is_value(value: str, shortest: int, is_quoted: bool = False) -> bool:
    """Whether a value is no word, no name, no path, no number: pieces of it mix letters and digits, or it is odd."""
    lowered = value.lower()
    if (
        len(value) < shortest
        or len(set(value)) < 5
        or any(word in lowered for word in _FAKE)
        or _STAND_IN.fullmatch(value)
    ):
        return False
    if _REFERENCE.search(value) or _KNOWN.fullmatch(value) or (not is_quoted and _CODE.match(value)):
        return False
    if value != value.strip() or value.count(" ") > 3:
        return False
    if _UUID.fullmatch(value):
        return shortest == MIDDLE
    if "/" in value and not value.startswith("/"):
        return is_random(value)
    if shortest <= SHORT and _WORD_WITH_NUMBER.fullmatch(value):
        return True
    if " " in value:
        return is_quoted and is_hard(value)
    is_odd = shortest <= SHORT and len(value) > 7 and _SIGNS.search(value) and _DIGIT.search(value)
    return bool(is_odd and _LETTER.search(value)) or any(map(_is_odd, _PIECES.split(value)))


def _is_odd(piece: str) -> bool:
    """Letters and digits in turn, or signs within: what words, versions, units and numbers do not have."""
    if len(piece) < 6:
        return False
    digits = sum(map(str.isdigit, piece))
    letters = sum(map(str.isalpha, piece))
    if digits and letters:
        return not _WORDS.fullmatch(piece)
    if len(piece) >= _SHORTEST_LETTERS and _CAPITALS.search(piece) and _turns(piece) * 2 >= len(piece):
        return True
    return 0 < letters < len(piece) and (not piece.isascii() or bool(_SIGNS.search(piece)))


def is_password(value: str) -> bool:
    return is_value(value, 6, is_quoted=" " in value)


def is_header(value: str) -> bool:
    return is_value(value, 8, is_quoted=True) or is_random(value)


CHECKS = {
    "real": is_real,
    "mixed": is_mixed,
    "random": is_random,
    "value": is_password,
    "login": is_hard,
    "header": is_header,
}
"""What the table of forms calls these."""
