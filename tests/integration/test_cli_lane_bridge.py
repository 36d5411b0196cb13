"""`mailstop lane bridge`: roles of a lane and seats of a bag write to each other, by real processes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests import lane_side
from tests.clients.waiting import wait_for
from tests.lane_ground import file_of, put
from tests.party import Party, Person, Running

SeatAt = Callable[..., Party]


@pytest.fixture
def bridge(lane: Path, arrive: Callable[[type[Party]], Party]) -> Callable[..., Running]:
    """Start a bridge, and wait until it holds the builder's seat."""

    def start(*words: str) -> Running:
        running = arrive(Party).start("lane", "bridge", str(lane), *words)
        wait_for("a seat for the builder", lambda: any("builder sits" in line for line in running.lines))
        return running

    return start


def new(party: Party) -> list[dict[str, Any]]:
    checked = party.run("check", "--json", "--max-bytes", "1000000")
    assert checked.code == 0, checked.err
    letters: list[dict[str, Any]] = checked.json["letters"]
    return letters


def arrived(party: Party) -> list[dict[str, Any]]:
    return wait_for("a letter in the bag", lambda: new(party))


def in_lane(lane: Path, sender: str, receiver: str = "builder") -> list[dict[str, Any]]:
    path = file_of(lane, sender, receiver)
    return [json.loads(line) for line in path.read_text().split("\n")[:-1]] if path.exists() else []


def test_a_role_and_a_seat_talk_and_refer_to_each_other_s_letters(lane: Path, bridge: Any, seat: SeatAt) -> None:
    reviewer = seat("reviewer")
    bridge()
    asked = lane_side.send(
        lane,
        from_role="builder",
        to_role="reviewer",
        kind="question",
        msg="Is main grün?",
        needs_reply=True,
        artifacts=["a.md", {"odd": 1}],
    )

    (letter,) = arrived(reviewer)
    assert (letter["from"], letter["to"], letter["kind"]) == ("builder", ["reviewer"], "question")
    assert (letter["needs_reply"], letter["artifacts"]) == (True, ["a.md"])
    assert letter["body"] == 'artifact: {"odd":1}\n\nIs main grün?'
    assert lane_side.cursor_of(lane, "reviewer") == {"builder-to-reviewer.jsonl": 1}

    assert reviewer.run("reply", str(letter["n"]), "-", "--artifact", "b.md", input="It is.").code == 0
    (reply,) = wait_for("a letter in the lane", lambda: in_lane(lane, "reviewer"))
    assert (reply["msg"], reply["ref"], reply["artifacts"]) == ("It is.", asked["id"], ["b.md"])
    assert list(reply)[:7] == ["id", "ts", "from", "to", "kind", "msg", "needs_reply"]

    lane_side.send(lane, from_role="builder", to_role="reviewer", kind="note", msg="thanks", ref=reply["id"])
    (thanks,) = arrived(reviewer)
    assert thanks["body"] == "thanks"
    assert reviewer.run("read", str(thanks["ref"]), "--json").json["body"] == "It is."


def test_what_was_written_to_the_lane_is_told_as_just_that(lane: Path, bridge: Any, seat: SeatAt) -> None:
    reviewer = seat("reviewer")
    running = bridge()
    n = reviewer.send("builder", "hello")
    wait_for("a letter in the lane", lambda: in_lane(lane, "reviewer"))
    wait_for("its receipt", lambda: "written to the lane" in reviewer.run("status", str(n)).out)

    assert [letter["body"] for letter in new(reviewer)] == []
    assert lane_side.cursor_of(lane, "builder") == {}  # nobody has read it there
    assert running.interrupt() == 130


def test_letters_between_roles_of_the_lane_and_between_seats_of_the_bag_stay_there(
    lane: Path, bridge: Any, seat: SeatAt
) -> None:
    reviewer, tester = seat("reviewer"), seat("tester")
    lane_side.send(lane, from_role="docs", to_role="builder", kind="note", msg="between roles")
    bridge()
    reviewer.send("tester", "between seats")
    lane_side.send(lane, from_role="docs", to_role="reviewer", kind="note", msg="across")

    assert [letter["body"] for letter in arrived(reviewer)] == ["across"]
    assert [letter["body"] for letter in new(tester)] == ["between seats"]
    assert sorted(file.name for file in (lane / "_sync").glob("*.jsonl")) == [
        "builder-to-docs.jsonl",
        "docs-to-builder.jsonl",
        "docs-to-reviewer.jsonl",
    ]
    assert [letter["msg"] for letter in lane_side.check(lane, role="builder")] == ["between roles"]


