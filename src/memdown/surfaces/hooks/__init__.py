"""`memdown hook EVENT`: the hooks of coding assistants. JSON comes in, at most one JSON document goes out, exit code 0.

Whatever goes wrong is a line in `.memdown/hooks.log` and one on standard error: a hook must not disturb the session.
"""

import gc
import os
import sqlite3
import sys

from memdown import homes
from memdown.index.hook_state import State
from memdown.lazy import LazyModule
from memdown.limits import HOOK_INPUT
from memdown.markdown import tokens

TYPE_CHECKING = False  # as typing's, which hooks cannot afford
if TYPE_CHECKING:
    import pathlib

    from memdown import memory
    from memdown.acts import brief, recall
    from memdown.acts.capture import keep
    from memdown.dialects.bank import modes
    from memdown.settings import config
    from memdown.surfaces.hooks import shell
else:
    config, pathlib = LazyModule("memdown.settings.config"), LazyModule("pathlib")
    memory = LazyModule("memdown.memory")
    shell = LazyModule("memdown.surfaces.hooks.shell")
    brief, recall = LazyModule("memdown.acts.brief"), LazyModule("memdown.acts.recall")
    modes, keep = LazyModule("memdown.dialects.bank.modes"), LazyModule("memdown.acts.capture.keep")

TOOLS = ("PreToolUse", "PostToolUse")
"""Events around the assistant's own tools."""
SPEAKING = ("SessionStart", "UserPromptSubmit", *TOOLS)
"""Events whose answer the assistant reads."""
KEEPING = ("Stop", "SubagentStop", "PreCompact", "SessionEnd")
"""Events at which new messages are kept."""
EVENTS = (*SPEAKING, *KEEPING)
CURSOR = {"sessionStart": "SessionStart"}
"""Events of Cursor that take an answer, which has another form there."""
_ANSWERS = {
    True: "select json_object('additional_context', :text)",
    False: "select json_object('hookSpecificOutput', json_object('hookEventName', :event, 'additionalContext', :text))",
}
_TRIAL = "install"
"""The source of an event by which `memdown install` tries a hook: nothing is counted, remembered or kept."""
_FIELDS = (
    *("cwd", "session_id", "source", "prompt", "transcript_path", "agent_transcript_path", "trigger", "reason"),
    *("tool_name", "tool_input.file_path", "tool_input.command"),
)
_OF_FILES = {"PreToolUse": ("Read",), "PostToolUse": ("Write", "Edit", "MultiEdit")}
"""The tools that read or edit a file, each with the event at which that matters."""
_OF_COMMANDS = "Bash"


def run(event: str, mode: str | None = None) -> int:
    """Answer one event; the exit code, which is 0 in any case.

    What is written is held to `mode`, else to the one that `MEMDOWN_MODE` names.
    """
    try:
        if event not in (*EVENTS, *CURSOR):
            raise ValueError(f"there is no hook {event[:40]!r}; use one of {', '.join((*EVENTS, *CURSOR))}")
        given = _given(sys.stdin.buffer.read(HOOK_INPUT))
        _handle(event, {**given, "mode": mode or os.environ.get("MEMDOWN_MODE", "")})
    except Exception as error:  # noqa: BLE001 - whatever it is, the assistant must not be held up by it
        _complain(error)
    return 0


def _given(data: bytes) -> dict[str, str]:
    """The fields of the event; empty texts for those it does not have."""
    db = sqlite3.connect(":memory:")
    db.text_factory = _readable
    try:
        paths = ", ".join(f"json_extract(:event, '$.{field}')" for field in _FIELDS)
        row = db.execute(f"select {paths}", {"event": data.decode("utf-8", "replace")}).fetchone()
    except sqlite3.Error:
        raise ValueError("standard input is not the JSON of a hook") from None
    finally:
        db.close()
    return {field: value if isinstance(value, str) else "" for field, value in zip(_FIELDS, row, strict=True)}


def _readable(data: bytes) -> str:
    """A prompt may have half a character."""
    return data.decode("utf-8", "replace")


def _handle(event: str, given: dict[str, str]) -> None:
    given["cursor"] = event if event in CURSOR else ""
    event = CURSOR.get(event, event)
    if event in TOOLS and given["source"] != _TRIAL and not _concerns_memory(event, given):
        return
    here = given["cwd"] or os.environ.get("CLAUDE_PROJECT_DIR", "") or os.getcwd()
    root = homes.find_root(here, homes.holds_memory)
    if not homes.holds_memory(root):
        return  # no memory to speak of, and nobody asked for one
    state = State(root)
    try:
        _answer(state, event, given)
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError:
        state.discard()
        state = State(root)
        _answer(state, event, given)
    finally:
        for sentence in state.messages:
            state.log(f"{event}: {sentence}")
        state.close()


