"""The tools beyond the memory bank's own: what each does with memory."""

from typing import TypedDict

from memdown.acts import edit
from memdown.acts.edit import hash_of
from memdown.errors import Invalid, quote
from memdown.index.search import Hit
from memdown.index.search.snippets import MARKS
from memdown.memory.bank import updates
from memdown.memory.bank.files import BankFiles
from memdown.memory.bank.updates import Ending
from memdown.surfaces.mcp.session import McpSession
from memdown.surfaces.mcp.wire import Json
from memdown.surfaces.show import bank, render

_MOST = 50
"""Findings in one answer."""
_HITS = 10
"""Hits of a search without a limit."""
_IN_FIELDS = ("focus", "state", "blocker", "doing", "next", "read")
"""Parts of a briefing that have a field of their own."""
_ACTS = {"started": "start", "paused": "pause", "resumed": "resume", "done": "done", "cancelled": "cancel"}
"""What is done to a task of the journal to bring it into a state."""


class Args(TypedDict, total=False):
    """What the tools take; the schema of each says which of it."""

    projectPath: str
    id: str
    kind: str
    title: str
    text: str
    tags: list[str]
    author: str
    rationale: str
    file: str
    section: str
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


def search(session: McpSession, args: Args) -> Json:
    memory = session.memory(args.get("projectPath"))
    found = memory.search(args["words"], limit=args.get("limit", _HITS))
    session.log_notes(memory)
    return {"total": found.total, "hits": [_hit(each) for each in found.hits]}


def _hit(hit: Hit) -> Json:
    record = hit.mark.record
    shown: dict[str, object] = {"id": record.id, "kind": record.kind, "title": record.title, "path": record.path}
    if hit.mark.superseded:
        shown["superseded"] = True
    snippet = hit.snippet.replace(MARKS[0], "").replace(MARKS[1], "")
    return {**shown, "line": record.line, "score": round(hit.score, 3), "snippet": snippet}


def context(session: McpSession, args: Args) -> Json:
    memory = session.memory(args.get("projectPath"))
    found = memory.context(args.get("task", ""), budget=args.get("budget"))
    session.log_notes(memory)
    left = [{"id": each.id, "tokens": each.tokens, "why": each.why} for each in found.left_out[:_MOST]]
    return {"used": found.used, "text": found.text, "leftOut": left}


def show(session: McpSession, args: Args) -> Json:
    memory = session.memory(args.get("projectPath"))
    record = memory.get(args["id"])
    return {**render.record(record), "hash": hash_of(memory.files.read(record.path))}


def add(session: McpSession, args: Args) -> Json:
    memory = session.memory(args.get("projectPath"))
    text, tags = args.get("text"), args.get("tags", [])
    if args["kind"] == "card" and (text is None or not tags):
        raise Invalid("A card needs text and tags.")
    author, why = args.get("author"), args.get("rationale")
    return render.added(memory.add(args["kind"], args["title"], text=text, tags=tags, author=author, why=why))


def update(session: McpSession, args: Args) -> Json:
    memory = session.memory(args.get("projectPath"))
    value, expected = args["content"], args["expectedHash"]
    if "file" in args and "section" in args:
        drops = args.get("replace", False)
        saved = BankFiles(memory).patch(args["file"], args["section"], value, expected=expected, replace=drops)
        return {"path": saved.path, "hash": saved.hash}
    if "id" in args and "field" in args:
        path = memory.edit(args["id"], expected=expected, **edit.change(args["field"], value)).path
        return {"path": path, "hash": hash_of(memory.files.read(path))}
    raise Invalid("Give file and section, or id and field: what to change.")


def check(session: McpSession, args: Args) -> Json:
    memory = session.memory(args.get("projectPath"))
    checked = memory.check(chosen=memory.selection())
    found = render.diagnostics(checked.diagnostics[:_MOST], checked.documents)
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
    if any(each.id == task for each in tasks.all()):
        if state not in _ACTS:
            raise Invalid(f"{task} is a task of the journal; its states are {', '.join(_ACTS)}.")
        changed = tasks.change(_ACTS[state], task)
        return {"path": changed.task.path, "line": changed.task.line, "changed": True, "notes": changed.notes}
    items = memory.bank
    does = {"started": items.start_item, "done": items.complete, "resolved": items.resolve}
    if state not in does:
        raise Invalid(f"No task of a journal is called {quote(task)}; an item of progress.md is {', '.join(does)}.")
    done = does[state](task)
    return {"path": done.path, "line": done.line, "changed": done.changed}


def start_session(session: McpSession, args: Args) -> Json:
    if "mode" in args:
        session.switch(args["mode"])
    memory = session.memory(args.get("projectPath"))
    found = memory.bank.start()
    session.log_notes(memory)
    parts = {part.name: [item.text for item in part.items] for part in found.parts}
    return {
        "mode": session.mode.name,
        "mayWrite": list(session.mode.may_write),
        "order": [
            {"file": each.file, "path": each.path, "present": each.present, "tokens": each.tokens}
            for each in found.order
        ],
        "focus": "\n".join(parts.get("focus", [])) or None,
        "state": "\n".join(parts.get("state", [])) or None,
        "blockers": parts.get("blocker", []),
        "inProgress": parts.get("doing", []),
        "nextSteps": parts.get("next", []),
        "also": bank.parts_json(part for part in found.parts if part.name not in _IN_FIELDS),
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
        return {"steps": [render.step(each) for each in memory.steps()[:_MOST]]}
    done = (memory.redo if do == "redo" else memory.undo)(args.get("step"))
    session.log_notes(memory)
    return render.taken_back(done, undone=do == "undo")
