"""Process: what the system tells about a running process, read from /proc on Linux and from libproc on macOS.

A pid says nothing by itself: it is used again after its process is gone, and it counts only inside one pid
namespace.
"""

from __future__ import annotations

import errno
import os
import sys
import time

from mailstop.records import Record

_DEAD = frozenset("ZXx")  # zombie, dead (proc(5)); what is left of a process after its end
DEAD = -1  # when what is left of a dead process started, as far as anybody needs to know
_FORKED_ONLY = 0x40  # PF_FORKNOEXEC of the kernel's sched.h: forked, but has not executed a program since


class Process(Record):
    """A process as seen at one moment.

    start: when it started, in the system's own unit (Linux: clock ticks since boot, macOS: microseconds since
    1970), good for telling two processes of one pid apart. terminal: it has a controlling terminal.
    forked_only: it still runs the program of its parent, as a subshell does.
    """

    pid: int
    parent: int
    start: int
    name: str
    dead: bool = False
    terminal: bool = False
    forked_only: bool = False


if sys.platform == "darwin":

    def process_of(pid: int) -> Process | None:
        """The process of that pid, zombies included, or None where there is none to be seen."""
        from mailstop.clients import macos

        facts = macos.process_facts(pid)
        return None if facts is None else Process(**facts)

    def start_of(pid: int) -> int | None:
        """When the process of that pid started, DEAD for a zombie, None where there is none to be seen."""
        process = process_of(pid)
        return process and (DEAD if process.dead else process.start)

    def own_pid() -> int:
        """This process's pid, as the process table numbers it."""
        return os.getpid()

    def namespace() -> str:
        """There are no pid namespaces on macOS: all processes of a machine share one."""
        return "one"

    def started_at(start: int) -> float:
        """When a process with this `start` began, in seconds since 1970."""
        return start / 1_000_000

else:

    def process_of(pid: int) -> Process | None:
        """The process of that pid, zombies included, or None where there is none to be seen."""
        line = _stat_of(pid)
        return process_from(line) if line else None

    def start_of(pid: int) -> int | None:
        """When the process of that pid started, DEAD for a zombie, None where there is none to be seen.

        Asked of every session there is, so it reads no more of it than that.
        """
        line = _stat_of(pid)
        fields = line[line.rfind(b")") + 1 :].split(maxsplit=20) if line else []
        try:
            return DEAD if fields[0].decode() in _DEAD else int(fields[19])
        except (ValueError, IndexError):
            return None

    def _stat_of(pid: int) -> bytes | None:
        """The line of /proc/PID/stat."""
        try:
            descriptor = os.open(f"/proc/{pid}/stat", os.O_RDONLY | os.O_CLOEXEC)
        except (OSError, ValueError):
            return None
        try:
            return os.read(descriptor, 4096)
        except OSError:  # ESRCH: it ended between open and read
            return None
        finally:
            os.close(descriptor)

    def own_pid() -> int:
        """This process's pid, as /proc numbers it.

        That is another number than `os.getpid()` in a pid namespace of its own that still looks at the /proc
        outside.
        """
        try:
            return int(os.readlink("/proc/self"))
        except (OSError, ValueError):
            return os.getpid()

    def namespace() -> str:
        """The pid namespace that the numbers in /proc belong to; empty where that cannot be told.

        A sandbox may give a process a pid namespace of its own and leave it the /proc from outside (observed
        with `unshare --pid --fork`); the numbers there are then not this namespace's.
        """
        pid = os.getpid()
        if pid not in _namespace:  # a process stays in its namespace; what it forks may not
            _namespace.clear()
            _namespace[pid] = _read_namespace()
        return _namespace[pid]

    _namespace: dict[int, str] = {}

    def _read_namespace() -> str:
        if own_pid() != os.getpid():
            return ""
        try:
            return str(os.stat("/proc/self/ns/pid").st_ino)
        except OSError:
            return ""

    def started_at(start: int) -> float:
        """When a process with this `start` began, in seconds since 1970."""
        up = time.clock_gettime(time.CLOCK_BOOTTIME) - start / os.sysconf("SC_CLK_TCK")
        return time.time() - up


def process_from(line: bytes) -> Process | None:
    """A process from a line of /proc/PID/stat (proc(5)); None when it is none.

    The name, in parentheses, may itself hold spaces and parentheses: what counts comes after the last one.
    """
    opening, closing = line.find(b"("), line.rfind(b")")
    rest = line[closing + 1 :].split(maxsplit=20)
    try:
        return Process(
            int(line[:opening]),
            int(rest[1]),
            int(rest[19]),
            line[opening + 1 : closing].decode("utf-8", "replace"),
            rest[0].decode() in _DEAD,
            int(rest[4]) != 0,
            int(rest[6]) & _FORKED_ONLY != 0,
        )
    except (ValueError, IndexError):
        return None


def is_gone(pid: int) -> bool:
    """Whether it is certain that no process has this pid, also where /proc hides the processes of others."""
    try:
        os.kill(pid, 0)
    except OSError as error:
        return error.errno == errno.ESRCH
    except OverflowError:
        return True
    return False
