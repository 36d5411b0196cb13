"""Arguments: what a verb takes, said once as data.

argparse is the authority: it explains, refuses and completes. But importing it costs as much as a whole `check` may
take, so plain command lines are read here; whatever is not plain (an unknown option, a missing value, `--help`) is
left to argparse. A property test holds the two to the same answers.
"""

from __future__ import annotations

from mailstop.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Sequence
    from typing import Any, NoReturn

TEXT, NUMBER, SECONDS, LETTER = "text", "number", "seconds", "letter"


class Option(Record):
    """An option. names: the first is the one that is shown. value: its placeholder; empty for a flag.

    each: may be given several times, and all values count. kind: TEXT, NUMBER (an integer from 1), SECONDS, or LETTER
    (a number, or the text SOURCE:NUMBER by which an imported letter is found).
    optional: the value stands behind `=` only, and may be left out: it is then 0.
    """

    names: tuple[str, ...]
    help: str
    value: str = ""
    kind: str = TEXT
    each: bool = False
    optional: bool = False

    @property
    def field(self) -> str:
        """The attribute that holds its value."""
        return self.names[0].lstrip("-").replace("-", "_")


class Positional(Record):
    """A positional argument. needed: must be there. each: any number of words, all that are left; only of the last."""

    field: str
    placeholder: str
    help: str
    needed: bool = True
    kind: str = TEXT
    each: bool = False


class Arguments:
    """The values of one command line, by field; an option that was not given is None, False or empty."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.__dict__.update(values)

    def __getattr__(self, field: str) -> Any:
        raise AttributeError(f"this verb takes no {field!r}")


Parameter = Option | Positional

EVERYWHERE: tuple[Option, ...] = (
    Option(("--store",), "which store: sqlite:///PATH (default: a client session's own, else MAILSTOP_STORE)", "URL"),
    Option(("--bag",), "which bag (default: the bag called default)", "BAG"),
    Option(("--json",), "print one JSON value instead of text"),
)

BODY: tuple[Parameter, ...] = (
    Positional("body", "BODY", "the text; - reads standard input", needed=False),
    Option(("--body",), "the text, as an option", "TEXT"),
    Option(("--body-file",), "the file that holds the text", "PATH"),
)

LABELS: tuple[Option, ...] = (
    Option(("--kind",), "a label for triage: question, build-task, note, ...", "KIND"),
    Option(("--needs-reply",), "ask for an answer"),
    Option(("--final",), "tell the reader not to answer"),
    Option(("--artifact",), "a file the letter is about; may be repeated", "PATH", each=True),
    Option(("--key",), "store it once, however often this is repeated with the same key", "KEY"),
)


def read(parameters: Sequence[Parameter], words: Sequence[str]) -> Arguments | None:
    """The values of a plain command line; None when argparse has to look at it."""
    options = {name: one for one in parameters if isinstance(one, Option) for name in one.names}
    positionals = [one for one in parameters if isinstance(one, Positional)]
    values = _nothing(parameters)
    free: list[str] = []
    rest = iter(words)
    for word in rest:
        if not word.startswith("-") or word == "-":
            free.append(word)
            continue
        name, equals, value = word.partition("=")
        option = options.get(name)
        if option is None or (equals and not option.value):
            return None
        if option.optional:
            if not _set(values, option, value):
                return None
            continue
        if option.value and not equals:
            following = next(rest, None)
            if following is None or (following.startswith("-") and following != "-"):
                return None
            value = following
        if not _set(values, option, value):
            return None
    places = _places(positionals, values)
    if places and places[-1].each:
        places += [places[-1]] * (len(free) - len(places))
    if not sum(one.needed for one in places) <= len(free) <= len(places):
        return None
    for one, word in zip(places, free, strict=False):
        if not _set(values, one, word):
            return None
    return Arguments(values)


def _places(positionals: Sequence[Positional], values: dict[str, Any]) -> list[Positional]:
    """The positions that are left for words: where an option has given the value, none is. `send --to SEAT -`"""
    return [one for one in positionals if values[one.field] is None or one.each]


def _nothing(parameters: Sequence[Parameter]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for one in parameters:
        if isinstance(one, Positional):
            values.setdefault(one.field, [] if one.each else None)
        else:
            values.setdefault(one.field, [] if one.each else None if one.value else False)
    return values


def _set(values: dict[str, Any], one: Parameter, word: str) -> bool:
    """Store a value; False when it is not of its kind."""
    try:
        value = 0 if isinstance(one, Option) and one.optional and not word else converted(word, one.kind)
    except ValueError:
        return False
    if isinstance(one, Positional) and not one.each:
        values[one.field] = value
    elif one.each:
        values[one.field].append(value)
    else:
        values[one.field] = value if isinstance(one, Option) and one.value else True
    return True


def converted(word: str, kind: str) -> Any:
    """The value of a word. Raises ValueError."""
    if kind == TEXT or (kind == LETTER and ":" in word):
        return word
    if kind in (NUMBER, LETTER):
        if not (word.isascii() and word.isdigit()) or not 0 < int(word) < 1 << 62:
            raise ValueError(f"{word!r} is not a number from 1")
        return int(word)
    try:
        seconds = float(word)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= 86_400:
        raise ValueError(f"{word!r} is not a number of seconds, at most a day")
    return seconds


def explain(
    verb: str, summary: str, parameters: Sequence[Parameter], words: Sequence[str], epilog: str = ""
) -> Arguments:
    """The values as argparse reads them. It prints help, or raises UsageError with what is wrong."""
    parsed = parser(verb, summary, parameters, epilog).parse_intermixed_args(_with_equals(parameters, words))
    values = _nothing(parameters)
    free: list[Any] = []
    for one in parameters:
        given = getattr(parsed, _destination(one))
        if isinstance(one, Positional):
            free += given if one.each else [] if given is None else [given]
        elif given is not None and given != [] and given is not False:
            values[one.field] = given
    places = _places([one for one in parameters if isinstance(one, Positional)], values)
    if places and places[-1].each:
        *places, last = places
        values[last.field] = free[len(places) :]
        free = free[: len(places)]
    if len(free) > len(places):
        from mailstop.errors import UsageError

        taken = [one.field for one in parameters if isinstance(one, Positional) and one not in places]
        raise UsageError(reason=f"given twice, as an argument and as an option: {' and '.join(taken)}")
    values.update((one.field, given) for one, given in zip(places, free, strict=False))
    return Arguments(values)


def _with_equals(parameters: Sequence[Parameter], words: Sequence[str]) -> list[str]:
    """The words as argparse is to read them: it would take the word behind an optional value's option for the value."""
    optional = {name for one in parameters if isinstance(one, Option) and one.optional for name in one.names}
    end = list(words).index("--") if "--" in words else len(words)
    return [f"{word}=" if word in optional and at < end else word for at, word in enumerate(words)]


