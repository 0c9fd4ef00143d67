"""How far the estimate of tokens is from real tokenizers, over real files.

    python bench/tokens.py FOLDER [tokenizer.json …]

Needs memdown[tokens]. Each tokenizer.json (as the library `tokenizers` reads it, if that is installed) is one more
judge. Prints, for each judge, the error of the estimate and of a quarter of the characters: of half of the files it is
below the first number, of nine in ten below the second, of 99 in a hundred below the third.
"""

import argparse
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from memdown.markdown import tokens
from memdown.text import decode

SHORTEST, LONGEST = 1, 200_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="folder of Markdown files")
    parser.add_argument("tokenizers", nargs="*", metavar="tokenizer.json", help="one more judge each")
    asked = parser.parse_args()
    folder: str = asked.folder
    more: list[str] = asked.tokenizers
    texts = [decode(path.read_bytes()) for path in sorted(Path(folder).rglob("*.md")) if path.is_file()]
    texts = [text for text in texts if text.strip() and len(text) <= LONGEST and not _is_broken(text)]
    print(f"{len(texts):,} files, {sum(map(len, texts)):,} characters")
    judges: dict[str, Callable[[str], int]] = {name: tokens.exact(name) for name in ("o200k_base", "cl100k_base")}
    judges |= {Path(path).parent.name or path: _from_file(path) for path in more}
    for name, judge in judges.items():
        real = [judge(text) for text in texts]
        _tell(f"{name}: estimate", [tokens.estimate(text) for text in texts], real)
        _tell(f"{name}: characters / 4", [len(text) / 4 for text in texts], real)


def _is_broken(text: str) -> bool:
    return any("\udc80" <= char <= "\udcff" for char in text)


def _from_file(path: str) -> Callable[[str], int]:
    tokenizer = import_module("tokenizers").Tokenizer.from_file(path)
    return lambda text: len(tokenizer.encode(text).ids)


def _tell(name: str, said: list[float] | list[int], real: list[int]) -> None:
    errors = [told / count - 1 for told, count in zip(said, real, strict=True)]
    sizes = sorted(map(abs, errors))
    half, most, nearly = (sizes[len(sizes) * part // 100] for part in (50, 90, 99))
    mean = sum(errors) / len(errors)
    print(f"{name:34} {half:6.1%} {most:6.1%} {nearly:6.1%}   mean {mean:+.1%}   lowest {min(errors):+.1%}")


if __name__ == "__main__":
    main()
