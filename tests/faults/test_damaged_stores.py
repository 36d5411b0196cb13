"""Stores that are damaged, another program's, too new, not files at all, or not to be read.

Every verb says so in one sentence and exits with 5; nothing is overwritten; and a store that cannot be looked into is
never taken for an empty one (cases M4, D7).
"""

from __future__ import annotations

import os
import random
import socket
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from mailstop.clients.caller import STRANGER, Caller
from mailstop.engines.sqlite.store import SQLiteStore
from mailstop.errors import StoreUnavailable
from mailstop.office import Office
from tests.faults.soundness import assert_sound, everything_new, stored_bodies
from tests.party import AS_OWNER, MAILSTOP, ClaudeParty, Party

LETTERS = 20
PAGE = 4096


def garbage(store: Path) -> None:
    store.write_bytes(random.Random(1).randbytes(100_000))


def text(store: Path) -> None:
    store.write_text("This is no database.\n")


def short(store: Path) -> None:
    store.write_bytes(store.read_bytes()[:50])


def one_page(store: Path) -> None:
    store.write_bytes(store.read_bytes()[:PAGE])


def half(store: Path) -> None:
    content = store.read_bytes()
    store.write_bytes(content[: len(content) // 2])


def no_header(store: Path) -> None:
    store.write_bytes(bytes(PAGE) + store.read_bytes()[PAGE:])


def torn(store: Path) -> None:
    content = store.read_bytes()
    store.write_bytes(content[:PAGE] + random.Random(1).randbytes(len(content) - PAGE))


def emptied(store: Path) -> None:
    """Cut to nothing, with what was written last still in the log."""
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("INSERT INTO board VALUES ('key', '{}', 1, NULL, NULL)")
        connection.commit()
        log = Path(f"{store}-wal").read_bytes()
    store.write_bytes(b"")
    Path(f"{store}-wal").write_bytes(log)


def removed(store: Path) -> None:
    """The file is gone, its log is still there."""
    emptied(store)
    store.unlink()


def another_program(store: Path, version: int = 0) -> None:
    store.unlink()
    with closing(sqlite3.connect(store)) as connection:
        connection.executescript(f"CREATE TABLE entries (url TEXT); PRAGMA user_version = {version}")


def another_program_of_our_version(store: Path) -> None:
    another_program(store, version=1)


def another_program_with_a_log(store: Path) -> None:
    another_program(store)
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("INSERT INTO entries VALUES ('not yet in the file')")
        connection.commit()
        log = Path(f"{store}-wal").read_bytes()
    Path(f"{store}-wal").write_bytes(log)


def newer(store: Path) -> None:
    with closing(sqlite3.connect(store)) as connection:
        connection.executescript("UPDATE format SET oldest_writer = 99; PRAGMA user_version = 99")


def folder(store: Path) -> None:
    store.unlink()
    store.mkdir()


def fifo(store: Path) -> None:
    store.unlink()
    os.mkfifo(store)


def unix_socket(store: Path) -> None:
    store.unlink()
    with tempfile.TemporaryDirectory() as short, socket.socket(socket.AF_UNIX) as bound:
        bound.bind(f"{short}/socket")  # a socket's path may have 100 characters or so
        os.rename(f"{short}/socket", store)


def dangling_link(store: Path) -> None:
    store.unlink()
    store.symlink_to(store.parent / "not mounted" / "mail.db")


def link_to_a_folder(store: Path) -> None:
    store.unlink()
    store.symlink_to("/")


def unreadable(store: Path) -> None:
    store.chmod(0)


def unreadable_folder(store: Path) -> None:
    store.parent.chmod(0)


DAMAGED = (garbage, text, short, one_page, half, no_header, torn, emptied, removed)
NOT_OURS = (another_program, another_program_of_our_version, another_program_with_a_log, newer)
NO_FILE = (folder, fifo, unix_socket, dangling_link, link_to_a_folder)
FORBIDDEN = (unreadable, unreadable_folder)
UNUSABLE = (*DAMAGED, *NOT_OURS, *NO_FILE, *FORBIDDEN)

COMMANDS = (("check",), ("check", "--peek"), ("send", "builder", "hello"), ("read",), ("status",), ("who",), ("bags",))


def called(party: Party, *words: str) -> tuple[int, str, str]:
    """Run a verb as one that file modes count for; its exit code, output and errors."""
    run = party.call([*AS_OWNER, MAILSTOP, *words])
    return run.code, run.out, run.err


def contents(store: Path) -> dict[str, bytes]:
    """The store's file and log, byte for byte."""
    files = [file for file in (store, Path(f"{store}-wal")) if file.is_file()]
    return {file.name: content for file in files if (content := file.read_bytes()) or file == store}


@pytest.fixture
def reader(seat: Callable[[str], Party]) -> Party:
    """A party for which letters wait in the store."""
    builder, reader = seat("builder"), seat("reader")
    for number in range(3):
        builder.send("reader", f"letter {number}")
    return reader


@pytest.mark.parametrize("make", UNUSABLE, ids=lambda make: make.__name__)
def test_each_verb_says_in_one_sentence_that_the_store_cannot_be_used(
    make: Callable[[Path], None], reader: Party, store: Path, request: pytest.FixtureRequest
) -> None:
    request.addfinalizer(lambda: store.parent.chmod(0o700))
    make(store)
    store_mode = store.lstat().st_mode if make is not unreadable_folder and make is not removed else None
    before = contents(store) if make not in FORBIDDEN else {}

    for words in COMMANDS:
        code, out, err = called(reader, *words)
        assert (code, out) == (5, ""), (words, out, err)
        assert err.startswith("mailstop: The store /"), words
        assert err.count("\n") == 1, words

    assert before == (contents(store) if make not in FORBIDDEN else {})
    if store_mode is not None:
        assert store.lstat().st_mode == store_mode


@pytest.mark.parametrize("make", [garbage, torn, emptied, another_program, newer, fifo], ids=lambda make: make.__name__)
def test_a_hook_says_that_it_does_not_know_whether_letters_wait(
    make: Callable[[Path], None], own_home: Path, claude: Callable[[], ClaudeParty], store: Path
) -> None:
    client = claude()
    client.open("session")
    make(store)
    before = contents(store)

    rung = client.hook("UserPromptSubmit", "session", prompt="mailstop: letter 7 from builder", prompt_id="1")
    others = [client.hook(name, "session", prompt_id="1") for name in ("PreToolUse", "PostToolBatch", "Stop")]

    assert (rung.code, rung.err) == (0, "")
    assert rung.json["systemMessage"].startswith("mailstop: The store ")
    assert "whether letters wait is not known" in rung.json["hookSpecificOutput"]["additionalContext"]
    assert [(other.code, other.out, other.err) for other in others] == [(0, "", "")] * 3
    assert "hook Store" in (own_home / ".local/state/mailstop/log").read_text()
    assert contents(store) == before


def test_a_hook_tells_a_store_that_is_gone_from_one_without_mail_and_makes_none(
    claude: Callable[[], ClaudeParty], store: Path
) -> None:
    client = claude()
    client.open("session")
    store.unlink()

    rung = client.hook("UserPromptSubmit", "session", prompt="mailstop: letter 7 from builder", prompt_id="1")

    assert "is not there any more" in rung.json["systemMessage"]
    assert not store.exists()


@pytest.mark.parametrize("content", ["zeros", "garbage"])
def test_whichever_page_is_lost_no_letter_goes_missing_in_silence(
    content: str, seat: Callable[[str], Party], store: Path, tmp_path: Path
) -> None:
    builder, reader = seat("builder"), seat("reader")
    for number in range(LETTERS):
        builder.send("reader", f"letter {number} " + "x" * 3000)
    token = reader.environment["MAILSTOP_SESSION"]
    with SQLiteStore(str(store)) as opened:
        session = next(each for each in opened.board.under("session/") if each.value["client_session"] == token)
    whole = store.read_bytes()
    said = 0

    for page in range(len(whole) // PAGE):
        lost = tmp_path / f"page-{page}.db"
        filling = bytes(PAGE) if content == "zeros" else random.Random(page).randbytes(PAGE)
        lost.write_bytes(whole[: page * PAGE] + filling + whole[(page + 1) * PAGE :])
        try:
            with SQLiteStore(str(lost)) as opened:
                office = Office(opened, Caller(STRANGER))
                seats = opened.index.seats_of(session.value["id"])
                unread = [letter for place in seats for letter in opened.index.unread(place.bag, place.name)]
                records = office.reading.read(last=LETTERS).records
        except StoreUnavailable:
            said += 1
        else:
            assert [letter.body.split("x")[0] for letter in unread] == [f"letter {n} " for n in range(LETTERS)]
            assert len(records) == LETTERS

    assert said > LETTERS


def test_a_row_that_is_no_json_any_more_is_damage(reader: Party, store: Path) -> None:
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("UPDATE entries SET data = substr(data, 1, 9) WHERE type = 'letter'")
        connection.commit()
    for words in (("check",), ("read",)):
        code, out, err = called(reader, *words)
        assert (code, out) == (5, "")
        assert err.startswith(f"mailstop: The store {store} is damaged (")


def test_a_torn_log_leaves_what_was_in_the_file(reader: Party, store: Path) -> None:
    Path(f"{store}-wal").write_bytes(random.Random(1).randbytes(50_000))
    Path(f"{store}-shm").write_bytes(random.Random(2).randbytes(32_768))

    assert everything_new(reader) == ["letter 0", "letter 1", "letter 2"]
    assert_sound(store)


def test_a_newer_store_that_this_version_may_still_write_is_used(reader: Party, store: Path) -> None:
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("PRAGMA user_version = 99")

    assert everything_new(reader) == ["letter 0", "letter 1", "letter 2"]
    with closing(sqlite3.connect(store)) as connection:
        assert connection.execute("PRAGMA user_version").fetchall() == [(99,)]


def test_an_empty_file_becomes_a_store(stranger: Callable[[], Party], tmp_path: Path) -> None:
    place = tmp_path / "made by mktemp"
    place.touch(mode=0o600)
    party = stranger()
    party.environment["MAILSTOP_STORE"] = str(place)
    party.join("builder")

    party.send("reader", "hello", "--hold")

    assert stored_bodies(place) == ["hello"]
    assert_sound(place)


def test_a_link_leads_to_the_store_and_to_its_lock(reader: Party, store: Path, own_home: Path) -> None:
    link = own_home / "link.db"
    link.symlink_to(store)
    reader.environment["MAILSTOP_STORE"] = str(link)

    assert everything_new(reader) == ["letter 0", "letter 1", "letter 2"]
    assert not list(own_home.glob("link.db?*"))


def test_a_lock_that_cannot_be_opened_is_told_in_a_sentence(reader: Party, store: Path) -> None:
    lock = Path(f"{store}.lock")
    lock.unlink()
    lock.mkdir()

    code, out, err = called(reader, "send", "builder", "hello")

    assert (code, out) == (5, "")
    assert err == f"mailstop: The store {store} cannot be used: Is a directory. Nothing was stored.\n"
    assert called(reader, "read")[0] == 0


def test_two_that_open_a_foreign_file_in_one_process_never_let_go_of_their_locks(store: Path, tmp_path: Path) -> None:
    """Closing a file drops all locks that the process has on it; another process could then reset the log."""
    path = tmp_path / "mail.db"
    with SQLiteStore(str(path)) as first:
        first.index.newest()
        held = locks_on(path)
        SQLiteStore(str(path)).close()
        assert held != set()
        assert locks_on(path) == held


def locks_on(path: Path) -> set[str]:
    """The POSIX locks that this process has on a file (proc(5), /proc/locks)."""
    inode = path.stat().st_ino
    lines = [line.split() for line in Path("/proc/locks").read_text().splitlines()]
    own = [line for line in lines if line[1] == "POSIX" and line[4] == str(os.getpid())]
    return {" ".join(line[1:]) for line in own if line[5].endswith(f":{inode}")}
