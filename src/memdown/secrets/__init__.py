"""Finds what looks like a credential, and takes it out.

Nearly every credential has letters beside digits or signs within, and few other words have. Such a word, if long, may
have the form of a known token; the line that it stands in, the one before, or the head of its column may name a
password or key whose value it is. What is found is weighed: placeholders, names of variables, paths and words are none.
The time is that of reading the text a few times.
"""

import re
from bisect import bisect_right

from memdown.lazy import LazyModule, beside
from memdown.patterns import lazy

TYPE_CHECKING = False  # as typing's, which hooks cannot afford
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from memdown.secrets import weigh

    Check = Callable[[str], bool]
    Row = tuple[str, str, re.Pattern[str], str]
else:  # most texts have nothing to weigh
    weigh = LazyModule("memdown.secrets.weigh")

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
    if "[redacted: " in text:  # what was taken out is no name of what stands beside it
        text = _REDACTED.sub(lambda mark: "•" * len(mark[0]), text)
    found = list(_apart(text, _candidates(text), allow))
    repeated = list(_repeated(text, found))
    return list(_apart(text, [*found, *repeated], allow)) if repeated else found


def _apart(text: str, candidates: "Iterable[Secret]", allow: "Collection[str]") -> "Iterator[Secret]":
    """Those that do not overlap, in order, and are not permitted."""
    end = 0
    for secret in sorted(candidates, key=lambda each: (each.start, -each.end)):
        if secret.start >= end and not _permitted(text, secret, allow):
            yield secret
            end = secret.end


def _repeated(text: str, found: "list[Secret]") -> "Iterator[Secret]":
    """The same values again, where nothing near them says what they are; of a whole list of them, none."""
    known = {text[each.start : each.end]: each for each in found}
    taken = {each.start for each in found}
    for value, first in known.items() if len(known) <= _FEW else ():
        for at in _places(text, value) if weigh.is_hard(value) else ():
            if at not in taken:
                yield Secret(at, at + len(value), first.kind, first.code)


def redact(text: str, allow: "Collection[str]" = ()) -> str:
    """The text with `[redacted: kind]` in the place of every credential."""
    pieces: list[str] = []
    done = 0
    for secret in find(text, allow):
        pieces += text[done : secret.start], f"[redacted: {secret.kind}]"
        done = secret.end
    return "".join(pieces) + text[done:] if pieces else text


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


# Where to look


_REDACTED = lazy(r"\[redacted: [A-Za-z ]{1,60}\]")
_HIDDEN = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
"""Characters that are not seen, and may part a credential."""
_KINDS = bytes(
    ord("d" if c.isdigit() else "a" if c.isalpha() else "s" if c in "!$%^&~" else "?" if c < " " or c == "?" else ".")
    if c not in " \n"
    else ord(c)
    for c in map(chr, range(128))
).ljust(256)
"""Of each character what it is: a digit, a letter, a sign, a space, or another one, `?` where that may end a word."""


def _within(odd: str) -> "re.Pattern[str]":
    """A pattern in a word of at least six characters, up to its end or to what may be one."""
    places = (rf"(?<=[^ \n]{{{before}}}{odd[0]})(?=[^ \n]{{{5 - before}}})" for before in range(6))
    return lazy(rf"{odd}(?:{'|'.join(places)})[ads.]*")


_ODD = (_within(r"d(?:(?<=ad)|(?=a))"), _within(r"s(?:(?<=ds)|(?<=as)(?=[ad]))"))
"""Where a word may be a credential: letters beside digits, signs within. Beginning with a letter is fast."""
_REST = lazy(r"\S*")
_NAMED = "asswor"
"""In lines whose value may have letters only; a pattern that stopped at every capital would take a third more time."""
_IN_TURN = lazy(r"[a-z][A-Z][A-Za-z]{0,2}[a-z][A-Z]")
_LETTERS_ONLY = ("hf_", "glpat-", "AKIA")
"""In tokens that have no digit now and then."""
_WALLET_NAMES = ("phrase", "mnemonic")
_WALLET = lazy(
    r"[\"'`*_)]{0,4}[^\S\n]{0,2}(?:[:=]|is)[*_]{0,2}\s{0,3}[\"'`*_]{0,3}"
    r"((?:[a-z]{3,8} ){11,23}[a-z]{3,8})(?! ?[\w(,])"
)
_FEWEST_WORDS = 8
_FEW = 16
"""Values that are looked for again: each takes a walk through the text."""
_NEAR = 400
"""Characters before and after a word that are looked at, if the line is as long."""
_SHORTEST = 6
_LONG = 18


