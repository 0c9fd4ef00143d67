"""What became of a record: its versions in git, and whether what it says of the code still holds."""

from memdown.errors import BadConfig, MemdownError
from memdown.history.trail import LoggedChange
from memdown.memory import Memory
from memdown.record import Statement
from memdown.surfaces.web.markup import name_of
from memdown.surfaces.web.views.model import PageRequest, View, difference
from memdown.surfaces.web.views.record import chosen

_VERSIONS = 50
_CLAIMS = 100


def show(memory: Memory, request: PageRequest) -> View:
    record, copies = chosen(memory, request.text("id"))
    named = f"{record.path}:{record.line}" if copies else record.id
    changes, claims, problem = list[LoggedChange](), list[Statement](), ""
    try:
        changes = memory.log(named, limit=_VERSIONS)
        claims = memory.verify([named])[:_CLAIMS]
    except BadConfig:  # which is not so for long
        raise
    except MemdownError as error:  # as where git knows nothing of the project
        problem = str(error)
    versions = [(each, [(name, _changed(old, new)) for name, (old, new) in each.fields.items()]) for each in changes]
    values = {"problem": problem, "record": record, "versions": versions, "claims": claims}
    return View("history.html", f"History of {name_of(record)}", values)


def _changed(old: object, new: object) -> str:
    """How the value of a field changed, without what says of which file."""
    before, after = (f"{', '.join(each) if isinstance(each, list) else each}\n" if each else "" for each in (old, new))
    return difference(before, after, "").partition(" @@\n")[2]
