"""Life: the proof that a process lives, good for its whole life and for nobody else's.

A pid is used again, by another process after a while and by another machine at any time. So a proof of life
is the machine, its boot, the pid namespace, the pid, and the moment at which the process started. Host names
play no part: they change with the network.
"""

from __future__ import annotations

import os
import sys

from mailstop import config
from mailstop.clients.process import is_gone, namespace, own_pid, process_of, start_of
from mailstop.clients.small_file import read_small
from mailstop.records import Record

_MACHINE_FILES = ("/etc/machine-id", "/var/lib/dbus/machine-id")  # machine-id(5)
_BOOT_FILE = "/proc/sys/kernel/random/boot_id"  # random(4)
_LARGEST_PID = 2**31 - 1


class Life(Record):
    """What one process can be told by, among all processes of all machines.

    machine, boot, namespace: empty where the system does not tell; such a life can never be judged from
    elsewhere. start: in the system's own unit, see `Process`.
    """

    machine: str
    boot: str
    namespace: str
    pid: int
    start: int

    @classmethod
    def from_dict(cls, value: object) -> Life | None:
        """The life that `as_dict` gave; None for anything else."""
        if not isinstance(value, dict):
            return None
        machine, boot, namespace = value.get("machine"), value.get("boot"), value.get("namespace")
        pid, start = value.get("pid"), value.get("start")
        if not isinstance(machine, str) or not isinstance(boot, str) or not isinstance(namespace, str):
            return None
        if type(pid) is not int or type(start) is not int or not 0 < pid <= _LARGEST_PID or start < 0:
            return None
        return cls(machine, boot, namespace, pid, start)

    def is_same(self, pid: int, start: int) -> bool:
        """Whether the process of that pid and start, seen from here, is this one.

        A process in a sandbox that sees the process table from outside cannot tell its own namespace; there
        machine, boot, pid and start must do.
        """
        if (self.pid, self.start, self.machine, self.boot) != (pid, start, machine_id(), boot_id()):
            return False
        here = namespace()
        return not here or not self.namespace or here == self.namespace


def life_of(pid: int) -> Life | None:
    """The life of the process with this pid; None where there is none, or only a zombie."""
    process = process_of(pid)
    if process is None or process.dead:
        return None
    return Life(machine_id(), boot_id(), namespace(), process.pid, process.start)


def my_life() -> Life:
    """The life of the calling process; one that nobody can judge where the system tells nothing about it."""
    return life_of(own_pid()) or Life(machine_id(), boot_id(), "", os.getpid(), 0)


def is_alive(life: Life) -> bool | None:
    """Whether that process still lives: True, False when provably dead, None when it cannot be known here.

    Only a process of this machine, and of this boot and pid namespace, can be judged. Of an earlier boot of
    this machine nothing lives any more.
    """
    if not life.machine or not life.boot or life.machine != machine_id() or not boot_id():
        return None
    if life.boot != boot_id():
        return False
    if not life.namespace or life.namespace != namespace():
        return None
    start = start_of(life.pid)
    if start is None:
        return False if is_gone(life.pid) else None
    return start == life.start  # which DEAD never is


_known: dict[str, str] = {}  # what cannot change while a process lives
_may_make = True


def make_nothing() -> None:
    """Let a machine without an id stay without one in this process, which only looks."""
    global _may_make
    _may_make = False


def machine_id() -> str:
    """What tells this machine from others, for as long as it is installed; empty where nothing can."""
    if "machine" not in _known:
        _known["machine"] = _read_machine_id()
    return _known["machine"]


def boot_id() -> str:
    """What tells this boot of the machine from its others; empty where the system does not say."""
    if "boot" not in _known:
        _known["boot"] = _read_boot_id()
    return _known["boot"]


if sys.platform == "darwin":

    def _read_machine_id() -> str:
        from mailstop.clients import macos

        return macos.machine_id()

    def _read_boot_id() -> str:
        from mailstop.clients import macos

        return macos.boot_id()

else:

    def _read_machine_id() -> str:
        for path in _MACHINE_FILES:
            known = (read_small(path, largest=256) or b"").strip().lower()
            if len(known) == 32 and frozenset(b"0123456789abcdef").issuperset(known):
                return known.decode()
        return _own_machine_id()

    def _read_boot_id() -> str:
        return (read_small(_BOOT_FILE, largest=256) or b"").decode("ascii", "replace").strip()


def _own_machine_id() -> str:
    """A random id that is kept in the state folder, for machines (mostly containers) that have none."""
    path = os.path.join(config.state_folder(), "machine-id")
    if _may_make and not os.path.exists(path):
        try:
            os.makedirs(config.state_folder(), 0o700, exist_ok=True)
            fresh = f"{path}.{os.urandom(8).hex()}"
            descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            try:
                os.write(descriptor, os.urandom(16).hex().encode())
                os.link(fresh, path)  # whole or not at all, and never over one that is there
            finally:
                os.close(descriptor)
                os.unlink(fresh)
        except OSError:
            pass  # another process was first, or nothing may be written here
    return (read_small(path, largest=256, own=True) or b"").decode("ascii", "replace").strip()
