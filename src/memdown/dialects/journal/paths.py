"""What in a line of a journal is the path of a file: in back-ticks, as a link, or bare."""

from collections.abc import Iterator

from msgspec import Struct

from memdown.patterns import lazy

_ENDINGS = frozenset(
    """md mdx txt rst adoc org tex bib pdf doc docx odt rtf csv tsv xls xlsx json jsonc jsonl json5 yaml yml toml ini
    cfg conf env lock xml html htm xhtml css scss sass less styl js jsx mjs cjs ts tsx mts cts d.ts vue svelte
    astro py pyi pyx ipynb rb erb rs go java kt kts scala clj cljs groovy gradle c h cc cpp cxx hpp hh m mm
    swift cs fs vb php pl pm lua r jl hs lhs elm ex exs erl ml mli dart nim zig v sol sql db sqlite sqlite3
    prisma graphql gql proto sh bash zsh fish ps1 bat cmd mk cmake dockerfile tf tfvars hcl nix png jpg jpeg gif
    svg ico webp avif bmp mp3 mp4 wav webm mov zip tar gz tgz bz2 xz 7z whl jar war plist xcodeproj pbxproj log
    diff patch map snap wasm glsl vert frag wgsl pem crt key mdc example sample template tmpl bak old orig test
    spec properties editorconfig gitignore tsbuildinfo nb wl mat npy
    """.split()
)
_NAMES = frozenset(
    """license makefile dockerfile readme changelog gemfile procfile cname rakefile justfile vagrantfile jenkinsfile
    notice authors contributing codeowners pipfile brewfile containerfile
    """.split()
)
_DOT_FILE = lazy(
    r"\.(?:git\w*|env[\w.-]*|npmrc|npmignore|nvmrc|node-version|python-version|tool-versions|eslint\w*(?:\.\w+)?|prettier\w*"
    r"(?:\.\w+)?|docker\w*|editorconfig|babelrc(?:\.\w+)?|\w*rules(?:-\w+)*|vscode|github|husky|idea|cursor|claude|roo|"
    r"kilocode|yarnrc(?:\.\w+)?|stylelint\w*(?:\.\w+)?|browserslistrc|htaccess|flake8|pylintrc|coveragerc|openclaw\w*)/?"
)
_PLAIN = lazy(r"[\w~.@#$%+,=!&'()\[\]{}*?:\\/ \u0080-\uffff-]+")
_URL = lazy(r"[a-z][a-z0-9+.-]*://|(?:GET|POST|PUT|PATCH|DELETE|HEAD)[ ]|www\.", 2)
_SEEN = lazy(
    r"\\?(?P<ticks>`{1,2})(?P<code>[^`\r\n]+?)\\?(?P=ticks)"
    r"|\[(?P<text>[^\[\]\r\n]{1,300})\]\((?P<url>[^()\r\n]{1,600})\)"
    r"|(?P<bare>(?<![\w`/.:@\\*-])(?:~?/|\.{1,2}/)?[\w@.+*-]{1,120}(?:/[\w@.+*-]{0,120}){0,40})"
)
_RELATIVE = lazy(r"(?!/|~|[A-Za-z]:[\\/]|\\|\.\./|[a-z][a-z0-9+.-]{1,20}:)[^\r\n]+")
_LONGEST = 400


class Seen(Struct, frozen=True, gc=False):
    """Something in a line that may be a path."""

    path: str
    form: str
    """code, link or bare."""
    start: int
    end: int
    inner: int
    """Where the path itself begins."""
    sure: bool
    """It can be nothing else; otherwise it depends on what stands before it."""


def seen(text: str, start: int = 0) -> Iterator[Seen]:
    """Everything in a line that may be a path, in order."""
    for match in _SEEN.finditer(text, start):
        form = "code" if match["code"] else "link" if match["text"] else "bare"
        path = (match["code"] or match["text"] or match["bare"]).strip()
        if form == "link":
            path = _of_link(path.strip("`"), match["url"])
        if form == "bare":
            path = path.rstrip(".,")
            if not is_bare(path):
                continue
            yield Seen(
                path, form, match.start(), match.start() + len(path), match.start(), "/" in path and _named(path)
            )
        elif path and len(path) <= _LONGEST and (is_path(path) or (form == "code" and is_name(path))):
            inner = match.start("code") if form == "code" else match.start("text")
            yield Seen(path, form, match.start(), match.end(), inner, is_path(path))


def _of_link(text: str, url: str) -> str:
    return text if is_path(text) else url.partition("#")[0].strip("<> ") if _RELATIVE.match(url) else ""


def is_relative(path: str) -> bool:
    return bool(_RELATIVE.match(path))


def is_path(text: str) -> bool:
    """Whether a text in back-ticks is the path of a file or folder."""
    if not _PLAIN.fullmatch(text) or _URL.match(text):
        return False
    if text.startswith(("/api/", "--", "@")) and not _named(text):
        return False
    last = text.rstrip("/").rpartition("/")[2]
    if "/" not in text and "\\" not in text[1:]:  # one at the beginning is of a command, as of TeX
        return " = " not in text and (_named(text) or bool(_DOT_FILE.fullmatch(text)) or text.lower() in _NAMES)
    if " " in text and not _named(text) and not text.endswith("/"):
        return False
    return not (last.endswith(")") and "(" in last) and any(part.strip(".") for part in text.split("/"))


def _named(path: str) -> bool:
    """Whether it ends like the name of a file."""
    last = path.rstrip("/").rpartition("/")[2]
    stem, dot, ending = last.rpartition(".")
    return bool((dot and stem.strip("*.")) or last.startswith("*.")) and ending.lower() in _ENDINGS and "()" not in stem


def is_name(text: str) -> bool:
    """Whether a text in back-ticks could be the name of a file or folder when an action stands before it."""
    return not any(each in text for each in " ()=<>{};\"'|,") and not text.startswith(("-", "#", "@", "\\"))


def is_bare(text: str) -> bool:
    """Whether a word without back-ticks is a path: only one that looks like nothing else."""
    if not text or "//" in text or text.startswith("-"):
        return False
    return _named(text) or ("/" in text and text.endswith("/") and len(text) > 2) or text.startswith(("./", "../"))
