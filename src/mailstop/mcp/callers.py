"""Callers: who makes a call, and its office. Never an argument; `clients/caller.py` decides, at each call anew.

- Claude Code: the process above this one, and what its SessionStart hook wrote down last. The environment, which names
  an earlier session after `/clear`, is asked only where no hook has run.
- Codex: the thread that each call names (`_meta.threadId`), with the process above this one. The environment says
  nothing.
- A program that has joined: MAILSTOP_SESSION, as for its commands.
- Any other client: the connection itself. It is a session that takes a seat by `me`, and lives as long as this process.

A server that stands at a terminal is no person. What contradicts itself is refused, whatever is asked.
"""

from __future__ import annotations

from mailstop import bells, config
from mailstop.clients import registry
from mailstop.clients.caller import PERSON, PROGRAM, STRANGER, identify
from mailstop.clients.facts import facts_of
from mailstop.clients.life import my_life
from mailstop.clients.stores import joining, store_of
from mailstop.engines import is_absent, open_store
from mailstop.errors import DoubtfulCaller, MailstopError, StoreAbsent, StoreGone
from mailstop.json_text import loads
from mailstop.mcp.lineage import Lineage
from mailstop.names import DEFAULT_BAG, checked_name, seat_to_take
from mailstop.office import Office

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from mailstop.clients.caller import Caller
    from mailstop.engines.base import Store
    from mailstop.rules.seats import Seated

OF_CODEX = "codex-mcp-client"  # the name by which Codex calls itself
_NAMES = {OF_CODEX: "codex", "claude-code": "claude"}
THREAD, SESSION, TURN = "threadId", "sessionId", "x-codex-turn-metadata"


class Callers:
    """The callers of one connection, on the store that each of them means; one store is open at a time.

    option: the store that the command line names.
    """

    def __init__(self, environment: Mapping[str, str], option: str | None = None) -> None:
        self._environment = dict(environment)
        self._option = option
        self._lineage = Lineage()
        self._own: Caller | None = None  # the connection's own session, once it has joined
        self._store: Store | None = None
        self._is_there = False  # whether that store was there when it was opened

    def office(self, meta: Mapping[str, Any], client: str, *, joins: bool = False) -> Office:
        """The office of whoever makes a call. meta: the call's `_meta`. client: the name the client calls itself by.

        joins: whether the call may make the store. Raises DoubtfulCaller, StoreGone, and what opening a store raises.
        """
        caller = self._caller(meta, client)
        url = store_of(caller, self._option)
        return Office(self._opened(caller, url, joins=joins), caller)

    def _caller(self, meta: Mapping[str, Any], client: str) -> Caller:
        thread = meta.get(THREAD)
        caller = (
            identify(self._environment, above=self._lineage.now())
            if thread is None
            else self._thread(thread, meta.get(SESSION))
        )
        if client in _NAMES and caller.client not in ("", _NAMES[client]):
            raise DoubtfulCaller(
                reason=f"the client calls itself {client}, but the nearest client above this process is {caller.client}"
            )
        if caller.who not in (PERSON, STRANGER):
            return caller
        if client == OF_CODEX or caller.client:
            reason = caller.reason or "the call names no thread of Codex"
            return caller.but(who=STRANGER, client=caller.client or "codex", reason=reason)
        return self._own or caller.but(who=STRANGER, reason="this client's connection has not joined")

    def _thread(self, thread: Any, session: Any) -> Caller:
        """The thread of Codex that a call names. Raises DoubtfulCaller where anybody but Codex is above."""
        if not isinstance(thread, str):
            raise DoubtfulCaller(reason=f"the call's {THREAD} is no text")
        named = {"CODEX_THREAD_ID": thread, **({"CODEX_SESSION_ID": session} if isinstance(session, str) else {})}
        caller = identify({**self._environment, **named}, above=self._lineage.now())
        if caller.client != "codex":
            raise DoubtfulCaller(
                reason=f"the call names a thread of Codex, but the nearest client above this process is"
                f" {caller.client or 'none'}"
            )
        return caller

    # -- stores

    def _opened(self, caller: Caller, url: str, *, joins: bool) -> Store:
        """The store, kept open from call to call; one that nobody has made reads as empty, and who joins makes it."""
        is_there = not is_absent(url)
        if self._store is not None and self._store.url == url and self._is_there and is_there:
            return self._store
        self.close_store()
        self._store = open_store(url) if is_there else self._absent(caller, url, joins=joins)
        self._is_there = is_there
        return self._store

    def _absent(self, caller: Caller, url: str, *, joins: bool) -> Store:
        from mailstop.engines.absent import AbsentStore

        command = joining(caller, DEFAULT_BAG, url)
        if not joins and caller.registration and caller.registration.store == url:
            raise StoreGone(path=config.store_path(url), command=command)

        def make() -> Store:
            if joins:
                return open_store(url)
            raise StoreAbsent(path=config.store_path(url), command=command)

        return AbsentStore(url, make)

    def close_store(self) -> None:
        """Close the store; the next call opens it anew."""
        if self._store is not None:
            self._store.close()
            self._store = None

    # -- sessions

    def seat(self, office: Office, name: str, bag: str) -> Seated:
        """Take a seat for the caller of an office, and write its session down where nobody has."""
        seat_to_take(name)  # before anything is written
        checked_name(bag, "bag")
        caller = office.caller
        if caller.who == STRANGER and caller.client:
            raise DoubtfulCaller(reason=caller.reason)
        if caller.who == STRANGER:
            self._own = office.caller = _connection(caller)
        if office.session is None:
            found = facts_of(office.caller, self._facts(office.caller))
            known = caller.registration.session if caller.registration else None
            session = office.register(found, known=known, automatic=False).session
            written = registry.Registration.of(session, store=office.store.url, life=office.caller.living())
            registry.write(written)
            office.caller = office.caller.but(registration=written)
            if self._own is not None:
                self._own = office.caller
        seated = office.join(name, bag=bag)
        office.sweep()
        return seated

    def _facts(self, caller: Caller) -> Mapping[str, str]:
        """The environment that tells of a session: Codex hands its servers next to nothing of its own."""
        if caller.client != "codex" or caller.life is None:
            return self._environment
        from mailstop.clients.codex import home_of_process

        return {**self._environment, "CODEX_HOME": home_of_process(caller.life.pid, self._environment)}

    def end(self) -> None:
        """The connection is over: a session of its own ends with it, and what it held is free."""
        try:
            if self._own is not None and self._own.registration is not None:
                registration = self._own.registration
                if not is_absent(registration.store):
                    Office(self._opened(self._own, registration.store, joins=False), self._own).end()
                registry.remove(registration)
                bells.silence(registration.bell)
        except MailstopError:  # its process is about to be gone, which proves the same
            pass
        finally:
            self.close_store()
            self._lineage.close()


def turn_of(meta: Mapping[str, Any]) -> str:
    """Codex's id of the turn that makes a call; empty where it is not told."""
    told = meta.get(TURN)
    if isinstance(told, str):
        try:
            told = loads(told)
        except ValueError:
            return ""
    turn = told.get("turn_id") if isinstance(told, dict) else None
    return turn if isinstance(turn, str) else ""


def _connection(caller: Caller) -> Caller:
    """A session of its own for this connection: it is this very process."""
    from mailstop.clients.program import new_token

    return caller.but(who=PROGRAM, client="program", client_session=new_token(), life=my_life(), reason="")
