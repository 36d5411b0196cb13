"""The plugin's skills and commands: short, and every command that they show does what they say."""

from __future__ import annotations

import re
import shlex
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import mailstop
from tests.integration.conftest import SeatAt
from tests.party import ClaudeParty, CompletedRun, Party, Person
from tests.unit.cl100k import tokens

PLUGIN = Path(mailstop.plugin_folder())
SKILLS = sorted((PLUGIN / "skills").glob("*/SKILL.md"))
COMMANDS = sorted((PLUGIN / "commands").glob("*.md"))
SESSION = "01a227bc-e031-7b73-a9b7-49711dc7b705"
MOST_TOKENS = 500

_HEREDOC = re.compile(r"^ {4}(mailstop [^\n]*) <<'MAIL'\n(.*?)^ {4}MAIL$", re.MULTILINE | re.DOTALL)
_BLOCK = re.compile(r"^ {4}(mailstop [^\n<]*)$", re.MULTILINE)
_INLINE = re.compile(r"`(mailstop\s[^`]*)`")


def shown(page: Path) -> list[tuple[str, str]]:
    """Every command on the page, in order, each with what it is given on its standard input."""
    text = page.read_text()
    found = [(match.start(), match[1], match[2]) for match in _HEREDOC.finditer(text)]
    found += [(match.start(), match[1], "") for match in _BLOCK.finditer(text)]
    found += [(match.start(), " ".join(match[1].split()), "") for match in _INLINE.finditer(text)]
    return [(command, body) for _, command, body in sorted(found)]


@pytest.mark.parametrize("skill", SKILLS, ids=lambda path: path.parent.name)
def test_a_skill_is_short_and_named_after_its_folder(skill: Path) -> None:
    text = skill.read_text()

    assert tokens(text) < MOST_TOKENS
    assert re.match(rf"---\nname: {skill.parent.name}\ndescription: [^\n]+ Use when [^\n]+\n---\n", text)


@pytest.mark.parametrize("page", COMMANDS, ids=lambda path: path.stem)
def test_a_slash_command_says_what_it_does_and_asks_for_mailstop_alone(page: Path) -> None:
    front = page.read_text().split("---\n")[1]

    assert "description: " in front
    assert "allowed-tools: Bash(mailstop:*)\n" in front


def test_there_are_the_skills_and_commands_that_people_are_told_of() -> None:
    assert [skill.parent.name for skill in SKILLS] == ["mailstop", "mailstop-lane", "mailstop-lead"]
    assert [page.stem for page in COMMANDS] == ["mail", "send", "who"]


@pytest.fixture
def session(arrive: Callable[[type[ClaudeParty]], ClaudeParty]) -> ClaudeParty:
    """Give the session that reads the skills; nobody leads its project yet."""
    party = arrive(ClaudeParty)
    assert party.open(SESSION).code == 0
    return party


@pytest.fixture
def field(seat: SeatAt, arrive: Callable[[type[Person]], Person]) -> Iterator[dict[str, Party]]:
    """Give those to whom the pages write: sessions and the person, who answer every question."""
    yield {"reviewer": seat("reviewer"), "builder": seat("builder"), "human": arrive(Person)}


def run(session: Party, field: dict[str, Party], command: str, body: str, numbers: dict[str, int]) -> CompletedRun:
    """Run a command as shown; its numbers and places for words are those of this test."""
    words = shlex.split(command)[1:]
    words = [str(numbers.get(words[0], numbers["letter"])) if word == "142" else word for word in words]
    words = ["reviewer" if word == "SEAT" else word for word in words]
    if words[0] != "ask":
        return session.run(*words, input=body)
    one = field[words[1]]
    one.run("check")  # what came before; the question is then the only letter
    done: list[CompletedRun] = []
    asking = threading.Thread(target=lambda: done.append(session.run(*words, input=body or "Which one?")))
    asking.start()
    asked = one.run("check", "--wait", "30", "--json").json
    assert one.run("answer", str(asked["letters"][-1]["n"]), "yes").code == 0
    asking.join()
    return done[0]


@pytest.mark.parametrize("page", [*SKILLS, *COMMANDS], ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_command_on_a_page_does_what_it_says(page: Path, session: ClaudeParty, field: dict[str, Party]) -> None:
    mine = session.run("status", "--json").json["seats"][0]["seat"]
    numbers = {"letter": field["reviewer"].send(mine, "Does it survive an empty file?", "--needs-reply")}
    numbers["status"] = session.send("reviewer", "Please look.")
    numbers["task"] = session.run("task", "give", "builder", "Fix the parser", "--json").json["task"]["n"]
    commands = shown(page)
    assert len(commands) >= 1

    for command, body in commands:
        done = run(session, field, command, body, numbers)
        assert done.code == 0, f"{command}: {done.err}"


def test_no_command_on_a_page_is_overlooked() -> None:
    """Wherever a line shows mailstop with a verb, the test above has run it."""
    for page in (*SKILLS, *COMMANDS):
        text = page.read_text().split("---\n", 2)[2]
        assert len(re.findall(r"(?:`|^ {4})mailstop\s[a-z]", text, re.MULTILINE)) == len(shown(page)), page
