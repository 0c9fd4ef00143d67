"""How claims are spelled: the patterns of paths, names, versions, commands and the rest."""

import re

from memdown.patterns import lazy

CODE = lazy(r"(?<!`)`([^`\r\n]{2,200})`(?!`)")
"""A piece of code within prose."""

_FILE = r"[\w\u0300-\u036f.+@()\[\]-]+"
_LETTER = r"\w\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0300-\u052f"
"""Letters of scripts that put a space between words: prose in another may go right up to a path."""
PATH = lazy(
    rf"(?:\./)?(?P<path>(?:\.\./){{0,8}}(?:{_FILE}/){{0,24}}(?:{_FILE})?)"
    r"(?:(?::|#L)(?P<line>[0-9]{1,6})(?:(?::[0-9]+)?|-L?[0-9]{1,6})|(?P<colons>::?)(?P<symbol>[A-Za-z_][\w.:]{0,120}))?(?:\(\))?"
)
"""A whole piece of code that is a path, with a line or a symbol behind it."""
MAY_BE_PATH = lazy(
    r"`[^`\s/.]{0,80}[/.][^`\s]{0,200}`"
    rf"|\]\(<?[{_LETTER}.][^()\s:]{{0,199}}\)|/(?<=[{_LETTER}-]/)[{_LETTER}./+-]{{0,60}}\.[A-Za-z]",
    re.ASCII,
)
"""What a line with a path has, and few others. Each way begins with a sign of its own, so that it is found fast."""
_MAY_BE_NAME = lazy(r"`[^`\s/.]{0,80}\.[^`\s]{0,200}`", re.ASCII)
"""The same of a text without a slash or a link, which begins with one sign and is found by it at once."""
BARE = lazy(
    rf"(?<![{_LETTER}./@:~<>{{}}$*\\%=-])(?:\./)?"
    rf"((?:[{_LETTER}.+@-]{{1,80}}/){{1,16}}[{_LETTER}.+-]{{1,80}}\.[A-Za-z]\w{{0,6}})(?::(\d{{1,6}}))?(?![{_LETTER}/*}}>-])",
    re.ASCII,
)
"""A path in prose that nobody marked as code: it has a folder and an ending."""
LINKED = lazy(r"\]\(<?((?!\w+:|#|/)[^()\s<>]{1,200})>?(?:\s\"[^\"\n]{0,80}\")?\)")
"""Where a Markdown link leads, unless that is an address."""

URL = lazy(
    r"https?://(?P<repository>[\w.:-]{1,80}(?:/[\w.~-]{1,80}){1,4}?)/(?:-/)?(?:commit/(?P<commit>[0-9a-f]{7,40})(?![\w/-])"
    rf"|(?:blob|tree|src|raw)/(?P<revision>[\w.@+-]{{1,100}})/(?P<path>[{_LETTER}./@+-]{{0,200}}[{_LETTER}+-])/?(?:#L(?P<line>\d{{1,6}}))?)",
    re.ASCII,
)
"""The address of a commit, a file or a folder, as services that keep repositories write it."""

ENDINGS = frozenset(
    "ahk astro bash bat c cc cfg cjs clj cmake conf cpp cs cshtml csproj css csv cts cu dart dockerfile ejs elm env"
    " erb ex exs feature fs fsproj fsx glsl go gradle graphql groovy h hbs hcl hpp hs html ini ipynb java jl js json"
    " json5 jsonc jsx kt kts lean less lock lua m md mdc mdx mjs mk ml mm mts nim nix php pl plist prisma properties"
    " proto ps1 psm1 pug py pyi pyx qml r razor rb rs rst sass scala scss sh sln sol sql sqlite styl svelte svg"
    " swift tf tfvars toml ts tsx twig txt vb vbproj vue wgsl xaml xml yaml yml zig zsh".split()
)
PROGRAMS = frozenset(
    "ahk astro c cc cjs clj cpp cs cts cu dart elm ex exs fs fsx go groovy h hpp hs java jl js jsx kt kts lean lua"
    " m mjs ml mm mts nim php pl ps1 psm1 py pyi pyx r rb rs scala sol svelte swift ts tsx vb vue zig".split()
)
"""Endings of files that define what a name after a single colon means; in others, it may be a key or a heading."""
FIELDS = frozenset("env feature m pl properties r sol".split())
"""Endings that a name with a dot in it has as often where it is no file."""
NO_SYMBOL = frozenset("col column line lineno lines n".split())
"""What stands for a number after a colon."""
BARE_NAMES = tuple("Dockerfile Makefile Justfile justfile Procfile Gemfile Rakefile Vagrantfile Jenkinsfile".split())
NEVER = frozenset(
    ".git .next .nuxt .venv .cache __pycache__ node_modules venv to your foo bar baz my-app myapp".split()
)
"""Folders that nobody writes, or that only an example has."""
MADE = frozenset("dist build out target coverage tmp temp logs obj".split())
"""Folders that tools make, and that packages have of the same name: `coverage/data.py`."""
OUTER = frozenset("path usr etc var home opt users mnt dev proc".split())
"""Folders of the machine, which paths begin with; further in, they are of the project: `src/users/models.py`."""
MEDIA = frozenset("application text image audio video http https".split())
"""What a type of media or an address begins with, and what folders with files in them are called as well."""
BRANCHES = frozenset("feat feature fix bugfix hotfix release chore origin upstream refs heads squad".split())
"""What names of branches begin with."""
DOMAIN = lazy(r"(?:[\w-]{1,60}\.){1,4}(?:com|org|net|io|dev|ai|app|co|edu|gov|land|sh|me|de|uk|eu)", re.I)
PLACEHOLDER = lazy(
    r"[<>{}*$|\\]|\.\.\.|\w\.\.\w|…|%|\b(?:xxx+|yyyy|nnn|foo|your|my|some|example)\b|(?<![\w-])ba[rz]\b"
    r"|(?:^|[/_-])(?:(?-i:[XN]{1,4})|x{2,4}|n{2,4})(?:[/._-]|$)"
    r"|YYYY|MMDD|HHMM",
    re.I,
)

