"""The store: where it lies, who may get at it, whether it is sound, and what can be rescued when it is not."""

from __future__ import annotations

import os
import shlex
import time

from mailstop import config
from mailstop.checkup.finding import DOCTOR, FAILED, OK, WARNING, Finding, size_text
from mailstop.checkup.interpreter import upgrade
from mailstop.checkup.modes import modes, open_to_others, tighten
from mailstop.clients import registry
from mailstop.clients.life import is_alive
from mailstop.engines.sqlite import replacement
from mailstop.engines.sqlite.connection import FORMAT
from mailstop.engines.sqlite.file_system import UNKNOWN, kind_of, network_kind
from mailstop.engines.sqlite.inspection import fingerprints, inspect
from mailstop.engines.sqlite.rebuild import rebuild as rebuild_index
from mailstop.engines.sqlite.rescue import rescue, survey
from mailstop.engines.sqlite.store_file import is_unmade, real_path
from mailstop.errors import StoreNewer, StoreUnavailable
from mailstop.records import Record
from mailstop.times import clock_text
from mailstop.wording import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.engines.sqlite.inspection import Contents, Inspection, Stage
    from mailstop.engines.sqlite.readable import Readable

_BESIDE = ("", "-wal", "-shm", ".lock")
_LOW_BYTES, _FULL_BYTES = 200_000_000, 16_000_000  # of free space: soon a trouble, and one now
_LARGE_LOG_BYTES = 64_000_000  # a log is taken into the file at about 4 MB, unless a reader never lets go
_MOST_STRETCHES = 5
SYSTEMD = "/run/systemd/system"  # is there where systemd runs, see sd_booted(3)
_AHEAD_S = 60  # of which nobody's clock is wrong without trouble


class Checked(Record):
    """What was found of a store. readable: it is there and sound enough to be asked."""

    findings: tuple[Finding, ...]
    readable: bool = False


def check(url: str, source: str, stage: Stage, *, command: str) -> Checked:
    """Look at the store. source: who chose it. command: the doctor's, as this store is named to it."""
    where = Finding("store", OK, f"{url} ({source})")
    path = config.store_path(url)
    network = _file_system(path)
    if network.state == FAILED:
        return Checked((where, network))
    try:
        path = real_path(path)
        unmade = is_unmade(path)
    except StoreUnavailable as error:
        return Checked((where.but(state=FAILED, found=error.message, mend=_file_instead(source, path)), network))
    except OSError as error:  # a folder above it that may not be entered
        text = f"{where.found}: {error.strerror}"
        folder = _folder(path, command)
        mend = next((one.mend for one in folder if one.state == FAILED), "")
        return Checked((where.but(state=FAILED, found=text, mend=mend), network, *folder))
    if replacement.is_unfinished(path):
        text = f"{url} ({source}): its repair was interrupted; the next use finishes it"
        return Checked((where.but(state=FAILED, found=text, mend=f"{command} --rebuild"), network))
    if not os.path.exists(path) and not _log_bytes(path):
        return Checked((_missing(where, url), network, *_space(path)))
    files = modes("store files", own(path), command=command)
    found = [where, network, files, *_folder(path, command), *_space(path)]
    found += _writable(path) if files.state == OK else []
    if unmade and not _log_bytes(path):
        found[0] = where.but(found=f"{where.found}: empty; the first use sets it up")
        return Checked(tuple(found))
    if files.state == FAILED and not os.access(path, os.R_OK):
        return Checked(tuple(found))
    soundness, readable = _soundness(path, stage, command)
    return Checked((*found, *soundness, *_log(path), *_kept(path)), readable)


def mend(url: str) -> list[str]:
    """Take the store's files from others; return what was done. A folder that somebody chose is left as it is."""
    path = real_path(config.store_path(url))
    folder = os.path.dirname(path)
    return tighten([*([folder] if folder == config.data_folder() else []), *own(path)])


def rebuild(url: str, stage: Stage) -> str:
    """Make the store sound: fold its index again, or, when it is damaged, make a new one of what can be read.

    Returns what was done. Raises StoreUnavailable or one of its kinds; then nothing was changed.
    """
    path = real_path(config.store_path(url))
    if replacement.is_unfinished(path):
        kept = rescue(path, stage("finishing the repair")).damaged
        return f"finished a repair that was interrupted; the damaged file is kept: {kept}"
    if is_unmade(path) and not _log_bytes(path):
        return "there is no store yet, so nothing was rebuilt"
    if inspect(path, stage).damage:
        rescued = rescue(path, stage("rescuing what can be read"))
        what = f"; {_readable_text(rescued.readable)}" if rescued.readable else ""
        return f"made a new store of what can be read{what}; the damaged file is kept: {rescued.damaged}"
    return _rebuild_index(path, stage)


