"""Memory between projects: byte for byte out and in, merged without loss, hostile bundles refused whole."""

import contextlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st

from conftest import CORPUS, Ran, draws, some
from memdown import Memory
from memdown.acts.transfer import bundle as transfer
from memdown.acts.transfer.bundle import Bundle, BundleMember, BundleSkill
from memdown.errors import MemdownError
from memdown.limits import BUNDLE
from samples import CARD, CONTENT, ID, put
from test_query import entry

Cli = Callable[..., Ran]
FIRST, SECOND, THIRD = (f"2026-01-{day}T09:00:00+0000" for day in (10, 11, 12))
LOG = "# Decisions\n\n> Newest last.\n\n" + "\n".join([entry(FIRST, "A", body="Text."), entry(SECOND, "B")])
SKILL = "---\nname: spies\ndescription: Restore spies.\n---\n\n# Spies\n"
HISTORY = "# Project Context\n\n- **Owner:** Ann\n\n## Learnings\n\n- A lesson without a date.\n\n### 2026-01-10: Dated\n\nText.\n"


def files(root: Path) -> dict[str, bytes]:
    """Everything in a project but what memdown derives."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".memdown" not in path.parts
    }


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """Another project, with something of everything."""
    root = tmp_path / "other"
    put(root, ".squad/decisions.md", LOG)
    put(root, ".squad/decisions/inbox/ann-tabs.md", "### 2026-01-10: Use tabs\r\n\r\n**By:** Ann\r\n")
    put(root, ".squad/agents/ann/history.md", HISTORY)
    put(root, ".squad/agents/ann/charter.md", "# Ann\n")
    put(root, ".squad/team.md", "# Team\n")
    put(root, ".squad/casting/policy.json", '{"casting_policy_version": "1.1"}')
    put(root, ".squad/skills/spies/SKILL.md", SKILL)
    put(root, f"memories/{ID}.md", CARD)
    return root


def export(cli: Cli, other: Path, *flags: str, name: str = "bundle.json") -> Path:
    """A bundle of the other project, outside both."""
    ran = cli("export", "--root", str(other), *flags)
    assert ran.code == 0, ran
    return put(other.parent, name, ran.out)


def rebundle(cli: Cli, other: Path, **changes: object) -> Path:
    value = json.loads(export(cli, other, "--skills").read_text())
    return put(other.parent, "changed.json", json.dumps({**value, **changes}))


# export


def test_a_bundle_has_this_shape(cli: Cli, other: Path) -> None:
    bundle = json.loads(export(cli, other, "--skills").read_text())
    assert list(bundle) == ["memdown", "exported_at", "root", "records", "files", "skills"]
    assert (bundle["memdown"], bundle["exported_at"], bundle["root"]) == (1, "2026-02-01T12:00:00Z", "other")
    assert bundle["skills"] == [{"name": "spies", "text": SKILL}]
    assert [each["path"] for each in bundle["files"]] == [
        ".squad/agents/ann/charter.md",
        ".squad/agents/ann/history.md",
        ".squad/decisions.md",
        ".squad/decisions/inbox/ann-tabs.md",
        ".squad/team.md",
        f"memories/{ID}.md",
    ]
    assert str(other.parent) not in json.dumps(bundle)
    assert {each["title"] for each in bundle["records"]} >= {"A", "B", "Use tabs", "Dated", "Pool size is 10"}


def test_export_says_that_it_leaves_skills_out(cli: Cli) -> None:
    put(Path.cwd(), ".squad/decisions.md", LOG)
    put(Path.cwd(), ".squad/skills/spies/SKILL.md", SKILL)
    assert "1 skill left out; use --skills to include them." in cli("export").err
    assert "left out" not in cli("export", "--skills").err


def test_export_answers_with_what_it_wrote(cli: Cli) -> None:
    put(Path.cwd(), ".squad/decisions.md", LOG)
    assert cli("export", "--out", "b.json", "--json").json() == {
        "written": "b.json",
        "records": 2,
        "skills": 0,
        "left_out": 0,
        "removed": [],
        "undo": 1,
    }
    assert cli("export", "-o", "b.json").code == 0
    put(Path.cwd(), "b.json", "mine")
    assert cli("export", "--out", "b.json").code == 3
    assert Path("b.json").read_text() == "mine"
    assert cli("export", "--out", "b.json", "--force").code == 0
    assert cli("export", "--out", "../b.json").code == 3
    assert cli("export", "--format", "squad", "--kind", "note").code == 2


def test_only_some_kinds(cli: Cli) -> None:
    note = entry(THIRD, "C", kind="note", body="A note.")
    put(Path.cwd(), ".squad/decisions.md", LOG + "\n" + note)
    put(Path.cwd(), f"memories/{ID}.md", CARD)
    bundle = cli("export", "--kind", "note").json()
    assert bundle["files"] == [{"path": ".squad/decisions.md", "text": note}]
    assert [each["title"] for each in bundle["records"]] == ["C"]


# import into an empty project


def test_export_and_import_give_the_same_bytes(cli: Cli, other: Path) -> None:
    done = cli("import", str(export(cli, other, "--skills")), "--json").json()
    gone = (".squad/casting/policy.json",)
    assert files(Path.cwd()) == {name: data for name, data in files(other).items() if name not in gone}
    assert (done["skipped"], done["conflicts"], done["skills"]) == (0, [], ["spies"])
    assert done["added"] == sum(1 for _ in Memory(other).records())
    assert done["written"] == sorted(files(Path.cwd()))


def test_an_export_has_every_file_that_a_hub_is_sent(cli: Cli, other: Path) -> None:
    put(other, "memory/projects/shop/profile.md", "# Shop\n")
    put(other, "memory/index.md", "# What is here\n")
    put(other, "memories/readme.md", "# Cards\n")
    put(other, "packages/api/memory-bank/readme.txt.md", "# Readme\n")
    shutil.rmtree(other / ".squad/skills")  # which --skills exports
    bundle = export(cli, other)
    sent = Memory(other).names()
    assert {"memory/index.md", "memories/readme.md"} < set(sent)
    assert {each["path"] for each in json.loads(bundle.read_text())["files"]} == set(sent)
    cli("import", str(bundle))
    assert all((Path.cwd() / name).read_bytes() == (other / name).read_bytes() for name in sent)


def test_a_dry_run_says_the_same_and_writes_nothing(cli: Cli, other: Path) -> None:
    bundle = str(export(cli, other, "--skills"))
    planned = cli("import", bundle, "--dry-run", "--json").json()
    assert files(Path.cwd()) == {}
    assert "Would write .squad/decisions.md\n" in cli("import", bundle, "--dry-run").out
    assert cli("import", bundle, "--json").json() == {**planned, "dry_run": False, "removed": [], "undo": 1}


def test_bytes_that_are_not_utf8_survive(cli: Cli, other: Path) -> None:
    put(other, ".squad/decisions.md", LOG.replace("Text.", "caf\udce9 \udcff\0\x1b"))
    for shape in ("memdown", "squad"):
        bundle = export(cli, other, "--format", shape)
        assert bundle.read_bytes().decode("ascii")
        assert cli("import", str(bundle), "--force").code == 0
        assert files(Path.cwd())[".squad/decisions.md"] == files(other)[".squad/decisions.md"]


def test_a_bundle_may_come_through_a_pipe(cli: Cli, other: Path) -> None:
    text = export(cli, other).read_text()
    assert cli("import", "-", stdin=text).code == 0
    assert files(Path.cwd())[".squad/decisions.md"] == LOG.encode()


def test_each_project_has_its_own_folders(cli: Cli, other: Path) -> None:
    put(Path.cwd(), "memdown.toml", "[cards]\nfolder = 'kept'\n")
    put(Path.cwd(), ".ai-team/team.md", "# Team\n")
    cli("import", str(export(cli, other)))
    assert files(Path.cwd())[f"kept/{ID}.md"] == CARD.encode()
    assert files(Path.cwd())[".ai-team/decisions.md"] == LOG.encode()
    assert not Path(".squad").exists()
    back = cli("export").json()
    assert f"memories/{ID}.md" in [each["path"] for each in back["files"]]


texts = st.lists(
    st.one_of(
        st.sampled_from(
            [
                entry(FIRST, "A", body="Text."),
                entry(SECOND, "B").replace("\n", "\r\n"),
                entry(SECOND, "B").removesuffix("---\n"),
                "### 2026-01-10: Legacy\n\n**By:** Ann\n",
                "# Decision: Whole\n\n**By:** Ann\n\n## Context\n\ntext\n",
                "## Undated heading\n\ntext\n",
                "```\n### 2026-01-10: in code\n```\n",
                "\ufeff",
                "---\n",
                "no end of line",
            ]
        ),
        st.text(st.characters(codec="utf-8"), max_size=30),
        st.sampled_from(["\udcff", "\0", "\r", "\n\n"]),
    ),
    max_size=8,
).map("".join)


@given(texts)
@draws(60, suppress_health_check=list(HealthCheck))
def test_whatever_a_log_holds_comes_out_as_it_went_in(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    one, two = (tmp_path_factory.mktemp("project") for _ in "12")
    put(one, ".squad/decisions.md", text)
    bundle = Memory(one).export()
    Memory(two).import_bundle(bundle)
    assert files(two) == files(one)


LOGS = st.sampled_from([".squad/decisions.md", ".squad/agents/ann/history.md", ".squad/decisions-archive.md"])


@given(LOGS, texts, texts)
@example(".squad/decisions.md", "", "\r\ufeff")
@draws(100, suppress_health_check=list(HealthCheck))
def test_a_merge_loses_nothing_and_adds_nothing_twice(
    tmp_path_factory: pytest.TempPathFactory, path: str, here: str, coming: str
) -> None:
    root = tmp_path_factory.mktemp("project")
    log = put(root, path, here)
    memory = Memory(root)
    bundle = Bundle((BundleMember(path, coming),))
    before = [transfer.own_text(each, here) for each in transfer.outermost(memory.records())]
    wanted = memory.parse(path, coming)
    memory.import_bundle(bundle, merge=True)
    held = {transfer.own_text(record, document.text) for document in memory.documents() for record in document.records}
    assert held.issuperset(before)
    assert held.issuperset(transfer.own_text(each, coming) for each in transfer.outermost(wanted.records))
    assert log.read_bytes().startswith(here.rstrip("\r\n").encode("utf-8", "surrogateescape"))
    after = files(root)
    again = memory.import_bundle(bundle, merge=True)
    assert (again.added, again.conflicts, again.written) == (0, [], [])
    assert files(root) == after


# import where something is


def test_without_merge_or_force_nothing_is_replaced(cli: Cli, other: Path) -> None:
    put(Path.cwd(), ".squad/decisions.md", entry(THIRD, "Mine"))
    before = files(Path.cwd())
    ran = cli("import", str(export(cli, other)))
    assert ran.code == 3
    assert "--merge" in ran.err
    assert "--force" in ran.err
    assert files(Path.cwd()) == before
    assert cli("import", str(export(cli, other)), "--merge", "--force").code == 2


def test_force_keeps_a_backup(cli: Cli, other: Path) -> None:
    mine = entry(THIRD, "Mine")
    put(Path.cwd(), ".squad/decisions.md", mine)
    done = cli("import", str(export(cli, other)), "--force", "--json").json()
    [backup] = done["backups"]
    assert backup == ".squad/decisions.md.2026-02-01T12-00-00Z.bak"
    assert files(Path.cwd())[backup] == mine.encode()
    assert files(Path.cwd())[".squad/decisions.md"] == LOG.encode()
    assert cli("import", str(export(cli, other)), "--json").json()["written"] == []


def test_merge_adds_what_is_not_here(cli: Cli, other: Path) -> None:
    mine = (
        "# Our log\r\n\r\n"
        + entry(FIRST, "A", body="Text.").replace("\n", "\r\n")
        + "\r\n"
        + entry(THIRD, "Mine").replace("\n", "\r\n")
    )
    put(Path.cwd(), ".squad/decisions.md", mine)
    bundle = str(export(cli, other))
    done = cli("import", bundle, "--merge", "--json").json()
    assert Path(".squad/decisions.md").read_bytes().decode() == mine + "\r\n" + entry(SECOND, "B").replace("\n", "\r\n")
    assert (done["skipped"], done["conflicts"]) == (1, [])
    again = cli("import", bundle, "--merge", "--json").json()
    assert (again["added"], again["written"], again["conflicts"]) == (0, [], [])


def test_two_of_one_identity_are_both_kept_and_reported(cli: Cli, other: Path) -> None:
    mine = entry(FIRST, "A", body="Another text.")
    put(Path.cwd(), ".squad/decisions.md", mine)
    bundle = str(export(cli, other))
    done = cli("import", bundle, "--merge", "--json").json()
    [conflict] = done["conflicts"]
    assert (conflict["title"], conflict["path"], conflict["kept"]) == (
        "A",
        ".squad/decisions.md:1",
        ".squad/decisions.md",
    )
    text = Path(".squad/decisions.md").read_text()
    assert text == mine + "\n" + entry(FIRST, "A", body="Text.") + "\n" + entry(SECOND, "B")
    assert "conflict" not in cli("import", bundle, "--merge").out


def test_prose_of_a_history_comes_along(cli: Cli, other: Path) -> None:
    put(
        Path.cwd(), ".squad/agents/ann/history.md", "# Project Context\n\n- **Owner:** Ann\n\n## Learnings\n\n- Mine.\n"
    )
    done = cli("import", str(export(cli, other)), "--merge", "--json").json()
    text = Path(".squad/agents/ann/history.md").read_text()
    assert "- Mine.\n" in text
    assert "## Learnings\n\n- A lesson without a date.\n" in text
    assert text.count("**Owner:**") == 1
    assert done["notes"] == ["1 passage between entries came in too."]


def test_quotes_and_comments_below_a_heading_come_along(cli: Cli, other: Path) -> None:
    """At the head of a file they are about the file; further down they are what somebody wrote."""
    put(Path.cwd(), ".squad/agents/ann/history.md", "# Mine\n\n> About mine.\n\n## Learnings\n\n- Mine.\n")
    put(other, ".squad/agents/ann/history.md", "# Other\n\n> About it.\n\n## Learnings\n\n> Never on Fridays.\n")
    bundle = str(export(cli, other))
    cli("import", bundle, "--merge")
    text = Path(".squad/agents/ann/history.md").read_text()
    assert text == ("# Mine\n\n> About mine.\n\n## Learnings\n\n- Mine.\n\n## Learnings\n\n> Never on Fridays.\n")
    assert cli("import", bundle, "--merge", "--json").json()["written"] == []


@pytest.mark.parametrize("empty", ["", "\n", "\ufeff"])
def test_an_empty_file_gets_all_of_the_other(cli: Cli, other: Path, empty: str) -> None:
    put(Path.cwd(), ".squad/decisions.md", empty)
    bundle = str(export(cli, other))
    cli("import", bundle, "--merge")
    assert Path(".squad/decisions.md").read_bytes().decode().strip("\ufeff\n") == LOG.strip("\n")
    assert cli("import", bundle, "--merge", "--json").json()["written"] == []


def test_what_comes_after_a_bare_cr_is_not_part_of_its_line(cli: Cli, other: Path) -> None:
    put(Path.cwd(), ".squad/agents/ann/history.md", "one\ntwo\nthree\r")
    put(other, ".squad/agents/ann/history.md", "four\n")
    cli("import", str(export(cli, other)), "--merge")
    assert Path(".squad/agents/ann/history.md").read_bytes() == b"one\ntwo\nthree\r\n\nfour\n"


def test_what_would_be_swallowed_is_kept_beside(cli: Cli, other: Path) -> None:
    """After a document pasted whole, an undated heading would be one of its sections."""
    mine = "# Decision: Whole\n\n**By:** Ann\n\n## Context\n\nText.\n"
    put(Path.cwd(), ".squad/decisions.md", mine)
    put(other, ".squad/decisions.md", "## Use tabs\n\nBob said so.\n")
    bundle = str(export(cli, other))
    [conflict] = cli("import", bundle, "--merge", "--json").json()["conflicts"]
    assert Path(".squad/decisions.md").read_text() == mine
    assert Path(conflict["kept"]).read_text() == "## Use tabs\n\nBob said so.\n"
    assert "Use tabs" in cli("list").out
    assert cli("import", bundle, "--merge", "--json").json()["added"] == 0


def test_an_export_of_squad_has_the_archives(cli: Cli) -> None:
    names = (
        *(".squad/decisions-archive.md", ".squad/agents/ann/history-archive.md"),
        *(".squad/decisions/archive/2026.md", ".squad/decisions-archive/01.md"),
    )
    for name in (*names, ".squad/decisions.md"):
        put(Path.cwd(), name, LOG)
    bundle = json.loads(cli("export", "--format", "squad").out)
    assert list(bundle["archives"]) == sorted(name.removeprefix(".squad/") for name in names)
    bundle["archives"] |= {"../outside.md": "x", "decisions/archive/../../../outside.md": "x"}
    shutil.rmtree(".squad")
    put(Path.cwd(), "squad.json", json.dumps(bundle))
    assert cli("import", "squad.json").code == 0
    assert all(files(Path.cwd())[name] == LOG.encode() for name in names)
    assert not Path("outside.md").exists()


def test_what_is_in_the_archive_is_here(cli: Cli, other: Path) -> None:
    put(Path.cwd(), ".squad/decisions.md", entry(THIRD, "Mine"))
    put(Path.cwd(), ".squad/decisions-archive.md", LOG)
    bundle = rebundle(cli, other, files=[{"path": ".squad/decisions.md", "text": LOG}], skills=[])
    assert cli("import", str(bundle), "--merge", "--json").json()["written"] == []


def test_cards_and_skills_of_one_name_are_both_kept(cli: Cli, other: Path) -> None:
    changed = CARD.replace(CONTENT, "Another content, of another time.")
    put(Path.cwd(), f"memories/{ID}.md", changed)
    put(Path.cwd(), ".squad/skills/spies/SKILL.md", "mine")
    bundle = str(export(cli, other, "--skills"))
    done = cli("import", bundle, "--merge", "--json").json()
    assert [each["path"] for each in done["conflicts"]] == [f"memories/{ID}.md", ".squad/skills/spies/SKILL.md"]
    kept = [each["kept"] for each in done["conflicts"]]
    id = Path(kept[0]).stem
    assert Path(kept[0]).read_text() == CARD.replace(ID, id)
    assert cli("show", id).code == cli("check").code == 0
    assert Path(kept[1]).read_text() == SKILL
    assert Path(".squad/skills/spies/SKILL.md").read_text() == "mine"
    assert Path(f"memories/{ID}.md").read_text() == changed
    again = cli("import", bundle, "--merge", "--json").json()
    assert (again["conflicts"], again["written"], again["skills"]) == ([], [], [])


def test_only_skills(cli: Cli, other: Path) -> None:
    done = cli("import", str(export(cli, other, "--skills")), "--skills-only", "--json").json()
    assert files(Path.cwd()) == {".squad/skills/spies/SKILL.md": SKILL.encode()}
    assert (done["skills"], done["added"]) == (["spies"], 0)


# the Squad export


def test_the_squad_export_out_and_in(cli: Cli, other: Path) -> None:
    value = json.loads(export(cli, other, "--format", "squad").read_text())
    assert list(value)[:9] == [
        *("version", "exported_at", "squad_version", "team_md", "decisions_md", "routing_md", "casting", "agents"),
        "skills",
    ]
    assert (value["version"], value["decisions_md"], value["skills"]) == ("1.0", LOG, [SKILL])
    assert value["agents"] == {"ann": {"charter": "# Ann\n", "history": HISTORY}}
    assert value["casting"]["policy"] == {"casting_policy_version": "1.1"}
    done = cli("import", str(export(cli, other, "--format", "squad")), "--json").json()
    gone = (".squad/decisions/inbox/ann-tabs.md", f"memories/{ID}.md", ".squad/casting/policy.json")
    here = files(Path.cwd())
    assert json.loads(here.pop(".squad/casting/policy.json")) == {"casting_policy_version": "1.1"}
    assert here == {name: data for name, data in files(other).items() if name not in gone}
    assert done["skills"] == ["spies"]


SQUAD: dict[str, Any] = {"version": "1.0", "agents": {}, "casting": {}, "skills": []}


def test_an_early_squad_export_and_one_with_more_in_it(cli: Cli, tmp_path: Path) -> None:
    value = {**SQUAD, "agents": {"ann": {"charter": "# Ann\n", "mood": "good"}}, "extra_md": "x", "decisions": LOG}
    ran = cli("import", str(put(tmp_path, "s.json", "\ufeff" + json.dumps(value))), "--json")
    assert ran.json()["unknown"] == ["agents.ann.mood", "extra_md"]
    assert "agents.ann.mood, extra_md" in ran.err
    assert set(files(Path.cwd())) == {".squad/agents/ann/charter.md", ".squad/decisions.md"}


# hostile bundles


BAD_NAMES = [
    "../x",
    "..",
    "a/b",
    "a\\b",
    "/etc",
    "C:x",
    "",
    ".git",
    ".hidden",
    "a\0b",
    "CON",
    "a\nb",
    "x" * 300,
    "~",
    "a\u202eb",
]
BAD_PATHS = [
    *("../x.md", "/etc/x.md", ".squad/../../x.md", "README.md", "src/x.md", ".git/hooks/x.md", ".squad/x.sh"),
    *(".squad/a\0b.md", ".squad/.git/x.md", ".SQUAD/x.md", ".squad", "", ".squad//x.md", "memories/\u2215x.md"),
    *(".memdown/x.md", ".squad/casting/x.md/../../../x.json", "memories\\x.md", ".squad/" + "x" * 300 + ".md"),
]


def refused(ran: Ran, *codes: int) -> None:
    assert ran.code in codes, ran
    assert ran.out == ""
    assert ran.err.startswith("memdown: ")
    assert ran.err.count("\n") == 1
    assert len(ran.err) < 500
    assert files(Path.cwd()) == {}
    assert files(Path.cwd().parent).keys() <= {"b.json"}


@pytest.mark.parametrize("flags", [(), ("--merge",), ("--dry-run",), ("--force",)])
@pytest.mark.parametrize("name", BAD_NAMES)
def test_names_that_lead_elsewhere(cli: Cli, tmp_path: Path, name: str, flags: tuple[str, ...]) -> None:
    good = {"path": ".squad/decisions.md", "text": LOG}
    for value in (
        {**SQUAD, "decisions_md": LOG, "agents": {name: {"charter": "x"}}},
        {"memdown": 1, "files": [good], "skills": [{"name": name, "text": SKILL}]},
    ):
        refused(cli("import", str(put(tmp_path, "b.json", json.dumps(value))), *flags), 3)
    if name.strip():
        skill = f"---\nname: {json.dumps(name)}\n---\n"
        value = {**SQUAD, "decisions_md": LOG, "skills": [skill]}
        refused(cli("import", str(put(tmp_path, "b.json", json.dumps(value))), *flags), 3)


@pytest.mark.parametrize("path", BAD_PATHS)
def test_paths_that_lead_elsewhere(cli: Cli, tmp_path: Path, path: str) -> None:
    for flags in ((), ("--merge",), ("--dry-run",)):
        value = {"memdown": 1, "files": [{"path": ".squad/decisions.md", "text": LOG}, {"path": path, "text": "x"}]}
        refused(cli("import", str(put(tmp_path, "b.json", json.dumps(value))), *flags), 3)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", 4),
        ("not json", 4),
        ("null", 4),
        ("[]", 4),
        ("{}", 4),
        ("[" * 200_000, 4),
        ('{"memdown": 1', 4),
        ('{"memdown": 1, "files": []}\0', 4),
        ("\udcff", 4),
        ('{"memdown": 2, "files": []}', 3),
        ('{"memdown": true, "files": []}', 3),
        ('{"memdown": "1", "files": []}', 3),
        ('{"memdown": 1}', 4),
        ('{"memdown": 1, "files": {}}', 4),
        ('{"memdown": 1, "files": [1]}', 4),
        ('{"memdown": 1, "files": [{"path": 1, "text": "x"}]}', 4),
        ('{"memdown": 1, "files": [{"path": ".squad/decisions.md"}]}', 4),
        ('{"memdown": 1, "files": [{"path": ".squad/decisions.md", "text": "\\ud800"}]}', 4),
        ('{"memdown": 1, "files": [], "skills": [{"name": ["x"], "text": "x"}]}', 4),
        (
            '{"memdown": 1, "files": [{"path": "memories/a.md", "text": "x"}, {"path": "memories/a.md", "text": "y"}]}',
            3,
        ),
        (
            '{"memdown": 1, "files": [{"path": "memories/a.md", "text": "x"}, {"path": "memories/A.md", "text": "y"}]}',
            3,
        ),
        ('{"version": "2.0", "agents": {}, "casting": {}, "skills": []}', 3),
        ('{"version": 1.0, "agents": {}, "casting": {}, "skills": []}', 3),
        ('{"version": "1.0", "agents": {}, "casting": {}}', 4),
        ('{"version": "1.0", "agents": [], "casting": {}, "skills": []}', 4),
        ('{"version": "1.0", "agents": {"a": "x"}, "casting": {}, "skills": []}', 4),
        ('{"version": "1.0", "agents": {"a": {"charter": 1}}, "casting": {}, "skills": []}', 4),
        ('{"version": "1.0", "agents": {}, "casting": {}, "skills": [1]}', 4),
        ('{"version": "1.0", "agents": {}, "casting": {}, "skills": [], "decisions_md": {}}', 4),
    ],
)
def test_what_is_no_bundle_is_one_sentence(cli: Cli, tmp_path: Path, text: str, code: int) -> None:
    for flags in ((), ("--merge",)):
        refused(cli("import", str(put(tmp_path, "b.json", text)), *flags), code)


def test_a_bundle_that_is_not_there_or_too_large(cli: Cli, tmp_path: Path) -> None:
    refused(cli("import", "none.json"), 4)
    refused(cli("import", "a\0b"), 4)
    refused(cli("import", "."), 4)
    with (tmp_path / "b.json").open("wb") as large:
        large.truncate(BUNDLE + 1)
    refused(cli("import", str(tmp_path / "b.json")), 4)


def test_a_link_in_the_project_leads_nothing_out(cli: Cli, other: Path) -> None:
    bundle = str(export(cli, other))
    outside = other.parent / "outside"
    outside.mkdir()
    Path(".squad").symlink_to(outside)
    assert cli("import", bundle, "--merge").code == 3
    assert files(outside) == {}


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from([*SQUAD, "memdown", "files", "path", "text", "name", "x"]), inner, max_size=4
            )
        ),
        max_leaves=12,
    )
)
@draws(150)
def test_any_json_is_a_bundle_or_one_error(value: object) -> None:
    marked = {**value, "memdown": 1} if isinstance(value, dict) else value
    for each in (value, marked, {**SQUAD, **value} if isinstance(value, dict) else value):
        with contextlib.suppress(MemdownError):
            assert isinstance(transfer.unpack(json.dumps(each), "x"), Bundle)


def test_a_skill_without_a_name_gets_one() -> None:
    assert transfer.skill_name(SKILL) == "spies"
    assert transfer.skill_name("# Nameless\n").startswith("skill-")
    assert BundleSkill("a", "b") == BundleSkill("a", "b")


@pytest.mark.corpus
def test_real_projects_come_out_as_they_went_in(tmp_path: Path) -> None:
    for number, project in enumerate(some(sorted((CORPUS / "sem").iterdir()), 12)):
        bundle = Memory(project).export(skills=True)
        target = tmp_path / str(number)
        target.mkdir()
        memory = Memory(target)
        memory.files.begin_act("test", "import", allow_secrets=True)  # a real log has a real password
        done = memory.import_bundle(bundle)
        assert done.added == len(bundle.records)
        for name, data in files(target).items():
            assert data == (project / name).read_bytes(), name
        again = memory.import_bundle(bundle, merge=True)
        assert (again.added, again.written, again.conflicts) == (0, [], [])


@pytest.mark.corpus
def test_real_projects_merge_and_merge_again(tmp_path: Path) -> None:
    """Logs of several projects in one: nothing is lost, and a second time nothing happens."""
    memory = Memory(tmp_path)
    for project in sorted((CORPUS / "sem").iterdir())[:10:5]:
        bundle = Memory(project).export(skills=True)
        memory.import_bundle(bundle, merge=True)
        after = files(tmp_path)
        assert memory.import_bundle(bundle, merge=True).written == []
        assert files(tmp_path) == after
        held = {
            transfer.own_text(record, document.text) for document in memory.documents() for record in document.records
        }
        for document in Memory(project).documents():
            for record in transfer.outermost(document.records):
                assert transfer.own_text(record, document.text) in held, (document.path, record.line)
