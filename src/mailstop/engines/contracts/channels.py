"""What an index can be asked about channels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from mailstop.channel import Channel, Reader


class ChannelIndex(Protocol):
    """The channels of bags and who reads them; the letters said there are asked for as all letters are."""

    def exists(self, bag: str, channel: str) -> bool:
        """Whether anybody reads that channel, anything was said there, or it is one that each bag has."""

    def all(self, bag: str) -> list[Channel]:
        """The channels of a bag by name."""

    def of_project(self, bag: str, project_id: str) -> str | None:
        """The channel of a project; None while nobody of it has sat in the bag."""

    def readers(self, bag: str, channel: str) -> list[Reader]:
        """The seats that read a channel, by name, without what each has heard ahead of its position."""

    def read_by(self, bag: str, seat: str) -> list[Reader]:
        """The channels that a seat reads, by name, without what it has heard ahead of its position."""

    def unread_by(self, bag: str, seat: str) -> dict[str, int]:
        """How many letters a seat has not heard, by channel; those where it has heard all are left out."""

    def readers_of_letter(self, n: int) -> list[Reader]:
        """The seats that read the channel of letter `n` when it was said, and still do; with what they have heard."""
