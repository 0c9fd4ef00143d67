"""Pictures of every page of `memdown web`, in light and dark, for the docs: scripts/make_images.py [NAME...]

Needs chromium and the extra dev. The project in them is the one of tests/web_sample.py.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parents[1]
sys.path[:0] = [str(HERE / "tests"), str(HERE / "src")]

import web_sample  # noqa: E402 - beside the tests
from browser import chromium  # noqa: E402
from memdown.memory import Memory  # noqa: E402

IMAGES = HERE / "docs" / "images"
PAGES = {
    "overview": "/",
    "timeline": "/timeline",
    "search": "/search?q=sessions",
    "record": "/record?id={id}",
    "decisions": "/decisions",
    "tasks": "/tasks",
    "findings": "/findings?code=CRD034",
    "review": "/review",
    "files": "/files?path=memory-bank/progress.md",
    "cost": "/cost",
}
SIZE = {"width": 1040, "height": 680}


def main(names: list[str]) -> None:
    """Take the pictures, all of them or those that are named."""
    IMAGES.mkdir(exist_ok=True)
    os.environ["MEMDOWN_NOW"] = web_sample.NOW
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "harbor"
        root.mkdir()
        web_sample.make(root)
        with Memory.open(root) as memory:
            id = memory.query("kind:decision redis").records[0].id
        command = [sys.executable, "-m", "memdown", "web", "--no-open", "--port", "0"]
        with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            address = re.findall(r"http\S+", server.stdout.readline())[0]
            try:
                take(address, {name: PAGES[name].format(id=id) for name in names or PAGES})
            finally:
                server.terminate()


def take(address: str, pages: dict[str, str]) -> None:
    with chromium() as browser:
        for scheme in ("light", "dark"):
            context = browser.new_context(viewport=SIZE, color_scheme=scheme)  # type: ignore[arg-type]
            page = context.new_page()
            page.goto(address)
            for name, path in pages.items():
                page.goto(address.partition("/?")[0] + path, wait_until="load")
                page.wait_for_timeout(1500)  # parts that are added later, and the picture
                place = IMAGES / f"web-{name}-{scheme}.png"
                page.screenshot(path=place)
                print(f"{place.relative_to(HERE)} {place.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