def _candidates(text: str) -> "Iterator[Secret]":
    hidden = [] if text.isascii() else [char for char in _HIDDEN if char in text]
    if not hidden:
        yield from _visible(text)
        return
    gaps = sorted(place for char in hidden for place in _places(text, char))
    shifts = [place - number for number, place in enumerate(gaps)]
    bare = text
    for char in hidden:
        bare = bare.replace(char, "")
    for each in _visible(bare):
        start, end = each.start + bisect_right(shifts, each.start), each.end - 1 + bisect_right(shifts, each.end - 1)
        yield Secret(start, end + 1, each.kind, each.code)


def _visible(text: str) -> "Iterator[Secret]":
    # Each character in its place, as one byte: most texts have a dash or an arrow, and are searched half as fast.
    raw = text.encode("ascii", "replace")
    plain = raw.decode("ascii")
    small = plain.lower()
    for at in _places(plain, "-----BEGIN"):
        match = _PRIVATE_KEY.match(text, at)
        if match and _KEY_LINE.search(match[0]):
            yield Secret(at, match.end(), "private key", "SEC003")
    for at in _places(plain, "://"):
        match = _URL.match(text, at)
        if match and weigh.is_url_password(match[1], match[2]):
            yield Secret(match.start(2), match.end(2), "password in a URL", "SEC005")
    end = done = 0
    table = Table()
    first_stem = _STEMS[0].search
    kinds = raw.translate(_KINDS).decode("ascii")
    for at in sorted(odd.start() for pattern in _ODD for odd in pattern.finditer(kinds)):
        if at < end:  # in a word that was looked at
            continue
        end = _REST.match(text, at).end()  # type: ignore[union-attr]
        low = max(at - _NEAR, 0)
        begin = text.rfind("\n", low, at) + 1 or low
        start = text.rfind(" ", begin, at) + 1 or begin
        if end - start >= _LONG:
            yield from _tokens(text, start, end)
        if end > done and end - start >= _SHORTEST:
            done = text.find("\n", end, end + _NEAR)
            done = min(end + _NEAR, len(text)) if done < 0 else done
            if small.find("?", begin, done) >= 0:
                yield from _in_line(text[begin:done], _lowered(text[begin:done]), begin)
            elif stem := first_stem(small, begin, done):
                yield from _in_line(text[begin:done], small[begin:done], begin, stem.start() - begin)
            if text.find("|", begin, done) >= 0:
                yield from table.cells(text, begin, done)
            if done - end < _SHORTEST and start - begin < _LONG and begin:
                yield from _in_next_line(text, begin, text[begin:done])
    yield from _letters(text, small)
    for literal in _LETTERS_ONLY:
        for at in _places(plain, literal):
            yield from _tokens(text, at, min(at + 60, len(text)))


def _letters(text: str, lowered: str) -> "Iterator[Secret]":
    """Credentials without a digit or a sign: passwords, and the words that open a wallet."""
    end = 0
    for at in _places(lowered, _NAMED):
        if at < end:  # in a line that was looked at
            continue
        end = text.find("\n", at, at + _NEAR)
        end = min(at + _NEAR, len(text)) if end < 0 else end
        if _IN_TURN.search(text, at, end):
            low = max(at - _NEAR, 0)
            begin = text.rfind("\n", low, at) + 1 or low
            line = text[begin:end]
            yield from _in_line(line, _lowered(line), begin)
    for word in _WALLET_NAMES:
        for at in _places(lowered, word):
            match = _WALLET.match(text, at + len(word))
            if match and len(set(match[1].split())) > _FEWEST_WORDS:
                yield Secret(*match.span(1), "recovery phrase of a wallet", "SEC006")


def _places(text: str, literal: str) -> "Iterator[int]":
    at = text.find(literal)
    while at >= 0:
        yield at
        at = text.find(literal, at + len(literal))


# What is known by its form


