"""Python: pyproject.toml, setup.cfg, what setup.py spells out, and the locks of uv, poetry, pdm and pipenv."""

import configparser
import re
from collections.abc import Iterator

from memdown.markdown.formats import Plain, Unread, at, read_json, read_toml, table, word, words
from memdown.patterns import lazy
from memdown.scan.model import (
    Fact,
    ScanResult,
    above,
    add,
    beside,
    library,
    locked_packages,
    manifests,
    nearest_to_root,
    typed_in,
)
from memdown.store.tree import MOST_LOCKED_BYTES, Tree

_LOCKS = ("uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock")
_INSTALL = {
    "uv.lock": "uv sync",
    "poetry.lock": "poetry install",
    "pdm.lock": "pdm install",
    "Pipfile.lock": "pipenv sync",
}
_REQUIREMENT = lazy(r"([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*\(?((?:[<>=!~]=?|===)[^;)#@]*)?")
DEVELOPMENT = lazy(r"dev|test|lint|doc|type|check|ci|build", re.I)
_ROLES = {
    "build": "build",
    "test": "test",
    "tests": "test",
    "lint": "lint",
    "dev": "dev",
    "serve": "dev",
    "start": "dev",
}
_RUNNERS = (
    (("tool", "poe", "tasks"), "poe"),
    (("tool", "taskipy", "tasks"), "task"),
    (("tool", "pdm", "scripts"), "pdm run"),
)


_REQUIRES = lazy(r"\bpython_requires[ \t]?=[ \t]?([\"'])([^\"'\n]{1,120})\1")
_INSTALLED = lazy(r"\b\w{0,40}requir\w{0,20}[ \t]?=[ \t]?\[([^\]]{0,4000})\]", re.I)
_EXTRAS = lazy(r"\bextras_require[ \t]?=[ \t]?\{([^}]{0,4000})\}")
_SPELLED = lazy(r"[\"']([^\"'\n]{1,200})[\"']")


def look(tree: Tree) -> ScanResult:
    found = ScanResult()
    projects = manifests(tree, "pyproject.toml")
    top = nearest_to_root(projects)
    for name in projects:
        data = tree.data(name, read_toml)
        if isinstance(data, dict):
            _pyproject(tree, name, data, found, is_top=name in top)
    for name in manifests(tree, "setup.cfg"):
        settings = tree.data(name, _read_ini)
        if settings is not None:
            _setup_cfg(tree, name, settings, found)
    for name in manifests(tree, "setup.py"):
        _setup_py(tree, name, found)
    _tool_files(tree, found)
    return found


def _pyproject(tree: Tree, name: str, data: dict[str, Plain], found: ScanResult, *, is_top: bool) -> None:
    project, poetry = table(data, "project"), table(data, "tool", "poetry")
    about = project or poetry
    title = word(about, "name")
    if title:
        add(found.names, title, name)
        add(found.members, title, name, "Python package")
    add(found.summaries, word(about, "description"), name)
    add(found.licences, word(about, "license") or word(about, "license", "text"), name)
    add(found.requirements, word(project, "requires-python"), name, "Python")
    for script, target in (table(project, "scripts") | table(poetry, "scripts")).items():
        if isinstance(target, str):
            add(found.entries, f"`{script}` starts `{target}`", name)
    _libraries(tree, name, data, found)
    if is_top:
        _commands(tree, name, data, found)
    _conventions(name, data, found)


def _libraries(tree: Tree, name: str, data: dict[str, Plain], found: ScanResult) -> None:
    lock = above(tree, name, *_LOCKS)
    locked = locked_in(tree, lock)
    for use, requirement in _requirements(data, found, name):
        title, version = split(requirement)
        if title:
            known = {title: locked[same(title)]} if same(title) in locked else {}
            found.libraries.append(library(title, version, name, known, lock, use))


def _requirements(data: dict[str, Plain], found: ScanResult, name: str) -> Iterator[tuple[str, str]]:
    """Every dependency as text, with its use."""
    yield from (("runtime", each) for each in words(data, "project", "dependencies"))
    for group, _ in table(data, "project", "optional-dependencies").items():
        use = "development" if DEVELOPMENT.search(group) else "optional"
        yield from ((use, each) for each in words(data, "project", "optional-dependencies", group))
    for group in table(data, "dependency-groups"):
        yield from (("development", each) for each in words(data, "dependency-groups", group))
    yield from (("development", each) for each in words(data, "tool", "uv", "dev-dependencies"))
    for title, spec in table(data, "tool", "poetry", "dependencies").items():
        if title.lower() == "python":
            add(found.requirements, word(spec), name, "Python")
        else:
            optional = at(spec, "optional") is True
            yield "optional" if optional else "runtime", f"{title} {_poetry_version(spec)}"
    groups = table(data, "tool", "poetry", "group")
    listed = [table(groups, group, "dependencies") for group in groups]
    for each in (*listed, table(data, "tool", "poetry", "dev-dependencies")):
        yield from (("development", f"{title} {_poetry_version(spec)}") for title, spec in each.items())


def _poetry_version(spec: Plain) -> str:
    version = word(spec) or word(spec, "version")
    return version if version[:1] in ("<", ">", "=", "!", "~") else f"=={version}" if version[:1].isdigit() else version


def split(requirement: str) -> tuple[str, str]:
    """Name and version of a requirement; carets are poetry's."""
    caret = re.fullmatch(r"([\w.-]+) ([\^*].*)", requirement)
    if caret:
        return caret[1], "" if caret[2] == "*" else caret[2]
    match = _REQUIREMENT.match(requirement)
    return (match[1], (match[2] or "").strip().removeprefix("==") if match else "") if match else ("", "")


