"""Bundles of the Open Knowledge Format: its conformance points, what is read, what is written, and real ones."""

import os
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from conftest import CORPUS
from memdown import Memory
from memdown.acts.check import account, engine
from memdown.dialects import DIALECTS, parse
from memdown.dialects.draft import DraftFields, draft
from memdown.dialects.okf import listing, write
from memdown.errors import Invalid, Refused
from memdown.homes import bundles, holds_memory
from memdown.record import Document, Record
from memdown.settings import config
from memdown.text import apply, decode
from samples import memdown, put

okf = DIALECTS["okf"]

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
ROOT = '---\nokf_version: "0.2"\n---\n'
PATH = "knowledge/metrics/revenue.md"
FULL = """\
---
type: Attested Computation  # never run
title: Revenue
description: What was earned in a year.
resource: https://example.com/revenue
tags: [finance, revenue]
runtime: bigquery
parameters:
  - { name: year, type: integer, required: true }
executor:
  resource: skills/run.md
  receipt: [job_id, result]
attester:
  resource: attesters/equality.py
generated: { by: agent/1.0, at: 2026-01-05T10:00:00Z }
verified:
  - { by: process:nightly, at: 2026-01-06T10:00:00Z }
  - { by: human:ann, at: 2026-01-07T10:00:00+01:00 }
status: stable
stale_after: 2026-12-31T00:00:00Z
sources:
  - id: policy
    resource: /policies/revenue.md
    title: The policy
  - resource: https://example.com/handbook
owner: finance
---

# Computation

```sql
SELECT 1 -- [no link](/none.md)
```

Only delivered orders count.[^policy] See [orders](/tables/orders.md), [margin](./margin.md#top), [a page](https://x.y/z.md)
and `[code](/code.md)`.

[^policy]: The policy
"""


def bundle(texts: dict[str, str]) -> list[Document]:
    return [parse(f"knowledge/{name}", text, now=NOW) for name, text in texts.items()]


def codes(texts: dict[str, str], *severities: str) -> list[str]:
    """The rules of okf that find fault with a bundle."""
    found = engine.check(bundle(texts), engine.Selection(select=("OKF",)))
    return [each.code for each in found if each.severity in (severities or ("error",))]


def concept(text: str) -> Record:
    (record,) = parse(PATH, text).records
    return record


# Conformance, point by point


def test_conformance_1_every_concept_has_front_matter_that_can_be_read() -> None:
    assert codes({"index.md": ROOT, "a.md": "Just text.\n"}) == ["OKF001"]
    assert codes({"a.md": "---\ntype: Metric\n\nNever closed.\n"}) == ["OKF001"]
    assert codes({"a.md": "---\ntype: Metric\n---\n", "b.md": "Just text.\n"}) == ["OKF001"]


def test_conformance_2_every_concept_has_a_type_that_is_not_empty() -> None:
    assert codes({"a.md": "---\ntitle: Revenue\n---\n"}) == ["OKF002"]
    assert codes({"a.md": "---\ntype: ''\n---\n"}) == ["OKF002"]
    assert codes({"a.md": "---\ntype:\n---\n"}) == ["OKF002"]
    assert codes({"a.md": "---\ntype: [Metric]\n---\n"}) == ["OKF002"]
    assert codes({"a.md": "---\ntype: Anything at all\n---\n"}) == []


def test_conformance_3_a_list_has_its_form() -> None:
    entry = "# Metric\n\n* [Revenue](revenue.md) - What was earned.\n"
    assert codes({"index.md": entry, "a/index.md": entry}) == []
    assert codes({"index.md": ROOT + entry}) == []
    assert codes({"index.md": ROOT, "a/index.md": ROOT + entry}) == ["OKF003"]
    assert codes({"index.md": "---\ntype: Index\n---\n" + entry}) == ["OKF003"]
    assert codes({"a/index.md": "Revenue is what was earned.\n"}) == ["OKF004"]
    assert codes({"a/index.md": "# Other\n\n* [Folder](folder/)\n* no link\n"}) == []


