"""kill -9 at every named point (mailstop/faults.py).

A command is killed at a point, the first time it comes there, the second time, and so on until it no longer does. After
each death the next command works at once, with no lock left; nothing acknowledged is missing, nothing is doubled, and
the store is sound.
"""

from __future__ import annotations

import re
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import mailstop
from mailstop import bells
from mailstop.clients.caller import STRANGER, Caller
from mailstop.engines.sqlite.store import SQLiteStore
from mailstop.faults import VARIABLE
from mailstop.office import Office
from mailstop.times import now_ms
from tests.faults.door import ListeningDoor
from tests.faults.soundness import assert_sound, everything_new, held_seats, states, stored_bodies
from tests.integration.damaged_store import copy, entries, make, spoil
from tests.party import MAILSTOP, ClaudeParty, CompletedRun, Party

MOST_TIMES = 20  # no command comes to a point more often

# A send and a check are killed everywhere; the others at their own points, and on both sides of each commit.
COMMITTING = ("before commit", "committed")
WRITING = ("before the gate", "behind the gate", "begun", *COMMITTING, "before closing", "closed")
APPENDING = ("entry written", "entry folded", *WRITING)

MAKING = ("store file made", "store file marked", "before the tables", "before committing the tables", "tables made")
JOINING = (*MAKING, "registration written", "output written", "closed", *COMMITTING)
SENDING = ("before the bell", "bell rung", "output written", *APPENDING)
RINGING = ("before the door", "door rung")
CHECKING = ("letters handed out", "output written", "recorded as handed", "row changed", *APPENDING)
STARTING = ("session seated", "registration written", *COMMITTING)
PROMPTING = ("bell silenced", "letters handed out", "answer written", "answer recorded", *COMMITTING)
REPAIRING = (
    "rescued store built",
    "before the rescued store is named",
    "rescued store named",
    "before the damaged store is set aside",
    "damaged store set aside",
    "damaged log set aside",
    "before the rescued store is put in place",
    "rescued store put in place",
)
SEARCHING = ("page of text folded", *COMMITTING)


def killed(point: str, command: Callable[[dict[str, str]], CompletedRun]) -> Iterator[CompletedRun]:
    """Let the command be killed at each of its arrivals at a point; give what it did until then."""
    for times in range(1, MOST_TIMES):
        run = command({VARIABLE: f"{point}:{times}"})
        if run.code != -signal.SIGKILL:
            assert run.code == 0, run.err
            assert times > 1, f"the command does not come to {point!r}"
            return
        yield run
    raise AssertionError(f"the command comes to {point!r} more than {MOST_TIMES} times")


def test_every_point_has_one_place_and_a_test_that_tries_it() -> None:
    sources = Path(mailstop.__file__).parent.rglob("*.py")
    named = Counter(point for file in sources for point in re.findall(r'\breach\((".*?")\)', file.read_text()))
    tests = "".join(file.read_text() for file in Path(__file__).parents[1].rglob("test_*.py"))
    assert len(named) >= 20
    assert {point for point, times in named.items() if times > 1} == set()
    assert {point for point in named if point not in tests} == set()


@pytest.mark.parametrize("point", SENDING)
def test_a_killed_send_is_repeated_with_its_key_and_stored_once(
    point: str, seat: Callable[[str], Party], store: Path
) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    bell = f"program-{reviewer.environment['MAILSTOP_SESSION']}"
    bodies: list[str] = []

    def send(environment: dict[str, str]) -> CompletedRun:
        bodies.append(f"letter {len(bodies)}")
        words = ["send", "reviewer", bodies[-1], "--key", f"key {len(bodies)}"]
        return builder.call([MAILSTOP, *words], environment=environment)

    for run in killed(point, send):
        known = stored_bodies(store)
        assert builder.run("send", "reviewer", f"next after {bodies[-1]}").code == 0
        bells.silence(bell)
        again = builder.run("send", "reviewer", bodies[-1], "--key", f"key {len(bodies)}", "--json")
        assert again.code == 0, again.err
        assert bells.is_ringing(bell)
        if run.out:  # acknowledged: it was there before anybody repeated it
            assert bodies[-1] in known
        assert_sound(store)

    expected = Counter([*bodies, *(f"next after {body}" for body in bodies[:-1])])
    assert Counter(stored_bodies(store)) == expected
    assert Counter(everything_new(reviewer)) == expected


