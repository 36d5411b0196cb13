"""Readable: what can be read in a damaged store, taken from the bytes of its pages, wherever they lie.

An entry never changes, so every image of it that is whole is the right one: the old images in the write-ahead log and
on pages that are free again serve as well. The two indexes that SQLite keeps of entries hold each number once more;
they are the witnesses where a number, or an id, is in doubt.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise

from mailstop.engines.sqlite.connection import FORMAT, MIGRATIONS, statements_of
from mailstop.engines.sqlite.driver import sqlite3
from mailstop.engines.sqlite.pages import INDEX_INTERIOR, INDEX_LEAF, TABLE_LEAF, values_of
from mailstop.engines.sqlite.rebuild import fold_row
from mailstop.engines.sqlite.rows import letter_of
from mailstop.engines.sqlite.statements import sql_file
from mailstop.engines.sqlite.store_file import APPLICATION
from mailstop.errors import StoreDamaged
from mailstop.json_text import loads
from mailstop.records import Record
from mailstop.session import Session, session_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from mailstop.engines.sqlite.pages import Layout, Pages

    Progress = Callable[[int, int], None]  # is told how much is done, and of how much
    Row = tuple[int, str, int, str, str, str, str, str | None]  # n, id, at, bag, subject, type, data, body

_LARGEST_NUMBER = 1 << 62
_COLUMNS = "n, id, at, bag, subject, type, data, body"

# What the two indexes tell: of an id, which is one entry's alone, and of a subject, which many share.
_SCRATCH = """
CREATE TEMP TABLE told_id (id TEXT, n INTEGER, PRIMARY KEY (id, n)) WITHOUT ROWID;
CREATE INDEX temp.told_n ON told_id (n);
CREATE TEMP TABLE told_subject (subject TEXT, n INTEGER, PRIMARY KEY (subject, n)) WITHOUT ROWID;
CREATE TEMP TABLE doubtful AS SELECT * FROM entries;
"""

# Entries of whose id nobody tells their number, while that number is told of another id; or another number of their
# id, and their number of no such subject.
_CONTRADICTED = """
SELECT n FROM entries e
WHERE NOT EXISTS (SELECT * FROM told_id t WHERE t.id = e.id AND t.n = e.n)
  AND (EXISTS (SELECT * FROM told_id t WHERE t.n = e.n)
       OR (EXISTS (SELECT * FROM told_id t WHERE t.id = e.id)
           AND NOT EXISTS (SELECT * FROM told_subject t WHERE t.subject = e.subject AND t.n = e.n)))
"""

_ADD_DOUBTFUL = """
INSERT OR IGNORE INTO entries
SELECT :number, :name, at, bag, subject, type, data, body FROM doubtful WHERE n = :n AND id = :id LIMIT 1
"""

# The last number that both indexes tell of, if any: a letter may be gone while its traces are not.
_TRACED = "SELECT coalesce(max(n), 0) FROM told_id WHERE n IN (SELECT n FROM told_subject)"

# A key whose letter is gone would refuse that letter for ever; without it, it is stored anew.
_KEYS_OF_LOST = """
DELETE FROM entries
WHERE type = 'key' AND NOT EXISTS (SELECT * FROM entries l WHERE l.id = json_extract(entries.data, '$.letter'))
"""

_GAPS = """
SELECT before + 1, n - 1 FROM (SELECT n, lag(n, 1, 0) OVER (ORDER BY n) AS before FROM entries) WHERE n > before + 1
"""


class Readable(Record):
    """What can be read in a damaged store.

    newest, newest_at, newest_from: the newest letter, its time in milliseconds since 1970, its seat; 0 and empty when
    there is none. missing: first and last number of each stretch of entries that were there and cannot be read, as far
    as that can be told. rows: of the board, which tells of the sessions that run.
    """

    entries: int
    letters: int
    newest: int
    newest_at: int
    newest_from: str
    missing: tuple[tuple[int, int], ...]
    rows: int


def gather(pages: Pages, sqlite: sqlite3.Connection, progress: Progress) -> Readable:
    """Fill an empty database with all that can be read, and fold it."""
    for script in (*MIGRATIONS, "index.sql"):
        for statement in statements_of(sql_file(script)):
            sqlite.execute(statement)
    sqlite.execute(f"PRAGMA application_id = {APPLICATION}")
    sqlite.execute(f"PRAGMA user_version = {FORMAT}")
    for statement in statements_of(_SCRATCH):
        sqlite.execute(statement)
    sqlite.execute("BEGIN")
    pages.use(max(pages.layouts(), key=lambda layout: _promise(pages, layout)))
    _read(pages, sqlite, progress)
    _settle(sqlite)
    ((traced,),) = sqlite.execute(_TRACED).fetchall()
    _fold(sqlite, progress)
    sqlite.execute(_KEYS_OF_LOST)
    rows = _board(pages, sqlite)
    sqlite.execute("COMMIT")
    return _readable(sqlite, traced, rows)


def _promise(pages: Pages, layout: Layout) -> int:
    """How many entries the first pages hold when the file is divided so; not looked at when there is no other way."""
    if len(pages.layouts()) == 1:
        return 0
    pages.use(layout)
    images = (image for n in range(2, min(pages.count, 1000) + 1) for image in pages.images(n))
    return sum(len(_entries_on(pages, image)) for image in images)


def _read(pages: Pages, sqlite: sqlite3.Connection, progress: Progress) -> None:
    """Read every page: entries, and what indexes say of their numbers."""
    for number in range(1, pages.count + 1):
        for image in pages.images(number):
            if image[0] == TABLE_LEAF:
                rows = _entries_on(pages, image)
                certain = _ascending([row[0] for row in rows])
                for place, row in enumerate(rows):
                    if place not in certain or not _add(sqlite, row):
                        sqlite.execute("INSERT INTO doubtful VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
            elif image[0] in (INDEX_LEAF, INDEX_INTERIOR):
                for text, n in _told_on(pages, image):
                    table = "told_id" if _is_id(text) else "told_subject"
                    sqlite.execute(f"INSERT OR IGNORE INTO {table} VALUES (?, ?)", (text, n))
        progress(number, 2 * pages.count)


def _add(sqlite: sqlite3.Connection, row: Row) -> bool:
    """Add an entry; False when another has its number or its id. To meet the same one again is fine."""
    if sqlite.execute("INSERT OR IGNORE INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row).rowcount:
        return True
    return bool(sqlite.execute("SELECT 1 FROM entries WHERE n = ? AND id = ?", row[:2]).fetchall())


def _entries_on(pages: Pages, page: bytes) -> list[Row]:
    """The entries on a page of a table, in their order; none when it is another table's."""
    if page[0] != TABLE_LEAF:
        return []
    rows = []
    for n, payload in pages.cells(page):
        try:
            row = _entry_row(n, *values_of(payload, (8,))[1:])
        except (ValueError, IndexError):
            continue
        if row:
            rows.append(row)
    return rows


