"""Pictures that need nothing else: the frame, the colours and the text of every SVG that memdown draws.

Each has a title and a description for those who hear it, follows the light or dark setting of whoever looks at it,
and holds no script.
"""

from collections.abc import Iterable
from html import escape as escape_html

from memdown.patterns import lazy
from memdown.surfaces.show.style import visible

MARGIN = 32
_UNFIT = lazy("[\ufffe\uffff]")
"""What XML cannot hold, beside what is escaped anyway."""
_STYLE = (
    "svg{color-scheme:light dark;--paper:#ffffff;--ink:#1f2328;--soft:#59636e;--bar:#0969da;--grid:#d1d9e0}"
    "@media (prefers-color-scheme:dark){svg{--paper:#0d1117;--ink:#f0f6fc;--soft:#9198a1;--bar:#4493f8;--grid:#3d444d}}"
    "text{font:13px system-ui,-apple-system,'Segoe UI',sans-serif;fill:#1f2328;fill:var(--ink)}"
    ".title{font-size:20px;font-weight:600}.head{font-size:15px;font-weight:600}"
    ".soft{font-size:12px;fill:#59636e;fill:var(--soft)}"
    ".paper{fill:#ffffff;fill:var(--paper)}.bar{fill:#0969da;fill:var(--bar)}"
    ".grid{stroke:#d1d9e0;stroke:var(--grid);stroke-width:1}"
)


def page(
    width: int, height: int, title: str, subtitle: str, description: str, body: Iterable[str], *, style: str = ""
) -> str:
    """A whole picture: its title, a line below it, and what is drawn."""
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"'
            f' height="{height}" role="img" aria-labelledby="title desc">',
            f'<title id="title">{escape(title)}</title>',
            f'<desc id="desc">{escape(description)}</desc>',
            f"<style>{_STYLE}{style}</style>",
            f'<rect class="paper" width="{width}" height="{height}"/>',
            text(MARGIN, 44, title, "title"),
            text(MARGIN, 66, subtitle, "soft"),
            *body,
            "</svg>\n",
        ]
    )


def text(x: int, y: int, words: str, kind: str = "", anchor: str = "") -> str:
    """Words at a place."""
    extra = (f' class="{kind}"' if kind else "") + (f' text-anchor="{anchor}"' if anchor else "")
    return f'<text x="{x}" y="{y}"{extra}>{escape(words)}</text>'


def escape(words: str) -> str:
    """Text that XML can hold, with nothing in it that means more than itself."""
    return escape_html(_UNFIT.sub("\ufffd", visible(words)))
