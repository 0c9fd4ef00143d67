"""Conversion of older entries: what was there is there, what was not said is not invented."""

import json
import os
import random
import re
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from conftest import CORPUS, Ran, some
from memdown import dialects
from memdown.acts import convert
from memdown.dialects import DIALECTS
from memdown.dialects.draft import Known
from memdown.dialects.hollow import is_hollow
from memdown.dialects.sem import grammar
from memdown.dialects.sem.read import entries
from memdown.errors import Refused
from memdown.record import Record
from memdown.store import Files
from memdown.text import decode
from samples import killed, memdown, put

sem = DIALECTS["sem"]

Cli = Callable[..., Ran]
LOG = ".squad/decisions.md"
OLD = """\
# Decisions

Text before the entries stays.

### 2026-02-10: Use SQLite
**By:** Ann (Lead)
**What:** One file for everything.
- no server
**Why:** Nobody runs a server here.
**Status:** Accepted
**Issue:** #18, #19
**PR:** #20

---

### 2026-02-11: Nobody signed this

Text.

# Decision: Deploy on Fridays

**Date:** 2026-02-12
**Author:** Cy
**Requested by:** Dee

## Context

We wait too long.

## Rationale

Waiting is worse.

## Impact

```sh
# not a heading
---
```
"""
NEW = """\
# Decisions

Text before the entries stays.

### 2026-02-10: decision: Use SQLite

**type:** decision  
**timestamp:** 2026-02-10  
**author:** Ann (Lead)  
**scope:** team  

**summary:** Use SQLite

**details:**

One file for everything.
- no server

**Status:** Accepted

**rationale:** Nobody runs a server here.

**related:**
- issue: #18
- issue: #19
- pr: #20

---

### 2026-02-11: Nobody signed this

Text.

### 2026-02-12: decision: Deploy on Fridays

**type:** decision  
**timestamp:** 2026-02-12  
**author:** Cy  
**contributors:** Dee  
**scope:** team  

**summary:** Deploy on Fridays

**details:**

#### Context

We wait too long.

#### Impact

```sh
# not a heading
---
```

**rationale:** Waiting is worse.

---
"""


def converted(text: str, path: str = LOG, **choice: Any) -> convert.Conversion:
    [done] = convert.convert([dialects.parse(path, text)], to="sem", choice=convert.ConvertChoice(**choice))
    return done


def only(text: str, path: str = LOG) -> Record:
    """The entry that a converted text holds."""
    [record] = sem.read(path, converted(text, path).after)
    assert record.extra["form"] == "sem"
    return record


def entry(*lines: str, heading: str = "### 2026-02-10: Use SQLite") -> str:
    return "\n".join([heading, "**By:** Ann", *lines]) + "\n"


def test_a_log_of_several_forms() -> None:
    assert converted(OLD).after == NEW


def test_a_section_of_the_file_is_neither_demoted_nor_moved() -> None:
    governance = "## Governance\n\n- All meaningful changes require team consensus\n"
    done = converted(f"# Squad Decisions\n\n## Active Decisions\n\n{entry('**By:** Ann', 'Text.')}\n{governance}")
    assert [each.state for each in done.items] == ["converted"]
    assert done.after.startswith("# Squad Decisions\n\n## Active Decisions\n\n### 2026-02-10: decision:")
    assert done.after.endswith(f"\n\n---\n\n{governance}")
    assert converted(done.after).after == done.after


def test_an_entry_whose_new_text_would_swallow_the_next_stays_as_it_is() -> None:
    old = f"{entry('Text.')}\n{entry('More.', heading='### 2026-02-11: Use Redis')}"
    document = dialects.parse(LOG, old)
    drafts = dialects.offered("sem", "drafts")(document, Known())
    first = min(drafts)
    drafts[first] = structs.replace(drafts[first], text=drafts[first].text + "```\n")
    done = convert._converted(document, drafts, "sem", convert.ConvertChoice())
    assert [item.reason for item in done.items] == ["text after it would be read differently", None]
    assert done.after.startswith(entry("Text."))
    assert "### 2026-02-11: decision: Use Redis\n" in done.after


def test_only_a_dialect_with_older_spellings_is_converted_to() -> None:
    with pytest.raises(Refused, match="is not a dialect to convert to; use one of sem"):
        convert.convert([], to="cards")


