"""The processes above a server: remembered from call to call, and never those that are there no more."""

from __future__ import annotations

import os
import subprocess
import sys

from mailstop.clients.ancestry import ancestors
from mailstop.mcp.lineage import Lineage

# A process that starts another one and ends when it is told to; the other one says who is above it at each line.
BETWEEN = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", sys.argv[1]], stdin=0)
print(child.pid, flush=True)
import os
os.read(int(sys.argv[2]), 1)
"""
BELOW = """
import os, sys
from mailstop.clients.ancestry import ancestors
from mailstop.mcp.lineage import Lineage

lineage = Lineage()
for line in sys.stdin:
    print(*(each.pid for each in lineage.now()), flush=True)
    assert lineage.now() == ancestors()
"""


def test_a_lineage_is_what_climbing_finds() -> None:
    lineage = Lineage()
    assert lineage.now() == lineage.now() == ancestors()
    lineage.close()


def test_a_lineage_that_was_closed_is_found_anew() -> None:
    lineage = Lineage()
    lineage.now()
    lineage.close()
    assert lineage.now() == ancestors()
    lineage.close()


def test_a_process_whose_parent_has_ended_has_other_ancestors() -> None:
    end, told = os.pipe()
    argv = [sys.executable, "-c", BETWEEN, BELOW, str(end)]
    between = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, pass_fds=(end,))
    assert between.stdin and between.stdout
    with between.stdin, between.stdout:
        between.stdout.readline()  # the pid of the one below

        def above() -> list[int]:
            assert between.stdin and between.stdout
            between.stdin.write("\n")
            between.stdin.flush()
            return [int(pid) for pid in between.stdout.readline().split()]

        assert above()[0] == between.pid
        os.close(told)
        between.wait(30)
        found = above()
        assert found
        assert between.pid not in found
    os.close(end)
