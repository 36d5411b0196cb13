"""Bridge: roles of a lane and seats of a bag write to each other, for as long as a process runs it.

Each role that is played in the lane is a seat of its name in the bag. A session has one seat in a bag, so the bridge is
one session for each role, all of them bound to its process: when that is dead, the seats are free, and the next bridge
takes them. What each side sees of the other is then what it sees of its own: a letter in the bag comes from the role's
seat, with its budget, hops and receipts; a letter in the lane from the seat's name, in the file of that pair.

Which name is whose: a role of the lane is one that has written there or has a cursor there, unless somebody else sits,
or sat last, at the seat of that name. Such a seat is the bag's: the bridge reads the lane in its name.

Each letter once, whoever is killed when:
- lane to bag: the key of the letter is its lane id. The cursor moves once it is stored.
- bag to lane: the lane id is made of the letter's time and number, so it is the same each time. The letter is recorded
  as shown once it lies in the file; one that a dead bridge may have written is looked for in the file first.

What the store records as shown to such a seat was written to the lane, as the evidence says. Of who reads there,
nothing is known.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import select
from datetime import UTC, datetime, timedelta

from mailstop import bells, errors, faults, lanes, rules
from mailstop.clients import registry
from mailstop.clients.caller import PROGRAM, Caller
from mailstop.clients.facts import facts_of
from mailstop.clients.life import my_life
from mailstop.clients.program import new_token
from mailstop.config import store_path
from mailstop.engines import open_store
from mailstop.errors import MailstopError, NotFound, Refused
from mailstop.fence import Delivery
from mailstop.letter import LARGEST_BODY, Draft, is_kind
from mailstop.names import PERSON, RESERVED, in_bag, is_name, name_from
from mailstop.office import WATCH_BELL, Office
from mailstop.records import Record
from mailstop.rules.letters import LONGEST_ARTIFACT, LONGEST_KEY, MOST_ARTIFACTS
from mailstop.rules.offers import Terms
from mailstop.watcher import Watcher, among_watchers
from mailstop.wording import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Self

    from mailstop.engines.base import Store
    from mailstop.lanes import Envelope
    from mailstop.letter import Letter
    from mailstop.office import Sent

SLOW_LOOK_S = 60.0  # how often it looks though nothing rang: a seat may have come, or a refusal have ended
RETRY_S = 5.0  # after a store or a disk could not be used
MOST_SAID = 1_000  # lines that are not said again
AT_ONCE = 50  # letters of one file between two moves of the cursor

KEY_BEFORE = 16  # entries before a letter's among which its key's lies; it is the one before it, but for gaps

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Hold(Record):
    """A role of the lane whose seat the bridge holds. caller: the session that holds it."""

    role: str
    seat: str
    caller: Caller


class Stopped(Exception):
    """The letters of one file cannot go on now; they wait, and the reason was said."""


class Bridge:
    """The bridge between one lane and one bag. A context manager; its end frees the seats.

    lane: the folder. bag: its name. url: of the store. roles: of the lane; empty: those that are played there. say: is
    called with a line for each letter that was handed over, and each seat. warn: with one for what went wrong; None:
    `say` is. makes_store: whether a store that is not there is made.
    """

    def __init__(
        self,
        lane: str,
        bag: str,
        url: str,
        *,
        roles: Sequence[str] = (),
        say: Callable[[str], None],
        warn: Callable[[str], None] | None = None,
        makes_store: bool = True,
    ) -> None:
        self.lane = os.path.realpath(lane)
        self.bag = bag
        self.url = url
        self.trouble = ""  # what keeps it from working now
        self._roles = tuple(map(lanes.checked_role, roles))
        self._say = say
        self._warn = warn or say
        self._makes_store = makes_store
        self._ends: Sequence[int] = ()
        self._held: dict[str, Hold] = {}
        self._said: set[str] = set()
        self._searched_to: int | None = None  # up to this number, a bridge before this one may have written letters
        self._written: set[int] = set()  # numbers of letters that lie in the lane and are not recorded yet
        self._lock: int | None = None

    def __enter__(self) -> Self:
        self._hold_lock()
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def _hold_lock(self) -> None:
        """Hold the lock, also where the lane is another folder by now, in which another bridge may be the one.

        Raises LaneBridged, OSError.
        """
        store = os.path.realpath(store_path(self.url))  # one store, however it is named
        name = hashlib.blake2b(f"{store} {self.bag}".encode(), digest_size=8).hexdigest()
        path = os.path.join(self.lane, "_sync", f".mailstop-bridge-{name}.lock")
        if self._lock is not None:
            if _is_file_at(self._lock, path):
                return
            os.close(self._lock)
            self._lock = None
        if not os.path.isdir(self.lane):  # one that went away is not made anew: it may be a disk that comes back
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), self.lane)
        lanes.make(self.lane)
        self._lock = self._locked(path)
        self._searched_to = None
        self._written.clear()

    def _locked(self, path: str) -> int:
        """The lock of the one bridge between this lane and bag. Raises LaneBridged, OSError."""
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            raise errors.LaneBridged(path=self.lane, bag=self.bag) from None
        return lock

    def close(self) -> None:
        """Leave the seats, whose mail stays, and let another bridge begin."""
        try:
            self._leave()
        except MailstopError:  # the process is about to be gone, which proves the same
            pass
        self._held.clear()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def run(self, ends: Sequence[int] = ()) -> None:
        """Hand letters over until one of the `ends` is readable or hung up, or until interrupted."""
        self._ends = ends
        with lanes.Changes(self.lane) as changes, among_watchers(WATCH_BELL), Watcher(WATCH_BELL) as watcher:
            while True:
                if not bells.is_ringing(WATCH_BELL):
                    bells.ring(WATCH_BELL)
                    watcher.wait(0)
                changes.heard()  # before the look: what comes meanwhile is heard by the next one
                wait_s = self._tried()
                told = [] if changes.fd is None else [changes.fd]
                watcher.wait(wait_s if told else min(wait_s, 1.0), [*told, *ends])
                if self._is_over():
                    return

    def _is_over(self) -> bool:
        """Whether it is to end."""
        poll = select.poll()
        for descriptor in self._ends:
            poll.register(descriptor, select.POLLIN)
        return bool(self._ends) and bool(poll.poll(0))

    def _tried(self) -> float:
        """Look once, and say after how many seconds to look again though nothing rings."""
        try:
            self._hold_lock()
            wait_s = self.look()
        except BrokenPipeError:  # nobody hears what is said any more
            raise
        except MailstopError as error:
            self._troubled(error.message)
            if isinstance(error, errors.LaneBridged):
                self._leave_to_other()
        except OSError as error:
            self._troubled(f"the lane {self.lane} cannot be used: {error.strerror or error}")
        else:
            if self.trouble:
                self.trouble = ""
                self._warn(f"the lane {self.lane} and bag {self.bag} are bridged again")
            return wait_s
        return RETRY_S

    def _troubled(self, reason: str) -> None:
        if reason != self.trouble:
            self.trouble = reason
            self._warn(reason)

    def _leave_to_other(self) -> None:
        """Another bridge has the lane by now: let it have the seats as well."""
        try:
            self._leave()
        except MailstopError:  # tried again with the lock
            pass

    def _leave(self) -> None:
        """Leave all seats. Raises StoreUnavailable, Uncertain."""
        if self._held:
            with open_store(self.url, makes=False) as store:
                while self._held:
                    self._end(store, next(iter(self._held.values())))
                    del self._held[next(iter(self._held))]

    def look(self) -> float:
        """Hand over what waits on either side. Raises OSError, StoreUnavailable, Uncertain; what waits then still does.

        Returns after how many seconds to look again though nothing rings.
        """
        with open_store(self.url, makes=self._makes_store) as store:
            self._makes_store = False  # one that is lost is never replaced by an empty one
            if self._searched_to is None:
                self._searched_to = store.index.newest()
            self._sit(store)
            wait_s = SLOW_LOOK_S
            for hold in list(self._held.values()):
                if self._is_over():
                    break
                office = Office(store, hold.caller)
                if not self._still_sits(office, hold):
                    continue
                bells.silence(office.session.bell if office.session else "")
                self._to_lane(office, hold)
                wait_s = min(wait_s, self._to_bag(office, hold))
                office.do_due_work()
            return wait_s

    # -- seats -------------------------------------------------------------------------------------------------------

    def _sit(self, store: Store) -> None:
        """Take the seats of roles that have none yet."""
        for role in self._roles or self._played(store):
            if role in self._held:
                continue
            seat = seat_of(role)
            other = next((hold.role for hold in self._held.values() if hold.seat == seat), None)
            if other:
                self._warn_once(f"role {role} is not bridged: seat {seat} is that of role {other}")
                continue
            try:
                self._held[role] = self._take(store, role, seat)
            except Refused as error:
                self._warn_once(error.message)

    def _played(self, store: Store) -> list[str]:
        """The roles that somebody plays in the lane: who has written or has a cursor there, and is not the bag's."""
        return [role for role in self._names(reading=False) if not self._is_of_bag(store, role)]

    def _names(self, *, reading: bool) -> list[str]:
        """The names in the lane, by its files. reading: those of recipients too."""
        found: list[str] = []
        for name in sorted(os.listdir(os.path.join(self.lane, "_sync"))):
            pairs = lanes.roles_of(name)
            if len(pairs) == 1:
                found += pairs[0] if reading else pairs[0][:1]
            elif name.startswith(".cursor-") and name.endswith(".json"):
                found.append(name[len(".cursor-") : -len(".json")])
        return [role for role in dict.fromkeys(found) if _is_role(role)]

    def _is_of_bag(self, store: Store, role: str) -> bool:
        """Whether a name is a seat's of the bag rather than a role's of the lane."""
        name = seat_of(role)
        if name in RESERVED:
            return True
        seat = store.index.seat(self.bag, name)
        return seat is not None and bool(seat.holder) and seat.folder != self.lane

    def _take(self, store: Store, role: str, name: str) -> Hold:
        """A session of this process's at the seat of a role. Raises SeatTaken, and what `seat_to_take` raises."""
        seat = store.index.seat(self.bag, name)
        if seat and seat.session:
            rules.seats.refuse_held(rules.presence.holder_of(store, seat))  # before anything is written
        caller = Caller(PROGRAM, "program", new_token(), my_life())
        office = Office(store, caller)
        found = facts_of(caller, os.environ, folder=self.lane).but(folder=self.lane, worktree=self.lane)
        session = office.register(found, known=None, automatic=False).session
        written = registry.Registration.of(session, store=self.url, life=my_life())
        registry.write(written)
        office.caller = caller.but(registration=written)
        hold = Hold(role, name, office.caller)
        try:
            office.join(name, bag=self.bag)
        except MailstopError:
            self._end(store, hold)
            raise
        self._say(f"role {role} sits at seat {name}{in_bag(self.bag)}")
        return hold

    def _still_sits(self, office: Office, hold: Hold) -> bool:
        if any(seat.bag == self.bag and seat.name == hold.seat for seat in office.seats()):
            return True
        self._warn(f"role {hold.role} has lost seat {hold.seat}{in_bag(self.bag)}, and is no longer bridged")
        self._end(office.store, hold)
        del self._held[hold.role]
        return False

    def _end(self, store: Store, hold: Hold) -> None:
        Office(store, hold.caller).end()
        if hold.caller.registration:
            registry.remove(hold.caller.registration)
            bells.silence(hold.caller.registration.bell)

    # -- from the lane to the bag ------------------------------------------------------------------------------------

    def _to_bag(self, office: Office, hold: Hold) -> float:
        """Store what a role has written to the bag's seats; return after how many seconds to try again."""
        wait_s = SLOW_LOOK_S
        for reader in self._readers(hold.role):
            seat = seat_of(reader)
            if reader in self._held or not self._is_seat(office.store, seat):
                continue
            try:
                self._file_to_bag(office, hold, reader, seat)
            except errors.TooFast as error:
                wait_s = min(wait_s, float(error.details["seconds"]) + 1)
            except Stopped:
                continue
        return wait_s

    def _readers(self, role: str) -> list[str]:
        """To whom a role has written. A file whose name can be read in several ways is not bridged."""
        names = sorted(os.listdir(os.path.join(self.lane, "_sync")))
        pairs = [found[0] for name in names if len(found := lanes.roles_of(name)) == 1]
        return [reader for sender, reader in pairs if sender == role and reader != role and _is_role(reader)]

    def _is_seat(self, store: Store, name: str) -> bool:
        """Whether somebody sits, sat, or is written to at that seat; the person's is always there."""
        if name == PERSON:
            return True
        return name not in RESERVED and store.index.seat(self.bag, name) is not None

    def _file_to_bag(self, office: Office, hold: Hold, reader: str, seat: str) -> None:
        while True:
            found = lanes.look(self.lane, role=reader, from_role=hold.role, limit=AT_ONCE)
            for notice in found.notices:
                self._warn_once(notice)
            done = 0
            try:
                for file in found.files:
                    for letter in file.letters:
                        if self._is_over():
                            return
                        self._letter_to_bag(office, hold, seat, letter.envelope, letter.lines)
                        done += 1
            finally:
                # Also when it stopped: what is stored is not to be tried again. One that is killed before this does it
                # again with the same key.
                if done:
                    lanes.advance(self.lane, found.first(done))
            if not done:
                return

    def _letter_to_bag(self, office: Office, hold: Hold, seat: str, envelope: Envelope, line: int) -> None:
        """Store one letter. Raises Stopped or TooFast where it cannot be stored now."""
        draft = _draft(envelope, seat, self._number(office, hold, envelope.get("ref")))
        of_line = _key_of_line(envelope, line, draft)
        draft = draft.but(key=_lane_id(envelope) or of_line)
        try:
            sent: Sent | None = self._sent(office, hold, draft)
        except errors.KeyReused as error:
            sent = self._again(office, hold, draft.but(key=of_line), n=int(error.details["n"]))
        except (Refused, NotFound) as error:
            self._warn_once(f"role {hold.role} to seat {seat}: {error.message}")
            if isinstance(error, errors.TooFast):
                raise
            raise Stopped from None
        faults.reach("bridged to the bag")
        if sent and sent.new:
            self._say(f"{hold.role} -> {seat}: letter {sent.letter.n}")

    def _sent(self, office: Office, hold: Hold, draft: Draft) -> Sent:
        """Store it: where a question or a task is answered, as the answer that its sender waits for."""
        answered = office.store.index.letter(draft.ref) if draft.ref else None
        if answered and hold.seat in answered.to and (answered.sender,) == draft.to:
            try:
                return office.reply(answered.n, draft.but(ref=None))
            except (errors.KeyReused, errors.BudgetSpent, errors.NoBudget, errors.TooManyHops, errors.TooFast):
                raise
            except Refused:  # it is withdrawn, say, or no answer that it allows: then it is a letter like others
                pass
        return office.send(draft, bag=self.bag)

    def _again(self, office: Office, hold: Hold, draft: Draft, *, n: int) -> Sent | None:
        """Store a letter whose id was used before, by letter `n`; None when that is this very letter."""
        first = office.store.index.letter(n)
        if first and first.body == draft.body and first.to == draft.to:  # what it answers was not known the first time
            return None
        try:
            return self._sent(office, hold, draft)
        except errors.KeyReused:
            return None

    def _number(self, office: Office, hold: Hold, ref: object) -> int | None:
        """The number of the letter that a lane's letter refers to; None where that is none of this bag."""
        if not isinstance(ref, str) or not 0 < len(ref) <= LONGEST_KEY:
            return None
        at, _, digits = ref.partition("-")
        if at.isdigit() and at.isascii() and len(digits) == 8 and _is_hexadecimal(digits):
            letter = office.store.index.letter(int(digits, 16))
            if letter and letter.bag == self.bag and str(letter.at) == at:
                return letter.n
        writers = (Office(office.store, each.caller).writer(self.bag) for each in [hold, *self._held.values()])
        first = next((one for who in writers if (one := rules.letters.with_key(office.store, who, ref))), None)
        return first.n if first else None

    # -- from the bag to the lane ------------------------------------------------------------------------------------

    def _to_lane(self, office: Office, hold: Hold) -> None:
        """Write what waits at a role's seat to the lane. Raises OSError, and what waits then still does."""

        def written(letters: Sequence[Letter], more: int) -> Delivery:
            return Delivery("", tuple(letter.n for letter in letters if letter.n in self._written), (), more)

        looks = Terms("mailstop lane bridge", announced_too=True, hands_out=False, compose=_all_of)
        while letters := office.offer(looks, bag=self.bag).letters:
            for letter in letters:
                if letter.n not in self._written and not self._is_over():
                    self._letter_to_lane(office, hold, letter)
            offer = office.offer(looks.but(hands_out=True, compose=written), bag=self.bag)
            if not offer.letters:
                return
            office.shown(offer, f"written to the lane {self.lane}; who reads there does not tell")
            self._written.difference_update(letter.n for letter in offer.letters)
            if self._is_over():
                return

    def _letter_to_lane(self, office: Office, hold: Hold, letter: Letter) -> None:
        """Write one letter, unless it lies there. One that no lane can hold stays unread, and that is said."""
        try:
            envelope = lanes.made(
                lane_id_of(letter),
                _EPOCH + timedelta(milliseconds=letter.at),
                from_role=self._role_of(letter.sender),
                to_role=hold.role,
                kind=letter.kind,
                msg=_msg(letter),
                needs_reply=letter.needs_reply or letter.asks,
                ref=self._lane_ref(office.store, letter.ref),
                artifacts=list(letter.artifacts) or None,
            )
            is_new = lanes.put_once(self.lane, envelope, look=letter.n <= (self._searched_to or 0))
        except lanes.Refused as error:
            self._warn_once(f"letter {letter.n} to {hold.role} is not written: {error}")
            return
        faults.reach("bridged to the lane")
        self._written.add(letter.n)
        if is_new:
            self._say(f"{letter.sender} -> {hold.role}: letter {letter.n} is {envelope['id']}")

    def _role_of(self, seat: str) -> str:
        """By which name a seat writes in the lane: one that is there already, also with capital letters in it."""
        return next((role for role in self._names(reading=True) if seat_of(role) == seat), role_of(seat))

    def _lane_ref(self, store: Store, n: int | None) -> str | None:
        """The lane id of letter `n`: its own where it came from the lane, which is its key."""
        letter = store.index.letter(n) if n is not None else None
        if letter is None:
            return None
        if letter.sender in {hold.seat for hold in self._held.values()}:
            for entry in store.ledger.after(max(0, letter.n - KEY_BEFORE), limit=KEY_BEFORE):
                if entry.type == "key" and entry.data.get("letter") == letter.id and ".jsonl:" not in entry.data["key"]:
                    return str(entry.data["key"])
        return lane_id_of(letter)

    def _warn_once(self, line: str) -> None:
        if line not in self._said:
            if len(self._said) > MOST_SAID:
                self._said.clear()
            self._said.add(line)
            self._warn(line)