def test_conformance_3_a_log_has_its_form() -> None:
    good = "# Log\n\nWhat happened.\n\n## 2026-05-22\n* **Update**: Changed it.\n\n## 2026-05-15\n* Began.\n"
    assert codes({"log.md": good}, "error", "warning", "info") == []
    assert codes({"log.md": f"---\ntype: Log\n---\n\n{good}"}) == []
    assert codes({"log.md": "## Last week\n\n* Changed it.\n"}) == ["OKF005"]
    assert codes({"log.md": "## 2026-02-30\n\n* Changed it.\n"}) == ["OKF005"]
    assert codes({"log.md": "* Changed it.\n"}) == ["OKF005"]
    assert codes({"log.md": "## 2026-05-15\n* a\n\n## 2026-05-22\n* b\n"}, "error", "warning") == ["OKF006"]


@pytest.mark.parametrize("value", ["2026-01-05T10:00:00", "2026-01-05T10:00:00 IST", "yesterday", "'2026-01-05T10:00'"])
@pytest.mark.parametrize("key", ["generated: { by: a/1, at: %s }", "verified: { by: a/1, at: %s }", "stale_after: %s"])
def test_every_time_has_an_offset(key: str, value: str) -> None:
    assert codes({"a.md": f"---\ntype: Metric\n{key % value}\n---\n"}) == ["OKF010"]


@pytest.mark.parametrize(
    "text",
    [
        "type: Metric",
        "type: Something nobody knows\nunknown: {a: [1, 2]}\nmore: yes",
        "type: Metric\nstatus: stable\nverified: {by: human:ann, at: 2026-01-05T10:00:00Z}",
        "type: Metric\nverified: []\nsources: []\ntags: []",
        "type: Metric\nstale_after: 2026-12-31",
        "type: Metric\ntimestamp: '2026-05-28T22:53:05+00:00'",
        "type: Metric\nsources: [{title: no resource}]",
        "type: Attested Computation",
        "type: Metric\nstatus: retired",
        "type: Metric\nstatus: deprecated\nstale_after: 2020-01-01T00:00:00Z",
    ],
)
def test_what_is_optional_or_unknown_is_never_an_error(text: str) -> None:
    assert (
        codes({"a/b.md": f"---\n{text}\n---\n\nSee [nothing](/not/there.md) and [that](../../../out.md).[^x]\n"}) == []
    )


def test_a_newer_version_is_read_as_well_as_one_can() -> None:
    texts = {"index.md": ROOT.replace("0.2", "1.7"), "a.md": "---\ntype: Metric\nnew_thing: {x: 1}\n---\n"}
    assert codes(texts) == []
    assert codes(texts, "info") == ["OKF008", "OKF026"]


def test_a_folder_where_nothing_says_that_it_is_a_bundle_is_left_alone() -> None:
    assert codes({"a.md": "Just text.\n", "b/c.md": "# More\n"}, "error", "warning", "info") == []


def test_a_bare_mapping_counts_as_a_list_of_one() -> None:
    assert concept("---\ntype: Metric\nverified: {by: human:ann, at: 2026-01-05T10:00:00Z}\n---\n").extra[
        "verified"
    ] == ["human:ann 2026-01-05T10:00:00Z"]


@pytest.mark.parametrize(
    ("verified", "tier"),
    [
        ("", "unverified"),
        ("verified: []\n", "unverified"),
        ("verified: [{by: process:x, at: 2026-01-05T10:00:00Z}]\n", "machine-confirmed"),
        ("verified: {by: agent/2, at: 2026-01-05T10:00:00Z}\n", "machine-confirmed"),
        ("verified: [{by: agent/2, at: 2026-01-05T10:00:00Z}, {by: human:a}]\n", "human-reviewed"),
    ],
)
def test_trust_follows_from_who_confirmed(verified: str, tier: str) -> None:
    assert concept(f"---\ntype: Metric\n{verified}---\n").extra["trust"] == tier


