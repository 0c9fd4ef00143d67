"""What a server answers, by the names of the protocol's methods: the same over pipes and over HTTP."""

from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct

from memdown.surfaces.mcp import prompts, resources
from memdown.surfaces.mcp.dispatch import Tools
from memdown.surfaces.mcp.session import McpSession
from memdown.surfaces.mcp.tools import TOOLS
from memdown.surfaces.mcp.wire import Json, Request

Method = Callable[[McpSession, Request], Json]


class McpTable(Struct, frozen=True):
    """The tools, what is done for every other method, and where the file behind a resource is."""

    tools: Tools
    others: Mapping[str, Method]
    place: Callable[[McpSession, str], Path]

    def methods(self) -> Mapping[str, Method]:
        """Everything that is answered from memory."""
        return {"tools/list": self.tools.list_tools, "tools/call": self.tools.call, **self.others}


TABLE = McpTable(
    Tools(TOOLS),
    {
        "resources/list": resources.list_resources,
        "resources/templates/list": resources.list_templates,
        "resources/read": resources.read,
        "prompts/list": prompts.list_prompts,
        "prompts/get": prompts.get,
        "completion/complete": prompts.complete,
    },
    resources.place_of,
)
