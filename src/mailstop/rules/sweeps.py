"""Sweeps: taking away what sessions left behind that are over, so that what is kept follows from what goes on.

Kept is what a later resume needs: the row of a session that holds a seat, and of one that was over for less than 30
days. A program is never resumed; its rows go as soon as its process is dead, and its seat reads as empty all the
same. No ledger, no mail is touched. Each sweep looks at a bounded number of rows and files; where there are more, the
next one goes on behind them.
"""

from __future__ import annotations

from mailstop import bells
from mailstop.clients import registry
from mailstop.doors import claude_monitor
from mailstop.engines.row import Delete, Put
from mailstop.errors import Conflict
from mailstop.names import PERSON
from mailstop.rules.hands import Handout
from mailstop.rules.presence import lives, process_lives, session_of
from mailstop.session import KEPT_MS, WAITING, Session, chain_key, client_key, session_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from mailstop.engines.base import Store
    from mailstop.engines.row import Row

    Judge = Callable[[Store, Row, int], Put | Delete | None]

MOST_ROWS = 256  # of each kind, looked at by one sweep
MOST_TRIES = 5


def sweep(store: Store, *, now: int) -> None:
    """Sweep the store's board, and what lies outside any store. now: milliseconds since 1970."""
    registrations()
    for prefix, judge in _JUDGES.items():
        _sweep_rows(store, prefix, judge, now)
        store.board.forget(prefix, now)


def registrations() -> int:
    """Remove the registrations of dead clients, their bells and their monitors' locks; return how many there were."""
    dead = registry.sweep()
    own_bells = [registration.bell for registration in dead if registration.client != "codex"]  # Codex's are shared
    bells.sweep(own_bells)
    claude_monitor.sweep(own_bells)
    return len(dead)


def _sweep_rows(store: Store, prefix: str, judge: Judge, now: int) -> None:
    """Judge a page of rows; the row `sweep/<prefix>` says where the next one begins, while there is more than one."""
    place = f"sweep/{prefix}"
    for _ in range(MOST_TRIES):
        begun = store.board.get(place)
        after = str(begun.value["after"]) if begun else ""
        rows = store.board.under(prefix, after=after, limit=MOST_ROWS)
        judged = [(row, change) for row in rows if (change := judge(store, row, now))]
        changes = [change for _, change in judged]
        if len(rows) == MOST_ROWS:
            changes.append(Put(place, {"after": rows[-1].key}))
        elif begun:
            changes.append(Delete(place))
        if not changes:
            return
        try:
            store.board.change(changes, expect={row.key: row.revision for row, _ in judged})
        except Conflict:  # one of them goes on: look again
            continue
        return


def _session(store: Store, row: Row, now: int) -> Put | Delete | None:
    """What becomes of a session's row. One that was judged before is judged again only once it holds a seat."""
    session = Session.from_value(row.value)
    seated = bool(store.index.seats_of(session.id))
    if seated and session.client != "program":
        return None if row.expires is None else Put(row.key, row.value)
    alive = None if row.expires else lives(session)
    if alive or (seated and alive is None):
        return None
    if alive is False and session.client == "program":
        return Delete(row.key)
    if row.expires:
        return None
    # Whoever goes on with it writes the row anew, without an end. One whose life cannot be seen from here is treated
    # like a dead one only because nobody can write to it: it has no seat.
    return Put(row.key, row.value, expires=(session.ended or now) + KEPT_MS)


def _of_nobody(store: Store, row: Row, session_id: str) -> Delete | None:
    return Delete(row.key) if session_of(store, session_id) is None else None


def _client(store: Store, row: Row, _now: int) -> Delete | None:
    """What becomes of the row that leads from a vendor's id to a session."""
    return _of_nobody(store, row, str(row.value["session"]))


def _chain(store: Store, row: Row, _now: int) -> Delete | None:
    """What becomes of where a session stands in the chains of letters."""
    session = session_of(store, row.key.removeprefix(chain_key("")))
    return Delete(row.key) if session is None or lives(session) is False else None


def _handout(store: Store, row: Row, _now: int) -> Delete | None:
    """What becomes of what was handed out to a session; the person's handouts belong to no session."""
    session_id = row.key.removeprefix(Handout("").key)
    return None if session_id == PERSON else _of_nobody(store, row, session_id)


def _waiting(_store: Store, row: Row, _now: int) -> Delete | None:
    """What becomes of a row of one who waits for a lease."""
    if process_lives(row.value["life"]) is not False:
        return None
    bells.silence(str(row.value["bell"]))
    return Delete(row.key)


# Sessions first: the others lead to them.
_JUDGES: dict[str, Judge] = {
    session_key(""): _session,
    client_key("", "").removesuffix("/"): _client,
    Handout("").key: _handout,
    chain_key(""): _chain,
    WAITING: _waiting,
}
