"""mailstop doctor's letter to oneself: which ways to a seat were proved, and what mends one that fails."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import mailstop
from mailstop import __version__
from mailstop.doors.claude_monitor import listening
from mailstop.setup import plugin_copy
from tests.clients.waiting import wait_for
from tests.http_served import Served
from tests.inbox import Inbox
from tests.integration.conftest import SeatAt
from tests.party import MAILSTOP, ClaudeParty, CompletedRun, Party, Person, Running

SESSION = "11111111-1111-4111-8111-111111111111"
OTHER = "0.0.1"


def routes(run: CompletedRun) -> dict[str, dict[str, Any]]:
    """What came of each way, by its name."""
    return {route["name"]: route for route in run.json["routes"]}


def states(party: Party, n: int) -> list[str]:
    """What is proved of a letter at its one recipient."""
    (recipient,) = party.run("status", str(n), "--json").json["recipients"]
    return [receipt["state"] for receipt in recipient["receipts"]]


@pytest.fixture
def inbox() -> Iterator[Inbox]:
    """A message socket of a client, at a short path."""
    folder = tempfile.mkdtemp(prefix="cc-socks-")
    inbox = Inbox(f"{folder}/1.sock")
    yield inbox
    inbox.close()
    shutil.rmtree(folder)


@pytest.fixture
def session(claude: ClaudeParty, inbox: Inbox) -> ClaudeParty:
    """A session of Claude Code with a message socket, whose hooks find mailstop; its monitor does not run yet."""
    claude.environment["PATH"] = f"{Path(MAILSTOP).parent}:{claude.environment['PATH']}"
    claude.environment["CLAUDE_CODE_MESSAGING_SOCKET"] = inbox.path
    claude.open(SESSION)
    return claude


def with_monitor(session: ClaudeParty) -> Running:
    """Start the session's monitor, and wait until it listens."""
    monitor = session.start("watch", "--monitor")
    wait_for("the monitor listens", lambda: listening(f"claude-{session.pid}"))
    return monitor


def another_mailstop(folder: Path) -> dict[str, str]:
    """The variables by which Python runs a copy of this mailstop that says that it is of another version."""
    package = shutil.copytree(Path(mailstop.__file__).parent, folder / "mailstop")
    head = package / "__init__.py"
    head.write_text(head.read_text().replace(f'"{__version__}"', f'"{OTHER}"'))
    shutil.rmtree(package / "__pycache__", ignore_errors=True)
    return {"PYTHONPATH": str(folder)}


# -- the letter ------------------------------------------------------------------------------------------------------


def test_a_program_gets_a_letter_of_its_own_which_its_next_command_proves_shown(seat: SeatAt) -> None:
    builder = seat("builder")

    run = builder.run("doctor", "--json")

    n = run.json["letter"]["n"]
    assert {name: route["state"] for name, route in routes(run).items()} == {"bell": "proved", "reading": "proved"}
    assert all(route["took_ms"] > 0 for route in run.json["routes"])
    assert (run.json["letter"]["from"], run.json["letter"]["kind"]) == ("postmaster", "reconnect")
    assert builder.run("check").out == "no new letters\n"
    assert states(builder, n) == ["stored", "handed", "shown"]


def test_the_letter_is_shown_to_the_person_at_their_terminal_and_is_not_left_unread(
    person: Person, seat: SeatAt
) -> None:
    seat("builder")

    run = person.run("doctor", terminal=True)

    assert run.code == 0
    assert "proved    bell: stored, rung for, and heard" in run.out
    assert "mailstop doctor tries the ways to this seat" in run.out
    assert states(person, 2) == ["stored", "shown"]


def test_no_letter_is_sent_to_a_person_who_would_not_see_it(person: Person, seat: SeatAt) -> None:
    seat("builder")

    run = person.run("doctor", "--json")

    assert (run.code, run.json["letter"]) == (0, None)
    assert "printed elsewhere" in run.json["no_letter"]
    assert person.run("read", "--json").json["records"][-1]["n"] == 1