def _rebuild_index(path: str, stage: Stage) -> str:
    before = fingerprints(path, stage("reading the index"))
    rebuilt = rebuild_index(path, stage("folding the ledger"))
    after = fingerprints(path, stage("reading the index again"))
    text = f"folded {counted(rebuilt.entries, 'entry', 'entries')} again"
    if rebuilt.skipped:
        numbers = ", ".join(map(str, rebuilt.skipped[:_MOST_STRETCHES]))
        text += f"; {counted(len(rebuilt.skipped), 'entry', 'entries')} could not be understood ({numbers})"
    if before.get("entries") != after["entries"]:  # somebody has written meanwhile
        return text
    differing = [table for table, told in after.items() if before.get(table) != told]
    return f"{text}; the index was {'other in ' + ', '.join(differing) if differing else 'the same before'}"


def own(path: str) -> list[str]:
    """The files of a store."""
    return [path + suffix for suffix in _BESIDE]


# -- where it lies ---------------------------------------------------------------------------------------------------


def _file_system(path: str) -> Finding:
    folder = os.path.dirname(path)
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    kind = network_kind(folder)
    if kind:
        found = f"{folder} lies on a network file system ({kind}), where SQLite cannot be trusted"
        return Finding("file system", FAILED, found, f"export MAILSTOP_STORE={shlex.quote(_local_store())}")
    kind = kind_of(folder)
    return Finding("file system", OK, "not known on this system" if kind == UNKNOWN else kind)


def _missing(where: Finding, url: str) -> Finding:
    """A store that is not there is fine, unless sessions that live have used it."""
    users = [one for one in registry.everyone() if one.store == url and is_alive(one.life)]
    if users:
        text = (
            f"{where.found} is gone, and {counted(len(users), 'living session')} used it: it was moved or deleted; "
            "put it back, or end those and start anew"
        )
        return where.but(state=FAILED, found=text)
    return where.but(found=f"{where.found}: not there yet; the first session makes it")


def _local_store() -> str:
    """The default store, or one on this machine's own disk where the default one lies on a network too."""
    folder = os.path.dirname(config.store_path(config.default_store()))
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    return f"/var/tmp/mailstop-{os.geteuid()}/mailstop.db" if network_kind(folder) else config.default_store()


def _file_instead(source: str, path: str) -> str:
    """How to use a file where a folder was chosen; empty for what else cannot be a store: a link to nothing, a pipe."""
    if not os.path.isdir(path):
        return ""
    inside = shlex.quote(os.path.join(path, "mailstop.db"))
    if source == "--store":
        return f"{DOCTOR} --store {inside}"
    if source == "MAILSTOP_STORE":
        return f"export MAILSTOP_STORE={inside}"
    return f"mv {shlex.quote(path)} {shlex.quote(f'{path}.aside')}"


def _folder(path: str, command: str) -> list[Finding]:
    folder = os.path.dirname(path)
    if folder == config.data_folder():
        return [modes("store folder", [folder], command=command)]
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        found = f"this user may not read and write {folder}, where SQLite keeps a log beside the store"
        return [Finding("store folder", FAILED, found, f"chmod u+rwx {shlex.quote(folder)}")]
    if open_to_others(folder):
        found = f"others may put another store in the place of this one: they may write into {folder}"
        return [Finding("store folder", FAILED, found, f"chmod go-w {shlex.quote(folder)}")]
    return [Finding("store folder", OK, f"{folder}, of which only this user changes the content")]


def _space(path: str) -> list[Finding]:
    folder = os.path.dirname(path)
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    facts = os.statvfs(folder)
    free = facts.f_bavail * facts.f_frsize
    state = FAILED if free < _FULL_BYTES else WARNING if free < _LOW_BYTES else OK
    return [Finding("free space", state, size_text(free))]


def _writable(path: str) -> list[Finding]:
    """Whether this process may write there; a sandbox may forbid what the modes allow."""
    if not os.path.exists(path):
        return []
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CLOEXEC))
    except OSError as error:
        roots = ", ".join(f'"{folder}"' for folder in (os.path.dirname(path), config.state_folder()))
        text = f"{path} cannot be written from here: {error.strerror}"
        if "CODEX_SANDBOX_NETWORK_DISABLED" in os.environ:
            text += f"; Codex's config.toml lets its sandbox: writable_roots = [{roots}]"
        return [Finding("writing", FAILED, text)]
    return []