def _entry_row(n: int, id: Any, at: Any, bag: Any, subject: Any, kind: Any, data: Any, body: Any) -> Row | None:
    """The row of an entry, when it can be one. Raises ValueError."""
    if not 0 < n < _LARGEST_NUMBER or not _is_id(id) or not isinstance(at, int) or not 0 < at < 1 << 53:
        return None
    if not all(isinstance(text, str) and text and "\0" not in text for text in (bag, subject, kind, data)):
        return None
    if not isinstance(loads(data), dict) or not (body is None or (isinstance(body, str) and "\0" not in body)):
        return None
    return n, id, at, bag, subject, kind, data, body


def _is_id(text: Any) -> bool:
    """Whether this can be a UUID."""
    if not isinstance(text, str) or len(text) != 36 or [text[place] for place in (8, 13, 18, 23)] != ["-"] * 4:
        return False
    return frozenset("0123456789abcdef-").issuperset(text)


def _ascending(numbers: list[int]) -> set[int]:
    """The places of the longest ascending series: on one page numbers ascend, so those beside it are damaged."""
    if all(first < second for first, second in pairwise(numbers)):
        return set(range(len(numbers)))
    lowest: list[int] = []  # the lowest number that a series of each length ends with, and where that is
    places: list[int] = []
    before: list[int] = []
    for place, number in enumerate(numbers):
        length = bisect_left(lowest, number)
        lowest[length : length + 1] = [number]
        places[length : length + 1] = [place]
        before.append(places[length - 1] if length else -1)
    series, place = set[int](), places[-1]
    while place >= 0:
        series.add(place)
        place = before[place]
    return series


def _told_on(pages: Pages, page: bytes) -> Iterator[tuple[str, int]]:
    """What a page of an index says of entries: an id or a subject, and a number, which some indexes hold twice."""
    for _, payload in pages.cells(page):
        try:
            text, *numbers = values_of(payload, (2, 3))
        except (ValueError, IndexError):
            continue
        if not isinstance(text, str) or [type(number) for number in numbers] not in ([int], [int, int]):
            continue
        if numbers[0] == numbers[-1] and 0 < numbers[0] < _LARGEST_NUMBER:
            yield text, numbers[0]


def _settle(sqlite: sqlite3.Connection) -> None:
    """Give each doubtful entry the number, or the id, that the indexes tell; without one it is left out."""
    contradicted = sqlite.execute(_CONTRADICTED).fetchall()
    sqlite.executemany(f"INSERT INTO doubtful SELECT {_COLUMNS} FROM entries WHERE n = ?", contradicted)
    sqlite.executemany("DELETE FROM entries WHERE n = ?", contradicted)
    doubtful = sqlite.execute("SELECT DISTINCT n, id, subject FROM doubtful").fetchall()
    left = [(n, id, subject) for n, id, subject in doubtful if not _place(sqlite, n, id, _numbers_told(sqlite, n, id))]
    for n, id, subject in left:
        others = sqlite.execute("SELECT n, id FROM told_id WHERE n = ?", (n,)).fetchall()
        same = sqlite.execute("SELECT n, ? FROM told_subject WHERE subject = ? AND n = ?", (id, subject, n)).fetchall()
        _place(sqlite, n, id, [*others, *same])


