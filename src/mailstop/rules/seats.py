"""Seats: taking one, leaving it, and which one a session gets without anyone typing anything.

Guards: seats.<bag>.<name>, written by each taking and leaving and expected by each letter of that seat. So a session
that has lost its seat cannot write from it, and of two that race for a seat one wins.

Which automatic seat a session gets, when others of its folder have ended: the address of a folder should be the same
every day, and nobody should be taken for the successor of one for whom mail waits.

- One ended seat: its name, with what waits there announced.
- Several: the first name of the folder's own row (`api`, `api-2`, ...) that nobody has had, or that has ended with
  nothing open: no letter that was not shown, and no reply owed. Where all have something open that is a new name.
  The session is told of those that have something open, and may take one over on purpose.
"""

from __future__ import annotations

from mailstop import errors
from mailstop.engines.entry import Entry
from mailstop.errors import Conflict
from mailstop.letter import new_id
from mailstop.names import DEFAULT_BAG, RESERVED, in_bag, name_from, numbered, seat_to_take
from mailstop.records import Record
from mailstop.rules.presence import holder_of
from mailstop.rules.routes import dropped
from mailstop.rules.tenure import guard, seat_subject
from mailstop.seat import Seat
from mailstop.times import clock_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from mailstop.engines.base import Store
    from mailstop.engines.row import Delete, Put
    from mailstop.history import Move
    from mailstop.rules.presence import Holder
    from mailstop.session import Session

MOST_TRIES = 50


class Seated(Record):
    """A seat and how the session came to it.

    left: the seat that it stood up from for this one. ended: who held the seat till then, and has ended. vacated:
    other automatic seats of this folder whose sessions have ended, and where something is still open.
    """

    seat: Seat
    taken: bool = True
    left: str = ""
    ended: Holder | None = None
    vacated: tuple[str, ...] = ()


class Taking(Record):
    """What it takes to sit down, decided on a look: stored as it is, or, where nothing is to be stored, done already.

    seat: as it is before. own: the seat that is left by it. ended: who held the seat till then, and has ended.
    """

    seat: Seat
    own: Seat | None = None
    ended: Holder | None = None
    entries: tuple[Entry, ...] = ()
    expect: Mapping[str, int] = {}
    board: tuple[Put | Delete, ...] = ()

    def done(self, store: Store) -> Seated:
        """The seat once all of it is stored."""
        seat = store.index.seat(self.seat.bag, self.seat.name) or self.seat
        return Seated(seat, taken=bool(self.entries), left=self.own.name if self.own else "", ended=self.ended)


def take(
    store: Store,
    session: Session,
    name: str,
    *,
    now: int,
    bag: str = DEFAULT_BAG,
    automatic: bool = False,
    announced: bool = False,
    ancestry: str = "",
) -> Seated:
    """Sit down at a seat; one the session held in this bag before is left by the same act.

    automatic: nobody chose the name. announced: what waits there is announced to the session, not shown by hooks.
    Raises InvalidName, ReservedName, or SeatTaken with who holds it since when.
    """
    for _ in range(MOST_TRIES):
        one = taking(
            store, session, name, now=now, bag=bag, automatic=automatic, announced=announced, ancestry=ancestry
        )
        if one.entries:
            try:
                store.ledger.append(one.entries, expect=one.expect, board=one.board)
            except Conflict:
                continue
        return one.done(store)
    raise errors.SeatTaken(
        name=name, where=in_bag(bag), holding="others who race for it", holder=None, since="just now"
    )


def taking(
    store: Store,
    session: Session,
    name: str,
    *,
    now: int,
    bag: str = DEFAULT_BAG,
    automatic: bool = False,
    announced: bool = False,
    ancestry: str = "",
) -> Taking:
    """What it takes to sit down at a seat; see `take`, which stores it."""
    seat_to_take(name)
    seat = store.index.seat(bag, name) or Seat(bag, name)
    if seat.session == session.id and seat.automatic == automatic:
        return Taking(seat)
    holder = holder_of(store, seat) if seat.session not in (None, session.id) else None
    if holder:
        refuse_held(holder)
    own = next((held for held in store.index.seats_of(session.id) if held.bag == bag and held.name != name), None)
    entries = [_taken(session, seat, now, automatic=automatic, announced=announced, ancestry=ancestry)]
    expect = guard(seat)
    if own:
        entries.append(left_entry(own, now, f"took {name}"))
        expect.update(guard(own))
    board = dropped(store, bag, name) if seat.session != session.id else ()
    return Taking(seat, own, holder, tuple(entries), expect, tuple(board))


