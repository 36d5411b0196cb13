"""Fold: what each type of entry changes in the index. A pure function of the ledger: no clock, no board.

Unknown types are skipped, so that an older program can read a ledger that a newer one writes.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from types import ModuleType

    from mailstop.engines.entry import Entry


def fold(sqlite: sqlite3.Connection, entry: Entry) -> None:
    """Bring the index up to this entry, inside the transaction that is open."""
    step = _STEPS.get(entry.type)
    if step:
        step(sqlite, entry)
    elif entry.type in _SUBJECTS:
        _subject(_SUBJECTS[entry.type]).fold(sqlite, entry)


def _subject(name: str) -> ModuleType:
    """The fold of a subject of its own; loaded when there is an entry of it."""
    return __import__(f"mailstop.engines.sqlite.subjects.{name}", fromlist=["fold"])


def _letter(sqlite: sqlite3.Connection, entry: Entry) -> None:
    data = entry.data
    ref, thread = place(sqlite, data.get("ref"), entry.n)
    budget = data.get("budget")
    is_last = budget and budget[1] == budget[2]  # nobody can answer it until the person opens another budget
    sqlite.execute(
        "INSERT INTO letters VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            entry.n,
            entry.bag,
            data["from"],
            data.get("needs_reply", False),
            ref,
            thread,
            data.get("channel"),
            data.get("wakes", "all"),
        ),
    )
    if data.get("channel"):
        _subject("channels").said(sqlite, entry)
    for seat in data["to"]:
        sqlite.execute(
            "INSERT OR IGNORE INTO deliveries VALUES (?, ?, ?, 'stored', 0, NULL)", (entry.bag, seat, entry.n)
        )
        know(sqlite, entry, seat)
        if (data.get("asks") or data.get("needs_reply")) and not data.get("final") and not is_last:
            sqlite.execute("INSERT OR IGNORE INTO owed VALUES (?, ?, ?)", (entry.bag, seat, entry.n))
    if ref is not None:
        _answer(sqlite, entry, ref)
    if budget:
        _subject("budgets").spend(sqlite, entry)
    if "ask" in data:
        _subject("asks").fold(sqlite, entry)


def place(sqlite: sqlite3.Connection, ref_id: str | None, n: int) -> tuple[int | None, int]:
    """The number of the letter that is referred to, and of the first letter of the conversation."""
    if ref_id:
        rows = sqlite.execute(
            "SELECT l.n, l.thread FROM entries e JOIN letters l USING (n) WHERE e.id = ?", (ref_id,)
        ).fetchall()
        if rows:
            ref, thread = rows[0]
            return ref, thread
    return None, n


def _answer(sqlite: sqlite3.Connection, entry: Entry, ref: int) -> None:
    """A recipient's letter to the author of the one it refers to is an answer, and proves that this was read.

    One to others, which only refers to it, is not: the author still waits.
    """
    seat = entry.data["from"]
    authors = sqlite.execute("SELECT sender FROM letters WHERE n = ?", (ref,)).fetchall()
    if not all(author in entry.data["to"] for (author,) in authors):
        return
    changed = sqlite.execute(
        "UPDATE deliveries SET state = 'answered', shown = 1, answered = ? "
        "WHERE bag = ? AND seat = ? AND n = ? AND answered IS NULL",
        (entry.n, entry.bag, seat, ref),
    ).rowcount
    if changed:
        _receipt(sqlite, entry, ref, seat, "answered", f"letter {entry.n}")
        sqlite.execute("DELETE FROM owed WHERE bag = ? AND seat = ? AND n = ?", (entry.bag, seat, ref))
    elif _was_said(sqlite, ref):
        _subject("channels").hear(sqlite, entry.bag, seat, ref)


def _was_said(sqlite: sqlite3.Connection, n: int) -> bool:
    """Whether a letter was said in a channel, where nothing is kept for each reader."""
    return bool(sqlite.execute("SELECT 1 FROM letters WHERE n = ? AND channel IS NOT NULL", (n,)).fetchall())


def know(sqlite: sqlite3.Connection, entry: Entry, seat: str) -> None:
    """A seat that was written to before anybody took it is a seat."""
    sqlite.execute(
        "INSERT OR IGNORE INTO seats VALUES (?, ?, 0, 0, NULL, ?, 0, '', '', '', '', '', 0)",
        (entry.bag, seat, entry.at),
    )


def _taken(sqlite: sqlite3.Connection, entry: Entry) -> None:
    """A session sits down. It leaves the seat it held in this bag, also where two of its acts raced for two seats."""
    data = entry.data
    sqlite.execute(
        "UPDATE seats SET session = NULL, since = ? WHERE session = ? AND bag = ? AND name <> ?",
        (entry.at, data["session"], entry.bag, data["seat"]),
    )
    sqlite.execute(
        "INSERT OR REPLACE INTO seats VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            entry.bag,
            data["seat"],
            entry.n,
            data.get("epoch") or entry.n,
            data["session"],
            entry.at,
            data.get("automatic", False),
            data.get("client", ""),
            data.get("project", ""),
            data.get("project_id", ""),
            data.get("folder", ""),
            data["session"],
            entry.n if data.get("announced") else 0,
        ),
    )
    sqlite.execute("INSERT INTO moves VALUES (?, ?, ?, 'taken')", (entry.n, entry.bag, data["seat"]))
    _subject("channels").taken(sqlite, entry)


def _left(sqlite: sqlite3.Connection, entry: Entry) -> None:
    """A session stands up. Only its own seat: a leaving of somebody else's moves nobody."""
    seat = entry.data["seat"]
    there = (entry.bag, seat)
    sqlite.execute("UPDATE seats SET last = ? WHERE bag = ? AND name = ?", (entry.n, *there))
    sqlite.execute(
        "UPDATE seats SET session = NULL, since = ? WHERE bag = ? AND name = ? AND session IS ?",
        (entry.at, *there, entry.data["session"]),
    )
    sqlite.execute("INSERT INTO moves VALUES (?, ?, ?, 'left')", (entry.n, entry.bag, seat))


