"""PHP: composer.json with its scripts, and composer.lock."""

from memdown.markdown.formats import items, read_json, table, word, words
from memdown.scan.model import Fact, ScanResult, add, beside, library, manifests, nearest_to_root, typed_in
from memdown.store.tree import MOST_LOCKED_BYTES, Tree

_ROLES = {
    "build": ("build",),
    "test": ("test", "tests", "phpunit"),
    "lint": ("lint", "cs", "phpcs", "phpstan", "analyse"),
    "dev": ("dev", "serve", "start"),
}


def look(tree: Tree) -> ScanResult:
    found = ScanResult()
    names = manifests(tree, "composer.json")
    for name in names:
        data = tree.data(name, read_json)
        if not isinstance(data, dict):
            continue
        add(found.names, word(data, "name"), name)
        if word(data, "name"):
            add(found.members, word(data, "name"), name, "Composer package")
        add(found.summaries, word(data, "description"), name)
        add(found.licences, " or ".join(words(data, "license")), name)
        _libraries(tree, name, found)
        if name in nearest_to_root(names):
            _commands(tree, name, found)
    return found


def _libraries(tree: Tree, name: str, found: ScanResult) -> None:
    data = tree.data(name, read_json)
    lock = beside(name, "composer.lock")
    lock_data = tree.data(lock, read_json, MOST_LOCKED_BYTES) if lock in tree else None
    locked = {
        word(each, "name"): word(each, "version").removeprefix("v")
        for key in ("packages", "packages-dev")
        for each in items(lock_data, key)
    }
    for key, use in (("require", "runtime"), ("require-dev", "development")):
        for package, spec in table(data, key).items():
            if package == "php":
                add(found.requirements, word(spec), name, "PHP")
            elif package.startswith("ext-"):
                add(found.requirements, word(spec).replace("*", "any version"), name, f"PHP extension {package[4:]}")
            elif "/" in package:
                found.libraries.append(library(package, word(spec), name, locked, lock, use))


def _commands(tree: Tree, name: str, found: ScanResult) -> None:
    add(found.steps, typed_in(name, "composer install"), name)
    scripts = table(tree.data(name, read_json), "scripts")
    for role, wanted in _ROLES.items():
        script = next((each for each in wanted if each in scripts), None)
        if script:
            add(found.commands, typed_in(name, f"composer run {script}"), name, role)
    for file in ("phpunit.xml", "phpunit.xml.dist"):
        if beside(name, file) in tree:
            add(found.commands, typed_in(name, "vendor/bin/phpunit"), beside(name, file), "test")
    if beside(name, "artisan") in tree:
        found.commands.append(Fact(typed_in(name, "php artisan serve"), beside(name, "artisan"), "dev"))
