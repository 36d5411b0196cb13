"""`mailstop ask`, `answer`, `cancel` and `asks`, by real processes."""

from __future__ import annotations

import json
import re
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from mailstop.times import now_ms
from tests.clients.waiting import wait_for
from tests.integration.test_hot_path import assert_lean, imported
from tests.party import MAILSTOP, ClaudeParty, CompletedRun, Party, Person, Running

SeatAt = Callable[..., Party]
SESSION = "01a227bc-e031-7b73-a9b7-49711dc7b705"
SOON_S = 10.0  # of a machine that does much else; far less than any wait here would last


def waits(party: Party) -> list[int]:
    """The questions whose askers wait now."""
    return [each["n"] for each in party.run("asks", "--json").json["questions"] if each["waits"]]


def asking(party: Party, observer: Party, *words: str) -> tuple[Running, int]:
    """An ask that waits, and the number of its question."""
    running = party.start("ask", *words)
    return running, wait_for("the ask waits", lambda: waits(observer))[0]


def ended(running: Running) -> int:
    """The exit code of a wait that ends by itself, soon."""
    began = time.monotonic()
    code = running.wait()
    assert time.monotonic() - began < SOON_S
    return code


def output(running: Running) -> Any:
    return json.loads(running.output.read_text())


# -- waiting


def test_a_wait_is_woken_by_the_answer_and_prints_it(seat: SeatAt) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    ask, n = asking(builder, reviewer, "reviewer", "May I?")

    answer = reviewer.run("answer", str(n), "-", "--json", input="Go\nahead").json["n"]

    assert ended(ask) == 0
    text = ask.output.read_text()
    assert f"Letter {answer} from seat reviewer" in text
    assert f"answers {n}" in text
    assert "\nGo\nahead\n" in text
    assert waits(reviewer) == []


def test_what_an_ask_has_printed_is_not_given_again(seat: SeatAt) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    ask, n = asking(builder, reviewer, "reviewer", "May I?")
    answer = reviewer.run("answer", str(n), "yes", "--json").json["n"]
    ended(ask)

    assert builder.run("check").out == "no new letters\n"
    (told,) = reviewer.run("status", str(answer), "--json").json["recipients"]
    assert [each["state"] for each in told["receipts"]] == ["stored", "handed", "shown"]
    assert told["receipts"][1]["evidence"] == "mailstop ask"


def test_no_answer_in_time_is_pending_and_says_how_to_wait_on(seat: SeatAt) -> None:
    builder = seat("builder")
    reviewer = seat("reviewer")

    run = builder.run("ask", "reviewer", "May I?", "--wait", "0.2")

    n = reviewer.run("check", "--json").json["letters"][0]["n"]
    assert run.code == 4
    assert run.lines[0] == f"question {n} to reviewer: pending, no answer within 0.2 seconds"
    assert run.lines[1].startswith("  reviewer: stored; ")
    assert f"To wait on: mailstop ask --resume {n} - to withdraw it: mailstop cancel {n}" in run.lines[2]


def test_without_a_wait_the_question_is_left_there(seat: SeatAt) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")

    run = builder.run("ask", "reviewer", "-", "--wait", "0", "--json", input="May I?")

    assert run.code == 4
    question = run.json
    assert (question["state"], question["to"], question["answer"]) == ("pending", "reviewer", None)
    assert question["resume"] == f"mailstop ask --resume {question['n']}"
    assert reviewer.run("read", str(question["n"]), "--raw").out == "May I?"


@pytest.mark.parametrize(("words", "seconds"), [([], 45), (["--wait", "600"], 600)])
def test_a_wait_lasts_45_seconds_unless_told_otherwise(seat: SeatAt, words: list[str], seconds: int) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    before = now_ms()
    ask, _ = asking(builder, reviewer, "reviewer", "May I?", *words)
    after = now_ms()

    with closing(sqlite3.connect(builder.home / ".local/share/mailstop/mailstop.db")) as connection:
        ((row,),) = connection.execute("SELECT value FROM board WHERE key = 'waits'").fetchall()
    (wait,) = json.loads(row)["waits"]
    assert before <= wait["until"] - seconds * 1000 <= after
    ask.kill()


