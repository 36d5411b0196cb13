"""Bearers: whom a token lets in, by the shared token and by those in the store.

Without any token everybody may come in who can reach this machine's own addresses. That ends with the first token that
is created, and does not begin again when tokens expire or are revoked: what was closed is never opened by a clock.
"""

from __future__ import annotations

import asyncio
import time

from mailstop import rules
from mailstop.errors import MailstopError
from mailstop.records import Record
from mailstop.times import now_ms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol, TypeVar

    from mailstop.engines.base import Store
    from mailstop.resident.shared_token import SharedToken

    T = TypeVar("T")

    class AtStore(Protocol):
        """How something is done at the store."""

        async def glance(self, act: Callable[[Store], T]) -> T:
            """What an act gives that reads a row or two."""

        async def run(self, act: Callable[[Store], T]) -> T:
            """What any act gives, in another thread than the event loop's."""


SEAT, HUMAN, SHARED = "seat", "human", "shared"
MISSING, DOUBLED = "missing", "doubled"  # beside what rules.tokens.judged says
_SCHEME = b"bearer"
_LONGEST = 4_096  # bytes of a token; longer ones are unknown


class Bearer(Record):
    """Who showed a token that counts.

    kind: SEAT, HUMAN, or SHARED, which says nothing of who it is. seat, bag: of a seat's token; of the person's `human`
    and no bag; else empty. id: of the token; `shared` for that one.
    """

    kind: str
    seat: str
    bag: str
    id: str


class Admission(Record):
    """Whether a request is let in. bearer: who; None where no token is needed. refused: why not; empty where it is let
    in. known: which token of ours was refused, for the log alone."""

    bearer: Bearer | None = None
    refused: str = ""
    known: str = ""


class Bearers:
    """Judges what requests show. One for each server; in the event loop.

    at_store: see AtStore. shared: the shared token. open_without: whether nobody needs a token while there never was
    one, as on loopback. clock: milliseconds since 1970.
    """

    def __init__(
        self,
        at_store: AtStore,
        *,
        shared: SharedToken | None = None,
        open_without: bool = False,
        clock: Callable[[], int] = now_ms,
    ) -> None:
        self._at_store = at_store
        self._shared = shared
        self._may_be_open = open_without and shared is None
        self._clock = clock
        self._noted: dict[str, float] = {}  # token: when its use was noted
        self._noting: set[asyncio.Task[None]] = set()

    async def admitted(self, authorizations: list[bytes]) -> Admission:
        """Judge the Authorization headers of a request. Raises StoreUnavailable where the store cannot be asked."""
        if not authorizations:
            return Admission(refused="" if await self._is_open() else MISSING)
        if len(authorizations) > 1:
            return Admission(refused=DOUBLED)
        text = token_in(authorizations[0])
        if text is None:
            return Admission(refused=rules.tokens.UNKNOWN)
        if self._shared is not None and self._shared.is_it(text):
            return Admission(Bearer(SHARED, "", "", SHARED))
        verdict = await self._at_store.glance(lambda store: rules.tokens.judged(store, text, now=self._clock()))
        token = verdict.token
        if token is not None:  # so there was one, whatever becomes of the store
            self._may_be_open = False
        if token is None or verdict.refused:
            return Admission(refused=verdict.refused, known=token.id if token else "")
        self._note(token.id)
        return Admission(Bearer(SEAT if token.bag else HUMAN, token.seat, token.bag, token.id))

    async def _is_open(self) -> bool:
        """Whether there never was a token, so that none is needed."""
        if self._may_be_open and await self._at_store.glance(lambda store: store.index.tokens.was_any_created()):
            self._may_be_open = False
        return self._may_be_open

    def _note(self, token_id: str) -> None:
        """Note a use on the board, meanwhile: nobody waits for that, and nothing hangs on it."""
        now = time.monotonic()
        if now - self._noted.get(token_id, -rules.tokens.USE_MS) < rules.tokens.USE_MS / 1000:
            return
        self._noted[token_id] = now
        task = asyncio.get_running_loop().create_task(self._note_at_store(token_id))
        self._noting.add(task)
        task.add_done_callback(self._noting.discard)

    async def _note_at_store(self, token_id: str) -> None:
        try:
            await self._at_store.run(lambda store: rules.tokens.note_use(store, token_id, now=self._clock()))
        except MailstopError:  # the store is busy, say; the next use is noted
            self._noted.pop(token_id, None)


def token_in(header: bytes) -> str | None:
    """The token in an Authorization header; None where it holds none, whatever else."""
    scheme, _, rest = header.strip().partition(b" ")
    token = rest.strip()
    if scheme.lower() != _SCHEME or not token or len(token) > _LONGEST:
        return None
    if not token.isascii() or b" " in token:
        return None
    return token.decode("ascii")
