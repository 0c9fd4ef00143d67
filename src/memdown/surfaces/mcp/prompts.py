"""The prompts of a memory bank, with what they need of it, and the completion of arguments."""

import itertools
from collections.abc import Iterator, Sequence

from msgspec import Struct

from memdown.acts import brief, prompt
from memdown.dialects import offering
from memdown.dialects.bank.modes import MODES
from memdown.errors import MemdownError
from memdown.memory import Memory
from memdown.surfaces.mcp import resources
from memdown.surfaces.mcp.pages import page
from memdown.surfaces.mcp.session import McpSession
from memdown.surfaces.mcp.wire import INVALID_PARAMS, Json, McpFault, Request

_MOST = 100
"""Values of one completion, which the protocol sets."""
_MOST_FILES = 12
"""Files beside those of a bank that come with a prompt."""

Args = dict[str, str]


class Prompt(Struct, frozen=True):
    """One prompt: what it takes, and what it says."""

    name: str
    does: str
    takes: dict[str, str]
    says: tuple[str, ...]
    asks: tuple[str, str]
    """The argument that is said at the end, if it is given, and how."""
    files: bool = False
    """Whether the files of the bank come with it, in the order of reading."""
    rules: bool = False
    """Whether the rules files of the project do."""
    draft: bool = False
    """Whether the draft of an update does."""

    def declaration(self) -> Json:
        takes = [{"name": name, "description": does, "required": False} for name, does in self.takes.items()]
        return {"name": self.name, "description": self.does, "arguments": takes}

    def text(self, args: Args) -> str:
        name, sentence = self.asks
        return "\n".join((*self.says, *([sentence.format(args[name])] if args.get(name) else ())))


def _numbered(*lines: str) -> Iterator[str]:
    return (f"{number}. {line}" for number, line in enumerate(lines, 1))


_ORDER = "(the files of this project)"
"""Where a prompt says what is brought up to date, which another project has otherwise."""
_PROJECT = {"project": "A project's name; without it, the one the server was started for"}
_TASK = {"task": "What is to be done"}
PROMPTS = (
    Prompt(
        "plan",
        "Plan a task from the memory bank, before anything is changed.",
        _TASK | _PROJECT,
        (
            "Plan, and change nothing yet.",
            *_numbered(*prompt.PLAN),
            "Say which core files are missing, whether activeContext.md is current, and what is not known.",
            "The strategy follows the patterns of systemPatterns.md, the stack of techContext.md and the goals of"
            " productContext.md.",
        ),
        ("task", "The task: {}"),
        files=True,
        rules=True,
    ),
    Prompt(
        "act",
        "Carry out a task by the documented patterns and rules.",
        _TASK | _PROJECT,
        (
            "Carry out the plan.",
            *_numbered(*prompt.ACT),
            "While you work, keep the state in activeContext.md current, and add new items to progress.md.",
            "On completion, move what is done to Completed in progress.md, write the new state to activeContext.md, and"
            " log decisions.",
        ),
        ("task", "The task: {}"),
        rules=True,
    ),
    Prompt(
        "update_memory_bank",
        "Update the memory bank, in its file order.",
        {"changes": "What changed since the last update"} | _PROJECT,
        (
            "Update the memory. Look at what changed since the last update, and write down what is new:",
            _ORDER,
            "Then check that the files agree with each other, and tell the user what you changed. How to write:",
            *(f"- {rule}" for rule in prompt.WRITING),
        ),
        ("changes", "What changed: {}"),
        draft=True,
    ),
    Prompt(
        "start_session",
        "Read the whole memory bank and report the current state.",
        {"mode": "The mode to work in"} | _PROJECT,
        (
            "A session begins. Read all of the memory below, in order.",
            "Name files that are missing. Tell the user the current state, blockers, work in progress and next steps.",
            "Then ask what to work on.",
        ),
        ("mode", "Work in {} mode."),
        files=True,
    ),
    Prompt(
        "end_session",
        "Leave the memory bank ready for the next session.",
        {"summary": "What was done"} | _PROJECT,
        (
            "The session ends.",
            *_numbered(
                "Sum up what was done.",
                "Record what was done, the current state, open questions and blockers, next steps; move completed"
                " items, append new decisions.",
                "Commit memory together with the code.",
            ),
            "What to update:",
            _ORDER,
        ),
        ("summary", "What was done: {}"),
    ),
)
_BY_NAME = {each.name: each for each in PROMPTS}


def list_prompts(_: McpSession, request: Request) -> Json:
    return page("prompts", [each.declaration() for each in PROMPTS], request)


