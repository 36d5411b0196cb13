"""Lines: a file line by line, whatever it holds, in bounded memory. It is opened for reading only, and not locked: who
writes to it is not held up, and a last line that is not whole yet counts as not there."""

from __future__ import annotations

import os
import stat

from mailstop import errors
from mailstop.json_text import loads
from mailstop.wording import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    # Its number, from 1; its bytes without the end, None where there are too many; how many those are; and whether it
    # is torn: it has no end yet, as it is being written, or whoever wrote it died. (Making records would take as long
    # as everything else about a line.)
    Line = tuple[int, bytes | None, int, bool]

LARGEST_LINE = 8 * 1024 * 1024  # bytes; what is longer is left out
_CHUNK = 256 * 1024  # bytes
_BEGINNING = 512  # bytes by which it is known that a file is no text
_MARK = b"\xef\xbb\xbf"  # U+FEFF, which some editors put before a text, and which is no part of it


class Lines:
    """The lines of a file. A context manager, which closes it."""

    def __init__(self, path: str) -> None:
        """Open it. Raises SourceAbsent, SourceUnavailable."""
        self.path = path
        self.done_bytes = 0
        self._descriptor = -1
        try:
            self._descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            status = os.fstat(self._descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise errors.SourceUnavailable(path=path, reason=f"it is {_what(status.st_mode)}, not a file")
            self.total_bytes = status.st_size
            nul = os.pread(self._descriptor, _BEGINNING, 0).find(b"\0")
            if nul >= 0:
                raise errors.SourceUnavailable(path=path, reason=f"it is no text: byte {nul + 1} is NUL")
        except FileNotFoundError:
            raise errors.SourceAbsent(path=path) from None
        except OSError as error:
            self.close()
            raise _unreadable(path, error) from None
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Lines:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __iter__(self) -> Iterator[Line]:
        number, rest, dropped = 0, b"", 0
        first = self._read().removeprefix(_MARK)
        while chunk := first or self._read():
            first = b""
            parts = chunk.split(b"\n")
            parts[0] = rest + parts[0]
            rest = parts.pop()
            for raw in parts:
                number += 1
                size = len(raw) + dropped
                yield number, raw if size <= LARGEST_LINE else None, size, False
                dropped = 0
            if len(rest) + dropped > LARGEST_LINE:
                dropped += len(rest)
                rest = b""
        if rest or dropped:
            yield number + 1, None if dropped else rest, len(rest) + dropped, True

    def _read(self) -> bytes:
        try:
            chunk = os.read(self._descriptor, _CHUNK)
        except OSError as error:
            raise _unreadable(self.path, error) from None
        self.done_bytes += len(chunk)
        return chunk


_TORN = "it has no end: it is being written, or whoever wrote it died"


class OfLines:
    """The part of a reader that reads one file line by line."""

    def __init__(self, path: str) -> None:
        """Raises SourceAbsent, SourceUnavailable."""
        self.secrets = 0
        self._lines = Lines(path)

    @property
    def total_bytes(self) -> int:
        """To be read."""
        return self._lines.total_bytes

    @property
    def done_bytes(self) -> int:
        """Read so far."""
        return self._lines.done_bytes


class NoObject(Exception):
    """A line that holds no JSON object; its text says why."""


def object_of(line: Line, *, unended: bool = False) -> dict[str, Any]:
    """The JSON object of a line. Raises NoObject.

    unended: whether the last one needs no end, as many write files by hand: an object that is torn is none without its
    last brace, so one that can be read is whole.
    """
    _, raw, size, torn = line
    if raw is None:
        raise NoObject(f"it has {counted(size, 'byte')}, and at most {LARGEST_LINE} are read")
    if torn and not (unended and raw.rstrip().endswith(b"}")):
        raise NoObject(_TORN)
    try:
        value = loads(raw)
    except UnicodeDecodeError as error:
        if torn:
            raise NoObject(_TORN) from None
        raise NoObject(f"it is not UTF-8 (its byte {error.start + 1})") from None
    except ValueError:
        raise NoObject(_TORN if torn else "it is not JSON") from None
    if not isinstance(value, dict):
        raise NoObject("it is no JSON object")
    return value


def _what(mode: int) -> str:
    kinds = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
    return kinds.get(stat.S_IFMT(mode), "a device")


def _unreadable(path: str, error: OSError) -> errors.SourceUnavailable:
    return errors.SourceUnavailable(path=path, reason=f"it cannot be read: {error.strerror or error}")
