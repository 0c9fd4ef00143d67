"""The command hub: the shared memory itself, on PostgreSQL."""

from collections.abc import Iterator

import click

from memdown.hub import access, client, schema
from memdown.hub.calls import ProposalsCall, ProposedCall, ProtectCall, StatusCall, TakeCall
from memdown.hub.connection import dsn_of
from memdown.hub.schema import HubChanged, HubStatus
from memdown.surfaces.cli.common import CommandGroup, Invocation, count, examples, standard, style
from memdown.surfaces.show import reports


@click.group("hub", cls=CommandGroup, epilog=examples("memdown hub init postgresql:///memory", "memdown hub status"))
def hub_command() -> None:
    """Set up and manage a hub: one memory for many repositories, on PostgreSQL.

    DSN is the address of a PostgreSQL database, such as postgresql://hub.example/memory. [env: MEMDOWN_HUB]
    """


@hub_command.command("init", epilog=examples("createdb memory && memdown hub init postgresql:///memory"))
@click.argument("dsn", required=False)
@click.option(
    "--partitions", type=int, default=schema.PARTITIONS, show_default=True, help="Partitions of each large table."
)
@standard
def init_hub(session: Invocation, dsn: str | None, partitions: int) -> None:
    """Create the tables of a hub in the database at DSN. You become its first admin."""
    done = schema.init(dsn_of(dsn), partitions=partitions)
    session.answer(done, lambda: _changed(done))


@hub_command.command("upgrade", epilog=examples("memdown hub upgrade", "memdown hub upgrade --contract"))
@click.argument("dsn", required=False)
@click.option("--contract", is_flag=True, help="Also drop what only older versions of memdown need.")
@standard
def upgrade_hub(session: Invocation, dsn: str | None, contract: bool) -> None:
    """Upgrade the tables of the hub at DSN; older clients keep working."""
    with session.waiting("bringing the hub up to date"):
        done = schema.upgrade(dsn_of(dsn), contract=contract)
    session.answer(done, lambda: _changed(done))


def _changed(done: HubChanged) -> Iterator[str]:
    yield from (f"Applied {name}" for name in done.applied)
    yield from (f"Waiting for --contract: {name}" for name in done.waiting)
    if done.vectors:
        yield f"Read the meaning of {count(done.vectors, 'record')}"
    yield f"The hub is ready, schema {done.schema}." if done.applied else f"Nothing to do, schema {done.schema}."


@hub_command.command("status", epilog=examples("memdown hub status", "memdown hub status --json"))
@click.argument("dsn", required=False)
@standard
def status_of_hub(session: Invocation, dsn: str | None) -> None:
    """Show the version, the server and the size of the hub at DSN, as far as you may see them."""
    found = client.ask(dsn_of(dsn), StatusCall())
    session.answer(found, lambda: _status(found))


def _status(found: HubStatus) -> Iterator[str]:
    role = f"standby, {found.lag_seconds or 0:.1f} s behind" if found.standby else "primary"
    yield f"Hub {found.id}"
    yield f"  server    PostgreSQL {found.server} ({role})"
    old = "; `memdown hub upgrade` brings it up to date" if found.waiting else ""
    yield f"  schema    {found.schema} of {found.newest}, {count(found.partitions, 'partition')}{old}"
    yield f"  you are   {found.principal}"
    yield f"  projects  {found.projects:,}"
    yield f"  documents {found.documents:,} ({found.bytes:,} bytes in all versions)"
    yield f"  records   {found.records:,}"


_DSN = click.option("--dsn", help="Address of the hub. [env: MEMDOWN_HUB]")
_PROJECT = click.option(
    "--project",
    "name",
    default="*",
    show_default=True,
    help="A project, a group such as github.com/acme/*, or * for all.",
)


@hub_command.command("grant", epilog=examples("memdown hub grant ann write --project 'github.com/acme/*'"))
@click.argument("principal")
@click.argument("right", type=click.Choice(access.RIGHTS))
@_PROJECT
@click.option(
    "--kind", type=click.Choice(access.KINDS), default="person", show_default=True, help="Kind of a new principal."
)
@_DSN
@standard
def grant_right(session: Invocation, principal: str, right: str, name: str, kind: str, dsn: str | None) -> None:
    """Give PRINCIPAL a right: read, write or admin.

    A principal is a login role of PostgreSQL that is in the role memdown_client, or the owner of tokens.
    """
    access.grant(dsn_of(dsn), principal, right, name, kind=kind)
    value = {"principal": principal, "may": right, "project": name}
    session.answer(value, lambda: [f"{principal} may {right} {_projects(name)}"])