# Reading


def test_a_concept_is_read_whole() -> None:
    record = concept(FULL)
    assert (record.id, record.kind, record.title) == ("knowledge/metrics/revenue", "note", "Revenue")
    assert record.summary == "What was earned in a year."
    assert record.at
    assert (record.at.text, record.author, record.status) == ("2026-01-05T10:00:00Z", "agent/1.0", "stable")
    assert record.tags == ("finance", "revenue")
    assert [(link.type, link.target) for link in record.links] == [
        ("source", "knowledge/policies/revenue"),
        ("source", "https://example.com/handbook"),
        ("executor", "knowledge/skills/run"),
        ("attester", "knowledge/attesters/equality.py"),
        ("related", "knowledge/tables/orders"),
        ("related", "knowledge/metrics/margin"),
    ]
    assert record.extra["type"] == "Attested Computation"
    assert record.extra["trust"] == "human-reviewed"
    assert record.extra["expires"] == "2026-12-31T00:00:00Z"
    assert record.extra["owner"] == "finance"
    assert codes({"metrics/revenue.md": FULL}, "error", "warning") == []


@pytest.mark.parametrize(
    ("type", "kind"),
    [("Decision", "decision"), ("ADR", "decision"), ("Directive", "directive"), ("Playbook", "note"), ("", "note")],
)
def test_a_kind_goes_by_the_type(type: str, kind: str) -> None:
    assert concept(f"---\ntype: {type}\n---\n").kind == kind


def test_what_is_missing_follows_from_the_file() -> None:
    record = parse("knowledge/metrics/gross-margin_2026.md", "---\ntype: Metric\n---\n").records[0]
    assert (record.title, record.status, record.summary, record.at) == ("Gross margin 2026", "stable", None, None)


def test_the_time_of_an_old_bundle() -> None:
    record = concept("---\ntype: Metric\ntimestamp: '2026-05-28T22:53:05+00:00'\n---\n")
    assert record.at
    assert record.at.instant() == datetime(2026, 5, 28, 22, 53, 5, tzinfo=UTC)


def test_a_log_is_read_by_the_day() -> None:
    text = "# Log\n\n## 2026-05-22\n* **Update**: Changed [it](/a.md).\n\n## 2026-05-15\n* Began.\n## 2026-05-15\n* x\n"
    records = parse("knowledge/log.md", text).records
    assert [record.id for record in records] == [
        "knowledge/log#2026-05-22",
        "knowledge/log#2026-05-15",
        "knowledge/log#2026-05-15-2",
    ]
    assert records[0].links[0].target == "knowledge/a"
    assert records[0].body == "* **Update**: Changed [it](/a.md)."


@given(
    st.lists(
        st.sampled_from(
            [
                "---",
                "type: Metric",
                "title: [a",
                "  - x",
                "# H",
                "## 2026-01-01",
                "## x",
                "* [a](b.md)",
                "text",
                "",
                "```",
            ]
        ),
        max_size=20,
    ),
    st.sampled_from(["a.md", "x/index.md", "log.md", "index.md"]),
)
def test_every_line_is_accounted_for(lines: list[str], name: str) -> None:
    (doc,) = bundle({name: "\n".join(lines)})
    kinds = account.kinds(doc, [])
    assert len(kinds) == len(doc.lines)
    if name == "a.md":
        assert set(kinds) <= set("r-")
    for each in doc.records:
        assert 0 <= each.span.start <= each.span.end <= len(doc.text)
    engine.check([doc], engine.Selection())


# Writing

LINES = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=40).filter(
    lambda text: bool(text.strip()) and len(text.strip().splitlines()) == 1
)
BODIES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\0"), max_size=80)


