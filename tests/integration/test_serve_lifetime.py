"""How `mailstop serve` begins and ends, that there is one a store, and what it says of itself."""

from __future__ import annotations

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.clients.waiting import wait_for
from tests.http_served import Connection, Served
from tests.party import Party, Person
from tests.serve_inside import Inside

SeatAt = Callable[..., Party]
UNSEEN = "not looked at"


def lock_of(home: Path) -> Path:
    (lock,) = (home / ".local/state/mailstop/serve").iterdir()
    return lock


# -- one a store -----------------------------------------------------------------------------------------------------


def test_a_second_server_of_a_store_is_refused_and_told_which_one_serves_it(served: Served, stranger: Party) -> None:
    second = stranger.run("serve", "--port", "0")

    assert second.code == 1
    assert f"process {served.pid} at {served.address}" in second.err
    assert "since" in second.err and "mailstop serve --stop" in second.err
    told = stranger.run("serve", "--port", "0", "--json").json["error"]
    assert (told["code"], told["pid"], told["address"]) == ("already_serving", served.pid, served.address)


def test_another_store_has_a_server_of_its_own(served: Served, stranger: Party) -> None:
    with Served(stranger, "--store", str(stranger.home / "other.db")) as other:
        assert other.address != served.address
        assert other.connect().initialize().told("who")["seats"] == []


def test_two_ways_to_name_a_store_are_one_store(served: Served, stranger: Party) -> None:
    store = stranger.home / ".local/share/mailstop/mailstop.db"
    (stranger.home / "link.db").symlink_to(store)

    assert stranger.run("serve", "--port", "0", "--store", str(stranger.home / "link.db")).code == 1


def test_what_is_served_where_can_be_asked(stranger: Party) -> None:
    assert stranger.run("serve", "--status").code == 4
    assert stranger.run("serve", "--status", "--json").json["serving"] is False
    with Served(stranger) as served:
        status = stranger.run("serve", "--status")
        assert (status.code, f"{served.address} by process {served.pid}" in status.out) == (0, True)
        told = stranger.run("serve", "--status", "--json").json
        assert (told["serving"], told["address"], told["pid"]) == (True, served.address, served.pid)
        served.kill()
        assert stranger.run("serve", "--status").code == 4


def test_a_server_that_was_killed_leaves_nothing_in_the_way_of_the_next(served: Served, stranger: Party) -> None:
    served.kill()

    with Served(stranger) as again:
        assert again.get("/healthz")[0] == 200


def test_of_many_that_start_at_once_one_serves(stranger: Party) -> None:
    begun = [stranger.start("serve", "--port", "0", "--json") for _ in range(4)]

    def said() -> list[str]:
        return [line for one in begun for line in one.lines if line.startswith("{")]

    lines = wait_for("all have said what became of them", lambda: said() if len(said()) == 4 else None)
    serving = [told for line in lines if (told := json.loads(line)).get("serving")]
    assert len(serving) == 1
    assert stranger.run("serve", "--stop").code == 0
    for one in begun:
        one.wait()


def test_a_newer_version_lets_the_older_one_end_and_takes_over(served: Served, stranger: Party) -> None:
    ann = served.joined("ann")
    lock = lock_of(stranger.home)
    told = json.loads(lock.read_text())
    lock.write_text(json.dumps({**told, "version": "0.0.9"}))

    with Served(stranger) as newer:
        assert newer.pid != served.pid
        assert served.wait() == 0
        assert stranger.seat_state("ann") == "empty"
        assert newer.joined("ann").told("me")["seats"]
    assert ann.id


def test_of_the_same_or_a_newer_version_nothing_is_taken_over(served: Served, stranger: Party) -> None:
    lock = lock_of(stranger.home)
    lock.write_text(json.dumps({**json.loads(lock.read_text()), "version": "99.0"}))

    assert stranger.run("serve", "--port", "0").code == 1
    assert served.get("/healthz")[0] == 200


# -- the end ---------------------------------------------------------------------------------------------------------