# -- whether it is sound ---------------------------------------------------------------------------------------------


def _soundness(path: str, stage: Stage, command: str) -> tuple[list[Finding], bool]:
    try:
        found = inspect(path, stage)
    except StoreNewer as error:
        return [Finding("format", FAILED, error.message, upgrade())], False
    except StoreUnavailable as error:
        return [Finding("soundness", FAILED, error.message)], False
    if found.damage:
        return [Finding("soundness", FAILED, f"damaged: {found.damage}"), _rescuable(path, stage, command)], False
    assert found.contents is not None
    text = f"sound: {counted(found.contents.entries, 'entry', 'entries')}, {counted(found.contents.letters, 'letter')}"
    return [
        Finding("soundness", OK, text),
        Finding("format", OK, _format_text(found)),
        _index(found, command),
        clock(path, found.contents),
    ], True


def _format_text(found: Inspection) -> str:
    newer = f", which this one (format {FORMAT}) may write" if found.format > FORMAT else ""
    return f"{found.format}{newer}"


def _index(found: Inspection, command: str) -> Finding:
    if found.index:
        text = f"not what the ledger says: {found.index}"
        return Finding("index", FAILED, text, f"{command} --rebuild")
    return Finding("index", OK, "as many letters, recipients and moves as in the ledger")


def _rescuable(path: str, stage: Stage, command: str) -> Finding:
    """What `--rebuild` would keep of a damaged store, and what it could not."""
    try:
        readable = survey(path, stage("reading what can be read"))
    except StoreUnavailable as error:
        return Finding("rescue", FAILED, error.message)
    if not readable.entries:
        aside = f"mv {shlex.quote(path)} {shlex.quote(f'{path}.aside')}"
        return Finding("rescue", FAILED, "nothing of mailstop can be read in it; to begin anew, move it away", aside)
    return Finding("rescue", WARNING, f"can be rescued: {_readable_text(readable)}", f"{command} --rebuild")


def _readable_text(readable: Readable) -> str:
    newest = f", the newest letter {readable.newest} of {clock_text(readable.newest_at)} from {readable.newest_from}"
    lost = "nothing is missing that left a trace"
    if readable.missing:
        gone = sum(last - first + 1 for first, last in readable.missing)
        lost = f"{counted(gone, 'entry', 'entries')} cannot: {_stretches(readable.missing)}"
    going_on = "" if readable.rows else "; the sessions have to join again"
    return (
        f"{counted(readable.entries, 'entry', 'entries')}, {counted(readable.letters, 'letter')}"
        f"{newest if readable.letters else ''}; {lost}{going_on}"
    )


def _stretches(missing: tuple[tuple[int, int], ...]) -> str:
    texts = [str(first) if first == last else f"{first}-{last}" for first, last in missing[:_MOST_STRETCHES]]
    return ", ".join(texts) + (" and others" if len(missing) > _MOST_STRETCHES else "")


def clock(path: str, contents: Contents) -> Finding:
    """Whether the clock is behind what was written already: receipts and deadlines would be out of order."""
    now = time.time()
    ahead = max(contents.newest_at / 1000, os.path.getmtime(path)) - now
    if ahead > _AHEAD_S:
        text = f"the store was last written {ahead:.0f} s in the future: the clock was put back, or is wrong"
        return Finding("clock", WARNING, text, "timedatectl set-ntp true" if os.path.isdir(SYSTEMD) else "")
    return Finding("clock", OK, "not behind what was written")


# -- what lies beside it ---------------------------------------------------------------------------------------------


def _log_bytes(path: str) -> int:
    log = f"{path}-wal"
    return os.path.getsize(log) if os.path.exists(log) else 0


def _log(path: str) -> list[Finding]:
    size = _log_bytes(path)
    if size > _LARGE_LOG_BYTES:
        text = f"the write-ahead log has {size_text(size)}: somebody has been reading the store for very long"
        return [Finding("log", WARNING, text)]
    if size:
        return [Finding("log", OK, f"{size_text(size)}, taken into the file when the last session lets go of it")]
    return []


def _kept(path: str) -> list[Finding]:
    """The damaged files that repairs have kept."""
    folder, beginning = os.path.dirname(path), f"{os.path.basename(path)}.damaged-"
    kept = [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.startswith(beginning)]
    if not kept:
        return []
    size = size_text(sum(os.path.getsize(name) for name in kept))
    return [
        Finding("kept", OK, f"damaged files of earlier repairs, {size}; when nobody needs them: rm {shlex.join(kept)}")
    ]