def test_another_process_of_the_session_waits_on_and_gets_the_answer(seat: SeatAt) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    n = builder.run("ask", "reviewer", "May I?", "--wait", "0", "--json").json["n"]
    resumed, _ = asking(builder, reviewer, "--resume", str(n), "--json")

    reviewer.run("answer", str(n), "yes")

    assert ended(resumed) == 0
    assert (output(resumed)["state"], output(resumed)["answer"]["body"]) == ("answered", "yes")


def test_what_was_answered_meanwhile_is_there_at_once_and_as_often_as_it_is_asked_for(seat: SeatAt) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    n = builder.run("ask", "reviewer", "May I?", "--wait", "0", "--json").json["n"]
    reviewer.run("reply", str(n), "by reply")

    for _ in range(2):
        run = builder.run("ask", "--resume", str(n), "--json")
        assert (run.code, run.json["answer"]["body"]) == (0, "by reply")
        assert "by reply" in builder.run("ask", "--resume", str(n)).out


def test_a_wait_uses_no_processor(seat: SeatAt) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    ask, n = asking(builder, reviewer, "reviewer", "May I?")
    before = ask.processor_s()
    end = time.monotonic() + 1.5
    wait_for("a second and a half", lambda: time.monotonic() > end)

    assert ask.processor_s() - before < 0.03
    reviewer.run("answer", str(n), "yes")
    assert ended(ask) == 0


def test_many_who_wait_are_in_nobodys_way_and_each_gets_its_own_answer(seat: SeatAt) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    running = [builder.start("ask", "reviewer", f"question {count}", "--json") for count in range(12)]
    wait_for("all wait", lambda: len(waits(reviewer)) == 12)

    began = time.monotonic()
    builder.send("reviewer", "something else")
    assert time.monotonic() - began < SOON_S
    for each in reviewer.run("asks", "--given", "--json").json["questions"]:
        assert reviewer.run("answer", str(each["n"]), f"answer to {each['text']}").code == 0

    assert [ended(ask) for ask in running] == [0] * 12
    assert [output(ask)["answer"]["body"] for ask in running] == [f"answer to question {count}" for count in range(12)]


def test_other_letters_do_not_end_a_wait_and_wait_for_a_check(seat: SeatAt) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    ask, n = asking(builder, reviewer, "reviewer", "May I?")

    reviewer.send("builder", "something else")
    reviewer.run("answer", str(n), "yes")

    assert ended(ask) == 0
    text = ask.output.read_text()
    assert "something else" not in text
    assert "1 more letter waits: mailstop check" in text
    assert "something else" in builder.run("check").out


def test_an_interrupted_wait_leaves_the_question_and_nobody_waiting(seat: SeatAt) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    ask, n = asking(builder, reviewer, "reviewer", "May I?")

    assert ask.interrupt() == 130

    (question,) = reviewer.run("asks", "--json").json["questions"]
    assert (question["n"], question["waits"]) == (n, False)


# -- how else a wait ends


def test_a_wait_ends_when_the_process_of_the_session_that_was_asked_ends(seat: SeatAt) -> None:
    builder, reviewer, observer = seat("builder"), seat("reviewer"), seat("observer")
    ask, n = asking(builder, observer, "reviewer", "May I?")

    reviewer.close()

    assert ended(ask) == 4
    assert ask.lines[0].startswith(f"question {n} to reviewer: the seat is empty")
    assert seat("reviewer").run("answer", str(n), "late").code == 0
    assert "late" in builder.run("ask", "--resume", str(n)).out


def test_a_wait_ends_when_the_seat_is_left(seat: SeatAt) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    ask, _ = asking(builder, reviewer, "reviewer", "May I?", "--json")

    reviewer.run("leave")

    assert ended(ask) == 4
    assert output(ask)["state"] == "empty"


def test_a_wait_ends_when_the_question_is_withdrawn(seat: SeatAt, person: Person) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    ask, n = asking(builder, reviewer, "reviewer", "May I?")

    assert person.run("cancel", str(n)).out == f"question {n} is withdrawn; reviewer has not seen it\n"

    assert ended(ask) == 4
    assert ask.lines == [ask.lines[0], ask.lines[1]]
    assert ask.lines[0].startswith(f"question {n} to reviewer: withdrawn by human at ")
    answer = reviewer.run("answer", str(n), "yes")
    assert (answer.code, answer.out) == (1, "")
    assert f"Question {n} was withdrawn by human at " in answer.err


