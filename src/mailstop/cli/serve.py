"""mailstop serve: the tools of MCP over HTTP, for clients that start no process of their own."""

from __future__ import annotations

import os

from mailstop import config, errors
from mailstop.cli.arguments import Option
from mailstop.cli.result import Result
from mailstop.errors import DoubtfulCaller, UsageError
from mailstop.names import DEFAULT_BAG, is_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from mailstop.cli.arguments import Arguments
    from mailstop.resident.bridges import Bridged
    from mailstop.resident.lock import Serving

HOST, PORT = "127.0.0.1", 8471
HOST_VARIABLE, PORT_VARIABLE = "MAILSTOP_HTTP_HOST", "MAILSTOP_HTTP_PORT"
BRIDGE_VARIABLE = "MAILSTOP_BRIDGE"
NOT_RUNNING = 4  # exit code

PARAMETERS = (
    Option(("--host",), f"listen at this address (default: {HOST_VARIABLE}, else {HOST})", value="HOST"),
    Option(
        ("--port",),
        f"listen at this port, 0: any that is free (default: {PORT_VARIABLE}, else {PORT})",
        value="PORT",
    ),
    Option(
        ("--bridge",),
        "bridge this lane with --bag, or with the bag before the =, while it serves; may be repeated"
        f" (default: {BRIDGE_VARIABLE}, several separated by {os.pathsep})",
        value="[BAG=]DIR",
        each=True,
    ),
    Option(("--status",), f"only say whether the store is served, and where; exit code {NOT_RUNNING}: it is not"),
    Option(("--stop",), "ask the one that serves the store to end, and wait until it has"),
    Option(("--unit",), "print the unit by which systemd, or launchd, keeps it running"),
)
NEEDS_NO_STORE = True

EXAMPLES = """\
mailstop serve
mailstop serve --port 0
mailstop serve --bridge work/lane --bag parser     the lane's roles and the bag's seats write to each other
mailstop serve --status
claude mcp add --transport http mailstop http://127.0.0.1:8471/mcp
claude mcp add --transport http mailstop http://127.0.0.1:8471/mcp --header 'Authorization: Bearer ${BUILDER_TOKEN}'"""


def run(args: Arguments) -> Result:
    """Serve until SIGTERM, or say how that stands."""
    if sum(map(bool, (args.status, args.stop, args.unit))) > 1:
        raise UsageError(reason="--status, --stop and --unit exclude each other")
    if args.unit:
        return _unit(args)
    if args.bag and not args.bridge:
        raise UsageError(reason="all bags are served; --bag says with which one a --bridge DIR is bridged")
    url, option = _store(args)
    if args.status or args.stop:
        from mailstop.resident.lock import serving

        found = serving(url)
        return _stopped(found, url) if args.stop else _status(found, url)
    host, port = _place(args)
    _serve(url, host, port, option, _bridged(args, url), as_json=args.json)
    return Result({"serving": False})


def _store(args: Arguments) -> tuple[str, str]:
    """The store that is meant, and how a command has to name it."""
    import shlex

    from mailstop.clients.caller import identify
    from mailstop.clients.stores import store_of

    try:
        url = store_of(identify(os.environ), args.store)
    except DoubtfulCaller:
        url = config.chosen_store(args.store) or config.default_store()
    config.store_path(url)
    return url, f" --store {shlex.quote(args.store)}" if args.store else ""


def _bridges(args: Arguments) -> list[tuple[str, str]]:
    """Which bags and folders of lanes are to be bridged, the folders absolute. Raises UsageError, InvalidName."""
    told = args.bridge or [each for each in os.environ.get(BRIDGE_VARIABLE, "").split(os.pathsep) if each.strip()]
    found = []
    for each in told:
        bag, equals, folder = each.partition("=")
        if not equals or not is_name(bag):  # ./a=b is a folder whose name holds one
            bag, folder = args.bag or DEFAULT_BAG, each
        if not folder:
            raise UsageError(reason=f"--bridge {each}: the folder of the lane is missing")
        found.append((bag, os.path.abspath(os.path.expanduser(folder))))
    return list(dict.fromkeys(found))


