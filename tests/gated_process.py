"""A gated server as a process of its own: it takes the shared token, starts a child, and says where both are.

Run with the path of a store. Prints the port and the child's pid; ends with its standard input. Its log, whole, goes to
standard error.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys

from mailstop.engines.sqlite.store import SQLiteStore
from mailstop.resident.shared_token import take_shared_token
from tests.gated_server import GatedServer


def main(path: str) -> None:
    logging.basicConfig(level=logging.DEBUG)
    shared = take_shared_token(os.environ)
    child = subprocess.Popen(["cat"], stdin=subprocess.PIPE)
    with GatedServer(lambda: SQLiteStore(path), shared=shared) as server:
        print(server.port, child.pid, flush=True)
        sys.stdin.read()
    assert child.stdin
    child.stdin.close()
    child.wait()


if __name__ == "__main__":
    main(sys.argv[1])
