"""Runs: the commands whose JSON the reference shows, run by parties of their own in a home that is thrown away."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.party import MAILSTOP, SESSION, Party, Person

ROOT = Path(__file__).parents[1]
HOME = "/home/YOU"
BUILDER, REVIEWER, HUMAN = "builder", "reviewer", "human"

# Who types what. A word in braces is a value of an earlier answer, by the name behind its command.
STEPS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (BUILDER, "join NAME", ("join", "builder")),
    (BUILDER, "send", ("send", "reviewer", "Does the parser survive an empty file?", "--needs-reply")),
    (REVIEWER, "check", ("check",)),
    (REVIEWER, "reply N", ("reply", "{send.n}", "It survives one: see test_empty.")),
    (BUILDER, "status N", ("status", "{send.n}")),
    (BUILDER, "status", ("status",)),
    (BUILDER, "read", ("read", "--last", "2")),
    (BUILDER, "read N", ("read", "{send.n}")),
    (BUILDER, "say", ("say", "The build on main is green again.")),
    (BUILDER, "channels", ("channels",)),
    (BUILDER, "subscribe", ("subscribe", "releases")),
    (BUILDER, "unsubscribe", ("unsubscribe", "releases")),
    (BUILDER, "ask", ("ask", "reviewer", "Which name?", "--choice", "parse", "--choice", "read", "--wait", "0")),
    (REVIEWER, "asks", ("asks",)),
    (REVIEWER, "answer N", ("answer", "{ask.n}", "--choice", "1")),
    (BUILDER, "ask --resume N", ("ask", "--resume", "{ask.n}")),
    (BUILDER, "", ("ask", "reviewer", "And the other?", "--wait", "0")),
    (BUILDER, "cancel N", ("cancel", "{last.n}")),
    (BUILDER, "me", ("me", "--objective", "the parser survives empty files", "--status", "blocked")),
    (BUILDER, "who", ("who",)),
    (BUILDER, "lead", ("lead",)),
    (BUILDER, "lead claim", ("lead", "claim")),
    (BUILDER, "task give", ("task", "give", "reviewer", "Fix the parser", "It loses the last line.")),
    (REVIEWER, "task accept N", ("task", "accept", "{task give.task.n}")),
    (BUILDER, "task list", ("task", "list")),
    (BUILDER, "task show N", ("task", "show", "{task give.task.n}")),
    (BUILDER, "", ("task", "give", "--pool", "Update the changelog")),
    (REVIEWER, "task take", ("task", "take")),
    (BUILDER, "lease take", ("lease", "take", "src/parser.py", "--note", "new grammar")),
    (BUILDER, "lease list", ("lease", "list")),
    (REVIEWER, "lease check", ("lease", "check", "src/parser.py")),
    (BUILDER, "lease renew", ("lease", "renew", "--all")),
    (BUILDER, "lease release", ("lease", "release", "--all")),
    (BUILDER, "lead release", ("lead", "release")),
    (HUMAN, "budget open", ("budget", "open")),
    (BUILDER, "budget", ("budget",)),
    (BUILDER, "bags", ("bags",)),
    (BUILDER, "bags --resume", ("bags", "--resume")),
    (HUMAN, "budget close", ("budget", "close")),
    (BUILDER, "limits", ("limits",)),
    (BUILDER, "kinds", ("kinds",)),
    (HUMAN, "token create", ("token", "create", "builder")),
    (HUMAN, "token list", ("token", "list")),
    (HUMAN, "token revoke ID", ("token", "revoke", "{token create.id}")),
    (HUMAN, "lane send", ("lane", "send", "work/lane", "--from", "lead", "--to", "worker", "Is main green?")),
    (HUMAN, "lane doctor", ("lane", "doctor", "work/lane")),
    (HUMAN, "lane check", ("lane", "check", "work/lane", "--role", "worker")),
    (HUMAN, "export", ("export", "--output", "mail.jsonl")),
    (HUMAN, "import lane", ("import", "lane", "work/lane")),
    (BUILDER, "doctor", ("doctor",)),
    (HUMAN, "setup", ("setup",)),
    (HUMAN, "setup mcp", ("setup", "mcp", "--client", "cursor", "--yes")),
    (HUMAN, "setup --remove", ("setup", "--remove", "--yes")),
    (BUILDER, "serve --status", ("serve", "--status")),
    (BUILDER, "version", ("version",)),
    (BUILDER, "help TOPIC", ("help", "exit-codes")),
    (BUILDER, "leave", ("leave",)),
)
# Verbs that print no such value of their own.
WITHOUT = {
    "watch": "a line for each letter, an object as in `check`",
    "demo": "`seconds` and the numbers of the letters that it wrote; with `--clients` also which clients took part",
    "completion": "the script, or the candidates",
    "mcp": "nothing: it speaks MCP",
    "hook": "what its client asks for",
}


@dataclass(frozen=True)
class Ran:
    """A command that was run. title: what the page calls it."""

    title: str
    words: tuple[str, ...]
    code: int
    value: Any


def ran() -> list[Ran]:
    """What each command printed."""
    with tempfile.TemporaryDirectory(prefix="mailstop-reference-") as folder, ExitStack() as stack:
        home = Path(folder).resolve() / "home"
        project = home / "app"
        (project / "src").mkdir(parents=True, mode=0o700)
        home.chmod(0o700)
        (project / "src/parser.py").touch()
        subprocess.run(["git", "init", "--quiet", "--initial-branch=work", project], check=True)
        parties: dict[str, Party] = {name: stack.enter_context(Party(home)) for name in (BUILDER, REVIEWER)}
        for name, party in parties.items():
            line = party.run("join", name, "--export", cwd=project).out.strip()
            party.environment[SESSION] = line.partition("=")[2]
        parties[HUMAN] = stack.enter_context(Person(home))
        for party in parties.values():  # without the clients that are installed here
            party.environment["PATH"] = f"{Path(MAILSTOP).parent}:/usr/bin:/bin"
        places = {str(home): HOME, str(Path(MAILSTOP).parent): f"{HOME}/.local/bin", str(ROOT): f"{HOME}/mailstop"}
        return list(_played(parties, project, places))


def _played(parties: Mapping[str, Party], project: Path, places: Mapping[str, str]) -> Iterator[Ran]:
    """places: folders of this machine, and what the page calls them."""
    values: dict[str, Any] = {}
    for who, title, words in STEPS:
        typed = tuple(re.sub(r"\{(.+?)\}", lambda place: _value(values, place[1]), word) for word in words)
        run = parties[who].run(*typed, "--json", cwd=project)
        if not run.raw:
            raise RuntimeError(f"mailstop {' '.join(typed)} printed no JSON: {run.err}")
        values["last"] = values[title] = run.json
        if title:
            shown = run.out
            for place, name in places.items():
                shown = shown.replace(place, name)
            yield Ran(title, typed, run.code, json.loads(shown))


def _value(values: dict[str, Any], place: str) -> str:
    title, *keys = place.split(".")
    value = values[title]
    for key in keys:
        value = value[key]
    return str(value)
