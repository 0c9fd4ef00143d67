"""What an assistant says that nobody looks up later: announcements, praise, steps that went through, questions back.

The criterion is in docs/hooks.md. It knows English only: what is said in another language counts as content.
"""

import re

from memdown.index.keywords import WORD
from memdown.index.stopwords import STOP_WORDS
from memdown.lazy import LazyModule
from memdown.patterns import lazy

TYPE_CHECKING = False  # as typing's, which hooks cannot afford
if TYPE_CHECKING:
    from collections.abc import Iterator

    from memdown.index import terms
else:  # few messages are plans
    terms = LazyModule("memdown.index.terms")

_EOL = lazy(r"\r\n|\n|\r")
_FENCE = lazy(r"\s{0,3}(?:`{3,}|~{3,})")
_MARKS = lazy(r"^(?:#{1,6}\s+|[-*+]\s+|\d{1,9}[.)]\s+|>\s?|\*\*|__)+|(?:\*\*|__|\s#+)$")
_BLOCK = lazy(r"\s*(?:#{1,6}\s|[-*+]\s|\d{1,9}[.)]\s|>|\|)")
_DATA = lazy(r"(?:(?:`{3,}|~{3,})\w*\s*)?(?:\{.*\}|\[\s*[{\[\"].*\])(?:\s*(?:`{3,}|~{3,}))?", re.DOTALL)
_SAMPLE = lazy(
    r"^[ \t]*\|(?:[ \t]*(?:cell|header|column|row)[ \t]?(?:\d{1,3}|[A-D])[ \t]*\|){2,}[ \t]*$|\blorem ipsum dolor\b",
    re.IGNORECASE | re.MULTILINE,
)
"""Text that only shows how text may look: a row of `| Cell 1 | Cell 2 |`."""
_RULE = lazy(r"[-*_=|:\s]{3,}$|\s*<!--")
_END = lazy(r"(?<=[.!?])\s+(?=[^a-z\s])")
_REASON = lazy(r"\b(?:because|since|so that|instead of|rather than|due to|otherwise)\b", re.IGNORECASE)
_LEADS = (
    r"(?:(?:now|next|first|then|also|finally|however|great|good|okay?|alright|perfect|so|and|but|actually|wait)\b"
    r"[,!.\s-]*)*"
)
_EMPTY = (
    # What comes next.
    _LEADS
    + r"(?:let me|let[’']?s|let us|i[’']ll|i will|i[’']m (?:now )?going to|i am going to|i[’']m about to|we[’']ll|"
    r"i (?:also )?(?:need|want) to|i should|i[’']d (?:be happy|like|love) to|time to|going to)\b.*",
    # Praise, and that something was heard.
    _LEADS
    + r"(?:perfect|great|excellent|awesome|nice|good|wonderful|fantastic|done|all done|okay?|sure|yes|interesting|aha|"
    r"understood|got it|hello|hi|thanks|thank you|absolutely|of course|certainly|no problem|(?:that )?makes sense|"
    r"you[’']re (?:absolutely |completely )?(?:right|welcome)|(?:now )?i (?:now )?(?:see|understand)|critical finding|"
    r"(?:i(?:[’']ve)? )?(?:found|completed) (?:it|(?:the|my) [a-z]+))\b(?:[\s,]+[\w’']+){0,3}\W*",
    # A step that went through.
    r"(?:(?:all|the|both|type|build|lint|unit|integration|\d+)\s+){0,9}(?:tests?|build|lint(?:ing|er)?|checks?|typecheck|"
    r"compilation|everything|both|it|that|this|all|implementation|task|work|changes?|server)\s+(?:(?:is|are|was|have|has|been|"
    r"now|all|still|looks?|tests?)\s+){0,9}(?:made|applied|pass(?:es|ed|ing)?|succeed(?:s|ed)?|success(?:ful(?:ly)?)?|green|works?|working|"
    r"clean|fine|good|complete|completed?|done|finished|ready|in place|correct)\b(?:\s+[\w’']+){0,2}\W*",
    # A question back, an offer.
    r"(?:would you|do you|should i|shall i|want me|what would|how can i|how would|is there any|can you|could you|"
    r"please|feel free|if you(?:[’']d| would| want| need))\b.*",
    # What was asked, said again.
    _LEADS
    + r"(?:the user|you)(?:[’']re| is| are| has| have)? (?:also |just |now )?(?:ask(?:s|ed|ing)?|saying|says|reporting|"
    r"wants? (?:me )?to|would like(?: me)? to|wants? me)\b.*",
    # That nothing is known.
    r"(?:i (?:don[’']t|do not) have (?:any|access)|this (?:appears|seems) to be (?:the start of )?a (?:new|fresh))"
    r"\b.*",
    # That the next step may come.
    r"(?:i[’']m |we[’']re |it[’']s )?ready (?:for|to)(?:\s+[\w’']+){1,6}\W*",
    # An apology.
    _LEADS
    + r"(?:i(?:[’']m| am|[’']d like to)? )?(?:(?:so|very|really|sincerely|deeply) )?(?:sorry|apologi[sz]e|my apologies|"
    r"apologies)(?: (?:for|about|that)(?:\s+[\w’']+){1,7})?\W*",
    # Errors that the next step is about.
    _LEADS + r"(?:i (?:still )?have|there are|we have) (?:[\w-]+ ){0,3}errors(?: to fix| left)?\b.{0,3}",
    # The beginning of something; whether there is more is seen by what follows.
    r"here(?:[’']s| is| are)\b.*:\W*",
)
_ANNOUNCES = lazy(f"(?:{_EMPTY[0]}|{_EMPTY[4]}|{_EMPTY[-2]}):\\W*", re.IGNORECASE | re.DOTALL)
"""An announcement of what a list below it has: its items are no more than that …"""
_PLANS = lazy(r"(?:here(?:[’']s| is) )?(?:the|my|our) plan(?: is| now)?:\W*|plan:\W*", re.IGNORECASE)
"""The same of a plan, where its items are steps of any work."""
_TELLS = lazy(
    r"\b(?:summari[sz]e|explain|list|recap|share|clarify|describe|show|outline|report|walk|give|break|know)\b"
)
"""… unless it is to be told."""
_SAYS_NOTHING = lazy("|".join(f"(?:{each})" for each in _EMPTY), re.IGNORECASE | re.DOTALL)
_GENERIC = frozenset(
    """added applied apply background both bug bugs cause change changed changes commit committed complete completed
    conclusion context created current details done example examples excellent existing file files final finding
    findings finished fix fixed fixes found good great here's implementation info information introduction issue
    issues it's key made main message modified new news next note notes overview pass passed passes passing perfect
    plan problem pushed question ready report response result results root solution state status step steps story
    success successful successfully summary task tasks test tests that's update updated updates what's""".split()
)
"""Words that any message has: a title of nothing else says nothing."""
_TELLING = 2
"""Words beside those that a sentence needs to be a good title; a heading needs one."""


