"""Rust: Cargo.toml, workspaces, Cargo.lock and the toolchain file."""

from collections.abc import Iterator

from memdown.markdown.formats import Plain, at, items, read_toml, table, word
from memdown.scan.model import (
    Fact,
    ScanResult,
    above,
    add,
    folder_of,
    library,
    locked_packages,
    manifests,
    nearest_to_root,
    typed_in,
)
from memdown.store.tree import Tree

_USES = (("dependencies", "runtime"), ("build-dependencies", "development"), ("dev-dependencies", "development"))


def look(tree: Tree) -> ScanResult:
    found = ScanResult()
    names = manifests(tree, "Cargo.toml")
    read = {name: data for name in names if isinstance(data := tree.data(name, read_toml), dict)}
    for name, data in read.items():
        _crate(tree, name, data, _workspace(read, name), found)
    for name in nearest_to_root(read):
        add(found.steps, typed_in(name, "cargo build"), name)
        add(found.commands, typed_in(name, "cargo build"), name, "build")
        add(found.commands, typed_in(name, "cargo test"), name, "test")
    _tools(tree, found)
    return found


def _workspace(read: dict[str, dict[str, Plain]], name: str) -> tuple[str, dict[str, Plain]]:
    """The manifest above that declares what members share."""
    folder = folder_of(name)
    holders = [each for each in read if "workspace" in read[each] and f"{folder}/".startswith(_prefix(each))]
    holder = max(holders, key=len, default="")
    return holder, table(read[holder], "workspace") if holder else {}


def _prefix(name: str) -> str:
    folder = folder_of(name)
    return f"{folder}/" if folder else ""


def _crate(
    tree: Tree, name: str, data: dict[str, Plain], workspace: tuple[str, dict[str, Plain]], found: ScanResult
) -> None:
    holder, shared = workspace
    package = table(data, "package")

    def inherited(key: str) -> tuple[str, str]:
        if at(package, key, "workspace") is True:
            return word(shared, "package", key), holder
        return word(package, key), name

    title = word(package, "name")
    if title:
        add(found.names, title, name)
        add(found.members, title, name, "Rust crate")
    for key, facts in (("description", found.summaries), ("license", found.licences)):
        add(facts, *inherited(key))
    edition, source = inherited("edition")
    if edition:
        add(found.requirements, edition, source, "Rust edition")
    add(found.requirements, *inherited("rust-version"), "Rust")
    for program in items(data, "bin"):
        if word(program, "name"):
            add(found.entries, f"`{word(program, 'name')}` starts `{word(program, 'path') or 'src/main.rs'}`", name)
    _libraries(tree, name, data, workspace, found)


def _libraries(
    tree: Tree, name: str, data: dict[str, Plain], workspace: tuple[str, dict[str, Plain]], found: ScanResult
) -> None:
    holder, shared = workspace
    lock = above(tree, name, "Cargo.lock")
    versions: dict[str, list[str]] = {}
    for crate, version in locked_packages(tree, lock) if lock else ():
        versions.setdefault(crate, []).append(version)
    for dependency, spec, use in _requirements(data):
        wanted, source = spec, name
        if at(spec, "workspace") is True:
            wanted, source = at(shared, "dependencies", dependency), holder
        if word(wanted, "path"):
            continue
        version = word(wanted) or word(wanted, "version")
        crate = word(spec, "package") or dependency
        exact = _fitting(versions.get(crate, []), version)
        found.libraries.append(library(crate, version, source, {crate: exact} if exact else {}, lock, use))


def _requirements(data: dict[str, Plain]) -> Iterator[tuple[str, Plain, str]]:
    """Dependencies with their use, those of one platform among them."""
    holders: list[Plain] = [data, *table(data, "target").values()]
    for holder in holders:
        for key, use in _USES:
            for dependency, spec in table(holder, key).items():
                yield dependency, spec, "optional" if at(spec, "optional") is True else use


def _fitting(versions: list[str], wanted: str) -> str:
    """The locked version meant; of several, the one that fits what the manifest asks for."""
    if len(versions) == 1:
        return versions[0]
    begin = wanted.lstrip("^=~ ")
    fitting = [version for version in versions if begin and f"{version}.".startswith(f"{begin}.")]
    if not fitting and begin:
        major = begin.split(".")[0]
        fitting = [version for version in versions if major != "0" and version.split(".")[0] == major]
    return fitting[0] if len(fitting) == 1 else ""


def _tools(tree: Tree, found: ScanResult) -> None:
    for name in manifests(tree, "rust-toolchain.toml", "rust-toolchain"):
        text = tree.text(name) or ""
        if "[toolchain]" in text:
            data = tree.data(name, read_toml)
            add(found.requirements, word(data, "toolchain", "channel"), name, "Rust toolchain")
        elif len(text.split()) == 1:
            add(found.requirements, text, name, "Rust toolchain")
    for file, does in (("rustfmt.toml", "Formatted with rustfmt"), (".rustfmt.toml", "Formatted with rustfmt")):
        if file in tree:
            found.conventions.append(Fact(does, file))
    for file in ("clippy.toml", ".clippy.toml"):
        if file in tree:
            found.commands.append(Fact("cargo clippy", file, "lint"))
