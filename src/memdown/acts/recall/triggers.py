"""What makes an assistant update a memory bank: words of a prompt, and how much of the code is new. Light to import."""

import re

from memdown.index.terms import is_question
from memdown.patterns import lazy

IMPACT = 25
"""Per cent of the source files, changed since the patterns were last written down, from which they need a look."""

_LONGEST = 20_000
"""Characters of a prompt that are looked at."""
_BANK = r"memory[\s_-]*bank(?:'s)?"
_VERB = (
    r"(?:update|refresh|sync|synchroni[sz]e|aktualisiere|actualiza|actualise|atualize|atualiza|aggiorna|обнови|обновите"
    r"|mets à jour)"
)
_THE = (
    r"(?:(?:the|your|our|my|this|all|of|whole|entire|project|project's|relevant|current|files?|docs?|in|and|also|up|to"
    r"|with|documentation|contents?|everything|notes|die|der|deine|el|la|le|o|il|tu|ta)\s+){0,6}"
)
# What is named after the bank is a piece of software that handles it, and not the bank.
_THING = (
    r"(?![\s-]+(?:parser|reader|writer|code|tests?|server|commands?|functions?|class|module|spec|page|feature|extension"
    r"|plugin|templates?|schema|ui|icon|tools?|scripts?|hooks?|triggers?|settings|config|mcp|api|package|library|rules"
    r"|prompts?|phrases?|logic|implementation|handler|component|paths?|url|links?|format|button|screen|table|university"
    r"|stock|account|financial|failed|fails|is|was|does|did|means?|stands)\b)"
)
_ASKED = lazy(
    rf"(?:\b{_VERB}\s+{_THE}{_BANK}|更新\s*{_BANK}|更新记忆库|\b(?:bring|get)\s+{_THE}{_BANK}\s+up[\s-]to[\s-]date"
    rf"|\b{_BANK}\s+needs\s+(?:updating|an\s+update|to\s+be\s+(?:updated|refreshed))"
    rf"|\b{_BANK}\s+(?:aktualisieren|actualiser|更新|bitte aktualisieren)|(?<![\w./@#$\\-])UMB(?![\w(/\\]|[.-]\w))"
    rf"(?!\w){_THING}"
    rf"|(?:^|\b(?:a|an|full|quick|complete|run|do|perform|need|needs|please|ok|okay|now|then|time for|trigger|the)\s+)"
    rf"(?:{_BANK}\s+(?:update|refresh|sync)|documentation\s+refresh)\b{_THING}",
    re.IGNORECASE,
)
_NAMED = lazy(rf"(?<![\w/.-]){_BANK}(?:\s+(?:files?|folder|docs?|documentation))?(?![\w/.-]){_THING}", re.IGNORECASE)
_CODE = lazy(
    r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]{0,400}`|^[ \t]*>[^\n]*|<!--.*?(?:-->|\Z)", re.DOTALL | re.MULTILINE
)
_QUOTED = lazy(
    "\"[^\"\n]{1,400}\"|“[^”\n]{1,400}”|«[^»\n]{1,400}»|„[^“\n]{1,400}“|(?<!\\w)['‘][^'’\n]{1,400}['’](?!\\w)"
)
_SLASH = lazy(r"^\s*/(?=umb\b)", re.IGNORECASE)
_WRAPPED = lazy(r"\b(update|refresh|sync|the|your|memory)[ \t]*\r?\n[ \t]*(?=\w)", re.IGNORECASE)
_CLAUSE = lazy(r"[.;:!?](?=\s|$)|[\n,—–]|\s[(-]\s?|\)|\b(?:but|and then|then|just|instead)\b", re.IGNORECASE)
_INVITED = lazy(
    r"\b(?:(?:don'?t|do not|never) (?:forget|hesitate)|why (?:don'?t (?:you|we)|not)|how about)\b", re.IGNORECASE
)
_REFUSED = lazy(
    r"\b(?:don'?t|do not|doesn'?t|never|not|no need|without|skip|stop|avoid|shouldn'?t|needn'?t|won'?t|can'?t|cannot"
    r"|rather than|instead of|unless|nicht|no|ne|não|non|не|不要|别)(?!\w)|不要|别",
    re.IGNORECASE,
)
_TOLD = lazy(
    r"\b(?:(?:I|we)(?:'ll|'ve| will| can| could| already| did| just| always| usually| am| are)|they|he|she|it|who|which"
    r"|(?:command|function|script|button|option|code|hook|tool|test|job|step|logic|method|phrase|way|prompt|trigger"
    r"|attempt|ability|permission|instruction|rule|word|term|class|variable|string|acronym|abbreviation)s?)"
    r"(?: (?:to|that|which|should|will|must|would|can|may|called|named|like|going|already|did|says?|for"
    r"|have|has|the)){0,3}\s*$",
    re.IGNORECASE,
)
_WONDERED = lazy(
    r"^\W*(?:(?:so|and|but|ok|okay|hey|hi|wait|hmm|also)\W+)?(?:how|what|what's|why|which|who|where)\b"
    r"|\b(?:explain|describe|know|tell me|show me|wonder|understand) (?:how|what|why|when|whether|if)\b",
    re.IGNORECASE,
)
_YES_OR_NO = lazy(r"^\W*(?:did|does|do|has|have|is|are|was|were|should|when)\b", re.IGNORECASE)


def asks_for_update(prompt: str) -> bool:
    """Whether a prompt asks for an update of the memory bank: "update the memory bank", "please umb" and the like.

    What stands in code or quotes does not count, nor what is refused, told of or only asked about.
    """
    if not _may_name(prompt):
        return False
    whole = prompt[:_LONGEST].replace("’", "'").strip()
    if whole[:1] == whole[-1:] and whole[:1] in "\"'`*_" and whole.count(whole[:1]) in (2, 4):
        whole = whole.strip("\"'`*_")
    whole = _QUOTED.sub(" … ", _CODE.sub(" … ", whole)).replace("*", "")
    whole = _WRAPPED.sub(r"\1 ", _SLASH.sub("", whole))
    start = 0
    for end in [*_CLAUSE.finditer(whole), None]:
        stop = end.start() if end else len(whole)
        if _asks(whole[start:stop].strip(), end.group() if end else ""):
            return True
        start = end.end() if end else stop
    return False


def without_the_bank(prompt: str) -> str:
    """A prompt without what it says of the memory bank as such, which is where records are and not what they are about.

    What asks how or why stays whole: the project may be one that handles memory banks.
    """
    if not _may_name(prompt):
        return prompt
    if asks_for_update(prompt):
        return _NAMED.sub(" ", _ASKED.sub(" memory bank ", _SLASH.sub("", prompt)))
    return prompt if is_question(prompt) and not _YES_OR_NO.match(prompt) else _NAMED.sub(" ", prompt)


def _may_name(prompt: str) -> bool:
    """Looked at without the patterns: compiling them takes a hook as long as most of what it does."""
    folded = prompt[:_LONGEST].lower()
    return any(word in folded for word in ("umb", "memory", "记忆库", "documentation"))


def _asks(clause: str, end: str) -> bool:
    for match in _ASKED.finditer(clause):
        before = clause[: match.start()]
        if _INVITED.search(before):
            return True
        asked_about = _WONDERED.search(before) or (end == "?" and _YES_OR_NO.match(clause))
        if not (asked_about or _REFUSED.search(before) or _TOLD.search(before)):
            return True
    return False
