"""Variables: the ones of the environment that a user may set; `mailstop help environment` and the reference tell them.

Those by which a client tells its children who they are (CLAUDE_PID, CODEX_THREAD_ID) are nobody's to set.
"""

from __future__ import annotations

from mailstop.config import STORE
from mailstop.records import Record

WIDTH = 78
INDENT = " " * 6


class Variable(Record):
    """A variable. meaning: what it says. otherwise: what counts where it is not set; empty where nothing does."""

    name: str
    meaning: str
    otherwise: str = ""


VARIABLES = (
    Variable(
        STORE,
        "which store: a path, or sqlite:///PATH, where an absolute one follows four slashes. A session of a client "
        "stays with its own; --store beats both",
        "the user's",
    ),
    Variable("MAILSTOP_SEAT", "the seat that a session takes when it starts", "named after its project and branch"),
    Variable("MAILSTOP_PROJECT", "the name of a session's project", "the repository's, else the folder's"),
    Variable("MAILSTOP_SESSION", "which session a script is: `mailstop join NAME --export` prints it"),
    Variable(
        "MAILSTOP_CODEX", "the Codex that is asked to wake a thread, by its path", "the one that serves the thread"
    ),
    Variable("MAILSTOP_HTTP_HOST", "where `mailstop serve` listens; --host beats it", "127.0.0.1"),
    Variable("MAILSTOP_HTTP_PORT", "at which port; --port beats it", "8471"),
    Variable("MAILSTOP_HTTP_ALLOWED_HOSTS", "by which other names it may be called: NAME,NAME"),
    Variable("MAILSTOP_HTTP_ALLOWED_ORIGINS", "pages of which other origins may call it: https://NAME,..."),
    Variable("MAILSTOP_BRIDGE", "the lanes that it bridges: [BAG=]DIR:[BAG=]DIR"),
    Variable("MAILSTOP_TOKEN_FILE", "the file of one token for all its clients"),
    Variable("MAILSTOP_TOKEN", "that token itself; a file is the safer place"),
    Variable("XDG_DATA_HOME", "on Linux: below which folder the user's store lies", "~/.local/share"),
    Variable("XDG_CONFIG_HOME", "below which folder config.json (on Linux) and the plugin's copy lie", "~/.config"),
    Variable("CLAUDE_CONFIG_DIR", "where Claude Code's configuration lies, for `mailstop setup`", "~/.claude"),
    Variable("CODEX_HOME", "where Codex's configuration lies", "~/.codex"),
)


def told() -> str:
    """The variables, for a terminal."""
    from textwrap import fill

    parts = [
        "\n".join([f"  {each.name}", fill(_sentence(each), WIDTH, initial_indent=INDENT, subsequent_indent=INDENT)])
        for each in VARIABLES
    ]
    folders = (
        "Bells and the log lie in ~/.local/state/mailstop, wherever the store is. `mailstop doctor` says which files "
        "are used."
    )
    return "\n".join([*parts, "", fill(folders, WIDTH), "", "In the documentation: Configuration."])


def _sentence(each: Variable) -> str:
    return f"{each.meaning} (else: {each.otherwise})" if each.otherwise else each.meaning
