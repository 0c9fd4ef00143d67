"""The fields of a decision: labels in bold, colon inside or outside, plain labels, and headings that are labels."""

from collections.abc import Iterator, Mapping
from functools import cache

from msgspec import Struct

from memdown.dialects.bank.names import folded
from memdown.patterns import lazy
from memdown.text import Span

_NAMES = {
    "Date": (
        "date | fecha | data | datum | дата | 日期 | 日付 | 날짜 | tarih | ngày | date decided | decision date | 时间"
    ),
    "Status": "status | estado | statut | статус | 状态 | ステータス | 상태 | durum | trạng thái",
    "Context": (
        "context | background | problem | problem statement | situation | contexto | contexte | kontext | "
        "контекст | проблема | 背景 | コンテキスト | 배경 | 문제 | 맥락 | bağlam | bối cảnh | описание | "
        "description | issue | 上下文"
    ),
    "Options Considered": (
        "options considered | options | alternatives considered | alternatives | alternative | rejected | "
        "alternativas consideradas | alternativas | alternatives envisagées | alternativen | альтернативы | "
        "альтернатива | варианты | 备选方案 | 考虑的方案 | 替代方案 | 選択肢 | 検討した選択肢 | 代替案 | "
        "대안 | 고려한 대안 | alternatifler | các lựa chọn | phương án | rejected alternatives | "
        "alternatives rejected"
    ),
    "Selected": (
        "selected | decision | chosen | selected option | decisión | decisão | décision | entscheidung | "
        "решение | 决策 | 决定 | 決定 | 결정 | karar | quyết định | choice | outcome | resolution | "
        "decision made | what | solution"
    ),
    "Rationale": (
        "rationale | reason | reasons | reasoning | why | justification | justificación | justificativa | "
        "razón | raison | motivo | begründung | grund | обоснование | причина | причины | почему | 理由 | "
        "原因 | 根拠 | 이유 | 근거 | gerekçe | neden | lý do | uzasadnienie | drivers | decision drivers"
    ),
    "Trade-offs": (
        "trade-offs | tradeoffs | trade-off | trade-offs accepted | cons | downsides | compensaciones | "
        "compromis | nachteile | компромиссы | 权衡 | 取舍 | トレードオフ | 트레이드오프 | ödünler | "
        "đánh đổi | risks"
    ),
    "Consequences": (
        "consequences | impact | implications | consequence | consecuencias | impacto | consequências | "
        "conséquences | konsequenzen | auswirkungen | последствия | влияние | 影响 | 后果 | 結果 | 影響 | "
        "영향 | 결과 | sonuçlar | etki | hệ quả | tác động | results | expected impact"
    ),
    "Implementation": (
        "implementation | implementation details | details | implementation notes | technical details | "
        "detalles de implementación | implementación | implementação | umsetzung | реализация | "
        "детали реализации | детали | 实现 | 实现细节 | 详情 | 実装 | 実装詳細 | 구현 | 구현 세부사항 | "
        "uygulama | chi tiết triển khai"
    ),
    "Supersedes": "supersedes | replaces | reemplaza | remplace | ersetzt | заменяет | 取代 | 置き換え | 대체",
    "Superseded by": "superseded by | replaced by",
}
_LABEL = lazy(
    r"[ \t]*(?:>[ \t]?)*(?:[-*+][ \t]+|\d{1,3}[.)][ \t]+)?"
    r"(?:\*\*|__)(?P<name>[^*_:：\r\n]{1,60}?)[ \t]*(?:[:：][ \t]*(?:\*\*|__)|(?:\*\*|__)[ \t]*[:：])[ \t]*"
)
_PLAIN = lazy(r"[ \t]*(?:[-*+][ \t]+)?(?P<name>[^\W\d_][^*_:：\r\n]{1,30}?)[ \t]*[:：][ \t]+(?=\S)")
_HEADING = lazy(r" {0,3}#{2,6}[ \t]+(?P<name>[^\r\n]+?)[ \t#]*$")
_BOLD_LINE = lazy(r"[ \t]*\*\*(?P<name>[^*:：\r\n]{1,60})\*\*[ \t]*$")
_FENCE = lazy(r"[ \t]*(?:[-*+][ \t]+)?(?:```|~~~)")
_LINE = lazy(r"[^\r\n]*(?:\r\n|\n|\r|$)")


@cache
def _known() -> Mapping[str, str]:
    return {folded(name): key for key, names in _NAMES.items() for name in names.split("|")}


class DecisionField(Struct, frozen=True):
    """One field: its canonical name, what it says, and where that stands."""

    name: str
    value: str
    line: Span
    """From the beginning of the label's line to the end of the value."""
    first: Span
    """What stands on the line of the label after it."""


def names_field(title: str) -> bool:
    """Whether a heading is the name of a field, so that what is below it is a part of a decision."""
    return folded(title) in _known()


def fields(text: str, start: int, end: int) -> dict[str, DecisionField]:
    """The fields between two places, the first of each name. A value goes on until the next label or heading."""
    found: dict[str, DecisionField] = {}
    labels = list(_labels(text, start, end))
    for number, (name, begin, value_at, line_end) in enumerate(labels):
        until = labels[number + 1][1] if number + 1 < len(labels) else end
        value = text[value_at:until]
        if name and name not in found:
            kept = len(value.rstrip())
            found[name] = DecisionField(name, value.strip(), Span(begin, value_at + kept), Span(value_at, line_end))
    return found


def _labels(text: str, start: int, end: int) -> Iterator[tuple[str, int, int, int]]:
    """Canonical name (empty for one that is not known), begin of the line, of the value, end of the line."""
    fenced = False
    for line in _LINE.finditer(text, start, end):
        if not line[0]:
            continue
        bare = line[0].rstrip("\r\n")
        if _FENCE.match(bare):
            fenced = not fenced
        if fenced:
            continue
        label = _LABEL.match(bare) or _HEADING.match(bare) or _BOLD_LINE.match(bare)
        name = _known().get(folded(label["name"]), "") if label else ""
        if not label:
            label = _PLAIN.match(bare)
            name = _known().get(folded(label["name"]), "") if label else ""
            label = label if name else None
        if label:
            begin = line.start()
            yield name, begin, begin + min(label.end(), len(bare)), begin + len(bare.rstrip())