def get(session: McpSession, request: Request) -> Json:
    """A prompt filled in: its words, then the files it rests on."""
    wanted, args = _find(request.params.get("name")), _arguments(request, "arguments")
    unknown = [name for name in args if name not in wanted.takes]
    if unknown:
        raise McpFault(INVALID_PARAMS, f"{wanted.name} takes {', '.join(wanted.takes)}, not {unknown[0][:80]!r}.")
    try:
        memory = session.memory(args.get("project"))
        said = wanted.text(args)
        if _ORDER in wanted.says:
            said = said.replace(_ORDER, prompt.to_update(memory), 1)
        own = [{"type": "text", "text": _as_called(memory, said)}]
        project = args.get("project") or session.own.name
        more = [*_files(memory, project)] if wanted.files else []
        more += [*_draft(memory)] if wanted.draft else []
        rules = resources.rules_of(memory, session.mode.name) if wanted.rules else ""
    except MemdownError as error:
        raise McpFault(INVALID_PARAMS, str(error)) from error
    if rules:
        more.append(_resource(resources.uri_of(project, resources.RULES), rules))
    return {"description": wanted.does, "messages": [{"role": "user", "content": each} for each in [*own, *more]]}


def complete(session: McpSession, request: Request) -> Json:
    """Values that an argument of a prompt, or a part of a resource's address, may have."""
    ref, argument = request.params.get("ref"), request.params.get("argument")
    if not isinstance(ref, dict) or not isinstance(argument, dict):
        raise McpFault(INVALID_PARAMS, "ref and argument must be objects.")
    name, begun = argument.get("name"), argument.get("value")
    if not isinstance(name, str) or not isinstance(begun, str):
        raise McpFault(INVALID_PARAMS, "argument must have a name and a value.")
    if ref.get("type") == "ref/prompt":
        _find(ref.get("name"))
    elif ref.get("type") != "ref/resource":
        raise McpFault(INVALID_PARAMS, "ref must be a ref/prompt or a ref/resource.")
    found = [
        value
        for value in _values(session, name, _other_arguments(request))
        if value.casefold().startswith(begun.casefold())
    ]
    return {"completion": {"values": found[:_MOST], "total": len(found), "hasMore": len(found) > _MOST}}


def _values(session: McpSession, name: str, known: Args) -> Sequence[str]:
    if name == "mode":
        return [mode.name for mode in MODES]
    if name == "project":
        return resources.project_names(session)
    if name == "path":
        return resources.paths_of(session, known.get("project") or session.own.name)
    return ()


def _other_arguments(request: Request) -> Args:
    """Other arguments that the client has filled in already."""
    context = request.params.get("context")
    given = context.get("arguments") if isinstance(context, dict) else None
    return {name: value for name, value in given.items() if isinstance(value, str)} if isinstance(given, dict) else {}


def _find(name: object) -> Prompt:
    found = _BY_NAME.get(name) if isinstance(name, str) else None
    if found is None:
        raise McpFault(INVALID_PARAMS, f"There is no prompt {str(name)[:80]!r}; prompts/list names them.")
    return found


def _arguments(request: Request, key: str) -> Args:
    given = request.params.get(key) or {}
    if not isinstance(given, dict) or not all(isinstance(value, str) for value in given.values()):
        raise McpFault(INVALID_PARAMS, f"{key} must be an object of strings.")
    return given


def _as_called(memory: Memory, text: str) -> str:
    """A text with the files of the bank by the names that they have on disk."""
    for file, name in memory.bank.files().items():
        text = text.replace(f" {file}", f" {name.rpartition('/')[2]}")
    return text


def _files(memory: Memory, project: str) -> Iterator[Json]:
    """The files that a session reads first, in the order of reading; the briefing, where there is no memory bank."""
    used = prompt.dialects(memory)
    others = (path for name, paths in used.items() if name != "bank" for path in paths)
    for name in dict.fromkeys((*memory.bank.files().values(), *itertools.islice(others, _MOST_FILES))):
        yield _resource(resources.uri_of(project, name), memory.files.read(name))
    if used and not offering("update_order", used):
        yield {"type": "text", "text": brief.within(memory.briefing(), memory.config.hooks.session_tokens)[0]}


def _draft(memory: Memory) -> Iterator[Json]:
    """What git has that the memory does not, as a diff to take, edit or leave; nothing where none is drafted."""
    used = prompt.dialects(memory)
    if used and not offering("update_order", used):
        return
    draft = memory.bank.draft()
    head = "A draft from git; use what is true:" if draft.edits else "A draft from git:"
    yield {"type": "text", "text": "\n".join((head, *(f"# {note}" for note in draft.notes), draft.diff)).rstrip()}


def _resource(uri: str, text: str) -> Json:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": "text/markdown", "text": text}}
