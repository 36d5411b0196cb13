"""Who is calling: real chains of processes, started detached so that it does not matter who runs these tests.

A link of a chain is a shell that runs under the name of a client. Everything here is seen from the innermost process.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mailstop.clients import registry
from mailstop.clients.caller import identify, identify_hook
from mailstop.clients.life import my_life
from mailstop.clients.registry import GUARD, Registration
from mailstop.errors import DoubtfulCaller

THREAD = "01a227bc-e031-7b73-a9b7-49711dc7b705"
OUTER_THREAD = "01a227bc-0000-7b73-a9b7-49711dc7b705"
TOKEN = "0123456789abcdef" * 2

IDENTIFY = """
import json, os, sys
from mailstop.clients.caller import identify, identify_hook
from mailstop.errors import DoubtfulCaller
try:
    caller = identify_hook(json.loads(sys.argv[1])) if sys.argv[1:] else identify()
    told = {**caller.as_dict(), "trail": caller.trail, "ancestry": [a.as_dict() for a in caller.ancestry]}
    told["life"] = caller.life and caller.life.as_dict()
    told["registration"] = caller.registration and caller.registration.session
except DoubtfulCaller as doubt:
    told = {"who": "doubtful", "reason": doubt.details["reason"], "message": doubt.message}
print(json.dumps(told))
"""
REGISTER = """
import sys
from mailstop.clients import registry
from mailstop.clients.life import life_of
client, session, pid = sys.argv[1:4]
registry.write(registry.Registration(client, session, "ours-of-" + session[:6], "memory:", life_of(int(pid)), "/w"))
"""
AT_TERMINAL = """
import os, pty, sys
child, terminal = pty.fork()
if child == 0:
    os.execv(sys.argv[1], sys.argv[1:])
text = b""
try:
    while piece := os.read(terminal, 65536):
        text += piece
except OSError:  # how Linux says that the other side is closed
    pass
os.waitpid(child, 0)
sys.stdout.write(text.decode())
"""

Told = dict[str, Any]
Link = tuple[str, str]  # the name a process goes by, and what its shell does before it starts the next


class Chain:
    """Starts chains of processes in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        (folder / "identify.py").write_text(IDENTIFY)
        (folder / "register.py").write_text(REGISTER)
        (folder / "terminal.py").write_text(AT_TERMINAL)

    def told(
        self,
        *links: Link,
        terminal: bool = False,
        event: object = None,
        command: str = '"$PYTHON" {folder}/identify.py {arguments}',
        **variables: str,
    ) -> Told:
        """What the innermost process of the chain says about its caller, the outermost link first."""
        if event is not None:
            (self.folder / "event.json").write_text(json.dumps(event))
        arguments = "" if event is None else '"$(cat {folder}/event.json)"'
        commands = command.replace("{arguments}", arguments).replace("{folder}", str(self.folder))
        for number, (name, prelude) in enumerate(reversed(links)):
            program, script = self.folder / name, self.folder / f"link-{number}.sh"
            if not program.exists():
                program.symlink_to(shutil.which("sh") or "/bin/sh")
            script.write_text(f"{prelude}\n{commands}\n:\n")  # `:` keeps the shell from becoming its last command
            commands = f'"{program}" "{script}"'
        (self.folder / "start.sh").write_text(f"{commands}\n:\n")
        start = ["sh", str(self.folder / "start.sh")]
        if terminal:
            start = [sys.executable, str(self.folder / "terminal.py"), shutil.which("sh") or "/bin/sh", start[1]]
        done = self._detached(start, variables)
        assert done.strip(), "nothing was printed"
        told: Told = json.loads(done.strip().splitlines()[-1])
        return told

    def _detached(self, command: list[str], variables: dict[str, str]) -> str:
        """The output of a command that has neither this process above it nor its terminal."""
        environment = {
            "HOME": os.environ["HOME"],
            "PATH": os.environ["PATH"],
            "PYTHON": sys.executable,
            "REGISTER": f'"{sys.executable}" "{self.folder}/register.py"',
            **variables,
        }
        gate, go = os.pipe()
        # The first shell ends at once, and what it leaves behind goes on only after that.
        process = subprocess.Popen(
            ["sh", "-c", 'exec 3<&0; (read _; exec "$@") <&3 &', "sh", *command],
            stdin=gate,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,
            text=True,
        )
        process.wait()
        os.close(gate)
        os.write(go, b"\n")
        os.close(go)
        assert process.stdout is not None
        with process.stdout:
            return process.stdout.read()


