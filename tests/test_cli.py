"""The command line: answers, exit codes, one line for each error."""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import click
import pytest

from conftest import Ran
from memdown import Memory, errors
from memdown.markdown import tokens
from memdown.surfaces.cli import COMMANDS, MODULES, common
from samples import CARD, CONTENT, ID, OTHER_ID, memdown, put
from test_sessions import git, git_init

Cli = Callable[..., Ran]
PATH = f"memories/{ID}.md"
RECORD_KEYS = [
    *("id", "dialect", "kind", "path", "line", "end_line", "title", "summary", "body", "at", "at_precision"),
    *("author", "contributors", "scope", "status", "tags", "links", "extra"),
]
DIAGNOSTIC_KEYS = [
    *("path", "line", "column", "end_line", "end_column", "code", "name", "severity", "message", "fix"),
]


def fails(ran: Ran, code: int, *words: str) -> None:
    """One sentence on standard error, nothing on standard output."""
    assert ran.code == code, ran
    assert ran.out == ""
    assert re.fullmatch(r"memdown: .+[.?!]\n", ran.err)
    for word in words:
        assert word in ran.err


def project() -> Path:
    return Path.cwd()


# add


def test_add_answers_with_id_path_line_and_created(cli: Cli) -> None:
    args = ("add", "card", "Pool size", "-k", "pool", "--content", CONTENT, "--json")
    first = cli(*args).json()
    assert first["created"] is True
    assert first["line"] == 1
    assert (project() / first["path"]).name == f"{first['id']}.md"
    assert (first.pop("removed"), first.pop("undo")) == ([], 1)
    assert cli(*args).json() == {**first, "created": False}


def test_the_clock_can_be_set(cli: Cli) -> None:
    path = cli("add", "card", "Pool size", "-k", "pool", "--content", CONTENT, "--json").json()["path"]
    assert "occurred_at: '2026-02-01T12:00:00Z'" in (project() / path).read_text()


