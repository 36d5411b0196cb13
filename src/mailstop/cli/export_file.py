"""Export file: written beside its place under another name, synced, and put there whole; nothing stays of one that
fails."""

from __future__ import annotations

import os
import stat

from mailstop import errors, faults

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def written(path: str, chunks: Iterator[bytes], *, force: bool) -> int:
    """Write it, mode 0600, and return how many bytes it has. force: whether a file that is there is replaced.

    Raises ExportExists before anything is written, ExportFailed.
    """
    target = os.path.abspath(os.path.expanduser(path))
    _refuse(path, target, force=force)
    beside = os.path.join(os.path.dirname(target), f".{os.path.basename(target)[:200]}.{os.urandom(4).hex()}.part")
    try:
        size = _filled(beside, chunks)
        faults.reach("export written")
        _put(path, beside, target, force=force)
        folder = os.open(os.path.dirname(target), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        raise errors.ExportFailed(path=path, reason=error.strerror or str(error)) from None
    finally:
        try:
            os.unlink(beside)
        except OSError:  # it is in its place, or was never made
            pass
    return size


def _refuse(path: str, target: str, *, force: bool) -> None:
    try:
        found = os.lstat(target)
    except OSError:
        return
    if stat.S_ISDIR(found.st_mode):
        raise errors.ExportFailed(path=path, reason="it is a folder")
    if not force:
        raise errors.ExportExists(path=path)
    if not stat.S_ISREG(found.st_mode):
        raise errors.ExportFailed(path=path, reason="it is no plain file, and is not replaced")


def _filled(path: str, chunks: Iterator[bytes]) -> int:
    size = 0
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        os.fchmod(file, 0o600)  # whatever the umask
        for chunk in chunks:
            size += len(chunk)
            view = memoryview(chunk)
            while view:
                view = view[os.write(file, view) :]
        os.fsync(file)
    finally:
        os.close(file)
    return size


def _put(path: str, beside: str, target: str, *, force: bool) -> None:
    if force:
        os.replace(beside, target)
        return
    try:
        os.link(beside, target)  # refuses what came there meanwhile
    except FileExistsError:
        raise errors.ExportExists(path=path) from None
    except OSError:  # a file system without links
        if os.path.lexists(target):
            raise errors.ExportExists(path=path) from None
        os.replace(beside, target)
