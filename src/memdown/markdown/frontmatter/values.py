"""The simplest front matter as plain values, without places: an index of ten thousand cards needs no more of them."""

from memdown.markdown.frontmatter.flat import simple
from memdown.markdown.frontmatter.model import MAX_LENGTH

Values = dict[str, str | list[str]]


def plain(text: str) -> tuple[Values, int] | None:
    """The text or the texts of each key, and where the body begins; None for any other form, which `read` knows."""
    end = text.find("\n---", 3)
    if not text.startswith("---\n") or text[end + 4 : end + 5] != "\n" or not 3 < end < MAX_LENGTH:
        return None
    lines = text[4:end].split("\n")
    if "\n..." in text[3:end] or not "".join(lines).isprintable():
        return None
    found = _values(lines)
    return None if found is None else (found, end + 5)


def _values(lines: list[str]) -> Values | None:
    found: Values = {}
    items: list[str] | None = None
    for line in lines:
        if line.startswith("  - "):
            value = simple(line[4:])
            if items is None or value is None:
                return None
            items.append(value)
            continue
        key, _, rest = line.partition(":")
        if items == [] or key in found or not key.isidentifier() or not key.isascii():
            return None
        if rest:
            value = simple(rest[1:])
            if value is None or rest[0] != " ":
                return None
            items, found[key] = None, value
        elif line[-1] == ":":
            items = found[key] = []
        else:
            return None
    return None if items == [] else found
