"""Watching: a line for each new letter, for a person. It sleeps on a bell, consumes nothing, and ends with Ctrl-C.

The bell named `watch` is rung for every letter of the user while its file exists. Whoever watches makes the file, and
the last one removes it, so it costs a sender nothing while nobody watches; after a kill -9 it stays until a later watch
ends. A sender with another home folder, who cannot ring it, is seen at the next slow look.
"""

from __future__ import annotations

import os
import sys

from mailstop import bells
from mailstop.cli.letter_json import letter_json
from mailstop.cli.opening import store_at
from mailstop.cli.output import pipe
from mailstop.clients.caller import identify
from mailstop.clients.stores import store_of
from mailstop.fence import preview
from mailstop.json_text import dumps
from mailstop.office import WATCH_BELL, Office
from mailstop.watcher import Watcher, among_watchers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mailstop.cli.arguments import Arguments
    from mailstop.cli.result import Result
    from mailstop.clients.caller import Caller
    from mailstop.letter import Letter

SLOW_LOOK_S = 60.0


def watch(args: Arguments) -> Result:
    """Print what waits for the person, then each letter when it comes. Ends by KeyboardInterrupt or BrokenPipeError."""
    caller = identify(os.environ)
    watching = Watching(caller, store_of(caller, args.store), args.bag, as_json=args.json)
    output = pipe()
    with among_watchers(WATCH_BELL), Watcher(WATCH_BELL) as watcher:
        bells.ring(WATCH_BELL)
        watching.start()
        if sys.stderr.isatty():
            print("watching for letters; Ctrl-C ends it", file=sys.stderr)
        while True:
            woken = watcher.wait(SLOW_LOOK_S, output)
            if woken.ready:  # nobody reads any more
                raise BrokenPipeError
            watching.look()


class Watching:
    """What one watcher has seen of a store."""

    def __init__(self, caller: Caller, store: str, bag: str | None, *, as_json: bool) -> None:
        self._caller = caller
        self._store = store
        self._bag = bag
        self._as_json = as_json
        self._place = 0

    def start(self) -> None:
        """Print what waits for the person; from here on every letter is new."""
        with store_at(self._caller, self._store) as store:
            office = Office(store, self._caller)
            if self._bag is not None:
                office.checked_bag(self._bag)
            self._place = store.index.newest()
            # What comes between the two looks is behind the place, and printed by the next look.
            waiting = list(_waiting(office, self._bag, until=self._place)) if office.is_person else []
        self._print(waiting)

    def look(self) -> None:
        """Print what has come since the last look."""
        if not bells.is_ringing(WATCH_BELL):  # somebody tidied up
            bells.ring(WATCH_BELL)
        letters, before = [], -1
        with store_at(self._caller, self._store) as store:
            office = Office(store, self._caller)
            while before != self._place:
                before = self._place
                found, self._place = office.reading.written_since(before, bag=self._bag)
                letters += found
        self._print(letters)

    def _print(self, letters: Sequence[Letter]) -> None:
        for letter in letters:
            line = dumps(letter_json(letter)) if self._as_json else preview(letter)
            sys.stdout.buffer.write(line.encode("utf-8", "backslashreplace") + b"\n")
        sys.stdout.buffer.flush()


def _waiting(office: Office, bag: str | None, *, until: int) -> Iterator[Letter]:
    """All that waits for the caller, up to a number."""
    for seat in office.seats():
        after = 0
        while bag in (None, seat.bag):
            page = office.store.index.unread(seat.bag, seat.name, after=after)
            if not page:
                break
            yield from (letter for letter in page if letter.n <= until)
            after = page[-1].n
