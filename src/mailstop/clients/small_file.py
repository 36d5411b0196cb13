"""Small files that others may be writing, have left torn, or have put there to mislead."""

from __future__ import annotations

import os
import stat

LARGEST = 256 * 1024  # bytes; whatever is larger is not one of the files we look for


def read_small(path: str, *, largest: int = LARGEST, own: bool = False) -> bytes | None:
    """The content of a regular file of at most `largest` bytes; None for everything else, whatever the reason.

    own: only a file that this user owns and that is no symbolic link.
    """
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | (os.O_NOFOLLOW if own else 0)  # a FIFO must not block us
    try:
        descriptor = os.open(path, flags)
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return None
    try:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > largest or (own and facts.st_uid != os.geteuid()):
            return None
        content = os.read(descriptor, facts.st_size + 1)
        if len(content) == facts.st_size and content:  # the whole of it, in one read
            return content
        while len(content) <= largest:  # it grows, or the system does not tell the size, as of all in /proc
            piece = os.read(descriptor, 65536)
            if not piece:
                return content
            content += piece
        return None
    except OSError:
        return None
    finally:
        os.close(descriptor)
