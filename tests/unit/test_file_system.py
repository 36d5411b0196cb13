"""File systems that several machines may share are refused, by the name the kernel gives them."""

from __future__ import annotations

import os

import pytest

from mailstop.engines.sqlite import file_system
from mailstop.errors import NetworkFileSystem

WITHOUT_A_DISK = "/proc"  # its device has major number 0, as network file systems have


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="without /proc no kind is known")
@pytest.mark.parametrize(
    "kind",
    [
        *("nfs", "nfs4", "cifs", "smb3", "9p", "afs", "ceph", "glusterfs", "lustre", "beegfs", "orangefs", "davfs"),
        *("virtiofs", "vboxsf", "prl_fs", "vmhgfs", "drvfs", "fakeowner"),
        *("fuse.sshfs", "fuse.rclone", "fuse.s3fs", "fuse.gcsfuse", "fuse.vmhgfs-fuse", "fuse.juicefs"),
    ],
)
def test_what_other_machines_may_share_is_refused(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_system, "kind_of", lambda _folder: kind)

    with pytest.raises(NetworkFileSystem, match=kind):
        file_system.refuse_network(f"{WITHOUT_A_DISK}/mail.db")


@pytest.mark.parametrize("kind", sorted(file_system.SHARED_DISKS))
def test_a_disk_that_several_machines_share_is_refused_where_the_kernel_knows_such_disks(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "major", lambda _device: 8)
    monkeypatch.setattr(file_system, "kind_of", lambda _folder: kind)
    monkeypatch.setattr(os.path, "exists", lambda path: path == f"/sys/fs/{kind}")

    with pytest.raises(NetworkFileSystem, match=kind):
        file_system.refuse_network("/mail.db")


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="without /proc no kind is known")
def test_a_folder_of_this_machine_alone_is_not_refused() -> None:
    assert file_system.kind_of(WITHOUT_A_DISK) == "proc"
    file_system.refuse_network(f"{WITHOUT_A_DISK}/mail.db")


def test_what_the_system_does_not_tell_is_unknown_and_not_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_system, "kind_of", lambda _folder: file_system.UNKNOWN)

    file_system.refuse_network(f"{WITHOUT_A_DISK}/mail.db")
