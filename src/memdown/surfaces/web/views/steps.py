"""One step that memdown made: what it changed, and taking it back."""

from memdown.errors import Invalid, NotFound
from memdown.memory import Memory
from memdown.store.undo import Act, TakenBack
from memdown.surfaces.show.style import count
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
    return Done(f"Undid {_told(done)}", *_back(memory, request, done.act), reverse={"redo": done.act.step})


def redo(memory: Memory, request: PageRequest) -> Done:
    done = memory.redo(_number(request))
    return Done(f"Redid {_told(done)}", *_back(memory, request, done.act), reverse={"undo": done.act.step})


def _told(done: TakenBack) -> str:
    lost = f"; {count(done.lost, 'credential')} stayed out" if done.lost else ""
    return f"{done.act.act}: {', '.join(done.act.files)}{lost}"


def _back(memory: Memory, request: PageRequest, act: Act) -> tuple[str, dict[str, str]]:
    """The page to go back to; of a record that is gone with the step, or has another id now, its file."""
    page, id = request.text("back"), request.text("id")
    if page != "record":
        return page if page.isalpha() else "", {}
    if memory.questions.named([id]):
        return "record", {"id": id}
    known = {each.path for each in memory.questions.files()}
    path = next((each for each in act.files if each in known), None)
    return ("files", {"path": path}) if path else ("", {})


def _number(request: PageRequest) -> int:
    given = request.text("step")
    if not (given.isascii() and given.isdigit() and len(given) < 12):
        raise Invalid("A step is named by its number.")
    return int(given)
