"""Claude Code without our monitor, without mailstop, and the monitor's own life."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.clients.claude_session import ClaudeSession
from tests.clients.mail import PLUGIN, RULE, claude_with_mail
from tests.clients.peer import Peer, rings, times, wait_until_at_rest, wait_until_listening
from tests.clients.plan import Plan
from tests.clients.waiting import wait_for
from tests.clients.world import World

SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"


def test_a_session_whose_monitor_does_not_run_is_rung_by_its_socket(world: World) -> None:
    session = claude_without_monitor(world)
    peer = Peer(world)

    told = peer.writes("reviewer", "wake up")
    request = session.wait_for_request("wake up")
    peer.wait_until("shown", told["n"])

    assert told["recipients"][0]["way"] == "socket"
    assert f"mailstop: letter {told['n']} from peer" in request.news
    assert "UserPromptSubmit hook additional context" in request.news
    assert times(session.requests[-1], "wake up") == 1


def test_a_session_that_bypasses_permissions_is_not_rung_by_its_socket_and_the_sender_is_told(world: World) -> None:
    session = claude_without_monitor(world, mode="bypassPermissions")
    peer = Peer(world)

    told = peer.writes("reviewer", "when you have time")
    recipient = told["recipients"][0]
    status = session.registry["status"]
    session.say("hello")
    request = session.wait_for_request("hello")
    peer.wait_until("shown", told["n"])

    assert (recipient["way"], recipient["state"]) == ("visit", "stored")
    assert recipient["detail"] == "nothing wakes it: it sees the letter when it next does anything"
    assert status == "idle", "no dialog asks the person to let the ring pass"
    assert request.holds("when you have time")
    assert rings(session) == []


def test_a_letter_whose_typed_prompt_was_taken_back_is_shown_with_the_next_one(world: World) -> None:
    session = claude_without_monitor(world, mode="bypassPermissions")
    peer = Peer(world)
    n = peer.send("reviewer", "do not lose me")
    world.model.decide = lambda request: Plan(text="done", wait="" if "second try" in request.news else "never")
    session.say("first try")
    world.wait_until_model_waits("never")
    peer.wait_until("handed", n)

    session.terminal.press("escape")
    wait_until_at_rest(session)
    session.say("; second try")
    request = session.wait_for_request("second try")

    peer.wait_until("shown", n)
    assert times(request, "do not lose me") == 1
    assert peer.states(n) == ["handed", "handed", "shown"]


def test_without_mailstop_a_session_works_as_if_nothing_were_there(world: World) -> None:
    session = claude_with_mail(world, "reviewer", "hello", env={"PATH": SYSTEM_PATH})

    session.wait_for_request("hello")
    wait_until_at_rest(session)
    session.say("again")
    request = session.wait_for_request("again")

    assert not any("hook additional context" in text for text in request.heard)
    assert "hook failed" not in screen(session)
    assert "not found" not in screen(session)
    assert len([each for each in session.requests if not each.is_side]) == 2, "an ended monitor would ask a third time"


def test_the_monitor_ends_with_its_client(world: World) -> None:
    ended = claude_with_mail(world, "ended")
    killed = claude_with_mail(world, "killed")
    wait_until_listening(ended)
    wait_until_listening(killed)
    assert len(monitors(world)) == 2

    ended.close()
    killed.kill()

    wait_for("no process left", lambda: processes_of(world) == [])


def test_a_second_monitor_of_a_session_waits_until_its_client_ends(world: World) -> None:
    session = claude_with_mail(world, "reviewer")
    peer = Peer(world)
    wait_until_listening(session)
    output = (world.directory / "second").open("w+")
    second = subprocess.Popen(
        [Path(sys.executable).with_name("mailstop"), "watch", "--monitor"],
        env={**world.env, "CLAUDE_PID": str(session.pid)},
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
    )

    n = peer.send("reviewer", "only once")
    peer.wait_until("shown", n)
    wait_until_at_rest(session)
    assert second.poll() is None, "one that ended would make its client wake the model"
    session.kill()

    assert second.wait(10) == 0
    output.seek(0)
    assert output.read() == ""
    output.close()
    assert [receipt.state for receipt in peer.receipts(n)] == ["notified", "handed", "shown"]


def test_a_monitor_sleeps_while_nothing_comes(world: World) -> None:
    session = claude_with_mail(world, "reviewer", "hello")
    session.wait_for_request("hello")
    wait_until_at_rest(session)
    wait_until_listening(session)
    (monitor,) = monitors(world)
    wait_for("the monitor asleep", lambda: state(monitor) == "S")
    before = woken(monitor)

    session.say("a turn without mail")
    session.wait_for_request("a turn without mail")
    wait_until_at_rest(session)

    assert woken(monitor) == before


def claude_without_monitor(world: World, **options: object) -> ClaudeSession:
    """A Claude Code with a copy of our plugin that has hooks and no monitor."""
    plugin = world.directory / "plugin"
    shutil.copytree(PLUGIN, plugin)
    shutil.rmtree(plugin / "monitors")
    manifest = json.loads((plugin / ".claude-plugin" / "plugin.json").read_text())
    del manifest["experimental"]
    (plugin / ".claude-plugin" / "plugin.json").write_text(json.dumps(manifest))
    session = world.claude("reviewer", plugins=(plugin,), allow=(RULE,), **options)  # type: ignore[arg-type]
    wait_until_at_rest(session)
    return session


def screen(session: ClaudeSession) -> str:
    """All that a client wrote to its terminal."""
    return (session.world.directory / f"{session.name}.screen").read_bytes().decode(errors="replace")


def processes(world: World) -> Iterator[tuple[int, str]]:
    """The processes of a world, each with its command line; those of tests that run beside it have another home."""
    home = f"HOME={world.home}\0".encode()
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                if home in Path("/proc", name, "environ").read_bytes():
                    yield int(name), Path("/proc", name, "cmdline").read_text().replace("\0", " ")
            except OSError:
                continue


def monitors(world: World) -> list[int]:
    """The monitors that run, without the shells that started them."""
    return [pid for pid, command in processes(world) if "python" in command and command.endswith("watch --monitor ")]


def processes_of(world: World) -> list[str]:
    """What still runs of a world's clients."""
    return [command for _, command in processes(world)]


def state(pid: int) -> str:
    """The state of a process, as ps shows it."""
    return Path("/proc", str(pid), "stat").read_text().rpartition(")")[2].split()[0]


def woken(pid: int) -> int:
    """How often a process has been woken."""
    lines = Path("/proc", str(pid), "status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("voluntary_ctxt_switches"))
