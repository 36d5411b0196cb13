"""A configuration file of a client: read as it is, and written whole or not at all."""

from __future__ import annotations

import os
import secrets
import stat

from mailstop import errors
from mailstop.records import Record
from mailstop.setup.edit import Malformed, Occupied
from mailstop.setup.json_format import JSONFormat
from mailstop.setup.toml_format import TOMLFormat
from mailstop.wording import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from mailstop.setup.edit import Edit

FORMATS: dict[str, JSONFormat | TOMLFormat] = {
    "json": JSONFormat(lenient=False),
    "jsonc": JSONFormat(lenient=True),
    "toml": TOMLFormat(),
}
MOST_BYTES = 10_000_000
_BOM = "\ufeff"
_PRIVATE = 0o600


class ConfigFile(Record):
    """One file as it was found.

    path: as it is named to people. real: where it lies, behind symbolic links: those stay. raw: None where there is
    none."""

    path: str
    real: str
    format: str
    raw: bytes | None

    @property
    def text(self) -> str:
        """What it says, without a byte order mark. Raises NotReadable."""
        try:
            return (self.raw or b"").decode().removeprefix(_BOM)
        except UnicodeDecodeError as error:
            reason = f"its byte {error.start} is not UTF-8"
            raise errors.NotReadable(path=self.path, reason=reason) from None

    def bytes_of(self, text: str) -> bytes:
        """A text as this file would hold it: with the byte order mark that it has."""
        return ((_BOM if (self.raw or b"").startswith(_BOM.encode()) else "") + text).encode()

    def data(self, text: str) -> dict[str, Any]:
        """What a text of this format says. Raises NotFormed."""
        try:
            return FORMATS[self.format].data(text)
        except Malformed as error:
            self._refuse(text, error)

    def with_edit(self, text: str, edit: Edit) -> tuple[str, dict[str, Any]]:
        """The text with an edit, and how it was made; empty where it was there. Raises NotFormed, NotOurs."""
        try:
            return FORMATS[self.format].with_edit(text, edit)
        except Malformed as error:
            self._refuse(text, error)
        except Occupied as error:
            entry = ".".join(error.path) or "the whole"
            raise errors.NotOurs(path=self.path, entry=entry, found=_short(error.found)) from None

    def without(self, text: str, edit: Edit, note: dict[str, Any]) -> str:
        """The text without an edit. Raises NotFormed."""
        try:
            return FORMATS[self.format].without(text, edit, note)
        except Malformed as error:
            self._refuse(text, error)

    def _refuse(self, text: str, error: Malformed) -> NoReturn:
        before = text[: error.position]
        line, column = before.count("\n") + 1, error.position - before.rfind("\n")
        raise errors.NotFormed(path=self.path, line=line, column=column, reason=error.reason) from None


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def look(path: str, format: str) -> ConfigFile:
    """A file as it is now. Raises NotReadable."""
    real = os.path.realpath(path)
    try:
        descriptor = os.open(real, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return ConfigFile(path, real, format, None)
    except OSError as error:
        raise errors.NotReadable(path=path, reason=error.strerror) from None
    try:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode):
            raise errors.NotReadable(path=path, reason="it is no file")
        if facts.st_size > MOST_BYTES:
            raise errors.NotReadable(
                path=path, reason=f"it has {counted(facts.st_size, 'byte')}, too many for a configuration"
            )
        with open(descriptor, "rb", closefd=False) as file:
            return ConfigFile(path, real, format, file.read())
    finally:
        os.close(descriptor)


def write(file: ConfigFile, raw: bytes | None) -> None:
    """Put other bytes in the place of a file; None removes it. Its mode and owner stay. Raises NotWritable, and
    ChangedMeanwhile if it is not as it was found."""
    if look(file.path, file.format).raw != file.raw:
        raise errors.ChangedMeanwhile(path=file.path)
    try:
        if raw is None:
            os.unlink(file.real)
        else:
            replace(file.real, raw)
    except OSError as error:
        raise errors.NotWritable(path=file.path, reason=error.strerror, done="It is as it was.") from None


def missing_folders(path: str) -> list[str]:
    """The folders that a file needs and that are not there, the outermost first."""
    missing: list[str] = []
    folder = os.path.dirname(path)
    while not os.path.isdir(folder):
        missing.insert(0, folder)
        folder = os.path.dirname(folder)
    return missing


def make_folders(path: str) -> None:
    """Make the folders that a file needs, for their user alone. Raises OSError."""
    for folder in missing_folders(path):
        os.mkdir(folder, mode=0o700)
        own_as_around(folder)


def own_as_around(path: str) -> None:
    """Let what root has made in a user's folder be that user's."""
    if os.geteuid() == 0:
        facts = os.stat(os.path.dirname(path))
        os.chown(path, facts.st_uid, facts.st_gid)


def replace(path: str, raw: bytes) -> None:
    """Write a file, whole or not at all, durably. A new one is its user's alone. Raises OSError."""
    folder = os.path.dirname(path)
    make_folders(path)
    try:
        facts = os.stat(path)
        mode, owner = stat.S_IMODE(facts.st_mode), (facts.st_uid, facts.st_gid)
    except FileNotFoundError:
        facts = os.stat(folder)
        mode, owner = _PRIVATE, (facts.st_uid, facts.st_gid)
    fresh = f"{path}.{secrets.token_hex(4)}.mailstop"
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, _PRIVATE)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(raw)
            file.flush()
            if os.geteuid() == 0:  # whose file it is, root sets it up for
                os.fchown(file.fileno(), *owner)
            os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
        os.replace(fresh, path)
    except BaseException:
        os.unlink(fresh)
        raise
    _sync(folder)


def _sync(folder: str) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
