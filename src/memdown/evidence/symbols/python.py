"""Symbols of Python, by its own parser."""

import ast
import hashlib
from collections.abc import Collection, Iterator, Sequence

from memdown.evidence.symbols.model import SymbolDefinition, Symbols

ENDINGS = ("py", "pyi")
_ITSELF = ("self", "cls")
"""What a class calls itself, so that `self.inner.close()` gives it no `close`."""
_BLOCKS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def read(text: bytes, names: Collection[str]) -> Symbols | None:
    """What a text defines, with the bodies of these names; None when it is no Python that this version can read."""
    tree = _parsed(text)
    return Symbols(list(_definitions(tree.body, "", names))) if tree else None


def members(text: str, owner: str) -> frozenset[str] | None:
    """The names that a class has, with those it sets on itself; None when there is none, or it has bases."""
    tree = _parsed(text)
    found = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and node.name == owner] if tree else []
    if not found or any(node.bases or node.keywords for node in found):
        return None
    names: set[str] = set()
    for node in (each for top in found for each in ast.walk(top)):
        if isinstance(node, _BLOCKS):
            names.add(node.name)
        elif (
            isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in (*_ITSELF, owner)
        ):
            names.add(node.attr)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return frozenset(names)


def _parsed(text: bytes | str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _definitions(scope: Sequence[ast.stmt], inside: str, wanted: Collection[str]) -> Iterator[SymbolDefinition]:
    for node in scope:
        if isinstance(node, _BLOCKS):
            name = f"{inside}{node.name}"
            has_bases = isinstance(node, ast.ClassDef) and bool(node.bases or node.keywords)
            yield SymbolDefinition(name, _body(node) if node.name in wanted else None, has_bases)
            yield from _definitions(node.body, f"{name}.", wanted)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (SymbolDefinition(f"{inside}{each.id}") for each in targets if isinstance(each, ast.Name))
        else:
            inner = (getattr(node, field, ()) for field in ("body", "orelse", "finalbody", "handlers", "cases"))
            for block in inner:
                yield from _definitions(block, inside, wanted)


def _body(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> str:
    """A hash of what a function or class does, without its comments, docstring and layout."""
    skipped = ast.get_docstring(node, clean=False) is not None
    kept = node.body
    node.body = kept[skipped:]
    dumped = ast.dump(node)
    node.body = kept
    return hashlib.blake2b(dumped.encode("utf-8", "replace"), digest_size=16).hexdigest()
