"""mailstop leave: leave the seat. Its mail stays and waits for whoever sits there next."""

from __future__ import annotations

from mailstop.cli.result import Result
from mailstop.names import DEFAULT_BAG, in_bag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.cli.arguments import Arguments, Parameter
    from mailstop.office import Office

PARAMETERS: tuple[Parameter, ...] = ()


def run(office: Office, args: Arguments) -> Result:
    """Leave the seat in one bag."""
    seat = office.leave(bag=args.bag or DEFAULT_BAG)
    text = f"left seat {seat.name}{in_bag(seat.bag)}; its mail waits there"
    return Result({"seat": seat.name, "bag": seat.bag, "left": True}, text)
