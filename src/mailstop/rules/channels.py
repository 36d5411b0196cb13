"""Channels: which there are, who reads them, and whom a letter that is said there wakes.

Guards of subscribing and unsubscribing: seats.<bag>.<seat>, so that a session which lost its seat changes nothing
there; and channels.<bag>.<seat> itself, on which both are entries, so that of two at once each sees the other. A letter
said in a channel is a letter (rules/letters); hearing it is a receipt (rules/receipts).

Everyone who has sat in a bag reads `#general`, `#leader` and the channel of their project, and none of the three can be
left. The person reads `#general` of every bag, and others that they subscribe to.
"""

from __future__ import annotations

from mailstop import bells, errors
from mailstop.engines.entry import Entry, subject
from mailstop.errors import Conflict
from mailstop.letter import ALL, NOBODY, new_id
from mailstop.names import GENERAL, LEADING, PERSON, checked_name, in_bag, is_name, nearest
from mailstop.records import Record
from mailstop.rules.presence import holder_of
from mailstop.rules.tenure import guard, still

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

    from mailstop.engines.base import Store
    from mailstop.letter import Letter
    from mailstop.rules.presence import Holder
    from mailstop.rules.tenure import Writer
    from mailstop.seat import Seat

MOST_TRIES = 50
NOT_SAID = " Nothing was stored. To make it, read it: mailstop subscribe NAME"
NOT_READ = " What it reads: mailstop channels"
MOST_CHANNELS = 50  # that one seat reads: each is looked at by each of its checks


class Rest(Record):
    """The readers whom a letter does not wake. live: seats of sessions, and the person's; empty: how many others."""

    live: tuple[str, ...] = ()
    empty: int = 0


def named(store: Store, bag: str, text: str, *, advice: str = NOT_SAID) -> str:
    """The channel that `text` names, with or without its `#`. Raises UnknownChannel with the nearest names.

    advice: what that says to who came to write; nothing to who only looks.
    """
    name = text.removeprefix("#")
    if is_name(name) and store.index.channels.exists(bag, name):
        return name
    near = nearest(name, [channel.name for channel in store.index.channels.all(bag)])
    listed = f"nearest: {', '.join(f'#{each}' for each in near)}" if near else "see: mailstop channels"
    raise errors.UnknownChannel(name=name[:80], where=in_bag(bag), listed=listed, nearest=near, advice=advice)


def standing(store: Store, seat: Seat) -> tuple[str, ...]:
    """The channels that a seat cannot leave."""
    if seat.name == PERSON:
        return (GENERAL,)
    own = store.index.channels.of_project(seat.bag, seat.project_id) if seat.project_id else None
    return (GENERAL, LEADING, own) if own else (GENERAL, LEADING)


# -- reading a channel ------------------------------------------------------------------------------------------------


def subscribe(store: Store, writer: Writer, text: str, *, now: int) -> tuple[str, bool]:
    """Let the writer's seat read a channel, which need not be there yet; its name, and whether that is new.

    Raises InvalidName, TooManyChannels, SeatLost.
    """
    channel = checked_name(text.removeprefix("#"), "channel")
    for _ in range(MOST_TRIES):
        expect = _guards(store, writer)
        reads = _read_by(store, writer)
        if channel in reads:
            return channel, False
        if len(reads) >= MOST_CHANNELS:
            raise errors.TooManyChannels(limit=MOST_CHANNELS)
        try:
            store.ledger.append([_entry(writer, "channel_joined", channel, now)], expect=expect)
        except Conflict:
            writer = still(store, writer)
            continue
        return channel, True
    raise errors.SeatLost(name=writer.name, where=in_bag(writer.bag), reason="it changes hands without end")


def unsubscribe(store: Store, writer: Writer, text: str, *, now: int) -> str:
    """Let the writer's seat read a channel no longer; its name. Raises UnknownChannel, ChannelStays, NotSubscribed."""
    channel = named(store, writer.bag, text, advice=NOT_READ)
    for _ in range(MOST_TRIES):
        expect = _guards(store, writer)
        if channel in standing(store, writer.seat or _untaken(writer.bag, writer.name)):
            raise errors.ChannelStays(name=channel)
        if channel not in _read_by(store, writer):
            raise errors.NotSubscribed(name=channel, where=in_bag(writer.bag))
        try:
            store.ledger.append([_entry(writer, "channel_left", channel, now)], expect=expect)
        except Conflict:
            writer = still(store, writer)
            continue
        return channel
    raise errors.SeatLost(name=writer.name, where=in_bag(writer.bag), reason="it changes hands without end")


def _guards(store: Store, writer: Writer) -> dict[str, int]:
    own = _subject(writer)
    last = store.ledger.on(own)  # the index has folded it, so what is read there next is no older
    return {**(guard(writer.seat) if writer.seat else {}), own: last.n if last else 0}


def _read_by(store: Store, writer: Writer) -> set[str]:
    return {reader.channel for reader in store.index.channels.read_by(writer.bag, writer.name)}


def _subject(writer: Writer) -> str:
    return subject("channels", writer.bag, writer.name)


def _entry(writer: Writer, kind: str, channel: str, now: int) -> Entry:
    data = {"seat": writer.name, "channel": channel, "session": writer.session}
    return Entry(_subject(writer), kind, writer.bag, new_id(), now, data)


# -- whom a letter wakes ----------------------------------------------------------------------------------------------


def woken(store: Store, bag: str, channel: str, sender: str, wakes: str) -> list[Holder]:
    """The holders of the seats that a letter said in a channel wakes. wakes: see Letter."""
    if wakes == NOBODY:
        return []
    seats = [seat for seat in _readers(store, bag, channel) if seat.name not in (sender, PERSON)]
    holders = [holder_of(store, seat) for seat in seats if seat.session and wakes in (ALL, seat.project_id)]
    return [holder for holder in holders if holder.present]


def ring_others(store: Store, letter: Letter, rung: Container[str]) -> Rest:
    """Ring the bells of the readers whom a letter does not wake, so that their hooks and checks find it, and say who
    they are. rung: the seats whose door is rung for it."""
    live, empty = [], 0
    for seat in _readers(store, letter.bag, letter.channel):
        if seat.name == letter.sender or seat.name in rung:
            continue
        holder = holder_of(store, seat)
        if seat.name == PERSON:
            bells.ring(PERSON)
        elif holder.present:
            bells.ring(holder.present.bell)
        else:
            empty += 1
            continue
        live.append(seat.name)
    return Rest(tuple(live), empty)


def _readers(store: Store, bag: str, channel: str) -> list[Seat]:
    """The seats that read a channel, by name."""
    seats = {seat.name: seat for seat in store.index.seats(bag)}
    return [
        seats.get(reader.seat) or _untaken(bag, reader.seat) for reader in store.index.channels.readers(bag, channel)
    ]


def _untaken(bag: str, name: str) -> Seat:
    """A seat that reads, and that nobody has taken or written to: the person's."""
    from mailstop.seat import Seat

    return Seat(bag, name)