def test_the_person_is_reached_from_the_lane_and_reaches_it(lane: Path, bridge: Any, person: Person) -> None:
    lane_side.send(lane, from_role="builder", to_role="human", kind="question", msg="May I?")
    bridge()

    (letter,) = arrived(person)
    assert letter["body"] == "May I?"
    assert person.run("reply", str(letter["n"]), "You may.").code == 0
    (answer,) = wait_for("an answer", lambda: in_lane(lane, "human"))
    assert answer["msg"] == "You may."


def test_a_question_whose_sender_waits_is_answered_from_the_lane(lane: Path, bridge: Any, seat: SeatAt) -> None:
    reviewer = seat("reviewer")
    bridge()
    asking = reviewer.start("ask", "builder", "Which port?", "--wait", "40", "--json")
    (question,) = wait_for("the question", lambda: in_lane(lane, "reviewer"))
    assert question["needs_reply"] is True
    lane_side.send(lane, from_role="builder", to_role="reviewer", kind="note", msg="8080", ref=question["id"])

    assert asking.wait() == 0
    assert "8080" in asking.output.read_text()


def test_only_a_bag_that_is_named_is_bridged_and_a_second_bridge_is_refused(
    lane: Path, bridge: Any, seat: SeatAt, arrive: Callable[[type[Party]], Party]
) -> None:
    reviewer = seat("reviewer", "--bag", "parser")
    running = bridge("--bag", "parser")
    lane_side.send(lane, from_role="builder", to_role="reviewer", kind="note", msg="hello")
    assert [letter["bag"] for letter in arrived(reviewer)] == ["parser"]

    second = arrive(Party).run("lane", "bridge", str(lane), "--bag", "parser")
    assert (second.code, second.out) == (1, "")
    assert "already" in second.err
    running.kill()
    assert bridge("--bag", "parser").interrupt() == 130


def test_a_name_at_whose_seat_somebody_else_sits_is_the_bag_s(lane: Path, bridge: Any, seat: SeatAt) -> None:
    docs = seat("docs")
    running = bridge()

    assert [letter["body"] for letter in arrived(docs)] == ["not for the bag"]  # which makes it one for the bag
    assert docs.run("status").code == 0
    assert not any("role docs" in line for line in running.lines)


def test_a_seat_that_comes_later_gets_what_waits_in_the_lane(lane: Path, bridge: Any, seat: SeatAt) -> None:
    running = bridge()
    lane_side.send(lane, from_role="builder", to_role="late", kind="note", msg="early")
    assert not any("letter" in line for line in running.lines)
    late = seat("late")
    late.send("human", "I am here")  # which wakes whoever watches

    assert [letter["body"] for letter in arrived(late)] == ["early"]


def test_the_bridge_s_end_frees_the_seats_and_their_mail_waits(lane: Path, bridge: Any, seat: SeatAt) -> None:
    reviewer = seat("reviewer")
    running = bridge()
    assert running.interrupt() == 130
    reviewer.send("builder", "while nobody bridges")
    assert in_lane(lane, "reviewer") == []

    bridge()

    (letter,) = wait_for("a letter in the lane", lambda: in_lane(lane, "reviewer"))
    assert letter["msg"] == "while nobody bridges"