_PRIVATE_KEY = lazy(
    r"-----BEGIN (?:[A-Z0-9]{2,10} ){0,2}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:(?:[^-]|-(?!----)){40,9000}-----END [A-Z ]{0,40}-----(?:\\n)?"
    r"|\s{1,4}(?:[> \t]{0,8}[\w+/=]{16,}(?:(?:\\r)?\\n|\s{1,4}|$)){1,200})"
)
_KEY_LINE = lazy(r"(?<![\w+/=])[A-Za-z0-9+/=]{30,}(?![\w+/=])")
_URL = lazy(
    r"(?:(?<=http)|(?<=https)|)://([^\s/:@\"'<>`]{0,100}):([^\s/@\"'<>`][^\s@\"'<>`/]{1,199}(?:/[^\s@\"'<>`/]{1,100}=|))@[\w\[$<{]"
)


def _tokens(text: str, start: int, end: int) -> "Iterator[Secret]":
    """The tokens in a word, also one that goes on in the next line."""
    if not start:
        yield from _tokens_at(text, 0, end)
    for found in _STARTS.finditer(text, max(start - _ESCAPED, 0), end + _FEWEST):
        first, last = found.start() + 1, found.end()
        for at in (first,) if first == last else (first, last):
            if start <= at < end:
                yield from _tokens_at(text, at, end)
    if end - start >= _FEWEST_AROUND:
        word = text[start:end]
        for literal, (code, kind, pattern, check) in _WITHIN:
            match = pattern.search(text, start, end) if literal in word else None
            if match and weigh.CHECKS[check](match[1]):
                yield Secret(*match.span(1), kind, code)


def _tokens_at(text: str, at: int, end: int) -> "Iterator[Secret]":
    """The tokens that begin at a place in a word, whose end is given."""
    for literal, (code, kind, pattern, check) in _TOKENS.get(text[at : at + 2], ()):
        place = _placed(text, at, end, pattern, weigh.CHECKS[check]) if text.startswith(literal, at) else None
        if place:
            yield Secret(*place, kind, code)


_ESCAPED = 3
"""How long an encoded sign is."""
_FEWEST, _FEWEST_AROUND = 16, 32
"""How many characters a token has at least, the break of a line in it counted, and one with what is around it."""


def _placed(text: str, at: int, end: int, pattern: "re.Pattern[str]", is_one: "Check") -> tuple[int, int] | None:
    match = pattern.match(text, at)
    gap = _LINE_BREAK.match(text, end) if not match or match.end() == end else None
    joined = pattern.match(text[at:end] + gap[1]) if gap and (not match or weigh.is_random(gap[1])) else None
    if gap and joined and joined.end(1) > end - at and is_one(joined[1]):
        return at + joined.start(1), gap.start(1) + joined.end(1) - (end - at)
    return match.span(1) if match and is_one(match[1]) else None


_LINE_BREAK = lazy(r"\r?\n[> \t]{0,16}(\S{1,300})")


# What is known by the line it stands in


