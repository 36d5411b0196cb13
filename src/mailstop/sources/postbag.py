"""Postbag: the ledgers of postbag 1.0 to 2.3, one a bag: letters, joins, leaves, and the budgets of 1.x.

Postbag refuses a whole bag for one line that it does not know. Here such a line is left out and told of, and the others
are taken. What opens a session's door (token, socket, thread) is looked at to tell one door from another, and goes no
further.
"""

from __future__ import annotations

import os

from mailstop.names import DEFAULT_BAG, name_from
from mailstop.past import Changed, LeftOut, PastLetter, PastMove, Source
from mailstop.records import Record
from mailstop.sources.lines import NoObject, OfLines, object_of
from mailstop.sources.texts import body_of, digest_of, name_of, plain, quoted, time_of
from mailstop.wording import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from mailstop.past import Item
    from mailstop.sources.lines import Line

KIND = "postbag"
LEDGER = "POSTBAG_LEDGER"  # the variable by which postbag is told of a ledger
PERSON = "human"
_VENDORS = ("claude", "codex")
_LONGEST_BAG = 16
_MOST_SHOWN = 1_000  # names that are remembered
_LETTERS, _FURTHER = frozenset("abcdefghijklmnopqrstuvwxyz"), frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")


# -- which ledgers ----------------------------------------------------------------------------------------------------


class Ledger(Record):
    """A ledger. bag: the bag here that is called as the one that it holds."""

    path: str
    bag: str


def ledger(text: str) -> Ledger:
    """The ledger that a word names, as for postbag: `default`, the name of a bag, or a path."""
    if _is_bag(text):
        return Ledger(_path_of(text), text)
    path = os.path.abspath(os.path.expanduser(text))
    return Ledger(path, _bag_of(path))


def selected() -> Ledger:
    """The ledger that postbag itself would take where none is named."""
    return ledger(os.environ.get(LEDGER) or DEFAULT_BAG)


def all_ledgers() -> list[Ledger]:
    """All ledgers of this home folder, and the one that the variable names, each file once."""
    folder = os.path.join(_home(), "bags")
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    bags = [name.removesuffix(".jsonl") for name in names if name.endswith(".jsonl")]
    found = [ledger(DEFAULT_BAG), *(ledger(bag) for bag in bags if _is_bag(bag) and bag != DEFAULT_BAG)]
    if os.environ.get(LEDGER):
        found.append(selected())
    files: dict[tuple[int, int], Ledger] = {}
    for each in found:
        try:
            status = os.stat(each.path)
        except OSError:
            continue
        files.setdefault((status.st_dev, status.st_ino), each)
    return list(files.values())


def _home() -> str:
    return os.path.join(os.path.expanduser("~"), ".postbag")


def _path_of(bag: str) -> str:
    return os.path.join(_home(), "ledger.jsonl" if bag == DEFAULT_BAG else os.path.join("bags", f"{bag}.jsonl"))


def _bag_of(path: str) -> str:
    folder, file = os.path.split(path)
    if path == _path_of(DEFAULT_BAG):
        return DEFAULT_BAG
    bag = file.removesuffix(".jsonl")
    return bag if folder == os.path.join(_home(), "bags") and _is_bag(bag) else name_from(bag)


def _is_bag(text: str) -> bool:
    return 0 < len(text) <= _LONGEST_BAG and text[0] in _LETTERS and _FURTHER.issuperset(text)


# -- a ledger ---------------------------------------------------------------------------------------------------------


class _Held(Record):
    """A name that a door holds. door: empty where the ledger does not tell it."""

    vendor: str
    door: str
    joined: str