def test_no_line_of_the_lane_stops_the_bridge(lane: Path, bridge: Any, seat: SeatAt) -> None:
    reviewer = seat("reviewer")
    bridge()
    lines = [
        b"{torn",
        b"5",
        b"\xff\xfe",
        b'{"id": 7, "kind": ["a"], "msg": null, "artifacts": 5, "ref": {"a": 1}}',
        b'{"id": "one", "kind": "x", "msg": "first"}',
        b'{"id": "one", "kind": "x", "msg": "another of that id"}',
        b'{"id": "one", "kind": "x", "msg": "first"}',
        b'{"id": "\\u0000", "kind": "' + b"k" * 50 + b'", "msg": "nul \\u0000 \\ud800"}',
        b'{"id": "two", "msg": "' + b"x" * 400_000 + b'"}',
    ]
    file_of(lane).write_bytes(b"\n".join(lines) + b"\n")

    heard: list[str] = []

    def all_heard() -> bool:
        heard.extend(letter["body"] for letter in new(reviewer))
        return len(heard) >= 8

    wait_for("all of them", all_heard)
    assert [body.splitlines()[-1][:60] for body in heard] == [
        "{torn",
        "5",
        "\ufffd\ufffd",
        "(this letter has no text)",
        "first",
        "another of that id",
        "nul \u2400 ?",
        "(the rest is left out: the letter has 400000 bytes)",
    ]
    assert new(reviewer) == []
    assert lane_side.cursor_of(lane, "reviewer") == {"builder-to-reviewer.jsonl": 9}


def test_ids_that_a_writer_uses_again_and_lines_without_one_are_each_a_letter(
    lane: Path, bridge: Any, seat: SeatAt
) -> None:
    reviewer, tester = seat("reviewer"), seat("tester")
    bridge()
    put(lane, '{"id": "1", "msg": "to the reviewer"}\n', '{"msg": "without an id"}\n')
    put(lane, '{"id": "1", "msg": "to the tester"}\n', receiver="tester")
    assert [letter["body"] for letter in arrived(tester)] == ["to the tester"]
    heard: list[str] = []

    def has_heard(count: int) -> bool:
        heard.extend(one["body"] for one in new(reviewer))
        return len(heard) >= count

    wait_for("both", lambda: has_heard(2))
    fresh = lane / "fresh"
    fresh.write_text('{"id": "2", "msg": "in a new file"}\n{"msg": "another without an id"}\n')
    fresh.replace(file_of(lane))

    wait_for("four", lambda: has_heard(4))
    assert heard == ["to the reviewer", "without an id", "in a new file", "another without an id"]


def test_a_letter_beyond_a_budget_waits_in_the_lane_until_there_is_another(
    lane: Path, bridge: Any, seat: SeatAt, person: Person
) -> None:
    reviewer = seat("reviewer")
    running = bridge()
    assert person.run("budget", "open", "--limit", "1").code == 0
    for number in range(2):
        lane_side.send(lane, from_role="builder", to_role="reviewer", kind="note", msg=str(number))
    wait_for("a refusal that is told", lambda: any("budget" in line for line in running.lines))
    assert [letter["body"] for letter in new(reviewer)] == ["0"]
    assert lane_side.cursor_of(lane, "reviewer") == {"builder-to-reviewer.jsonl": 1}

    assert person.run("budget", "open", "--limit", "5").code == 0
    assert person.run("send", "reviewer", "go on").code == 0  # which wakes the bridge

    wait_for("the other", lambda: "1" in [letter["body"] for letter in new(reviewer)])


def test_inside_of_a_client_no_bridge_runs(lane: Path, claude: Any) -> None:
    claude.open("session")

    refused = claude.run("lane", "bridge", str(lane))

    assert (refused.code, refused.out) == (1, "")
    assert "client" in refused.err


def test_names_that_one_side_cannot_have_are_given_the_nearest_one(lane: Path, bridge: Any, seat: SeatAt) -> None:
    odd = seat("back-to-back")
    lane_side.send(lane, from_role="Lead QC", to_role="back_to_back", kind="note", msg="from a role in capitals")
    running = bridge()
    odd.send("lead-qc", "to it")

    (letter,) = wait_for("a letter", lambda: in_lane(lane, "back_to_back", "Lead QC"))
    assert letter["msg"] == "to it"
    assert any("Lead QC sits at seat lead-qc" in line for line in running.lines)


def test_roles_that_are_named_are_the_lane_s_whatever_was_there(
    lane: Path, arrive: Callable[[type[Party]], Party], seat: SeatAt
) -> None:
    reviewer = seat("reviewer")
    running = arrive(Party).start("lane", "bridge", str(lane), "--role", "overseer")
    wait_for("a seat", lambda: any("overseer sits" in line for line in running.lines))

    reviewer.send("overseer", "hello")

    (letter,) = wait_for("a letter", lambda: in_lane(lane, "reviewer", "overseer"))
    assert letter["msg"] == "hello"
    assert not any("builder" in line for line in running.lines)