def test_a_second_run_changes_nothing() -> None:
    again = converted(NEW)
    assert again.after == NEW
    assert {item.reason for item in again.items} == {"canonical already", "no author"}


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_line_endings_and_byte_order_mark_stay(eol: str) -> None:
    assert converted("\ufeff" + OLD.replace("\n", eol)).after == "\ufeff" + NEW.replace("\n", eol)


def test_each_line_of_mixed_endings_keeps_its_own() -> None:
    after = converted("### 2026-02-10: T\r\n**By:** Ann\r\none\ntwo\r\nthree\n\r\nfour\r\n").after
    assert "one\ntwo\r\nthree\n\r\nfour\r\n" in after


def test_a_file_without_a_last_line_ending_gets_none() -> None:
    assert converted(OLD.rstrip("\n")).after == NEW.rstrip("\n")


@pytest.mark.parametrize("label", ["By", "Author", "Decided by", "Proposed by"])
@pytest.mark.parametrize("shape", ["**{}:** Ann", "**{}**: Ann", "- **{}:** Ann", "> **{}:** Ann"])
def test_who_wrote_it(label: str, shape: str) -> None:
    record = only(f"### 2026-02-10: T\n\n{shape.format(label)}\n\nText.\n")
    assert (record.author, record.body) == ("Ann", "Text.")


@pytest.mark.parametrize(
    ("heading", "stamp", "inferred"),
    [
        ("### 2026-02-10: T", "2026-02-10", ("type",)),
        ("### 2026-02-10T14:30:15Z: T", "2026-02-10T14:30:15+0000", ("type",)),
        ("### 2026-02-10T14:30:15+02:00: T", "2026-02-10T14:30:15+0200", ("type",)),
        ("### 2026-02-10T14-30-15: T", "2026-02-10T14:30:15", ("type",)),
        ("### 2026-02-10 14:30: T", "2026-02-10T14:30:00", ("type",)),
        ("### 2026-02-10T14:30Z: T", "2026-02-10T14:30:00+0000", ("type",)),
        ("### T (2026-02-10)", "2026-02-10", ("type",)),
        ("## 2026-02-10 — T", "2026-02-10", ("type",)),
        ("# Decision: T — 2026-02-10", "2026-02-10", ()),
        ("### 2026-02-10: User directive — T", "2026-02-10", ()),
    ],
)
def test_when_it_was(heading: str, stamp: str, inferred: tuple[str, ...]) -> None:
    text = entry("Text.", heading=heading)
    [item] = converted(text).items
    assert item.inferred == inferred
    record = only(text)
    assert f"### {stamp}: {record.kind}: T\n" in converted(text).after


@pytest.mark.parametrize(
    ("heading", "kept"),
    [
        ("### 2026-02-14/15: T", "**Heading:** 2026-02-14/15: T"),
        ("### 2026-02-10T10:00:00.123Z: T", "**Heading:** 2026-02-10T10:00:00.123Z: T"),
    ],
)
def test_a_heading_that_says_more_is_kept_in_the_details(heading: str, kept: str) -> None:
    assert only(entry("Text.", heading=heading)).body == f"{kept}\n\nText."


def test_a_date_that_says_more_stays_in_the_details() -> None:
    record = only("## T\n\n**Author:** Ann\n**Date:** 2026-02-14, refined 2026-02-15\n\nText.\n")
    assert record.body == "**Date:** 2026-02-14, refined 2026-02-15\n\nText."


def test_types() -> None:
    directive = entry("**What:** Tests first", heading="### 2026-02-10: User directive — T")
    assert only(directive).kind == "directive"
    hinted = "### 2026-02-10: T\n**By:** Bo (via Copilot)\n**What:** Always test first.\n"
    assert (only(hinted).kind, converted(hinted).items[0].confidence) == ("directive", "medium")
    assert only(entry("Text.")).kind == "decision"
    assert only(entry("**Type:** note", "Text.")).kind == "note"
    history = ".squad/agents/ann/history.md"
    record = only("# History\n\n## Learnings\n\n### Jest spies (2026-02-10)\n\nRestore them.\n", history)
    assert (record.kind, record.author, record.scope) == ("memory", "ann", "agent:ann")
    [item] = converted("### Jest spies (2026-02-10)\n\nRestore them.\n", history).items
    assert (item.confidence, item.inferred) == ("medium", ("author", "type"))


