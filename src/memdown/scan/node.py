"""JavaScript and TypeScript: package.json with its scripts and workspaces, and the locks of npm, yarn, pnpm and bun."""

import re
from collections.abc import Mapping

from memdown.markdown.formats import Plain, at, read_json, read_yaml, table, word, words
from memdown.patterns import lazy
from memdown.scan.model import (
    Fact,
    ScanResult,
    above,
    add,
    beside,
    folder_of,
    library,
    manifests,
    nearest_to_root,
    tidy,
    typed_in,
)
from memdown.store.tree import MOST_LOCKED_BYTES, Tree

_MANAGERS = {
    "package-lock.json": "npm",
    "npm-shrinkwrap.json": "npm",
    "yarn.lock": "yarn",
    "pnpm-lock.yaml": "pnpm",
    "bun.lock": "bun",
    "bun.lockb": "bun",
}
_USES = (
    ("dependencies", "runtime"),
    ("optionalDependencies", "optional"),
    ("devDependencies", "development"),
)
_ROLES = {
    "build": ("build",),
    "test": ("test",),
    "lint": ("lint", "check", "typecheck"),
    "dev": ("dev", "start", "serve"),
    "deploy": ("deploy",),
}
_YARN_HEAD = lazy(r'^(?:"?)((?:@[^@/\s"]+/)?[^@\s",:]+)@', re.M)
_YARN_VERSION = lazy(r'^  version:? "?([^"\s]+)"?', re.M)


def look(tree: Tree) -> ScanResult:
    found = ScanResult()
    names = manifests(tree, "package.json")
    top = nearest_to_root(names)
    for name in names:
        data = tree.data(name, read_json)
        if isinstance(data, dict):
            _package(tree, name, data, found, is_top=name in top)
    for name in names:
        if name not in top:
            data = tree.data(name, read_json)
            _scripts(name, data, _manager(data, above(tree, name, *_MANAGERS)), found)
    _configuration(tree, found)
    return found


def _package(tree: Tree, name: str, data: dict[str, Plain], found: ScanResult, *, is_top: bool) -> None:
    title = word(data, "name")
    add(found.names, title, name)
    if title or any(table(data, key) for key, _ in _USES):
        add(found.members, title or folder_of(name) or "without a name", name, "Node package")
    add(found.summaries, word(data, "description"), name)
    add(found.licences, word(data, "license"), name)
    for tool, shown in (("node", "Node.js"), ("npm", "npm"), ("yarn", "yarn"), ("pnpm", "pnpm"), ("bun", "bun")):
        add(found.requirements, word(data, "engines", tool), name, shown)
    for script, target in _programs(data, title):
        add(found.entries, f"`{script}` starts `{target}`", name)
    lock = above(tree, name, *_MANAGERS)
    locked = _locked(tree, lock, name, data) if lock else {}
    for key, use in _USES:
        for dependency, spec in table(data, key).items():
            version = word(spec)
            if not version.startswith(("workspace:", "file:", "link:", "portal:")):
                shown = "" if version in ("*", "latest") or ":" in version else version
                found.libraries.append(library(dependency, shown, name, locked, lock, use))
    if is_top:
        _commands(name, data, lock, found)


def _programs(data: dict[str, Plain], title: str) -> list[tuple[str, str]]:
    if word(data, "bin"):
        return [(title.rpartition("/")[2], word(data, "bin"))] if title else []
    return [(script, target) for script, target in table(data, "bin").items() if isinstance(target, str)]


def _manager(data: Plain, lock: str | None) -> str:
    pinned = word(data, "packageManager")
    manager = pinned.partition("@")[0] or (_MANAGERS[lock.rpartition("/")[2]] if lock else "npm")
    return manager if manager in _MANAGERS.values() else "npm"


def _commands(name: str, data: dict[str, Plain], lock: str | None, found: ScanResult) -> None:
    pinned, manager = word(data, "packageManager"), _manager(data, lock)
    if pinned:
        add(found.requirements, pinned.partition("@")[2].partition("+")[0], name, manager)
    source = lock or name
    install = "ci" if manager == "npm" and lock and lock == beside(name, lock.rpartition("/")[2]) else "install"
    add(found.steps, typed_in(name, f"{manager} {install}"), source)
    _scripts(name, data, manager, found)


def _scripts(name: str, data: Plain, manager: str, found: ScanResult) -> None:
    scripts = table(data, "scripts")
    for role, wanted in _ROLES.items():
        script = next((each for each in wanted if _does_something(scripts.get(each))), None)
        if script:
            run = "test" if script == "test" and manager != "bun" else f"run {script}"
            add(found.commands, typed_in(name, f"{manager} {run}"), name, role)


