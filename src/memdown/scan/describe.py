"""What a survey found, as the sections of a memory bank. Each line names its file; what is unknown is left out."""

from collections.abc import Iterable, Iterator

from memdown.scan import Survey, catalog
from memdown.scan.model import Fact, Library, ScanResult, clean

MOST_LIBRARIES = 20
MOST_TOOLS = 8
MOST_LINES = 12
MOST_VARIABLES = 30
MOST_COMMANDS = 8
SEVERAL = 3
"""Packages of one scope that are told as one."""

_COMMANDS = (("build", "Build"), ("test", "Test"), ("lint", "Lint"), ("dev", "Dev Server"))
_LANGUAGE_OF = {"Go": "Go", "C#": ".NET", "F#": ".NET", "Visual Basic": ".NET"}


def sections(survey: Survey) -> dict[str, dict[str, str]]:
    """Texts by file and heading; a heading that nothing is known of is not there."""
    found = survey.found
    texts = {
        "projectBrief.md": {
            "Project Name": _name(found),
            "Mission Statement": _summary(found),
            "Key Constraints": _bullets(f"License: {fact.value} ({fact.source})" for fact in found.licences[:1]),
        },
        "systemPatterns.md": {
            "Architecture Overview": "\n".join(_overview(found)),
            "Coding Conventions": _bullets(f"{fact.value} ({fact.source})" for fact in found.conventions[:MOST_LINES]),
            "File Organization": _tree(survey),
        },
        "techContext.md": {
            "Languages": _bullets(_languages(survey)),
            "Frameworks": _bullets(_frameworks(found)),
            "Databases": _bullets(_databases(found)),
            "Key Libraries": _bullets(_libraries(found)),
            "Development Environment Setup": _setup(found),
            "Build Commands": _commands(found),
            "Deployment": _deployment(found),
            "Environment Variables": _variables(found),
            "Version Requirements": _bullets(_requirements(found)),
        },
    }
    return {file: {heading: text for heading, text in each.items() if text} for file, each in texts.items()}


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in dict.fromkeys(lines))


def _name(found: ScanResult) -> str:
    """The manifest at the root names a project; else its README does."""
    at_root = [fact for fact in found.names if "/" not in fact.source]
    return f"{at_root[0].value} ({at_root[0].source})" if at_root else ""


def _summary(found: ScanResult) -> str:
    """What the package says of itself; the first words of a readme may be about anything, as its translations."""
    at_root = [fact for fact in found.summaries if "/" not in fact.source]
    long = [fact for fact in at_root if len(fact.value.split()) > 2 and not fact.source.lower().startswith("readme")]
    chosen = (long or at_root)[:1]
    return f"{chosen[0].value} ({chosen[0].source})" if chosen else ""


def _overview(found: ScanResult) -> Iterator[str]:
    members = list(dict.fromkeys(f"{fact.name} `{fact.value}` ({fact.source})" for fact in found.members))
    if len(members) == 1:
        yield f"{members[0]}."
    elif members:
        yield f"{len(members)} packages in one repository:"
        yield from (f"- {member}" for member in members[:MOST_LINES])
        if len(members) > MOST_LINES:
            yield f"- and {len(members) - MOST_LINES} more"
    for title, facts in (("Programs:", found.entries), ("Services:", found.services)):
        if facts:
            yield from (("", title) if members else (title,))
            yield from (f"- {_named(fact)} ({fact.source})" for fact in facts[:MOST_LINES])


def _named(fact: Fact) -> str:
    return f"`{fact.name}`: {fact.value}" if fact.name else fact.value


def _tree(survey: Survey) -> str:
    if not survey.folders:
        return ""
    names = [f"{'  ' * place.depth}{place.name}/" for place in survey.folders]
    width = max(map(len, names)) + 2
    lines = [f"{name:<{width}}{place.purpose}" for name, place in zip(names, survey.folders, strict=True)]
    return "```text\n" + "\n".join(lines) + "\n```"


def _languages(survey: Survey) -> Iterator[str]:
    whole = sum(share.files for share in survey.languages)
    for share in survey.languages[:8]:
        part = f"{share.percent}% of {whole} code files" if whole > 1 else "the only code file"
        yield f"{share.language}{_language_version(survey.found, share.language)} — {part}"


def _language_version(found: ScanResult, language: str) -> str:
    if language == "TypeScript":
        return next((_version(each) for each in found.libraries if each.name == "typescript"), "")
    wanted = _LANGUAGE_OF.get(language, language)
    requirement = next((fact for fact in found.requirements if fact.name == wanted), None)
    return f": {requirement.value} ({requirement.source})" if requirement else ""


def _version(library: Library) -> str:
    return f": {library.version} ({library.source})" if library.version else f" ({library.source})"


def _line(library: Library, purpose: str) -> str:
    version = f": {library.version}" if library.version else ""
    return f"{library.name}{version}{f' — {purpose}' if purpose else ''} ({library.source})"


def _others(found: ScanResult) -> list[Library]:
    """Dependencies on other people's code, each once, the nearest to the root."""
    own = {fact.value for fact in found.members}
    chosen: dict[str, Library] = {}
    for each in found.libraries:
        if each.name not in own:
            name = catalog.key(each.name)
            first = chosen.setdefault(name, each)
            if first.use != "runtime" and each.use == "runtime":
                chosen[name] = each
    return list(chosen.values())


def _frameworks(found: ScanResult) -> Iterator[str]:
    for each in _others(found):
        purpose = catalog.FRAMEWORKS.get(catalog.key(each.name))
        if purpose and each.use != "optional":
            yield _line(each, purpose if each.use == "runtime" else f"{purpose}, development only")


