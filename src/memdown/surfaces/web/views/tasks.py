"""Tasks as a board: moved by dragging, by keys or by a button, each move one step."""

from memdown.memory import Memory
from memdown.memory.board import COLUMNS, BoardCard
from memdown.surfaces.web.views import shown
from memdown.surfaces.web.views.model import Done, PageRequest, View

_MOST = 50
"""Cards of a column that are shown; of those done, the last."""


def show(memory: Memory, _: PageRequest) -> View:
    with memory.snapshot():
        cards = memory.board.cards()
        hashes = {path: shown.fingerprint(memory, path) for path in {card.path for card in cards}}
    columns = []
    for name, title in COLUMNS.items():
        own = [card for card in cards if card.column == name]
        if own or name in ("todo", "doing", "done"):
            columns.append((name, title, own[-_MOST:] if name == "done" else own[:_MOST], len(own)))
    values = {"columns": columns, "hashes": hashes, "names": COLUMNS, "all": len(cards), "element": element}
    return View("tasks.html", "Tasks", values)


def element(card: BoardCard) -> str:
    """The id of a card on the page, which has the focus after its move: the next key moves it on."""
    return f"task-{card.id}".replace(" ", "-")


def move(memory: Memory, request: PageRequest) -> Done:
    key, to = request.text("key"), request.text("to")
    with memory.files.lock():
        if request.text("path") and request.text("hash"):
            memory.require_unchanged({request.text("path"): request.text("hash")})
        card = memory.board.move(key, to)
    return Done(f"Moved “{card.title}” to {COLUMNS[to]}", "tasks", {"anchor": element(card)})