def _receipts(sqlite: sqlite3.Connection, entry: Entry) -> None:
    """Receipts of several letters at one seat, proved by one act. A state never moves back."""
    from mailstop.receipt import RANK  # not needed for a letter

    data = entry.data
    seat, state = data["seat"], data["state"]
    shown = state in ("shown", "shown in part")
    for n in data["letters"]:
        if _was_said(sqlite, n):
            if shown:
                _subject("channels").hear(sqlite, entry.bag, seat, n)
            continue
        _receipt(sqlite, entry, n, seat, state, data.get("evidence", ""))
        there = (entry.bag, seat, n)
        for (before,) in sqlite.execute(
            "SELECT state FROM deliveries WHERE bag = ? AND seat = ? AND n = ?", there
        ).fetchall():
            further = state if RANK.get(state, 0) >= RANK.get(before, 0) else before
            sqlite.execute(
                "UPDATE deliveries SET shown = max(shown, ?), state = ? WHERE bag = ? AND seat = ? AND n = ?",
                (shown, further, *there),
            )


def _receipt(sqlite: sqlite3.Connection, entry: Entry, n: int, seat: str, state: str, evidence: str) -> None:
    sqlite.execute(
        "INSERT OR IGNORE INTO receipts VALUES (?, ?, ?, ?, ?, ?, ?)",
        (n, entry.bag, seat, entry.n, state, entry.at, evidence),
    )


# type of entry: the file in `subjects/` that folds it
_SUBJECTS: dict[str, str] = {
    "channel_joined": "channels",
    "channel_left": "channels",
    "budget_opened": "budgets",
    "budget_closed": "budgets",
    "limits_set": "budgets",
    "ask_answered": "asks",
    "ask_canceled": "asks",
    "task_given": "tasks",
    "task_moved": "tasks",
    "task_taken": "tasks",
    "task_returned": "tasks",
    "task_reassigned": "tasks",
    "task_seat": "tasks",
    "lease_taken": "leases",
    "lease_renewed": "leases",
    "lease_ended": "leases",
    "led": "leaders",
    "unled": "leaders",
    "token_created": "tokens",
    "token_revoked": "tokens",
    "import": "imports",
    "imported": "imports",
    "imported_move": "imports",
}

_STEPS = {"letter": _letter, "taken": _taken, "left": _left, "receipt": _receipts}
