"""Sessions: which running client is which, so that a seat outlives `/clear`, compaction, restart and resume.

One client process is one session, whatever id its vendor gives it meanwhile. A process that continues a vendor's
session whose process is dead continues ours. Two live processes of one vendor's session are two sessions.

Sessions live on the board: nothing here enters the ledger.
"""

from __future__ import annotations

from mailstop import errors
from mailstop.engines.row import Delete, Put
from mailstop.errors import Conflict
from mailstop.letter import new_id
from mailstop.rules.hands import Handout
from mailstop.rules.presence import lives, session_of
from mailstop.rules.routes import dropped
from mailstop.session import KEPT_MS, STATUSES, Session, chain_key, client_key, session_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from mailstop.engines.base import Store

MOST_TRIES = 50
LONGEST_OBJECTIVE = 200  # characters
LONGEST_QUOTE = 40  # characters of a refused status that its refusal repeats


def register(store: Store, found: Session, known: str | None, *, now: int) -> tuple[Session, bool]:
    """Write down a session that runs, and return it with its id; and whether it goes on with an earlier one.

    found: what the client tells of itself, its id empty. known: our id of this very process, when it was here before.
    """
    for _ in range(MOST_TRIES):
        earlier = _earlier(store, found, known)
        session = found.but(
            id=earlier.id if earlier else known or new_id(),
            started=earlier.started if earlier else now,
            background=found.background or bool(earlier and earlier.background),
            mode=_mode(found, earlier),
            objective=earlier.objective if earlier else found.objective,
            status=earlier.status if earlier else found.status,
        )
        row = store.board.get(session.key)
        if row and row.expires is None and row.value == session.as_dict() and _is_all_there(store, session):
            return session, True  # after compaction, say: nothing to write saves the disk's time
        changes: list[Put | Delete] = [
            Put(session.key, session.as_value()),
            Put(client_key(session.client, session.client_session), {"session": session.id}),
            Delete(Handout(session.id).key),
        ]
        if earlier and earlier.client_session != session.client_session:  # by which it may still be resumed
            old = client_key(earlier.client, earlier.client_session)
            changes.append(Put(old, {"session": session.id}, expires=now + KEPT_MS))
        if earlier and earlier.life != session.life:
            for seat in store.index.seats_of(session.id):
                changes += dropped(store, seat.bag, seat.name)
        try:
            store.board.change(changes, expect={session.key: row.revision if row else 0})
        except Conflict:
            continue
        return session, earlier is not None
    raise Conflict(subject=session_key(known or ""), expected=0, found=0)


def _is_all_there(store: Store, session: Session) -> bool:
    """Whether a session that is written down as it is needs nothing else written."""
    leads_here = store.board.get(client_key(session.client, session.client_session))
    handed = store.board.get(Handout(session.id).key)
    return (
        leads_here is not None
        and leads_here.value == {"session": session.id}
        and leads_here.expires is None
        and not handed
    )


def _mode(found: Session, earlier: Session | None) -> str:
    """The permission mode: what a process said in its last turn is newer than what it was started with."""
    goes_on = earlier is not None and earlier.client == "claude" and earlier.life == found.life
    return (earlier.mode if earlier and goes_on else "") or found.mode


def _earlier(store: Store, found: Session, known: str | None) -> Session | None:
    if known and (session := session_of(store, known)):
        return session
    row = store.board.get(client_key(found.client, found.client_session))
    session = session_of(store, row.value["session"]) if row else None
    if session is None:
        return None
    if session.client == "codex":  # whichever server has the thread loaded, until its window goes on with another
        return session if session.client_session == found.client_session else None
    if session.life == found.life:  # this very process, whose registration was lost
        return session
    return session if lives(session) is False else None


def end(store: Store, session: Session, *, now: int) -> None:
    """Write down that the session has ended. Its seats, and what waits there, stay."""
    note(store, session, *_over(session), ended=now)


def ending(store: Store, session: Session, *, now: int) -> tuple[list[Put | Delete], dict[str, int]] | None:
    """The changes of the board by which the session ends, and the rows that guard them; see `end`, which makes them.

    None where another process goes on with it already.
    """
    return _noted(store, session, _over(session), {"ended": now})


def _over(session: Session) -> list[Put | Delete]:
    return [Delete(Handout(session.id).key), Delete(chain_key(session.id))]


def said(objective: str | None, status: str | None) -> dict[str, str]:
    """What a session says of its work, as facts to be written down; None leaves one as it is. Raises InvalidField."""
    facts = {}
    if objective is not None:
        if len(objective) > LONGEST_OBJECTIVE or not objective.isprintable():
            from mailstop.lines import line_rule  # only for a refusal

            reason = f"it is nothing, or {line_rule(objective, LONGEST_OBJECTIVE)}"
            raise errors.InvalidField(field="the objective", reason=reason)
        facts["objective"] = objective
    if status is not None:
        if status not in STATUSES:
            raise errors.InvalidField(
                field=f"the status {status[:LONGEST_QUOTE]!r}", reason=f"it is one of {', '.join(STATUSES)}"
            )
        facts["status"] = status
    return facts


def note(store: Store, session: Session, *also: Put | Delete, **facts: Any) -> bool:
    """Write down what is new of a session, with other changes of the board; nothing where another process goes on with
    it already. Whether it was written."""
    for _ in range(MOST_TRIES):
        noted = _noted(store, session, also, facts)
        if noted is None:
            return False
        changes, rows = noted
        try:
            store.board.change(changes, expect=rows)
        except Conflict:
            continue
        return True
    return False


def _noted(
    store: Store, session: Session, also: Sequence[Put | Delete], facts: Mapping[str, Any]
) -> tuple[list[Put | Delete], dict[str, int]] | None:
    row = store.board.get(session.key)
    there = Session.from_value(row.value) if row else None
    if row is None or there is None or there.life != session.life:
        return None
    return [Put(session.key, there.but(**facts).as_value()), *also], {session.key: row.revision}
