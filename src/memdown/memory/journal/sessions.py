"""Sessions: one file for each period of a day, and the session cache that says where work stands."""

from collections.abc import Sequence

from msgspec import Struct, structs

from memdown import times
from memdown.dialects.draft import draft
from memdown.dialects.journal import grammar, names, write_common, write_sessions, write_tasks
from memdown.dialects.journal.beside import counts
from memdown.dialects.journal.clock import Clock
from memdown.dialects.journal.fields import with_fields
from memdown.dialects.journal.headings import ids_in
from memdown.dialects.journal.read import read
from memdown.dialects.journal.sections import state_of
from memdown.dialects.journal.sessions import cache, session
from memdown.dialects.journal.tasks import registry
from memdown.dialects.journal.write import prepare, update
from memdown.errors import Invalid, NotFound, Refused, quote, way
from memdown.memory.journal.place import JournalPlace
from memdown.patterns import lazy
from memdown.store.files import FileEdit
from memdown.text import apply

_LAST = lazy(r"\(Last (?P<number>[1-9]\d{0,2})\)", 2)
_WORD = lazy(r"\w+")
_NOTES = ("work done", "session notes", "notes")
_NEXT = "Notes for Next Session"
_OPEN = ("in_progress", "pending", None)


class SessionState(Struct, frozen=True):
    """A session."""

    path: str
    date: str
    period: str
    focus: str
    status: str
    started: str

    @property
    def has_focus(self) -> bool:
        return self.focus != write_sessions.NO_FOCUS


class Gone(Struct, frozen=True):
    """What became of a session."""

    session: SessionState
    created: bool
    written: list[str]


