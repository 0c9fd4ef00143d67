"""How a project is run: containers, compose services, pipelines, task files and the versions of tools."""

import re
from collections.abc import Iterator

from memdown.markdown.formats import Plain, items, read_toml, read_yaml, table, word
from memdown.patterns import lazy
from memdown.scan.catalog import HOSTS, PIPELINES, TOOLS
from memdown.scan.model import Fact, ScanResult, add, clean, manifests, tidy, typed_in
from memdown.store.tree import Tree

_COMPOSE = ("compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml")
_ROLES = {
    "build": ("build", "compile", "all"),
    "test": ("test", "tests", "check"),
    "lint": ("lint", "fmt-check", "vet"),
    "dev": ("dev", "run", "serve", "start"),
    "deploy": ("deploy", "release"),
}
_TARGET = lazy(r"^([A-Za-z][\w.-]*)[ \t]*:(?![=:])", re.M)
_RECIPE = lazy(r"^@?([A-Za-z][\w-]*)(?:[ \t][^:=\n]*)?:(?!=)", re.M)
_TYPED = lazy(r"(?!(?:echo|sudo|apt\S*|curl|pip3?|docker|git|cd|rm|mkdir) )[A-Za-z.][\w./:=@ +-]{2,59}")
_RUN = {
    "test": lazy(r"(?:^|[ /:])(?:test|tests|pytest|vitest|jest|rspec|phpunit|(?:tox|nox)(?!.* -[es] ))(?![\w-])"),
    "lint": lazy(r"(?:^|[ /:])(?:lint|check|ruff|eslint|mypy|clippy|flake8|vet)(?![\w-])"),
    "build": lazy(r"(?:^|[ /:])build(?![\w-])"),
}
"""By which words of a command its role is known."""
_FROM = lazy(r"^FROM (?:--\S+ )?(\S+)(?: AS (\S+))?", re.I | re.M)


def look(tree: Tree) -> ScanResult:
    found = ScanResult()
    for name in manifests(tree, "Dockerfile", "Dockerfile.*", "*.Dockerfile", "Containerfile"):
        _dockerfile(tree, name, found)
    for name in manifests(tree, *_COMPOSE):
        _compose(tree, name, found)
    _pipelines(tree, found)
    for file, place in HOSTS.items():
        for name in manifests(tree, file):
            found.places.append(Fact(place, name))
    _tasks(tree, found)
    _versions(tree, found)
    for file, does in (
        (".editorconfig", "Editors follow .editorconfig"),
        (".pre-commit-config.yaml", "Hooks of pre-commit"),
    ):
        if file in tree:
            found.conventions.append(Fact(does, file))
    return found


def _dockerfile(tree: Tree, name: str, found: ScanResult) -> None:
    stages = _FROM.findall(tidy((tree.text(name) or "").replace("\\\n", " ")))
    own = {stage.lower() for _, stage in stages}
    images = [image for image, _ in stages if image.lower() not in own and "$" not in image]
    if images:
        add(
            found.places,
            f"Container image built on {', '.join(f'`{clean(image, 80)}`' for image in images[-1:])}",
            name,
        )


def _compose(tree: Tree, name: str, found: ScanResult) -> None:
    data = tree.data(name, read_yaml)
    for service, facts in table(data, "services").items():
        image = word(facts, "image")
        if image:
            add(found.services, image, name, clean(service, 60))
        elif table(facts, "build") or word(facts, "build"):
            add(found.services, "built here", name, clean(service, 60))
    if table(data, "services"):
        add(found.commands, f"docker compose -f {name} up" if "/" in name else "docker compose up", name, "dev")


def _pipelines(tree: Tree, found: ScanResult) -> None:
    for file, tool in PIPELINES.items():
        if file in tree:
            found.pipelines.append(Fact(tool, file))
    for name in tree.names:
        if re.fullmatch(r"\.github/workflows/[^/]+\.ya?ml", name):
            data = tree.data(name, read_yaml)
            title = word(data, "name") or name.rpartition("/")[2]
            add(found.pipelines, f"GitHub Actions, {clean(title, 60)}{_on(data)}", name)
            for command, role in _runs(data):
                add(found.commands, command, name, role)


def _runs(data: Plain) -> Iterator[tuple[str, str]]:
    """What a workflow runs that a person may type too: one line, which needs nothing of the workflow."""
    for job in table(data, "jobs").values():
        for step in items(job, "steps"):
            command = word(step, "run").strip()
            if _TYPED.fullmatch(command) and not word(step, "working-directory"):
                role = next((role for role, words in _RUN.items() if words.search(command)), None)
                if role:
                    yield command, role


def _on(data: Plain) -> str:
    """The events of a workflow. `on` stays text here, where YAML 1.1 would read it as true."""
    events = [each for each in items(data, "on") if isinstance(each, str)] or list(table(data, "on"))
    triggers = ", ".join(events) or word(data, "on")
    return f" (on {clean(triggers, 80)})" if triggers else ""


def _tasks(tree: Tree, found: ScanResult) -> None:
    for name in manifests(tree, "Makefile", "makefile", "GNUmakefile", "justfile", "Justfile", ".justfile"):
        if "/" in name:
            continue
        runner, pattern = ("just", _RECIPE) if name.lower().endswith("justfile") else ("make", _TARGET)
        targets = dict.fromkeys(pattern.findall(tree.text(name) or ""))
        for role, wanted in _ROLES.items():
            target = next((each for each in wanted if each in targets), None)
            if target and not (target == "all" and runner == "just"):
                add(found.commands, f"{runner} {target}", name, role)
    for name in manifests(tree, "Taskfile.yml", "Taskfile.yaml"):
        tasks = table(tree.data(name, read_yaml), "tasks")
        for role, wanted in _ROLES.items():
            target = next((each for each in wanted if each in tasks), None)
            if target:
                add(found.commands, typed_in(name, f"task {target}"), name, role)


def _versions(tree: Tree, found: ScanResult) -> None:
    for file, tool in (
        (".nvmrc", "Node.js"),
        (".node-version", "Node.js"),
        (".python-version", "Python"),
        (".ruby-version", "Ruby"),
        (".java-version", "Java"),
        (".go-version", "Go"),
    ):
        text = (tree.text(file) or "").strip() if file in tree else ""
        if text and len(text.split("\n")) == 1 and len(text) < 40:
            add(found.requirements, text.removeprefix("v"), file, tool)
    if ".tool-versions" in tree:
        for line in (tree.text(".tool-versions") or "").split("\n"):
            tool, _, version = line.partition("#")[0].strip().partition(" ")
            if version:
                add(found.requirements, version, ".tool-versions", TOOLS.get(tool, clean(tool, 40)))
    for file in ("mise.toml", ".mise.toml"):
        for tool, spec in table(tree.data(file, read_toml), "tools").items() if file in tree else ():
            add(found.requirements, word(spec) or word(spec, "version"), file, TOOLS.get(tool, clean(tool, 40)))
