"""Lanes: letters between sessions in plain append-only files, in the format of qq-mailbox.

A lane is a folder. In its `_sync`, each pair of roles has one file for each direction, `builder-to-reviewer.jsonl`,
with a letter a line, and each role one file that says how many lines of each file it has read, `.cursor-reviewer.json`.
Either side of a lane may be this module or the original: what is written here is what that one writes and reads.

    send("work/lane", from_role="builder", to_role="reviewer", kind="question", msg="Is main green?")
    check("work/lane", role="reviewer")["unread"]

This file needs the standard library and nothing else: copy it next to a script. (L1) to (L20) name the faults of the
original that it does not have; docs/lanes.md tells of each, tests/checklists/lanes.py shows it.

What lies beside the files of the format, with names that the original passes over, may be deleted at any time:
`.mailstop-<role>.json` (where in each file that many lines end) and `.mailstop-<role>.lock`.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import heapq
import json
import os
import random
import re
import select
import stat
import sys
import tempfile
import time
import unicodedata
import zlib
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, TypedDict

Envelope = dict[str, Any]


class Digest(TypedDict):
    """What `check` returns: all new letters, the same by kind, and those that ask something of the reader."""

    unread: list[Envelope]
    by_kind: dict[str, list[Envelope]]
    action_needed: list[Envelope]


LARGEST_MSG = 256 * 1024  # bytes of UTF-8; more belongs into a file that `artifacts` names
LARGEST_LINE = 4 * 1024 * 1024  # bytes; of a longer line a reader shows the beginning
SHORTENED_LINE = 64 * 1024  # bytes of such a line that are shown
LOCK_S = 10.0  # seconds that a writer waits for a lock before it gives up

UNPARSABLE = "_unparsable"  # the kind of a line that is no letter

# What a reader adds to a letter; where its sender has written it too, that says nothing.
_MARKS = ("_source_file", "_hint", "_parse_error", "_shortened")

# Taxonomy v1 of the format. The names and what answers what are the format's, the hints our own.
KIND_TAXONOMY: dict[str, dict[str, Any]] = {
    "design-task": {
        "expects_reply_kind": "design-delivered",
        "action_hint": "Architect this, leave a spec, and answer when it is ready.",
    },
    "design-delivered": {
        "expects_reply_kind": None,
        "action_hint": "A spec exists: read the file that this refers to.",
    },
    "build-task": {
        "expects_reply_kind": "build-delivered",
        "action_hint": "Implement this from the spec that it refers to, and answer when it is done.",
    },
    "build-delivered": {
        "expects_reply_kind": None,
        "action_hint": "The work is done; the evidence is attached.",
    },
    "qc-verdict": {
        "expects_reply_kind": None,
        "action_hint": "For information; act only when a reply is asked for.",
    },
    "question": {
        "expects_reply_kind": "any",
        "action_hint": "The sender is blocked until you answer; any kind of answer helps.",
        "implicit_needs_reply": True,
    },
    "reconnect": {
        "expects_reply_kind": None,
        "action_hint": "A sign of presence; nothing to do.",
    },
}
_GENERIC: dict[str, Any] = {
    "expects_reply_kind": None,
    "action_hint": "This kind has no defined action: read it and judge.",
}

_FOLDER = "_sync"
_BETWEEN = "-to-"
_ENDING = ".jsonl"
_LONGEST_NAME = 255  # bytes of a file name, on all file systems in use
_OPEN = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # no symlink is followed, and no FIFO waited for (L16)
_CHUNK = 256 * 1024  # bytes read at once
_MARK = 512  # bytes from which a file is recognised
_LARGEST_CURSOR = 1024 * 1024  # bytes
_SWEEP_S = 60.0  # how often a watcher looks though nothing was told, as on a network file system
_GLANCE_S = 1.0  # how often where the kernel tells nothing
_WATCHED_AT_ONCE = 500  # letters that a watcher holds
_DEEPEST = 100  # how far what `artifacts` holds may be nested
_PLAIN_ROLE = re.compile(r"[A-Za-z0-9._-]+")  # which nearly all are, so that most need no look at each character
_LINE_END = re.compile(rb"\n|\r\n?")  # universal newlines, by which the original counts
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Refused(ValueError):
    """What was asked for is not allowed; nothing was touched."""


class NotStored(OSError):
    """The letter was not stored. Half of a line may lie in the file, which no reader takes for a letter."""


class InDoubt(OSError):
    """The letter lies in its file, but it is not known whether it would outlive a crash of the system."""


# -- sending ---------------------------------------------------------------------------------------------------------


def send(
    lane_dir: str | os.PathLike[str],
    *,
    from_role: str,
    to_role: str,
    kind: str,
    msg: str,
    needs_reply: bool = False,
    ref: str | None = None,
    artifacts: list[Any] | None = None,
) -> Envelope:
    """Append a letter to `<lane_dir>/_sync/<from_role>-to-<to_role>.jsonl` and return its envelope as it was written.

    msg: at most LARGEST_MSG bytes. ref: the `id` of the letter that this one answers. artifacts: a list of JSON values,
    paths mostly. The folder is made when it is not there.

    It is on disk when this returns (L11): written at once, the rest of a short write after it (L15), on a line of its
    own whatever a dead writer left before it (L7), under a lock on the file (L13).

    Raises Refused before anything is made (L5, L12, L20), NotStored when it is not there, InDoubt when the file could
    not be synced.
    """
    microseconds = time.time_ns() // 1000
    envelope = made(
        f"{microseconds // 1000}-{os.urandom(4).hex()}",
        _EPOCH + timedelta(microseconds=microseconds),
        from_role=from_role,
        to_role=to_role,
        kind=kind,
        msg=msg,
        needs_reply=needs_reply,
        ref=ref,
        artifacts=artifacts,
    )
    _store(lane_dir, envelope, f"{from_role}{_BETWEEN}{to_role}{_ENDING}")
    return envelope


def made(
    letter_id: str,
    at: datetime,
    *,
    from_role: str,
    to_role: str,
    kind: str,
    msg: str,
    needs_reply: bool = False,
    ref: str | None = None,
    artifacts: list[Any] | None = None,
) -> Envelope:
    """The envelope of a letter, its keys in the format's order. at: in UTC. Raises Refused; touches nothing."""
    checked_pair(from_role, to_role)
    _checked_text("kind", kind)
    _checked_text("msg", msg)
    size = len(msg.encode())
    if size > LARGEST_MSG:
        raise Refused(
            f"msg has {size} bytes; a letter may have {LARGEST_MSG}. Put the text into a file and name it in artifacts"
        )
    if not isinstance(needs_reply, bool):
        raise Refused(f"needs_reply is of type {type(needs_reply).__name__}; it has to be True or False")
    envelope: Envelope = {
        "id": letter_id,
        "ts": at.isoformat(timespec="microseconds"),
        "from": from_role,
        "to": to_role,
        "kind": kind,
        "msg": msg,
        "needs_reply": needs_reply,
    }
    if ref is not None:
        _checked_text("ref", ref)
        if not ref:
            raise Refused("ref is empty; leave it out, or give the id of the letter that this one answers")
        envelope["ref"] = ref
    if artifacts is not None:
        if not isinstance(artifacts, list):
            raise Refused(f"artifacts is of type {type(artifacts).__name__}; it has to be a list")
        _check_value(artifacts, 0)
        envelope["artifacts"] = list(artifacts)
    return envelope


