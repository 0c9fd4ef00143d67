"""Names in code: where functions, classes, constants and variables are defined, now and when memory was written.

Lines that look like definitions are found in all files, in any language; where such a line could be something else, a
call or a key, a parser decides, if there is one. How it was looked up is said with the answer, and an alarm needs more
than a pattern: the definition has to have been there.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from memdown.evidence.codefiles import (
    MOST_BYTES,
    CodeFiles,
    is_code,
    is_python,
    names_in,
    read_bytes,
    readable,
    spelled_in,
    values_of,
    wanted_in,
)
from memdown.evidence.model import FRESH, Answer, not_found, unknown
from memdown.evidence.symbols import PARSER, PATTERN, SymbolReader, Symbols, ending_of
from memdown.evidence.symbols.python import members
from memdown.git import Commit
from memdown.git.past import UNCOMMITTED, GitPast
from memdown.patterns import lazy

NEVER = unknown("not found, and did not exist when this was written")
_BASELINES = 12
_WORD = lazy(r"\w+", re.ASCII)
_NAMED = lazy(r"[\w$]+", re.ASCII)
_ALTERNATIVES = 40
"""Names that git's own expression may have; more of them make it slower than reading all changes."""
_CANDIDATES = 20
"""Files that are parsed for one name."""
_MOST_NAMING = 60
"""Files that have a name and are parsed for it, before it is called gone."""
_WALKS = 3
"""Names whose removal is looked for one by one; for more of them, history is walked through once for all."""
_MOST_PARSED = 2000
"""Texts that are parsed in one run; patterns decide what is left."""
_PARSED = Answer("fresh", how=PARSER)
_MATCHED = Answer("fresh", how=PATTERN)
_SURE = lazy(
    r"\b(?:def|class|function\*?|fn|func|interface|type|enum|struct|trait|module|namespace|record|object|protocol|const|let|var"
    r"|val|mod|union|typedef|macro_rules!|sub|define)[ \t]+(?:\([^)\n]{0,80}\)[ \t]*)?[\"`]?([A-Za-z_$][\w$]*)",
    re.I,
)
"""What only a definition looks like."""
_STATEMENT = lazy(r"(?:assert|await|case|del|elif|else|for|if|raise|return|throw|while|with|yield)\b")
"""What a line begins with that defines nothing: `assert size(x) == 1` is written as a function of C is."""


