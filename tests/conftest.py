"""What every test may ask for."""

import gc
import io
import json
import os
import random
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import click
import pytest
from hypothesis import HealthCheck, Phase, settings
from xdist.scheduler import LoadGroupScheduling

from hub_server import hub, postgres
from memdown.store.steps import Step, StepLog
from memdown.surfaces.cli import run

__all__ = ["hub", "postgres"]
CORPUS = Path(os.environ.get("MEMDOWN_CORPUS", Path(__file__).parents[2] / "shared" / "corpus"))


T = TypeVar("T")
_AT_LENGTH = "MEMDOWN_TEST_AT_LENGTH"
"""Set for workers and helper functions when --slow is given."""
_SERVERS = {"browser", "postgres"}
"""What takes long to start: all tests that ask for one run in one process (--dist loadgroup), which starts it once."""

_AN_HOUR = pytest.mark.timeout(3600)
"""What a long form may take before it counts as a hang."""
_LONG = {
    f"test_{name}.py" for name in ("closing", "gate", "hooks", "install", "mcp_http", "steering", "undo", "undo_model")
}
"""Files that take longest, which no process should begin at the end."""

# `./test` draws the same examples every time. A longer run looks for new ones: it names its seed, keeps what it found in
# .hypothesis/ and writes it as a patch with an explicit example (git apply .hypothesis/patches/...).
settings.register_profile("same", derandomize=True, database=None, deadline=None, max_examples=50)
settings.register_profile(
    "fresh", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow], phases=tuple(Phase)
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--slow", action="store_true", help="run the long forms too: fuzzing, crashes, races, new examples"
    )
    parser.addoption(
        "--sample", type=int, default=1, metavar="N", help="run every Nth test of each file only, the first included"
    )


def _is_of_somebody(name: str) -> bool:
    """Whether a variable is how somebody has memdown, git or a terminal, which no test may depend on."""
    own = ("MEMDOWN_CORPUS", "MEMDOWN_VENV", "MEMDOWN_SEED", _AT_LENGTH, "GIT_EXEC_PATH", "GIT_TEMPLATE_DIR")
    more = (
        "PAGER",
        "LESS",
        "EDITOR",
        "VISUAL",
        "COLUMNS",
        "LINES",
        "NO_COLOR",
        "FORCE_COLOR",
        "CLICOLOR_FORCE",
        "EMAIL",
    )
    return name not in own and (name.startswith(("MEMDOWN_", "GIT_", "CLAUDE_")) or name in more)


