"""Setup: what keeps mailstop from changing the configuration of a client."""

from __future__ import annotations

from mailstop.errors import MailstopError, NotFound, Refused, UsageError


class NotFormed(Refused):
    """{path}, line {line}, column {column}: {reason}. Nothing was changed, because nobody can say what its client
    makes of it. Mend it, then run the same command again."""


class NotReadable(Refused):
    """{path} cannot be read: {reason}. Nothing was changed."""


class NotWritable(Refused):
    """{path} cannot be written: {reason}. {done}"""


class NotOurs(Refused):
    """{path} has {entry} already, and it is not mailstop's: {found}. Nothing was changed. Rename it or take it out,
    then run the same command again."""


class ChangedMeanwhile(Refused):
    """{path} was changed by somebody else just now. Nothing was changed in it; run the same command again."""


class ClientMissing(NotFound):
    """{title} is not on PATH, and this needs its command: {need}. Nothing was changed."""


class ClientFailed(Refused):
    """{command} failed: {reason}. What had been changed before stays; mailstop setup {client} --remove takes it out."""


class UnknownClient(NotFound):
    """There is no client {name!r} here{meant}. All: {known}"""


class NoLastingCommand(Refused):
    """This mailstop runs from {path}, which {why}: clients would lose it. Nothing was changed. Install it first: uv
    tool install mailstop, or pipx install mailstop."""


class NobodyToAsk(UsageError):
    """There is no terminal to ask at. mailstop setup ... --preview shows what would be changed, --yes changes what is
    marked as safe."""


class RecordLost(MailstopError):
    """{path}, where mailstop writes down what it has set up, cannot be used: {reason}. Nothing was changed. The files
    as they were lie in {backups}."""


class NoClients(NotFound):
    """No client is here that could take part: neither claude nor codex is found on PATH. Install Claude Code (npm
    install --global @anthropic-ai/claude-code) or Codex (npm install --global @openai/codex), or name one: mailstop
    demo --claude PATH, --codex PATH."""


class DemoFailed(MailstopError):
    """The demo did not come to its end: {reason}. Nothing of it is left behind, and nothing of yours was touched."""
