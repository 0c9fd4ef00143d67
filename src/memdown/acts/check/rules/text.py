"""Rules about the characters of any text: encoding, what cannot be seen, line ends."""

from collections.abc import Iterator

from memdown.diagnostics import Finding, Fix, rule
from memdown.errors import quote
from memdown.patterns import lazy
from memdown.record import Document
from memdown.text import BOM, Edit, Span, eol_of, with_eol

# Each pattern takes in the rest of its line: the first place is told, once a line.
_NOT_UTF8 = lazy("([\udc80-\udcff]+)[^\r\n]*")
_CONTROL = lazy("([\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f]+)[^\r\n]*")
_HIDDEN_RUN = lazy("[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\U000e0000-\U000e007f]+")
_HIDDEN = lazy(f"({_HIDDEN_RUN.pattern})[^\r\n]*")
_LONE = lazy(r"(?<!\r)\r(?![\r\n])")
_EOL = lazy(r"\r\n|\n|\r")

SEVERAL = 1000
"""Line ends that are mended one by one; more are mended in one edit, since each edit takes memory."""

_ESCAPES = {"\a": r"\a", "\b": r"\b", "\v": r"\v", "\f": r"\f", "\x1b": r"\e"}
"""What bash or, with a backtick, PowerShell reads as a control character: `\\begin` loses its first letter."""

_NEAR = 20
"""How much of the text around a character is shown."""


@rule("MD001", "error")
def not_utf8(doc: Document) -> Iterator[Finding]:
    """Some bytes are not UTF-8.

    The file was written in another encoding, or damaged. memdown keeps the bytes as they are; other tools
    replace them, refuse the file, or guess.

    Bad (bytes):
        caf\\xe9\\n
    Good (bytes):
        caf\\xc3\\xa9\\n
    """
    if doc.text.isascii():
        return
    for match in _NOT_UTF8.finditer(doc.text):
        shown = " ".join(f"{ord(char) - 0xDC00:02x}" for char in match.group(1)[:4])
        yield Finding(Span(*match.span(1)), f"The bytes {shown} are not UTF-8; save the file as UTF-8.")


@rule("MD002", "warning")
def control_character(doc: Document) -> Iterator[Finding]:
    """There is a control character in the text.

    It is invisible, and rarely intended: a shell turned `\\a` or `\\b` of a Windows path into a bell or a
    backspace, or a file was cut off and filled with zeros.

    Bad (bytes):
        Run C:\\x07pps\\x08in.\\n
    Good (bytes):
        Run C:\\\\apps\\\\bin.\\n
    """
    for number, match in enumerate(_CONTROL.finditer(doc.text)):
        span = Span(*match.span(1))
        around = doc.text[max(span.start - _NEAR, 0) : span.end + _NEAR].strip("\r\n")
        where = f" in {quote(around)}" if number < SEVERAL else ""
        char = match.group(1)[0]
        escape = _ESCAPES.get(char, "") if doc.text[span.end : span.end + 1].isalpha() else ""
        do = f"is what a shell makes of `{escape}`; restore what it was" if escape else "cannot be seen; remove it"
        yield Finding(span, f"The control character U+{ord(char):04X}{where} {do}.")


@rule("MD003", "warning")
def hidden_character(doc: Document) -> Iterator[Finding]:
    """There is a character that hides or reorders text.

    Zero-width spaces break searches. Direction marks and tag characters can make an assistant read something other
    than what a person sees. A zero-width joiner in an emoji is fine.

    Bad (bytes):
        deploy\\xe2\\x80\\x8bkey\\n
    Good (bytes):
        deploykey\\n

    ## Fix

    The unsafe fix removes them.
    """
    if doc.text.isascii():
        return
    for match in _HIDDEN.finditer(doc.text):
        edits = [Edit(Span(*each.span()), "") for each in _HIDDEN_RUN.finditer(doc.text, *match.span())]
        fix = Fix("remove it", tuple(edits), safe=False)
        yield Finding(
            Span(*match.span(1)), f"The character U+{ord(match.group(1)[0]):04X} hides or reorders text.", fix
        )


@rule("MD004", "info")
def byte_order_mark(doc: Document) -> Iterator[Finding]:
    """The file begins with a byte order mark.

    UTF-8 needs none, and a tool that does not expect it fails to see a front matter or heading behind it.

    Bad (bytes):
        \\xef\\xbb\\xbf# Notes\\n
    Good (bytes):
        # Notes\\n

    ## Fix

    The safe fix removes it.
    """
    if doc.text.startswith(BOM):
        span = Span(0, 1)
        yield Finding(
            span,
            "The file begins with a byte order mark (U+FEFF), which other readers take for text; remove it.",
            Fix("remove it", (Edit(span, ""),)),
        )


@rule("MD005", "info")
def mixed_line_endings(doc: Document) -> Iterator[Finding]:
    """Lines end in different ways.

    Diffs then show changes nobody made, and some tools see two lines as one.

    Bad (bytes):
        one\\r\\ntwo\\r\\nthree\\n
    Good (bytes):
        one\\r\\ntwo\\r\\nthree\\r\\n

    ## Fix

    The safe fix uses the ending that most lines have. It is unsafe for a lone CR, which may be a different kind of
    mistake; that is why this is a warning.
    """
    if "\r" not in doc.text:
        return
    most = eol_of(doc.text)
    first, last, count, edits = None, 0, 0, []
    for match in _EOL.finditer(doc.text):
        if match.group() == most:
            continue
        first, last, count = first or Span(*match.span()), match.end(), count + 1
        if count <= SEVERAL:
            edits.append(Edit(Span(*match.span()), most))
    if first is None:
        return
    if count > SEVERAL:
        edits = [Edit(Span(first.start, last), with_eol(doc.text[first.start : last], most))]
    named = {"\n": "LF", "\r\n": "CR LF", "\r": "CR"}[most]
    message = f"{count:,} {'lines end' if count > 1 else 'line ends'} in another way than {named}, as most do."
    # A lone CR among other line ends may be what is left of a path, as in a shell's `\\requirements.txt`.
    lone = _LONE.search(doc.text) if most != "\r" else None
    stray = most != "\r" and any(each.group() == "\r" for each in _EOL.finditer(doc.text))
    fix = Fix(f"end every line with {named}", tuple(edits), safe=not stray)
    if lone:
        first, near = Span(*lone.span()), doc.text[max(lone.start() - _NEAR, 0) : lone.end() + _NEAR]
        message = f"There is a stray carriage return in {quote(near)}, as a shell makes of `\\r`; restore what it was."
    yield Finding(first, message, fix, "warning" if lone else None)


@rule("MD006", "info")
def no_final_newline(doc: Document) -> Iterator[Finding]:
    """The last line does not end.

    Text appended later joins that line, and diffs show it as changed.

    Bad (bytes):
        one\\ntwo
    Good (bytes):
        one\\ntwo\\n

    ## Fix

    The safe fix ends the line.
    """
    if doc.text and not doc.text.endswith(("\n", "\r")):
        end = len(doc.text)
        fix = Fix("end the last line", (Edit(Span(end, end), eol_of(doc.text)),))
        yield Finding(Span(end - 1, end), "The last line has no line end; add one.", fix)