def _answer(state: State, event: str, given: dict[str, str]) -> None:
    session = given["session_id"] or "-"
    if given["source"] != _TRIAL:
        try:
            state.began(session)
        except sqlite3.OperationalError as error:
            if event not in SPEAKING:  # what is kept is noted, or kept twice
                raise
            state.forget(error)
    try:
        done = (_speak if event in SPEAKING else _keep)(state, event, given, session)
    except Exception as error:
        state.log(f"{event} {session}: failed: {type(error).__name__}: {error}")
        raise
    state.log(f"{event} {session}: {done}")


def _speak(state: State, event: str, given: dict[str, str], session: str) -> str:
    gc.disable()  # what lives so short leaves nothing to collect
    if event == "SessionStart":
        text, names = brief.begin(state, given["source"], session)
    elif event in TOOLS:
        text, names = "\n".join(_touched(state, event, given)), []
    else:
        text, names = recall.recall(state, given["prompt"], session)
    if not text:
        return "nothing to say"
    answer = state.db.execute(_ANSWERS[bool(given["cursor"])], {"event": event, "text": text}).fetchone()[0]
    sys.stdout.buffer.write(answer.encode("utf-8") + b"\n")
    sys.stdout.buffer.flush()
    cost = tokens.estimate(text)
    number = len(set(names))
    said = f"said {cost} tokens from {number} record{'s' * (number != 1)}"
    try:
        if given["source"] != _TRIAL:
            state.note_answer(session, event, text, cost, names)
    except (sqlite3.Error, OSError) as error:  # it is said, and must not be said again
        return f"{said}, which could not be noted: {error}"
    return said


def _concerns_memory(event: str, given: dict[str, str]) -> bool:
    """Whether a tool may read, edit or commit memory: most calls do none of it, and cost next to nothing."""
    if event == "PreToolUse" and given["tool_name"] == _OF_COMMANDS:
        return bool(shell.commits(given["tool_input.command"]))
    return given["tool_name"] in _OF_FILES[event] and given["tool_input.file_path"].endswith(".md")


def _touched(state: State, event: str, given: dict[str, str]) -> list[str]:
    """What an assistant should know of a file that it reads or edited, or of what it is about to commit."""
    if given["source"] == _TRIAL:
        return []
    path = os.path.realpath(os.path.join(given["cwd"] or state.root, given["tool_input.file_path"]))
    if given["tool_name"] != _OF_COMMANDS and not path.startswith(os.path.join(state.root, "")):
        return []
    with memory.Memory(pathlib.Path(state.root), mode=given["mode"]) as opened:
        opened.files.begin_act("hook", event)
        if given["tool_name"] == _OF_COMMANDS:
            return opened.touch_committed(as_on_disk=shell.commits(given["tool_input.command"]) == "files")
        return opened.touch(path, edited=event == "PostToolUse")


def _keep(state: State, event: str, given: dict[str, str], session: str) -> str:
    done = "capture is off, or the mode does not write"
    if given["source"] == _TRIAL:
        return "tried by memdown install"
    settings = state.settings
    folder = homes.capture_folder(state.root, settings.homes("cards"), settings.cards, settings.capture)
    if folder and _may_write(state, given["mode"]):
        own = given["agent_transcript_path"] if event == "SubagentStop" else ""
        done = keep.Keeper(state, session, folder).run(os.path.expanduser(own or given["transcript_path"])).summary()
    if event == "SessionEnd":
        state.ended(session)
    why = given["trigger"] or given["reason"]
    return f"{done} ({why})" if why else done


def _may_write(state: State, mode: str) -> bool:
    return not mode or modes.guard(mode, config.load(pathlib.Path(state.root)).canonical_path) is None


def _complain(error: Exception) -> None:
    sentence = " ".join(str(error).split()) or type(error).__name__
    try:
        sys.stderr.write(
            f"memdown: {''.join(char if ' ' <= char <= '~' else ascii(char)[1:-1] for char in sentence)}\n"
        )
        sys.stderr.flush()
    except OSError:
        sys.stderr = None  # nobody listens
