"""kill -9 of `mailstop serve` while ten sessions write by it: what was acknowledged is there, once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from http.client import HTTPException

import pytest

from tests.clients.waiting import wait_for
from tests.http_served import Connection, Served
from tests.party import Party

SESSIONS, LETTERS, KILLS = 10, 20, 4
GONE = (OSError, HTTPException, AssertionError, KeyError, ValueError)  # what comes of a server that is killed


class Writer(threading.Thread):
    """Writes letters with keys from one seat, by whatever server there is, until all are acknowledged."""

    def __init__(self, seat: str, server: Callable[[], Served]) -> None:
        super().__init__()
        self.seat, self._server = seat, server
        self.acknowledged: dict[str, int] = {}
        self.failed: BaseException | None = None

    def run(self) -> None:
        try:
            connection = self._joined()
            for number in range(LETTERS):
                body = f"{self.seat}-{number}"
                while body not in self.acknowledged:
                    try:
                        told = connection.told("send", to="reader", body=body, key=body)
                        self.acknowledged[body] = told["n"]
                    except GONE:  # the server is gone, or this connection
                        connection = self._joined()
        except BaseException as error:
            self.failed = error

    def _joined(self) -> Connection:
        """A connection at the seat, of whichever server serves now."""

        def joined() -> Connection | None:
            try:
                return self._server().joined(self.seat)
            except GONE:
                return None

        return wait_for("a server serves", joined)


def have_written(writers: list[Writer], enough: range) -> bool:
    """Whether so many letters are acknowledged."""
    return sum(len(one.acknowledged) for one in writers) in enough


@pytest.mark.timeout(180)
def test_every_letter_that_a_killed_server_has_acknowledged_is_there_once(
    stranger: Callable[[], Party], seat: Callable[[str], Party]
) -> None:
    reader, party = seat("reader"), stranger()
    served = [Served(party)]
    writers = [Writer(f"seat-{number}", lambda: served[-1]) for number in range(SESSIONS)]
    try:
        for writer in writers:
            writer.start()
        for kill in range(1, KILLS + 1):
            enough = range(kill * SESSIONS * LETTERS // (KILLS + 2), SESSIONS * LETTERS + 1)
            wait_for("more are acknowledged", partial(have_written, writers, enough), 60)
            served[-1].kill()
            served.append(Served(party))
        for writer in writers:
            writer.join(60)
        assert [writer.failed for writer in writers] == [None] * SESSIONS
    finally:
        served[-1].kill()

    found: dict[str, list[int]] = {}
    before: int | None = None
    while True:
        page = ["--before", str(before)] if before else []
        history = reader.run("read", "--last", "500", "--json", *page).json
        for record in history["records"]:
            if record["type"] == "letter":
                found.setdefault(record["body"], []).append(record["n"])
        before = history["before"]
        if not before:
            break
    acknowledged = {body: n for writer in writers for body, n in writer.acknowledged.items()}
    assert len(acknowledged) == SESSIONS * LETTERS
    assert {body: found.get(body) for body in acknowledged} == {body: [n] for body, n in acknowledged.items()}