# -- names -----------------------------------------------------------------------------------------------------------


def seat_of(role: str) -> str:
    """The seat that a role of a lane has in a bag: of its name, or of the nearest one that a seat may have."""
    return role if is_name(role) else name_from(role)


def role_of(seat: str) -> str:
    """The role that a seat of a bag has in a lane: of its name, unless the name of a file could be read in two ways."""
    role = seat
    while "-to-" in role:
        role = role.replace("-to-", "_to_")
    if role.startswith("to-"):
        role = f"to_{role[3:]}"
    return f"{role[:-3]}_to" if role.endswith("-to") else role


def lane_id_of(letter: Letter) -> str:
    """The id by which a letter of the store is known in a lane: the same each time, and it holds the number."""
    return f"{letter.at}-{letter.n & 0xFFFFFFFF:08x}"


def _is_file_at(descriptor: int, path: str) -> bool:
    """Whether what is open is the file that is there now."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.lstat(path))
    except OSError:
        return False


def _is_role(name: str) -> bool:
    try:
        lanes.checked_role(name)
    except lanes.Refused:
        return False
    return True


# -- letters ---------------------------------------------------------------------------------------------------------


def _all_of(letters: Sequence[Letter], more: int) -> Delivery:
    """What is handed over is handed over whole."""
    return Delivery("", tuple(letter.n for letter in letters), (), more)


def _msg(letter: Letter) -> str:
    """The text of a letter in the lane. Where it was said, if it was said in a channel, stands above it."""
    said = f"said in #{letter.channel}:\n{letter.body}" if letter.channel else letter.body
    return said if len(said.encode()) <= lanes.LARGEST_MSG else letter.body


def _lane_id(envelope: Envelope) -> str:
    """The id of a letter where it can be a key; empty otherwise."""
    told = envelope.get("id")
    return told if isinstance(told, str) and 0 < len(told) <= LONGEST_KEY and told.isprintable() else ""


def _key_of_line(envelope: Envelope, line: int, draft: Draft) -> str:
    """The key of a letter that has no id of its own: its place, and what stands there, as files are begun anew."""
    content = hashlib.blake2b(f"{draft.kind} {draft.body}".encode(), digest_size=8).hexdigest()
    name = str(envelope["_source_file"])
    return f"{name if name.isprintable() else ascii(name)}:{line}:{content}"[-LONGEST_KEY:]


def _draft(envelope: Envelope, seat: str, ref: int | None) -> Draft:
    """The letter of a lane as one of the store: what does not fit into its fields stands above the text."""
    kind, extra = envelope.get("kind"), list[str]()
    if not isinstance(kind, str) or not is_kind(kind):
        extra += [] if kind is None else [f"kind: {_shown(kind)}"]
        kind = "note"
    artifacts: list[str] = []
    given = envelope.get("artifacts")
    for each in given if isinstance(given, list) else [] if given is None else [given]:
        fits = isinstance(each, str) and 0 < len(each) <= LONGEST_ARTIFACT and each.isprintable()
        if fits and len(artifacts) < MOST_ARTIFACTS:
            artifacts.append(each)
        else:
            extra.append(f"artifact: {_shown(each)}")
    if envelope.get("ref") is not None and ref is None:
        extra.append(f"answers: {_shown(envelope['ref'])}")
    return Draft(
        to=(seat,),
        body=_body(envelope.get("msg"), extra),
        kind=kind,
        needs_reply=bool(envelope.get("needs_reply")),
        ref=ref,
        artifacts=tuple(artifacts),
    )


def _body(msg: object, extra: list[str]) -> str:
    """A text that a letter may carry."""
    text = msg if isinstance(msg, str) else "" if msg is None else _shown(msg)
    text = text.replace("\0", "\u2400").encode("utf-8", "replace").decode()
    if not text.strip():
        text = "(this letter has no text)"
    head = "".join(f"{line.encode('utf-8', 'replace').decode()}\n" for line in extra)
    whole = f"{head}\n{text}" if head else text
    if len(whole.encode()) <= LARGEST_BODY:
        return whole
    left = f"\n(the rest is left out: the letter has {counted(len(text.encode()), 'byte')})"
    return whole.encode()[: LARGEST_BODY - len(left.encode())].decode("utf-8", "ignore") + left


def _shown(value: object) -> str:
    """A value of a lane's letter in a line of text."""
    if isinstance(value, str):
        return value.replace("\n", " ")[:LONGEST_ARTIFACT]
    from mailstop.json_text import dumps

    try:
        return dumps(value)[:LONGEST_ARTIFACT]
    except (ValueError, RecursionError):
        return "?"


def _is_hexadecimal(digits: str) -> bool:
    return frozenset("0123456789abcdef").issuperset(digits)