def test_a_clock_that_is_none_is_said(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMDOWN_NOW", "noon")
    fails(cli("add", "card", "Pool size", "-k", "pool", "--content", CONTENT), 2, "MEMDOWN_NOW")


def test_content_is_piped_in_or_taken_from_a_file_of_the_project(cli: Cli) -> None:
    assert cli("add", "card", "Piped", "-k", "pool", stdin=CONTENT).code == 0
    put(project(), "notes.md", CONTENT.replace("10", "20"))
    assert cli("add", "card", "From file", "-k", "pool", "--file", "notes.md").code == 0
    assert len(list(project().glob("memories/*.md"))) == 2
    fails(cli("add", "card", "x", "-k", "pool", "--file", "none.md"), 4, "none.md")
    fails(cli("add", "card", "x", "-k", "pool", "--file", "notes.md", "--content", "x"), 2, "not both")


def test_what_is_wrong_with_a_card_is_one_sentence(cli: Cli) -> None:
    fails(cli("add", "card", "x" * 201, "-k", "pool", "--content", CONTENT), 2, "1 to 200")
    fails(cli("add", "card", "Pool", "-k", "pool", "--content", "short"), 2, "at least 10")
    fails(
        cli("add", "card", "Pool", "-k", "p", "--content", CONTENT, "--occurred-at", "2026-01-01"), 2, "date and time"
    )
    fails(cli("add", "crad", "x"), 2, "did you mean card?")


def test_capture(cli: Cli) -> None:
    kept = cli("capture", "--json", stdin=CONTENT).json()
    assert (kept["captured"], kept["reason"]) == (True, None)
    skipped = cli("capture", "--role", "user", "--json", stdin=CONTENT).json()
    assert (skipped["captured"], skipped["id"]) == (False, None)
    assert "Not kept: a message of a single line" in cli("capture", stdin="one line only").out


# show, list, status


def test_show_answers_with_every_key_of_a_record(cli: Cli) -> None:
    put(project(), PATH, CARD)
    record = cli("show", "3f2b", "--json").json()
    assert list(record) == [*RECORD_KEYS, "superseded", "superseded_by", "expired", "untrue", "standing", "linked_from"]
    assert (record["at"], record["at_precision"]) == ("2026-01-15T10:30:00Z", "second")
    assert record["links"] == [{"type": "file", "target": "src/db.py", "resolved": None}]
    assert record["author"] is None
    assert "Pool size is 10\n" in cli("show", ID).out


def test_nothing_to_show_is_exit_1(cli: Cli) -> None:
    put(project(), PATH, CARD)
    fails(cli("show", "zzzz"), 1, "zzzz")
    fails(cli("delete", "zzzz"), 1, "zzzz")
    fails(cli("edit", "zzzz", "--title", "x"), 1, "zzzz")


def test_list_finds_words(cli: Cli) -> None:
    put(project(), PATH, CARD)
    put(project(), f"memories/{OTHER_ID}.md", CARD.replace(ID, OTHER_ID).replace("Pool size", "Queue size"))
    assert [each["id"] for each in cli("list", "queue", "--json").json()] == [OTHER_ID]
    assert cli("list", "nothing-like-this").out == "No memories match.\n"
    assert len(cli("list", "-n", "1", "--json").json()) == 1


def test_status_has_the_keys_of_the_contract(cli: Cli) -> None:
    put(project(), PATH, CARD)
    status = cli("status", "--json").json()
    assert status["dialects"]["cards"] == {"files": 1, "records": 1}
    assert status["findings"] == {"error": 0, "warning": 0, "info": 0}
    assert status["staleness"] == {"fresh": 1, "aging": 0, "stale": 0, "undated": 0}
    assert status["tokens"] == tokens.estimate(CARD)


# edit, delete


def test_edit_and_delete(cli: Cli) -> None:
    put(project(), PATH, CARD)
    assert cli("edit", "3f2b", "--title", "Pool size is 20", "--json").json()["title"] == "Pool size is 20"
    assert (project() / PATH).read_text() == CARD.replace("size is 10", "size is 20")
    fails(cli("edit", "3f2b"), 2, "Nothing to change")
    would = cli("delete", "3f2b", "--dry-run", "--json").json()
    assert (would["id"], would["path"], would["deleted"]) == (ID, PATH, False)
    assert (project() / PATH).exists()
    assert cli("delete", "3f2b").out == f"Deleted the card Pool size is 20 ({PATH})\n`memdown undo` restores it.\n"
    assert not (project() / PATH).exists()


# read


def test_read_accounts_for_every_line(cli: Cli) -> None:
    put(project(), PATH, CARD.replace("keywords:", "this line is no key\nkeywords:"))
    put(project(), "notes.md", "Intro\n\n# Plan\ntext\n")
    card, notes = cli("read", PATH, "notes.md", "--lines", "--json").json()
    assert card["lines"] == {"total": 14, "blank": 1, "record": 12, "prose": 0, "diagnostic": 1}
    assert card["account"] == "rrrdrrrrrrr-rr"
    assert notes["dialect"] is None
    assert notes["lines"] == {"total": 4, "blank": 1, "record": 0, "prose": 3, "diagnostic": 0}
    assert notes["account"] == "p-pp"
    assert "1  prose       before the first heading\n" in cli("read", "notes.md", "--lines").out
    assert "3-4  prose       Plan\n" in cli("read", "notes.md", "--lines").out
    assert "account" not in cli("read", "notes.md", "--json").json()[0]


def test_read_takes_any_file_and_says_when_there_is_none(cli: Cli, tmp_path: Path) -> None:
    outside = put(tmp_path, "outside.md", "text\n")
    assert cli("read", str(outside), "--json").json()[0]["lines"]["total"] == 1
    assert cli("read", "../outside.md").code == 0
    assert cli("check", "../outside.md").code == 0
    for command in ("read", "check"):
        fails(cli(command, "none.md"), 4, "none.md")
        fails(cli(command, "../none.md"), 4, "none.md")
        fails(cli(command, "a\0b"), 4)
    fails(cli("read"), 2)


@pytest.mark.parametrize("option", ["--author", "--tag", "--type", "--scope", "--status", "--path", "--dialect"])
def test_a_filter_may_have_bytes_that_are_not_utf8(cli: Cli, option: str) -> None:
    put(project(), PATH, CARD)
    for command in ("search", "list"):
        ran = cli(command, option, "a\udcff")  # not one that has a traceback instead
        assert ran.code in ((3,) if option == "--path" else (2,) if option == "--dialect" else (0, 1)), ran


def test_a_title_that_is_not_utf8_is_looked_for_among_others(cli: Cli) -> None:
    put(project(), PATH, CARD)
    cli("index")
    assert cli("add", "edit", "a:\udcff").code == 0


def test_what_cannot_be_encoded_is_said(cli: Cli) -> None:
    put(project(), PATH, CARD)
    fails(cli("sync", "a\udcff"), 2, "is not UTF-8")


@pytest.mark.parametrize("data", [b'{"focus": "\xff"}', b'{"focus":' * 9000])
def test_json_that_no_reader_takes_is_said(cli: Cli, data: bytes) -> None:
    put(project(), "memory-bank/activeContext.md", "# Active Context\n")
    fails(cli("bank", "replace-active", stdin=data.decode("utf-8", "surrogateescape")), 2, "standard input")
    put(project(), ".memdown/sources.json", data.decode("utf-8", "surrogateescape"))
    fails(cli("source", "list"), 4, "add the sources again")


def test_bytes_that_are_not_utf8_are_escaped_in_json(cli: Cli) -> None:
    put(project(), PATH, CARD.replace("timed out", "timed \udcff out"))
    [reading] = cli("read", PATH, "--json").json()
    assert "timed \udcff out" in reading["records"][0]["body"]
    assert [each["code"] for each in reading["diagnostics"]] == ["CRD062", "MD001"]


# check and explain


def test_check_answers_with_every_key_of_a_diagnostic(cli: Cli) -> None:
    put(project(), PATH, CARD.replace("'2026-01-15T10:30:00Z'", "2026-01-15T10:30:00Z"))
    ran = cli("check", "--json")
    [found] = ran.json()
    assert ran.code == 0
    assert list(found) == DIAGNOSTIC_KEYS
    assert (found["line"], found["column"], found["end_line"], found["end_column"]) == (8, 14, 8, 34)
    assert found["fix"]["applicability"] == "safe"
    assert [edit["text"] for edit in found["fix"]["edits"]] == ["'", "'"]
    assert cli("check", "--format", "json").json() == [found]


def test_errors_fail_a_check_and_warnings_do_when_strict(cli: Cli) -> None:
    path = put(project(), PATH, CARD.replace("'d12b", "'0000"))
    assert cli("check").code == 0
    assert cli("check", "--strict").code == 1
    put(project(), "memdown.toml", "[check]\nstrict = true\n")
    assert cli("check").code == 1
    path.write_text(CARD.replace("applies_to: 'file:src/db.py'\n", ""))
    assert cli("check").code == 1


def test_select_and_ignore(cli: Cli) -> None:
    put(Path.cwd(), "src/db.py", "")
    put(project(), PATH, CARD.replace("'d12b", "'0000").replace("subject: Pool size is 10\n", ""))
    assert [each["code"] for each in cli("check", "--json").json()] == ["CRD020", "CRD062"]
    assert [each["code"] for each in cli("check", "--select", "CRD06", "--json").json()] == ["CRD062"]
    assert [
        each["code"] for each in cli("check", "--select", "CRD020,CRD062", "--ignore", "CRD06", "--json").json()
    ] == ["CRD020"]
    assert [each["code"] for each in cli("check", "--select", "crd", "--ignore", "Crd06", "--json").json()] == [
        "CRD020"
    ]
    fails(cli("check", "--select", "XYZ"), 2, "XYZ")
    put(project(), "memdown.toml", "[check]\nignore = ['CRD06']\n")
    assert [each["code"] for each in cli("check", "--json").json()] == ["CRD020"]


def test_fix_and_diff(cli: Cli) -> None:
    broken = CARD.replace("'2026-01-15T10:30:00Z'", "2026-01-15T10:30:00Z").replace("'d12b", "'0000")
    path = put(project(), PATH, broken)
    ran = cli("check", "--all", "--diff")
    assert "-occurred_at: 2026-01-15T10:30:00Z\n+occurred_at: '2026-01-15T10:30:00Z'\n" in ran.out
    assert path.read_text() == broken
    assert cli("check", "--all", "--fix").code == 0
    assert path.read_text() == CARD.replace("'d12b", "'0000")
    assert cli("check", "--unsafe-fixes").code == 0
    assert path.read_text() == CARD
    before = path.stat().st_mtime_ns
    assert "All checks passed (" in cli("check", "--fix").out
    assert path.stat().st_mtime_ns == before


def test_the_differences_of_fixes_are_a_patch(cli: Cli) -> None:
    root = project()
    git_init(root)
    texts = {
        "memory-bank/progress.md": b"# Progress\n\n## Completed\n- [x] Done",
        "memory-bank/notes.md": b"# Notes\r\n\r\nOne\x0bline.\r\nAnother",
    }
    for name, text in texts.items():
        put(root, name, "").write_bytes(text)
    found = cli("check", "--all", "--fix", "--diff", *texts).out
    assert found.count("\\ No newline at end of file\n") == 2
    (root / "found.patch").write_bytes(found.encode())
    git(root, "apply", "found.patch")
    assert all((root / name).read_bytes().startswith(text) for name, text in texts.items())
    assert cli("check", "--all", "--fix", "--diff", *texts).out == ""


def test_fix_changes_only_files_of_the_project(cli: Cli, tmp_path: Path) -> None:
    outside = put(tmp_path, "outside.md", "no final newline")
    put(project(), "inside.md", "no final newline")
    fails(cli("check", "--all", "--fix", "inside.md", str(outside)), 3, "outside")
    assert outside.read_text() == "no final newline"
    assert (project() / "inside.md").read_text() == "no final newline"
    assert cli("check", "--all", "--fix", "--root", str(tmp_path), str(outside)).code == 0
    assert outside.read_text() == "no final newline\n"


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("a\0b\n", ["MD002"]),
        ("a\0b <!-- memdown: ignore[MD002] -->\n", []),
        ("a\0b <!-- # memdown: ignore[MD002] -->\n", []),
        ("x\n<!-- memdown: ignore[MD002] -->\na\0b\nc\0d\n", ["MD002"]),
        ("<!-- memdown: ignore[MD002] -->\n\na\0b\nc\0d\n", []),
        ("\n<!-- memdown: ignore[MD001] -->\n<!-- memdown: ignore[MD002,MD006] -->\n\na\0b\nc\0d", []),
        ("a\0b <!-- memdown: ignore[MD] -->\n", []),
        ("a\0b <!-- memdown: ignore[MD001] -->\n", ["MD002"]),
        ("a\0b `<!-- memdown: ignore[MD002] -->`\n", ["MD002"]),
        ("```\n<!-- memdown: ignore[MD002] -->\n```\na\0b\n", ["MD002"]),
        ("---\n# memdown: ignore[MD002]\nkey: x\n---\na\0b\n", []),
        ("---\nkey: x\nkey: y  # memdown: ignore[MD012]\n---\n", []),
        ("---\nkey: x\n# memdown: ignore[MD012]\nkey: y\n---\n", []),
        ("a <!-- memdown: ignore[MD999] -->\n", ["MD030"]),
    ],
)
def test_comments_silence_a_line_or_a_file(cli: Cli, text: str, codes: list[str]) -> None:
    put(project(), "notes.md", text)
    assert [each["code"] for each in cli("check", "notes.md", "--json").json()] == codes