def _numbers_told(sqlite: sqlite3.Connection, n: int, id: str) -> list[tuple[int, str]]:
    return sqlite.execute("SELECT n, id FROM told_id WHERE id = ? ORDER BY n <> ?", (id, n)).fetchall()


def _place(sqlite: sqlite3.Connection, n: int, id: str, places: list[tuple[int, str]]) -> bool:
    """Add a doubtful entry under the first number and id of these that are free."""
    for number, name in places:
        if sqlite.execute(_ADD_DOUBTFUL, {"number": number, "name": name, "n": n, "id": id}).rowcount:
            return True
    return False


def _fold(sqlite: sqlite3.Connection, progress: Progress) -> None:
    """Fold the entries; one that makes no sense is left out."""
    ((total,),) = sqlite.execute("SELECT count(*) FROM entries").fetchall()
    done, last = 0, 0
    query = f"SELECT {_COLUMNS} FROM entries WHERE n > ? ORDER BY n LIMIT 500"
    while page := sqlite.execute(query, (last,)).fetchall():
        for row in page:
            if not _makes_sense(row) or not fold_row(sqlite, row):
                sqlite.execute("DELETE FROM entries WHERE n = ?", (row[0],))
        done, last = done + len(page), page[-1][0]
        progress(total + done, 2 * total)


def _makes_sense(row: Row) -> bool:
    """Whether an entry of a type that is known is what its readers take it for."""
    n, entry_id, at, bag, _subject, kind, data, body = row
    try:
        if kind in ("letter", "imported"):
            return isinstance(letter_of((n, entry_id, at, bag, data, body, None, n), "").body, str)
        if kind == "rescued":
            _missed(loads(data), n)
    except (ValueError, KeyError, TypeError, StoreDamaged):
        return False
    return True


def _board(pages: Pages, sqlite: sqlite3.Connection) -> int:
    """Copy the rows of the board that can be reached; return how many."""
    roots = []
    for _, payload in pages.walk(1):
        try:
            values = values_of(payload)
            if values[:2] == ["table", "board"] and isinstance(values[3], int):
                roots.append(values[3])
        except (ValueError, IndexError):
            continue
    copied = 0
    for root in roots[:1]:
        for _, payload in pages.walk(root):
            try:
                key, value, revision, due, expires = values_of(payload)
                if row_makes_sense(key, value) and isinstance(revision, int):
                    row = (key, value, revision, due, expires)
                    copied += sqlite.execute("INSERT OR IGNORE INTO board VALUES (?, ?, ?, ?, ?)", row).rowcount
            except (ValueError, IndexError, TypeError, AttributeError, sqlite3.IntegrityError):
                continue
    return copied


def row_makes_sense(key: Any, value: Any) -> bool:
    """Whether a row of the board is what its readers take it for. Raises ValueError."""
    found = loads(value) if isinstance(key, str) and isinstance(value, str) else None
    if isinstance(found, dict) and key.startswith(session_key("")):
        Session.from_value(found)
    return isinstance(found, dict)


def _readable(sqlite: sqlite3.Connection, traced: int, rows: int) -> Readable:
    ((entries, last),) = sqlite.execute("SELECT count(*), coalesce(max(n), 0) FROM entries").fetchall()
    query = (  # one that was imported is from nobody here, and of an older time
        "SELECT l.n, e.at, l.sender FROM letters l JOIN entries e USING (n) WHERE l.sender <> '' "
        "ORDER BY n DESC LIMIT 1"
    )
    newest, newest_at, newest_from = next(iter(sqlite.execute(query).fetchall()), (0, 0, ""))
    ((letters,),) = sqlite.execute("SELECT count(*) FROM letters").fetchall()
    gaps = [*sqlite.execute(_GAPS).fetchall(), *([(last + 1, traced)] if traced > last else [])]
    return Readable(entries, letters, newest, newest_at, newest_from, _less_known(sqlite, gaps), rows)


def _less_known(sqlite: sqlite3.Connection, gaps: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Gaps without those that an earlier rescue left: what it missed, and the room before its own number."""
    for n, data in sqlite.execute("SELECT n, data FROM entries WHERE type = 'rescued'").fetchall():
        for first, last in _missed(loads(data), n):
            parts = [((start, min(end, first - 1)), (max(start, last + 1), end)) for start, end in gaps]
            gaps = [part for both in parts for part in both if part[0] <= part[1]]
    return tuple(gaps)


def _missed(data: dict[str, Any], n: int) -> list[tuple[int, int]]:
    """Which numbers the rescue with number `n` found to be missing, or left out. Raises what a strange value does."""
    return [*((int(first), int(last)) for first, last in data["missing"]), (int(data["last"]) + 1, n - 1)]
