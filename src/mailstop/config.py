"""Where things lie: the store, the state folder with its bells and registrations, the log.

Folders follow the XDG base directory specification on Linux and Apple's conventions on macOS, computed here because
`platformdirs` costs more to import than a whole `check` may take; a test compares the two.
"""

from __future__ import annotations

import os
import sys

from mailstop import errors
from mailstop.errors import StoreUnavailable

SQLITE = "sqlite:///"
STORE = "MAILSTOP_STORE"  # the variable that chooses a store
DELIVERY_BYTES = 8_000  # of letters at once; Claude Code withholds a hook's text from 10,000 characters on
PROMPT_BELL = "-prompt"  # how the name of a bell ends that only the hook of a prompt hears; its guard says it too


def home() -> str:
    """The user's home folder: $HOME, else what the password database says."""
    return os.environ.get("HOME", "").rstrip("/") or os.path.expanduser("~")


def _xdg(variable: str, default: str) -> str:
    # The specification has relative and empty values ignored.
    value = os.environ.get(variable, "")
    return value if os.path.isabs(value) else os.path.join(home(), default)


def data_folder() -> str:
    """Where the default store lies."""
    if sys.platform == "darwin":
        return os.path.join(home(), "Library", "Application Support", "mailstop")
    return os.path.join(_xdg("XDG_DATA_HOME", ".local/share"), "mailstop")


def config_file() -> str:
    """What the user has set; it need not be there."""
    if sys.platform == "darwin":
        return os.path.join(data_folder(), "config.json")
    return os.path.join(_xdg("XDG_CONFIG_HOME", ".config"), "mailstop", "config.json")


def state_folder() -> str:
    """Where bells, registrations and the log lie: one fixed folder per user, whatever the store.

    It follows no variable: a client may hand its children another environment than the sender has, and both must
    find the same bells.
    """
    return f"{home()}/.local/state/mailstop"


def log_file() -> str:
    """Where a hook writes what went wrong, because it must never fail its client."""
    return os.path.join(state_folder(), "log")


def default_store() -> str:
    """The URL of the store that is used when nobody chose one."""
    return store_url(os.path.join(data_folder(), "mailstop.db"))


def chosen_store(option: str | None = None) -> str | None:
    """The URL that `--store`, else MAILSTOP_STORE, names; None when neither does. An empty value counts as unset."""
    for value in (option, os.environ.get(STORE)):
        if value:
            return store_url(value)
    return None


def store_url(value: str) -> str:
    """The URL for a URL or a plain path, made absolute. `..` is left to the system. Raises InvalidStore, DoubtfulStore
    for a URL that is likely short of a slash, or StoreUnavailable for a relative path where the folder this runs in was
    deleted."""
    if value == "memory:":
        return value
    path = os.path.expanduser(value.removeprefix(SQLITE) if value.startswith(SQLITE) else value)
    if not path or ("://" in value and not value.startswith(SQLITE)) or not path.isprintable():
        raise errors.InvalidStore(url=value)
    if path.startswith("~"):  # the home of nobody: a folder of that name would be made
        raise errors.InvalidStore(url=value)
    if os.path.isabs(path):
        folder = "/"
    else:
        try:
            folder = os.getcwd()
        except OSError:
            raise StoreUnavailable(path=path, reason="it is a relative path, in a folder that is gone") from None
        if value.startswith(SQLITE):
            _refuse_lost_slash(path, folder)
    if ".." in path.split("/"):  # behind a symbolic link it is not what the letters of the path say
        return SQLITE + os.path.join(folder, path)
    return SQLITE + os.path.normpath(os.path.join(folder, path))


def _refuse_lost_slash(path: str, folder: str) -> None:
    """Raise DoubtfulStore for a relative path of a URL that begins in a folder which lies below / and not here: read as
    it is written, servers that are started in different folders would each make a store of their own."""
    first, slash, _ = path.partition("/")
    if slash and os.path.isdir(f"/{first}") and not os.path.isdir(os.path.join(folder, first)):
        raise errors.DoubtfulStore(url=SQLITE + path, folder=first, absolute=f"{SQLITE}/{path}")


def store_name(url: str) -> str:
    """How a store is named to people: its file, where it is one."""
    return url.removeprefix(SQLITE)


def store_path(url: str) -> str:
    """The file of an SQLite store. Raises InvalidStore for another kind of URL."""
    if not url.startswith(SQLITE) or not os.path.isabs(url.removeprefix(SQLITE)):
        raise errors.InvalidStore(url=url)
    return url.removeprefix(SQLITE)
