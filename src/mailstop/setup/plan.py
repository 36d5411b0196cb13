"""Plan: what would be changed in which file, before anybody has agreed to it, and then the doing of it."""

from __future__ import annotations

import difflib
import os

from mailstop import faults
from mailstop.cleaning import plain_line
from mailstop.errors import MailstopError
from mailstop.records import Record
from mailstop.setup import config_file, plugin_copy, record
from mailstop.setup.config_file import ConfigFile, look
from mailstop.setup.record import Kept, Made, Records, digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mailstop.setup.offer import Offer


_OF_PLUGINS = ("plugins", "marketplaces", "enabledPlugins", "extraKnownMarketplaces")  # what clients write of plugins


class Change(Record):
    """What a file is to become. raw: None removes it."""

    file: ConfigFile
    raw: bytes | None

    @property
    def is_one(self) -> bool:
        """Whether anything changes."""
        return self.raw != self.file.raw

    @property
    def diff(self) -> list[str]:
        """The change in lines, as `diff -u` shows it."""
        before, after = _lines(self.file.raw), _lines(self.raw)
        named = self.file.path + (" (new)" if self.file.raw is None else "")
        then = self.file.path + (" (removed)" if self.raw is None else "")
        return [_shown(line) for line in difflib.unified_diff(before, after, named, then, lineterm="")]


def _shown(line: str) -> str:
    """A line as a terminal may show it; its tabs stay."""
    return "\t".join(map(plain_line, line.split("\t")))


def _lines(raw: bytes | None) -> list[str]:
    return (raw or b"").decode("utf-8", "replace").splitlines()


class Plan:
    """Offers that were agreed to, one after the other; nothing is written before `apply`.

    use: for whom, as in Made. command: the path that clients start.
    """

    def __init__(self, use: str, command: str) -> None:
        self.use, self.command = use, command
        self.offers: list[Offer] = []
        self._files: dict[str, ConfigFile] = {}
        self._texts: dict[str, str] = {}
        self._new: dict[str, list[Made]] = {}
        self._shared: dict[str, list[Made]] = {}
        self._records = record.read()

    def changes_of(self, offer: Offer) -> list[Change]:
        """What an offer changes beyond those agreed to. Raises NotReadable, NotFormed, NotOurs."""
        texts = dict(self._texts)
        for one in offer.edits:
            file = self._file(one.path, one.format)
            texts[file.real], _ = file.with_edit(texts.get(file.real, file.text), one.edit)
        return [
            Change(file.but(raw=self._raw(file, self._texts)), self._raw(file, texts))
            for file in self._files.values()
            if texts.get(file.real) != self._texts.get(file.real) and self._raw(file, texts) != file.raw
        ]

    def is_done(self, offer: Offer) -> bool:
        """Whether nothing is left to do for an offer."""
        copied = not offer.copies or plugin_copy.is_current(self.command)
        return copied and not self.changes_of(offer) and all(os.path.isdir(folder) for folder in offer.makes)

    def agree(self, offer: Offer) -> None:
        """Take an offer in. Raises NotReadable, NotFormed, NotOurs."""
        for one in offer.edits:
            file = self._file(one.path, one.format)
            text, note = file.with_edit(self._texts.get(file.real, file.text), one.edit)
            self._texts[file.real] = text
            made = Made(offer.name, one.edit, note, (self.use,))
            (self._new if note else self._shared).setdefault(file.real, []).append(made)
        self.offers.append(offer)

    @property
    def changes(self) -> list[Change]:
        """What becomes of each file."""
        every = [Change(file, self._raw(file, self._texts)) for file in self._files.values()]
        return [one for one in every if one.is_one]

    def apply(self, installs: Callable[[], None] | None = None) -> None:
        """Do it. installs: what makes the client take the plugin in. Raises what keeps it from being done."""
        with record.held() as folders:
            self._records = record.read()
            try:
                self._write(folders)
            except Exception:
                if not record.read():  # nothing is set up: no copy stays that nobody would take out
                    plugin_copy.remove()
                raise
            if installs:
                installs()
                for file in self._files.values():
                    put_back(file, self._raw(file, self._texts))

    def _write(self, folders: record.Folders) -> None:
        if any(offer.copies for offer in self.offers):
            plugin_copy.write(self.command)
            faults.reach("setup copied the plugin")
        for folder in (os.path.join(each, "") for offer in self.offers for each in offer.makes):
            folders.note(config_file.missing_folders(folder))
            config_file.make_folders(folder)
        for file in self._files.values():
            raw = self._raw(file, self._texts)
            kept = self._kept(file, raw)
            if not kept.made:
                continue
            before = dict(self._records)
            self._records[file.real] = kept
            folders.note(config_file.missing_folders(file.real))
            record.write(self._records)
            faults.reach("setup written down")
            if raw != file.raw:
                try:
                    config_file.write(file, raw)
                except MailstopError:
                    record.write(before)
                    folders.remove(file.real)
                    raise
            faults.reach("setup written")

    def _file(self, path: str, format: str) -> ConfigFile:
        file = look(path, format)
        return self._files.setdefault(file.real, file)

    def _raw(self, file: ConfigFile, texts: dict[str, str]) -> bytes | None:
        text = texts.get(file.real)
        return file.raw if text is None or text == file.text else file.bytes_of(text)

    def _kept(self, file: ConfigFile, raw: bytes | None) -> Kept:
        """What is known of a file once it is written."""
        kept = self._records.get(file.real) or Kept(file.format, file.raw, digest(file.raw), ())
        was = kept.was
        if digest(file.raw) != kept.left:  # others have changed it since: what it would be without us
            was = undone(file, kept.made) if file.raw is not None else None
        shared = {(one.offer, one.edit.path) for one in self._shared.get(file.real, ())}
        new = self._new.get(file.real, [])
        replaced = {(one.edit.path, str(one.edit.value)) for one in new}
        made = [
            one.but(uses=tuple(sorted({*one.uses, self.use}))) if (one.offer, one.edit.path) in shared else one
            for one in kept.made
            if (one.edit.path, str(one.edit.value)) not in replaced
        ]
        return Kept(file.format, was, digest(raw), (*made, *new))


