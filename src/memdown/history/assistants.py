"""Which assistant had a hand in a commit: by its trailers, and by who its author is."""

import re
from collections.abc import Sequence

from memdown.patterns import lazy

_TRAILER = lazy(
    r"(?:co-authored-by|co-developed-by|assisted-by|generated-by|generated-with|made-with|ai-assistant)\s*:\s*(.+)",
    re.IGNORECASE,
)
_PERSON = lazy(r"\s*([^<]*?)\s*(?:<([^<>]*)>.*)?", re.DOTALL)
_ADDRESSES = {
    "noreply@anthropic.com": "Claude",
    "cursoragent@cursor.com": "Cursor",
    "codex@openai.com": "Codex",
    "noreply@openai.com": "Codex",
    "amp@ampcode.com": "Amp",
    "openhands@all-hands.dev": "OpenHands",
    "noreply@opencode.ai": "opencode",
    "noreply@aider.chat": "aider",
    "aider@aider.chat": "aider",
    "cline@cline.bot": "Cline",
    "noreply@cline.bot": "Cline",
    "roomote@roocode.com": "Roo",
    "devin@cognition.ai": "Devin",
}
_ACCOUNTS = {
    "copilot": "Copilot",
    "claude": "Claude",
    "cursor": "Cursor",
    "codex": "Codex",
    "devin-ai": "Devin",
    "gemini": "Gemini",
    "google-labs-jules": "Jules",
    "amazon-q": "Amazon Q",
    "sweep-ai": "Sweep",
    "roomote": "Roo",
    "openhands": "OpenHands",
    "coderabbit": "CodeRabbit",
}
"""Accounts of robots, whose names end in `[bot]`, by how they begin."""
_NAMED = lazy(
    r"(claude)(?: code| opus| sonnet| haiku| agent| \d)[\w .()-]*|(copilot|github copilot)(?: agent)?"
    r"|(copilot)-swe-agent|(cursor)(?: agent| ai)?|(aider)\b.*|(codex|openai codex)(?: cli)?"
    r"|(gemini)(?: cli| code assist)?"
    r"|(windsurf|cascade)|(cline)|(roo)(?: code)?|(kilo)(?: code)?|(opencode)|(openhands)|(devin) ai|(jules)|(amp)"
    r"|(chatgpt)\b.*|(junie)|(kiro)|(zencoder)|(augment)(?: code| agent)?|(continue) agent",
    re.IGNORECASE,
)
"""What assistants call themselves. `Claude` and `Devin` alone are people's names as well."""
_WITH_AIDER = lazy(r".*\(aider\)\s*", re.IGNORECASE)
_SPELLED = {
    "github copilot": "Copilot",
    "openai codex": "Codex",
    "cascade": "Windsurf",
    "chatgpt": "ChatGPT",
    "openhands": "OpenHands",
    "opencode": "opencode",
    "aider": "aider",
}


def assistant(author: str, email: str, trailers: Sequence[str]) -> str | None:
    """The assistants of a commit by name, with commas between them; None where nothing names one."""
    found = [_known(author, email, sure=False)]
    for line in trailers:
        match = _TRAILER.fullmatch(line.strip())
        person = _PERSON.fullmatch(match[1]) if match else None
        if person:
            found.append(_known(person[1] or "", person[2] or "", sure=True))
    return ", ".join(dict.fromkeys(filter(None, found))) or None


def _known(name: str, email: str, *, sure: bool) -> str | None:
    """The assistant behind a name and an address; where one is expected (`sure`), its first name is enough."""
    address = email.strip().lower()
    if address in _ADDRESSES:
        return _ADDRESSES[address]
    if address.endswith("+copilot@users.noreply.github.com"):
        return "Copilot"
    plain = name.strip().lower()
    if plain.endswith("[bot]"):
        return next((each for begin, each in _ACCOUNTS.items() if plain.startswith(begin)), None)
    if _WITH_AIDER.fullmatch(plain):
        return "aider"
    if sure and plain in ("claude", "devin"):
        return plain.title()
    match = _NAMED.fullmatch(plain)
    short = next(filter(None, match.groups()), "") if match else ""
    return _SPELLED.get(short, short.title()) or None
