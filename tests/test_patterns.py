"""Patterns are compiled when they are first used; here all of them are, so that none is wrong unseen."""

import pkgutil
from importlib import import_module

import memdown
from memdown.patterns import LazyPattern, lazy


def found_in(value: object, depth: int = 2) -> list[LazyPattern]:
    """The patterns in a module's constant: itself, or inside a tuple or dict."""
    if isinstance(value, LazyPattern):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, (tuple, list)) else ()
    return [each for item in inner for each in found_in(item, depth - 1)] if depth else []


def needs_more(module: str) -> bool:
    """Whether a module is for an extra that is not installed here."""
    try:
        import_module(module)
    except ModuleNotFoundError as error:
        return error.name in ("mcp", "numpy")
    return False


def test_every_pattern_compiles() -> None:
    patterns = []
    for module in pkgutil.walk_packages(memdown.__path__, "memdown."):
        if not module.name.endswith("__main__") and not needs_more(module.name):
            patterns += [each for value in vars(import_module(module.name)).values() for each in found_in(value)]
    assert len(patterns) > 200
    for pattern in patterns:
        assert pattern.groups >= 0  # type: ignore[operator]


def test_a_lazy_pattern_is_like_any_other() -> None:
    pattern = lazy("(a)(b)?")
    assert pattern.pattern == "(a)(b)?"
    assert pattern.fullmatch("ab")
    assert [match.group() for match in pattern.finditer("a ab")] == ["a", "ab"]
    assert pattern.sub("x", "ab") == "x"
    assert pattern.groups == 2