@pytest.mark.parametrize("first", ["# Brief\n", "---\ntitle: Now\n---\n# Brief\n"])
def test_a_finding_about_a_whole_file_can_be_silenced(cli: Cli, first: str) -> None:
    put(project(), "memory-bank/projectbrief.md", f"{first}\n## Here\n\nSome text.\n")
    found = cli("check", "--all", "--json").json()
    [one] = [each for each in found if each["code"] == "BNK006"]
    with Memory(Path.cwd()) as memory:
        before = [(each.kind, each.title) for each in memory.records()]
        memory.suppress(one["path"], one["line"], "BNK006")
        assert [(each.kind, each.title) for each in memory.records()] == before
    left = [each["code"] for each in cli("check", "--all", "--json").json()]
    assert left == [each["code"] for each in found if each != one]


def test_github_annotations(cli: Cli) -> None:
    put(project(), "a,b%.md", "x\0\n")
    assert cli("check", "a,b%.md", "--format", "github").out == (
        "::warning file=a%2Cb%25.md,line=1,col=2,endLine=1,endColumn=3,title=MD002 control-character"
        "::The control character U+0000 in 'x\\x00' cannot be seen; remove it.\n"
    )


def test_sarif(cli: Cli) -> None:
    put(project(), PATH, CARD.replace("'2026-01-15T10:30:00Z'", "2026-01-15T10:30:00Z"))
    [run] = cli("check", "--format", "sarif").json()["runs"]
    [result] = run["results"]
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "CRD063"
    assert result["level"] == "note"
    assert result["locations"][0]["physicalLocation"]["region"] == {
        **{"startLine": 8, "startColumn": 14, "endLine": 8, "endColumn": 34},
    }
    assert len(result["fixes"][0]["artifactChanges"][0]["replacements"]) == 2


