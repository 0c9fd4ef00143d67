"""What is said of a command line that cannot be understood: what was found, what is expected, what to do next."""

import re

import click

from memdown.errors import nearest, quote
from memdown.surfaces.cli.groups import ALIASES, DIALECTS, RELATED

_NO_NUMBER = (" is not a valid ", " is not in the range ")
"""What click says behind a value, in quotes or not."""
_OF_COMMANDS = {"--root": " DIR", "--json": "", "--quiet": "", "-q": "", "--global": ""}
"""Options that every command has, with what they take."""
_EXTRA = re.compile(r"Got unexpected extra arguments? \((?P<words>.*)\)", re.DOTALL)


def sentence_of(error: click.ClickException) -> str:
    """A fault that click found, in our words."""
    if isinstance(error, click.MissingParameter):
        return _missing(error)
    if isinstance(error, click.BadParameter) and error.param is not None:
        return _bad_value(error, error.param)
    if isinstance(error, click.BadOptionUsage):
        wants = "requires an argument" in error.message
        return f"{error.option_name} {'needs a value' if wants else 'takes no value'}."
    if isinstance(error, click.UsageError):
        return _mistyped(error) or _unexpected(error) or error.format_message()
    return error.format_message()


def _help(ctx: click.Context | None) -> str:
    return f"see `{ctx.command_path if ctx else 'memdown'} --help`"


def _name(param: click.Parameter) -> str:
    """What people call a parameter: the long form of an option, the word for an argument."""
    if isinstance(param, click.Option):
        return max(param.opts, key=len)
    return (param.metavar or param.name or "").strip("[].").partition(" ")[0].upper()


def _missing(error: click.MissingParameter) -> str:
    name = _name(error.param) if error.param else "an argument"
    path = error.ctx.command_path if error.ctx else "memdown"
    return f"{name} is missing, as in `{path} {name}`; {_help(error.ctx)}."


def _bad_value(error: click.BadParameter, param: click.Parameter) -> str:
    name, kind = _name(param), param.type
    if isinstance(kind, click.Choice):
        return _no_choice(error, name, [str(each) for each in kind.choices])
    value = next((error.message.rpartition(words)[0] for words in _NO_NUMBER if words in error.message), "")
    whole = isinstance(kind, click.IntRange | click.types.IntParamType)
    if value and (whole or isinstance(kind, click.FloatRange | click.types.FloatParamType)):
        number = "a whole number" if whole else "a number"
        return f"{name} takes {number}{_range(kind)}, not {quote(_unquoted(value))}."
    return f"{name}: {error.message}"


def _unquoted(value: str) -> str:
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"" else value


def _no_choice(error: click.BadParameter, name: str, choices: list[str]) -> str:
    value = error.message[1:].partition("' is not one of")[0]
    near = nearest(value.lower(), choices, 1)
    listed = f"{', '.join(choices[:-1])} or {choices[-1]}" if len(choices) > 1 else choices[0]
    hint = f"; did you mean {near[0]}?" if near else "."
    return f"{name} takes {listed}, not {quote(value)}{hint}"


def _range(kind: object) -> str:
    least, most = getattr(kind, "min", None), getattr(kind, "max", None)
    if least is not None and most is not None:
        return f" from {least:,} to {most:,}" if most > 65535 else f" from {least} to {most}"
    return f" of at least {least:,}" if least is not None else f" of at most {most:,}" if most is not None else ""


def _unexpected(error: click.UsageError) -> str | None:
    found = _EXTRA.match(error.message)
    if found is None:
        return None
    several = "s" if "arguments" in error.message else ""
    return f"Unexpected argument{several} {quote(found['words'])}; {_expected(error.ctx)}."


def _expected(ctx: click.Context | None) -> str:
    """What a command that got too many words does take."""
    taken = [each for each in ctx.command.params if isinstance(each, click.Argument)] if ctx else []
    if ctx and not taken:
        return f"the usage is `{ctx.command_path} {' '.join(ctx.command.collect_usage_pieces(ctx))}`"
    choices = (taken[-1].metavar or "").strip("[]").split("|") if taken else []
    if ctx and len(choices) > 1:
        return f"`{ctx.command_path}` takes one {taken[-1].name} at a time{', or `all`' if 'all' in choices else ''}"
    return "put a text of several words in quotes"


def _mistyped(error: click.UsageError) -> str | None:
    """What to say of a command or an option that does not exist: the nearest ones, by the keys between them."""
    message, ctx = error.message, error.ctx
    if ctx is None or not message.startswith(("No such command", "No such option")):
        return None
    if isinstance(error, click.NoSuchOption):
        word, what = error.option_name, "option"
        known = [each for param in ctx.command.get_params(ctx) for each in (*param.opts, *param.secondary_opts)]
        if ctx.parent is None and word in _OF_COMMANDS:
            return f"{word} goes after the command, as in `memdown status {word}{_OF_COMMANDS[word]}`."
        near = [each for each in known if each.swapcase() == word]
        near = near or nearest(word, (each for each in known if each.startswith("--")))
    else:
        word, what = message.split("'")[1], "command"
        group = ctx.command
        known = group.list_commands(ctx) if isinstance(group, click.Group) else []
        if ctx.parent is None:
            known += [*ALIASES, *DIALECTS]
            meant = [word] if word in RELATED else nearest(word, [*known, *RELATED])
            if meant and not set(meant).intersection(known):
                return f"Unknown command {quote(word)}; {RELATED[meant[0]]}"
        near = nearest(word, known)
        if ctx.parent is None and not near and " " in word:
            return f"{quote(word)} is not a command; did you mean `memdown add TEXT` or `memdown search WORDS`?"
    hint = f"did you mean {' or '.join(near)}?" if near else f"run `{ctx.command_path} --help` for a list."
    return f"Unknown {what} {quote(word)}; {hint}"