def same(title: str) -> str:
    """A name for comparing: underscores, dots and capitals do not matter."""
    return re.sub(r"[-_.]+", "-", title).lower()


def locked_in(tree: Tree, lock: str | None) -> dict[str, str]:
    """Exact versions by comparable name."""
    if lock is None:
        return {}
    if not lock.endswith("Pipfile.lock"):
        versions: dict[str, list[str]] = {}
        for title, version in locked_packages(tree, lock):
            versions.setdefault(same(title), []).append(version)
        # One name is locked twice when its version depends on Python's.
        return {title: " or ".join(dict.fromkeys(each)) for title, each in versions.items()}
    data = tree.data(lock, read_json, MOST_LOCKED_BYTES)
    return {
        same(title): word(facts, "version").removeprefix("==")
        for group in ("develop", "default")
        for title, facts in table(data, group).items()
        if word(facts, "version")
    }


def _commands(tree: Tree, name: str, data: dict[str, Plain], found: ScanResult) -> None:
    for path, runner in _RUNNERS:
        for task in table(data, *path):
            if task in _ROLES:
                add(found.commands, typed_in(name, f"{runner} {task}"), name, _ROLES[task])
    for task in table(data, "tool", "hatch", "envs", "default", "scripts"):
        if task in _ROLES:
            add(found.commands, typed_in(name, f"hatch run {task}"), name, _ROLES[task])
    lock = next((each for each in _LOCKS if beside(name, each) in tree), None)
    if lock:
        add(found.steps, typed_in(name, _INSTALL[lock]), beside(name, lock))
    elif table(data, "project") or table(data, "tool", "poetry"):
        add(found.steps, typed_in(name, "pip install -e ."), name)
    if "pytest" in table(data, "tool"):
        add(found.commands, typed_in(name, "pytest"), name, "test")
    if "ruff" in table(data, "tool"):
        add(found.commands, typed_in(name, "ruff check"), name, "lint")
    if word(data, "build-system", "build-backend"):
        add(found.commands, typed_in(name, "python -m build"), name, "build")


def _conventions(name: str, data: dict[str, Plain], found: ScanResult) -> None:
    tools = table(data, "tool")
    for tool, does in (
        ("ruff", "Linted with ruff"),
        ("black", "Formatted with black"),
        ("isort", "Imports sorted by isort"),
    ):
        if tool in tools:
            length = at(tools, tool, "line-length") or at(tools, tool, "line_length")
            add(found.conventions, does + (f", line length {length}" if isinstance(length, int) else ""), name)
    if "mypy" in tools:
        strict = at(tools, "mypy", "strict") is True
        add(found.conventions, "Types checked by mypy" + (", strict" if strict else ""), name)
    if "pyright" in tools:
        add(found.conventions, "Types checked by pyright", name)


def _read_ini(text: str) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except configparser.Error as error:
        raise Unread(f"it is not an INI file ({' '.join(str(error).split())[:120]})") from None
    return parser


def _setup_cfg(tree: Tree, name: str, data: configparser.ConfigParser, found: ScanResult) -> None:
    title = data.get("metadata", "name", fallback="")
    if title and not title.startswith(("attr:", "file:")):
        add(found.names, title, name)
        add(found.members, title, name, "Python package")
        add(found.summaries, data.get("metadata", "description", fallback=""), name)
        add(found.licences, data.get("metadata", "license", fallback=""), name)
    add(found.requirements, data.get("options", "python_requires", fallback=""), name, "Python")
    extras = data.options("options.extras_require") if data.has_section("options.extras_require") else []
    requirements = [("runtime", data.get("options", "install_requires", fallback=""))]
    for extra in extras:
        use = "development" if DEVELOPMENT.search(extra) else "optional"
        requirements.append((use, data.get("options.extras_require", extra)))
    for use, lines in requirements:
        for line in lines.split("\n"):
            library_name, version = split(line.strip())
            if library_name:
                found.libraries.append(library(library_name, version, name, {}, None, use))
    if data.has_section("tool:pytest") and "pyproject.toml" not in tree:
        add(found.commands, typed_in(name, "pytest"), name, "test")


def _setup_py(tree: Tree, name: str, found: ScanResult) -> None:
    """What a call of `setup` spells out; nothing is run, so what is worked out there is not known."""
    text = tree.text(name) or ""
    match = _REQUIRES.search(text)
    add(found.requirements, match[2] if match else "", name, "Python")
    for listed in _INSTALLED.finditer(text):
        use = "development" if DEVELOPMENT.search(listed[0].partition("=")[0]) else "runtime"
        for line in _SPELLED.findall(listed[1]):
            library_name, version = split(line)
            if library_name:
                found.libraries.append(library(library_name, version, name, {}, None, use))
    extras = _EXTRAS.search(text)
    for line in _SPELLED.findall(extras[1]) if extras else ():
        library_name, version = split(line)
        if version:  # the names of extras have none
            found.libraries.append(library(library_name, version, name, {}, None, "optional"))


def _tool_files(tree: Tree, found: ScanResult) -> None:
    for file, role, command in (
        ("tox.ini", "test", "tox"),
        ("noxfile.py", "test", "nox"),
        ("pytest.ini", "test", "pytest"),
        (".flake8", "lint", "flake8"),
        ("ruff.toml", "lint", "ruff check"),
    ):
        if file in tree:
            found.commands.append(Fact(command, file, role))
    if "manage.py" in tree and "django" in (tree.text("manage.py") or ""):
        found.commands.append(Fact("python manage.py runserver", "manage.py", "dev"))
        found.entries.append(Fact("`manage.py` runs Django's commands", "manage.py"))
