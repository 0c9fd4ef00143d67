"""What a text claims of the code: in titles and fields as in prose, and not where it tells of a day."""

import re
from pathlib import Path

import pytest

from memdown.claims import find, force, paths, words
from memdown.claims.words import is_aside
from memdown.record import Document, Record
from memdown.text import Span
from samples import put
from test_verify import Cli, commit, git, repository

__all__ = ["repository"]

CARD = "3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b"
HEAD = f"---\nid: {CARD}\nsubject: The pool\nkeywords: [pool]\napplies_to: global\noccurred_at: 2026-01-02T10:00:00Z\n"
WRITTEN = {
    "title of a decision": (
        ".squad/decisions.md",
        "# Decisions\n\n### 2026-01-02: Keep the pool in src/a.py\n**By:** Ann\n",
    ),
    "field of a decision": (
        ".squad/decisions.md",
        "# Decisions\n\n### 2026-01-02T10:00:00Z: Pool\n**By:** Ann\n**What:** It is in `src/a.py`\n",
    ),
    "decision of a bank": ("memory-bank/decisionLog.md", "# Decision Log\n\n## 2026-01-02: The pool is in src/a.py\n"),
    "row of a table": (
        "memory-bank/decisionLog.md",
        "# Decision Log\n\n| Date | Decision | Rationale |\n|---|---|---|\n| 2026-01-02 | The pool is in `src/a.py` | x |\n",
    ),
    "heading": ("memory-bank/systemPatterns.md", "# System Patterns\n\n## Pool (`src/a.py`)\n\nConnections.\n"),
    "subject of a card": (f"memories/{CARD}.md", f"{HEAD.replace('The pool', 'The pool in src/a.py')}---\n\nx\n"),
    "scope of a card": (
        f"memories/{CARD}.md",
        f"{HEAD.replace('global', chr(39) + 'file:src/a.py' + chr(39))}---\n\nx\n",
    ),
    "body of a card": (f"memories/{CARD}.md", f"{HEAD}---\n\nIt is in `src/a.py`.\n"),
    "list in front matter": (f"memories/{CARD}.md", f"{HEAD}files:\n  - src/b.py\n  - src/a.py\n---\n\nx\n"),
}


@pytest.mark.parametrize("where", WRITTEN)
def test_every_field_that_people_write_is_read(cli: Cli, repository: Path, where: str) -> None:
    put(repository, "src/a.py", "x = 1\n" * 9)
    put(repository, "src/b.py", "y = 1\n" * 9)
    put(repository, *WRITTEN[where])
    commit("Begin")
    git("mv", "src/a.py", "src/c.py")
    commit("Move")
    found = [each for each in cli("verify", "--json").json() if each["state"] != "fresh"]
    assert [(each["target"], each["state"], each["now"]) for each in found] == [("src/a.py", "moved", "src/c.py")]
    since = git("rev-parse", "--short=7", "HEAD")
    marks = [hit["untrue"] for hit in cli("search", "pool", "--json").json()["hits"] if hit["untrue"]]
    assert marks[:1] == [[f"src/a.py is now src/c.py since {since}"]]


@pytest.mark.parametrize(
    "text",
    [
        "# Notes\n\n## 2026-01-02\n\n`src/a.py` holds it.\n",
        "# Notes\n\n- 2026-01-02 `src/a.py` holds it.\n",
        "---\nsubject: Moved from src/a.py\n---\n\nx\n",
    ],
)
def test_what_a_text_tells_of_a_day_or_of_a_change_is_marked_or_left_out(text: str) -> None:
    assert all(each.dated for each in find(Document("notes.md", text)))
    assert all(each.dated for each in paths(Document("notes.md", text)))


def test_a_date_in_front_matter_says_nothing_of_the_text_below() -> None:
    text = f"{HEAD}---\n\nIt is in `src/a.py`.\n"
    assert [(each.target, each.dated) for each in find(Document("notes.md", text))] == [("src/a.py", False)]
    assert [each.target for each in paths(Document("notes.md", text))] == ["src/a.py"]


