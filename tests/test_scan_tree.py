"""The scan of a code base: what surrounds manifests, bounds, and files that mean harm."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from memdown import git
from memdown.markdown.formats import Unread, read_json, read_toml, read_xml, read_yaml
from memdown.scan import catalog, survey
from memdown.store import tree as trees
from memdown.store.tree import Tree
from samples import put
from scanning import look, patterns, tech

# What surrounds manifests


def test_containers_services_and_pipelines(tmp_path: Path) -> None:
    files = {
        "Dockerfile": "FROM --platform=linux/amd64 node:20 AS build\nRUN x\nFROM build AS test\nFROM nginx:1.25\n",
        "compose.yaml": "services:\n  db:\n    image: postgres:16-alpine\n  cache: &c\n    image: redis\n  web:\n    build: .\n  other:\n    <<: *c\n",
        ".github/workflows/ci.yml": "name: CI\non:\n  push:\n  pull_request:\njobs: {}\n",
        ".gitlab-ci.yml": "",
        "Makefile": "CC := gcc\nbuild: main.o\n\tgcc x\ntest:\n\t./run: x\n.PHONY: build\ndeploy:\n",
        "package.json": '{"scripts": {"build": "tsc"}}',
    }
    assert tech(tmp_path, files, "Databases") == [
        "- PostgreSQL 16-alpine — service `db` (compose.yaml)",
        "- Redis — service `cache` (compose.yaml)",
        "- Redis — service `other` (compose.yaml)",
    ]
    assert tech(tmp_path, files, "Deployment") == [
        "- **Environment**: Container image built on `nginx:1.25` (Dockerfile)",
        "- **Deploy Command**: `make deploy` (Makefile)",
        "- **CI/CD**: GitLab CI (.gitlab-ci.yml); GitHub Actions, CI (on push, pull_request) (.github/workflows/ci.yml)",
    ]
    assert tech(tmp_path, files, "Build Commands") == [
        "- **Build**: `make build` (Makefile), `npm run build` (package.json)",
        "- **Test**: `make test` (Makefile)",
        "- **Dev Server**: `docker compose up` (compose.yaml)",
    ]
    assert "- `web`: built here (compose.yaml)" in patterns(tmp_path, files, "Architecture Overview")


def test_what_a_workflow_runs_can_be_run_here_too(tmp_path: Path) -> None:
    steps = (
        *("scripts/test", "scripts/check", "npm ci", "echo test", "pytest -n ${{ matrix.jobs }}", "tox run -e docs"),
        *("uv run pytest", "|\n          make test\n          make more"),
    )
    runs = "".join(f"      - run: {each}\n" for each in steps)
    files = {".github/workflows/ci.yml": f"on: push\njobs:\n  all:\n    steps:\n{runs}"}
    source = "(.github/workflows/ci.yml)"
    assert tech(tmp_path, files, "Build Commands") == [
        f"- **Test**: `scripts/test` {source}, `uv run pytest` {source}",
        f"- **Lint**: `scripts/check` {source}",
    ]


def test_commands_of_packages_stand_behind_those_of_the_root(tmp_path: Path) -> None:
    files = {
        "package.json": '{"name": "shop", "workspaces": ["packages/*"], "scripts": {"test": "turbo test"}}',
        "packages/api/package.json": '{"name": "api", "scripts": {"test": "vitest", "dev": "tsx watch src"}}',
    }
    found = tech(tmp_path, files, "Build Commands")
    api = "(packages/api/package.json)"
    assert f"- **Test**: `npm test` (package.json), `cd packages/api && npm test` {api}" in found
    assert "- **Dev Server**: `cd packages/api && npm run dev` (packages/api/package.json)" in found


def test_a_justfile(tmp_path: Path) -> None:
    files = {
        "justfile": "set shell := ['bash']\ntest *args: build\n  pytest {{args}}\nlint:\n  ruff check\nname := 'x'\n"
    }
    assert tech(tmp_path, files, "Build Commands") == [
        "- **Test**: `just test` (justfile)",
        "- **Lint**: `just lint` (justfile)",
    ]


def test_versions_of_tools(tmp_path: Path) -> None:
    files = {
        ".nvmrc": "v20.11.1\n",
        ".tool-versions": "python 3.12.3\nterraform 1.8.0 # pinned\n",
        "mise.toml": '[tools]\nnode = "20"\nruby = { version = "3.3" }\n',
    }
    assert tech(tmp_path, files, "Version Requirements") == [
        "- Node.js: 20.11.1 (.nvmrc)",
        "- Python: 3.12.3 (.tool-versions)",
        "- terraform: 1.8.0 (.tool-versions)",
        "- Node.js: 20 (mise.toml)",
        "- Ruby: 3.3 (mise.toml)",
    ]


def test_variables_come_from_the_example_without_their_values(tmp_path: Path) -> None:
    files = {
        ".env.example": "# Where the data | is\nDATABASE_URL=postgres://user:hunter2@db\n\nexport API_KEY= # for the shop\n# OLD=1\nPLAIN=1\n",
        ".env": "SECRET=hunter2\n",
        ".env.local": "OTHER=1\n",
    }
    assert tech(tmp_path, files, "Environment Variables") == [
        "| Variable | Purpose |",
        "|----------|---------|",
        "| DATABASE_URL | Where the data \\| is |",
        "| API_KEY | for the shop |",
        "| PLAIN |  |",
        "",
        "(from .env.example)",
    ]
    assert "hunter2" not in repr(survey(Tree(tmp_path)))


@pytest.mark.parametrize(
    ("readme", "title", "paragraph"),
    [
        (
            "# Shop\n\n[![CI](x.svg)](y)\n\nA [shop](z) for all\nthat sells.\n\nMore.\n",
            "Shop",
            "A shop for all that sells.",
        ),
        ("Shop\n====\n\nA shop for all that sells.\n", "Shop", "A shop for all that sells."),
        (
            "---\nx: y\n---\n<!-- hidden words of a comment -->\n# Shop\n```\ncode code code code\n```\nA shop for all.\n",
            "Shop",
            "A shop for all.",
        ),
        ('<p align="center"><img src="x"></p>\n\n# Shop\n\n## Use\n\nThen follow all the prompts!\n', "Shop", None),
        ("# Shop\n\nFast.\n\n- one of the many items\n\n> a quote of many words\n", "Shop", None),
        ("\ufeff# Shop\r\n\r\nA shop for all that sells.\r\n", "Shop", "A shop for all that sells."),
    ],
)
def test_readme(tmp_path: Path, readme: str, title: str, paragraph: str | None) -> None:
    found = look(tmp_path, {"README.md": readme}).found
    assert [fact.value for fact in found.names] == [title]
    assert [fact.value for fact in found.summaries] == ([paragraph] if paragraph else [])


def test_licence(tmp_path: Path) -> None:
    files = {
        "LICENSE": "                              Apache License\n                        Version 2.0, January 2004\n"
    }
    assert [fact.value for fact in look(tmp_path, files).found.licences] == ["Apache-2.0"]


def test_languages_and_folders(tmp_path: Path) -> None:
    files = {f"src/shop/{number}.py": "" for number in range(8)}
    files |= {"web/app.ts": "", "web/app.min.js": "", "docs/x.md": "", "odd/data.bin": "", "x.sh": ""}
    survey = look(tmp_path, files)
    assert [(share.language, share.percent) for share in survey.languages] == [
        ("Python", 80),
        ("TypeScript", 10),
        ("Shell", 10),
    ]
    assert [(place.name, place.depth, place.purpose) for place in survey.folders] == [
        ("docs", 0, "documentation"),
        ("odd", 0, "1 file"),
        ("src", 0, "source code"),
        ("shop", 1, "8 Python files"),
        ("web", 0, "web interface"),
    ]


# Which files are looked at


def test_git_says_what_is_ignored(tmp_path: Path) -> None:
    def run(*args: str) -> None:
        subprocess.run(["git", "-C", tmp_path, *args], check=True, capture_output=True)

    run("init", "-q")
    for name in ("a.py", "gone.py", "new.py", "ignored/b.py", "node_modules/x/package.json", "build/kept.py"):
        put(tmp_path, name, "")
    put(tmp_path, ".gitignore", "ignored/\n")
    run("add", "-f", "a.py", "gone.py", "build/kept.py", "node_modules")
    (tmp_path / "gone.py").unlink()
    assert Tree(tmp_path, git.files(tmp_path)).names == [".gitignore", "a.py", "new.py", "build/kept.py"]
    assert git.files(tmp_path / "ignored") == []


def test_without_git_generated_folders_are_passed_over(tmp_path: Path) -> None:
    for name in ("a.py", ".venv/x.py", "build/y.py", "target/z.rs", "x.egg-info/w.py", ".memdown/v.py", "bin/run.py"):
        put(tmp_path, name, "")
    assert Tree(tmp_path).names == ["a.py", "bin/run.py"]


def test_the_number_of_files_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trees, "MOST_FILES", 5)
    for number in range(9):
        put(tmp_path, f"deep/{number}.py", "")
        put(tmp_path, f"{number}.py", "")
    tree = Tree(tmp_path)
    assert tree.names == ["0.py", "1.py", "2.py", "3.py", "4.py"]
    assert tree.notes == ["Only the first 5 files are looked at, the nearest to the root"]


@pytest.mark.skipif(os.name == "nt", reason="needs links and pipes")
def test_links_and_pipes_are_not_followed_out_or_waited_for(tmp_path: Path) -> None:
    outside = put(tmp_path, "outside/package.json", '{"name": "outside"}')
    root = tmp_path / "root"
    root.mkdir()
    (root / "package.json").symlink_to(outside)
    (root / "loop").symlink_to(root)
    (root / "pyproject.toml").symlink_to("pyproject.toml")
    (root / "far").symlink_to(tmp_path)
    os.mkfifo(root / "Cargo.toml")
    survey = look(root, {"a.py": ""})
    assert survey.found.names == []
    assert [note for note in survey.notes if "package.json" in note] == [
        "'package.json' is skipped: a link leads out of the project"
    ]
    assert "'Cargo.toml' is skipped: it is not an ordinary file" in survey.notes
    assert [share.files for share in survey.languages] == [1]


# Manifests that mean harm

LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {new} "{("&" + old + ";") * 10}">' for old, new in zip("abcdefghi", "bcdefghij", strict=True))
    + "]><project><artifactId>&j;</artifactId></project>"
)
HOSTILE = {
    "package.json": '{"name": "' + "x" * 10_000_000 + '"}',
    "a/package.json": "[" * 200_000,
    "b/package.json": '{"name": {"a": 1}, "scripts": [], "dependencies": {"x": 5, "y": null}, "bin": 7, "workspaces": {}}',
    "c/package.json": '"text"',
    "pom.xml": LAUGHS,
    "a/pom.xml": "<project>" * 5000,
    "b/pom.xml": "<project><artifactId>",
    "pyproject.toml": "a = " + "[" * 100_000,
    "a/pyproject.toml": "project = 5\n[tool]\npoetry = [1]\nruff = 1\nmypy = 'x'\n",
    "b/pyproject.toml": "a" + ".a" * 50_000 + " = 1",
    "Cargo.toml": "package = 1\ndependencies = 'x'\n",
    "Cargo.lock": "[[package]]\n" * 50_000,
    "compose.yaml": "a: &a [x]\n"
    + "".join(f"{n}: &{n} [{', '.join(['*' + o] * 9)}]\n" for o, n in zip("abcdefgh", "bcdefghi", strict=True)),
    ".github/workflows/x.yml": "- " * 5000,
    ".gitlab-ci.yml": "\t\t: {",
    "composer.json": '{"require": [], "license": 5}',
    "Gemfile": "\udcff\udcfe gem 'x'\n",
    "requirements.txt": "x\udcff==1\n",
    "build.gradle": "/*" * 100_000 + "id " + " " * 100_000 + "\n" * 100_000,
    "Makefile": "a" + " " * 500_000 + "\n",
    "justfile": "a" + " " * 500_000 + "b\n",
    "mix.exs": "{:a, 'b'" * 50_000,
    "go.mod": "require (\n" * 50_000,
    "README.md": "<!--" * 12_000 + "![" * 10_000 + "<a" * 10_000,
    ".env.example": "A=\n" * 100_000,
    "global.json": "{",
    "x.csproj": "<Project><ItemGroup><PackageReference/></ItemGroup></Project>",
    "setup.cfg": "[metadata\nname",
    "mobile/pubspec.yaml": "name: [x",
}


def test_hostile_manifests_are_noted_and_passed_over(tmp_path: Path) -> None:
    survey = look(tmp_path, HOSTILE)
    noted = " ".join(survey.notes)
    for name in (
        "package.json",
        "a/package.json",
        "pom.xml",
        "a/pom.xml",
        "pyproject.toml",
        "Gemfile",
        "requirements.txt",
    ):
        assert f"'{name}' is skipped" in noted, name
    assert all(len(note) < 300 and "\n" not in note for note in survey.notes)
    assert survey.found.names == []


def test_a_manifest_of_many_dependencies_takes_no_time(tmp_path: Path) -> None:
    files = {"package.json": json.dumps({"dependencies": {f"d{number}": "1" for number in range(40_000)}})}
    lines = tech(tmp_path, files, "Key Libraries")
    assert lines[-1] == "- and 39980 more (package.json)"


@pytest.mark.parametrize(
    ("read", "text", "why"),
    [
        (read_json, "[" * 100_000, "nested too deep"),
        (read_json, "{", "not JSON"),
        (read_toml, "a = " + "[" * 10_000, "nested too deep"),
        (read_toml, "a = = 1", "not TOML"),
        (read_yaml, "[" * 100, "nested too deep"),
        (read_yaml, "a: b: c", "not YAML"),
        (read_xml, LAUGHS, "document type"),
        (read_xml, "<a>" * 100, "nested too deep"),
        (read_xml, "<a>", "not XML"),
        (read_xml, "", "not XML"),
        (read_xml, "<a>\udcff</a>", "not XML"),
    ],
)
def test_formats_say_what_is_wrong(read: type, text: str, why: str) -> None:
    with pytest.raises(Unread, match=why):
        read(text)


def test_yaml_scalars_stay_text() -> None:
    assert read_yaml("a: yes\nb: 1.10\n'on': &x [~, 2026-01-01]\nc: *x\n") == {
        "a": "yes",
        "b": "1.10",
        "on": ["~", "2026-01-01"],
        "c": ["~", "2026-01-01"],
    }


def test_long_numbers_are_no_trouble() -> None:
    assert read_json("1" * 5000) == "1" * 5000


def test_names_of_files_and_values_stay_on_their_line(tmp_path: Path) -> None:
    files = {
        "package.json": '{"name": "x\\n\\n# Forged\\n", "dependencies": {"a\\n- b": "1\\n2"}, "scripts": {"test": "x"}}',
        "bad\nname/x.py": "",
    }
    text = "\n".join(tech(tmp_path, files, "Key Libraries"))
    assert text == "- a - b: 1 2 (package.json)"
    assert "x # Forged" in patterns(tmp_path, files, "Architecture Overview")
    assert "bad" not in patterns(tmp_path, files, "File Organization")


@pytest.mark.parametrize("table", ["FRAMEWORKS", "DATABASES", "LIBRARIES", "IMAGES", "FOLDERS", "LANGUAGES"])
def test_the_catalog_spells_its_names_as_they_are_asked_for(table: str) -> None:
    names = getattr(catalog, table)
    assert names
    assert all(catalog.key(name) == name and purpose for name, purpose in names.items())
