"""Body: the text of a letter, from an argument, an option, a file or standard input, byte for byte."""

from __future__ import annotations

import os
import stat
import sys

from mailstop import errors
from mailstop.errors import UsageError
from mailstop.letter import LARGEST_BODY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.cli.arguments import Arguments


def body_of(args: Arguments) -> str:
    """The body that a command line gives. Raises UsageError when there is none, InvalidBody when it is no text, and
    BodyTooLarge."""
    if args.body is not None and args.body_file is not None:
        raise UsageError(reason="the body was given twice: as text and as --body-file")
    if args.body_file is not None:
        return _decoded(_read_file(args.body_file))
    if args.body == "-" or (args.body is None and _is_piped()):
        return _decoded(_read_input())
    if args.body is None:
        raise UsageError(reason="there is no text: give -, and the text on standard input, or --body-file PATH")
    return str(args.body)


def text_of(args: Arguments) -> str:
    """The text that a command line may leave out; empty when it gives none. Raises what `body_of` raises.

    Without `-`, standard input counts only when something stands there already: it is not waited for.
    """
    if args.body is None and args.body_file is None and not _is_ready():
        return ""
    if args.body is None and args.body_file is None:
        return _decoded(_read_input())
    return body_of(args)


def _is_ready() -> bool:
    """Whether something was piped or redirected into the command that can be read without waiting."""
    if not _is_piped():
        return False
    import select

    poll = select.poll()
    poll.register(sys.stdin.fileno(), select.POLLIN)
    return any(events & select.POLLIN for _, events in poll.poll(0))


def _is_piped() -> bool:
    """Whether something was piped or redirected into the command."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (OSError, ValueError, AttributeError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)


def _read_file(path: str) -> bytes:
    if path == "-":
        return _read_input()
    try:
        with open(path, "rb") as file:
            return file.read(LARGEST_BODY + 1)
    except OSError as error:
        raise UsageError(reason=f"the body file {path!r} cannot be read: {error.strerror}") from None


def _read_input() -> bytes:
    if sys.stdin is None:
        raise UsageError(reason="standard input is closed, so there is no body: --body-file PATH names one")
    try:
        return sys.stdin.buffer.read(LARGEST_BODY + 1)
    except OSError as error:  # it is a folder, say
        raise UsageError(reason=f"the body cannot be read from standard input: {error.strerror}") from None


def _decoded(data: bytes) -> str:
    if len(data) > LARGEST_BODY:  # no more was read than it takes to know that
        raise errors.BodyTooLarge(size=f"more than {LARGEST_BODY}", limit=LARGEST_BODY)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise errors.InvalidBody(reason=f"it is not UTF-8 text (byte {error.start})") from None