def refuse_held(holder: Holder) -> None:
    """Raise SeatTaken unless the seat is empty or its holder is provably dead."""
    session = holder.session
    if session is None or holder.alive is False:
        return
    from mailstop.fence import session_text  # only for a refusal

    doubt = "" if holder.alive else ", which cannot be seen from here,"
    raise errors.SeatTaken(
        name=holder.seat.name,
        where=in_bag(holder.seat.bag),
        holding=f"{session_text(session)}{doubt} in {session.folder or 'an unknown folder'}",
        holder={**session.as_fact(), "alive": holder.alive, "folder": session.folder or None},
        since=holder.since,
    )


def leave(store: Store, session: Session, *, now: int, bag: str = DEFAULT_BAG, reason: str = "") -> Seat:
    """Stand up. The seat and its mail stay. Raises NotSeated."""
    for _ in range(MOST_TRIES):
        own = next((held for held in store.index.seats_of(session.id) if held.bag == bag), None)
        if own is None:
            break
        try:
            store.ledger.append([left_entry(own, now, reason)], expect=guard(own))
        except Conflict:
            continue
        return own
    raise errors.NotSeated(where=in_bag(bag))


def lost(ended: Move, command: str) -> errors.MustJoin:
    """The refusal for a session that had a seat. ended: what ended its stay. command: the one that gives a seat."""
    details = {"name": ended.seat, "where": in_bag(ended.bag), "since": clock_text(ended.at), "command": command}
    if ended.act == "left":
        return errors.SeatWasLeft(**details)
    return errors.SeatWasTaken(client=ended.client or "another client", **details)


def take_automatically(store: Store, session: Session, *, now: int, ancestry: str = "") -> Seated:
    """Give the session the seat of its folder.

    The name is the project's, with the branch unless that is the default one. What becomes of ended seats of the same
    folder is said above.
    """
    vacated = vacated_in(store, session.worktree)
    still_open = vacated if len(vacated) < 2 else [seat for seat in vacated if _has_open(store, seat)]
    inheritable = {seat.name for seat in vacated if len(vacated) == 1 or seat not in still_open}
    first = [vacated[0].name] if len(vacated) == 1 else []
    for _ in range(MOST_TRIES):
        for name in [*first, *_candidates(store, session, inheritable)]:
            announced = name in inheritable
            try:
                seated = take(store, session, name, now=now, automatic=True, announced=announced, ancestry=ancestry)
            except errors.SeatTaken:
                continue
            return seated.but(vacated=tuple(seat.name for seat in still_open if seat.name != name))
    raise errors.SeatTaken(
        name=automatic_name(session), where="", holding="others who race for it", holder=None, since="just now"
    )


def vacated_in(store: Store, worktree: str) -> list[Seat]:
    """The automatic seats that sessions of this folder held and hold no longer."""
    seats = [seat for seat in store.index.seats(DEFAULT_BAG) if seat.automatic and seat.folder == worktree]
    return [seat for seat in seats if holder_of(store, seat).alive is False]


def _has_open(store: Store, seat: Seat) -> bool:
    """Whether mail waits at a seat, or it owes a reply. What is said in channels goes on without it."""
    unread = store.index.count_unread(seat.bag, seat.name, said=False)
    return bool(unread or store.index.owed(seat.bag, seat.name, limit=1))


def automatic_name(session: Session) -> str:
    """The seat of a session's folder: `project` on the default branch, `project-branch` elsewhere."""
    project = name_from(session.project or "session")
    if session.on_default_branch or not session.branch:
        return project
    return name_from(f"{project}-{session.branch}")


def _candidates(store: Store, session: Session, inheritable: AbstractSet[str]) -> Sequence[str]:
    """The automatic name and its successors, but those that somebody holds, or has held before: another's mail waits
    there. inheritable: names that were held, and may be gone on with."""
    base = automatic_name(session)
    known = {seat.name: seat for seat in store.index.seats(DEFAULT_BAG)}
    names = (numbered(base, number) for number in range(1, len(known) + MOST_TRIES))
    free = [name for name in names if name in inheritable or name not in known or not known[name].holder]
    return [name for name in free if name not in RESERVED]


def _taken(session: Session, seat: Seat, now: int, *, automatic: bool, announced: bool, ancestry: str) -> Entry:
    data = {
        "seat": seat.name,
        "session": session.id,
        "client": session.client,
        "project": session.project,
        "project_id": session.project_id,
        "folder": session.worktree or session.folder,
        "automatic": automatic,
    }
    if announced:
        data["announced"] = True
    if ancestry:
        data["ancestry"] = ancestry
    if seat.session == session.id:  # only chosen on purpose now: the same holder goes on
        data["epoch"] = seat.epoch
    return Entry(seat_subject(seat.bag, seat.name), "taken", seat.bag, new_id(), now, data)


def left_entry(seat: Seat, now: int, reason: str = "") -> Entry:
    """The entry by which its holder leaves a seat."""
    data = {"seat": seat.name, "session": seat.session, "reason": reason}
    return Entry(seat_subject(seat.bag, seat.name), "left", seat.bag, new_id(), now, data)
