"""The briefing of a project, for who asks on the command line or through MCP: the same parts that a hook tells."""

from memdown.acts import brief
from memdown.acts.brief import BriefItem, BriefPart
from memdown.acts.context.pack import Context, ContextItem, LeftOut
from memdown.errors import Invalid
from memdown.index import questions
from memdown.index.lookup import Lookup
from memdown.index.standing import Standings, kept_by_hooks
from memdown.markdown.tokens import Count
from memdown.project import Project


def parts(project: Project) -> list[BriefPart]:
    """All that a session should know when it begins, the most needed first."""
    if not project.has_files():
        return []
    root = str(project.root)
    limits = project.config.layers
    with kept_by_hooks(root) as kept:
        standings = Standings(root, (limits.aging_days, limits.legacy_stamps), kept)
        return questions.of(project).ask(lambda db: brief.parts(Lookup(db, root, behind=False), standings))


def context(project: Project, budget: int | None, count: Count) -> Context:
    """The briefing as far as it fits into a budget of tokens, with what is in and what is left out."""
    budget = project.config.context.budget if budget is None else budget
    if budget < 1:
        raise Invalid("the budget is a number of tokens, at least 1")
    found = parts(project)
    room = budget
    text, names = brief.within(found, room)
    while text and (over := count(text) - budget) > 0:  # the count may be another than the estimate
        room -= over
        text, names = brief.within(found, room)
    told = {*names}
    items: list[ContextItem] = []
    left: list[LeftOut] = []
    for part in found:
        for item in part.items:
            if item.name in told:
                items.append(ContextItem(*_place(item), count(item.text), part.title))
            else:
                left.append(LeftOut(*_place(item), count(item.text), f"no room: {part.title.lower()}"))
    return Context(budget, count(text), items, left, text)


def _place(item: BriefItem) -> tuple[str, str, tuple[int, int]]:
    return item.name.removeprefix("title of "), item.path, (item.line, item.line)
