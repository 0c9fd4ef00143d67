"""What a project says of itself: its README, its licence, and the variables it expects in the environment."""

import re

from memdown.patterns import lazy
from memdown.scan.model import LONGEST_LINE, Fact, ScanResult, add, clean, without
from memdown.store.tree import Tree

_README = lazy(r"readme(?:\.(?:md|markdown|rst|txt|adoc))?", re.I)
_LICENCE = lazy(r"(?:licen[cs]e|copying|unlicense)(?:[.-][\w.-]+)?", re.I)
_ENVIRONMENT = lazy(r"(?:.+/)?(?:\.env\.(?:example|sample|template|dist)|(?:example|sample)\.env|env\.example)")
_VARIABLE = lazy(r"(?:export\s+)?([A-Za-z_][A-Za-z0-9_]{0,99})\s*=")
_SENTENCES = (
    ("Apache License", "Apache-2.0"),
    ("MIT License", "MIT"),
    ("Permission is hereby granted, free of charge", "MIT"),
    ("GNU AFFERO GENERAL PUBLIC LICENSE", "AGPL-3.0"),
    ("GNU LESSER GENERAL PUBLIC LICENSE", "LGPL"),
    ("Mozilla Public License Version 2.0", "MPL-2.0"),
    ("Mozilla Public License, version 2.0", "MPL-2.0"),
    ("Permission to use, copy, modify, and/or distribute this software", "ISC"),
    ("Neither the name of", "BSD-3-Clause"),
    ("Redistribution and use in source and binary forms", "BSD-2-Clause"),
    ("This is free and unencumbered software", "Unlicense"),
)


def look(tree: Tree) -> ScanResult:
    found = ScanResult()
    for name in tree.names:
        if "/" not in name and _README.fullmatch(name):
            _readme(tree, name, found)
            break
    if not found.licences:
        _licence(tree, found)
    for name in tree.names:
        if _ENVIRONMENT.fullmatch(name):
            _variables(tree, name, found)
    return found


def _readme(tree: Tree, name: str, found: ScanResult) -> None:
    lines = _prose(tree.text(name) or "")
    title = _title(lines)
    add(found.names, _plain(title), name)
    after = lines[lines.index(title) + 1 :] if title in lines else lines
    paragraph = _first_paragraph(_before_a_heading(after))
    # A sentence says what a project is; a word or two is a slogan, a row of links or a badge.
    if len(paragraph.split()) >= 4:
        found.summaries.append(Fact(clean(paragraph, 600), name))


def _prose(text: str) -> list[str]:
    """Lines without front matter, code and HTML."""
    text = re.sub(r"\A---\n[\s\S]{0,5000}?\n---\n", "", text.replace("\r\n", "\n")[:50_000])
    lines, fence = [], ""
    for line in without(text, "<!--", "-->").split("\n"):
        mark = line.lstrip()[:3]
        if fence or mark in ("```", "~~~"):
            fence = "" if fence == mark else fence or mark
        elif len(line) <= LONGEST_LINE:
            lines.append(re.sub(r"</?[a-zA-Z][^<>\n]{0,500}>", " ", line).rstrip())
    return lines


def _title(lines: list[str]) -> str:
    for line, below in zip(lines, [*lines[1:], ""], strict=False):
        heading = line.startswith("# ") or (line.strip() and re.fullmatch(r"={3,}", below.strip()))
        if heading and _plain(line):
            return line
    return ""


def _before_a_heading(lines: list[str]) -> list[str]:
    """What stands below the title itself: later sections speak of other things."""
    for number, line in enumerate(lines):
        underlined = (
            number + 1 < len(lines) and line.strip() and re.fullmatch(r"-{3,}|={3,}", lines[number + 1].strip())
        )
        if re.match(r"#{1,6} ", line) or (underlined and any(each.strip() for each in lines[:number])):
            return lines[:number]
    return lines


def _first_paragraph(lines: list[str]) -> str:
    gathered: list[str] = []
    for line in [*lines, ""]:
        plain = _plain(line)
        if not line.strip() or not plain or _is_furniture(line):
            if gathered:
                paragraph = " ".join(gathered)
                if len(paragraph.split()) >= 4:
                    return paragraph
                gathered = []
            continue
        gathered.append(plain)
    return ""


def _is_furniture(line: str) -> bool:
    """Headings, rules, lists, tables and directives are not a paragraph."""
    return bool(re.match(r"\s*(?:#|[=~^*_-]{3,}\s*$|[-*+]\s|\d+\.\s|\||\.\. |:\w+:|>)", line))


def _plain(line: str) -> str:
    """A line without badges, with the text of links in their place."""
    line = re.sub(r"\[?!\[[^\]\n]*\](?:\([^()\n]*\)|\[[^\]\n]*\])(?:\](?:\([^()\n]*\)|\[[^\]\n]*\]))?", "", line)
    line = re.sub(r"\[([^\[\]\n]+)\](?:\([^()\n]*\)|\[[^\]\n]*\])", r"\1", line)
    line = re.sub(r"(?<!\\)\[([^\[\]\n]{2,})\](?!\()", r"\1", line)
    line = re.sub(r"\|[\w-]+\|_{0,2}|`([^`<>\n]+) <[^<>\n]+>`_+", r"\1", line)
    line = line.strip().lstrip("#").strip()
    return line.rstrip("#").replace("&nbsp;", "").strip()


def _licence(tree: Tree, found: ScanResult) -> None:
    for name in tree.names:
        if "/" in name or not _LICENCE.fullmatch(name):
            continue
        text = " ".join((tree.text(name) or "").split())
        known = next((short for sentence, short in _SENTENCES if sentence in text[:4000]), "")
        version = re.search(r"GNU GENERAL PUBLIC LICENSE Version ([23])", text)
        add(found.licences, known or (f"GPL-{version[1]}.0" if version else "") or "see the file", name)


def _variables(tree: Tree, name: str, found: ScanResult) -> None:
    """Names and what comments say of them. Values are never taken: an example may hold a real one."""
    comment = ""
    for line in (tree.text(name) or "").split("\n"):
        stripped = line.strip()
        variable = _VARIABLE.match(stripped)
        if variable:
            trailing = re.search(r"\s#\s*(.+)$", stripped)
            remark = (trailing[1] if trailing else comment).replace("|", "\\|")
            found.variables.append(Fact(clean(remark, 120), name, variable[1]))
            comment = ""
        elif stripped.startswith("#") and not _VARIABLE.match(stripped.lstrip("# ")):
            comment = stripped.lstrip("# ")
        else:
            comment = ""
