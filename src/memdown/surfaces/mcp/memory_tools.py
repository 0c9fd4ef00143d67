"""The tools beyond the memory bank's own: what each does with memory."""

import json
from typing import Any, TypedDict, cast

import msgspec
from msgspec import Struct, structs

from memdown.acts import edit
from memdown.acts.context.pack import Context
from memdown.acts.edit import hash_of
from memdown.diagnostics import SEVERITIES
from memdown.dialects.draft import DraftFields, related
from memdown.errors import Invalid, NotFound, quote
from memdown.index.search import Hit
from memdown.index.search.snippets import MARKS
from memdown.markdown import tokens
from memdown.memory import Memory
from memdown.memory.bank import updates
from memdown.memory.bank.files import BankFiles
from memdown.memory.bank.updates import Ending
from memdown.memory.journal.edits import file_of
from memdown.memory.journal.tasks import FROM
from memdown.record import Record
from memdown.surfaces.mcp.session import McpSession
from memdown.surfaces.mcp.wire import Json
from memdown.surfaces.show import bank, history, render

_MOST = 50
"""Findings in one answer."""
_HITS = 10
"""Hits of a search without a limit."""
_IN_FIELDS = ("focus", "state", "blocker", "doing", "next")
"""Parts of a briefing that have a field of their own, beside what to read where a bank has an order."""
_NAMING = 10
"""What part of a budget goes to the names of what is left out, of which there may be many: one in so many tokens."""
_VERSIONS = 20
"""Versions of a memory in one answer."""
_ACTS = {"started": "start", "paused": "pause", "resumed": "resume", "done": "done", "cancelled": "cancel"}
"""What is done to a task of the journal to bring it into a state."""


class Args(TypedDict, total=False):
    """What the tools take; the schema of each says which of it."""

    projectPath: str
    id: str
    title: str
    text: str
    file: str
    files: list[str]
    tasks: list[str]
    from_git: bool
    section: str
    period: str
    reason: str
    force: bool
    paths: list[str]
    field: str
    content: str
    expectedHash: str
    replace: bool
    step: int
    do: str
    task: str
    state: str
    mode: str
    words: str
    limit: int
    budget: int
    history: bool


def search(session: McpSession, args: Args) -> Json:
    memory = session.memory(args.get("projectPath"))
    asked = memory.questions.parse(args["words"], limit=args.get("limit", _HITS))
    doubts = memory.questions.doubts(asked)
    found = memory.search(asked, wide=True)
    session.log_notes(memory)
    beside = {"notes": doubts, "did_you_mean": found.did_you_mean}
    return {
        "total": found.total,
        "hits": [hit(each) for each in found.hits],
        **{name: value for name, value in beside.items() if value},
    }


def hit(found: Hit) -> Json:
    """What a client gets of a hit."""
    record = found.mark.record
    shown: dict[str, object] = {"id": record.id, "kind": record.kind, "title": record.title, "path": record.path}
    shown |= render.warnings(found.mark)
    if found.level:
        shown |= {"level": found.level, "source": found.source} if found.source else {"level": found.level}
    if found.overridden_by:
        shown["overriddenBy"] = found.overridden_by
    snippet = found.snippet.replace(MARKS[0], "").replace(MARKS[1], "")
    return {**shown, "line": record.line, "score": round(found.score, 3), "snippet": snippet}


def context(session: McpSession, args: Args) -> Json:
    memory = session.memory(args.get("projectPath"))
    budget = args.get("budget", memory.config.context.budget)
    room = budget - _cost({"used": budget, "text": "", "leftOut": [], "more": 999}) - budget // _NAMING
    paths = [_inside(memory, path) for path in args.get("paths", ())]
    found = memory.context(args.get("task", ""), budget=max(room, 1), paths=paths, count=_cost)
    session.log_notes(memory)
    return _within(budget, found)


def _inside(memory: Memory, path: str) -> str:
    """A path of the project, wherever the server was started."""
    return str(memory.root / path)


def _cost(value: object) -> int:
    """What a client reads, in tokens: values come to it as JSON."""
    return tokens.estimate(json.dumps(value, ensure_ascii=False))


def _within(budget: int, found: Context) -> Json:
    """What was found with as many names of what is left out as fit, and the number of all others."""
    left = [{"id": each.id, "tokens": each.tokens, "why": each.why} for each in found.left_out]
    answer: dict[str, object] = {"used": budget, "text": found.text, "leftOut": []}
    free = budget - _cost({**answer, "more": len(left)})
    named = 0
    while named < min(len(left), _MOST) and (free := free - _cost(left[named]) - 1) >= 0:
        named += 1
    answer |= {"leftOut": left[:named]} | ({"more": len(left) - named} if named < len(left) else {})
    return {**answer, "used": _cost(answer)}


