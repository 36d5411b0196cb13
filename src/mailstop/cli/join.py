"""mailstop join NAME: take a seat on purpose."""

from __future__ import annotations

import os

from mailstop import errors
from mailstop.cli.arguments import NUMBER, Option, Positional
from mailstop.cli.result import Result
from mailstop.clients import program, registry
from mailstop.clients.facts import facts_of
from mailstop.config import store_name
from mailstop.engines import is_absent, open_store
from mailstop.errors import UsageError
from mailstop.names import DEFAULT_BAG, in_bag, seat_to_take
from mailstop.office import Office
from mailstop.times import clock_text, iso_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from mailstop.cli.arguments import Arguments
    from mailstop.clients.life import Life
    from mailstop.rules.presence import Holder
    from mailstop.rules.seats import Seated
    from mailstop.seat import Seat
    from mailstop.session import Session

PARAMETERS = (
    Positional("name", "NAME", "the seat"),
    Option(("--export",), "for scripts: print the line that makes this shell a session of its own"),
    Option(
        ("--pid",),
        "with --export: bind the session to this process, not to the one that runs mailstop",
        "PID",
        kind=NUMBER,
    ),
    Option(("--background",), "for Codex: wake this session also when its window is closed"),
)


def run(office: Office, args: Arguments) -> Result:
    """Seat the caller; a client whose hooks are not ours is registered on the way."""
    bag = args.bag or DEFAULT_BAG
    seat_to_take(args.name)  # before anything is written: a refused join makes no store
    if args.pid is not None and not args.export:
        raise UsageError(reason="--pid binds a program's session, which only --export makes")
    if args.background and (args.export or office.caller.client != "codex"):
        raise UsageError(reason="--background is for Codex, whose sessions go on without a window")
    if args.export:
        return _join_program(office, args.name, bag, args.pid)
    if office.caller.who != "client":
        return _seated(office, args.name, bag)
    registration = office.caller.registration
    if registration and registration.store != office.store.url:
        return _move(office, registration, args.name, bag, background=args.background)
    if office.session is None or args.background:
        _remember(office, _registered(office, office.session, background=args.background))
    return _seated(office, args.name, bag)


def _seated(office: Office, name: str, bag: str) -> Result:
    seated = office.join(name, bag=bag)
    office.sweep()
    return _result(seated)


def _registered(office: Office, told: Session | None, *, background: bool) -> Session:
    """Write down a client's session. told: what its hooks have said of it, which is more than a command can."""
    caller = office.caller
    found = (told.but(ended=0) if told else facts_of(caller, os.environ)).but(background=background)
    known = caller.registration.session if caller.registration else None
    return office.register(found, known=known, automatic=False).session


def _move(office: Office, registration: registry.Registration, name: str, bag: str, *, background: bool) -> Result:
    """Take a seat in another store than the session's. A session has one store, so it ends in the first one, where
    senders would else take it for present; it ends there only once it sits here."""
    if is_absent(registration.store):
        session = _registered(office, office.session, background=background)
        seated = office.join(name, bag=bag)
        _remember(office, session)
        return _result(seated)
    with open_store(registration.store) as store:
        before = Office(store, office.caller)
        told = before.session
        left = before.seats() if told and not told.ended else []
        session = _registered(office, told or office.session, background=background)
        seated = office.join(name, bag=bag)
        before.end()
    _remember(office, session)
    office.set_bell()
    return _result(seated, registration.store, left)


def _join_program(office: Office, name: str, bag: str, pid: int | None) -> Result:
    """A program session, bound to the process that ran this command: a new one, unless that process has the seat."""
    if office.caller.who == "client":
        raise errors.DoubtfulCaller(
            reason="this is inside a client, whose session is its own; without --export it joins"
        )
    life = program.bound_life(pid)
    if pid is not None:
        words = f"mailstop join {name} --export{'' if bag == DEFAULT_BAG else f' --bag {bag}'}{office.store_option}"
        program.refuse_outside(life, office.caller.ancestry, f'eval "$({words})"')
    earlier = _seated_here(office, name, bag, life)
    token = earlier.client_session if earlier else program.new_token()
    office.caller = office.caller.but(who="program", client="program", client_session=token, life=life)
    known = earlier.session if earlier else None
    registered = office.register(facts_of(office.caller, os.environ), known=known, automatic=False)
    _remember(office, registered.session)
    seated = office.join(name, bag=bag)
    office.sweep()
    line = program.export_line(token)
    return Result({**_data(seated), "export": line}, line)


def _seated_here(office: Office, name: str, bag: str, life: Life) -> registry.Registration | None:
    """The session of this very process that has the seat: a join that was killed before it could print the token took
    the seat all the same, and nobody else could take it while the process lives."""
    seat = office.store.index.seat(bag, name)
    for registration in registry.everyone() if seat and seat.session else ():
        if seat and (registration.client, registration.session) == ("program", seat.session):
            return registration if registration.life == life else None
    return None


def _result(seated: Seated, left_store: str = "", left_there: Sequence[Seat] = ()) -> Result:
    seat = seated.seat
    where = in_bag(seat.bag)
    text = f"you sit at seat {seat.name}{where}" if seated.taken else f"you sit at seat {seat.name}{where} already"
    if seated.ended:
        text += f"; it was held by {_ended(seated.ended)}, which has ended"
    if seated.left:
        text += f"; you left {seated.left}, whose mail waits there"
    if left_store:
        names = " and ".join(f"{each.name}{in_bag(each.bag)}" for each in left_there)
        text += f"; this session has left the store {store_name(left_store)}"
        text += f", where its mail waits at {names}" if names else ""
    return Result({**_data(seated), "left_store": left_store or None}, text)


def _data(seated: Seated) -> dict[str, Any]:
    return {
        "seat": seated.seat.name,
        "bag": seated.seat.bag,
        "epoch": seated.seat.epoch,
        "left": seated.left or None,
        "taken_from": _taken_from(seated),
    }


def _ended(holder: Holder) -> str:
    from mailstop.fence import client_text, session_text

    client = session_text(holder.session) if holder.session else client_text(holder.seat.client)
    return f"{client if holder.seat.client or holder.session else 'a session'} since {clock_text(holder.seat.since)}"


def _taken_from(seated: Seated) -> dict[str, str] | None:
    ended = seated.ended
    return {"client": ended.seat.client, "since": iso_text(ended.seat.since)} if ended else None


def _remember(office: Office, session: Session) -> None:
    registry.write(registry.Registration.of(session, store=office.store.url, life=office.caller.living()))
