"""Sixteen writers and two readers, killed at random moments (cases M1, M2, M10, A6, A7, D5).

MAILSTOP_SOAK_S: for how many seconds, 15 when it is not set.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.faults import storm
from tests.faults.soundness import assert_sound, stored_bodies

SOAK_S = float(os.environ.get("MAILSTOP_SOAK_S") or 15)
LONGEST_WAIT_S = 10.0


@pytest.mark.timeout(SOAK_S * 4 + 120)
def test_no_acknowledged_letter_is_lost_and_none_is_doubled(tmp_path: Path) -> None:
    store, folder, seed = tmp_path / "mail.db", tmp_path / "journals", random.randrange(1 << 32)
    folder.mkdir()

    command = [sys.executable, storm.__file__, str(store), str(folder), str(SOAK_S), str(seed)]
    stormed = subprocess.run(command, capture_output=True, text=True)

    assert (stormed.returncode, stormed.stderr) == (0, ""), f"seed {seed}"
    assert not (folder / "errors").exists(), (folder / "errors").read_text()
    assert int(stormed.stdout) > SOAK_S
    stored = stored_bodies(store)
    assert len(stored) > storm.WRITERS * SOAK_S
    assert max(Counter(stored).values()) == 1
    for number in range(storm.WRITERS):
        assert_kept(folder / f"writer-{number}", stored)
    for number in range(storm.READERS):
        assert_offered(folder / f"reader-{number}", number, stored)
    assert_sound(store)


def assert_kept(journal: Path, stored: list[str]) -> None:
    """Each acknowledged letter of a writer is there, in its order, and at most one more, which was cut off."""
    lines = [line.split() for line in journal.read_text().splitlines()]
    own = [body for body in stored if body.split()[0] == journal.name]
    assert own == [f"{journal.name} {number}" for number in range(1, len(own) + 1)]
    assert [int(number) for number, _, _ in lines] == list(range(1, len(lines) + 1))
    assert len(own) - len(lines) in (0, 1)
    assert [int(n) for _, n, _ in lines] == sorted(int(n) for _, n, _ in lines)
    assert max(float(seconds) for _, _, seconds in lines) < LONGEST_WAIT_S


def assert_offered(journal: Path, number: int, stored: list[str]) -> None:
    """Whatever was written to a reader came out there at least once, and nothing else."""
    offered = {line.partition(" ")[2] for line in journal.read_text().splitlines()}
    assert offered == {body for body in stored if int(body.split()[1]) % storm.READERS == number}
