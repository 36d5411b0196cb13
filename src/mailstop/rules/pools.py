"""Pools: where tasks of a project wait for whoever works there, and whether anybody does.

Guards: none of their own; what is put into a pool is a task (rules/tasks). Who is there is told and not promised: they
may be gone a moment later, and the task waits.
"""

from __future__ import annotations

from mailstop.errors import UnknownPool
from mailstop.names import in_bag
from mailstop.rules.presence import holder_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from mailstop.engines.base import Store
    from mailstop.session import Session

MOST_NAMED = 5  # projects that a refusal names


def refuse_unknown(store: Store, bag: str, project_id: str, project: str) -> None:
    """Raise UnknownPool for the pool of a project in which nobody has ever sat in the bag, or works now: as with a
    letter to a seat that nobody knows, nobody might ever come."""
    if store.index.channels.of_project(bag, project_id) or any(_working(store, bag, project_id, "")):
        return
    names = sorted({seat.project for seat in store.index.seats(bag) if seat.project})
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    named = f" Projects here: {', '.join(names[:MOST_NAMED])}{more}; give it in a folder of theirs." if names else ""
    raise UnknownPool(project=project or project_id, where=in_bag(bag), named=named, known=names)


def note(store: Store, bag: str, project_id: str, project: str, giver: str) -> str:
    """What whoever puts a task into a pool is told when nobody else is there to take it; empty when somebody is."""
    if any(_working(store, bag, project_id, giver)):
        return ""
    others = "nobody else" if any(_working(store, bag, project_id, "")) else "nobody"
    return f"{others} of project {project or project_id} is here now: it waits until somebody is, and takes it"


def _working(store: Store, bag: str, project_id: str, but: str) -> Iterator[Session]:
    """The sessions that sit in a bag and work in a project, except at the seat `but`; unknown is not dead."""
    for seat in store.index.seats(bag):
        if seat.session is None or seat.name == but:
            continue
        session = holder_of(store, seat).present
        if session and (session.project_id or "unknown") == project_id:
            yield session