@pytest.mark.parametrize(
    "title",
    [
        *("Zebra", "Sessions live in Redis", "Session storage", "Next.js renders pages", "Migrations in one folder"),
        *("Plan limits", "Templates by Jinja", "Log to stdout", "History of orders", "Progress bar", "Fix the port"),
    ],
)
@pytest.mark.parametrize(
    ("path", "form"),
    [
        (".squad/decisions.md", "# Decisions\n\n### 2026-01-02: {}\n**By:** Ann\n**What:** It is in `src/a.py`.\n"),
        ("memory-bank/decisionLog.md", "# Decision Log\n\n## 2026-01-02: {}\n\nIt is in `src/a.py`.\n"),
    ],
)
def test_no_title_of_a_decision_silences_what_it_says(
    cli: Cli, repository: Path, path: str, form: str, title: str
) -> None:
    put(repository, "src/a.py", "x = 1\n")
    put(repository, path, form.format(title))
    commit("Begin")
    assert [each["target"] for each in cli("verify", "--all", "--json").json()] == ["src/a.py"]


def test_a_heading_inside_a_decision_still_silences(cli: Cli, repository: Path) -> None:
    put(repository, "src/a.py", "x = 1\n")
    text = "# Decision Log\n\n## 2026-01-02: Pool\n\nOne pool.\n\n### Alternatives considered\n\nIt is in `src/a.py`.\n"
    put(repository, "memory-bank/decisionLog.md", text)
    commit("Begin")
    assert cli("verify", "--all", "--json").json() == []


@pytest.mark.parametrize(
    "heading",
    [
        *(
            "Session 12",
            "Session 2026-01-02",
            "Sessions",
            "Session log",
            "Session notes",
            "Session History",
            "🕐 Session",
        ),
        *(
            "2026-01-02 Session",
            "Session #4: Redis is back",
            "Current session focus",
            "Session (January 2)",
            "Last session",
            "Decided in this session",
            "Session: Redis",
            "Modernization Session",
        ),
        *("Recent changes", "What is next", "Next steps", "Migration plan", "Plan: sessions are in Redis", "Done"),
    ],
)
def test_headings_over_what_was_or_is_planned_silence(heading: str) -> None:
    assert is_aside(heading)


@pytest.mark.parametrize(
    "heading",
    [
        *("Sessions live in Redis", "Session management", "User sessions", "Session store", "Sessions and cookies"),
        *("Migrations are in one folder", "Templates belong to the theme", "The log goes to stdout", "Next.js"),
        *("Next-auth", "History is kept by Redux"),
    ],
)
def test_headings_that_say_what_is_so_do_not(heading: str) -> None:
    assert not is_aside(heading)


@pytest.mark.parametrize("name", ["session-store", "template-engine", "billing-plans"])
def test_a_decision_is_read_whatever_its_file_is_called(name: str) -> None:
    said = Record(id="a", dialect="okf", kind="decision", path=f"{name}.md", span=Span(0, 9))
    assert not force.is_aside(Document(said.path, "", records=[said]))
    assert force.is_aside(Document(said.path, ""))
    assert force.is_aside(Document(f"archive/{name}.md", "", records=[said]))


@pytest.mark.parametrize(
    ("status", "is_over"),
    [
        *(("Rejected.", True), ("✓ Completed", True), ("Design only, awaiting Ann", True), ("Proposal for May", True)),
        *(("🟡 PENDING APPROVAL", True), ("Recommended for review", True), ("Reverted. It runs always", True)),
        *(("Accepted", False), ("Implemented (pending a push)", False), ("✅ Shipped", False), ("", False)),
        *(("Approved, ready for release", False), ("Findings only, no code changed", False)),
    ],
)
def test_a_status_says_whether_a_record_holds_now(status: str, is_over: bool) -> None:
    said = Record(id="a", dialect="sem", kind="decision", path="a.md", span=Span(0, 9), status=status)
    assert force.tells_of_past(said) == is_over


def test_a_line_that_begins_with_a_date_tells_of_that_day() -> None:
    line = "[2026-01-02 10:00] - Code - Split the pages. They are in `src/pages/` and `npm test` passes."
    found = find(Document("notes.md", f"# Notes\n\n{line}\n"))
    assert [(each.target, each.dated) for each in found] == [("src/pages/", True), ("test", True)]


