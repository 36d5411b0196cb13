"""Exposure: whom an address lets in, and that nobody opens one to others without a token.

This machine's own addresses reach its own processes only: all of its users, though. Whatever is not known to be such an
address counts as open to others, a name among them that today leads here.
"""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address

from mailstop import errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.engines.base import Store
    from mailstop.resident.shared_token import SharedToken

EVERY_ADDRESS = ("", "0.0.0.0", "::")


def is_loopback(host: str) -> bool:
    """Whether only this machine's own processes reach a server that is bound to `host`."""
    if host.lower() == "localhost":
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        return address.ipv4_mapped.is_loopback
    return address.is_loopback


def refuse_open(host: str, store: Store, shared: SharedToken | None, *, now: int, option: str = "") -> None:
    """Raise OpenToOthers where `host` is open to others and no token counts, be it a shared or a stored one.

    now: milliseconds since 1970. option: what the person's commands have to say to mean this store, with a leading
    blank.
    """
    if is_loopback(host) or shared is not None or store.index.tokens.counts_any(now):
        return
    raise errors.OpenToOthers(host=host or "every address", option=option)
