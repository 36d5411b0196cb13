"""The seal: real clients run only where no route leads off the loopback interface."""

from __future__ import annotations

from mailstop.scripted.seal import is_sealed

__all__ = ["NotSealed", "is_sealed", "require_seal"]


class NotSealed(RuntimeError):
    """This network has a way out. Start the tests with tests/clients/run.sh."""


def require_seal() -> None:
    """Raise NotSealed unless `is_sealed`."""
    if not is_sealed():
        raise NotSealed(NotSealed.__doc__)