def test_explain(cli: Cli) -> None:
    page = cli("explain", "crd062", "--json").json()
    assert list(page) == ["code", "name", "severity", "page"]
    assert cli("explain", "content-hash-mismatch", "--json").json() == page
    assert page["page"] in cli("explain", "CRD062").out
    assert cli("explain", "--json").json()[0]["code"] == "BNK001"
    fails(cli("explain", "CRD999"), 1, "CRD999")


# card


def test_card_upkeep(cli: Cli) -> None:
    put(project(), PATH, CARD)
    put(project(), f"memories/{OTHER_ID}.md", CARD.replace(ID, OTHER_ID).replace("'d12b", "'0000"))
    assert cli("card", "verify").code == 1
    assert [each["state"] for each in cli("card", "verify", "--json").json()] == ["ok", "mismatch"]
    [repair] = cli("card", "repair", "--dry-run", "--json").json()
    assert list(repair) == ["path", "new_path", "changes", "left"]
    assert cli("card", "repair").code == 0
    assert cli("card", "verify").code == 0
    [twins] = cli("card", "dedupe", "--json").json()
    assert twins == {"kept": PATH, "others": [f"memories/{OTHER_ID}.md"], "differences": []}
    cli("card", "dedupe", "--delete")
    assert [path.name for path in project().glob("memories/*.md")] == [f"{ID}.md"]


