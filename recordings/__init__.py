"""Recordings: what mailstop prints onto a terminal, from real runs, drawn as pictures for the documentation.

A scenario says which commands run in whose window. `make pictures` plays each in a temporary home, with the real
command, and draws what appeared, row by row. One thing is not as it was: the temporary home is shown as /home/you.
"""

from __future__ import annotations

from pathlib import Path

SCENARIOS = Path(__file__).parent / "scenarios"
PICTURES = Path(__file__).parents[1] / "docs/pictures"
