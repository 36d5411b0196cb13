"""Rows: what letters, moves and receipts are made of in the tables."""

from __future__ import annotations

from mailstop import errors
from mailstop.json_text import loads
from mailstop.letter import letter_from

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mailstop.history import Move
    from mailstop.letter import Letter
    from mailstop.receipt import Delivery, Receipt


def letter_of(row: tuple[Any, ...], path: str) -> Letter:
    """The letter of a row. path: of the store, for the error. Raises StoreDamaged."""
    n, letter_id, at, bag, text, body, ref, thread = row
    try:
        return letter_from(n, letter_id, at, bag, loads(text), body, ref, thread)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise errors.StoreDamaged(path=path, reason=f"entry {n} is no letter: {error}") from None


def move_of(row: tuple[Any, ...], path: str) -> Move:
    """The taking or leaving of a seat that a row tells of. path: of the store, for the error. Raises StoreDamaged."""
    from mailstop.history import Move

    n, at, bag, seat, act, text = row
    try:
        data = loads(text)
        if "source" in data:
            told = (data.get("client", ""), data.get("project", ""), data.get("reason", ""), data["source"])
            return Move(n, at, bag, f"{data['source']}:{data['seat']}", data["act"], *told)
        return Move(n, at, bag, seat, act, data.get("client", ""), data.get("project", ""), data.get("reason", ""))
    except (ValueError, AttributeError, KeyError, TypeError) as error:
        raise errors.StoreDamaged(path=path, reason=f"entry {n} is no move: {error}") from None


def delivery_of(row: tuple[Any, ...]) -> Delivery:
    """Where a letter stands, from a row."""
    from mailstop.receipt import Delivery

    n, bag, seat, state, shown, answered = row
    return Delivery(n, bag, seat, state, bool(shown), answered)


def receipt_of(row: tuple[Any, ...]) -> Receipt:
    """The receipt of a row."""
    from mailstop.receipt import Receipt

    return Receipt(*row)
