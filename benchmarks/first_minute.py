"""`python -m benchmarks.first_minute [--write]`: a new user's first minute with real clients, in commands and seconds.

It is lived by tests/clients/test_first_minute.py, behind the seal of tests/clients/run.sh. --write: the table of
docs/tutorial.md becomes the one that was measured.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "tutorial.md"
TEST = "tests/clients/test_first_minute.py"
_TABLE = re.compile(r"(?:^\|.*\n)+", re.MULTILINE)


def main(words: list[str]) -> int:
    """Live it and print the table. Exit code 1: something was not as it should be; the output says what."""
    argv = ["sh", "tests/clients/run.sh", sys.executable, str(ROOT / TEST)]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True)
    found = _TABLE.search(done.stdout)
    if not found:
        print(done.stdout + done.stderr, file=sys.stderr)
        return 1
    print(found[0], end="")
    if "--write" in words:
        before, section, after = PAGE.read_text().partition("\n## How long it takes\n")
        PAGE.write_text(before + section + _TABLE.sub(lambda _: found[0], after, count=1))
    elif done.returncode:
        print(done.stdout + done.stderr, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
