"""Every command that the README, the documentation and the plugin's skills show does what its page says.

Pages are read, not listed: a new command is run in its page's world (tests/docs_worlds.py), and a page that has none
fails.
"""

from __future__ import annotations

import ast
import os
import re
import shlex
from itertools import pairwise
from pathlib import Path

import pytest

from mailstop.cli.arguments import EVERYWHERE, NUMBER, SECONDS, Option, explain, read
from mailstop.cli.entry import ALIASES, VERBS, split
from mailstop.cli.help import topics
from mailstop.errors import UsageError
from tests.docs_worlds import ELSEWHERE, PAGES, Case, Elsewhere
from tests.field import Field, is_there
from tests.shown_commands import ROOT, Command, blocks, name_of, pages, shown, spans

SAID = [page for page in pages() if spans(page)]
LANGUAGES = {"sh", "console", "text", "json", "toml", "python", "mermaid"}


def elsewhere(command: Command) -> Elsewhere | None:
    """What runs a command that cannot be run here."""
    return next((one for start, one in ELSEWHERE.items() if command.text.startswith(start)), None)


def commands(page: Path, *, here: bool = True) -> list[Command]:
    """What a page shows to type. here: only what can be run here."""
    found = [command for block in shown(page) for command in block.commands]
    return [command for command in found if not (here and elsewhere(command))]


def case_of(command: Command) -> Case:
    """What a command needs; nothing special where no case fits."""
    cases = PAGES[name_of(command.block.page)].cases
    return next((case for case in cases if command.text.startswith(case.start)), Case())


SHOWING = [page for page in pages() if commands(page)]


@pytest.mark.parametrize("page", SHOWING, ids=name_of)
def test_every_command_that_a_page_shows_does_what_it_says(page: Path, tmp_path: Path) -> None:
    places = [command.block.place for command in commands(page)]
    assert name_of(page) in PAGES, f"tests/docs_worlds.py has no world for {places}"
    wrong: list[str] = []
    wanting: list[str] = []

    with Field(tmp_path / "user", PAGES[name_of(page)]) as field:
        for command in commands(page):
            case = case_of(command)
            if case.needs and not is_there(case.needs) and not os.environ.get("CI"):
                wanting.append(f"{command.block.place} needs {case.needs}")
            else:
                wrong += complaints(field, command, case)

    assert not wrong, "\n".join(wrong)
    if wanting:
        pytest.skip(f"all but: {', '.join(wanting)}")


def complaints(field: Field, command: Command, case: Case) -> list[str]:
    """Run a command, and say in what it is not as its page says."""
    where = f"{command.block.place}: {command.text}"
    try:
        done = field.type(command, case)
    except (AssertionError, TimeoutError) as error:
        return [f"{where}\n    {error}"]
    wrong = []
    if done.code != case.code:
        wrong.append(f"{where}\n    ended with {done.code}, not {case.code}: {done.out}{done.err}")
    elif command.printed and not field.printed(command.printed, case).search(said := done.out + done.err):
        wrong.append(f"{where}\n    printed {said!r}")
    if case.then:
        who, what, text = case.then
        after = field.run(who, what)
        if after.code or text not in after.out:
            wrong.append(f"{where}\n    and then {what}: {after.out}{after.err}")
    return wrong


def test_every_block_of_a_page_says_what_it_is() -> None:
    """Else a command could stand in one that nobody runs."""
    assert [block.place for page in pages() for block in blocks(page) if block.language not in LANGUAGES] == []


def test_no_world_is_for_a_page_that_shows_nothing() -> None:
    assert sorted(PAGES) == sorted(name_of(page) for page in SHOWING)


def test_every_case_is_of_a_command_that_its_page_shows() -> None:
    for page in SHOWING:
        used = [case_of(command) for command in commands(page)]
        assert [case.start for case in PAGES[name_of(page)].cases if case not in used] == []


@pytest.mark.parametrize("start", ELSEWHERE)
def test_what_cannot_be_run_here_is_on_a_page_and_is_run_by_what_is_named(start: str) -> None:
    file, what = ELSEWHERE[start].run_by
    text = (ROOT / file).read_text()

    assert any(command.text.startswith(start) for page in pages() for command in commands(page, here=False))
    if file.endswith(".py"):
        assert what in [node.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    else:
        assert [line for line in text.splitlines() if what in line and not line.lstrip().startswith("#")]


@pytest.mark.parametrize("page", SAID, ids=name_of)
def test_every_command_within_a_sentence_is_one(page: Path) -> None:
    assert [complaint for span in spans(page) if (complaint := misread(span))] == []


def misread(span: str) -> str:
    """Why mailstop would not take a command, words in capitals being somebody's own; empty where it would.

    What is missing is not complained of: `mailstop task give` is spoken of without what is given.
    """
    words = shlex.split(re.split(r" (?:\|\|?|&&|<<?|>) ?|\"\$\(| …", span)[0])
    words = words[words.index("mailstop") + 1 :]
    leading, verb, rest = split(words)
    if verb in (None, "VERB", "-h", "--help"):
        return ""
    name = ALIASES.get(verb or "", verb or "")
    if name not in VERBS:
        return f"{span}: there is no verb {verb}"
    if name == "hook" or rest == ["--help"]:
        return ""
    module = __import__(f"mailstop.cli.{name}", fromlist=["_"])
    unused = getattr(module, "UNUSED", ())
    parameters = (*module.PARAMETERS, *(one for one in EVERYWHERE if one.names[0] not in unused))
    given = [*leading, *(_filled(word, before, parameters) for before, word in pairwise([name, *rest]))]
    try:
        args = read(parameters, given) or explain(name, "", parameters, given)
    except UsageError as error:
        missing = "arguments are required" in error.message
        return "" if missing else f"{span}: {error.message}"
    if name == "help" and args.topic not in (None, "TOPIC", *VERBS, *topics()):
        return f"{span}: no topic is called {args.topic}"
    acts = getattr(module, "ACTS", ())
    act = getattr(args, "act", None) if acts else None
    return f"{span}: {name} has no act {act}" if act and act not in acts else ""


def _filled(word: str, before: str, parameters: tuple[object, ...]) -> str:
    """A word as it could be typed: a number for a placeholder where one is wanted."""
    if not word.isupper():
        return word
    options = {name: one for one in parameters if isinstance(one, Option) for name in one.names}
    option = options.get(before)
    if option is not None:
        return "1" if option.kind in (NUMBER, SECONDS) else word
    return "1" if word == "N" else word


@pytest.mark.parametrize(
    ("span", "complaint"),
    [
        ("mailstop sent api", "no verb sent"),
        ("mailstop send api --urgent -", "--urgent"),
        ("mailstop task giv api", "no act giv"),
        ("mailstop limits --hops many", "many"),
        ("mailstop help colours", "no topic"),
    ],
)
def test_a_command_within_a_sentence_that_is_none_is_found(span: str, complaint: str) -> None:
    assert complaint in misread(span)
