"""Caller: who runs this process. The one place where that is decided, by evidence, and never guessed.

The NEAREST client among the ancestors decides. An ancestor is a client when a registration names that very
process, when CLAUDE_PID names it, or by its name (`claude`, `codex`). A row is looked at only when those
above it do not apply.

| nearest client | environment                            | caller                                           |
|----------------|----------------------------------------|--------------------------------------------------|
| Claude Code    | CLAUDE_PID names another process       | doubtful: it is an outer session's               |
|                | CLAUDE_PID names it                    | its session, whatever an outer Codex left        |
|                | no CLAUDE_PID, but it is registered    | its session                                      |
|                | no CLAUDE_PID, but CODEX_THREAD_ID     | doubtful: it is an outer session's               |
|                | anything else                          | its session                                      |
| Codex          | CODEX_THREAD_ID is no UUID             | doubtful: never another thread instead           |
|                | a subagent's thread: CODEX_SESSION_ID  | the session that started it: it writes from that |
|                | names another, which is registered     | seat, and nothing is shown or proved by it       |
|                | a thread that an outer Codex serves    | doubtful: it is an outer session's               |
|                | a thread                               | that thread, whoever started the shared daemon   |
|                | no thread, variables of Claude Code    | doubtful: they are an outer session's            |
|                | no thread                              | a stranger: Codex did not say which thread       |
| none           | of a client registered outside of this | that client, sandboxed: its processes cannot be  |
|                | pid namespace                          | seen from here                                   |
|                | of a client otherwise                  | doubtful: it leaked, or this process is detached |
|                | MAILSTOP_SESSION of this process or a  | that program session                             |
|                | living ancestor                        |                                                  |
|                | another MAILSTOP_SESSION               | doubtful: it is over, or somebody else's         |
| none, but a    | AI_AGENT and its like                  | a stranger: started by a client not known here   |
| terminal       | anything else                          | the person                                       |
| nothing        | anything else                          | a stranger, who must join                        |

MAILSTOP_SESSION is ignored inside of a client, on whichever side of it the process lies that it is bound to.
Doubtful means DoubtfulCaller, which says what contradicts what.

The ancestors of a detached process are gone: it has no sender, whatever its environment says. The descendants
of a client are taken for the client (a guard and an audit trail, not a wall: all of them are one user).
"""

from __future__ import annotations

import os

from mailstop import errors
from mailstop.clients import registry
from mailstop.clients.ancestry import CLAUDE, CODEX, Ancestor, ancestors, client_named, describe
from mailstop.clients.life import Life, boot_id, life_of, machine_id
from mailstop.clients.process import namespace, own_pid, process_of
from mailstop.clients.registry import Registration
from mailstop.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

CLIENT = "client"
PROGRAM = "program"
PERSON = "person"
STRANGER = "stranger"

# What marks a process as started by a client. CLAUDE_CODE_SSE_PORT is not among them: an editor sets it too.
OF_CLAUDE = ("CLAUDE_PID", "CLAUDE_CODE_SESSION_ID", "CLAUDECODE")
OF_CODEX = ("CODEX_THREAD_ID", "CODEX_SESSION_ID")
SEALED = "CODEX_SANDBOX_NETWORK_DISABLED"  # set in a sandbox in which no socket can be connected
TOKEN = "MAILSTOP_SESSION"
# Set by clients that we do not know for what they start: AI_AGENT by convention (vercel's detect-agent), the
# others by Cursor's agent, Gemini CLI and OpenCode.
OTHER_AGENTS = ("AI_AGENT", "CURSOR_AGENT", "GEMINI_CLI", "OPENCODE")