@given(
    st.sampled_from(sorted(okf.KINDS)), LINES, LINES | st.none(), BODIES, st.lists(LINES, max_size=3), LINES | st.none()
)
def test_what_is_written_is_read_back(
    kind: str, title: str, summary: str | None, body: str, tags: list[str], author: str | None
) -> None:
    made = DraftFields(summary=summary, text=body, tags=[tag.replace(",", " ") for tag in tags], author=author, why="x")
    record = okf.prepare(draft(kind, title, **made), NOW)
    text = apply("", okf.insert("", record))
    doc = parse(f"knowledge/{okf.place(record)}", text, now=NOW)
    (read,) = doc.records
    for field in ("kind", "title", "summary", "body", "author", "status", "tags", "at"):
        assert getattr(read, field) == getattr(record, field), field
    assert read.extra["type"] == kind.capitalize()
    assert engine.check([doc], engine.Selection(select=("OKF0",), ignore=("OKF021",))) == []


CHANGES: dict[str, tuple[str, str, object]] = {
    "title": ("title: ", "Revenue", "Earned: all of it"),
    "summary": ("description: ", "What was earned in a year.", "What came in # last year"),
    "status": ("status: ", "stable", "deprecated"),
    "author": ("by: ", "agent/1.0", "agent/2.0"),
}


@pytest.mark.parametrize("field", CHANGES)
@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_only_the_value_changes(field: str, eol: str) -> None:
    lead, before, value = CHANGES[field]
    text = FULL.replace("\n", eol)
    old = concept(text)
    new = structs.replace(old, **{field: value})
    after = apply(text, okf.update(text, old, new))
    start = text.index(lead + before) + len(lead)
    assert after[:start] == text[:start]
    assert after.endswith(text[start + len(before) :])
    assert getattr(concept(after), field) == value


@given(LINES, BODIES.filter(str.strip), st.lists(LINES, min_size=1, max_size=4))
def test_a_change_is_read_back_and_nothing_else_changes(title: str, body: str, tags: list[str]) -> None:
    old = concept(FULL)
    words = tuple(word for tag in tags if (word := tag.strip().replace(",", "")))
    new = structs.replace(old, title=title.strip(), body=body_of(body), tags=words)
    after = apply(FULL, okf.update(FULL, old, new))
    read = concept(after)
    assert (read.title, read.body, read.tags, read.extra) == (new.title, new.body, new.tags, old.extra)
    kept = FULL[FULL.index("runtime:") : FULL.index("# Computation")]
    assert kept in after


def body_of(body: str) -> str:
    return concept(f"---\ntype: x\n---\n\n{body}\n").body or ""


def test_what_is_not_there_is_added() -> None:
    text = "---\ntype: Metric # free text\n---\n"
    old = concept(text)
    new = structs.replace(
        old,
        summary="One line.",
        author="human:ann",
        body="Text.",
        extra={**old.extra, "expires": "2027-01-01T00:00:00Z"},
    )
    after = apply(text, okf.update(text, old, new))
    assert after == (
        "---\ntype: Metric # free text\ndescription: One line.\nstale_after: '2027-01-01T00:00:00Z'\n"
        "generated:\n  by: 'human:ann'\n---\n\nText.\n"
    )


@pytest.mark.parametrize(
    ("there", "after"),
    [
        ("generated: { at: 2026-01-05T10:00:00Z }", "generated: { at: 2026-01-05T10:00:00Z, by: 'human:ann' }"),
        ("generated:\n  at: 2026-01-05T10:00:00Z", "generated:\n  at: 2026-01-05T10:00:00Z\n  by: 'human:ann'"),
        (
            "generated: { by: bob, at: 2026-01-05T10:00:00Z }",
            "generated: { by: 'human:ann', at: 2026-01-05T10:00:00Z }",
        ),
    ],
)
def test_an_author_is_written_beside_the_time(there: str, after: str) -> None:
    text = f"---\ntype: Metric\n{there}\ntags: [a]\n---\n\nText.\n"
    old = concept(text)
    edits = okf.update(text, old, structs.replace(old, author="human:ann"))
    assert len(edits) == 1
    assert apply(text, edits) == text.replace(there, after)