def put_once(lane_dir: str | os.PathLike[str], envelope: Envelope, *, look: bool = True) -> bool:
    """Append an envelope that `made` has made, unless its file holds a letter of that id; say whether it was appended.

    For whoever hands letters on and may have been killed after it did so. look: whether the file is searched at all.
    Either way the letter is on disk when this returns. Raises what `send` raises.
    """
    return _store(lane_dir, envelope, checked_pair(envelope["from"], envelope["to"]), once=look)


def checked_role(role: str) -> str:
    """`role` itself when it may name a role (L5). Raises Refused, which says what is wrong with it."""
    if not isinstance(role, str):
        raise Refused(f"a role is of type {type(role).__name__}; it has to be a text")
    if not role:
        raise Refused("a role is empty")
    why = ""
    if role.startswith("."):
        why = "it begins with a dot, which hides its file"
    elif not _PLAIN_ROLE.fullmatch(role) and any(
        character in "/\\*?[]" or unicodedata.category(character) in ("Cc", "Cs") for character in role
    ):
        why = "it holds one of / \\ * ? [ ] or a control character"
    elif _BETWEEN in role or role.startswith("to-") or role.endswith("-to"):
        why = "it holds -to-, begins with to- or ends with -to, so that a file's name can be read in two ways"
    elif len(f".{_cursor(role)}.{8 * '0'}.tmp".encode()) > _LONGEST_NAME:
        why = f"it makes a file name of more than {_LONGEST_NAME} bytes"
    if why:
        raise Refused(f"{_quoted(role)} is no name for a role: {why}")
    return role


def checked_pair(from_role: str, to_role: str) -> str:
    """The name of the file from one role to another. Raises Refused."""
    name = f"{checked_role(from_role)}{_BETWEEN}{checked_role(to_role)}{_ENDING}"
    if len(name.encode()) > _LONGEST_NAME:
        raise Refused(f"{_quoted(name)} is a file name of more than {_LONGEST_NAME} bytes: use shorter names for roles")
    return name


def _checked_text(field: str, value: object) -> None:
    if not isinstance(value, str):
        raise Refused(f"{field} is of type {type(value).__name__}; it has to be a text")
    if not _is_unicode(value):
        raise Refused(f"{field} holds half of a surrogate pair, which is no Unicode text")


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _check_value(value: object, depth: int) -> None:
    """Raise Refused unless `value` is JSON, and the same once it was written and read."""
    if depth > _DEEPEST:
        raise Refused(f"artifacts is nested more than {_DEEPEST} deep, or holds itself")
    if isinstance(value, str):
        _checked_text("a text in artifacts", value)
    elif isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            raise Refused(f"artifacts holds {value}, which is not JSON")
    elif isinstance(value, list):
        for each in value:
            _check_value(each, depth + 1)
    elif isinstance(value, dict):
        for name, each in value.items():
            _checked_text("a key in artifacts", name)
            _check_value(each, depth + 1)
    elif value is not None and not isinstance(value, int):
        raise Refused(f"artifacts holds a {type(value).__name__}, which is not JSON")


def _store(lane_dir: str | os.PathLike[str], envelope: Envelope, name: str, *, once: bool = False) -> bool:
    try:
        line = (_encode(envelope) + "\n").encode()
    except (ValueError, RecursionError) as error:  # an integer beyond the digits that Python writes, say
        raise Refused(f"artifacts cannot be written as JSON: {error}") from None
    if len(line) > LARGEST_LINE:
        raise Refused(f"the letter takes {len(line)} bytes; {LARGEST_LINE} are the most. Name files in artifacts")
    known = f'"id": {json.dumps(envelope["id"])}'.encode() if once else b""
    path = os.path.join(os.fspath(lane_dir), _FOLDER, name)
    try:
        return _append(make(lane_dir), name, line, known)
    except (NotStored, InDoubt):
        raise
    except OSError as error:
        raise NotStored(error.errno, f"nothing was stored: {error.strerror or error}", path) from None


_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode

_synced: set[tuple[int, int]] = set()  # files of which this process knows that their folders are on disk


