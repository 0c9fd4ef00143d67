"""The seven files of a memory bank, section by section: one table for templates, reading, validation and prompts.

A placeholder is text in square brackets. A section that holds nothing else is not filled in.
"""

from collections.abc import Iterable, Mapping

from msgspec import Struct


class TemplateSection(Struct, frozen=True):
    """One heading of a template and the placeholder below it."""

    heading: str
    body: str = ""
    """Placeholder lines; empty when only other headings follow."""
    level: int = 2


class Layer(Struct, frozen=True):
    """One of the seven files."""

    order: int
    file: str
    """Its canonical name."""
    title: str
    role: str
    """What it is for, in a word or two."""
    required: bool
    aliases: tuple[str, ...]
    """Other names it has in real projects, in lower case; case and the case of the canonical name never matter."""
    when: str
    """What makes an update touch it."""
    sections: tuple[TemplateSection, ...]


LAYERS = (
    Layer(
        order=1,
        file="projectBrief.md",
        title="Project Brief",
        role="Project foundation",
        required=True,
        aliases=("projectbrief.md", "project_brief.md", "project-brief.md", "brief.md"),
        when="Only if fundamental change",
        sections=(
            TemplateSection("Project Name", "[Name of the project]"),
            TemplateSection("Mission Statement", "[What this project is and why it exists, in one paragraph]"),
            TemplateSection("Problem Statement", "[Which problem it solves, and for whom]"),
            TemplateSection("Core Requirements", "- [Requirement 1]\n- [Requirement 2]\n- [Requirement 3]"),
            TemplateSection("Key Constraints", "- [Constraint 1]\n- [Constraint 2]\n- [Constraint 3]"),
            TemplateSection("Success Criteria", "- [How success is recognised]\n- [Outcome that can be measured]"),
            TemplateSection("Scope Boundaries"),
            TemplateSection("In Scope", "- [What is included]", 3),
            TemplateSection("Out of Scope", "- [What is left out on purpose]", 3),
        ),
    ),
    Layer(
        order=2,
        file="productContext.md",
        title="Product Context",
        role="Purpose and goals",
        required=False,
        aliases=("productcontext.md", "product_context.md", "product-context.md", "product.md"),
        when="If scope changed",
        sections=(
            TemplateSection("Why This Project Exists", "[Why it is worth building, and what users need]"),
            TemplateSection("Target Users", "[Who uses it, and how]"),
            TemplateSection("User Problems", "- [Problem 1]\n- [Problem 2]"),
            TemplateSection("User Experience Goals", "- [Goal 1]\n- [Goal 2]"),
            TemplateSection("How It Should Work", "[What a user does, from beginning to end]"),
            TemplateSection("What Makes It Different", "[How it differs from the alternatives]"),
        ),
    ),
    Layer(
        order=3,
        file="systemPatterns.md",
        title="System Patterns",
        role="Architecture and patterns",
        required=False,
        aliases=("systempatterns.md", "system_patterns.md", "system-patterns.md", "architecture.md"),
        when="If patterns changed",
        sections=(
            TemplateSection("Architecture Overview", "[The architecture in a few sentences]"),
            TemplateSection(
                "Architecture Diagram", "[The parts of the system and how they are connected, as an ASCII diagram]"
            ),
            TemplateSection("Design Patterns in Use"),
            TemplateSection(
                "[Pattern Name]",
                "- **Where Used**: [Modules or files]\n- **Why**: [Reason]\n- **Implementation**: [How it is done]",
                3,
            ),
            TemplateSection("Coding Conventions", "- [Convention 1]\n- [Convention 2]\n- [Convention 3]"),
            TemplateSection("File Organization", "[The folders, with the purpose of each]"),
            TemplateSection("Key Technical Decisions", "- [Decision 1; details in decisionLog.md]\n- [Decision 2]"),
        ),
    ),
    Layer(
        order=4,
        file="techContext.md",
        title="Tech Context",
        role="Technology stack",
        required=False,
        aliases=("techcontext.md", "tech_context.md", "tech-context.md", "tech.md"),
        when="If stack changed",
        sections=(
            TemplateSection("Technology Stack"),
            TemplateSection("Languages", "- [Language: version]", 3),
            TemplateSection("Frameworks", "- [Framework: version — purpose]", 3),
            TemplateSection("Databases", "- [Database: purpose]", 3),
            TemplateSection("Key Libraries", "- [Library: purpose]", 3),
            TemplateSection("Development Environment Setup", "1. [Step 1]\n2. [Step 2]\n3. [Step 3]"),
            TemplateSection(
                "Build Commands",
                "- **Build**: `[command]`\n- **Test**: `[command]`\n- **Lint**: `[command]`\n"
                "- **Dev Server**: `[command]`",
            ),
            TemplateSection(
                "Deployment",
                "- **Environment**: [Where it runs]\n- **Deploy Command**: `[command]`\n- **CI/CD**: [What runs where]",
            ),
            TemplateSection(
                "Environment Variables",
                "| Variable | Purpose | Required |\n|----------|---------|----------|\n"
                "| [Variable] | [Purpose] | [Yes or no] |",
            ),
            TemplateSection("Version Requirements", "- [Tool: version]"),
        ),
    ),
    Layer(
        order=5,
        file="activeContext.md",
        title="Active Context",
        role="Current session state",
        required=True,
        aliases=("activecontext.md", "active_context.md", "active-context.md", "context.md"),
        when="Current state, focus, blockers, next steps",
        sections=(
            TemplateSection("Current Focus", "[What is being worked on now, in one or two sentences]"),
            TemplateSection("Recent Changes", "- [Change 1: what and when]\n- [Change 2: what and when]"),
            TemplateSection("Current State", "[Where things stand: what works and what does not]"),
            TemplateSection("Active Decisions", "- [Decision that is pending or was made this session]"),
            TemplateSection("Open Questions", "- [Question 1]\n- [Question 2]"),
            TemplateSection("Blockers", "- [Blocker 1: what it holds up]"),
            TemplateSection("Next Steps", "1. [Next task]\n2. [Task after it]\n3. [Task after that]"),
        ),
    ),
    Layer(
        order=6,
        file="progress.md",
        title="Progress",
        role="Task tracking",
        required=True,
        aliases=("progress.md",),
        when="Task status changes",
        sections=(
            TemplateSection("Completed", "- [x] [Task — date completed]"),
            TemplateSection("In Progress", "- [ ] [Task — current status]"),
            TemplateSection("Known Issues", "- [Issue: description and impact]"),
            TemplateSection("Technical Debt", "- [Debt: what needs cleaning up]"),
            TemplateSection("Upcoming", "- [ ] [Planned task]"),
            TemplateSection("Milestones"),
            TemplateSection("Phase 1: [Name] — [Status]", "- [Goals of the phase and how far they are reached]", 3),
            TemplateSection("Phase 2: [Name] — [Status]", "- [Goals of the phase]", 3),
        ),
    ),
    Layer(
        order=7,
        file="decisionLog.md",
        title="Decision Log",
        role="Decision history",
        required=False,
        aliases=("decisionlog.md", "decision_log.md", "decision-log.md", "decisions.md"),
        when="New decisions (append only)",
        sections=(
            TemplateSection(
                "Decision: [Decision Title]",
                "- **Date**: [YYYY-MM-DD]\n"
                "- **Status**: [Accepted / Superseded / Deprecated]\n"
                "- **Context**: [What led to the decision]\n"
                "- **Options Considered**:\n"
                "  1. [Option A — pros/cons]\n"
                "  2. [Option B — pros/cons]\n"
                "- **Selected**: [The option chosen]\n"
                "- **Rationale**: [Why it was chosen]\n"
                "- **Trade-offs**: [What was given up]\n"
                "- **Consequences**: [What is expected to follow]",
            ),
        ),
    ),
)
"""In the order of reading, from the most stable to the most volatile."""

