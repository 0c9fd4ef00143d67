"""The command serve: a hub over HTTP, for working copies and assistants that do not reach its database."""

from urllib.parse import urlsplit

import click

from memdown.errors import Invalid, installing
from memdown.hub import connection, schema, served
from memdown.hub.connection import HubDown, dsn_of, is_served
from memdown.lazy import LazyModule
from memdown.surfaces.cli.common import Invocation, examples, listening_on, standard

TYPE_CHECKING = False  # what serving needs is imported when it is needed
if TYPE_CHECKING:
    from memdown.surfaces import listening
    from memdown.surfaces.mcp.http import guard
    from memdown.surfaces.serve import app, limits
else:
    app = LazyModule("memdown.surfaces.serve.app")
    guard = LazyModule("memdown.surfaces.mcp.http.guard")
    limits = LazyModule("memdown.surfaces.serve.limits")
    listening = LazyModule("memdown.surfaces.listening")

_PORT = 7433


@click.command(
    "serve",
    epilog=examples(
        "memdown serve --hub postgresql:///memory",
        "memdown serve --hub --host 0.0.0.0 --allow-host hub.example",
    ),
)
@click.option(
    "--hub",
    is_flag=False,
    flag_value="",
    metavar="[DSN]",
    help="PostgreSQL address of the hub. [env: MEMDOWN_HUB]",
)
@listening_on(port=_PORT)
@click.option(
    "--url",
    metavar="URL",
    help="Public address of this server, such as https://hub.example; enables OAuth for assistants.",
)
@click.option(
    "--connections",
    type=click.IntRange(1, 1000),
    default=16,
    show_default=True,
    help="Maximum number of database connections.",
)
@click.option(
    "--requests-per-minute",
    "requests",
    type=click.IntRange(1),
    default=600,
    show_default=True,
    help="Maximum number of requests of one user per minute.",
)
@click.option(
    "--push-megabytes",
    type=click.IntRange(1, 1024),
    default=64,
    show_default=True,
    help="Maximum size of a push, in MB.",
)
@click.option(
    "--drain",
    type=click.FloatRange(0, 600),
    default=0,
    show_default=True,
    metavar="SECONDS",
    help="Answer 503 on /ready for this long after SIGTERM, so that a load balancer stops sending requests.",
)
@standard
def serve_command(
    session: Invocation,
    hub: str | None,
    host: str,
    port: int,
    names: tuple[str, ...],
    url: str | None,
    connections: int,
    requests: int,
    push_megabytes: int,
    drain: float,
) -> None:
    """Serve a hub over HTTP: push, pull and search for working copies, and MCP for assistants.

    Every client sends a token of the hub, and may do what its owner may. The server is stateless, so any number of
    them can serve one hub. Each request is logged as a line of JSON on standard output. On SIGTERM, it answers the
    requests in progress and exits. Needs memdown[hub,mcp].
    """
    if hub is None:
        raise click.UsageError("Say which hub to serve, with --hub; `memdown mcp --http` serves this project.")
    dsn = dsn_of(hub or None)
    if is_served(dsn):
        raise Invalid("A server needs the database itself; give its address, such as postgresql://hub.example/memory.")
    public = urlsplit(served.checked(url)).hostname if url else None
    called = guard.names_of(host, (*names, *((public,) if public else ())))
    try:
        serve = app.serve
    except ModuleNotFoundError:
        raise Invalid(f"Serving a hub needs more packages; run {installing('hub,mcp')}.") from None
    most = limits.ServeLimits(
        connections=connections, requests=requests, push=push_megabytes << 20, drain_seconds=drain
    )
    missing = not_up(dsn)
    with listening.listen(host, port) as socket:
        own = f"[{host}]" if ":" in host else host
        session.note(f"serving the hub at http://{own}:{socket.getsockname()[1]}")
        if missing:
            session.note(missing)
        serve(socket, dsn, called, most, url)


def not_up(dsn: str) -> str | None:
    """That the database does not answer yet, which each request asks again. What waiting does not mend is refused."""
    try:
        with connection.asked(dsn, token="") as db:
            schema.check(db)
    except HubDown as error:
        return f"{error}; until then /ready says 503"
    return None
