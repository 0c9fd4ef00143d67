"""The command mcp: a server for assistants. Without options that need this, `__main__` starts it itself."""

import os
from functools import partial
from pathlib import Path

import click

from memdown.errors import Invalid, Unreadable, installing, quote
from memdown.lazy import LazyModule
from memdown.surfaces.cli.common import Invocation, examples, listening_on, standard
from memdown.surfaces.mcp import loop, tools

TYPE_CHECKING = False  # what serving over HTTP needs is imported when it is needed
if TYPE_CHECKING:
    from memdown.surfaces import listening
    from memdown.surfaces.mcp import table
    from memdown.surfaces.mcp.http import guard, lines, server
else:
    guard = LazyModule("memdown.surfaces.mcp.http.guard")
    lines = LazyModule("memdown.surfaces.mcp.http.lines")
    listening = LazyModule("memdown.surfaces.listening")
    server = LazyModule("memdown.surfaces.mcp.http.server")
    table = LazyModule("memdown.surfaces.mcp.table")

_PORT = 7431
_SHORTEST = 16
"""Characters of a token; fewer are guessed."""


@click.command(
    "mcp",
    epilog=examples(
        "memdown mcp",
        "memdown mcp --root ~/code/shop --mode ask",
        "memdown mcp --auto-approve read",
        "memdown mcp --http --token-file ~/.config/memdown-token",
    ),
)
@click.option("--mode", type=click.Choice(loop.MODES), help="Allow only the writes of this mode; ask only reads.")
@click.option(
    "--auto-approve",
    "which",
    type=click.Choice(["read", "write", "all"]),
    help="Print the tools a client may call without asking, and exit.",
)
@click.option("--http", "over_http", is_flag=True, help="Serve many clients over HTTP. [needs memdown[mcp]]")
@listening_on(port=_PORT)
@click.option(
    "--token-file",
    type=click.Path(path_type=Path),
    help="File with the token that clients must send. [env: MEMDOWN_MCP_TOKEN; default: a new one, printed]",
)
@click.option(
    "--idle-timeout",
    type=click.FloatRange(1, 7 * 24 * 3600),
    default=1800,
    show_default=True,
    metavar="SECONDS",
    help="End the session of an HTTP client that sends nothing for this long.",
)
@standard
def mcp_command(
    session: Invocation,
    mode: str | None,
    which: str | None,
    over_http: bool,
    host: str,
    port: int,
    names: tuple[str, ...],
    token_file: Path | None,
    idle_timeout: float,
) -> None:
    """Serve this project's memory to assistants over the Model Context Protocol.

    Uses standard input and output until the input ends; with --http, serves anyone who has the token until it is
    stopped.
    """
    if not over_http and (names or token_file):
        raise click.UsageError("--allow-host and --token-file need --http.")
    if which is not None:
        approved = tools.auto_approve(which)
        session.answer({"autoApprove": approved}, lambda: approved)
        return
    root, held = str(session.memory.root), mode or session.memory.mode
    if over_http:
        called = guard.names_of(host, names)
        token = _token(token_file)
        try:
            serve = server.serve
        except ModuleNotFoundError:
            raise Invalid(f"Serving over HTTP needs more packages; run {installing('mcp')}.") from None
        limits = lines.HttpLimits(idle_seconds=idle_timeout)
        start = lines.Start(root, held, table.TABLE, limits)
        with listening.listen(host, port) as socket:
            session.note(f"serving {start.root} at {server.address(socket)}")
            serve(socket, start, partial(guard.HttpGuard, token=token, names=called))
    else:
        loop.serve(root, held)


def _token(file: Path | None) -> str:
    """The token of a file, else of the environment, else a new one, which is shown this once."""
    try:
        token = (file.read_text("utf-8") if file else os.environ.get("MEMDOWN_MCP_TOKEN", "")).strip()
    except (OSError, UnicodeDecodeError) as error:
        raise Unreadable(f"The token cannot be read from {quote(str(file))}: {error}.") from error
    if not token and file is None:
        token = os.urandom(32).hex()
        click.echo(f"memdown: the token, shown this once: {token}", err=True)
    if len(token) < _SHORTEST or not token.isascii() or not token.isprintable() or " " in token:
        raise Invalid(f"A token has at least {_SHORTEST} letters and digits, without spaces.")
    return token
