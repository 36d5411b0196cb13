"""The seal: real clients run only where no route leads off the loopback interface."""

from __future__ import annotations

from pathlib import Path


class NotSealed(RuntimeError):
    """This network has a way out. Start the tests with tests/clients/run.sh."""


def is_sealed() -> bool:
    """Whether every route of this network namespace stays on the loopback interface."""
    devices = {line.split()[0] for line in Path("/proc/net/route").read_text().splitlines()[1:]}
    ipv6 = Path("/proc/net/ipv6_route")
    if ipv6.exists():
        devices |= {line.split()[-1] for line in ipv6.read_text().splitlines()}
    return devices <= {"lo"}


def require_seal() -> None:
    """Raise NotSealed unless `is_sealed`."""
    if not is_sealed():
        raise NotSealed(NotSealed.__doc__)
