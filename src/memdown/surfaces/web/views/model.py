"""What a page is asked with, and what it answers."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from memdown.memory import Memory
from memdown.store.patch import patch
from memdown.surfaces.show.style import count

MOST_PAGES = 100_000
_LINES, _LONGEST = 1000, 1000
"""Lines of a difference that a page shows, and characters of each."""


class PageRequest(Struct, frozen=True):
    """A request for a page, or to do something, without how it came."""

    given: Mapping[str, str]
    """The values of its address or its form."""
    as_file: bool = False
    """Whether the page becomes a file, of which there should be few."""

    def text(self, name: str) -> str:
        return self.given.get(name, "")

    def page(self) -> int:
        """The number of a page of several, from 1."""
        number = self.text("page")
        return max(min(int(number), MOST_PAGES), 1) if number.isascii() and number.isdigit() and len(number) < 9 else 1


class View(Struct, frozen=True):
    """A page: its template, its title and what is in it."""

    template: str
    title: str
    values: dict[str, Any] = {}
    status: int = 200


class Done(Struct, frozen=True):
    """What was done, and the page that shows it."""

    message: str
    page: str
    given: dict[str, str] = {}
    reverse: dict[str, int] = {}
    """The act that reverses this one, and its step; undoing the step that this wrote, where it is left out."""


def difference(before: str, after: str, name: str) -> str:
    """What changed, as a unified diff; carriage returns are to be seen where not every line ends with one."""
    diff = _within(patch(name, before, after).removesuffix("\n").split("\n"))
    if all(text.count("\r") == text.count("\r\n") == text.count("\n") for text in (before, after)):
        return diff.replace("\r", "")
    return diff.replace("\r", "␍")


def _within(lines: list[str]) -> str:
    """As much of a difference as a page can show."""
    shown = [each if len(each) <= _LONGEST else f"{each[:_LONGEST]}…" for each in lines[:_LINES]]
    more = len(lines) - len(shown)
    return "\n".join([*shown, f"… and {count(more, 'more line')}"] if more else shown)


Show = Callable[[Memory, PageRequest], View]
Do = Callable[[Memory, PageRequest], Done]


class Pager(Struct, frozen=True):
    """Which of how many."""

    page: int
    size: int
    total: int

    @property
    def offset(self) -> int:
        return (self.page - 1) * self.size

    @property
    def last(self) -> int:
        return max(-(-self.total // self.size), 1)

    @property
    def first_shown(self) -> int:
        return min(self.offset + 1, self.total)

    @property
    def last_shown(self) -> int:
        return min(self.offset + self.size, self.total)
