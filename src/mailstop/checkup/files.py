"""The state folder: its modes, bells, registrations, and what the hooks wrote into the log."""

from __future__ import annotations

import os
import time

from mailstop import bells, config
from mailstop.checkup.finding import DOCTOR, OK, WARNING, Finding
from mailstop.checkup.modes import modes, tighten
from mailstop.clients import registry
from mailstop.clients.life import is_alive
from mailstop.engines.sqlite.file_system import network_kind
from mailstop.rules import sweeps
from mailstop.wording import counted

RECENT_S = 24 * 3600  # an error of a hook that is older says nothing of today
ASIDE = ".1"  # behind the name of a log that is set aside, as a full one is
_LINES = 3
_TAIL_BYTES = 16 * 1024


def findings() -> list[Finding]:
    """Look at the folder; one that is not there is fine, the first session makes it."""
    if not os.path.isdir(config.state_folder()):
        return [Finding("state folder", OK, f"{config.state_folder()} is not there yet; the first session makes it")]
    return [modes("state folder", _own()), *_file_system(), _bells(), _registrations(), _log()]


def mend() -> list[str]:
    """Take the folder from others, sweep out what ended sessions left, and set the errors of hooks aside, which were
    seen by now; return what was done."""
    done = tighten(_own())
    if ended := sweeps.registrations():
        done.append(f"swept out {counted(ended, 'ended session')}")
    if _recent_errors():
        aside = f"{config.log_file()}{ASIDE}"
        try:
            os.replace(config.log_file(), aside)
            done.append(f"set the errors of hooks aside: {aside}")
        except OSError:  # another run has, or the folder may not be written to, as the findings tell
            pass
    return done


def _own() -> list[str]:
    """The folder, what lies in it, and the registrations; links to bells say nothing that the folder does not hide.

    Folders with a point are Codex's: its sandbox puts empty ones over `.git` and its like in each writable root.
    """
    folders = (config.state_folder(), registry.folder())
    inside = [os.path.join(folder, name) for folder in folders for name in _listed(folder)]
    foreign = (path for path in inside if os.path.basename(path).startswith(".") and os.path.isdir(path))
    links = (path for path in inside if os.path.basename(path) == "homes")
    return [config.state_folder(), *sorted(set(inside) - {*foreign, *links})]


def _listed(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _file_system() -> list[Finding]:
    """Bells that others share over a network: what rings there wakes nobody who sleeps on another machine."""
    kind = network_kind(config.state_folder())
    if not kind:
        return []
    text = (
        f"{config.state_folder()} lies on a network file system ({kind}): a ring wakes sessions of this machine alone"
    )
    return [Finding("file system of bells", WARNING, text)]


def _bells() -> Finding:
    ringing = bells.ringing()
    if not ringing:
        return Finding("bells", OK, "none rings")
    return Finding("bells", OK, f"{counted(len(ringing), 'rings', 'ring')}: {', '.join(ringing)}")


def _registrations() -> Finding:
    everyone = registry.everyone()
    alive = [is_alive(registration.life) for registration in everyone]
    unreadable = sum(name.endswith(".json") for name in _listed(registry.folder())) - len(everyone)
    parts = [counted(alive.count(True), "living session")]
    parts += [f"{alive.count(None)} that cannot be seen from here"] if None in alive else []
    parts += [f"{alive.count(False)} ended"] if False in alive else []
    if unreadable:
        parts.append(f"{counted(unreadable, 'file')} that cannot be read")
    dead = alive.count(False)
    state = WARNING if unreadable else OK
    return Finding("registrations", state, ", ".join(parts), f"{DOCTOR} --mend" if dead or unreadable else "")


def _log() -> Finding:
    """The last lines that hooks wrote, when the last is recent."""
    lines, age_s = _last_errors()
    if not lines:
        return Finding("hook errors", OK, "none")
    path = config.log_file()
    if age_s > RECENT_S:
        return Finding("hook errors", OK, f"none for {counted(int(age_s // 86400), 'day')}; older ones in {path}")
    text = f"the last lines of {path}; once their cause is gone, set them aside:"
    return Finding("hook errors", WARNING, "\n".join([text, *lines]), f"{DOCTOR} --mend")


def _recent_errors() -> bool:
    lines, age_s = _last_errors()
    return bool(lines) and age_s <= RECENT_S


def _last_errors() -> tuple[list[str], float]:
    """The last lines of the log, and how long ago the last was written, in seconds; none where there is no log."""
    path = config.log_file()
    try:
        age_s = time.time() - os.path.getmtime(path)
        with open(path, "rb") as file:
            file.seek(max(0, os.path.getsize(path) - _TAIL_BYTES))
            lines = file.read().decode("utf-8", "replace").splitlines()[-_LINES:]
    except OSError:
        return [], 0.0
    return lines, age_s