class Caller(Record):
    """Who is calling, and by what evidence.

    who: `client`, `program`, `person`, or `stranger`: a program that must join. client: `claude`, `codex` or
    `program`; empty for the person and most strangers. client_session: see Registration; empty when not
    known. life: of the client's process, None when it cannot be seen from here. registration: None before
    SessionStart ran, or without our hooks. sandboxed: no socket can be connected and no outside process be
    judged. subagent: it works for that session, and what it reads the session's model does not see. call: the
    client's tool call that runs this process, where it tells. reason: for a stranger, what is missing; for a
    Codex thread that is not registered, whose subagent it is.
    """

    who: str
    client: str = ""
    client_session: str = ""
    life: Life | None = None
    registration: Registration | None = None
    ancestry: tuple[Ancestor, ...] = ()
    sandboxed: bool = False
    subagent: bool = False
    call: str = ""
    reason: str = ""

    def living(self) -> Life:
        """The life of the caller's client. Raises DoubtfulCaller when it cannot be seen."""
        if self.life is None and self.client == CODEX:
            raise errors.DoubtfulCaller(
                reason="Codex's sandbox hides which process runs this, and no hook has told: in its window, trust the"
                " hooks of mailstop (/hooks), then type a prompt"
            )
        if self.life is None:
            raise errors.DoubtfulCaller(
                reason="the client that started this process cannot be seen from here, or has ended"
            )
        return self.life

    @property
    def trail(self) -> str:
        """The names of the ancestors, for the audit trail."""
        return describe(self.ancestry)


def identify(
    environment: Mapping[str, str] = os.environ, *, pid: int | None = None, above: tuple[Ancestor, ...] | None = None
) -> Caller:
    """Who runs the process `pid`, by default this one, with this environment. above: its ancestors, where known.

    Raises DoubtfulCaller when the evidence contradicts itself, so that no identity is taken on a guess.
    """
    caller = _Evidence(environment, own_pid() if pid is None else pid, above).caller()
    sealed = caller.who == CLIENT and SEALED in environment
    return caller.but(sandboxed=True) if sealed else caller


def identify_hook(
    event: Mapping[str, Any], environment: Mapping[str, str] = os.environ, *, pid: int | None = None
) -> Caller:
    """The client that runs this hook. The event, read from standard input, says which session it is.

    Raises DoubtfulCaller without a session in the event, and when no client is found that could have sent it.
    """
    session = event.get("session_id")
    if not isinstance(session, str) or not registry.is_session_id(session):
        raise errors.DoubtfulCaller(reason="the hook's input names no session")
    evidence = _Evidence(environment, own_pid() if pid is None else pid)
    if evidence.client == CLAUDE:
        process = evidence.claude_process()
        return evidence.found(CLAUDE, session, process, registry.claude_of(process.pid, process.start))
    if evidence.client == CODEX:
        from mailstop.clients import codex

        thread = session.lower()
        if not codex.is_thread_id(thread):
            raise errors.DoubtfulCaller(
                reason=f"the hook's input names the session {session!r}, which is no thread of Codex"
            )
        return evidence.found(CODEX, thread, evidence.nearest[0], registry.codex_of(thread))
    raise errors.DoubtfulCaller(reason=f"a hook ran that no known client started ({evidence.above()})")


