"""What was captured and waits for a person, and the draft of an update: take it, edit it, drop it."""

import hashlib
from contextlib import suppress

from memdown.errors import NotFound, Stale
from memdown.homes import capture_folder
from memdown.memory import Memory
from memdown.surfaces.web.views import shown
from memdown.surfaces.web.views.model import Done, PageRequest, View


def show(memory: Memory, _: PageRequest) -> View:
    cards = []
    for each in memory.review.pending(noted=False):
        with suppress(NotFound), memory.snapshot():  # another may have kept or dropped it by now
            cards.append((each, memory.get(each.path), shown.fingerprint(memory, each.path)))
    draft = memory.bank.draft() if memory.bank.takes_updates() else None
    folders, settings = memory.config.homes("cards"), memory.config
    kept = capture_folder(str(memory.root), folders, settings.cards.folder or "", settings.hooks.capture)
    values = {"captures": bool(kept), "cards": cards, "draft": draft, "hash": _hash(draft.diff) if draft else ""}
    return View("review.html", "Review", values)


def keep(memory: Memory, request: PageRequest) -> Done:
    with memory.files.lock():
        memory.require_unchanged({request.text("path"): request.text("hash")})
        memory.review.keep([request.text("id")])
    return Done("Kept the card", "review")


def drop(memory: Memory, request: PageRequest) -> Done:
    with memory.files.lock():
        memory.require_unchanged({request.text("path"): request.text("hash")})
        memory.review.drop([request.text("id")])
    return Done("Dropped the card", "review")


def edit(memory: Memory, request: PageRequest) -> Done:
    with memory.files.lock():
        memory.require_unchanged({request.text("path"): request.text("hash")})
        content = request.text("content").replace("\r\n", "\n")
        memory.review.edit(request.text("id"), title=request.text("title"), content=content)
    return Done("Changed the card; it is still pending" if memory.files.step else "Nothing changed", "review")


def take(memory: Memory, request: PageRequest) -> Done:
    """Write the draft, if it is still the one that was shown."""
    with memory.files.lock():
        if _hash(memory.bank.draft().diff) != request.text("hash"):
            raise Stale("The draft has changed, so nothing was written; look at it again.")
        written = memory.bank.draft(apply=True).written
    return Done(f"Wrote {', '.join(written)}", "review")


def _hash(diff: str) -> str:
    return hashlib.sha256(diff.encode("utf-8", "surrogatepass")).hexdigest()