@pytest.fixture
def chain(tmp_path: Path) -> Chain:
    return Chain(tmp_path / "chain")


def claude(session: str = "", *, tells: bool = True) -> Link:
    """A process called `claude`; with a session it is registered; `tells`: its children get its variables."""
    register = f'eval "$REGISTER claude {session} $$"; ' if session else ""
    told = f"export CLAUDECODE=1 CLAUDE_PID=$$ CLAUDE_CODE_SESSION_ID={session or 'c1'}" if tells else ""
    return "claude", register + told


def codex(thread: str = THREAD, *, registered: bool = True, tells: bool = True) -> Link:
    """A process called `codex` that serves a thread."""
    register = f'eval "$REGISTER codex {thread} $$"; ' if registered else ""
    return "codex", register + (f"export CODEX_THREAD_ID={thread} CODEX_SESSION_ID={thread}" if tells else "")


def shell(prelude: str = ":") -> Link:
    return "bash", prelude


def who(told: Told) -> tuple[str, str, str]:
    return told["who"], told.get("client", ""), told.get("client_session", "")


# -- Claude Code


def test_a_command_of_claude_code_is_its_session(chain: Chain) -> None:
    told = chain.told(claude("c1"), shell())
    assert (*who(told), told["registration"]) == ("client", "claude", "c1", "ours-of-c1")


def test_a_caller_has_the_life_of_the_client_and_the_trail_to_it(chain: Chain) -> None:
    told = chain.told(claude("c1"), shell())
    assert told["life"]["pid"] == told["ancestry"][1]["pid"]
    assert told["trail"].startswith("bash < claude < sh")


def test_claude_code_without_our_hooks_is_a_client_that_is_not_registered(chain: Chain) -> None:
    told = chain.told(claude(), shell())
    assert (*who(told), told["registration"]) == ("client", "claude", "c1", None)


def test_claude_code_under_another_name_is_known_by_its_pid(chain: Chain) -> None:
    told = chain.told(("node", claude()[1]), shell())
    assert who(told) == ("client", "claude", "c1")


def test_claude_code_is_known_by_its_registration_alone(chain: Chain) -> None:
    told = chain.told(("2.1.332", claude("c1", tells=False)[1]), shell())
    assert who(told) == ("client", "claude", "c1")


def test_a_stale_session_id_gives_way_to_the_registration(chain: Chain) -> None:
    told = chain.told(claude("c2"), shell("export CLAUDE_CODE_SESSION_ID=before-clear; unset CLAUDE_PID"))
    assert who(told) == ("client", "claude", "c2")


def test_without_a_registration_the_clients_own_registry_knows_its_session(chain: Chain, tmp_path: Path) -> None:
    file = "$HOME/.claude/sessions/$$.json"
    entry = f'mkdir -p "$HOME/.claude/sessions"; echo "{{\\"pid\\": $$, \\"sessionId\\": \\"c3\\"}}" > "{file}"'
    told = chain.told(("claude", f"{claude()[1]}\n{entry}"), shell())
    assert who(told) == ("client", "claude", "c3")


def test_the_nearest_of_two_nested_sessions_is_calling(chain: Chain) -> None:
    told = chain.told(claude("outer"), shell(), claude("inner"), shell())
    assert who(told) == ("client", "claude", "inner")


def test_an_outer_sessions_pid_in_an_inner_session_is_a_contradiction(chain: Chain) -> None:
    told = chain.told(claude("outer"), shell(), claude("inner", tells=False), shell())
    assert told["who"] == "doubtful"
    assert "CLAUDE_PID" in told["reason"]
    assert "nearest client" in told["reason"]


def test_claude_code_inside_of_codex_is_calling(chain: Chain) -> None:
    told = chain.told(codex(), shell(), claude("c1"), shell())
    assert who(told) == ("client", "claude", "c1")


