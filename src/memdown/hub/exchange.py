"""Push, pull and sync: a working copy against its project on a hub.

For each document three versions count: what both had at last, what is here, what is there. Only what changed travels.
What changed on both sides is merged by the code that merges for git; what it cannot decide is kept twice, and `check`
reports it. That a file is missing here deletes nothing there: a deletion is asked for by name, or is part of a commit.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from memdown.acts import merge as merging
from memdown.errors import NotFound, Refused, Stale, Unreadable, quote, way
from memdown.hub import client, connection, working
from memdown.hub.client import RemoteProject
from memdown.hub.connection import HubDown, HubUncertain
from memdown.hub.store import DocumentChange, Head, ProjectFacts, digest_of
from memdown.hub.working import HubState
from memdown.project import Project, is_kept
from memdown.store.names import check_name
from memdown.text import decode, encode

if TYPE_CHECKING:
    from memdown.acts.merge import Merged

ATTEMPTS = 8
"""How often a push is made anew over what others pushed meanwhile."""


class HubConflict(Struct, frozen=True):
    """What could not be decided, and was kept."""

    path: str
    what: str


class HubDecision(Struct, frozen=True):
    """What a merge decided, and somebody might want to know."""

    path: str
    what: str


class Exchanged(Struct, frozen=True):
    """What went where."""

    project: str
    sent: list[str]
    received: list[str]
    merged: list[str]
    conflicts: list[HubConflict]
    deleted: list[str]
    """Documents that were deleted, here or there."""
    gone: list[str]
    """Files that are missing here and still on the hub, of which nobody said that they should be deleted."""
    revision: int
    decided: list[HubDecision] = []


class _Plan:
    """What to do with each document."""

    def __init__(self) -> None:
        self.send: list[DocumentChange] = []
        self.write: dict[str, tuple[bytes | None, bytes | None]] = {}
        """By path, what is here and what is to be here."""
        self.merged: list[str] = []
        self.conflicts: list[HubConflict] = []
        self.decided: list[HubDecision] = []
        self.gone: list[str] = []
        self.same: dict[str, bytes] = {}
        """What both sides have once all is done."""
        self.forget: set[str] = set()
        """What neither side has any more."""


class WorkingCopy:
    """The files of a project, for one exchange with its hub."""

    def __init__(self, project: Project, remote: RemoteProject, name: str) -> None:
        self._project = project
        self._remote = remote
        self._name = name
        info = remote.info()
        self._id = info.id
        known = working.states(project).get(info.id)
        self._state = known if known and known.project == name else HubState(project=name)

    def exchange(self, *, send: bool, receive: bool, delete: Sequence[str] = (), restore: bool = False) -> Exchanged:
        """Push, pull, or both; with `restore` files that are missing here come back."""
        files = self._files()
        if restore:
            self._state.documents = {path: each for path, each in self._state.documents.items() if path in files}
        self._check_deletions(delete, files)
        facts = working.facts(self._project) if send else ProjectFacts()
        for _ in range(ATTEMPTS):
            info = self._remote.info()
            heads = self._remote.heads()
            plan = self._planned(files, heads, delete, send=send, receive=receive)
            self._refuse_credentials(plan.send)
            revision, sent = info.revision, []
            if plan.send:
                self._announce(plan.send, files)
                done = self._remote.publish(plan.send, facts)
                if done.moved:
                    continue
                revision, sent = done.revision, done.sent
                self._state.lsn = done.lsn or self._state.lsn
                self._remember({path: each for path, each in plan.same.items() if path not in plan.write}, revision)
            self._write(plan.write)
            self._remember(plan.same, revision, plan.forget)
            return self._answer(plan, sent, delete, revision)
        raise Stale("others kept changing the same documents on the hub; nothing was sent, try again")

    def _answer(self, plan: _Plan, sent: Sequence[str], delete: Sequence[str], revision: int) -> Exchanged:
        removed = [path for path in sent if path in delete]
        removed += [path for path, (_, after) in plan.write.items() if after is None]
        return Exchanged(
            self._name,
            sent=[path for path in sent if path not in delete],
            received=[path for path, (_, after) in plan.write.items() if after is not None],
            merged=plan.merged,
            conflicts=plan.conflicts,
            deleted=removed,
            gone=plan.gone,
            revision=revision,
            decided=plan.decided,
        )

    def _files(self) -> dict[str, bytes]:
        """Every file of memory. One that cannot be read stops everything, since it is not gone."""
        found = _here(self._project)
        if self._project.left_out:
            raise Unreadable(f"{quote(min(self._project.left_out))} is too large to send; {way('archive')} shrinks it")
        return found

    def _check_deletions(self, delete: Sequence[str], files: dict[str, bytes]) -> None:
        for path in delete:
            if path in files:
                raise Refused(f"{quote(path)} is still here; delete the file first, then push its deletion")
            if path not in self._state.documents:
                raise NotFound(f"the hub has no {quote(path)} from here; {way('push')} names the files that are gone")

    def _refuse_credentials(self, changes: Iterable[DocumentChange]) -> None:
        for each in changes:
            if each.content is not None:
                self._project.files.refuse_credential(decode(each.content), f"{quote(each.path)} on the hub")

    def _planned(
        self, files: dict[str, bytes], heads: dict[str, Head], delete: Sequence[str], *, send: bool, receive: bool
    ) -> _Plan:
        plan = _Plan()
        bases = {path: bytes.fromhex(digest) for path, digest in self._state.documents.items()}
        settled = self._settled(files, heads, bases)
        bases |= settled
        texts = self._texts(files, heads, bases, settled.keys(), receive=receive)
        for path in sorted({*files, *heads, *bases}):
            head = heads.get(path)
            there = head.digest if head else None
            mine = files.get(path)
            here = None if mine is None else digest_of(mine)
            base = bases.get(path)
            if here == there:
                if here is not None:
                    plan.same[path] = here
                else:
                    plan.forget.add(path)
            elif mine is None:
                self._missing_here(plan, path, base, there, texts, delete, send=send, receive=receive)
            elif there is None:
                self._missing_there(plan, path, base, mine, head, send=send, receive=receive)
            elif here == base:
                if receive or path in settled:
                    self._take(plan, path, mine, there, texts)
            elif there == base:
                if send:
                    plan.send.append(self._change(path, mine, there))
                    plan.same[path] = digest_of(mine)
            else:
                self._merge(plan, path, base, mine, there, texts, send=send)
        return plan

    def _announce(self, changes: Iterable[DocumentChange], files: dict[str, bytes]) -> None:
        """Note what is about to be sent: where no answer comes back, the history of the hub says whether it arrived."""
        for each in changes:
            if each.content is not None:
                sent = (digest_of(files[each.path]).hex(), digest_of(each.content).hex())
                known = self._state.sending.get(each.path, [])
                self._state.sending[each.path] = [*(pair for pair in known if pair != sent), sent]
        working.remember(self._project, self._id, self._state)

    def _settled(self, files: dict[str, bytes], heads: dict[str, Head], bases: dict[str, bytes]) -> dict[str, bytes]:
        """What the hub took from here though its answer was lost: by path, the version here that it has in it.

        Merged once more over what others made of it since, it would come back as it was, or stand there twice.
        """
        asked: dict[str, dict[bytes, bytes]] = {}
        for path, pairs in self._state.sending.items():
            mine, head = files.get(path), heads.get(path)
            here = None if mine is None else digest_of(mine)
            if head is None or here is None or here in (head.digest, bases.get(path)):
                continue
            known = [(bytes.fromhex(was), bytes.fromhex(sent)) for was, sent in pairs]
            asked[path] = {sent: was for was, sent in known if was in (here, sent)}
        found = self._remote.passed(asked, self._state.revision) if asked else set()
        settled: dict[str, bytes] = {}
        for path, versions in asked.items():
            took = [was for sent, was in versions.items() if (path, sent) in found]
            if took:
                settled[path] = took[-1]
        return settled

    def _texts(
        self,
        files: dict[str, bytes],
        heads: dict[str, Head],
        bases: dict[str, bytes],
        settled: Collection[str],
        *,
        receive: bool,
    ) -> dict[bytes, bytes]:
        """The versions that are needed and not here."""
        wanted: set[bytes] = set()
        for path, head in heads.items():
            mine = files.get(path)
            here = None if mine is None else digest_of(mine)
            base = bases.get(path)
            if head.digest is None or head.digest in (here, base):
                continue
            if mine is not None and here != base:
                wanted |= {head.digest, *((base,) if base else ())}
            elif receive or path in settled:
                wanted.add(head.digest)
        found = self._remote.contents(wanted) if wanted else {}
        if missing := wanted - found.keys() - set(bases.values()):
            raise Unreadable(
                f"the hub lacks a version that it refers to ({missing.pop().hex()[:12]}); nothing was done"
            )
        return found

    def _change(self, path: str, content: bytes | None, over: bytes | None) -> DocumentChange:
        return DocumentChange(path, self._project.config.canonical_path(path), content, over)

    def _missing_here(
        self,
        plan: _Plan,
        path: str,
        base: bytes | None,
        there: bytes | None,
        texts: dict[bytes, bytes],
        delete: Sequence[str],
        *,
        send: bool,
        receive: bool,
    ) -> None:
        if base is None:
            if receive and there is not None:
                self._take(plan, path, None, there, texts)
            return
        if path in delete and send and there == base:
            plan.send.append(self._change(path, None, there))
            plan.forget.add(path)
        elif path in delete:
            plan.conflicts.append(HubConflict(path, "changed on the hub since it was deleted here, and kept there"))
        else:
            plan.gone.append(path)

    def _missing_there(
        self, plan: _Plan, path: str, base: bytes | None, mine: bytes, head: Head | None, *, send: bool, receive: bool
    ) -> None:
        here = digest_of(mine)
        if head is not None and base == here:
            if receive:
                plan.write[path] = (mine, None)
                plan.forget.add(path)
            return
        if head is not None and base is not None:
            plan.conflicts.append(HubConflict(path, "deleted on the hub and changed here, and kept"))
        if send:
            plan.send.append(self._change(path, mine, None))
            plan.same[path] = here

    def _take(self, plan: _Plan, path: str, mine: bytes | None, there: bytes, texts: dict[bytes, bytes]) -> None:
        """A document of the hub, verified: its name is one of memory here, and no link or `..` leads elsewhere."""
        try:
            check_name(path, self._project.config.hidden())
            if not is_kept(path, self._project.config):
                raise Refused(f"{quote(path)} on the hub is not a memory file here")
        except Refused as error:
            self._project.tell(f"{str(error).rstrip('.')}, and was not written")
            return
        content = texts[there]
        plan.write[path] = (mine, content)
        plan.same[path] = there

    def _merge(
        self,
        plan: _Plan,
        path: str,
        base: bytes | None,
        mine: bytes,
        there: bytes,
        texts: dict[bytes, bytes],
        *,
        send: bool,
    ) -> None:
        before = texts.get(base, b"") if base else b""
        merged = merging.merge(decode(before), decode(mine), decode(texts[there]))
        content = encode(merged.text)
        plan.merged.append(path)
        plan.conflicts += conflicts_of(path, merged)
        plan.decided += decisions_of(path, merged)
        if content != mine:
            plan.write[path] = (mine, content)
        plan.same[path] = there
        if send and digest_of(content) != there:
            plan.send.append(self._change(path, content, there))
            plan.same[path] = digest_of(content)

    def _write(self, changes: dict[str, tuple[bytes | None, bytes | None]]) -> None:
        def text(data: bytes | None) -> str | None:
            return None if data is None else decode(data)

        if changes:
            with self._project.files.lock():
                self._project.write((path, text(before), text(after)) for path, (before, after) in changes.items())

    def _remember(self, same: dict[str, bytes], revision: int, forget: Collection[str] = ()) -> None:
        kept = {path: each.hex() for path, each in same.items()}
        known = {**self._state.documents, **kept}
        self._state.documents = {path: each for path, each in known.items() if path not in forget}
        done = {*same, *forget}
        self._state.sending = {path: each for path, each in self._state.sending.items() if path not in done}
        self._state.waiting = None
        if not self._state.sending:
            self._state.revision = revision
        working.remember(self._project, self._id, self._state)


def push(project: Project, dsn: str, *, name: str | None = None, delete: Sequence[str] = ()) -> Exchanged:
    """Send what changed here. What changed on the hub too is merged, there and here."""
    return _exchange(project, dsn, name, send=True, receive=False, delete=delete)


def pull(project: Project, dsn: str, *, name: str | None = None, restore: bool = False) -> Exchanged:
    """Bring in what changed on the hub; with `restore` also what is missing here."""
    return _exchange(project, dsn, name, send=False, receive=True, restore=restore)


def sync(project: Project, dsn: str, *, name: str | None = None) -> Exchanged:
    """Both."""
    return _exchange(project, dsn, name, send=True, receive=True)


def _exchange(
    project: Project,
    dsn: str,
    name: str | None,
    *,
    send: bool,
    receive: bool,
    delete: Sequence[str] = (),
    restore: bool = False,
) -> Exchanged:
    called = working.name_of(project, name)

    def once() -> Exchanged:
        with client.opened(dsn, called) as remote:
            copy = WorkingCopy(project, remote, called)
            return copy.exchange(send=send, receive=receive, delete=delete, restore=restore)

    try:
        return connection.retried(once)
    except HubDown as error:
        if not send or not _has_news(project, called, delete):
            raise
        working.wait(project, called)
        why = str(error).rstrip(".")
        if isinstance(error, HubUncertain):
            raise HubUncertain(
                f"{why}; it is unknown whether the hub received it, and {way('sync')} finds out"
            ) from error
        raise HubDown(f"{why}; the changes wait here, and {way('sync')} sends them") from error


def _here(project: Project) -> dict[str, bytes]:
    with project.snapshot():
        found = {name: project.files.data(name) for name in project.names()}
    return {name: data for name, data in found.items() if data is not None}


def _has_news(project: Project, name: str, delete: Sequence[str]) -> bool:
    """Whether anything is here that a hub is not known to have; which hub does not answer is not known."""
    here = {path: digest_of(data).hex() for path, data in _here(project).items()}
    known = [each for each in working.states(project).values() if each.project == name] or [HubState(project=name)]
    return bool(delete) or any(each.sending or not here.items() <= each.documents.items() for each in known)


def conflicts_of(path: str, merged: "Merged") -> list[HubConflict]:
    return [HubConflict(path, f"both sides changed this, and both are kept: {each}") for each in merged.questions]


def decisions_of(path: str, merged: "Merged") -> list[HubDecision]:
    return [HubDecision(path, " ".join(each.split())) for each in merged.notes]
