"""Turn: the office of the session whose hook runs, and what the events of a turn have in common."""

from __future__ import annotations

import os
import time

from mailstop import bells, faults
from mailstop.clients import registry
from mailstop.clients.caller import identify_hook
from mailstop.config import store_name
from mailstop.engines import is_absent, reopen_store
from mailstop.errors import MailstopError, StoreUnavailable
from mailstop.hooks.entry import say
from mailstop.office import Office
from mailstop.rules.offers import Terms
from mailstop.rules.proofs import STOP, TOOL, Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from mailstop.rules.offers import Offer

DUE_WORK_S = 1.0  # after which a hook rings no further door
PATIENCE_S = 50.0  # of a hook's 60 (plugin/mailstop/hooks/hooks.json): what took longer may never have arrived


class Turn:
    """A context manager: the event's session at its office, None when the session is not registered.

    The bell is silenced before anything is looked at and set again at the end while anything is open, so that a
    letter that comes in between is not missed.
    """

    def __init__(self, event: dict[str, Any]) -> None:
        self.event = event
        self._began = time.monotonic()
        self._office: Office | None = None

    def __enter__(self) -> Office | None:
        caller = identify_hook(self.event, os.environ)
        registration = caller.registration
        if registration is None:
            return None
        store = reopen_store(registration.store)
        try:
            self._office = Office(store, caller)
            self._enter(self._office)
        except BaseException:
            store.close()
            raise
        return self._office

    def _enter(self, office: Office) -> None:
        session = office.session
        if session is None:  # another file is in the store's place: not the same as no mail
            raise StoreUnavailable(path=store_name(office.store.url), reason="it does not know this session any more")
        bells.silence(session.bell)
        faults.reach("bell silenced")
        try:
            # Before anything is given: a client throws away what a hook wrote that runs too long, and what was
            # recorded as handed would then seem to be proved by the next event.
            office.do_due_work(seconds=DUE_WORK_S)
            office.note_mode(str(self.event.get("permission_mode") or ""))
        except MailstopError:
            bells.ring(session.bell)
            raise

    def __exit__(self, *_exception: object) -> None:
        if self._office is None:
            return
        try:
            self._leave(self._office)
        finally:
            self._office.store.close()

    def _leave(self, office: Office) -> None:
        try:
            office.set_bell()
            ring_for_other_stores(office)
        except MailstopError:  # whether anything waits is not known
            if office.session:
                bells.ring(office.session.bell)
            raise

    @property
    def turn(self) -> str:
        """The client's id of the turn."""
        return str(self.event.get("prompt_id") or self.event.get("turn_id") or "")

    @property
    def act(self) -> str:
        """What this event is called in the evidence of a receipt."""
        return f"{self.event['hook_event_name']} hook"

    def proves(self, office: Office, kind: str) -> None:
        """Record what this event proves."""
        office.prove(Event(kind, self.turn, str(self.event["hook_event_name"]), self._sent(office, kind)))

    def _sent(self, office: Office, kind: str) -> frozenset[str]:
        """The hands of which Codex's transcript says that a request has carried them.

        What its hooks gave in a turn that the model has ended was in a request of that turn: a prompt is taken in just
        before one, and the results of tools, with what hooks add to them, before the next.
        """
        hands = office.hands() if office.caller.client == "codex" and kind in (TOOL, STOP) else ()
        if not hands:
            return frozenset()
        from mailstop.clients.codex_transcript import in_request, output_mark
        from mailstop.fence import begin_line

        own = [hand.id for hand in hands if kind == STOP and hand.turn == self.turn]
        marks = {hand.id: begin_line(hand.nonce) if hand.nonce else output_mark(hand.call) for hand in hands}
        call = str(self.event.get("tool_use_id") or "")
        return in_request(str(self.event.get("transcript_path") or ""), marks, call).union(own)

    def gives(
        self,
        office: Office,
        answer: Callable[[Offer], dict[str, Any] | None],
        *,
        ready: bool,
        respect_claims: bool,
        if_waking: bool = False,
    ) -> bool:
        """Give the session what waits, in the answer that `answer` makes of it, and record that it was handed.

        Whether anything was given. For the rest see `Terms`.
        """
        terms = Terms(act=self.act, turn=self.turn, ready=ready, respect_claims=respect_claims, if_waking=if_waking)
        offer = office.offer(terms) if office.seats() else None
        value = answer(offer) if offer else None
        if value is not None:
            say(value)
            faults.reach("answer written")
        if offer and time.monotonic() - self._began < PATIENCE_S:
            office.handed(offer)
            faults.reach("answer recorded")
        return bool(offer and offer.letters)


def ring_for_other_stores(office: Office) -> None:
    """Leave the bell ringing when a session that shares it has anything open in another store.

    All threads of one CODEX_HOME share a bell, and this hook has silenced it.
    """
    session = office.session
    if session is None or session.client != "codex" or bells.is_ringing(session.bell):
        return
    for url in registry.stores_of(session.bell) - {office.store.url}:
        try:
            if is_absent(url):
                continue
            with reopen_store(url) as store:
                if Office(store, office.caller).any_open(session.bell):
                    bells.ring(session.bell)
        except MailstopError:  # what it holds is not known; its own sessions are told
            bells.ring(session.bell)