@pytest.mark.parametrize(
    "code", ["src/a.py::take", "src/a.py:take", "src/a.py:take()", "a.ts:Pool.take", "src/a.py:POOL"]
)
def test_a_name_behind_a_file_is_a_symbol_of_it(code: str) -> None:
    (claim,) = find(Document("notes.md", f"# Notes\n\nConnections come from `{code}`.\n"))
    path, _, symbol = code.removesuffix("()").partition(":")
    assert (claim.kind, claim.target, claim.value) == ("symbol", path, symbol.lstrip(":"))


@pytest.mark.parametrize("code", ["config.yaml:key", "docs/a.md:Heading", "src/a.py:line", "src/a.ts:LINE", "node:fs"])
def test_other_words_behind_a_colon_are_none(code: str) -> None:
    assert not find(Document("notes.md", f"# Notes\n\nIt says `{code}`.\n"))


def told(line: str) -> list[str]:
    """What a line claims, versions aside: only manifests tell whether a number is one."""
    found = find(Document("notes.md", f"# Notes\n\n{line}\n"))
    return [each.target for each in found if each.kind != "version" or each.value == "0"]


@pytest.mark.parametrize(
    "line",
    [
        "Colours are `var(--primary)` and `var(--warning)`.",
        "Work happens on branch `cloud-claw/screenshot-poc`.",
        "**Branch**: `cloud-claw/screenshot-poc`",
        "The `cloud-claw/screenshot-poc` branch has it.",
        "It returns entities with `is_super_user = true`.",
        "Answers are made up for `USE_MOCK=1`.",
        "Should be: `thinking_get`, `thinking_search`",
        "Initial design (Ann): an agent has its `skills.md`.",
        "The section shows `assets/images/`. There is no `assets/images/` folder.",
        "Functions stand beside pages, so no separate `api/` folder is needed.",
        "[deferred to v2] Tests in `learning/__tests__/` use plain data.",
        "**TypeScript Errors**: 0",
        "Types are apart (no shared `SessionBase`).",
        "A price is kept by day: `UNIQUE(ticker, price_date)`.",
        f"See `{'z' * 120}` names that don't exist (`FactReader`, `RelationWriter`).",
        "Clearer than a hardcoded flag, compared to the flag (`isTop3Ranking`).",
        "A wheel is installed when the variant is built (`INSTALL_OPENVINO=true`).",
        "Recognized on payout, not on `order_status = 'delivered'`.",
        "`order_status = 'delivered'` AND the window has closed.",
        "`brow_offset = -20` means 20 pixels higher.",
        "Opening the door sets `door_open=true`.",
        "It is one repository (`akubly/adventure`), not two.",
        "Repositories: `github.com/owner/repo`",
        "The cache is cleared with `pnpm store prune`.",
        "The gain is in `returns.pl`, the key in `process.env`.",
        "Columns are in `snake_case`, the bot uses `discord.js`, pages `Next.js`.",
        "Output: `memory/2026-06-17..21/`, without `../` in it.",
        "It shows files as `app.js`, `vendor.js` etc. → they are `index.js`.",
        "Neither package has `Session.getFacts()`.",
        "A link to the non-existent `docs/b.md`.",
        "The legacy module `src/old.py` is not read.",
        "`src/old.py` is legacy.",
        "Reading is to be implemented in `src/read.py`.",
        "There is no top-level `Backend.spendings`.",
        "The next 3 pages are read ahead.",
        "- Option B: a second call of `commit_row()`.",
        "Option B — a separate call that goes to the backend of the log and that\nhardcodes `flags.bootstrap = 1`.",
        "**Remediation:** enable `CSRFProtect(app)`.",
        "Se eliminaron los imports de `getConnections`.",
        "旧的 `home_page.dart` 已被删除。",
        "Ancien module : `src/old.py` a été supprimé.",
        "Старый `src/old.py` удалён.",
        "**Next steps:**\n- Split `src/a.py`\n  and `src/b.py`\n- Split `src/c.py`",
        "- **Rejected alternatives:**\n  - `src/a.py`",
        "`validClauses` did not filter what `load_roles()` has, and `src/roles.py` didn't either.",
        "Recreated the launcher `dev.ps1` for the dashboard.",
        "Identified the call sites of `Service.pan_view`.",
        "Lists are in `backups/list_YYYYMMDD_HHMMSS.txt`, the battery is `BAT0`, hashes are `SHA256`.",
        "Speech is made with eleven_flash_v2_5, checked by CKV_DOCKER_3.",
    ],
)
def test_what_only_looks_like_a_claim_is_none(line: str) -> None:
    assert told(line) == []


