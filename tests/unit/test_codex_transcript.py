"""What Codex's transcript proves: a text is shown by an answer whose request had come as far as that text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mailstop.clients.codex_transcript import TAIL_BYTES, in_request, output_mark

LETTER = "=== mailstop 1a2b3c4d begin ==="


class Transcript:
    """A transcript, written as Codex 0.171.0 writes one: each item numbered, the model's with what it has seen."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._items = 0
        self._sampled = 0

    def item(self, kind: str, **payload: object) -> None:
        self._items += 1
        metadata = {"history_sequence": self._items, "sampled_through_sequence": self._sampled}
        self.line(type="response_item", payload={"type": kind, **payload}, metadata=metadata)

    def line(self, **value: object) -> None:
        with self.path.open("a") as file:
            stamped = {"timestamp": "2026-11-29T15:11:06.309Z", "ordinal": 9, **value}
            file.write(json.dumps(stamped, separators=(",", ":")) + "\n")

    def request(self) -> None:
        """The model is sent all there is."""
        self._sampled = self._items

    def call(self, call: str) -> None:
        self.item("function_call", name="exec_command", arguments='{"cmd":"x"}', call_id=call)

    def result(self, call: str, text: str = "") -> None:
        self.item("function_call_output", call_id=call, output=text)

    def hook(self, text: str) -> None:
        self.item("message", role="developer", content=[{"type": "input_text", "text": text}])

    def says(self, text: str) -> None:
        self.item("message", role="assistant", content=[{"type": "output_text", "text": text}])

    def shows(self, mark: str = LETTER, call: str = "") -> bool:
        return in_request(str(self.path), {"hand": mark}, call) == {"hand"}


@pytest.fixture
def transcript(tmp_path: Path) -> Transcript:
    transcript = Transcript(tmp_path / "rollout.jsonl")
    transcript.hook("the first prompt")
    transcript.request()
    return transcript


def test_a_tool_call_of_the_next_answer_shows_what_the_answer_before_was_given(transcript: Transcript) -> None:
    transcript.call("a")
    transcript.hook(LETTER)
    transcript.result("a")
    transcript.request()
    transcript.call("b")

    assert transcript.shows(call="b")


def test_a_tool_call_of_the_same_answer_shows_nothing(transcript: Transcript) -> None:
    transcript.call("a")
    transcript.call("b")
    transcript.hook(LETTER)
    transcript.result("a")

    assert not transcript.shows(call="a")
    assert not transcript.shows(call="b")


def test_a_call_that_is_written_down_late_counts_by_what_its_answer_had_seen(transcript: Transcript) -> None:
    transcript.call("a")
    transcript.hook(LETTER)
    transcript.call("b")  # of the same answer, still streaming

    assert not transcript.shows(call="b")


def test_the_models_last_words_show_what_it_was_given_before_them(transcript: Transcript) -> None:
    transcript.call("a")
    transcript.hook(LETTER)
    transcript.result("a")
    assert not transcript.shows()

    transcript.request()
    transcript.says("done")

    assert transcript.shows()


def test_what_a_command_printed_is_shown_once_its_result_was_sent(transcript: Transcript) -> None:
    transcript.call("a")
    transcript.result("a", f"Output:\n{LETTER}\nhi\n")
    assert not transcript.shows()
    assert not transcript.shows(output_mark("a"))

    transcript.request()
    transcript.says("done")

    assert transcript.shows()
    assert transcript.shows(output_mark("a"))


def test_a_result_that_does_not_hold_the_letters_shows_nothing(transcript: Transcript) -> None:
    transcript.call("a")
    transcript.result("a", "still running")
    transcript.request()
    transcript.says("done")

    assert not transcript.shows()


def test_a_call_alone_is_no_result(transcript: Transcript) -> None:
    transcript.request()
    transcript.call("a")

    assert not transcript.shows(output_mark("a"))


def test_what_the_model_itself_says_shows_nothing(transcript: Transcript) -> None:
    transcript.says(LETTER)
    transcript.request()
    transcript.says("done")

    assert not transcript.shows()


def test_a_call_that_is_not_written_down_yet_shows_nothing(transcript: Transcript) -> None:
    transcript.hook(LETTER)
    transcript.request()
    transcript.call("a")

    assert not transcript.shows(call="b")


def test_lines_that_are_no_items_are_passed_over(transcript: Transcript) -> None:
    transcript.line(type="event_msg", payload={"type": "agent_message", "message": LETTER})
    transcript.request()
    transcript.says("done")

    assert not transcript.shows()


def test_an_item_without_numbers_shows_nothing(transcript: Transcript) -> None:
    transcript.hook(LETTER)
    transcript.line(type="response_item", payload={"type": "message", "role": "assistant"})

    assert not transcript.shows()


def test_a_line_that_is_still_being_written_counts_as_not_there(transcript: Transcript) -> None:
    transcript.hook(LETTER)
    transcript.request()
    transcript.says("done")
    text = transcript.path.read_bytes()
    transcript.path.write_bytes(text[:-5])

    assert not transcript.shows()


def test_what_lies_far_back_counts_as_not_there(transcript: Transcript) -> None:
    transcript.hook(LETTER)
    transcript.result("a", "x" * TAIL_BYTES)
    transcript.request()
    transcript.says("done")

    assert not transcript.shows()


@pytest.mark.parametrize("path", ["", "/nonexistent/rollout.jsonl", "/dev", "a\0b"])
def test_without_a_transcript_nothing_is_shown(path: str) -> None:
    assert in_request(path, {"hand": LETTER}) == frozenset()


def test_an_empty_mark_shows_nothing(transcript: Transcript) -> None:
    transcript.says("done")
    assert not transcript.shows(mark="")
