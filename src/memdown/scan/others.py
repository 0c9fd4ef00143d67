"""Elixir's mix.exs, and Dart and Flutter's pubspec.yaml."""

import re

from memdown.markdown.formats import read_yaml, table, word
from memdown.patterns import lazy
from memdown.scan.model import ScanResult, above, add, library, manifests, nearest_to_root, tidy, typed_in
from memdown.store.tree import MOST_LOCKED_BYTES, Tree

_MIX_DEPENDENCY = lazy(r"""\{:(\w+),\s*["']([^"'\n]+)["']([^}\n]*)\}""")
_MIX_LOCKED = lazy(r"""^[ \t]*"(\w+)":\s*\{:hex,\s*:\w+,\s*"([^"\n]+)\"""", re.M)
_PUB_LOCKED = lazy(r"^  (\w+):\n(?:    .*\n)*?    version: \"?([^\"\n]+)", re.M)


def look(tree: Tree) -> ScanResult:
    found = ScanResult()
    mixes, pubs = manifests(tree, "mix.exs"), manifests(tree, "pubspec.yaml")
    for name in mixes:
        _mix(tree, name, found)
    for name in pubs:
        _pub(tree, name, found)
    for name in nearest_to_root(mixes):
        add(found.steps, typed_in(name, "mix deps.get"), name)
        add(found.commands, typed_in(name, "mix compile"), name, "build")
        add(found.commands, typed_in(name, "mix test"), name, "test")
    for name in nearest_to_root(pubs):
        tool = "flutter" if re.search(r"^[ \t]+sdk: ?flutter", tree.text(name) or "", re.M) else "dart"
        add(found.steps, typed_in(name, f"{tool} pub get"), name)
        add(found.commands, typed_in(name, f"{tool} test"), name, "test")
        add(found.commands, typed_in(name, f"{tool} analyze"), name, "lint")
    return found


def _mix(tree: Tree, name: str, found: ScanResult) -> None:
    text = tidy(tree.text(name) or "")
    app = re.search(r"\bapp:\s*:(\w+)", text)
    required = re.search(r"""\belixir:\s*["']([^"'\n]+)["']""", text)
    if app:
        add(found.names, app[1], name)
        add(found.members, app[1], name, "Elixir application")
    add(found.requirements, required[1] if required else "", name, "Elixir")
    lock = above(tree, name, "mix.lock")
    locked = dict(_MIX_LOCKED.findall(tree.text(lock, MOST_LOCKED_BYTES) or "")) if lock else {}
    for title, version, options in _MIX_DEPENDENCY.findall(text):
        use = "development" if re.search(r"only:.*(?:dev|test)", options) else "runtime"
        found.libraries.append(library(title, version, name, locked, lock, use))


def _pub(tree: Tree, name: str, found: ScanResult) -> None:
    data = tree.data(name, read_yaml)
    add(found.names, word(data, "name"), name)
    if word(data, "name"):
        add(found.members, word(data, "name"), name, "Dart package")
    add(found.summaries, word(data, "description"), name)
    add(found.requirements, word(data, "environment", "sdk"), name, "Dart")
    add(found.requirements, word(data, "environment", "flutter"), name, "Flutter")
    lock = above(tree, name, "pubspec.lock")
    locked = dict(_PUB_LOCKED.findall(tree.text(lock, MOST_LOCKED_BYTES) or "")) if lock else {}
    for key, use in (("dependencies", "runtime"), ("dev_dependencies", "development")):
        for title, spec in table(data, key).items():
            if word(spec, "path") or word(spec, "sdk"):
                continue
            found.libraries.append(library(title, word(spec), name, locked, lock, use))