def show(session: McpSession, args: Args) -> Json:
    memory = session.memory(args.get("projectPath"))
    record = memory.get(args["id"])
    shown = {**render.record(record), "hash": hash_of(memory.files.read(record.path))}
    entry = memory.layers.read(record.id) if (record.dialect, record.kind) == ("layers", "memory") else None
    if entry is not None:  # its record is what stands before its first section
        shown |= {"body": entry.content, "end_line": entry.line_count, "staleness": entry.staleness}
    shown |= render.warnings(memory.about(record)[0])
    if args.get("history"):
        versions = memory.log(f"{record.path}:{record.line}", limit=_VERSIONS)
        shown["history"] = [history.logged(each) for each in versions]
    return shown


def add(session: McpSession, args: dict[str, Any]) -> Json:
    given = dict(args)
    return added(session.memory(given.pop("projectPath", None)), given)


def added(memory: Memory, given: dict[str, Any]) -> Json:
    """Add a record to a memory, from what the tool was given."""
    kind, title = given.pop("kind"), given.pop("title")
    if kind == "card" and not given.get("text"):
        raise Invalid("A card needs text.")
    memory.require(kind=kind)
    if "file" in given:
        given["file"] = _inside(memory, given["file"])
    given["why"] = given.pop("rationale", None)
    given["related"] = [related(each) for each in given.get("related", ())]
    done = memory.add(kind, title, signed=False, **cast("DraftFields", given))  # an assistant says who it is
    return {**render.added(done), "written": done.written}


def log_edit(session: McpSession, args: Args) -> Json:
    memory = session.memory(args.get("projectPath"))
    memory.require("journal")
    files = [(how, _inside(memory, path), why) for how, path, why in map(file_of, args.get("files", ()))]
    tasks, from_git = args.get("tasks", ()), args.get("from_git", False)
    added = memory.add("edit", args["title"], files=files, tasks=tasks, from_git=from_git)
    return {**render.added(added), "written": added.written}


def delete(session: McpSession, args: Args) -> Json:
    memory = session.memory(args.get("projectPath"))
    done = memory.delete(args["id"], force=args.get("force", False))
    along = [render.place(each) for each in done.along]
    return {**render.place(done.record), "deleted": True, "along": along, "written": done.written}


def journal_session(session: McpSession, args: Args) -> Json:
    memory = session.memory(args.get("projectPath"))
    memory.require("journal")
    sessions, text = memory.journal.sessions, args.get("text", "")
    match args["do"]:
        case "start":
            done = sessions.start(focus=text, period=args.get("period"))
        case "note":
            done = sessions.note(text, section=args.get("section"))
        case _:
            done = sessions.end(summary=text)
    return {**structs.asdict(done.session), "created": done.created, "written": done.written}


def layer(session: McpSession, args: Args) -> Json:
    memory = session.memory(args.get("projectPath"))
    memory.require("layers")
    layers, id, content = memory.layers, args["id"], args["content"]
    match args["do"]:
        case "create":
            done: Struct = layers.create_at(id, content)
        case "update":
            done = layers.update(id, content, force=args.get("force", False))
        case _:
            done = layers.append(id, content)
    return {"path": layers.path_of(id), **msgspec.to_builtins(done)}


def update(session: McpSession, args: Args) -> Json:
    memory = session.memory(args.get("projectPath"))
    value, expected = args["content"], args.get("expectedHash")
    if "file" in args and "section" in args:
        drops = args.get("replace", False)
        saved = BankFiles(memory).patch(args["file"], args["section"], value, expected=expected, replace=drops)
        return {"path": saved.path, "hash": saved.hash}
    if "id" in args and "field" in args:
        change, force = edit.change(args["field"], value), args.get("force", False)
        record = memory.edit(args["id"], expected=expected, force=force, **change)
        return {**render.place(record), "hash": hash_of(memory.files.read(record.path))}
    raise Invalid("Give file and section, or id and field: what to change.")


def check(session: McpSession, args: Args) -> Json:
    memory = session.memory(args.get("projectPath"))
    checked = memory.check(chosen=memory.selection())
    worst = sorted(checked.diagnostics, key=lambda each: SEVERITIES.index(each.severity))
    found = render.diagnostics(worst[:_MOST], checked.documents)
    keys = ("path", "line", "code", "severity", "message")
    session.log_notes(memory)
    return {"total": len(checked.diagnostics), "findings": [{key: each[key] for key in keys} for each in found]}


