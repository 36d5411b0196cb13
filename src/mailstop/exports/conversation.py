"""Conversation: letters as those formats take them that are for reading."""

from __future__ import annotations

from mailstop.letter import Letter
from mailstop.receipt import Receipt
from mailstop.records import Record

LONGEST_SUBJECT = 100  # characters


class Written(Record):
    """A letter of a conversation. receipts: what was proved of it. name: of an imported one in its source."""

    letter: Letter
    receipts: tuple[Receipt, ...] = ()
    name: str = ""

    @property
    def subject(self) -> str:
        """The first line of its text, which is what a conversation is called by."""
        first = next((line.strip() for line in self.letter.body.split("\n") if line.strip()), "")
        return first if len(first) <= LONGEST_SUBJECT else f"{first[: LONGEST_SUBJECT - 1]}…"

    @property
    def sender(self) -> str:
        """Who wrote it; of an imported letter as its source says."""
        return self.letter.sender

    @property
    def whom(self) -> str:
        """To whom it was written, or where it was said."""
        if self.letter.channel:
            return f"#{self.letter.channel}"
        return ", ".join(self.letter.to)

    @property
    def states(self) -> list[tuple[str, str]]:
        """For each recipient the last thing that was proved, in the order of its recipients."""
        last = {receipt.seat: receipt.state for receipt in self.receipts}
        if self.letter.imported or self.letter.channel:
            return []
        return [(seat, last.get(seat, "stored")) for seat in self.letter.to]

    @property
    def labels(self) -> list[str]:
        """What else is to be known of it."""
        told = [] if self.letter.kind == "note" else [self.letter.kind]
        told += ["asks, and its sender waits"] if self.letter.asks else []
        told += ["wants a reply"] if self.letter.needs_reply and not self.letter.asks else []
        told += ["final"] if self.letter.final else []
        if self.letter.imported:
            told.append(f"imported: {self.name}, of which nothing is proved here")
        return told
