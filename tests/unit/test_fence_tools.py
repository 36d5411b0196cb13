"""Letters for who has tools: the same fence, calls instead of commands, and whatever the caller says fits."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mailstop.cleaning import clean
from mailstop.fence import Delivery
from mailstop.fence_tools import deliver, nothing_fits, part_of, waiting
from mailstop.json_text import dumps
from mailstop.letter import About, Letter

NONCE = "0123abcd"
NOW = 1_000_000_000


def letter(n: int, body: str = "please look", **fields: object) -> Letter:
    return Letter(n, f"id-{n}", NOW, "default", "peer", ("builder",), "note", body).but(**fields)


def size(text: str) -> int:
    """What a text takes within JSON."""
    return len(dumps(text).encode("utf-8", "backslashreplace"))


def delivered(letters: list[Letter], limit: int, more: int = 0) -> Delivery:
    return deliver(letters, now_ms=NOW, nonce=NONCE, more=more, fits=lambda found: size(found.text) <= limit)


def test_letters_that_fit_are_given_whole_oldest_first() -> None:
    found = delivered([letter(1), letter(2, "and this")], 8_000)
    assert (found.whole, found.part, found.left) == ((1, 2), (), 0)
    assert found.text.index("please look") < found.text.index("and this")


def test_what_does_not_fit_is_counted_and_the_next_call_named() -> None:
    found = delivered([letter(n, "x" * 300) for n in range(1, 9)], 2_500, more=4)
    assert found.whole and not found.part
    assert found.left == 12 - len(found.whole)
    assert found.text.endswith(f"{found.left} more letters wait: call check again")


def test_only_the_oldest_is_cut_and_says_how_to_get_the_rest() -> None:
    found = delivered([letter(7, "x\n" * 9_000), letter(8)], 2_000)
    assert (found.whole, found.part, found.left) == ((), (7,), 1)
    assert "more bytes of this letter are left out: read with number 7" in found.text


def test_where_nothing_fits_nothing_is_given() -> None:
    found = delivered([letter(7)], 100)
    assert found == Delivery("", (), (), 1)
    assert "read shows one by its number" in nothing_fits(1)


def test_no_letter_no_text() -> None:
    assert delivered([], 8_000) == Delivery("", (), (), 0)


def test_how_to_answer_is_said_as_a_call() -> None:
    assert "A reply is needed: send with ref 3" in delivered([letter(3, needs_reply=True)], 8_000).text
    task = delivered([letter(3, kind="build-task")], 8_000).text
    assert "A reply is needed: send with ref 3 and, when done, kind build-delivered" in task
    assert "No reply is needed. If one helps: send with ref 3" in delivered([letter(3)], 8_000).text
    final = delivered([letter(3, final=True, needs_reply=True)], 8_000).text
    assert "This letter is final: send no reply" in final
    assert "ref 3" not in final


def test_a_question_a_task_and_the_end_of_a_budget_say_so_too() -> None:
    question = letter(3, kind="question", needs_reply=True, asks=True)
    assert "Its sender waits for one answer: answer with number 3" in delivered([question], 8_000).text
    choice = delivered([question.but(choices=("yes", "no"))], 8_000).text
    assert 'Its sender waits for one of these: answer with number 3 and a choice\n1 "yes"\n2 "no"' in choice
    closed = delivered([question.but(closed="answered")], 8_000).text
    assert "This question was answered: no answer is needed." in closed
    said = delivered([letter(3, channel="general", needs_reply=True)], 8_000).text
    assert "Asked of all; one goes to its author: send with ref 3" in said
    last = delivered([letter(3, budget=(1, 5, 5))], 8_000).text
    assert "The last letter of this bag's budget: send no reply" in last
    assert "ref 3" not in last


def test_a_letter_about_a_task_names_the_tool_and_no_command() -> None:
    brings = letter(3, kind="task", task=About("task-id", "give", "builder", 41))
    text = delivered([brings], 8_000).text
    assert "To take it on: task with action accept and number 41" in text
    assert "When done: action complete, with a body" in text
    of_two = delivered([brings.but(to=("builder", "other"))], 8_000).text
    assert "Seat builder: task with action accept and number 41" in of_two
    tells = delivered([letter(3, kind="task", task=About("task-id", "complete", "builder", 41))], 8_000).text
    assert 'Kind "task": About a task; its state and history: task with action show.' in tells
    for shown in (text, of_two, tells):
        assert "mailstop task" not in shown


def test_one_letter_waits_and_two_wait() -> None:
    assert waiting(1) == "1 letter waits: call check"
    assert waiting(2) == "2 letters wait: call check"


@given(st.lists(st.text(max_size=400), min_size=1, max_size=6), st.integers(600, 4_000))
def test_what_is_given_fits_and_every_letter_is_given_or_counted(bodies: list[str], limit: int) -> None:
    letters = [letter(n, body) for n, body in enumerate(bodies, 1)]
    found = delivered(letters, limit)
    assert not found.text or size(found.text) <= limit
    given_numbers = (*found.whole, *found.part)
    assert given_numbers == tuple(range(1, len(given_numbers) + 1))
    assert found.left == len(letters) - len(given_numbers)
    for n in found.whole:
        assert clean(bodies[n - 1]) in found.text


@given(st.text(min_size=1, max_size=6_000), st.integers(700, 3_000))
def test_the_parts_of_a_letter_follow_on_each_other_to_its_end(body: str, limit: int) -> None:
    offset, parts = 0, 0
    while True:
        text, following = part_of(
            letter(1, body),
            offset,
            now_ms=NOW,
            nonce=NONCE,
            addressed=True,
            fits=lambda text, _following: size(text) <= limit,
        )
        parts += 1
        end = len(body) if following is None else following
        assert end > offset
        assert clean(body[offset:end]) in text
        assert size(text) <= limit or end == offset + 1
        if following is None:
            break
        assert f"read with number 1 and offset {following}" in text
        assert "ref 1" not in text  # who has not read it all need not answer yet
        offset = following
    assert "ref 1" in text


def test_of_a_task_that_went_elsewhere_no_call_is_told() -> None:
    brought = letter(3, kind="task", needs_reply=True, task=About("id", "give", "builder", 3))
    assert "task with action accept and number 3" in delivered([brought], 8_000).text

    gone = delivered([brought.but(closed="it is with seat docs since noon")], 8_000).text

    assert "Task 3 is not for seat builder to do any more: it is with seat docs since noon. Do not begin it." in gone
    assert "action accept" not in gone
