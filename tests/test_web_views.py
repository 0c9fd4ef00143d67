"""What the pages say, without a browser: nothing is left out in silence, and nothing is told that is not so."""

import gzip
import random
import re
import subprocess
from datetime import datetime
from pathlib import Path
from urllib.parse import unquote

import pytest

import web_sample
from memdown.errors import Stale
from memdown.memory import Memory
from memdown.record import Record
from memdown.store.patch import patch
from memdown.surfaces.web import markup
from memdown.surfaces.web.app import address
from memdown.surfaces.web.export import export
from memdown.surfaces.web.views import DOES, SHOWS, checked
from memdown.surfaces.web.views.model import PageRequest, difference
from memdown.text import Span
from samples import put

NOON = datetime.fromisoformat(web_sample.NOW)
ENTRY = "### {0}T10:00:00Z: decision: {1}\n\n**type:** decision\n**timestamp:** {0}T10:00:00Z\n**author:** Ann\n\n"
ENTRY += "**summary:** {1}\n\n---\n\n"
TASK = """# T3: Fix plots

**Status**: completed
**Priority**: HIGH

## Problem

The plots tab showed the wrong data.
"""


def shown(root: Path, page: str, **given: str) -> str:
    """The page as HTML."""
    with Memory(root, now=lambda: NOON) as memory:
        templates = markup.environment(address)
        templates.globals.update(static=str, navigation=(), live=True, policy="", watched=True, changes=0, version="")
        request = PageRequest(given)
        view = SHOWS[page](memory, request)
        common = {"title": view.title, "here": page, "request": request, "project": "", "now": NOON, "notices": []}
        return templates.get_template(view.template).render(common | view.values)


def test_decisions_lists_what_two_files_have_once_and_says_so(tmp_path: Path) -> None:
    old = ENTRY.format("2025-01-10", "Old") + ENTRY.format("2025-01-10", "Old")
    for folder in (".squad", ".ai-team"):
        put(tmp_path, f"{folder}/decisions.md", "# Decisions\n\n" + old + ENTRY.format("2026-01-30", "New one"))
    html = shown(tmp_path, "decisions")
    assert html.count(">New one</a>") == 1
    assert html.count(">Old</a>") == 2, "one file has two of that name, which are no copies"
    assert "3 decisions, newest first. 3 copies in other files are left out." in html


def test_a_record_that_two_files_have_opens_and_names_both(tmp_path: Path) -> None:
    for folder in (".squad", ".ai-team"):
        put(tmp_path, f"{folder}/decisions.md", "# Decisions\n\n" + ENTRY.format("2026-01-30", "New one"))
    with Memory(tmp_path, now=lambda: NOON) as memory:
        (id,) = {each.id for each in memory.query("kind:decision").records}
    html = shown(tmp_path, "record", id=id)
    assert "/record?id=.squad%2Fdecisions.md%3A3" in html or "/record?id=.ai-team%2Fdecisions.md%3A3" in html
    assert "memories match" not in shown(tmp_path, "history", id=id)


def test_the_timeline_counts_what_has_a_date(tmp_path: Path) -> None:
    undated = "### Use SQLite\n\n**By:** Ann\n\n**What:** SQLite.\n\n"
    put(tmp_path, ".squad/decisions.md", "# Decisions\n\n" + undated + ENTRY.format("2026-01-30", "New one"))
    html = shown(tmp_path, "timeline")
    assert "1 record, all of <time>2026-01-30</time>." in html
    assert ">1 record without a date</a> is not shown here." in html
    assert "Use SQLite" not in html


def test_a_record_shows_all_it_says(tmp_path: Path) -> None:
    words = " ".join(f"word{number}" for number in range(60))
    put(tmp_path, "memory-bank/tasks/T3.md", TASK)
    put(tmp_path, ".squad/agents/ann/history.md", f"# Ann\n\n## Learnings\n\n- 2026-01-30T20:35:59Z: {words}\n")
    assert "The plots tab showed the wrong data." in shown(tmp_path, "record", id="T3")
    with Memory(tmp_path, now=lambda: NOON) as memory:
        long = next(each.id for each in memory.query("kind:memory").records)
    assert "word59" in shown(tmp_path, "record", id=long).partition('class="prose"')[2]


