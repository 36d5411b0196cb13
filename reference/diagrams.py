"""Diagrams: GitHub draws Mermaid's, this site would have to load what draws them; it tells them by tables."""

from __future__ import annotations

import re

from reference.text import code, table

DIAGRAM = re.compile(r"^```mermaid\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MOVE = re.compile(r"^ *(\S+) --> (\S+)(?:: (.+))?$")
NAMED = re.compile(r"^ *state \"(.+)\" as (\S+)$")
IGNORED = ("", "stateDiagram-v2")


def as_tables(markdown: str) -> str:
    """The page with a table of moves in place of each diagram of states. Raises ValueError for what it cannot tell."""
    return DIAGRAM.sub(lambda found: _told(found[1]), markdown)


def _told(diagram: str) -> str:
    names, moves = {"[*]": "–"}, []
    for line in diagram.splitlines():
        if named := NAMED.match(line):
            names[named[2]] = named[1]
        elif move := MOVE.match(line):
            moves.append(move.groups())
        elif line.strip() not in IGNORED:
            raise ValueError(f"a diagram has a line that no table can tell: {line}")
    rows = [(names.get(a, code(a)), names.get(b, code(b)), how or "") for a, b, how in moves]
    return table(("from", "to", "by"), rows)