@pytest.mark.parametrize("point", CHECKING)
def test_what_a_killed_check_did_not_print_is_offered_again(
    point: str, seat: Callable[[str], Party], store: Path
) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    bodies: list[str] = []

    def check(environment: dict[str, str]) -> CompletedRun:
        everything_new(reviewer)
        bodies.append(f"letter {len(bodies)}")
        builder.send("reviewer", bodies[-1])
        return reviewer.call([MAILSTOP, "check", "--json"], environment=environment)

    for run in killed(point, check):
        assert builder.run("send", "reviewer", "next").code == 0
        offered = everything_new(reviewer)
        assert offered in ([bodies[-1], "next"], ["next"])
        if bodies[-1] not in offered:
            assert [letter["body"] for letter in run.json["letters"]] == bodies[-1:]
        assert_sound(store)


@pytest.mark.parametrize("point", ["letters handed out", "output written", "recorded as handed", "closed"])
def test_what_was_not_proved_is_offered_to_the_next_holder(
    point: str, seat: Callable[[str], Party], store: Path
) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    builder.send("reviewer", "please look")

    died = reviewer.call([MAILSTOP, "check"], environment={VARIABLE: point})
    reviewer.close()

    assert died.code == -signal.SIGKILL
    assert everything_new(seat("reviewer")) == ["please look"]
    assert_sound(store)


@pytest.mark.parametrize("point", JOINING)
def test_a_killed_join_is_repeated_by_the_same_shell(
    point: str, own_home: Path, stranger: Callable[[], Party], seat: Callable[[str], Party], store: Path
) -> None:
    shells: list[Party] = []

    def join(environment: dict[str, str]) -> CompletedRun:
        for file in store.parent.glob("*"):
            file.unlink()
        shells.append(stranger())
        return shells[-1].call([MAILSTOP, "join", "builder", "--export"], environment=environment)

    for _ in killed(point, join):
        shells[-1].join("builder")
        assert shells[-1].run("send", "reader", "-", "--hold", input="hello").code == 0
        assert everything_new(seat("reader")) == ["hello"]
        assert_sound(store)


@pytest.mark.parametrize("point", STARTING)
def test_a_killed_session_start_is_repeated_and_gives_one_seat(
    point: str, own_home: Path, claude: Callable[[], ClaudeParty], store: Path
) -> None:
    clients: list[ClaudeParty] = []
    folders: list[Path] = []

    def start(environment: dict[str, str]) -> CompletedRun:
        clients.append(claude())
        folders.append(own_home / f"folder-{len(folders)}")
        folders[-1].mkdir()
        clients[-1].environment.update(environment)
        run = clients[-1].open("session", cwd=str(folders[-1]))
        clients[-1].environment.pop(VARIABLE)
        return run

    for _ in killed(point, start):
        again = clients[-1].open("session", cwd=str(folders[-1]))
        assert (again.code, again.err) == (0, "")
        (seat,) = held_seats(store, folders[-1])
        assert f"seat {seat}" in again.json["systemMessage"]
        assert_sound(store)


@pytest.mark.parametrize("point", PROMPTING)
def test_what_a_killed_hook_was_to_show_is_shown_in_the_next_turn(
    point: str, own_home: Path, seat: Callable[[str], Party], claude: Callable[[], ClaudeParty], store: Path
) -> None:
    builder, client = seat("builder"), claude()
    client.open("session")
    (name,) = (held for held in held_seats(store, own_home) if held != "builder")
    turn = 0

    def prompt(environment: dict[str, str]) -> CompletedRun:
        nonlocal turn
        turn += 1
        builder.send(name, f"letter {turn}")
        assert bells.is_ringing(f"claude-{client.pid}")
        client.environment.update(environment)
        run = client.hook("UserPromptSubmit", "session", prompt="hello", prompt_id=f"turn {turn}")
        client.environment.pop(VARIABLE)
        return run

    for run in killed(point, prompt):
        assert builder.run("send", "human", "next").code == 0
        given = run.out if states(store, name)[f"letter {turn}"] == "handed" else ""
        # Stop runs also where the bell is silent. It goes on with what waits, and the turn after it proves that.
        given += client.hook("Stop", "session", prompt_id=f"turn {turn}").out
        given += client.hook("UserPromptSubmit", "session", prompt="hello", prompt_id=f"turn {turn} b").out
        client.hook("PostToolBatch", "session", prompt_id=f"turn {turn} b")
        assert f"letter {turn}" in given
        assert states(store, name)[f"letter {turn}"] == "shown"
        assert_sound(store)


