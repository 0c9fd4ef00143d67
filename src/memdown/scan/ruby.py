"""Ruby: Gemfile and its lock, gemspecs, and the files of common tools. Ruby is never run; its lines are read."""

import re
from collections.abc import Iterator

from memdown.patterns import lazy
from memdown.scan.model import (
    LONGEST_LINE,
    Fact,
    ScanResult,
    above,
    add,
    beside,
    library,
    manifests,
    nearest_to_root,
    tidy,
    typed_in,
)
from memdown.store.tree import MOST_LOCKED_BYTES, Tree

_GEM = lazy(r"""^\s*gem\s*(?:\(\s*)?["']([\w.-]+)["'](?:\s*,\s*["']([^"'\n]+)["'])?(.*)$""")
_GROUP = lazy(r"^\s*group\b([^\n]*?)\bdo\b")
_SPEC = lazy(r"^    ([\w.-]+) \(([^()\s]+)\)$", re.M)
_FIELD = lazy(r"""^\w+\.(name|summary|description|license|required_ruby_version)\s*=\s*["']([^"'\n]+)["']""", re.M)
_DEPENDENCY = lazy(
    r"""^\w+\.add_(development_|runtime_)?dependency\s*(?:\(\s*)?["']([\w.-]+)["'](?:\s*,\s*["']([^"'\n]+)["'])?""",
    re.M,
)


def look(tree: Tree) -> ScanResult:
    found = ScanResult()
    gemfiles = manifests(tree, "Gemfile", "gems.rb")
    for name in gemfiles:
        _gemfile(tree, name, found)
    for name in manifests(tree, "*.gemspec"):
        _gemspec(tree, name, found)
    for name in nearest_to_root(gemfiles):
        add(found.steps, typed_in(name, "bundle install"), name)
        for file, role, command in (
            (".rspec", "test", "bundle exec rspec"),
            (".rubocop.yml", "lint", "bundle exec rubocop"),
            ("bin/rails", "dev", "bin/rails server"),
        ):
            if beside(name, file) in tree:
                add(found.commands, typed_in(name, command), beside(name, file), role)
        if _has_task(tree, beside(name, "Rakefile"), "test"):
            add(found.commands, typed_in(name, "bundle exec rake test"), beside(name, "Rakefile"), "test")
    return found


def _has_task(tree: Tree, name: str, task: str) -> bool:
    text = tidy(tree.text(name) or "") if name in tree else ""
    return bool(re.search(rf"^(?:task|Rake::TestTask\.new)[ (]+:?[\"']?{task}\b", text, re.M))


def _gemfile(tree: Tree, name: str, found: ScanResult) -> None:
    lock = above(tree, name, "Gemfile.lock", "gems.locked")
    lock_text = (tree.text(lock, MOST_LOCKED_BYTES) or "") if lock else ""
    locked = dict(_SPEC.findall(lock_text))
    for gem, version, use in _gems(tree.text(name) or ""):
        found.libraries.append(library(gem, version, name, locked, lock, use))
    required = re.search(r"""^ruby\s+["']([^"'\n]+)["']""", tree.text(name) or "", re.M)
    used = re.search(r"^RUBY VERSION\n\s+ruby ([\d.]+)", lock_text, re.M)
    if used and lock:
        add(found.requirements, used[1], lock, "Ruby")
    elif required:
        add(found.requirements, required[1], name, "Ruby")


def _gems(text: str) -> Iterator[tuple[str, str, str]]:
    """Gems with the version asked for and their use, by the group they stand in."""
    use = "runtime"
    for line in (each for each in text.split("\n") if len(each) <= LONGEST_LINE):
        group = _GROUP.match(line)
        if group:
            use = "development" if re.search(r"development|test", group[1]) else "runtime"
        elif re.match(r"end\b", line):
            use = "runtime"
        gem = _GEM.match(line)
        if gem:
            own = "development" if re.search(r"group[s]?:.*(?:development|test)", gem[3]) else use
            yield gem[1], gem[2] or "", own


def _gemspec(tree: Tree, name: str, found: ScanResult) -> None:
    text = tidy(tree.text(name) or "")
    facts = dict(reversed(_FIELD.findall(text)))
    title = facts.get("name", "")
    add(found.names, title, name)
    add(found.members, title, name, "Ruby gem")
    add(found.summaries, facts.get("summary", ""), name)
    add(found.licences, facts.get("license", ""), name)
    add(found.requirements, facts.get("required_ruby_version", ""), name, "Ruby")
    if title:
        found.commands.append(Fact(typed_in(name, f"gem build {name.rpartition('/')[2]}"), name, "build"))
    for kind, gem, version in _DEPENDENCY.findall(text):
        use = "development" if kind == "development_" else "runtime"
        found.libraries.append(library(gem, version, name, {}, None, use))