def test_a_wait_ends_when_the_session_that_was_asked_ends_its_turn(seat: SeatAt, claude: ClaudeParty) -> None:
    builder = seat("builder")
    claude.open(SESSION)
    claude.run("join", "reviewer")
    ask, n = asking(builder, claude, "reviewer", "May I?", "--json")
    assert "May I?" in claude.hook("UserPromptSubmit", SESSION, prompt="go on", prompt_id="p1").out
    claude.hook("PreToolUse", SESSION, prompt_id="p1")

    claude.hook("Stop", SESSION, prompt_id="p1")

    assert ended(ask) == 4
    assert (output(ask)["n"], output(ask)["state"]) == (n, "idle")
    assert builder.run("check").out == "no new letters\n"


def test_who_does_not_wait_is_told_once_that_the_turn_ended(seat: SeatAt, claude: ClaudeParty) -> None:
    builder = seat("builder")
    claude.open(SESSION)
    claude.run("join", "reviewer")
    n = builder.run("ask", "reviewer", "May I?", "--wait", "0", "--json").json["n"]

    for turn in ("p1", "p2"):
        claude.hook("UserPromptSubmit", SESSION, prompt="go on", prompt_id=turn)
        claude.hook("PreToolUse", SESSION, prompt_id=turn)
        claude.hook("Stop", SESSION, prompt_id=turn)

    letters = builder.run("check", "--json").json["letters"]
    assert [(each["from"], each["kind"], each["ref"]) for each in letters] == [("postmaster", "fyi", n)]


# -- in a client


def test_the_answer_that_an_ask_printed_is_not_shown_by_a_hook(seat: SeatAt, claude: ClaudeParty) -> None:
    reviewer = seat("reviewer")
    claude.open(SESSION)
    claude.run("join", "builder")
    claude.hook("UserPromptSubmit", SESSION, prompt="go on", prompt_id="p1")
    n = claude.run("ask", "reviewer", "May I?", "--wait", "0", "--json").json["n"]
    answer = reviewer.run("answer", str(n), "go ahead", "--json").json["n"]

    assert "go ahead" in claude.run("ask", "--resume", str(n)).out
    shown = [claude.hook("PostToolBatch", SESSION, prompt_id="p1").out]
    shown += [claude.hook("PreToolUse", SESSION, prompt_id="p1").out]

    assert "go ahead" not in "".join(shown)
    (told,) = reviewer.run("status", str(answer), "--json").json["recipients"]
    assert told["state"] == "shown"


def test_the_answer_that_a_hook_has_shown_is_not_printed_a_second_time_at_once(
    seat: SeatAt, claude: ClaudeParty
) -> None:
    reviewer = seat("reviewer")
    claude.open(SESSION)
    claude.run("join", "builder")
    claude.hook("UserPromptSubmit", SESSION, prompt="go on", prompt_id="p1")
    n = claude.run("ask", "reviewer", "May I?", "--wait", "0", "--json").json["n"]
    answer = reviewer.run("answer", str(n), "go ahead", "--json").json["n"]
    assert "go ahead" in claude.hook("PostToolBatch", SESSION, prompt_id="p1").out

    run = claude.run("ask", "--resume", str(n))

    assert (run.code, run.lines) == (
        0,
        [
            f"question {n} is answered by letter {answer}, which this session is being given already; "
            f"to print it again: mailstop read {answer}"
        ],
    )


# -- answering as it is printed


def last_command(text: str) -> str:
    """The command at the end of what a reader was given."""
    return text[text.rindex("\nmailstop ") + 1 :]


def run_as_printed(party: Party, command: str) -> CompletedRun:
    folder = str(Path(MAILSTOP).parent)
    return party.call(["sh", "-c", command], environment={"PATH": f"{folder}:{party.environment['PATH']}"})


def test_the_command_that_answers_runs_as_it_is_printed(seat: SeatAt) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    n = builder.run("ask", "reviewer", "May I?", "--wait", "0", "--json").json["n"]
    command = last_command(reviewer.run("check").out)
    assert re.fullmatch(rf"mailstop answer {n} - <<'(MAIL_\w+)'\nYOUR TEXT\n\1\n", command)

    assert run_as_printed(reviewer, command.replace("YOUR TEXT", """it's "fine" $(id)""")).code == 0

    answer = builder.run("ask", "--resume", str(n), "--json").json["answer"]
    assert answer["body"] == """it's "fine" $(id)\n"""