def test_what_cannot_be_changed_is_refused() -> None:
    old = concept(FULL)
    for new in (
        structs.replace(old, scope="team"),
        structs.replace(old, kind="decision"),
        structs.replace(old, extra={**old.extra, "trust": "human-reviewed!"}),
    ):
        with pytest.raises(Refused):
            okf.update(FULL, old, new)
    with pytest.raises(Refused):
        okf.insert("text", old)


@pytest.mark.parametrize("id", ["../x", "a//b", "/x", "index", "a/log", "x.md"])
def test_an_id_is_a_path_in_the_bundle(id: str) -> None:
    with pytest.raises(Invalid):
        okf.prepare(draft("note", "Title", id=id), NOW)


def test_a_title_never_takes_a_reserved_name() -> None:
    assert okf.place(okf.prepare(draft("note", "Index"), NOW)) == "notes/index-note.md"
    assert okf.place(okf.prepare(draft("decision", "log"), NOW)) == "decisions/log-decision.md"


def test_a_new_concept_has_what_was_given() -> None:
    given = draft("decision", "Use SQLite", why="No server.")
    given = structs.replace(given, extra={**given.extra, "expires": "2026-06-30", "resource": "db.sqlite"})
    made = okf.prepare(given, NOW)
    assert (made.extra["expires"], made.extra["resource"]) == ("2026-06-30T23:59:59Z", "db.sqlite")
    assert "No server.\n" in apply("", okf.insert("", made))
    with pytest.raises(Invalid, match="is not a date and time"):
        okf.prepare(structs.replace(given, extra={"expires": "soon"}), NOW)


def test_a_concept_that_lost_its_front_matter_is_not_edited() -> None:
    old = concept(FULL)
    with pytest.raises(Refused, match="no front matter that can be edited"):
        okf.update("Text.\n", old, structs.replace(old, title="Turnover"))


# The list and the log


def test_a_list_of_concepts_stays(tmp_path: Path) -> None:
    memory = Memory(tmp_path, now=lambda: NOW)
    memory.add("note", "Pool size", text="Ten connections.", dialect="okf")
    path = tmp_path / "knowledge/notes/index.md"
    listed = path.read_text("utf-8")
    with pytest.raises(Refused, match="of its folder; delete those"):
        memory.delete("knowledge/notes/index")
    assert path.read_text("utf-8") == listed
    index = memory.get("knowledge/notes/index")
    assert index.summary == "Note"
    assert write.kept(listed, index, index) is None


def test_lists_and_log_change_with_a_concept(tmp_path: Path) -> None:
    put(tmp_path, "knowledge/index.md", ROOT)
    memory = Memory(tmp_path, now=lambda: NOW)
    added = memory.add("decision", "Use SQLite", summary="One file.", why="No server.", author="Ann")
    assert added.record.id == "knowledge/decisions/use-sqlite"
    assert added.written == [
        "knowledge/decisions/use-sqlite.md",
        "knowledge/decisions/index.md",
        "knowledge/index.md",
        "knowledge/log.md",
    ]
    assert (tmp_path / "knowledge/index.md").read_text() == (
        f"{ROOT}\n# Subdirectories\n\n* [decisions](decisions/index.md)\n"
    )
    listed = tmp_path / "knowledge/decisions/index.md"
    assert listed.read_text() == "# Decision\n\n* [Use SQLite](use-sqlite.md) - One file.\n"
    memory.edit(added.record.id, title="Use SQLite 3")
    assert listed.read_text() == "# Decision\n\n* [Use SQLite 3](use-sqlite.md) - One file.\n"
    memory.edit("decisions/use-sqlite", status="deprecated")
    assert (tmp_path / "knowledge/log.md").read_text() == (
        "# Log\n\n## 2026-03-01\n\n"
        "* **Deprecation**: Deprecated [Use SQLite 3](/decisions/use-sqlite.md).\n"
        "* **Update**: Changed [Use SQLite 3](/decisions/use-sqlite.md).\n"
        "* **Creation**: Added [Use SQLite](/decisions/use-sqlite.md).\n"
    )
    found = memory.check(chosen=memory.selection()).diagnostics
    assert [each.code for each in found] == ["OKF012"]
    (mark,) = memory.query("kind:decision").marks
    assert mark.superseded


