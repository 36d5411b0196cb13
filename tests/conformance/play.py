"""A play: several players at one store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mailstop.letter import new_id
from mailstop.names import DEFAULT_BAG
from mailstop.session import Session
from tests.conformance.clock import Clock
from tests.conformance.player import PersonPlayer, Player, SessionPlayer, stranger
from tests.conformance.process import Process

if TYPE_CHECKING:
    from collections.abc import Callable

    from mailstop.engines.base import Store
    from mailstop.receipt import Receipt
    from mailstop.seat import Seat


class Play:
    """Makes players, keeps their processes, and looks at the store from outside."""

    def __init__(self, store: Callable[[], Store], config_folder: str) -> None:
        """store: opens the store of the play anew, as another process would."""
        self.store = store
        self.clock = Clock()
        self.person = PersonPlayer(self)
        self.stranger: Player = stranger(self)
        self._config_folder = config_folder
        self._processes: list[Process] = []
        self._seated: dict[tuple[str, str], SessionPlayer] = {}

    def close(self) -> None:
        """End all processes."""
        for process in self._processes:
            process.end()

    def process(self) -> Process:
        """A new process, which lives until the play is over."""
        process = Process()
        self._processes.append(process)
        return process

    def player(
        self,
        client: str = "claude",
        *,
        project: str = "app",
        branch: str = "",  # none: in a folder without a repository
        on_default_branch: bool = True,
        folder: str = "/srv/app",
        mode: str = "",
        socket: str = "",
        client_session: str = "",
    ) -> SessionPlayer:
        """A session that was not started yet."""
        details = {"config_folder": self._config_folder, "socket": socket}
        found = Session(
            id="",
            client=client,
            client_session=client_session or new_id(),
            life={},
            bell="",
            folder=folder,
            project=project,
            project_id=f"git:{folder}/.git",
            branch=branch,
            worktree=folder,
            on_default_branch=on_default_branch,
            mode=mode,
            hooked=True,
            details=details,
        )
        return SessionPlayer(self, self.process(), found)

    def as_(self, seat: str, bag: str = DEFAULT_BAG) -> SessionPlayer:
        """Whoever sits at that seat; a new session takes it at the first call."""
        if (seat, bag) not in self._seated:
            player = self.player()
            player.start(automatic=False)
            player.join(seat, bag)
            self._seated[seat, bag] = player
        return self._seated[seat, bag]

    # -- what the store says

    def seat(self, name: str, bag: str = DEFAULT_BAG) -> Seat:
        with self.store() as store:
            seat = store.index.seat(bag, name)
        assert seat is not None
        return seat

    def state(self, n: int, seat: str) -> str:
        """The furthest state that is proved of a letter at a recipient."""
        with self.store() as store:
            return next(delivery.state for delivery in store.index.deliveries(n) if delivery.seat == seat)

    def receipts(self, n: int, seat: str | None = None) -> list[Receipt]:
        """All that was proved of a letter, oldest first."""
        with self.store() as store:
            return [receipt for receipt in store.index.receipts(n) if seat in (None, receipt.seat)]

    def states(self, n: int, seat: str | None = None) -> list[str]:
        """The states that were proved, oldest first."""
        return [receipt.state for receipt in self.receipts(n, seat)]

    def letters(self) -> list[str]:
        """The bodies of all letters in the default bag, oldest first."""
        with self.store() as store:
            records = store.index.history(bag=DEFAULT_BAG, limit=10_000).records
        return [body for record in records if (body := getattr(record, "body", None)) is not None]

    def entries(self) -> int:
        """How many entries the ledger has."""
        with self.store() as store:
            return len(store.ledger.after(0, limit=1_000_000))

    def rows(self, prefix: str = "") -> list[str]:
        """The keys of the board's rows."""
        with self.store() as store:
            return [row.key for row in store.board.under(prefix)]
