"""Standing: what became of letters and who sits at seats, in plain words, for every verb that says so."""

from __future__ import annotations

from mailstop.cleaning import in_quotes, one_line
from mailstop.fence import age, session_text
from mailstop.names import DEFAULT_BAG, LONGEST, PERSON
from mailstop.receipt import Receipt
from mailstop.rules.tellings import empty_text
from mailstop.rules.ways import words_of
from mailstop.times import clock_text, iso_text
from mailstop.wording import counted, wait_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from mailstop.letter import Letter
    from mailstop.past import Batch
    from mailstop.reading import Account
    from mailstop.receipt import Delivery
    from mailstop.rules.presence import Holder
    from mailstop.rules.roster import Presence
    from mailstop.seat import Seat

LONGEST_EVIDENCE = 200  # characters

MOST_REPORTED = 20  # receipts of an imported letter, that are named one by one
_OF_RECEIPT = ("seat", "state", "at", "evidence")

UNKNOWN_THERE = "what became of it there is not known; it was given to nobody here"

# What each state proves, and what it does not.
MEANING = {
    "stored": "it is on disk",
    "notified": "its client was told that a letter waits; not that the model saw it",
    "handed": "its text was written to the client; not yet that the model saw it",
    "shown in part": "its beginning was put before the reader; the rest is fetched by number",
    "shown": "it was put before the reader",
    "answered": "its reader wrote back",
    "held": "the client holds it back until its person decides",
    "refused": "the client refused it",
    "unreachable": "the client could not be reached",
}


def state_lines(account: Account) -> list[str]:
    """Where a letter stands, a short line for each recipient; of one said in a channel, one for all."""
    if account.letter.imported:
        known = reported_line(account.letter)
        return [f"{line}; {known}" for line in imported_lines(account.letter, None)]
    if account.letter.channel:
        return [said_line(account)]
    lines = []
    for delivery, holder in zip(account.deliveries, account.holders, strict=True):
        last = receipts_at(account, delivery.seat, delivery.state)[-1]
        line = f"{delivery.n} {name_text(delivery.seat)}: {delivery.state} {clock_text(last.at)}"
        if delivery.answered:
            line += f" by letter {delivery.answered}"
        elif not delivery.shown and holder.present is None and holder.seat.name != PERSON:
            line += f"; {empty_text(holder)}"
        lines.append(line)
    return lines


def imported_lines(letter: Letter, batch: Batch | None) -> list[str]:
    """Where an imported letter comes from, and with which import; in a line, where the latter is not asked for."""
    origin = letter.imported
    assert origin is not None
    number = f"{name_text(origin.source)}:{one_line(origin.number, LONGEST_EVIDENCE)}"
    record = f", record {origin.record} of its file" if origin.record else ""
    lines = [f"{letter.n} {number}: imported{record}"]
    if batch:
        path = one_line(batch.path, LONGEST_EVIDENCE)
        lines.append(f"  brought here {clock_text(batch.at)} by the person, from {path}")
    if batch and origin.note:
        lines.append(f'  its source says: "{in_quotes(origin.note, LONGEST_EVIDENCE)}"')
    return lines


def reported(letter: Letter) -> list[dict[str, str]]:
    """The receipts that an export told of an imported letter: what another store says, which nothing here proves."""
    told = letter.imported.kept.get("receipts") if letter.imported else None
    texts = [
        {name: value for name, value in each.items() if name in _OF_RECEIPT and isinstance(value, str)}
        for each in (told if isinstance(told, list) else [])
        if isinstance(each, dict)
    ]
    return [each for each in texts if each.get("seat") and each.get("state")]


def reported_line(letter: Letter) -> str:
    """The last that was reported of an imported letter for each seat; that nothing is known, where nothing was."""
    last = {each["seat"]: each["state"] for each in reported(letter)}
    if not last:
        return UNKNOWN_THERE
    named = list(last.items())[:MOST_REPORTED]
    told = ", ".join(f"{name_text(one_line(seat, LONGEST))} {_state(state)}" for seat, state in named)
    more = f" and {len(last) - len(named)} more" if len(last) > len(named) else ""
    return f"reported by its store, and not proved here: {told}{more}; it was given to nobody here"


def reported_lines(letter: Letter) -> list[str]:
    """Each receipt that was reported of an imported letter, and that none of them is proved here."""
    told = reported(letter)
    if not told:
        return [f"  {UNKNOWN_THERE}"]
    lines = ["  reported by its store, and not proved here:"]
    for each in told[:MOST_REPORTED]:
        at = one_line(each["at"], LONGEST) + "  " if "at" in each else ""
        evidence = f': "{in_quotes(each["evidence"], LONGEST_EVIDENCE)}"' if each.get("evidence") else ""
        lines.append(f"    {at}{name_text(one_line(each['seat'], LONGEST))} {_state(each['state'])}{evidence}")
    if len(told) > MOST_REPORTED:
        lines.append(f"    and {counted(len(told) - MOST_REPORTED, 'more receipt')}; --json has them all")
    return [*lines, "  it was given to nobody here"]


