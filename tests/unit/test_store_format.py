"""The store's format: whoever changes the tables of the index raises its number."""

from __future__ import annotations

import hashlib
import re

from mailstop.engines.sqlite.connection import FORMAT
from mailstop.engines.sqlite.statements import sql_file

# Of each format that a store may have, the tables of its index.
DIGESTS = {3: "be8aabb70f9d3a2c"}


def test_the_tables_of_the_index_are_those_of_its_format() -> None:
    """A store whose number is the program's own is taken as it is: it would lack a table that was added meanwhile."""
    statements = re.sub(r"\s+", " ", re.sub(r"--[^\n]*", "", sql_file("index.sql"))).strip()
    digest = hashlib.sha256(statements.encode()).hexdigest()[:16]

    assert DIGESTS.get(FORMAT) == digest, (
        f"index.sql has changed: once format {FORMAT} is in use, add a migration, which raises the format; then write"
        f" {digest!r} down here"
    )