def put_back(file: ConfigFile, raw: bytes | None) -> None:
    """A client that takes a plugin in may write its configuration anew, with the same meaning: ours is the form."""
    now = look(file.path, file.format)
    if now.raw == raw:
        return
    says, meant = now.data(now.text), now.data(now.but(raw=raw).text)
    if {**says, **dict.fromkeys(_OF_PLUGINS)} == {**meant, **dict.fromkeys(_OF_PLUGINS)}:
        config_file.write(now, raw)


def undone(file: ConfigFile, made: Sequence[Made]) -> bytes:
    """A file without these edits, the last of them first. Raises NotReadable, NotFormed."""
    text = file.text
    for one in reversed(made):
        text = file.without(text, one.edit, one.note)
    return file.raw if text == file.text and file.raw is not None else file.bytes_of(text)


class Removal:
    """The taking out of what was made for some uses. goes: whether a use is one of those."""

    def __init__(self, goes: Callable[[str], bool]) -> None:
        self._goes = goes
        self.changes = [self._change(path, kept) for path, kept in record.read().items()]

    @property
    def is_any(self) -> bool:
        """Whether anything was made for them."""
        return any(self._goes(use) for kept in record.read().values() for one in kept.made for use in one.uses)

    def apply(self) -> None:
        """Do it. Raises what keeps it from being done."""
        with record.held() as folders:
            records = record.read()
            for change in self.changes:
                kept = records.get(change.file.real)
                if kept is None:
                    continue
                if change.is_one:
                    config_file.write(change.file, change.raw)
                    folders.remove(change.file.real)
                faults.reach("setup taken out")
                left = self._left(kept)
                records[change.file.real] = kept.but(made=left, left=digest(change.raw))
                if not left:
                    del records[change.file.real]
                record.write(records)
                faults.reach("setup forgotten")
            if not any(one.offer == "plugin" for kept in records.values() for one in kept.made):
                plugin_copy.remove()

    def _left(self, kept: Kept) -> tuple[Made, ...]:
        every = [one.but(uses=tuple(use for use in one.uses if not self._goes(use))) for one in kept.made]
        return tuple(one for one in every if one.uses)

    def _change(self, path: str, kept: Kept) -> Change:
        file = look(path, kept.format)
        going = [one for one in kept.made if all(self._goes(use) for use in one.uses)]
        if not going or file.raw is None:
            return Change(file, file.raw)
        if len(going) == len(kept.made) and digest(file.raw) == kept.left:
            return Change(file, kept.was)
        raw: bytes | None = undone(file, going)
        if len(going) == len(kept.made) and not kept.was and raw is not None:
            says = file.data(file.but(raw=raw).text)
            raw = kept.was if not says else raw
        return Change(file, raw)


def records() -> Records:
    """All that is set up. Raises RecordLost."""
    return record.read()


def has(use: str) -> bool:
    """Whether anything is set up for a use. Raises RecordLost."""
    return any(use in one.uses for kept in record.read().values() for one in kept.made)
