"""Connections of `mailstop serve` on which nothing comes: they keep nobody out, and do not stay."""

from __future__ import annotations

import http.client
import resource
import socket
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.http_served import Served
from tests.party import LONGEST_S, Party
from tests.serve_inside import Inside


def is_closed(opened: socket.socket) -> bool:
    """Whether the other side closes this connection, without a word, before the test's patience ends."""
    try:
        return opened.recv(1) == b""
    except ConnectionError:
        return True


def test_where_descriptors_run_out_those_that_rest_longest_make_room(stranger: Party) -> None:
    resource.prlimit(stranger.pid, resource.RLIMIT_NOFILE, (200, 200))  # which it inherits
    with Served(stranger) as served, ExitStack() as stack:
        ann = served.joined("ann")
        opened = [stack.enter_context(socket.create_connection(ann._place, timeout=LONGEST_S)) for _ in range(300)]

        assert ann.told("who")["seats"]
        assert is_closed(opened[0])
        assert served.log == ""


@pytest.mark.parametrize("sent", [b"", b"POST /mcp HTTP/1.1\r\nHost: 127"])
def test_a_connection_without_a_whole_request_is_closed(own_home: Path, sent: bytes) -> None:
    with Inside(own_home / "mailstop.db", headers_s=0.3) as inside:
        place = inside.connect()._place
        with socket.create_connection(place, timeout=LONGEST_S) as opened:
            opened.sendall(sent)
            assert is_closed(opened)


def test_a_connection_that_has_asked_may_rest_but_not_begin_a_request_without_end(own_home: Path) -> None:
    with Inside(own_home / "mailstop.db", headers_s=0.3) as inside:
        place = inside.connect()._place
        kept = http.client.HTTPConnection(*place, timeout=LONGEST_S)
        kept.request("GET", "/healthz")
        assert kept.getresponse().read()
        same = kept.sock
        with socket.create_connection(place, timeout=LONGEST_S) as silent:
            assert is_closed(silent)  # so that time has passed

        kept.request("GET", "/healthz")
        assert kept.getresponse().read()
        assert kept.sock is same
        same.sendall(b"GET /healthz HTTP/1.1\r\nHost")
        assert is_closed(same)
        kept.close()


def test_a_stream_on_which_a_client_listens_is_not_closed(own_home: Path) -> None:
    with Inside(own_home / "mailstop.db", headers_s=0.3) as inside:
        ann = inside.joined("ann")
        with ann.listen() as stream, socket.create_connection(ann._place, timeout=LONGEST_S) as silent:
            assert is_closed(silent)
            stream.setblocking(False)
            with pytest.raises(BlockingIOError):
                stream.recv(1)
