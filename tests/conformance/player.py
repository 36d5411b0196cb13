"""A player: one session, or the person, that takes part in the mail of a store.

Each act opens the store, does one thing at an office and closes it again, as each command and each hook does.
"""

from __future__ import annotations

import json
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from mailstop.clients import life
from mailstop.clients.caller import CLIENT, PERSON, PROGRAM, STRANGER, Caller
from mailstop.clients.registry import Registration, bell_name
from mailstop.doors.base import NOTIFIED, Outcome
from mailstop.doors.claude_monitor import Listening
from mailstop.letter import Draft, new_id
from mailstop.names import DEFAULT_BAG
from mailstop.office import Office, Registered, Sent
from mailstop.reading import Account
from mailstop.rules.offers import Offer, Terms
from mailstop.rules.proofs import ANSWER_OVER, PROMPT, STOP, TOOL, Event
from mailstop.rules.seats import Seated
from mailstop.seat import Seat
from mailstop.session import Session
from tests.conformance.process import Process

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.conformance.play import Play

MOST_READS = 100


class Player:
    """Somebody who writes and reads. Unless it is the person, it lives as long as its process."""

    def __init__(self, play: Play, caller: Caller) -> None:
        self.play = play
        self.caller = caller

    @contextmanager
    def at_office(self) -> Iterator[Office]:
        """An office of its own on a store opened for it, for what no verb below does."""
        with self.play.store() as store:
            yield Office(store, self.caller, clock=self.play.clock)

    # -- letters

    def send(self, *to: str, body: str = "hello", bag: str = DEFAULT_BAG, **fields: Any) -> Sent:
        with self.at_office() as office:
            return office.send(Draft(to, body, **fields), bag=bag)

    def reply(self, n: int, body: str = "my answer", *, to_all: bool = False, **fields: Any) -> Sent:
        with self.at_office() as office:
            return office.reply(n, Draft((), body, **fields), to_all=to_all)

    def say(self, channel: str = "", body: str = "hello all", *, bag: str = DEFAULT_BAG, **fields: Any) -> Sent:
        wake_all = fields.pop("wake_all", None)
        with self.at_office() as office:
            return office.channels.say(Draft((), body, channel=channel, **fields), bag=bag, wake_all=wake_all)

    def subscribe(self, channel: str, bag: str = DEFAULT_BAG) -> bool:
        with self.at_office() as office:
            return office.channels.subscribe(channel, bag=bag)[1]

    def offered(self, bag: str | None = None, **terms: Any) -> Offer:
        """What `mailstop check` would print now, handed out, and not yet written."""
        with self.at_office() as office:
            return office.offer(Terms(**{"act": "mailstop check", "announced_too": True, **terms}), bag=bag)

    def hand(self, offer: Offer) -> None:
        with self.at_office() as office:
            office.handed(offer)

    def check(self, bag: str | None = None, **terms: Any) -> Offer:
        """`mailstop check`, up to its end: what it gave is handed."""
        offer = self.offered(bag, **terms)
        self.hand(offer)
        return offer

    def check_killed_before_its_end(self) -> Offer:
        """`mailstop check` in a process that dies when it has handed out letters and before it has written them."""
        process = self.play.process()
        with patch.object(life, "my_life", lambda: process.life):
            offer = self.offered()
        process.end()
        return offer

    def peek(self) -> list[str]:
        """The bodies that a check would give, without giving them."""
        return [letter.body for letter in self.offered(hands_out=False).letters]

    def account(self, n: int) -> Account:
        with self.at_office() as office:
            return office.reading.account(n)

    def seats(self) -> list[str]:
        """The names of the seats it holds, in order of their bags."""
        with self.at_office() as office:
            return [seat.name for seat in office.seats()]


