"""mailstop doctor, as whoever calls it sees it."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import mailstop
from mailstop.checkup import interpreter
from mailstop.checkup import store as store_checkup
from mailstop.checkup.store import own
from mailstop.cli.entry import main
from mailstop.clients import life, registry
from mailstop.clients.registry import Registration
from mailstop.config import log_file, state_folder
from mailstop.engines.sqlite.inspection import Contents
from mailstop.faults import VARIABLE
from tests.faults.soundness import assert_sound, default_store, everything_new, stored_bodies
from tests.integration.conftest import SeatAt
from tests.integration.damaged_store import (
    PAGE,
    Rows,
    bytes_of,
    copy,
    entries,
    make,
    spoil,
)
from tests.party import AS_OWNER, MAILSTOP, CompletedRun, Party, Person

POINTS = (
    "rescued store built",
    "before the rescued store is named",
    "rescued store named",
    "before the damaged store is set aside",
    "damaged store set aside",
    "damaged log set aside",
    "before the rescued store is put in place",
    "rescued store put in place",
)


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a log, which its session was killed over."""
    return make(tmp_path_factory.mktemp("live"), live=True)


@pytest.fixture(scope="module")
def sound(killed: Path, tmp_path_factory: pytest.TempPathFactory) -> Rows:
    """The entries before any damage."""
    return entries(copy(killed, tmp_path_factory.mktemp("reference")))


@pytest.fixture
def store(killed: Path, tmp_path: Path) -> Path:
    """A copy of the store, in a folder of its own."""
    folder = tmp_path / "mail"
    folder.mkdir(mode=0o700)
    return copy(killed, folder)


def check(run: CompletedRun, name: str) -> dict[str, str]:
    """One check of a run with --json."""
    found: list[dict[str, str]] = [one for one in run.json["checks"] if one["name"] == name]
    assert len(found) == 1, (name, run.out)
    return found[0]


def failed(run: CompletedRun) -> list[str]:
    """The names of the checks that failed."""
    return [one["name"] for one in run.json["checks"] if one["state"] == "failed"]


def listing(folder: Path) -> dict[str, tuple[int, int, int]]:
    """Everything below a folder, with mode, size and time of change."""
    return {
        str(file.relative_to(folder)): (file.lstat().st_mode, file.lstat().st_size, file.lstat().st_mtime_ns)
        for file in folder.rglob("*")
    }


# -- nothing is changed unasked --------------------------------------------------------------------------------------


def test_on_a_fresh_home_all_is_well_and_nothing_is_made(stranger: Party, own_home: Path) -> None:
    run = stranger.run("doctor", "--json")

    assert (run.code, run.json["ok"]) == (0, True)
    assert "not there yet" in check(run, "store")["found"]
    assert list(own_home.iterdir()) == []


def test_a_rebuild_without_a_store_makes_none(stranger: Party, own_home: Path) -> None:
    run = stranger.run("doctor", "--rebuild", "--json")

    assert run.code == 0
    assert run.json["done"] == ["there is no store yet, so nothing was rebuilt"]
    assert list(own_home.iterdir()) == []