def test_asked_to_stop_it_ends_and_frees_all_that_was_held_there(served: Served, stranger: Party) -> None:
    served.joined("ann")
    with served.joined("ben").listen():
        stopped = stranger.run("serve", "--stop")

        assert (stopped.code, f"process {served.pid}" in stopped.out) == (0, True)
        assert served.wait() == 0
    assert {stranger.seat_state(name) for name in ("ann", "ben")} == {"empty"}
    assert stranger.run("serve", "--stop").code == 4
    state = stranger.home / ".local/state/mailstop"
    assert not [path.name for path in (state / "bells").glob("program-*")]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_call_that_waits_is_answered_when_the_server_is_told_to_end(served: Served, number: int) -> None:
    ann = served.joined("ann")
    found: list[dict[str, Any]] = []
    thread = threading.Thread(target=lambda: found.append(ann.told("check", wait=45)))
    thread.start()
    wait_for("it waits", lambda: "mailstop_waiting_calls 1.0" in served.get("/metrics")[1])
    began = time.monotonic()

    os.kill(served.pid, number)
    thread.join()

    assert found == [{"text": "no new letters", "letters": [], "more": 0}]
    assert served.wait() == 0
    assert time.monotonic() - began < 10


def test_letters_that_were_acknowledged_while_it_ended_are_there(served: Served, stranger: Party) -> None:
    reader = served.connect().initialize()
    ann = served.joined("ann")
    acknowledged: list[int] = []

    def write() -> None:
        try:
            for number in range(500):
                acknowledged.append(ann.told("send", to="human", body=f"letter {number}")["n"])
        except (AssertionError, OSError):  # the server has ended
            return

    thread = threading.Thread(target=write)
    thread.start()
    wait_for("some are written", lambda: len(acknowledged) >= 5)
    assert served.stop() == 0
    thread.join()

    found = {each["n"] for each in stranger.run("read", "--last", "500", "--json").json["records"] if "body" in each}
    assert set(acknowledged) <= found
    assert reader.id


# -- where, and with what --------------------------------------------------------------------------------------------


def test_host_and_port_come_from_the_options_else_the_environment_else_the_default(stranger: Party) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        stranger.environment["MAILSTOP_HTTP_PORT"] = str(port)
        refused = stranger.run("serve")
        assert (refused.code, f"127.0.0.1:{port}" in refused.err) == (1, True)
        stranger.environment["MAILSTOP_HTTP_HOST"] = "::1"
        with Served(stranger) as served:  # its --port goes before the variable
            assert served.address.startswith("http://[::1]:")
            assert not served.address.endswith(f":{port}")
    assert "8471" in stranger.run("serve", "--help").out


@pytest.mark.parametrize("port", ["nonsense", "-1", "65536", "80.5", "٣"])
def test_a_port_that_is_none_is_refused(stranger: Party, port: str) -> None:
    assert stranger.run("serve", f"--port={port}").code == 2


def test_without_what_it_needs_it_says_what_to_type(stranger: Party) -> None:
    code = (
        "import sys; sys.modules['uvicorn'] = None; sys.argv = ['mailstop', 'serve'];"
        " from mailstop.cli.entry import exit_code; sys.exit(exit_code())"
    )
    run = stranger.call([sys.executable, "-c", code])

    assert run.code == 2
    assert "uvicorn is missing" in run.err
    assert "pip install 'mailstop[serve]'" in run.err


def test_no_other_verb_needs_what_serve_needs(own_home: Path) -> None:
    code = "import sys; import mailstop.cli.serve, mailstop.cli.entry, mailstop.mcp.server; print(sorted(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    for name in ("uvicorn", "starlette", "pydantic", "prometheus_client", "asyncio", "mailstop.resident"):
        assert f"'{name}'" not in run.stdout


def test_the_first_thing_it_says_is_where_it_serves(stranger: Party) -> None:
    running = stranger.start("serve", "--port", "0")
    (line,) = wait_for("it serves", lambda: running.lines)

    assert line.startswith("serving ") and "/mcp (process " in line
    assert running.interrupt() == 0


# -- health and figures ----------------------------------------------------------------------------------------------


def test_it_is_well_while_letters_can_be_stored_and_the_index_is_whole(served: Served, stranger: Party) -> None:
    served.joined("ann").told("send", to="human", body="hello")

    assert json.loads(served.get("/healthz")[1]) == {"ok": True, "ledger": "ok", "index": "ok"}
    assert served.get("/healthz")[0] == 200


