"""Words around a name that make it no claim: the text tells of what was, what is planned, or of an example."""

import re

from memdown.claims import grammar
from memdown.patterns import lazy

_LINE = 4000
NEAR = 160
"""How far words around a name count, so that a line without end takes no time without end."""

_WORD = lazy(r"[^\W\d_]+(?:'[a-z]{1,2})?|->|→|⇒|~~|❌")
_DATE = lazy(r"(?<!\d)\d{4}-\d\d-\d\d")
_PAST = frozenset(
    "-> → ⇒ ~~ ❌ was were formerly moved obsolete gone never nonexistent existent missing absent lost phantom"
    " been had became instead originally initially historically stale outdated wrong incorrect incorrectly applied"
    " touched started updated fixed corrected rewrote modified changed commented completed oops"
    " identified investigated debugged"
    " alte alten altes früher umbenannt gelöscht verschoben ancien ancienne supprimé supprimée antiguo antigua".split()
)
_PAST_BEGIN = tuple(
    "delet remov renam drop deprecat replac supersed retir previous former migrat extract consolidat refactor split"
    " merg revert relocat eliminat recreat rewr rewrot convert"
    " elimin borrad renombr reemplaz movid desactiv removid substitu entfern ersetz supprim renomm remplac déplac"
    " удал переимен замен перенес стар бывш".split()
)
"""How words for what was begin, in the languages that memory is often written in."""
_PLANNED = frozenset(
    "will would todo tbd proposed proposal maybe could might someday eventually upcoming later soon add added adding"
    " adds new missing write wrote gains deferred postponed awaiting implement implementing"
    " neu neue neuen neuer neues geplant künftig zukünftig будет будут"
    " novo nova pendiente pendientes implementar".split()
)
_PLANNED_BEGIN = tuple(
    "plan futur creat generat introduc scaffold suggest recommend consider draft"
    " añad agreg nuev cread crear propuest adicion criad ajout créé créer nouve hinzugef erstell"
    " добав созда нов".split()
)
_UNSPACED = lazy(
    "删除|移除|重命名|改名|替换|迁移|弃用|废弃|旧的|新增|新建|添加|创建|计划|后续|下一步|待办|曾经|不再|将会|将是"
    "|削除|廃止|移動し|置き換え|追加|作成|予定|今後|以前|新規|변경|삭제|추가"
)
"""The same words of languages that put no space between them."""
_EXAMPLE = frozenset("example examples e.g eg instance sample placeholder hypothetical similar".split())
_ASIDE, _ASIDE_BEGIN = _PAST | _PLANNED | _EXAMPLE, _PAST_BEGIN + _PLANNED_BEGIN
"""Words, and how words begin, of a sentence about what was, will be, or only stands for others."""
_CHANGING = frozenset("from before after until since".split())
_CHANGING_BEGIN = tuple("upgrad updat bump chang downgrad switch fix incompat unsupport несовместим".split())
_TURNS = frozenset(
    "no not non never without neither longer old older legacy used such compared rather opposed should initial be ya"
    " e option options alternative alternatives next do follow followup rejected remediation mitigation"
    " mitigations deliverable doc docs documentation".split()
)
"""Words that every other pattern here has one of, which makes something no claim."""
_STIRRED, _STIRRED_BEGIN = _ASIDE | _CHANGING | _TURNS, _ASIDE_BEGIN + _CHANGING_BEGIN
_HEAD = min(map(len, _STIRRED_BEGIN))
_STIRRED_HEADS = frozenset(each[:_HEAD] for each in _STIRRED_BEGIN)
"""What such words begin with, looked for first: a set knows at once, where each beginning would be tried."""
_NOT_THERE = lazy(
    r"\bno longer\b|\bneither\b|\bnot (?:currently )?(?:exist|found|present|yet)|n't (?:exist|have)|\bdid(?: not|n't)\b"
    r"|\bused to\b|\binstead of\b|\bto be (?:implemented|added|created|written|built|done)\b|\be\.\s?g\."
    r"|\bsuch as\b|\bfor instance\b"
    r"|\bshould (?:be|have been)\b[^.;:\x00]{0,40}:|\bshould (?:there|we|it|they)\b"
    r"|\binitial (?:design|idea|approach|version)\b|\bya no\b|\bn'est plus\b",
    re.I,
)
_OLD = lazy(r"\b(?:old|older|legacy)\b[^.;,]{0,24}$", re.I)
_IS_OLD = lazy(r"\x00[\s\W]{0,4}(?:is |are )?(?:an? |the )?(?:old|legacy)\b", re.I)
_ACTS = lazy(r"\x00\s{1,3}(?!was\b)[a-z]{2,20}s\b")
"""A name right before what it does: "`take()` removes one" says what is so."""
_FOR_NEW = lazy(r"\b(?:for|every|each|all|any) new [a-z-]{2,20}\b(?!\s{0,3}\x00)", re.I)
"""A rule for what is to come, which says what is so now: "for new code"."""
_NOT_THIS = lazy(
    r"\bcompared (?:to|with)\b|\brather than\b|\bas opposed to\b"
    r"|(?<!is )(?<!are )(?<!be )\b(?-i:used) an?\b"
    r"|\b(?:docs?|documentation) (?:shows?|says?|claims?)\b(?! (?:what|how|why|where))",
    re.I,
)
"""Words before a name that say it is what was not chosen, what was used, or what somebody only says."""
_DENIAL = 24
_CLAUSE = 80
_WRAPPED_BY = 400
_DENIED = lazy(
    r"\b(?:no|not|non|never|without)\b"
    r"(?:(?: an?)? (?:separate|extra|additional|dedicated|shared|own|such|top-level|global|central|public|private"
    r"|explicit|standalone|single|default|native|actual|known|corresponding|matching)\b)?[\s`*_]{1,6}$",
    re.I,
)
"""Words right before a name that say it is not there, or not meant."""
_CONDITION = lazy(r"\b(?:for|to)[\s`*_]{1,6}$|\b(?:where|when|if|whose|while|until|unless)\b[^,;:.!?\r\n]{0,60}$", re.I)
_AT_TIMES = lazy(
    r"\b(?:with|on|not|and|or|as|only|sets?|gets?|ha(?:ve|s)|pass(?:es)?|returns?|writes?|filters?|cases?|caso)[\s`*_]{1,6}$",
    re.I,
)
_OR_ELSE = lazy(r"[`*_]{1,3} (?:and|or)\b", re.I)
_MEANS = lazy(r"[`*_]{1,3} (?:means?|would|if|when|mode)\b", re.I)
_FOLDER = lazy(r"[`*_]{1,3} (?:sub-?)?(?:director(?:y|ies)|folders?)\b", re.I)
_BRANCH = lazy(r"\bbranch(?:es)?\b[\s`*_:(]{1,8}$", re.I)
_BRANCH_AFTER = lazy(r"[`*_]{0,3} branch\b", re.I)
_REPOSITORY = lazy(r"\b(?:repos?|repositor(?:y|ies)|fork|github|gitlab|upstream)\b", re.I)
_LABEL = lazy(
    r"[\s>*+_\d.)\[-]{0,12}(?:(?:options?|alternatives?)\b[^:\r\n—–]{0,40}(?::|—|–| -)"
    r"|(?:next(?: steps?)?|to-?do|follow-?ups?|future(?: work)?|previously|rejected|proposed|removed|before"
    r"|remediation|mitigations?|recommendations?|suggestions?|suggested fix|proposed fix|deliverable)[\s*_]{0,4}:)",
    re.I,
)
"""What a line begins with that tells of a choice that was not made, of the past or of a plan."""
_OVER_LIST = lazy(
    r"[\s>*_]{0,8}(?:(?:immediate |possible |suggested )?(?:next|follow-?ups?|to-?dos?|future|planned|proposed"
    r"|upcoming|removed|deleted|rejected|deprecated|alternatives?|options|considered|remaining|out of scope"
    r"|pr[oó]xim[oa]s|pendientes?|prochaines|nächste|eliminad[oa]s)\b|下一步|后续|待办|已删除|今後|予定)[^\r\n]{0,60}[:：][\s*_]{0,4}$",
    re.I,
)
"""A paragraph over a list of what was, is planned or was not chosen."""
_LOGGED = lazy(r"[\s>*+|_\[(`-]{0,12}\d{4}-\d\d-\d\d")
_CONTINUED = lazy(r"[ \t]*(?![-*+#>|]|\d{1,4}[.)]\s|```|~~~)\S")
"""A line that may go on with the sentence of the one before: no item, heading, row or quotation begins there."""
_WRAPPED = lazy(r"[ \t]*(?![#|]|```|~~~)\S[^\r\n]{50,4000}(?<![ \\] )(?<![ \\])\r?\n")
"""A line that was broken for its length: a long one, and not broken on purpose."""
_CODE = lazy(r"`[^`\n]{0,200}`")
_LINK = lazy(r"\[[\w./@+-]{1,200}\.\w{1,9} \x00")
"""What a link is called that is called as a file."""
_BREAK = lazy(r"`[^`\n]{0,200}`|(?<!\betc)(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\bcf)[.;!?](?=\s)", re.I)
"""Where a sentence ends within a line, or code, in which none does."""