def test_codexs_thread_in_a_claude_code_that_tells_nothing_is_a_contradiction(chain: Chain) -> None:
    told = chain.told(codex(), shell(), claude(tells=False), shell())
    assert (told["who"], "CODEX_THREAD_ID" in told["reason"]) == ("doubtful", True)


# -- Codex


def test_a_command_of_codex_is_its_thread(chain: Chain) -> None:
    told = chain.told(codex(), shell())
    assert (*who(told), told["registration"]) == ("client", "codex", THREAD, "ours-of-01a227")


def test_a_thread_is_served_by_the_daemon_whoever_started_that(chain: Chain) -> None:
    told = chain.told(codex(tells=False, registered=False), codex(), shell())
    assert told["life"]["pid"] == told["ancestry"][1]["pid"]


def test_a_daemon_started_inside_of_claude_code_does_not_make_its_threads_claude_code(chain: Chain) -> None:
    told = chain.told(claude("c1"), shell(), codex(), shell())
    assert who(told) == ("client", "codex", THREAD)


def test_codex_without_our_hooks_is_a_client_that_is_not_registered(chain: Chain) -> None:
    told = chain.told(codex(registered=False), shell())
    assert (*who(told), told["registration"]) == ("client", "codex", THREAD, None)


SUBAGENT = f"export CODEX_THREAD_ID={OUTER_THREAD} CODEX_TOOL_CALL_ID=call_1"


def test_a_subagent_of_codex_counts_as_the_session_that_started_it(chain: Chain) -> None:
    told = chain.told(codex(), shell(SUBAGENT))
    assert (*who(told), told["registration"]) == ("client", "codex", THREAD, "ours-of-01a227")
    assert (told["subagent"], told["call"]) == (True, "call_1")
    assert not chain.told(codex(), shell())["subagent"]


def test_a_subagent_of_a_session_that_is_not_registered_is_nobodys(chain: Chain) -> None:
    told = chain.told(codex(registered=False), shell(SUBAGENT))
    assert (*who(told), told["registration"], told["subagent"]) == ("client", "codex", OUTER_THREAD, None, False)


def test_codex_that_names_no_thread_is_a_stranger(chain: Chain) -> None:
    told = chain.told(codex(tells=False), shell())
    assert (told["who"], told["client"]) == ("stranger", "codex")


def test_codex_with_a_thread_that_is_none_is_refused(chain: Chain) -> None:
    told = chain.told(codex(), shell("export CODEX_THREAD_ID=nonsense"))
    assert (told["who"], "nonsense" in told["reason"]) == ("doubtful", True)


def test_claude_codes_variables_in_a_codex_that_tells_nothing_are_a_contradiction(chain: Chain) -> None:
    told = chain.told(claude("c1"), shell(), codex(tells=False), shell())
    assert (told["who"], "Claude Code" in told["reason"]) == ("doubtful", True)


def test_a_thread_of_an_outer_codex_is_a_contradiction(chain: Chain) -> None:
    told = chain.told(codex(OUTER_THREAD), shell(), codex(tells=False, registered=False), shell())
    assert (told["who"], OUTER_THREAD in told["reason"]) == ("doubtful", True)


def test_a_thread_whose_registration_is_of_an_earlier_server_is_still_that_thread(chain: Chain) -> None:
    registry.write(Registration("codex", THREAD, "ours", "memory:", my_life().but(start=1), "/w"))
    told = chain.told(codex(registered=False), shell())
    assert (*who(told), told["registration"]) == ("client", "codex", THREAD, "ours")
    assert told["life"]["pid"] == told["ancestry"][1]["pid"]


def test_a_sandbox_without_network_is_noticed(chain: Chain) -> None:
    told = chain.told(codex(), shell(), CODEX_SANDBOX_NETWORK_DISABLED="1")
    assert told["sandboxed"] is True


# -- no client above


def test_a_person_at_a_terminal_is_the_person(chain: Chain) -> None:
    assert who(chain.told(shell(), terminal=True)) == ("person", "", "")


def test_a_program_without_a_terminal_is_a_stranger(chain: Chain) -> None:
    told = chain.told(shell())
    assert (told["who"], told["reason"] != "") == ("stranger", True)


