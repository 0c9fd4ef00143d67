"""The way in: what must start fast is answered here, before anything else is imported."""

import sys

from memdown._version import VERSION


def main() -> None:
    if sys.argv[1:] in (["--version"], ["-V"]):
        print(f"memdown {VERSION}")
        return
    from memdown.surfaces.cli import run  # noqa: PLC0415 - the fast answers above must not pay for the rest

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