def test_a_link_to_a_file_of_memory_leads_to_its_page(tmp_path: Path) -> None:
    put(tmp_path, ".squad/decisions/one.md", "# One\n\nText.\n")
    links = "[a](decisions.md) [b](../src/app.py) [c](javascript:alert(1)) [d](/.squad/decisions.md#x)"
    put(tmp_path, ".squad/decisions.md", "# Decisions\n\n" + ENTRY.format("2026-01-30", "New").replace("---", links))
    with Memory(tmp_path, now=lambda: NOON) as memory:
        found = memory.query("kind:decision").records[0]
    prose = shown(tmp_path, "record", id=found.id).partition('class="prose"')[2].partition("<aside")[0]
    assert prose.count('href="/files?path=.squad%2Fdecisions.md"') == 2
    assert prose.count("href=") == 2


def test_a_record_that_was_given_up_is_not_said_to_be_replaced(tmp_path: Path) -> None:
    put(
        tmp_path,
        "knowledge/decisions/old.md",
        "---\ntype: Decision\ntitle: Old one\nstatus: deprecated\n---\n\nGiven up.\n",
    )
    html = shown(tmp_path, "search")
    assert "deprecated</span>" in html
    assert "superseded</span>" not in html


def test_a_state_is_checked_once_by_all_threads(tmp_path: Path) -> None:
    put(tmp_path, PROGRESS, BOARD)
    with Memory(tmp_path, now=lambda: NOON) as one, Memory(tmp_path, now=lambda: NOON) as other:
        known = checked.everything(one)
        assert checked.everything(other) is known
        put(tmp_path, PROGRESS, BOARD.replace("Third", "Second"))
        assert checked.everything(other) is not known


def test_findings_tells_of_notes_that_it_does_not_list(tmp_path: Path) -> None:
    legacy = "### Use SQLite\n\n**By:** Ann\n\n**What:** SQLite.\n\n"
    put(tmp_path, ".squad/decisions.md", "# Decisions\n\n" + legacy + ENTRY.format("2027-01-30", "To come"))
    html = shown(tmp_path, "findings")
    assert "not listed here." in html
    assert "not listed here." not in shown(tmp_path, "findings", severity="info")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("## Purpose **all** of `it`", "Purpose all of it"),
        ("| a | b | |---|:--| | c |", "a b c"),
        ("C# and issue #12 --- end", "C# and issue #12 end"),
        ("<b>\x02word\x03</b>", "&lt;b&gt;<mark>word</mark>&lt;/b&gt;"),
    ],
)
def test_a_snippet_is_words(text: str, said: str) -> None:
    assert markup.snippet(text) == said


def test_code_that_a_title_cuts_is_no_lone_mark(tmp_path: Path) -> None:
    title = "word " * 25 + "`" + "Map<String, Object> " * 4 + "`"
    put(tmp_path, ".squad/decisions.md", "# Decisions\n\n" + ENTRY.format("2026-01-30", title))
    with Memory(tmp_path, now=lambda: NOON) as memory:
        assert "`" not in markup.name_of(memory.query("kind:decision").records[0])


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("**Status**: done\n**Priority:** high\nwith more", 1),
        ("*Created: 2026-01-01*\r\n*Updated: 2026-01-02*\r\n", 1),
        ("some **words**\n**and: more\n**bold** text", 0),
        ("One.\n\n**Status**: done", 0),
    ],
)
def test_fields_stay_lines(text: str, lines: int) -> None:
    assert markup.rich(text).count("<br>") == lines


def test_the_focus_of_a_file_that_is_no_memory_leads_nowhere(tmp_path: Path) -> None:
    put(tmp_path, ".squad/decisions.md", "# Decisions\n\n" + ENTRY.format("2026-01-30", "New one"))
    put(
        tmp_path,
        ".squad/identity/now.md",
        "---\nfocus_area: Speed\n---\n\n# What we are on\n\nThe first page is slow.\n",
    )
    html = shown(tmp_path, "")
    assert ">.squad/identity/now.md:" in html
    assert "path=.squad%2Fidentity%2Fnow.md" not in html, "Files has no such page"


def test_text_that_is_no_record_opens_in_its_file_and_is_counted(tmp_path: Path) -> None:
    log = "# Decisions\n\nA walrus is told of here.\n\n" + ENTRY.format("2026-01-30", "Feed the walrus")
    put(tmp_path, ".squad/decisions.md", log)
    html = shown(tmp_path, "search", q="walrus")
    assert "2 records" in html
    assert 'href="/files?path=.squad%2Fdecisions.md&amp;line=' in html
    assert "/record?id=.squad" not in html
    facet = 'kind:prose">prose</a> <span class="figure">1</span>'
    assert facet in html.replace("kind%3A", "kind:").replace("+", " ")
    assert 'dialect%3A"' not in html, "a file of no dialect cannot be narrowed down to"


