"""Whom an address lets in, and what a server may be called."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mailstop import rules
from mailstop.engines.sqlite.store import SQLiteStore
from mailstop.errors import OpenToOthers, UnusableAddress
from mailstop.resident.allowed import Allowed, host_of
from mailstop.resident.exposure import is_loopback, refuse_open
from mailstop.resident.shared_token import take_shared_token

LOOPBACK = ["127.0.0.1", "localhost", "LOCALHOST", "::1", "127.8.9.1", "::ffff:127.0.0.1"]
OPEN = ["", "0.0.0.0", "::", "192.0.2.7", "10.0.0.1", "mail.example.org", "localhost.example.org", "::ffff:10.0.0.1"]
OPEN += ["127.1", "0x7f.1", "2130706433", "fe80::1%lo", "localhost:80", "[::1]"]


@pytest.mark.parametrize("host", LOOPBACK)
def test_this_machines_own_addresses_need_no_token(host: str, tmp_path: Path) -> None:
    assert is_loopback(host)
    with SQLiteStore(str(tmp_path / "mail.db")) as store:
        refuse_open(host, store, None, now=0)


@pytest.mark.parametrize("host", OPEN)
def test_any_other_without_a_token_refuses_to_start_with_what_to_type(host: str, tmp_path: Path) -> None:
    assert not is_loopback(host)
    with (
        SQLiteStore(str(tmp_path / "mail.db")) as store,
        pytest.raises(
            OpenToOthers, match=r"mailstop token create SEAT --store x .* mailstop serve --host 127\.0\.0\.1"
        ),
    ):
        refuse_open(host, store, None, now=0, option=" --store x")


def test_a_shared_token_lets_it_start(tmp_path: Path) -> None:
    with SQLiteStore(str(tmp_path / "mail.db")) as store:
        refuse_open("0.0.0.0", store, take_shared_token({"MAILSTOP_TOKEN": "a-token"}), now=0)


def test_a_stored_token_lets_it_start_while_it_counts(tmp_path: Path) -> None:
    with SQLiteStore(str(tmp_path / "mail.db")) as store:
        rules.tokens.created(store, "builder", "default", lasts_ms=60_000, now=0)
        lasting, _ = rules.tokens.created(store, "builder", "default", lasts_ms=None, now=0)
        refuse_open("0.0.0.0", store, None, now=60_000)
        rules.tokens.revoked(store, lasting.id, now=1)
        refuse_open("0.0.0.0", store, None, now=59_999)

        with pytest.raises(OpenToOthers):
            refuse_open("0.0.0.0", store, None, now=60_000)


# -- names


def test_a_server_is_called_by_the_names_of_loopback_and_by_the_address_that_it_is_bound_to() -> None:
    allowed = Allowed.of("192.0.2.7", {})

    assert all(allowed.is_host(name) for name in ("192.0.2.7", "192.0.2.7:8471", "localhost", "[::1]:1"))
    assert not any(allowed.is_host(name) for name in ("192.0.2.8", "evil.example", "", "192.0.2.7.evil.example"))


@pytest.mark.parametrize("host", ["2001:db8::7", "2001:0DB8::0007"])
def test_an_address_is_the_same_however_it_is_written(host: str) -> None:
    assert Allowed.of(host, {}).is_host("[2001:DB8:0::7]:8471")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", ""])
def test_one_that_listens_everywhere_is_called_by_any_address_and_by_the_machines_name(host: str) -> None:
    allowed = Allowed.of(host, {})

    assert all(allowed.is_host(name) for name in ("192.0.2.7", "[2001:db8::7]:8471", socket.gethostname()))
    assert not any(allowed.is_host(name) for name in ("evil.example", "192.0.2.7.evil.example", "[fe80::1%25eth0]"))


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("http://192.0.2.7:8471", "192.0.2.7:8471"),
        ("http://192.0.2.7", "192.0.2.7:80"),
        ("https://[2001:db8::7]", "[2001:DB8::7]"),
        ("http://localhost:6274", "192.0.2.7:8471"),
    ],
)
def test_at_one_that_listens_everywhere_its_own_pages_may_call(origin: str, host: str) -> None:
    assert Allowed.of("0.0.0.0", {}).is_origin(origin, host)


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("http://203.0.113.9", "192.0.2.7:8471"),
        ("http://192.0.2.7:3000", "192.0.2.7:8471"),
        ("http://192.0.2.7:8471", "192.0.2.7"),
        ("http://192.0.2.7", ""),
        ("http://evil.example", "evil.example"),
    ],
)
def test_at_one_that_listens_everywhere_pages_of_other_places_may_not_call(origin: str, host: str) -> None:
    assert not Allowed.of("0.0.0.0", {}).is_origin(origin, host)


@pytest.mark.parametrize(
    "listed",
    ["*", "*.example.org", "http://mail.example.org", "mail.example.org:8471", "a b", "[::1", "é.example", "a/b"],
)
def test_what_is_no_name_of_a_host_refuses_to_start(listed: str) -> None:
    with pytest.raises(UnusableAddress, match="MAILSTOP_HTTP_ALLOWED_HOSTS"):
        Allowed.of("127.0.0.1", {"MAILSTOP_HTTP_ALLOWED_HOSTS": f"good.example,{listed}"})


@pytest.mark.parametrize("listed", ["*", "null", "desk.example.org", "https://*.example.org", "https://a/b", "://a"])
def test_what_is_no_origin_refuses_to_start(listed: str) -> None:
    with pytest.raises(UnusableAddress, match="MAILSTOP_HTTP_ALLOWED_ORIGINS"):
        Allowed.of("127.0.0.1", {"MAILSTOP_HTTP_ALLOWED_ORIGINS": f"https://good.example,{listed}"})


def test_an_address_of_the_new_kind_can_be_listed() -> None:
    assert Allowed.of("127.0.0.1", {"MAILSTOP_HTTP_ALLOWED_HOSTS": "2001:db8::7"}).is_host("[2001:db8::7]:1")


@settings(deadline=None)
@given(st.text())
def test_no_text_is_taken_for_a_name_that_is_not_written_there(text: str) -> None:
    allowed = Allowed.of("127.0.0.1", {})

    for name in (text, f"localhost{text}", f"{text}localhost", f"127.0.0.1{text}"):
        if allowed.is_host(name):
            assert host_of(name) in ("localhost", "127.0.0.1", "::1")
        if allowed.is_origin(f"http://{name}", "localhost"):
            assert host_of(name) in ("localhost", "127.0.0.1", "::1")
