"""Candidates: what may stand where the cursor is, for the completion of shells.

What a word stands for is said by its placeholder, so a verb that is added is completed without a line here.
"""

from __future__ import annotations

from mailstop.cli.arguments import EVERYWHERE, Option, Positional
from mailstop.cli.entry import ALIASES, VERBS
from mailstop.errors import MailstopError
from mailstop.names import DEFAULT_BAG, PERSON

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mailstop.cli.arguments import Parameter
    from mailstop.office import Office

    Candidate = tuple[str, str]  # the word, and what it is

FILES: Candidate = ("/files", "")  # the shell knows those itself
FOR_CLIENTS = ("mcp", "hook")


def candidates(words: Sequence[str]) -> list[Candidate]:
    """What may stand in the place of the last of these words, which are those behind `mailstop`, up to the cursor.

    None where nothing is known, as of a text; where the store cannot be read, whatever needs it is left out.
    """
    *before, last = words
    verb, rest = _verb(before)
    if verb is None:
        options = EVERYWHERE
        value = _valued(options, before)
        found = _of(value, words) if value else [*_verbs(), *_options(options, before)]
    else:
        parameters = _parameters(verb)
        found = _within(verb, parameters, rest, last, words)
    kept = [each for each in found if each == FILES or each[0].startswith(last)]
    return kept if last.startswith("-") else [each for each in kept if not each[0].startswith("-")]


def _verb(before: Sequence[str]) -> tuple[str | None, Sequence[str]]:
    """The verb among the words, and those behind it."""
    valued = {name for option in EVERYWHERE if option.value for name in option.names}
    skip = False
    for at, word in enumerate(before):
        if skip or word.startswith("-"):
            skip = not skip and word in valued
            continue
        name = ALIASES.get(word, word)
        return (name if name in VERBS else ""), before[at + 1 :]
    return None, []


def _parameters(verb: str) -> Sequence[Parameter]:
    """What a verb takes; of a word that is none, nothing."""
    if not verb or verb == "hook":
        return ()
    module = __import__(f"mailstop.cli.{verb}", fromlist=["PARAMETERS"])
    unused = getattr(module, "UNUSED", ())
    return (*module.PARAMETERS, *(one for one in EVERYWHERE if one.names[0] not in unused))


def _within(
    verb: str, parameters: Sequence[Parameter], rest: Sequence[str], last: str, words: Sequence[str]
) -> list[Candidate]:
    options = [one for one in parameters if isinstance(one, Option)]
    if last.startswith("--") and "=" in last:
        name, _, _value = last.partition("=")
        given = next((one for one in options if name in one.names), None)
        return [(f"{name}={word}", what) for word, what in (_of(given.value, words) if given else [])]
    value = _valued(options, rest)
    if value:
        return _of(value, words)
    positionals = [one for one in parameters if isinstance(one, Positional)]
    at = _free(options, rest)
    here = positionals[min(at, len(positionals) - 1)] if positionals else None
    if here is not None and (at < len(positionals) or here.each):
        acts = __import__(f"mailstop.cli.{verb}", fromlist=["ACTS"]).__dict__.get("ACTS", ()) if at == 0 else ()
        found = [(act, "") for act in acts] if here.field == "act" and acts else _of(here.placeholder, words)
    else:
        found = []
    return [*found, *_options(options, rest)]


def _valued(options: Iterable[Option], before: Sequence[str]) -> str:
    """The placeholder of the option whose value comes next; empty where none does."""
    name = before[-1] if before else ""
    return next((one.value for one in options if name in one.names and one.value and not one.optional), "")


def _free(options: Sequence[Option], rest: Sequence[str]) -> int:
    """How many positional words there are already."""
    valued = {name for one in options if one.value and not one.optional for name in one.names}
    count, skip = 0, False
    for word in rest:
        if skip:
            skip = False
        elif word.startswith("-") and word != "-":
            skip = word in valued
        else:
            count += 1
    return count


def _verbs() -> list[Candidate]:
    return [(verb, what) for verb, what in VERBS.items() if verb not in FOR_CLIENTS]


def _options(options: Iterable[Option], before: Sequence[str]) -> list[Candidate]:
    return [(one.names[0], one.help) for one in options if one.each or not set(one.names) & set(before)]


# -- values --------------------------------------------------------------------------------------------------------


def _of(placeholder: str, words: Sequence[str]) -> list[Candidate]:
    """What a placeholder stands for."""
    if placeholder in ("PATH", "RESOURCE", "DIR"):
        return [FILES]
    found: list[Candidate] = []
    for part in placeholder.split("|"):
        if part in _OF_PROGRAM:
            found += _OF_PROGRAM[part]()
        elif part in _KNOWN:
            found += _looked_up(_KNOWN[part], words)
        elif part.islower():  # the word itself: open|close
            found.append((part, ""))
    return found


def _looked_up(look: Callable[[Office, str | None], list[Candidate]], words: Sequence[str]) -> list[Candidate]:
    from mailstop.cli.opening import opened

    try:
        with opened(_named(words, "--store")) as office:
            return look(office, _named(words, "--bag"))
    except (MailstopError, OSError):  # whoever runs the command is told
        return []


def _named(words: Sequence[str], option: str) -> str | None:
    """The value of a global option among the words."""
    for at, word in enumerate(words[:-1]):
        if word == option:
            return words[at + 1] if at + 1 < len(words) - 1 else None
        if word.startswith(f"{option}="):
            return word.partition("=")[2]
    return None


def _seats(office: Office, bag: str | None) -> list[Candidate]:
    seats = office.store.index.seats(bag or DEFAULT_BAG)
    named = [(seat.name, seat.project) for seat in seats if seat.name != PERSON]
    return [*named, (PERSON, "the person"), ("leader", "whoever leads the project")]


def _channels(office: Office, bag: str | None) -> list[Candidate]:
    listing = office.channels.listing(bag or DEFAULT_BAG)
    return [(listed.channel.name, f"{listed.channel.readers} read it") for listed in listing]


def _bags(office: Office, _bag: str | None) -> list[Candidate]:
    return [(bag, "") for bag in office.store.index.bags()]


def _kinds(_office: Office, _bag: str | None) -> list[Candidate]:
    from mailstop.kinds import KINDS, own_kinds

    return [(name, kind.hint) for name, kind in {**KINDS, **own_kinds()}.items()]


def _statuses(_office: Office, _bag: str | None) -> list[Candidate]:
    from mailstop.session import STATUSES

    return [(status, "") for status in STATUSES]


def _clients() -> list[Candidate]:
    from mailstop.setup import mcp_client

    return [(name, mcp_client.client(name).title) for name in mcp_client.names()]


def _topics() -> list[Candidate]:
    from mailstop.cli.help import topics

    return [*((topic, "a topic") for topic in topics()), *_verbs()]


_OF_PROGRAM: dict[str, Callable[[], list[Candidate]]] = {"CLIENT": _clients, "TOPIC": _topics}  # without a store
_KNOWN: dict[str, Callable[[Office, str | None], list[Candidate]]] = {
    "SEAT": _seats,
    "CHANNEL": _channels,
    "BAG": _bags,
    "KIND": _kinds,
    "STATUS": _statuses,
}
