"""Lines end at LF, CR LF and CR: form feeds, NEL, U+2028 and their like stay in the line that has them."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdown import Memory
from memdown.markdown.line_ends import split_lines
from memdown.text import Lines
from samples import put

SOURCE = Path(__file__).parents[1] / "src/memdown"
ODD = "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
OWN = {
    "dialects/cards/rules/words.py": "what an editor shows as two lines is no subject and no keyword",
    "dialects/draft.py": "nor a title",
    "dialects/sem/legacy.py": "a table beside the module",
    "dialects/sem/grammar.py": "tables beside the module",
    "hub/rows.py": "a table beside the module",
    "index/search/minilm.py": "words of a model",
    "secrets/__init__.py": "a table beside the module",
    "surfaces/cli/demo.py": "a script beside the module",
    "acts/prompt.py": "a guide beside the module",
    "acts/install/parts.py": "a heading of our own",
    "acts/install/repository.py": "rows of our own",
    "store/ledger.py": "rows of our own, without such characters",
    "store/undo.py": "bytes, whose lines end at LF and CR",
    "surfaces/cli/undo.py": "bytes, whose lines end at LF and CR",
    "index/standing.py": "bytes, whose lines end at LF and CR",
    "index/lookup.py": "lines that hooks show, which load no more modules than they have to",
    "index/hook_state.py": "lines that hooks compare with those of the next",
    "acts/capture/keep.py": "the lines of that",
}
"""Who splits with `str.splitlines` all the same, and why."""
words = st.text("ab ", min_size=1, max_size=4).map(lambda text: f"w{text}w")
odd_lines = st.lists(st.tuples(words, st.sampled_from(ODD)), min_size=1, max_size=4).map(
    lambda pairs: "".join(map("".join, pairs)) + "end"
)


@given(st.text(f"ab\r\n{ODD}", max_size=12))
def test_lines_are_those_of_positions(text: str) -> None:
    lines = Lines(text)
    assert split_lines(text) == [lines.span(number).of(text) for number in range(len(lines))]
    kept = [text[lines.start(number) : lines.start(number + 1)] for number in range(len(lines))]
    assert split_lines(text, keepends=True) == kept


def test_texts_of_others_are_split_where_lines_end() -> None:
    calling = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if ".splitlines(" in path.read_text("utf-8")
    }
    assert sorted(calling - set(OWN)) == [], "call markdown.line_ends.split_lines there; bytes may stay"
    assert sorted(set(OWN) - calling) == []


def _add(kind: str) -> Callable[[Memory, str], object]:
    more = {"tags": ("pool",)} if kind == "card" else {}
    return lambda memory, text: memory.add(kind, "Pool size", text=text, **more)  # type: ignore[arg-type]


def _edit(memory: Memory, text: str) -> None:
    record = memory.add("decision", "Pool size", text="Old.", author="Ann").record
    memory.edit(record.id, text=text)
    assert memory.find()[0].body == text


def _session(memory: Memory, text: str) -> None:
    memory.journal.sessions.start(focus="Pool")
    memory.journal.sessions.note(text)


BANK = {
    "memory-bank/activeContext.md": "# Active Context\n\n## Current Focus\nOld.\n",
    "memory-bank/decisionLog.md": "# Log\n",
}
LOG, LAYERS = {".squad/decisions.md": "# Decisions\n"}, {"memory/projects/shop/overview.md": "# Shop\n"}
JOURNAL = {"memory-bank/tasks.md": "# Task Registry\n"}
ACTS: dict[str, tuple[dict[str, str], Callable[[Memory, str], object]]] = {
    "a decision of a bank": (BANK, _add("decision")),
    "a note of a bank": (BANK, _add("note")),
    "a focus": (BANK, lambda memory, text: memory.bank.update(focus=text)),
    "a reason": (BANK, lambda memory, text: memory.bank.update(decisions=[{"title": "Pool", "rationale": text}])),
    "an entry of a log": (LOG, _add("decision")),
    "an entry that is edited": (LOG, _edit),
    "a card": ({"memories/.keep": ""}, _add("card")),
    "an entry of a layer": (LAYERS, _add("note")),
    "a note of a session": (JOURNAL, _session),
    "a note of a journal": (JOURNAL, _add("note")),
    "a concept": ({"knowledge/index.md": "---\nokf_version: '0.1'\n---\n\n# Index\n"}, _add("decision")),
}


@pytest.mark.parametrize("what", ACTS)
def test_a_text_is_written_as_it_is(what: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    files, act = ACTS[what]

    @settings(max_examples=5, deadline=None)
    @given(odd_lines)
    def written(line: str) -> None:
        root = tmp_path_factory.mktemp("odd")
        for name, text in files.items():
            put(root, name, text)
        text = line if "session" in what else f"{line}\nand {line}"
        act(Memory(root), text)
        lines = {
            each.strip(" -") for path in root.rglob("*.md") for each in re.split("\n|: ", path.read_bytes().decode())
        }
        assert set(text.split("\n")) <= lines

    written()