def test_no_decision_is_no_list_of_them(tmp_path: Path) -> None:
    put(tmp_path, PROGRESS, BOARD)
    html = shown(tmp_path, "decisions")
    assert "No decisions yet." in html
    assert "newest first" not in html
    assert 'class="filters"' not in html
    assert "No matching decisions." in shown(tmp_path, "decisions", q="walrus")


def test_a_link_of_a_record_to_a_file_of_memory_leads_there(tmp_path: Path) -> None:
    put(tmp_path, "memory-bank/tasks.md", JOURNAL_TASKS)
    edit = "# Edit History\n\n### 2026-01-30\n\n#### 10:00 UTC - T4: Plan\n- Modified `memory-bank/tasks.md` - a task\n"
    put(tmp_path, "memory-bank/edit_history.md", edit + "- Modified `src/app.py` - a fix\n")
    with Memory(tmp_path, now=lambda: NOON) as memory:
        pages = [shown(tmp_path, "record", id=each.id) for each in memory.query("kind:modification").records]
    assert sorted('href="/files?path=memory-bank%2Ftasks.md">memory-bank/tasks.md</a>' in each for each in pages) == [
        False,
        True,
    ]


def test_the_timeline_names_days(tmp_path: Path) -> None:
    put(tmp_path, ".squad/decisions.md", "# Decisions\n\n" + ENTRY.format("2025-06-30", "New one"))
    html = shown(tmp_path, "timeline")
    assert ">2025-06-30</time>" in html.partition("stream")[2]


def test_review_offers_no_bank_where_memory_is_of_another_kind(tmp_path: Path) -> None:
    put(tmp_path, ".squad/decisions.md", "# Decisions\n\n" + ENTRY.format("2026-01-30", "New one"))
    assert "memdown init" not in shown(tmp_path, "review")
    assert "--capture" in shown(tmp_path, "review")
    put(tmp_path, "memdown.toml", "[hooks]\ncapture = true\n")
    assert "--capture" not in shown(tmp_path, "review")


def test_a_link_to_a_heading_of_the_same_text_is_no_link() -> None:
    shown = markup.rich("[Templates](#41-templates), [log](https://example.com/#41)\n\n## 4.1 Templates\n")
    assert re.findall('href="([^"]*)"', shown) == ["https://example.com/#41"]


def test_a_removed_line_of_dashes_is_no_head_of_a_difference() -> None:
    before, after = "---\nid: 1\n---\n", "---\nid: 2\n++ \n"
    text = patch("a.md", before, after) + patch("b.md", "-- Ann", None)
    kinds = {line: kind for kind, line in markup.diffed(text)}
    assert [kinds[each] for each in ("--- a/a.md", "+++ b/a.md", "--- a/b.md", "+++ /dev/null")] == ["head"] * 4
    assert [kinds[each] for each in ("----", "+++ ", "--- Ann", " ---")] == ["removed", "added", "removed", "same"]
    assert list(markup.diffed("--- Ann\n+Bo")) == [("removed", "--- Ann"), ("added", "+Bo")]  # without a head


def test_thousands_of_decisions_weigh_little(tmp_path: Path) -> None:
    chance = random.Random(17)
    words = ["".join(chance.choices("bdklmnr", k=1) + chance.choices("aeiou", k=1)) for _ in range(60)]
    names = (" ".join("".join(chance.choices(words, k=3)) for _ in range(5)) for _ in range(2000))
    entries = "".join(ENTRY.format(f"2025-{at % 12 + 1:02}-{at % 28 + 1:02}", name) for at, name in enumerate(names))
    put(tmp_path, ".squad/decisions.md", "# Decisions\n\n" + entries)
    html = shown(tmp_path, "decisions").encode()
    assert html.count(b"data-row") == 2000
    loaded = ("app.css", "app.js", "icon.svg", "vendor/htmx.min.js")
    assert (
        sum(len(gzip.compress(each)) for each in (html, *((markup.STATIC / name).read_bytes() for name in loaded)))
        < 1e5
    )


