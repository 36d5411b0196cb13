"""`mailstop status`, by real processes: what is proved of a letter, and who somebody is."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.party import ClaudeParty, Party, Person

SeatAt = Callable[..., Party]
SESSION = "01a227bc-e031-7b73-a9b7-49711dc7b705"


def states(party: Party, n: int, seat: str = "reviewer") -> list[str]:
    """All that is proved of a letter at a seat, oldest first."""
    recipients = {each["seat"]: each for each in party.run("status", str(n), "--json").json["recipients"]}
    return [receipt["state"] for receipt in recipients[seat]["receipts"]]


# -- a letter


def test_a_letter_that_nobody_has_looked_at_is_stored_and_no_more(seat: SeatAt) -> None:
    builder = seat("builder")
    seat("reviewer")
    n = builder.send("reviewer", "please look")

    assert states(builder, n) == ["stored"]
    assert builder.run("status", str(n)).lines[0].startswith(f"{n} reviewer: stored ")


def test_a_letter_a_program_was_given_is_shown_once_it_calls_again(seat: SeatAt) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    n = builder.send("reviewer", "please look")

    reviewer.run("check")
    assert states(builder, n) == ["stored", "handed"]

    reviewer.run("who")
    assert states(builder, n) == ["stored", "handed", "shown"]


def test_a_letter_the_person_was_given_is_shown_at_once(seat: SeatAt, person: Person) -> None:
    builder = seat("builder")
    n = builder.send("human", "please decide")

    assert "please decide" in person.run("check", terminal=True).out
    assert states(builder, n, "human") == ["stored", "shown"]


def test_a_reply_answers_and_says_by_which_letter(seat: SeatAt) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    n = builder.send("reviewer", "please look")
    answer = reviewer.run("reply", str(n), "-", "--json", input="fine").json["n"]

    assert states(builder, n) == ["stored", "answered"]
    assert builder.run("status", str(n)).lines[0].endswith(f" by letter {answer}")


def test_each_recipient_has_a_line_of_its_own_before_all_details(seat: SeatAt) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    seat("tester")
    n = builder.send("reviewer,tester", "please look")
    reviewer.run("check")

    first, second = builder.run("status", str(n)).lines[:2]

    assert first.startswith(f"{n} reviewer: handed ")
    assert second.startswith(f"{n} tester: stored ")


def test_of_an_empty_seat_it_is_said_since_when_nobody_sits_there(seat: SeatAt) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    reviewer.run("leave")
    n = builder.send("reviewer", "please look")

    told = builder.run("status", str(n))

    assert "; the seat is empty since " in told.lines[0]
    (recipient,) = builder.run("status", str(n), "--json").json["recipients"]
    assert recipient["holder"]["state"] == "empty"
    assert recipient["holder"]["since"] is not None


def test_of_a_held_seat_it_is_said_that_nobody_has_sat_there_yet(seat: SeatAt) -> None:
    builder = seat("builder")
    n = builder.send("tester", "for whoever comes", "--hold")

    assert "nobody has taken that seat yet" in builder.run("status", str(n)).lines[0]


def test_of_a_letter_to_the_person_it_is_said_how_they_see_it(seat: SeatAt) -> None:
    builder = seat("builder")
    n = builder.send("human", "please decide")

    (recipient,) = builder.run("status", str(n), "--json").json["recipients"]
    assert recipient["holder"]["state"] == "person"
    assert "they see it with mailstop check" in recipient["now"]


def test_a_letter_hooks_have_written_is_handed_and_shown_with_the_next_request_of_the_turn(
    seat: SeatAt, claude: ClaudeParty
) -> None:
    builder = seat("builder")
    claude.open(SESSION)
    claude.run("join", "reviewer")
    n = builder.send("reviewer", "please look")

    claude.hook("UserPromptSubmit", SESSION, prompt="go on", prompt_id="p1")
    assert states(builder, n) == ["stored", "handed"]

    claude.hook("PreToolUse", SESSION, prompt_id="p1", tool_name="Bash")
    assert states(builder, n) == ["stored", "handed", "shown"]


def test_anybody_may_ask(seat: SeatAt, stranger: Party) -> None:
    builder = seat("builder")
    seat("reviewer")
    n = builder.send("reviewer", "please look")

    assert states(stranger, n) == ["stored"]


# -- who I am


def test_a_party_without_a_seat_is_told_how_to_take_one(stranger: Party) -> None:
    told = stranger.run("status")

    assert told.code == 0
    assert 'eval "$(mailstop join NAME --export)"' in told.out


def test_the_command_that_a_party_without_a_seat_is_told_gives_it_one(stranger: Party) -> None:
    line = next(line for line in stranger.run("status").lines if "eval" in line)
    command = line.partition("first: ")[2].replace("NAME", "builder").replace("mailstop", '"$0"')

    told = stranger.call(["sh", "-c", f'{command} && "$0" status', stranger.mailstop])

    assert told.lines[0].startswith("you are seat builder ")


def test_at_a_terminal_the_person_is_told_once_what_waits(seat: SeatAt, person: Person) -> None:
    seat("builder").send("human", "please decide")

    assert person.run("status", terminal=True).lines.count("1 letter waits for you: mailstop check") == 1
    assert person.run("status").lines.count("1 letter waits for you: mailstop check") == 1


def test_a_party_is_told_its_seats_its_store_what_wakes_it_and_what_waits(seat: SeatAt) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    reviewer.join("checker", "--bag", "parser")
    builder.send("reviewer", "please look")

    told = reviewer.run("status")

    assert told.lines[0].startswith("you are seat reviewer and seat checker in bag parser ")
    assert f"store: sqlite:///{reviewer.home}/.local/share/mailstop/mailstop.db" in told.lines
    assert any(line.startswith("what wakes you: nothing") for line in told.lines)
    assert "1 letter waits for you: mailstop check" in told.lines


def test_a_party_is_told_where_its_last_five_letters_stand(seat: SeatAt) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    sent = [builder.send("reviewer", f"part {number}") for number in range(6)]
    reviewer.run("reply", str(sent[5]), "-", input="fine")

    last = builder.run("status", "--json").json["sent"]

    assert [each["n"] for each in last] == sent[:0:-1]
    assert [each["recipients"][0]["state"] for each in last] == ["answered", *4 * ["stored"]]


def test_a_party_is_told_its_project_and_branch(seat: SeatAt) -> None:
    builder = seat("builder")
    folder = _repository(builder.home / "parser", branch="fast-path")

    told = builder.run("status", "--json", cwd=folder).json
    assert (told["project"], told["branch"]) == (builder.home.name, None), "that is where it joined"

    other = seat("other")
    other.run("leave")
    told = other.run("status", "--json", cwd=folder).json
    assert told["seats"] == []


def test_a_stranger_is_told_the_project_it_stands_in(stranger: Party) -> None:
    folder = _repository(stranger.home / "parser", branch="fast-path")

    told = stranger.run("status", "--json", cwd=folder).json

    assert (told["project"], told["branch"]) == ("parser", "fast-path")


def test_the_person_is_told_that_they_are(person: Person) -> None:
    assert person.run("status").lines[0].startswith("you are the person, seat human in every bag")


def test_a_client_is_told_its_client_and_session(claude: ClaudeParty) -> None:
    claude.open(SESSION)
    claude.run("join", "builder")

    told = claude.run("whoami")

    assert told.lines[0].startswith("you are seat builder (Claude Code 01a227bc), ")
    assert claude.run("status", "--json").json["client_session"] == SESSION


def _repository(folder: Path, branch: str) -> Path:
    subprocess.run(["git", "init", "-q", "-b", branch, str(folder)], check=True)
    return folder