def _append(folder: str, name: str, line: bytes, known: bytes) -> bool:
    """Append a line, unless the file holds the bytes `known`; say whether it was appended. Raises OSError."""
    path = os.path.join(folder, name)
    descriptor = _locked_lane_file(folder, name)
    try:
        status = os.fstat(descriptor)
        identity = (status.st_dev, status.st_ino)
        # Before anything is written: who finds the file with something in it may return without doing this. A file of
        # the original's making was never synced, so each process does it once for each file.
        if status.st_size == 0 or identity not in _synced:
            _sync_folders(folder)
            _synced.add(identity)
        appends = not (known and _holds(descriptor, known))
        if appends:
            torn = status.st_size > 0 and os.pread(descriptor, 1, status.st_size - 1) != b"\n"
            _write(descriptor, b"\n" + line if torn else line, path)
        fcntl.flock(descriptor, fcntl.LOCK_UN)
        try:
            _to_disk(descriptor)
        except OSError as error:
            raise InDoubt(error.errno, f"the letter may be lost: {error.strerror}", path) from None
        return appends
    finally:
        os.close(descriptor)


def _locked_lane_file(folder: str, name: str) -> int:
    """The lane file, open to read and append, under a lock that ends with the descriptor. Raises OSError, Refused."""
    path = os.path.join(folder, name)
    while True:
        descriptor = _opened_lane_file(folder, name)
        try:
            _lock(descriptor, path)
            if _is_at(descriptor, path):  # else it was replaced in between, and nobody reads this one any more
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _opened_lane_file(folder: str, name: str) -> int:
    path = os.path.join(folder, name)
    try:
        descriptor = _open_regular(path, os.O_RDWR | os.O_APPEND)
    except FileNotFoundError:
        _refuse_other_case(folder, name)
        return _opened_or_made(path, os.O_RDWR | os.O_APPEND)
    if sys.platform == "darwin":  # where the other name opens the same file
        _refuse_other_case(folder, name)
    return descriptor


def _refuse_other_case(folder: str, name: str) -> None:
    """Raise Refused where another file has this name but for its case: on some file systems the two are one (L5)."""
    there = os.listdir(folder)
    if name not in there:
        same = [other for other in there if _caseless(other) == _caseless(name)]
        if same:
            raise Refused(
                f"{_quoted(name)} differs only in case from {_quoted(same[0])}, which is there: use that role"
            )