@pytest.mark.parametrize(
    ("line", "target"),
    [
        ("The pool opens with `POOL_SIZE = 10`.", "POOL_SIZE"),
        ("Settings are in `src/conf/local/`.", "src/conf/local/"),
        ("Redirects are off: `follow_redirects=False`.", "follow_redirects"),
        ("`npm run notice` prints the licences.", "notice"),
        ("Branches are listed by `scripts/merge.sh`.", "scripts/merge.sh"),
        ("`Parametre.js` has the settings.", "Parametre.js"),
        ("`_HookCaller` holds the implementations of a hook.", "_HookCaller"),
        ("`register_one()` adds a plugin.", "register_one"),
        ("`clean_up()` removes files.", "clean_up"),
        ("`call_all()` calls older plugins too.", "call_all"),
        ("Reading is implemented in `src/read.py`.", "src/read.py"),
        ("Proofs are in `OmegaGroupoid.lean`.", "OmegaGroupoid.lean"),
        ("The `local_cache` directory has the model.", "local_cache/"),
        ("Pages come from `src/pages/` rather than from a table.", "src/pages/"),
        ("**Next steps:**\n- Split it\n\nPages are in `src/pages/`.", "src/pages/"),
        ("- **Next steps:**\n  - Split it\n- Pages are in `src/pages/`.", "src/pages/"),
        ("Was: a table.\nPages: `src/pages/`", "src/pages/"),
        ("Las páginas están en `src/pages/`.", "src/pages/"),
        ("页面在 `src/pages/` 中。", "src/pages/"),
        ("Use `clean_up()` for new code.", "clean_up"),
        ("All new features have tests in `tests/unit/`.", "tests/unit/"),
        ("It is in `src/ui/bottom-bar.js`.", "src/ui/bottom-bar.js"),
        ("See `tests/n/names.txt`.", "tests/n/names.txt"),
    ],
)
def test_what_is_beside_it_still_is_one(line: str, target: str) -> None:
    assert told(line) == [target]


@pytest.mark.parametrize(
    "line",
    [
        "We need a place for new `clean_up()`.",
        "The code is in `src/new/foo-bar.js` or `src/bar/x.js`.",
        "Each day has `logs/XX.md` and `logs/x-nn.md`.",
        "Modules come from `deno.land/x`.",
    ],
)
def test_what_stands_for_others_is_none(line: str) -> None:
    assert told(line) == []


def test_what_npm_prints_is_no_command() -> None:
    text = "# Notes\n\n```bash\nnpm notice Tarball Contents\nnpm run build\n```\n"
    assert [each.target for each in find(Document("notes.md", text))] == ["build"]


WORDS_ASIDE = sorted(
    words._ASIDE | words._CHANGING | {f"{each}ed" for each in (*words._ASIDE_BEGIN, *words._CHANGING_BEGIN)}
)


