"""Plain command lines are read without argparse, and to the same values as argparse reads them."""

from __future__ import annotations

import importlib
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mailstop.cli import arguments
from mailstop.cli.arguments import EVERYWHERE, LETTER, NUMBER, SECONDS, Option, Parameter
from mailstop.cli.entry import VERBS
from mailstop.errors import UsageError
from tests.examples import up_to

VALUES = {
    NUMBER: st.sampled_from(["1", "142", "0", "-1", "007", "1.5", "x", "", " 3", "1_0", "²", str(1 << 62)]),
    SECONDS: st.sampled_from(["0", "1", "2.5", "1e1", "-1", "nan", "inf", "1_0", "", "x", "86401"]),
    LETTER: st.sampled_from(["142", "0", "-1", "postbag:142", "lane:1-a b", ":", "x", "", "-a:1", "²"]),
    "text": st.sampled_from(["reviewer", "-", "--", "", "a b", "-x", "--kind", "-1", "=", "a=b", "--bag=x", "ä"]),
}


def verbs_with_arguments() -> list[str]:
    """The verbs that take arguments of their own; hooks read no command line."""
    return [verb for verb in VERBS if verb != "hook"]


def parameters_of(verb: str) -> tuple[Parameter, ...]:
    module = importlib.import_module(f"mailstop.cli.{verb}")
    return (*module.PARAMETERS, *EVERYWHERE)


@st.composite
def command_lines(draw: st.DrawFn, parameters: Sequence[Parameter]) -> list[str]:
    """Words that a verb's own options and values are made of, in any order, some of them wrong."""
    words: list[str] = []
    for one in draw(st.lists(st.sampled_from(list(parameters)), max_size=5)):
        value = draw(VALUES[one.kind])
        if not isinstance(one, Option):
            words.append(value)
            continue
        name = draw(st.sampled_from(one.names))
        form = draw(st.sampled_from(["usual", "usual", "equals", "bare", "cut"]))
        if form == "equals" and value != "--":  # a value that argparse loses (Python 3.11)
            words.append(f"{name}={value}")
        elif form == "cut":
            words.append(name[:-1])
        elif form == "usual" and one.value:
            words += [name, value]
        else:
            words.append(name)
    return words


@pytest.mark.parametrize("verb", verbs_with_arguments())
@settings(max_examples=up_to(40), deadline=None)
@given(data=st.data())
def test_what_is_read_without_argparse_is_what_argparse_reads(verb: str, data: st.DataObject) -> None:
    parameters = parameters_of(verb)
    words = data.draw(command_lines(parameters))

    plain = arguments.read(parameters, words)

    if plain is not None:
        assert vars(plain) == vars(arguments.explain(verb, VERBS[verb], parameters, words))


@pytest.mark.parametrize("verb", verbs_with_arguments())
@settings(max_examples=up_to(40), deadline=None)
@given(data=st.data())
def test_argparse_reads_or_refuses_with_a_usage_error_and_nothing_else(verb: str, data: st.DataObject) -> None:
    parameters = parameters_of(verb)
    words = data.draw(command_lines(parameters))

    try:
        found = arguments.explain(verb, VERBS[verb], parameters, words)
    except UsageError as error:
        assert "\n" not in error.message
        return
    assert set(vars(found)) == {one.field for one in parameters}


@pytest.mark.parametrize(
    ("verb", "words"),
    [
        ("send", ["reviewer", "-"]),
        ("send", ["reviewer", "--body-file", "x", "--needs-reply", "--kind", "question"]),
        ("send", ["--to", "reviewer", "-", "--artifact", "a", "--artifact=b"]),
        ("reply", ["142", "-", "--all", "--json"]),
        ("check", ["--wait", "2.5", "--max-bytes", "100", "--from=builder"]),
        ("read", ["142"]),
        ("status", []),
    ],
)
def test_the_usual_command_lines_need_no_argparse(verb: str, words: list[str]) -> None:
    assert arguments.read(parameters_of(verb), words) is not None


def test_where_an_option_names_the_seat_the_word_is_the_body() -> None:
    found = arguments.read(parameters_of("send"), ["--to", "reviewer", "-"])

    assert found is not None
    assert (found.to, found.body) == ("reviewer", "-")


@pytest.mark.parametrize(
    "words", [["a", "B", "--body", "C"], ["--to", "a", "B", "--body", "C"], ["a", "B", "--to", "b"]]
)
def test_what_is_given_twice_is_refused(words: list[str]) -> None:
    assert arguments.read(parameters_of("send"), words) is None
    with pytest.raises(UsageError, match="given twice"):
        arguments.explain("send", VERBS["send"], parameters_of("send"), words)


@pytest.mark.parametrize("words", [["--help"], ["-h"], ["142", "--nope"], ["--last"], ["--last", "0"], ["1", "2"]])
def test_what_is_not_plain_is_left_to_argparse(words: list[str]) -> None:
    assert arguments.read(parameters_of("read"), words) is None