_HEADINGS = lazy(
    r"\b(?:changelog|change log|histor\w+|complet\w+|done|recent|previous\w*|past|timeline|milestones?"
    r"|migrat\w+|archiv\w+|deprecated|removed|deleted|superseded|before|next(?![.-]?js|[.-]\w)|upcoming|future|roadmap|to-?dos?|backlog"
    r"|recommend\w*|revert\w*|functional requirements?|user stor(?:y|ies)|acceptance criteria|edge cases?"
    r"|build (?:slices?|contracts?)"
    r"|plan|plans|planned|planning|propos\w+|alternatives?|considered|rejected|examples?|templates?|samples?|created"
    r"|new files?|files? (?:to|changed|modified|touched)|modified|modifications?|added|changes|changed|updates?"
    r"|updated|fixe[ds]|fix|fixes|refactor\w*|lessons?|implement\w+ (?:plan|steps)|steps|phase|sprint|accomplish\w+"
    r"|achieve\w+|progress|(?<!decision )(?<!decisions )log|journal|what changed|ideas?"
    r"|wish\w*|experiments?|cleanup|steps taken|work done|pseudo-?code|playbook|landscape|assumptions?|deferred"
    r"|add|implementation (?:priority|order)|research|candidates?|competitors?|prior art|follow-?ups?|action items?"
    r"|open (?:questions?|points?|issues?|ambiguit\w+)|attack vectors?"
    r"|original (?:decision|design|plan|approach)|decisi[oó]n original"
    r"|remediations?|mitigations?|(?:new \w+|keys?|fields?|endpoints?) (?:needed|required)|nuev[oa]s?|necesari[oa]s?"
    r"|cambios|historial|modificad[oa]s|pr[oó]xim[oa]s|pendientes?|futur[oa]?|propuestas?|alternativas"
    r"|prochain\w*|modifi[ée]\w*|änderungen|nächste|geplant|erledigt|изменения|план|планы|история|выполнено)\b"
    r"|✅|🚧|📋|下一步|后续|变更|历史|计划|待办|已完成|更新记录|今後|変更履歴|予定|完了",
    re.I,
)
"""Headings over what was, will be or might be."""
_MONTH = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)(?:[a-z]{3,6})?\b"
_SESSIONS = lazy(
    rf"^[\W\d_]{{0,40}}(?:{_MONTH}[\W\d_]{{1,20}})?"
    r"(?:(?:this|last|latest|current|past|earlier|first|second|final|work(?:ing)?|coding|dev(?:elopment)?) ){0,2}"
    rf"sessions?(?:[\W_]{{0,6}}$|[\W_]{{1,6}}(?:\d|{_MONTH})"
    r"|[ -](?:logs?|notes?|histor\w+|summar\w+|records?|reports?|hand-?offs?|goals?|focus"
    r"|start\w*|end\w*|tasks?|work|objectives?|outcomes?|results?|highlights?|recap|info\w*|context)\b)"
    r"|\b(?:this|last|latest|current|prior|earlier) sessions?\b|\bsession(?:$|:| [-–—|\[])",
    re.I,
)
"""Headings of what was done in a session; those of a session that users have are a topic as any other."""
_STATED = lazy(
    r"[^:?]{0,80}\s(?:is|are|lives?|stays?|belongs?|goes|go|has|have|uses|needs?|must|keeps?|contains?|comes?)\s+\w",
    re.I,
)
"""A heading that says what is so, as a sentence does."""
_PROPOSED = lazy(r"\W{0,4}(?:\w{1,2}[).]\s{0,3})?(?:proposals?|propuestas?|drafts?|ideas?)\s{0,3}[:—–]", re.I)
_ASKED = lazy(r"\W{0,9}(?:what|which|where|who|how|why|when)\b", re.I)


