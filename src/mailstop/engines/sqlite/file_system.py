"""File system: whether a folder lies where SQLite's locks and shared memory can be trusted."""

from __future__ import annotations

import os

from mailstop import errors

# As proc(5) names them in mountinfo. Some cannot be told: davfs2 is only `fuse` there, as are others.
NETWORK = frozenset(
    {
        *("nfs", "nfs4", "cifs", "smb3", "smbfs", "ncpfs", "afs", "coda", "davfs", "davfs2"),
        *("ceph", "glusterfs", "lustre", "beegfs", "orangefs", "pvfs2", "gpfs", "panfs"),
        # The folders of the host in a virtual machine or a container, which other machines share.
        *("9p", "virtiofs", "vboxsf", "prl_fs", "vmhgfs", "drvfs", "fakeowner", "osxfs"),
        *(
            f"fuse.{kind}"
            for kind in (
                *("sshfs", "glusterfs", "ceph", "ceph-fuse", "davfs", "davfs2", "rclone", "s3fs", "goofys", "gcsfuse"),
                *("juicefs", "mfs", "smbnetfs", "curlftpfs", "gvfsd-fuse", "vmhgfs-fuse", "prl_fsd", "grpcfuse"),
            )
        ),
    }
)
UNKNOWN = "unknown"
SHARED_DISKS = frozenset({"gfs2", "ocfs2"})  # several machines on one disk, which looks like a disk of one's own


def refuse_network(path: str) -> None:
    """Raise NetworkFileSystem when `path` would lie on a file system that several machines may share.

    For Linux. On macOS there is no /proc: the kind is unknown there, and nothing is refused.
    """
    folder = os.path.dirname(path)
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    if kind := network_kind(folder):
        raise errors.NetworkFileSystem(path=path, kind=kind)


def network_kind(folder: str) -> str:
    """The type of the file system that holds `folder`, if several machines may share it; empty otherwise."""
    # File systems without a disk of their own have device numbers with major 0; others need no further look, unless
    # the kernel has a driver for shared disks loaded.
    suspects = NETWORK if os.major(os.stat(folder).st_dev) == 0 else _loaded_shared_disks()
    kind = kind_of(folder) if suspects else ""
    return kind if kind in suspects else ""


def _loaded_shared_disks() -> frozenset[str]:
    return frozenset(kind for kind in SHARED_DISKS if os.path.exists(f"/sys/fs/{kind}"))


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
    best, kind = "", UNKNOWN
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as mounts:
            for line in mounts:
                before, _, after = line.partition(" - ")
                point = before.split()[4].replace("\\040", " ")
                inside = folder == point or folder.startswith(point.rstrip("/") + "/")
                if inside and len(point) >= len(best):
                    best, kind = point, after.split()[0]
    except (OSError, IndexError):
        return UNKNOWN
    return kind
