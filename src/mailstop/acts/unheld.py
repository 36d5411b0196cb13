"""Unheld: telling who wrote that a letter has waited for an hour at a seat where nobody sits. See rules/unheld.py."""

from __future__ import annotations

from mailstop import rules
from mailstop.engines.row import Delete
from mailstop.errors import Conflict, Refused
from mailstop.rules.letters import Rider

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from mailstop.engines.row import Row
    from mailstop.letter import Letter
    from mailstop.office import Office
    from mailstop.rules.presence import Holder
    from mailstop.seat import Seat


class _Told(Refused):
    """Others have told of all of these letters meanwhile."""


class Unheld:
    """What waits at the empty seats of a store, for the caller of one office."""

    def __init__(self, office: Office) -> None:
        self._office = office
        self._store = office.store

    def left(self, seats: Sequence[Seat]) -> None:
        """Nobody sits at these seats any more: note where letters wait."""
        now = self._office.clock()
        for seat in seats:
            if self._store.index.unread(seat.bag, seat.name, limit=1):
                changes = rules.unheld.awaited(self._store, seat.bag, seat.name, now=now)
                if changes:
                    self._store.board.change(changes)

    def do_due(self, row: Row) -> None:
        """Look at a seat because it is due."""
        bag, name, now = str(row.value["bag"]), str(row.value["seat"]), self._office.clock()
        found = rules.unheld.look(self._store, bag, name, seen=int(row.value["seen"]), now=now)
        senders = dict.fromkeys(letter.sender for letter in found.ripe)
        told = [self._tell(found.holder, [one for one in found.ripe if one.sender == each]) for each in senders]
        if not all(told):
            return  # the row stays due as it is: whoever looks next tells the rest
        if found.due is not None:
            self._store.board.change([rules.unheld.put(bag, name, found.seen, found.due)])
            return
        self._store.board.change([Delete(row.key)])
        # Who wrote since the look may have seen the row still there, and left it at that.
        again = rules.unheld.look(self._store, bag, name, seen=found.seen, now=now)
        if again.ripe or again.due is not None:
            self._store.board.change([rules.unheld.put(bag, name, found.seen, again.due or now)])

    def _tell(self, holder: Holder, letters: Sequence[Letter]) -> bool:
        """Tell one writer of these letters, as far as nobody has. Return whether all of them are told by now."""
        name = holder.seat.name

        def rider(_letter_id: str, _recipients: Sequence[Seat]) -> Rider:
            if any(rules.unheld.was_told(self._store, letter, name) for letter in letters):
                raise _Told()
            entries, expect = rules.unheld.told(letters, name, now=self._office.clock())
            return Rider(entries=entries, expect=expect)

        try:
            self._office.notify(rules.unheld.notice(letters, holder), bag=letters[0].bag, rider=rider)
        except (_Told, Conflict):
            left = [letter for letter in letters if not rules.unheld.was_told(self._store, letter, name)]
            if len(left) == len(letters):  # something else was in the way
                return False
            return not left or self._tell(holder, left)
        return True