UPDATE_ORDER = tuple(
    next(layer for layer in LAYERS if layer.file == file)
    for file in (
        *("progress.md", "activeContext.md", "decisionLog.md", "techContext.md"),
        *("systemPatterns.md", "productContext.md", "projectBrief.md"),
    )
)
"""In the order of writing."""


def layer_of(file: str) -> Layer | None:
    """The layer a file stands for, by its canonical name or one of its other names, in any case."""
    name = file.rpartition("/")[2].lower()
    return next((layer for layer in LAYERS if name == layer.file.lower() or name in layer.aliases), None)


def render(
    layer: Layer,
    filled: Mapping[str, str] | None = None,
    more: Iterable[tuple[str, str]] = (),
    titles: Mapping[str, str] | None = None,
) -> str:
    """A new file: its template, with the sections named in `filled`, and further ones of level 2 after it.

    `titles` are headings in the place of those that are placeholders themselves.
    """
    known, named = filled or {}, titles or {}
    parts = [f"# {layer.title}\n"]
    for section in layer.sections:
        parts.append(f"{'#' * section.level} {named.get(section.heading, section.heading)}\n")
        body = known.get(section.heading, section.body)
        if body:
            parts[-1] += f"{body}\n"
    parts += [f"## {heading}\n{body}\n" for heading, body in more]
    return "\n".join(parts)
