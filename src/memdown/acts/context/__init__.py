"""What an assistant should read now: everything that counts, then what is about the task, within a budget."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence

from msgspec import structs

from memdown.acts.context import pack
from memdown.acts.context.pack import ESSENTIAL, NOT_FILLED_IN, Context, ContextPiece, LeftOut
from memdown.dialects import offered
from memdown.errors import Invalid, quote, way
from memdown.homes import reads_elsewhere
from memdown.index import questions, standing, untrue, wide
from memdown.index.elsewhere import NEARNESS, Named, label
from memdown.index.query import Filter, Not, Query, Term
from memdown.index.questions import Questions
from memdown.index.search import Hit
from memdown.index.terms import task_words
from memdown.markdown import last_commit, tokens
from memdown.markdown.placeholders import filled_in, says_nothing, without_dates
from memdown.markdown.tokens import Count
from memdown.project import Project
from memdown.record import LISTS, LaidOut, Record
from memdown.scan import rulefiles
from memdown.scan.rulefiles import RuleFile
from memdown.store.tree import Tree
from memdown.text import Lines

RULES, DIRECTIVES, RELEVANT, ELSEWHERE, DECISIONS, BACKGROUND = range(ESSENTIAL + 1, ESSENTIAL + 7)
"""In what order all else is chosen after the files that a bank must have."""

_PLACES = {RULES: 10, DIRECTIVES: 11, RELEVANT: 12, ELSEWHERE: 13, DECISIONS: 13 + len(NEARNESS)}
"""In what order it is written, after the seven files: what is about the task, then what is only recent."""

_MOST_HITS, _MOST_DECISIONS, _MOST_DIRECTIVES = 20, 10, 50
_TELLING = 0.3
"""How much of the best hit's score another one must have to be worth reading."""
_WORDS = 64
"""Words of a task that are looked for."""
_VALID = (Not(Filter("is", "superseded")), Not(Filter("is", "expired")), *(Not(Filter("kind", each)) for each in LISTS))
_KEPT = Not(Filter("is", "archived"))


def context(
    project: Project,
    task: str,
    paths: Sequence[str],
    budget: int | None,
    count: Count = tokens.estimate,
    sources: Sequence[Named] | None = None,
) -> Context:
    """What to read for a task and the files it is about: all that counts now, then what is about them.

    What assistants' files, your own memory and these sources say of the task follows that of the project.
    """
    budget = project.config.context.budget if budget is None else budget
    if budget < 1:
        raise Invalid("the budget is a number of tokens, at least 1")
    names = [_file(project, path) for path in paths]
    recall = Recall(project)
    asking = questions.of(project)
    about, wider = _about(asking, task, names), _wider(project, asking, task, sources)
    pieces = [
        *recall.files(project.bank_files().values()),
        *recall.rules(_rules(project, names)),
        *recall.records(_newest(asking, "directive", _MOST_DIRECTIVES), "a directive in force", DIRECTIVES),
        *recall.records(about, "about the task", RELEVANT),
        *recall.elsewhere(wider),
        *recall.records(_newest(asking, "decision", _MOST_DECISIONS), "a recent decision", DECISIONS),
    ]
    if pieces and task.strip() and not (about or wider):
        project.tell(f"no memory is about {quote(task)}; showing what applies to any task")
    return recall.pack(pieces, budget, count)


def _file(project: Project, path: str) -> str:
    """The name of a file of the project, which need not be there yet."""
    name = project.files.name_of(path)
    if not name:
        raise Invalid(f"the project's folder is not a file; name one with {way('--for')}")
    project.files.path(name)
    return name


def _newest(asking: Questions, kind: str, most: int) -> list[Record]:
    """What is in force; what was moved to an archive is not."""
    return asking.fitting(Query(must=(Filter("kind", kind), *_VALID, _KEPT), limit=most)).records


def _about(asking: Questions, task: str, names: Sequence[str]) -> list[Record]:
    """The best hits for the words of a task, and for the names of its files."""
    found: dict[str, Record] = {}
    for words in (task_words(task)[:_WORDS], *([name, name.rpartition("/")[2]] for name in names)):
        terms = tuple(Term(word) for word in words if any(char.isalnum() for char in word))
        hits = asking.search(Query(words=terms, must=_VALID, limit=_MOST_HITS)).hits if terms else []
        best = max((hit.score for hit in hits), default=0.0)
        for hit in hits:
            if hit.score >= best * _TELLING:
                found.setdefault(hit.mark.record.id, hit.mark.record)
    return list(found.values())


def _wider(project: Project, asking: Questions, task: str, sources: Sequence[Named] | None) -> list[Hit]:
    """The best hits for the words of a task in other places, the most specific place first."""
    terms = tuple(Term(word) for word in task_words(task)[:_WORDS])
    if not terms or sources is None or not reads_elsewhere(str(project.root)):
        return []
    query = Query(words=terms, must=_VALID, limit=_MOST_HITS * 5)  # those of the project are among them
    own = asking.search(query)
    found = wide.search_wide(str(project.root), project.now(), query, own, sources, tell=project.tell).hits
    best = {level: max(hit.score for hit in found if hit.level == level) for level in {hit.level for hit in found}}
    near = [hit for hit in found if hit.level and hit.score >= best[hit.level] * _TELLING]
    return sorted(near, key=lambda hit: list(NEARNESS).index(hit.level))


