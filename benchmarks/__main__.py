"""`python -m benchmarks [--few] [NAME...]`: print the ratios; exit 1 when one is over its budget.

--few: 10,000 instead of 1,000,000 letters where many are wanted.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

from benchmarks import (
    durable_send,
    guards,
    hooks,
    imports,
    lanes,
    leases,
    mcp_http,
    mcp_stdio,
    sixteen_writers,
    tasks,
    unread,
    wakes,
    who,
    whole_processes,
)
from benchmarks.measure import Comparison


def main(words: list[str]) -> int:
    many = 10_000 if "--few" in words else 1_000_000
    names = [word for word in words if not word.startswith("-")]
    suites: dict[str, Callable[[], Iterator[Comparison]]] = {
        "guards": guards.comparisons,
        "whole_processes": lambda: whole_processes.comparisons(1_000),
        "whole_processes_many": lambda: whole_processes.comparisons(many),
        "hooks": hooks.comparisons,
        "durable_send": lambda: durable_send.comparisons(1_000),
        "durable_send_many": lambda: durable_send.comparisons(many),
        "sixteen_writers": sixteen_writers.comparisons,
        "leases": leases.comparisons,
        "imports": lambda: imports.comparisons(min(many, 50_000)),
        "lanes": lambda: lanes.comparisons(many),
        "unread": lambda: unread.comparisons(many),
        "tasks": lambda: tasks.comparisons(min(many, 100_000)),
        "wakes": wakes.comparisons,
        "mcp_http": mcp_http.comparisons,
        "mcp_stdio": mcp_stdio.comparisons,
        "who": who.comparisons,
    }
    unknown = [name for name in names if name not in suites]
    if unknown:
        print(f"no benchmark {', '.join(unknown)}; there are: {', '.join(suites)}", file=sys.stderr)
        return 2
    over = 0
    for name, suite in suites.items():
        if not names or name in names:
            for comparison in suite():
                print(comparison.line, flush=True)
                over += comparison.ratio > comparison.budget
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