def lines(text: str) -> "Iterator[tuple[str, bool]]":
    """Lines that are not blank and no mere rule, and whether each is of code or of a table."""
    inside = False
    for line in _EOL.split(text):
        if _FENCE.match(line):
            inside = not inside
        elif line.strip() and (inside or not _RULE.match(line)):
            yield line, inside or line.lstrip().startswith("|")


def sentences(line: str) -> "list[str]":
    """The sentences of a line or paragraph, without the marks of Markdown around it."""
    bare = _MARKS.sub("", line.strip())
    if bare.count("**") % 2:  # its partner was at the beginning
        bare = bare.replace("**", "")
    return [each for each in _END.split(bare) if WORD.search(each)]


def says_nothing(sentence: str) -> bool:
    """Whether a sentence only announces, praises, reports that a step went through, or asks back."""
    return bool(_SAYS_NOTHING.fullmatch(sentence.strip(" *_"))) and not _REASON.search(sentence)


def has_content(sentence: str) -> bool:
    """Whether a sentence has a word that tells what it is about."""
    return next(_content(sentence), None) is not None


def is_telling(sentence: str, *, heading: bool) -> bool:
    """Whether a sentence, or a heading, tells enough of what a message is about to be its title."""
    return len(set(_content(sentence))) >= (1 if heading else _TELLING)


def _content(sentence: str) -> "Iterator[str]":
    words = (match.group().lower() for match in WORD.finditer(sentence.replace("’", "'")))
    return (word for word in words if word not in STOP_WORDS and word not in _GENERIC and not word.isdigit())


def _stated(parts: "list[str]") -> "Iterator[str]":
    """The sentences of lines and paragraphs, without the items of a list that only announces what comes next."""
    announced = planned = False
    for part in parts:
        if announced and _BLOCK.match(part) and not part.startswith("#") and not _REASON.search(part):
            continue
        found = sentences(part)
        if part.startswith("#") and not any(map(has_content, found)):
            continue  # "Summary"
        if planned and _BLOCK.match(part) and not part.startswith("#") and not terms.prompt_terms(" ".join(found)):
            continue  # words of work on any code
        planned = planned if _BLOCK.match(part) else bool(found) and bool(_PLANS.fullmatch(found[-1]))
        announced = bool(found) and bool(_ANNOUNCES.fullmatch(found[-1])) and not _TELLS.search(found[-1])
        yield from found


def is_chatter(text: str) -> bool:
    """Whether no sentence of a message says anything, or it is data for a program; code and tables say something."""
    if _DATA.fullmatch(text.strip()) or _SAMPLE.search(text):
        return True
    parts: list[str] = []
    previous = ""
    for raw in _EOL.split(text):
        line = raw.strip()
        if _FENCE.match(line) or line.startswith("|"):
            return False
        if line and previous and not _BLOCK.match(line) and not _BLOCK.match(previous):
            parts[-1] += f" {line}"
        elif line:
            parts.append(line)
        previous = line
    found = list(_stated(parts))
    if found and found[-1].rstrip(" *_").endswith(":"):
        found.pop()  # it announces what does not follow any more
    return all(map(says_nothing, found))