def _databases(found: ScanResult) -> Iterator[str]:
    for each in found.services:
        image, _, tag = each.value.partition(":")
        name = catalog.IMAGES.get(image.removeprefix("docker.io/").removeprefix("library/"))
        if name:
            yield f"{name}{f' {tag}' if tag else ''} — service `{each.name}` ({each.source})"
    for library in _others(found):
        database = catalog.DATABASES.get(catalog.key(library.name))
        if database and library.use == "runtime":
            version = f" {library.version}" if library.version else ""
            yield f"{database} — through {library.name}{version} ({library.source})"


def _libraries(found: ScanResult) -> Iterator[str]:
    others = [each for each in _others(found) if catalog.key(each.name) not in catalog.FRAMEWORKS]
    needed = [each for each in others if each.use == "runtime" and catalog.key(each.name) not in catalog.DATABASES]
    families = _families(needed)
    for family in families[:MOST_LIBRARIES]:
        each = family[0]
        if len(family) == 1:
            yield _line(each, catalog.LIBRARIES.get(catalog.key(each.name), ""))
        else:
            parts = ", ".join(other.name.partition("/")[2] for other in family)
            yield f"{each.name.partition('/')[0]}/: {len(family)} packages: {parts} ({each.source})"
    if len(families) > MOST_LIBRARIES:
        more = [each for family in families[MOST_LIBRARIES:] for each in family]
        yield f"and {len(more)} more ({', '.join(dict.fromkeys(each.source for each in more[:40]))})"
    tools = [each for each in others if each.use == "development" and catalog.key(each.name) in catalog.LIBRARIES]
    for each in tools[:MOST_TOOLS]:
        yield _line(each, f"{catalog.LIBRARIES[catalog.key(each.name)]}, development only")


def _families(libraries: Iterable[Library]) -> list[list[Library]]:
    """Packages of one scope and manifest together, when there are several, so that they do not hide the others."""
    families: dict[str, list[Library]] = {}
    for each in libraries:
        scope = each.name.partition("/")[0] if each.name.startswith("@") else ""
        families.setdefault(f"{scope} {each.source}" if scope else each.name, []).append(each)
    found: list[list[Library]] = []
    for family in families.values():
        found += [family] if len(family) >= SEVERAL else [[each] for each in family]
    return found


def _setup(found: ScanResult) -> str:
    steps = [f"`{fact.value}` ({fact.source})" for fact in found.steps[:6]]
    examples = dict.fromkeys(fact.source for fact in found.variables)
    steps += [f"Copy `{name}` to `.env` and fill it in" for name in examples if "/" not in name][:1]
    return "\n".join(f"{number}. {step}" for number, step in enumerate(dict.fromkeys(steps), 1))


def _commands(found: ScanResult) -> str:
    lines = []
    for role, title in _COMMANDS:
        facts = [fact for fact in found.commands if fact.name == role]
        # What runs everything in containers is the last resort of somebody who wants to change code.
        facts.sort(key=lambda fact: (_preference(fact), fact.source.count("/")))
        sources = {fact.value: fact.source for fact in reversed(facts)}  # of two that name a command, the first
        commands = [f"`{value}` ({sources[value]})" for value in dict.fromkeys(fact.value for fact in facts)]
        more = f" and {len(commands) - MOST_COMMANDS} more" if len(commands) > MOST_COMMANDS else ""
        shown = ", ".join(commands[:MOST_COMMANDS])
        if commands:
            lines.append(f"- **{title}**: {shown}{more}")
    return "\n".join(lines)


def _preference(fact: Fact) -> int:
    """Task files are made for people, pipelines for machines; what a tool could do by default is only that."""
    if fact.value.startswith(("make ", "just ", "task ")):
        return 0
    return 2 if fact.source.startswith(".github/") else 3 if fact.value.startswith("docker compose") else 1


def _deployment(found: ScanResult) -> str:
    if not (found.places or found.pipelines):
        return ""
    deploy = [f"`{fact.value}` ({fact.source})" for fact in found.commands if fact.name == "deploy"][:1]
    places = [f"{fact.value} ({fact.source})" for fact in found.places[:3]]
    pipelines = [f"{fact.value} ({fact.source})" for fact in found.pipelines[:5]]
    if len(found.pipelines) > 5:
        pipelines.append(f"and {len(found.pipelines) - 5} more")
    known = {"Environment": places, "Deploy Command": deploy, "CI/CD": pipelines}
    return "\n".join(f"- **{title}**: {'; '.join(facts)}" for title, facts in known.items() if facts)


def _variables(found: ScanResult) -> str:
    if not found.variables:
        return ""
    rows = [f"| {fact.name} | {clean(fact.value, 120)} |" for fact in found.variables[:MOST_VARIABLES]]
    sources = ", ".join(dict.fromkeys(fact.source for fact in found.variables))
    more = len(found.variables) - MOST_VARIABLES
    origin = f"(from {sources}{f'; {more} more there' if more > 0 else ''})"
    return "\n".join(("| Variable | Purpose |", "|----------|---------|", *rows, "", origin))


def _requirements(found: ScanResult) -> Iterator[str]:
    seen: set[tuple[str, str]] = set()
    for fact in found.requirements:
        if (fact.name, fact.value) not in seen and len(seen) < MOST_LINES:
            seen.add((fact.name, fact.value))
            yield f"{fact.name}: {fact.value} ({fact.source})"