def is_labelled_plan(title: str) -> bool:
    """Whether the title of a decision begins by saying that it is only proposed: "Proposal: ..."."""
    return bool(_PROPOSED.match(title))


def is_aside(heading: str) -> bool:
    """Whether a section of this heading tells of what was, is planned, or of an example."""
    if _STATED.match(heading) and not _ASKED.match(heading):
        return False
    return bool(_HEADINGS.search(heading) or _SESSIONS.search(heading))


def is_dated(text: str) -> bool:
    """Whether a text has a date."""
    return bool(_DATE.search(text))


def is_logged(text: str, line: int) -> bool:
    """Whether a line begins with a date, as those of a log do."""
    return bool(_LOGGED.match(text, line))


def is_over_list_aside(paragraph: str) -> bool:
    """Whether a paragraph says that the list below it is of what was, is planned or was not chosen."""
    return bool(_OVER_LIST.match(paragraph))


def is_label_aside(text: str, line: int) -> bool:
    """Whether a line, or the one that it goes on with, begins by saying that it is not what is so: "Option B: ..."."""
    return bool(_LABEL.match(text, _begins(text, line, max(line - _WRAPPED_BY, 0))))


def is_calm(passage: str) -> bool:
    """Whether no sentence of a passage has a word that could make it tell of something else than what is so.

    Most have none, and then no sentence of them needs to be looked at.
    """
    if "`" in passage:
        passage = _CODE.sub(" ", passage)
    if "n'" in passage or _DATE.search(passage) or (not passage.isascii() and _UNSPACED.search(passage)):
        return False
    words = _WORD.findall(passage.lower())
    if not _STIRRED.isdisjoint(words):
        return False
    return _STIRRED_HEADS.isdisjoint([each[:_HEAD] for each in words]) or not any(map(_begins_stirred, words))