def test_a_choice_is_printed_with_its_number_and_given_by_it(seat: SeatAt) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    words = ["--choice", "yes", "--choice", "-- no `id` --", "--wait", "0", "--json"]
    n = builder.run("ask", "reviewer", "-", *words, input="May I?").json["n"]
    text = reviewer.run("check").out
    assert '\n1 "yes"\n2 "-- no `id` --"\n' in text

    assert run_as_printed(reviewer, last_command(text).replace(" K", " 2")).code == 0

    run = builder.run("ask", "--resume", str(n), "--json")
    assert (run.json["choice"], run.json["answer"]["body"]) == (2, "-- no `id` --")


def test_a_second_answer_exits_1_and_names_the_first(seat: SeatAt) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    n = builder.run("ask", "reviewer", "May I?", "--wait", "0", "--json").json["n"]
    first = reviewer.run("answer", str(n), "yes", "--json").json["n"]

    run = reviewer.run("answer", str(n), "no")

    assert (run.code, run.out) == (1, "")
    assert f"Question {n} has its answer: letter {first}, by reviewer at" in run.err


# -- what it costs


def test_what_hooks_and_checks_do_about_questions_is_lean(seat: SeatAt, claude: ClaudeParty) -> None:
    builder = seat("builder")
    claude.open(SESSION)
    claude.run("join", "reviewer")
    builder.run("ask", "reviewer", "May I?", "--wait", "0")
    event = {"session_id": SESSION, "cwd": str(claude.home), "prompt": "go", "prompt_id": "p1"}

    for name in ("UserPromptSubmit", "PreToolUse", "Stop"):
        _, modules = imported(claude, "hook", input=json.dumps({"hook_event_name": name, **event}))
        assert_lean(modules)
        assert ("mailstop.acts.asks" in modules) == (name == "Stop")
    run, modules = imported(builder, "check")

    assert "ended its turn without an answer" in run.out
    assert_lean(modules)
    assert "mailstop.acts.asks" not in modules


def test_asking_and_answering_is_lean(seat: SeatAt) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")

    run, modules = imported(builder, "ask", "reviewer", "May I?", "--wait", "0", "--json")
    assert_lean(modules)
    n = run.json["n"]
    assert_lean(imported(reviewer, "answer", str(n), "yes")[1])
    run, modules = imported(builder, "ask", "--resume", str(n))

    assert "yes" in run.out
    assert_lean(modules)


# -- usage, and who may


@pytest.mark.parametrize(
    "words",
    [
        ["ask"],
        ["ask", "a,b", "May I?"],
        ["ask", "reviewer", "May I?", "--resume", "3"],
        ["ask", "--resume", "3", "--choice", "yes"],
        ["ask", "--resume", "x"],
        ["ask", "reviewer", "May I?", "--wait", "-1"],
        ["ask", "reviewer", "May I?", "--wait", "100000"],
        ["answer"],
        ["answer", "3", "yes", "--choice", "1"],
        ["answer", "3", "--choice", "0"],
        ["cancel"],
        ["asks", "--mine", "--given"],
    ],
)
def test_what_is_no_question_is_wrong_usage(seat: SeatAt, words: list[str]) -> None:
    run = seat("builder").run(*words)

    assert (run.code, run.out) == (2, "")
    assert run.err.startswith("mailstop: ")


def test_another_than_the_asker_finds_no_question(seat: SeatAt, person: Person) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    n = builder.run("ask", "reviewer", "May I?", "--wait", "0", "--json").json["n"]

    for other in (reviewer, person):
        run = other.run("ask", "--resume", str(n))
        assert run.code == 3
        assert f"There is no question {n} that you asked." in run.err + run.out
    missing = builder.run("ask", "--resume", str(n + 50))
    assert (missing.code, missing.out) == (3, "")
    assert f"(nearest: {n})" in missing.err


def test_a_circle_exits_1_and_is_named(seat: SeatAt) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    ask, n = asking(builder, reviewer, "reviewer", "May I?")

    run = reviewer.run("ask", "builder", "And I?")

    assert (run.code, run.out) == (1, "")
    assert "reviewer -> builder -> reviewer" in run.err
    reviewer.run("answer", str(n), "yes")
    assert ended(ask) == 0


