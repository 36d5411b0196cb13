"""Where things lie."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import platformdirs
import pytest

from mailstop import config
from mailstop.errors import DoubtfulStore, InvalidStore


def test_the_data_folder_is_the_one_that_platformdirs_knows() -> None:
    assert config.data_folder() == platformdirs.user_data_dir("mailstop", appauthor=False)


@pytest.mark.skipif(sys.platform == "darwin", reason="Apple's conventions know no XDG variables")
@pytest.mark.parametrize("value", ["/somewhere/else", "", "relative/path"])
def test_xdg_data_home_counts_when_it_is_absolute(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", value)
    expected = value if value.startswith("/") else os.path.join(config.home(), ".local/share")

    assert config.data_folder() == os.path.join(expected, "mailstop")


def test_the_state_folder_follows_no_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    before = config.state_folder()
    monkeypatch.setenv("XDG_STATE_HOME", "/somewhere/else")
    monkeypatch.setenv("XDG_DATA_HOME", "/somewhere/else")

    assert config.state_folder() == before


def test_an_empty_choice_of_store_counts_as_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAILSTOP_STORE", "")

    assert config.chosen_store() is None
    assert config.chosen_store("") is None


def test_the_option_beats_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAILSTOP_STORE", "/from/variable.db")

    assert config.chosen_store("/from/option.db") == "sqlite:////from/option.db"
    assert config.chosen_store() == "sqlite:////from/variable.db"


@pytest.mark.parametrize("given", ["a.db", "sqlite:///a.db", "~/a.db", "./x/../a.db", "with space 'and quote.db"])
def test_a_path_is_made_absolute_once(given: str) -> None:
    url = config.store_url(given)

    assert os.path.isabs(config.store_path(url))
    assert config.store_url(url) == url


@pytest.mark.parametrize("given", ["sqlite:///", "postgres://host/db", "nats://host", "line\nbreak.db", "bell\x07.db"])
def test_what_names_no_store_is_refused(given: str) -> None:
    with pytest.raises(InvalidStore):
        config.store_url(given)


def test_what_names_no_store_is_told_how_an_absolute_path_is_written() -> None:
    with pytest.raises(InvalidStore) as refused:
        config.store_url("nats://host")

    (example,) = re.findall(r"sqlite:///\S+", str(refused.value))
    assert config.store_path(config.store_url(example)) == "/home/ann/mail.db"


def test_a_url_that_lost_a_slash_makes_no_store_in_the_folder_where_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    first, *rest = tmp_path.parts[1:]
    short = f"sqlite:///{'/'.join((first, *rest))}/mail.db"

    with pytest.raises(DoubtfulStore) as refused:
        config.store_url(short)

    absolute = f"sqlite:///{tmp_path}/mail.db"
    assert f"{absolute}." in str(refused.value)
    assert config.store_url(absolute) == absolute

    (tmp_path / first).mkdir()
    assert config.store_url(short) == f"sqlite:///{tmp_path}{tmp_path}/mail.db", "three slashes begin here"


@pytest.mark.parametrize("given", ["sqlite:///mail.db", "sqlite:///no-such-folder-below-root/mail.db", "tmp/mail.db"])
def test_other_relative_stores_begin_in_the_folder_where_they_are_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    monkeypatch.chdir(tmp_path)

    assert config.store_url(given) == f"sqlite:///{tmp_path}/{given.removeprefix('sqlite:///')}"


def test_a_store_is_named_to_people_by_its_file() -> None:
    assert config.store_name("sqlite:////tmp/mail.db") == "/tmp/mail.db"
    assert config.store_name("memory:") == "memory:"


@pytest.mark.skipif(sys.platform == "darwin", reason="Apple's conventions are others")
def test_no_test_reaches_the_store_of_who_runs_it(own_home: Path, tmp_path: Path) -> None:
    assert own_home.parent == tmp_path
    assert config.default_store() == f"sqlite:///{own_home}/.local/share/mailstop/mailstop.db"
    assert config.state_folder() == f"{own_home}/.local/state/mailstop"
