"""`mailstop import` in process, beside bare inserts of the same rows; its memory; how long senders wait meanwhile."""

from __future__ import annotations

import gc
import json
import os
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.measure import Comparison, percentile
from mailstop.acts.importing import BATCH_LETTERS
from mailstop.clients.caller import PERSON, Caller
from mailstop.engines import open_store
from mailstop.engines.entry import Entry
from mailstop.office import Office
from mailstop.sources.postbag import LedgerReader

ROUNDS = 5
FEWEST_A_SECOND = 20_000  # letters
LONGEST_WAIT_MS = 100.0  # that an import may hold a sender up
BODY = "x" * 300
HOUR = 3600


def write_ledger(path: Path, letters: int) -> None:
    """A ledger of postbag with so many letters."""
    with path.open("w") as file:
        for n in range(1, letters + 1):
            sender, to = ("ada", "bob") if n % 2 else ("bob", "ada")
            at = f"2026-{1 + n // (24 * HOUR * 28) % 12:02}-{1 + n // (24 * HOUR) % 28:02}T{n // HOUR % 24:02}"
            at = f"{at}:{n // 60 % 60:02}:{n % 60:02}+02:00"
            row = {"n": n, "at": at, "kind": "letter", "from": sender, "to": to, "body": f"letter {n} {BODY}"}
            file.write(json.dumps(row) + "\n")


def take(store: Path, ledger: Path) -> float:
    """Import a ledger into a new store; return how long that took, in seconds."""
    with open_store(f"sqlite:///{store}") as opened:
        opened.board.change([])  # which makes it
        began = time.perf_counter()
        Office(opened, Caller(PERSON)).importing.take(LedgerReader(str(ledger)))
        return time.perf_counter() - began


def insert(store: Path, rows: dict[str, list[tuple[Any, ...]]]) -> float:
    """Insert the same rows into a new store, in transactions of the same size; return how long that took."""
    with open_store(f"sqlite:///{store}") as opened:
        opened.board.change([])
    sqlite = sqlite3.connect(store, isolation_level=None)
    sqlite.execute("PRAGMA synchronous = FULL")
    began = time.perf_counter()
    for at in range(0, len(rows["entries"]), BATCH_LETTERS):
        sqlite.execute("BEGIN IMMEDIATE")
        for table, all_rows in rows.items():
            page = all_rows[at : at + BATCH_LETTERS]
            if page:
                sqlite.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(page[0]))})", page)
        sqlite.execute("COMMIT")
    took = time.perf_counter() - began
    sqlite.close()
    return took


def rows_of(store: Path) -> dict[str, list[tuple[Any, ...]]]:
    """What an import has made of a ledger, as rows."""
    sqlite = sqlite3.connect(store)
    found = {table: sqlite.execute(f"SELECT * FROM {table} ORDER BY n").fetchall() for table in ("entries", "letters")}
    sqlite.close()
    return found


def speed(folder: Path, letters: int) -> Iterator[Comparison]:
    """An import beside bare inserts, in turn; and beside the time that so many letters may take."""
    ledger = folder / "ledger.jsonl"
    write_ledger(ledger, letters)
    take(folder / "first.db", ledger)
    rows = rows_of(folder / "first.db")
    gc.collect()
    gc.freeze()  # the rows are the floor's: no process that imports holds them, and is held up by looking through them
    pairs = [
        (insert(folder / f"floor-{number}.db", rows), take(folder / f"own-{number}.db", ledger))
        for number in range(ROUNDS)
    ]
    floor, own = (statistics.median(pair[side] for pair in pairs) for side in (0, 1))
    ratio = statistics.median(second / first for first, second in pairs)
    name = f"import {letters:,} letters ({letters / own:,.0f} a second)"
    yield Comparison(f"{name} beside bare inserts", floor * 1e3, own * 1e3, ratio, budget=5.0)
    allowed = letters / FEWEST_A_SECOND
    yield Comparison(f"{name} of {FEWEST_A_SECOND:,}", allowed * 1e3, own * 1e3, own / allowed, budget=1.0)


def memory(folder: Path, letters: int) -> Comparison:
    """What the import of ten times as many letters takes of memory, in MB where it says ms."""
    peaks = []
    for name, count in (("few", letters // 10), ("many", letters)):
        ledger = folder / f"{name}.jsonl"
        write_ledger(ledger, count)
        argv = [sys.executable, "-m", "benchmarks.imports", str(folder / f"{name}.db"), str(ledger)]
        done = subprocess.run(argv, capture_output=True, text=True, check=True)
        peaks.append(float(done.stdout))
    few, many = peaks
    return Comparison(f"memory of importing {letters:,} letters and a tenth (MB)", few, many, many / few, budget=1.2)


def sending(folder: Path, letters: int) -> Comparison:
    """How long appends of one entry take while an import runs, beside what it may hold them up."""
    store, ledger = folder / "busy.db", folder / "ledger.jsonl"
    with open_store(f"sqlite:///{store}") as opened:
        opened.board.change([])
    argv = [sys.executable, "-m", "benchmarks.imports", str(store), str(ledger)]
    waits: list[float] = []
    over = threading.Event()

    def send() -> None:
        with open_store(f"sqlite:///{store}") as opened:
            while not over.is_set():
                entry = Entry("benchmark", "benchmark", "default", os.urandom(16).hex(), 0, {}, "x")
                began = time.perf_counter()
                opened.ledger.append([entry])
                waits.append((time.perf_counter() - began) * 1e3)
                over.wait(0.005)

    sender = threading.Thread(target=send)
    running = subprocess.Popen(argv, stdout=subprocess.DEVNULL)
    sender.start()
    running.wait()
    over.set()
    sender.join()
    slow = percentile(waits, 0.99)
    name = f"p99 of {len(waits)} sends during an import (longest {max(waits):.0f} ms)"
    return Comparison(name, LONGEST_WAIT_MS, slow, slow / LONGEST_WAIT_MS, budget=1.0)


def peak_mb() -> float:
    """The most memory that this process has had."""
    try:
        told = Path("/proc/self/status").read_text()  # of this program alone: the system counts its parent's too
        return int(told.partition("VmHWM:")[2].split()[0]) / 1024
    except (OSError, IndexError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def comparisons(letters: int) -> Iterator[Comparison]:
    with tempfile.TemporaryDirectory(prefix="mailstop-bench-") as name:
        yield from speed(Path(name), letters)
        yield memory(Path(name), letters)
        yield sending(Path(name), letters)


if __name__ == "__main__":
    take(Path(sys.argv[1]), Path(sys.argv[2]))
    print(peak_mb())
