"""mailstop check: show what is new, oldest first."""

from __future__ import annotations

import sys

from mailstop import bells
from mailstop.cli.arguments import NUMBER, SECONDS, Option
from mailstop.cli.letter_json import composed, letters_json
from mailstop.cli.result import Result
from mailstop.config import DELIVERY_BYTES
from mailstop.errors import TimedOut
from mailstop.names import PERSON
from mailstop.rules.offers import Terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from mailstop.cli.arguments import Arguments
    from mailstop.fence import Delivery
    from mailstop.letter import Letter
    from mailstop.office import Office
    from mailstop.rules.offers import Offer

PARAMETERS = (
    Option(("--peek",), "look only: the letters stay unread"),
    Option(("--wait",), "when no letter is there, wait for one, at most so many seconds", "S", kind=SECONDS),
    Option(("--max-bytes",), f"at most so many bytes at once (default {DELIVERY_BYTES})", "N", kind=NUMBER),
    Option(("--from",), "only letters of this seat", "SEAT"),
)


def run(office: Office, args: Arguments) -> Result:
    """Handout what waits to the caller, and record it as handed once it was written."""
    limit = args.max_bytes or DELIVERY_BYTES
    store = office.store_option

    def as_json(letters: Sequence[Letter], more: int) -> Delivery:
        return composed(letters, more, limit, store)

    terms = Terms(
        act="mailstop check",
        sender=getattr(args, "from"),
        limit_bytes=limit,
        announced_too=True,
        hands_out=not args.peek and not office.caller.subagent,  # its session's model would not see them
        call=office.caller.call if args.json else "",
        compose=as_json if args.json else None,
    )
    offer = office.offer(terms, bag=args.bag)
    if not _waits(offer) and args.wait is not None:
        offer = _waited(office, terms, args.bag, args.wait)
    data = letters_json(offer.letters, offer.more, offer.part, store)
    return Result(data, _text(offer, limit, store), written=lambda: written(office, offer))


def _waits(offer: Offer) -> bool:
    """Whether anything waits, though it may be too long to be given."""
    return bool(offer.letters or offer.more)


def _text(offer: Offer, limit_bytes: int, store: str) -> str:
    if offer.letters:
        return offer.text
    if not offer.more:
        return "no new letters"
    from mailstop.fence import nothing_fits

    return nothing_fits(offer.more, limit_bytes, store)


def _waited(office: Office, terms: Terms, bag: str | None, seconds: float) -> Offer:
    """Sleep on the caller's bell until something is there. Raises TimedOut."""
    import time

    from mailstop.engines.absent import AbsentStore

    if isinstance(office.store, AbsentStore):
        office.store.made()  # which says that there is none: nothing would come to it
    bell = office.session.bell if office.session else PERSON
    end = time.monotonic() + seconds
    from mailstop.watcher import Watcher

    with Watcher(bell) as watcher:
        while True:
            offer = office.offer(terms, bag=bag)
            left = end - time.monotonic()
            if _waits(offer):
                return offer
            if left <= 0:
                raise TimedOut(seconds=seconds)
            bells.silence(bell)
            watcher.wait(left)


def written(office: Office, offer: Offer) -> None:
    """Record that an offer was written out: shown on a person's terminal, handed anywhere else."""
    if office.is_person and sys.stdout.isatty():
        office.shown(offer, "printed on the person's terminal")
        return
    office.handed(offer)
    if offer.hands or (office.session and bells.is_ringing(office.session.bell)):
        office.set_bell()
