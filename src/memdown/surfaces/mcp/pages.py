"""Long lists, a page at a time."""

from collections.abc import Sequence

from memdown.surfaces.mcp.wire import INVALID_PARAMS, Json, McpFault, Request

SIZE = 100


def page(key: str, items: Sequence[Json], request: Request) -> Json:
    """The page that the cursor of a request names, and the cursor of the next."""
    cursor = request.params.get("cursor")
    start = 0
    if cursor is not None:
        if not (isinstance(cursor, str) and cursor.isascii() and cursor.isdigit() and len(cursor) < 10):
            raise McpFault(INVALID_PARAMS, "The cursor is invalid.")
        start = int(cursor)
    more = {"nextCursor": str(start + SIZE)} if start + SIZE < len(items) else {}
    return {key: items[start : start + SIZE], **more}