# the rest


def test_quiet_says_nothing(cli: Cli) -> None:
    put(project(), PATH, CARD.replace("subject: Pool size is 10\n", ""))
    assert cli("check", "-q") == Ran(1, "", "")
    assert cli("list", "-q") == Ran(0, "", "")


def test_root_is_the_nearest_folder_with_memory(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    put(project(), PATH, CARD)
    deep = project() / "src" / "deep"
    deep.mkdir(parents=True)
    root = project()
    monkeypatch.chdir(deep)
    assert cli("status", "--json").json()["root"] == str(root)
    assert cli("read", f"../../{PATH}", "--json").json()[0]["path"] == PATH
    fails(cli("status", "--root", "none"), 4, "none")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[check]\nselct = []\n", "selct"),
        ("check = 1\n", "check"),
        ("[cards]\nfolder = 1\n", "folder"),
        ("not toml\n", "memdown.toml"),
        ("\udcff", "memdown.toml"),
    ],
)
def test_a_wrong_configuration_is_one_sentence(cli: Cli, text: str, sentence: str) -> None:
    put(project(), "memdown.toml", text)
    fails(cli("status"), 4, sentence)


def test_pyproject_may_hold_the_configuration(cli: Cli) -> None:
    put(project(), "pyproject.toml", "[tool.memdown.cards]\nfolder = 'kept'\n")
    assert cli("add", "card", "Pool", "-k", "p", "--content", CONTENT, "--json").json()["path"].startswith("kept/")


