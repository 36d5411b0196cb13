"""Letters, as postbag's checklist asks for them; tests/checklists/postbag.py says which line asks for what."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from mailstop.doors import claude_socket
from mailstop.engines.base import Store
from mailstop.engines.entry import Entry, subject
from mailstop.engines.sqlite.store import SQLiteStore
from mailstop.letter import LARGEST_BODY, Draft, new_id
from mailstop.office import Office
from mailstop.rules.offers import Terms
from mailstop.rules.proofs import CALL, Event
from mailstop.rules.receipts import receipt
from mailstop.seat import Seat
from tests.conformance.play import Play
from tests.conformance.player import SessionPlayer
from tests.conformance.stuck_door import StuckDoor
from tests.faults.door import ListeningDoor

# -- numbers


def test_letters_have_the_numbers_of_the_order_in_which_they_were_stored_and_no_other_act_changes_that(
    office: Play,
) -> None:
    for name in ("builder", "reviewer", "tester"):
        office.as_(name)
    sent = []
    for author, reader in (("builder", "tester"), ("tester", "reviewer"), ("reviewer", "builder")):
        sent.append((office.as_(author).send(reader, body=author).letter.n, author))
        office.as_(f"comes-after-{author}").leave()
        office.as_("builder", "side").send("human", bag="side")

    with office.store() as store:
        letters = [(each.n, each.body) for each in store.index.history(bag="default").records if hasattr(each, "body")]

    assert letters == sent
    assert sorted(sent) == sent


# -- final letters


def test_only_a_final_letter_says_so_in_the_ledger(office: Play) -> None:
    office.as_("reviewer")
    office.as_("builder").send("reviewer", body="first")
    office.as_("builder").send("reviewer", body="last", final=True)

    with office.store() as store:
        letters = [entry.data for entry in store.ledger.after(0) if entry.type == "letter"]

    assert [data.get("final", "not said") for data in letters] == ["not said", True]


def test_a_final_letter_closes_nothing(office: Play) -> None:
    builder, reviewer = office.as_("builder"), office.as_("reviewer")
    last = builder.send("reviewer", body="done", final=True).letter

    answered = reviewer.reply(last.n, "one more thing").letter
    others = [builder.send("reviewer").letter, office.as_("tester").send("builder").letter]

    assert (answered.ref, answered.final) == (last.n, False)
    assert not any(letter.final for letter in others)


# -- doors


def test_no_entry_of_the_ledger_names_a_door(office: Play) -> None:
    reviewer = office.player(socket="/run/there-is-no-such-door")
    reviewer.start(automatic=False)
    reviewer.join("reviewer")
    n = office.as_("builder").send("reviewer").letter.n
    reviewer.leave()

    with office.store() as store:
        ledger = json.dumps([entry.as_dict() for entry in store.ledger.after(0)])
        board = json.dumps([row.value for row in store.board.under("session/")])

    assert office.states(n) == ["unreachable"]
    assert "there-is-no-such-door" in board
    assert "there-is-no-such-door" not in ledger
    assert reviewer.found.bell not in ledger


def test_a_door_carries_one_short_line_however_long_the_letter_is(office: Play, tmp_path: Path) -> None:
    body = "x" * LARGEST_BODY
    with ListeningDoor(tmp_path / "door") as door:
        reviewer = office.player(socket=str(door.path))
        reviewer.start(automatic=False)
        reviewer.join("reviewer")
        n = office.as_("builder").send("reviewer", body=body).letter.n

    assert [line["message"]["content"] for line in door.lines] == [f"mailstop: letter {n} from builder"]
    assert reviewer.account(n).letter.body == body


def test_a_door_that_is_stuck_holds_up_nobody_else(
    office: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claude_socket, "READ_S", 50.0)
    builder, tester = office.as_("builder"), office.as_("tester")
    with StuckDoor(tmp_path / "door") as door:
        reviewer = office.player(socket=str(door.path))
        reviewer.start(automatic=False)
        reviewer.join("reviewer")
        ringing = threading.Thread(target=lambda: builder.send("reviewer", body="first"))
        ringing.start()
        door.wait_until_rung()

        second = tester.send("builder", body="second")
        read = office.letters()
        still_ringing = ringing.is_alive()
        door.let_go()
        ringing.join()

    assert second.new
    assert read == ["first", "second"]
    assert still_ringing


@pytest.fixture
def codex(tmp_path: Path, office: Play) -> Callable[[str], SessionPlayer]:
    """Seats a thread of one CODEX_HOME, whose program notes the threads for which it is run."""
    home = tmp_path / "codex"
    home.mkdir()
    program = tmp_path / "codex-program"
    program.write_text('#!/bin/sh\necho "$2" >> "$CODEX_HOME/rung"\necho "Queued message 1 for thread."\n')
    program.chmod(0o755)

    def seated(name: str) -> SessionPlayer:
        player = office.player("codex")
        player.found = player.found.but(details={"codex_home": str(home), "program": str(program)})
        player.start(automatic=False)
        player.join(name)
        return player

    return seated


def test_each_thread_of_one_codex_home_is_rung_by_its_own_id(
    office: Play, codex: Callable[[str], SessionPlayer], tmp_path: Path
) -> None:
    first, second = codex("first"), codex("second")

    office.as_("builder").send("second")
    office.as_("builder").send("first")
    first.send("second")

    rung = (tmp_path / "codex" / "rung").read_text().split()
    threads = [second, first, second]
    assert rung == [f"--thread={thread.found.client_session}" for thread in threads]


# -- cost


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_what_a_check_and_a_send_cost_does_not_grow_with_what_was_stored_before(office: Play) -> None:
    office.as_("builder")
    office.as_("reviewer")
    costs = []
    for stored in (20, 2_000):
        with office.store() as store:
            store_read_letters(store, office.seat("reviewer"), stored)
        costs.append((steps(office.as_("builder"), send), steps(office.as_("reviewer"), check)))

    (send_before, check_before), (send_after, check_after) = costs
    assert send_after < 1.2 * send_before
    assert check_after < 1.2 * check_before


def store_read_letters(store: Store, reader: Seat, count: int) -> None:
    """Store letters that were shown, in two entries of the ledger's time, not in two thousand."""
    data = {"from": "builder", "to": [reader.name], "kind": "note", "session": "x"}
    entries = [
        Entry(subject("letters", "default"), "letter", "default", new_id(), 1, data, "old") for _ in range(count)
    ]
    last = store.ledger.append(entries)
    store.ledger.append([receipt(reader, "shown", range(last - count + 1, last + 1), "a test", 1)])


def send(office: Office) -> None:
    office.send(Draft(("reviewer",), "new"))


def check(office: Office) -> None:
    offer = office.offer(Terms("mailstop check", announced_too=True))
    assert [letter.body for letter in offer.letters] == ["new"]
    office.handed(offer)
    assert office.prove(Event(CALL))


def steps(player: SessionPlayer, act: Callable[[Office], None]) -> int:
    """How many steps of SQLite's virtual machine an act takes."""
    taken = 0

    def count() -> int:
        nonlocal taken
        taken += 1
        return 0

    with player.at_office() as office:
        assert isinstance(office.store, SQLiteStore)
        office.store._connection.sqlite.set_progress_handler(count, 1)
        act(office)
    return taken
