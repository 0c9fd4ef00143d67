"""Skill files that memdown has: what they say, and putting them where agents find them."""

from msgspec import Struct

from memdown.dialects.sem import skill
from memdown.errors import Exists, NotFound, Refused, quote
from memdown.project import Project
from memdown.store import check_name


class Skill(Struct, frozen=True):
    """A skill file."""

    name: str
    description: str
    place: str
    """Where it lies inside the home of a project."""
    text: str


class Installed(Struct, frozen=True):
    """Where a skill is now, and whether it was written for that."""

    name: str
    path: str
    written: bool


def skills() -> list[Skill]:
    return [Skill(skill.NAME, skill.DESCRIPTION, skill.PLACE, skill.text())]


def get(name: str) -> Skill:
    if "/" in check_name(name):
        raise Refused(f"{quote(name)} is a path, not the name of a skill; see `memdown skill`.")
    for each in skills():
        if each.name == name:
            return each
    raise NotFound(f"There is no skill {quote(name)}; see `memdown skill`.")


def install(root: Project, name: str, *, force: bool = False) -> Installed:
    """Write a skill into the project; a file that differs stays, unless `force` is given."""
    wanted = get(name)
    path = f"{root.home('sem')}/{wanted.place}"
    with root.files.lock():
        before = root.files.find(path)
        if before == wanted.text:
            return Installed(name, path, False)
        if before is not None and not force:
            raise Exists(f"{path} exists with different text; --force overwrites it.")
        root.files.save(path, wanted.text, over=before)
    return Installed(name, path, True)
