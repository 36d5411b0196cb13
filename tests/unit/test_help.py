"""`mailstop help`: every topic can be read, and says what the code says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import mailstop
from mailstop import config, kinds, receipt
from mailstop.cli import help as verb
from mailstop.cli.arguments import Arguments
from mailstop.cli.entry import VERBS
from mailstop.cli.overview import EXIT_CODES
from mailstop.errors import UsageError
from mailstop.names import LONGEST

ROOT = Path(__file__).parents[2]
NAVIGATION = (ROOT / "mkdocs.yml").read_text().partition("\nnav:\n")[2]
RECEIPTS = (ROOT / "docs" / "receipts.md").read_text()


def told(topic: str | None) -> str:
    return verb.run(Arguments({"topic": topic})).text


def test_without_a_topic_all_verbs_and_topics_are_named() -> None:
    text = told(None)

    assert all(name in text for name in (*VERBS, *verb.topics()))


@pytest.mark.parametrize("topic", verb.topics())
def test_a_topic_fits_a_terminal_and_names_only_verbs_that_there_are(topic: str) -> None:
    text = told(topic)

    assert all(len(line) <= 78 for line in text.splitlines())
    named = {piece.split()[0].strip("`.,;:") for piece in text.split("mailstop ")[1:] if piece[0].islower()}
    assert named <= {*VERBS, "itself"}


@pytest.mark.parametrize("name", [name for name in VERBS if name != "help"])
def test_a_verb_is_explained_as_it_explains_itself(name: str) -> None:
    assert told(name).startswith(f"usage: mailstop {name}")


def test_an_unknown_topic_is_refused_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="nearest: states"):
        told("state")


def test_the_topics_say_what_the_code_says() -> None:
    assert all(state in told("states") for state in receipt.RANK if state != "shown in part")
    assert all(f"\n{line[:4]}" in f"\n{told('exit-codes')}" for line in EXIT_CODES.splitlines())
    quiet = [name for name, kind in kinds.KINDS.items() if not kind.wakes]
    assert all(name in told("waking") for name in quiet)
    assert str(LONGEST) in told("seats")
    assert config.STORE in told("environment")


@pytest.mark.parametrize("topic", verb.topics())
def test_a_topic_names_the_page_that_says_more(topic: str) -> None:
    _, found, title = told(topic).splitlines()[-1].partition("In the documentation: ")

    assert found
    assert re.search(rf"^ +- {re.escape(title.removesuffix('.'))}: [\w/-]+\.md$", NAVIGATION, re.MULTILINE)


def test_the_page_about_receipts_tells_of_each_state_and_of_no_other() -> None:
    table = RECEIPTS.partition("## The states")[2].partition("\n## ")[0]
    shown = {row.split("|")[1].strip() for row in table.splitlines() if row.startswith("| ")} - {"state", "---"}

    assert shown | set(re.findall(r"\*\*(\w+)\*\*", table)) == set(receipt.RANK)


def test_every_variable_that_a_user_may_set_is_told_of() -> None:
    text = told("environment")
    source = "\n".join(path.read_text() for path in Path(mailstop.__file__).parent.rglob("*.py"))
    names = {word.split('"')[0] for word in source.split('"MAILSTOP_')[1:]}
    own = {name for name in names if name.isupper() or "_" in name} - {"FAULT"}  # which only tests set

    assert own <= {word.removeprefix("MAILSTOP_") for word in text.split() if word.startswith("MAILSTOP_")}
