"""From an assistant's message to a card: which messages are worth keeping, and what to call them.

Only assistant messages of two or more lines that say something are kept, in full. Nothing is summarised and nothing is
made up: the subject is the first heading or sentence with content, the keywords are the words used most, the scope is
the file that the text names and the project has. Light to import, since hooks capture too.
"""

import os
import re

from memdown.acts.capture import chatter
from memdown.errors import quote
from memdown.index.keywords import keywords
from memdown.index.stopwords import STOP_WORDS
from memdown.markdown import cardfile
from memdown.patterns import lazy

TYPE_CHECKING = False  # as typing's, which hooks cannot afford
if TYPE_CHECKING:
    from collections.abc import Iterator


_EOL = lazy(r"\r\n|\n|\r")
_UNSEEN = lazy(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_SOURCE = "|".join(
    """c cc cfg clj cpp cs css dart env ex exs go gradle h hpp html ini java json jsx kt kts lua md ml mjs php pl proto
    py pyi r rb rs scala scss sh sql svelte swift tf toml ts tsx txt vue xml yaml yml zig""".split()
)
_PATH = lazy(rf"(?<![\w/:.-])(/?(?:[\w.-]+/)+[\w-][\w.-]*\.[A-Za-z]\w{{0,7}}|[\w-][\w.-]*\.(?:{_SOURCE}))(?![\w/])")
_AREA = lazy(
    r"\b(?:in|for|of)\s+the\s+([a-z][\w-]{2,40})\s+(?:component|module|service|area|section|subsystem|layer|system)\b",
    re.IGNORECASE,
)
_FILES = 5000
"""Files of a project that are looked at for one that is named without its folder."""
_NOT_OURS = frozenset(("node_modules", "vendor", "venv", "target", "dist", "build", "__pycache__"))
_VAGUE = frozenset("same other whole new old current following above below entire next last first".split())


class CardDraft:
    """What a card says, when a message becomes one."""

    __slots__ = ("body", "keywords", "scope", "subject")

    def __init__(self, subject: str, keywords: list[str], scope: str, body: str) -> None:
        self.subject = subject
        self.keywords = keywords
        self.scope = scope
        self.body = body


class ProjectPaths:
    """The files of a project, by what a text may call them."""

    def __init__(self, root: str) -> None:
        self._root = os.path.realpath(root)
        self._names: dict[str, list[str]] | None = None

    def resolve(self, path: str) -> str | None:
        """The path from the root of the one file that is meant; None when there is none, or more than one."""
        if path.startswith("/"):
            whole = os.path.normpath(path)
            below = os.path.join(self._root, "")
            return self._there(whole[len(below) :].replace(os.sep, "/")) if whole.startswith(below) else None
        found = self._there(path.removeprefix("./"))
        if found is None and not path.startswith(".."):
            same = [name for name in self._named(path.rpartition("/")[2]) if f"/{name}".endswith(f"/{path}")]
            found = same[0] if len(same) == 1 else None
        return found

    def _there(self, path: str) -> str | None:
        whole = os.path.join(self._root, path)
        inside = os.path.realpath(whole).startswith(os.path.join(self._root, ""))
        return path if inside and os.path.isfile(whole) else None

    def _named(self, name: str) -> "list[str]":
        if self._names is None:
            self._names = {}
            for seen, path in enumerate(self._walk()):
                if seen == _FILES:
                    self._names = {}  # one that was not seen may have the same name
                    break
                self._names.setdefault(path.rpartition("/")[2], []).append(path)
        return self._names.get(name, [])

    def _walk(self) -> "Iterator[str]":
        for folder, folders, files in os.walk(self._root):
            folders[:] = [each for each in folders if each[0] != "." and each not in _NOT_OURS]
            below = os.path.relpath(folder, self._root).replace(os.sep, "/")
            yield from (name if below == "." else f"{below}/{name}" for name in files)


def from_message(role: str, content: str, paths: ProjectPaths) -> CardDraft | str:
    """The card a message becomes, or the rule that keeps it out."""
    if role != "assistant":
        return f"only assistant messages are kept, and this one is from {quote(role)}"
    body = cardfile.canonical(content)
    lines = [line.strip() for line in _EOL.split(body) if line.strip()]
    if len(lines) < 2:
        return "a message of a single line is not kept"
    if len(body) < cardfile.CONTENT_MINIMUM:
        return f"the message has fewer than {cardfile.CONTENT_MINIMUM} characters"
    if chatter.is_chatter(body):
        return "the message only announces, confirms or asks"
    subject, scope = _subject(body), _scope(body, paths)
    words = keywords(body) or keywords(subject) or keywords(scope.partition(":")[2]) or ["memory"]
    return CardDraft(subject, words, scope, body)


def _subject(body: str) -> str:
    """The first heading or sentence with content, without its Markdown: of prose, then of code and tables."""
    found = [
        (is_code, chatter.says_nothing(title), not chatter.is_telling(title, heading=line.startswith("#")), title)
        for line, is_code in chatter.lines(body)
        for each in chatter.sentences(line)
        if (title := _one_line(each))
    ]
    telling = [each for each in found if chatter.has_content(each[-1])] or found or [(False, True, True, "message")]
    subject = min(telling, key=lambda each: each[:-1])[-1].rstrip(": ")
    if len(subject) > cardfile.SUBJECT_LIMIT:
        subject = subject[: cardfile.SUBJECT_LIMIT - 3].rstrip() + "..."
    return subject


def _one_line(text: str) -> str:
    """Without characters that cannot be seen, which no subject may have."""
    return " ".join(_UNSEEN.sub(" ", text).split())


def _scope(text: str, paths: ProjectPaths) -> str:
    """The file of the project that the text names first, else the area it speaks of, else the whole project."""
    for path in dict.fromkeys(match.group(1) for match in _PATH.finditer(text)):
        found = paths.resolve(path)
        if found and cardfile.scope_fault(f"file:{found}") is None:
            return f"file:{found}"
    area = _AREA.search(text)
    if area and area.group(1).lower() not in STOP_WORDS | _VAGUE:
        return f"area:{area.group(1).lower()}"
    return "global"
