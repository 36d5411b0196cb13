"""Past: what was written elsewhere, as a source of it tells, before it becomes history here."""

from __future__ import annotations

from hashlib import blake2b

from mailstop.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any, Protocol

BATCHES = "imports"  # the subject of the entries with which batches begin
LONGEST_SOURCE = 24  # characters of a source's name
LONGEST_NUMBER = 200  # characters of an old number: also lanes' ids are such
_LARGEST_TIME = (1 << 48) - 1  # milliseconds since 1970 that fit into an id


class Source(Record):
    """Where letters are imported from.

    name: what stands before an old number or name, as in `postbag:142`. kind: which format that is. path: of the file
    or the folder, for people.
    """

    name: str
    kind: str
    path: str


class PastLetter(Record):
    """A letter of another system.

    key: names it for ever in sources of its kind, once in each bag. number: what its readers called it. at:
    milliseconds since 1970; 0 is unknown. ref: the number, in its source, of the letter that it answers. channel: where
    it was said, without the `#`. note: what else its source tells of it. id: its own, where it is a letter of
    mailstop's. record: which record of its file it is, where those are numbered too. source: its own source's name,
    where it was imported before. bag: its own, where its source has several. ref_id: the id of the letter that it
    answers, where its source tells it. kept: what else is kept of it, as it is, and proves nothing here.
    """

    key: str
    number: str
    at: int
    sender: str
    to: tuple[str, ...]
    body: str
    kind: str = "note"
    needs_reply: bool = False
    final: bool = False
    ref: str = ""
    artifacts: tuple[str, ...] = ()
    channel: str = ""
    project: str = ""
    client: str = ""
    note: str = ""
    id: str = ""
    record: int = 0
    source: str = ""
    bag: str = ""
    ref_id: str = ""
    kept: Mapping[str, Any] = {}


class PastMove(Record):
    """Somebody came, went, or did something else that history tells of. act: what, in words that follow the seat."""

    key: str
    at: int
    seat: str
    act: str
    client: str = ""
    project: str = ""
    reason: str = ""
    id: str = ""
    record: int = 0
    source: str = ""
    bag: str = ""
    kept: Mapping[str, Any] = {}


class PastEvent(Record):
    """Something else that is kept of the past, and that nothing here shows or acts on: how a task moved, say. kept: all
    that is known of it."""

    key: str
    at: int
    kept: Mapping[str, Any]
    body: str = ""
    id: str = ""
    source: str = ""
    bag: str = ""


class LeftOut(Record):
    """What was not taken. place: where it stands in its source. reason: why."""

    place: str
    reason: str


class Changed(Record):
    """What was taken, and not exactly as it stands there. place: where it stands. reason: what was changed, and why."""

    place: str
    reason: str


class Batch(Record):
    """A number of letters that were imported at once.

    n: of the entry with which it begins. at: when, in milliseconds since 1970. source, kind, path: see Source. session:
    whose act it was; `human` for the person's.
    """

    n: int
    at: int
    bag: str
    source: str
    kind: str
    path: str
    session: str


Item = PastLetter | PastMove | PastEvent | LeftOut | Changed

if TYPE_CHECKING:

    class Reader(Protocol):
        """Reads a source from its beginning, and never writes to it. Nothing but what it gives next is kept."""

        @property
        def source(self) -> Source:
            """What it reads."""

        @property
        def total_bytes(self) -> int:
            """To be read."""

        @property
        def done_bytes(self) -> int:
            """Read so far."""

        @property
        def secrets(self) -> int:
            """Lines so far that hold what opens the door of a session, in clear."""

        def __iter__(self) -> Iterator[Item]:
            """All of it, in its order. Raises SourceUnavailable where it cannot be read."""


def past_id(kind: str, bag: str, key: str, at: int) -> str:
    """The id of what is imported into a bag: a UUID of version 8, the same each time.

    It begins with the time, as those of letters do, so that a million of them lie in order and not all over an index.
    """
    time = f"{at if 0 <= at <= _LARGEST_TIME else min(max(at, 0), _LARGEST_TIME):012x}"
    name = blake2b(f"{kind}\0{bag}\0{key}".encode("utf-8", "surrogatepass"), digest_size=9).hexdigest()
    return f"{time[:8]}-{time[8:]}-8{name[:3]}-8{name[3:6]}-{name[6:]}"
