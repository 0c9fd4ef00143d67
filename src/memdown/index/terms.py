"""From the text of a question to the words it is ranked by. Light to import, since hooks ask too."""

from functools import cache

from memdown.index.stopwords import STOP_WORDS
from memdown.index.words import quoted, spelled, spellings
from memdown.patterns import lazy

TYPE_CHECKING = False  # as typing's, which hooks cannot afford
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memdown.index.query import Term

MOST = 32
"""Words a question is ranked by; the rest of a longer one is left out."""
_NAMES = 6
_CHATTER = frozenset(
    """again ahead alright bye commit continue cool done fine finish go going good great hello hey hi hmm lgtm looks
    morning never next nice no nope ok okay perfect proceed push rerun retry run start stop sure test tests thank thanks
    try wait yeah yep
    aber alles bitte danke dank genau gut ja jetzt klar mach nein nicht noch passt super vielen weiter weitermachen
    accord beaucoup bien bon c'est continuer merci non oui parfait plaît suite
    adelante ahora bueno claro está gracias listo muchas perfecto por favor sí sigue vale
    adesso bene continua grazie mille perfetto va avanti prego
    agora certo continue obrigada obrigado isso sim não
    dankjewel ga goed graag nee verder wel je
    да давай дальше ладно нет ок отлично пожалуйста понял продолжай спасибо хорошо
    好的 谢谢 继续 是的 可以 不是 네 아니요 감사합니다 계속해 주세요""".split()
)
"""Words that keep a conversation going: a prompt of nothing else asks nothing of memory."""
_WEAK = frozenset(
    """accept add amend apply ask better bit bug bump case cases change changed changes check clean code comment compile
    convert correct create delete diff docstring double edit error errors everything explain fail failed failing
    fails failure file files first fix fixed forget format function functions git give handle happen help idea
    implement improve instead issue keep last later less line lines lint linter little long look mean merge
    message method mind move name new old open option part patch problem pull read readable rebase redo refactor
    remove rename replace rest revert rewrite right say second see sense sentence short shorter show simple
    simpler small smaller something sort split squash step summarize syntax tell think third translate typo
    understand undo unit update variable want warning word work works write written wrong wrote""".split()
)
"""Words of work on any code: they say nothing of what a prompt is about, unless it is the title of a record."""
_OURS = frozenset("we our ours wir unser unsere nous notre nuestro nuestra nosotros мы наш наши nós nosso onze".split())
"""Words by which a prompt asks how the project does something: then those of its work are what it is about."""
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


class SearchTerm:
    """One thing to look for, under all spellings it may have."""

    __slots__ = ("exact", "shown", "spellings")

    def __init__(self, shown: str, spellings: tuple[str, ...], *, exact: bool = False) -> None:
        self.shown = shown
        self.spellings = spellings
        """As the full-text index reads them."""
        self.exact = exact
        """Whether it is a name or a phrase that was asked for as a whole."""


def search_terms(terms: "Iterable[Term]") -> list[SearchTerm]:
    """What to rank by. Stop words count only when there is nothing else."""
    found: dict[str, SearchTerm] = {}
    for term in terms:
        for each in [_begins(term.text)] if term.form == "prefix" else _of(term.text):
            found.setdefault(each.shown, each)
    return _best(found) or list(found.values())[:MOST]


def prompt_terms(prompt: str) -> list[SearchTerm]:
    """What to rank by for a text that nobody wrote as a query; nothing when it asks nothing of memory.

    Where no space parts words, each pair of characters counts for itself: a sentence is seldom found as a whole.
    """
    found: dict[str, SearchTerm] = {}
    for text in prompt.split():
        for each in _pairs(text) if _is_unspaced(text) else _of(text):
            found.setdefault(each.shown, each)
    left_out = _CHATTER if _is_ours(prompt) else _CHATTER | _WEAK
    words = [each for each in _best(found) if each.shown not in left_out and not _is_grammar(each.shown)]
    return words if any(any(map(str.isalpha, each.shown)) for each in words) else []


def is_chatter(prompt: str) -> bool:
    """Whether a text only keeps a conversation going."""
    words = (each.strip(".,:;?!()'\"`") for each in prompt.casefold().split())
    return all(word in _CHATTER or word in STOP_WORDS or not any(map(str.isalpha, word)) for word in words)


def is_question(prompt: str) -> bool:
    """Whether a text asks something, and does not only tell what to do."""
    return any(mark in prompt for mark in "?？؟") or _is_ours(prompt)


def _is_ours(prompt: str) -> bool:
    return not _OURS.isdisjoint(prompt.casefold().split())


def _is_grammar(word: str) -> bool:
    """Whether it is written in hiragana alone, as endings and particles of Japanese are."""
    return min(word) >= "\u3040" and max(word) <= "\u309f"


def _best(found: dict[str, SearchTerm]) -> list[SearchTerm]:
    distinctive = [each for each in found.values() if _is_distinctive(each.shown)]
    names = [each for each in distinctive if each.exact][_NAMES:]
    return [each for each in distinctive if each not in names][:MOST]


def _is_unspaced(text: str) -> bool:
    return not text.isascii() and max(text) >= "\u2e80"


def _pairs(text: str) -> "Iterator[SearchTerm]":
    for run in _RUN.findall(text):
        for pair in " ".join(spellings(run)).split():
            yield SearchTerm(pair, (quoted(pair[:-1]) + "*" if pair.endswith("*") else quoted(pair),))


def _begins(text: str) -> SearchTerm:
    begins = (each if each.endswith("*") else f"{each}*" for each in spelled(text))
    return SearchTerm(f"{text.casefold()}*", tuple(begins))


def _of(text: str) -> "Iterator[SearchTerm]":
    bare = text.strip(".,:;?!()'\"`")
    runs = [bare] if bare.isalnum() else _RUN.findall(text)
    distinctive = [run for run in runs if _is_distinctive(run.casefold())]
    # The parts of a date, a version or an address tell nothing; those of a name do.
    if len(runs) > 1 and "".join(runs).isdigit():
        yield SearchTerm(" ".join(runs), tuple(spelled(text)))
        return
    if len(distinctive) > 1:
        yield SearchTerm(f'"{" ".join(runs).casefold()}"', (" OR ".join(spelled(text)),), exact=True)
    for run in runs:
        shown = run.casefold()
        yield SearchTerm(shown, (*spelled(run), *(quoted(form) for form in _families().get(shown, ()))))


def _is_distinctive(word: str) -> bool:
    """Whether it tells records apart: a single letter is what an apostrophe left, as in "Ann's"."""
    return word not in STOP_WORDS and not (len(word) == 1 and word.isascii() and word.isalpha())


@cache
def _families() -> dict[str, tuple[str, ...]]:
    """By a word, its other forms that no stemmer finds."""
    groups = [group.split() for group in _IRREGULAR.split("|")]
    return {word: tuple(other for other in group if other != word) for group in groups for word in group}
