"""Rebuilding the index of an SQLite store: the same tables again, whatever interrupts it."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from mailstop.clients.project import place_of
from mailstop.clients.resources import Reader
from mailstop.engines.sqlite.rebuild import PAGE_ENTRIES, rebuild, tables
from mailstop.limits import LARGEST
from mailstop.rules.leases import Wish
from mailstop.task import Order
from tests.conformance.play import Play

pytestmark = pytest.mark.parametrize("engine", ["sqlite"], indirect=True)


@pytest.fixture
def path(store_folder: Path) -> str:
    """The file of the store."""
    return str(store_folder / "mail.db")


@pytest.fixture
def mail(office: Play) -> Play:
    """A store in which something of everything has happened."""
    office.person.opens_budget(99)
    office.person.sets_limits(rate=LARGEST, budgeted=True)
    office.as_("builder").send("later", body="it waits", hold=True)
    office.as_("reviewer").join("critic", "side")
    for count in range(4):
        office.as_("builder").send("reviewer", "human", body=f"{count}", kind="question")
    office.as_("builder").send("reviewer", body="x" * 20_000)
    asked = office.as_("reviewer").check().letters[0]
    office.as_("reviewer").goes_on()
    office.as_("reviewer").reply(asked.n, to_all=True)
    for name in ("builder", "critic"):
        office.as_(name).say("general", body=f"{name} is here")
    office.as_("reviewer").subscribe("news")
    office.as_("reviewer").check(sender="critic")  # out of order
    office.as_("reviewer").goes_on()
    with office.as_("builder").at_office() as at:
        done, _open = (at.tasks.give(Order("reviewer", title)).task for title in ("Fix it", "Look at it"))
    with office.as_("reviewer").at_office() as at:
        at.tasks.move(done.n, "complete", "done")
        at.tasks.give(Order("", "Whoever has time"))
    office.person.answer(office.as_("builder").ask("human", wait_s=0).question.n)
    office.as_("builder").cancel(office.as_("builder").ask("human", wait_s=0).question.n)
    office.person.reads()
    office.person.closes_budget()
    office.person.sets_limits(budgeted=False)
    with office.person.at_office() as at:
        at.leases.take(Wish((Reader("/srv/app", lambda: place_of("/srv/app")).read("src/a.py"),)))
        at.tokens.create("builder", lasts_ms=60_000)
        at.tokens.revoke(at.tokens.create("human")[0].id)
    with office.as_("reviewer").at_office() as at:
        at.leaders.claim()
    office.as_("builder").leave()
    player = office.player(project="shop")
    player.start()
    player.die()
    office.player(project="shop").start()
    return office


def dump(path: str) -> dict[str, list[tuple[object, ...]]]:
    """All rows of the index, and how its tables are made."""
    with sqlite3.connect(path) as opened:
        found = {table: opened.execute(f"SELECT * FROM {table}").fetchall() for table in tables()}
        found["schema"] = opened.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name").fetchall()
    opened.close()
    return found


def change(path: str, *statements: str) -> None:
    """Change the file behind everybody's back."""
    with sqlite3.connect(path) as opened:
        for statement in statements:
            opened.execute(statement)
    opened.close()


def silent(_done: int, _total: int) -> None:
    """Hear of no progress."""


def test_a_rebuilt_index_is_the_same_as_before(mail: Play, path: str) -> None:
    before = dump(path)

    rebuilt = rebuild(path, silent)

    assert all(before[table] for table in tables())
    assert dump(path) == before
    assert rebuilt.entries == mail.entries()
    assert rebuilt.skipped == ()


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM deliveries",
        "DROP TABLE receipts",
        "DROP INDEX deliveries_unread",
        "UPDATE seats SET session = NULL",
        "INSERT INTO letters VALUES (4711, 'default', 'nobody', 0, NULL, 4711, NULL, 'all')",
    ],
)
def test_what_was_wrong_with_the_index_is_right_again(mail: Play, path: str, damage: str) -> None:
    before = dump(path)
    change(path, damage)

    rebuild(path, silent)

    assert dump(path) == before


def test_it_tells_how_far_it_is(mail: Play, path: str) -> None:
    for count in range(PAGE_ENTRIES):
        mail.as_("reviewer").send("human", body=str(count))
    told: list[tuple[int, int]] = []

    rebuild(path, lambda done, total: told.append((done, total)))

    assert [done for done, _ in told] == [PAGE_ENTRIES, mail.entries()]
    assert {total for _, total in told} == {mail.entries()}


def test_entries_that_cannot_be_understood_are_kept_skipped_and_named(mail: Play, path: str) -> None:
    before = dump(path)
    insert = "INSERT INTO entries (n, id, at, bag, subject, type, data) VALUES"
    change(
        path,
        f"{insert} (9001, 'a', 1, 'default', 'letters.default', 'letter', '{{torn')",
        f"""{insert} (9002, 'b', 1, 'default', 'letters.default', 'letter', '{{"from": "builder"}}')""",
        f"""{insert} (9003, 'c', 1, 'default', 'letters.default', 'letter', '{{"from": {{}}, "to": []}}')""",
        f"""{insert} (9004, 'd', 1, 'default', 'receipts.x', 'receipt', '[]')""",
        f"""{insert} (9005, 'e', 1, 'default', 'future', 'of a newer program', '{{}}')""",
    )
    entries = mail.entries

    rebuilt = rebuild(path, silent)

    assert rebuilt.skipped == (9001, 9002, 9003, 9004)
    assert dump(path) == before
    change(path, "DELETE FROM entries WHERE n = 9001")  # which no reader of the ledger could pass
    assert entries() == rebuilt.entries - 1


def test_letters_can_be_sent_after_a_rebuild(mail: Play, path: str) -> None:
    rebuild(path, silent)

    mail.as_("reviewer").send("human", body="still here")

    assert mail.person.reads()[-1] == "still here"


_REBUILD_AND_HALT = """
import os, sys, signal
from mailstop.engines.sqlite import rebuild
rebuild.PAGE_ENTRIES = 5
def halt(done, total):
    if done * 2 >= total:
        print("half", flush=True)
        signal.pause()
rebuild.rebuild(sys.argv[1], halt)
"""


def test_a_rebuild_that_is_killed_leaves_the_old_index(mail: Play, path: str) -> None:
    change(path, "DELETE FROM receipts")  # so that old and new differ
    before = dump(path)
    child = subprocess.Popen([sys.executable, "-c", _REBUILD_AND_HALT, path], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "half\n"

    os.kill(child.pid, signal.SIGKILL)
    child.communicate()

    assert mail.as_("reviewer").seats() == ["reviewer", "critic"]
    assert dump(path) == before
    rebuild(path, silent)
    assert len(dump(path)["receipts"]) > 0


def test_readers_see_the_old_index_while_it_is_rebuilt(mail: Play, path: str) -> None:
    waiting = mail.as_("reviewer").peek()
    seen: list[list[str]] = []

    rebuild(path, lambda _done, _total: seen.append(mail.as_("reviewer").peek()))

    assert seen == [waiting]
