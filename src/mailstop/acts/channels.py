"""Channels: what a caller may say, where, and what it reads."""

from __future__ import annotations

from mailstop import rules
from mailstop.errors import NoProjectChannel, WakesMany
from mailstop.kinds import kind_of
from mailstop.letter import ALL, NOBODY, Draft
from mailstop.names import DEFAULT_BAG, in_bag, is_name
from mailstop.records import Record
from mailstop.rules.letters import Rider

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from mailstop.channel import Channel
    from mailstop.history import History
    from mailstop.office import Office, Sent
    from mailstop.rules.letters import Ride
    from mailstop.rules.tenure import Writer
    from mailstop.seat import Seat

MOST_NAMED = 20  # sessions that a refusal names


class Listed(Record):
    """A channel as a caller sees it. reads: whether a seat of the caller does; unread: how much it has not heard.

    stays: whether that seat cannot leave it.
    """

    channel: Channel
    reads: bool
    unread: int
    stays: bool


class Channels:
    """What the caller of an office may do in channels."""

    def __init__(self, office: Office) -> None:
        self._office = office

    def say(self, draft: Draft, *, bag: str = DEFAULT_BAG, wake_all: int | None = None, project: str = "") -> Sent:
        """Say something in the draft's channel, by default the one of the caller's project, and wake its readers of the
        same project.

        wake_all: wake all readers, which must be so many; another number is refused with who they are. project: the id
        of the one from which the person speaks; anybody else's is that of their seat.
        Raises UnknownChannel, NoProjectChannel, WakesMany, and what `Office.send` raises.
        """
        office = self._office
        office.checked_bag(bag)
        writer = office.writer(bag)
        own = writer.seat.project_id if writer.seat else project
        channel = rules.channels.named(office.store, bag, draft.channel) if draft.channel else self._own(bag, own)
        if wake_all is None:
            return office.send(draft.but(channel=channel, wakes=own or NOBODY), bag=bag)
        said = draft.but(channel=channel, wakes=ALL)
        return office.send(said, bag=bag, rider=self._counted(writer, said, wake_all))

    def announce(
        self,
        bag: str,
        channel: str,
        text: str,
        *,
        wakes: str = NOBODY,
        kind: str = "note",
        rider: Ride | None = None,
    ) -> Sent:
        """Say something as mailstop's postmaster. wakes: a project's id wakes the readers of that project.

        rider: see `rules.letters.store_letter`.
        """
        draft = Draft((), text, kind=kind, final=True, channel=channel, wakes=wakes or NOBODY)
        return self._office.notify(draft, bag=bag, rider=rider)

    def subscribe(self, channel: str, *, bag: str = DEFAULT_BAG) -> tuple[str, bool]:
        """Read a channel from now on: see `rules.channels.subscribe`."""
        office = self._office
        office.checked_bag(bag)
        return rules.channels.subscribe(office.store, office.writer(bag), channel, now=office.clock())

    def unsubscribe(self, channel: str, *, bag: str = DEFAULT_BAG) -> str:
        """Read a channel no longer: see `rules.channels.unsubscribe`."""
        office = self._office
        office.checked_bag(bag)
        return rules.channels.unsubscribe(office.store, office.writer(bag), channel, now=office.clock())

    def listing(self, bag: str = DEFAULT_BAG) -> list[Listed]:
        """The channels of a bag by name, as the caller's seat there sees them."""
        office = self._office
        office.checked_bag(bag)
        own = next((seat for seat in office.seats() if seat.bag == bag), None)
        index = office.store.index
        reads = {reader.channel for reader in index.channels.read_by(bag, own.name)} if own else set()
        stays = rules.channels.standing(office.store, own) if own else ()
        unread = index.channels.unread_by(bag, own.name) if own else {}
        return [
            Listed(channel, channel.name in reads, unread.get(channel.name, 0), channel.name in stays)
            for channel in index.channels.all(bag)
        ]

    def history(
        self, channel: str, *, bag: str = DEFAULT_BAG, before: int | None = None, last: int = 20
    ) -> tuple[str, History]:
        """A channel's name and what was said there, whoever reads it. Consumes nothing. Raises UnknownChannel."""
        office = self._office
        office.checked_bag(bag)
        name = rules.channels.named(office.store, bag, channel, advice="")
        return name, office.store.index.history(bag=bag, channel=name, before=before, limit=last)

    def is_known(self, text: str, *, bag: str = DEFAULT_BAG) -> bool:
        """Whether a text is the name of a channel that is there."""
        return is_name(text) and self._office.store.index.channels.exists(bag, text)

    def _own(self, bag: str, project: str) -> str:
        """The channel of a project. Raises NoProjectChannel."""
        channel = self._office.store.index.channels.of_project(bag, project) if project else None
        if channel is None:
            raise NoProjectChannel(where=in_bag(bag))
        return channel

    def _counted(self, writer: Writer, draft: Draft, count: int) -> Ride:
        def check(_letter_id: str, _recipients: Sequence[Seat]) -> Rider:
            wakes = ALL if kind_of(draft.kind).wakes else NOBODY
            there = rules.channels.woken(self._office.store, writer.bag, draft.channel, writer.name, wakes)
            if len(there) != count:
                names = [holder.seat.name for holder in there]
                more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
                woken = f": {', '.join(names[:MOST_NAMED])}{more}" if names else ""
                raise WakesMany(channel=draft.channel, count=len(there), woken=woken, readers=names)
            return Rider()

        return check