@pytest.mark.parametrize("variable", ["AI_AGENT", "CURSOR_AGENT", "GEMINI_CLI", "OPENCODE"])
def test_a_client_that_is_not_known_here_is_not_the_person(chain: Chain, variable: str) -> None:
    told = chain.told(shell(), terminal=True, **{variable: "1"})
    assert (told["who"], variable in told["reason"]) == ("stranger", True)


@pytest.mark.parametrize("terminal", [True, False], ids=["terminal", "no terminal"])
@pytest.mark.parametrize(
    "variables",
    [
        {"CLAUDE_PID": "1999999", "CLAUDE_CODE_SESSION_ID": "c1", "CLAUDECODE": "1"},
        {"CLAUDE_CODE_SESSION_ID": "c1"},
        {"CLAUDECODE": "1"},
        {"CODEX_THREAD_ID": THREAD},
        {"CODEX_THREAD_ID": "nonsense"},
        {"CODEX_SESSION_ID": THREAD},
        {"CODEX_THREAD_ID": THREAD, "CLAUDE_PID": "1999999"},
    ],
    ids=lambda variables: "+".join(variables),
)
def test_variables_of_a_client_that_is_not_above_are_refused(
    chain: Chain, variables: dict[str, str], terminal: bool
) -> None:
    told = chain.told(shell(), terminal=terminal, **variables)
    assert (told["who"], all(name in told["reason"] for name in list(variables)[:1])) == ("doubtful", True)


def test_a_refusal_says_what_to_type(chain: Chain) -> None:
    told = chain.told(shell(), terminal=True, CLAUDECODE="1", CLAUDE_PID="1999999")
    assert "unset CLAUDE_PID CLAUDECODE" in told["message"]


def test_a_process_that_detached_from_its_client_has_no_sender(chain: Chain) -> None:
    orphan = '(while kill -0 $$ 2>/dev/null; do :; done; exec "$PYTHON" {folder}/identify.py) &'
    told = chain.told(claude("c1"), command=orphan)
    assert (told["who"], "CLAUDE_PID" in told["reason"]) == ("doubtful", True)


# -- programs


def program(prelude: str = f"export MAILSTOP_SESSION={TOKEN}") -> Link:
    return shell(f'eval "$REGISTER program {TOKEN} $$"; {prelude}')


def test_a_program_that_joined_is_its_session(chain: Chain) -> None:
    assert who(chain.told(program())) == ("program", "program", TOKEN)


def test_what_a_program_starts_is_the_program(chain: Chain) -> None:
    assert who(chain.told(program(), shell(), shell())) == ("program", "program", TOKEN)


def test_a_program_at_a_terminal_is_the_program_and_not_the_person(chain: Chain) -> None:
    assert who(chain.told(program(), terminal=True)) == ("program", "program", TOKEN)


def test_a_program_session_is_ignored_when_a_client_lies_between(chain: Chain) -> None:
    assert who(chain.told(program(), claude("c1"), shell())) == ("client", "claude", "c1")


def test_a_program_session_is_ignored_inside_of_a_client(chain: Chain) -> None:
    assert who(chain.told(claude("c1"), program(), shell())) == ("client", "claude", "c1")


@pytest.mark.parametrize("terminal", [True, False], ids=["terminal", "no terminal"])
def test_a_program_session_of_a_process_elsewhere_is_refused(chain: Chain, terminal: bool) -> None:
    registry.write(Registration("program", TOKEN, "ours", "memory:", my_life(), "/w"))
    told = chain.told(shell(), terminal=terminal, MAILSTOP_SESSION=TOKEN)
    assert (told["who"], "is not above this process" in told["reason"]) == ("doubtful", True)


@pytest.mark.parametrize("token", [TOKEN, "nonsense", "../../x"])
def test_a_program_session_that_nobody_knows_is_refused(chain: Chain, token: str) -> None:
    told = chain.told(shell(), MAILSTOP_SESSION=token)
    assert (told["who"], "MAILSTOP_SESSION" in told["reason"]) == ("doubtful", True)


def test_a_program_session_and_a_clients_leaked_variables_contradict_each_other(chain: Chain) -> None:
    told = chain.told(program(), CLAUDECODE="1")
    assert (told["who"], "CLAUDECODE" in told["reason"]) == ("doubtful", True)


# -- sandboxes