def test_lists_and_logs_are_no_context(tmp_path: Path) -> None:
    memory = Memory(tmp_path, now=lambda: NOW)
    memory.add("note", "Pool size", summary="Ten connections.", text="With five it timed out.", dialect="okf")
    memory.add("note", "Old pool size", status="deprecated", text="It was five.", dialect="okf")
    found = {hit.mark.record.kind for hit in memory.search("pool size").hits}
    assert found == {"note", "index", "log"}
    assert [piece.path for piece in memory.context("pool size").items] == ["knowledge/notes/pool-size.md"]


def test_a_list_that_people_wrote_keeps_its_lines() -> None:
    text = "Intro.\r\n\r\n# Metric\r\n\r\n- [Margin](margin.md) - Left.\r\n\r\n# Other\r\n\r\n- [X](x.md)\r\n"
    index, path = "knowledge/m/index.md", "knowledge/m/revenue.md"
    new = listing.ListEntry(path, "Revenue", "Earned.")
    after = listing.listed(text, index, "knowledge", new, "Metric")
    assert after == text.replace("- Left.\r\n", "- Left.\r\n* [Revenue](revenue.md) - Earned.\r\n")
    assert listing.listed(after, index, "knowledge", new, "Metric") == after
    other = listing.ListEntry(path, "Net revenue", "All of it.")
    again = listing.listed(after, index, "knowledge", other, "Metric", new)
    assert again == after.replace("[Revenue]", "[Net revenue]").replace("Earned.", "All of it.")
    by_hand = after.replace("- Earned.", "(see *finance*)")
    kept = listing.listed(by_hand, index, "knowledge", other, "Metric", new)
    assert kept == by_hand.replace("[Revenue]", "[Net revenue]")


def test_the_log_has_the_newest_day_first() -> None:
    record = structs.replace(concept(FULL), path=PATH)
    text = "---\ntype: Log\n---\n\n# History\n\n## 2026-02-01\n- **Began**.\n"
    after = listing.logged(text, record, "knowledge", NOW, "Update")
    line = "* **Update**: Changed [Revenue](/metrics/revenue.md)."
    assert after == text.replace("## 2026-02-01", f"## 2026-03-01\n\n{line}\n\n## 2026-02-01")
    assert listing.logged(after, record, "knowledge", NOW, "Update").count(line) == 2


# Where bundles are


def test_a_folder_is_a_bundle_when_its_list_says_so(tmp_path: Path) -> None:
    put(tmp_path, "kb/index.md", ROOT)
    put(tmp_path, "docs/index.md", "# Documentation\n")
    put(tmp_path, "kb/a/b.md", "---\ntype: Metric\n---\n\nSee [c](/a/c.md).\n")
    assert bundles(str(tmp_path)) == ["kb"]
    assert holds_memory(str(tmp_path))
    memory = Memory(tmp_path)
    assert [record.id for record in memory.records()] == ["kb/a/b", "kb/index"]
    assert memory.get("a/b").links[0].target == "kb/a/c"
    assert memory.add("note", "New", text="Text.").record.path == "kb/notes/new.md"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
def test_a_pipe_is_no_bundle(tmp_path: Path) -> None:
    (tmp_path / "kb").mkdir()
    os.mkfifo(tmp_path / "kb/index.md")
    assert bundles(str(tmp_path)) == []