def _does_something(script: Plain) -> bool:
    return isinstance(script, str) and bool(script.strip()) and "no test specified" not in script


def _locked(tree: Tree, lock: str, manifest: str, data: dict[str, Plain]) -> Mapping[str, str]:
    file = lock.rpartition("/")[2]
    wanted = [name for key, _ in _USES for name in table(data, key)]
    if file in ("package-lock.json", "npm-shrinkwrap.json"):
        return _npm(tree, lock, manifest, wanted)
    if file == "yarn.lock":
        return _yarn(tree, lock, data)
    if file == "pnpm-lock.yaml":
        return _pnpm(tree, lock, manifest, wanted)
    return {}


def _within(lock: str, manifest: str) -> str:
    """The folder of a manifest as its lock file names it."""
    return folder_of(manifest).removeprefix(folder_of(lock)).strip("/")


def _npm(tree: Tree, lock: str, manifest: str, wanted: list[str]) -> dict[str, str]:
    data = tree.data(lock, read_json, MOST_LOCKED_BYTES)
    packages, old = table(data, "packages"), table(data, "dependencies")
    folder = _within(lock, manifest)
    found = {}
    for name in wanted:
        own = f"{folder}/node_modules/{name}" if folder else f"node_modules/{name}"
        version = (
            word(packages, own, "version")
            or word(packages, f"node_modules/{name}", "version")
            or word(old, name, "version")
        )
        if version:
            found[name] = version
    return found


def _yarn(tree: Tree, lock: str, data: dict[str, Plain]) -> dict[str, str]:
    specs = {name: word(version) for key, _ in _USES for name, version in table(data, key).items()}
    found: dict[str, str] = {}
    for block in re.split(r"\n\n+", tree.text(lock, MOST_LOCKED_BYTES) or ""):
        head, _, rest = block.lstrip("\n").partition("\n")
        match = _YARN_HEAD.match(head)
        version = _YARN_VERSION.search(rest)
        if not match or not version or match[1] not in specs:
            continue
        ranges = {each.strip().strip('":') for each in head.rstrip(":").split(",")}
        spec = specs[match[1]]
        if f"{match[1]}@{spec}" in ranges or f"{match[1]}@npm:{spec}" in ranges:
            found[match[1]] = version[1]
    return found


def _pnpm(tree: Tree, lock: str, manifest: str, wanted: list[str]) -> dict[str, str]:
    text = tree.text(lock, MOST_LOCKED_BYTES) or ""
    # What a project asks for stands before the list of all packages, which is most of the file.
    head = re.split(r"^(?:packages|snapshots):", text, maxsplit=1, flags=re.M)[0]
    data = tree.data(lock, lambda _: read_yaml(head), MOST_LOCKED_BYTES)
    importers = table(data, "importers")
    own: Plain = importers.get(_within(lock, manifest) or ".") if importers else data
    found = {}
    for key, _ in _USES:
        for name in wanted:
            version = word(own, key, name) or word(own, key, name, "version")
            if version and not version.startswith("link:"):
                found[name] = version.partition("(")[0].partition("_")[0]
    return found


def _configuration(tree: Tree, found: ScanResult) -> None:
    for name in manifests(tree, "tsconfig.json"):
        text = tree.text(name) or ""
        # Comments are allowed in it, so it is not read as JSON.
        if re.search(r'^"strict" ?: ?true', tidy(text), re.M):
            found.conventions.append(Fact("TypeScript is strict", name))
            break
    for pattern, does in (
        (r"eslint\.config\.\w+|\.eslintrc(?:\.\w+)?", "Linted with ESLint"),
        (r"prettier\.config\.\w+|\.prettierrc(?:\.\w+)?", "Formatted with Prettier"),
        (r"biome\.jsonc?", "Linted and formatted with Biome"),
    ):
        file = next((each for each in tree.names if "/" not in each and re.fullmatch(pattern, each)), None)
        if file:
            found.conventions.append(Fact(does, file))
    for name in manifests(tree, "pnpm-workspace.yaml", "lerna.json", "turbo.json", "nx.json"):
        if "/" not in name:
            add(found.conventions, f"Packages are managed together by {_monorepo(name)}", name)
    root = tree.data("package.json", read_json) if "package.json" in tree else None
    shared = words(at(root, "workspaces")) or words(root, "workspaces", "packages")
    if shared:
        add(found.conventions, f"Workspaces: {', '.join(shared)}", "package.json")


def _monorepo(name: str) -> str:
    return {"lerna.json": "Lerna", "turbo.json": "Turborepo", "nx.json": "Nx"}.get(name, "pnpm workspaces")
