"""Sessions of Claude Code and their seats: through /clear, compaction, --resume, kill -9, several windows."""

from __future__ import annotations

import json
import re
from pathlib import Path

from mailstop.fence_start import LONGEST_ANNOUNCEMENT, LONGEST_REMINDER
from tests.clients.claude_session import ClaudeSession
from tests.clients.mail import PLUGIN, RULE, claude_with_mail
from tests.clients.peer import Peer, times, wait_until_at_rest
from tests.clients.plan import Plan, shell_step
from tests.clients.request import Request
from tests.clients.seats import seat, seat_of, seated
from tests.clients.waiting import wait_for
from tests.clients.world import World


def test_a_window_says_which_seat_it_is_and_the_model_is_told_how_to_write(world: World) -> None:
    session = claude_with_mail(world, "reviewer", "hello")

    request = session.wait_for_request("hello")
    wait_for("the seat on the screen", lambda: "mailstop:thiswindowisseatreviewer" in drawn(session))

    told = announcement(request)
    assert told.startswith("mailstop: this session is seat reviewer.")
    assert "mailstop send SEAT - <<'MAIL'" in told
    assert len(told) <= LONGEST_ANNOUNCEMENT


def test_clear_keeps_seat_and_epoch_and_says_which_letters_still_need_an_answer(world: World) -> None:
    session = claude_with_mail(world, "reviewer")
    peer = Peer(world)
    n = peer.send("reviewer", "is it ready?", "--needs-reply")
    peer.wait_until("shown", n)
    before = seat(world, "reviewer")
    wait_until_at_rest(session)

    session.clear()
    after_clear = peer.send("reviewer", "and this one?")
    request = session.wait_for_request("and this one?")
    peer.wait_until("shown", after_clear)

    now = seat(world, "reviewer")
    assert (now.session, now.epoch) == (before.session, before.epoch)
    assert not request.holds("is it ready?")
    assert f"Shown before, reply still due: {n} from peer." in announcement(request)


def test_a_letter_that_was_handed_before_clear_and_not_proved_is_shown_after_it(world: World) -> None:
    session = claude_with_mail(world, "reviewer")
    peer = Peer(world)
    world.model.decide = lambda request: Plan(text="done", wait="held" if len(session.requests) == 1 else "")
    n = peer.send("reviewer", "do not lose me")
    world.wait_until_model_waits("held")
    peer.wait_until("handed", n)

    session.terminal.press("escape")
    wait_until_at_rest(session)
    session.clear()
    again = session.wait_for_request("do not lose me", after=session.requests[-1].number)

    peer.wait_until("shown", n)
    assert times(again, "do not lose me") == 1


def test_a_resumed_session_goes_on_at_its_seat_and_is_shown_what_came_meanwhile(world: World) -> None:
    first = claude_with_mail(world, "reviewer", "hello")
    first.wait_for_request("hello")
    wait_until_at_rest(first)
    session_id, before = first.session_id, seat(world, "reviewer")
    first.close()
    peer = Peer(world)
    told = peer.writes("reviewer", "while you were away")

    second = claude_with_mail(world, "reviewer", resume=session_id)
    request = second.wait_for_request("while you were away")
    peer.wait_until("shown", told["n"])

    now = seat(world, "reviewer")
    assert told["recipients"][0]["way"] == "none"
    assert (now.session, now.epoch) == (before.session, before.epoch)
    assert request.holds("hello"), "the conversation goes on"


def test_a_new_session_in_the_folder_of_a_killed_one_takes_its_seat_and_fetches_its_mail(world: World) -> None:
    first = claude_with_mail(world, "reviewer")
    before = seated(world, "reviewer")
    first.kill()
    peer = Peer(world)
    n = peer.send("reviewer", "for whoever comes")

    second = claude_with_mail(world, "reviewer", shell_step("mailstop check"))
    request = second.wait_for_request("for whoever comes")
    peer.wait_until("shown", n)

    now = seat(world, "reviewer")
    assert now.session != before.session
    assert now.epoch > before.epoch
    assert "From before this session 1 letter waits: mailstop check" in announcement(request)
    assert any("for whoever comes" in result for result in request.tool_results)
    assert times(request, "for whoever comes") == 1, "announced, and shown only when fetched"
    assert "notified" not in peer.states(n)


def test_what_a_killed_session_was_handed_and_nothing_proved_is_shown_when_it_is_resumed(world: World) -> None:
    first = claude_with_mail(world, "reviewer", "hello")
    peer = Peer(world)
    first.wait_for_request("hello")
    wait_until_at_rest(first)
    session_id = first.session_id
    world.model.decide = lambda request: Plan(text="done", wait="held")
    n = peer.send("reviewer", "before the crash")
    world.wait_until_model_waits("held")
    peer.wait_until("handed", n)
    first.kill()
    world.model.release("held")
    asked = len(world.model.requests)

    second = claude_with_mail(world, "reviewer", resume=session_id)
    second.wait_for_request("before the crash", after=asked)
    peer.wait_until("shown", n)

    states = peer.states(n)
    assert states.count("handed") == 2
    assert states.count("shown") == 1


def test_a_second_window_in_a_folder_gets_the_next_name(world: World) -> None:
    first = claude_with_mail(world, "reviewer")
    seated(world, "reviewer")
    second = claude_with_mail(world, "second", project=first.project)
    peer = Peer(world)
    seated(world, "reviewer-2")

    n = peer.send("reviewer-2", "for the second window")
    second.wait_for_request("for the second window")
    peer.wait_until("shown", n)

    assert first.requests == []


