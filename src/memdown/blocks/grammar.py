"""The line grammar of Markdown, as patterns that take time in proportion to what they match.

Every pattern is anchored by its caller (`pattern.match(text, at)`), so no line is ever cut out of the
text. What a repeat has taken could not be matched by what follows it, so that a failed match walks back
once, and finds nothing.
"""

import re

from memdown.patterns import lazy, many

EOL = r"(?:\n|\r\n|\r(?!\n))"
AT_EOL = r"(?=[\r\n]|\Z)"

BLANKS = lazy(r"[ \t]*")
HEADING = lazy(r"#{1,6}(?=[ \t\r\n]|\Z)")
UNDERLINE = lazy(rf"(?:=+|-+)[ \t]*{AT_EOL}")
FENCE = lazy(r"`{3,}(?![^`\r\n]*`)|~{3,}")
FENCE_LINE = lazy(r"(?:`+|~+)[^\r\n]*")
FENCE_RUN = {char: lazy(rf"{char}+") for char in "`~"}
# The group is there when nothing follows the marks.
CLOSING_FENCE = {char: lazy(rf"{char}+([ \t]*{AT_EOL})?") for char in "`~"}
BULLET = lazy(r"[-*+](?=[ \t\r\n]|\Z)")
NUMBER = lazy(r"[0-9]{1,9}[.)](?=[ \t\r\n]|\Z)")
TASK_BOX = lazy(r"\[[ \txX]\](?=[ \t\r\n]|\Z)")
# Up to the first character that cannot be part of a thematic break of that kind.
RULE_RUN = {char: lazy(rf"[{re.escape(char)} \t]*") for char in "-*_"}

_COLUMN = r"[ \t]*:?-+:?[ \t]*"
DELIMITER_ROW = lazy(rf"\|?{_COLUMN}" + many(rf"\|{_COLUMN}", "columns") + rf"(?:\|[ \t]*)?{AT_EOL}")
# Lines that begin with a pipe can be nothing but rows once a table is open.
PIPED_ROWS = lazy(many(rf"{EOL}\|[^\r\n]*", "rows"))

# A line that begins so is text wherever it stands: it opens no block and is no row of dashes or cells.
_WORD = r"(?:[^\s#>*+\-_=|:~`<\[0-9]|\*\*[^\s*]|`[^`\s]|[0-9]{1,9}(?![0-9.)]))"
_PLAIN = rf"{_WORD}[^\r\n]*"
# A paragraph of such lines; the group `end` is there when the paragraph surely ends with them.
_SURE_END = rf"\Z|{EOL}(?=[\r\n]|\#{{1,6}} |\Z)"
PLAIN_PARAGRAPH = lazy(_PLAIN + many(EOL + _PLAIN, "lines") + rf"(?P<end>{_SURE_END})?")
PLAIN_HEADING = lazy(r"(#{1,6})[ \t]+([^\r\n]*)")
_MARKER = r"(?:[-*+]|[0-9]{1,9}[.)]) "
# A line at the margin that ends every item and quote above it, whatever is open there.
MARGIN = lazy(rf"{_MARKER}\S|\#{{1,6}} ")
# An item of one line that the line after it surely ends.
PLAIN_ITEM = lazy(rf"({_MARKER})(\[[ xX]\] (?=\S))?(?=({_PLAIN}))\3(?=\Z|{EOL}(?:\Z|{MARGIN.pattern}|[\r\n]+(?!\s)))")

_BLOCK_TAGS = (
    "address article aside base basefont blockquote body caption center col colgroup dd details dialog "
    "dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header "
    "hr html iframe legend li link main menu menuitem nav noframes ol optgroup option p param search "
    "section summary table tbody td tfoot th thead title tr track ul"
)
_VALUE = r"""(?:[^ \t\r\n"'=<>`]+|'[^'\r\n]*'|"[^"\r\n]*")"""
_ATTRIBUTE = rf"[ \t]+[A-Za-z_:][A-Za-z0-9_.:-]*(?:[ \t]*=[ \t]*{_VALUE})?"
_OPEN_TAG = r"<[A-Za-z][A-Za-z0-9-]*" + many(_ATTRIBUTE, "attributes") + r"[ \t]*/?>"
_CLOSE_TAG = r"</[A-Za-z][A-Za-z0-9-]*[ \t]*>"
# The seven ways an HTML block begins, in the order of the CommonMark specification.
HTML = lazy(
    r"(<(?:script|pre|style|textarea)(?=[ \t>\r\n]|\Z))"
    r"|(<!--)"
    r"|(<\?)"
    r"|(<![a-z])"
    r"|(<!\[CDATA\[)"
    rf"|(</?(?:{_BLOCK_TAGS.replace(' ', '|')})(?=[ \t\r\n]|/?>|\Z))"
    rf"|((?:{_OPEN_TAG}|{_CLOSE_TAG})[ \t]*{AT_EOL})",
    re.IGNORECASE,
)
HTML_NAMES = ("", "raw", "comment", "instruction", "declaration", "cdata", "block", "tag")
# What ends a block of each type on its own line; the last two types end at a blank line.
HTML_ENDS = (
    None,
    lazy(r"</(?:script|pre|style|textarea)>", re.IGNORECASE),
    lazy("-->"),
    lazy(r"\?>"),
    lazy(">"),
    lazy("]]>"),
    None,
    None,
)
HTML_BLOCK, HTML_TAG = 6, 7
