"""Session: one running client, as the board knows it while it lives."""

from __future__ import annotations

from mailstop.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Self


WAITING = "waiting/"  # what the board's keys begin with of those who wait for a lease

# What a session may say of its work.
ACTIVE = "active"
STATUSES = (ACTIVE, "idle", "blocked", "done")

KEPT_MS = 30 * 24 * 3600 * 1000  # how long a session that is over can be gone on with, unless it holds a seat


_NEEDED = object()  # the default of a field that has none


class Session(Record):
    """A session and what is known of it.

    id: ours; it stays through `/clear`, compaction and resume. client: `claude`, `codex` or `program`.
    client_session: the vendor's id, which may change. life: proof of life of the client's process, as a dictionary.
    bell: name of its bell. mode: the client's permission mode where it tells. attended: whether a person can see it;
    background: it joined to be woken unattended. agents: subagents still worked when its last turn ended, so that its
    client calls it busy. over: the turn whose end its hooks have seen, though the client may
    still call it busy. objective, status: what it says of its work itself, the objective one line, maybe empty.
    started, ended: milliseconds since 1970; ended 0 means: not that anybody said. details: what its doors need, never a
    secret.
    """

    id: str
    client: str
    client_session: str
    life: dict[str, Any]
    bell: str
    folder: str = ""
    project: str = ""
    project_id: str = ""
    branch: str = ""
    worktree: str = ""
    on_default_branch: bool = False
    mode: str = ""
    hooked: bool = False
    attended: bool = True
    background: bool = False
    agents: bool = False
    over: str = ""
    objective: str = ""
    status: str = ACTIVE
    started: int = 0
    ended: int = 0
    details: Mapping[str, Any] = {}

    @property
    def may_lead(self) -> bool:
        """Whether it leads its project by itself where nobody does: a client's session that a person can see, on the
        default branch of a repository as it was when the session last told of it."""
        return self.attended and self.client != "program" and bool(self.branch) and self.on_default_branch

    @property
    def key(self) -> str:
        """Its row on the board."""
        return session_key(self.id)

    @property
    def tells_of_prompts(self) -> bool:
        """Whether hooks of ours hear of the person's prompts in its window."""
        return self.hooked and self.client != "program"

    @classmethod
    def from_value(cls, value: dict[str, Any]) -> Self:
        """The session of a board row; fields that a newer program added are left out."""
        try:
            return cls(**value)
        except TypeError:
            return cls(**{name: value[name] for name in cls.fields if name in value})

    def as_value(self) -> dict[str, Any]:
        """The value of its row: without the fields that say nothing, since `who` reads the rows of all sessions."""
        return {name: value for name, value in self.as_dict().items() if value != self._defaults.get(name, _NEEDED)}

    def as_fact(self) -> dict[str, Any]:
        """Which session it is, for programs: by the vendor's id, never by a program's token."""
        return {
            "client": self.client,
            "client_session": (self.client_session or None) if self.client != "program" else None,
        }


def session_key(session_id: str) -> str:
    """The board's key of a session."""
    return f"session/{session_id}"


def handout_key(session_id: str) -> str:
    """The board's key of what is handed out to a session; the person's own id is `human`."""
    return f"handed/{session_id}"


def chain_key(session_id: str) -> str:
    """The board's key of where a session stands in the chains of letters that cause one another."""
    return f"chain/{session_id}"


def client_key(client: str, client_session: str) -> str:
    """The board's key that leads from a vendor's id to the session."""
    return f"client/{client}/{client_session}"