def _bridged(args: Arguments, url: str) -> list[Bridged]:
    """The bridges of a server. Raises DoubtfulCaller and StoreSealed where this process may hold no seats."""
    wanted = _bridges(args)
    if not wanted:
        return []
    from mailstop.cli.lanes.bridge import refuse_client
    from mailstop.cli.opening import refuse_sealed
    from mailstop.clients.caller import identify

    caller = identify(os.environ)
    refuse_client(caller)
    refuse_sealed(caller, url)
    try:
        from mailstop.resident.bridges import Bridged
    except ImportError as error:
        raise errors.ServeNotInstalled(module=error.name or str(error)) from None
    return [Bridged(folder, bag) for bag, folder in wanted]


def _unit(args: Arguments) -> Result:
    """The unit that serves as this command line says."""
    from mailstop.resident.unit import unit_text

    _place(args)
    given = (("--store", args.store and config.store_url(args.store)), ("--host", args.host), ("--port", args.port))
    words = [word for name, value in given if value for word in (name, str(value))]
    words += [word for bag, folder in _bridges(args) for word in ("--bridge", f"{bag}={folder}")]
    text = unit_text(words, os.environ)
    return Result({"unit": text}, text.rstrip("\n"))


def _place(args: Arguments) -> tuple[str, int]:
    """Where to listen."""
    host = args.host or os.environ.get(HOST_VARIABLE, "").strip() or HOST
    told = args.port if args.port is not None else os.environ.get(PORT_VARIABLE, "").strip() or str(PORT)
    if not (told.isascii() and told.isdigit() and int(told) < 65536):
        raise UsageError(reason=f"a port is a number from 0 to 65535, not {told!r}")
    return host, int(told)


def _serve(url: str, host: str, port: int, option: str, bridged: Sequence[Bridged], *, as_json: bool) -> None:
    import gc

    try:
        import mcp
        import prometheus_client
        import starlette
        import uvicorn
    except ImportError as error:
        raise errors.ServeNotInstalled(module=error.name or str(error)) from None
    del mcp, prometheus_client, starlette, uvicorn
    from mailstop.resident.start import serve

    gc.enable()  # switched off for short commands; this one stays

    def ready(address: str) -> None:
        store = config.store_name(url)
        if as_json:
            from mailstop.json_text import dumps

            print(dumps({"serving": True, "store": store, "address": address, "pid": os.getpid()}), flush=True)
        else:
            print(f"serving {store} at {address}/mcp (process {os.getpid()})", flush=True)

    serve(url, host, port, option=option, ready=ready, bridged=bridged)


def _status(found: Serving | None, url: str) -> Result:
    store = config.store_name(url)
    if found is None:
        return Result({"serving": False, "store": store}, f"{store} is not served", NOT_RUNNING)
    from mailstop.times import clock_text

    where = found.address or "an address that it has not told yet"
    text = f"{store} is served at {where} by process {found.pid} (mailstop {found.version}), since"
    return Result(_data(found, store), f"{text} {clock_text(found.since)}")


def _data(found: Serving, store: str) -> dict[str, Any]:
    from mailstop.times import iso_text

    return {
        "serving": True,
        "store": store,
        "address": found.address,
        "pid": found.pid,
        "version": found.version,
        "since": iso_text(found.since),
    }


def _stopped(found: Serving | None, url: str) -> Result:
    store = config.store_name(url)
    if found is None:
        return Result({"serving": False, "stopped": False, "store": store}, f"{store} is not served", NOT_RUNNING)
    from mailstop.resident.lock import end

    end(found, url)
    return Result(
        {"serving": False, "stopped": True, "store": store, "pid": found.pid},
        f"process {found.pid}, which served {store}, has ended",
    )