@pytest.mark.parametrize("point", SEARCHING)
def test_a_killed_search_leaves_a_text_that_finds_every_letter_once(
    point: str, seat: Callable[[str], Party], store: Path
) -> None:
    builder = seat("builder")
    written = 0

    def search(environment: dict[str, str]) -> CompletedRun:
        nonlocal written
        written += 1
        builder.run("send", "reader", f"needle {written}", "--hold")
        return builder.call([MAILSTOP, "read", "--search", "needle", "--json"], environment=environment)

    for _ in killed(point, search):
        found = builder.run("read", "--search", "needle", "--json")
        assert sorted(re.findall(r"needle \d+", found.out)) == sorted(f"needle {n}" for n in range(1, written + 1))
        assert_sound(store)


@pytest.mark.parametrize("point", RINGING)
def test_a_ring_that_a_kill_prevented_is_made_at_its_deadline(
    point: str, own_home: Path, seat: Callable[[str], Party], claude: Callable[[], ClaudeParty], store: Path
) -> None:
    builder, client = seat("builder"), claude()
    with ListeningDoor(own_home / "door") as door:
        client.environment["CLAUDE_CODE_MESSAGING_SOCKET"] = str(door.path)
        client.open("session")
        (name,) = (held for held in held_seats(store, own_home) if held != "builder")
        command = [MAILSTOP, "send", name, "hello", "--key", "k"]

        died = builder.call(command, environment={VARIABLE: point})
        rung = len(door.lines)
        again = builder.call(command)
        with SQLiteStore(str(store)) as opened:
            Office(opened, Caller(STRANGER), clock=lambda: now_ms() + 21_000).do_due_work()

    assert (died.code, again.code) == (-signal.SIGKILL, 0)
    assert rung == (0 if point == "before the door" else 1)
    assert len(door.lines) == rung + 1
    assert {line["message"]["content"] for line in door.lines} == {"mailstop: letter 4 from builder"}
    assert stored_bodies(store) == ["hello"]
    assert_sound(store)


@pytest.mark.parametrize("point", REPAIRING)
def test_a_killed_repair_is_finished_by_the_next_use_or_by_the_next_repair(
    point: str, stranger: Callable[[], Party], tmp_path: Path
) -> None:
    whole = make(tmp_path, live=True)
    (tmp_path / "looked at").mkdir()
    sound = entries(copy(whole, tmp_path / "looked at"))
    damaged: list[Path] = []
    party = stranger()

    def repair(environment: dict[str, str]) -> CompletedRun:
        folder = tmp_path / f"damaged-{len(damaged)}"
        folder.mkdir(mode=0o700)
        damaged.append(copy(whole, folder))
        damaged[-1].chmod(0o600)
        Path(f"{damaged[-1]}-wal").chmod(0o600)
        spoil(damaged[-1], 0, b"\x02" * 100)
        party.environment["MAILSTOP_STORE"] = str(damaged[-1])
        run = party.call([MAILSTOP, "doctor", "--rebuild"], environment=environment)
        return CompletedRun(min(run.code, 0), run.raw, run.err)  # the doctor may find something else to say

    for _ in killed(point, repair):
        if party.run("read").code == 5:
            party.run("doctor", "--rebuild")
            assert party.run("read").code == 0
        with stranger() as writer:
            writer.environment["MAILSTOP_STORE"] = str(damaged[-1])
            writer.join("afterwards")
            writer.send("reader", "hello", "--hold")
        assert sound.items() <= entries(damaged[-1]).items()
        assert stored_bodies(damaged[-1])[-1] == "hello"
        assert_sound(damaged[-1])