class _Evidence:
    """What the process table, the environment and the registry say about one process."""

    def __init__(self, environment: Mapping[str, str], pid: int, above: tuple[Ancestor, ...] | None = None) -> None:
        self.environment = environment
        self.pid = pid
        self.ancestry = ancestors(pid) if above is None else above
        pid_told = environment.get("CLAUDE_PID", "")
        self.claude_pid = int(pid_told) if pid_told.isascii() and pid_told.isdigit() and len(pid_told) < 10 else 0
        self._registered = registry.claude_pids()
        thread = environment.get("CODEX_THREAD_ID")
        self._thread = registry.codex_of(thread.lower()) if thread else None
        self.client = ""
        self.nearest: tuple[Ancestor, ...] = ()  # the nearest client: processes of one kind above one another
        for index, ancestor in enumerate(self.ancestry):
            kind = self._kind(ancestor)
            if self.client and kind != self.client:
                break
            if kind:
                self.client = kind
                self.nearest = (*self.nearest, self.ancestry[index])

    def _kind(self, ancestor: Ancestor) -> str:
        if ancestor.pid == self.claude_pid:
            return CLAUDE
        if ancestor.pid in self._registered and registry.claude_of(ancestor.pid, ancestor.start):
            return CLAUDE
        if self._thread and self._thread.life.is_same(ancestor.pid, ancestor.start):
            return CODEX
        return client_named(ancestor.name)

    def caller(self) -> Caller:
        if self.client == CLAUDE:
            return self._claude()
        if self.client == CODEX:
            return self._codex()
        return self._sandboxed() or self._program() or self._alone()

    def above(self) -> str:
        """What is above this process, for a sentence."""
        return describe(self.ancestry) or "nothing is seen above it"

    def found(self, client: str, session: str, process: Ancestor, registration: Registration | None) -> Caller:
        return Caller(CLIENT, client, session, life_of(process.pid), registration, self.ancestry)

    # -- Claude Code

    def claude_process(self) -> Ancestor:
        """The client's own process among the nearest. Raises DoubtfulCaller when CLAUDE_PID names another."""
        if not self.claude_pid:
            registered = (each for each in self.nearest if registry.claude_of(each.pid, each.start))
            return next(registered, self.nearest[0])
        for process in self.nearest:
            if process.pid == self.claude_pid:
                return process
        raise errors.DoubtfulCaller(
            reason=f"CLAUDE_PID says {self.claude_pid}, but the nearest client above this process is"
            f" Claude Code {self.nearest[0].pid}"
        )

    def _claude(self) -> Caller:
        process = self.claude_process()
        registration = registry.claude_of(process.pid, process.start)
        if registration:
            return self.found(CLAUDE, registration.client_session, process, registration)
        if not self.claude_pid and "CODEX_THREAD_ID" in self.environment:
            raise errors.DoubtfulCaller(
                reason="CODEX_THREAD_ID says Codex, but the nearest client above this process is"
                f" Claude Code {process.pid}"
            )
        from mailstop.clients import claude_code

        told = claude_code.told_by(self.environment)
        entry = claude_code.entry_of(told.config_folder, process.pid, process.start)
        session = entry.session if entry and entry.session else told.session
        return self.found(CLAUDE, session, process, None)

    # -- Codex

    def _codex(self) -> Caller:
        thread, registration, subagent = self._codex_thread()
        process = self.nearest[0]
        if not thread:
            if self.claude_pid or self.environment.get("CLAUDE_CODE_SESSION_ID"):
                raise errors.DoubtfulCaller(
                    reason="variables of Claude Code are set, but the nearest client above this process is"
                    f" Codex {process.pid}"
                )
            reason = f"Codex {process.pid} does not say which thread this process belongs to"
            return Caller(STRANGER, CODEX, ancestry=self.ancestry, reason=reason)
        if registration is None:
            caller = self.found(CODEX, thread, process, None).but(reason=self._subagent(thread))
            # In a sandbox it is only the sandbox's first process that can be seen.
            return caller.but(life=None) if SEALED in self.environment else caller
        life = registration.life
        caller = self.found(CODEX, thread, process, registration).but(subagent=subagent, call=self._call())
        if any(life.is_same(each.pid, each.start) for each in self.nearest):
            return caller.but(life=life)
        if any(life.is_same(each.pid, each.start) for each in self.ancestry):
            raise errors.DoubtfulCaller(
                reason=f"CODEX_THREAD_ID names thread {thread} of Codex {life.pid}, but the nearest client"
                f" above this process is Codex {process.pid}"
            )
        if _is_outside(life):  # the nearest is the first process of Codex's sandbox
            return caller.but(life=life, sandboxed=True)
        return caller

    def _call(self) -> str:
        return self.environment.get("CODEX_TOOL_CALL_ID", "")

    def _codex_thread(self) -> tuple[str, Registration | None, bool]:
        """The thread that a command counts for, its registration, and whether a subagent of it runs the command."""
        from mailstop.clients import codex

        thread = codex.thread_of(self.environment)
        registration = registry.codex_of(thread) if thread else None
        session = self.environment.get("CODEX_SESSION_ID", "").lower()
        if registration is None and session != thread and codex.is_thread_id(session):
            parent = registry.codex_of(session)
            if parent is not None:
                return session, parent, True
        return thread, registration, False

    def _subagent(self, thread: str) -> str:
        """That the thread is a subagent's, where it is one: those share the CODEX_SESSION_ID of who started them."""
        session = self.environment.get("CODEX_SESSION_ID", thread).lower()
        return f"it is a subagent of {session}" if session != thread else ""

    # -- no client above

    def _sandboxed(self) -> Caller | None:
        """The client that is registered outside of this pid namespace. Raises DoubtfulCaller when none is."""
        named = [name for name in (*OF_CLAUDE, *OF_CODEX) if name in self.environment]
        if not named:
            return None
        _thread, of_codex, subagent = self._codex_thread()
        session = self.environment.get("CLAUDE_CODE_SESSION_ID", "")
        of_claude = registry.claude_outside(self.claude_pid, session) if self.claude_pid else None
        outside = [each for each in (of_codex, of_claude) if each and _is_outside(each.life)]
        if len(outside) == 1:
            client, session, life = outside[0].client, outside[0].client_session, outside[0].life
            caller = Caller(CLIENT, client, session, life, outside[0], self.ancestry, sandboxed=True)
            return caller.but(subagent=subagent and outside[0] == of_codex, call=self._call())
        raise errors.DoubtfulCaller(
            reason=f"{' and '.join(named)} {'say' if len(named) > 1 else 'says'} that this is a client's process,"
            f" but no client is above it ({self.above()}). A detached process has no sender; in a terminal of"
            f" your own: unset {' '.join(named)}"
        )

    def _program(self) -> Caller | None:
        """The program session that MAILSTOP_SESSION names.

        Raises DoubtfulCaller when that is not this process's.
        """
        token = self.environment.get(TOKEN)
        if not token:
            return None
        from mailstop.clients import program

        registration = registry.program_of(token) if program.is_token(token) else None
        if registration is None:
            raise errors.DoubtfulCaller(reason=f"{TOKEN} names no session that is known here. {_ANEW}")
        own = process_of(self.pid)
        if own is None or not program.covers(registration.life, own.pid, own.start, self.ancestry):
            raise errors.DoubtfulCaller(
                reason=f"{TOKEN} names a session of process {registration.life.pid}, which is not above"
                f" this process ({self.above()}). {_ANEW}"
            )
        return Caller(PROGRAM, "program", token, registration.life, registration, self.ancestry)

    def _alone(self) -> Caller:
        if not self._at_terminal():
            return Caller(STRANGER, ancestry=self.ancestry, reason="no client and no terminal is above this process")
        for name in OTHER_AGENTS:
            if self.environment.get(name):
                reason = f"{name} says that a coding agent runs this process, and none is known above it"
                return Caller(STRANGER, ancestry=self.ancestry, reason=reason)
        return Caller(PERSON, ancestry=self.ancestry)

    def _at_terminal(self) -> bool:
        if self.pid != own_pid():
            process = process_of(self.pid)
            return process is not None and process.terminal
        try:
            os.close(os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY | os.O_CLOEXEC))
        except OSError:
            return False
        return True


_ANEW = f"Take one anew, or unset {TOKEN}"


def _is_outside(life: Life) -> bool:
    """Whether a process of this machine and boot lives in a pid namespace that cannot be seen from here."""
    here = namespace()
    return (life.machine, life.boot) == (machine_id(), boot_id()) and (not here or life.namespace != here)
