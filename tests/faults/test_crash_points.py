"""kill -9 at every named point (mailstop/faults.py).

A command is killed at a point, the first time it comes there, the second time, and so on until it no longer does. After
each death the next command works at once, with no lock left; nothing acknowledged is missing, nothing is doubled, and
the store is sound.
"""

from __future__ import annotations

import re
import signal
import socket
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
from tests.faults.soundness import assert_sound, stored_bodies
from tests.party import MAILSTOP, ClaudeParty, CompletedRun, Party

MOST_TIMES = 20  # no command comes to a point more often

ALWAYS = ("before closing", "closed")
WRITING = ("before the gate", "behind the gate", "begun", "row changed", "before commit", "committed", *ALWAYS)
APPENDING = ("entry written", "entry folded", *WRITING)

MAKING = ("store file made", "store file marked", "before the tables", "before committing the tables", "tables made")
JOINING = (*MAKING, "registration written", "output written", *APPENDING)
SENDING = ("before the bell", "bell rung", "output written", *APPENDING)
RINGING = ("before the door", "door rung")
CHECKING = ("lease taken", "output written", "recorded as handed", *APPENDING)
STARTING = ("session seated", "registration written", *APPENDING)
PROMPTING = ("bell silenced", "lease taken", "answer written", "answer recorded", *APPENDING)
SEARCHING = ("page of text folded", "before the gate", "begun", "before commit", "committed")


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


def test_every_point_is_tried() -> None:
    sources = Path(mailstop.__file__).parent.rglob("*.py")
    named = Counter(point for source in sources for point in re.findall(r"\breach\((.*?)\)", source.read_text()))
    named.pop("point: str")  # the definition
    tried = {*JOINING, *SENDING, *RINGING, *CHECKING, *STARTING, *PROMPTING, *SEARCHING}
    assert named == {f'"{point}"': 1 for point in tried}


@pytest.mark.parametrize("point", SENDING)
def test_a_killed_send_is_repeated_with_its_key_and_stored_once(
    point: str, seat: Callable[[str], Party], store: Path
) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    bell = f"program-{reviewer.environment['MAILSTOP_SESSION']}"
    bodies = []

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
    bodies = []

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


@pytest.mark.parametrize("point", ["lease taken", "output written", "recorded as handed", "closed"])
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
    point: str, own_home: Path, claude: ClaudeParty, store: Path
) -> None:
    started = 0

    def start(environment: dict[str, str]) -> CompletedRun:
        nonlocal started
        started += 1
        claude.environment.update(environment)
        folder = own_home / f"folder-{started}"
        folder.mkdir()
        run = claude.open(f"session-{started}", cwd=str(folder))
        claude.environment.pop(VARIABLE)
        return run

    for _ in killed(point, start):
        again = claude.open(f"session-{started}", cwd=str(own_home / f"folder-{started}"))
        assert (again.code, again.err) == (0, "")
        assert len(held_seats(store)) == 1
        assert held_seats(store)[0] in again.json["systemMessage"]
        assert_sound(store)


@pytest.mark.parametrize("point", PROMPTING)
def test_what_a_killed_hook_was_to_show_is_shown_in_the_next_turn(
    point: str, seat: Callable[[str], Party], claude: ClaudeParty, store: Path
) -> None:
    builder = seat("builder")
    claude.open("session-1")
    (name,) = (seat for seat in held_seats(store) if seat != "builder")
    bell = f"claude-{claude.pid}"
    turn = 0

    def prompt(environment: dict[str, str]) -> CompletedRun:
        nonlocal turn
        turn += 1
        builder.send(name, f"letter {turn}")
        assert bells.is_ringing(bell)
        claude.environment.update(environment)
        run = claude.hook("UserPromptSubmit", "session-1", prompt="hello", prompt_id=f"turn-{turn}")
        claude.environment.pop(VARIABLE)
        return run

    for _ in killed(point, prompt):
        assert builder.run("send", "human", "next").code == 0
        # Stop runs also where the bell is silent, and ends the turn whose hook was killed; then it goes on with what
        # waits. The turn after it proves that.
        stop = claude.hook("Stop", "session-1", prompt_id=f"turn-{turn}")
        later = claude.hook("UserPromptSubmit", "session-1", prompt="hello", prompt_id=f"turn-{turn} later")
        assert f"letter {turn}" in stop.out + later.out
        claude.hook("PostToolBatch", "session-1", prompt_id=f"turn-{turn} later")
        claude.hook("PreToolUse", "session-1", prompt_id=f"turn-{turn} later")
        assert unread(store, name) == []
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
    point: str, seat: Callable[[str], Party], claude: ClaudeParty, store: Path, tmp_path: Path
) -> None:
    builder = seat("builder")
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(tmp_path / "door"))
        door.listen()
        claude.environment["CLAUDE_CODE_MESSAGING_SOCKET"] = str(tmp_path / "door")
        claude.open("session-1")
        (name,) = (seat for seat in held_seats(store) if seat != "builder")

        sent = builder.call([MAILSTOP, "send", name, "hello", "--key", "k"], environment={VARIABLE: point})
        rung_before = 0 if point == "before the door" else 1
        lines = [line_of(door) for _ in range(rung_before)]
        assert sent.code == -signal.SIGKILL
        again = builder.run("send", name, "hello", "--key", "k")
        with SQLiteStore(str(store)) as opened:
            Office(opened, Caller(STRANGER), clock=lambda: now_ms() + 21_000).do_due_work()
        lines.append(line_of(door))

    assert again.code == 0
    assert lines == ["mailstop: letter 5 from builder"] * (rung_before + 1)
    assert stored_bodies(store) == ["hello"]
    assert_sound(store)
