"""Office: what callers may ask for.

One office serves one caller on one store. It knows who is calling and lets the rules decide; it knows nothing of
command lines, hooks or protocols. Synchronous; times are milliseconds since 1970.
"""

from __future__ import annotations

from mailstop import bells, errors, rules
from mailstop.errors import MailstopError
from mailstop.names import DEFAULT_BAG, PERSON, checked_name, in_bag, nearest
from mailstop.records import Record
from mailstop.rules.presence import Holder, holder_of, lives, session_of
from mailstop.seat import Seat, tasks_key
from mailstop.session import WAITING, chain_key, handout_key
from mailstop.times import now_ms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence

    from mailstop.acts.asks import Asks
    from mailstop.acts.budgets import Budgets
    from mailstop.acts.channels import Channels
    from mailstop.acts.exporting import Exporting
    from mailstop.acts.importing import Importing
    from mailstop.acts.leaders import Leaders
    from mailstop.acts.leases import Leases
    from mailstop.acts.presence import OwnPresence
    from mailstop.acts.probes import Probes
    from mailstop.acts.tasks import Tasks
    from mailstop.acts.tokens import Tokens
    from mailstop.acts.unheld import Unheld
    from mailstop.clients.caller import Caller
    from mailstop.doors.base import Outcome
    from mailstop.engines.base import Store
    from mailstop.engines.row import Delete, Put, Row
    from mailstop.letter import Draft, Letter
    from mailstop.reading import Reading
    from mailstop.rules.channels import Rest
    from mailstop.rules.hands import Hand
    from mailstop.rules.letters import Ride
    from mailstop.rules.offers import Offer, Terms
    from mailstop.rules.routes import Route
    from mailstop.rules.seats import Seated
    from mailstop.rules.tellings import Told
    from mailstop.rules.tenure import Writer
    from mailstop.session import Session

    Announced = tuple[Seat, Letter, Route]  # a letter that a monitor rings for, at its seat, by its route


MOST_TASKS = 20  # that a session is told of when it starts
OPENING_MS = 1_500  # a prompt's hook runs so long, at most, after its client began to say that it is busy

# What a row of the board that falls due begins with, before its "/": the act that does its work, by `do_due(row)`.
_DUTIES: dict[str, str] = {"task": "tasks", "freed": "leases", "unheld": "unheld", "probe": "probes"}

WAITS = "waits"  # the row of the board that holds who waits for an answer (rules/waits.py)
WATCH_BELL = "watch"  # rung for every letter while its file exists, which whoever watches makes


class Sent(Record):
    """A letter that is stored, and what became of it at each recipient. new: False when its key was used before.

    Of one that was said in a channel, recipients are the readers whom it wakes, and rest are the others.
    """

    letter: Letter
    recipients: tuple[Told, ...]
    new: bool = True
    rest: Rest | None = None


class Registered(Record):
    """A session that was written down: its seat, whether it goes on with an earlier one, and what waits.

    owed: letters that it was shown and has not answered. left_owing: how many others of its seat are not answered, from
    before it sat there. tasks: numbers of open ones that lie with its seats. leads: the project that it leads; leader:
    else the seat that leads the project of its own.
    """

    session: Session
    seated: Seated | None
    resumed: bool
    held: tuple[Seat, ...] = ()
    waiting: int = 0
    announced: int = 0
    owed: tuple[Letter, ...] = ()
    ended: tuple[tuple[str, int], ...] = ()
    left_owing: int = 0
    tasks: tuple[int, ...] = ()
    leads: str = ""
    leader: str = ""