def test_labels_that_are_fields() -> None:
    record = only(
        entry(
            "**Requested by:** Dee",
            "**Supersedes:** 2026-01-01: old",
            "**Scope:** project",
            "**Tags:** db, cost",
            "Text.",
        )
    )
    assert record.contributors == ("Dee",)
    assert record.links[0].target == "2026-01-01: old"
    assert (record.scope, record.tags, record.body) == ("project", ("db", "cost"), "Text.")


def test_labels_that_are_no_fields_stay_in_the_details() -> None:
    lines = [
        "**Severity:** high",
        "**Supersedes:** the old one",
        "**Scope:** the whole team",
        "**Issue:** #18 and more",
    ]
    assert only(entry(*lines)).body == "\n".join(lines)


def test_several_labels_on_a_line() -> None:
    record = only("## T\n\n**Date:** 2026-02-10 | **Author:** Ann\n\nText.\n")
    assert (record.author, record.body) == ("Ann", "Text.")
    record = only("## T\n\n**Date:** 2026-02-10 | **Author:** Ann | **Severity:** low\n\nText.\n")
    assert record.body == "**Date:** 2026-02-10 | **Author:** Ann | **Severity:** low\n\nText."


def test_a_summary_of_one_line_is_the_field_and_a_longer_one_stays() -> None:
    record = only(entry("**Summary:** One file.", "**Severity:** low", "", "Text."))
    assert (record.title, record.summary, record.body) == ("Use SQLite", "One file.", "**Severity:** low\n\nText.")
    for lines in (["**Summary:** One file", "for everything."], [f"**Summary:** {'many words ' * 12}"]):
        record = only(entry(*lines))
        assert (record.summary, record.body) == ("Use SQLite", "\n".join(lines).strip())


def test_a_line_that_signs_becomes_the_author() -> None:
    for line in ("Decided by Ann", "— Ann (Lead)", "*Recorded 2026-02-10 by Ann*"):
        for text in (f"{line}\n\nText.\n", f"Text.\n\n{line}\n"):
            record = only(f"### 2026-02-10: Use SQLite\n\n{text}")
            assert (record.author or "").startswith("Ann")
            assert record.body == "Text."


def test_a_document_is_read_as_before_when_what_stands_above_it_is_converted(cli: Cli) -> None:
    plan = "## Decision\n\nDo it.\n\n## Rollout rules\n\nSlowly.\n\n"
    wrapped = f"## Decision: the-rest\n# Code — The rest\n\n{plan}"
    put(Path(), LOG, f"# Decisions\n\n{entry()}\n# Lead — The plan\n\n{plan}{wrapped}")
    git("init", "-q")
    git("add", ".squad")
    git("commit", "-q", "-m", "log", at="2026-02-10T16:45:30+0200")
    assert cli("convert", LOG, "--infer", "git", "--json").json()["kept"] == 0
    titles = [each.title for each in sem.read(LOG, Path(LOG).read_text())]
    assert titles == ["Use SQLite", "Lead — The plan", "the-rest", "Code — The rest"]


def test_what_and_why_twice_stay_as_they_are() -> None:
    lines = ["**What:** a", "**Why:** b", "**What:** c", "**Why:** d"]
    record = only(entry(*lines))
    assert (record.body, record.extra.get("rationale")) == ("\n".join(lines), None)


def test_labels_inside_the_reason_belong_to_it() -> None:
    record = only(entry("**Why:** Two things.", "- **Cost:** low", "- **Time:** short", "**Severity:** low"))
    assert record.extra["rationale"] == "Two things.\n- **Cost:** low\n- **Time:** short"
    assert record.body == "**Severity:** low"


def test_text_that_looks_like_structure_reads_back() -> None:
    lines = ["one", "", "---", "", "two", "**details:** three", "```", "open"]
    assert only(entry(*lines)).body == "\n".join(lines)