class SessionPlayer(Player):
    """A session of a client, or of a program."""

    def __init__(self, play: Play, process: Process, found: Session) -> None:
        who = PROGRAM if found.client == "program" else CLIENT
        life = process.life
        bell = bell_name(found.client, pid=life.pid, token=found.client_session)
        self.process = process
        self.found = found.but(life=life.as_dict(), bell=bell)
        super().__init__(play, Caller(who, found.client, found.client_session, life))
        self.turn = ""

    @property
    def id(self) -> str:
        """Our id of the session."""
        assert self.caller.registration is not None
        return self.caller.registration.session

    # -- how a session comes and goes

    def start(self, *, seat: str | None = None, automatic: bool = True) -> Registered:
        """SessionStart: at a launch, after `/clear`, after compaction and at a resume alike."""
        known = self.caller.registration
        with self.at_office() as office:
            registered = office.register(
                self.found, known=known.session if known else None, seat=seat, automatic=automatic
            )
            url = office.store.url
        found = self.found
        self.caller = self.caller.but(
            registration=Registration(
                found.client, found.client_session, registered.session.id, url, self.process.life, found.folder
            )
        )
        return registered

    def clear(self) -> Registered:
        """`/clear`: the same process goes on under another id of the vendor's."""
        self.found = self.found.but(client_session=new_id())
        self.caller = self.caller.but(client_session=self.found.client_session)
        return self.start()

    def die(self) -> None:
        """kill -9."""
        self.process.end()

    def end(self) -> None:
        """SessionEnd, and the end of the process."""
        with self.at_office() as office:
            office.end()
        self.die()

    def another_process(self) -> SessionPlayer:
        """A second process on the same session of the vendor's, as `--resume` makes it, not yet started."""
        return SessionPlayer(self.play, self.play.process(), self.found)

    def resumed(self) -> SessionPlayer:
        """The session resumed in a new process."""
        player = self.another_process()
        player.start()
        return player

    # -- seats

    def join(self, name: str, bag: str = DEFAULT_BAG) -> Seated:
        with self.at_office() as office:
            return office.join(name, bag=bag)

    def leave(self, bag: str = DEFAULT_BAG) -> Seat:
        with self.at_office() as office:
            return office.leave(bag=bag)

    # -- its turns, as hooks tell of them

    def prove(self, kind: str, name: str = "") -> tuple[int, ...]:
        """An event of the running turn."""
        with self.at_office() as office:
            return office.prove(Event(kind, self.turn, name or kind))

    def hook(
        self, *, ready: bool = True, respect_claims: bool = False, if_waking: bool = False, act: str = "a hook"
    ) -> Offer:
        """A hook of the running turn gives what waits, and has written it."""
        terms = Terms(act, turn=self.turn, ready=ready, respect_claims=respect_claims, if_waking=if_waking)
        with self.at_office() as office:
            offer = office.offer(terms)
            office.handed(offer)
        return offer

    def prompted(self) -> Offer:
        """A prompt opens a turn, and its hook shows what waits."""
        self.turn = new_id()
        self.prove(PROMPT)
        return self.hook(ready=False, act="UserPromptSubmit hook")

    def goes_on(self) -> tuple[int, ...]:
        """The model answers with a tool call, twice: whatever the session was given in this turn is proved."""
        return *self.prove(ANSWER_OVER), *self.prove(TOOL)

    def stops(self) -> tuple[int, ...]:
        """The turn ends: what the hook does about it, while the client still says that it is busy."""
        proved = self.prove(STOP)
        with self.at_office() as office:
            office.end_turn()
            office.do_due_work()
        return proved

    def reads(self) -> list[str]:
        """Check, go on, and return the bodies that were shown so."""
        bodies = [letter.body for letter in self.check().letters]
        self.goes_on()
        return bodies

    def reads_all(self) -> list[str]:
        """Check until nothing is left, and return the bodies that were shown so."""
        read: list[str] = []
        for _ in range(MOST_READS):
            more = self.reads()
            read += more
            if not more:
                return read
        raise AssertionError(f"there is no end of letters: {read[-3:]}")

    # -- its doors

    def is_busy(self, busy: bool = True) -> None:
        """Let the client's own registry say that a turn runs, or that none does."""
        folder = Path(self.found.details["config_folder"]) / "sessions"
        folder.mkdir(parents=True, exist_ok=True)
        life = self.process.life
        entry = {"pid": life.pid, "procStart": str(life.start), "status": "busy" if busy else "shell"}
        (folder / f"{life.pid}.json").write_text(json.dumps(entry))

    def monitor(self) -> AbstractContextManager[Listening]:
        """Its plugin's monitor listens while the block runs."""
        return Listening(self.found.bell)

    def rung(self, *numbers: int) -> None:
        """The prompt of a ring for these letters has come."""
        with self.at_office() as office:
            office.answer_ring(numbers)

    def monitor_rings(self) -> list[int]:
        """The monitor wakes and rings for what it should; return the numbers it rang for."""
        with self.at_office() as office:
            office.do_due_work()
            found = office.to_announce()
            if found:
                begun = office.announcing(found)
                office.announced(begun, Outcome(NOTIFIED, "the session's monitor printed the line"))
            return [letter.n for _, letter, _ in found]


class PersonPlayer(Player):
    """The person, at a terminal of their own."""

    def __init__(self, play: Play) -> None:
        super().__init__(play, Caller(PERSON))

    def reads(self) -> list[str]:
        """`mailstop check` at a terminal: printed is shown."""
        offer = self.offered()
        with self.at_office() as office:
            office.shown(offer, "printed on the person's terminal")
        return [letter.body for letter in offer.letters]


def stranger(play: Play) -> Player:
    """A process without a session: it may look, not write."""
    return Player(play, Caller(STRANGER))
