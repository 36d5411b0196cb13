"""Pages: an SQLite database read by its bytes, without SQLite, for a file that SQLite refuses.

Nothing here believes another part of the file: each page speaks for itself, pages of the write-ahead log before those
of the database. Formats: https://sqlite.org/fileformat2.html, sections 1.2 to 1.6, 2 and 4.
"""

from __future__ import annotations

import os
import sys
from struct import unpack_from

from mailstop.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence
    from typing import Any

    Cell = tuple[int, bytes]  # its rowid, 0 in an index, and its payload, whole

MAGIC = b"SQLite format 3\0"
HEADER_BYTES = 100
TABLE_LEAF, TABLE_INTERIOR, INDEX_LEAF, INDEX_INTERIOR = 0x0D, 0x05, 0x0A, 0x02

_SIZES = tuple(1 << power for power in range(9, 17))  # that a page may have, in bytes
_OUR_SIZE = 4096  # SQLite's default since 3.12, which stores are made with
_LARGEST_PAYLOAD = 1 << 24  # bytes; a letter has at most a sixteenth of that
_NUMBER_BYTES = (0, 1, 2, 3, 4, 6, 8, 8, 0, 0)  # of the kinds of value that are NULL or a number
_CONSTANTS = {0: None, 8: 0, 9: 1}
_LOG_HEADER_BYTES, _FRAME_HEADER_BYTES = 32, 24
_OWN_ORDER = "<" if sys.byteorder == "little" else ">"
_LOG_MAGIC = {0x377F0682: "<", 0x377F0683: ">"}  # and the order of bytes in which its checksums are taken


class Log(Record):
    """What a write-ahead log holds. images: for each page the offsets of its committed images, the newest first.

    torn: committed images that SQLite does not reach, because something before them is damaged.
    """

    page_bytes: int
    images: dict[int, list[int]]
    torn: int


class Layout(Record):
    """How a file is divided. reserved: bytes at the end of each page that SQLite leaves to others (Apple's: 12)."""

    page_bytes: int = _OUR_SIZE
    reserved: int = 0