def _state(state: str) -> str:
    return state if state in MEANING else f'"{in_quotes(state, LONGEST)}"'


def asked_text(asked: Sequence[Letter], now_ms: int, store: str) -> str:
    """That questions wait for the caller's answer, and since when. asked: those, the oldest first; at least one."""
    asked_since = age(now_ms - asked[0].at)
    oldest = f"asked {asked_since}" if len(asked) == 1 else f"the oldest asked {asked_since}"
    return f"{wait_text(len(asked), 'question')} for your answer, {oldest}: mailstop asks --given{store}"


def said_line(account: Account) -> str:
    """To how many of its readers a letter of a channel was shown."""
    letter, readers = account.letter, len(account.deliveries)
    where = f"{letter.n} #{name_text(letter.channel)}"
    if not readers:
        return f"{where}: stored {clock_text(letter.at)}; nobody else read the channel then"
    shown = sum(delivery.shown for delivery in account.deliveries)
    return f"{where}: shown to {shown} of {counted(readers, 'reader')}"


def receipts_at(account: Account, seat: str, state: str | None = None) -> list[Receipt]:
    """All that was proved at one recipient, oldest first, or what proved one state there."""
    letter = account.letter
    stored = Receipt(letter.n, letter.bag, seat, "stored", letter.at, f"the store committed it as number {letter.n}")
    found = [stored, *(receipt for receipt in account.receipts if receipt.seat == seat)]
    return [receipt for receipt in found if state in (None, receipt.state)] or [stored]


def evidence_text(receipt: Receipt) -> str:
    """What a receipt means, and what proved it."""
    meaning = MEANING.get(receipt.state, "")
    proof = one_line(receipt.evidence, LONGEST_EVIDENCE)
    return f"{meaning} ({proof})" if meaning and proof else meaning or proof


def now_text(delivery: Delivery, holder: Holder, way: str) -> str:
    """Who sits there now, and how the letter gets there if it still has to."""
    if holder.seat.name == PERSON:
        return "the person's own seat" + ("" if delivery.shown else "; they see it with mailstop check")
    if holder.present is None:
        return empty_text(holder) + ("" if delivery.shown else "; the letter waits for whoever sits there next")
    who = f"held by {holder_text(holder)}"
    if delivery.shown:
        return who
    if delivery.n <= holder.seat.announced:
        return f"{who}; it was announced to that session, which fetches it with mailstop check"
    return f"{who}; {words_of(way).now}"


def holder_text(holder: Holder) -> str:
    """Who holds a seat, since when, and whether that can be seen from here."""
    session = holder.session
    assert session is not None
    doubt = ", which cannot be seen from here" if holder.alive is None else ""
    return f"{session_text(session)} since {clock_text(holder.since)}{doubt}"


def holder_json(holder: Holder) -> dict[str, Any]:
    """Who holds a seat, for machines; see `state_of`."""
    session = holder.present
    return {
        "state": state_of(holder),
        "since": iso_text(holder.since) if holder.since else None,
        "client": session.client if session else None,
        "client_session": session.client_session if session and session.client != "program" else None,
        "folder": session.folder if session else None,
    }


def presence_json(present: Presence) -> dict[str, Any]:
    """A session and what it does, for machines. last_act: when it was last known to do anything, alive or not."""
    session = present.session
    return {
        "client": session.client,
        "client_session": session.client_session if session.client != "program" else None,
        "project": session.project or None,
        "project_id": session.project_id or None,
        "branch": present.branch or None,
        "worktree": session.worktree or None,
        "folder": session.folder or None,
        "objective": session.objective or None,
        "status": session.status,
        "turn": present.turn or None,
        "alive": present.alive,
        "last_act": iso_text(present.acted) if present.acted else None,
        "way": present.way,
    }


def state_of(holder: Holder) -> str:
    """Who is at a seat: `live`, `empty`, `unknown` where that cannot be told from here, or `person`."""
    if holder.seat.name == PERSON:
        return "person"
    if holder.present is None:
        return "empty"
    return "live" if holder.alive else "unknown"


def seat_text(seat: Seat) -> str:
    """A seat as people are told of it."""
    where = "" if seat.bag == DEFAULT_BAG else f" in bag {name_text(seat.bag)}"
    return f"seat {name_text(seat.name)}{where}"


def name_text(text: str) -> str:
    """A name out of the store, which is not trusted to be one."""
    return one_line(text, LONGEST)
