"""File system: whether a folder lies where SQLite's locks and shared memory can be trusted."""

from __future__ import annotations

import os

from mailstop.errors import NetworkFileSystem

NETWORK = frozenset(
    {
        "nfs",
        "nfs4",
        "cifs",
        "smb3",
        "smbfs",
        "9p",
        "afs",
        "ceph",
        "glusterfs",
        "fuse.sshfs",
        "fuse.glusterfs",
        "drvfs",
    }
)


def refuse_network(path: str) -> None:
    """Raise NetworkFileSystem when `path` would lie on a file system that several machines may share."""
    folder = os.path.dirname(path)
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    # File systems without a disk of their own have device numbers with major 0; others need no further look.
    if os.major(os.stat(folder).st_dev) == 0 and (kind := kind_of(folder)) in NETWORK:
        raise NetworkFileSystem(path=path, kind=kind)


def is_full(path: str) -> bool:
    """Whether nothing more can be written, or no file be made, where `path` lies."""
    try:
        facts = os.statvfs(os.path.dirname(path))
    except OSError:
        return False
    return facts.f_bavail == 0 or (facts.f_files > 0 and facts.f_favail == 0)


def kind_of(folder: str) -> str:
    """The type of the file system that holds `folder`, `unknown` where the system does not tell (proc(5))."""
    folder = os.path.realpath(folder)
    best, kind = "", "unknown"
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as mounts:
            for line in mounts:
                before, _, after = line.partition(" - ")
                point = before.split()[4].replace("\\040", " ")
                inside = folder == point or folder.startswith(point.rstrip("/") + "/")
                if inside and len(point) >= len(best):
                    best, kind = point, after.split()[0]
    except (OSError, IndexError):
        return "unknown"
    return kind
