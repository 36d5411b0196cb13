"""Shared token: one token for all clients of a server, from MAILSTOP_TOKEN or from the file MAILSTOP_TOKEN_FILE names.

It says that a client may come in, and not who it is. What this process keeps of it is a digest. The variable is taken
out of the environment before anything is started that would inherit it, and overwritten where the system shows what a
process was started with (/proc/PID/environ).
"""

from __future__ import annotations

import os
import shlex
import stat

from mailstop import errors
from mailstop.records import Record
from mailstop.token import digest_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import MutableMapping

TOKEN, TOKEN_FILE = "MAILSTOP_TOKEN", "MAILSTOP_TOKEN_FILE"
LARGEST_FILE = 4096  # bytes
# Where a container's runtime mounts secrets, often readable by all there: nobody but the container sees the folder.
MOUNTED = "/run/secrets/"


class SharedToken(Record):
    """The one token of all clients. digest: of its text. source: the variable or the file that it came from."""

    digest: str
    source: str

    def is_it(self, text: str) -> bool:
        """Whether a text is this token; takes as long for any text of the same length."""
        from hmac import compare_digest

        return compare_digest(digest_of(text), self.digest)


def take_shared_token(environment: MutableMapping[str, str]) -> SharedToken | None:
    """The shared token, if there is one; its text is not in the environment any more.

    environment: `os.environ`, for a server. Raises BlankToken, TwoTokens, UnusableToken, TokenFileUnreadable,
    TokenFileExposed.
    """
    text = environment.get(TOKEN)
    path = environment.get(TOKEN_FILE)
    if text is not None:
        if environment is os.environ:
            _overwrite(TOKEN)
        del environment[TOKEN]
    if text is not None and path is not None:
        raise errors.TwoTokens()
    if text is not None:
        return _shared(text, TOKEN, TOKEN)
    if path is None:
        return None
    if not path.strip():
        raise errors.BlankToken(source=TOKEN_FILE, variable=TOKEN_FILE)
    return _shared(_content(path), path, TOKEN_FILE)


def _shared(text: str, source: str, variable: str) -> SharedToken:
    text = text.strip()
    if not text:
        raise errors.BlankToken(source=source, variable=variable)
    if not (text.isascii() and text.isprintable()) or " " in text:
        raise errors.UnusableToken(source=source, reason="it may hold printable ASCII characters without blanks")
    return SharedToken(digest_of(text), source)


def _content(path: str) -> str:
    """What the token's file holds. Its owner and mode are those of the very file that is read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)  # a FIFO must not block us
    except (OSError, ValueError) as error:
        raise errors.TokenFileUnreadable(path=path, reason=getattr(error, "strerror", None) or str(error)) from None
    try:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode):
            raise errors.TokenFileUnreadable(path=path, reason="it is no regular file")
        _refuse_exposed(path, facts)
        if facts.st_size > LARGEST_FILE:
            raise errors.TokenFileUnreadable(path=path, reason=f"it has more than {LARGEST_FILE} bytes")
        return os.read(descriptor, LARGEST_FILE + 1).decode("ascii", "surrogateescape")
    except OSError as error:
        raise errors.TokenFileUnreadable(path=path, reason=error.strerror or str(error)) from None
    finally:
        os.close(descriptor)


def _refuse_exposed(path: str, facts: os.stat_result) -> None:
    """Raise TokenFileExposed where others may change or read a file.

    A group may read what belongs to root, as it may a server's TLS key (PostgreSQL has the same rule); anybody what a
    container's runtime has mounted.
    """
    mode = stat.S_IMODE(facts.st_mode)
    command = f"chmod 600 {shlex.quote(path)}"
    if facts.st_uid not in (0, os.geteuid()):
        owner = f"chown {os.geteuid()} {shlex.quote(path)}"
        raise errors.TokenFileExposed(path=path, reason=f"it belongs to user {facts.st_uid}", command=owner)
    readable = stat.S_IRGRP | stat.S_IROTH
    if os.path.realpath(path).startswith(MOUNTED):
        readable = 0
    elif facts.st_uid == 0 and os.geteuid() != 0:
        readable = stat.S_IROTH
    if mode & (stat.S_IWGRP | stat.S_IWOTH | readable):
        raise errors.TokenFileExposed(path=path, reason=f"its mode is {mode:04o}", command=command)


def _overwrite(name: str) -> None:
    """Overwrite a variable's value where it stands since this process was started; where that cannot be, it stays."""
    try:
        import ctypes

        getenv = ctypes.CDLL(None).getenv
        getenv.argtypes, getenv.restype = [ctypes.c_char_p], ctypes.c_void_p
        place = getenv(name.encode())
        if place:
            ctypes.memset(place, ord("x"), len(ctypes.string_at(place)))
    except (ImportError, OSError, AttributeError):  # no ctypes here, or no such C library
        return
