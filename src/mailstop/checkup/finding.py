"""Finding: what one check has found, and the one command that mends it."""

from __future__ import annotations

from mailstop.records import Record

OK, WARNING, FAILED = "ok", "warning", "failed"
PROVED, OPEN = "proved", "open"
DOCTOR = "mailstop doctor"
_OF_PERSON = "(the person, at a terminal)"  # whose the mend is
_REFUSED = "mailstop setup"  # to sessions of any client


class Finding(Record):
    """The outcome of one check.

    state: OK; WARNING: it works, but costs something or may surprise; FAILED: something does not work, or letters are
    in danger. mend: the command that mends it; empty where there is none.
    """

    name: str
    state: str
    found: str
    mend: str = ""


class Route(Record):
    """What came of trying one way to the caller.

    state: PROVED; FAILED: it should work and does not; OPEN: it should work, and nothing here can prove that it does.
    found: what happened. took_ms: how long that took. unproved: what the trial cannot tell, though it worked.
    """

    name: str
    state: str
    found: str
    took_ms: float | None = None
    unproved: str = ""
    mend: str = ""


def of_person(found: str, mend: str) -> str:
    """What was found, as a client's session is told it: of a command that sessions are refused, with whose it is."""
    return f"{found}; not yours to mend {_OF_PERSON}" if mend.startswith(_REFUSED) else found


def size_text(size_bytes: float) -> str:
    """A size for people: `12 KB`, `3.4 GB`."""
    units = ("bytes", "KB", "MB", "GB", "TB")
    for unit in units:
        if size_bytes < 1000 or unit == units[-1]:
            break
        size_bytes /= 1000
    return f"{size_bytes:.0f} {unit}" if size_bytes >= 10 or unit == "bytes" else f"{size_bytes:.1f} {unit}"