@pytest.mark.parametrize(
    ("title", "summary"),
    [
        ("word " * 60 + "end", "word " * 23 + "word…"),
        ("x" * 119 + " y", "x" * 119 + "…"),
        ("x" * 200, "x" * 119 + "…"),
        ("x" * 120, "x" * 120),
    ],
)
def test_a_long_title_stays_whole_and_its_summary_fits(title: str, summary: str) -> None:
    text = entry("Text.", heading=f"### 2026-02-10: {title}")
    record = only(text)
    assert (record.title, record.summary) == (title, summary)
    assert len(summary) <= grammar.SUMMARY_LIMIT
    assert bool(converted(text).items[0].notes) == (title != summary)


def test_older_fields_below_a_canonical_heading_get_their_own_names() -> None:
    heading = "### 2026-02-15T14:32:15-0800: decision: Use SQLite"
    done = converted(f"{heading}\n**By:** Ann\n**What:** One file.\n\nNo server.\n**Why:** Nobody runs one.\n")
    assert done.after == (
        f"{heading}\n\n**type:** decision  \n**timestamp:** 2026-02-15T14:32:15-0800  \n**author:** Ann  \n"
        "**scope:** team  \n\n**summary:** Use SQLite\n\n**details:**\n\nOne file.\n\nNo server.\n\n"
        "**rationale:** Nobody runs one.\n\n---\n"
    )
    done = converted(f"{heading}\n**By:** Ann\n**Status:** open\n**What:** One file.\n")
    assert "**details:**\n\n**Status:** open\n\nOne file.\n" in done.after
    assert converted(f"{heading}\n**What:** One file.\n").items[0].reason == "no author"


@pytest.mark.parametrize("heading", ["### 2026-02-15: Use SQLite", "## Use SQLite", "### Use SQLite (2026-02-15)"])
def test_an_entry_that_lacks_only_the_heading_keeps_its_fields(heading: str) -> None:
    fields = (
        "**type:** decision  \n**timestamp:** 2026-02-15T14:32:15-0800  \n**author:** Ann  \n**scope:** team  \n"
        "**expires:** 2099-01-01T00:00:00-0800  \n\n**summary:** One file.\n\n**details:**\n\nNo server.\n\n"
        "**rationale:** Nobody runs one.\n\n**related:**\n- issue: #18\n\n---\n"
    )
    done = converted(f"{heading}\n\n{fields}")
    assert done.after == f"### 2026-02-15T14:32:15-0800: decision: Use SQLite\n\n{fields}"


def test_nothing_is_invented() -> None:
    for text, reason in (
        ("### 2026-02-10: T\n\nText.\n", "no author"),
        ("## T\n\n**By:** Ann\n\nText.\n", "no date"),
        ("## Decision: T\n\nText.\n", "no author and no date"),
        ("### 2026-02-10: T\n**By:** TBD\n", "no author"),
        ("### 2026-02-31: T\n**By:** Ann\n", "no date"),
    ):
        done = converted(text, minimum="low")
        assert done.after == text
        assert [item.reason for item in done.items] == [reason]


def test_a_heading_above_a_pasted_document_stays_one_when_that_is_converted() -> None:
    log = "# Merged (2026-04-02T14:03:57Z)\n\n## Decision: follow-up\n# Follow-up\n\n**Date:** 2026-04-02\n**By:** Ann\n\nx\n"
    done = converted(f"# Decisions\n\n{log}\n---\n\n### 2026-04-03: B\n**By:** Bob\n\ny\n")
    assert [item.state for item in done.items if item.title in ("Follow-up", "B")] == ["converted", "converted"]


def test_entries_of_a_list_are_converted_below_its_name() -> None:
    done = converted("# Decisions\n\n## 2026-05-17\n\n### A\n**By:** Ann\n\nx\n\n### B\n**By:** Bob\n\ny\n")
    assert [(item.title, item.state) for item in done.items] == [("A", "converted"), ("B", "converted")]
    assert "## 2026-05-17\n\n### 2026-05-17: decision: A\n" in done.after


def test_canonical_entries_are_untouched() -> None:
    odd = "### 2026-02-10T14:30:15-0800:  decision: T\n**author:**   Ann\n\nText under no label.\n"
    done = converted(odd + "\n" + OLD)
    assert done.after.startswith(odd)
    assert done.items[0].reason == "canonical already"


