"""Result: what a verb has to say. Printing happens once, for all verbs."""

from __future__ import annotations

from mailstop.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class Result(Record):
    """The answer of a verb.

    data: the value that --json prints. text: what people and models read, without the last newline. raw: bytes that
    are printed as they are. written: called once everything was written completely.
    """

    data: Any = None
    text: str = ""
    exit_code: int = 0
    raw: bytes | None = None
    written: Callable[[], None] | None = None