def _caseless(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def _write(descriptor: int, data: bytes, path: str) -> None:
    """Append all of it: in one write, and in more only where the system takes less at once (L15). Raises NotStored."""
    done = 0
    while done < len(data):
        try:
            written = os.write(descriptor, data[done:] if done else data)
        except OSError as error:
            if done < len(data) - 1:
                raise NotStored(error.errno, f"the letter was not stored: {error.strerror}", path) from None
            # All but the newline is there, which the next letter begins with.
            raise InDoubt(error.errno, f"the end of the letter's line is missing: {error.strerror}", path) from None
        done += written


def _holds(descriptor: int, wanted: bytes) -> bool:
    """Whether a file holds these bytes."""
    at, before = 0, b""
    while chunk := os.pread(descriptor, 4 * _CHUNK, at):
        if wanted in before + chunk:
            return True
        at += len(chunk)
        before = (before + chunk)[-len(wanted) :]
    return False


# -- checking --------------------------------------------------------------------------------------------------------


def check(lane_dir: str | os.PathLike[str], *, role: str, from_role: str | None = None, peek: bool = False) -> Digest:
    """What is new for `role`: of one sender, or of all, merged by time. Each letter once; the cursor moves before this
    returns, so a caller that dies after it has had them.

    peek: look only. Nothing is written, not even the folder is made; `look` and `advance` are the two halves (L14).
    Each envelope has got `_source_file` (the name of its file, which says who wrote it) and `_hint` (what its kind asks
    for). A line that is no letter is one of the kind `_unparsable` with `_parse_error` (L1 to L3); no content of any
    file raises.

    Raises Refused for a role that is none, and OSError where the cursor cannot be kept; nothing is lost then.
    """
    _check_roles(role, from_role)
    if not peek:
        make(lane_dir)
    found = look(lane_dir, role=role, from_role=from_role)
    for notice in found.notices:
        _say(notice)
    if not peek:
        advance(lane_dir, found)
    return found.digest


@dataclass(frozen=True)
class Place:
    """Where so many lines of a file end, and by what that file is recognised (L8, L10).

    inode, head, tail: the file's number, and hashes of its first bytes, in which its first letter's id stands, and of
    those before `offset`. Its device is not among them: a file system may get another number at each start of the
    system, and no other file is the same in all of this.
    """

    lines: int
    offset: int
    inode: int
    head: str
    tail: str


@dataclass(frozen=True)
class Found:
    """A letter that is new, with the line after which its file goes on: how many lines that makes, and at which byte.

    order: by which letters are merged: those without a time last.
    """

    envelope: Envelope
    name: str
    order: tuple[bool, timedelta]
    lines: int
    offset: int


@dataclass(frozen=True)
class FileLook:
    """What a look has seen of one file. cursor: the number that the reader's cursor had. restarted: the file is not the
    one that was read before, and was read from its start. lines: the number to go on from."""

    name: str
    cursor: int
    lines: int
    letters: tuple[Found, ...] = ()
    place: Place | None = None
    restarted: bool = False
    more: bool = False


@dataclass(frozen=True)
class Look:
    """What is new for a role, and how far that goes. notices: what is to be said to whoever reads the lane."""

    role: str
    files: tuple[FileLook, ...]
    notices: tuple[str, ...] = ()
    folder: str = ""

    @property
    def letters(self) -> list[Envelope]:
        """The new letters, merged by time; those of one moment, and those of none, by file and line."""
        found = [(one.order, at, one) for at, file in enumerate(self.files) for one in file.letters]
        found.sort(key=lambda each: each[:2])  # which is stable: of one file, by line
        return [one.envelope for _, _, one in found]

    @property
    def digest(self) -> Digest:
        """The new letters as `check` returns them."""
        unread = self.letters
        by_kind: dict[str, list[Envelope]] = {}
        for envelope in unread:
            by_kind.setdefault(kind_of(envelope), []).append(envelope)
        return {"unread": unread, "by_kind": by_kind, "action_needed": [each for each in unread if asks(each)]}

    @property
    def more(self) -> bool:
        """Whether there are letters behind these."""
        return any(file.more for file in self.files)

    def in_turn(self) -> Iterator[Envelope]:
        """The letters in the order in which `first` takes them: by time, but none before another of its file."""
        return (one.envelope for _, one in self._in_turn())

    def _in_turn(self) -> Iterator[tuple[int, Found]]:
        waiting = [(file.letters[0].order, at, 0) for at, file in enumerate(self.files) if file.letters]
        heapq.heapify(waiting)
        while waiting:
            _, at, number = heapq.heappop(waiting)
            letters = self.files[at].letters
            yield at, letters[number]
            if number + 1 < len(letters):
                heapq.heappush(waiting, (letters[number + 1].order, at, number + 1))

    def first(self, count: int) -> Look:
        """The first `count` of these letters, as they come in turn: what `advance` is to be told when only those were
        shown. A cursor counts lines, so no letter can be left out before another of its file."""
        taken: dict[int, list[Found]] = {}
        for number, (at, one) in enumerate(self._in_turn()):
            if number == count:
                break
            taken.setdefault(at, []).append(one)
        files = [self._cut(file, taken.get(at, [])) for at, file in enumerate(self.files)]
        return replace(self, files=tuple(files))

    def _cut(self, file: FileLook, letters: list[Found]) -> FileLook:
        if len(letters) == len(file.letters):
            return file
        lines = letters[-1].lines if letters else 0 if file.restarted else file.cursor
        place = None
        if letters and file.place:
            place = _place_in(self.folder, file.name, file.place.inode, lines, letters[-1].offset)
        return replace(file, lines=lines, letters=tuple(letters), place=place, more=True)


def look(
    lane_dir: str | os.PathLike[str], *, role: str, from_role: str | None = None, limit: int | None = None
) -> Look:
    """What is new for `role`; writes nothing. limit: of each file at most so many letters, and in all.

    Raises Refused for a role that is none, OSError where the folder cannot be read.
    """
    _check_roles(role, from_role)
    folder = _folder(lane_dir)
    notices: list[str] = []
    cursor = _cursor_of(folder, role, notices)
    return _look(folder, role, from_role, limit, cursor, _places_of(folder, role), notices)


def advance(lane_dir: str | os.PathLike[str], found: Look) -> None:
    """Move the cursor behind what a look has found; never backward within one file (L13). Raises OSError.

    It is replaced as a whole, once, and is on disk when this returns.
    """
    if not found.files:
        return
    folder = make(lane_dir)
    with _role_lock(folder, found.role):
        cursor = _cursor_of(folder, found.role, [])
        for file in found.files:
            now = _count(cursor.get(file.name)) or 0
            # What is there now for another file than it was read from says nothing about this one.
            cursor[file.name] = file.lines if file.restarted and now == file.cursor else max(now, file.lines)
        _replace(folder, found.role, _cursor_text(cursor).encode())
        places = {file.name: file.place for file in found.files if file.place}
        _note_places(folder, found.role, {**_places_of(folder, found.role), **places})


def kind_of(envelope: Mapping[str, Any]) -> str:
    """Under which kind a letter is grouped: its own, and `_unparsable` where it has none that is a text (L2)."""
    kind = envelope.get("kind")
    return kind if isinstance(kind, str) and kind else UNPARSABLE


def asks(envelope: Mapping[str, Any]) -> bool:
    """Whether a letter asks something of its reader: it says so, its kind implies it, or its kind expects a reply."""
    known = KIND_TAXONOMY.get(kind_of(envelope), _GENERIC)
    return bool(
        envelope.get("needs_reply") or known.get("implicit_needs_reply") or known["expects_reply_kind"] is not None
    )


def history(lane_dir: str | os.PathLike[str], name: str) -> Iterator[Envelope]:
    """All letters of one lane file, oldest first, whoever has read them; for who looks through a lane.

    name: of the file, as `roles_of` takes it. Raises OSError where it cannot be read.
    """
    return (envelope for envelope, _, _ in placed_history(lane_dir, name))


def placed_history(lane_dir: str | os.PathLike[str], name: str) -> Iterator[tuple[Envelope, int, int]]:
    """The same for who copies it: each letter with the number of its line, and with the byte where that ends."""
    descriptor = _open_regular(os.path.join(_folder(lane_dir), name), os.O_RDONLY)
    try:
        for number, (raw, size, end) in enumerate(_lines(descriptor, 0, skip=0), 1):
            envelope = _envelope_of(raw or b"", size)
            if envelope is not None:
                yield _annotated(envelope, name), number, end
    finally:
        os.close(descriptor)


def roles_of(name: str) -> list[tuple[str, str]]:
    """From whom to whom a lane file may be by its name; several answers where the name can be read in several ways, the
    one that is read when nothing else says it last; none for what is no lane file."""
    if name.startswith(".") or not name.endswith(_ENDING):
        return []
    stem = name[: -len(_ENDING)]
    starts = [at for at in range(1, len(stem)) if stem.startswith(_BETWEEN, at)]
    return [(stem[:at], stem[at + len(_BETWEEN) :]) for at in starts if stem[at + len(_BETWEEN) :]]


def _check_roles(role: str, from_role: str | None) -> None:
    checked_role(role)
    if from_role is not None:
        checked_pair(from_role, role)


def _look(
    folder: str,
    role: str,
    from_role: str | None,
    limit: int | None,
    cursor: Mapping[str, Any],
    places: Mapping[str, Place],
    notices: list[str],
) -> Look:
    names = _lane_files(folder, role) if from_role is None else [checked_pair(from_role, role)]
    files = []
    for name in names:
        count = _count(cursor.get(name))
        if count is None and name in cursor:
            notices.append(f"the cursor of {_quoted(role)} has no number of lines for {_quoted(name)}: it counts as 0")
        file = _read(folder, name, role, count or 0, places.get(name), limit, notices)
        if file:
            files.append(file)
    found = Look(role, tuple(files), tuple(notices), folder)
    if limit is not None and sum(len(file.letters) for file in files) > limit:
        return found.first(limit)
    return found


def _lane_files(folder: str, role: str) -> list[str]:
    """The files whose letters may be for a role, by name. Compared as text: a folder or role is no pattern (L6)."""
    try:
        there = os.listdir(folder)
    except FileNotFoundError:
        return []
    ending = f"{_BETWEEN}{role}{_ENDING}"
    return sorted(name for name in there if name.endswith(ending) and name != ending and not name.startswith("."))


def _read(
    folder: str, name: str, role: str, count: int, place: Place | None, limit: int | None, notices: list[str]
) -> FileLook | None:
    """Read what lies behind the first `count` lines of a file. None: it is no file that may be read."""
    try:
        descriptor = _open_regular(os.path.join(folder, name), os.O_RDONLY)
    except FileNotFoundError:
        return FileLook(name, count, count)
    except OSError as error:
        notices.append(f"{_quoted(name)} is left out: {error.strerror}")
        return None
    try:
        status = os.fstat(descriptor)
        start = Place(0, 0, status.st_ino, "", "")
        changed = place is not None and not _is_same(descriptor, status, place)
        if place and not changed and place.lines <= count:
            start = place
        file = None if changed and count else _scan(descriptor, name, role, count, start, limit)
        if file is None:
            why = "it is another file than the one that was read" if changed else "it has fewer lines than were read"
            notices.append(f"{_quoted(name)} is read from its start: {why}")
            start = Place(0, 0, status.st_ino, "", "")
            file = _scan(descriptor, name, role, 0, start, limit)
            assert file is not None
            file = replace(file, cursor=count, restarted=True)
        return file
    finally:
        os.close(descriptor)


def _scan(descriptor: int, name: str, role: str, count: int, start: Place, limit: int | None) -> FileLook | None:
    """Read on from a place, and give what lies behind `count` lines; None when there are not so many."""
    receivers = {to for _, to in roles_of(name)}
    letters: list[Found] = []
    lines, offset, more = start.lines, start.offset, False
    for raw, size, end in _lines(descriptor, offset, skip=count - lines):
        if len(letters) == limit:
            more = True
            break
        if raw is None:  # so many lines that were read before
            lines, offset = lines + size, end
            continue
        lines, offset = lines + 1, end
        envelope = _envelope_of(raw, size)
        if envelope is None or _is_for_another(envelope, role, receivers):
            continue
        letters.append(Found(_annotated(envelope, name), name, _order(envelope), lines, offset))
    if lines < count:
        return None
    place = _place(descriptor, start.inode, lines, offset)
    return FileLook(name, count, lines, tuple(letters), place, more=more)


def _lines(descriptor: int, start: int, *, skip: int) -> Iterator[tuple[bytes | None, int, int]]:
    """The complete lines from a byte on: each line without its end, its size in bytes, and where the next one begins.

    Of a line beyond LARGEST_LINE only the beginning is held. The first `skip` lines come without their text: None, how
    many, and where the next one begins; in portions. A last line without an end has not arrived yet, and is not given.
    """
    at, size, pieces = start, 0, list[bytes]()
    after_return = start > 0 and os.pread(descriptor, 1, start - 1) == b"\r"
    while chunk := os.pread(descriptor, _CHUNK, at):
        # The two halves of "\r\n" may come apart, by the size of a chunk or of a write: that is one end of one line.
        begin = 1 if after_return and chunk.startswith(b"\n") else 0
        after_return = chunk.endswith(b"\r")
        if skip > 0 and b"\r" not in chunk and (passed := chunk.count(b"\n", begin)) and passed <= skip:
            begin = chunk.rindex(b"\n") + 1
            skip, size, pieces = skip - passed, 0, []
            yield None, passed, at + begin
        for end in _LINE_END.finditer(chunk, begin):
            pieces.append(chunk[begin : end.start()])
            size += end.start() - begin
            begin = end.end()
            if skip > 0:
                skip -= 1
                yield None, 1, at + begin
            else:
                yield b"".join(pieces), size, at + begin
            size, pieces = 0, []
        if size <= LARGEST_LINE:
            pieces.append(chunk[begin:])
        size += len(chunk) - begin
        at += len(chunk)


def _envelope_of(raw: bytes, size: int) -> Envelope | None:
    """The letter of a line; None of a blank one. size: bytes that the line has, of which `raw` may be the beginning."""
    if size > LARGEST_LINE:
        text = raw[:SHORTENED_LINE].decode("utf-8", "replace").strip()
        return {**_unparsable(text), "_shortened": size}  # (L12)
    try:
        text = raw.decode("utf-8").strip()
    except UnicodeDecodeError:
        return _unparsable(raw.decode("utf-8", "replace").strip())  # (L3)
    if not text:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError, MemoryError):  # too deep, or a number with too many digits, as well (L2)
        return _unparsable(text)
    if not isinstance(value, dict):
        return _unparsable(text)  # (L1)
    for ours in _MARKS:
        value.pop(ours, None)
    return value