def test_confidence_decides() -> None:
    bare = "### 2026-02-10\n**By:** Ann\n\nText.\n"
    [item] = converted(bare).items
    assert (item.state, item.confidence) == ("kept", "low")
    assert converted(bare, accept=frozenset({item.id})).items[0].state == "converted"
    assert converted(bare, minimum="low").items[0].state == "converted"
    assert converted(OLD, minimum="low", skip=frozenset({converted(OLD).items[0].id})).items[0].reason == "skipped"


# The command


def test_the_command_converts_in_place_with_a_backup(cli: Cli) -> None:
    put(Path(), LOG, OLD)
    done = cli("convert", LOG, "--to", "sem", "--json").json()
    assert (done["entries_in"], done["converted"], done["kept"]) == (3, 2, 1)
    assert done["written"] == [LOG]
    assert done["backup"] == f"{LOG}.bak"
    assert Path(LOG).read_text() == NEW
    assert Path(done["backup"]).read_text() == OLD
    assert set(done["items"][0]) >= {"title", "line", "confidence", "inferred", "lost", "id", "path", "state", "reason"}
    assert (done["items"][2]["title"], done["items"][2]["line"]) == ("Deploy on Fridays", 20)
    again = cli("convert", LOG, "--json").json()
    assert (again["converted"], again["kept"], again["written"], again["backup"]) == (0, 3, [], None)
    assert Path(LOG).read_text() == NEW


def test_an_older_backup_is_never_overwritten(cli: Cli) -> None:
    put(Path(), LOG, OLD)
    put(Path(), f"{LOG}.bak", "mine")
    assert cli("convert", LOG, "--json").json()["backup"] == f"{LOG}-2.bak"
    assert Path(f"{LOG}.bak").read_text() == "mine"
    assert Path(f"{LOG}-2.bak").read_text() == OLD


def test_no_backup(cli: Cli) -> None:
    put(Path(), LOG, OLD)
    told = cli("convert", LOG, "--no-backup", "--json").json()
    assert (told["backup"], [each for each in told["removed"] if "Use SQLite" in each["what"]]) == (None, [])
    assert [path.name for path in Path(".squad").iterdir()] == ["decisions.md"]


def test_a_dry_run_writes_nothing(cli: Cli) -> None:
    put(Path(), LOG, OLD)
    told = cli("convert", LOG, "--dry-run")
    assert "2 would be converted, 1 kept" in told.out
    assert "kept (no author): Nobody signed this" in told.out
    assert cli("convert", LOG, "--dry-run", "--json").json()["written"] == []
    assert Path(LOG).read_text() == OLD
    assert not Path(".memdown").exists()


def test_a_diff_writes_nothing(cli: Cli) -> None:
    put(Path(), LOG, OLD)
    shown = cli("convert", LOG, "--diff").out
    assert "-### 2026-02-10: Use SQLite\n" in shown
    assert "+### 2026-02-10: decision: Use SQLite\n" in shown
    assert Path(LOG).read_text() == OLD


def test_out_leaves_the_old_file(cli: Cli) -> None:
    put(Path(), "notes/decisions.md", OLD)
    assert cli("convert", "notes/decisions.md", "--out", LOG, "--json").json()["written"] == [LOG]
    assert Path(LOG).read_text() == NEW
    assert Path("notes/decisions.md").read_text() == OLD
    assert cli("convert", "notes/decisions.md", "--out", LOG, "--json").json()["written"] == []
    put(Path(), LOG, "mine")
    assert cli("convert", "notes/decisions.md", "--out", LOG).code == 3
    assert Path(LOG).read_text() == "mine"
    assert cli("convert", ".", "--out", "other.md").code == 2


def test_a_folder_means_all_its_logs_and_histories(cli: Cli) -> None:
    names = [LOG, ".squad/decisions-archive.md", ".squad/agents/ann/history.md", ".ai-team/decisions.md"]
    others = [".squad/decisions/inbox/a.md", ".squad/log/2026-02-10-x.md", ".squad/team.md"]
    for name in (*names, *others):
        put(Path(), name, OLD)
    assert sorted(cli("convert", ".", "--json").json()["written"]) == sorted(names)
    for name in others:
        assert Path(name).read_text() == OLD
    put(Path(), LOG, OLD)
    assert cli("convert", ".squad", "--json").json()["written"] == [LOG]