def test_two_live_processes_of_one_session_are_two_sessions_with_two_seats(world: World) -> None:
    first = claude_with_mail(world, "reviewer", "hello")
    first.wait_for_request("hello")
    wait_until_at_rest(first)
    second = claude_with_mail(world, "second", resume=first.session_id, project=first.project)
    seated(world, "reviewer-2")
    peer = Peer(world)

    n = peer.send("reviewer", "for the first")
    m = peer.send("reviewer-2", "for the second")
    first.wait_for_request("for the first")
    second.wait_for_request("for the second")
    peer.wait_until("shown", n)
    peer.wait_until("shown", m)

    assert not any(request.holds("for the second") for request in first.requests)
    assert not any(request.holds("for the first") for request in second.requests)


def test_after_compaction_the_model_is_reminded_of_its_seat_and_of_what_needs_an_answer(world: World) -> None:
    session = claude_with_mail(world, "reviewer")
    peer = Peer(world)
    n = peer.send("reviewer", "is it ready?", "--needs-reply")
    peer.wait_until("shown", n)
    before = seat(world, "reviewer")
    wait_until_at_rest(session)

    session.say("/compact")
    wait_for("the summary", lambda: "Compacted" in drawn(session))
    wait_until_at_rest(session)
    session.say("go on")
    request = session.wait_for_request("go on")

    told = announcement(request)
    assert told.startswith("mailstop: seat reviewer.")
    assert f"Reply due: {n} from peer." in told
    assert len(told) <= LONGEST_REMINDER
    assert not request.holds("is it ready?")
    now = seat(world, "reviewer")
    assert (now.session, now.epoch) == (before.session, before.epoch)


def test_a_seat_that_was_chosen_for_a_session_is_taken(world: World) -> None:
    session = claude_with_mail(world, "reviewer", "hello", env={"MAILSTOP_SEAT": "architect"})

    request = session.wait_for_request("hello")

    assert announcement(request).startswith("mailstop: this session is seat architect.")
    assert not seat(world, "architect").automatic
    assert not seat_of(world, "reviewer")


def test_a_seat_is_named_after_the_project_and_after_a_branch_that_is_not_the_default_one(world: World) -> None:
    project = world.project("shop", branch="main")
    worktree = world.projects / "elsewhere"
    world.run("git", "worktree", "add", "--quiet", "-b", "new-tax", str(worktree), cwd=project).check_returncode()
    trust(world, project, worktree)

    claude_with_mail(world, "on-default", project=project)
    claude_with_mail(world, "on-branch", project=worktree)

    seated(world, "shop")
    seated(world, "shop-new-tax")
    assert seat(world, "shop").project_id == seat(world, "shop-new-tax").project_id


def test_a_headless_session_takes_no_seat_unless_asked(world: World) -> None:
    peer = Peer(world)
    peer.send("worker", "for the headless one", "--hold")
    command: list[str | Path] = [world.claude_binary, "--plugin-dir", PLUGIN, "--allowedTools", RULE, "-p", "hello"]

    plain = world.run(*command, cwd=world.project("plain"), env=world.claude_env)
    chosen = world.run(*command, cwd=world.project("chosen"), env={**world.claude_env, "MAILSTOP_SEAT": "worker"})

    assert (plain.returncode, chosen.returncode) == (0, 0)
    first, second = (request for request in world.model.requests if not request.is_side)
    assert "this session has no seat" in announcement(first)
    assert not seat_of(world, "plain")
    assert "this session is seat worker" in announcement(second)
    assert second.holds("for the headless one")


def test_a_command_of_a_session_that_has_lost_its_seat_writes_nothing(world: World) -> None:
    gate = world.gate("late")
    said = world.directory / "tmp" / "said"
    late = f"{gate.command}; mailstop send peer 'too late' > {said}.part; echo $? >> {said}.part; mv {said}.part {said}"
    first = claude_with_mail(world, "reviewer", shell_step(late), allow=("Bash",))
    peer = Peer(world)
    gate.wait_until_reached()
    before = seat(world, "reviewer")
    first.kill()
    claude_with_mail(world, "second", project=first.project)
    wait_for("the seat in new hands", lambda: seat(world, "reviewer").session != before.session)

    gate.open()
    wait_for("the end of the late command", said.exists)

    assert said.read_text().splitlines()[-1] != "0"
    assert peer.run("check").stdout == "no new letters\n"


def trust(world: World, *repositories: Path) -> None:
    """Let the client know that its user trusts these: it asks for each repository, wherever it lies."""
    state = json.loads((world.home / ".claude.json").read_text())
    state["projects"] |= {str(repository): {"hasTrustDialogAccepted": True} for repository in repositories}
    (world.home / ".claude.json").write_text(json.dumps(state))


def announcement(request: Request) -> str:
    """What our SessionStart hook told the model, the newest time."""
    heard = "\n\n".join(request.heard)
    found = re.findall(r"SessionStart[^\n]* hook additional context: (mailstop: .*?)(?:\n\n|\Z)", heard, re.DOTALL)
    assert found, heard[-3000:]
    return str(found[-1])


def drawn(session: ClaudeSession) -> str:
    """All that a client drew, without blanks and what moves the cursor."""
    text = (session.world.directory / f"{session.name}.screen").read_bytes().decode(errors="replace")
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\].*?(?:\x07|\x1b\\)|\s", "", text)
