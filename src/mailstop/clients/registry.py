"""The registry: which clients run on this machine for this user, outside any store, one small file each.

It leads from a client to its store and session: a client that gives its children no environment finds the
same ones, and so does a command in Codex's sandbox, which sees none of its ancestors. It is a hint that the
next SessionStart writes again, so nothing here is synced to disk; a file that is torn, strange or another
user's counts as not there. Nothing secret is ever written here.

The name of a session's *bell* is decided here too, because both sides have to find it: who rings it knows the
registration, and the guard in a hook's command is one `sh` that knows only its environment. For Claude Code
that is $CLAUDE_PID. Codex gives a hook nothing but $CODEX_HOME, and no shell can hash that without starting a
process; so the registry keeps, for each CODEX_HOME, a symbolic link to the bell at a path that *ends* in it,
and `[ -e ... ]` follows the link:

    ~/.local/state/mailstop/homes/home/ann/.codex/+bell -> ~/.local/state/mailstop/bells/codex-5f1c...

It exists for `[` exactly while the bell rings. GUARD is the whole test; it works in any shell and starts
nothing. UserPromptSubmit hears the prompt bell as well, which has a link beside that one. Only Codex's goes on to
read the event when no bell rings, for the line of a door: Codex may bring it when all windows are closed, and nothing
but this hook keeps a turn from starting then. A shell reads a pipe byte by byte, so a prompt of a megabyte costs it a
second; Claude Code is spared that.
"""

from __future__ import annotations

import errno
import os
import stat
import time

from mailstop import config, errors, faults
from mailstop.clients.life import Life, is_alive
from mailstop.clients.small_file import read_small
from mailstop.json_text import dumps, loads
from mailstop.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from mailstop.session import Session

CLIENTS = ("claude", "codex", "program")

# In Codex a plugin's hook has PLUGIN_ROOT as well, the same as CLAUDE_PLUGIN_ROOT; its CLAUDE_PID may be an outer one.
GUARD = (
    's="$HOME/.local/state/mailstop"; b="$s/homes${CODEX_HOME:-$HOME/.codex}/+bell"; [ -n "$CLAUDE_PID" ] &&'
    ' [ "${PLUGIN_ROOT:-none}" != "$CLAUDE_PLUGIN_ROOT" ] && b="$s/bells/claude-$CLAUDE_PID"; [ -e "$b" ] || exit 0'
)
LINK = "+bell"  # nobody gives a CODEX_HOME this name

_LARGEST_FILE = 64 * 1024  # bytes
_STALE_S = 30 * 24 * 3600  # of a life that cannot be judged from here, such as another container's
_TORN_S = 3600  # a file that cannot be read may still be on its way in
_MOST_SWEPT = 256  # files looked at by one sweep


class Registration(Record):
    """A running client, and where its mail is.

    client_session: Claude Code's session id, Codex's thread id, a program's token. session: our own id for
    it, which stays when the client's changes. store: the URL. life: of the client's process; for Codex of the
    daemon or window that serves the thread. details: what its doors need to know, text by name, never a
    secret.
    """

    client: str
    client_session: str
    session: str
    store: str
    life: Life
    folder: str
    details: Mapping[str, str] = {}

    @property
    def file_name(self) -> str:
        """The name of its file: one for each process of Claude Code, thread of Codex, and program session."""
        if self.client == "claude":
            # The pid alone is not enough where a home folder is shared between containers or machines.
            return f"claude-{self.life.pid}-{self.life.namespace or 0}-{self.life.machine[:8]}.json"
        return f"{self.client}-{self.client_session}.json"

    @property
    def bell(self) -> str:
        """The name of the bell that says there is something new for it."""
        return bell_name(
            self.client,
            pid=self.life.pid,
            codex_home=self.details.get("codex_home", ""),
            token=self.client_session,
        )

    @classmethod
    def of(cls, session: Session, *, store: str, life: Life) -> Registration:
        """The registration of a session of the board. life: of the process that is to be found by it."""
        details = {name: str(value) for name, value in session.details.items()}
        return cls(session.client, session.client_session, session.id, store, life, session.folder, details)

    @classmethod
    def from_dict(cls, value: object) -> Registration | None:
        """The registration that `as_dict` gave, its life as a dictionary; None for anything else."""
        if not isinstance(value, dict):
            return None
        texts = [value.get(name) for name in ("client", "client_session", "session", "store", "folder")]
        life = Life.from_dict(value.get("life"))
        details = value.get("details")
        if life is None or not isinstance(details, dict) or not all(isinstance(text, str) for text in texts):
            return None
        client, client_session, session, store, folder = map(str, texts)
        if client not in CLIENTS or (client != "claude" and not is_session_id(client_session)):
            return None
        known = {str(name): text for name, text in details.items() if isinstance(text, str)}
        return cls(client, client_session, session, store, life, folder, known)


