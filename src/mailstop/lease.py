"""Lease: what a session has taken for a while so that no other does, and the resource that it is about."""

from __future__ import annotations

from mailstop.patterns import is_wild
from mailstop.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PATH = "path"  # a file or folder, and what lies below it; it need not be there
GLOB = "glob"  # all paths that a pattern stands for; see mailstop.patterns
NAME = "name"  # anything else that there is once in a project
PREFIXES = (f"{PATH}:", f"{GLOB}:", f"{NAME}:")  # by which a word says what it is

ALL_BELOW = "**"

DEFAULT_TTL_MS = 3_600_000
SHORTEST_TTL_MS = 60_000
LONGEST_TTL_MS = 24 * 3_600_000


class Address(Record):
    """Where a resource lies in one scope, which is a repository, a machine, or the names of a project.

    literal: the path from the scope's top down to the first wildcard, `/src/app`; empty for the top itself. pattern:
    the segments from the first wildcard on; empty for a file, ALL_BELOW for a folder. folds: whether its file system
    takes capital letters and small ones for the same; the literal is then folded.
    """

    scope: str
    literal: str
    pattern: str = ""
    folds: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether it has no wildcards of anybody's."""
        return self.pattern in ("", ALL_BELOW)

    def as_list(self) -> list[Any]:
        """As it is stored."""
        return [self.scope, self.literal, self.pattern, int(self.folds)]

    @classmethod
    def of(cls, stored: list[Any]) -> Address:
        """The address that `as_list` gave."""
        scope, literal, pattern, folds = stored
        return cls(str(scope), str(literal), str(pattern), bool(folds))


class Resource(Record):
    """What a lease may be taken on.

    kind: PATH, GLOB or NAME. shown: how people are told of it: a path from the top of its repository, else an absolute
    one. project, project_id: whose it is, see `clients.project.Place`. at: its addresses; the first is the one by which
    it is told from others; a path has one in each repository that holds it, the nearest first, and one on its machine.
    given, why: the word that it was read from, and by which rule; empty where nobody typed it.
    """

    kind: str
    shown: str
    project: str
    project_id: str
    at: tuple[Address, ...]
    given: str = ""
    why: str = ""

    @property
    def label(self) -> str:
        """The word by which people are told of it, which stands for nothing else: a file may be called `*.py`."""
        taken_for_another = self.kind != NAME and self.shown.startswith(PREFIXES)
        if taken_for_another or (self.kind == PATH and is_wild(self.shown)):
            return f"{self.kind}:{self.shown}"
        return self.shown

    @property
    def key(self) -> Address:
        """What two words have in common that mean the same resource: also before a file is there, and afterwards."""
        first = self.at[0]
        return first.but(pattern="") if first.is_plain else first


class Lease(Record):
    """A resource that a session has taken.

    term: number of the ledger's entry by which it was taken; a later taking has a higher one. item: which resource of
    that taking, from 0. epoch: of the seat when it was taken. seated: whether the session still sits there since then.
    since, until: milliseconds since 1970. ttl: for how long it was asked for last, in milliseconds.
    """

    term: int
    item: int
    bag: str
    seat: str
    session: str
    epoch: int
    client: str
    shared: bool
    since: int
    until: int
    ttl: int
    resource: Resource
    note: str = ""
    seated: bool = True

    @property
    def id(self) -> tuple[int, int]:
        """What tells it from all others."""
        return self.term, self.item
