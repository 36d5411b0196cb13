"""Docs worlds: for each page with commands, who types them and what has to be there.

Each page has a world of its own (tests/field.py): a home with a repository `~/app`, sessions of Claude Code that sit at
its seats, and the person. What is said here is only what a command needs beyond that. A page that is missing here fails
its test, and so does a command that cannot be run in its page's world.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

PERSON = "the person"
SCRIPT = "a script"  # a program without a session
PROGRAM = " as a program"  # behind a seat: a program that has joined


@dataclass(frozen=True)
class Case:
    """What one command needs. The first case of a page whose `start` the command begins with counts.

    by: who types it, if it is not the page's: a seat, `SEAT in FOLDER` for a session that starts in ~/FOLDER and takes
        the seat its folder gives it, a seat and PROGRAM, PERSON or SCRIPT.
    before: who runs which command first, in its order; such a command has to succeed.
    serving: a server runs.
    instead: words of the page, and what stands for them here: a name of NUMBERS, or the word itself.
    printed_instead: the same for what the page says that is printed.
    environment: variables it is given beside the usual ones.
    answers: who answers the question that it asks.
    types: what is typed when it asks at the terminal, by the end of what it asks with.
    code: its exit code.
    until: what it prints when it has started; it does not end by itself, and is then ended by Ctrl-C.
    then: who runs which command afterwards, and what has to be in its output.
    needs: a program that the system may not have. In CI it has to be there.
    """

    start: str = ""
    by: str = ""
    before: tuple[tuple[str, str], ...] = ()
    serving: bool = False
    instead: Mapping[str, str] = field(default_factory=dict)
    printed_instead: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    answers: str = ""
    types: Mapping[str, str] = field(default_factory=dict)
    code: int = 0
    until: str = ""
    then: tuple[str, str, str] | None = None
    needs: str = ""


@dataclass(frozen=True)
class Page:
    """by: who types what has no case that says it. seats: who is there, in ~/app, beside that one. files: what lies in
    the home beside the repository, by its path there."""

    by: str = "app"
    seats: tuple[str, ...] = ("reviewer", "builder")
    cases: tuple[Case, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)


AGREES = {"[Y/n] ": "y", "[y/N] ": "y"}
SETUP = Case("mailstop setup claude", by=PERSON, types=AGREES)
REVOKED = """sed 's/.*"id": *"\\([0-9a-f]*\\)".*/\\1/' | xargs mailstop token revoke"""
WATCHED = "mailstop: lane letter from"

_LEDGER = (Path(__file__).parent / "ledgers/postbag-2.3.jsonl").read_text().splitlines(keepends=True)

PAGES: Mapping[str, Page] = {
    "README.md": Page(
        cases=(
            SETUP,
            Case("mailstop ask reviewer", answers="reviewer"),
            Case("mailstop status 142", instead={"142": "own letter"}),
            Case("mailstop join NAME", instead={"NAME": "docs"}, by="app-2 in app"),
        )
    ),
    "docs/asking.md": Page(
        cases=(
            Case("mailstop ask reviewer", answers="reviewer"),
            Case("mailstop ask human", answers=PERSON),
            Case("mailstop answer 143 --choice 2", instead={"143": "question with choices"}),
        )
    ),
    "docs/channels.md": Page(seats=("api", "docs", "web"), cases=(Case("mailstop say general --wake-all", code=1),)),
    "docs/cron.md": Page(
        by=SCRIPT,
        cases=(
            Case("#!/bin/sh", then=("app", "mailstop check", "The nightly tests fail.")),
            Case('eval "$(mailstop join nightly --export)"\nmailstop ask human', answers=PERSON),
        ),
    ),
    "docs/demo.md": Page(by=PERSON, seats=()),
    "docs/doctor.md": Page(
        cases=(
            Case("mailstop status N", instead={"N": "own letter"}),
            # The sessions here have no monitor and no socket, and the doctor says that something is wrong with them.
            Case("mailstop doctor", by=f"nightly{PROGRAM}"),
        )
    ),
    "docs/exporting.md": Page(
        by=PERSON,
        cases=(
            Case("mailstop export --bag parser", before=(("builder", "mailstop join builder --bag parser"),)),
            Case("mailstop export --thread 142", instead={"142": "own letter"}),
        ),
    ),
    "docs/moving-in.md": Page(
        by=PERSON,
        files={
            ".postbag/ledger.jsonl": "".join(_LEDGER),
            "old/ledger.jsonl": "".join(_LEDGER[:3]),  # with one letter
            "work/lane/_sync/ada-to-bob.jsonl": '{"id": "1764459000000-1a2b3c4d", "msg": "Is main green?"}\n',
            "mail.jsonl": '{"author": "ada", "message": {"text": "It is."}, "sent": 1782892800, "id": 17}\n',
        },
        cases=(
            Case("mailstop import jsonl export.jsonl", before=((PERSON, "mailstop export --output export.jsonl"),)),
            Case("mailstop read postbag:142", instead={"142": "2"}),
            Case("mailstop status chat:17", before=((PERSON, "mailstop import jsonl mail.jsonl --as chat"),)),
        ),
    ),
    "docs/durability.md": Page(
        by=PERSON,
        cases=(Case("sqlite3", needs="sqlite3", instead={"/backups": "home"}),),
    ),
    "docs/lanes.md": Page(
        by=SCRIPT,
        cases=(
            Case(
                "mailstop lane watch",
                before=((SCRIPT, "mailstop lane send work/lane --from builder --to reviewer 'And now?'"),),
                until=WATCHED,
            ),
            Case("mailstop lane bridge", until="builder sits"),
        ),
    ),
    "docs/leading.md": Page(
        cases=(
            Case("mailstop lead claim --force SEAT", by=PERSON),
            Case(
                "mailstop lead claim",
                by="app-fast-path",
                before=(("app", "mailstop lead release"),),
                printed_instead={"Codex": "Claude Code"},
            ),
            Case("mailstop lead release --project", by=PERSON),
            Case("mailstop lead", by="builder"),
            Case("mailstop send leader", by="builder"),
            Case("mailstop task give", before=(("app", "mailstop lead claim"),), instead={"57": "term"}),
        )
    ),
    "docs/leases.md": Page(cases=(Case("term=", needs="jq"),)),
    "docs/limits.md": Page(by=PERSON),
    "docs/machines.md": Page(
        by=PERSON,
        cases=(Case("mailstop serve --host", instead={"192.0.2.10": "127.0.0.1", "8471": "0"}, until="serving "),),
    ),
    "docs/review.md": Page(
        seats=(),
        cases=(
            Case("mailstop join reviewer", by="reviewer in app-review"),
            Case("mailstop ask reviewer", answers="reviewer"),
            Case("mailstop check", by=PERSON),
            Case("mailstop asks", by=PERSON),
            Case("mailstop limits", by=PERSON),
            Case("mailstop budget", by=PERSON),
        ),
    ),
    "docs/serve.md": Page(
        by=SCRIPT,
        cases=(
            Case("mailstop serve --st", serving=True),
            Case(
                "mailstop serve",
                environment={"MAILSTOP_HTTP_PORT": "0"},
                until="serving ",
                printed_instead={"/home/ann": "home"},
            ),
        ),
    ),
    "docs/setup.md": Page(by=PERSON, seats=(), cases=(Case("mailstop setup", types=AGREES),)),
    "docs/tasks.md": Page(
        by="builder",
        seats=("app", "reviewer"),
        cases=(Case("mailstop task give builder", by="app"), Case("mailstop task give --pool", by="app")),
    ),
    "docs/together.md": Page(cases=(SETUP, Case("mailstop setup", by=PERSON))),
    "docs/tokens.md": Page(
        by=PERSON,
        cases=(
            Case(
                "mailstop token list",
                before=(
                    (PERSON, "mailstop token create builder --expires 47d"),
                    (PERSON, f"mailstop token create human --json | {REVOKED}"),
                ),
                printed_instead={"10:20:40": "never"},  # nothing has used it here
            ),
            Case("mailstop token revoke 7f3a9c21", instead={"7f3a9c21": "token"}),
            Case("mailstop token revoke - <"),
            Case("mailstop token revoke -", types={"token, which is not shown: ": "new token"}),
        ),
    ),
    "docs/tutorial.md": Page(
        by=PERSON,
        seats=("api", "web"),
        cases=(Case("mailstop setup claude --preview"), SETUP, Case("mailstop budget")),
    ),
    "docs/worktrees.md": Page(
        cases=(Case("mailstop task give app-parser", before=(("app-parser in app-parser", "mailstop status"),)),)
    ),
    "commands/send.md": Page(),
    "skills/mailstop/SKILL.md": Page(cases=(Case("mailstop ask reviewer", answers="reviewer"),)),
    "skills/mailstop-lead/SKILL.md": Page(),
    "skills/mailstop-lane/SKILL.md": Page(
        cases=(
            Case(
                "exec mailstop lane watch",
                before=(("reviewer", "mailstop lane send work/lane --from reviewer --to builder 'It does.'"),),
                until=WATCHED,
            ),
        )
    ),
}


@dataclass(frozen=True)
class Elsewhere:
    """Why a command cannot be run here, and which test or step runs it: FILE::TEST, or FILE and a line of it."""

    why: str
    run_by: tuple[str, str]


_WITH_CLIENTS = "tests/clients/test_shown_commands.py"
_INSTALLED = Elsewhere(
    "it installs, from a registry or a checkout",
    (
        "tests/distribution/test_shown_installs.py",
        "test_what_a_page_says_installs_a_mailstop_that_runs",
    ),
)
_WITH_CODEX = Elsewhere("it runs Codex", (_WITH_CLIENTS, "test_setup_sets_up_codex_as_the_pages_show"))
_DEMO = Elsewhere(
    "it runs the clients",
    ("tests/clients/test_demo.py", "test_claude_code_and_codex_write_to_each_other_and_nothing_of_it_stays"),
)
_ADDED = Elsewhere("it runs the client", (_WITH_CLIENTS, "test_a_client_has_the_server_that_a_page_says_to_add"))
_STARTED = Elsewhere(
    "it starts the client in its window",
    ("tests/integration/test_serve_docs.py", "test_the_lines_that_tell_clients_of_a_token_put_it_into_no_argument"),
)
_CONTAINER = Elsewhere(
    "it needs Docker, or another user",
    ("tests/integration/test_container_runs.py", "test_with_a_token_s_file_it_runs_is_well_and_ends_when_it_is_told"),
)

ELSEWHERE: Mapping[str, Elsewhere] = {
    "make demo": Elsewhere("it makes the environment in which this runs", (".ci/run", "make demo")),
    "make test": Elsewhere("it runs this test", (".ci/run", "make test")),
    "uv tool install": _INSTALLED,
    "mailstop setup codex": _WITH_CODEX,
    "mailstop demo --clients": _DEMO,
    "claude mcp add": _ADDED,
    "codex mcp add": _ADDED,
    'BUILDER_TOKEN="$(cat builder.token)" claude': _STARTED,
    'BUILDER_TOKEN="$(cat builder.token)" codex': _STARTED,
    "docker ": _CONTAINER,
    "(umask 077; openssl rand": _CONTAINER,
}

# What a number on a page stands for, by the beginning of the command; the first that fits counts.
NUMBERS: Mapping[str, str] = {
    "mailstop answer": "question",
    "mailstop cancel": "own question",
    "mailstop ask": "own question",
    "mailstop task": "task",
    "mailstop": "letter",
}
NUMBERED = ("142", "143")  # the numbers that pages use

# How each of these comes to be: who runs what, and where in its JSON the number stands. {me} is who types the command.
MADE: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "letter": ("reviewer", "mailstop send {me} 'Does it survive an empty file?' --needs-reply --json", ("n",)),
    "own letter": ("{me}", "mailstop send reviewer 'Please look.' --json", ("n",)),
    "question": ("reviewer", "mailstop ask {me} --wait 0 'May I?' --json", ("n",)),
    "question with choices": ("reviewer", "mailstop ask {me} --wait 0 --choice a --choice b 'Which?' --json", ("n",)),
    "own question": ("{me}", "mailstop ask reviewer --wait 0 'May I?' --json", ("n",)),
    "task": ("reviewer", "mailstop task give {me} 'Fix the parser' --json", ("task", "n")),
    "term": ("app", "mailstop lead --json", ("term",)),
    "token": (PERSON, "mailstop token create builder --json", ("id",)),
    "new token": (PERSON, "mailstop token create builder --json", ("token",)),
}