def bell_name(client: str, *, pid: int = 0, codex_home: str = "", token: str = "") -> str:
    """The name of a bell: Claude Code's by pid, Codex's by CODEX_HOME, a program's by its token.

    All threads of one CODEX_HOME share a bell, since their hooks cannot tell themselves apart before reading
    their input: whoever silences it has to ring it again while another thread of it has mail.
    """
    if client == "claude":
        return f"claude-{pid}"
    if client == "codex":
        return f"codex-{_hash(os.fsencode(os.path.realpath(codex_home))):016x}"
    return f"{client}-{token}"


def _hash(value: bytes) -> int:
    """FNV-1a with 64 bits: `hashlib` costs more to import than all the rest of a hook."""
    number = 0xCBF29CE484222325
    for byte in value:
        number = (number ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return number


def folder() -> str:
    """Where the registrations lie; it may not exist yet."""
    return os.path.join(config.state_folder(), "sessions")


def write(registration: Registration) -> None:
    """Write a registration, over an earlier one of this client.

    Raises StateUnavailable where nothing may be written, as in a sandbox, and ValueError for an id that is none.
    """
    if registration.client != "claude" and not is_session_id(registration.client_session):
        raise ValueError(f"{registration.client_session!r} cannot be part of a file name")
    try:
        _write(registration)
    except OSError as error:
        raise errors.StateUnavailable(path=config.state_folder(), reason=error.strerror or str(error)) from None
    if registration.client == "codex":
        _link_bell(registration.details.get("codex_home", ""), registration.bell)
        _note_store(registration.bell, registration.store)


def _write(registration: Registration) -> None:
    os.makedirs(config.state_folder(), 0o700, exist_ok=True)
    os.makedirs(folder(), 0o700, exist_ok=True)
    value = registration.but(life=registration.life.as_dict(), details=dict(registration.details)).as_dict()
    _replace(os.path.join(folder(), registration.file_name), dumps(value).encode())


def _replace(path: str, content: bytes) -> None:
    """Write a file whole or not at all, over one that is there. Raises OSError."""
    fresh = os.path.join(os.path.dirname(path), f".{os.getpid()}-{os.urandom(4).hex()}.new")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        try:
            if os.write(descriptor, content) < len(content):  # the disk is full from there on
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        finally:
            os.close(descriptor)
        faults.reach("registration written")
        os.replace(fresh, path)
    except BaseException:
        os.unlink(fresh)
        raise


def _note_store(bell: str, store: str) -> None:
    """Note that a session with this bell has its mail in this store; without it others' letters wait a little longer.

    A file for each store, named by a hash of its URL, so that nobody who looks has to read all registrations.
    """
    path = os.path.join(_stores_folder(bell), f"{_hash(store.encode('utf-8', 'surrogateescape')):016x}")
    try:
        if read_small(path, largest=_LARGEST_FILE, own=True) == os.fsencode(store):
            os.utime(path)
            return
        for place in (os.path.dirname(os.path.dirname(path)), os.path.dirname(path)):  # the mode is that of the last
            os.makedirs(place, 0o700, exist_ok=True)
        _replace(path, os.fsencode(store))
    except OSError:
        pass


def _stores_folder(bell: str) -> str:
    return os.path.join(config.state_folder(), "stores", bell)


def _link_bell(codex_home: str, bell: str) -> None:
    """Make the links by which a hook's guards find the bells of its CODEX_HOME; without them only Stop sees letters."""
    if not codex_home.startswith("/") or ".." in codex_home.split("/"):
        return  # would lead out of the folder of links
    link = os.path.join(f"{config.state_folder()}/homes{codex_home}", LINK)
    target = os.path.join(config.state_folder(), "bells", bell)
    _link(link, target)
    _link(link + config.PROMPT_BELL, target + config.PROMPT_BELL)


def _link(link: str, target: str) -> None:
    try:
        if os.path.islink(link) and os.readlink(link) == target:
            return
        os.makedirs(os.path.dirname(link), 0o700, exist_ok=True)
        fresh = f"{link}.{os.urandom(4).hex()}"
        os.symlink(target, fresh)
        os.replace(fresh, link)
    except OSError:
        pass


def claude_of(pid: int, start: int) -> Registration | None:
    """The registration of the Claude Code that this process is."""
    for registration in _named(f"claude-{pid}-"):
        if registration.life.is_same(pid, start):
            return registration
    return None


def claude_pids() -> set[int]:
    """The pids of all registrations of Claude Code; whether they still are those processes is another question."""
    parts = (name.split("-") for name in _names() if name.startswith("claude-"))
    return {int(part[1]) for part in parts if part[1].isdigit()}


def claude_outside(pid: int, client_session: str) -> Registration | None:
    """The registration of a Claude Code whose process cannot be seen from this pid namespace, by all that is known."""
    for registration in _named(f"claude-{pid}-"):
        if registration.client_session == client_session:
            return registration
    return None


def codex_of(thread: str) -> Registration | None:
    """The registration of a Codex thread, whichever process serves it."""
    return _read(f"codex-{thread}.json") if is_session_id(thread) else None


def program_of(token: str) -> Registration | None:
    """The registration of a program session."""
    return _read(f"program-{token}.json") if is_session_id(token) else None


def of_window(codex_home: str, window: str) -> Registration | None:
    """The registration of the Codex thread that was the last to start in this window, and in no other.

    window: as hooks note it (see codex_window).
    """
    found = [one for one in _named("codex-") if one.details.get("windows") == window]
    found = [one for one in found if one.details.get("codex_home") == codex_home]
    return max(found, key=lambda one: float(one.details.get("noted") or 0), default=None)


def stores_of(bell: str) -> set[str]:
    """The URLs of the stores in which a Codex thread with this bell was registered within the last month or so."""
    place = _stores_folder(bell)
    contents = (read_small(os.path.join(place, name), largest=_LARGEST_FILE, own=True) for name in _listed(place))
    return {os.fsdecode(content) for content in contents if content}


def everyone() -> list[Registration]:
    """All registrations that can be read, whether their clients live or not."""
    return _named("")


def remove(registration: Registration) -> None:
    """Take out a registration, unless another process has registered in its place. It may be gone already."""
    seen = _identity(registration.file_name)
    there = _read(registration.file_name)
    if there is None or there.life == registration.life:
        _unlink(registration.file_name, seen)


def sweep() -> list[Registration]:
    """Remove what dead clients left behind, at most 256 files looked at, and return their registrations.

    Those of Codex stay for a month: a thread is resumed on another server, and has to find its store again.
    """
    names = _names()
    # Another part each time, should there ever be more.
    first = time.time_ns() % len(names) if len(names) > _MOST_SWEPT else 0
    dead = []
    for name in (names[first:] + names[:first])[:_MOST_SWEPT]:
        seen = _identity(name)
        registration = _read(name) if name.endswith(".json") else None
        alive = is_alive(registration.life) if registration else None
        of_codex = registration is not None and registration.client == "codex"
        if registration and alive is False and not of_codex:
            if _unlink(name, seen):
                dead.append(registration)
        elif alive is not True and _age_s(name) > (_STALE_S if registration else _TORN_S):
            _unlink(name, seen)
    for bell in _listed(_stores_folder(""))[:_MOST_SWEPT]:
        _sweep_stores(_stores_folder(bell))
    return dead


def _sweep_stores(place: str) -> None:
    for name in _listed(place)[:_MOST_SWEPT]:
        path = os.path.join(place, name)
        try:
            if time.time() - os.lstat(path).st_mtime > _STALE_S:
                os.unlink(path)
        except OSError:
            continue


def _names() -> list[str]:
    return _listed(folder())


def _listed(place: str) -> list[str]:
    try:
        return sorted(os.listdir(place))
    except OSError:
        return []


def _named(beginning: str) -> list[Registration]:
    names = (name for name in _names() if name.startswith(beginning) and name.endswith(".json"))
    return [registration for name in names if (registration := _read(name))]


def _read(name: str) -> Registration | None:
    content = read_small(os.path.join(folder(), name), largest=_LARGEST_FILE, own=True)
    try:
        registration = Registration.from_dict(loads(content or b""))
    except ValueError:
        return None
    return registration if registration and registration.file_name == name else None


def _identity(name: str) -> tuple[int, int] | None:
    """What tells a file from another one of the same name that is put in its place."""
    try:
        facts = os.lstat(os.path.join(folder(), name))
    except OSError:
        return None
    return facts.st_ino, facts.st_mtime_ns  # a number is used again; a move changes neither


def _unlink(name: str, seen: tuple[int, int] | None) -> bool:
    """Remove the file that was seen under this name; one that a client has put there since stays."""
    path = os.path.join(folder(), name)
    aside = f".{os.getpid()}-{os.urandom(4).hex()}.swept"
    try:
        os.rename(path, os.path.join(folder(), aside))
        taken = _identity(aside)
        if taken != seen:  # put there between the look and the move: back, unless a newer one is there by now
            os.link(os.path.join(folder(), aside), path)
        os.unlink(os.path.join(folder(), aside))
    except OSError:  # what was moved aside and is left there is swept as a torn file
        return False
    return taken == seen


def _age_s(name: str) -> float:
    try:
        facts = os.lstat(os.path.join(folder(), name))
    except OSError:
        return 0.0
    return 0.0 if stat.S_ISDIR(facts.st_mode) else time.time() - facts.st_mtime


def is_session_id(text: str) -> bool:
    """Whether this can be a client's id of a session: such ids become part of a file name, on every system."""
    return 0 < len(text) <= 128 and text.isascii() and all(c.isalnum() or c in "-_" for c in text)
