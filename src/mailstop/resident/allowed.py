"""Allowed: under which names a server answers, and to pages of which origins.

A browser takes any page's request to the address that the page's own name leads to, and whoever owns that name may let
it lead here (DNS rebinding). The request then says that name as its Host, which is none of ours. An address in its
place was typed by somebody, and cannot be led elsewhere.
"""

from __future__ import annotations

import socket
from ipaddress import ip_address

from mailstop import errors
from mailstop.records import Record
from mailstop.resident.exposure import EVERY_ADDRESS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

HOSTS, ORIGINS = "MAILSTOP_HTTP_ALLOWED_HOSTS", "MAILSTOP_HTTP_ALLOWED_ORIGINS"
LOOPBACK = ("localhost", "127.0.0.1", "::1")
LONGEST = 300  # characters of a Host or an Origin
_IN_NAME = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_.")
_IN_SCHEME = frozenset("abcdefghijklmnopqrstuvwxyz0123456789+-.")
_USUAL_PORT = {"http": ":80", "https": ":443"}


class Allowed(Record):
    """Names by which a server may be called, in small letters, and origins whose pages may call it.

    addresses: whether any address in place of a name is fine, as for a server that listens at all of them.
    """

    hosts: frozenset[str]
    origins: frozenset[str] = frozenset()
    addresses: bool = False

    @classmethod
    def of(cls, host: str, environment: Mapping[str, str]) -> Allowed:
        """What a server that is bound to `host` may be called: that, the loopback names, and what the environment
        adds. Raises UnusableAddress for what is no name or no origin there."""
        hosts = {*LOOPBACK, *_listed_hosts(environment.get(HOSTS, ""))}
        everywhere = host in EVERY_ADDRESS
        own = host_of(socket.gethostname() if everywhere else f"[{host}]" if ":" in host else host)
        origins = frozenset(_listed_origins(environment.get(ORIGINS, "")))
        return cls(frozenset(hosts | {own} if own else hosts), origins, everywhere)

    def is_host(self, text: str) -> bool:
        """Whether a Host header says one of the names; the port is not looked at, others may forward theirs."""
        host = host_of(text)
        return host is not None and (host in self.hosts or (self.addresses and _is_address(host)))

    def is_origin(self, text: str, host: str) -> bool:
        """Whether pages of this origin may call: those of the allowed names, and of the origins that were listed.

        host: the request's Host header. Where any address will do, only pages from that very place may call: an address
        says nothing of who else serves pages at it.
        """
        origin = _origin(text)
        if origin is None:
            return False
        if origin in self.origins:
            return True
        scheme, _, place = origin.partition("://")
        name = host_of(place)
        if scheme not in _USUAL_PORT or name is None:
            return False
        return name in self.hosts or (self.addresses and _is_address(name) and origin == _origin(f"{scheme}://{host}"))


def host_of(text: str) -> str | None:
    """The name or address in `name:port`, in small letters and without brackets; None for anything else."""
    if len(text) > LONGEST or not text.isascii():
        return None
    name, port = text.lower(), ""
    if name.startswith("["):
        name, bracket, port = name[1:].partition("]")
        if not bracket or not _is_address(name) or ":" not in name:
            return None
        port = port or ":0"
    elif ":" in name:
        name, _, port = name.partition(":")
        port = f":{port}"
    if port and not (port.startswith(":") and port[1:].isdigit() and len(port) <= 6):
        return None
    if _is_address(name):
        return ip_address(name).compressed
    name = name.removesuffix(".")
    return name if name and _IN_NAME.issuperset(name) else None


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return "%" not in text  # a zone says which interface, and means nothing elsewhere


def _origin(text: str) -> str | None:
    """An origin in small letters, without the port that its scheme has anyway; None for what is none."""
    if len(text) > LONGEST or not text.isascii() or not text.isprintable():
        return None
    scheme, separator, rest = text.lower().partition("://")
    if not separator or not scheme or not _IN_SCHEME.issuperset(scheme):
        return None
    if not rest or any(character in rest for character in " /?#@*,\\"):
        return None
    return f"{scheme}://{rest.removesuffix(_USUAL_PORT.get(scheme, '/'))}"


def _listed_hosts(text: str) -> list[str]:
    found = []
    for item in _items(text):
        host = host_of(f"[{item}]" if _is_address(item) and ":" in item else item)
        if host is None or (host != item.lower().removesuffix(".") and not _is_address(host)):
            example = "names and addresses with commas between them, without ports: mail.example.org, 192.0.2.7"
            raise errors.UnusableAddress(value=item[:LONGEST], source=HOSTS, what="name of a host", example=example)
        found.append(host)
    return found


def _listed_origins(text: str) -> list[str]:
    found = []
    for item in _items(text):
        origin = _origin(item)
        if origin is None:
            example = "scheme, name and port with commas between them: https://desk.example.org, http://localhost:6274"
            raise errors.UnusableAddress(value=item[:LONGEST], source=ORIGINS, what="origin", example=example)
        found.append(origin)
    return found


def _items(text: str) -> list[str]:
    return [item for item in (each.strip() for each in text.split(",")) if item]