def test_an_unknown_command_or_option_is_exit_2(cli: Cli) -> None:
    fails(cli("chek"), 2, "did you mean check")
    fails(cli("zzz"), 2, "memdown --help")
    fails(cli("list", "--nope"), 2, "--nope")


SHARED = {
    "__init__": "the table of commands",
    "common": "the options that every command has",
    "filters": "the options that select records",
    "groups": "how commands are grouped, and what else they are called",
    "overview": "what memdown shows without a command",
    "usage": "what is said of a wrong call",
    "add_edit": "the kind `edit` of add, which loads it when it is asked for",
}


def test_each_command_has_a_module_of_its_name() -> None:
    modules = {name: MODULES.get(name, name) for name in COMMANDS}
    assert MODULES == {"diff-driver": "diff_driver", "for": "for_", "import": "import_", "merge-driver": "merge_driver"}
    assert {path.stem for path in Path(common.__file__).parent.glob("*.py")} == {*modules.values(), *SHARED}
    for name, module in modules.items():
        defined = vars(import_module(f"memdown.surfaces.cli.{module}")).items()
        commands = [key for key, each in defined if key.endswith("_command") and isinstance(each, click.Command)]
        assert commands == [f"{name.replace('-', '_')}_command"]


def test_help_says_what_a_command_does_in_the_imperative() -> None:
    for name, sentence in COMMANDS.items():
        assert re.fullmatch(r"[A-Z][a-z]+,? .{4,70}[^.]", sentence), name
        assert sentence.split()[0] not in ("Tell", "Tells"), name


def test_every_command_has_help_with_an_example(cli: Cli) -> None:
    assert all(name in cli("--help").out for name in COMMANDS)
    for name in COMMANDS:
        ran = cli(name, "--help")
        assert ran.code == 0
        assert "Usage: memdown" in ran.out
        assert "Examples:" in ran.out


def _leaves(command: click.Command) -> Iterator[click.Command]:
    yield command
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            below = command.get_command(click.Context(command), name)
            assert below is not None
            yield from _leaves(below)


def test_every_option_says_what_it_is_and_those_of_all_commands_come_last() -> None:
    common = ["--root", "--global", "--json", "--quiet"]
    for name in COMMANDS:
        module = import_module(f"memdown.surfaces.cli.{MODULES.get(name, name)}")
        for command in _leaves(getattr(module, f"{name.replace('-', '_')}_command")):
            options = [each for each in command.params if isinstance(each, click.Option) and not each.hidden]
            assert all(each.help for each in options), command.name
            longest = [max(each.opts, key=len) for each in options]
            if "--global" in longest:
                assert longest[-4:] == common, command.name
                assert "--allow-secret" not in longest[:-5], command.name