@hub_command.command(
    "revoke",
    epilog=examples("memdown hub revoke ann --project 'github.com/acme/*'", "memdown hub revoke --client 6f1c…"),
)
@click.argument("principal", required=False)
@_PROJECT
@click.option("--client", metavar="ID", help="Lock out this assistant instead, which `memdown hub clients` lists.")
@_DSN
@standard
def revoke_right(session: Invocation, principal: str | None, name: str, client: str | None, dsn: str | None) -> None:
    """Revoke the right of PRINCIPAL in a project or group, or lock out an assistant."""
    if (principal is None) == (client is None):
        raise click.UsageError("Give either a PRINCIPAL or --client.")
    if client is not None:
        ended = access.revoke_client(dsn_of(dsn), client)
        session.answer({"client": client, "revoked": ended}, lambda: [f"{client} no longer has access"])
        return
    assert principal is not None
    access.revoke(dsn_of(dsn), principal, name)
    value = {"principal": principal, "project": name}
    session.answer(value, lambda: [f"{principal} no longer has a right of its own in {_projects(name)}"])


def _projects(name: str) -> str:
    return "all projects" if name == "*" else name


@hub_command.command("grants", epilog=examples("memdown hub grants", "memdown hub grants --json"))
@_DSN
@standard
def list_grants(session: Invocation, dsn: str | None) -> None:
    """List rights: your own, and those of others where you are an admin."""
    found = access.grants(dsn_of(dsn))
    session.answer(
        found,
        lambda: (
            [f"{each.principal:20} {each.may:6} {_projects(each.project)}" for each in found]
            or ["You have no rights on this hub; ask an admin for some."]
        ),
    )


@hub_command.command("token", epilog=examples("memdown hub token ci --right write --days 365 --name github"))
@click.argument("principal")
@click.option(
    "--right", type=click.Choice(access.RIGHTS), default="read", show_default=True, help="The most it may do."
)
@click.option("--name", default="", help="What it is for.")
@click.option("--days", type=int, default=access.TOKEN_DAYS, show_default=True, help="Days until it expires.")
@click.option("--end", is_flag=True, help="Revoke the tokens of PRINCIPAL instead, all or those of --name.")
@_DSN
@standard
def issue_token(
    session: Invocation, principal: str, right: str, name: str, days: int, end: bool, dsn: str | None
) -> None:
    """Issue a token for PRINCIPAL and print it. It is shown only once; the hub keeps just its hash.

    Anyone with it in MEMDOWN_HUB_TOKEN acts as that principal, whatever role logs in.
    """
    if end:
        gone = access.end_tokens(dsn_of(dsn), principal, name or None)
        session.answer({"revoked": gone}, lambda: [f"Revoked {count(gone, 'token')} of {principal}"])
        return
    made = access.issue(dsn_of(dsn), principal, may=right, name=name, days=days)
    session.answer(made, lambda: [made.token])


@hub_command.command("tokens", epilog=examples("memdown hub tokens"))
@_DSN
@standard
def list_tokens(session: Invocation, dsn: str | None) -> None:
    """List tokens with their expiry and last use: yours, or all if you are an admin of the hub."""
    found = access.tokens(dsn_of(dsn))
    session.answer(found, lambda: [_token(each) for each in found] or ["There are no tokens that you may see."])


def _token(each: access.TokenInfo) -> str:
    state = "revoked" if each.revoked_at else f"expires {each.expires_at:%Y-%m-%d}"
    used = f"last used {each.last_used_at:%Y-%m-%d %H:%M}" if each.last_used_at else "never used"
    return f"{each.principal:20} {each.may:6} {each.name or '(no name)'}  {state}, {used}"


@hub_command.command("clients", epilog=examples("memdown hub clients", "memdown hub clients --json"))
@_DSN
@standard
def list_clients(session: Invocation, dsn: str | None) -> None:
    """List assistants authorized with OAuth, and who authorized them: yours, or all if you are an admin of the hub."""
    found = access.clients(dsn_of(dsn))
    session.answer(found, lambda: [_client(each) for each in found] or ["There are no assistants that you may see."])


def _client(each: access.HubClient) -> str:
    used = f"last used {each.last_used_at:%Y-%m-%d %H:%M}" if each.last_used_at else "never used"
    return f"{each.client}  {each.name}  {each.may} as {each.principal} since {each.since:%Y-%m-%d}, {used}"