def pytest_configure(config: pytest.Config) -> None:
    # What is compiled is kept, here and in the processes that tests start, also when pytest is called by hand.
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ.pop("VIRTUAL_ENV", None)  # `install` says what works only where it is active
    for name in [name for name in os.environ if _is_of_somebody(name)]:
        del os.environ[name]
    # What a hook can read in 150 ms depends on the machine; tests of that limit set their own.
    os.environ["MEMDOWN_REFRESH_MS"] = "60000"
    # Nobody's own memory is read, and none can be made there.
    os.environ["MEMDOWN_HOME"] = str(Path(os.devnull) / "memdown")
    # Git knows the same name for everybody, also where nobody gave it one, and nobody's own settings.
    os.environ["GIT_CONFIG_GLOBAL"], os.environ["GIT_CONFIG_NOSYSTEM"] = str(Path(__file__).with_name("gitconfig")), "1"
    # `python` in an example is the one that runs the tests, also where a system has none of that name.
    os.environ["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))
    if config.getoption("--slow"):
        os.environ[_AT_LENGTH] = "1"
    chosen = config.getoption("--hypothesis-seed", None)
    fresh = bool(config.getoption("--slow")) or chosen is not None
    settings.load_profile("fresh" if fresh else "same")
    if fresh and chosen is None:
        seed = os.environ.setdefault("MEMDOWN_SEED", str(random.SystemRandom().randrange(2**32)))  # workers have it too
        config.option.hypothesis_seed = seed


def pytest_report_header(config: pytest.Config) -> list[str]:
    seed = config.getoption("--hypothesis-seed", None)
    return (
        [f"examples: new ones, repeat them with --hypothesis-seed={seed}"]
        if seed
        else ["examples: the same every time"]
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    step = config.getoption("--sample")
    if step > 1:
        _sample(config, items, step)
    for item in items:
        if item.get_closest_marker("corpus") and not CORPUS.is_dir():
            item.add_marker(pytest.mark.skip(reason="the corpus of real files is not here"))
        if item.get_closest_marker("slow"):
            item.add_marker(_AN_HOUR if config.getoption("--slow") else pytest.mark.skip(reason="runs with --slow"))
        for server in _SERVERS & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.xdist_group(server))
    # What one process has to do alone begins first, so that no other waits for it at the end.
    items.sort(key=lambda item: (item.get_closest_marker("xdist_group") is None, item.path.name not in _LONG))


def pytest_collection_finish() -> None:
    """Leave what was collected to itself: walking it again and again is a tenth of what the tests take."""
    gc.collect()
    gc.freeze()


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Gives a process one file after the other, so that what a module makes for its tests is made once."""
    if config.getoption("dist") != "loadgroup":
        return None
    config.option.loadscopereorder = False  # the order is that of the collection
    scheduler = LoadGroupScheduling(config, log)
    group = scheduler._split_scope
    scheduler._split_scope = lambda test: group(test).partition("::")[0]
    return scheduler


def _sample(config: pytest.Config, items: list[pytest.Item], step: int) -> None:
    counts: dict[Path, int] = {}
    kept: list[pytest.Item] = []
    left: list[pytest.Item] = []
    for item in items:
        number = counts[item.path] = counts.get(item.path, -1) + 1
        (left if number % step else kept).append(item)
    items[:] = kept
    config.hook.pytest_deselected(items=left)


@pytest.fixture
def open_root(tmp_path: Path) -> Path:
    """A root that another user can reach."""
    outermost = Path(tempfile.gettempdir()).resolve()
    for folder in (tmp_path, *tmp_path.parents):
        if folder.is_relative_to(outermost) and not folder.stat().st_mode & 0o001:
            folder.chmod(0o755)
    return tmp_path


@pytest.fixture(autouse=True)
def nothing_left_behind() -> Iterator[None]:
    """A test that leaves another environment, folder or watch behind fails itself, and not those that come after it."""
    before, here = _environment(), Path.cwd()
    yield
    assert "memdown-watch" not in {each.name for each in threading.enumerate()}
    after, there = _environment(), Path.cwd()
    os.chdir(here)
    for name in after.keys() - before.keys():
        del os.environ[name]
    os.environ.update(before)
    assert (after, there) == (before, here)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hub that is not there is asked as often as ever, without a pause."""
    monkeypatch.setattr("memdown.hub.connection._PAUSE", 0.0)


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}


def some(found: Sequence[T], step: int) -> list[T]:
    """Every so many of what takes long, the first included; all with --slow."""
    return list(found if _AT_LENGTH in os.environ else found[::step])


def draws(number: int, **more: Any) -> settings:
    """So many examples where they are new ones; a quarter where they are the same every time, and 25 at least."""
    same = bool(settings.default and settings.default.derandomize)
    return settings(max_examples=min(number, max(number // 4, 25)) if same else number, deadline=None, **more)


@pytest.fixture(scope="session")
def corpus() -> list[Path]:
    """Every real memory file, in a stable order."""
    return sorted(path for path in CORPUS.rglob("*") if path.is_file() and path.suffix != ".bin")


@pytest.fixture(scope="session")
def some_of_corpus(corpus: list[Path]) -> list[Path]:
    """Some of them, for what takes long; all with --slow."""
    return some(corpus, 30)


class Ran(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Runs a command in an empty project, in this process; one that writes has to be declared as `writing`."""
    root = tmp_path / "project"
    root.mkdir()
    monkeypatch.chdir(root)
    monkeypatch.setenv("MEMDOWN_NOW", "2026-02-01T12:00:00Z")
    begin = StepLog.begin

    def begin_declared(log: StepLog, step: Step) -> None:
        context = click.get_current_context(silent=True)
        if context is not None and not step.undoes:
            assert "allow_secret" in context.params, f"{context.command_path} writes, and is not declared so"
        begin(log, step)

    monkeypatch.setattr(StepLog, "begin", begin_declared)

    def run_in_project(*args: str, stdin: str = "") -> Ran:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode("utf-8", "surrogateescape"))))
        capsys.readouterr()
        code = run(list(args))
        return Ran(code, *capsys.readouterr())

    return run_in_project
