"""A team of real clients: a leader gives work to a worker in a worktree; and sessions that never stop answering."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from tests.clients.mail import claude_with_mail, letters_of, reply_commands, states_of
from tests.clients.peer import Peer, wait_until_at_rest
from tests.clients.plan import Call, Plan, shell_step
from tests.clients.request import Request
from tests.clients.seats import seat, seated
from tests.clients.terminal import Terminal
from tests.clients.test_claude_sessions import announcement, trust
from tests.clients.waiting import wait_for
from tests.clients.world import World

GIVE = "mailstop task give shop-fix 'Fix the parser' - <<'EOF'\nIt loses the last line.\nEOF"
ASK = "mailstop ask shop --wait 60 - <<'EOF'\nWhich tests?\nEOF"
HOPS = 24  # of a chain, unless the person allows more


def shell(command: str) -> Plan:
    return Plan(calls=(Call.shell(command),))


def worker(request: Request) -> Plan | None:
    """Accept the task that comes, ask one question, and when that is answered complete it."""
    heard = "\n".join(request.heard)
    task = re.search(r"mailstop task complete (\d+)", heard)
    if task is None:
        return None
    if "mailstop task complete" in request.news:
        return shell(f"mailstop task accept {task[1]}")
    if "the slow ones too" in request.news:
        return shell(f"mailstop task complete {task[1]} - <<'EOF'\nall green\nEOF")
    return shell(ASK) if request.tool_results[-1:] and "working" in request.tool_results[-1] else None


def leader(request: Request) -> Plan | None:
    """Answer each question by the command that comes with it."""
    asked = re.search(r"^(mailstop answer \d+ .*?<<'(\w+)')$", request.news, re.MULTILINE)
    return shell(f"{asked[1]}\nthe slow ones too\n{asked[2]}") if asked else None


def told(world: World, *words: str, cwd: Path | None = None) -> dict[str, Any]:
    """What a verb tells anybody who looks."""
    done = world.run("mailstop", *words, "--json", cwd=cwd)
    assert done.returncode == 0, done.stdout + done.stderr
    value: dict[str, Any] = json.loads(done.stdout)
    return value


def repository(world: World) -> tuple[Path, Path]:
    """A clone on the default branch of where it comes from, and a worktree of it on another branch."""
    origin, project, worktree = (
        world.project("origin", branch="trunk"),
        world.projects / "shop",
        world.projects / "elsewhere",
    )
    world.run("git", "clone", "--quiet", str(origin), str(project)).check_returncode()
    world.run("git", "worktree", "add", "--quiet", "-b", "fix", str(worktree), cwd=project).check_returncode()
    trust(world, project, worktree)
    return project, worktree


def test_a_leader_gives_a_task_to_a_worker_who_asks_once_and_completes_it(world: World) -> None:
    project, worktree = repository(world)
    acts = {"worker": worker, "lead": leader}
    world.model.decide = lambda request: None if request.is_side else acts[request.session](request)

    claude_with_mail(world, "worker", project=worktree)
    seated(world, "shop-fix")
    leads = claude_with_mail(world, "lead", shell_step(GIVE), project=project)
    done = leads.wait_for_request("all green")

    assert "It leads project shop" in announcement(leads.requests[0])
    assert "task" in done.news
    (task,) = told(world, "task", "list")["tasks"]
    steps = told(world, "task", "show", str(task["n"]))["history"]
    assert [step["act"] for step in steps] == ["give", "accept", "complete"]
    assert task["state"] == "completed"
    question, answer = [letter for letter in letters_of(world) if letter["kind"] in ("question", "answer")]
    assert (question["from"], answer["from"], answer["ref"]) == ("shop-fix", "shop", question["n"])


def test_the_project_of_a_killed_leader_gets_a_new_one(world: World) -> None:
    project, _worktree = repository(world)
    first = claude_with_mail(world, "lead", "hello", project=project)
    first.wait_for_request("hello")
    peer = Peer(world)
    before, held = wait_for("a leader", lambda: led(world, project)), seat(world, "shop").session

    first.kill()
    assert led(world, project) is None, "its death frees the post at once"
    second = claude_with_mail(world, "second", "good morning", project=project)
    request = second.wait_for_request("good morning")

    assert "It leads project shop" in announcement(request)
    after = led(world, project)
    assert after is not None
    assert (after["seat"], after["term"] > before["term"]) == ("shop", True)
    assert seat(world, "shop").session != held
    n = peer.send("shop", "you lead now")
    second.wait_for_request("you lead now")
    peer.wait_until("shown", n)


def led(world: World, project: Path) -> dict[str, Any] | None:
    """Who leads, as anybody in the project's folder is told; None while nobody does."""
    post = told(world, "lead", cwd=project)
    return None if post["vacant"] else post


