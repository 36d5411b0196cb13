"""A source that a test makes up: it gives what it was given."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from mailstop.past import Item, PastLetter, PastMove, Source


class Told:
    """Reads the items it was made of. meanwhile: happens once, before the item of that place is given."""

    def __init__(
        self, *items: Item, name: str = "postbag", meanwhile: Mapping[int, Callable[[], object]] | None = None
    ):
        self.source = Source(name, "postbag", "/home/ada/.postbag/ledger.jsonl")
        self.total_bytes = self.done_bytes = self.secrets = 0
        self._items = items
        self._meanwhile = dict(meanwhile or {})

    def __iter__(self) -> Iterator[Item]:
        for place, item in enumerate(self._items):
            if place in self._meanwhile:
                self._meanwhile.pop(place)()
            yield item


def letter(number: int, body: str = "", *, sender: str = "api", to: str = "web", **fields: object) -> PastLetter:
    """A letter of long ago."""
    told = {"sender": sender, "to": (to,), "body": body or f"letter {number}", **fields}
    return PastLetter(key=str(number), number=str(number), at=1_700_000_000_000 + number, **told)  # type: ignore[arg-type]


def join(number: int, seat: str = "api", act: str = "joined") -> PastMove:
    """Somebody came, or went, long ago."""
    return PastMove(f"move {number}", 1_700_000_000_000 + number, seat, act, client="claude")
