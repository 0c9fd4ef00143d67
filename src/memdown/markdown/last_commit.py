"""The focus that `init` writes where nobody set one: the last commit. It says of itself that it ages."""

_BEGIN, _END = "The last commit is “", " (git)"
_COMPARED = 40


def sentence(title: str, day: str, branch: str = "") -> str:
    """What is written."""
    return f"{_BEGIN}{title}” of {day}{f', on the branch `{branch}`' if branch else ''}{_END}"


def _letters(title: str) -> str:
    """How a title begins, however it was shortened and cleaned since."""
    return "".join(filter(str.isalnum, title.partition("”")[0]))[:_COMPARED]


def current(text: str, title: str, day: str) -> str:
    """A focus as it is now: one that names a commit before the last one is replaced by what git knows."""
    if not (text.startswith(_BEGIN) and text.endswith(_END)) or _letters(text[len(_BEGIN) :]) == _letters(title):
        return text
    return f"{sentence(title, day)}; no focus is set"
