"""Leases on SQLite: what is folded of their entries, and the queries of an index about them.

An address is found from what it is asked about: from its ancestors, which are few and are looked up by name, or in the
range of what lies below. So a look costs the same however many leases there are elsewhere. One with wildcards lies
where its literal part ends, and is found as if it were all that lies below that.
"""

from __future__ import annotations

from mailstop.engines.entry import subject
from mailstop.engines.sqlite.statements import named, sql_file
from mailstop.json_text import dumps
from mailstop.lease import Address, Lease, Resource
from mailstop.names import PERSON

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence
    from typing import Any

    from mailstop.engines.entry import Entry
    from mailstop.engines.sqlite.index import Tables

SUBJECT = subject("leases")  # on which all their entries stand
STATEMENT = named(sql_file("subjects/leases.sql"))


def fold(sqlite: sqlite3.Connection, entry: Entry) -> None:
    """Take in one entry about leases."""
    if entry.type == "lease_taken":
        _taken(sqlite, entry)
    elif entry.type == "lease_renewed":
        for term, item, until, ttl in entry.data["leases"]:
            values = {"term": term, "item": item, "until": until, "ttl": ttl, "session": entry.data["session"]}
            sqlite.execute(STATEMENT["renew"], {**values, "note": entry.data.get("note")})
    else:
        for term, item, _reason in entry.data["leases"]:
            sqlite.execute(STATEMENT["end"], {"term": term, "item": item})
            sqlite.execute(STATEMENT["clear"], {"term": term, "item": item})


def _taken(sqlite: sqlite3.Connection, entry: Entry) -> None:
    data = entry.data
    who = (entry.bag, data["seat"], data["session"], data.get("epoch", 0), data.get("client", ""))
    when = (data.get("shared", False), entry.at, data["until"], data["ttl"])
    for item, resource in enumerate(data["resources"]):
        what = (resource["kind"], resource["shown"], resource["project"], resource["project_id"], data.get("note", ""))
        sqlite.execute(STATEMENT["take"], (entry.n, item, *who, *when, *what))
        for place, stored in enumerate(resource["at"]):
            at = Address.of(stored)
            values = (at.scope, at.literal, entry.n, item, place, at.pattern, at.folds)
            sqlite.execute(STATEMENT["lay"], values)


class SQLiteLeases:
    """Reads only; the fold writes."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def last(self) -> int:
        ((number,),) = self._tables.rows(STATEMENT["last"], {"subject": SUBJECT})
        return int(number)

    def near(self, address: Address) -> list[Lease]:
        literal = address.literal
        bounds = {"below": f"{literal}/", "past": f"{literal}0"}  # "0" follows "/" in ASCII
        return self._leases("near", scope=address.scope, above=dumps(_ancestors(literal)), **bounds)

    def of_session(self, session: str) -> list[Lease]:
        found: dict[tuple[int, int], Lease] = {}
        for lease in self._leases("of_session", session=session):
            first = found.get(lease.id)
            at = (*(first.resource.at if first else ()), *lease.resource.at)
            found[lease.id] = lease.but(resource=lease.resource.but(at=at))
        return list(found.values())

    def all(self) -> list[Lease]:
        return self._leases("all")

    def _leases(self, query: str, **values: Any) -> list[Lease]:
        return list(map(_lease, self._tables.rows(STATEMENT[query], {**values, "person": PERSON})))


def _ancestors(literal: str) -> list[str]:
    """A place and all that it lies in, up to the top of its scope."""
    found, at = [literal], literal.rfind("/")
    while at >= 0:
        found.append(literal[:at])
        at = literal.rfind("/", 0, at)
    return found


def _lease(row: Sequence[Any]) -> Lease:
    (*own, kind, shown, project, project_id), (note, *at, folds, seated) = row[:15], row[15:]
    resource = Resource(kind, shown, project, project_id, (Address(*[*at, bool(folds)]),))
    lease = Lease(*[*own, resource, note, bool(seated)])
    return lease.but(shared=bool(lease.shared))
