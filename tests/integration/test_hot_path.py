"""What `check`, `send` and `hook` may import: each of these modules costs as much as a whole check may take."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mailstop.mcp import tools
from tests.party import ClaudeParty, CompletedRun, Party

TOO_DEAR = frozenset(
    (
        *("argparse", "asyncio", "dataclasses", "datetime", "enum", "hashlib", "importlib.metadata", "inspect", "json"),
        *(
            "logging",
            "pathlib",
            "random",
            "re",
            "shutil",
            "socket",
            "sqlite3",
            "subprocess",
            "tempfile",
            "typing",
            "uuid",
        ),
    )
)
SESSION = "01a227bc-e031-7b73-a9b7-49711dc7b705"

# Run a command in this process, then tell which modules are there, and where the package's own do not lie.
RUN = """
import os, sys
words = sys.argv[1:]
code = 0
if words:
    from mailstop.cli.entry import main
    code = main(words)
own = os.path.dirname(sys.modules["mailstop"].__file__) if words else ""
library = os.path.dirname(os.__file__)
lines = []
for name, module in sys.modules.items():
    file = getattr(module, "__file__", None) or library
    is_ours = own and file.startswith(own + os.sep)
    is_standard = file.startswith(library + os.sep) and "site-packages" not in file or file == library
    lines.append(f"{name} {'ours' if is_ours else 'standard' if is_standard else 'foreign'}")
os.write(2, "\\n".join(lines).encode())
sys.stdout.flush()
os._exit(code)
"""


@pytest.fixture
def builder(own_home: Path) -> Iterator[Party]:
    with Party(own_home) as party:
        party.join("builder")
        yield party


@pytest.fixture
def reviewer(own_home: Path) -> Iterator[Party]:
    with Party(own_home) as party:
        party.join("reviewer")
        yield party


def imported(party: Party, *words: str, input: str = "") -> tuple[CompletedRun, dict[str, str]]:
    """The run, and the modules it imported that an empty program has not, each with whose it is."""
    bare = _modules(party.call([sys.executable, "-c", RUN]))  # an editable install's .pth may import something
    run = party.call([sys.executable, "-c", RUN, *words], input=input)
    return run, {name: whose for name, whose in _modules(run).items() if name not in bare}


def _modules(run: CompletedRun) -> dict[str, str]:
    return dict(line.split() for line in run.err.splitlines())


def assert_lean(modules: dict[str, str]) -> None:
    assert "mailstop.office" in modules, "this took another path"
    assert TOO_DEAR.intersection(modules) == set()
    assert [name for name, whose in modules.items() if whose == "foreign"] == []


def test_a_check_that_finds_nothing_is_lean(builder: Party) -> None:
    run, modules = imported(builder, "check")

    assert (run.code, run.out) == (0, "no new letters\n")
    assert_lean(modules)


@pytest.mark.parametrize("options", [[], ["--json"], ["--peek"], ["--max-bytes", "500"]])
def test_a_check_that_finds_a_letter_is_lean(builder: Party, reviewer: Party, options: list[str]) -> None:
    builder.send("reviewer", "please look\n" * 100)

    run, modules = imported(reviewer, "check", *options)

    assert "please look" in run.out
    assert_lean(modules)


@pytest.mark.parametrize("options", [[], ["--json"], ["--kind", "question", "--key", "k", "--artifact", "x"]])
def test_a_send_is_lean(builder: Party, reviewer: Party, options: list[str]) -> None:
    run, modules = imported(builder, "send", "reviewer", "-", *options, input="please look")

    assert run.code == 0
    assert_lean(modules)


def test_a_reply_is_lean(builder: Party, reviewer: Party) -> None:
    n = builder.send("reviewer", "please look")

    run, modules = imported(reviewer, "reply", str(n), "-", input="fine")

    assert run.code == 0
    assert_lean(modules)


@pytest.fixture
def claude(own_home: Path) -> Iterator[ClaudeParty]:
    with ClaudeParty(own_home) as party:
        assert party.open(SESSION).code == 0
        assert party.run("join", "reviewer").code == 0
        yield party


def test_every_hook_of_a_session_is_lean(builder: Party, claude: ClaudeParty) -> None:
    showed: list[str] = []
    for name in (
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "PostToolBatch",
        "Stop",
        "SessionEnd",
    ):
        builder.send("reviewer", f"before {name}")
        event = {"hook_event_name": name, "session_id": SESSION, "prompt": "go", "prompt_id": "p", "source": "resume"}

        run, modules = imported(claude, "hook", input=json.dumps({**event, "cwd": str(claude.home)}))

        assert run.code == 0
        assert not (claude.home / ".local/state/mailstop/log").exists(), "the hook failed"
        assert_lean(modules)
        if "before " in run.out:
            showed.append(name)
    assert {"UserPromptSubmit", "Stop"} <= set(showed)


def test_a_hook_that_finds_nothing_is_lean(claude: ClaudeParty) -> None:
    event = {"hook_event_name": "PreToolUse", "session_id": SESSION, "cwd": str(claude.home), "prompt_id": "p"}

    run, modules = imported(claude, "hook", input=json.dumps(event))

    assert (run.code, run.out) == (0, "")
    assert_lean(modules)


def test_the_tools_of_a_session_are_lean_and_their_start_leaner(builder: Party, reviewer: Party) -> None:
    reviewer.send("builder", "please look")
    asked = reviewer.run("ask", "builder", "--wait", "0", "--json", "Well?").json["n"]
    agreed = {"protocolVersion": "x", "capabilities": {}, "clientInfo": {"name": "x"}}
    calls: list[dict[str, Any]] = [{"name": name} for name in ("me", "who", "check", "read")]
    calls.append({"name": "send", "arguments": {"to": "reviewer", "body": "x"}})
    calls.append({"name": "send", "arguments": {"to": "#general", "body": "x"}})
    calls.append({"name": "ask", "arguments": {"to": "reviewer", "body": "x", "wait": 1}})
    calls.append({"name": "answer", "arguments": {"number": asked, "body": "x"}})
    calls.append({"name": "task", "arguments": {"action": "give", "to": "reviewer", "title": "x"}})
    calls.append({"name": "lead", "arguments": {"action": "claim"}})
    calls.append({"name": "lease", "arguments": {"action": "take", "resources": ["name:x"], "wait": 1}})
    requests: list[tuple[str, Any]] = [("initialize", agreed), ("tools/list", {})]
    requests += [("tools/call", call) for call in calls]
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        for number, (method, params) in enumerate(requests)
    ]

    run, modules = imported(builder, "mcp", input=lines[0])
    assert json.loads(run.out)["result"]["serverInfo"]["name"] == "mailstop"
    assert TOO_DEAR.intersection(modules) == set()
    assert not {"mailstop.office", "mailstop.mcp.tools", "_sqlite3"}.intersection(modules)

    run, modules = imported(builder, "mcp", input="\n".join(lines))
    answers = {answer["id"]: answer["result"] for answer in map(json.loads, run.out.splitlines())}
    assert [answers[number].get("isError") for number in sorted(answers)] == [None, None, *[False] * len(calls)]
    assert {call["name"] for call in calls} == set(tools.NAMES)
    assert "please look" in run.out
    assert_lean(modules)
    assert "mailstop.mcp.refusals" not in modules, "only a refusal needs it"