def _rules(project: Project, names: Sequence[str]) -> list[RuleFile]:
    """Rules for the files at work alone; those of the whole project and of a mode an assistant reads by itself."""
    tree = Tree(project.root, ())
    applying = (rule for name in names for rule in rulefiles.applying(tree, name))
    return list({rule.source: rule for rule in applying if rule.scope.startswith(("paths:", "folder:"))}.values())


class Recall:
    """Pieces from the files of one project; each file is read once."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._texts: dict[str, str] = {}
        self._skipped: list[LeftOut] = []

    def pack(self, pieces: Iterable[ContextPiece], budget: int, count: Count) -> Context:
        given = list(pieces)
        root = str(self._project.root)
        doubted = questions.of(self._project).ask(
            lambda db: [
                _doubted(db, each if not against else structs.replace(each, why=f"{each.why}; unconfirmed: {against}"))
                for each, against in zip(given, standing.of_records(db, root, given), strict=True)
            ]
        )
        return pack.pack(doubted, budget, skipped=self._skipped, count=count, asked=RELEVANT)

    def files(self, names: Iterable[str]) -> Iterator[ContextPiece]:
        """The files that are read for any task, as their dialect divides them."""
        for dialect in self._project.offering("laid_out"):
            for name in names:
                text = self._text(name)
                found = offered(dialect, "laid_out")(self._project.config.canonical_path(name), text)
                if found is not None:
                    yield from self._file(name, text, found)

    def _file(self, name: str, text: str, found: LaidOut) -> Iterator[ContextPiece]:
        """A file whole, which may be divided, or the sections of it that are filled in."""
        lines = Lines(text)
        last = lines.at(max(len(text) - 1, 0)) + 1
        whole = ContextPiece(
            name, name, 1, last, text, found.why, ESSENTIAL if found.required else BACKGROUND, found.order
        )
        parts = tuple(self._sections(whole, lines, found))
        if found.is_filled:
            yield structs.replace(whole, text=without_dates(text), parts=parts)
        else:
            yield from parts

    def _sections(self, whole: ContextPiece, lines: Lines, found: LaidOut) -> Iterator[ContextPiece]:
        """The sections of a file, the most wanted first; those not filled in are left out."""
        for each in found.parts:
            span, id = each.span, f"{whole.path}#{each.title}"
            first, last = lines.at(span.start) + 1, lines.at(max(span.end - 1, span.start)) + 1
            if each.filled:
                yield structs.replace(whole, id=id, line=first, end_line=last, text=filled_in(span.of(whole.text)))
            else:
                cost = tokens.estimate(span.of(whole.text))
                self._skipped.append(LeftOut(id, whole.path, (first, last), cost, NOT_FILLED_IN))

    def rules(self, found: Sequence[RuleFile]) -> Iterator[ContextPiece]:
        """Rules files that apply to the files at work."""
        for rule in found:
            last = rule.text.count("\n") + 1
            yield ContextPiece(
                rule.source, rule.source, 1, last, rule.text, f"rules, {rule.scope}", RULES, _PLACES[RULES]
            )

    def records(self, found: Iterable[Record], why: str, rank: int) -> Iterator[ContextPiece]:
        """Records, as they stand in their files."""
        for record in found:
            text = record.span.of(self._text(record.path))
            below = text.partition("\n")[2] if text.startswith("#") else text
            if not says_nothing(below) and not last_commit.is_derived(below):
                said = f"{why}; stale: {since}" if (since := self._stale_since(record)) else why
                yield ContextPiece(
                    record.id, record.path, record.line, record.end_line, filled_in(text), said, rank, _PLACES[rank]
                )

    def elsewhere(self, found: Iterable[Hit]) -> Iterator[ContextPiece]:
        """Records of other places; those that a more specific place overrides are left out, and named."""
        for hit in found:
            record = hit.mark.record
            text = _told(record)
            lines = record.line, record.end_line
            if hit.overridden_by:
                why = f"overridden by {hit.overridden_by}"
                self._skipped.append(LeftOut(record.id, record.path, lines, tokens.estimate(text), why, hit.level))
            elif not says_nothing(record.body or record.summary or "") or record.rationale:
                why = f"about the task; {label(hit.level, hit.source)}"
                at = _PLACES[ELSEWHERE] + list(NEARNESS).index(hit.level)
                yield ContextPiece(record.id, record.path, *lines, text, why, ELSEWHERE, at, level=hit.level)

    def _stale_since(self, record: Record) -> str | None:
        told = offered(record.dialect, "stale_since")
        path, project = record.path, self._project
        return told(path, self._text(path), project.now().date(), project.config) if told else None

    def _text(self, name: str) -> str:
        if name not in self._texts:
            self._texts[name] = self._project.files.read(name)
        return self._texts[name]


def _told(record: Record) -> str:
    """What a record of another place says: its title, what that does not say already, and why."""
    said = record.body or (record.summary if record.summary != record.title else "") or ""
    why = f"Why: {record.rationale}" if record.rationale.strip() else ""
    return "\n\n".join(filter(None, (record.title, said.strip(), why)))


def _doubted(db: sqlite3.Connection, piece: ContextPiece) -> ContextPiece:
    """A piece, and its parts, with what of it is no longer so."""
    said = untrue.doubt(db, piece.path, piece.line, piece.end_line)
    if not said:
        return piece
    parts = tuple(_doubted(db, each) for each in piece.parts)
    return structs.replace(piece, why=f"{piece.why}; stale: {said}", parts=parts)
