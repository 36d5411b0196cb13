"""Start: from `mailstop serve` to a service that runs, and to its end."""

from __future__ import annotations

import asyncio
import gc
import os
import resource
import signal
import socket

from mailstop import config, errors
from mailstop.engines import open_store
from mailstop.resident.exposure import refuse_open
from mailstop.resident.lock import taken
from mailstop.resident.log import quieten, say
from mailstop.resident.shared_token import take_shared_token
from mailstop.times import now_ms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from starlette.types import ASGIApp

    from mailstop.resident.bearers import AtStore
    from mailstop.resident.bridges import Bridged
    from mailstop.resident.shared_token import SharedToken

_MOST_FILES = 65_536


def serve(
    url: str, host: str, port: int, *, option: str, ready: Callable[[str], None], bridged: Sequence[Bridged] = ()
) -> None:
    """Serve a store until SIGTERM or SIGINT.

    option: how a command has to name the store. ready: is told the address. bridged: lanes that it bridges.

    Raises AlreadyServing, CannotBind, OpenToOthers, what `take_shared_token` raises, and what opening the store raises.
    """
    quieten()
    shared = take_shared_token(os.environ)
    with open_store(url) as store:  # whatever is wrong with it is told before anything is served
        url = store.url
        refuse_open(host, store, shared, now=now_ms(), option=option)
        had_tokens = store.index.tokens.was_any_created()
    lock = taken(url, option)
    try:
        listening = bound(host, port)
        try:
            _allow_files()
            address = address_of(host, listening[0])
            lock.say(address)
            asyncio.run(_run(url, host, shared, had_tokens, listening, lambda: ready(address), bridged))
        finally:
            for each in listening:
                each.close()
    finally:
        lock.release()


def bound(host: str, port: int) -> list[socket.socket]:
    """Sockets that are bound to the host's addresses, all at one port. Raises CannotBind."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        sockets: list[socket.socket] = []
        for family, kind, protocol, _name, place in dict.fromkeys(found):
            listener = socket.socket(family, kind, protocol)
            sockets.append(listener)
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            listener.bind((place[0], port or sockets[0].getsockname()[1], *place[2:]) if len(sockets) > 1 else place)
            listener.setblocking(False)
    except (OSError, OverflowError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise errors.CannotBind(address=f"{host}:{port}", reason=reason) from None
    return sockets


def address_of(host: str, listener: socket.socket) -> str:
    """The address at which clients find it."""
    return f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}"


def _allow_files() -> None:
    """As many open files as this user may have: each connection is one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, _MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        except (OSError, ValueError):  # then fewer connect at once
            pass


async def _run(
    url: str,
    host: str,
    shared: SharedToken | None,
    had_tokens: bool,
    listening: list[socket.socket],
    ready: Callable[[], None],
    bridged: Sequence[Bridged],
) -> None:
    from mailstop.resident.gate import gated
    from mailstop.resident.service import Service

    def gate(app: ASGIApp, at_store: AtStore, refused: Callable[[str], None]) -> ASGIApp:
        return gated(app, at_store, refused, host=host, shared=shared, environment=os.environ, had_tokens=had_tokens)

    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)

    def serving() -> None:
        gc.collect()
        gc.freeze()  # what the libraries made at their import stays; looking through it again and again cost a tenth
        ready()

    await Service(url, gate=gate, bridged=bridged).run(listening, stop, serving)
    say(f"process {os.getpid()} no longer serves {config.store_name(url)}")