def test_a_bundle_that_comes_later_is_found(tmp_path: Path) -> None:
    put(tmp_path, "memdown.toml", '[okf]\nfolders = ["knowledge", "docs/kb"]\n')
    put(tmp_path, "docs/kb/x.md", "---\ntype: Metric\n---\n\nThe first one.\n")
    assert len(Memory(tmp_path).search("first").hits) == 1
    put(tmp_path, "kb/index.md", ROOT)
    put(tmp_path, "kb/y.md", "---\ntype: Metric\n---\n\nThe first as well.\n")
    assert len(Memory(tmp_path).search("first").hits) == 2


def test_settings_name_a_bundle(tmp_path: Path) -> None:
    put(tmp_path, "memdown.toml", '[okf]\nfolders = ["docs/kb"]\n')
    put(tmp_path, "docs/kb/index.md", f"{ROOT}\n# Metric\n\n* [X](x.md)\n")
    put(tmp_path, "docs/kb/x.md", "---\ntype: Metric\n---\n\nSee [y](/y/y.md), [z](/z.md).\n")
    put(tmp_path, "docs/kb/y/y.md", "---\ntype: Metric\n---\n")
    assert config.load(tmp_path).homes("okf") == ("docs/kb", "knowledge")
    memory = Memory(tmp_path)
    assert [record.id for record in memory.records()] == ["docs/kb/index", "docs/kb/x", "docs/kb/y/y"]
    for record in (memory.get("x"), memory.query("see").records[0]):
        assert [link.target for link in record.links] == ["docs/kb/y/y", "docs/kb/z"]
    found = memory.check(chosen=memory.selection()).diagnostics
    assert [(each.code, each.message) for each in found] == [
        ("OKF025", "The link leads to docs/kb/z.md, where there is no concept; correct it.")
    ]


def test_from_the_command_line(tmp_path: Path) -> None:
    assert (
        memdown(tmp_path, "init", "--dialect", "okf").stdout == "Created knowledge/index.md\nCreated knowledge/log.md\n"
    )
    assert (tmp_path / "knowledge/index.md").read_text() == ROOT
    text = "The pool has 10 connections.\n"
    assert (
        memdown(tmp_path, "add", "note", "Pool size", "--details", "-", "--author", "Ann", stdin=text).returncode == 0
    )
    for command in (["list"], ["search", "pool"], ["context", "pool size"], ["show", "notes/pool-size"], ["status"]):
        done = memdown(tmp_path, *command)
        assert (done.returncode, done.stderr) == (0, ""), command
        assert "ool size" in done.stdout or command == ["status"], command
    assert memdown(tmp_path, "read", "--lines", "knowledge/notes/pool-size.md").returncode == 0
    assert memdown(tmp_path, "check", "--strict").returncode == 0
    put(tmp_path, "knowledge/bad.md", "No front matter.\n")
    assert memdown(tmp_path, "check").returncode == 1


# Hostile texts


@pytest.mark.parametrize(
    "text",
    [
        "---\n" + "key: value\n" * 20_000 + "---\n",
        "---\ntype: x\nsources:\n" + "  - {id: a, resource: b}\n" * 1_500 + "---\n",
        "---\ntype: x\n---\n" + "[" * 150_000,
        "---\ntype: x\n---\n" + "[a](" * 50_000,
        "---\ntype: x\n---\n" + '](x "' * 40_000,
        "---\ntype: x\n---\n" + "[^a]" * 40_000,
        "---\ntype: x\n---\n" + "`" * 150_000,
        "---\ntype: x\n---\n" + "[a](b.md) " * 8_000,
        "---\ntype: x\n---\n" + "* [a](b.md)\n" * 4_000,
    ],
    ids=["huge", "sources", "brackets", "open", "titles", "footnotes", "ticks", "links", "items"],
)
@pytest.mark.parametrize("name", ["a.md", "index.md", "log.md"])
def test_hostile_texts_take_no_more_time_than_their_size(text: str, name: str) -> None:
    started = time.process_time()
    documents = bundle({name: text})
    engine.check(documents, engine.Selection(select=("OKF",)))
    assert time.process_time() - started < 8


