"""mailstop doctor, run by sessions of the real clients: each way to them is proved, and a broken one is named."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

from mailstop.clients.ancestry import ancestors
from tests.clients.claude_session import ClaudeSession
from tests.clients.codex_mail import codex_with_mail, drawn
from tests.clients.mail import claude_with_mail, letters_of, states_of
from tests.clients.peer import rings, wait_until_at_rest, wait_until_listening
from tests.clients.plan import shell_step
from tests.clients.request import Request
from tests.clients.seats import seated
from tests.clients.test_setup import run_setup
from tests.clients.waiting import wait_for
from tests.clients.world import World

ASK = shell_step('mailstop doctor --json; echo "EXIT" "$?"')
AGAIN = shell_step('mailstop doctor --json; echo "EXIT" "$?" "AGAIN"')


def told(request: Request) -> tuple[int, dict[str, Any]]:
    """The exit code and the answer of the last doctor that a session ran."""
    text = request.tool_results[-1]
    code = int(text.rpartition("EXIT ")[2].split()[0])
    value: dict[str, Any] = json.JSONDecoder().raw_decode(text[text.index('{"ok"') :])[0]
    return code, value


def states(value: dict[str, Any]) -> dict[str, str]:
    """What came of each way."""
    return {route["name"]: route["state"] for route in value["routes"]}


def monitor_of(session: ClaudeSession) -> int:
    """The process that rings for a session."""
    commands = {int(path.parent.name): path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline")}
    own = (pid for pid, command in commands.items() if command.endswith(b"watch\0--monitor\0"))
    return next(pid for pid in own if session.pid in [above.pid for above in ancestors(pid)])


def failed(value: dict[str, Any]) -> list[dict[str, Any]]:
    """What failed."""
    return [one for one in (*value["checks"], *value["routes"]) if one["state"] == "failed"]


def test_a_claude_session_has_each_way_to_it_proved_with_its_time_and_is_not_woken_by_it(world: World) -> None:
    session = claude_with_mail(world, "builder", allow=("Bash",))
    seated(world, "builder")
    wait_until_listening(session)
    before = len(session.requests)

    session.say(ASK)
    request = session.wait_for_request("EXIT ")
    code, value = told(request)

    assert failed(value) == []
    assert code == 0
    assert states(value) == dict.fromkeys(("bell", "monitor", "socket", "hooks", "tools", "reading"), "proved")
    assert all(route["took_ms"] > 0 for route in value["routes"])
    n = value["letter"]["n"]
    wait_for("the letter proved shown", lambda: states_of(world, n) == ["stored", "handed", "shown"])
    wait_until_at_rest(session)
    assert len(session.requests) == before + 2, "the prompt's, and the one with what the doctor said"
    assert [one["n"] for one in letters_of(world)] == [n]


def test_a_claude_session_whose_monitor_is_gone_is_told_so_and_how_to_mend_it(world: World) -> None:
    session = claude_with_mail(world, "builder", allow=("Bash",))
    seated(world, "builder")
    wait_until_listening(session)
    os.kill(monitor_of(session), signal.SIGKILL)

    session.say(ASK)
    code, value = told(session.wait_for_request("EXIT "))

    assert code == 1
    assert [(one["name"], one["mend"]) for one in failed(value)] == [("monitor", "claude --continue")]
    assert states(value)["socket"] == "proved"


def test_a_codex_thread_has_each_way_to_it_proved_without_a_request_to_the_model(world: World) -> None:
    session = codex_with_mail(world, "builder", sandbox="danger-full-access")
    seated(world, "builder")
    session.wait_until_idle()
    before = len(session.requests)

    session.say(ASK)
    code, value = told(session.wait_for_request("EXIT "))

    assert failed(value) == []
    assert code == 0
    assert states(value) == dict.fromkeys(("bell", "hooks", "tools", "reading", "queue"), "proved")
    n = value["letter"]["n"]
    wait_for("the letter proved shown", lambda: "shown" in states_of(world, n))
    wait_for("the line answered by its hook", lambda: f"letter {n} was shown already" in drawn(session))
    assert len(session.requests) == before + 2, "the prompt's, and the one with what the doctor said"


def test_a_codex_thread_in_its_sandbox_has_its_queue_proved_by_its_next_command(world: World) -> None:
    session = codex_with_mail(world, "builder")
    seated(world, "builder")
    session.wait_until_idle()

    session.say(f"{ASK}\n{AGAIN}")
    first, before = told(session.wait_for_request("EXIT "))
    second, after = told(session.wait_for_request(" AGAIN"))

    assert failed(before) == failed(after) == []
    assert (first, states(before)["queue"]) == (4, "open")
    assert (second, states(after)["queue"]) == (0, "proved")


def test_untrusted_hooks_of_codex_are_told_and_the_command_that_is_told_mends_it(world: World) -> None:
    env = {"PATH": f"{world.claude_binary.parent}:{world.codex_binary.parent}:{world.env['PATH']}"}
    world.codex_home()
    assert run_setup(world, "codex", "--yes").returncode == 0

    before = world.run("mailstop", "doctor", "--json", env=env)
    (trust,) = failed(json.loads(before.stdout))
    mended = world.run(*trust["mend"].split(), env=env)
    after = world.run("mailstop", "doctor", "--json", env=env)

    assert (before.returncode, trust["name"]) == (1, "trust of Codex")
    assert mended.returncode == 0, mended.stderr
    assert (after.returncode, failed(json.loads(after.stdout))) == (0, [])


def test_a_claude_at_rest_in_whose_window_its_person_runs_it_is_not_woken_by_the_letter(world: World) -> None:
    session = claude_with_mail(world, "builder")
    seated(world, "builder")
    wait_until_listening(session)
    wait_until_at_rest(session)
    said = world.directory / "said"

    session.terminal.press("!")
    session.terminal.type(f"mailstop doctor --json > {said}; echo $? > {said}.code")
    session.terminal.press("enter")
    code = wait_for(
        "the doctor's end", lambda: said.with_suffix(".code").exists() and said.with_suffix(".code").read_text()
    )
    value = json.loads(said.read_text())

    assert failed(value) == []
    assert code == "0\n"
    assert states(value)["monitor"] == "proved"
    request = session.wait_for_request("<bash-input>")
    wait_until_at_rest(session)
    assert session.requests == [request], "the client's own, which it makes after each such command"
    assert rings(session) == []
