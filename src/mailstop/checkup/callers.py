"""Callers: who runs this, how a letter would come to them, and who else works here with another store."""

from __future__ import annotations

import os
import shlex

from mailstop import config
from mailstop.checkup.finding import FAILED, OK, WARNING, Finding
from mailstop.checkup.trial import KIND
from mailstop.clients import registry
from mailstop.clients.life import is_alive
from mailstop.clients.project import place_of
from mailstop.clients.stores import join_command
from mailstop.engines.sqlite.inspection import Look, LookedAt
from mailstop.errors import MailstopError
from mailstop.fence import client_text
from mailstop.names import DEFAULT_BAG, POSTMASTER
from mailstop.office import Office
from mailstop.rules import routes
from mailstop.rules.ways import words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from mailstop.clients.caller import Caller
    from mailstop.reading import Self
    from mailstop.rules.presence import Holder
    from mailstop.session import Session

_MOST_SESSIONS = 5


def caller(who: Caller) -> Finding:
    """Who is calling, by what evidence."""
    if who.who == "person":
        return Finding("caller", OK, "the person: a terminal, and no client above this process")
    if who.who == "stranger":
        return Finding("caller", OK, f"a program that has not joined: {who.reason}")
    text = client_text(who.client)
    if who.who == "client":
        text += f" {who.client_session}" if who.client_session else ""
        text += f", process {who.life.pid}" if who.life else ", whose process cannot be seen from here"
    text += ", in a sandbox" if who.sandboxed else ""
    if who.who == "client" and who.registration is None:
        trust = " --with trust" if who.client == "codex" else ""
        text += ": no hook of mailstop has run in this session, so nothing shows it letters"
        return Finding("caller", FAILED, text, f"mailstop setup {who.client}{trust}")
    return Finding("caller", OK, text)


def seat(who: Caller, url: str) -> list[Finding]:
    """Which seats the caller holds, and which way a letter to them would take now."""
    try:
        look = Look(config.store_path(url))
        try:
            office = Office(LookedAt(look), who)
            me = office.reading.myself()
            waiting = me.waiting - _own_letters(office, me.waiting) if me.waiting else 0
        finally:
            look.close()
    except MailstopError as error:
        return [Finding("seat", WARNING, f"cannot be told: {error.message}")]
    if not me.seats:
        if who.who == "person":
            return [Finding("seat", OK, "none, for there is no bag yet; the first session to join makes one")]
        state = WARNING if who.who == "client" else OK
        command = join_command(who, DEFAULT_BAG, url, has_session=me.session is not None)
        return [Finding("seat", state, "none, so nobody can write to this session", command)]
    names = [one.name + (f" in bag {one.bag}" if one.bag != DEFAULT_BAG else "") for one in me.seats]
    unread = f"; {waiting} unread" if waiting else ""
    return [Finding("seat", OK, f"{' and '.join(names)}{unread}"), _way(who, me)]


def _own_letters(office: Office, most: int) -> int:
    """How many of so many unread letters are the doctor's own of earlier runs: handed out, and not proved shown yet."""
    index, seats = office.store.index, office.seats()
    notices = [one for seat in seats for one in index.unread(seat.bag, seat.name, sender=POSTMASTER, limit=most)]
    return sum(one.kind == KIND for one in notices)


def _way(who: Caller, me: Self) -> Finding:
    if who.who == "person" or me.session is None:
        return Finding("way", OK, "no bell rings at a terminal: the person sees letters with mailstop check")
    way, session = me.way, me.session
    if way != routes.VISIT:
        return Finding("way", OK, words_of(way).own)
    return Finding("way", WARNING if who.who == "client" else OK, _why_nothing(session), "mailstop check --wait 60")


def _why_nothing(session: Session) -> str:
    """Why nothing wakes a session."""
    if session.client == "program":
        return "nothing wakes a program: it looks, or waits"
    if session.client != "claude":
        return f"nothing: {client_text(session.client)} has no door that can be rung"
    if session.mode == "bypassPermissions":
        return "nothing: no monitor of mailstop's plugin listens, and the client holds its socket's messages back"
    return "nothing: no monitor of mailstop's plugin listens, and the client has no message socket"


def worktrees(who: Caller | None, url: str, folder: str) -> Finding:
    """Whether living sessions of this project use another store, so that letters between them do not meet.

    who: the caller, None where that is not known; a session keeps the store that it joined in, until it joins anew.
    """
    place = place_of(folder)
    others = [
        one
        for one in registry.everyone()
        if one.store != url and is_alive(one.life) and place_of(one.folder).project_id == place.project_id
    ]
    if not others:
        return Finding("worktrees", OK, f"no living session of project {place.project} uses another store")
    named = [f"{client_text(one.client)} in {one.folder} uses {one.store}" for one in others[:_MOST_SESSIONS]]
    text = f"letters do not meet, in one project with two stores: {'; '.join(named)}"
    mend = f"export MAILSTOP_STORE={shlex.quote(others[0].store)}"
    if who and who.registration:
        mend = join_command(who, DEFAULT_BAG, others[0].store)
    return Finding("worktrees", WARNING, text, mend)


def bags(who: Caller, url: str, folder: str) -> list[Finding]:
    """Whether sessions of this project sit in bags in which the caller has no seat; nothing where it has none at all.

    Raises nothing: what cannot be looked at was told of with the store.
    """
    place = place_of(folder)
    try:
        look = Look(config.store_path(url))
        try:
            office = Office(LookedAt(look), who)
            own = {one.bag for one in office.seats()}
            held = [holder for holder in office.reading.holders() if holder.present]
        finally:
            look.close()
    except MailstopError:
        return []
    if not own or office.is_person:
        return []
    near = [one for one in held if one.session and one.session.project_id == place.project_id]
    apart = [one for one in near if one.seat.bag not in own and not _meets(one, near, own)]
    if not apart:
        return [Finding("bags", OK, f"every living session of project {place.project} shares a bag with this one")]
    named = [f"{one.seat.name} in bag {one.seat.bag}" for one in apart[:_MOST_SESSIONS]]
    text = f"in one project and store, and in no bag of this session's: {', '.join(named)}"
    return [Finding("bags", WARNING, text, f"mailstop join NAME --bag {apart[0].seat.bag}")]


def _meets(holder: Holder, near: Sequence[Holder], own: set[str]) -> bool:
    """Whether the session of a seat sits in one of these bags too."""
    return any(one.seat.session == holder.seat.session and one.seat.bag in own for one in near)


def here() -> str:
    """The folder this runs in; the root where it was deleted."""
    try:
        return os.getcwd()
    except OSError:
        return "/"
