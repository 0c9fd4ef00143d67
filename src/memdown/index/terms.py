"""From the text of a question to the words it is ranked by. Light to import, since hooks ask too."""

from functools import cache
from itertools import pairwise

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
_DATE = 6
"""Digits from which a word may be a date, which can be a title."""
_CHATTER = frozenset(
    """again ahead alright bye commit continue cool done fine finish go going good great hello hey hi hmm lgtm looks
    morning never next nice no nope ok okay perfect proceed push rerun run start stop sure test tests thank thanks
    try wait yeah yep
    aber alles bitte danke dank genau gut ja jetzt klar mach nein nicht noch passt super vielen weiter weitermachen
    accord beaucoup bien bon c'est continuer merci non oui parfait plaît suite
    adelante ahora bueno claro está gracias listo muchas perfecto por favor sí sigue vale
    adesso bene continua grazie mille perfetto va avanti prego
    agora certo continue obrigada obrigado isso sim não
    dankjewel ga goed graag nee verder wel je
    всё все да давай дальше ладно нет ок отлично пожалуйста понял продолжай спасибо хорошо
    好的 谢谢 继续 是的 可以 不是 네 아니요 감사합니다 계속해 주세요""".split()
)
"""Words that keep a conversation going: a prompt of nothing else asks nothing of memory."""
_WEAK = frozenset(
    """able absolutely accept accident actually add agree almost already although always amazing amend annoying
    another answer anymore anything anyway apparently apply appreciate approach approaches argument
    arguments around aside ask assume attempt avoid aware away awesome awful awkward back bad barely basic
    basically beautiful beginning behind believe beside best better big bit boring branch break breaks brief
    briefly brilliant bring broke broken bug bump careful carefully case cases cause certain certainly
    chance change changed changes check cheers cherry choose clean clear clearer clearly clever closer clue
    code come comes coming comment comments commits committed compile complain complete completely
    complicated concise confused confusing console convert copy correct correctly cosmetic counts couple crap
    crashed crashes crazy create curious current currently damn deal decide definitely delete describe
    detail detailed details dev diff difference differences different directly discard docstring double
    doubt drop dumb easier easily easy edit elaborate elsewhere embarrassing end enough entire error errors
    especially essentially even evening eventually everybody everyone everything everywhere exact exactly
    example examples excellent except excited existing exit expected explain explanation extra extract fail
    failed failing fails failure fair fairly false far fast faster feel fewer figure file files final
    finally find finds finished finishing first fix fixed fixes fixing follow following fool forget forgot
    format formatting forward found four friendly fully fun function functions funny getting git give glad
    gone goodbye gotcha gotten green grep guess half hand handle hang happen happened happening happens
    happy hard hardly hate hear help helper helpers helpful hence hints hold honest honestly hope huge hurry
    idea ideas ignore imagine immediately implement important improve improved include incorrect indeed
    indent inside inspect instead interesting invalid investigate issue issues joke keep keeps kidding kind
    know known lack lame last late later latest laugh least leave left less lets liked likely line liner
    lines lint linter list literally little loads log logs long longer look looking lost lot lots loud love luck making
    manually matter maybe mean meaning means meant meanwhile mention merge merged mess message messed messy
    middle mind mine miss missed missing mistake mistakes mixed moment moreover mostly move moved multiple
    name nearly necessary nevertheless new nicely nicer nobody none normal normally nothing obvious
    obviously odd oh old onto oops open opened opinion opposite option original otherwise outdated outside
    overall paragraph part paste patch perfectly perhaps pick piece place plain plus pointless poor possible
    possibly prefer pretty prev previous previously prior probably problem problems proper properly pull
    pulled pushed put question questions quick quicker quickly quiet quit quite read readable rebase rebased
    recent recently redo reduce redundant refactor refactoring regarding regex relevant remind remove removed
    rename renamed repeat replace resolve resolved rest restart result results retry returns reverse revert revise
    rewrite ridiculous right rough running runs sad sake say saying says scratch sec second seconds see seem
    seems seen sense sentence sentences seriously set several shall shiny ship shipped short shorten shorter
    show showing shown shows shut silly similar similarly simple simpler simplified simplify simply sit skip slightly
    slow slower small smaller smart smile snippet solid solution solve solved somebody somehow someone
    something sometimes somewhere soon sorry sort sounds specific spelling split squash status stay step steps
    stopped straight strange stuck stuff stupid succeed success suddenly suggest suggestion suggestions
    suggests summarize summary suppose supposed surprise suspect swap syntax take taken takes taking talk
    tell ten terrible tested think thinking third thought three tidy til till time times tiny today together
    tomorrow tonight took top totally translate tried tries trouble true truly truth trying tuple twice typing
    typo typos ugly unclear understand understood undo unexpected unfortunately unit unless unnecessary
    unneeded unrelated unusual update updated upset useful useless usual usually variable verbose wanna want
    wanted wants warning waste weird welcome went whatever whoever whole wired wish wonder wonderful
    wondering word wording words work worked working works worry worse worst worth wow wrapped write writing
    written wrong wrote yay yesterday yikes""".split()
)
"""Words of talk, and of work on any code: they say nothing of what a prompt is about, unless it is a record's title."""
_ELSEWHERE = frozenset(
    """aber als am auch auf aus bei bin bis das dass dein dem den der des die dir doch du durch ein eine einem
    einen einer er es für geht gibt haben hast hat ich ihr im in ist kann kannst man mal mehr mein mich mir
    mit muss nach nur ob oder schon sehr sein sich sie sind so soll um und uns vom von vor war warum was
    wenn wer werden wie wieder wir wird wo zu zum zur zwei al algo así aquí como con cuál cuando de del
    dónde el ella en era esa ese eso esta este esto fue ha hace hay la las le lo los más me mi muy ni nos
    otra otro para pero por porque puede puedes que qué se ser si sin sobre solo son su también te tiene
    todo tu tus un una uno usa uso y ya yo au aux avec ce ces cette comment dans donc elle est et être fait
    il ils je les leur lui ma mais mes moi ne on ont ou où par pas peut peux plus pour pourquoi quand quel
    quelle qui sa sans ses sont sur ta tes toi tout très une vos votre vous che chi come cosa da dei della
    di dove e gli ho io lei nel non o per perché più quando questo sono ti tra ao as com do dos ela ele em
    essa esse está eu foi isto já mas meu na nas no num os pela pelo quem sem seu sua são também tem uma
    você aan bij dan dat deze dit een het hij hoe ik is kan maar met mijn naar niet nog of om ook op tot uit
    van voor waar waarom wat we wij worden zijn zo""".split()
)
"""Words that stand in any text of other languages."""
_OURS = frozenset("we our ours wir unser unsere nous notre nuestro nuestra nosotros мы наш наши nós nosso onze".split())
"""Words by which a prompt asks how the project does something: then those of its work are what it is about."""
_HERE = frozenset("codebase package project repo repository service team".split())
"""What is the project itself where "this" stands before it."""
_ASKING = frozenset(
    """how what when where which who whose why wann warum welche welcher welches wer wie wieso wo comment combien où
    pourquoi quand quel quelle quelles quels cuál cuándo cómo dónde qué quién come dove perché quale hoe waar waarom
    welk welke onde qual quando как где какой когда почему что""".split()
)
"""Words by which a question begins, with or without its mark."""
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