def _unparsable(text: str) -> Envelope:
    return {
        "from": None,
        "to": None,
        "kind": UNPARSABLE,
        "msg": text,
        "ts": None,
        "id": None,
        "_parse_error": True,
    }


def _annotated(envelope: Envelope, name: str) -> Envelope:
    known = KIND_TAXONOMY.get(kind_of(envelope), _GENERIC)
    envelope["_source_file"] = name
    envelope["_hint"] = {key: known[key] for key in ("action_hint", "expects_reply_kind")}
    return envelope


def _is_for_another(envelope: Envelope, role: str, receivers: set[str]) -> bool:
    """Whether a line in a file whose name can be read in several ways names one of the other readers (L5)."""
    to = envelope.get("to")
    return len(receivers) > 1 and isinstance(to, str) and to in receivers and to != role


def _order(envelope: Envelope) -> tuple[bool, timedelta]:
    """Where a letter stands in the merged order: by its time, and last where that is none (L2)."""
    told = envelope.get("ts")
    if isinstance(told, str):
        try:
            at = datetime.fromisoformat(told)
            return False, (at if at.tzinfo else at.replace(tzinfo=UTC)) - _EPOCH
        except (ValueError, OverflowError):
            pass
    return True, timedelta()


# -- cursors and places ----------------------------------------------------------------------------------------------


