"""Versions compared: the one that a text states with the one that a lock file or a manifest has."""

import re

_LANGUAGES = {"python": "python", "node.js": "node", "nodejs": "node", "golang": "go", "postgresql": "postgres"}


def constraint(match: re.Match[str]) -> str:
    """What a text says of a version, as the pattern of pins matched it: `18.2`, `>=3.11`, `^4`."""
    sign = next((each for each in (">=", ">", "<=", "<", "^", "~") if each in match["gap"]), "")
    return f"{'>=' if match['more'] == '+' else sign}{match['version']}"


def folded(library: str) -> str:
    """A library's name for comparing: `Next.js` is `next`."""
    name = library.casefold().replace("_", "-")
    name = _LANGUAGES.get(name, name)
    return name.removesuffix(".js") if "/" not in name else name


def agrees(stated: str, there: str) -> bool:
    """Whether a version that a text states goes with the one that is there, which may be a range itself."""
    sign = stated.rstrip("0123456789.")
    mine = numbers(stated)
    is_range = not re.match(r"[v=]*\d", there)
    bounds = [numbers(each) for each in re.findall(r"\d[\d.]*", there)] or [[]]
    if is_range and not sign:
        return any(_same(mine, each) for each in bounds) or (
            there.startswith((">=", ">")) and mine >= bounds[0] and len(bounds) == 1
        )
    if sign in (">=", ">"):
        return any(_same(mine, each) for each in bounds) if is_range else bounds[0] >= mine
    if sign in ("<=", "<"):
        return bounds[0] <= mine
    if sign in ("^", "~"):
        return any(_same(mine, each) for each in bounds) or (
            not is_range and bounds[0] >= mine and bounds[0][: _held(sign, mine)] == mine[: _held(sign, mine)]
        )
    return any(_same(mine, each) for each in bounds)


def _held(sign: str, stated: list[int]) -> int:
    """How many numbers of a version a caret or a tilde keeps: `^1.2.3` one, `~1.2.3` and `^0.2.3` two."""
    return 2 if (len(stated) > 1 and stated[0] == 0) or (sign == "~" and len(stated) > 2) else 1


def _same(stated: list[int], there: list[int]) -> bool:
    # Zeros at the end may be left out.
    return there[: len(stated)] == stated or (not any(stated[len(there) :]) and stated[: len(there)] == there)


def numbers(version: str) -> list[int]:
    bare = re.split(r"[-+]", version.lstrip("v^~<>= "), maxsplit=1)[0]
    return [int(each) for each in re.findall(r"\d{1,8}", bare)]
