"""Place: which folder a command means, whose letters, and what is said when the disk does not play along."""

from __future__ import annotations

import os
from contextlib import contextmanager

from mailstop import errors, lanes
from mailstop.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from mailstop.cli.arguments import Arguments


def existing(path: str) -> str:
    """The folder of a lane. Raises NoLane where there is none: a mistyped name is to be told from a silent lane."""
    if not path or not os.path.isdir(path):
        raise errors.NoLane(path=path or "''")
    return path


def one_role(args: Arguments) -> str:
    """The role that `--role` names. Raises UsageError unless it names one."""
    if len(args.role) != 1:
        raise UsageError(reason=f"whose letters? mailstop lane {args.act} DIR --role ROLE   (one role at a time)")
    return str(args.role[0])


@contextmanager
def failing(lane: str, consequence: str) -> Iterator[None]:
    """What goes wrong in the block is said in our words. consequence: a sentence about what became of the letters.

    Raises LaneRefused, LaneInDoubt and LaneUnavailable.
    """
    try:
        yield
    except lanes.Refused as error:
        raise errors.LaneRefused(reason=str(error)) from None
    except lanes.InDoubt as error:
        raise errors.LaneInDoubt(path=lane, reason=error.strerror) from None
    except BrokenPipeError:
        raise
    except OSError as error:
        named = error.filename if isinstance(error.filename, str) else lane
        reason = (error.strerror or str(error)).removeprefix("nothing was stored: ")  # the consequence says it
        raise errors.LaneUnavailable(path=named, reason=reason, consequence=consequence) from None
