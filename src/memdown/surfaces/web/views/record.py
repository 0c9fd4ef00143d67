"""One record: what it says, what it links to and what links to it, who wrote it, what is wrong with it."""

from memdown.memory import Memory
from memdown.record import Record
from memdown.surfaces.web import editors
from memdown.surfaces.web.markup import LONGEST, name_of
from memdown.surfaces.web.views import checked
from memdown.surfaces.web.views.model import PageRequest, View

_SHOWN_ELSEWHERE = frozenset(
    "rationale form content_hash id header date timestamp author scope status tags supersedes title summary section"
    " layer depth line_end".split()
)
_FINDINGS = 100


def show(memory: Memory, request: PageRequest) -> View:
    record = memory.questions.get(request.text("id"))
    mark, pointing = memory.questions.about(record)
    ids = {link.resolved or link.target for link in record.links} | {link.target for link in pointing}
    near = {each.record.id: each for each in memory.questions.named([*ids, *mark.superseded_by])}
    place = str(memory.root / record.path)
    inside = (record.span.start, record.span.end)
    findings = [each for each in checked.in_file(memory, record.path) if inside[0] <= each.span.start <= inside[1]]
    return View(
        "record.html",
        name_of(record),
        {
            "mark": mark,
            "record": record,
            "near": near,
            "pointing": pointing,
            "findings": findings[:_FINDINGS],
            "facts": _facts(record),
            "editor": editors.address(place, record.line),
            "cut": len(record.body or "") > LONGEST,
            "step": memory.last_step(record),
        },
    )


def _facts(record: Record) -> list[tuple[str, str]]:
    """What only its dialect has."""
    return [
        (name.replace("_", " "), value if isinstance(value, str) else ", ".join(value))
        for name, value in record.extra.items()
        if name.casefold() not in _SHOWN_ELSEWHERE
        and value
        and len(str(value)) < 500
        and not (isinstance(value, str) and value in (record.body or ""))  # it is read beside it
    ]
