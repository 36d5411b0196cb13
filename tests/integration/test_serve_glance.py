"""A glance at the store from the event loop: what is committed, at once, and nothing where it cannot be had."""

from __future__ import annotations

from pathlib import Path

import pytest

from mailstop import rules
from mailstop.engines import open_store
from mailstop.errors import StoreGone
from mailstop.resident.glance import Glance
from mailstop.times import now_ms


@pytest.fixture
def url(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path}/mailstop.db"
    open_store(url).close()
    return url


def test_a_glance_sees_what_another_connection_committed_before_it(url: str) -> None:
    glance = Glance(url)
    glance.open()
    with open_store(url) as store:
        assert glance.at(lambda seen: seen.index.tokens.was_any_created()) == (False,)
        rules.tokens.created(store, "builder", "default", lasts_ms=None, now=now_ms())
        assert glance.at(lambda seen: seen.index.tokens.was_any_created()) == (True,)
    glance.close()


def test_a_glance_that_is_not_open_gives_nothing(url: str) -> None:
    glance = Glance(url)
    assert glance.at(lambda seen: seen.index.bags()) is None
    glance.open()
    glance.close()
    glance.open()
    assert not glance.is_open


def test_a_glance_gives_nothing_while_the_store_is_not_in_its_place(url: str, tmp_path: Path) -> None:
    glance = Glance(url)
    glance.open()
    for name in ("mailstop.db", "mailstop.db-wal"):
        (tmp_path / name).rename(tmp_path / f"away-{name}")
    assert glance.at(lambda seen: seen.index.bags()) is None
    glance.close()


def test_a_glance_makes_no_store(tmp_path: Path) -> None:
    with pytest.raises(StoreGone):
        Glance(f"sqlite:///{tmp_path}/none.db").open()
    assert not (tmp_path / "none.db").exists()