class NameEvidence:
    """Symbols, literals, variables and ports."""

    def __init__(
        self,
        code: CodeFiles,
        past: GitPast,
        wanted: Collection[str],
        reader: SymbolReader,
        literals: Collection[tuple[str, str]] = (),
        top: Path | None = None,
    ) -> None:
        """`wanted` are all names that will be asked for, and `literals` all constants with their values, so that each
        file is read once, and the history walked through once. `top` is the working tree around a package of it."""
        self._code = code
        self._past = past
        self._wanted = wanted
        self._reader = reader
        self._literals = literals
        self._above = GitPast(top) if top else None
        self._symbols: dict[tuple[str, str], Symbols | None] = {}
        """By commit and file; without a commit what is there now."""
        self._sure: dict[str, frozenset[str]] = {}
        self._walks = 0
        self.baselines: list[str] = []
        """Commits at which memory was written."""

    @cached_property
    def _where(self) -> dict[str, list[str]]:
        valued = frozenset(target.rpartition("::")[2].rpartition(".")[2] for target, _ in self._literals)
        return self._code.where(self._wanted, valued=valued)

    def symbol(self, name: str) -> Answer:
        """How a function, class or method stands; `Pool.acquire` has to be one of `Pool`."""
        owner, _, last = name.rpartition(".")
        owner = owner.rpartition(".")[2]
        files = self._where.get(last, [])
        if not files:
            is_foreign = owner and owner not in self._where and owner[:1].islower()
            return unknown("its owner is not defined here") if is_foreign else self._lost(owner, last)
        if not owner:
            return self._plain_symbol(last, files)
        held = self._held(files, owner, last)
        if held:
            return held
        if owner not in self._where:
            # `json.loads`, `user.name`: an owner that is defined nowhere is a variable, or somebody else's module.
            return _MATCHED if owner[:1].islower() else self._missing(owner)
        if not self._was_defined(f"{owner}.{last}"):
            return unknown(f"{last} is defined here, but not found in {owner}")
        if self._is_defined(f"{owner}.{last}"):
            return _PARSED
        return Answer("gone", commit=self._last_definition(last), note=f"{owner} no longer has it", how=PARSER)

    def _lost(self, owner: str, last: str) -> Answer:
        """What becomes of a name that is not there: gone with what it was in, or by itself."""
        around = self._missing(owner) if owner and owner not in self._where else NEVER
        return around if around.state == "gone" else self._missing(last)

    def _plain_symbol(self, name: str, files: list[str]) -> Answer:
        few = files[:_CANDIDATES]
        if any(not self._reads(each) for each in few) or any(name in self._surely(each) for each in few):
            return _MATCHED
        found = [self._now(each) for each in files[:_CANDIDATES]]
        if any(each and each.of(name) for each in found):
            return _PARSED
        is_told = len(files) <= _CANDIDATES and all(each and each.is_whole for each in found)
        if not is_told or not self._was_defined(name):
            return _MATCHED
        if self._is_defined(name):
            return _PARSED
        return Answer("gone", commit=self._last_definition(name), note="it is used, but no longer defined", how=PARSER)

    def _surely(self, file: str) -> frozenset[str]:
        """The names that a file defines for sure, without parsing it."""
        if file not in self._sure:
            self._sure[file] = frozenset(_SURE.findall(self._code.text(file)))
        return self._sure[file]

    def _held(self, files: list[str], owner: str, last: str) -> Answer | None:
        """The answer when one of these files has a member of a class, or may have it."""
        if any(_module(each) == owner for each in files):
            return _MATCHED
        answer = None
        of_owner = frozenset(self._where.get(owner, ()))
        for each in [each for each in files if each in of_owner][:_CANDIDATES]:
            if each.endswith((".py", ".pyi")):
                known = members(self._code.text(each), owner)
                if known is None or last in known:
                    return _PARSED
            elif self._reads(each) and (found := self._now(each)):
                if found.of(f"{owner}.{last}"):
                    return Answer("fresh", how=found.how)
                if not found.is_whole or any(one.has_bases for one in found.of(owner)):
                    answer = _MATCHED
            else:
                answer = _MATCHED
        return answer

    def in_file(self, file: str, name: str) -> Answer:
        """How a symbol stands that a certain file is to have."""
        last = name.replace("::", ".").rpartition(".")[2]
        here = self._where.get(last, [])
        found = self._now(file)
        if found and found.of(name):
            return Answer("fresh", how=found.how)
        is_told = found is not None and found.is_whole and not file.endswith((".py", ".pyi"))  # which imports names too
        if file in here and not is_told:
            return _MATCHED
        others = [each for each in here if each != file]
        if is_told or last != name:  # of a method, the class has to be there too
            others = [each for each in others[:_CANDIDATES] if (there := self._now(each)) is None or there.of(name)]
        alike = [each for each in others if ending_of(each) == ending_of(file)]
        others = alike or others
        if len(others) == 1:
            return Answer("moved", f"{others[0]}::{name}", how=PARSER if is_told else PATTERN)
        if file in here:  # it is named there, and by nobody defined
            commit = self._last_definition(last)
            return Answer("gone", commit=commit, note="it is not defined in the file", how=PARSER)
        if why := self._code.unread(file):
            return unknown(why)
        missing = self._missing(last)
        return Answer("gone", note="it is not defined in the file") if missing.state == "unknown" else missing

    def _reads(self, file: str) -> bool:
        """Whether a parser, or ctags, can be asked about a file that is not Python; patterns are right about that."""
        is_python = file.endswith((".py", ".pyi"))
        return not is_python and len(self._symbols) < _MOST_PARSED and self._reader.reads(file)

    def _now(self, file: str) -> Symbols | None:
        """What a file defines; None when nobody can tell."""
        return self._parsed("", file)

    def _parsed(self, commit: str, file: str) -> Symbols | None:
        key = commit, file
        if key not in self._symbols:
            if len(self._symbols) >= _MOST_PARSED:
                return None
            text = self._past.text_at(commit, file) if commit else self._code.text(file)
            self._symbols[key] = self._reader.read(file, text.encode("utf-8", "replace")) if text else None
        return self._symbols[key]

    def _was_defined(self, name: str) -> bool:
        """Whether a parser finds a definition at one of the baselines."""
        last = name.rpartition(".")[2]
        for commit in self.baselines[:_BASELINES] if self._past.is_known else ():
            lines = self._past.lines_with(commit, [last])
            files = dict.fromkeys(file for file, line in lines if last in names_in(line.encode("utf-8", "replace")))
            for file in [each for each in files if self._reader.reads(each)][:_CANDIDATES]:
                found = self._parsed(commit, file)
                if found and found.how == PARSER and found.of(name):
                    return True
        return False

    def _is_defined(self, name: str) -> bool:
        """Whether a parser finds a definition in whatever file has the word, or there are too many of those.

        Patterns do not know all the ways to define a name, and an alarm needs to.
        """
        last = name.rpartition(".")[2]
        files = [each for each in self._past.files_with([last]).get(last, ()) if self._reads(each)]
        return len(files) > _MOST_NAMING or any((found := self._now(each)) and found.of(name) for each in files)

    def _last_definition(self, name: str) -> Commit | None:
        """The last commit that removed a line which defines a name, and does not only call it."""
        if self._walks >= _WALKS:
            return self._last_definitions.get(name)
        self._walks += 1
        return self._past.last_removal([name], re.escape(name), lambda line: _defined_in(line, {name})).get(name)

    @cached_property
    def _last_definitions(self) -> dict[str, Commit]:
        """The same for every name, in one walk: a class that is gone may take a hundred of them with it."""
        names = {each for each in self._wanted if _WORD.fullmatch(each)}
        return self._past.last_removal(names, "", lambda line: _defined_in(line, names))

    def word(self, name: str) -> Answer:
        """How a variable or a port stands, which has to occur somewhere in code or settings."""
        return FRESH if name in self._where else self._missing(name)

    def literal(self, target: str, value: str) -> Answer:
        """How a constant with its value stands."""
        file = target.rpartition("::")[0]
        last, wanted, there = self._values(target, value)
        if wanted in map(_plain, there):
            return FRESH
        if not there and any(not file or each == file for each in self._where.get(last, [])):
            return unknown("it is not set to a plain value here")
        culprit = self._last_value(last, wanted)
        if not there:
            return Answer("gone", commit=culprit) if culprit else self._missing(last)
        if culprit or file or not self._past.is_known:
            return Answer("changed", there[0], culprit, "" if culprit or self._past.is_known else self._past.missing)
        return unknown(f"it has another value, and {self._past.missing or 'never had this one'}")

    def _missing(self, name: str) -> Answer:
        """What becomes of a name that is not there now: gone, when it was there when memory was written."""
        if not self._past.is_known or name not in self._once:
            return not_found(self._past, "") if self._past.missing else NEVER
        naming = [each for each in self._named_still.get(name, ()) if self._reads(each)]
        if len(naming) > _MOST_NAMING:
            return unknown(f"not found, but {len(naming):,} files have the word")
        if any((found := self._now(each)) and found.of(name) for each in naming):
            return _PARSED
        commit = self._removed.get(name)
        beyond = self._beyond(name, commit, self._above) if self._above else None
        return Answer("moved", f"{beyond}::{name}", commit) if beyond else Answer("gone", commit=commit)

    def _beyond(self, name: str, commit: Commit | None, above: GitPast) -> str | None:
        """The file around the package that defines a name since the commit which removed it there."""
        before = f"{commit.commit}^" if commit and commit is not UNCOMMITTED else "HEAD"
        for file in filter(is_code, self._around.get(name, ())[:_MOST_NAMING]):
            data = read_bytes(f"{above.root}/{file}")
            former = (above.text_at(before, file) or "").encode("utf-8", "replace")
            if _defines(data, name, file) and not _defines(former, name, file):
                return file
        return None

    @cached_property
    def _around(self) -> dict[str, list[str]]:
        """The files of the working tree around that have a name which was defined here once."""
        return self._above.files_with(self._once) if self._above else {}

    @cached_property
    def _named_still(self) -> dict[str, list[str]]:
        """The files that have a name which was defined once, and is not as far as patterns know."""
        return self._past.files_with(self._once)

    @cached_property
    def _once(self) -> set[str]:
        """The names that are not there now, and were at one of the baselines."""
        names = (each for each in self._wanted if each not in self._where and _WORD.fullmatch(each))
        lost = {each.encode("utf-8", "replace"): each for each in names}
        found: set[str] = set()
        for data in self._past.former_texts(self.baselines[:_BASELINES], is_code) if lost else ():
            if len(data) <= MOST_BYTES:
                found.update(lost[each] for each in lost.keys() & spelled_in(readable(data)))
        return found

    @cached_property
    def _removed(self) -> dict[str, Commit]:
        """By name, the last commit that removed its definition."""
        since = self.baselines[-1] if self.baselines else None

        def removed(names: set[str], keys_in: Callable[[str, Collection[str]], Iterable[str]]) -> dict[str, Commit]:
            expression = "|".join(sorted(names)) if len(names) <= _ALTERNATIVES else ""
            return self._past.last_removal(names, expression, lambda line: keys_in(line, names), since)

        found = removed(self._once, _defined_in)
        # Some ways to define a name look like a call, and a call may be taken out after it.
        return found | removed(self._once.difference(found), _lost_in)

    def _last_value(self, name: str, value: str) -> Commit | None:
        """The last commit that removed a line which gives a name this value."""
        return self._removed_values.get(f"{name}={value}")

    @cached_property
    def _removed_values(self) -> dict[str, Commit]:
        """The same for every constant whose value is not there now, in one walk."""
        keys: dict[str, set[str]] = {}
        for target, value in self._literals:
            last, wanted, there = self._values(target, value)
            if wanted not in map(_plain, there):
                keys.setdefault(last, set()).add(f"{last}={wanted}")
        expression = f"({'|'.join(map(re.escape, sorted(keys)))}).*[:=]" if len(keys) <= _ALTERNATIVES else ""
        every = {key for each in keys.values() for key in each}

        def keys_in(line: str) -> Iterator[str]:
            for name in keys.keys() & _NAMED.findall(line):
                yield from keys[name].intersection(f"{name}={_plain(each)}" for each in values_of(line, name))

        return self._past.last_removal(every, expression, keys_in)

    def _values(self, target: str, value: str) -> tuple[str, str, list[str]]:
        """The name of a constant, the value it is to have, and those it has now."""
        file, _, name = target.rpartition("::")
        last = name.rpartition(".")[2]
        files = [each for each in self._where.get(last, []) if not file or each == file]
        return last, _plain(value), [found for each in files for found in self._code.values(each, last)]


