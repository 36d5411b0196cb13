"""Seal: processes of their own, on a network that has nothing but loopback, where the system grants that."""

from __future__ import annotations

import ctypes
import fcntl
import os
import shutil
import socket
import struct
import subprocess
import sys

_UP, _SET_FLAGS = 0x1, 0x8914  # IFF_UP, SIOCSIFFLAGS of the kernel's if.h and sockios.h
_AMBIENT, _CLEAR_ALL = 47, 4  # PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL of prctl(2)
_NAMESPACES = (
    "--user",
    "--map-current-user",
    "--keep-caps",
    "--net",
    "--pid",
    "--fork",
    "--kill-child",
    "--mount-proc",
)
_TIMEOUT_S = 10


def words() -> list[str]:
    """What goes before a command so that it runs there; none where it cannot be had."""
    unshare = shutil.which("unshare") if sys.platform == "linux" else None
    if unshare is None:
        return []
    argv = [unshare, *_NAMESPACES]
    try:
        done = subprocess.run(
            [*argv, "true"], capture_output=True, stdin=subprocess.DEVNULL, timeout=_TIMEOUT_S, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return []
    return argv if done.returncode == 0 else []


def close() -> bool:
    """In there: bring loopback up, and let go of the rights that this took. Whether no route leads out."""
    if sys.platform != "linux":
        return False
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as opened:
            fcntl.ioctl(opened, _SET_FLAGS, struct.pack("16sh14x", b"lo", _UP))
        ctypes.CDLL(None).prctl(_AMBIENT, _CLEAR_ALL, 0, 0, 0)
    except (OSError, AttributeError):  # a network that is not ours to change
        pass
    return is_sealed()


def is_sealed() -> bool:
    """Whether every route of this network stays on the loopback interface. Linux."""
    try:
        with open("/proc/net/route", encoding="ascii") as file:
            devices = {line.split()[0] for line in file.read().splitlines()[1:]}
        if os.path.exists("/proc/net/ipv6_route"):
            with open("/proc/net/ipv6_route", encoding="ascii") as file:
                devices |= {line.split()[-1] for line in file.read().splitlines()}
    except OSError:
        return False
    return devices <= {"lo"}
