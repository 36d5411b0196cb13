"""What macOS tells about processes and the machine, through libc and libproc.

Untried: written from Apple's headers (sys/proc_info.h, unistd.h), never run by the automated tests, which run
on Linux. `ctypes` is imported only on macOS, where there is no /proc to read.
"""

from __future__ import annotations

import sys

if sys.platform == "darwin":
    import ctypes
    from struct import Struct
    from typing import Any

    _system = ctypes.CDLL(None, use_errno=True)
    _PROC_PIDTBSDINFO = 3
    _PROC_FLAG_CONTROLT = 0x80  # has a controlling terminal
    _PROC_FLAG_EXEC = 0x4000  # has executed a program since it was forked
    _SZOMB = 5
    # struct proc_bsdinfo: flags status xstatus pid ppid, seven ids, comm[16] name[32], nfiles pgid pjobc tdev
    # tpgid nice, start seconds and microseconds.
    _bsdinfo = Struct("=5I28x16s32s24x2Q")

    def process_facts(pid: int) -> dict[str, Any] | None:
        """The fields of `Process`, or None where there is no process to be seen; those of other users are not."""
        buffer = ctypes.create_string_buffer(_bsdinfo.size)
        # 1: zombies too (xnu's proc_info.c)
        size = _system.proc_pidinfo(pid, _PROC_PIDTBSDINFO, ctypes.c_uint64(1), buffer, _bsdinfo.size)
        if size != _bsdinfo.size:
            return None
        flags, status, _, found, parent, short, long, seconds, micros = _bsdinfo.unpack(buffer.raw)
        return {
            "pid": found,
            "parent": parent,
            "start": seconds * 1_000_000 + micros,
            "name": (long.partition(b"\0")[0] or short.partition(b"\0")[0]).decode("utf-8", "replace"),
            "dead": status == _SZOMB,
            "terminal": flags & _PROC_FLAG_CONTROLT != 0,
            "forked_only": flags & _PROC_FLAG_EXEC == 0,
        }

    def machine_id() -> str:
        """The machine's hardware UUID; empty where the system does not tell."""
        wait = (ctypes.c_long * 2)(5, 0)  # struct timespec
        value = ctypes.create_string_buffer(16)
        return value.raw.hex() if _system.gethostuuid(value, ctypes.byref(wait)) == 0 else ""

    def boot_id() -> str:
        """The UUID of this boot. Not kern.boottime, which moves whenever the clock is set."""
        value = ctypes.create_string_buffer(64)
        size = ctypes.c_size_t(len(value))
        failed = _system.sysctlbyname(b"kern.bootsessionuuid", value, ctypes.byref(size), None, ctypes.c_size_t(0))
        return "" if failed else value.value.decode("ascii", "replace")
