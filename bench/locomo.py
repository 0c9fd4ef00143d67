"""Retrieval on LoCoMo beside plain FTS5, in one run: recall at 5 and 10 and the mean reciprocal rank, by category.

    python bench/locomo.py FOLDER [--cli N] [--log] [--semantic]

FOLDER holds conversations as JSON (https://github.com/snap-research/locomo; not part of memdown). Each becomes a
project in a temporary folder: a card for each turn with its `session` and date, or (--log) an entry of a log for each;
and, in a second project, a card for each session. Questions are asked as they are written. --cli asks N of them through
the command line too, and fails when it answers otherwise than the library. --semantic asks by meaning beside that, for
which the extra has to be installed. Category 5 has no answers and is left out.
"""

import argparse
import json
import re
import sqlite3
import subprocess
import sys
import tempfile
import weakref
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from memdown import Memory
from memdown.index.stopwords import STOP_WORDS

Ranker = Callable[[str], list[str]]
Score = tuple[float, float, float]
NAMES = {1: "several turns", 2: "time", 3: "world knowledge", 4: "one turn"}


class Turn(NamedTuple):
    id: str
    session: str
    speaker: str
    text: str
    at: datetime


class Question(NamedTuple):
    text: str
    turns: frozenset[str]
    category: int


def turns_of(talk: dict[str, Any]) -> Iterator[Turn]:
    numbers = sorted(int(name.split("_")[1]) for name in talk if re.fullmatch(r"session_\d+", name))
    for number in numbers:
        at = datetime.strptime(talk[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y")
        for place, turn in enumerate(talk[f"session_{number}"]):
            text = " ".join(filter(None, (turn["text"], turn.get("blip_caption"))))
            yield Turn(turn["dia_id"], f"D{number}", turn["speaker"], text, at + timedelta(seconds=place))


def questions_of(talk: dict[str, Any], known: set[str]) -> Iterator[Question]:
    for each in talk["qa"]:
        named = (f"D{int(one)}:{int(two)}" for one, two in re.findall(r"D(\d+):(\d+)", " ".join(each["evidence"])))
        turns = frozenset(named) & known
        if each["category"] != 5 and turns:
            yield Question(each["question"], turns, each["category"])


def write_cards(root: Path, cards: Iterable[tuple[str, str | None, datetime, str]]) -> dict[str, str]:
    """One card each; the ids it gave, by the file's name."""
    folder = root / "memories"
    folder.mkdir()
    given = {}
    for number, (name, session, at, text) in enumerate(cards, 1):
        id = f"00000000-0000-4000-8000-{number:012}"
        key = f"session: {session}\n" if session else ""
        head = f"---\nid: {id}\nsubject: {name.replace(':', '-')}\nkeywords:\n  - talk\napplies_to: global\n"
        stamp = f"occurred_at: '{at:%Y-%m-%dT%H:%M:%SZ}'\n{key}---\n\n"
        (folder / f"{id}.md").write_text(f"{head}{stamp}{text}\n", encoding="utf-8")
        given[id] = name
    return given


def write_log(root: Path, turns: Iterable[Turn]) -> dict[str, str]:
    """One entry each, a log for each session; the ids that memdown gives them."""
    logs = defaultdict(list)
    for turn in turns:
        stamp = f"{turn.at:%Y-%m-%dT%H:%M:%S}+0000"
        head = f"### {stamp}: memory: {turn.id.replace(':', '-')}\n\n**type:** memory\n**timestamp:** {stamp}\n"
        fields = f"**author:** {turn.speaker}\n**scope:** team\n\n**summary:** {' '.join(turn.text.split())}\n\n---\n"
        logs[turn.session].append(head + fields)
    for session, entries in logs.items():
        path = root / ".squad" / "log" / f"{session}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(entries), encoding="utf-8")
    records = Memory.open(root).records()
    return {record.id: (record.title or "").replace("-", ":") for record in records}


def bare(texts: dict[str, str]) -> Ranker:
    """Plain FTS5: words OR-ed, stop words dropped, porter stemming, its own BM25."""
    db = sqlite3.connect(":memory:")
    db.execute("create virtual table words using fts5 (id unindexed, text, tokenize = 'porter unicode61')")
    db.executemany("insert into words values (?, ?)", texts.items())

    def ranked(question: str) -> list[str]:
        asked = [word for word in re.findall(r"\w+", question.lower()) if word not in STOP_WORDS and len(word) > 1]
        match = " OR ".join(f'"{word}"' for word in asked)
        return [id for (id,) in db.execute("select id from words where words match ? order by rank limit 10", (match,))]

    weakref.finalize(ranked, db.close)
    return ranked


def memdown(root: Path, given: dict[str, str], *, semantic: bool = False) -> Ranker:
    memory = Memory.open(root)

    def ranked(question: str) -> list[str]:
        return [given[hit.mark.record.id] for hit in memory.search(question, limit=10, semantic=semantic).hits]

    return ranked


def command(root: Path, given: dict[str, str]) -> Ranker:
    def ranked(question: str) -> list[str]:
        line = [
            sys.executable,
            "-m",
            "memdown",
            "search",
            "--root",
            str(root),
            "--limit",
            "10",
            "--json",
            "--",
            question,
        ]
        done = subprocess.run(line, capture_output=True, encoding="utf-8", check=True)
        return [given[hit["id"]] for hit in json.loads(done.stdout)["hits"]]

    return ranked


def scored(found: list[str], wanted: frozenset[str]) -> Score:
    first = next((1 / place for place, id in enumerate(found, 1) if id in wanted), 0.0)
    return len(wanted & set(found[:5])) / len(wanted), len(wanted & set(found[:10])) / len(wanted), first


def show(title: str, scores: dict[int, list[Score]]) -> None:
    print(f"{title:32} {'R@5':>6} {'R@10':>6} {'MRR':>6}  questions")
    rows = {name: scores[number] for number, name in NAMES.items() if scores[number]}
    for name, each in {**rows, "all": [score for some in rows.values() for score in some]}.items():
        print(
            f"  {name:30} " + " ".join(f"{sum(part) / len(each):6.3f}" for part in zip(*each, strict=True)),
            f" {len(each)}",
        )


def measure(
    path: Path,
    scores: dict[str, dict[int, list[Score]]],
    *,
    log: bool,
    cli: int,
    semantic: bool,
    others: Mapping[str, Callable[[dict[str, str]], Ranker]] = MappingProxyType({}),
) -> None:
    """Ask all questions of one conversation; `others` make rankers of texts by their names."""
    talk = json.loads(path.read_text("utf-8"))
    turns = list(turns_of(talk))
    sessions: dict[str, list[Turn]] = defaultdict(list)
    for turn in turns:
        sessions[turn.session].append(turn)
    said = {turn.id: f"{turn.speaker}: {turn.text}" for turn in turns}
    whole = {name: "\n".join(said[turn.id] for turn in some) for name, some in sessions.items()}
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        cards = ((turn.id.replace(":", "-"), turn.session, turn.at, said[turn.id]) for turn in turns)
        given = write_log(Path(one), turns) if log else write_cards(Path(one), cards)
        given = {id: name.replace("-", ":") for id, name in given.items()}
        days = write_cards(Path(two), ((name, None, sessions[name][0].at, text) for name, text in whole.items()))
        rankers = {
            "turns, plain FTS5": bare(said),
            "turns, memdown search": memdown(Path(one), given),
            "sessions, plain FTS5": bare(whole),
            "sessions, memdown search": memdown(Path(two), days),
        }
        for name, make in others.items():
            rankers |= {f"turns, {name}": make(said), f"sessions, {name}": make(whole)}
        if semantic:
            rankers["turns, memdown search --semantic"] = memdown(Path(one), given, semantic=True)
            rankers["sessions, memdown search --semantic"] = memdown(Path(two), days, semantic=True)
        asked = list(questions_of(talk, set(said)))
        for title, ranked in rankers.items():
            for question in asked:
                wanted = question.turns
                if title.startswith("sessions"):
                    wanted = frozenset(turn.partition(":")[0] for turn in wanted)
                scores[title][question.category].append(scored(ranked(question.text), wanted))
        compare(
            asked[:: max(1, len(asked) // cli)] if cli else [],
            rankers["turns, memdown search"],
            command(Path(one), given),
        )


def compare(asked: Iterable[Question], library: Ranker, line: Ranker) -> None:
    for question in asked:
        if library(question.text) != line(question.text):
            sys.exit(f"bench/locomo.py: the command line answers otherwise: {question.text}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Retrieval on LoCoMo beside plain FTS5.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cli", type=int, default=0, metavar="N", help="ask N questions of each talk by command too")
    parser.add_argument("--log", action="store_true", help="turns as entries of logs instead of cards")
    parser.add_argument("--semantic", action="store_true", help="ask by meaning too")
    given = parser.parse_args()
    scores: dict[str, dict[int, list[Score]]] = defaultdict(lambda: defaultdict(list))
    for path in sorted(given.folder.glob("*.json")):
        measure(path, scores, log=given.log, cli=given.cli, semantic=given.semantic)
    for title, each in scores.items():
        show(title, each)


if __name__ == "__main__":
    main()