@pytest.mark.parametrize(
    "phrases",
    [
        [f"The pool {word} is `a.py` here" for word in WORDS_ASIDE],
        ["`a.py` is no longer there", "neither `a.py`", "the `a.py` does not exist", "`a.py` doesn't exist"],
        ["we used to have `a.py`", "it is to be built in `a.py`", "files such as `a.py`", "a module, e.g. `a.py`"],
        ["it should be: `a.py`", "the initial design has `a.py`", "the old pool in `a.py`", "`a.py` is legacy"],
        ["compared with `a.py`", "rather than `a.py`", "as opposed to `a.py`", "without `a.py`", "no dedicated `a.py`"],
        ["ya no hay `a.py`", "`a.py` n'est plus", "`a.py` 已删除,移除", "on 2026-01-02 `a.py`"],
        ["Option B: `a.py`", "Next steps: `a.py`", "To-do: `a.py`", "Follow-ups: `a.py`", "Rejected: `a.py`"],
        ["Alternatives: `a.py`", "Remediation: `a.py`", "Mitigation: `a.py`", "Previously: `a.py`"],
        ["Deliverable: `a.py`", "docs say `a.py`", "the documentation claims `a.py`", "it should be kept so: `a.py`"],
    ],
)
def test_a_passage_is_calm_only_where_no_pattern_of_a_sentence_can_match(phrases: list[str]) -> None:
    assert words.is_calm("The pool of connections is in `a.py` and has ten of them.")
    assert [each for each in phrases if words.is_calm(each)] == []


@pytest.mark.parametrize(
    "text",
    [
        "`take_one()` used a lock before the doc shows it.",
        "`take_one()` is used a lot.",
        "The pool is used a lot, by `take_one()`.",
        "`take_one()` gains from the cache.",
        "The docs show what `take_one()` does.",
    ],
)
def test_words_that_say_it_of_something_else_leave_a_claim(text: str) -> None:
    found = find(Document("memory-bank/techContext.md", f"# Tech\n\n{text}\n"))
    assert [each.target for each in found] == ["take_one"]


@pytest.mark.parametrize(("code", "target"), [("Celery.conf", "Celery.conf"), ("response.json()", "response.json")])
def test_a_member_that_is_called_as_files_end_is_no_file(code: str, target: str) -> None:
    found = find(Document("memory-bank/techContext.md", f"# Tech\n\nIt reads `{code}`, beside `nginx.conf`.\n"))
    assert ("path", target) not in [(each.kind, each.target) for each in found]
    assert [each.target for each in found if each.kind == "path"] == ["nginx.conf"]


@pytest.mark.parametrize("line", ["It listens on port 8080.", "It is at localhost:8080.", "Open port 8080, please"])
def test_a_port_may_end_a_sentence(line: str) -> None:
    assert told(line) == ["8080"]


def test_a_port_in_code_is_a_claim() -> None:
    found = find(Document("memory-bank/techContext.md", "# Tech\n\nThe server listens on port `8080`.\n"))
    assert [(each.kind, each.target) for each in found] == [("port", "8080")]


@pytest.mark.parametrize(
    "text",
    [
        "Should there be a landing page `docs/toolkit/index.md`?",
        "It compiles with `lamdera make src/Main.elm`.",
        "The column `Gain/loss` is in the file.",
        "The engine is `Ann/Scotland-Yard-2024`.",
        "Packages are `MAJOR.MINOR.PATCH`.",
        "It buys `POLI.TA` and is `clamp(240px, 28vw, 360px)` high.",
        "It runs `tests/a.py tests/b.py`.",
        "## Recommendations\n\n`src/a.py` holds the pool.",
        "## Reverted\n\n`src/a.py` holds the pool.",
        "## Functional Requirements\n\n`src/a.py` holds the pool.",
        "## Open ambiguities\n\n`src/a.py` holds the pool.",
        "## Keys required\n\n| `holdingsTitle` | Holdings |",
        "Membership should be kept by the child: `Transaction.spendingId`.",
        "Each world gains an optional `content_root` field.",
        "The summary used a fragile `derive_code()` for that.",
        "The doc shows an `alert_user()` which the code has not.",
        "**Deliverable:** a search over `fact_content`.",
    ],
)
def test_what_is_wanted_or_only_looks_like_code_is_no_claim(text: str) -> None:
    assert find(Document("memory-bank/techContext.md", f"# Tech\n\n{text}\n")) == []


@pytest.mark.parametrize("name", ["pool-prd-v2.md", "spec-pseudocode.md"])
def test_a_file_of_requirements_tells_of_what_is_wanted(name: str) -> None:
    assert force.is_aside(Document(f"memory-bank/{name}", "# Pool\n"))
    assert not force.is_aside(Document("memory-bank/techContext.md", "# Pool\n"))
    assert not force.is_aside(Document("memory-bank/sprdx.md", "# Pool\n"))


