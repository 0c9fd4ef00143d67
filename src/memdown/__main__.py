"""The way in: what must start fast is answered here, before anything else is imported."""

import os
import sys

from memdown import VERSION


def main() -> None:
    if sys.stdin is None or sys.stdout is None or sys.stderr is None:
        _open_what_is_closed()
    if sys.argv[1:] in (["--version"], ["-V"]):
        print(f"memdown {VERSION}")
        return
    if sys.argv[1:2] == ["hook"] and len(sys.argv) == 3 and not sys.argv[2].startswith("-"):
        from memdown.surfaces.hooks import run as answer  # noqa: PLC0415 - as below

        sys.exit(answer(sys.argv[2]))
    if sys.argv[1:2] == ["merge-driver"] and len(sys.argv) == 7 and not sys.argv[2].startswith("-"):
        from memdown.surfaces.merge_driver import run as merge  # noqa: PLC0415 - as below

        sys.exit(merge(sys.argv[2], sys.argv[3], sys.argv[4], sys.argv[6]))
    if sys.argv[1:2] == ["mcp"]:
        from memdown.surfaces.mcp.loop import serve_plain  # noqa: PLC0415 - as below

        if serve_plain(sys.argv[2:]):
            return
    if sys.argv[1:2] in (["search"], ["find"]):
        from memdown.surfaces.quick import search_at_once  # noqa: PLC0415 - as below

        if search_at_once(sys.argv[2:]):
            os._exit(0)  # all is written, and taking the interpreter down takes as long as the search did
    if sys.argv[1:2] == ["index"]:
        from memdown.surfaces.quick import index_at_once  # noqa: PLC0415 - as below

        if index_at_once(sys.argv[2:]):
            os._exit(0)
    from memdown.surfaces.cli import run  # noqa: PLC0415 - the fast answers above must not pay for the rest

    sys.exit(run(sys.argv[1:]))


def _open_what_is_closed() -> None:
    """What was closed leads nowhere: else the next file that is opened gets its number, and nobody expects None."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 - it stays open


if __name__ == "__main__":
    main()