_WHY = frozenset("why reason reasons rationale warum wieso pourquoi porqué perché waarom почему なぜ 为什么 왜".split())


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
    left_out = _left_out(prompt)
    words = [each for each in _best(found) if each.shown not in left_out and not _is_grammar(each.shown)]
    return words if any(any(map(str.isalpha, each.shown)) for each in words) else []


def task_words(task: str) -> list[str]:
    """Those words of a task that say what it is about; all of them where none does."""
    words = [word for word in task.split() if any(map(str.isalnum, word))]
    left_out = _left_out(task) | STOP_WORDS
    return [word for word in words if word.casefold().strip(".,:;?!()'\"`") not in left_out] or words


def _left_out(text: str) -> frozenset[str]:
    """Words that say nothing of what a text is about."""
    return _CHATTER | _ELSEWHERE if _is_ours(text) else _CHATTER | _ELSEWHERE | _WEAK


def is_chatter(prompt: str) -> bool:
    """Whether a text only keeps a conversation going."""
    words = (each.strip(".,:;?!()'\"`") for each in prompt.casefold().split())
    return all(word in _CHATTER or word in STOP_WORDS or _is_number(word) for word in words)


def _is_number(word: str) -> bool:
    """Whether it is one of the numbers and signs by which a question is answered, and no date."""
    return not any(map(str.isalpha, word)) and sum(map(str.isdigit, word)) < _DATE


def asks_why(words: "Iterable[str]") -> bool:
    """Whether a question wants the reason of something."""
    return not _WHY.isdisjoint(word.casefold().strip("?") for word in words)


def is_question(prompt: str) -> bool:
    """Whether a text asks something, and does not only tell what to do."""
    first, *rest = prompt.casefold().replace("'", " ").replace("’", " ").split()[:3] or [""]
    asks = first in _ASKING and rest[:1] != ["to"] and rest != ["do", "i"]  # how anybody does it is not of this project
    # What somebody points at is before them, and not in memory.
    points = "this" in prompt.casefold().split() and not _is_ours(prompt)
    return not points and (asks or any(mark in prompt for mark in "?？؟") or _is_ours(prompt))


def _is_ours(prompt: str) -> bool:
    words = [word.rstrip(".,:;?!") for word in prompt.casefold().split()]
    here = any(first == "this" and second in _HERE for first, second in pairwise(words))
    return here or not _OURS.isdisjoint(words)


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