JOURNAL_TASKS = """# Task Registry

| ID | Title | Status | Priority | Started | Dependencies |
|----|-------|--------|----------|---------|--------------|
| T4 | Web dashboard | IN PROGRESS | HIGH | 2026-01-02 | - |
| T5 | Export as CSV | IN PROGRESS | LOW | 2026-01-02 | - |
"""


def test_a_task_that_progress_repeats_is_one_card(tmp_path: Path) -> None:
    put(tmp_path, "memory-bank/tasks.md", JOURNAL_TASKS)
    progress = (
        "# Progress\n\n## In Progress\n- [ ] **T4 — Dashboard**: half done\n- [ ] export as CSV\n- [ ] T41 docs\n"
    )
    put(tmp_path, "memory-bank/progress.md", progress)
    with Memory(tmp_path, now=lambda: NOON) as memory:
        assert [card.title for card in memory.board.cards()] == ["Web dashboard", "Export as CSV", "T41 docs"]


@pytest.mark.parametrize(
    ("body", "name"), [("---\n**Halted** the scan\n---", "**Halted** the scan"), ("***\n\n---", "x1")]
)
def test_a_name_has_words(body: str, name: str) -> None:
    assert (
        markup.name_of(Record(id="x1", dialect="", kind="note", path="", span=Span(0, 0), title="", body=body)) == name
    )


@pytest.mark.parametrize("text", ["---", "<br>", "[x]: y", "#"])
def test_a_line_of_marks_is_not_empty(text: str) -> None:
    assert markup.line(text)


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        ("## Bad\n\n## Good\n\n### More\n\n## Last", "2232"),
        ("### A\n\n# B\n\n#### C\n\n#### D\n\n# E", "22332"),
        ("# A\n\n## B\n\n### C\n\n#### D\n\n##### E\n\n###### F", "234566"),
    ],
)
def test_headings_beside_each_other_stay_so(text: str, levels: str) -> None:
    html = markup.rich(text, 2)
    assert "".join(re.findall(r"<h(\d)>", html)) == levels
    assert re.findall(r"</h(\d)>", html) == re.findall(r"<h(\d)>", html)


def test_code_can_be_scrolled_by_keys() -> None:
    assert markup.rich("```\nwide\n```").startswith('<pre tabindex="0"><code>')


def test_words_are_a_line_without_its_marks() -> None:
    assert markup.words("**Code:** ran `a < b` in 2 * 3 steps") == "Code: ran a < b in 2 * 3 steps"
    assert markup.words("a_b <c>") == "a_b <c>"


def test_an_export_leaves_notices_to_who_asked_for_it(tmp_path: Path) -> None:
    put(tmp_path, ".squad/decisions.md", "# Decisions\n\n" + ENTRY.format("2026-01-30", "New one"))
    with Memory(tmp_path, now=lambda: NOON) as memory:
        memory.tell("the index is rebuilt")
        export(memory, tmp_path / "site")
        assert "the index is rebuilt" in memory.notices()
    assert "index is rebuilt" not in "".join(page.read_text("utf-8") for page in (tmp_path / "site").glob("*.html"))


def test_a_file_of_no_dialect_that_a_search_finds_opens(tmp_path: Path) -> None:
    put(tmp_path, ".squad/decisions.md", "# Decisions\n\n" + ENTRY.format("2026-01-30", "New one"))
    put(tmp_path, ".squad/plan.md", "A walrus is told of here.\n")
    found = re.findall(r'/files\?path=([^&"]+)', shown(tmp_path, "search", q="walrus"))
    assert found
    assert all("walrus" in shown(tmp_path, "files", path=unquote(path)) for path in found)


class RacedMemory(Memory):
    """Another writes the progress while a page is made."""

    def hash_of(self, path: str) -> str:
        put(self.root, PROGRESS, BOARD.replace("- [ ] First\n", "").replace("Third", "First"))
        return super().hash_of(path)


PROGRESS = "memory-bank/progress.md"
BOARD = "# Progress\n\n## In Progress\n\n- [ ] First\n- [ ] Second\n- [ ] Third\n"


def test_no_task_is_moved_but_the_one_that_was_shown(tmp_path: Path) -> None:
    put(tmp_path, PROGRESS, BOARD)
    with RacedMemory(tmp_path, now=lambda: NOON) as memory:
        made = SHOWS["tasks"](memory, PageRequest({})).values
        card = made["columns"][1][2][1]
        given = {"key": card.key, "to": "done", "path": card.path, "hash": made["hashes"][card.path]}
        assert card.title == "Second"
        with pytest.raises(Stale):
            DOES["move"](memory, PageRequest(given))


