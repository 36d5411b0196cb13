"""What an index answers about leases: those that nobody has ended. Whether one still counts is for the rules to say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from mailstop.lease import Address, Lease


class LeaseIndex(Protocol):
    """Leases by what they are about, and by who holds them."""

    def last(self) -> int:
        """The number of the last entry about leases that is folded; 0 means none."""

    def near(self, address: Address) -> list[Lease]:
        """Leases that may overlap an address, by their id: those on it, above it and below it.

        Each has the address that lies there as the only one of its resource; a lease with two of them comes twice.
        Where both are plain they do overlap.
        """

    def of_session(self, session: str) -> list[Lease]:
        """All leases of a session, by their id, each with all addresses of its resource."""

    def all(self) -> list[Lease]:
        """All leases, by their id, each with the first address of its resource."""
