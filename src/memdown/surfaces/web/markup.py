"""How pages are written: templates, Markdown that cannot do anything, and text that cannot steer anything.

Everything that comes from a file passes `plain` or `rich`. Needs the extra `web`.
"""

import re
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from html import escape
from pathlib import Path
from urllib.parse import urlencode

import nh3
import pyromark
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from memdown.index.search.snippets import MARKS
from memdown.patterns import lazy
from memdown.record import Record
from memdown.surfaces.show.records import retired_as
from memdown.surfaces.show.style import count, visible
from memdown.text import shorten
from memdown.times import Moment

_HERE = Path(__file__).parent
STATIC = _HERE / "static"
LONGEST = 200_000
"""Characters of a record that a page renders; the page of the file has the rest."""
_OPTIONS = pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_STRIKETHROUGH | pyromark.Options.ENABLE_TASKLISTS
_TAGS = set(
    "a abbr b blockquote br code dd del details dl dt em h1 h2 h3 h4 h5 h6 hr i img input ins kbd li mark ol p pre q s"
    " samp span strong sub summary sup table tbody td tfoot th thead tr tt u ul var".split()
)
_ATTRIBUTES = {"a": {"href", "title"}, "img": {"alt"}, "input": {"type", "checked", "disabled"}, "ol": {"start"}}
_SCHEMES = {"http", "https", "mailto"}
_CODE = lazy(r"`([^`]+)`")
_WORDED = lazy(r"(?m)^.*?\w.*")
_SYNTAX = lazy(r"(?<!\S)#{1,6}(?!\S)|\|(?:[ :|-]*\|)?|(?<!\S)---+(?!\S)")
"""What makes a heading, a table or a rule on a line of its own, and nothing among other lines."""
_FIELD = lazy(r"\n(?=(?:\*\*[^*\n]{1,60}(?::\*\*|\*\*:)|\*[^*\n]{1,60}:[^*\n]{1,60}\*(?:\n|\Z)))")
"""What a line with a name and a value begins behind; each is to stay a line."""
_HEADING = lazy(r"<(/?)h([1-6])>")
_BOX = lazy(r"<input([^>]*)>")
_IMAGE = lazy(r'<img(?: alt="([^"]*)")?[^>]*>')
_TABLE = lazy(r"<(/?)table>")
_TAG = lazy(r"<(/?)([A-Za-z][A-Za-z0-9]*)")
_HEAD = lazy(r"--- .*\n\+\+\+ .*\n@@ ")
_HUNK = lazy(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_VOID = frozenset("area br col hr img input link meta param source wbr".split())
_DEEPEST = 200
"""Elements within elements that are rendered; cleaning more takes for ever, so that their source is shown."""

Link = Callable[..., str]


def plain(text: object) -> str:
    """Text with nothing hidden in it; the template escapes it."""
    return visible(str(text).replace("\r\n", "\n")).encode("utf-8", "replace").decode()


def rich(text: str, level: int = 3, led: Callable[[str], str | None] | None = None) -> Markup:
    """Markdown as HTML that holds no script, no style and nothing to load; headings begin at `level`.

    `led` says where a link that is a path leads here; nowhere, when it knows none.
    """
    cut = text if len(text) <= LONGEST else text[:LONGEST].rpartition("\n")[0] or text[:LONGEST]
    safe = plain(cut)
    rendered = pyromark.html(_FIELD.sub("  \n", safe), options=_OPTIONS)
    if _is_deep(rendered):
        return Markup(f'<pre tabindex="0">{escape(safe)}</pre>')
    html = nh3.clean(
        rendered,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes=_SCHEMES,
        attribute_filter=lambda tag, name, value: _kept(tag, name, value, led),
        link_rel="noopener noreferrer nofollow",
    )
    html = _levelled(html, level)
    html = html.replace("<ul>", '<ul dir="auto">').replace("<ol>", '<ol dir="auto">')
    html = _BOX.sub(_box, html)
    html = _IMAGE.sub(lambda match: f'<span class="image">{match[1] or "image"}</span>', html)
    html = html.replace("<pre>", '<pre tabindex="0">')  # which may be wider than the window
    html = _TABLE.sub(lambda match: "</table></div>" if match[1] else '<div class="wide" tabindex="0"><table>', html)
    return Markup(html)


def _is_deep(html: str) -> bool:
    """Whether elements are within elements beyond what anybody writes, told without a tree."""
    depth = 0
    for match in _TAG.finditer(html):
        if match[2].lower() not in _VOID:
            depth += -1 if match[1] else 1
            if depth > _DEEPEST:
                return True
    return False


def _levelled(html: str, level: int) -> str:
    """The headings with levels from `level` on, none of which leaves one out, as people who listen go by them.

    Those that stand beside each other in the text do so here.
    """
    above: list[int] = []

    def tag(match: "re.Match[str]") -> str:
        if not match[1]:
            while above and above[-1] >= int(match[2]):
                above.pop()
            above.append(int(match[2]))
        return f"<{match[1]}h{min(level + len(above) - 1, 6)}>"

    return _HEADING.sub(tag, html)


def _kept(tag: str, name: str, value: str, led: Callable[[str], str | None] | None) -> str | None:
    """Only links that lead out by a scheme stay, and those to what has a page here; headings have no ids to lead to."""
    if tag == "a" and name == "href" and not value.lower().startswith(("http://", "https://", "mailto:")):
        return led(value) if led else None
    return value


def _box(match: "object") -> str:
    ticked = "checked" in str(match)
    return f'<span class="box" role="img" aria-label="{"done" if ticked else "open"}">{"☑" if ticked else "☐"}</span>'


def line(text: str | None) -> Markup:
    """One line of Markdown, as a title or an item of a list: code, emphasis and links only."""
    safe = plain(text or "")
    rendered = pyromark.html(safe)
    if _is_deep(rendered):
        return Markup(escape(shorten(" ".join(safe.split()))))
    html = nh3.clean(
        rendered,
        tags={"code", "em", "strong", "del", "b", "i"},
        attributes={},
        link_rel=None,
    )
    shown = " ".join(html.split())
    return Markup(shown if shown else escape(shorten(" ".join(safe.split()))))  # as of `---`, which is no text


def snippet(text: str) -> Markup:
    """The part of a text that answers, with the words that were found marked."""
    begin, end = MARKS
    text = " ".join(_SYNTAX.sub(" ", text.replace("**", "").replace("`", "")).split())
    pieces = escape(plain(text.replace(begin, "\ufdd0").replace(end, "\ufdd1")))
    return Markup(pieces.replace("\ufdd0", "<mark>").replace("\ufdd1", "</mark>"))


def coded(text: str) -> Markup:
    """A sentence with what stands between backticks as code; all else is as it is, since it may quote a file."""
    return Markup(_CODE.sub(r"<code>\1</code>", escape(plain(text))))


def diffed(text: str) -> Iterator[tuple[str, str]]:
    """The lines of a unified diff, each with what it is: a hunk counts its lines, so a removed `---` is no head."""
    left = 0 if _HEAD.match(text) else sys.maxsize
    for each in text.split("\n"):
        if found := _HUNK.match(each):
            left = sum(int(size or 1) for size in found.groups())
            yield "hunk", each
        elif left <= 0 and each.startswith(("--- ", "+++ ")):
            yield "head", each
        elif kind := {"+": "added", "-": "removed"}.get(each[:1]):
            left -= 1
            yield kind, each
        else:
            left -= 0 if each.startswith("\\") else 2
            yield "same", each


def path(text: str) -> Markup:
    """A path, which breaks between its folders where it is too long for a line."""
    return Markup(escape(plain(text)).replace("/", "/<wbr>"))


def words(text: str) -> str:
    """One line of Markdown without its marks, for where only text can stand."""
    return line(text).striptags() if "*" in text or "`" in text else plain(text)


def name_of(record: Record) -> str:
    """What a record is called, on one line."""
    first = _WORDED.search(record.body or "")
    words = record.title or record.summary or (first[0] if first else "") or record.id
    name = shorten(" ".join(words.split()))
    before, _, after = name.rpartition("`")
    return name if name.count("`") % 2 == 0 or name == words else f"{before}{after}"  # what begins code was cut


def day(moment: Moment | None) -> str:
    """The day somebody wrote; nothing when there is none."""
    return moment.local.date().isoformat() if moment else ""


def ago(given: Moment | str | None, now: datetime) -> str:
    """How long it is since a day, as people say it."""
    if given is None or given == "":
        return "no date"
    then = date.fromisoformat(given[:10]) if isinstance(given, str) else given.local.date()
    days = (now.astimezone(UTC).date() - then).days
    if days < 0:
        return then.isoformat()
    if days < 2:
        return ("today", "yesterday")[days]
    for most, each, name in ((14, 1, "day"), (60, 7, "week"), (730, 30.44, "month")):
        if days < most:
            return f"{count(int(days / each), name)} ago"
    return f"{count(days // 365, 'year')} ago"


def number(value: int | float) -> str:
    return f"{value:,.0f}"


def query(**given: object) -> str:
    """The part of an address behind the question mark; what is empty is left out."""
    return urlencode({name: plain(value) for name, value in given.items() if value not in (None, "", 0, False)})


def environment(link: Link) -> Environment:
    """Templates whose links lead where `link` says: pages of a server, or files of an export."""
    made = Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: plain(value) if isinstance(value, str) and not isinstance(value, Markup) else value,
        trim_blocks=True,
        lstrip_blocks=True,
    )

    def within(text: str, level: int, file_of: Callable[[str], str | None]) -> Markup:
        """What a record says, with links to the files of memory that it names."""
        return rich(text, level, lambda target: link("files", path=path) if (path := file_of(target)) else None)

    made.filters.update(
        plain=plain,
        rich=rich,
        within=within,
        line=line,
        path=path,
        coded=coded,
        diffed=diffed,
        snippet=snippet,
        day=day,
        ago=ago,
        number=number,
        count=count,
    )
    made.globals.update(link=link, name_of=name_of, retired_as=retired_as)
    return made