def around(text: str, start: int, end: int) -> str:
    """The sentence around a place, without the place itself, other pieces of code, and other paths."""
    first, last = sentence(text, start, end)
    found = _CODE.sub(" ", f"{text[first:start]} \x00 {text[end:last]}")
    if "[" in found:
        found = _LINK.sub("\x00", found)
    return grammar.BARE.sub(" ", found) if "/" in found else found


def tells_of_change(around: str, *, versions: bool = False) -> bool:
    """Whether the sentence around a place is about what was or will be, where a missing file is right.

    Of versions more words do: "from 4.1" is no statement of what is there.
    """
    at = around.find("\x00")
    near = max(at - _DENIAL, 0), at
    if _NOT_THERE.search(around) or _DENIED.search(around, *near) or _NOT_THIS.search(around, 0, at):
        return True
    if _OLD.search(around, max(at - _CLAUSE, 0), at) or _IS_OLD.match(around, at):
        return True
    around = _FOR_NEW.sub("", _ACTS.sub("", around))
    if not around.isascii() and _UNSPACED.search(around):
        return True
    words = [*map(str.lower, _WORD.findall(around))]
    if not _ASIDE.isdisjoint(words) or any(map(_begins_aside, words)):
        return True
    return versions and any(word in _CHANGING or word.startswith(_CHANGING_BEGIN) for word in words)


