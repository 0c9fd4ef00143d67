"""Cards: what is read, what is reported and where, what is written."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import draws
from memdown import Memory
from memdown.acts.check import engine
from memdown.dialects import DIALECTS, parse
from memdown.dialects.cards import upkeep
from memdown.dialects.draft import draft
from memdown.errors import Ambiguous, Invalid, NotFound, Refused
from memdown.markdown import cardfile
from memdown.text import apply
from samples import CARD, CONTENT, ID, OTHER_ID, in_process, put

cards = DIALECTS["cards"]

PATH = f"memories/{ID}.md"


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory(tmp_path)


def findings(text: str, path: str = PATH) -> list[tuple[str, int]]:
    """Code and line of everything that is wrong with a card."""
    document = parse(path, text)
    return [
        (each.code, document.lines.at(each.span.start) + 1) for each in engine.check([document], engine.Selection())
    ]


# Reading


def test_a_card_is_one_record() -> None:
    [record] = parse(PATH, CARD).records
    assert (record.id, record.kind, record.title, record.body) == (ID, "card", "Pool size is 10", CONTENT)
    assert (record.tags, record.scope) == (("database", "pool"), "file:src/db.py")
    assert record.at
    assert record.at.rfc3339() == "2026-01-15T10:30:00Z"
    assert [(link.type, link.target) for link in record.links] == [("file", "src/db.py")]
    assert (record.line, record.end_line) == (1, 13)


def test_a_sound_card_has_no_finding() -> None:
    assert findings(CARD) == []


def test_values_stay_the_text_they_are() -> None:
    text = CARD.replace("content_hash: 'd12bf02111536bbd'", "version: 1.10\nhash: 890147e807765334\nyes: no")
    [record] = parse(PATH, text).records
    assert record.extra["version"] == "1.10"
    assert record.extra["hash"] == "890147e807765334"
    assert record.extra["yes"] == "no"


def test_a_folded_subject_is_one_line() -> None:
    folded = CARD.replace("subject: Pool size is 10", "subject: >-\n  Pool size\n  is 10")
    assert parse(PATH, folded).records[0].title == "Pool size is 10"
    assert findings(folded) == []


def test_unknown_keys_are_kept() -> None:
    [record] = parse(PATH, CARD.replace("id: ", "created_at: '2026-01-01T00:00:00Z'\nid: ")).records
    assert record.extra["created_at"] == "2026-01-01T00:00:00Z"


def test_crlf_and_a_byte_order_mark_change_nothing() -> None:
    [record] = parse(PATH, "\ufeff" + CARD.replace("\n", "\r\n")).records
    assert (record.title, record.body) == ("Pool size is 10", CONTENT)
    assert findings(CARD.replace("\n", "\r\n")) == []


@pytest.mark.parametrize(
    ("path", "text", "claimed"),
    [
        ("memories/notes.md", "text", True),
        ("memories/README.md", "text", False),
        ("memories/deep/notes.md", "text", False),
        ("local-recall/episodic-memory/x.md", "text", True),
        (f"anywhere/{ID}.md", "text", True),
        ("anywhere/x.md", CARD, True),
        ("anywhere/x.md", "---\nid: 1\ntitle: x\n---\n", False),
        ("memories/x.txt", CARD, False),
        ("x.md", "text", False),
    ],
)
def test_which_files_are_cards(path: str, text: str, claimed: bool) -> None:
    assert (parse(path, text).dialect == "cards") is claimed


# The seven validation rules: each violation, with its code and line


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        # 1. ID: must be a valid UUID v4
        (f"id: {ID}\n", "", ("CRD010", 1)),
        (f"id: {ID}", "id:", ("CRD010", 2)),
        (f"id: {ID}", "id: not-a-uuid", ("CRD011", 2)),
        (f"id: {ID}", f"id: {{{ID}}}", ("CRD011", 2)),
        (f"id: {ID}", f"id: '{{{ID}}}'", ("CRD011", 2)),
        (f"id: {ID}", "id: ../../etc/passwd", ("CRD011", 2)),
        (f"id: {ID}", "id: 6ba7b810-9dad-11d1-80b4-00c04fd430c8", ("CRD012", 2)),
        (f"id: {ID}", f"id: {ID.upper()}", ("CRD013", 2)),
        # 2. Subject: 1-200 characters
        ("subject: Pool size is 10\n", "", ("CRD020", 1)),
        ("subject: Pool size is 10", "subject:", ("CRD021", 3)),
        ("subject: Pool size is 10", "subject: ''", ("CRD021", 3)),
        ("subject: Pool size is 10", f"subject: {'é' * 201}", ("CRD021", 3)),
        ("subject: Pool size is 10", "subject: [a, b]", ("CRD021", 3)),
        ("subject: Pool size is 10", 'subject: "two\\nlines"', ("CRD022", 3)),
        # 3. Keywords: 1-20 keywords, each 1-50 characters
        ("keywords:\n  - database\n  - pool\n", "", ("CRD030", 1)),
        ("keywords:\n  - database\n  - pool\n", "keywords: []\n", ("CRD032", 4)),
        ("keywords:\n  - database\n  - pool\n", "keywords:\n", ("CRD032", 4)),
        ("  - pool\n", "".join(f"  - word{n}\n" for n in range(20)), ("CRD032", 5)),
        ("  - pool\n", f"  - {'k' * 51}\n", ("CRD033", 6)),
        ("  - pool\n", "  - ''\n", ("CRD033", 6)),
        ("  - pool\n", '  - "a\\nb"\n', ("CRD033", 6)),
        ("  - pool\n", "  - DATABASE\n", ("CRD034", 6)),
        ("keywords:\n  - database\n  - pool\n", "keywords: database, pool\n", ("CRD035", 4)),
        # 4. applies_to: global|file:.+|area:.+
        ("applies_to: 'file:src/db.py'\n", "", ("CRD040", 1)),
        ("'file:src/db.py'", "everywhere", ("CRD041", 7)),
        ("'file:src/db.py'", "'file:'", ("CRD041", 7)),
        ("'file:src/db.py'", "'area: '", ("CRD041", 7)),
        ("'file:src/db.py'", "Global", ("CRD041", 7)),
        ("'file:src/db.py'", "'FILE:src/db.py'", ("CRD041", 7)),
        ("'file:src/db.py'", "", ("CRD041", 7)),
        ("'file:src/db.py'", "'file:/etc/passwd'", ("CRD042", 7)),
        ("'file:src/db.py'", "'file:../x.py'", ("CRD042", 7)),
        ("'file:src/db.py'", "'file:src\\db.py'", ("CRD042", 7)),
        ("'file:src/db.py'", "'file:a.py, file:b.py'", ("CRD043", 7)),
        # 5. occurred_at: a valid ISO 8601 datetime
        ("occurred_at: '2026-01-15T10:30:00Z'\n", "", ("CRD050", 1)),
        ("'2026-01-15T10:30:00Z'", "yesterday", ("CRD051", 8)),
        ("'2026-01-15T10:30:00Z'", "'2026-01-15'", ("CRD051", 8)),
        ("'2026-01-15T10:30:00Z'", "'2026-02-30T10:30:00Z'", ("CRD051", 8)),
        ("'2026-01-15T10:30:00Z'", "'2026-01-15 10:30:00Z'", ("CRD051", 8)),
        ("'2026-01-15T10:30:00Z'", "", ("CRD051", 8)),
        ("'2026-01-15T10:30:00Z'", "'2026-01-15T10:30:00'", ("CRD052", 8)),
        ("'2026-01-15T10:30:00Z'", "2026-01-15T10:30:00Z", ("CRD063", 8)),
        # 6. content_hash: the first 16 digits of the SHA-256
        ("content_hash: 'd12bf02111536bbd'\n", "", ("CRD060", 1)),
        ("'d12bf02111536bbd'", "'d12b'", ("CRD061", 9)),
        ("'d12bf02111536bbd'", "'D12BF02111536BBD'", ("CRD061", 9)),
        ("'d12bf02111536bbd'", "'d12bf02111536bbe'", ("CRD062", 9)),
        ("'d12bf02111536bbd'", "890147e807765334", ("CRD062", 9)),
        ("'d12bf02111536bbd'", "1234567890123456", ("CRD063", 9)),
        # 7. Content: at least 10 characters
        (CONTENT, "too short", ("CRD070", 12)),
        (CONTENT + "\n", "", ("CRD070", 1)),
    ],
)
def test_violations(old: str, new: str, found: tuple[str, int]) -> None:
    text = CARD.replace(old, new, 1)
    assert text != CARD
    assert found in findings(text)


def test_a_card_without_keywords_gets_those_of_its_text(memory: Memory) -> None:
    added = memory.cards.add("Pool size", "The database pool has ten places.", keywords=[])
    assert "database" in added.record.tags
    assert [each for each in added.guessed if each.startswith("keywords: ")]


def test_a_subject_of_several_lines_is_told_by_its_first(memory: Memory, tmp_path: Path) -> None:
    put(tmp_path, PATH, CARD.replace("subject: Pool size is 10", "subject: |-\n  Pool size\n  is 10"))
    [found] = [each for each in memory.check() if each.code == "CRD022"]
    assert found.message == "The subject 'Pool size …' has more than one line; write one."


@pytest.mark.parametrize("stamp", ["2026-01-15T10:30Z", "2026-01-15T10:30:00.123456789Z", "2026-01-15T10:30:00+05:30"])
def test_times_that_are_fine(stamp: str) -> None:
    assert findings(CARD.replace("2026-01-15T10:30:00Z", stamp)) == []


@pytest.mark.parametrize("scope", ["global", "'file:src/a b.ts'", "'area:authentication'", "'file: src/a.ts'"])
def test_scopes_that_are_fine(scope: str) -> None:
    assert findings(CARD.replace("'file:src/db.py'", scope)) == []


def test_the_second_kind_without_keywords_is_read_with_a_diagnostic() -> None:
    text = CARD.replace("keywords:\n  - database\n  - pool\n", "")
    path = f"local-recall/thinking-memory/{ID}.md"
    assert parse(path, text).records[0].title == "Pool size is 10"
    assert findings(text, path) == [("CRD031", 1)]


def test_a_file_without_front_matter() -> None:
    assert findings("Just text.\n") == [("CRD001", 1)]
    assert findings("Just text.\n", "memories/notes.md") == [("CRD002", 1)]
    assert parse(PATH, "Just text.\n").records == []


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("subject: Pool size is 10", "subject: a: b: c", ("MD011", 3)),
        ("subject: Pool size is 10", 'subject: "unclosed', ("MD011", 3)),
        ("keywords:\n  - database\n  - pool\n", "keywords: [a, b\n", ("MD011", 4)),
        ("keywords:\n  - database\n", "keywords: *x\n  - database\n\tx: 1\nno key\n", ("MD011", 4)),
        ("---\n\n", "\n", ("MD010", 1)),
        (f"---\nid: {ID}\n", f"---\n- id: {ID}\n", ("MD011", 2)),
    ],
)
def test_front_matter_that_is_no_yaml_is_one_error(old: str, new: str, found: tuple[str, int]) -> None:
    text = CARD.replace(old, new, 1)
    assert text != CARD
    assert findings(text) == [found]


def test_a_file_under_another_name() -> None:
    assert findings(CARD, "memories/copy.md") == [("CRD014", 2)]


@pytest.mark.parametrize(
    "body",
    [CONTENT, CONTENT + "\n", f"\n\n{CONTENT}\n\n", CONTENT.replace("\n", "\r\n")],
)
def test_the_hash_is_of_the_content_without_what_is_around_it(body: str) -> None:
    assert cardfile.content_hash(cardfile.canonical(body)) == "d12bf02111536bbd"


def test_a_hash_over_the_body_as_it_lies_is_honest_too() -> None:
    body = CONTENT + "\n"
    text = CARD.replace("d12bf02111536bbd", cardfile.content_hash(body)).replace(f"\n\n{CONTENT}", f"\n{CONTENT}")
    assert findings(text) == []


# Writing


def test_what_is_added_is_canonical(memory: Memory, tmp_path: Path) -> None:
    added = memory.add(
        "card",
        "Pool size is 10",
        text=f"\n{CONTENT}\r\n\n",
        tags=[" database ", "pool", "Pool"],
        scope="file: src/db.py",
        at="2026-01-15T10:30:00Z",
        id=ID,
    )
    assert added.created
    assert (tmp_path / PATH).read_text() == CARD


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"title": " "}, "1 to 200"),
        ({"title": "x" * 201}, "has 201"),
        ({"title": "two\nlines"}, "more than one line"),
        ({"title": "bell\a"}, "control character"),
        ({"title": "\ud800"}, "not valid UTF-8"),
        ({"tags": [str(n) for n in range(21)]}, "has 21"),
        ({"tags": ["k" * 51]}, "1 to 50"),
        ({"tags": [" "]}, "1 to 50"),
        ({"tags": ["a\nb"]}, "more than one line"),
        ({"scope": "somewhere"}, "is not `global`"),
        ({"scope": "file:"}, "is not `global`"),
        ({"scope": "file:/etc/passwd"}, "absolute"),
        ({"scope": "file:../x"}, "leaves the project"),
        ({"at": "2026-01-15"}, "is not a date and time"),
        ({"at": "soon"}, "is not a date and time"),
        ({"text": "short"}, "at least 10"),
        ({"text": None}, "needs text and tags"),
        ({"text": " " * 20 + "\n"}, "at least 10"),
        ({"text": "bytes that are \udcff not UTF-8"}, "not valid UTF-8"),
        ({"id": "6ba7b810-9dad-11d1-80b4-00c04fd430c8"}, "UUID v4"),
        ({"id": "../x"}, "UUID v4"),
        ({"id": ID.upper()}, "UUID v4"),
    ],
)
def test_what_is_not_written(memory: Memory, tmp_path: Path, change: dict[str, object], sentence: str) -> None:
    good: dict[str, object] = {"title": "Pool size", "text": CONTENT, "tags": ["pool"]}
    with pytest.raises(Invalid, match=re.escape(sentence)):
        memory.add(kind="card", **{**good, **change})  # type: ignore[arg-type]
    assert not list(tmp_path.rglob("*.md"))


def test_a_time_without_zone_is_taken_as_utc_and_said(memory: Memory) -> None:
    added = memory.add("card", "Pool size", text=CONTENT, tags=["pool"], at="2026-01-15T10:30:00")
    assert added.record.extra["occurred_at"] == "2026-01-15T10:30:00Z"
    assert "taken as UTC" in added.notes[0]


LINE = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\u2028\u2029"), min_size=1, max_size=60
).filter(str.strip)


@draws(200)
@given(
    subject=LINE,
    keywords=st.lists(LINE.filter(lambda word: len(word.strip()) <= 50), min_size=1, max_size=20),
    scope=st.sampled_from(["global", "area:a: b #c", "file:src/ä .ts"]),
    content=st.text(st.characters(exclude_categories=["Cs"]), min_size=10),
)
def test_what_is_written_is_read_back(subject: str, keywords: list[str], scope: str, content: str) -> None:
    try:
        given = draft("card", subject, text=content, tags=keywords, scope=scope, at="2026-01-15T10:30:00Z")
        new = cards.prepare(given, datetime(2026, 2, 1, tzinfo=UTC))
    except Invalid:
        return
    text = apply("", cards.insert("", new))
    [read] = parse(cards.place(new), text).records
    assert (read.id, read.title, read.tags, read.scope, read.body) == (new.id, new.title, new.tags, new.scope, new.body)
    assert read.extra["content_hash"] == cardfile.content_hash(new.body or "")
    assert findings(text, cards.place(new)) == [] or "\n" in content or any(ord(c) > 126 or ord(c) < 32 for c in text)


# Deduplication


def test_the_same_memory_is_written_once(memory: Memory, tmp_path: Path) -> None:
    first = memory.add("card", "Pool size", text=CONTENT, tags=["pool"], at="2026-01-15T10:30:00Z")
    again = memory.add("card", "Other words", text=CONTENT, tags=["x"], at="2026-01-15T11:30:00.000+01:00")
    assert (first.created, again.created, again.record.id) == (True, False, first.record.id)
    assert again.notes == ["The existing card differs in its subject and keywords."]
    assert len(list(tmp_path.glob("memories/*.md"))) == 1


def test_another_time_is_another_memory_unless_content_alone_counts(memory: Memory, tmp_path: Path) -> None:
    first = memory.add("card", "Pool size", text=CONTENT, tags=["pool"], at="2026-01-15T10:30:00Z")
    second = memory.add("card", "Pool size", text=CONTENT, tags=["pool"], at="2026-01-16T10:30:00Z")
    assert second.created
    assert first.record.id in second.notes[0]
    third = memory.add("card", "Pool size", text=CONTENT, tags=["pool"], dedupe="content")
    assert not third.created
    assert len(list(tmp_path.glob("memories/*.md"))) == 2


def test_duplicates_on_disk_are_listed_and_deleted_on_request(memory: Memory, tmp_path: Path) -> None:
    put(tmp_path, PATH, CARD)
    twin = CARD.replace(ID, OTHER_ID).replace("10:30:00Z", "10:30:00.000Z").replace("  - pool\n", "")
    put(tmp_path, f"memories/{OTHER_ID}.md", twin)
    [group] = memory.cards.dedupe()
    assert (group.kept, group.others, group.differences) == (PATH, [f"memories/{OTHER_ID}.md"], ["keywords"])
    assert (tmp_path / f"memories/{OTHER_ID}.md").exists()
    assert in_process(tmp_path, "card", "dedupe").stdout.endswith("\n1 duplicate of 1 memory.\n")
    memory.cards.dedupe(delete=True)
    assert [path.name for path in tmp_path.glob("memories/*.md")] == [f"{ID}.md"]
    assert memory.cards.dedupe() == []
    assert in_process(tmp_path, "card", "dedupe").stdout == "No duplicates.\n"


# Editing


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_an_edit_changes_that_value_and_nothing_else(memory: Memory, tmp_path: Path, eol: str) -> None:
    by_hand = CARD.replace("subject: Pool size is 10", "subject:   'Pool size is 10'   # measured").replace(
        "id:", "zone: 1.10\nid:"
    )
    path = put(tmp_path, PATH, by_hand.replace("\n", eol))
    memory.edit(ID, title="Pool size is 20")
    assert path.read_bytes().decode() == by_hand.replace("size is 10", "size is 20").replace("\n", eol)
    memory.edit(ID, add_tags=["postgres"], remove_tags=["DATABASE"])
    assert memory.get(ID).tags == ("pool", "postgres")
    memory.edit(ID, scope="area:db")
    assert b"applies_to: 'area:db'" in path.read_bytes()


def test_an_edit_to_the_same_value_writes_nothing(memory: Memory, tmp_path: Path) -> None:
    path = put(tmp_path, PATH, CARD)
    before = path.stat().st_mtime_ns, path.stat().st_ino
    memory.edit(ID, title="Pool size is 10")
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == before


def test_an_edit_that_is_not_valid_changes_nothing(memory: Memory, tmp_path: Path) -> None:
    path = put(tmp_path, PATH, CARD)
    with pytest.raises(Invalid):
        memory.edit(ID, remove_tags=["database", "pool"])
    assert path.read_text() == CARD


def test_an_edit_that_front_matter_cannot_hold_is_refused(memory: Memory, tmp_path: Path) -> None:
    full = CARD.replace("content_hash:", f"filler: {'x' * 65_250}\ncontent_hash:")
    path = put(tmp_path, PATH, full)
    with pytest.raises(Refused, match="cannot be changed"):
        memory.edit(ID, title="x" * 200)
    assert path.read_text() == full


def test_content_cannot_be_edited() -> None:
    [old] = parse(PATH, CARD).records
    [new] = parse(PATH, CARD.replace("10 connections", "20 connections")).records
    with pytest.raises(Refused, match="identity"):
        cards.update(CARD, old, new)


def test_a_card_is_not_written_into_a_file_that_has_text() -> None:
    [card] = parse(PATH, CARD).records
    with pytest.raises(Refused, match="already has text"):
        cards.insert("Notes of somebody.\n", card)


@pytest.mark.parametrize("text", ["Text.\n", CARD.replace("---\n\n", "\n")])
def test_a_card_that_lost_its_front_matter_is_not_edited(text: str) -> None:
    [old] = parse(PATH, CARD).records
    [new] = parse(PATH, CARD.replace("Pool size is 10", "Pool size is 20")).records
    with pytest.raises(Refused, match="no front matter that can be edited"):
        cards.update(text, old, new)


@pytest.mark.parametrize("scope", ["global", "global:src/db.py", "'file: '", "Global"])
def test_other_scopes_are_no_links(scope: str) -> None:
    [record] = parse(PATH, CARD.replace("'file:src/db.py'", scope)).records
    assert record.links == ()


# Finding and deleting


def test_a_card_is_found_by_the_beginning_of_its_id(memory: Memory, tmp_path: Path) -> None:
    put(tmp_path, PATH, CARD)
    put(tmp_path, f"memories/{OTHER_ID}.md", CARD.replace(ID, OTHER_ID))
    assert memory.get("3f2b").id == ID
    with pytest.raises(NotFound):
        memory.get("zzz")
    put(tmp_path, "memories/copy.md", CARD)
    with pytest.raises(Ambiguous, match=r"2 memories .* memories/copy.md"):
        memory.get("3f2b")


def test_find_by_words_tag_and_scope(memory: Memory, tmp_path: Path) -> None:
    put(tmp_path, PATH, CARD)
    put(
        tmp_path,
        f"memories/{OTHER_ID}.md",
        CARD.replace(ID, OTHER_ID).replace("Pool size", "Redis").replace("2026-01-15", "2026-02-01"),
    )
    assert [record.id for record in memory.find()] == [OTHER_ID, ID]
    assert [record.id for record in memory.find(["redis", "LOAD"])] == [OTHER_ID]
    assert memory.find(["redis", "nothing"]) == []
    assert len(memory.find(tag="Database", scope="file:src/db.py")) == 2
    assert memory.find(kind="decision") == []


def test_delete(memory: Memory, tmp_path: Path) -> None:
    put(tmp_path, PATH, CARD)
    assert memory.delete("3f2b").record.id == ID
    assert not (tmp_path / PATH).exists()


# Where cards are


def test_a_known_folder_that_is_there_is_used(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "local-recall/episodic-memory").mkdir(parents=True)
    added = memory.add("card", "Pool size", text=CONTENT, tags=["pool"])
    assert added.record.path == f"local-recall/episodic-memory/{added.record.id}.md"


def test_the_configured_folder_is_used(tmp_path: Path) -> None:
    put(tmp_path, "memdown.toml", "[cards]\nfolder = 'notes/cards'\n")
    put(tmp_path, "notes/cards/plain.md", "Just text.\n")
    memory = Memory(tmp_path)
    added = memory.add("card", "Pool size", text=CONTENT, tags=["pool"])
    assert added.record.path == f"notes/cards/{added.record.id}.md"
    assert {document.path for document in memory.documents()} == {added.record.path, "notes/cards/plain.md"}


# Verify and repair


def test_verify_tells_which_hash_fits(memory: Memory, tmp_path: Path) -> None:
    put(tmp_path, PATH, CARD)
    put(tmp_path, f"memories/{OTHER_ID}.md", CARD.replace(ID, OTHER_ID).replace("10 connections", "20 connections"))
    assert {each.id: each.state for each in memory.cards.verify()} == {ID: "ok", OTHER_ID: "mismatch"}
    assert [each.state for each in memory.cards.verify([ID[:6]])] == ["ok"]


def test_repair_puts_a_card_in_order(memory: Memory, tmp_path: Path) -> None:
    broken = (
        CARD.replace(f"id: {ID}", f"id: {ID.upper()}   # by hand")
        .replace("'d12bf02111536bbd'", "'0000000000000000'")
        .replace("'2026-01-15T10:30:00Z'", "2026-01-15T10:30:00Z")
    )
    put(tmp_path, "memories/copy.md", broken)
    [planned] = memory.cards.repair(write=False)
    assert (tmp_path / "memories/copy.md").read_text() == broken
    assert planned.rename == PATH
    assert memory.cards.repair() == [planned]
    assert (tmp_path / PATH).read_text() == CARD.replace(f"id: {ID}", f"id: {ID}   # by hand")
    assert not (tmp_path / "memories/copy.md").exists()
    assert memory.cards.repair() == []


def test_repair_never_takes_another_file_s_name(memory: Memory, tmp_path: Path) -> None:
    put(tmp_path, PATH, CARD)
    put(tmp_path, "memories/copy.md", CARD)
    [repair] = memory.cards.repair()
    assert repair.rename is None
    assert "already exists" in repair.left[0]


def test_repair_does_not_make_up_an_id(memory: Memory, tmp_path: Path) -> None:
    put(tmp_path, "memories/notes.md", CARD.replace(f"id: {ID}\n", ""))
    [repair] = memory.cards.repair()
    assert repair.left == ("There is no id.",)


def test_near_duplicates_become_one(memory: Memory) -> None:
    texts = {
        "Retries wait two seconds now": "Retries wait two seconds.\n\nOne was too short.",
        "Retries wait two seconds": "Retries wait two seconds.\n\nThe gateway is slow.",
        "Phase 2 of the gateway is done": "Phase 2 of the gateway went well enough.",
        "Phase 3 of the gateway is done": "Phase 3 of the gateway went well enough.",
    }
    for number, (title, text) in enumerate(texts.items()):
        memory.cards.add(title, text, keywords=["x"], occurred_at=f"2026-01-0{number + 1}T10:00:00Z")
    [twins] = memory.cards.dedupe(near=True)
    assert len(twins.others) == 1
    memory.cards.dedupe(near=True, delete=True)
    bodies = [record.body for record in memory.records() if "Retries" in (record.title or "")]
    assert bodies == ["Retries wait two seconds.\n\nThe gateway is slow.\n\nOne was too short."]
    assert {each.state for each in memory.cards.verify()} == {"ok"}
    assert len(list(memory.records())) == 3


def test_old_cards_are_pruned(memory: Memory) -> None:
    for day in ("2025-01-01", "2026-01-31"):
        memory.cards.add(day, CONTENT, keywords=["x"], occurred_at=f"{day}T10:00:00Z")
    age = (memory.now() - datetime(2025, 6, 1, tzinfo=UTC)).days
    assert len(memory.cards.prune(age, write=False)) == 1
    assert len(list(memory.records())) == 2
    memory.cards.prune(age)
    assert [record.title for record in memory.records()] == ["2026-01-31"]


# Capture: the filtering rules


def capture(memory: Memory, content: str, role: str = "assistant") -> str | None:
    return memory.cards.capture(role, content, occurred_at="2026-01-15T10:30:00Z").reason


def test_only_assistant_messages_of_several_lines_are_kept(memory: Memory, tmp_path: Path) -> None:
    assert "only assistant" in (capture(memory, CONTENT, role="user") or "")
    assert "single line" in (capture(memory, "One long line that says a lot.\n\n\n") or "")
    assert "fewer than 10" in (capture(memory, "a\nb") or "")
    assert not (tmp_path / "memories").exists()
    assert capture(memory, CONTENT) is None


def test_a_message_is_kept_in_full_and_once(memory: Memory) -> None:
    put(memory.root, "src/db.py", "")
    message = "## Pool size\n\nThe pool in `src/db.py` has 10 connections.\n\n```py\npool = 10\n```\n"
    first = memory.cards.capture("assistant", message, occurred_at="2026-01-15T10:30:00Z").added
    again = memory.cards.capture("assistant", message, occurred_at="2026-01-15T10:30:00Z").added
    assert first
    assert again
    assert (first.created, again.created) == (True, False)
    assert first.record.body == message.strip()
    assert (first.record.title, first.record.scope) == ("Pool size", "file:src/db.py")


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("```sh\nmake test\n```", "make test"),
        ("---\n\n# Done #\nx", "x"),
        ("## Summary\n\n**Changes made:**\n- The pool has 10 connections", "The pool has 10 connections"),
        ("Perfect! The pool has 10 connections. It had 5.\nmore", "The pool has 10 connections."),
        ("Both pass. Here's a summary of the changes:\n\n**`a.toml`** — Added a task", "`a.toml` — Added a task"),
        (
            "Found it!\n\n| Metric | Count |\n|---|---|\n| a | 1 |\n\nHere are the gaps in the docs:",
            "Here are the gaps in the docs",
        ),
        ("Both bugs are fixed.\n\n## Bug 1: The till closes twice\n- done", "Bug 1: The till closes twice"),
        (
            "Done. Changes committed and pushed.\n\n**Commit:** `a1` - Totals of the cart",
            "Commit: `a1` - Totals of the cart",
        ),
        (
            "Good news - all tests pass. However, let me look.\n\nThe form has no field for size.",
            "The form has no field for size.",
        ),
        ("It's:\n\n```\nmake ship\n```\n\nThat's how a release is tagged.", "That's how a release is tagged."),
        ("# Authentication\n\nTokens live for an hour.", "Authentication"),
        ("**Bold claim**\nmore", "Bold claim"),
        ("1. First step\n2. Second", "First step"),
        ("- \u200b\nreal words", "real words"),
        ("word " * 60 + "\nmore", ("word " * 60)[:197].rstrip() + "..."),
        ("設定を変更しました\n詳細は以下", "設定を変更しました"),
    ],
)
def test_the_subject_is_the_first_telling_line(memory: Memory, text: str, title: str) -> None:
    added = memory.cards.capture("assistant", text).added
    assert added
    assert added.record.title == title


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("Changed the pool in src/db.py\nand more", "file:src/db.py"),
        ("See `auth.ts`\nand more", "file:web/auth.ts"),
        ("See web/gone.ts and auth.ts\nand more", "file:web/auth.ts"),
        ("See {root}/src/db.py\nand more", "file:src/db.py"),
        ("See index.md, of which there are two\nand more", "global"),
        ("We run in Node.js\nand Vue.js", "global"),
        ("as in e.g. this\nor https://example.com/a/b.html", "global"),
        ("read /etc/passwd.txt\nand ../x.py", "global"),
        ("a bug in the billing module\nis fixed", "area:billing"),
        ("in the same module\nnothing", "global"),
        ("a system\nour layer", "global"),
    ],
)
def test_the_scope_is_what_the_text_names(memory: Memory, tmp_path: Path, text: str, scope: str) -> None:
    for name in ("src/db.py", "web/auth.ts", "a/index.md", "b/index.md"):
        put(tmp_path, name, "")
    added = memory.cards.capture("assistant", text.replace("{root}", str(tmp_path))).added
    assert added
    assert added.record.scope == scope


def test_keywords_are_the_words_used_most_in_any_script(memory: Memory) -> None:
    def tags(text: str) -> tuple[str, ...]:
        added = memory.cards.capture("assistant", text).added
        assert added
        return added.record.tags

    assert tags("The pool is a pool.\nRedis and the pool and redis.") == ("pool", "redis")
    assert tags("настройка пула\nпула базы") == ("пула", "настройка", "базы")
    assert tags("12 34 56 78\n90 12 34 56") == ("memory",)


@pytest.mark.parametrize("text", ["text\n", "---\nsubject: x\n---\n", "---\nid: x\n---\n", "---\nid:\n  - x\n---\n"])
def test_a_card_without_an_id_of_its_own_gets_no_other(text: str) -> None:
    assert upkeep.apart("memories/a.md", text, "") is None
