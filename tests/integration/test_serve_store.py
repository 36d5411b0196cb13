"""`mailstop serve` and its store: one that is lost, and one that another process holds locked."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.clients.waiting import wait_for
from tests.http_served import Connection, Served
from tests.party import Party, Person


@pytest.fixture
def folder(own_home: Path) -> Path:
    """The folder of the default store."""
    return own_home / ".local/share/mailstop"


def made(person: Person, whose: str) -> str:
    """A token that the person has made."""
    run = person.run("token", "create", whose)
    assert run.code == 0, run.err
    return run.out.strip()


def lose(folder: Path) -> Path:
    """Move all files of the store elsewhere, and say where."""
    elsewhere = folder.with_name("elsewhere")
    elsewhere.mkdir(mode=0o700)
    for file in folder.iterdir():
        file.rename(elsewhere / file.name)
    return elsewhere


# -- a store that is lost --------------------------------------------------------------------------------------------


def test_a_store_that_is_lost_is_not_replaced_by_an_empty_one(served: Served, folder: Path) -> None:
    ann, ben = served.joined("ann"), served.joined("ben")
    ann.told("send", to="ben", body="before")
    elsewhere = lose(folder)

    wait_for("it says that its store is gone", lambda: unwell(served))
    wait_for("calls are refused", lambda: refuses(ann))
    assert not (folder / "mailstop.db").exists()

    for file in elsewhere.iterdir():
        file.replace(folder / file.name)
    wait_for("it goes on with the store", lambda: served.get("/healthz")[0] == 200)
    assert "before" in ben.told("check")["text"]


def unwell(served: Served) -> bool:
    status, text = served.get("/healthz")
    return status == 503 and json.loads(text)["ledger"] == "store_gone"


def refuses(connection: Connection) -> bool:
    """Whether a call is refused for want of a store."""
    answered = connection.post(connection.numbered("tools/call", {"name": "who", "arguments": {}}))
    return answered.status == 503 and answered.messages[0]["error"]["data"]["code"] == "store_unavailable"


def test_a_store_whose_folder_is_lost_is_not_made_again(served: Served, folder: Path) -> None:
    ann = served.joined("ann")
    shutil.rmtree(folder)

    wait_for("it says that its store is gone", lambda: unwell(served))
    wait_for("calls are refused", lambda: refuses(ann))
    assert not folder.exists()


def test_an_empty_file_in_the_place_of_the_store_does_not_become_one(served: Served, folder: Path) -> None:
    ann = served.joined("ann")
    lose(folder)
    empty = folder / "mailstop.db"
    empty.touch(0o600)

    wait_for("it says that its store is gone", lambda: unwell(served))
    wait_for("calls are refused", lambda: refuses(ann))
    assert empty.stat().st_size == 0


@pytest.mark.parametrize("is_created_before", [True, False])
def test_a_server_that_knew_of_tokens_stays_closed_when_an_empty_store_takes_the_place_of_its_own(
    stranger: Party, person: Person, folder: Path, is_created_before: bool
) -> None:
    token = made(person, "builder") if is_created_before else ""
    with Served(stranger) as served:
        if not token:
            token = made(person, "builder")
            assert Connection(served.address, {"Authorization": f"Bearer {token}"}).initialize().told("who")
        lose(folder)
        assert person.run("join", "ann", "--export").code == 0

        refused = served.connect().request("POST", body=b"{}")
        assert refused.status == 401


# -- a store that another process holds locked -----------------------------------------------------------------------


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Hold the lock behind which everybody writes."""
    with (folder / "mailstop.db.lock").open("r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def queueing(served: Served) -> int:
    """How many of the server's threads wait for the lock: each has it open once more then."""
    opened = [os.path.realpath(each) for each in Path(f"/proc/{served.pid}/fd").iterdir()]
    locks = sum(each.endswith("/mailstop.db.lock") for each in opened)
    return locks - sum(each.endswith("/mailstop.db") for each in opened)


def test_who_only_looks_does_not_wait_for_those_who_write(served: Served, person: Person, folder: Path) -> None:
    ann, writers = served.joined("ann"), [served.joined(f"seat-{number}") for number in range(12)]
    ann.told("who")
    with ExitStack() as stack:
        stack.enter_context(held(folder))
        for one in writers:
            letter = {"name": "send", "arguments": {"to": "ann", "body": "hello"}}
            stack.enter_context(one.begin(one.numbered("tools/call", letter)))
        wait_for("all threads for writers wait", lambda: queueing(served) >= 8)
        began = time.monotonic()

        assert ann.told("who")["seats"]
        assert ann.told("read")["text"]
        assert time.monotonic() - began < 3


def test_a_look_by_a_token_does_not_wait_for_those_who_write(stranger: Party, person: Person, folder: Path) -> None:
    token = made(person, "builder")
    with Served(stranger) as served, ExitStack() as stack:
        builders = [Connection(served.address, {"Authorization": f"Bearer {token}"}).initialize() for _ in range(12)]
        assert [one.told("who") for one in builders]
        stack.enter_context(held(folder))
        for one in builders:
            letter = {"name": "send", "arguments": {"to": "human", "body": "hello"}}
            stack.enter_context(one.begin(one.numbered("tools/call", letter)))
        wait_for("all threads for writers wait", lambda: queueing(served) >= 8)
        began = time.monotonic()

        assert builders[0].told("who")["seats"]
        assert time.monotonic() - began < 3


def test_it_ends_in_time_while_nothing_can_be_written(served: Served, folder: Path) -> None:
    for number in range(13):
        served.joined(f"seat-{number}")
    with held(folder):
        began = time.monotonic()

        assert served.stop() == 0
        assert time.monotonic() - began < 6
