"""One step that memdown made: what it changed, and taking it back."""

from memdown.errors import Invalid, NotFound
from memdown.memory import Memory
from memdown.surfaces.web.views.model import Done, PageRequest, View, difference
from memdown.text import decode


def show(memory: Memory, request: PageRequest) -> View:
    """What taking a step back would change."""
    number = _number(request)
    act = next((each for each in memory.steps() if each.step == number), None)
    if act is None:
        raise NotFound(f"There is no step {number}.")
    done = (memory.redo if act.undone else memory.undo)(number, write=False)
    shown = [
        (each.name, difference(decode(each.before or b""), decode(each.after or b""), each.name)) for each in done.files
    ]
    return View("step.html", f"Step {number}", {"act": act, "files": shown})


def undo(memory: Memory, request: PageRequest) -> Done:
    done = memory.undo(_number(request))
    return Done(f"Undid {done.act.act}: {', '.join(done.act.files)}", *_back(request))


def redo(memory: Memory, request: PageRequest) -> Done:
    done = memory.redo(_number(request))
    return Done(f"Redid {done.act.act}: {', '.join(done.act.files)}", *_back(request))


def _back(request: PageRequest) -> tuple[str, dict[str, str]]:
    """The page to go back to."""
    page = request.text("back")
    return page if page.isalpha() else "", {}


def _number(request: PageRequest) -> int:
    given = request.text("step")
    if not (given.isascii() and given.isdigit() and len(given) < 12):
        raise Invalid("A step is named by its number.")
    return int(given)