def test_a_fix_has_the_line_ends_of_the_file() -> None:
    document = parse("knowledge/index.md", "# Metric\r\n\r\n* [Revenue](revenue.md) - Earned.\r\n")
    fixed = engine.fixed(document, engine.Selection(select=("OKF007",)), parse).text
    assert fixed == f'---\r\nokf_version: "0.2"\r\n---\r\n\r\n{document.text}'


# Real bundles


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["acme_retail", "ga4"])
def test_real_bundles_are_read_without_loss_and_found_conformant(name: str) -> None:
    folder = CORPUS / "okf" / name
    files = sorted(folder.rglob("*.md"))
    texts = {path.relative_to(folder).as_posix(): decode(path.read_bytes()) for path in files}
    assert texts
    assert codes(texts, "error", "warning") == []
    for doc in bundle(texts):
        kinds = account.kinds(doc, [])
        assert set(kinds) <= set("rp-")
        if doc.path.rpartition("/")[2] not in ("index.md", "log.md"):
            (record,) = doc.records
            assert record.title
            assert record.summary
            assert record.at
            assert record.extra["type"]
            after = apply(doc.text, okf.update(doc.text, record, structs.replace(record, title="Another: title")))
            start = doc.text.index("title: ")
            assert after[:start] == doc.text[:start]
            assert after.endswith(doc.text[doc.text.index("\n", start) :])
            assert parse(doc.path, after).records[0].title == "Another: title"


@pytest.mark.corpus
def test_links_of_real_bundles_lead_somewhere() -> None:
    folder = CORPUS / "okf" / "ga4"
    texts = {path.relative_to(folder).as_posix(): decode(path.read_bytes()) for path in folder.rglob("*.md")}
    assert "OKF025" not in codes(texts, "info")


# A repository that is a bundle

LISTED = "# Subdirectories\n\n* [tables](tables/index.md) - Tables.\n* [skills](skills/index.md) - How.\n"
ORDERS = "---\ntype: Table\ntitle: Orders\n---\n\nOne row for each order; see [how](/skills/run.md).\n"


@pytest.mark.parametrize("listed", [LISTED, "---\nokf_version: 0.2\n---\n# Bundle\n"])
def test_a_repository_may_be_a_bundle(tmp_path: Path, listed: str) -> None:
    put(tmp_path, "index.md", listed)
    put(tmp_path, "tables/orders.md", ORDERS)
    put(tmp_path, "tables/index.md", "# Tables\n\n* [Orders](orders.md)\n")
    put(tmp_path, "skills/run.md", "---\ntype: Skill\ntitle: Run\n---\n\nWith care, as the owner asks.\n")
    put(tmp_path, "skills/index.md", "# Skills\n\n* [Run](run.md)\n")
    assert not holds_memory(str(tmp_path))  # it may be part of the project above it
    (tmp_path / ".git").mkdir()
    assert holds_memory(str(tmp_path))
    with Memory.open(tmp_path) as memory:
        assert memory.config.okf.parts == ("skills", "tables")
        (record,) = (each for each in memory.records() if each.title == "Orders")
        assert (record.id, record.kind) == ("tables/orders", "note")
        assert [link.target for link in record.links] == ["skills/run"]
    said = memdown(tmp_path, "hook", "UserPromptSubmit", stdin='{"prompt": "Orders", "session_id": "s"}')
    assert "tables/orders.md:1" in said.stdout


def test_a_list_of_pages_is_no_bundle(tmp_path: Path) -> None:
    put(tmp_path, "index.md", "# Docs\n\n* [Guide](guide/index.md)\n")
    put(tmp_path, "guide/index.md", "---\ntitle: Guide\n---\n# Guide\n")
    (tmp_path / ".git").mkdir()
    assert not holds_memory(str(tmp_path))
