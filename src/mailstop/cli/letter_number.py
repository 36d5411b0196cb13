"""Letter numbers as people type them: one of this store, or an old one of something that was imported."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.office import Office


def letter_number(office: Office, given: int | str, bag: str | None) -> int:
    """The number here of the letter that is meant: by its number, or by `SOURCE:NUMBER`.

    Raises UnknownOldNumber, AmbiguousOldNumber.
    """
    return office.importing.number(given, bag=bag) if isinstance(given, str) else given
