"""How long `mailstop mcp` lives, what it costs meanwhile, and what it lets go of at its end."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from mailstop.engines.sqlite.store import SQLiteStore
from mailstop.rules.routes import Route
from mailstop.times import now_ms
from tests.clients.waiting import wait_for
from tests.mcp_connection import Connection
from tests.party import Party, Person

SeatAt = Callable[..., Party]


def programs_of(party: Party) -> list[str]:
    """The registrations and bells of programs that lie there."""
    state = party.home / ".local/state/mailstop"
    return [path.name for folder in ("sessions", "bells") for path in (state / folder).glob("program-*")]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_told_to_end_it_ends_well_and_leaves_nothing_but_its_mail(stranger: Party, person: Person, number: int) -> None:
    with Connection(stranger) as connection:
        connection.joined("builder")
        n = person.send("builder", "for whoever sits there")
        assert len(programs_of(stranger)) == 2
        assert connection.stop(number) == 0
        assert stranger.seat_state("builder") == "empty"
        assert programs_of(stranger) == []
    with Connection(stranger) as connection:
        assert connection.joined("builder").told("check")["letters"] == [n]


def test_at_the_end_of_its_input_it_ends_and_leaves_nothing_but_its_mail(stranger: Party, person: Person) -> None:
    with Connection(stranger) as connection:
        connection.joined("builder")
        n = person.send("builder", "for whoever sits there")
        assert connection.close() == []
        assert connection.wait() == 0
        assert stranger.seat_state("builder") == "empty"
        assert programs_of(stranger) == []
    with Connection(stranger) as connection:
        assert connection.joined("builder").told("check")["letters"] == [n]


def test_killed_it_is_no_holder_from_that_moment_on(stranger: Party, seat: SeatAt) -> None:
    with Connection(stranger) as connection:
        connection.joined("builder")
        assert connection.stop(signal.SIGKILL) == -signal.SIGKILL
        assert stranger.seat_state("builder") == "empty"
        seat("builder")


def test_it_ends_when_the_process_that_started_it_is_gone_though_its_input_stays_open(stranger: Party) -> None:
    with Connection(stranger, named="client") as connection:
        connection.joined("builder")
        (server,) = Path(f"/proc/{connection.pid}/task/{connection.pid}/children").read_text().split()
        connection.stop(signal.SIGKILL)
        wait_for("the server to end", lambda: not Path(f"/proc/{server}").exists())
        assert stranger.seat_state("builder") == "empty"


def test_a_client_that_never_reads_stops_its_own_server_alone(stranger: Party, seat: SeatAt) -> None:
    peer = seat("peer")
    with Connection(stranger) as connection:
        connection.joined("builder")
        for number in range(200):  # answers of 4 KB, more than a pipe holds
            connection.say({"jsonrpc": "2.0", "id": number, "method": "tools/list"})
        assert peer.run("send", "builder", "-", input="hello").code == 0
        assert connection.stop(signal.SIGTERM) == 0
        assert stranger.seat_state("builder") == "empty"


def test_while_nothing_happens_it_uses_no_processor_and_never_wakes(stranger: Party, seat: SeatAt) -> None:
    peer = seat("peer")
    with Connection(stranger) as connection:
        connection.joined("builder")
        connection.told("send", to="peer", body="x")
        assert peer.run("check").code == 0
        before = switches(connection.pid)
        end = time.monotonic() + 1.5
        while time.monotonic() < end:
            time.sleep(0.1)
        assert switches(connection.pid) - before <= 1


def test_it_does_what_falls_due_by_a_timer_that_its_last_call_has_armed(stranger: Party) -> None:
    with Connection(stranger) as connection:
        connection.joined("builder")
        with SQLiteStore(str(stranger.home / ".local/share/mailstop/mailstop.db")) as store:
            of_nobody = Route("default", "builder", "no letter", "monitor", due=now_ms() + 700)
            store.board.change([of_nobody.put()])
            connection.told("who")
            assert store.board.get(of_nobody.key)
            wait_for("the claim on no letter to be put away", lambda: store.board.get(of_nobody.key) is None)


def switches(pid: int) -> int:
    """How often a process has gone to sleep."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("voluntary_ctxt_switches")))


def test_it_is_small(stranger: Party) -> None:
    with Connection(stranger) as connection:
        connection.initialize()
        assert connection.memory["VmRSS"] <= 14 * 1024
        assert "sqlite" not in Path(f"/proc/{connection.pid}/maps").read_text()  # loaded by the first call


def test_what_it_starts_and_prints_does_not_reach_the_client(stranger: Party) -> None:
    """Whatever is written to the standard descriptors goes to standard error."""
    with Connection(stranger) as connection:
        connection.initialize()
        folder = Path(f"/proc/{connection.pid}/fd")
        assert os.readlink(folder / "0") == os.devnull
        assert os.readlink(folder / "1") == os.readlink(folder / "2") == str(connection.errors)


def test_ten_servers_write_to_one_store_at_once(stranger: Party, seat: SeatAt) -> None:
    peer = seat("peer")
    connections = [Connection(stranger) for _ in range(10)]
    try:
        for number, connection in enumerate(connections):
            connection.joined(f"seat-{number}")
        for letter in range(10):
            for number, connection in enumerate(connections):
                send = {"to": "peer", "body": f"{number}", "key": f"{number}-{letter}"}
                request = {"method": "tools/call", "params": {"name": "send", "arguments": send}}
                connection.say({"jsonrpc": "2.0", "id": letter + 1000, **request})
        numbers = [
            connection.hear()["result"]["structuredContent"]["n"] for connection in connections for _ in range(10)
        ]
        assert len(set(numbers)) == 100
    finally:
        for connection in connections:
            connection.close()
    assert peer.run("status", "--json").json["waiting"] == 100


# -- the verb


def test_the_verb_refuses_what_is_no_option_of_it_and_is_listed_in_the_help(stranger: Party) -> None:
    assert "mcp" in stranger.run("--help").out
    assert "claude mcp add" in stranger.run("mcp", "--help").out
    for words in (["word"], ["--bag", "plans"], ["--json"], ["--nonsense"]):
        assert stranger.run("mcp", *words).code == 2
    assert not (stranger.home / ".local/share/mailstop").exists()


def test_it_says_nothing_before_it_is_asked(stranger: Party) -> None:
    run = stranger.run("mcp")
    assert (run.code, run.raw, run.err) == (0, b"", "")


def test_another_store_may_be_named(stranger: Party) -> None:
    store = stranger.home / "other.db"
    agreed = {"protocolVersion": "x", "capabilities": {}, "clientInfo": {"name": "x"}}
    join = {"name": "me", "arguments": {"action": "join", "name": "builder"}}
    lines = [
        {"id": 1, "method": "initialize", "params": agreed},
        {"id": 2, "method": "tools/call", "params": join},
    ]
    text = "\n".join(json.dumps({"jsonrpc": "2.0", **line}) for line in lines)
    run = stranger.run("mcp", "--store", str(store), input=text)
    assert json.loads(run.lines[1])["result"]["isError"] is False
    assert store.exists()
    assert not (stranger.home / ".local/share/mailstop").exists()


def test_no_module_comes_from_the_folder_it_runs_in(stranger: Party) -> None:
    for name in ("json", "select", "fcntl", "mailstop", "sqlite3", "marshal"):
        (stranger.home / f"{name}.py").write_text("raise SystemExit(99)")
    with Connection(stranger) as connection:
        connection.joined("builder")
        assert connection.told("who")["seats"]