def _cursor(role: str) -> str:
    return f".cursor-{role}.json"


def _cursor_of(folder: str, role: str, notices: list[str]) -> dict[str, Any]:
    """The cursor of a role as it lies there; empty where it cannot be read, which is said (L4)."""
    try:
        content = _read_small(os.path.join(folder, _cursor(role)))
        value = json.loads(content.decode("utf-8"))
        if not isinstance(value, dict):
            raise ValueError("it is no object")
        return value
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        notices.append(f"the cursor of {_quoted(role)} cannot be read ({why:.80}): everything counts as new")
        return {}


def _count(value: object) -> int | None:
    """A number of lines as a cursor gives it; None for anything else (L4)."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _cursor_text(cursor: dict[str, Any]) -> str:
    try:
        return json.dumps(cursor)
    except (ValueError, RecursionError):  # what lay there under another file's name can be read and not be written
        return json.dumps({name: value for name, value in cursor.items() if _count(value) is not None})


def _replace(folder: str, role: str, content: bytes) -> None:
    """Write the cursor of a role whole or not at all, over one that is there, and to disk (L11). Raises OSError."""
    descriptor, fresh = tempfile.mkstemp(".tmp", f".{_cursor(role)}.", folder)
    try:
        try:
            os.fchmod(descriptor, 0o600)
            with open(descriptor, "wb", closefd=False) as file:
                file.write(content)
            _to_disk(descriptor)
        finally:
            os.close(descriptor)
        os.replace(fresh, os.path.join(folder, _cursor(role)))
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(fresh)
        raise
    _sync_folder(folder)


@contextlib.contextmanager
def _role_lock(folder: str, role: str) -> Iterator[None]:
    """Alone among those who move the cursor of a role by this module; the original takes no lock. Raises OSError.

    What somebody has planted in place of the lock's file keeps nobody from reading: then there is no lock.
    """
    path = os.path.join(folder, f".mailstop-{role}.lock")
    try:
        descriptor = _opened_or_made(path, os.O_RDWR)
    except OSError as error:
        if error.errno not in (errno.ELOOP, errno.EINVAL, errno.EISDIR, errno.ENXIO):
            raise
        yield
        return
    try:
        _lock(descriptor, path)
        yield
    finally:
        os.close(descriptor)


def _sidecar(folder: str, role: str) -> str:
    return os.path.join(folder, f".mailstop-{role}.json")


def _places_of(folder: str, role: str) -> dict[str, Place]:
    """The places that were noted for a role; none where the note is torn, strange or missing. It is only a hint."""
    try:
        value = json.loads(_read_small(_sidecar(folder, role)).decode("utf-8"))
        noted = value["places"]
        if value["sum"] != _sum(noted):
            return {}
        return {name: Place(*fields) for name, fields in noted.items() if _is_place(fields)}
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return {}


def _is_place(fields: object) -> bool:
    if not isinstance(fields, list) or [type(each) for each in fields] != [int, int, int, str, str]:
        return False
    return bool(fields[0] >= 0 and 0 <= fields[1] < 1 << 62)


def _sum(noted: object) -> int:
    return zlib.crc32(json.dumps(noted).encode())


def _note_places(folder: str, role: str, places: Mapping[str, Place]) -> None:
    """Write the places down, in place: what is torn by a kill says so by its sum, and is made anew."""
    noted = {name: [one.lines, one.offset, one.inode, one.head, one.tail] for name, one in places.items()}
    content = json.dumps({"sum": _sum(noted), "places": noted}).encode()
    try:
        descriptor = _opened_or_made(_sidecar(folder, role), os.O_RDWR)
    except OSError:
        return
    try:
        os.pwrite(descriptor, content, 0)
        os.ftruncate(descriptor, len(content))
    except OSError:
        pass
    finally:
        os.close(descriptor)


def _place(descriptor: int, inode: int, lines: int, offset: int) -> Place:
    size = min(offset, _MARK)
    return Place(lines, offset, inode, _hash(descriptor, 0, size), _hash(descriptor, offset - size, size))


def _place_in(folder: str, name: str, inode: int, lines: int, offset: int) -> Place | None:
    """The same of a file that has to be opened; None when it is another by now."""
    try:
        descriptor = _open_regular(os.path.join(folder, name), os.O_RDONLY)
    except OSError:
        return None
    try:
        return _place(descriptor, inode, lines, offset) if os.fstat(descriptor).st_ino == inode else None
    finally:
        os.close(descriptor)


def _is_same(descriptor: int, status: os.stat_result, place: Place) -> bool:
    """Whether a place is one of this file: not replaced, cut off or written anew since (L8)."""
    if place.inode != status.st_ino or place.offset > status.st_size:
        return False
    return place == _place(descriptor, place.inode, place.lines, place.offset)


def _hash(descriptor: int, start: int, size: int) -> str:
    return hashlib.blake2b(os.pread(descriptor, size, start), digest_size=8).hexdigest()


# -- watching --------------------------------------------------------------------------------------------------------


def watch(
    lane_dir: str | os.PathLike[str], role: str, *, from_role: str | None = None, ends: Sequence[int] = ()
) -> Generator[Envelope]:
    """The letters for `role` as they come, each once, those that wait unread first. Nothing is consumed (L9): `check`
    gives the same letters afterwards, and what it moves is not moved here.

    It sleeps until the kernel tells of a change (inotify; kqueue, untried; else it looks each second), and is over when
    one of the `ends`, descriptors, becomes readable or is hung up. The folder is made when it is not there. Raises
    Refused for a role that is none, at once.
    """
    _check_roles(role, from_role)
    return _watch(lane_dir, role, from_role, ends)


def _watch(
    lane_dir: str | os.PathLike[str], role: str, from_role: str | None, ends: Sequence[int]
) -> Generator[Envelope]:
    folder = make(lane_dir)
    said: set[str] = set()
    notices: list[str] = []
    cursor, places = _cursor_of(folder, role, notices), _places_of(folder, role)
    with Changes(lane_dir) as changes:
        while True:
            found = _look(folder, role, from_role, _WATCHED_AT_ONCE, cursor, places, notices)
            for notice in found.notices:
                if notice not in said:
                    _say(notice)
                said.add(notice)
            yield from found.letters
            cursor.update((file.name, file.lines) for file in found.files)
            places.update((file.name, file.place) for file in found.files if file.place)
            notices = []
            if not found.more and changes.wait(_SWEEP_S, ends):
                return


class Changes:
    """What the kernel tells of changes in a lane's folder. A context manager, for one thread."""

    def __init__(self, lane_dir: str | os.PathLike[str]) -> None:
        self._folder = _folder(lane_dir)
        self._kernel: _Inotify | _Kqueue | None = None
        self._watched: tuple[int, int] | None = None
        self._arm()

    def __enter__(self) -> Changes:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    @property
    def fd(self) -> int | None:
        """A descriptor that is readable once something has changed; None where the kernel tells nothing."""
        return self._kernel.fd if self._kernel else None

    def heard(self) -> None:
        """What was told is known: be told of what comes from now on, also where the folder is another by now."""
        lost = self._kernel.drain() if self._kernel else True
        if lost or self._watched != _identity(self._folder):
            self._arm()

    def wait(self, timeout_s: float, ends: Sequence[int] = ()) -> bool:
        """Sleep until something changes, or so many seconds; say whether one of the `ends` is readable or hung up."""
        poll = select.poll()
        for descriptor in ends:
            poll.register(descriptor, select.POLLIN)
        if self._kernel:
            poll.register(self._kernel.fd, select.POLLIN)
        else:
            timeout_s = min(timeout_s, _GLANCE_S)
        ready = {descriptor for descriptor, _ in poll.poll(timeout_s * 1000)}
        self.heard()
        return not ready.isdisjoint(ends)

    def close(self) -> None:
        """Give back what the kernel lent."""
        if self._kernel:
            self._kernel.close()
            self._kernel = None

    def _arm(self) -> None:
        self.close()
        try:
            self._watched = _identity(self._folder)
            if sys.platform == "linux":
                self._kernel = _Inotify(self._folder)
            elif sys.platform == "darwin":
                self._kernel = _Kqueue(self._folder)
        except OSError:  # no folder yet, or no watch left
            self._kernel = None