def test_a_document_of_requirements_claims_nothing_even_among_decisions(cli: Cli) -> None:
    text = (
        "# Decisions\n\n### 2026-01-01: Recall\n**By:** Ann\n**What:** `src/recall.py` ranks.\n**Why:** It is fast.\n"
    )
    put(Path.cwd(), "src/recall.py", "x = 1\n")
    for name in ("recall.md", "recall-prd-v2.md", "recall-pseudocode.md"):
        put(Path.cwd(), f".squad/decisions/{name}", text)
    assert [each["path"] for each in cli("verify", "--json").json()] == [".squad/decisions/recall.md"]


def test_a_contract_for_building_is_a_plan_and_a_count_is_no_path(cli: Cli) -> None:
    text = "# Tech Context\n\n## {} — Returns\n\n- `src/returns.py` shows the table, `26/26` pass.\n"
    put(Path.cwd(), "src/returns.py", "x = 1\n")
    put(Path.cwd(), "memory-bank/techContext.md", text.format("Component"))
    assert [each["target"] for each in cli("verify", "--json").json()] == ["src/returns.py"]
    put(Path.cwd(), "memory-bank/techContext.md", text.format("Build Contract"))
    assert cli("verify", "--json").json() == []


@pytest.mark.parametrize(
    "text",
    [
        "See [test_create_task.py](tests/test_create_task.py) for how that works.",
        "See [config_converter.js](docs/config_converter.js) for how that works.",
        "The parser in src/parse.py calls src/migrations/convert.py for each line.",
        "`src/parse.py` calls src/updates/new_rows.py, and that is all.",
    ],
)
def test_the_words_of_a_path_tell_of_no_change(text: str) -> None:
    """What a file is called by, or what is called by its name in a link, says nothing of the sentence."""
    found = [each.target for each in find(Document("memory-bank/systemPatterns.md", text)) if each.kind == "path"]
    assert found == re.findall(r"[\w/]+/\w+\.\w+", text)


@pytest.mark.parametrize(
    "text",
    [
        "See the [new parser](src/parse.py) that will replace it.",
        "It was [moved](src/parse.py).",
        "src/a.py and/or what was created/updated in src/parse.py",
    ],
)
def test_the_words_beside_a_path_still_do(text: str) -> None:
    assert [each.target for each in find(Document("memory-bank/systemPatterns.md", text))] == []


@pytest.mark.parametrize(
    "path",
    [
        "src/http/cookies.py",
        "app/users/models.py",
        "lib/screens/home/home_screen.dart",
        "ui/text/input.tsx",
        "http/server.go",
    ],
)
def test_a_folder_of_the_project_may_be_called_as_one_of_the_machine(path: str) -> None:
    assert [each.target for each in find(Document("memory-bank/a.md", f"It is in `{path}` and {path}."))] == [path] * 2


@pytest.mark.parametrize(
    "text", ["`text/plain`", "`application/json`", "`http/1.1`", "`home/ann/a.py`", "`path/to/a.py`"]
)
def test_a_type_of_media_and_a_folder_of_the_machine_are_no_path(text: str) -> None:
    assert find(Document("memory-bank/a.md", f"It is {text}.")) == []


@pytest.mark.parametrize(
    ("title", "found"), [("Proposal: a pool", 0), ("C) PROPUESTA: un pool", 0), ("Proposals are kept", 1)]
)
def test_a_decision_that_calls_itself_a_proposal_claims_nothing(cli: Cli, title: str, found: int) -> None:
    put(
        Path.cwd(),
        ".squad/decisions.md",
        f"# Decisions\n\n## {title}\n**Date:** 2026-01-02\n**By:** Ann\n\nIt is in `src/a.py`.\n",
    )
    put(Path.cwd(), "src/a.py", "x = 1\n")
    assert len(cli("verify", "--json").json()) == found


@pytest.mark.parametrize(
    "text", ["## Original decision\n\nIt is `src/a.py`.", "Phantom references to `src/a.py` in the log."]
)
def test_what_was_decided_first_and_what_never_was_are_no_claims(text: str) -> None:
    assert find(Document("memory-bank/a.md", text)) == []