def test_review_accept_and_skip(cli: Cli) -> None:
    put(Path(), LOG, "### 2026-02-10\n**By:** Ann\n\nText.\n\n" + entry("Text."))
    review = cli("convert", LOG, "--review", "--json").json()
    [item] = review["items"]
    assert (item["confidence"], item["state"]) == ("low", "kept")
    assert cli("convert", LOG, "--accept", "zzz").code == 1
    skipped = sem.read(LOG, Path(LOG).read_text())[1].id
    done = cli("convert", LOG, "--accept", item["id"][:6], "--skip", skipped, "--json").json()
    assert [each["state"] for each in done["items"]] == ["converted", "kept"]
    assert cli("convert", LOG, "--min-confidence", "high", "--json").json()["converted"] == 1


def test_paths_outside_are_refused(cli: Cli, tmp_path: Path) -> None:
    put(tmp_path, "other.md", OLD)
    assert cli("convert", "../other.md").code == 3
    assert cli("convert", "missing.md").code == 4
    put(Path(), LOG, OLD)
    assert cli("convert", LOG, "--out", "../new.md").code == 3


def git(*args: str, at: str = "") -> None:
    env = {**os.environ, "GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at} if at else None
    identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
    subprocess.run(["git", *identity, *args], check=True, capture_output=True, env=env)


def test_times_from_git_only_on_request(cli: Cli) -> None:
    undated = "\n## Decision: Undated\n\n**By:** Ann\n\nText.\n"
    put(Path(), LOG, entry("Text.") + entry("Text.", heading="### 2026-01-01: Another day") + undated)
    git("init", "-q")
    git("add", ".squad")
    git("commit", "-q", "-m", "log", at="2026-02-10T16:45:30+0200")
    items = cli("convert", LOG, "--infer-time", "--json").json()["items"]
    assert [item["inferred"] for item in items] == [["time", "type"], ["type"], ["date"]]
    assert [item["state"] for item in items] == ["converted", "converted", "kept"]
    text = Path(LOG).read_text()
    assert "### 2026-02-10T16:45:30+0200: decision: Use SQLite" in text
    assert "### 2026-01-01: decision: Another day" in text
    put(Path(), LOG, undated)
    assert cli("convert", LOG, "--accept", items[2]["id"], "--dry-run").code == 0  # nothing is committed at its line


def test_git_tells_who_and_when_on_request(cli: Cli) -> None:
    text = "### 2026-02-01: Nobody signed this\n\nText.\n\n## Decision: Undated\n\n**By:** Cy\n\nText.\n"
    put(Path(), LOG, text)
    git("init", "-q")
    git("add", ".squad")
    git("commit", "-q", "-m", "log", at="2026-02-10T16:45:30+0200")
    put(Path(), LOG, text + "\n## Decision: Not committed\n\nText.\n")
    told = cli("convert", LOG, "--dry-run")
    assert "2 entries lack an author: git knows 1 (--infer git)." in told.out
    assert "2 entries lack a date: git knows 1 (--infer git)." in told.out
    done = cli("convert", LOG, "--dry-run", "--json").json()
    assert (done["canonical"], done["could_not"]) == (0, {"no author": 1, "no author and no date": 1, "no date": 1})
    assert done["git_knows"] == {"author": 1, "date": 1}
    assert cli("convert", LOG, "--skip", done["items"][0]["id"]).out.count("git knows 1") == 2
    done = cli("convert", LOG, "--infer", "git", "--json").json()
    assert [item["state"] for item in done["items"]] == ["converted", "converted", "kept"]
    assert [item["inferred"] for item in done["items"]] == [["author", "type"], ["date"], []]
    assert [item["notes"] for item in done["items"]] == [["author from git: Ann"], ["date from git"], []]
    after = sem.read(LOG, Path(LOG).read_text())
    assert [(each.author, each.at.text if each.at else None) for each in after] == [
        ("Ann", "2026-02-01"),
        ("Cy", "2026-02-10T16:45:30+0200"),
        (None, None),
    ]
    again = cli("convert", LOG, "--infer", "git")
    assert "3 entries: 0 converted, 3 kept (2 canonical already, 1 no author and no date)." in again.out
    assert "1 entry lacks an author; --author NAME names one." in again.out


def test_git_tells_who_wrote_lines_that_moved_to_an_archive(cli: Cli) -> None:
    text = (
        "### Undated decisions of the whole team are written down here\n\n**By:** Cy\n\nA text that is long enough.\n"
    )
    put(Path(), LOG, "# Decisions\n\n" + text)
    git("init", "-q")
    git("add", ".squad")
    git("commit", "-q", "-m", "log", at="2026-02-10T16:45:30+0200")
    put(Path(), LOG, "# Decisions\n")
    put(Path(), ".squad/decisions-archive.md", text)
    git("add", ".squad")
    git("commit", "-q", "-m", "archive", at="2026-03-10T16:45:30+0200")
    cli("convert", ".squad/decisions-archive.md", "--infer", "git")
    assert "**timestamp:** 2026-02-10T16:45:30+0200" in Path(".squad/decisions-archive.md").read_text()


def test_an_author_that_is_given_signs_what_nobody_signed(cli: Cli) -> None:
    put(Path(), LOG, entry("Text.") + "\n### 2026-02-11: Nobody signed this\n\nText.\n")
    done = cli("convert", LOG, "--author", "Bo", "--json").json()
    assert [item["notes"] for item in done["items"]] == [[], ["author as given: Bo"]]
    assert [each.author for each in sem.read(LOG, Path(LOG).read_text())] == ["Ann", "Bo"]
    assert cli("convert", LOG, "--author", "a\nb").code == 2
    assert cli("convert", LOG, "--author", " ").code == 2


def test_a_type_that_is_none_is_told_as_inferred() -> None:
    [item] = converted(entry("**Type:** bug", "", "Text.")).items
    assert "type" in item.inferred
    [item] = converted(entry("**Type:** note", "", "Text.")).items
    assert "type" not in item.inferred


def test_a_section_gives_its_date() -> None:
    history = ".squad/agents/ann/history.md"
    text = "## 2026-02-10: Session\n\nText.\n\n### Jest spies\n\nRestore them.\n"
    done = converted(text, history)
    assert [(each.state, each.inferred, each.notes) for each in done.items][1] == (
        "converted",
        ("author", "date", "type"),
        ("date from its section",),
    )
    assert "### 2026-02-10: memory: Jest spies\n" in done.after
    for heading in ("# 2026-02-10", "## Archived 2026-02-10", "## 2026-02-01 to 2026-02-10", "## Updated 2026-02-10"):
        done = converted(f"{heading}\n\nText.\n\n### Jest spies\n\nRestore them.\n", history)
        assert [each.reason for each in done.items if each.title == "Jest spies"] in ([], ["no date"])


def test_without_git_times_are_as_written(cli: Cli) -> None:
    put(Path(), LOG, entry("Text."))
    assert cli("convert", LOG, "--infer-time", "--json").json()["converted"] == 1
    assert "2026-02-10" in Path(LOG).read_text()


# init


def test_init_makes_a_log_when_asked(cli: Cli) -> None:
    assert cli("init", "--dialect", "sem", "--dry-run", "--json").json()["created"] == [LOG]
    assert not Path(".squad").exists()
    begun = cli("init", "--dialect", "sem", "--json").json()
    assert (begun["created"], begun["kept"], begun["legacy"]) == ([LOG], [], {"files": 0, "entries": 0})
    assert Path(begun["root"]).samefile(".")
    assert cli("init", "--dialect", "sem", "--json").json()["kept"] == [LOG]
    assert sem.read(LOG, Path(LOG).read_text()) == []


def test_init_offers_to_convert(cli: Cli) -> None:
    put(Path(), LOG, OLD)
    assert cli("init", "--json").json()["legacy"] == {"files": 1, "entries": 3}
    assert "memdown init --convert" in cli("init").out
    assert Path(LOG).read_text() == OLD
    assert cli("init", "--convert", "--dry-run", "--json").json()["convert"]["converted"] == 2
    assert Path(LOG).read_text() == OLD
    begun = cli("init", "--convert", "--json").json()
    assert (begun["kept"], begun["convert"]["converted"]) == ([LOG], 2)
    assert Path(LOG).read_text() == NEW


# Real files


def real_logs() -> list[tuple[str, str]]:
    root = CORPUS / "sem"
    found = []
    for path in some(sorted(root.rglob("*.md")), 19):
        name = path.relative_to(root).as_posix().split("/", 1)[1]
        if grammar.part_of(name) in ("log", "archive", "history", "inbox"):
            found.append((name, decode(path.read_bytes())))
    return found


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"[^\W_]+", text))