def _identity(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


class _Inotify:
    """Linux's notices of a folder, by `inotify(7)`; ctypes calls libc, as Python has no binding."""

    WRITTEN = 0x2 | 0x8 | 0x80 | 0x100  # modified, closed after writing, moved to, created
    GONE = 0x400 | 0x800 | 0x2000 | 0x8000  # deleted, moved away, unmounted, no longer watched
    ONLYDIR = 0x1000000

    def __init__(self, path: str) -> None:
        """Watch a folder. Raises OSError."""
        import ctypes  # only for who is about to sleep

        try:
            libc = ctypes.CDLL(None, use_errno=True)
            init, add = libc.inotify_init1, libc.inotify_add_watch
        except AttributeError:
            raise OSError(errno.ENOSYS, "this libc has no inotify") from None
        self.fd: int = init(os.O_NONBLOCK | os.O_CLOEXEC)
        if self.fd < 0:
            raise OSError(ctypes.get_errno(), "inotify_init1")
        if add(self.fd, os.fsencode(path), self.WRITTEN | self.GONE | self.ONLYDIR) < 0:
            code = ctypes.get_errno()
            self.close()
            raise OSError(code, "inotify_add_watch", path)

    def drain(self) -> bool:
        """Take all events; whether the folder is no longer watched."""
        lost = False
        while True:
            try:
                events = os.read(self.fd, 65536)
            except BlockingIOError:
                return lost
            at = 0
            while at < len(events):  # int wd, uint32 mask, uint32 cookie, uint32 length of the name that follows
                lost |= bool(int.from_bytes(events[at + 4 : at + 8], sys.byteorder) & self.GONE)
                at += 16 + int.from_bytes(events[at + 12 : at + 16], sys.byteorder)

    def close(self) -> None:
        os.close(self.fd)


class _Kqueue:
    """macOS's notices of a folder and the lane files in it, by `kqueue(2)`. Untried, from the manual."""

    def __init__(self, path: str) -> None:
        """Watch a folder. Raises OSError."""
        self._path = path
        kernel: Any = select  # of which Linux has no kqueue
        self._kernel = kernel
        self._queue = kernel.kqueue()
        self._files: dict[str, int] = {}
        self.fd: int = self._queue.fileno()
        try:
            self._folder = self._watched(path)
            self._watch_files()
        except OSError:
            self._queue.close()
            raise

    def _watched(self, path: str) -> int:
        kernel = self._kernel
        opened = os.open(path, getattr(os, "O_EVTONLY", os.O_RDONLY) | _OPEN)
        what = kernel.KQ_NOTE_WRITE | kernel.KQ_NOTE_EXTEND | kernel.KQ_NOTE_DELETE | kernel.KQ_NOTE_RENAME
        add = kernel.KQ_EV_ADD | kernel.KQ_EV_CLEAR
        self._queue.control([kernel.kevent(opened, kernel.KQ_FILTER_VNODE, add, what)], 0)
        return opened

    def _watch_files(self) -> None:
        """A folder tells of files that come and go, not of one that grows, so each is watched too."""
        for name in os.listdir(self._path):
            if roles_of(name) and name not in self._files:
                with contextlib.suppress(OSError):
                    self._files[name] = self._watched(os.path.join(self._path, name))

    def drain(self) -> bool:
        """Take all events; whether the folder is no longer watched."""
        gone = self._kernel.KQ_NOTE_DELETE | self._kernel.KQ_NOTE_RENAME
        lost = False
        while events := self._queue.control(None, 16, 0):
            lost |= any(each.fflags & gone for each in events)  # of a file too: all are opened anew
        with contextlib.suppress(OSError):
            self._watch_files()
        return lost

    def close(self) -> None:
        self._queue.close()
        for opened in (self._folder, *self._files.values()):
            os.close(opened)


# -- files and folders -----------------------------------------------------------------------------------------------


def _folder(lane_dir: str | os.PathLike[str]) -> str:
    return os.path.join(os.fspath(lane_dir), _FOLDER)


def make(lane_dir: str | os.PathLike[str]) -> str:
    """The folder of a lane's files, made where it is not there: 0700, whatever the umask (L16). Raises OSError.

    Whoever sends or checks makes it; nobody needs to before.
    """
    folder = _folder(lane_dir)
    if not os.path.isdir(folder):
        fresh = _fresh_parents(folder)
        os.makedirs(os.path.dirname(folder) or ".", exist_ok=True)
        try:
            os.mkdir(folder, 0o700)
            os.chmod(folder, 0o700)
        except FileExistsError:
            pass
        for parent in fresh:
            _sync_folder(parent)
    return folder


def _fresh_parents(folder: str) -> Iterable[str]:
    """The folders in which others are about to be made so that this one is there, the last one first."""
    parents = []
    parent = os.path.dirname(os.path.abspath(folder))
    while not os.path.isdir(parent) and parent != os.path.dirname(parent):
        parents.append(parent)
        parent = os.path.dirname(parent)
    return [*parents, parent]


def _sync_folders(folder: str) -> None:
    """Take a lane's folder to disk, and that it lies where it lies."""
    lane = os.path.dirname(os.path.abspath(folder))
    for each in (folder, lane, os.path.dirname(lane)):
        _sync_folder(each)


def _sync_folder(path: str) -> None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except PermissionError:  # a parent that is somebody else's: it was there before
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EBADF, errno.EROFS):  # it cannot be synced at all
            raise
    finally:
        os.close(descriptor)


