"""A log on its way between projects: which files hold one collection of entries, and the export of Squad."""

import json
from collections.abc import Iterator, Mapping, Sequence

import msgspec
from msgspec import Struct

from memdown.dialects.sem import grammar
from memdown.dialects.sem.split import split
from memdown.errors import Refused, quote
from memdown.text import BOM

VERSION = "1.0"
_CASTING = ("registry", "policy", "history")
_KEYS = frozenset(
    ("version", "exported_at", "squad_version", "team_md", "decisions_md", "routing_md", "casting", "agents", "skills")
) | {"decisions", "team", "archives"}


def collection(path: str) -> str | None:
    """Files whose entries are one collection: the log with its archives, or the histories of an agent.

    None for a file that is not a list of entries.
    """
    part = grammar.part_of(path)
    if part in ("log", "archive"):
        return "log"
    return f"history of {grammar.agent_of(path)}" if part == "history" else None


def passages(path: str, text: str) -> Iterator[str]:
    """Prose as the headings in it divide it, so that each goes in or stays out by itself."""
    return (text[each.start : each.end] for each in split(text, grammar.part_of(path) or "log"))


def apart(path: str, text: str, mark: str) -> tuple[str, str] | None:
    """Another text of the same name, as it is kept beside the first: a log as an archive, which only this name is."""
    folder, _, name = path.rpartition("/")
    return (f"{folder}/decisions-archive-{mark}.md", text) if name == "decisions.md" else None


# The export of Squad


class SquadAgent(Struct, frozen=True):
    """The files of an agent."""

    charter: str | None = None
    history: str | None = None


class SquadExport(Struct, frozen=True):
    """A team with its log, as Squad exports it."""

    version: str
    agents: dict[str, SquadAgent]
    casting: dict[str, object]
    skills: tuple[str, ...]
    team_md: str | None = None
    team: str | None = None
    decisions_md: str | None = None
    decisions: str | None = None
    routing_md: str | None = None
    archives: dict[str, str] = {}
    """Archived entries, by the path of their file in the home; Squad itself leaves these out."""
    unknown: tuple[str, ...] = ()
    """Keys that this version of memdown does not know."""

    def files(self) -> Iterator[tuple[str, str]]:
        """Each file that is there: its path from the root, and its text."""
        texts = {
            "team.md": self.team_md or self.team,
            "decisions.md": self.decisions_md or self.decisions,
            "routing.md": self.routing_md,
        }
        for agent, files in self.agents.items():
            texts[f"agents/{agent}/charter.md"] = files.charter
            texts[f"agents/{agent}/history.md"] = files.history
        for part in _CASTING:
            cast = self.casting.get(part)
            texts[f"casting/{part}.json"] = json.dumps(cast, indent=2) + "\n" if cast else None
        texts |= {path: text for path, text in self.archives.items() if _is_archive(path)}
        return ((f"{grammar.HOMES[0]}/{path}", text) for path, text in texts.items() if text)


def unpack(value: Mapping[str, object], name: str) -> SquadExport | None:
    """The export in a value; None when it is something else, and a ValidationError when it is a broken one."""
    if "version" not in value:
        return None
    if value["version"] != VERSION:
        found = quote(str(value["version"]))
        raise Refused(f"{quote(name)} is a Squad export of version {found}; memdown reads version {VERSION}")
    known = {key: each for key, each in value.items() if key in _KEYS}
    unknown = tuple(sorted({*(set(value) - _KEYS), *_unknown_below(value)}))
    return msgspec.convert({**known, "unknown": unknown}, SquadExport)


def _unknown_below(value: Mapping[str, object]) -> Iterator[str]:
    casting, agents = value.get("casting"), value.get("agents")
    yield from (f"casting.{key}" for key in casting if key not in _CASTING) if isinstance(casting, dict) else ()
    for name, files in agents.items() if isinstance(agents, dict) else ():
        if isinstance(files, dict):
            yield from (f"agents.{name}.{key}" for key in files if key not in ("charter", "history"))


def packs(path: str) -> bool:
    """Whether a file, by its path in the home, goes into an export."""
    match path.split("/"):
        case ["team.md" | "decisions.md" | "routing.md"]:
            return True
        case ["casting", _] | ["agents", _, "charter.md" | "history.md"]:
            return True
    return _is_archive(path)


def _is_archive(path: str) -> bool:
    """Whether a path in the home is that of archived decisions, or of an agent's archived history."""
    match path.split("/"):
        case ["agents", agent, name]:
            return agent not in ("", "..") and name.startswith("history-archive") and name.endswith(".md")
    inside = not {"", ".", ".."} & set(path.split("/")) and "\\" not in path and ":" not in path
    return inside and grammar.part_of(f"{grammar.HOMES[0]}/{path}") == "archive"


def pack(home: Mapping[str, str], skills: Sequence[str], at: str, made_by: str) -> dict[str, object]:
    """The export of a home whose files are given by their path in it."""
    agents: dict[str, dict[str, str]] = {}
    for path, text in home.items():
        match path.split("/"):
            case ["agents", agent, ("charter.md" | "history.md") as name]:
                agents.setdefault(agent, {"charter": "", "history": ""})[name.removesuffix(".md")] = text
    archives = {path: text for path, text in sorted(home.items()) if _is_archive(path)}
    team, decisions = home.get("team.md", ""), home.get("decisions.md", "")
    return {
        "version": VERSION,
        "exported_at": at,
        "squad_version": made_by,
        "team_md": team,
        "decisions_md": decisions,
        "routing_md": home.get("routing.md", ""),
        "casting": {name: _json(home.get(f"casting/{name}.json", "")) for name in _CASTING},
        "agents": dict(sorted(agents.items())),
        "skills": list(skills),
        "decisions": decisions,
        "team": team,
        **({"archives": archives} if archives else {}),
    }


def _json(text: str) -> object:
    try:
        return json.loads(text.removeprefix(BOM)) if text.strip() else {}
    except (ValueError, RecursionError):
        return {}  # a casting file that is not JSON is none for those who would read it
