"""kill -9 of the tools' servers in the middle of writing: what was acknowledged is there, once."""

from __future__ import annotations

import random
import signal
from collections.abc import Callable
from itertools import count

from tests.mcp_connection import Connection
from tests.party import Party

SESSIONS, LETTERS, KILLS = 10, 20, 25


class Writer:
    """Writes letters with keys from one seat, through as many servers as it takes."""

    def __init__(self, party: Party, seat: str) -> None:
        self.party, self.seat = party, seat
        self.left = [f"{seat}-{number}" for number in range(LETTERS)]
        self.acknowledged: dict[str, int] = {}
        self.asked = 0
        self.connection = Connection(party).joined(seat)

    def ask(self) -> None:
        """Ask for all that is left, without waiting."""
        for number, body in enumerate(self.left[self.asked :], self.asked):
            send = {"to": "reader", "body": body, "key": body}
            request = {"method": "tools/call", "params": {"name": "send", "arguments": send}}
            self.connection.say({"jsonrpc": "2.0", "id": f"{number}", **request})
        self.asked = len(self.left)

    def hear(self) -> None:
        """Take one answer."""
        answer = self.connection.hear()
        self.acknowledged[self.left[int(answer["id"])]] = answer["result"]["structuredContent"]["n"]

    def killed(self) -> None:
        """Kill the server, take what it had said, and begin again with what was not acknowledged."""
        self.connection.stop(signal.SIGKILL)
        for answer in self.connection.close():
            self.acknowledged[self.left[int(answer["id"])]] = answer["result"]["structuredContent"]["n"]
        self.left = [body for body in self.left if body not in self.acknowledged]
        self.asked = 0
        self.connection = Connection(self.party).joined(self.seat)


def test_every_letter_that_a_killed_server_has_acknowledged_is_there_once(
    stranger: Callable[[], Party], seat: Callable[[str], Party]
) -> None:
    reader = seat("reader")
    chance = random.Random(7)
    party = stranger()
    writers = [Writer(party, f"seat-{number}") for number in range(SESSIONS)]
    try:
        kills = count()
        for writer in writers:
            writer.ask()
        while open_ := [one for one in writers if len(one.acknowledged) < LETTERS]:
            writer = chance.choice(open_)
            if chance.random() < 0.2 and next(kills) < KILLS:
                writer.killed()
                writer.ask()
            else:
                writer.hear()
    finally:
        for writer in writers:
            writer.connection.close()

    found: dict[str, list[int]] = {}
    before = None
    while True:
        page: list[str] = ["--before", str(before)] if before else []
        history = reader.run("read", "--last", "500", "--json", *page).json
        for record in history["records"]:
            if record["type"] == "letter":
                found.setdefault(record["body"], []).append(record["n"])
        before = history["before"]
        if not before:
            break
    acknowledged = {body: [n] for writer in writers for body, n in writer.acknowledged.items()}
    assert found == acknowledged
    assert len(found) == SESSIONS * LETTERS