class JournalSessions:
    """The sessions of a journal."""

    def __init__(self, place: JournalPlace) -> None:
        self._place = place

    def all(self) -> list[SessionState]:
        """All sessions, the newest first."""
        found = [self._state(name) for name in self._place.below() if names.kind_of(name) == names.SESSION]
        order = [name for _, name in grammar.PERIODS]
        return sorted(
            found,
            key=lambda each: (each.date, order.index(each.period) if each.period in order else -1, each.path),
            reverse=True,
        )

    def start(self, *, focus: str = "", period: str | None = None) -> Gone:
        """Begin the session of this period, or go on with it."""
        place = self._place
        with place.root.files.lock():
            if period is not None and period not in (known := [name for _, name in grammar.PERIODS]):
                raise Invalid(f"{quote(period)} is not a period; use {', '.join(known)}.")
            clock, local = place.clock(), place.root.now()
            day, part = f"{local:%Y-%m-%d}", period or grammar.period_at(local.hour)
            inside = write_sessions.session_place(day, part)
            name = f"{place.home()}/{inside}"
            text = place.text(name)
            before = session(text).focus if text else cache(place.text(place.name(names.CACHE)) or "").focus
            focused = self._focus(focus, before, goes_on=text is not None)
            if text is None:
                new = structs.replace(draft("session", ""), path=name)
                new = with_fields(new, date=day, period=part, focus=focused)
                file = place.inserted(prepare(new, clock.at))
            else:
                file = self._updated(name, text, "in_progress", clock, **({"focus": focused} if focus else {}))
            written = place.root.files.save_all([file, self._cached(inside, part, focused, clock)])
            return Gone(self._state(name), text is None, written)

    def note(self, text: str, *, section: str | None = None) -> Gone:
        """Add a line to the session that is open."""
        place = self._place
        with place.root.files.lock():
            name, before = self._current()
            edits = write_sessions.add_note(before, text, section=section or _notes(before), now=place.clock().stamp)
            written = place.root.files.save_all([FileEdit(name, before, apply(before, edits))])
            return Gone(self._state(name), False, written)

    def end(self, *, summary: str = "", notes: Sequence[str] = ()) -> Gone:
        """End the session that is open: in its file first, then in the cache. `notes` are for the next one."""
        place = self._place
        with place.root.files.lock():
            clock = place.clock()
            name, before = self._current()
            noted = write_sessions.add_note(before, summary, section=_notes(before)) if summary else ()
            text = apply(before, noted)
            for each in notes:
                text = apply(text, write_sessions.add_note(text, each, section=_NEXT))
            ended = self._updated(name, text, "completed", clock, ended=clock.stamp)
            state = self._state(name)
            changes = [FileEdit(name, before, ended.after)]
            cached = place.text(place.name(names.CACHE))
            if cached is not None and cache(cached).file == name.rpartition("/")[2]:
                changes.append(self._closed(cached, state, summary or state.focus, clock))
            written = place.root.files.save_all(changes)
            return Gone(self._state(name), False, written)

    def _updated(self, name: str, text: str, state: str, clock: Clock, **values: str) -> FileEdit:
        """The file of a session in another state."""
        [old] = read(name, text)
        new = structs.replace(with_fields(old, **values), status=state, at=times.read(clock.stamp))
        return FileEdit(name, text, apply(text, update(text, old, new)))

    # The cache

    def _cached(self, inside: str, period: str, focus: str, clock: Clock) -> FileEdit:
        """The cache with this session as the current one."""
        place = self._place
        name, file = place.name(names.CACHE), inside.removeprefix("sessions/")
        before = place.text(name)
        numbers = self._counts()
        if before is None or not before.strip("\ufeff \t\r\n"):
            new = write_sessions.cache_text(now=clock.stamp, focus=focus, file=file, counts=numbers, period=period)
            return FileEdit(name, before, apply(new, write_sessions.push_history(new, file, focus)))
        last = cache(before).file
        values = {"Focus Task": focus, "Session File": f"`{inside}`"}
        values |= {"Started": clock.stamp} if last != file else {}
        if last != file or state_of(cache(before).status) != "in_progress":
            values["Status"] = write_tasks.words("in_progress")
        text = apply(before, write_sessions.update_session(before, values, clock.stamp))
        text = apply(text, write_sessions.without_end(text))
        text = apply(text, write_sessions.set_counts(text, numbers))
        if last and last != file:
            text = apply(text, write_sessions.set_last_session(text, last))
        text = apply(text, write_sessions.set_overview(text, "Current Period", period))
        text = self._told(before, text)
        if file not in cache(text).history:
            text = apply(text, write_sessions.push_history(text, file, focus, _kept(text)))
        return FileEdit(name, before, text)

    def _told(self, before: str, text: str) -> str:
        """What the cache said in words of its own and no longer does, below the row of the session it was about.

        What that session's file says as well is not said twice.
        """
        old = cache(before)
        filed = self._place.text(f"{self._place.home()}/sessions/{old.file}") if old.file else None
        elsewhere = _words(f"{text}\n{filed or ''}")
        said = {label: value for label, value in write_sessions.told(before).items() if _words(value) not in elsewhere}
        if cache(text).file == old.file:
            said.pop("Ended", None)
        if not said or (old.file and old.file in cache(text).history):
            return apply(text, write_sessions.keep_told(text, old.file, said)) if said else text
        brief = next(
            (said.pop(label) for label in ("Focus Task", "Focus") if label in said),
            old.focus or write_sessions.NO_FOCUS,
        )
        when = "" if old.file else said.pop("Time", old.started)
        row = f"{when} - {brief}" if when else brief
        return apply(text, write_sessions.push_history(text, old.file, row, _kept(text), said))

    def _closed(self, before: str, ended: SessionState, brief: str, clock: Clock) -> FileEdit:
        values = {"Status": write_tasks.words("completed")}
        text = apply(before, write_sessions.update_session(before, values, clock.stamp))
        text = apply(text, write_sessions.set_counts(text, self._counts()))
        file = ended.path.rpartition("/")[2]
        text = apply(text, write_sessions.push_history(text, file, brief or write_sessions.NO_FOCUS, _kept(text)))
        return FileEdit(self._place.name(names.CACHE), before, self._told(before, text))

    def _counts(self) -> dict[str, int]:
        return counts(self._place.text(self._place.name(names.REGISTRY)) or "")

    # Which session

    def _current(self) -> tuple[str, str]:
        """The session that the cache names, else that of this period; it has to be open."""
        place = self._place
        local = place.root.now()
        named = cache(place.text(place.name(names.CACHE)) or "").file
        now = write_sessions.session_place(f"{local:%Y-%m-%d}", grammar.period_at(local.hour))
        for inside in (f"sessions/{named}" if named and "/" not in named else "", now):
            text = place.text(f"{place.home()}/{inside}") if inside else None
            if text is None:
                continue
            if state_of(session(text).status) not in _OPEN:
                raise Refused(f"The session in {inside} has ended; {way('session start')} goes on.")
            return f"{place.home()}/{inside}", text
        raise NotFound(f"No session is open; run {way('session start')} to start one.")

    def _focus(self, wanted: str, known: str, *, goes_on: bool) -> str:
        """What it is about: what is given, with the title where that is the id of a task; else what was known.

        A new session takes the focus of the last one where that task is still in progress, else the first that is.
        """
        text = self._place.text(self._place.name(names.REGISTRY)) or ""
        rows = {task.id: task for task in registry(text).tasks if task.source == "registry"}
        titles = {id: f"{id}: {task.title}" for id, task in rows.items()}
        if wanted:
            return titles.get(wanted, wanted)
        if goes_on and known:
            return known
        working = [id for id, task in rows.items() if task.status == "in_progress"]
        return next((titles[id] for id in (*ids_in(known), *working) if id in working), write_sessions.NO_FOCUS)

    def _state(self, name: str) -> SessionState:
        found = session(self._place.text(name) or "")
        day = found.date or names.day_in(name) or ""
        stem = name.rpartition("/")[2].removesuffix(".md")
        period = found.period or (stem[11:] if stem[:10] == day else "")
        return SessionState(name, day, period, found.focus, found.status, found.started)


def _notes(text: str) -> str:
    """The section that notes of a session go to."""
    found = write_common.section_named(text, *_NOTES)
    return found.title if found else "Work Done"


def _words(text: str) -> str:
    return f" {' '.join(_WORD.findall(text.lower()))} "


def _kept(text: str) -> int:
    """How many sessions the history of a cache says it holds."""
    titles = (part.title for part in write_common.parts_of_file(text))
    match = next((_LAST.search(title) for title in titles if title.lower().startswith("session history")), None)
    return int(match["number"]) if match else write_sessions.HISTORY_LENGTH
