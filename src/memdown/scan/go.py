"""Go: go.mod, workspaces, and the programs below cmd/. Versions in go.mod are exact."""

import re

from memdown.patterns import lazy
from memdown.scan.model import (
    Fact,
    Library,
    ScanResult,
    add,
    beside,
    clean,
    folder_of,
    manifests,
    nearest_to_root,
    tidy,
    typed_in,
)
from memdown.store.tree import Tree

_BLOCK = lazy(r"^(\w+)\s*\(([^()]*)\)", re.M)
_SINGLE = lazy(r"^(\w+)[ \t]+([^\s(][^\n]*)$", re.M)


def look(tree: Tree) -> ScanResult:
    found = ScanResult()
    modules = manifests(tree, "go.mod")
    for name in modules:
        _module(tree, name, found)
    for name in nearest_to_root(modules):
        add(found.steps, typed_in(name, "go mod download"), name)
        add(found.commands, typed_in(name, "go build ./..."), name, "build")
        add(found.commands, typed_in(name, "go test ./..."), name, "test")
        for file in (".golangci.yml", ".golangci.yaml", ".golangci.toml"):
            if beside(name, file) in tree:
                add(found.commands, typed_in(name, "golangci-lint run"), beside(name, file), "lint")
    return found


def _module(tree: Tree, name: str, found: ScanResult) -> None:
    statements = list(_statements(tidy(tree.text(name) or "")))
    for verb, rest in statements:
        if verb == "module":
            title = rest.strip('"` ')
            add(found.names, title, name)
            add(found.members, title, name, "Go module")
        elif verb == "go":
            add(found.requirements, rest, name, "Go")
        elif verb == "toolchain":
            add(found.requirements, rest.removeprefix("go"), name, "Go toolchain")
        elif verb == "require" and "// indirect" not in rest:
            path, _, version = rest.partition("//")[0].strip().partition(" ")
            if path and version:
                found.libraries.append(Library(clean(path, 100), clean(version.strip(), 60), name))
    folder = folder_of(name)
    prefix = f"{folder}/cmd/" if folder else "cmd/"
    mains = (each for each in tree.names if each.startswith(prefix) and each.endswith("/main.go"))
    for main in mains:
        if main.removeprefix(prefix).count("/") == 1:
            found.entries.append(Fact(f"`{folder_of(main)}` is a program", main))


def _statements(text: str) -> list[tuple[str, str]]:
    """Verbs of go.mod with what follows; a block is a statement for each of its lines."""
    found = []
    for verb, inner in _BLOCK.findall(text):
        found += [
            (verb, line.strip()) for line in inner.split("\n") if line.strip() and not line.strip().startswith("//")
        ]
    found += [(verb, rest.strip()) for verb, rest in _SINGLE.findall(_BLOCK.sub("", text))]
    return found
