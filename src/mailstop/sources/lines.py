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
        while chunk := self._read():
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


class NoObject(Exception):
    """A line that holds no JSON object; its text says why."""


def object_of(line: Line) -> dict[str, Any]:
    """The JSON object of a line. Raises NoObject."""
    _, raw, size, torn = line
    if torn:
        raise NoObject("it has no end: it is being written, or whoever wrote it died")
    if raw is None:
        raise NoObject(f"it has {counted(size, 'byte')}, and at most {LARGEST_LINE} are read")
    try:
        value = loads(raw)
    except UnicodeDecodeError as error:
        raise NoObject(f"it is not UTF-8 (its byte {error.start + 1})") from None
    except ValueError:
        raise NoObject("it is not JSON") from None
    if not isinstance(value, dict):
        raise NoObject("it is no JSON object")
    return value


def _what(mode: int) -> str:
    kinds = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
    return kinds.get(stat.S_IFMT(mode), "a device")


def _unreadable(path: str, error: OSError) -> errors.SourceUnavailable:
    return errors.SourceUnavailable(path=path, reason=f"it cannot be read: {error.strerror or error}")
