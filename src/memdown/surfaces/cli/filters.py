"""The options that select records, shared by all commands that list or search them."""

from collections.abc import Callable, Iterator
from functools import wraps
from typing import ParamSpec

import click
from msgspec import Struct, structs

from memdown.errors import Invalid
from memdown.homes import HOMES
from memdown.index.found import Found
from memdown.index.query import Any as AnyOf
from memdown.index.query import Filter, Node, Not, Query, mistaken
from memdown.index.questions import Questions
from memdown.surfaces.cli.common import Command, Invocation, comma_separated, count, options

P = ParamSpec("P")
_MOMENT = "such as 2026-02-01, 2026-02-01T09:30:00Z or 7d"
_FILTERS = options(
    click.argument("words", nargs=-1),
    click.option(
        "--type", "--kind", "kinds", multiple=True, help="Only this kind, such as decision or card; repeatable."
    ),
    click.option("--author", help="Only by this author or contributor, whatever the role."),
    click.option("--scope", help="Only this scope, such as team, agent:ann, global or file:src/a.py."),
    click.option("--tag", "--tags", "tags", multiple=True, help="Only with this tag; if repeated, with all of them."),
    click.option("--after", help=f"Only from this date or time on, {_MOMENT}."),
    click.option("--before", help="Only up to this date or time, inclusive."),
    click.option("--since", help="Same as --after; takes ages such as 12h, 7d or 2w."),
    click.option("--expired/--no-expired", default=None, help="Only expired records, or only the rest."),
    click.option("--superseded/--no-superseded", default=None, help="Only superseded records, or only the rest."),
    click.option("--dialect", help=f"Only of this dialect: {', '.join(HOMES)}."),
    click.option("--path", help="Only in this file or below this folder."),
    click.option("--status", help="Only with this word in the status."),
    click.option("-n", "--limit", type=click.IntRange(1), help="Show at most this many."),
)

as_of = click.option(
    "--as-of",
    metavar="DATE|COMMIT",
    help="Use memory as of a commit or a date, from git.",
)


hub_option = click.option(
    "--hub",
    is_flag=False,
    flag_value="",
    metavar="[DSN]",
    help="Ask the hub instead, across all projects. [env: MEMDOWN_HUB]",
)


class Filters(Struct, frozen=True):
    """The filters as a person gave them."""

    words: tuple[str, ...]
    kinds: tuple[str, ...]
    author: str | None
    scope: str | None
    tags: tuple[str, ...]
    after: str | None
    before: str | None
    since: str | None
    expired: bool | None
    superseded: bool | None
    dialect: str | None
    path: str | None
    status: str | None
    limit: int | None

    @property
    def narrow(self) -> bool:
        """Whether any filter was given at all."""
        return any(value not in (None, ()) for value in structs.astuple(self))

    def found(self, session: Invocation, as_of: str | None) -> Found:
        """The answer; a note says what the dates left out."""
        with session.memory.as_of(as_of) as questions:
            found = questions.fitting(self.query(session, questions))
        note_undated(session, found.undated)
        return found

    def query(self, session: Invocation, questions: Questions, *, here: bool = True) -> Query:
        """The words as they are read in every query, and the filters beside them as if they were among the words.

        A question for memory that is `here` gets a note when it asks for a kind that there is not.
        """
        if self.after is not None and self.since is not None:
            raise Invalid("Give --after or --since, not both; they mean the same.")
        query = questions.parse(" ".join(self.words), limit=self.limit)
        query = structs.replace(query, must=(*query.must, *self._filters(session, questions.flag)))
        for sentence in questions.doubts(query) if here else mistaken(query):
            session.note(sentence)
        return query

    def _filters(self, session: Invocation, flag: Callable[[str, str], Filter]) -> Iterator[Node]:
        if self.kinds:
            yield AnyOf(tuple(flag("kind", kind) for kind in self.kinds))
        yield from (flag("tag", tag) for tag in comma_separated(self.tags))
        for name in ("author", "scope", "after", "before", "since", "dialect", "status"):
            value = getattr(self, name)
            if value is not None:
                yield flag(name, value)
        for name in ("expired", "superseded"):
            if getattr(self, name) is not None:
                state = flag("is", name)
                yield state if getattr(self, name) else Not(state)
        below = session.memory.files.name_of(self.path) if self.path is not None else ""
        if below:  # the root itself has no name
            yield flag("path", below)


def note_undated(session: Invocation, undated: int) -> None:
    if undated:
        session.note(f"{count(undated, 'undated record')} left out; filters by time need a date.")


def with_filters(function: Callable[P, int | None]) -> Command:
    """Give a command these options, gathered into `filters`."""

    @wraps(function)
    def command(*args: P.args, **kwargs: P.kwargs) -> int | None:
        given = {name: kwargs.pop(name) for name in Filters.__struct_fields__}
        kwargs["filters"] = Filters(**given)  # type: ignore[arg-type]
        return function(*args, **kwargs)

    return _FILTERS(command)
