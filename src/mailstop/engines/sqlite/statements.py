"""Statements: the queries of `queries.sql` by name. Each begins with a line `-- name: what it gives`."""

from __future__ import annotations

import os

_FOLDER = os.path.dirname(__file__)


def sql_file(name: str) -> str:
    """The text of an `.sql` file of this folder."""
    with open(os.path.join(_FOLDER, name), encoding="utf-8") as file:
        return file.read()


def named(text: str) -> dict[str, str]:
    """The statements of a file's text by name; an empty line ends one."""
    statements = {}
    for paragraph in text.split("\n\n"):
        heading, _, statement = paragraph.strip().partition("\n")
        name, _, _explanation = heading.removeprefix("-- ").partition(":")
        statements[name] = statement.rstrip().removesuffix(";")
    return statements


QUERY = named(sql_file("queries.sql"))