@hub_command.command("audit", epilog=examples("memdown hub audit", "memdown hub audit --project github.com/acme/shop"))
@click.option("--project", "name", help="Only this project.")
@click.option("-n", "--limit", type=click.IntRange(1), default=50, show_default=True, help="Show at most this many.")
@_DSN
@standard
def show_audit(session: Invocation, name: str | None, limit: int, dsn: str | None) -> None:
    """Show the audit log of the projects where you are an admin, newest first."""
    found = access.audit(dsn_of(dsn), name, limit=limit)
    session.answer(
        found,
        lambda: (
            [f"{each.at:%Y-%m-%d %H:%M}  {each.principal:20} {each.act:8} {each.project}" for each in found]
            or ["There are no audit entries of projects where you are an admin."]
        ),
    )


@hub_command.command("redact", epilog=examples("memdown hub redact github.com/acme/shop < secret.txt"))
@click.argument("name", metavar="PROJECT")
@click.option("--instead", default="[redacted]", show_default=True, help="Replacement text.")
@_DSN
@standard
def redact_secret(session: Invocation, name: str, instead: str, dsn: str | None) -> None:
    """Remove a secret from every version of PROJECT on the hub.

    The secret is read from standard input, so that it does not end up in your shell history. Documents that contain it
    now get a new version, which the next pull brings to working copies. The audit log keeps a hash of it. Rotate the
    secret too: anyone who pulled it still has it.
    """
    done = access.redact(dsn_of(dsn), name, session.piped().rstrip("\r\n"), instead=instead)
    documents = count(len(done.documents), "document")
    session.answer(done, lambda: [f"Taken out of {count(done.versions, 'version')}; {documents} changed"])


@hub_command.command("protect", epilog=examples("memdown hub protect github.com/acme/shop"))
@click.argument("name", metavar="PROJECT")
@click.option("--off", is_flag=True, help="Let everyone with the right to write push again.")
@_DSN
@standard
def protect_project(session: Invocation, name: str, off: bool, dsn: str | None) -> None:
    """Protect PROJECT, so that it changes only through proposals taken by someone else and commits pushed by CI."""
    client.ask(dsn_of(dsn), ProtectCall(project=name, protected=not off))
    state = "open again" if off else "protected"
    session.answer({"project": name, "protected": not off}, lambda: [f"{name} is {state}"])


@hub_command.command("propose", epilog=examples("memdown hub propose", "memdown hub propose --as github.com/acme/shop"))
@click.option("--as", "name", metavar="NAME", help="Name of this project on the hub. [default: from git's origin]")
@_DSN
@standard
def propose_changes(session: Invocation, name: str | None, dsn: str | None) -> None:
    """Propose local changes to a protected project of the hub. Changing a file again replaces its proposal."""
    made = client.propose(session.memory, dsn_of(dsn), name=name)
    session.answer(made, lambda: [f"{each.id[:8]}  {each.path}" for each in made] or ["There is nothing to propose."])


@hub_command.command("proposals", epilog=examples("memdown hub proposals", "memdown hub proposals 3f2b8c1e"))
@click.argument("id", required=False)
@_DSN
@standard
def list_proposals(session: Invocation, id: str | None, dsn: str | None) -> None:
    """List open proposals, for someone else to take; with ID, show what one would change."""
    if id is not None:
        one = client.ask(dsn_of(dsn), ProposedCall(id=id))
        name = f"{one.project} {one.path}"
        session.answer(
            one, lambda: reports.text_diff(name, one.before, f"{name} by {one.proposed_by}", one.after, style)
        )
        return
    found = client.ask(dsn_of(dsn), ProposalsCall())
    session.answer(
        found,
        lambda: (
            [f"{each.id[:8]}  {each.project}  {each.path}  by {each.proposed_by}" for each in found]
            or ["There are no open proposals."]
        ),
    )


@hub_command.command("take", epilog=examples("memdown hub take 3f2b8c1e", "memdown hub take 3f2b8c1e --reject"))
@click.argument("id")
@click.option("--reject", is_flag=True, help="Reject it instead.")
@_DSN
@standard
def take_proposal(session: Invocation, id: str, reject: bool, dsn: str | None) -> None:
    """Take someone else's proposal into its project. ID may be a unique prefix."""
    done = client.ask(dsn_of(dsn), TakeCall(id=id, reject=reject))
    session.answer(done, lambda: [f"{'Rejected' if reject else 'Took'} {done.path} of {done.project}"])