def parser(verb: str, summary: str, parameters: Sequence[Parameter], epilog: str = "") -> ArgumentParser:
    """The argparse parser of a verb. epilog: stands at the end of its help, as it is."""
    import argparse

    from mailstop.errors import UsageError

    class Parser(argparse.ArgumentParser):
        def error(self, message: str) -> NoReturn:
            raise UsageError(reason=f"{message}; see: mailstop {verb} --help")

    def convert(kind: str, *, optional: bool = False) -> Any:
        def value(word: str) -> Any:
            try:
                return 0 if optional and not word else converted(word, kind)
            except ValueError as error:
                raise argparse.ArgumentTypeError(str(error)) from None

        return value

    made = Parser(
        prog=f"mailstop {verb}",
        description=summary,
        epilog=epilog,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    for one in parameters:
        if isinstance(one, Positional):
            made.add_argument(
                _destination(one),
                metavar=one.placeholder,
                help=one.help,
                nargs="*" if one.each else None if one.needed else "?",
                type=convert(one.kind),
            )
        elif one.value:
            action = "append" if one.each else "store"
            made.add_argument(
                *one.names,
                dest=_destination(one),
                metavar=one.value,
                help=one.help,
                action=action,
                type=convert(one.kind, optional=one.optional),
            )
        else:
            made.add_argument(*one.names, dest=_destination(one), help=one.help, action="store_true")
    return made


def _destination(one: Parameter) -> str:
    return f"given_{one.field}" if isinstance(one, Positional) else f"option_{one.field}"