class Office:
    """The rules of one store, for one caller."""

    def __init__(self, store: Store, caller: Caller, *, clock: Callable[[], int] = now_ms) -> None:
        self.store = store
        self.caller = caller
        self.clock = clock
        self._session: Session | None = None
        self._looked_up = False
        # A seat is guarded by what it was when it was looked up, so it need not be looked up for each letter.
        self._writers: dict[str, Writer] = {}

    # -- who is calling -----------------------------------------------------------------------------------------------

    @property
    def is_person(self) -> bool:
        """Whether the caller is the person."""
        return self.caller.who == "person"

    @property
    def session(self) -> Session | None:
        """The caller's session, None for the person and for a program that has not joined."""
        if not self._looked_up:
            registration = self.caller.registration
            self._session = session_of(self.store, registration.session) if registration else None
            self._looked_up = True
        return self._session

    def forget_session(self) -> None:
        """What was looked up of the caller's session is out of date; it is looked up anew when it is asked for."""
        self._looked_up = False

    @property
    def session_id(self) -> str:
        """What handouts are kept under: the session's id; the person's are kept under `human`."""
        if self.is_person:
            return PERSON
        session = self.session
        if session is None:
            raise self._must_join(DEFAULT_BAG)
        return session.id

    def seats(self) -> list[Seat]:
        """The seats the caller holds, in all bags; the person has one in each."""
        if self.is_person:
            bags = self.store.index.bags() or [DEFAULT_BAG]
            return [self.store.index.seat(bag, PERSON) or Seat(bag, PERSON) for bag in bags]
        session = self.session
        return self.store.index.seats_of(session.id) if session else []

    def writer(self, bag: str) -> Writer:
        """As whom the caller writes in a bag. Raises MustJoin."""
        if self.is_person:
            return rules.tenure.Writer(bag, PERSON, None, PERSON, client="person")
        session = self.session
        own = next((seat for seat in self.seats() if seat.bag == bag), None)
        if session is None or own is None:
            raise self._must_join(bag)
        return rules.tenure.Writer(bag, own.name, own, session.id, session.client, session.project)

    def _must_join(self, bag: str) -> errors.MustJoin:
        """The refusal for a caller without a seat in a bag: how it lost the one it had there, and how to take one."""
        command = self.joining(bag)
        session = self.session
        ended = self.store.index.stay_ended(session.id, bag) if session else None
        if ended is None:
            return errors.MustJoin(where=in_bag(bag), command=command)
        return rules.seats.lost(ended, command)

    def joining(self, bag: str = DEFAULT_BAG) -> str:
        """The command that gives the caller a seat in a bag."""
        from mailstop.clients.stores import joining

        return joining(self.caller, bag, self.store.url, has_session=self.session is not None)

    @property
    def store_option(self) -> str:
        """What the caller's commands have to say to mean this store; see clients/stores.option_for."""
        from mailstop.clients.stores import option_for

        return option_for(self.caller, self.store.url)

    @property
    def reading(self) -> Reading:
        """What the caller may look at."""
        from mailstop.reading import Reading

        return Reading(self)

    @property
    def channels(self) -> Channels:
        """What the caller may say and read in channels."""
        from mailstop.acts.channels import Channels

        return Channels(self)

    @property
    def budgets(self) -> Budgets:
        """Budgets and limits."""
        from mailstop.acts.budgets import Budgets

        return Budgets(self)

    @property
    def asks(self) -> Asks:
        """Questions."""
        from mailstop.acts.asks import Asks

        return Asks(self)

    @property
    def tasks(self) -> Tasks:
        """What the caller may do about tasks."""
        from mailstop.acts.tasks import Tasks

        return Tasks(self)

    @property
    def leases(self) -> Leases:
        """What is taken, so that no other takes it."""
        from mailstop.acts.leases import Leases

        return Leases(self)

    @property
    def unheld(self) -> Unheld:
        """What waits at empty seats."""
        from mailstop.acts.unheld import Unheld

        return Unheld(self)

    @property
    def probes(self) -> Probes:
        """Whether what listens for the caller hears."""
        from mailstop.acts.probes import Probes

        return Probes(self)

    @property
    def tokens(self) -> Tokens:
        """What clients show over the network."""
        from mailstop.acts.tokens import Tokens

        return Tokens(self)

    @property
    def importing(self) -> Importing:
        """What the person brings along from elsewhere."""
        from mailstop.acts.importing import Importing

        return Importing(self)

    @property
    def exporting(self) -> Exporting:
        """What the caller takes along: a file of what was written."""
        from mailstop.acts.exporting import Exporting

        return Exporting(self)

    def require_person(self, act: str) -> None:
        """Raise PersonOnly unless the person calls."""
        if not self.is_person:
            raise errors.PersonOnly(act=act)

    @property
    def leaders(self) -> Leaders:
        """Who leads a project."""
        from mailstop.acts.leaders import Leaders

        return Leaders(self)

    def claim_vacant(self, *, anew: bool = True) -> None:
        """Let the caller's session lead its project if it is one that does so by itself, and nobody leads it.

        anew: it has just told where it works, or that it starts.
        """
        if self.session is None or not self.session.may_lead or self.caller.sandboxed:
            return
        if anew or not self._leads():  # which a leader need not be asked at the end of each of its turns
            self.leaders.claim_vacant(anew=anew)

    def _leads(self) -> bool:
        """Whether the caller's session leads anything."""
        return self.session is not None and self.store.index.leads(self.session.id)

    @property
    def presence(self) -> OwnPresence:
        """What the caller's session shows of itself."""
        from mailstop.acts.presence import OwnPresence

        return OwnPresence(self)

    # -- sessions and seats -------------------------------------------------------------------------------------------

    def register(
        self, found: Session, *, known: str | None, seat: str | None = None, automatic: bool = True
    ) -> Registered:
        """Write down the caller's session and seat it.

        found: what its client tells of it. known: our id of this very process, when it was registered before.
        seat: a name that its person has set for it, unless it goes on with a seat that was taken on purpose. Otherwise
        the session keeps what it holds, or, when `automatic`, gets the seat of its folder.
        """
        now = self.clock()
        session, resumed = rules.sessions.register(self.store, found, known, now=now)
        self._session, self._looked_up = session, True
        held = self.store.index.seats_of(session.id)
        ancestry = self.caller.trail
        seated = None
        chosen = any(own.bag == DEFAULT_BAG and not own.automatic for own in held)
        if seat and not chosen:  # what was taken on purpose is kept: the same variable is there at each `/clear`
            seated = rules.seats.take(self.store, session, seat, now=now, ancestry=ancestry)
        elif automatic and not held:
            seated = rules.seats.take_automatically(self.store, session, now=now, ancestry=ancestry)
        self.claim_vacant()
        return self._registered(session, seated, resumed)

    def _registered(self, session: Session, seated: Seated | None, resumed: bool) -> Registered:
        index = self.store.index
        held = tuple(index.seats_of(session.id))
        self.seats_changed(*held)
        waiting = sum(index.count_unread(seat.bag, seat.name) for seat in held)
        due = [(seat, letter) for seat in held for letter in index.owed(seat.bag, seat.name)]
        owed = tuple(letter for seat, letter in due if letter.n > seat.announced)
        announced = sum(
            index.count_unread(seat.bag, seat.name, until=seat.announced) for seat in held if seat.announced
        )
        vacated = seated.vacated if seated else ()
        ended = tuple((name, index.count_unread(DEFAULT_BAG, name, said=False)) for name in vacated)
        leads, leader = self._leading(held)
        return Registered(
            session,
            seated,
            resumed,
            held,
            waiting,
            announced,
            owed,
            ended,
            left_owing=len(due) - len(owed),
            tasks=self._open_tasks(held),
            leads=leads,
            leader=leader,
        )

    def _open_tasks(self, seats: Sequence[Seat]) -> tuple[int, ...]:
        """The numbers of open tasks that lie with these seats, as many as anybody is told of at once."""
        having = [seat for seat in seats if self.store.board.get(tasks_key(seat.bag, seat.name))]
        if not having:
            return ()
        tasks = self.store.index.tasks
        found = (tasks.held(seat.bag, seat.name, only_open=True, limit=MOST_TASKS) for seat in having)
        return tuple(task.n for some in found for task in some)

    def _leading(self, held: Sequence[Seat]) -> tuple[str, str]:
        """The project that the caller leads from the first of its seats, or the seat that leads that one's project."""
        if not held or not self.store.index.was_led(held[0].bag, held[0].project_id):
            return "", ""
        place = self.leaders.post(held[0].bag)
        if place.leads is None:
            return "", ""
        return (place.project, "") if place.is_led_from(held[0]) else ("", place.leads.seat)

    def note_mode(self, mode: str) -> None:
        """The client tells its permission mode; it decides which doors may be rung."""
        if self.session is not None and mode and mode != self.session.mode:
            self._session = self.session.but(mode=mode)
            rules.sessions.note(self.store, self._session, mode=mode)

    def join(self, name: str, *, bag: str = DEFAULT_BAG) -> Seated:
        """Take a seat on purpose. Raises MustJoin where there is no session yet, InvalidName, SeatTaken."""
        checked_name(bag, "bag")
        session = self.session
        if session is None:
            raise self._must_join(bag)
        if self._leads():
            seated = self.leaders.move(name, bag)
        else:
            seated = rules.seats.take(self.store, session, name, bag=bag, now=self.clock(), ancestry=self.caller.trail)
        if self.session and self.session.may_lead and not self.caller.sandboxed:  # in this bag too, whatever it leads
            self.leaders.claim_vacant(anew=False)
        self.set_bell()  # for what waits there
        left = [Seat(bag, seated.left)] if seated.left else []
        self.seats_changed(seated.seat, *left)
        return seated

    def leave(self, *, bag: str = DEFAULT_BAG) -> Seat:
        """Leave the seat in a bag; its mail stays. Raises NotSeated."""
        if self.is_person:
            raise errors.PersonStays()
        if self.session is None:
            raise errors.NotSeated(where=in_bag(bag))
        leads = self._leads()
        left = (
            self.leaders.leave(bag) if leads else rules.seats.leave(self.store, self.session, bag=bag, now=self.clock())
        )
        self.seats_changed(left)
        self._note_left([left])
        return left

    def end(self) -> None:
        """The caller's session has ended. Its seats stay, and what waits there."""
        if self.session is not None:
            bells.silence(self.session.bell)
            if not (self._leads() and self.leaders.end()):
                rules.sessions.end(self.store, self.session, now=self.clock())
            self.seats_changed(*self.seats())
            self._note_left(self.seats())
            if self.session.client == "codex":
                self.set_bell()  # for the other threads that share it
            else:
                bells.silence(bells.prompt_bell(self.session.bell))

    def seats_changed(self, *seats: Seat) -> None:
        """Somebody has sat down at these seats, or is gone: tell those who wait for an answer from there, the givers of
        the open tasks that lie there, and who waits for what was taken from there."""
        for tell in (self._tell_who_asks, self._tell_who_gives, self._tell_who_waits):
            for seat in seats:
                try:
                    tell(seat)
                except MailstopError:  # what the caller came for is done; whoever looks next settles it
                    continue

    def _note_left(self, seats: Sequence[Seat]) -> None:
        """Nobody sits at these seats any more: who wrote what waits there is told after a while."""
        try:
            if any(self.store.index.unread(seat.bag, seat.name, limit=1) for seat in seats):
                self.unheld.left(seats)
        except MailstopError:  # what the caller came for is done
            return

    def _tell_who_asks(self, seat: Seat) -> None:
        if self.store.board.get(WAITS):
            self.asks.seat_changed(seat)

    def _tell_who_gives(self, seat: Seat) -> None:
        if self.store.board.get(tasks_key(seat.bag, seat.name)):
            self.tasks.look(seat.bag, seat.name)

    def _tell_who_waits(self, _seat: Seat) -> None:
        if self.store.board.under(WAITING, limit=1):
            self.leases.let_go()

    def sweep(self) -> None:
        """Take away what sessions left behind that are over; a bounded part each time, and nothing from a sandbox."""
        if self.caller.sandboxed:
            return
        try:
            rules.sweeps.sweep(self.store, now=self.clock())
        except MailstopError:  # what the caller came for is done; the next one sweeps
            return

    # -- letters ------------------------------------------------------------------------------------------------------

    def send(self, draft: Draft, *, bag: str = DEFAULT_BAG, rider: Ride | None = None) -> Sent:
        """Store a letter, then ring its recipients. Raises a refusal before anything is stored.

        rider: see `rules.letters.store_letter`.
        """
        self.checked_bag(bag)
        known = self._writers.get(bag)
        if known:
            try:
                return self._send(known, draft, rider)
            except errors.SeatLost:  # or another process of this session has taken another seat
                del self._writers[bag]
        self._writers[bag] = self.writer(bag)
        return self._send(self._writers[bag], draft, rider)

    def notify(self, draft: Draft, *, bag: str, rider: Ride | None = None) -> Sent:
        """Store a notice of mailstop's own, from its postmaster, then ring its recipients."""
        return self._send(rules.tenure.postmaster(bag), draft, rider)

    def _send(self, writer: Writer, draft: Draft, rider: Ride | None) -> Sent:
        from mailstop.letter import NOBODY  # for who writes; a look does without it

        claimed: dict[str, tuple[Holder, Route | None]] = {}
        wakes = rules.letters.whom_it_wakes(draft)

        def claims(letter_id: str, recipients: Sequence[Seat]) -> Sequence[Put | Delete]:
            claimed.clear()
            if draft.channel:
                holders = rules.channels.woken(self.store, writer.bag, draft.channel, writer.name, wakes)
            else:
                holders = [holder_of(self.store, seat) for seat in recipients]
            for holder in holders:
                sealed = self.caller.sandboxed
                route = rules.routes.first_route(holder, letter_id, now=self.clock(), sealed=sealed)
                claimed[holder.seat.name] = (holder, route if wakes != NOBODY else None)
            routes = [route for _, route in claimed.values() if route and route.way != rules.routes.VISIT]
            empty = [] if draft.channel else [name for name, (holder, _) in claimed.items() if holder.present is None]
            return [
                *(route.put() for route in routes),
                *self._unheld(writer, empty),
                *self._answered(writer, draft, recipients),
            ]

        letter, new = rules.letters.store_letter(
            self.store, writer, draft, now=self.clock(), claims=claims, rider=rider
        )
        if new and bells.is_ringing(WATCH_BELL):
            bells.ring(WATCH_BELL)
        if not new:
            told = [self._told_again(letter, name) for name in letter.to]
        else:
            told = [self._tell(letter, name, *way) for name, way in claimed.items()]
        if self.session and any(one.way == rules.routes.SEALED for one in told):
            bells.ring(self.session.bell)  # its own next hook runs outside of the sandbox, and does what is due
        rest = self._ring_rest(letter, claimed if new else ()) if letter.channel else None
        return Sent(letter, tuple(told), new, rest)

    def _unheld(self, writer: Writer, names: Sequence[str]) -> Sequence[Put]:
        """The changes of the board when a letter comes to wait where nobody sits."""
        if writer.seat is None and writer.name != PERSON:  # mailstop's own notices are nobody's to be told of
            return ()
        now = self.clock()
        others = [name for name in names if name != PERSON]
        return [put for name in others for put in rules.unheld.awaited(self.store, writer.bag, name, now=now)]

    def _ring_rest(self, letter: Letter, rung: Container[str]) -> Rest:
        """Ring the bells of the readers whom a letter does not wake; whatever happens there, it is stored."""
        try:
            return rules.channels.ring_others(self.store, letter, rung)
        except (Exception, KeyboardInterrupt):
            return rules.channels.Rest()

    def _answered(self, writer: Writer, draft: Draft, recipients: Sequence[Seat]) -> Sequence[Put | Delete]:
        """The changes of the board when a letter answers another: nothing needs to be rung for that one any more."""
        first = self.store.index.letter(draft.ref) if draft.ref and writer.seat else None
        if first is None or writer.seat is None or all(seat.name != first.sender for seat in recipients):
            return ()
        return rules.routes.settled(self.store, writer.seat, [first.id], now=self.clock())

    def _tell(self, letter: Letter, name: str, holder: Holder, route: Route | None) -> Told:
        """Ring one recipient; whatever happens there touches no other recipient and not what is stored."""
        if name == PERSON:
            bells.ring(PERSON)
            return rules.tellings.Told(name, "stored", "none", "the person sees it in a terminal: mailstop check")
        try:
            sealed = self.caller.sandboxed
            return rules.tellings.tell(self.store, holder, letter, route, now=self.clock(), sealed=sealed)
        except (Exception, KeyboardInterrupt):  # whatever it is: the letter is stored, and its claim falls due
            return rules.tellings.Told(name, "stored", route.way if route else "none", rules.tellings.NOT_RUNG)

    def _told_again(self, letter: Letter, name: str) -> Told:
        """Of a letter that was stored before with its key: who sent it may have died before it could ring the bell."""
        state = self._state(letter, name)
        holder = holder_of(self.store, self.store.index.seat(letter.bag, name) or Seat(letter.bag, name))
        if state == "stored" and holder.present:
            bells.ring(holder.present.bell)
        return rules.tellings.Told(name, state, "none", "stored before with this key; no door is rung again")

    def _state(self, letter: Letter, name: str) -> str:
        found = [delivery for delivery in self.store.index.deliveries(letter.n) if delivery.seat == name]
        return found[0].state if found else "stored"

    def reply(self, n: int, draft: Draft, *, to_all: bool = False, bag: str | None = None) -> Sent:
        """Answer letter `n`, in its bag, to its author. Raises NoReply, and what `letter` and `send` raise."""
        letter = self.letter(n, bag=bag)
        writer = self.writer(letter.bag)
        to = rules.letters.reply_recipients(letter, writer.name, to_all=to_all)
        answer = draft.but(to=to, ref=letter.n)
        if letter.asks and writer.name in letter.to:
            return self.asks.reply(letter, answer)
        rider = self.tasks.answering(letter, writer, draft.body) if letter.task else None
        return self.send(answer, bag=letter.bag, rider=rider)

    def checked_bag(self, bag: str) -> None:
        """Raise UnknownBag unless somebody has joined or written in the bag."""
        checked_name(bag, "bag")
        if bag == DEFAULT_BAG:
            return
        known = self.store.index.bags()
        if bag not in known:
            near = nearest(bag, known)
            listed = f" (nearest: {', '.join(near)})" if near else ""
            raise errors.UnknownBag(name=bag, listed=listed, nearest=near, command=self.joining(bag))

    def letter(self, n: int, *, bag: str | None = None) -> Letter:
        """Letter `n`. Raises UnknownNumber, and OtherBag where it is not in the bag that the caller names."""
        letter = self.store.index.letter(n)
        if letter is None:
            raise errors.UnknownNumber(n=n, newest=self.store.index.newest())
        if bag not in (None, letter.bag):
            raise errors.OtherBag(n=n, bag=letter.bag, asked=bag)
        return letter

    def offer(self, terms: Terms, *, bag: str | None = None) -> Offer:
        """What waits for the caller, handed out to it. Write it, then call `handed`, or `shown` for the person."""
        if terms.sender is not None:
            checked_name(terms.sender)
        if bag is not None:
            self.checked_bag(bag)
        own = [seat for seat in self.seats() if bag is None or seat.bag == bag]
        if not own and not self.is_person:
            raise self._must_join(bag or DEFAULT_BAG)
        if terms.sender is not None:
            rules.letters.known_sender(self.store, [seat.bag for seat in own], terms.sender)
        terms = terms.but(store=self.store_option)
        offer = rules.offers.offer(self.store, self.session_id, own, terms, now=self.clock())
        if offer.hands and self.session and self.session.tells_of_prompts and any(each.hops for each in offer.letters):
            bells.ring(bells.prompt_bell(self.session.bell))
        return offer

    def handed(self, offer: Offer) -> None:
        """The offer was written to the caller completely. To the person: elsewhere than onto their terminal, and
        nothing will prove that they saw it."""
        if offer.hands:
            keep = not self.is_person
            rules.receipts.record_handed(self.store, self.session_id, offer.hands, now=self.clock(), keep=keep)

    def shown(self, offer: Offer, evidence: str) -> None:
        """The offer was put before the person's own eyes."""
        if offer.hands:
            rules.receipts.record_shown(self.store, self.session_id, offer.hands, evidence=evidence, now=self.clock())

    def given_back(self, offer: Offer) -> None:
        """The offer did not reach the caller's client, not whole at any rate: its letters are offered again."""
        if offer.hands:
            rules.hands.give_back(self.store, self.session_id, offer.hands)

    def withdrawn(self, offer: Offer) -> None:
        """The caller's client has thrown the offer away, though it was written: its letters are offered again."""
        if offer.hands:
            rules.receipts.record_handed(self.store, self.session_id, offer.hands, now=self.clock(), keep=False)

    def waiting(self) -> int:
        """How many letters wait for the caller that it was not given yet."""
        own = self.seats()
        handout = rules.hands.handout_of(self.store, self.session_id) if own else None
        return sum(
            max(0, self.store.index.count_unread(seat.bag, seat.name) - len(handout.numbers(seat)))
            for seat in own
            if handout
        )

    def prove(self, event: rules.proofs.Event) -> tuple[int, ...]:
        """The caller's client told of an event; return the letters that it proves shown."""
        return rules.receipts.prove(self.store, self.session_id, event, now=self.clock())

    def called(self) -> None:
        """A program uses mailstop again: what it was given before has reached it."""
        if self.caller.who == "program" and self.session and self.store.board.get(handout_key(self.session.id)):
            self.prove(rules.proofs.Event(rules.proofs.CALL, name="its next call"))

    # -- rings and bells ----------------------------------------------------------------------------------------------

    def to_announce(self) -> list[Announced]:
        """The letters that the session's monitor should ring for now."""
        if self.session is None:
            return []
        return rules.rings.to_announce(self.store, self.session, self.seats(), now=self.clock())

    def unrung(self, after: int) -> list[Letter]:
        """The caller's new letters behind number `after` that no door is to bring, oldest first; a page of them."""
        if self.session is None:
            return []
        return rules.rings.unrung(self.store, self.session, self.seats(), after=after)

    def announcing(self, found: Sequence[Announced]) -> list[Announced]:
        """The monitor is about to ring for these."""
        begun = rules.rings.begin(self.store, [(letter, route) for _, letter, route in found], now=self.clock())
        return [(place, letter, route) for (place, _, _), (letter, route) in zip(found, begun, strict=True)]

    def announced(self, begun: Sequence[Announced], outcome: Outcome) -> None:
        """The monitor has rung for these, with this outcome."""
        for seat in dict.fromkeys(seat for seat, _, _ in begun):
            own = [(letter, route) for place, letter, route in begun if place == seat]
            rules.rings.settle(self.store, seat, own, outcome, now=self.clock())

    def answer_ring(self, numbers: Sequence[int]) -> None:
        """The prompt of a ring for these letters has come."""
        for seat in self.seats():
            changes = rules.routes.answered_rings(self.store, seat, numbers)
            if changes:
                self.store.board.change(changes)

    def person_prompted(self) -> None:
        """The person has written a prompt of their own in the session's window: what it was given before counts no
        longer for the hops of its letters."""
        session = self.session
        if session is None:
            return
        if session.client != "codex" or not self._shares_bell_elsewhere(session):
            bells.silence(bells.prompt_bell(session.bell))  # rung again for the threads that share it, see `set_bell`
        rules.chains.person_spoke(self.store, session.id)

    def _shares_bell_elsewhere(self, session: Session) -> bool:
        """Whether threads that share a session's bell have their mail in other stores, where nobody looks now."""
        from mailstop.clients.registry import stores_of

        return bool(stores_of(session.bell) - {self.store.url})

    def _awaits_prompt(self, session: Session) -> bool:
        """Whether a session was given letters since the person's last word, or another that shares its prompt bell."""
        own = self.store.board.get(chain_key(session.id))
        if own and own.value["hops"]:
            return True
        if session.client != "codex":
            return False
        rows = self.store.board.under(chain_key(""))
        others = (session_of(self.store, row.key.removeprefix(chain_key(""))) for row in rows if row.value["hops"])
        return any(other and other.bell == session.bell for other in others)

    def is_in_turn(self) -> bool:
        """Whether a turn was running before the prompt whose hook calls; False where the client does not tell."""
        if self.session is None or self.session.client != "claude":
            return False
        from mailstop.clients.claude_code import is_busy

        return is_busy(self.session.details, self.session.life, before=self.clock() - OPENING_MS)

    def hands(self) -> tuple[Hand, ...]:
        """What the caller's session was given and has not yet proved."""
        return rules.hands.handout_of(self.store, self.session_id).hands

    def is_watched(self) -> bool:
        """Whether a person may be watching the caller's session, or it joined to be woken unwatched."""
        return self.session is not None and lives(self.session) is not False

    def turn_over(self, turn: str) -> None:
        """The caller's turn is over, whatever its client still calls it; empty: it goes on after all."""
        if self.session is not None and self.session.over != turn:
            self._session = self.session.but(over=turn)
            rules.sessions.note(self.store, self._session, over=turn)

    def end_turn(self, *, agents: bool = False, goes_on: bool = False) -> None:
        """The session's turn is over: what its hooks were to show is now for a door to ring for, and who waits for an
        answer of it hears that it is at rest.

        agents: subagents still work, and until they are done the client says that it is busy. goes_on: it goes on with
        what it was given at its end.
        """
        if self.session is not None and self.session.agents != agents:
            self._session = self.session.but(agents=agents)
            rules.sessions.note(self.store, self._session, agents=agents)
        for seat in self.seats():
            changes = rules.routes.released(self.store, seat, now=self.clock())
            if changes:
                self.store.board.change(changes)
        rests = not agents and not goes_on
        if rests and any(self.store.index.asked(seat.bag, seat.name, shown=True) for seat in self.seats()):
            self.asks.went_idle()

    def set_bell(self) -> None:
        """Leave the session's bell ringing while anything waits, is unproved or is awaited, else silent."""
        if self.session is None:
            return
        bells.silence(self.session.bell)  # before the look: what is rung meanwhile stays
        if self._awaits_prompt(self.session):
            bells.ring(bells.prompt_bell(self.session.bell))
        is_codex = self.session.client == "codex"
        if self.any_open(self.session.bell) if is_codex else self._anything_open(self.session):
            bells.ring(self.session.bell)

    def any_open(self, bell: str) -> bool:
        """Whether anything is open here for a session that has this bell, and lives; or due, for its next hook to do.

        All threads of one CODEX_HOME share theirs.
        """
        if rules.routes.has_passed(self.store.board.next_due(), self.clock()):
            return True
        # By the seats that are held, not by the sessions that are known: those of a month are.
        held = {str(seat.session) for seat in self.store.index.held_by("codex")}
        found = (session for each in held if (session := session_of(self.store, each)) and session.bell == bell)
        return any(self._anything_open(session) and lives(session) is not False for session in found)

    def _anything_open(self, session: Session) -> bool:
        if self.store.board.get(handout_key(session.id)):
            return True
        for seat in self.store.index.seats_of(session.id):
            if self.store.index.unread(seat.bag, seat.name, after=seat.announced, limit=1):
                return True
            if self.store.board.under(rules.routes.routes_of(seat.bag, seat.name)):
                return True
        return False

    def do_due_work(self, *, seconds: float = 5.0) -> int:
        """Do what fell due in the store, whosever it is, and begin nothing more after so long; return how much."""
        if not rules.routes.has_passed(self.store.board.next_due(), self.clock()):
            return 0
        sealed = self.caller.sandboxed
        return rules.rings.do_due_work(
            self.store, now=self.clock(), sealed=sealed, seconds=seconds, elsewhere=self._do_due
        )

    def _do_due(self, row: Row) -> None:
        """Do the due work of a row that is no route; who does it puts the row away, or sets its next deadline."""
        act = _DUTIES.get(row.key.partition("/")[0])
        if act:
            getattr(self, act).do_due(row)