needs_namespaces = pytest.mark.skipif(
    os.geteuid() != 0 or not shutil.which("unshare"), reason="only root may make a pid namespace here"
)
SANDBOX = "unshare --pid --fork --mount-proc "
IN_SANDBOX = SANDBOX + "sh -c '\"$PYTHON\" {folder}/identify.py; :'"


@needs_namespaces
def test_a_sandboxed_command_of_codex_is_known_by_its_thread(chain: Chain) -> None:
    told = chain.told(codex(), shell(), command=IN_SANDBOX)
    assert (*who(told), told["sandboxed"]) == ("client", "codex", THREAD, True)


@needs_namespaces
def test_a_subagent_in_codexs_sandbox_counts_as_the_session_that_started_it(chain: Chain) -> None:
    told = chain.told(codex(), shell(SUBAGENT), command=IN_SANDBOX)
    assert (*who(told), told["subagent"], told["sandboxed"]) == ("client", "codex", THREAD, True, True)


@needs_namespaces
def test_the_sandboxs_own_first_process_is_not_taken_for_the_server(chain: Chain) -> None:
    inside = f"{SANDBOX} {chain.folder}/codex -c '\"$PYTHON\" {{folder}}/identify.py; :'"
    told = chain.told(codex(), shell("export SERVER=$PPID"), command=inside)
    assert (*who(told), told["sandboxed"]) == ("client", "codex", THREAD, True)
    assert told["life"]["namespace"] == my_life().namespace


@needs_namespaces
def test_a_sandboxed_thread_that_is_not_registered_has_no_life_to_be_seen(chain: Chain) -> None:
    inside = f"{SANDBOX} {chain.folder}/codex -c '\"$PYTHON\" {{folder}}/identify.py; :'"
    told = chain.told(codex(registered=False), shell(), command=inside, CODEX_SANDBOX_NETWORK_DISABLED="1")
    assert (*who(told), told["life"], told["sandboxed"]) == ("client", "codex", THREAD, None, True)


@needs_namespaces
def test_a_sandboxed_command_of_claude_code_is_known_by_its_pid_and_session(chain: Chain) -> None:
    told = chain.told(claude("c1"), shell(), command=IN_SANDBOX)
    assert (*who(told), told["sandboxed"]) == ("client", "claude", "c1", True)


@needs_namespaces
def test_a_sandboxed_command_with_another_session_of_that_pid_is_refused(chain: Chain) -> None:
    told = chain.told(claude("c1"), shell("export CLAUDE_CODE_SESSION_ID=c2"), command=IN_SANDBOX)
    assert told["who"] == "doubtful"


@needs_namespaces
def test_a_sandboxed_thread_that_nobody_registered_is_refused(chain: Chain) -> None:
    told = chain.told(codex(registered=False), shell(), command=IN_SANDBOX)
    assert told["who"] == "doubtful"


@needs_namespaces
def test_a_sandbox_with_the_process_table_from_outside_shows_the_client(chain: Chain) -> None:
    outside = "unshare --pid --fork sh -c '\"$PYTHON\" {folder}/identify.py; :'"
    assert who(chain.told(claude("c1"), shell(), command=outside)) == ("client", "claude", "c1")


# -- hooks


def test_a_hook_of_claude_code_is_the_session_its_input_names(chain: Chain) -> None:
    told = chain.told(claude("c1"), shell(), event={"session_id": "after-clear", "hook_event_name": "SessionStart"})
    assert (*who(told), told["registration"]) == ("client", "claude", "after-clear", "ours-of-c1")


def test_a_hook_of_codex_is_the_thread_its_input_names(chain: Chain) -> None:
    told = chain.told(codex(tells=False), shell(), event={"session_id": THREAD.upper()}, CODEX_HOME="/c")
    assert (*who(told), told["registration"]) == ("client", "codex", THREAD, "ours-of-01a227")


def test_a_hook_of_codex_inside_of_claude_code_is_codexs(chain: Chain) -> None:
    told = chain.told(claude("c1"), shell(), codex(tells=False), shell(), event={"session_id": THREAD})
    assert who(told) == ("client", "codex", THREAD)


def test_a_hook_of_an_inner_codex_is_not_of_the_outer_thread(chain: Chain) -> None:
    told = chain.told(codex(OUTER_THREAD), shell(), codex(tells=False), shell(), event={"session_id": THREAD})
    assert who(told) == ("client", "codex", THREAD)