def test_help_shows_everyday_commands_first_and_all_of_them_on_demand(cli: Cli) -> None:
    short, whole = cli("--help").out, cli("help", "all").out
    assert 10 <= len(short.partition("Everyday commands:\n")[2].partition("\n\n")[0].splitlines()) <= 14
    assert COMMANDS["graph"] not in short
    assert all(sentence[:40] in whole for sentence in COMMANDS.values())
    assert "journal task" in whole
    assert cli("help", "add", "card").out.startswith("Usage: memdown add card ")
    assert cli("help", "serch").err == "memdown: Unknown command 'serch'; did you mean search?\n"


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("serch", "Unknown command 'serch'; did you mean search?"),
        ("lst", "Unknown command 'lst'; did you mean list"),
        ("history", "Unknown command 'history'; did you mean log or timeline?"),
        ("format", "Unknown command 'format'; did you mean check --fix?"),
        ("histroy", "Unknown command 'histroy'; did you mean log or timeline?"),
        ("fix", "Unknown command 'fix'; did you mean check --fix?"),
        ("version", "Unknown command 'version'; did you mean --version?"),
        ("zzzzzz", "Unknown command 'zzzzzz'; run `memdown --help` for a list."),
        ("bank complet x", "Unknown command 'complet'; did you mean complete?"),
        ("list --sort x", "Unknown option '--sort'; run `memdown list --help` for a list."),
        ("--root /tmp list", "--root goes after the command, as in `memdown status --root DIR`."),
        ("-v", "Unknown option '-v'; did you mean -V?"),
        ("add", 'Nothing to add; give a text, as in `memdown add "..."`.'),
        ("list --limt 3", "Unknown option '--limt'; did you mean --limit?"),
    ],
)
def test_what_is_mistyped_gets_the_nearest(cli: Cli, typed: str, hint: str) -> None:
    ran = cli(*typed.split())
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"memdown: {hint}")


def test_a_text_that_is_no_command_is_told_what_takes_texts(cli: Cli) -> None:
    fails(cli("Trailers are lazy"), 2, "`memdown add TEXT`", "`memdown search WORDS`")


def test_what_people_type_elsewhere_works_here(cli: Cli) -> None:
    put(project(), PATH, CARD)
    for one, other in (("ls", "list"), ("find pool", "search pool"), (f"cat {ID}", f"show {ID}"), ("lint", "check")):
        assert cli(*one.split(), "--json").code == cli(*other.split(), "--json").code == 0
    assert cli("ls").out == cli("list").out
    assert cli("journal", "task", "list").out == cli("task", "list").out
    assert cli("sem", "--help").code == 0
    assert "Commands:\n  task " in cli("journal").err
    assert cli("rm", ID).code == 0


def test_memdown_alone_says_how_memory_is(cli: Cli) -> None:
    put(project(), PATH, CARD)
    shown = cli().out
    assert shown.startswith("root ")
    assert shown.partition("Next:\n")[2].count("  memdown ") == 3


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(cli: Cli, shell: str) -> None:
    assert "_MEMDOWN_COMPLETE" in cli("completion", shell).out


