"""Record of what setup has changed, so that it can be taken out again: by file, each edit and for whom it was made.

It is written before the file itself is changed: whoever is killed between the two has a record of something that is not
there, which taking out passes over.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from contextlib import contextmanager

from mailstop import errors
from mailstop.records import Record
from mailstop.setup.config_file import make_folders, missing_folders, own_as_around, replace
from mailstop.setup.edit import Edit
from mailstop.setup.places import own_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any, TextIO

_FORM = 1


class Made(Record):
    """An edit that was made. uses: for whom, `claude user` or `codex /project`: the last who goes takes it out."""

    offer: str
    edit: Edit
    note: dict[str, Any]
    uses: tuple[str, ...]


class Kept(Record):
    """What was done to a file. was: how it was without our edits; None when it was not there. left: the digest of what
    was written."""

    format: str
    was: bytes | None
    left: str
    made: tuple[Made, ...]


Records = dict[str, Kept]


def digest(raw: bytes | None) -> str:
    """What tells one content from another; empty for none."""
    return hashlib.sha256(raw).hexdigest() if raw is not None else ""


def backups_folder() -> str:
    """Where the files lie as they were."""
    return os.path.join(own_folder(), "backups")


def _path() -> str:
    return os.path.join(own_folder(), "setup.json")


class Folders:
    """The folders that setup has made, one a line in a file that is the lock as well: they go when they are empty."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        file.seek(0)
        self.all = [line for line in file.read().split("\n") if line]

    def note(self, folders: Sequence[str]) -> None:
        """Write down folders that are about to be made."""
        for folder in folders:
            if folder not in self.all:
                self.all.append(folder)
                self._file.write(f"{folder}\n")
        self._file.flush()

    def remove(self, around: str) -> None:
        """Remove those around a file that is gone, as far as nothing lies in them."""
        remove_empty([folder for folder in self.all if around.startswith(folder + os.sep)])


@contextmanager
def held() -> Iterator[Folders]:
    """Let nobody else set up or take out meanwhile. Once nothing is set up any more, nothing is left.

    Raises RecordLost.
    """
    lock = os.path.join(own_folder(), "setup.lock")
    try:
        file, missing = _locked(lock)
    except OSError as error:
        raise _lost(error.strerror or str(error)) from None
    with file:
        folders = Folders(file)
        folders.note(missing)
        try:
            yield folders
        finally:
            if not os.path.exists(_path()):
                os.unlink(lock)
                remove_empty([backups_folder(), own_folder(), *folders.all])


def _locked(lock: str) -> tuple[TextIO, list[str]]:
    """The lock's file, held, and the folders that were made for it. Whoever held it before may have removed it."""
    made: list[str] = []
    while True:
        try:
            made += missing_folders(lock)
            make_folders(lock)
            file = open(lock, "a+", encoding="utf-8", errors="surrogateescape", newline="")  # noqa: SIM115  # given on
        except (FileNotFoundError, FileExistsError):
            continue
        fcntl.flock(file, fcntl.LOCK_EX)
        try:
            if os.path.samestat(os.fstat(file.fileno()), os.stat(lock)):
                own_as_around(lock)
                return file, made
        except FileNotFoundError:
            pass
        file.close()


def remove_empty(folders: Sequence[str]) -> None:
    """Remove those folders in which nothing lies, the innermost first."""
    for folder in sorted(folders, key=len, reverse=True):
        try:
            os.rmdir(folder)
        except OSError:
            pass


def read() -> Records:
    """All that is set up. Raises RecordLost."""
    try:
        return {path: _kept(path, one) for path, one in _stored().get("files", {}).items()}
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise _lost(f"it does not hold what it should ({error})") from None


def write(records: Records) -> None:
    """Write down all that is set up; nothing at all removes the record. Raises RecordLost."""
    try:
        if not records:
            if os.path.exists(_path()):
                os.unlink(_path())
        else:
            for path, kept in records.items():
                if kept.was is not None:
                    _back_up(path, kept.was)
            files = {path: _as_json(path, kept) for path, kept in records.items()}
            text = json.dumps({"form": _FORM, "files": files}, indent=2, ensure_ascii=False)
            replace(_path(), (text + "\n").encode("utf-8", "surrogatepass"))
        for name in set(_listed(backups_folder())) - {backup_name(path) for path in records}:
            os.unlink(os.path.join(backups_folder(), name))
    except OSError as error:
        raise _lost(error.strerror or str(error)) from None


def backup_name(path: str) -> str:
    """The name of the file as it was, in the folder of backups."""
    return f"{hashlib.sha256(os.fsencode(path)).hexdigest()[:8]}-{os.path.basename(path)}"


def _back_up(path: str, raw: bytes) -> None:
    backup = os.path.join(backups_folder(), backup_name(path))
    try:
        with open(backup, "rb") as file:
            if file.read() == raw:
                return
    except FileNotFoundError:
        pass
    replace(backup, raw)


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except FileNotFoundError:
        return []


def _stored() -> dict[str, Any]:
    try:
        with open(_path(), "rb") as file:
            stored = json.load(file)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise _lost(error.strerror or str(error)) from None
    except ValueError:
        raise _lost("it is no JSON") from None
    if not isinstance(stored, dict) or stored.get("form") != _FORM:
        raise _lost("it was written by another version of mailstop")
    return stored


def _as_json(path: str, kept: Kept) -> dict[str, Any]:
    made = [
        {
            "offer": one.offer,
            "path": list(one.edit.path),
            "value": one.edit.value,
            "adds": one.edit.adds,
            "note": one.note,
            "uses": list(one.uses),
        }
        for one in kept.made
    ]
    was = backup_name(path) if kept.was is not None else None
    return {"format": kept.format, "was": was, "left": kept.left, "made": made}


def _kept(path: str, stored: dict[str, Any]) -> Kept:
    made = tuple(
        Made(one["offer"], Edit(tuple(one["path"]), one["value"], one["adds"]), one["note"], tuple(one["uses"]))
        for one in stored["made"]
    )
    was = None
    if stored["was"] is not None:
        try:
            with open(os.path.join(backups_folder(), stored["was"]), "rb") as file:
                was = file.read()
        except OSError as error:
            raise _lost(f"the file {stored['was']} as it was: {error.strerror}") from None
    return Kept(stored["format"], was, stored["left"], made)


def _lost(reason: str) -> errors.MailstopError:
    return errors.RecordLost(path=_path(), reason=reason, backups=backups_folder())