def _to_disk(descriptor: int) -> None:
    """Sync a file. macOS's fsync stops at the drive's cache; its F_FULLFSYNC does not."""
    full = getattr(fcntl, "F_FULLFSYNC", None)
    if full is not None:
        try:
            fcntl.fcntl(descriptor, full)
            return
        except OSError:  # a file system without it
            pass
    os.fsync(descriptor)


def _open_regular(path: str, flags: int) -> int:
    """A descriptor of a regular file (L16). Raises OSError for anything else, at once."""
    descriptor = os.open(path, flags | _OPEN, 0o600)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is no regular file", path)
    return descriptor


def _opened_or_made(path: str, flags: int) -> int:
    """The same; a file that is not there is made, 0600 whatever the umask. Raises OSError."""
    while True:
        try:
            return _open_regular(path, flags)
        except FileNotFoundError:
            pass
        try:
            descriptor = _open_regular(path, flags | os.O_CREAT | os.O_EXCL)
        except FileExistsError:  # somebody else was faster
            continue
        os.fchmod(descriptor, 0o600)
        return descriptor


def _is_at(descriptor: int, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.lstat(path))
    except FileNotFoundError:
        return False


def _read_small(path: str) -> bytes:
    """The content of a file of ours. Raises OSError, ValueError for one that is too large."""
    descriptor = _open_regular(path, os.O_RDONLY)
    try:
        content = os.pread(descriptor, _LARGEST_CURSOR + 1, 0)
    finally:
        os.close(descriptor)
    if len(content) > _LARGEST_CURSOR:
        raise ValueError(f"it has more than {_LARGEST_CURSOR} bytes")
    return content


def _lock(descriptor: int, path: str) -> None:
    """Take the lock on a file, waiting at most LOCK_S: a process that was stopped may hold it for ever.

    Raises OSError. Where the file system has no locks there is none, as with the original.
    """
    deadline, pause = time.monotonic() + LOCK_S, 0.0002
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise OSError(errno.ETIMEDOUT, f"another process has locked it for {LOCK_S:g} s", path) from None
        except OSError as error:
            if error.errno in (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS):
                return
            raise
        time.sleep(pause * random.uniform(0.5, 1.5))
        pause = min(2 * pause, 0.01)


def _quoted(name: str) -> str:
    """A name that another may have chosen, on one line and without anything that a terminal acts on."""
    return ascii(name if len(name) <= 80 else f"{name[:79]}…")


def _say(notice: str) -> None:
    if sys.stderr is not None:
        with contextlib.suppress(OSError, ValueError):
            print(f"mailstop lane: {notice}", file=sys.stderr)
