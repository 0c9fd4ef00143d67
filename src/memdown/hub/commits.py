"""Publishing the memory of a commit, as a pipeline does: what git has is what the hub gets.

What a commit had that was published before is the base: what was changed on the hub since is merged with the commit,
and stays. A file that the commit does not have any more is deleted, since git says so.
"""

from datetime import datetime
from typing import TYPE_CHECKING

from memdown import git
from memdown.acts import merge as merging
from memdown.errors import NotFound, Stale, Unreadable, quote, way
from memdown.history.files import memory_files
from memdown.hub import client, connection, working
from memdown.hub.client import RemoteProject
from memdown.hub.exchange import ATTEMPTS, Exchanged, HubConflict, HubDecision, conflicts_of, decisions_of
from memdown.hub.store import DocumentChange, Head, digest_of
from memdown.project import Project
from memdown.text import decode, encode

if TYPE_CHECKING:
    from memdown.git import Commit


class CommitPlan:
    """What a commit changes on the hub."""

    def __init__(self) -> None:
        self.send: list[DocumentChange] = []
        self.merged: list[str] = []
        self.conflicts: list[HubConflict] = []
        self.decided: list[HubDecision] = []
        self.deleted: list[str] = []


def push_commit(project: Project, dsn: str, revision: str, *, name: str | None = None) -> Exchanged:
    """Bring the hub to what a commit has."""
    called = working.name_of(project, name)

    def once() -> Exchanged:
        with client.opened(dsn, called) as remote:
            return _publish(project, remote, called, revision)

    return connection.retried(once)


def _publish(project: Project, remote: RemoteProject, name: str, revision: str) -> Exchanged:
    commit = _commit(project, revision)
    facts = working.facts(project, commit.commit)
    facts = type(facts)(facts.url, facts.branch, commit.commit, datetime.fromisoformat(commit.date))
    files = _files(project, commit.commit)
    for path, data in files.items():
        project.files.refuse_credential(decode(data), f"{quote(path)} on the hub")
    for _ in range(ATTEMPTS):
        info = remote.info()
        if info.commit and info.commit != commit.commit and _is_ancestor(project, commit.commit, info.commit):
            project.tell(f"the hub has a newer commit already ({info.commit[:12]}), and nothing was sent")
            return Exchanged(name, [], [], [], [], [], [], info.revision)
        plan = _planned(project, remote, files)
        done = remote.publish(plan.send, facts)
        if not done.moved:
            sent = [path for path in done.sent if path not in plan.deleted]
            return Exchanged(name, sent, [], plan.merged, plan.conflicts, plan.deleted, [], done.revision, plan.decided)
    raise Stale("others kept changing the same documents on the hub; nothing was sent, try again")


def _commit(project: Project, revision: str) -> "Commit":
    if not git.is_repository(project.root):
        raise Unreadable(f"This is not a git repository, so there is no commit to push; leave out {way('--commit')}.")
    found = git.resolve(project.root, revision)
    if found is None:
        raise NotFound(f"{quote(revision)} is not a commit that git knows; give a hash, a branch or a tag.")
    return found


def _is_ancestor(project: Project, one: str, other: str) -> bool:
    """Whether one commit came before another; False too where git does not know the other."""
    return git.resolve(project.root, other) is not None and one in git.output(
        project.root, "merge-base", "--end-of-options", one, other
    )


def _files(project: Project, commit: str) -> dict[str, bytes]:
    blobs = git.files_at(project.root, commit)
    names = list(memory_files(blobs, project.config, project.tell))
    texts = git.texts_of(project.root, [blobs[name] for name in names])
    found = dict(zip(names, texts, strict=True))
    if missing := [name for name, data in found.items() if data is None]:
        raise Unreadable(f"git does not have the text of {quote(missing[0])} here; fetch it, then push again")
    return {name: data for name, data in found.items() if data is not None}


def _planned(project: Project, remote: RemoteProject, files: dict[str, bytes]) -> CommitPlan:
    heads = remote.heads()
    plan = CommitPlan()
    wanted = {
        digest
        for path, data in files.items()
        if (head := heads.get(path)) and head.digest not in (None, head.published, digest_of(data))
        for digest in (head.digest, head.published)
        if digest is not None
    }
    texts = remote.contents(wanted) if wanted else {}
    for path, data in files.items():
        _plan_file(plan, path, project.config.canonical_path(path), data, heads.get(path), texts)
    gone = [path for path, head in heads.items() if path not in files and head.published and head.digest]
    if gone and not files:
        project.tell("the commit has no memory at all, and nothing was deleted on the hub for that")
        gone = []
    for path in gone:
        head = heads[path]
        if head.digest == head.published:
            plan.send.append(DocumentChange(path, head.canonical, None, head.digest))
            plan.deleted.append(path)
        else:
            plan.conflicts.append(HubConflict(path, "deleted in git and changed on the hub, and kept there"))
    return plan


def _plan_file(
    plan: CommitPlan, path: str, canonical: str, data: bytes, head: Head | None, texts: dict[bytes, bytes]
) -> None:
    digest = digest_of(data)
    if head is None or head.digest is None:
        plan.send.append(DocumentChange(path, canonical, data, None, data))
    elif head.published == digest:
        return
    elif head.digest in (head.published, digest):
        plan.send.append(DocumentChange(path, canonical, data, head.digest, data))
    else:
        base = texts.get(head.published, b"") if head.published else b""
        merged = merging.merge(decode(base), decode(data), decode(texts[head.digest]))
        plan.merged.append(path)
        plan.conflicts += conflicts_of(path, merged)
        plan.decided += decisions_of(path, merged)
        plan.send.append(DocumentChange(path, canonical, encode(merged.text), head.digest, data))