class LedgerReader(OfLines):
    """Reads one ledger."""

    def __init__(self, path: str, name: str = KIND) -> None:
        """name: of the source. Raises SourceAbsent, SourceUnavailable."""
        self.source = Source(name, KIND, path)
        super().__init__(path)
        self._names: dict[str, _Held] = {}
        self._shown: dict[str, str] = {}
        self._letters = 0
        self._exchange = self._limit = self._in_exchange = 0
        self._at, self._told = 0, ""

    def __iter__(self) -> Iterator[Item]:
        with self._lines:
            for line in self._lines:
                try:
                    item, changed = self._item(line)
                except NoObject as error:
                    yield LeftOut(f"line {line[0]}", str(error))
                    continue
                yield item
                if changed:
                    yield Changed(f"line {line[0]}", changed)

    def _item(self, line: Line) -> tuple[Item, str]:
        """What a line holds, and what of it cannot be kept as it is. Raises NoObject where it is no record."""
        row = object_of(line)
        kind = row.get("kind")
        read = _READING.get(kind) if isinstance(kind, str) else None
        if read is None:
            raise NoObject(f"its kind is {quoted(kind)}, which no postbag writes")
        record = row.get("n")
        if not isinstance(record, int) or isinstance(record, bool) or not 0 < record < 1 << 53:
            raise NoObject(f"its number is {quoted(record)}, which is none")
        item, changed = read(self, row, record, self._time(row))
        if record != line[0]:
            changed = "; ".join([*filter(None, [changed]), f"it says that it is record {record}, on line {line[0]}"])
        return item, changed

    def _letter(self, row: dict[str, Any], record: int, at: int) -> tuple[Item, str]:
        sender, to, text = row.get("from"), row.get("to"), row.get("body")
        if not (isinstance(sender, str) and isinstance(to, str) and isinstance(text, str) and sender and to and text):
            sender, to, text = _text(row, "from"), _text(row, "to"), _text(row, "body")  # one of which says what it is
        final = row.get("final", False)
        if not isinstance(final, bool):
            raise NoObject(f"its field final is {quoted(final)}, not true or false")
        if sender == to:
            raise NoObject(f"it goes from {quoted(sender)} to itself")
        self._letters += 1
        body, changed = body_of(text)
        held = self._names.get(sender)
        letter = PastLetter(
            key="\0".join((str(record), "letter", row["at"], sender, to, text, "final" if final else "")),
            number=str(self._letters),
            at=at,
            sender=self._shown.get(sender) or self._name(sender),
            to=(self._shown.get(to) or self._name(to),),
            body=body,
            final=final,
            client=held.vendor if held else "",
            note=self._in_budget() if self._exchange else "",
            record=record,
        )
        return letter, changed

    def _name(self, name: str) -> str:
        """A name as it is kept, and remembered: the same few stand in thousands of lines."""
        shown = name_of(name)
        if len(self._shown) < _MOST_SHOWN:
            self._shown[name] = shown
        return shown

    def _in_budget(self) -> str:
        """Which letter of which exchange of 1.x this one is."""
        self._in_exchange += 1
        beyond = "" if self._in_exchange <= self._limit else ", beyond it"
        return f"letter {self._in_exchange} of {self._limit} in exchange {self._exchange}{beyond}"

    def _join(self, row: dict[str, Any], record: int, at: int) -> tuple[Item, str]:
        peer = _text(row, "peer")
        vendor = row.get("vendor", peer)
        if vendor not in _VENDORS or (peer in _VENDORS and peer != vendor):
            raise NoObject(f"{quoted(peer)} joins as a {quoted(vendor)}, which cannot be")
        door = self._door(row, vendor)
        reasons = []
        for name, held in list(self._names.items()):
            if door and held.door == door and name != peer:
                del self._names[name]
                reasons.append(f"renamed from {name}")
        before = self._names.get(peer)
        if before and door and before.door and before.door != door:
            reasons.append(f"taken from the {before.vendor} session that joined at {before.joined}")
        self._names[peer] = _Held(vendor, door, row["at"])
        return self._move(row, record, at, peer, "joined", vendor, "; ".join(reasons)), ""

    def _leave(self, row: dict[str, Any], record: int, at: int) -> tuple[Item, str]:
        peer, vendor = _text(row, "peer"), _text(row, "vendor")
        door = self._door(row, vendor)
        held = self._names.get(peer)
        if held is None or held.vendor != vendor or (door and held.door and held.door != door):
            raise NoObject(f"{quoted(peer)} leaves, and another session, or none, had that name")
        del self._names[peer]
        return self._move(row, record, at, peer, "left", vendor, ""), ""

    def _open(self, row: dict[str, Any], record: int, at: int) -> tuple[Item, str]:
        limit = row.get("limit")
        if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
            raise NoObject(f"it opens an exchange of {quoted(limit)}, which is no number of letters")
        self._exchange, self._limit, self._in_exchange = self._exchange + 1, limit, 0
        act = f"opened exchange {self._exchange} of {counted(limit, 'letter')}"
        return self._move(row, record, at, PERSON, act, "", ""), ""

    def _move(
        self, row: dict[str, Any], record: int, at: int, seat: str, act: str, vendor: str, reason: str
    ) -> PastMove:
        return PastMove(
            key="\0".join((str(record), row["kind"], row["at"], seat, act, vendor)),
            at=at,
            seat=name_of(seat),
            act=act,
            client=vendor,
            reason=plain(reason, 200),
            record=record,
        )

    def _time(self, row: dict[str, Any]) -> int:
        """When a record was written. Raises NoObject."""
        told = row.get("at")
        if told != self._told or not told:  # of a busy bag many are of one second
            try:
                if not isinstance(told, str):
                    raise ValueError(told)
                self._at, self._told = time_of(told), told
            except ValueError:
                raise NoObject(f"its time is {quoted(told)}, which is none") from None
        return self._at

    def _door(self, row: dict[str, Any], vendor: str) -> str:
        """What tells a session's door from others, kept no longer than this ledger is read; empty where it is not
        there, as when its owner has taken it out of the file."""
        fields = ("thread",) if vendor == "codex" else ("socket", "token")
        told = [row.get(field) for field in fields]
        self.secrets += vendor == "claude" and any(isinstance(each, str) and each for each in told)
        if not all(isinstance(each, str) and each for each in told):
            return ""
        return digest_of(vendor, *(str(each).lower() if vendor == "codex" else str(each) for each in told))


_READING = {
    "letter": LedgerReader._letter,
    "join": LedgerReader._join,
    "leave": LedgerReader._leave,
    "open": LedgerReader._open,
}


def _text(row: dict[str, Any], field: str) -> str:
    value = row.get(field)
    if not isinstance(value, str) or not value:
        raise NoObject(f"its field {field} is {'missing' if value is None else quoted(value)}")
    return value