def test_a_store_that_cannot_be_read_is_reported_and_not_called_pending(seat: SeatAt) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    n = builder.run("ask", "reviewer", "May I?", "--wait", "0", "--json").json["n"]
    store = builder.home / ".local/share/mailstop/mailstop.db"
    for file in store.parent.glob("mailstop.db-*"):
        file.unlink()
    store.write_bytes(b"x" * store.stat().st_size)

    for party, words in ((builder, ["ask", "--resume", str(n)]), (reviewer, ["answer", str(n), "yes"])):
        run = party.run(*words)
        assert (run.code, run.out) == (5, "")
        assert "the store" in run.err.lower()
        assert "pending" not in run.err


def test_a_store_that_is_absent_is_not_made_by_a_question(stranger: Party) -> None:
    run = stranger.run("ask", "reviewer", "May I?", "--wait", "0")

    assert run.code in (1, 3, 5)
    assert not (stranger.home / ".local/share/mailstop").exists()


# -- the person's queue


def test_the_person_is_told_at_a_terminal_what_waits_for_their_answer(seat: SeatAt, person: Person) -> None:
    builder = seat("builder")
    n = builder.run(
        "ask", "human", "-", "--choice", "yes", "--choice", "no", "--wait", "0", "--json", input="Go?"
    ).json["n"]
    words = "1 question waits for your answer, asked just now: mailstop asks --given"

    assert person.run("status", terminal=True).lines.count(words) == 1
    assert person.run("status", "--json").json["asked"]["questions"] == 1
    check = person.run("check", terminal=True).out
    assert "Go?" in check
    assert words in check
    assert words in person.run("check", terminal=True).lines  # though it was shown
    listed = person.run("asks", "--given", terminal=True).lines
    assert re.match(rf"{n} +builder +human +just now +shown +Go\?", listed[1])

    assert person.run("answer", str(n), "--choice", "1", terminal=True).code == 0
    assert words not in person.run("check", terminal=True).out
    assert builder.run("ask", "--resume", str(n), "--json").json["choice"] == 1


def test_the_person_reads_how_to_answer_with_a_choice(seat: SeatAt, person: Person) -> None:
    builder = seat("builder")
    n = builder.run("ask", "human", "Go?", "--choice", "yes", "--wait", "0", "--json").json["n"]

    page = person.run("read", str(n), terminal=True).out

    assert f'\n1 "yes"\nTo answer: mailstop answer {n} --choice K\n' in page


def test_the_person_asks_is_told_that_it_waits_and_gets_the_answer(seat: SeatAt, person: Person) -> None:
    reviewer = seat("reviewer")
    ask, n = asking(person, reviewer, "reviewer", "Is it done?")

    reviewer.run("answer", str(n), "it is")

    assert ended(ask) == 0
    assert "it is" in ask.output.read_text()


def test_the_list_fits_a_terminal_and_cleans_what_it_quotes(seat: SeatAt, person: Person) -> None:
    builder = seat("builder")
    builder.run("ask", "human", "-", "--wait", "0", input="\x1b[31mred\u202e\nsecond line " + "x" * 4096)

    lines = person.run("asks", terminal=True).lines

    assert max(map(len, lines)) <= 100
    assert "\x1b" not in "".join(lines)
    assert person.run("asks", "--json").json["questions"][0]["text"].startswith("␛[31mred[U+202E]␊second line")


def test_status_of_a_question_says_what_has_become_of_it(seat: SeatAt) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    n = builder.run("ask", "reviewer", "May I?", "--wait", "0", "--json").json["n"]
    assert f"question {n}: no answer yet" in builder.run("status", str(n)).lines

    answer = reviewer.run("answer", str(n), "yes", "--json").json["n"]

    assert f"question {n}: answered by letter {answer} at " in builder.run("status", str(n)).out


@pytest.mark.parametrize("body", ["'\"`$(id)`\\", "*?[a-z]", "\u202eabc", "x" * 4096, "a\nb\r\nc", "-- --resume 3"])
def test_a_question_and_its_answer_are_kept_exactly(seat: SeatAt, body: str) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")

    n = builder.run("ask", "reviewer", "-", "--wait", "0", "--json", input=body).json["n"]
    answer = reviewer.run("answer", str(n), "-", "--json", input=body).json["n"]

    assert builder.run("read", str(n), "--raw").raw == builder.run("read", str(answer), "--raw").raw == body.encode()
