"""The address by which a browser opens a file in an editor, at its line."""

import os
import shlex
from pathlib import PurePath
from urllib.parse import quote

_SCHEMES = {
    "code": "vscode://file",
    "code-insiders": "vscode-insiders://file",
    "codium": "vscodium://file",
    "cursor": "cursor://file",
    "windsurf": "windsurf://file",
    "zed": "zed://file",
}
_OTHERS = {"idea": "idea://open?file={}&line={}", "subl": "subl://open?url=file://{}&line={}"}


def address(path: str, line: int) -> str:
    """In the editor that VISUAL or EDITOR names, if a browser can open it, else in VS Code."""
    name = _editor()
    plain = quote("/" + path.replace(os.sep, "/").lstrip("/"))
    if name in _OTHERS:
        return _OTHERS[name].format(plain, line)
    return f"{_SCHEMES.get(name, _SCHEMES['code'])}{plain}:{line}"


def _editor() -> str:
    try:
        words = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "", posix=os.name != "nt")
    except ValueError:
        words = []
    return PurePath(words[0]).stem.lower() if words else ""
