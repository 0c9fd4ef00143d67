"""The command web: the page on this project's memory, served on this machine or written as files."""

import os
import sys
import webbrowser
from pathlib import Path
from typing import Any

import click

from memdown.errors import Invalid, installing
from memdown.lazy import LazyModule
from memdown.surfaces.cli.common import Invocation, count, examples, listening_on, writing
from memdown.surfaces.cli.filters import hub_option

TYPE_CHECKING = False  # what serving needs is imported when it is needed
if TYPE_CHECKING:
    from memdown.hub import calls, client
    from memdown.surfaces import listening
    from memdown.surfaces.mcp.http import guard
    from memdown.surfaces.show import hub as hub_views
    from memdown.surfaces.web import export, server, sites
else:
    calls, client = LazyModule("memdown.hub.calls"), LazyModule("memdown.hub.client")
    hub_views = LazyModule("memdown.surfaces.show.hub")
    sites = LazyModule("memdown.surfaces.web.sites")
    export = LazyModule("memdown.surfaces.web.export")
    guard = LazyModule("memdown.surfaces.mcp.http.guard")
    listening = LazyModule("memdown.surfaces.listening")
    server = LazyModule("memdown.surfaces.web.server")

_PORT = 7432


@click.command(
    "web",
    epilog=examples("memdown web", "memdown web --no-open --port 0", "memdown web --export site", "memdown web --hub"),
)
@listening_on(port=_PORT)
@click.option("--open/--no-open", "opens", default=True, help="Open the page in your browser. [default: --open]")
@click.option(
    "--export",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write the pages into this folder as plain files instead.",
)
@hub_option
@writing
def web_command(
    session: Invocation, host: str, port: int, names: tuple[str, ...], opens: bool, folder: Path | None, hub: str | None
) -> None:
    """Show this project's memory in a browser: what is in force, its age, its problems and its cost.

    With --hub, browse and search all projects of the hub that you may see, read-only. Only the printed address gives
    access. Nothing leaves this machine. Needs memdown[web].
    """
    if hub is not None and folder is not None:
        raise click.UsageError("--export writes the pages of a project; leave out --hub.")
    called = guard.names_of(host, names)
    try:
        serve, write = server.serve, export.export
    except ModuleNotFoundError:
        raise Invalid(f"The web page needs more packages; run {installing('web')}.") from None
    if folder is not None:
        done = write(session.memory, folder)
        session.answer(done, lambda: [f"Wrote {count(done.pages, 'page')} to {done.folder}; open index.html there."])
        return
    site: sites.Site[Any]
    if hub is None:
        site, shown = sites.ProjectSite(str(session.memory.root), session.memory.mode), session.memory.root.name
    else:
        dsn, shown = hub_views.address(hub)[0], "the hub"
        client.ask(dsn, calls.StatusCall())  # says now what is wrong with it
        site = sites.HubSite(dsn)
    token = os.urandom(24).hex()
    with listening.listen(host, port) as socket:
        own = f"[{host}]" if ":" in host else host
        address = f"http://{own if own in called else called[0]}:{socket.getsockname()[1]}/?token={token}"
        session.answer({"address": address}, lambda: [f"The memory of {shown} is at {address}"])
        sys.stdout.flush()
        if opens:
            webbrowser.open(address)
        serve(socket, site, token, called)