def test_a_letter_whose_text_was_lost_is_offered_again(seat: SeatAt) -> None:
    builder = seat("builder")

    lost = builder.call(["/bin/sh", "-c", f"{MAILSTOP} doctor > /dev/full"])

    assert lost.code != 0
    assert "mailstop doctor tries the ways" in builder.run("check").out


def test_without_a_seat_and_with_look_none_is_sent(stranger: Party, seat: SeatAt) -> None:
    builder = seat("builder")

    runs = stranger.run("doctor", "--json"), builder.run("doctor", "--look", "--json")

    assert [(run.json["letter"], run.json["routes"]) for run in runs] == [(None, []), (None, [])]
    assert len(builder.run("read", "--json").json["records"]) == 1


# -- Claude Code -----------------------------------------------------------------------------------------------------


def test_each_way_to_a_claude_session_is_proved_and_no_line_goes_through_any(
    session: ClaudeParty, inbox: Inbox
) -> None:
    monitor = with_monitor(session)

    run = session.run("doctor", "--json")

    assert {name: route["state"] for name, route in routes(run).items()} == dict.fromkeys(
        ("bell", "monitor", "socket", "hooks", "tools", "reading"), "proved"
    )
    assert run.code == 0, run.out
    assert (inbox.lines, monitor.lines) == ([], [])
    assert "that its line wakes the model" in routes(run)["monitor"]["unproved"]


def test_a_letter_that_came_by_a_way_before_says_what_the_trial_cannot(session: ClaudeParty, seat: SeatAt) -> None:
    monitor = with_monitor(session)
    n = seat("reviewer").send(session.home.name, "please look")
    wait_for("the monitor rings", lambda: monitor.lines)
    for event in ("UserPromptSubmit", "Stop"):
        session.hook(event, SESSION, prompt=monitor.lines[0], prompt_id="turn")

    run = session.run("doctor", "--json")

    assert f"letter {n} came that way, shown" in routes(run)["monitor"]["found"]
    assert routes(run)["monitor"]["unproved"] == ""
    assert f"they have shown letter {n}" in routes(run)["hooks"]["found"]


def test_a_session_in_which_no_hook_of_ours_has_run_is_told(claude: ClaudeParty) -> None:
    claude.environment |= {"CLAUDECODE": "1", "CLAUDE_PID": str(claude.pid), "CLAUDE_CODE_SESSION_ID": SESSION}

    run = claude.run("doctor", "--json")

    (caller,) = [one for one in run.json["checks"] if one["name"] == "caller"]
    assert (run.code, caller["state"], caller["mend"]) == (1, "failed", "mailstop setup claude")
    assert "no hook of mailstop has run" in caller["found"]
    assert caller["found"].endswith(" (the person, at a terminal)")


def test_a_session_is_told_that_what_it_is_refused_is_the_persons(session: ClaudeParty) -> None:
    with_monitor(session)
    session.environment["PATH"] = "/usr/bin:/bin"

    run = session.run("doctor", "--json")

    told = [*run.json["checks"], *run.json["routes"]]
    refused = [one for one in told if one["mend"].startswith("mailstop setup")]
    assert {one["name"] for one in refused} >= {"hooks", "tools"}
    assert [one for one in told if one["found"].endswith("(the person, at a terminal)")] == refused
    assert session.run("setup", "claude", "--yes").code == 1


def test_a_session_whose_monitor_does_not_listen_is_told_how_to_get_one(session: ClaudeParty) -> None:
    run = session.run("doctor", "--json")

    assert run.code == 1
    assert routes(run)["monitor"]["state"] == "failed"
    assert routes(run)["monitor"]["mend"] == "claude --continue"
    assert routes(run)["socket"]["state"] == "proved"


