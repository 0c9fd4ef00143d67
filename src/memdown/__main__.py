"""The way in: what must start fast is answered here, before anything else is imported."""

import atexit
import gc
import os
import sys

from memdown import VERSION

TYPE_CHECKING = False  # as typing's, which a cold start need not pay for
if TYPE_CHECKING:
    from typing import NoReturn

_COLLECT_AFTER = 25_000
"""Objects made until cycles among them are looked for: a start makes ten thousand that stay."""


def main() -> None:
    try:
        code = _answered_at_once()
        if code is None:
            from memdown.surfaces import light_imports  # noqa: PLC0415 - the fast answers must not pay for the rest

            light_imports.load("click")  # which all that follows would import as usual
            from memdown.surfaces.cli import run  # noqa: PLC0415

            code = run(sys.argv[1:])
    except KeyboardInterrupt:  # while something is imported, too
        if sys.stderr is not None:
            print("memdown: interrupted.", file=sys.stderr)
        code = 130
    _leave(code)


def _answered_at_once() -> int | None:
    """The exit code of what does not need the command line's parser; None for all else."""
    if sys.stdin is None or sys.stdout is None or sys.stderr is None:
        _open_what_is_closed()
    if sys.argv[1:] in (["--version"], ["-V"]):
        print(f"memdown {VERSION}")
        return 0
    gc.set_threshold(_COLLECT_AFTER)
    if sys.argv[1:2] == ["hook"] and len(sys.argv) == 3 and not sys.argv[2].startswith("-"):
        from memdown.surfaces.hooks import run as answer  # noqa: PLC0415 - as above

        return answer(sys.argv[2])
    if sys.argv[1:2] == ["merge-driver"] and len(sys.argv) == 7 and not sys.argv[2].startswith("-"):
        from memdown.surfaces.merge_driver import run as merge  # noqa: PLC0415 - as above

        return merge(sys.argv[2], sys.argv[3], sys.argv[4], sys.argv[6])
    if sys.argv[1:2] == ["mcp"]:
        from memdown.surfaces.mcp.loop import serve_plain  # noqa: PLC0415 - as above

        if serve_plain(sys.argv[2:]):
            return 0
    if sys.argv[1:2] in (["search"], ["find"], ["index"]):
        from memdown.surfaces import light_imports  # noqa: PLC0415 - as above

        light_imports.load("msgspec")
        from memdown.surfaces import quick  # noqa: PLC0415

        answered = quick.index_at_once if sys.argv[1] == "index" else quick.search_at_once
        if answered(sys.argv[2:]):
            return 0
    return None


def _leave(code: int) -> "NoReturn":
    """End at once, when all is written: taking the interpreter down takes a tenth of a command's time, and for nothing.

    Where something is still under way, or cannot be written, it ends as every program does.
    """
    threading = sys.modules.get("threading")
    if threading is None or threading.active_count() == 1:
        atexit._run_exitfuncs()  # as multiprocessing does, which leaves so too
        try:
            for stream in (sys.stdout, sys.stderr):
                if stream is not None:
                    stream.flush()
        except (OSError, ValueError):
            sys.exit(code)  # which says what is wrong
        os._exit(code)
    sys.exit(code)


def _open_what_is_closed() -> None:
    """What was closed leads nowhere: else the next file that is opened gets its number, and nobody expects None."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 - it stays open


if __name__ == "__main__":
    main()