_SAID = r"(?=[\"'`*_]{0,3}\s?(?:[(:=→]|->|are|is))"
_STEMS_ASCII = (
    rf"p(?:ass|at\b|w|sk\b)|k(?:e(?:y(?![a-z])|n(?:(?<=token)|nwort))|ie(?<=cookie))|u(?:th(?:[\"'=:\s]|or[it])|ser{_SAID})"
    rf"|c(?:re[dt]|ontrase|htwoord(?<=wachtwoord)|tl(?<=bbitmqctl)|count{_SAID})|b(?:y\s['\"]|earer)|%3a%2f"
    r"|g(?:in(?<=login)|on(?<=logon)|ang(?<=zugang))|-(?:(?<!\S-)(?=[uaswpk]|-user|-auth)|(?=stdin))"
    r"|:(?:(?<=/user:)|(?<=432:)|(?<=:thin:))|ha(?<=senha)|meld(?<=anmeld)"
)
"""What a line has that may name a credential: parts of words from a rare letter on, as each letter that one may begin
with takes time wherever it stands; those of one letter are in one group for the same reason. Each group begins with a
letter, not with a set of them, as only then all others are passed over fast."""
_STEMS = (lazy(_STEMS_ASCII), lazy(rf"{_STEMS_ASCII}|ło(?<=hasło)|ösenord|şifre|парол|密|パス|비밀"))
"""For lines in ASCII, which most are, and for all others."""
_NAME = lazy(
    r"p(?:ass(?:w?or[dt]|wd|phrase|e(?<=mot de passe)|(?![a-z]))|w(?:d|(?<![a-z]pw)(?![a-z]))|at(?<=_pat)\b"
    r"|sk(?<![a-z]psk)(?![a-z]))"
    r"|k(?:e(?:n(?:nwort|(?<=token))|y(?=[^a-z]|$)))|c(?:ret(?<=secret)|redential|htwoord(?<=wachtwoord)|ontrase\xf1a)"
    r"|uth(?<=[\W_]auth)(?=[\"'=:])|gin(?<=login)(?= )|ha(?<=senha)"
    r"|ło(?<=hasło)|ösenord(?<=lösenord)|şifre(?:si)?|пароль|密[码碼]|パスワード|비밀번호"
)
"""The ends of words that name a credential; each begins as one of the stems does."""
_KEYS = tuple(
    "api access account admin app auth aws client consumer encryption fernet hmac jwt license licence master openai"
    " integration preshared pre-shared role routing secret server service session shared signing"
    " storage stream subscription".split()
)
_OPEN_KEYS = tuple("public publishable primary foreign cache sort anon partition".split())
_TOKENS_NAMED = ("ken", "pat", "uth", "gin")
_ASSIGNED = lazy(
    r"(?P<rest>[\w-]{0,24})[\"'`*_\])~\\]{0,4}"
    r"(?:[^\S\n]{0,2}\([^()\n]{0,40}\)(?=[:=*])"
    r"|[^\S\n](?:for|of|to|on|at|für|von|zu|pour|de|del|para|no|do|da|till|för)[^\S\n][\w .'/-]{1,40}?"
    r"(?=[:=]|[^\S\n](?:ist?|est?|lautet)\b)"
    r"|:[^\S\n]?[a-z]\w{0,20}(?=[^\S\n]?=)|[^\S\n][a-z]{2,8}(?=[^\S\n]?:?=)|)[*_]{0,2}[^\S\n]{0,3}"
    r"(?P<sign>=>|:=|={1,3}|!==?|:[^\S\n]{1,8}\||:|：|→|->|\||>|,(?=[^\S\n]?[\"'])|(?:/>)?[^\S\n]?value=|\((?=[\"'`])"
    r"|(?:is|ist|lautet|est|es|is set to|is now|(?:was |has been |is |got )?(?:changed|set) to)\b:?(?=[^\S\n])|)"
    r"[*_~]{0,3}[^\S\n]{0,4}[*_~(\\]{0,3}(?P<quote>[\"'`]{0,3})(?P<value>[^\n]{1,300})",
)
_OTHER_THINGS = lazy(
    r".*(?:hash|(?:finger|thumb)print|sha\d*|digest|ids?|names?|urls?|uri|file|path|count|limit|length|type|field|policy|expiry|env|var|manager"
    r"|header|prefix|format|size|s|usage|budget|version|rotation|scanning|login|arn|age|ttl|timeout|min|max|expir\w*|date"
    r"|at|status|state|strength|regex|pattern|hint|label|placeholder|input|algo\w*|endpoint|scheme|provider|store|helper"
    r"|index|kind|class|list|validators?|rules?|ref|ring|less|hasher|seconds|minutes|hours|days|handler|service|reset"
    r"|izer|ization|ize|ized|word)",
    re.IGNORECASE | re.DOTALL,
)
_ALONE = lazy(r"[\s>*-]{0,20}(?:value\s{0,2}[:=]\s{0,2})?[\"'`]{0,3}([^\s\"'`]{6,300})[\"'`]{0,3}[,;)]{0,2}\s{0,3}")
_OPEN = lazy(
    r"(?P<rest>[\w-]{0,24})[\"'`*_\])]{0,4}\s?(?P<sign>[:=]|)[*_]{0,2}\s{0,3}(?:[>|(][+-]?|```\w{0,10})?\s{0,3}"
)


def _stems(lowered: str, start: int = 0) -> "list[int]":
    """Where a text, given in small letters, may name a credential."""
    return [stem.start() for stem in _STEMS[not lowered.isascii()].finditer(lowered, start)]


def _in_line(line: str, lowered: str, start: int, first: int = 0) -> "Iterator[Secret]":
    """The credentials that a line says are ones; `start` is where it begins, `first` where the first stem in it is."""
    stems = _stems(lowered, first)
    done = 0
    for ends, length in _names(line, lowered, stems):
        match = _ASSIGNED.match(lowered, ends) if ends >= done else None
        place = match and _assigned(line, match, length)
        if place:
            # A long value is looked at once, though the name be in it a hundred times more.
            done = place[1] if place[1] - place[0] > 100 else 0
            yield _given(start + place[0], line[place[0] : place[1]], length)
    letters = {lowered[stem] for stem in stems}
    looked: Row | None = None
    for letter, word, row in _LINES:
        if letter in letters and row is not looked and word in lowered:  # the words of a row follow each other
            looked = row
            yield from _matched(row, line, lowered, start)