def test_a_monitor_that_hangs_is_told(session: ClaudeParty) -> None:
    monitor = with_monitor(session)
    os.kill(monitor.pid, signal.SIGSTOP)

    run = session.run("doctor", "--json")

    os.kill(monitor.pid, signal.SIGCONT)
    assert run.code == 1
    assert "did not answer" in routes(run)["monitor"]["found"]


def test_a_monitor_of_another_version_is_told(session: ClaudeParty, tmp_path: Path) -> None:
    variables = another_mailstop(tmp_path / "other")
    session.environment |= variables
    with_monitor(session)
    for name in variables:
        del session.environment[name]

    run = session.run("doctor", "--json")

    assert f"the session's monitor runs mailstop {OTHER}" in routes(run)["monitor"]["found"]
    assert run.code == 1


def test_a_socket_that_nobody_answers_is_told(session: ClaudeParty, inbox: Inbox) -> None:
    with_monitor(session)
    os.unlink(inbox.path)

    run = session.run("doctor", "--json")

    assert (run.code, routes(run)["socket"]["state"]) == (1, "failed")
    assert "No such file" in routes(run)["socket"]["found"]


def test_hooks_and_tools_that_find_no_mailstop_are_told(session: ClaudeParty) -> None:
    with_monitor(session)
    session.environment["PATH"] = "/usr/bin:/bin"

    run = session.run("doctor", "--json")

    assert routes(run)["hooks"]["found"].startswith("their command line started no mailstop while the bell rang")
    assert routes(run)["tools"]["state"] == "failed"
    assert routes(run)["hooks"]["mend"] == routes(run)["tools"]["mend"] == "mailstop setup claude"


def test_hooks_that_start_another_mailstop_are_told(session: ClaudeParty, own_home: Path, tmp_path: Path) -> None:
    with_monitor(session)
    other = tmp_path / "mailstop"
    other.write_text(f"#!/bin/sh\necho '{json.dumps({'mailstop': OTHER})}'\n")
    other.chmod(0o755)
    plugin_copy.write(str(other), str(own_home / ".config/mailstop/plugin"))

    run = session.run("doctor", "--json")

    assert routes(run)["hooks"]["found"].startswith(f"they start mailstop {OTHER}, and this is {__version__}")
    assert routes(run)["hooks"]["mend"] == "mailstop setup claude"


# -- the server ------------------------------------------------------------------------------------------------------


def test_a_server_is_greeted_and_its_time_told(stranger: Party, seat: SeatAt) -> None:
    builder = seat("builder")
    with Served(stranger):
        run = builder.run("doctor", "--json")

    assert run.code == 0, run.out
    assert routes(run)["server"]["state"] == "proved"
    assert routes(run)["server"]["took_ms"] > 0


def test_a_server_that_does_not_answer_is_told(stranger: Party, seat: SeatAt) -> None:
    builder = seat("builder")
    with Served(stranger) as server:
        os.kill(server.pid, signal.SIGSTOP)
        run = builder.run("doctor", "--json")
        ending, _, beginning = routes(run)["server"]["mend"].partition("; ")
        os.kill(server.pid, signal.SIGCONT)

    assert (run.code, routes(run)["server"]["state"]) == (1, "failed")
    assert ending == f"kill -9 {server.pid}"
    assert beginning == f"mailstop serve --host 127.0.0.1 --port {server.address.rpartition(':')[2]}"


def test_a_server_of_another_version_is_told(stranger: Party, seat: SeatAt, tmp_path: Path) -> None:
    builder = seat("builder")
    older = another_mailstop(tmp_path / "other")
    stranger.environment |= older
    with Served(stranger):
        run = builder.run("doctor", "--json")

    (server,) = [one for one in run.json["checks"] if one["name"] == "server"]
    assert server["state"] == "warning"
    assert f"mailstop {OTHER} serves it" in server["found"]
    assert re.fullmatch(r"mailstop serve --host 127\.0\.0\.1 --port \d+", server["mend"])