class Pages:
    """The pages of a database file and of the log beside it. A context manager; changes nothing, takes no lock.

    Close it before SQLite opens the file in this process: closing drops all POSIX locks the process has on it.
    """

    def __init__(self, path: str) -> None:
        """Open both files. Raises OSError when there is neither; no log, or none that can be read, is fine."""
        try:
            self._log_file = os.open(f"{path}-wal", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            self._log_file = -1
        alone = self._log_file >= 0 and not os.path.exists(path)
        self._file = os.open(os.devnull if alone else path, os.O_RDONLY | os.O_CLOEXEC)
        self.log = Log(0, {}, 0) if self._log_file < 0 else read_log(self._log_file)
        self.size_bytes = os.fstat(self._file).st_size
        self.use(self.layouts()[0])

    def __enter__(self) -> Pages:
        return self

    def __exit__(self, *_exception: object) -> None:
        os.close(self._file)
        if self._log_file >= 0:
            os.close(self._log_file)

    def layouts(self) -> list[Layout]:
        """How the file may be divided, the likeliest first: as its header says, and as stores are made."""
        header = os.pread(self._log_file, HEADER_BYTES, self.log.images[1][0]) if 1 in self.log.images else b""
        if not header.startswith(MAGIC):
            header = os.pread(self._file, HEADER_BYTES, 0)
        usual = Layout(self.log.page_bytes or _OUR_SIZE)
        if len(header) < HEADER_BYTES or not header.startswith(MAGIC):
            return [usual]
        told = int.from_bytes(header[16:18], "big")
        told = 65536 if told == 1 else told  # which two bytes cannot hold
        layouts = [Layout(size, header[20]) for size in (told,) if size in _SIZES]
        return list(dict.fromkeys([*layouts, usual]))

    def use(self, layout: Layout) -> None:
        """Take the file to be divided so."""
        self.page_bytes = layout.page_bytes
        self._usable = layout.page_bytes - layout.reserved
        logged = self.log.images if self.log.page_bytes == self.page_bytes else ()
        self.count = max([-(-self.size_bytes // self.page_bytes), *logged])

    def images(self, number: int) -> Iterator[bytes]:
        """All images of a page, the newest first; what a file that was cut has no more is filled up with zeros."""
        logged = self.log.images.get(number, ()) if self.log.page_bytes == self.page_bytes else ()
        for offset in logged:
            yield os.pread(self._log_file, self.page_bytes, offset)
        image = os.pread(self._file, self.page_bytes, (number - 1) * self.page_bytes)
        if image:
            yield image.ljust(self.page_bytes, b"\0")

    def newest(self, number: int) -> bytes:
        """The newest image of a page; empty when there is none."""
        return next(self.images(number), b"") if 0 < number <= self.count else b""

    def cells(self, page: bytes, start: int = 0) -> Iterator[Cell]:
        """The cells of a page that make sense, in the order of their keys.

        start: where its header begins: 100 on the first page of a file.
        """
        kind = page[start]
        if kind not in (TABLE_LEAF, INDEX_LEAF, INDEX_INTERIOR):
            return
        head = start + (12 if kind == INDEX_INTERIOR else 8)
        count = min(unpack_from(">H", page, start + 3)[0], (len(page) - head) // 2)
        for offset in unpack_from(f">{count}H", page, head):
            try:
                yield self._cell(page, offset, kind)
            except (IndexError, ValueError):
                continue

    def children(self, page: bytes, start: int = 0) -> list[int]:
        """The pages that an interior page points to, from left to right."""
        kind = page[start]
        if kind not in (TABLE_INTERIOR, INDEX_INTERIOR):
            return []
        count, last = unpack_from(">H", page, start + 3)[0], int.from_bytes(page[start + 8 : start + 12], "big")
        offsets = unpack_from(f">{min(count, (len(page) - start - 12) // 2)}H", page, start + 12)
        return [*(int.from_bytes(page[offset : offset + 4], "big") for offset in offsets), last]

    def walk(self, root: int) -> Iterator[Cell]:
        """The cells of the b-tree below a page that can still be reached from it."""
        open_, seen = [root], set[int]()
        while open_:
            number = open_.pop()
            page, start = self.newest(number), HEADER_BYTES if number == 1 else 0
            if page and number not in seen:
                seen.add(number)
                open_ += self.children(page, start)
                yield from self.cells(page, start)

    def _cell(self, page: bytes, at: int, kind: int) -> Cell:
        rowid = 0
        if kind == INDEX_INTERIOR:
            at += 4  # the page to the left
        size, at = varint(page, at)
        if kind == TABLE_LEAF:
            rowid, at = varint(page, at)
        local = self._local_bytes(size, kind)
        payload = page[at : at + local]
        if len(payload) < local or not 0 < size <= _LARGEST_PAYLOAD:
            raise ValueError("no cell")
        if local < size:
            payload += self._overflow(int.from_bytes(page[at + local : at + local + 4], "big"), size - local)
        return rowid, payload

    def _local_bytes(self, size: int, kind: int) -> int:
        """How much of a payload lies on the page itself (section 1.6)."""
        usable = self._usable
        most = usable - 35 if kind == TABLE_LEAF else (usable - 12) * 64 // 255 - 23
        if size <= most:
            return size
        least = (usable - 12) * 32 // 255 - 23
        wanted = least + (size - least) % (usable - 4)
        return wanted if wanted <= most else least

    def _overflow(self, number: int, size: int) -> bytes:
        """The rest of a payload, from the chain of pages that begins here. Raises ValueError when it breaks off."""
        parts: list[bytes] = []
        while size > 0:
            page = self.newest(number)
            if not page:
                raise ValueError("the chain breaks off")
            parts.append(page[4 : min(self._usable, 4 + size)])
            size -= self._usable - 4
            number = int.from_bytes(page[:4], "big")
        return b"".join(parts)


def read_log(file: int) -> Log:
    """What the write-ahead log of an open file holds that was committed; empty for what is no log.

    The checksum of a frame goes on from the one before it (section 4.2), so SQLite reads up to the first damaged frame.
    Here each frame is judged by the checksum that is written before it, so one damaged frame costs no other.
    """
    header = os.pread(file, _LOG_HEADER_BYTES, 0)
    if len(header) < _LOG_HEADER_BYTES:
        return Log(0, {}, 0)
    magic, _version, page_bytes = unpack_from(">3I", header)
    order, salt, before = _LOG_MAGIC.get(magic, _OWN_ORDER), header[16:24], unpack_from(">2I", header, 24)
    reached = magic in _LOG_MAGIC and checksum(header[:24], (0, 0), order) == before
    if not reached:  # SQLite takes such a log for an empty one; its first frame that is intact says the salt
        page_bytes, salt = page_bytes if page_bytes in _SIZES else _OUR_SIZE, b""
    offset, frame_bytes = _LOG_HEADER_BYTES, _FRAME_HEADER_BYTES + page_bytes
    open_, images, torn = [], dict[int, list[int]](), 0  # open_: since the last commit
    while len(frame := os.pread(file, frame_bytes, offset)) == frame_bytes:
        number, commit = unpack_from(">2I", frame)
        after = unpack_from(">2I", frame, 16)
        intact = frame[8:16] == (salt or frame[8:16]) and number > 0
        intact = intact and checksum(frame[24:], checksum(frame[:8], before, order), order) == after
        reached, before = reached and intact, after
        if intact:
            salt = frame[8:16]
            open_.append((number, offset + _FRAME_HEADER_BYTES, reached))
        if intact and commit:
            for committed, where, counted in open_:
                images.setdefault(committed, []).insert(0, where)
                torn += not counted
            open_.clear()
        offset += frame_bytes
    return Log(page_bytes, images, torn)


def checksum(data: bytes, before: tuple[int, ...], order: str) -> tuple[int, int]:
    """The checksum of a log's bytes, a multiple of 8, that goes on from the one before (section 4.2)."""
    first, second = before
    words = iter(unpack_from(f"{order}{len(data) // 4}I", data))
    for even in words:
        first = first + even + second & 0xFFFFFFFF
        second = second + next(words) + first & 0xFFFFFFFF
    return first, second


def varint(data: bytes, at: int) -> tuple[int, int]:
    """The number that begins at an offset, and the offset behind it (section 1.6). Raises IndexError."""
    value = data[at]
    if value < 0x80:
        return value, at + 1
    value &= 0x7F
    for place in range(at + 1, at + 8):
        byte = data[place]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, place + 1
    value = value << 8 | data[at + 8]
    return value - (1 << 64) if value >> 63 else value, at + 9


def values_of(payload: bytes, counts: Container[int] = range(1, 17)) -> list[Any]:
    """The values of a record (section 2.1): None, int, float, bytes, and str for text.

    counts: how many they may be. Raises ValueError or IndexError for what is no such record.
    """
    end, at = varint(payload, 0)
    header = payload[at:end]
    kinds: Sequence[int] = header
    if not header.isascii():  # then some take more than a byte
        kinds = found = []
        while at < end:
            kind, at = varint(payload, at)
            found.append(kind)
    if len(kinds) not in counts or max(at, end) != end:
        raise ValueError("no such record")
    at = end
    values: list[Any] = []
    for kind in kinds:
        size = (kind - 12) >> 1 if kind >= 12 else _NUMBER_BYTES[kind]
        part = payload[at : at + size]
        at += size
        if len(part) < size or kind < 0:
            raise ValueError("no record")
        if kind >= 12:
            values.append(part.decode() if kind & 1 else part)
        elif kind == 7:
            values.append(unpack_from(">d", part)[0])
        else:
            values.append(int.from_bytes(part, "big", signed=True) if size else _CONSTANTS[kind])
    return values