def _matched(row: "Row", line: str, lowered: str, start: int) -> "Iterator[Secret]":
    """What a row of the table finds in a line."""
    code, kind, pattern, check = row
    for match in pattern.finditer(lowered):
        low, high = match.span(match.lastindex or 1)
        is_quoted = line[low - 1] in "\"'" and line[high : high + 1] == line[low - 1]
        value = line[low:high] if is_quoted else _trimmed(line[low:high])
        if weigh.CHECKS[check](value):
            yield Secret(start + low, start + low + len(value), kind, code)


def _in_next_line(text: str, start: int, line: str) -> "Iterator[Secret]":
    """A value that stands alone in a line, after one that ends with its name."""
    alone = _ALONE.fullmatch(line)
    if alone:
        before = text[max(start - 160, 0) : start]
        lowered = _lowered(before)
        for ends, length in _names(before, lowered, _stems(lowered)):
            match = _OPEN.fullmatch(before, ends)
            is_open = match and (match["sign"] or "value" in line) and not _OTHER_THINGS.fullmatch(match["rest"])
            value = _trimmed(alone[1])
            if is_open and weigh.is_value(value, length):
                yield _given(start + alone.start(1), value, length)


def _given(start: int, value: str, length: int) -> Secret:
    """What is given to a name; a token that is cut or mistyped is called by what it begins with all the same."""
    begins = (
        kind
        for literal, (_, kind, _, check) in _TOKENS.get(value[:2], ())
        if check == "real"
        and value.startswith(literal)
        and (len(literal) > 4 or literal.isupper() or literal[3:] == "_")
    )
    kind = next(begins, "password" if length == weigh.SHORT else "assigned secret")
    return Secret(start, start + len(value), kind, "SEC006")


def _names(line: str, lowered: str, stems: "list[int]") -> "Iterator[tuple[int, int]]":
    """Where the name of a credential ends, and from which length on what it is given may be one."""
    end = 0
    for stem in stems:
        name = _NAME.match(lowered, stem) if stem >= end else None
        if not name:
            continue
        end, word = name.end(), name[0]
        if word == "key":
            before = lowered[max(end - 16, 0) : end - 3].rstrip("_ .-")
            is_variable = line[end - 4 : end] == "_KEY" and not before.endswith(_OPEN_KEYS)
            if before.endswith("private"):
                yield end, weigh.WIDE
            elif is_variable or before.endswith(_KEYS):
                yield end, weigh.MIDDLE
        elif (
            word in ("cret", "credential")
            or lowered.endswith(("authtoken", "auth_token"), 0, end)
            or line.endswith("_TOKEN", 0, end)
        ):
            yield end, weigh.MIDDLE
        elif word != "pat" or line[end - 3 : end] == "PAT":
            yield end, weigh.WIDE if word in _TOKENS_NAMED else weigh.SHORT


def _lowered(text: str) -> str:
    """A text in small letters, each in its place: a few capitals have two small ones."""
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else text


def _assigned(line: str, match: "re.Match[str]", length: int) -> tuple[int, int] | None:
    """Where the value is that follows a name, when it is a credential."""
    end, rest, sign, quote = match.start(), match["rest"], match["sign"], match["quote"]
    value = line[match.start("value") : match.end("value")]
    if (
        (rest and _OTHER_THINGS.fullmatch(rest))
        or sign in ("==", "===", "!=", "!==")
        or line.endswith(":secret", 0, end)
    ):
        return None
    closed = _CLOSED[quote[0]].match(value) if quote else None
    value = closed[0] if closed else _trimmed(value)
    # Tests pass; and a word after a name is its value only when it can be nothing else.
    is_sure = sign or closed or _OPTION.search(line, max(end - 40, 0), end)
    if not sign and line[match.start("value") - 1].isalnum():
        return None
    if (not is_sure or line[end - 4 : end] == "pass") and (not weigh.is_hard(value) or " " in value):
        return None
    if not weigh.is_value(value, length, closed is not None):
        return None
    return match.start("value"), match.start("value") + len(value)


