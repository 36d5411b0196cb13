"""Opening: the office for whoever runs this command, on the store it means."""

from __future__ import annotations

import os
import sys

from mailstop import config, errors
from mailstop.clients.caller import PERSON, identify
from mailstop.clients.stores import joining, store_of
from mailstop.engines import is_absent, open_store
from mailstop.errors import MailstopError
from mailstop.names import DEFAULT_BAG
from mailstop.office import Office
from mailstop.wording import wait_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from mailstop.cli.progress import Progress
    from mailstop.clients.caller import Caller
    from mailstop.engines.base import Store


class opened:
    """A context manager that gives the office and closes the store behind it.

    joins: whether the command may make the store, as only one that takes a seat does.
    """

    def __init__(self, option: str | None, *, joins: bool = False) -> None:
        self._option = option
        self._joins = joins
        self._store: Store | None = None

    def __enter__(self) -> Office:
        caller = identify(os.environ)
        url = store_of(caller, self._option)
        refuse_sealed(caller, url)
        self._store = store_at(caller, url, joins=self._joins)
        return Office(self._store, caller)

    def __exit__(self, *_exception: object) -> None:
        if self._store:
            self._store.close()


def store_at(caller: Caller, url: str, *, joins: bool = False) -> Store:
    """The store that `url` names; one that is not there reads as empty. Raises StoreGone when the caller's is gone."""
    if not is_absent(url):
        return _open(caller, url)
    from mailstop.engines.absent import AbsentStore

    def make() -> Store:
        if joins:
            return open_store(url)
        raise errors.StoreAbsent(path=config.store_path(url), command=joining(caller, DEFAULT_BAG, url))

    if not joins and caller.registration and caller.registration.store == url:
        raise errors.StoreGone(path=config.store_path(url), command=joining(caller, DEFAULT_BAG, url))
    return AbsentStore(url, make)


def _open(caller: Caller, url: str) -> Store:
    """Open a store that is there; at a person's terminal, with a line while one of an older format is brought to ours:
    its whole ledger is folded anew."""
    if caller.who != PERSON or not sys.stderr or not sys.stderr.isatty():
        return open_store(url)
    folding = _Folding()
    try:
        return open_store(url, progress=folding)
    finally:
        folding.end()


class _Folding:
    """Shows how far it is. What it shows it with is imported once there is something to show."""

    _line: Progress | None = None
    _tell: Callable[[int, int], None]

    def __call__(self, done: int, total: int) -> None:
        if self._line is None:
            from mailstop.cli.progress import Progress

            self._line = Progress()
            self._tell = self._line.stage("bringing the store to a newer format")
        self._tell(done, total)

    def end(self) -> None:
        """Take the line away."""
        if self._line is not None:
            self._line.__exit__()


def refuse_sealed(caller: Caller, url: str) -> None:
    """Raise StoreSealed where Codex's sandbox keeps this process from writing to the store or to the bells.

    A letter that could be stored and not rung for would wait unnoticed, so one of the two is not enough.
    """
    if not caller.sandboxed or caller.client != "codex":
        return
    roots = [os.path.dirname(config.store_path(url)), config.state_folder()]
    sealed = [root for root in roots if not os.access(root, os.W_OK)]
    if sealed:
        raise errors.StoreSealed(path=" and ".join(sealed), roots=", ".join(f'"{root}"' for root in roots))


def closing_words(office: Office) -> None:
    """At a person's terminal, say that letters wait; anywhere, do what fell due."""
    try:
        office.do_due_work()
    except Exception:  # it stays due; this command has done what was asked of it
        return
    if office.is_person and sys.stderr.isatty():
        _say_what_waits(office)


def waiting_words() -> None:
    """At a person's terminal, say that letters wait in their store; for a verb that opens none."""
    try:
        caller = identify(os.environ)
        url = store_of(caller)
        if caller.who == PERSON and not is_absent(url):
            with _open(caller, url) as store:
                _say_what_waits(Office(store, caller))
    except MailstopError:  # this verb has nothing to do with it
        return


def _say_what_waits(office: Office) -> None:
    waiting = sum(office.store.index.count_unread(seat.bag, seat.name) for seat in office.seats())
    if waiting:
        print(f"{wait_text(waiting, 'letter')} for you: mailstop check{office.store_option}", file=sys.stderr)
    asked = office.reading.asked()
    if asked:
        from mailstop.cli.standing import asked_text

        print(asked_text(asked, office.clock(), office.store_option), file=sys.stderr)
