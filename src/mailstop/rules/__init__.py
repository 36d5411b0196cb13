"""Rules: one subject a file, its guards first.

A subject is loaded when it is first asked for, so that a check which finds nothing loads few of them:
`rules.letters.store_letter(...)` after `from mailstop import rules`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from mailstop.rules import (
        asks,
        brakes,
        budgets,
        chains,
        channels,
        hands,
        held,
        imports,
        leaders,
        leases,
        letters,
        notices,
        offers,
        pools,
        presence,
        proofs,
        receipts,
        rings,
        roster,
        routes,
        seats,
        sessions,
        settlements,
        silence,
        sweeps,
        tasks,
        tellings,
        tenure,
        tokens,
        unheld,
        waiting,
        waits,
    )

    __all__ = [
        "asks",
        "brakes",
        "budgets",
        "chains",
        "channels",
        "hands",
        "held",
        "imports",
        "leaders",
        "leases",
        "letters",
        "notices",
        "offers",
        "pools",
        "presence",
        "proofs",
        "receipts",
        "rings",
        "roster",
        "routes",
        "seats",
        "sessions",
        "settlements",
        "silence",
        "sweeps",
        "tasks",
        "tellings",
        "tenure",
        "tokens",
        "unheld",
        "waiting",
        "waits",
    ]
else:

    def __getattr__(subject: str) -> ModuleType:
        """The rules of a subject (PEP 562)."""
        try:
            return __import__(f"{__name__}.{subject}", fromlist=["_"])
        except ModuleNotFoundError:
            raise AttributeError(f"there are no rules about {subject!r}") from None