def test_completion_offers_commands_codes_and_ids(cli: Cli) -> None:
    put(project(), PATH, CARD)

    def offered(words: str) -> str:
        env = {"_MEMDOWN_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
        done = memdown(project(), env=env)
        assert done.stderr == ""
        return done.stdout

    assert "plain,check" in offered("memdown ch")
    assert "plain,CRD062" in offered("memdown explain CRD06")
    assert f"plain,{ID}" in offered("memdown show 3f")
    assert cli("--version").out == memdown(project(), "--version").stdout


def test_no_colours_without_a_terminal(cli: Cli) -> None:
    put(project(), PATH, CARD.replace("subject: Pool size is 10\n", ""))
    assert "\x1b" not in cli("check").out + cli("status").out + cli("show", ID).out


def test_an_error_never_breaks_its_line(cli: Cli) -> None:
    fails(cli("show", "a\nb\x1b[31m"), 3, "\\n")
    fails(cli("explain", "a\nb"), 1)
    fails(cli("list", "--kind"), 2)


@pytest.mark.skipif(os.name != "posix", reason="needs a shell that removes its own folder")
@pytest.mark.parametrize("words", ["search pool", "status", "list"])
def test_a_folder_that_is_gone_is_said_in_a_sentence(tmp_path: Path, words: str) -> None:
    call = ["sh", "-c", 'mkdir gone && cd gone && rmdir ../gone && exec "$@"', "sh", sys.executable, "-m", "memdown"]
    done = subprocess.run([*call, *words.split()], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    assert done.returncode
    assert re.fullmatch(r"memdown: .*\.\n", done.stderr)


@pytest.mark.skipif(os.name != "posix", reason="needs a shell that closes")
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_what_is_closed_is_no_error(tmp_path: Path, closed: str) -> None:
    put(tmp_path, f"memories/{ID}.md", CARD)
    for words in (
        "--version",
        "status",
        "search pool",
        "list --json",
        "export",
        "add card New -k pool --content Ten-connections",
    ):
        call = ["sh", "-c", f'exec "$@" {closed}', "sh", sys.executable, "-m", "memdown", *words.split()]
        done = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode, "Traceback" in done.stderr) == (0, False), words
    assert len(list((tmp_path / "memories").iterdir())) == 2


def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    Memory(tmp_path).cards.add("Long", CONTENT * 5000, keywords=["x"])
    listing = subprocess.Popen(
        [sys.executable, "-m", "memdown", "list", "--json"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert listing.stdout
    assert listing.stderr
    with listing.stdout, listing.stderr:
        assert listing.stdout.read(1) == b"["
        listing.stdout.close()
        assert listing.stderr.read() == b""
    assert listing.wait(60) == 0


@pytest.mark.parametrize("days", ["0", "28", "28d", "4w", " 4W "])
def test_an_age_in_days_may_name_its_unit(cli: Cli, days: str) -> None:
    assert cli("archive", "--dry-run", "--older-than", days, "--json").json()["entries_before"] == 0


@pytest.mark.parametrize("days", ["", "d", "-1", "4x", "1.5", "٣", "999999"])
def test_an_age_that_is_no_number_of_days_is_refused(cli: Cli, days: str) -> None:
    fails(cli("archive", "--older-than", days), 2, "is not a number of days; write 30, 30d or 4w")


def test_cards_of_every_age_are_not_pruned_by_mistake(cli: Cli) -> None:
    fails(cli("card", "prune", "--older-than", "0"), 2, "is not a number of days")


def test_an_extra_is_installed_where_memdown_runs_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = Path(errors.__file__).parents[2]
    pip = Path(sys.executable).with_name("pip")
    assert errors.installing("web") == f"`{pip} install -e '{here}[web]'`"
    monkeypatch.setattr(errors, "__file__", str(tmp_path / "lib" / "memdown" / "errors.py"))
    assert errors.installing("hub,mcp") == f"`pip install '{here}[hub,mcp]'`"  # from where it was installed
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "shop"\n')
    monkeypatch.setattr(errors, "origin", str)
    assert errors.installing("web") == "`pip install 'memdown[web]'`"
    monkeypatch.setattr(sys, "prefix", "/home/ann/.local/pipx/venvs/memdown")
    assert errors.installing("web") == "`pipx install --force 'memdown[web]'`"
    monkeypatch.setattr(sys, "prefix", "/home/ann/.cache/uv/archive-v0/x")
    assert "`uvx --from 'memdown[web]' memdown`" in errors.installing("web")


def test_one_file_that_was_merged_is_restored_as_one(cli: Cli) -> None:
    root, log = Path.cwd(), ".squad/decisions.md"
    entries = (f"### 2026-01-0{day}: Choice {day}\n**By:** Ann\n\nThe {{}} reason {day}.\n" for day in (1, 2, 3))
    start = "# Decisions\n\n" + "\n".join(entries)
    git_init(root)
    for branch, base in (("start", None), ("one", "start"), ("two", "start")):
        git(root, "checkout", "-q", "-b", branch, *((base,) if base else ()))
        put(root, log, start.replace("{}", branch))
        git(root, "add", "-A")
        git(root, "commit", "-qm", branch)
    subprocess.run(["git", "merge", "-q", "one"], cwd=root, capture_output=True, check=False)
    assert cli("resolve").out.endswith("1 file merged.\n`memdown undo` restores it.\n")
