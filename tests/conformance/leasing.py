"""Leasing: what players take, in the words of a test."""

from __future__ import annotations

from typing import Any

from mailstop.clients.project import Place
from mailstop.clients.resources import Reader
from mailstop.lease import Lease, Resource
from mailstop.rules.held import Verdict
from mailstop.rules.leases import Took, Wish
from tests.conformance.player import Player

FOLDER = "/srv/app"
HOUR_S = 3600


def read(word: str, *, project: str = "app", folder: str = FOLDER) -> Resource:
    """What a word means in a folder that is not there; here a bare word is a path, too."""
    if word.isalnum():
        word = f"path:{word}"
    return Reader(folder, lambda: Place(project, f"git:{project}", "", "", True, folder)).read(word)


def take(player: Player, *words: str, bag: str = "default", wait_s: float | None = None, **wish: Any) -> Took:
    """Take what the words mean."""
    with player.at_office() as office:
        return office.leases.take(Wish(tuple(map(read, words)), **wish), bag=bag, wait_s=wait_s)


def renew(player: Player, *words: str, bag: str = "default", **how: Any) -> tuple[Lease, ...]:
    """Renew what the words mean; without any, all."""
    with player.at_office() as office:
        return office.leases.renew(list(map(read, words)) or None, bag=bag, **how)


def release(player: Player, *words: str, bag: str = "default") -> tuple[Lease, ...]:
    """Release what the words mean; without any, all."""
    with player.at_office() as office:
        return office.leases.release(list(map(read, words)) or None, bag=bag)


def verdicts(player: Player, *words: str, **how: Any) -> list[Verdict]:
    """What a check says."""
    with player.at_office() as office:
        return office.leases.check(list(map(read, words)), **how)


def state(player: Player, word: str, **how: Any) -> str:
    """What a check says of one resource: `free`, `mine` or `taken`."""
    (verdict,) = verdicts(player, word, **how)
    return verdict.state


def holders(player: Player, word: str) -> list[str]:
    """The seats whose leases count there."""
    (verdict,) = verdicts(player, word)
    return [lease.seat for lease in verdict.leases]
