"""Body: the text of a letter, from an argument, an option, a file or standard input, byte for byte."""

from __future__ import annotations

import os
import stat
import sys

from mailstop.errors import InvalidBody, UsageError
from mailstop.letter import LARGEST_BODY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.cli.arguments import Arguments


def body_of(args: Arguments) -> str:
    """The body that a command line gives. Raises UsageError when there is none, InvalidBody when it is no text."""
    if args.body is not None and args.body_file is not None:
        raise UsageError(reason="the body was given twice: as text and as --body-file")
    if args.body_file is not None:
        return _decoded(_read_file(args.body_file))
    if args.body == "-" or (args.body is None and _is_piped()):
        return _decoded(sys.stdin.buffer.read(LARGEST_BODY + 1))
    if args.body is None:
        raise UsageError(reason="the letter has no body: give -, and the text on standard input, or --body-file PATH")
    return str(args.body)


def _is_piped() -> bool:
    """Whether something was piped or redirected into the command."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (OSError, ValueError, AttributeError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)


def _read_file(path: str) -> bytes:
    if path == "-":
        return sys.stdin.buffer.read(LARGEST_BODY + 1)
    try:
        with open(path, "rb") as file:
            return file.read(LARGEST_BODY + 1)
    except OSError as error:
        raise UsageError(reason=f"the body file {path!r} cannot be read: {error.strerror}") from None


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        if len(data) > LARGEST_BODY and error.start >= LARGEST_BODY - 3:  # cut inside a character
            return data[: error.start].decode("utf-8") + " " * (LARGEST_BODY + 1 - error.start)
        raise InvalidBody(reason=f"it is not UTF-8 text (byte {error.start})") from None
