"""Banks as projects really keep them: dated lists, headings of their own, headings in other languages."""

import json
from pathlib import Path
from typing import Any

import pytest

from memdown.dialects.bank import briefing, names
from memdown.dialects.bank.sections import outline
from memdown.dialects.bank.templates import Layer
from memdown.dialects.bank.write import ACTIVE, PROGRESS
from samples import in_process as memdown
from samples import put

CONTEXT, PROGRESS_FILE, LOG = "memory-bank/activeContext.md", "memory-bank/progress.md", "memory-bank/decisionLog.md"


def started(root: Path, context: str = "# Active Context\n", progress: str = "# Progress\n") -> Any:
    put(root, CONTEXT, context)
    put(root, PROGRESS_FILE, progress)
    done = memdown(root, "start", "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


# Focus


def focused(context: str) -> str:
    return briefing.focus(outline(context)) or ""


@pytest.mark.parametrize(
    "listed",
    [
        "- [2024-06-02 16:00:00] - old one\n- [2024-06-10 14:30:00] - new one\n",
        "- [2024-06-10 14:30:00] - new one\n- [2024-06-02 16:00:00] - old one\n",
        "* 2025-05-26: old one\n* 2025-06-01: new one\n",
        "- old one (May 3, 2025)\n- new one (June 1, 2025)\n",
        "[2025-04-01 10:00:00] - old one\n[2025-04-02 10:00:00] - new one\n",
        "### 2025-04-03 18:26\n- old one\n\n### 2025-04-05 09:00\n- new one\n",
        "### Update - 5 April 2025\nnew one\n\n### Update - 3 April 2025\nold one\n",
    ],
)
def test_a_dated_list_gives_its_newest_entry(listed: str) -> None:
    told = focused(f"# Active Context\n\n## Current Focus\n\n{listed}\n## Next Steps\n\n- rest\n")
    assert "new one" in told
    assert "old one" not in told


def test_entries_of_one_day_and_words_without_a_date_stay() -> None:
    listed = "Invoices first.\n\n- [2024-06-10] - one\n- [2024-06-02] - old\n- [2024-06-10 14:30] - two\n"
    focus = focused(f"# Active Context\n\n## Current Focus\n\n{listed}")
    assert [word in focus for word in ("Invoices first.", "one", "two", "old")] == [True, True, True, False]


def test_of_several_focuses_the_newest_counts() -> None:
    text = "# A\n\n## Current Focus (2025-05-01)\n\nold one\n\n## Current Focus (2025-06-01)\n\nnew one\n"
    assert focused(text) == "new one"
    log = "# A\n\n## 2025-06-02\n- **Current Focus**: new one\n\n## 2025-05-02\n- **Current Focus**: old one\n"
    assert focused(log) == "new one"


# Names


@pytest.mark.parametrize(
    ("heading", "section"),
    [
        ("Current Development Focus", "Current Focus"),
        ("現在の作業フォーカス", "Current Focus"),
        ("현재 작업 포커스", "Current Focus"),
        ("当前工作焦点", "Current Focus"),
        ("Aktueller Arbeitsschwerpunkt", "Current Focus"),
        ("Focus de travail actuel", "Current Focus"),
        ("Foco de trabajo actual", "Current Focus"),
        ("Foco de trabalho atual", "Current Focus"),
        ("Текущий фокус работы", "Current Focus"),
        ("アクティブな意思決定", "Active Decisions"),
        ("주요 결정 및 고려사항", "Active Decisions"),
        ("現在の課題", "Open Questions"),
        ("現在のプロジェクト状態", "Current State"),
        ("开发状态", "Current State"),
        ("Близкие шаги", None),
    ],
)
def test_headings_of_an_active_context(heading: str, section: str | None) -> None:
    assert names.canonical(heading, ACTIVE) == section


@pytest.mark.parametrize(
    ("heading", "section"),
    [
        ("In Progress Features", "In Progress"),
        ("🚧 Features In Progress", "In Progress"),
        ("进行中功能", "In Progress"),
        ("進行中の機能", "In Progress"),
        ("진행 중인 기능", "In Progress"),
        ("완료 항목", "Completed"),
        ("今後の作業予定", "Upcoming"),
        ("Бэклог", "Upcoming"),
        ("Próximas etapas", "Upcoming"),
        ("既知の問題と課題", "Known Issues"),
        ("次のマイルストーン", "Milestones"),
        ("Fonctionnalités terminées", "Completed"),
        ("Funciones completadas", "Completed"),
        ("Abgeschlossene Funktionen", "Completed"),
        ("Funcionalidades concluídas", "Completed"),
        ("Project Structure", None),
        ("Features", None),
    ],
)
def test_headings_of_a_progress_file(heading: str, section: str | None) -> None:
    assert names.canonical(heading, PROGRESS) == section


def test_no_second_section_is_made_beside_one(tmp_path: Path) -> None:
    started(tmp_path, "# A\n\n## 현재 작업 포커스\n\n- x\n", "# P\n\n## In Progress Features\n\n- [ ] export\n")
    assert memdown(tmp_path, "bank", "focus", "Invoices.").returncode == 0
    assert memdown(tmp_path, "bank", "add-item", "import").returncode == 0
    assert (tmp_path / CONTEXT).read_text("utf-8") == "# A\n\n## 현재 작업 포커스\n\nInvoices.\n"
    after = (tmp_path / PROGRESS_FILE).read_text("utf-8")
    assert after == "# P\n\n## In Progress Features\n\n- [ ] export\n- [ ] import\n"


# Changing entries


def bank(root: Path, *args: str) -> str:
    done = memdown(root, "bank", *args)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_what_is_open_can_be_resolved(tmp_path: Path) -> None:
    context = "# A\n\n## Recent Changes\n- x\n\n## Open Questions\n- Which currencies?\n\n## Blockers\n- No server\n"
    put(tmp_path, CONTEXT, context)
    put(tmp_path, PROGRESS_FILE, "# P\n\n## Known Issues\n- Totals are rounded twice\n")
    bank(tmp_path, "resolve", "no server")
    bank(tmp_path, "resolve", "Which currencies?")
    text = (tmp_path / CONTEXT).read_text("utf-8")
    assert text.count("No server") == text.count("Which currencies?") == 1
    changes = text.split("## Open Questions")[0]
    assert "Resolved: No server" in changes
    assert "Resolved: Which currencies?" in changes
    bank(tmp_path, "resolve", "rounded twice")
    assert "[x] Totals are rounded twice" in (tmp_path / PROGRESS_FILE).read_text("utf-8")
    put(tmp_path, PROGRESS_FILE, "# P\n\n## Next Steps\n- Read all sheets\n- Write them\n")
    bank(tmp_path, "resolve", "all sheets")
    text = (tmp_path / PROGRESS_FILE).read_text("utf-8")
    assert "## Next Steps\n- Write them\n" in text
    assert "[x] Read all sheets — 20" in text
    missing = memdown(tmp_path, "bank", "resolve", "nothing of the kind")
    assert missing.returncode == 1
    assert "known issue, debt or open item" in missing.stderr


def test_a_mode_that_writes_the_active_context_resolves_there(tmp_path: Path) -> None:
    put(tmp_path, CONTEXT, "# A\n\n## Blockers\n- No server\n")
    put(tmp_path, PROGRESS_FILE, "# P\n\n## Known Issues\n- Totals are rounded twice\n")
    bank(tmp_path, "--mode", "debug", "resolve", "No server")
    refused = memdown(tmp_path, "bank", "--mode", "debug", "resolve", "rounded twice")
    assert "debug" in refused.stderr


def test_an_item_that_is_completed_already(tmp_path: Path) -> None:
    put(tmp_path, PROGRESS_FILE, "# P\n\n## Completed\n- [x] a — 2026-01-01\n\n## In Progress\n")
    bank(tmp_path, "add-item", "Import of invoices", "--to", "completed")
    text = (tmp_path / PROGRESS_FILE).read_text("utf-8")
    assert "- [x] a — 2026-01-01\n- [x] Import of invoices — 20" in text


@pytest.mark.parametrize("name", ["line 9", "Use SQLite #2", "sqlite #2", "#2"])
def test_one_of_several_that_fit_is_named_by_its_line_or_number(tmp_path: Path, name: str) -> None:
    entry = "## Decision: Use SQLite\n- **Date**: 2026-01-0{}\n- **Status**: Accepted\n\n---\n\n"
    put(tmp_path, LOG, "# Log\n\n" + entry.format(1) + entry.format(2))
    both = memdown(tmp_path, "bank", "supersede-decision", "Use SQLite", "Use PostgreSQL")
    assert both.returncode != 0
    assert "as in “line 3”" in both.stderr
    bank(tmp_path, "supersede-decision", name, "Use PostgreSQL")
    text = (tmp_path / LOG).read_text("utf-8")
    assert "2026-01-01\n- **Status**: Accepted" in text
    assert "2026-01-02\n- **Status**: Superseded by Use PostgreSQL" in text
    for none in ("#9", "#0", "Use SQLite #3", "Redis #1"):
        assert "No decision matches" in memdown(tmp_path, "bank", "supersede-decision", none, "Other").stderr


@pytest.mark.parametrize("way", ["--mode", "MEMDOWN_MODE"])
def test_rules_of_the_mode_that_is_set(tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for mode in ("code", "ask"):
        put(tmp_path, f".roo/rules-{mode}/own.md", "x\n")
    put(tmp_path, ".roo/rules/all.md", "x\n")
    if way == "--mode":
        done = memdown(tmp_path, "--mode", "code", "rules", "--json")
    else:
        monkeypatch.setenv("MEMDOWN_MODE", "code")
        done = memdown(tmp_path, "rules", "--json")
    assert [each["source"] for each in json.loads(done.stdout)] == [".roo/rules-code/own.md", ".roo/rules/all.md"]


# Beginning


def test_the_start_of_a_session_is_recorded(tmp_path: Path) -> None:
    text = "# A\n\n## Recent Changes\n- x\n"
    put(tmp_path, CONTEXT, text)
    put(tmp_path, "memdown.toml", "[bank]\nrecord-start = false\n")
    assert memdown(tmp_path, "start").returncode == 0
    assert (tmp_path / CONTEXT).read_text("utf-8") == text
    (tmp_path / "memdown.toml").unlink()
    assert memdown(tmp_path, "start", "--no-record").returncode == 0
    assert memdown(tmp_path, "--mode", "ask", "start").returncode == 0
    assert (tmp_path / CONTEXT).read_text("utf-8") == text
    for _ in range(2):
        assert memdown(tmp_path, "start").returncode == 0
    added = (tmp_path / CONTEXT).read_text("utf-8").removeprefix(text)
    assert added.startswith("- Session started — 20")
    assert added.count("\n") == 1
    assert memdown(tmp_path, "undo").returncode == 0
    assert (tmp_path / CONTEXT).read_text("utf-8") == text


def test_nothing_is_made_to_record_the_start_of_a_session(tmp_path: Path) -> None:
    put(tmp_path, "memory-bank/progress.md", "# Progress\n\n## In Progress\n- [ ] Ship\n")
    assert memdown(tmp_path, "start").returncode == 0
    assert not (tmp_path / CONTEXT).exists()
    put(tmp_path, CONTEXT, "# Active Context\n\n## Current Focus\nShip.\n")
    assert memdown(tmp_path, "start").returncode == 0
    assert "Recent" not in (tmp_path / CONTEXT).read_text("utf-8")  # no section is made, either


def test_the_seven_words_of_a_brief_make_a_tech_context(tmp_path: Path) -> None:
    assert memdown(tmp_path, "init", "--brief", "A REST API for managing todo items").returncode == 0
    text = (tmp_path / "memory-bank/techContext.md").read_text("utf-8")
    assert "No stack yet. The brief says: “A REST API for managing todo items” (projectBrief.md)" in text


def test_brief_and_manifest_agree_on_versions(tmp_path: Path) -> None:
    put(tmp_path, "pyproject.toml", '[project]\nname="x"\nrequires-python=">=3.11"\ndependencies=["django>=5.0"]\n')
    brief = "A shop in Python 3.12 with Django 4.2, Flask and PostgreSQL 15, later TypeScript."
    assert memdown(tmp_path, "init", "--brief", brief).returncode == 0
    text = (tmp_path / "memory-bank/techContext.md").read_text("utf-8")
    lines = [
        line for line in text.splitlines() if line.casefold().startswith(("- python", "- dj", "- fl", "- po", "- ty"))
    ]
    assert lines == [
        "- Python: >=3.11 (pyproject.toml)",
        "- TypeScript — named in the brief (projectBrief.md)",
        "- django: >=5.0 — web framework (pyproject.toml)",
        "- Flask — named in the brief (projectBrief.md)",
        "- PostgreSQL: 15 — named in the brief (projectBrief.md)",
        "- Python: >=3.11 (pyproject.toml)",
    ]
    assert "No stack yet" not in text


@pytest.mark.parametrize("to", ["in-progress", "upcoming", "completed"])
def test_an_item_is_added_once(tmp_path: Path, to: str) -> None:
    whole = "# P\n\n## Completed\n- [x] Import — 2026-01-01\n\n## In Progress\n- [ ] **Export**\n\n## Upcoming\n- [ ] Sync\n"
    put(tmp_path, PROGRESS_FILE, whole)
    for words, place in (("import", "line 4 in Completed"), ("Export", "line 7 in In"), ("Sync.", "line 10 in Up")):
        again = memdown(tmp_path, "bank", "add-item", words, "--to", to)
        assert again.returncode == 3
        assert place in again.stderr
    assert (tmp_path / PROGRESS_FILE).read_text("utf-8") == whole
    bank(tmp_path, "add-item", "Import of receipts", "--to", to)


@pytest.mark.parametrize("label", ["Current Focus", "当前焦点", "現在の焦点", "현재 초점", "Aktueller Fokus"])
@pytest.mark.parametrize(
    ("entry", "found"),
    [
        ("* [2026-01-05T10:00:00Z] - **{}:** Paying", "Paying"),
        ("### Update - 2026-01-05 10:00:00\n- **{}**: Paying", "Paying"),
        ("* [2025-12-05T10:00:00Z] - **{}:** Paying", "The cart"),
        ("**{}:** Paying", "The cart"),
    ],
)
def test_a_later_label_is_the_focus_of_a_dated_section(label: str, entry: str, found: str) -> None:
    text = f"# Active Context\n\n## Current Focus (2026-01-01)\nThe cart\n\n## Log\n\n{entry.format(label)}\n"
    assert briefing.focus(outline(text)) == found
    undated = text.replace(" (2026-01-01)", "")
    assert briefing.focus(outline(undated)) == "The cart"


@pytest.mark.parametrize(
    ("heading", "layer", "section"),
    [
        ("Derzeitiger Schwerpunkt", ACTIVE, "Current Focus"),
        ("Focus courant", ACTIVE, "Current Focus"),
        ("Foco corrente", ACTIVE, "Current Focus"),
        ("目前重点", ACTIVE, "Current Focus"),
        ("最近の変更点", ACTIVE, "Recent Changes"),
        ("향후 단계", ACTIVE, "Next Steps"),
        ("进行中的决策", ACTIVE, "Active Decisions"),
        ("Complété", PROGRESS, "Completed"),
        ("Предстоящие задачи", PROGRESS, "Upcoming"),
    ],
)
def test_more_headings_of_other_languages(heading: str, layer: Layer, section: str) -> None:
    assert names.canonical(heading, layer) == section
    assert names.canonical(f"2. {heading}:", layer) == section
