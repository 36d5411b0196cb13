"""Lease table: leases as people and models read them."""

from __future__ import annotations

from mailstop.cleaning import one_line, plain_line
from mailstop.cli.standing import name_text
from mailstop.cli.table import table, terminal_width
from mailstop.fence import client_text
from mailstop.names import DEFAULT_BAG, PERSON
from mailstop.rules.held import objective_of, told
from mailstop.times import clock_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from mailstop.lease import Lease
    from mailstop.office import Office
    from mailstop.rules.held import Verdict

HEADING = ("resource", "seat", "client", "since", "until", "term", "project", "for")
LONGEST = 200  # characters of a path, an objective, a note
MOST_LINES = 20  # of leases in the way; a program is told all


def leases_text(office: Office, leases: Sequence[Lease], own: AbstractSet[tuple[int, int]]) -> str:
    """A table of leases."""
    if not leases:
        return "nothing is taken"
    return table(HEADING, [_row(office, lease, lease.id in own) for lease in leases], terminal_width(), free=("for",))


def _row(office: Office, lease: Lease, mine: bool) -> tuple[str, ...]:
    seat = name_text(lease.seat) + ("" if lease.bag == DEFAULT_BAG else f" in {name_text(lease.bag)}")
    what_for = " / ".join(text for text in (objective_of(office.store, lease), lease.note) if text)
    return (
        one_line(lease.resource.label, LONGEST) + (" (shared)" if lease.shared else ""),
        seat + (" (you)" if mine else ""),
        "person" if lease.session == PERSON else client_text(lease.client),
        clock_text(lease.since),
        clock_text(lease.until),
        str(lease.term),
        one_line(lease.resource.project, LONGEST) or "-",
        one_line(what_for, LONGEST) or "-",
    )


def taken_text(office: Office, taken: Sequence[Verdict], term: int | None = None) -> str:
    """What a check found that is taken: a line for each lease in the way. term: of the taking that was asked about."""
    lines = []
    for verdict in taken:
        said = [_whole(verdict, told(office.store, lease)) for lease in verdict.leases]
        if term is None:
            lines += [f"taken: {each}" for each in said]
            continue
        stale = f"stale: {verdict.resource.label}: term {term} does not hold it"
        now = [f"{each}, term {lease.term}" for each, lease in zip(said, verdict.leases, strict=True)]
        lines += [f"{stale}; {each}" for each in now or ["nobody holds it now"]]
    more = len(lines) - MOST_LINES
    lines = lines[:MOST_LINES] + ([f"and {more} more: --json"] if more > 0 else [])
    return "\n".join(map(plain_line, lines))


def _whole(verdict: Verdict, lease: str) -> str:
    shown = verdict.resource.label
    return lease if lease.startswith(f"{shown} ") else f"{shown}: {lease}"