def test_it_is_not_well_when_nothing_can_be_stored(inside: Inside, own_home: Path) -> None:
    inside.joined("ann")
    store = own_home / ".local/share/mailstop/mailstop.db"
    store.chmod(0o644)  # which others may read, so that nothing is written to it

    wait_for("it says so", lambda: health(inside) == (503, {"ok": False, "ledger": "store_exposed", "index": UNSEEN}))

    store.chmod(0o600)
    wait_for("it is well", lambda: health(inside)[0] == 200)


def test_it_is_not_well_when_a_letter_is_missing_in_the_index_until_it_is_folded_again(
    inside: Inside, own_home: Path, stranger: Party
) -> None:
    ann = inside.joined("ann")
    numbers = [ann.told("send", to="human", body="hello")["n"] for _ in range(3)]
    store = own_home / ".local/share/mailstop/mailstop.db"
    with sqlite3.connect(store) as direct:
        direct.execute("DELETE FROM letters WHERE n = ?", (numbers[1],))
    direct.close()

    wait_for("it is not well", lambda: health(inside)[0] == 503)
    assert f"letter {numbers[1]}" in health(inside)[1]["index"]

    assert stranger.run("doctor", "--rebuild").code == 0
    wait_for("it is well", lambda: health(inside)[0] == 200)


def test_however_many_ask_how_it_is_the_store_is_written_to_once_a_second(inside: Inside, own_home: Path) -> None:
    store = own_home / ".local/share/mailstop/mailstop.db"
    written = set()
    began = time.monotonic()
    with ThreadPoolExecutor(16) as pool:
        for answer in pool.map(lambda _: health(inside), range(300)):
            assert answer[0] == 200
            with sqlite3.connect(store) as direct:
                written |= set(direct.execute("SELECT revision FROM board WHERE key = 'health'"))
            direct.close()
    assert 1 <= len(written) <= 2 + time.monotonic() - began


def health(inside: Inside) -> tuple[int, dict[str, Any]]:
    answered = Connection(inside.address).request("GET", "/healthz")
    return answered.status, json.loads(answered.body)


def test_the_figures_count_calls_by_tool_and_by_what_came_of_them(inside: Inside) -> None:
    ann = inside.joined("ann")
    ann.told("who")
    ann.refused("send", to="nobody", body="hello")
    ann.post(ann.numbered("tools/call", {"name": "no-such-tool", "arguments": {}}))

    answered = Connection(inside.address).request("GET", "/metrics")
    text = answered.body.decode()
    assert answered.headers["content-type"].startswith("text/plain")
    assert 'mailstop_calls_total{outcome="ok",tool="who"} 1.0' in text
    assert 'mailstop_calls_total{outcome="refused",tool="send"} 1.0' in text
    assert "mailstop_sessions 1.0" in text
    assert "no-such-tool" not in text
    assert "process_resident_memory_bytes" in text


# -- due work --------------------------------------------------------------------------------------------------------


def test_it_does_what_falls_due_in_the_store_whoever_has_left_it(
    served: Served, seat: SeatAt, person: Person, own_home: Path
) -> None:
    """A letter to a client without a door is to be looked at again after 20 seconds at most; nobody else comes by."""
    from mailstop.engines.row import Put
    from mailstop.engines.sqlite.store import SQLiteStore
    from mailstop.rules.unheld import put
    from mailstop.times import now_ms

    store = str(own_home / ".local/share/mailstop/mailstop.db")
    with SQLiteStore(store) as opened:
        change: Put = put("default", "nobody-there", 0, now_ms() + 300)
        opened.board.change([change])
    served.joined("ann")  # a call, after which it looks when to come again

    def gone() -> bool:
        with SQLiteStore(store) as opened:
            return not opened.board.under("unheld/")

    wait_for("the row was looked at and put away", gone)


def test_any_bell_lets_it_look_for_work_that_is_due(served: Served, own_home: Path) -> None:
    from mailstop import bells
    from mailstop.engines.sqlite.store import SQLiteStore
    from mailstop.rules.unheld import put
    from mailstop.times import now_ms

    store = str(own_home / ".local/share/mailstop/mailstop.db")
    with SQLiteStore(store) as opened:
        opened.board.change([put("default", "nobody-there", 0, now_ms())])

        bells.ring("somebodys")

        wait_for("the row was looked at and put away", lambda: not opened.board.under("unheld/"))