@pytest.mark.corpus
def test_real_logs_are_converted_and_lose_nothing() -> None:
    whole = taken = 0
    for name, text in real_logs():
        document = dialects.parse(name, text)
        if document.dialect != "sem":
            continue
        [done] = convert.convert([document], to="sem")
        after = dialects.parse(name, done.after)
        was, became = ([each for each in entries(doc.records) if not is_hollow(each)] for doc in (document, after))
        for old, new, item in zip(was, became, done.items, strict=True):
            assert (old.title, old.author) == (new.title, new.author)
            assert old.at is None or (new.at is not None and old.at.local.date() == new.at.local.date())
            whole += bool(old.at and old.author and old.extra["form"] != "sem")
            taken += item.state == "converted"
            if item.state == "converted":
                # Only the spelling of times and the names of labels may go.
                gone = words(old.span.of(text)) - words(new.span.of(done.after))
                assert not {word for word in gone if not re.fullmatch(r"\d[\dTZ]*[a-z]?|[A-Za-z]+", word)}
                missing = [
                    line for line in re.split(r"\r?\n", old.body or "") if not _is_there(line, new.span.of(done.after))
                ]
                assert missing == []
            else:
                assert old.span.of(text).strip() == new.span.of(done.after).strip()
        [again] = convert.convert([after], to="sem")
        assert again.after == done.after
    assert whole > 50
    assert taken / whole >= 0.95