def test_who_asks_is_told_that_the_asked_session_came_to_rest_without_an_answer(world: World) -> None:
    claude_with_mail(world, "reviewer")  # whose model reads what comes and says nothing to it
    seated(world, "reviewer")
    waits = "mailstop ask reviewer --wait 60 - <<'EOF'\nMay I drop it?\nEOF"
    asker = claude_with_mail(world, "builder", shell_step(waits))

    request = asker.wait_for_request("did not answer")

    (question,) = told(world, "asks")["questions"]
    assert f"question {question['n']} to reviewer: pending; the session there ended its turn at " in request.news
    assert question["shown"]
    assert not question["waits"]


def test_who_asks_and_does_not_wait_is_told_by_a_letter_that_the_asked_session_came_to_rest(world: World) -> None:
    claude_with_mail(world, "reviewer")
    seated(world, "reviewer")
    leaves = "mailstop ask reviewer --wait 0 - <<'EOF'\nMay I drop it?\nEOF"
    asker = claude_with_mail(world, "builder", shell_step(leaves))

    wait_for("the notice", lambda: notices(world))
    (notice,) = notices(world)
    wait_until_at_rest(asker)
    asker.say("go on")
    request = asker.wait_for_request("and ended its turn without an answer")

    assert notice["to"] == ["builder"]
    assert f"Letter {notice['n']} from mailstop itself" in request.news
    assert f"mailstop cancel {notice['ref']}" in request.news
    assert len(notices(world)) == 1


def notices(world: World) -> list[dict[str, Any]]:
    """The letters that mailstop itself has written."""
    return [letter for letter in letters_of(world) if letter["from"] == "postmaster"]


def test_the_last_letter_of_a_budget_is_answered_by_nobody(world: World) -> None:
    world.model.decide = answers_all
    sessions = [claude_with_mail(world, "one")]
    seated(world, "one")
    opening = ["mailstop", "budget", "open", "--limit", "3"]
    person = Terminal(opening, world.env, world.home, world.directory / "person.screen")
    wait_for("the budget", lambda: told(world, "budget")["open"])
    person.close()

    begins = "mailstop send one - <<'EOF'\nhow are you?\nEOF"
    sessions.append(claude_with_mail(world, "two", shell_step(begins)))
    request = sessions[0].wait_for_request("The last letter of this bag's budget")
    for session in sessions:
        wait_until_at_rest(session)

    last = letters_of(world)[-1]
    assert [letter["budget"]["slot"] for letter in letters_of(world)] == [1, 2, 3]
    assert (last["from"], last["to"]) == ("two", ["one"])
    assert "send no reply; only the person can continue." in request.news
    assert f"mailstop reply {last['n']}" not in request.news
    wait_for("the proof", lambda: "shown" in states_of(world, last["n"]))
    assert told(world, "budget")["open"]["left"] == 0


def answers_all(request: Request) -> Plan | None:
    """Answer each letter by the command that comes with it."""
    commands = {} if request.is_side else reply_commands(request.news)
    calls = tuple(Call.shell(command.replace("ANSWER", "and you?")) for command in commands.values())
    return Plan(calls=calls) if calls else None


def test_three_sessions_that_answer_every_letter_with_a_letter_come_to_rest(world: World) -> None:
    world.model.decide = answers_all
    sessions = [claude_with_mail(world, name) for name in ("one", "two")]
    for name in ("one", "two"):
        seated(world, name)
    begins = "mailstop send one,two - <<'EOF'\nhow are you?\nEOF"
    sessions.append(claude_with_mail(world, "three", shell_step(begins)))

    wait_for("a chain at its end", lambda: refused(world), timeout_s=120)
    for session in sessions:
        wait_until_at_rest(session)

    hops = [letter["hops"] for letter in letters_of(world)]
    assert max(hops) == HOPS
    assert len(hops) <= 2 * HOPS, "two chains, each of them bounded"
    asked = len(world.model.requests)
    peer = Peer(world)
    peer.wait_until("shown", peer.send("one", "are you at rest?", "--final"))
    assert len([r for r in world.model.requests[asked:] if not r.is_side]) <= 3, "nothing else was going on"


def refused(world: World) -> bool:
    """Whether a model was told that its chain of letters is at its end."""
    return any(f"number {HOPS + 1} of a chain" in result for r in world.model.requests for result in r.tool_results)