def is_denied(text: str, at: int) -> bool:
    """Whether the words right before a place say that what stands there is not."""
    return bool(_DENIED.search(text, max(at - _DENIAL, 0), at))


def is_condition(text: str, start: int, end: int, *, constant: bool) -> bool:
    """Whether the words beside a value say that something has it at times; a constant may go "with" it."""
    before = max(start - _CLAUSE, 0), start
    if _CONDITION.search(text, *before) or _MEANS.match(text, end - 1):
        return True
    return not constant and bool(_AT_TIMES.search(text, *before) or _OR_ELSE.match(text, end - 1))


def is_folder(text: str, end: int) -> bool:
    """Whether the word behind a name says that it is a folder."""
    return bool(_FOLDER.match(text, end - 1))


def is_repository(around: str) -> bool:
    """Whether a sentence speaks of repositories, so that `owner/name` is one."""
    return bool(_REPOSITORY.search(around))


def is_branch(text: str, start: int, end: int) -> bool:
    """Whether the words beside a place say that it is a branch."""
    return bool(_BRANCH.search(text, max(start - _DENIAL, 0), start) or _BRANCH_AFTER.match(text, end))


def sentence(text: str, start: int, end: int) -> tuple[int, int]:
    """Where the sentence around a place begins and ends, at most NEAR characters away, never beyond its paragraph."""
    first = _begins(text, start, max(start - NEAR, 0))
    last = _ends(text, end, min(end + NEAR, len(text)))
    begin = max(text.rfind("\n", max(start - _LINE, 0), start) + 1, start - _LINE, 0)
    if text.count("`", begin, first) % 2:  # amid a piece of code, which ends the sentence no more than others do
        first = min(text.find("`", first, start) + 1 or start, start)
    for match in _BREAK.finditer(text, first, last):
        if match.group()[0] == "`" or start <= match.start() < end:
            continue
        if match.end() <= start:
            first = match.end()
        else:
            return first, match.start()
    return first, last


def _begins(text: str, at: int, least: int) -> int:
    """Where the first line begins that a sentence may have begun in."""
    while True:
        found = max(text.rfind("\n", least, at), text.rfind("\r", least, at)) + 1
        if not found:
            return least
        above = max(text.rfind("\n", least, found - 1) + 1, least)
        if not _CONTINUED.match(text, found) or not _WRAPPED.match(text, above):
            return found
        at = above


def _ends(text: str, at: int, most: int) -> int:
    """Where the last line ends that a sentence may end in."""
    line = max(text.rfind("\n", max(at - _LINE, 0), at), text.rfind("\r", max(at - _LINE, 0), at)) + 1
    while True:
        ends = (text.find(each, at, most) for each in "\n\r")
        found = min((each for each in ends if each >= 0), default=most)
        if found == most or not _WRAPPED.match(text, line):
            return found
        line = at = found + 1 + text.startswith("\r\n", found)
        if not _CONTINUED.match(text, at):
            return found


def _begins_aside(word: str) -> bool:
    return word.startswith(_ASIDE_BEGIN)


def _begins_stirred(word: str) -> bool:
    return word.startswith(_STIRRED_BEGIN)
