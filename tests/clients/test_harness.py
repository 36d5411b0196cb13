"""The harness itself: what later tests rest on, shown with the clients alone."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.clients.claude_session import ClaudeSession
from tests.clients.codex_session import CodexSession
from tests.clients.plan import BadScript, Call, Plan, shell_step, tool_step
from tests.clients.request import Request
from tests.clients.waiting import wait_for
from tests.clients.world import World

Session = ClaudeSession | CodexSession


def claude(world: World, prompt: str) -> Session:
    return world.claude("claude", prompt, allow=["Bash"])


def codex(world: World, prompt: str) -> Session:
    return world.codex("codex", prompt)


each_client = pytest.mark.parametrize("start", [claude, codex])
Start = Callable[[World, str], Session]


def test_a_letter_in_the_inbox_socket_wakes_an_idle_claude(world: World) -> None:
    session = world.claude()

    session.write_to_inbox("letter 7")

    assert session.wait_for_request("letter 7").agent == ""


def test_a_letter_reaches_a_busy_claude_within_the_running_turn(world: World) -> None:
    tool = world.gate("tool")
    session = world.claude("claude", shell_step(tool.command), allow=["Bash"])
    tool.wait_until_reached()

    session.write_to_inbox("letter 8")
    tool.open()

    request = session.wait_for_request("letter 8")
    assert request.tool_results, "delivered before the tool was done"
    earlier = [one.plan for one in session.requests if one.number < request.number]
    assert not any(plan.is_final for plan in earlier if plan), "delivered after the turn"


def test_a_queued_message_wakes_an_idle_codex_on_the_shared_daemon(world: World) -> None:
    session = world.codex()

    session.queue("letter 9")

    assert session.wait_for_request("letter 9").news.endswith("letter 9")


def test_two_claudes_share_one_home_and_each_has_an_inbox_of_its_own(world: World) -> None:
    alpha, beta = world.claude("alpha"), world.claude("beta")

    alpha.write_to_inbox("for alpha")
    beta.write_to_inbox("for beta")

    alpha.wait_for_request("for alpha")
    beta.wait_for_request("for beta")
    assert len(list((world.claude_config / "sessions").glob("*.json"))) == 2
    assert not any(request.holds("for beta") for request in alpha.requests)


def test_two_codex_windows_share_one_daemon_and_each_has_a_thread_of_its_own(world: World) -> None:
    alpha = world.codex("alpha")
    daemon = world.codex_home().daemon_pids()
    beta = world.codex("beta")

    alpha.queue("for alpha")
    beta.queue("for beta")

    alpha.wait_for_request("for alpha")
    beta.wait_for_request("for beta")
    assert world.codex_home().daemon_pids() == daemon
    assert not any(request.holds("for beta") for request in alpha.requests)


@each_client
def test_a_held_answer_comes_when_its_gate_is_released(world: World, start: Start) -> None:
    session = start(world, f"PUPPET: WAIT before\n{shell_step('echo got-$((6*7))')}\nPUPPET: WAIT after")
    world.wait_until_model_waits("before")
    assert not session.is_idle

    world.model.release("before")
    result = session.wait_for_request("got-42")
    world.wait_until_model_waits("after")
    assert not result.answered

    world.model.release("after")
    session.wait_until_idle()
    assert result.answered


@each_client
def test_one_answer_may_hold_several_calls(world: World, start: Start) -> None:
    first = shell_step("echo one-$((1))")
    session = start(world, f"{first}\nPUPPET: AND {shell_step('echo two-$((2))').removeprefix('PUPPET: ')}")

    request = session.wait_for_request("two-2")

    assert request.answers_given == 1
    assert request.holds("one-1")


@each_client
def test_a_model_can_react_to_what_it_was_sent(world: World, start: Start) -> None:
    def run_what_it_says(request: Request) -> Plan | None:
        found = re.search(r"please run: (.+)", request.news)
        return Plan(calls=(Call.shell(found[1]),)) if found else None

    world.model.decide = run_what_it_says

    session = start(world, "please run: echo ran-$((3))")

    assert session.wait_for_request("ran-3").tool_results


def test_a_letter_can_carry_a_script(world: World) -> None:
    session = world.claude(allow=["Bash"])

    session.write_to_inbox(shell_step("echo from-$((4))"))

    session.wait_for_request("from-4")


def test_a_subagent_is_scripted_by_its_prompt_and_told_from_the_main_conversation(world: World) -> None:
    agent = tool_step("Agent", description="look", prompt=shell_step("echo sub-$((5))"))

    session = world.claude("claude", agent, allow=["Agent", "Bash"])

    request = session.wait_for_request("sub-5")
    assert request.agent
    assert not session.requests[0].agent


def test_a_bad_script_fails_the_test_that_wrote_it(world: World) -> None:
    world.claude("claude", "PUPPET: Bash {no json}")

    with pytest.raises(BadScript):
        world.wait_for_request("what never comes")
    world.model.forgive()


@each_client
def test_a_client_sees_an_ordinary_user_and_the_commands_on_its_path(
    world: World, start: Start, tmp_path: Path
) -> None:
    command = tmp_path / "a-command-of-ours"
    command.write_text("#!/bin/sh\necho found\n")
    command.chmod(0o755)
    with World(path=[tmp_path]) as own:
        session = start(own, shell_step("echo uid=$(id -u) $(a-command-of-ours) $HOME"))
        result = session.wait_for_request(f"found {own.home}").tool_results[0]

        assert re.search(r"uid=(?!0\b|65534\b)\d+", result)


def test_a_sandboxed_command_of_codex_writes_in_its_project_and_not_outside(world: World) -> None:
    outside = world.home / "outside"
    command = f"touch inside; touch {shlex.quote(str(outside))} || echo refused-$((1))"

    session = world.codex("codex", shell_step(command), sandbox="workspace-write")

    session.wait_for_request("refused-1")
    assert (session.project / "inside").exists()
    assert not outside.exists()


def test_clear_gives_a_claude_a_new_session_id_on_the_same_socket(world: World) -> None:
    session = world.claude()
    before, path = session.session_id, session.socket_path

    session.clear()

    assert session.session_id != before
    assert session.socket_path == path


def test_a_resumed_claude_has_the_same_session_id_and_its_history(world: World) -> None:
    first = world.claude("claude", "remember the word plum")
    first.wait_for_request("plum")
    first.wait_until_idle()
    session_id = first.session_id
    first.close()

    second = world.claude("again", "which word?", resume=session_id, project=first.project)

    assert second.wait_for_request("which word?").holds("plum")
    assert second.session_id == session_id


def test_a_killed_claude_leaves_its_registry_file_and_a_dead_socket(world: World) -> None:
    session = world.claude()

    session.kill()

    def refuses() -> bool:
        try:
            session.write_to_inbox("nobody there")
        except ConnectionResetError:  # observed: the kernel may take a moment to close what a killed client had open
            return False
        except ConnectionRefusedError:
            return True
        raise AssertionError("somebody read it")

    wait_for("a dead socket", refuses)
    assert session.registry["pid"] == session.pid


def test_clear_gives_a_codex_window_a_new_thread(world: World) -> None:
    session = world.codex()
    before = session.thread

    session.clear()
    session.queue("on the new thread")

    assert session.thread != before
    session.wait_for_request("on the new thread")


def test_a_resumed_codex_goes_on_with_its_thread(world: World) -> None:
    first = world.codex("codex", "remember the word plum")
    first.wait_for_request("plum")
    first.wait_until_idle()
    first.close()

    second = world.codex("again", "which word?", resume=first.thread, project=first.project)

    assert second.wait_for_request("which word?").holds("plum")


def test_the_daemon_outlives_a_killed_codex_window_until_it_is_ended(world: World) -> None:
    session = world.codex()
    session.kill()
    assert world.codex_home().daemon_pids()

    world.codex_home().end_daemon()

    assert not world.codex_home().daemon_pids()


def test_trusted_hooks_of_codex_run(world: World) -> None:
    noted = world.directory / "noted"
    world.codex_home().write_hooks({"UserPromptSubmit": f"cat >> {shlex.quote(str(noted))}"})
    world.codex_home().trust_hooks(world.project("codex"), world.env)
    session = world.codex()

    session.queue("letter 10")

    wait_for("the hook", lambda: noted.exists() and "letter 10" in noted.read_text())


def test_typed_text_is_a_prompt(world: World) -> None:
    first, second = world.claude(), world.codex()

    first.say("typed to claude")
    second.say("typed to codex")

    first.wait_for_request("typed to claude")
    second.wait_for_request("typed to codex")


def test_a_project_can_be_a_repository_on_a_branch(world: World) -> None:
    folder = world.project("built", branch="topic")

    assert world.run("git", "branch", "--show-current", cwd=folder).stdout == "topic\n"


def test_a_one_shot_claude_answers_on_standard_output(world: World) -> None:
    done = world.run(world.claude_binary, "-p", "PUPPET: SAY plums", env=world.claude_env)

    assert done.stdout == "plums\n", done.stderr


def test_a_one_shot_codex_answers_on_standard_output(world: World) -> None:
    options = ("exec", "--skip-git-repo-check")

    done = world.run(world.codex_binary, *options, "PUPPET: SAY plums", env=world.codex_home().env)

    assert done.stdout == "plums\n", done.stderr


def test_tests_see_nothing_of_a_client_that_started_them(world: World) -> None:
    assert not [name for name in os.environ if name.startswith(("CLAUDE", "CODEX", "ANTHROPIC", "OPENAI"))]
    assert Path("/proc/1/stat").read_text().split()[3] == "0", "a process outside can be seen"
