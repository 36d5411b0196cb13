"""Rescuing a damaged store: every entry that can be read comes back as it was, and nothing else does."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mailstop.engines.row import Put
from mailstop.engines.sqlite import connection
from mailstop.engines.sqlite.inspection import inspect
from mailstop.engines.sqlite.pages import TABLE_LEAF
from mailstop.engines.sqlite.rescue import Rescued, rescue, survey
from mailstop.engines.sqlite.store import SQLiteStore
from mailstop.errors import StoreDamaged, StoreReplaced, StoreUnavailable
from mailstop.faults import VARIABLE
from tests.faults.soundness import assert_sound
from tests.integration.damaged_store import (
    LETTERS,
    PAGE,
    Rows,
    board,
    bytes_of,
    copy,
    entries,
    fill,
    make,
    marked,
    spoil,
)
from tests.party import MAILSTOP

FAST = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def silent(_done: int, _total: int) -> None:
    """Hear of no progress."""


def quiet(_text: str) -> Callable[[int, int], None]:
    """Hear of no stage."""
    return silent


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sound store that nobody has open."""
    return make(tmp_path_factory.mktemp("closed"), live=False)


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sound store with a log, which its session was killed over."""
    return make(tmp_path_factory.mktemp("live"), live=True)


@pytest.fixture(scope="module")
def sound(closed: Path) -> Rows:
    """The entries before any damage."""
    return entries(closed)


@pytest.fixture
def store(closed: Path, tmp_path: Path) -> Path:
    """A copy of the closed store, to be damaged."""
    return copy(closed, tmp_path)


@pytest.fixture
def fast_folder() -> Iterator[Path]:
    """A folder in memory, where there is such: many rescues wait for no disk."""
    with tempfile.TemporaryDirectory(dir=FAST) as folder:
        yield Path(folder)


@pytest.fixture
def live(killed: Path, tmp_path: Path) -> Path:
    """A copy of the store with a log, to be damaged."""
    return copy(killed, tmp_path)


def mended(path: Path) -> Rescued:
    """Rescue a store; what must hold after each rescue is looked at here."""
    before, seen = bytes_of(path), survey(str(path), silent)

    rescued = rescue(str(path), silent)

    assert bytes_of(Path(rescued.damaged)) == before
    assert rescued.readable == seen
    with closing(sqlite3.connect(path)) as opened:
        assert opened.execute("SELECT count(*) FROM entries").fetchall() == [(seen.entries + 1,)]  # and the rescue
    assert_sound(path)
    after = inspect(str(path), quiet)
    assert (after.damage, after.index) == ("", "")
    assert path.stat().st_mode & 0o777 == 0o600
    return rescued


def missing(rescued: Rescued) -> set[int]:
    """The numbers that a rescue says it could not read."""
    assert rescued.readable is not None
    return {n for first, last in rescued.readable.missing for n in range(first, last + 1)}


# -- kinds of damage -------------------------------------------------------------------------------------------------


def test_a_sound_store_comes_back_whole(store: Path, sound: Rows, closed: Path) -> None:
    rescued = mended(store)

    assert entries(store) == sound
    assert board(store) == board(closed)
    assert missing(rescued) == set()


def test_whichever_page_is_lost_only_what_lay_on_it_is_missing(closed: Path, sound: Rows, fast_folder: Path) -> None:
    whole = closed.read_bytes()
    for number in range(len(whole) // PAGE):
        folder = fast_folder / str(number)
        folder.mkdir()
        path = copy(closed, folder)
        spoil(path, number * PAGE, bytes(PAGE))
        lost = with_keys(marked(whole[number * PAGE : (number + 1) * PAGE]), sound)
        found = inspect(str(path), quiet)

        rescued = mended(path)

        left = entries(path)
        assert left.items() <= sound.items(), number
        assert set(sound) - set(left) <= lost, number
        assert set(sound) - set(left) == missing(rescued), number
        assert found.damage or found.index, number


def with_keys(lost: set[int], sound: Rows) -> set[int]:
    """These entries, and the keys of the letters among them: they go with their letters."""
    ids = [sound[n][1] for n in lost]
    return lost | {n for n, row in sound.items() if row[5] == "key" and any(entry_id in row[6] for entry_id in ids)}


@pytest.mark.parametrize("part", [0.0, 0.3, 0.5, 0.81, 0.97])
@pytest.mark.parametrize("torn", [0, 700])
def test_a_file_that_was_cut_gives_what_is_left_of_it(store: Path, sound: Rows, part: float, torn: int) -> None:
    """Part of the pages from the first on that holds entries: before it lie the roots of all tables and indexes."""
    whole = store.read_bytes()
    pages = [whole[at : at + PAGE] for at in range(0, len(whole), PAGE)]
    begin = next(number for number, page in enumerate(pages) if page[0] == TABLE_LEAF and marked(page))
    size = (begin + int((len(pages) - begin) * part)) * PAGE + torn
    os.truncate(store, size)
    lost = with_keys(marked(whole[size - torn :]), sound)
    left = {n: row for n, row in sound.items() if n not in lost}
    assert bool(left) == bool(part)
    if not left:
        with pytest.raises(StoreUnavailable, match="no letter"):
            rescue(str(store), silent)
        assert store.read_bytes() == whole[:size]
        return

    mended(store)

    assert left.items() <= entries(store).items() <= sound.items()


@pytest.mark.parametrize("length", [16, 100, 2000])
def test_a_header_of_garbage_costs_nothing(store: Path, sound: Rows, length: int) -> None:
    spoil(store, 0, random.Random(1).randbytes(length))

    mended(store)

    assert entries(store) == sound


@pytest.mark.parametrize(
    "place", [(16, 2), (18, 1), (20, 1), (21, 1), (24, 4), (28, 4), (32, 4), (40, 4), (56, 4), (60, 4), (68, 4)]
)
def test_no_field_of_the_header_is_needed(store: Path, sound: Rows, place: tuple[int, int]) -> None:
    offset, length = place
    spoil(store, offset, b"\x02" * length)

    mended(store)

    assert entries(store) == sound


@pytest.mark.parametrize("table", ["letters", "deliveries", "receipts", "seats", "moves", "format", "board"])
def test_a_lost_table_is_made_anew(store: Path, sound: Rows, table: str) -> None:
    with closing(sqlite3.connect(store)) as opened:
        opened.execute(f"DROP TABLE {table}")
    found = inspect(str(store), quiet)
    assert f"no {table}" in found.damage + found.index

    mended(store)

    assert entries(store) == sound


# -- the log ---------------------------------------------------------------------------------------------------------


def test_a_log_is_read_before_the_file(live: Path, sound: Rows) -> None:
    content = live.read_bytes()
    spoil(live, PAGE, bytes(len(content) - PAGE))

    mended(live)

    assert set(entries(live)) >= {LETTERS - 1, LETTERS}
    assert [row[1] for n, row in entries(live).items() if n in sound] == [row[1] for row in entries(live).values()]


def test_what_lies_in_the_log_alone_comes_back(live: Path, killed: Path, tmp_path: Path) -> None:
    folder = tmp_path / "reference"
    folder.mkdir()
    reference = entries(copy(killed, folder))
    spoil(live, 0, random.Random(2).randbytes(PAGE))

    mended(live)

    assert entries(live) == reference


@pytest.mark.parametrize("gone", [False, True])
def test_the_log_alone_is_better_than_nothing(live: Path, killed: Path, gone: bool) -> None:
    if gone:
        live.unlink()
    else:
        os.truncate(live, 0)
    assert "its log" in inspect(str(live), quiet).damage
    log = Path(f"{live}-wal").read_bytes()

    rescued = rescue(str(live), silent)

    assert entries(live).items() <= _entries(killed).items()
    assert LETTERS in entries(live)
    assert_sound(live)
    assert Path(f"{rescued.damaged}-wal").read_bytes() == log


def test_one_torn_frame_of_the_log_costs_none_behind_it(live: Path, killed: Path, tmp_path: Path) -> None:
    folder = tmp_path / "reference"
    folder.mkdir()
    reference = entries(copy(killed, folder))
    log = Path(f"{live}-wal")
    frames = (log.stat().st_size - 32) // (PAGE + 24)
    torn = 32 + (frames // 2) * (PAGE + 24) + 24
    lost = with_keys(marked(log.read_bytes()[torn : torn + PAGE]), reference)
    spoil(log, torn + 2000, b"torn")
    Path(f"{live}-shm").unlink()  # else the sessions' memory still leads over the damage
    assert "torn" in inspect(str(live), quiet).damage

    mended(live)

    left = entries(live)
    assert left.items() <= reference.items()
    assert set(reference) - set(left) <= lost
    assert max(left) == LETTERS


def test_a_log_without_a_readable_header_still_counts(live: Path, killed: Path, tmp_path: Path) -> None:
    folder = tmp_path / "reference"
    folder.mkdir()
    reference = entries(copy(killed, folder))
    spoil(Path(f"{live}-wal"), 0, bytes(20))

    mended(live)

    assert entries(live) == reference


def test_what_was_never_committed_does_not_come_back(live: Path, killed: Path, tmp_path: Path) -> None:
    folder = tmp_path / "reference"
    folder.mkdir()
    reference = entries(copy(killed, folder))
    log = Path(f"{live}-wal")
    whole = log.read_bytes()
    frame = PAGE + 24
    commits = [at for at in range(32, len(whole), frame) if whole[at + 4 : at + 8] != bytes(4)]
    os.truncate(log, commits[-1])  # the last transaction lacks its last frame
    Path(f"{live}-shm").unlink()

    mended(live)

    assert entries(live).items() < reference.items()


# -- numbers ---------------------------------------------------------------------------------------------------------


def leaf_of(content: bytes, n: int) -> int:
    """The number, from 0, of the page that holds the beginning of entry `n`."""
    marker = f'{{"mark":"<{n:06d}>"'.encode()
    return content.index(marker) // PAGE


def test_new_entries_get_numbers_beyond_all_that_were_ever_given(store: Path, sound: Rows) -> None:
    newest = leaf_of(store.read_bytes(), LETTERS)
    spoil(store, newest * PAGE, bytes(PAGE))

    rescued = mended(store)

    assert LETTERS in missing(rescued)
    with closing(sqlite3.connect(store)) as opened:
        assert opened.execute("SELECT n FROM entries WHERE type = 'rescued'").fetchall() == [(1000,)]
    with SQLiteStore(str(store)) as opened_store:
        fill(opened_store, 1001, 1002)


def test_an_entry_whose_number_is_damaged_gets_its_own_back(closed: Path, sound: Rows, tmp_path: Path) -> None:
    for n in (1, 17, LETTERS):
        for wrong in (2, 33, 127):
            folder = tmp_path / f"{n}-{wrong}"
            folder.mkdir()
            path = copy(closed, folder)
            content = path.read_bytes()
            record = content.index(f'{{"mark":"<{n:06d}>"'.encode())
            number_at = content.rindex(b"\0\x55", 0, record) - 2  # before the header: its size, no n, an id
            assert content[number_at] == n
            spoil(path, number_at, bytes([wrong]))

            mended(path)

            assert entries(path) == sound, (n, wrong)


def test_an_entry_whose_id_is_damaged_gets_its_own_back(store: Path, sound: Rows) -> None:
    entry_id = sound[20][1].encode()
    content = store.read_bytes()
    places = [at for at in range(len(content)) if content.startswith(entry_id, at)]
    in_the_table = next(at for at in places if at // PAGE == leaf_of(content, 20))
    spoil(store, in_the_table + 35, b"0" if entry_id[-1:] != b"0" else b"1")

    mended(store)

    assert entries(store) == sound


def test_a_damaged_index_of_ids_changes_no_number(store: Path, sound: Rows) -> None:
    entry_id = sound[20][1].encode()
    content = store.read_bytes()
    places = [at for at in range(len(content)) if content.startswith(entry_id, at)]
    in_the_index = next(at for at in places if at // PAGE != leaf_of(content, 20) and content[at + 36] == 20)
    spoil(store, in_the_index + 36, bytes([99]))

    mended(store)

    assert entries(store) == sound


def test_a_second_rescue_finds_nothing_new_to_miss(store: Path) -> None:
    spoil(store, leaf_of(store.read_bytes(), 30) * PAGE, bytes(PAGE))
    first = mended(store)

    second = mended(store)

    assert missing(first)
    assert missing(second) == set()


def test_the_key_of_a_lost_letter_is_free_again(store: Path, sound: Rows) -> None:
    page = leaf_of(store.read_bytes(), 30)
    lost = {n for n in marked(store.read_bytes()[page * PAGE : (page + 1) * PAGE]) if sound[n][5] == "letter"}
    spoil(store, page * PAGE, bytes(PAGE))

    mended(store)

    left = entries(store)
    ids = {row[1] for row in left.values()}
    assert lost
    assert all(any(entry_id in row[6] for entry_id in ids) for row in left.values() if row[5] == "key")


# -- the board -------------------------------------------------------------------------------------------------------


def test_sessions_live_on_when_their_rows_can_be_read(store: Path, closed: Path) -> None:
    spoil(store, leaf_of(store.read_bytes(), 30) * PAGE, bytes(PAGE))

    mended(store)

    assert board(store) == board(closed)
    assert len(board(store)) == 2


def test_a_lost_board_makes_no_old_epoch_valid(store: Path, sound: Rows) -> None:
    content = store.read_bytes()
    rows = [n for n in range(len(content) // PAGE) if b"session/session-builder" in content[n * PAGE : (n + 1) * PAGE]]
    for number in [*rows, leaf_of(content, LETTERS)]:
        spoil(store, number * PAGE, bytes(PAGE))

    mended(store)

    assert board(store) == []
    with SQLiteStore(str(store)) as opened:
        fill(opened, 1001, 1002)
        fill(opened, 1003, 1008)
        seat = opened.index.seat("default", "reviewer")
        assert seat is not None
        assert seat.epoch > max(sound)


# -- whoever is there meanwhile --------------------------------------------------------------------------------------


def test_a_session_that_has_the_old_file_open_writes_into_the_new_one(store: Path, sound: Rows) -> None:
    with SQLiteStore(str(store)) as opened:
        opened.ledger.last("letters.default")
        damaged = mended(store).damaged
        before = bytes_of(Path(damaged))

        with pytest.raises(StoreReplaced, match="just replaced by a repair"):
            opened.board.change([Put("test", {"a": 1})])
        opened.board.change([Put("test", {"a": 1})])

    assert bytes_of(Path(damaged)) == before
    assert "test" in [row[0] for row in board(store)]
    assert_sound(store)


def test_a_session_that_has_the_old_file_open_reads_the_new_one_after_a_moment(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "LOOK_S", 0.0)
    with SQLiteStore(str(store)) as opened:
        mended(store)
        with SQLiteStore(str(store)) as other:
            fill(other, 1001, 1003)

        assert opened.ledger.last("letters.default") == 1003


def test_a_writer_that_waits_for_a_repair_is_told_to_try_again(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "LOOK_S", 3600.0)
    spoil(store, leaf_of(store.read_bytes(), 30) * PAGE, bytes(PAGE))
    told: list[str] = []

    def write(opened: SQLiteStore) -> None:
        try:
            opened.board.change([Put("test", {"a": 1})])
        except StoreUnavailable as error:
            told.append(error.message)

    with SQLiteStore(str(store)) as opened:
        environment = {**os.environ, VARIABLE: "rescued store built:1:STOP"}
        doctor = subprocess.Popen(
            [MAILSTOP, "doctor", "--rebuild", "--store", str(store)], env=environment, stdout=subprocess.DEVNULL
        )
        os.waitpid(doctor.pid, os.WUNTRACED)
        writer = threading.Thread(target=write, args=[opened])
        writer.start()
        doctor.send_signal(signal.SIGCONT)
        writer.join()
        assert doctor.wait() == 0

    assert len(told) == 1
    assert "just replaced by a repair" in told[0]
    assert_sound(store)


@pytest.mark.parametrize("beside", [False, True])
def test_what_is_not_ours_is_left_alone(tmp_path: Path, beside: bool) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as opened:
        opened.execute("CREATE TABLE entries (n INTEGER PRIMARY KEY, a, b, c, d, e, f, g)")
        opened.execute("INSERT INTO entries VALUES (1, 'a', 2, 'c', 'd', 'e', '{}', 'g')")
        opened.commit()
    if beside:
        spoil(path, 0, b"garbage")
    before, listed = path.read_bytes(), {path.name, f"{path.name}.lock"}

    with pytest.raises(StoreUnavailable, match="no letter of mailstop can be read"):
        rescue(str(path), silent)

    assert path.read_bytes() == before
    assert {file.name for file in tmp_path.iterdir()} <= {*listed, "home"}


# -- damage by chance ------------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(
    live=st.booleans(),
    in_log=st.booleans(),
    place=st.floats(0, 1, exclude_max=True),
    length=st.sampled_from([1, 1, 1, 8, 512, PAGE]),
    seed=st.integers(0, 1 << 32),
)
def test_whatever_one_place_is_damaged_no_entry_comes_back_under_another_number(
    closed: Path, killed: Path, live: bool, in_log: bool, place: float, length: int, seed: int
) -> None:
    original, suffix = (killed, "-wal" if in_log else "") if live else (closed, "")
    reference = _entries(original)
    with tempfile.TemporaryDirectory(dir=FAST) as folder:
        path = copy(original, Path(folder))
        whole = Path(f"{path}{suffix}").read_bytes()
        offset = int(place * (len(whole) - length + 1))
        spoil(Path(f"{path}{suffix}"), offset, random.Random(seed).randbytes(length))

        mended(path)

        left = entries(path)
    assert {row[1]: n for n, row in left.items()}.items() <= {row[1]: n for n, row in reference.items()}.items()
    begin, unit = (32, PAGE + 24) if suffix else (0, PAGE)
    first, last = (offset - begin) // unit, (offset + length - 1 - begin) // unit
    last += bool(suffix)  # a frame is judged by the checksum of the one before it
    touched = marked(whole[max(0, begin + first * unit) : begin + (last + 1) * unit])
    assert set(reference) - set(left) <= with_keys(touched, reference)


_known: dict[Path, Rows] = {}


def _entries(path: Path) -> Rows:
    """The entries of a store, which is left as it lies there."""
    if path not in _known:
        with tempfile.TemporaryDirectory(dir=FAST) as folder:
            _known[path] = entries(copy(path, Path(folder)))
    return _known[path]


def test_a_store_that_is_damaged_while_it_is_used_says_so_and_keeps_its_bytes(store: Path) -> None:
    spoil(store, 0, b"garbage")
    before = store.read_bytes()

    with pytest.raises(StoreDamaged, match="mailstop doctor"):
        SQLiteStore(str(store))

    assert store.read_bytes() == before
