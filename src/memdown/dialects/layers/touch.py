"""What follows when an assistant reads or edits a memory file itself: its stamp is renewed, limits and age are told."""

from memdown.dialects.layers import grammar, quality, stamps
from memdown.dialects.layers.read import address_of
from memdown.dialects.layers.write import restamped
from memdown.record import Document
from memdown.text import Edit, Lines


def touched(document: Document, *, edited: bool) -> tuple[list[Edit], list[str]]:
    """The edits that keep a file in its form after it was edited, and what the assistant should know of it."""
    today = document.now.date() if document.now else None
    address = address_of(document.canonical_path or document.path)
    if today is None or address.is_archive:
        return [], []
    return _edited(document, restamped(document.text, today), address.file_type) if edited else ([], _aged(document))


def _edited(document: Document, edits: list[Edit], file_type: str) -> tuple[list[Edit], list[str]]:
    lines = Lines(document.text)
    notes = grammar.size_warnings(file_type, len(lines), document.settings.layers)
    paths = [str(lines.at(span.start) + 1) for span in quality.absolute_paths(document.text)]
    if paths:
        notes.append(f"write paths relative to the project (line {', '.join(paths[:5])}).")
    if len(list(quality.phrases(document.text))) > quality.VAGUE_PHRASE_LINES:
        notes.append("many lines name nothing; say which file, function or version.")
    if edits:
        notes.append("memdown renewed the date in line 1; read the file again before you edit it.")
    return edits, notes


def _aged(document: Document) -> list[str]:
    limits = document.settings.layers
    day = stamps.day_stamped(document.text) or (stamps.day_legacy(document.text) if limits.legacy_stamps else None)
    days = stamps.age(day, document.now.date()) if document.now else None
    since = "it does not say when it was last updated" if days is None else f"last updated {days} days ago"
    advice = {"aging": "verify critical claims.", "stale": "potentially stale, verify it before use."}
    state = limits.staleness(days)
    return [f"{since}: {advice[state]}"] if state in advice else []
