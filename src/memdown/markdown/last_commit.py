"""The focus that `init` writes where nobody set one: the last commit. It says of itself that it ages."""

_BEGIN, _END = "The last commit is “", " (git)"
_COMPARED = 40


def sentence(title: str, day: str, branch: str = "") -> str:
    """What is written."""
    return f"{_BEGIN}{title}” of {day}{f', on the branch `{branch}`' if branch else ''}{_END}"


def is_derived(text: str) -> bool:
    """Whether a text is what `init` wrote, so that nobody set a focus."""
    bare = text.strip()
    return bare.startswith(_BEGIN) and bare.endswith(_END) and "\n" not in bare


def names(text: str, title: str) -> bool:
    """Whether what `init` wrote still names the last commit, however its title was shortened and cleaned since."""
    return _letters(text.strip()[len(_BEGIN) :]) == _letters(title)


def _letters(title: str) -> str:
    return "".join(filter(str.isalnum, title.partition("”")[0]))[:_COMPARED]
