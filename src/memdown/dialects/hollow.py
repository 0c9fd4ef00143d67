"""Records that stand in a file and say nothing: they are checked, and never shown, counted or found."""

from functools import cache, lru_cache, partial

from memdown.dialects import answered, offered
from memdown.markdown import placeholders
from memdown.record import Record

_BARE = ("section", "prose")
"""Kinds that are nothing without a text."""
_is_unfilled, _has_templates = answered("is_unfilled"), cache(partial(offered, name="HAS_TEMPLATES"))


def is_hollow(record: Record) -> bool:
    """Whether a record is a bare heading, what a template has in the place of text, or part of a file that is one."""
    return (
        "unfilled" in record.extra
        or (record.kind in _BARE and placeholders.is_hollow(record.body or ""))
        or _is_unfilled(record)
        or bool(_has_templates(record.dialect) and is_template(record.path))
    )


@lru_cache(1000)
def is_template(path: str) -> bool:
    """Whether a file is there to be copied: in a folder of templates, or called one."""
    *folders, name = path.lower().split("/")
    return name == "template.md" or any(folder.strip("._") in ("templates", "template") for folder in folders)
