"""From the text of a question to the words it is ranked by."""

from collections.abc import Iterable, Iterator
from functools import cache

from msgspec import Struct

from memdown.index.query import Term
from memdown.index.stopwords import STOP_WORDS
from memdown.index.where import fts, quoted, spelled
from memdown.patterns import lazy

MOST = 32
"""Words a question is ranked by; the rest of a longer one is left out."""
_NAMES = 6
_RUN = lazy(r"[^\W_]+")

_IRREGULAR = """
bad worse worst|become became|begin began begun|break broke broken|bring brought|build built|buy bought|
catch caught|child children|choose chose chosen|come came|deal dealt|draw drew drawn|drink drank drunk|
drive drove driven|eat ate eaten|fall fell fallen|feed fed|feel felt|fight fought|find found|fly flew flown|
foot feet|forget forgot forgotten|freeze froze frozen|get got gotten|give gave given|go went gone|
grow grew grown|hang hung|hear heard|hide hid hidden|hold held|index indices|keep kept|know knew known|lead led|
leave left|lend lent|life lives|lose lost|make made|man men|mean meant|meet met|mouse mice|pay paid|
person people|ride rode ridden|rise rose risen|run ran|say said|see saw seen|seek sought|sell sold|send sent|
shoot shot|shrink shrank shrunk|sing sang sung|sit sat|sleep slept|speak spoke spoken|spend spent|stand stood|
steal stole stolen|swim swam swum|take took taken|teach taught|tell told|think thought|throw threw thrown|
tooth teeth|understand understood|wake woke woken|wear wore worn|win won|woman women|write wrote written
"""


class AskedWords(Struct, frozen=True):
    """One thing to look for, under all spellings it may have."""

    shown: str
    spellings: tuple[str, ...]
    """As the full-text index reads them."""
    exact: bool = False
    """Whether it is a name or a phrase that was asked for as a whole."""


def asked(terms: Iterable[Term]) -> list[AskedWords]:
    """What to rank by. Stop words count only when there is nothing else."""
    found: dict[str, AskedWords] = {}
    for term in terms:
        for each in _of(term):
            found.setdefault(each.shown, each)
    telling = [each for each in found.values() if _tells(each.shown)]
    names = [each for each in telling if each.exact][_NAMES:]
    return [each for each in telling or found.values() if each not in names][:MOST]


def _of(term: Term) -> Iterator[AskedWords]:
    if term.form == "prefix":
        begins = (each if each.endswith("*") else f"{each}*" for each in spelled(term.text))
        yield AskedWords(f"{term.text.casefold()}*", tuple(begins))
        return
    runs = _RUN.findall(term.text)
    telling = [run for run in runs if _tells(run.casefold())]
    # The parts of a date, a version or an address tell nothing; those of a name do.
    if len(runs) > 1 and "".join(runs).isdigit():
        yield AskedWords(" ".join(runs), tuple(spelled(term.text)))
        return
    if len(telling) > 1:
        yield AskedWords(f'"{" ".join(runs).casefold()}"', (fts(Term(term.text, "phrase")),), exact=True)
    for run in runs:
        shown = run.casefold()
        yield AskedWords(shown, (*spelled(run), *(quoted(form) for form in _families().get(shown, ()))))


def _tells(word: str) -> bool:
    """Whether it tells records apart: a single letter is what an apostrophe left, as in "Ann's"."""
    return word not in STOP_WORDS and not (len(word) == 1 and word.isascii() and word.isalpha())


@cache
def _families() -> dict[str, tuple[str, ...]]:
    """By a word, its other forms that no stemmer finds."""
    groups = [group.split() for group in _IRREGULAR.split("|")]
    return {word: tuple(other for other in group if other != word) for group in groups for word in group}
