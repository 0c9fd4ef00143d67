"""Python without pyproject.toml: requirements files, and pipenv's Pipfile."""

from memdown.markdown.formats import read_toml, table, word
from memdown.scan.model import ScanResult, above, add, folder_of, library, manifests, typed_in
from memdown.scan.python import DEVELOPMENT, locked_in, same, split
from memdown.store.tree import Tree


def look(tree: Tree) -> ScanResult:
    found = ScanResult()
    _pipfiles(tree, found)
    for name in _requirement_files(tree):
        _requirements(tree, name, found)
    return found


def _pipfiles(tree: Tree, found: ScanResult) -> None:
    for name in manifests(tree, "Pipfile"):
        data = tree.data(name, read_toml)
        lock = above(tree, name, "Pipfile.lock")
        locked = locked_in(tree, lock)
        for group, use in (("packages", "runtime"), ("dev-packages", "development")):
            for title, spec in table(data, group).items():
                known = {title: locked[same(title)]} if same(title) in locked else {}
                version = (word(spec) or word(spec, "version")).removeprefix("==").replace("*", "")
                found.libraries.append(library(title, version, name, known, lock, use))
        add(found.requirements, word(data, "requires", "python_version"), name, "Python")
        add(found.steps, typed_in(name, "pipenv sync" if lock else "pipenv install"), name)


def _requirement_files(tree: Tree) -> list[str]:
    named = manifests(tree, "*requirements*.txt", "*requirements*.in")
    inside = [name for name in manifests(tree, "*.txt") if "requirements" in folder_of(name).split("/")]
    compiled = {name.removesuffix(".txt") for name in (*named, *inside) if name.endswith(".txt")}
    every = dict.fromkeys((*named, *inside))
    return [name for name in every if name.endswith(".txt") or name.removesuffix(".in") not in compiled]


def _requirements(tree: Tree, name: str, found: ScanResult) -> None:
    use = "development" if DEVELOPMENT.search(name.rpartition("/")[2].removeprefix("requirements")) else "runtime"
    if folder_of(name).rpartition("/")[2] == "requirements" and DEVELOPMENT.search(name.rpartition("/")[2]):
        use = "development"
    for line in (tree.text(name) or "").split("\n"):
        if not line.lstrip().startswith(("#", "-", "git+", "http:", "https:", ".", "/")):
            title, version = split(line.strip())
            if title:
                found.libraries.append(library(title, version, name, {}, None, use))
    if use == "runtime":
        add(found.steps, typed_in(name, f"pip install -r {name.rpartition('/')[2]}"), name)
