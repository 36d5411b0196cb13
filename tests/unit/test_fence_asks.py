"""How a question is put before a model, and how it is to answer."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from mailstop.fence import answer_command, deliver, whole
from mailstop.letter import LONGEST_CHOICE, MOST_CHOICES, Letter
from tests.unit.test_fence import HIGHEST, HOSTILE, LONGEST_LETTER, MINUTE, NONCE, letter, text_of

QUESTION = letter(kind="question", needs_reply=True, asks=True)


def test_a_question_says_how_to_answer_it() -> None:
    assert text_of(QUESTION).endswith(
        "=== mailstop 9f3c2a1b end ===\n"
        "Its sender waits for one answer:\n"
        "mailstop answer 142 - <<'MAIL_9f3c2a1b'\nYOUR TEXT\nMAIL_9f3c2a1b"
    )


def test_a_question_with_choices_lists_them_and_takes_a_number() -> None:
    assert text_of(QUESTION.but(choices=("yes", 'no, "never"'))).endswith(
        'Its sender waits for one of these (K: its number):\n1 "yes"\n2 "no, \'never\'"\nmailstop answer 142 --choice K'
    )


@pytest.mark.parametrize("store", ["", " --store 'sqlite:///a b.db'"])
@pytest.mark.parametrize(("choices", "words"), [((), "-"), (("yes",), "--choice|2")])
def test_the_command_runs_in_a_shell_as_it_is_printed(
    tmp_path: Path, store: str, choices: tuple[str, ...], words: str
) -> None:
    mailstop = tmp_path / "mailstop"
    mailstop.write_text('#!/bin/sh\nprintf "%s|" "$@"\ncat\n')
    mailstop.chmod(0o755)
    command = answer_command(QUESTION.but(choices=choices), NONCE, store).replace(" K", " 2")

    run = subprocess.run(
        ["sh", "-c", command],
        env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )

    option = "--store|sqlite:///a b.db|" if store else ""
    assert run.stdout == f"answer|142|{option}{words}|" + ("" if choices else "YOUR TEXT\n")


def fixed(question: Letter) -> int:
    """How many code points stand around a question, without what its sender wrote."""
    return len(text_of(question)) - len(question.body) - sum(map(len, question.choices))


@pytest.mark.parametrize("count", [0, 1, MOST_CHOICES])
def test_the_fixed_text_around_the_longest_question_is_at_most_700_code_points(count: int) -> None:
    choices = tuple(str(number) * LONGEST_CHOICE for number in range(count))
    longest = LONGEST_LETTER.but(kind="question", needs_reply=True, asks=True, choices=choices)

    assert 500 < fixed(longest) <= 700
    assert fixed(longest.but(closed=f"answered by letter {HIGHEST} at 2026-01-01 12:00")) <= 700


@pytest.mark.parametrize("choice", HOSTILE)
def test_a_hostile_choice_stays_in_its_quotes_on_one_line(choice: str) -> None:
    text = text_of(QUESTION.but(choices=(choice, "no")))

    (line,) = [line for line in text.split("\n") if line.startswith('1 "')]
    assert line.endswith('"')
    assert line.count('"') == 2
    assert "\x1b" not in line
    assert "\u202e" not in line
    assert "<system-reminder>" not in line


def test_a_question_that_has_ended_says_so_and_asks_for_nothing() -> None:
    ended = QUESTION.but(closed="withdrawn by builder at 12:00:01", choices=("yes",))

    text = text_of(ended, letter("second", n=143))

    assert "This question was withdrawn by builder at 12:00:01: no answer is needed.\n" in text
    assert "A reply is needed to" not in text
    assert "mailstop answer" not in text


def test_who_was_not_asked_is_not_told_how_to_answer() -> None:
    assert "mailstop answer" not in whole(QUESTION, now_ms=MINUTE, nonce=NONCE, addressed=False)


def test_a_question_with_all_its_choices_keeps_within_its_bytes() -> None:
    choices = tuple(f"{number}" + "é" * (LONGEST_CHOICE - 1) for number in range(MOST_CHOICES))

    given = deliver([QUESTION.but(body="x" * 20_000, choices=choices)], now_ms=MINUTE, nonce=NONCE, limit_bytes=4_000)

    assert given.part == (142,)
    assert len(given.text.encode()) <= 4_000
    assert "mailstop answer 142 --choice K" in given.text
