"""Front matter as dialects of one file for each record read and change it."""

from collections.abc import Sequence

from memdown.errors import Refused
from memdown.markdown import frontmatter
from memdown.markdown.frontmatter import FrontMatter, FrontMatterValue
from memdown.text import Edit


def texts(value: FrontMatterValue) -> str | list[str]:
    """A scalar, else the scalars of a list."""
    return value.text if value.text is not None else [item.text or "" for item in value.items]


def plain(value: FrontMatterValue, text: str) -> str | list[str]:
    """The same, but what is neither a scalar nor a list of them as it is written."""
    whole = value.text is not None or (value.items and all(item.text is not None for item in value.items))
    return texts(value) if whole else value.span.of(text)


def words(value: str | list[str]) -> tuple[str, ...]:
    """A list of words; one line where a list belongs is taken for one, and a rule says so."""
    parts = value.split(",") if isinstance(value, str) else value
    return tuple([word for part in parts if (word := part.strip())])


def set_key(text: str, front: FrontMatter, key: str, value: str | Sequence[str]) -> list[Edit]:
    """The edits that give a key its value, or `Refused`."""
    try:
        return frontmatter.set_value(text, front, key, value)
    except ValueError as error:  # the block would be too large to be read again
        raise Refused(f"The {key} cannot be changed: {error}.") from None
