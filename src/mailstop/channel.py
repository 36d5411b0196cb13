"""Channel: where a letter is said to everyone who reads it, and how far each of them has heard it."""

from __future__ import annotations

from mailstop.records import Record


class Reader(Record):
    """A seat that reads a channel.

    since: number of the entry by which it came; what was said before is history to it. position: number up to which
    it has heard all that others said. ahead: numbers behind the position that it has heard nevertheless.
    """

    bag: str
    seat: str
    channel: str
    since: int
    position: int
    ahead: tuple[int, ...] = ()

    def has_heard(self, n: int) -> bool:
        """Whether letter `n` of the channel was shown to it."""
        return n <= self.position or n in self.ahead


class Channel(Record):
    """A channel with how many seats read it and the number of its last letter, 0 while nothing was said."""

    name: str
    readers: int
    last: int
