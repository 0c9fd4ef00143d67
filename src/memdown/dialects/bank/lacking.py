"""Which files a bank should have and has not, by the names of what is there."""

from collections.abc import Collection, Iterator

from memdown.dialects.bank import grammar
from memdown.dialects.bank.layouts import is_beside_journal, layout_of
from memdown.homes import bank_of, parts_of


def lacking(names: Collection[str]) -> Iterator[str]:
    """The files that are missing, the required ones first; a folder with none of a bank's files is no bank."""
    banks: dict[str, dict[str, str]] = {}
    around: dict[str, set[str]] = {}
    for name in names:
        home = bank_of(name)
        if home is None:
            continue
        around.setdefault(home, set()).add(name[len(home) + 1 :].partition("/")[0])
        layer = grammar.layer_of(name)
        if layer is not None:
            banks.setdefault(home, {})[layer.file] = parts_of(name)[-1]
    for home, there in sorted(banks.items()):
        layout = layout_of(there, journal=is_beside_journal(around[home].__contains__))
        for required in (True, False):
            for file in layout.missing(there, required=required):
                yield f"{home}/{layout.files[file]} ({'required' if required else 'recommended'})"