_CLOSED = {
    quote: lazy(rf"(?:[^\\{quote}\n]|\\(?!{quote}[\s,}})\]]|{quote}$).){{1,300}}(?=\\?{quote})") for quote in "\"'`"
}
_UNQUOTED = lazy(r"(?:[^\s\"'`;<\\&|]|<(?!/|br)|&(?!\w+=)|\\(?![nrt\"']))+")


def _trimmed(value: str) -> str:
    """What of it belongs to the value, and not to the sentence, the markup or the code."""
    match = _UNQUOTED.match(value)
    value = match[0] if match else ""
    trimmed = value.rstrip(".,;:)]}>*_|&~")
    return value[: len(trimmed) + 1] if "(" in trimmed and value[len(trimmed) :][:1] == ")" else trimmed


_OPTION = lazy(r"(?:\A|\s)(?:--?[\w-]*|(?:ENV|setx|machine)\s.*)\Z")
"""Before the name of a command's option or a variable, which a space may part from its value."""


class Table:
    """The table that the row which was looked at last belongs to."""

    __slots__ = ("_lengths", "_next")

    def __init__(self) -> None:
        self._next = -1
        """Where the line after that row begins."""
        self._lengths: dict[int, int] = {}
        """By column, from which length on a value may be a credential."""

    def cells(self, text: str, start: int, end: int) -> "Iterator[Secret]":
        """The credentials in the cells of a row whose head names them."""
        top = start
        while top and top != self._next and "|" in text[(above := text.rfind("\n", 0, top - 1) + 1) : top]:
            top = above
        if top != self._next:
            self._lengths = _head(text, top)
        self._next = end + 1
        for column, (place, value) in enumerate(_columns(text[start:end])) if self._lengths else ():
            length = self._lengths.get(column)
            if length and " " not in value and weigh.is_value(value, length):
                yield _given(start + place, value, length)


def _head(text: str, start: int) -> "dict[int, int]":
    end = text.find("\n", start)
    if end < 0 or not _RULE.match(text, end + 1):
        return {}
    return {
        column: length
        for column, (_, cell) in enumerate(_columns(text[start:end]))
        for lowered in (_lowered(cell),)
        for ends, length in _names(cell, lowered, _stems(lowered))
        if not cell[ends:].strip()
    }


def _columns(line: str) -> "Iterator[tuple[int, str]]":
    """The cells of a row and where they begin, without the marks of emphasis and code."""
    at = len(line) - len(line.lstrip(" |>"))
    for cell in line[at:].split("|"):
        bare = cell.strip(" \t\r`*_~\"'")
        yield at + cell.find(bare), bare
        at += len(cell) + 1


_RULE = lazy(r"[ >]{0,8}\|?[ \t]{0,8}:?--[-:| \t\r]*(?:\n|$)")


# What is in the table


_TOKENS: "dict[str, list[tuple[str, Row]]]" = {}
"""What is known by its beginning, by the first two characters."""
_WITHIN: "list[tuple[str, Row]]" = []
_LINES: "list[tuple[str, str, Row]]" = []
"""What is known by the line it stands in: what the stem that it has begins with, the word, and the row."""


def _read() -> None:
    tokens, _, lines = beside(__file__, "forms.txt").partition("##")
    for part in (tokens, lines):
        for line in part.splitlines():
            if " ~ " in line and not line.startswith("#"):
                code, check, kind, literals, pattern = line.split(" ~ ")
                row = code, kind, lazy(pattern), check
                if part is lines:
                    for group in literals.split(" & "):
                        _LINES.extend((group[0], word, row) for word in group[2:].split("|"))
                elif literals[0] == "…":
                    _WITHIN.append((literals[1:], row))
                else:
                    for word in literals.split("|"):
                        _TOKENS.setdefault(word[:2], []).append((word, row))


_read()
_STARTS = lazy(
    r"[^A-Za-z0-9](?:(?<=\\)[nrt]|(?<=%)[0-9A-F]{2}|)(?="
    + "".join(f"[{re.escape(''.join(sorted(set(each))))}]" for each in zip(*_TOKENS, strict=True))
    + rf"[^!-$&-*,;<?@\[-^`{{-}}]{{{_FEWEST - 2}}})"
)
"""Before a token, which may follow an escaped end of line or an encoded sign."""