CALL = lazy(
    r"(?P<name>[A-Za-z_$][\w$]{1,80}(?:(?:\.|::|#)[A-Za-z_$][\w$]{1,80}){0,3})(?P<call>\((?P<args>[^()\n]{0,120})\))?",
    re.ASCII,
)
SNAKE = lazy(r"_?[a-z][a-z0-9]*(?:_[a-z0-9]+)+", re.ASCII)
HUMPS = lazy(
    r"_?[a-z][a-z0-9]*(?:[A-Z][a-z0-9]+)+|_?(?:[A-Z][a-z0-9]+){2,}[A-Z]{0,4}|[A-Z]{2,6}(?:[A-Z][a-z0-9]+)+", re.ASCII
)
CAPS = lazy(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+", re.ASCII)
LITERAL = lazy(
    r"(?P<name>[A-Za-z_][\w.]{1,80})\s{0,3}(?::\s?[\w\[\], |.]{1,40}\s?)?=\s{0,3}"
    r"(?P<value>-?(?:0[xX][\da-fA-F_]{1,20}|\d[\d_.]{0,20}(?:[eE][+-]?\d{1,3})?)|\"[^\"\n]{0,80}\"|'[^'\n]{0,80}'|True|False|true|false|None|null)",
    re.ASCII,
)
COMMIT = lazy(r"(?=[0-9a-f]{0,39}\d)(?=[0-9a-f]{0,39}[a-f])[0-9a-f]{7,40}")
PORT = lazy(r"(?:\bports?\b[\s:`*=(]{1,6}|\b(?:localhost|127\.0\.0\.1|0\.0\.0\.0):)(\d{4,5})\b(?!\.\w|%)", re.I)
MAY_BE_PORT = lazy(r"[ts01][\s:`*=(]{1,6}\d{4}", re.I)
"""What every text with a port has: the end of what says that it is one, right before it."""


def is_doubtful(path: str) -> bool:
    """Whether only who knows the files can tell if a path is one of them: it may be a command, or made by a tool."""
    return " " in path or not MADE.isdisjoint(path.lower().split("/")[:-1])


def may_be_path(text: str) -> bool:
    """Whether a text has what every text with a path has."""
    pattern = MAY_BE_PATH if "/" in text or "](" in text else _MAY_BE_NAME
    return pattern.search(text) is not None


def may_claim(text: str) -> bool:
    """Whether a text has a sign of a claim: a piece of code, a path, a link, a version or a port."""
    return "`" in text or "/" in text or "](" in text or bool(MAY_PIN.search(text) or MAY_BE_PORT.search(text))


PIN = lazy(
    r"(?<![\w.@/:-])(?P<name>@?[A-Za-z][\w./-]{0,60})(?!_+v?\d)(?P<gap>[*_`\s:(|@=^~><\"']{1,12}v?|v(?=\d+\.))"
    r"(?P<version>\d{1,5}(?:\.\d{1,8}){0,3})(?P<more>\.x\b|\+)?(?![\w%]|\.\d|-\d)"
)
"""A name with a version behind it; whether it is a library is for whoever knows the libraries."""
MAY_PIN = lazy(r"(?:[*`\s:(|@=^~><\"'v]|(?<![A-Za-z\d])_)(?:\d{1,2}(?!\d)|\d{1,5}\.\d)")
"""What every text with such a version has: a sign that may stand before its number, which is no port, count or year."""

RUNNERS = lazy(
    r"(?P<runner>(?:npm|pnpm|yarn|bun)(?:\s+(?:-s|--silent|-w|--workspaces?|--if-present))?(?:\s+run(?:-script)?)?|make|just|task|tox\s+(?:run\s+)?-e"
    r"|nox\s+-s|poe|rake|composer(?:\s+run(?:-script)?)?|(?:uv|poetry|pdm|pipenv|hatch)\s+run|deno\s+task|cargo\s+run\s+--bin)"
    r"\s+(?P<name>[A-Za-z][\w:./@-]{0,80})(?=\s|$|[;&|])",
    re.ASCII,
)
SHELLS = frozenset("sh bash zsh shell console shell-session shellsession terminal cmd fish".split())