def _is_there(line: str, new: str) -> bool:
    """A line as it is, or told by a field: a label's words, the name of a part, a separator."""
    bare = line.strip().lstrip("#").strip()
    if not bare or bare in new or bare == "---":
        return True
    label = grammar.LABEL.match(line) or grammar.PLAIN_LABEL.match(line)
    if label:
        value = re.sub(r"\*\*[A-Za-z ]+(?::\*\*|\*\*:)", "", line[label.start("value") :].strip())
        return value in new or all(word in new or word[:2].isdigit() for word in re.findall(r"[^\W_]+", value))
    return bare.rstrip(":").casefold() in ("why", "rationale")


# Crashes


def crash_once(root: Path, seconds: float) -> None:
    names = [LOG, *(f".squad/agents/a{number}/history.md" for number in range(6))]
    for name in names:
        put(root, name, OLD)
    killed(root, seconds, "convert", ".")
    Files(root, hidden=frozenset({".squad"})).recover()
    done = [(root / name).read_text() != OLD for name in names]
    assert all(done) or not any(done)
    backups = [(root / f"{name}.bak").exists() for name in names]
    assert backups == done
    again = memdown(root, "convert", ".", "--json")
    assert again.stdout, again.stderr
    assert json.loads(again.stdout)["entries_in"] == 21
    assert (root / LOG).read_text() == NEW


@pytest.mark.skipif(os.name == "nt", reason="kills with a signal")
def test_a_killed_conversion_is_whole_or_not_at_all(tmp_path: Path) -> None:
    for number in range(3):
        (root := tmp_path / str(number)).mkdir()
        crash_once(root, random.uniform(0, 0.2))


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="kills with a signal")
def test_many_killed_conversions(tmp_path: Path) -> None:
    for number in range(60):
        (root := tmp_path / str(number)).mkdir()
        crash_once(root, random.uniform(0, 0.3))


def test_a_heading_that_only_groups_entries_is_none_to_convert() -> None:
    text = "# D\n\n## 2026-03-05: Session\n\n### 2026-03-05: Use A\n\n**By:** Ann\n**What:** A.\n"
    [done] = convert.convert([dialects.parse(LOG, text)], to="sem")
    assert [(each.title, each.state) for each in done.items] == [("Use A", "converted")]
