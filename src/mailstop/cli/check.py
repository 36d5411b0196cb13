"""mailstop check: show what is new, oldest first."""

from __future__ import annotations

from mailstop import bells
from mailstop.cli.arguments import NUMBER, SECONDS, Option
from mailstop.cli.letter_json import letters_json
from mailstop.cli.result import Result
from mailstop.config import DELIVERY_BYTES
from mailstop.errors import TimedOut
from mailstop.names import PERSON
from mailstop.rules.offers import Terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.cli.arguments import Arguments
    from mailstop.office import Office
    from mailstop.rules.offers import Offer

PARAMETERS = (
    Option(("--peek",), "look only: the letters stay unread"),
    Option(("--wait",), "wait so long for a letter when none is there", "S", kind=SECONDS),
    Option(("--max-bytes",), f"at most so many bytes at once (default {DELIVERY_BYTES})", "N", kind=NUMBER),
    Option(("--from",), "only letters of this seat", "SEAT"),
)


def run(office: Office, args: Arguments) -> Result:
    """Lease what waits to the caller, and record it as handed once it was written."""
    terms = Terms(
        act="mailstop check",
        sender=getattr(args, "from"),
        limit_bytes=args.max_bytes or DELIVERY_BYTES,
        announced_too=True,
        lease=not args.peek and not office.caller.subagent,  # its session's model would not see them
        call=office.caller.call if args.json else "",
    )
    offer = office.offer(terms, bag=args.bag)
    if not offer.letters and args.wait is not None:
        offer = _waited(office, terms, args.bag, args.wait)
    data = letters_json(offer.letters, offer.more)
    return Result(data, offer.text if offer.letters else "no new letters", written=lambda: _written(office, offer))


def _waited(office: Office, terms: Terms, bag: str | None, seconds: float) -> Offer:
    """Sleep on the caller's bell until something is there. Raises TimedOut."""
    import time

    from mailstop.engines.absent import AbsentStore

    if isinstance(office.store, AbsentStore):
        office.store.made()  # which says that there is none: nothing would come to it
    bell = office.session.bell if office.session else PERSON
    end = time.monotonic() + seconds
    with bells.Watcher(bell) as watcher:
        while True:
            offer = office.offer(terms, bag=bag)
            left = end - time.monotonic()
            if offer.letters:
                return offer
            if left <= 0:
                raise TimedOut(seconds=seconds)
            bells.silence(bell)
            watcher.wait(left)


def _written(office: Office, offer: Offer) -> None:
    if office.is_person:
        office.shown(offer, "printed on the person's terminal")
        return
    office.handed(offer)
    if offer.hands or (office.session and bells.is_ringing(office.session.bell)):
        office.set_bell()
