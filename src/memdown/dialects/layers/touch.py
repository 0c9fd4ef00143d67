"""What follows when an assistant reads, edits or commits a memory file itself: a new stamp, notes on limits and age."""

from datetime import date

from memdown.dialects.layers import grammar, quality, stamps
from memdown.dialects.layers.read import address_of
from memdown.dialects.layers.write import restamped
from memdown.errors import some
from memdown.limits.settings import Limits
from memdown.record import Document
from memdown.text import Edit, Lines


def touched(document: Document, *, edited: bool) -> tuple[list[Edit], list[str]]:
    """The edits that keep a file in its form after it was edited, and what the assistant should know of it."""
    today = document.now.date() if document.now else None
    address = address_of(document.canonical_path or document.path)
    if today is None or address.is_archive:
        return [], []
    if not edited:
        return [], _aged(document, today)
    edits = restamped(document.text, today)
    renewed = ["memdown updated the date in line 1; read the file again before you edit it."] if edits else []
    return edits, staged(document) + renewed


def staged(document: Document) -> list[str]:
    """What is wrong with a text that is about to be committed; nothing of an archive."""
    address = address_of(document.canonical_path or document.path)
    if address.is_archive:
        return []
    lines = Lines(document.text)
    notes = grammar.size_warnings(address.file_type, len(lines), document.settings.layers)
    paths = [str(lines.at(span.start) + 1) for span in quality.absolute_paths(document.text)]
    if paths:
        notes.append(f"write paths relative to the project (line {some(paths, 5)}).")
    if len(list(quality.phrases(document.text))) > quality.VAGUE_PHRASE_LINES:
        notes.append("many lines are vague; say which file, function or version.")
    return notes


def _aged(document: Document, today: date) -> list[str]:
    advice = {"aging": "verify critical claims.", "stale": "potentially stale, verify it before use."}
    state, since = stamps.staleness(document.text, today, document.settings.layers)
    return [f"{since}: {advice[state]}"] if state in advice else []


def stale_since(path: str, text: str, today: date, settings: Limits) -> str | None:
    """Why a memory may not hold any more; None for one that was updated lately, and for an archive."""
    state, since = stamps.staleness(text, today, settings.layers)
    return since if state == "stale" and not address_of(path).is_archive else None
