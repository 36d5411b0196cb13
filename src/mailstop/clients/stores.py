"""Stores: which one a caller means, and the command by which it would get a seat there."""

from __future__ import annotations

from mailstop import config
from mailstop.errors import StoreUnavailable
from mailstop.names import DEFAULT_BAG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.clients.caller import Caller


def store_of(caller: Caller, option: str | None = None) -> str:
    """Which store a caller means: the one that `option` names; else its session's; else the variable's or the default.

    What a client hands its children is not the environment that its hooks have: a shell's profile may set another
    variable, and Codex's daemon has that of whichever window started it. So its session's store is remembered outside
    any store, and comes first; letters and the commands that answer them then belong together. A program's environment
    is its own. Raises InvalidStore.
    """
    remembered = caller.registration.store if caller.registration else ""
    if remembered and not option and caller.who == "client":
        return remembered
    return config.chosen_store(option) or remembered or config.default_store()


def option_for(caller: Caller, url: str) -> str:
    """What a command of the caller's has to say to mean that store, with a blank before it; empty where it need not."""
    if url == _without_option(caller):
        return ""
    import shlex  # only where it is needed: it imports `re`

    return f" --store {shlex.quote(url)}"


def joining(caller: Caller, bag: str, url: str, *, has_session: bool = False) -> str:
    """What gives somebody a seat in a bag of that store: `join_command`, for the person with who is to run it."""
    command = join_command(caller, bag, url, has_session=has_session)
    return f"{command}, run by a session" if caller.who == "person" and not has_session else command


def join_command(caller: Caller, bag: str, url: str, *, has_session: bool = False) -> str:
    """The command that gives the caller a seat in a bag of that store, as it can be typed where the caller is; the
    person has theirs in each bag without, and is given that of a session.

    has_session: whether the caller has a session in that store; a program that has none takes one with `--export`.
    """
    words = "mailstop join NAME"
    if bag != DEFAULT_BAG:
        words += f" --bag {bag}"
    words += option_for(caller, url)
    if caller.who in ("client", "person") or has_session:
        return words
    return f'eval "$({words} --export)"'


def _without_option(caller: Caller) -> str:
    try:
        return store_of(caller)
    except StoreUnavailable:
        return ""
