"""Opening: the office for whoever runs this command, on the store it means."""

from __future__ import annotations

import os
import sys

from mailstop import config
from mailstop.clients.caller import identify
from mailstop.engines import open_store
from mailstop.errors import MailstopError, StoreSealed
from mailstop.office import Office

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.clients.caller import Caller
    from mailstop.engines.base import Store


class opened:
    """A context manager that gives the office and closes the store behind it."""

    def __init__(self, option: str | None) -> None:
        self._option = option
        self._store: Store | None = None

    def __enter__(self) -> Office:
        caller = identify(os.environ)
        url = store_of(caller, self._option)
        refuse_sealed(caller, url)
        self._store = open_store(url)
        return Office(self._store, caller)

    def __exit__(self, *_exception: object) -> None:
        if self._store:
            self._store.close()


def store_of(caller: Caller, option: str | None = None) -> str:
    """Which store a caller means: the one it names, else its session's, else the default.

    A client hands its children only part of its environment, so a session's store is remembered outside any store.
    Codex's daemon hands them that of whichever window started it.
    """
    remembered = caller.registration.store if caller.registration else ""
    if remembered and not option and caller.client == "codex":
        return remembered
    return config.chosen_store(option) or remembered or config.default_store()


def refuse_sealed(caller: Caller, url: str) -> None:
    """Raise StoreSealed where Codex's sandbox keeps this process from writing to the store or to the bells.

    A letter that could be stored and not rung for would wait unnoticed, so one of the two is not enough.
    """
    if not caller.sandboxed or caller.client != "codex":
        return
    roots = [os.path.dirname(config.store_path(url)), config.state_folder()]
    sealed = [root for root in roots if not os.access(root, os.W_OK)]
    if sealed:
        raise StoreSealed(path=" and ".join(sealed), roots=", ".join(f'"{root}"' for root in roots))


def closing_words(office: Office) -> None:
    """At a person's terminal, say that letters wait; anywhere, do what fell due."""
    try:
        office.do_due_work()
    except MailstopError:  # it stays due; this command has done what was asked of it
        return
    if office.is_person and sys.stderr.isatty():
        waiting = sum(office.store.index.count_unread(seat.bag, seat.name) for seat in office.seats())
        if waiting:
            print(
                f"{waiting} {'letter waits' if waiting == 1 else 'letters wait'} for you: mailstop check",
                file=sys.stderr,
            )
