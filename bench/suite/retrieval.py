"""Retrieval beside grep and plain BM25: LoCoMo by turns and sessions, LongMemEval-S in its published form."""

import json
import re
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import locomo
from locomo import Ranker, Score

from memdown.index.stopwords import STOP_WORDS


class Recall(NamedTuple):
    """Of one question: whether any, and whether all, of what answers it is among the first."""

    any_at_5: bool
    all_at_5: bool
    any_at_10: bool
    all_at_10: bool


def grep(texts: Mapping[str, str]) -> Ranker:
    """What somebody with grep does: most of the question's words first, then as they come."""
    lowered = {name: text.lower() for name, text in texts.items()}

    def ranked(question: str) -> list[str]:
        words = {word for word in re.findall(r"\w+", question.lower()) if word not in STOP_WORDS}
        counts = {name: sum(word in text for word in words) for name, text in lowered.items()}
        return [name for name in sorted(counts, key=lambda name: -counts[name]) if counts[name]][:10]

    return ranked


def locomo_table(folder: Path) -> str:
    """All questions of the conversations in a folder."""
    scores: dict[str, dict[int, list[Score]]] = defaultdict(lambda: defaultdict(list))
    for path in sorted(folder.glob("*.json")):
        locomo.measure(path, scores, log=False, cli=0, semantic=False, others={"grep": grep})
    lines = ["## Retrieval: LoCoMo", "", "| engine | R@5 | R@10 | MRR | questions |", "|---|---|---|---|---|"]
    for title, by_category in sorted(scores.items(), key=lambda each: each[0].partition(",")[0] != "turns"):
        every = [score for some in by_category.values() for score in some]
        means = " | ".join(f"{sum(part) / len(every):.3f}" for part in zip(*every, strict=True))
        lines.append(f"| {title} | {means} | {len(every):,} |")
    return "\n".join(lines)


def longmemeval(path: Path) -> dict[str, list[Recall]]:
    """LongMemEval-S: each question has its own haystack of sessions, and the sessions that answer it.

    The file is the published JSON: a list with `question`, `question_id`, `haystack_sessions`, `haystack_session_ids`,
    `haystack_dates` and `answer_session_ids`. Questions whose answer is that there is none (`_abs`) are left out.
    """
    found: dict[str, list[Recall]] = defaultdict(list)
    for each in json.loads(path.read_text("utf-8")):
        wanted = set(each["answer_session_ids"])
        if each["question_id"].endswith("_abs") or not wanted:
            continue
        for name, ranked in _rankers(each).items():
            found[name].append(recall(ranked, wanted))
    return found


def recall(ranked: Sequence[str], wanted: set[str]) -> Recall:
    first = [set(ranked[:number]) for number in (5, 10)]
    return Recall(*(test for some in first for test in (bool(wanted & some), wanted <= some)))


def _rankers(each: dict[str, Any]) -> dict[str, list[str]]:
    texts = {
        id: "\n".join(f"{turn['role']}: {turn['content']}" for turn in session)
        for id, session in zip(each["haystack_session_ids"], each["haystack_sessions"], strict=True)
    }
    dates = dict(zip(each["haystack_session_ids"], map(_date, each["haystack_dates"]), strict=True))
    question = each["question"]
    with tempfile.TemporaryDirectory() as folder:
        cards = ((id, None, dates[id], text) for id, text in texts.items())
        given = locomo.write_cards(Path(folder), cards)
        own = locomo.memdown(Path(folder), given)(question)
    return {"grep": grep(texts)(question), "plain BM25": locomo.bare(texts)(question), "memdown search": own}


def _date(text: str) -> datetime:
    """As `2023/05/20 (Sat) 02:21`."""
    match = re.match(r"(\d+)/(\d+)/(\d+)\D+(\d+):(\d+)", text)
    year, month, day, hour, minute = map(int, match.groups()) if match else (2023, 1, 1, 0, 0)
    return datetime(year, month, day, hour, minute)


def longmemeval_table(path: Path) -> str:
    lines = ["## Retrieval: LongMemEval-S", "", "| engine | any@5 | all@5 | any@10 | all@10 | questions |"]
    lines.append("|---|---|---|---|---|---|")
    for name, some in longmemeval(path).items():
        means = " | ".join(f"{sum(part) / len(some):.3f}" for part in zip(*some, strict=True))
        lines.append(f"| {name} | {means} | {len(some):,} |")
    return "\n".join(lines)
