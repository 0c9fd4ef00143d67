"""How a call of a tool becomes a result: what its row says, what is refused, and what the client gets."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from memdown.errors import MemdownError, Refused
from memdown.store.state import reason
from memdown.surfaces.mcp.pages import page
from memdown.surfaces.mcp.schema import faults
from memdown.surfaces.mcp.session import McpSession
from memdown.surfaces.mcp.spelling import spelled
from memdown.surfaces.mcp.wire import INVALID_PARAMS, Json, McpFault, Request


def declared(name: str, does: str, takes: Json, gives: Json, hints: Json) -> Json:
    """A tool as clients are told of it."""
    return {"name": name, "description": does, "inputSchema": takes, "outputSchema": gives, "annotations": hints}


class Tool(Struct, frozen=True):
    """One row."""

    name: str
    does: str
    takes: Json
    gives: Json
    call: Callable[[McpSession, Any], Json]
    writes: bool = False
    destroys: bool = False
    """Whether it can take away what was there."""
    repeats: bool = True
    """Whether a second call with the same input changes nothing more."""
    reports: bool = True
    """Whether the result says beside its own content what was removed, and the step that was written."""
    alone: str | None = None
    """A part of the result that stands for it as text: results that are lists by contract, and objects by protocol."""

    def declaration(self) -> Json:
        hints = {"readOnlyHint": not self.writes}
        if self.writes:
            hints |= {"destructiveHint": self.destroys, "idempotentHint": self.repeats}
        return declared(self.name, self.does, self.takes, self.gives, hints)

    def result(self, session: McpSession, given: dict[str, object]) -> Json:
        """Do it, and tell the client: the same as text and as structured content."""
        result = msgspec.to_builtins(self.call(session, given))
        if self.reports:
            result |= session.written()
        text = json.dumps(result[self.alone] if self.alone else result, ensure_ascii=False)
        session.count(self.name, text)
        return {**text_content(text), "structuredContent": result}


_OTHER_NAMES = {"edit": "update"}
"""Names by which clients call a tool that is listed under another."""


class Tools:
    """The tools of a server."""

    def __init__(self, rows: Sequence[Tool]) -> None:
        self._rows = {tool.name: tool for tool in rows}

    def list_tools(self, _: McpSession, request: Request) -> Json:
        return page("tools", [tool.declaration() for tool in self._rows.values()], request)

    def schema(self, name: str) -> Json | None:
        """What a tool takes; None if there is no such tool."""
        return self._rows[name].takes if name in self._rows else None

    def call(self, session: McpSession, request: Request) -> Json:
        """Call a tool; what it refuses is a result that says so."""
        name, args = request.params.get("name"), request.params.get("arguments")
        name = _OTHER_NAMES.get(name, name) if isinstance(name, str) else name
        tool = self._rows.get(name) if isinstance(name, str) else None
        if tool is None:
            raise McpFault(INVALID_PARAMS, f"There is no tool {str(name)[:80]!r}; tools/list names them.")
        given = spelled(tool.takes, args) if isinstance(args, dict) else {}
        try:
            session.begin_act(tool.name)  # so that what an earlier call wrote is not told of this one
            _refuse(session, tool, given, args)
            return tool.result(session, given)
        except (MemdownError, OSError) as error:
            step = session.step
            why = str(error) if isinstance(error, MemdownError) else f"the disk refused: {reason(error)}"
            done = f"; step {step} was written anyway, and the tool undo reverts it"
            return {**text_content(f"{why.rstrip('.')}{done}" if step else why), "isError": True}


def text_content(text: str) -> Json:
    """A result's content: one text."""
    return {"content": [{"type": "text", "text": text}]}


def _refuse(session: McpSession, tool: Tool, given: dict[str, object], args: object) -> None:
    """Refuse what the schema or the mode does not allow, before anything is touched."""
    wrong = [*faults(tool.takes, given)] if args is None or isinstance(args, dict) else ["arguments must be an object"]
    if wrong:
        raise Refused(f"The arguments of {tool.name} are wrong: {'; '.join(wrong[:5])}.")
    if tool.writes and session.mode.writes == ():
        raise Refused(
            f"The mode {session.mode.name} is read-only; {tool.name} writes, so ask the user to change the mode."
        )
