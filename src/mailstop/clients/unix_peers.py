"""Unix peers: who is connected to a Unix socket, as the Linux kernel tells by sock_diag(7) and `ss -x` prints it.

/proc/net/unix lists the sockets but names no peers.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket as Socket


def peers_of(address: str) -> set[int] | None:
    """The inodes of the sockets that are connected to a Unix socket.

    None when nobody listens there in this network namespace, or the kernel does not tell, as in a sandbox.

    address: the path it is bound to, as it was given there.
    """
    import _socket  # `socket` costs more to import than the question takes

    try:
        kernel = _socket.socket(_AF_NETLINK, _socket.SOCK_RAW, _SOCK_DIAG)
    except OSError:
        return None
    try:
        kernel.settimeout(1.0)
        kernel.send(_QUESTION)
        return _answer(kernel, os.fsencode(address))
    except OSError:
        return None
    finally:
        kernel.close()


def _numbers(size: int, *values: int) -> bytes:
    return b"".join(value.to_bytes(size, sys.byteorder) for value in values)


_AF_NETLINK, _SOCK_DIAG = 16, 4
_BY_FAMILY, _DONE = 20, 3  # types of messages
_LISTENING = 10  # TCP_LISTEN, which Unix sockets use too
_NAME, _PEER = 0, 2  # UNIX_DIAG_NAME, UNIX_DIAG_PEER
_HUNG_UP = 0  # the peer of a connection whose other side has closed it
# struct nlmsghdr: length, type, flags REQUEST | DUMP, sequence, port; then
# struct unix_diag_req: AF_UNIX, protocol, padding, all states, any inode, show names and peers, any cookie.
_HEADER = _numbers(4, 40) + _numbers(2, _BY_FAMILY, 0x301) + _numbers(4, 1, 0)
_QUESTION = _HEADER + bytes([1, 0, 0, 0]) + _numbers(4, 0xFFFFFFFF, 0, 1 | 4, 0xFFFFFFFF, 0xFFFFFFFF)


def _answer(kernel: Socket, address: bytes) -> set[int] | None:
    """The peers in the answer to the question. Raises OSError."""
    peers: set[int] = set()
    listening = False
    while True:
        answer = kernel.recv(1 << 18)
        at = 0
        while at + 16 <= len(answer):
            length = int.from_bytes(answer[at : at + 4], sys.byteorder)
            kind = int.from_bytes(answer[at + 4 : at + 6], sys.byteorder)
            if kind == _DONE:
                return peers - {_HUNG_UP} if listening else None
            if kind != _BY_FAMILY or length < 32:
                return None  # an error
            found = _attributes(answer[at + 32 : at + length])  # behind the header and struct unix_diag_msg
            if found.get(_NAME, b"").rstrip(b"\0") == address:
                listening |= answer[at + 18] == _LISTENING
                if _PEER in found:
                    peers.add(int.from_bytes(found[_PEER], sys.byteorder))
            at += length + 3 & ~3


def _attributes(message: bytes) -> dict[int, bytes]:
    """The attributes of a message by type (netlink(7): length, type, value, padding to four bytes)."""
    found, at = {}, 0
    while at + 4 <= len(message):
        length = int.from_bytes(message[at : at + 2], sys.byteorder)
        if length < 4:
            break
        found[int.from_bytes(message[at + 2 : at + 4], sys.byteorder)] = message[at + 4 : at + length]
        at += length + 3 & ~3
    return found
