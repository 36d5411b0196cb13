"""Lanes: a send against a bare append with fsync; a check of one new letter behind many against one behind few."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.ground import BODY
from benchmarks.measure import Comparison, compare
from mailstop.lanes import check, send

FEW = 1_000


def comparisons(letters: int) -> Iterator[Comparison]:
    with tempfile.TemporaryDirectory() as folder:
        yield _send(Path(folder))
        yield _check(Path(folder), letters)


def _send(folder: Path) -> Comparison:
    lane = folder / "sending"
    sent = send(lane, from_role="builder", to_role="reviewer", kind="note", msg=BODY)
    line = (json.dumps(sent, ensure_ascii=False) + "\n").encode()
    bare = str(folder / "bare.jsonl")

    def append() -> None:
        descriptor = os.open(bare, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.write(descriptor, line)
        os.fsync(descriptor)
        os.close(descriptor)

    def own() -> None:
        send(lane, from_role="builder", to_role="reviewer", kind="note", msg=BODY)

    return compare("lane send, 1 KiB, against a bare append with fsync", append, own, budget=1.3, rounds=501)


def _check(folder: Path, letters: int) -> Comparison:
    lanes = [_filled(folder / str(count), count) for count in (FEW, letters)]

    def one_new() -> None:
        for lane in lanes:
            send(lane, from_role="builder", to_role="reviewer", kind="note", msg=BODY)

    name = f"lane check, 1 new letter behind {letters:,} read ones against {FEW:,}"
    return compare(name, _look(lanes[0]), _look(lanes[1]), budget=1.5, rounds=201, prepare=one_new)


def _look(lane: Path) -> Callable[[], None]:
    def look() -> None:
        assert len(check(lane, role="reviewer")["unread"]) == 1

    return look


def _filled(lane: Path, count: int) -> Path:
    """A lane whose reader has read so many letters."""
    sent = send(lane, from_role="builder", to_role="reviewer", kind="note", msg=BODY[:300])
    line = (json.dumps(sent, ensure_ascii=False) + "\n").encode()
    file = lane / "_sync" / "builder-to-reviewer.jsonl"
    with open(file, "ab") as opened:
        for start in range(1, count, 10_000):
            opened.write(line * min(10_000, count - start))
    # As the original leaves it: the first check counts the lines once, which is not what is measured.
    (lane / "_sync" / ".cursor-reviewer.json").write_text(json.dumps({file.name: count}))
    assert check(lane, role="reviewer")["unread"] == []
    return lane
