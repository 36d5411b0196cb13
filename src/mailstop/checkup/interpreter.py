"""The interpreter that runs mailstop, the compiled form of its modules, and which `mailstop` a client would run."""

from __future__ import annotations

import compileall
import importlib.util
import os
import shlex
import shutil
import subprocess
import sys

import mailstop
from mailstop.checkup.finding import DOCTOR, OK, WARNING, Finding
from mailstop.cleaning import one_line
from mailstop.engines.sqlite.driver import sqlite3
from mailstop.wording import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Progress = Callable[[int, int], None]

_HASH_BASED, _CHECKED = 1, 2  # flags of a compiled file, PEP 552
_COMMAND = "mailstop"
_TIMEOUT_S = 10
_LONGEST_VERSION = 40  # characters


def versions() -> Finding:
    """What runs."""
    python = ".".join(map(str, sys.version_info[:3]))
    found = (
        f"mailstop {mailstop.__version__} in {_package()}, Python {python} ({sys.executable}), "
        f"SQLite {sqlite3.sqlite_version}"
    )
    return Finding("interpreter", OK, found)


# -- compiled modules ------------------------------------------------------------------------------------------------


def compiled() -> Finding:
    """Whether every module is there in compiled form: without it a command takes several times as long."""
    sources = list(_sources())
    stale = [source for source in sources if not _is_compiled(source)]
    if not stale:
        return Finding("compiled modules", OK, f"all {len(sources)} are compiled")
    found = f"of {len(sources)} modules {len(stale)} are not compiled, so commands and hooks start more slowly"
    if _may_compile(stale):
        return Finding("compiled modules", WARNING, found, f"{DOCTOR} --mend")
    command = shlex.join([sys.executable, "-m", "compileall", "-q", _package()])
    return Finding("compiled modules", WARNING, f"{found}; this user may not write there", f"sudo {command}")


def compile_modules(progress: Progress) -> str:
    """Compile what is not compiled; return what was done, empty when there was nothing to do, or no right to it."""
    stale = [source for source in _sources() if not _is_compiled(source)]
    if not stale or not _may_compile(stale):
        return ""
    for number, source in enumerate(stale, 1):
        compileall.compile_file(source, quiet=2, force=True)
        progress(number, len(stale))
    return f"compiled {counted(sum(map(_is_compiled, stale)), 'module')}"


def _package() -> str:
    return os.path.dirname(os.path.abspath(mailstop.__file__))


def _sources() -> Iterator[str]:
    for folder, _folders, names in os.walk(_package()):
        yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith(".py"))


def _is_compiled(source: str) -> bool:
    """Whether the interpreter would take the compiled form of this source as it is (PEP 552)."""
    if getattr(sys.implementation, "cache_tag", None) is None:  # an interpreter that keeps no compiled files
        return False
    try:
        with open(importlib.util.cache_from_source(source), "rb") as file:
            header = file.read(16)
        facts = os.stat(source)
        flags = int.from_bytes(header[4:8], "little")
        if len(header) < 16 or header[:4] != importlib.util.MAGIC_NUMBER:
            return False
        if not flags & _HASH_BASED:
            of_source = [int(facts.st_mtime) & 0xFFFFFFFF, facts.st_size & 0xFFFFFFFF]
            return [int.from_bytes(header[8:12], "little"), int.from_bytes(header[12:16], "little")] == of_source
        if not flags & _CHECKED:
            return True
        with open(source, "rb") as text:
            return importlib.util.source_hash(text.read()) == header[8:16]
    except OSError:
        return False


def _may_compile(sources: list[str]) -> bool:
    """Whether this user may write the compiled form of each of these."""
    folders = {os.path.dirname(importlib.util.cache_from_source(source)) for source in sources}
    return all(os.access(folder if os.path.isdir(folder) else os.path.dirname(folder), os.W_OK) for folder in folders)


# -- the command -----------------------------------------------------------------------------------------------------


def command() -> Finding:
    """Which `mailstop` the hooks of clients run: they call it by its name."""
    found = _on_path()
    if not found:
        beside = os.path.join(os.path.dirname(sys.executable), _COMMAND)
        mend = f"export PATH={shlex.quote(os.path.dirname(beside))}:$PATH" if os.path.exists(beside) else ""
        return Finding("command", WARNING, "no mailstop is on PATH, so the hooks of clients do nothing", mend)
    first, *others = found
    if others:
        told = [f"{path}{_version_of(path)}" for path in found]
        text = f"mailstop is on PATH more than once: {told[0]} is run, {', '.join(told[1:])} not"
        return Finding("command", WARNING, text, _uninstall(_superfluous(found)))
    return Finding("command", OK, first)


def _superfluous(found: list[str]) -> str:
    """Which of several to remove: not the one that looks here, where it is among them; else not the one that is run."""
    own = os.path.realpath(os.path.join(os.path.dirname(sys.executable), _COMMAND))
    is_here = any(os.path.realpath(path) == own for path in found)
    return next(path for path in (found if is_here else found[1:]) if os.path.realpath(path) != own)


def _version_of(path: str) -> str:
    """The version of an installation, in brackets behind a blank; empty where it does not say."""
    try:
        done = subprocess.run([path, "version"], capture_output=True, text=True, timeout=_TIMEOUT_S, check=False)
    except (OSError, subprocess.SubprocessError):
        return ""
    said = done.stdout.strip().partition("\n")[0].removeprefix(_COMMAND).strip()
    return f" ({one_line(said, _LONGEST_VERSION)})" if said and not done.returncode else ""


def _on_path() -> list[str]:
    """Every `mailstop` on PATH, the one that is run first; two names of one file count once."""
    found: dict[str, str] = {}
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = shutil.which(_COMMAND, path=folder) if folder else None
        if path:
            found.setdefault(os.path.realpath(path), path)
    return list(found.values())


def upgrade() -> str:
    """The command by which this mailstop becomes the newest."""
    if tool := _tool(_package()):
        return f"{tool} upgrade {_COMMAND}"
    return f"{shlex.quote(sys.executable)} -m pip install --upgrade {_COMMAND}"


def _tool(path: str) -> str:
    """The tool whose folder holds an installation; empty where it is none that is known."""
    if f"{os.sep}uv{os.sep}tools{os.sep}" in path:
        return "uv tool"
    return "pipx" if f"{os.sep}pipx{os.sep}" in path else ""


def _uninstall(path: str) -> str:
    """How to remove an installation, as far as its place tells how it came there."""
    real = os.path.realpath(path)
    if tool := _tool(real):
        return f"{tool} uninstall {_COMMAND}"
    python = os.path.join(os.path.dirname(real), "python")
    if os.path.exists(python):
        return f"{shlex.quote(python)} -m pip uninstall {_COMMAND}"
    return f"rm {shlex.quote(path)}"