@pytest.mark.parametrize("damage", ["nothing", "garbage header", "cut", "gone", "no log", "no memory", "torn log"])
def test_a_look_at_a_store_changes_nothing_whatever_its_state(
    stranger: Party, store: Path, tmp_path: Path, damage: str
) -> None:
    log, memory = Path(f"{store}-wal"), Path(f"{store}-shm")
    if damage == "garbage header":
        spoil(store, 0, b"garbage" * 10)
    elif damage == "cut":
        os.truncate(store, store.stat().st_size // 2 + 100)
    elif damage == "gone":
        store.unlink()
    elif damage == "no log":
        log.unlink()
        memory.unlink()
    elif damage == "no memory":
        memory.unlink()
    elif damage == "torn log":
        spoil(log, 32 + PAGE, b"torn")
    before, there = bytes_of(store), set(store.parent.iterdir())

    run = stranger.run("doctor", "--store", str(store), "--json")

    assert run.code == (5 if failed(run) else 0)
    assert bytes_of(store) == before
    assert set(store.parent.iterdir()) == there
    assert {file.name for file in tmp_path.iterdir()} == {"home", "mail"}


def test_a_machine_without_an_id_gets_none(
    own_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(life, "_MACHINE_FILES", ())
    monkeypatch.setattr(life, "_known", {})
    monkeypatch.setattr(life, "_may_make", True)
    monkeypatch.setenv("MAILSTOP_SESSION", "0" * 32)

    main(["doctor"])

    assert "free space" in capsys.readouterr().out
    assert list(own_home.iterdir()) == []


def test_a_look_at_a_store_in_use_changes_nothing(seat: SeatAt, own_home: Path) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    builder.send("reviewer", "please look")
    before = listing(own_home)

    run = reviewer.run("doctor", "--look", "--json")

    assert (run.code, failed(run)) == (0, [])
    assert listing(own_home) == before


# -- a damaged store -------------------------------------------------------------------------------------------------


def test_a_damaged_store_is_told_with_what_can_be_rescued_and_the_command_that_does(
    stranger: Party, store: Path
) -> None:
    spoil(store, 0, b"garbage" * 10)

    run = stranger.run("doctor", "--store", str(store))

    assert run.code == 5
    assert "failed    soundness: damaged:" in run.out
    assert "can be rescued: 60 entries, 30 letters, the newest letter 58" in run.out
    assert f"mend: mailstop doctor --store {store} --rebuild" in run.out
    assert run.lines[-1].startswith("1 check failed, ")


def test_one_repair_then_all_is_well(stranger: Party, store: Path, sound: Rows) -> None:
    spoil(store, 0, b"garbage" * 10)
    before = bytes_of(store)

    repair = stranger.run("doctor", "--rebuild", "--store", str(store), "--json")
    again = stranger.run("doctor", "--store", str(store), "--json")

    assert (repair.code, failed(repair)) == (0, [])
    assert (again.code, failed(again)) == (0, [])
    assert entries(store) == sound
    beside = {file.name for file in store.parent.iterdir()} - {file.name for file in map(Path, own(str(store)))}
    kept = store.parent / min(beside)
    assert beside == {f"{kept.name}{suffix}" for suffix in ("", "-wal", "-shm")}
    assert bytes_of(kept) == before
    assert str(kept) in repair.json["done"][0]
    assert_sound(store)


def test_after_a_repair_the_sessions_go_on(seat: SeatAt, own_home: Path) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    numbers = [builder.send("reviewer", f"letter {count}") for count in range(3)]
    store = default_store(own_home)
    content = store.read_bytes()
    for page in range(1, len(content) // PAGE):  # the index alone is lost
        if b"letter" not in content[page * PAGE : (page + 1) * PAGE] and content[page * PAGE] == 0x0D:
            spoil(store, page * PAGE, bytes(PAGE))
    spoil(store, 0, b"garbage")
    assert reviewer.run("check").code == 5

    assert builder.run("doctor", "--rebuild").code == 0

    assert everything_new(reviewer) == ["letter 0", "letter 1", "letter 2"]
    assert builder.run("status", str(numbers[0])).code == 0
    assert builder.send("reviewer", "goes on") >= 1000
    assert everything_new(reviewer) == ["goes on"]


@pytest.mark.parametrize("statement", ["DELETE FROM deliveries", "DROP TABLE letters", "DROP INDEX deliveries_unread"])
def test_an_index_that_differs_is_told_and_folded_again(seat: SeatAt, own_home: Path, statement: str) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    builder.send("reviewer", "please look")
    store = default_store(own_home)
    with closing(sqlite3.connect(store)) as opened, opened:
        opened.execute(statement)

    told = builder.run("doctor", "--json")
    repaired = builder.run("doctor", "--rebuild", "--json")

    assert (told.code, failed(told)) == (5, ["index"])
    assert check(told, "index")["mend"] == "mailstop doctor --rebuild"
    assert (repaired.code, failed(repaired)) == (0, [])
    assert not [file for file in store.parent.iterdir() if "damaged" in file.name]
    assert everything_new(reviewer) == ["please look"]


@pytest.mark.parametrize("missing", ["TABLE letters", "TABLE board", "INDEX deliveries_unread"])
def test_a_store_that_lacks_a_table_never_shows_an_empty_inbox(seat: SeatAt, own_home: Path, missing: str) -> None:
    seat("builder").send("human", "please look")
    reviewer = seat("reviewer")
    with closing(sqlite3.connect(default_store(own_home))) as opened, opened:
        opened.execute(f"DROP {missing}")

    refused = reviewer.run("check")

    assert refused.code == 5
    assert "is damaged (no such" in refused.err
    assert "mailstop doctor" in refused.err


def test_a_rebuild_of_a_sound_store_finds_its_index_the_same(seat: SeatAt, own_home: Path) -> None:
    builder, _reviewer = seat("builder"), seat("reviewer")
    builder.send("reviewer", "please look")

    run = builder.run("doctor", "--rebuild", "--json")

    assert run.code == 0
    assert run.json["done"] == ["folded 3 entries again; the index was the same before"]


def test_a_rebuild_tells_in_which_tables_the_index_was_wrong(seat: SeatAt, own_home: Path) -> None:
    seat("builder").send("human", "please look")
    with closing(sqlite3.connect(default_store(own_home))) as opened, opened:
        opened.execute("UPDATE seats SET folder = 'elsewhere'")

    run = seat("reviewer").run("doctor", "--rebuild", "--json")

    assert run.json["done"][0].endswith("the index was other in seats")


def test_a_store_of_a_newer_format_is_left_alone(seat: SeatAt, own_home: Path) -> None:
    builder = seat("builder")
    with closing(sqlite3.connect(default_store(own_home))) as opened, opened:
        opened.execute("UPDATE format SET oldest_writer = 99")
        opened.execute("PRAGMA user_version = 99")
    before = bytes_of(default_store(own_home))

    told = builder.run("doctor", "--json")
    refused = builder.run("doctor", "--rebuild")

    assert (told.code, failed(told)) == (5, ["format"])
    assert check(told, "format")["mend"].endswith("-m pip install --upgrade mailstop")
    assert refused.code == 5
    assert "newer mailstop (format 99" in refused.err
    assert bytes_of(default_store(own_home)) == before


def test_the_database_of_another_program_is_left_alone(stranger: Party, tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as opened, opened:
        opened.execute("CREATE TABLE letters (n)")
    before = path.read_bytes()

    told = stranger.run("doctor", "--store", str(path), "--json")
    refused = stranger.run("doctor", "--rebuild", "--store", str(path))

    assert told.code == refused.code == 5
    assert "nothing of mailstop can be read in it" in check(told, "rescue")["found"]
    assert path.read_bytes() == before


@pytest.mark.parametrize("point", POINTS)
def test_a_repair_that_is_killed_leaves_the_old_store_or_the_new_one_and_is_finished(
    stranger: Party, store: Path, sound: Rows, point: str
) -> None:
    spoil(store, 0, b"garbage" * 10)
    before = bytes_of(store)
    words = [MAILSTOP, "doctor", "--store", str(store)]

    killed = stranger.call([*words, "--rebuild"], environment={VARIABLE: point})
    told = stranger.run(*words[1:])
    meanwhile = stranger.run("bags", "--store", str(store))
    finished = stranger.run(*words[1:], "--rebuild")

    assert killed.code == -signal.SIGKILL
    old_in_place = POINTS.index(point) < POINTS.index("damaged store set aside")
    assert told.code == (0 if point == POINTS[-1] else 5)
    assert meanwhile.code == (5 if old_in_place else 0)  # never an empty store
    assert "default" in meanwhile.out or "damaged" in meanwhile.err or "no SQLite" in meanwhile.err
    assert finished.code == 0, finished.out
    assert entries(store) == sound
    assert_sound(store)
    left = sorted(file.name for file in store.parent.iterdir() if "-shm" not in file.name)
    damaged = next(name for name in left if "damaged" in name)
    assert set(left) - {"mail.db-wal"} == {"mail.db", "mail.db.lock", damaged, f"{damaged}-wal"}
    assert bytes_of(store.parent / damaged) == before


# -- modes and modules -----------------------------------------------------------------------------------------------


def test_modes_are_told_and_tightened_only_when_asked(seat: SeatAt, own_home: Path) -> None:
    builder = seat("builder")
    store = default_store(own_home)
    loose = [store, store.parent, Path(state_folder()), Path(f"{store}.lock")]
    for path in loose:
        path.chmod(path.stat().st_mode | 0o055)

    told = builder.run("doctor", "--json")
    assert {"store files", "store folder", "state folder"} <= set(failed(told))
    assert all(path.stat().st_mode & 0o077 for path in loose)
    mended = builder.run("doctor", "--mend", "--json")

    assert (mended.code, failed(mended)) == (0, [])
    assert [path.stat().st_mode & 0o777 for path in loose] == [0o600, 0o700, 0o700, 0o600]


def test_the_folder_that_a_person_chose_keeps_its_mode(stranger: Party, store: Path) -> None:
    store.parent.chmod(0o777)

    told = stranger.run("doctor", "--mend", "--store", str(store), "--json")

    assert failed(told) == ["store folder"]
    assert check(told, "store folder")["mend"] == f"chmod go-w {store.parent}"
    assert store.parent.stat().st_mode & 0o777 == 0o777


@pytest.mark.parametrize(
    ("place", "mode", "name"),
    [
        ("file of the store", 0o400, "store files"),
        ("file of the store", 0o000, "store files"),
        ("folder of the store", 0o500, "store folder"),
        ("folder of the store", 0o000, "store folder"),
        ("folder of bells", 0o500, "state folder"),
    ],
)
def test_what_the_user_may_not_use_is_told_with_the_command_that_gives_it_back(
    seat: SeatAt, own_home: Path, place: str, mode: int, name: str
) -> None:
    builder = seat("builder")
    store = default_store(own_home)
    places = {"file of the store": store, "folder of the store": store.parent}
    path = places.get(place, Path(state_folder(), "bells"))
    builder.send("human", "this rings a bell, for which there is a folder then")
    right = path.stat().st_mode & 0o777
    path.chmod(mode)

    told = builder.call([*AS_OWNER, MAILSTOP, "doctor", "--look", "--json"])
    mends = {one["mend"] for one in told.json["checks"] if one["state"] == "failed"}
    mended = builder.call([*AS_OWNER, *mends.pop().replace("mailstop", MAILSTOP).split(), "--json"])

    assert name in failed(told)
    assert not mends
    assert (mended.code, path.stat().st_mode & 0o777) == (0, right)


def test_a_chosen_folder_in_which_no_log_can_be_written_is_told(stranger: Party, store: Path) -> None:
    store.parent.chmod(0o500)

    told = stranger.call([*AS_OWNER, MAILSTOP, "doctor", "--store", str(store), "--json"])
    store.parent.chmod(0o700)

    assert (told.code, failed(told)) == (5, ["store folder"])
    assert check(told, "store folder")["mend"] == f"chmod u+rwx {store.parent}"


def test_what_mends_a_store_that_was_named_names_it_too(stranger: Party, store: Path) -> None:
    store.chmod(0o644)

    told = stranger.run("doctor", "--store", str(store), "--json")
    words = check(told, "store files")["mend"].split()
    stranger.run(*words[1:])

    assert words == ["mailstop", "doctor", "--store", str(store), "--mend"]
    assert store.stat().st_mode & 0o777 == 0o600


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A copy of the package, without compiled modules."""
    source = Path(mailstop.__file__).parent
    return Path(shutil.copytree(source, tmp_path / "lib" / "mailstop", ignore=shutil.ignore_patterns("__pycache__")))


def run_installed(party: Party, installed: Path, *words: str) -> CompletedRun:
    environment = {"PYTHONPATH": str(installed.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    return party.call([sys.executable, "-m", "mailstop", *words], environment=environment)


def test_missing_compiled_modules_are_told_and_mended(stranger: Party, installed: Path) -> None:
    told = run_installed(stranger, installed, "doctor", "--json")
    mended = run_installed(stranger, installed, "doctor", "--mend", "--json")

    assert check(told, "compiled modules")["state"] == "warning"
    assert check(told, "compiled modules")["mend"] == "mailstop doctor --mend"
    assert check(mended, "compiled modules")["state"] == "ok"
    modules = sum(1 for _ in installed.rglob("*.py"))
    assert sum(1 for _ in installed.rglob("*.pyc")) == modules
    assert mended.json["done"][0] == f"compiled {modules} modules"


def test_a_compiled_module_of_another_source_is_stale(stranger: Party, installed: Path) -> None:
    run_installed(stranger, installed, "doctor", "--mend")
    with (installed / "office.py").open("a") as file:
        file.write("\n")

    told = run_installed(stranger, installed, "doctor", "--json")

    assert " 1 are not compiled" in check(told, "compiled modules")["found"]


def test_without_the_right_to_write_the_command_is_told(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mailstop, "__file__", str(installed / "__init__.py"))
    monkeypatch.setattr(os, "access", lambda *_question: False)  # root may write anywhere

    told = interpreter.compiled()

    assert told.mend == f"sudo {sys.executable} -m compileall -q {installed}"
    assert interpreter.compile_modules(lambda _done, _total: None) == ""


def test_a_second_mailstop_on_the_path_is_told(stranger: Party, tmp_path: Path) -> None:
    for folder in ("first", "second", "third"):
        (tmp_path / folder).mkdir()
    for folder in ("first", "second"):
        (tmp_path / folder / "mailstop").write_text("#!/bin/sh\n")
        (tmp_path / folder / "mailstop").chmod(0o755)
    (tmp_path / "third" / "mailstop").symlink_to(tmp_path / "first" / "mailstop")
    path = ":".join(str(tmp_path / folder) for folder in ("first", "third", "second"))
    first, _, second = path.split(":")

    told = stranger.call([MAILSTOP, "doctor", "--json"], environment={"PATH": path})

    assert check(told, "command") == {
        "name": "command",
        "state": "warning",
        "found": f"mailstop is on PATH more than once: {first}/mailstop is run, {second}/mailstop not",
        "mend": f"rm {second}/mailstop",
    }


def test_the_mailstop_that_looks_is_not_the_one_to_be_removed(stranger: Party, tmp_path: Path) -> None:
    older = tmp_path / "older" / "mailstop"
    older.parent.mkdir()
    older.write_text("#!/bin/sh\necho mailstop 0.0.9\necho and more\n")
    older.chmod(0o755)
    paths = [str(older.parent), str(Path(MAILSTOP).parent)]

    told = [
        stranger.call([MAILSTOP, "doctor", "--json"], environment={"PATH": ":".join(p)}) for p in (paths, paths[::-1])
    ]

    assert [check(run, "command")["mend"] for run in told] == [f"rm {older}"] * 2
    assert f"{older} (0.0.9) is run" in check(told[0], "command")["found"]


# -- who and where ---------------------------------------------------------------------------------------------------


def test_it_says_who_i_am_which_seat_and_which_way_letters_take(seat: SeatAt) -> None:
    builder = seat("builder")

    run = builder.run("doctor", "--json")

    assert check(run, "caller")["found"].startswith("a program")
    assert check(run, "seat")["found"] == "builder"
    assert check(run, "way")["found"] == "nothing wakes a program: it looks, or waits"
    assert "(this session's)" in check(run, "store")["found"]


def test_the_person_is_told_so(person: Person, seat: SeatAt) -> None:
    seat("builder").send("human", "a word with you")

    run = person.run("doctor")

    assert "caller: the person" in run.out
    assert "seat: human; 1 unread" in run.out


def test_its_own_letter_of_an_earlier_run_is_not_told_as_unread(seat: SeatAt) -> None:
    builder = seat("builder")

    runs = [builder.run("doctor", "--json") for _ in range(3)]
    seat("reviewer").send("builder", "please look")
    behind = builder.run("doctor", "--json")

    assert [check(run, "seat")["found"] for run in runs] == ["builder"] * 3
    assert check(behind, "seat")["found"] == "builder; 1 unread"


@pytest.mark.parametrize(
    ("environment", "mend"),
    [
        ({"MAILSTOP_SESSION": "0" * 32}, "unset MAILSTOP_SESSION"),
        ({"CLAUDECODE": "1"}, "unset CLAUDECODE"),
    ],
)
def test_a_doubtful_caller_is_a_failure_and_the_rest_is_still_told(
    stranger: Party, environment: dict[str, str], mend: str
) -> None:
    told = stranger.call([MAILSTOP, "doctor", "--json"], environment=environment)

    assert (told.code, failed(told), check(told, "caller")["mend"]) == (1, ["caller"], mend)
    assert check(told, "free space")["state"] == "ok"


@pytest.mark.parametrize(
    ("words", "environment", "source"),
    [(["--store", "/tmp/a.db"], {}, "--store"), ([], {"MAILSTOP_STORE": "/tmp/a.db"}, "MAILSTOP_STORE")],
)
def test_it_says_who_chose_the_store(
    stranger: Party, words: list[str], environment: dict[str, str], source: str
) -> None:
    told = stranger.call([MAILSTOP, "doctor", "--json", *words], environment=environment)

    assert f"sqlite:////tmp/a.db ({source})" in check(told, "store")["found"]


def test_a_store_that_is_none_is_told(stranger: Party) -> None:
    told = stranger.run("doctor", "--json", "--store", "postgres://somewhere")

    assert (told.code, failed(told)) == (5, ["store"])


def test_a_folder_in_the_place_of_the_store_is_told(stranger: Party, tmp_path: Path) -> None:
    told = stranger.run("doctor", "--json", "--store", str(tmp_path))

    assert (told.code, failed(told)) == (5, ["store"])
    assert "it is no file" in check(told, "store")["found"]
    assert check(told, "store")["mend"] == f"mailstop doctor --store {tmp_path}/mailstop.db"


def test_a_variable_that_names_no_store_is_to_be_unset(stranger: Party) -> None:
    told = stranger.call([MAILSTOP, "doctor", "--json"], environment={"MAILSTOP_STORE": "postgres://somewhere"})

    assert (failed(told), check(told, "store")["mend"]) == (["store"], "unset MAILSTOP_STORE")


@pytest.fixture
def registered(own_home: Path) -> Iterator[Any]:
    """Writes a registration: of this process, which lives, or of one that ended."""

    def write(folder: Path, store: str, *, alive: bool = True) -> Registration:
        own = life.my_life()
        proof = own if alive else own.but(start=own.start + 1)
        token = os.urandom(16).hex()
        registration = Registration("program", token, f"session-{token}", store, proof, str(folder))
        registry.write(registration)
        return registration

    yield write


def test_sessions_of_one_project_with_two_stores_are_told(stranger: Party, tmp_path: Path, registered: Any) -> None:
    repository, worktree = tmp_path / "shop", tmp_path / "shop-fix"
    for folder in ("objects", "refs", "worktrees/fix"):
        (repository / ".git" / folder).mkdir(parents=True)
    (repository / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (repository / ".git" / "worktrees" / "fix" / "HEAD").write_text("ref: refs/heads/fix\n")
    (repository / ".git" / "worktrees" / "fix" / "commondir").write_text("../..\n")
    worktree.mkdir()
    (worktree / ".git").write_text(f"gitdir: {repository}/.git/worktrees/fix\n")
    registered(worktree, "sqlite:////elsewhere/mail.db")
    registered(worktree, "sqlite:////of/the/dead.db", alive=False)

    told = stranger.call([MAILSTOP, "doctor", "--json"], cwd=repository)

    found = check(told, "worktrees")
    assert found["state"] == "warning"
    assert f"in {worktree} uses sqlite:////elsewhere/mail.db" in found["found"]
    assert "dead.db" not in found["found"]
    assert found["mend"] == "export MAILSTOP_STORE=sqlite:////elsewhere/mail.db"


def test_a_session_with_another_store_than_its_project_is_told_how_to_join_there(
    seat: SeatAt, tmp_path: Path, registered: Any
) -> None:
    builder = seat("builder")
    other = f"sqlite:///{tmp_path}/other.db"
    registered(builder.home, other)

    mend = check(builder.call([MAILSTOP, "doctor", "--look", "--json"], cwd=builder.home), "worktrees")["mend"]
    script = mend.replace("mailstop", MAILSTOP).replace("NAME", "builder") + f"; {MAILSTOP} status --json"
    joined = builder.call(["/bin/sh", "-c", script], cwd=builder.home)

    assert joined.json["store"] == other


def test_a_store_that_living_sessions_use_and_that_is_gone_is_a_failure(
    stranger: Party, tmp_path: Path, registered: Any
) -> None:
    registered(tmp_path, f"sqlite:///{tmp_path}/gone.db")

    told = stranger.run("doctor", "--json", "--store", f"{tmp_path}/gone.db")

    assert (told.code, failed(told)) == (5, ["store"])
    assert not (tmp_path / "gone.db").exists()


def test_ended_sessions_are_counted_and_swept_out_when_asked(stranger: Party, tmp_path: Path, registered: Any) -> None:
    living = registered(tmp_path, "sqlite:////mail.db")
    registered(tmp_path, "sqlite:////mail.db", alive=False)

    told = stranger.run("doctor", "--json")
    mended = stranger.run("doctor", "--mend", "--json")

    assert check(told, "registrations")["found"] == "1 living session, 1 ended"
    assert "swept out 1 ended session" in mended.json["done"]
    assert registry.everyone() == [living]


def test_the_last_errors_of_hooks_are_shown_while_they_are_recent(stranger: Party, own_home: Path) -> None:
    log = Path(log_file())
    log.parent.mkdir(parents=True, mode=0o700)
    log.write_text("".join(f"2026-01-01 hook error {count}\n" for count in range(5)))
    log.chmod(0o600)

    recent = stranger.run("doctor")
    os.utime(log, (time.time() - 90_000, time.time() - 90_000))
    old = stranger.run("doctor", "--json")

    assert "hook error 1" not in recent.out
    assert all(f"hook error {count}" in recent.out for count in (2, 3, 4))
    assert recent.code == 0
    assert check(old, "hook errors")["state"] == "ok"


def test_errors_of_hooks_that_were_seen_are_set_aside_by_the_command_that_is_told(
    stranger: Party, own_home: Path
) -> None:
    log = Path(log_file())
    log.parent.mkdir(parents=True, mode=0o700)
    log.write_text("2026-01-01 hook error\n")
    log.chmod(0o600)

    told = check(stranger.run("doctor", "--json"), "hook errors")
    mended = stranger.call([*told["mend"].replace("mailstop", MAILSTOP, 1).split(), "--json"])

    assert told["state"] == "warning"
    assert check(mended, "hook errors")["state"] == "ok"
    assert f"set the errors of hooks aside: {log}.1" in mended.json["done"]
    assert Path(f"{log}.1").read_text() == "2026-01-01 hook error\n"
    assert stranger.run("doctor", "--mend", "--json").json["done"] == ["there was nothing to mend"]


def test_a_clock_that_was_put_back_is_told(seat: SeatAt, own_home: Path) -> None:
    builder = seat("builder")
    ahead = time.time() + 3600
    os.utime(default_store(own_home), (ahead, ahead))

    assert check(builder.run("doctor", "--json"), "clock")["state"] == "warning"


def test_a_clock_behind_the_newest_entry_is_told(seat: SeatAt, own_home: Path) -> None:
    builder = seat("builder")
    with closing(sqlite3.connect(default_store(own_home))) as opened, opened:
        opened.execute("UPDATE entries SET at = at + 3600000")
    now = time.time()
    for file in default_store(own_home).parent.iterdir():
        os.utime(file, (now, now))

    found = check(builder.run("doctor", "--look", "--json"), "clock")

    assert found["state"] == "warning"


@pytest.mark.parametrize("runs", [True, False])
def test_only_where_systemd_runs_its_command_mends_the_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, runs: bool
) -> None:
    monkeypatch.setattr(store_checkup, "SYSTEMD", str(tmp_path if runs else tmp_path / "none"))
    path = copy_of_an_hour_ahead(tmp_path)

    found = store_checkup.clock(str(path), Contents(1, 1, 1, 0, newest_at=0))

    assert (found.state, found.mend) == ("warning", "timedatectl set-ntp true" if runs else "")


def copy_of_an_hour_ahead(folder: Path) -> Path:
    """A file that was written in the future."""
    path = folder / "mail.db"
    path.touch()
    os.utime(path, (time.time() + 3600, time.time() + 3600))
    return path


def test_what_stands_in_the_store_cannot_break_the_lines(seat: SeatAt, own_home: Path) -> None:
    builder = seat("builder")
    builder.send("human", "please look")
    with closing(sqlite3.connect(default_store(own_home))) as opened, opened:
        opened.execute("UPDATE seats SET name = 'x' || char(10) || char(27) || '[2J' WHERE name = 'builder'")

    out = builder.run("doctor").out

    assert "\x1b" not in out
    assert not [line for line in out.splitlines() if line.startswith("[2J")]


def test_the_bodies_of_all_letters_survive_a_repair(seat: SeatAt, own_home: Path) -> None:
    builder = seat("builder")
    bodies = ["plain", "crlf\r\n\r\n", "🦊\u200d", "x" * 100_000, "trailing\n\n\n"]
    for body in bodies:
        builder.send("human", body)
    spoil(default_store(own_home), 0, b"garbage")

    assert builder.run("doctor", "--rebuild").code == 0

    assert stored_bodies(default_store(own_home)) == bodies