def _defines(data: bytes, name: str, file: str) -> bool:
    return bool(wanted_in(data, frozenset((name.encode("utf-8", "replace"),)), python=is_python(file)))


def _only_calls(line: str, call: re.Pattern[str]) -> bool:
    """Whether a line only calls a name: behind something else and to its end, or from its beginning, without a body."""
    bare = line.strip()
    if _STATEMENT.match(bare):
        return True
    first = call.match(bare)
    if first and "{" not in bare[first.end() :]:
        return True
    tail = bare[bare.rfind("{") + 1 :]
    before = (tail[each.start() - 1] for each in call.finditer(tail, 1))
    return bare.endswith((";", ")")) and any(each in ".(=" or each.isspace() for each in before)


def _defined_in(line: str, names: Collection[str]) -> list[str]:
    """Those of these names that a line defines, and does not only call."""
    return [each for each in _lost_in(line, names) if not _only_calls(line, re.compile(rf"{re.escape(each)}\s?\("))]


def _lost_in(line: str, lost: Collection[str]) -> Iterator[str]:
    """Those of these names that a line of code defines, or has as a word in capitals or a number.

    A line of a notebook stands in quotes, and the first one of a file may have a mark before it.
    """
    return (each for each in names_in(line.lstrip('\ufeff \t"').encode("utf-8", "replace")) if each in lost)


def _module(file: str) -> str:
    return file.rpartition("/")[2].partition(".")[0]


def _plain(value: str) -> str:
    """A value for comparing: `10_000` is `10000`, `'a'` is `"a"`."""
    bare = value.strip().rstrip(",;")
    if bare[:1] in ("'", '"'):
        return f'"{bare[1:-1]}"'
    number = bare.replace("_", "").lower()
    with suppress(ValueError, OverflowError):
        return str(int(number, 16)) if "0x" in number else repr(float(number)) if "e" in number else number
    return number
