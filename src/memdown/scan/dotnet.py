""".NET: project files, central package versions, global.json and packages.lock.json."""

from memdown.markdown.formats import Element, read_json, read_xml, table, word
from memdown.scan.model import Fact, ScanResult, above, add, beside, library, manifests, nearest_to_root, typed_in
from memdown.store.tree import MOST_LOCKED_BYTES, Tree

_TEST_KIT = "microsoft.net.test.sdk"


def look(tree: Tree) -> ScanResult:
    found = ScanResult()
    projects = manifests(tree, "*.csproj", "*.fsproj", "*.vbproj")
    tests = False
    for name in projects:
        root = tree.data(name, read_xml)
        if root is not None and root.name == "Project":
            tests = _project(tree, name, root, found) or tests
    solutions = manifests(tree, "*.sln", "*.slnx")
    if projects:
        _commands(solutions or projects, found, tests=tests)
    for name in manifests(tree, "global.json"):
        add(found.requirements, word(tree.data(name, read_json), "sdk", "version"), name, ".NET SDK")
    for name in solutions[:1]:
        add(found.names, name.rpartition("/")[2].rpartition(".")[0], name)
    return found


def _project(tree: Tree, name: str, root: Element, found: ScanResult) -> bool:
    """What a project file says; whether it is one of tests."""
    title = name.rpartition("/")[2].rpartition(".")[0]
    add(found.members, title, name, ".NET project")
    targets = root.value("PropertyGroup", "TargetFramework") or root.value("PropertyGroup", "TargetFrameworks")
    if "$(" not in targets:
        add(found.requirements, ", ".join(filter(None, targets.split(";"))), name, ".NET")
    add(found.summaries, root.value("PropertyGroup", "Description"), name)
    add(found.licences, root.value("PropertyGroup", "PackageLicenseExpression"), name)
    if root.value("PropertyGroup", "Nullable") == "enable":
        add(found.conventions, "Nullable reference types are on", name)
    lock = beside(name, "packages.lock.json")
    locked = _locked(tree, lock) if lock in tree else {}
    central = above(tree, name, "Directory.Packages.props")
    shared = _central(tree, central) if central else {}
    references = [each for each in root.every("PackageReference") if each.attributes.get("Include")]
    is_test = any(each.attributes["Include"].lower() == _TEST_KIT for each in references)
    for each in references:
        package = each.attributes["Include"]
        version, source = each.attributes.get("Version") or each.value("Version"), name
        if not version and package in shared:
            version, source = shared[package], central or name
        use = "development" if is_test or each.attributes.get("PrivateAssets") == "all" else "runtime"
        shown = "" if "$(" in version else version
        found.libraries.append(library(package, shown, source, locked, lock, use))
    kit = root.attributes.get("Sdk", "")
    if kit.startswith("Microsoft.NET.Sdk.Web"):
        add(found.commands, f"dotnet run --project {_quoted(name)}", name, "dev")
        found.libraries.append(library("Microsoft.NET.Sdk.Web", "", name, {}, None))
    elif root.value("PropertyGroup", "OutputType") == "Exe" and not is_test:
        found.entries.append(Fact(f"`{title}` is a program", name))
    return is_test


def _commands(names: list[str], found: ScanResult, *, tests: bool) -> None:
    for name in nearest_to_root(names)[:1]:
        add(found.steps, typed_in(name, "dotnet restore"), name)
        add(found.commands, typed_in(name, "dotnet build"), name, "build")
        if tests:
            add(found.commands, typed_in(name, "dotnet test"), name, "test")


def _quoted(name: str) -> str:
    return f'"{name}"' if " " in name else name


def _locked(tree: Tree, lock: str) -> dict[str, str]:
    data = tree.data(lock, read_json, MOST_LOCKED_BYTES)
    return {
        package: word(facts, "resolved")
        for packages in table(data, "dependencies").values()
        for package, facts in table(packages).items()
        if word(facts, "resolved")
    }


def _central(tree: Tree, name: str) -> dict[str, str]:
    root = tree.data(name, read_xml)
    found = {}
    for each in root.every("PackageVersion") if root is not None else ():
        package = each.attributes.get("Include")
        if package:
            found[package] = each.attributes.get("Version") or each.value("Version")
    return found