def health(session: McpSession, args: Args) -> Json:
    memory = session.memory(args.get("projectPath"))
    status = memory.status()
    found = memory.health()
    session.log_notes(memory)
    return {
        "tokens": status.tokens,
        "staleness": status.staleness,
        "findings": status.findings,
        "problems": [{"kind": each.kind, "message": each.message} for each in found[:_MOST]],
    }


def set_task(session: McpSession, args: Args) -> Json:
    memory = session.memory(args.get("projectPath"))
    task, state = args["task"], args["state"]
    tasks = memory.journal.tasks
    every = tasks.all()
    own = task.rpartition("/")[2].partition("@")[0]  # of a record's id, which has the folder too where there are more
    known = next((each for each in every if each.id == own), None)
    if known is None:
        named = [each for each in every if _folded(each.title) == _folded(task)]
        known = named[0] if len(named) == 1 else None
    if known is not None:
        if state not in _ACTS:
            raise Invalid(f"{known.id} is a task of the journal; its states are {', '.join(_ACTS)}.")
        if known.status == FROM[_ACTS[state]][1]:
            return {"path": known.path, "line": known.line, "changed": False}
        changed = tasks.change(_ACTS[state], known.id, reason=args.get("reason", ""))
        return {"path": changed.task.path, "line": changed.task.line, "changed": True, "notes": changed.notes}
    items = memory.bank
    does = {"started": items.start_item, "done": items.complete, "resolved": items.resolve}
    if state not in does:
        raise Invalid(f"No task of a journal is called {quote(task)}; an item of progress.md is {', '.join(does)}.")
    try:
        done = does[state](task)
    except NotFound:
        there = _in_state(memory, task, "in-progress" if state == "started" else "done")
        if there is None:
            raise
        return {"path": there.path, "line": there.line, "changed": False}
    return {"path": done.path, "line": done.line, "changed": done.changed}


def _in_state(memory: Memory, task: str, status: str) -> Record | None:
    """The item of progress.md that a call would have brought into a state, where it is in it already."""
    name, wanted = memory.bank.files().get("progress.md"), _folded(task)
    found = memory.parsed(name).records if name else ()
    return next((each for each in found if each.status == status and _folded(each.title) == wanted), None)


def _folded(title: str | None) -> str:
    return " ".join((title or "").split()).casefold()


def start_session(session: McpSession, args: Args) -> Json:
    if "mode" in args:
        session.switch(args["mode"])
    memory = session.memory(args.get("projectPath"))
    found = memory.bank.start()
    session.log_notes(memory)
    parts = {part.name: [item.text for item in part.items] for part in found.parts}
    files = found.order if found.has_bank or found.empty else []  # other memory has no order of seven files
    ordered = {each.path for each in files}
    to_read = (item.path for part in found.parts if part.name == "read" for item in part.items)
    named = (*_IN_FIELDS, "read") if ordered.issuperset(to_read) else _IN_FIELDS
    return {
        "mode": session.mode.name,
        **({"mayWrite": list(session.mode.may_write)} if files or session.mode.writes is not None else {}),
        "order": [
            {"file": each.file, "path": each.path, "present": each.present, "tokens": each.tokens} for each in files
        ],
        "focus": "\n".join(parts.get("focus", [])) or None,
        "state": "\n".join(parts.get("state", [])) or None,
        "blockers": parts.get("blocker", []),
        "inProgress": parts.get("doing", []),
        "nextSteps": parts.get("next", []),
        "also": bank.parts_json(part for part in found.parts if part.name not in named),
        "warnings": found.warnings,
    }


def end_session(session: McpSession, args: dict[str, object]) -> Json:
    given = dict(args)
    project = given.pop("projectPath", None)
    memory = session.memory(project if isinstance(project, str) else None)
    ended = memory.bank.end(updates.made(Ending, given))
    session.log_notes(memory)
    return {"written": ended.written, "valid": ended.validation.valid, "warnings": ended.warnings}


def undo(session: McpSession, args: Args) -> Json:
    memory = session.memory(args.get("projectPath"))
    do = args.get("do", "undo")
    if do == "list":
        steps = memory.steps()[:_MOST]
        titles = memory.step_titles(steps)
        return {"steps": [render.step(each, titles.get(each.step, ())) for each in steps]}
    # What the user did last is not the assistant's to take back unasked, as after a write that was refused.
    done = (memory.redo if do == "redo" else memory.undo)(args.get("step"), own="mcp")
    session.log_notes(memory)
    return render.taken_back(done, undone=do == "undo")