def test_no_fix_is_made_but_the_one_that_was_shown(tmp_path: Path) -> None:
    put(tmp_path, PROGRESS, BOARD.replace("Third\n", "Third"))
    given = {"path": PROGRESS, "code": "MD006"}
    with RacedMemory(tmp_path, now=lambda: NOON) as memory:
        made = SHOWS["fix"](memory, PageRequest(given)).values
        assert made["diff"]
        with pytest.raises(Stale):
            DOES["fix"](memory, PageRequest({**given, "hash": made["hash"]}))


def test_what_is_put_away_has_no_age(tmp_path: Path) -> None:
    """The strip says no word of what is stale that the list below it does not say."""
    old, new = ENTRY.format("2024-01-30", "Old one"), ENTRY.format("2026-01-30", "New one")
    put(tmp_path, ".squad/decisions-archive.md", "# Decisions\n\n" + old)
    put(tmp_path, ".squad/decisions.md", "# Decisions\n\n" + new)
    html = shown(tmp_path, "")
    assert "over a year" not in html
    assert "Nothing is stale." in html


def test_a_long_focus_leaves_the_first_screen_to_what_was_decided(tmp_path: Path) -> None:
    focus = "word " * 200
    put(tmp_path, "memory-bank/activeContext.md", f"# Active Context\n\n## Current Focus\n\n{focus}\n")
    html = shown(tmp_path, "")
    assert html.count(focus.strip()) == 1
    assert '<details class="long"><summary>' in html


def test_a_fix_of_line_ends_is_shown() -> None:
    assert difference("a\nb", "a\nb\n", "x").split("\n")[-3:] == ["-b", "\\ No newline at end of file", "+b"]
    assert difference("a\r\nb\n", "a\nb\n", "x").split("\n")[3:] == ["-a␍", "+a", " b"]
    assert difference("a\r\nb\r\n", "a\r\nc\r\n", "x").split("\n")[3:] == [" a", "-b", "+c"]


def test_a_difference_is_no_longer_than_a_page_can_show() -> None:
    shown = difference("", "word\n" * 200_000 + "x" * 10_000_000, "x")
    assert len(shown) < 10_000
    assert shown.endswith("\n… and 199,005 more lines")
    assert len(difference("a", "x" * 10_000_000, "x")) < 2_000


def test_a_version_shows_what_changed_in_each_field(tmp_path: Path) -> None:
    with Memory(tmp_path, now=lambda: NOON) as memory:
        card = memory.cards.add("The lighthouse is a logo", "It is drawn.", keywords=["logo", "sea"]).record
    made = ("-c", "user.name=Ann", "-c", "user.email=a@b.c", "commit", "-qm", "All")
    for words in (("init", "-q"), ("add", "."), made):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    html = shown(tmp_path, "history", id=card.id)
    assert ">+logo, sea\n</span>" in html
    assert "@@" not in html


def test_the_plain_picture_of_time_leaves_room_where_nothing_was(tmp_path: Path) -> None:
    days = ("2025-07-01", "2025-07-03", "2026-01-30")
    put(tmp_path, ".squad/decisions.md", "# Decisions\n\n" + "".join(ENTRY.format(day, day) for day in days))
    html = shown(tmp_path, "timeline")
    wide = int(re.findall(r'viewBox="0 0 (\d+) 120"', html)[0])
    places = [float(each) / wide for each in re.findall(r'x="([\d.]+)" width="8.00"', html)]
    assert [round(each, 1) for each in places] == [0, 1]


def test_a_bare_heading_leads_to_no_page(tmp_path: Path) -> None:
    text = "# Ann\n\n## Learnings\n\n### 2026-01-08: Use a queue\n\nIt holds.\n\n## Archived (2026-01-08 summary)\n\n### Old\n"
    put(tmp_path, ".squad/agents/ann/history-archive.md", text)
    html = shown(tmp_path, "files", path=".squad/agents/ann/history-archive.md")
    with Memory(tmp_path, now=lambda: NOON) as memory:
        led = [unquote(each) for each in re.findall(r'"/record\?id=([^"]+)"', html)]
        assert led
        assert {memory.get(each).id for each in led} == set(led)
        export(memory, tmp_path / "site")
    assert not [each.name for each in (tmp_path / "site").glob("*.html") if "<h1>Not here" in each.read_text("utf-8")]