def test_a_hook_with_an_outer_sessions_pid_is_refused(chain: Chain) -> None:
    told = chain.told(claude("outer"), shell(), claude("inner", tells=False), shell(), event={"session_id": "inner"})
    assert (told["who"], "CLAUDE_PID" in told["reason"]) == ("doubtful", True)


@pytest.mark.parametrize(
    "event", [{}, {"session_id": ""}, {"session_id": None}, {"session_id": 7}, {"session_id": "a\nb"}]
)
def test_a_hook_whose_input_names_no_session_is_refused(chain: Chain, event: object) -> None:
    told = chain.told(claude("c1"), shell(), event=event)
    assert (told["who"], "names no session" in told["reason"]) == ("doubtful", True)


def test_a_hook_of_codex_whose_session_is_no_thread_is_refused(chain: Chain) -> None:
    told = chain.told(codex(), shell(), event={"session_id": "c1"})
    assert (told["who"], "no thread of Codex" in told["reason"]) == ("doubtful", True)


def test_a_hook_that_a_person_runs_by_hand_is_refused(chain: Chain) -> None:
    told = chain.told(shell(), terminal=True, event={"session_id": THREAD}, CODEX_HOME="/c")
    assert (told["who"], "no known client" in told["reason"]) == ("doubtful", True)


# -- the process asked for


def test_the_caller_of_another_process_can_be_asked_for(chain: Chain) -> None:
    with pytest.raises(DoubtfulCaller):
        identify({"CLAUDE_PID": "1999999"}, pid=1)
    with pytest.raises(DoubtfulCaller):
        identify_hook({"session_id": THREAD}, {}, pid=1)


# -- the guard of a hook's command


@pytest.fixture
def rings() -> Callable[..., bool]:
    """Whether the guard lets a hook go on, in any shell."""

    def ask(shell: str = "sh", **variables: str) -> bool:
        environment = {"HOME": os.environ["HOME"], "PATH": os.environ["PATH"], **variables}
        done = subprocess.run([shell, "-c", f"{GUARD}; echo on"], env=environment, check=True, capture_output=True)
        return done.stdout == b"on\n"

    return ask


def ring(one: Registration) -> None:
    bells = Path(os.environ["HOME"], ".local/state/mailstop/bells")
    bells.mkdir(parents=True, exist_ok=True)
    (bells / one.bell).touch()


def of_codex(home: str) -> Registration:
    one = Registration("codex", THREAD, "ours", "memory:", my_life(), "/w", {"codex_home": home})
    registry.write(one)
    return one


def test_the_guard_stops_a_hook_when_no_bell_rings(rings: Callable[..., bool]) -> None:
    of_codex("/home/ann/.codex")
    assert not rings(CLAUDE_PID="77", CODEX_HOME="/home/ann/.codex")


def test_the_guard_hears_the_bell_of_claude_code(rings: Callable[..., bool]) -> None:
    one = Registration("claude", "c1", "ours", "memory:", my_life(), "/w")
    ring(one)
    assert rings(CLAUDE_PID=str(my_life().pid))
    assert not rings(CLAUDE_PID="77")


@pytest.mark.parametrize("shell", [shell for shell in ("sh", "bash", "dash", "zsh") if shutil.which(shell)])
@pytest.mark.parametrize("home", ["/home/ann/.codex", "/a b/it's", "/A/B-c/", "/x//y/.", "/" + "long/" * 60])
def test_the_guard_hears_the_bell_of_codex(rings: Callable[..., bool], shell: str, home: str) -> None:
    ring(of_codex(home))
    assert rings(shell, CODEX_HOME=home)
    assert not rings(shell, CODEX_HOME="/another")


def test_the_guard_hears_the_bell_of_the_default_codex_home(rings: Callable[..., bool]) -> None:
    ring(of_codex(os.environ["HOME"] + "/.codex"))
    assert rings()


def test_one_codex_home_inside_of_another_has_its_own_bell(rings: Callable[..., bool]) -> None:
    of_codex("/a/b")
    ring(of_codex("/a"))
    assert (rings(CODEX_HOME="/a"), rings(CODEX_HOME="/a/b")) == (True, False)
