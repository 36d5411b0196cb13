"""Project: the repository a session works in, found by reading Git's files; no git process is ever started.

A project is the *common* directory of a repository, so all its worktrees are one project and two repositories
of one name stay two (gitrepository-layout(5)). GIT_DIR and its like are not looked at: one that leaked into a
client's environment would put the session into another project. MAILSTOP_PROJECT overrides what is found.

Deliberately absent: the user's own Git configuration, its include files, and Git's refusal to look beyond a
mount point.
"""

from __future__ import annotations

import os

from mailstop.clients.references import checked_out, default_branch, line_of
from mailstop.names import name_from
from mailstop.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

VARIABLE = "MAILSTOP_PROJECT"
CHOSEN = "name:"  # what the id of a project begins with that VARIABLE names


class Place(Record):
    """Where a session works.

    project: a name for people, also a legal seat name. project_id: what tells it from others: the absolute
    real path of Git's common directory, of the folder where there is no repository, or `name:...` when
    MAILSTOP_PROJECT says so. branch: the checked-out branch, the first ten digits of the commit when none is,
    empty without a repository. worktree: the top folder of the worktree, empty without one.
    on_default_branch: True also without a repository.
    """

    project: str
    project_id: str
    branch: str
    worktree: str
    on_default_branch: bool
    folder: str


def place_of(folder: str, environment: Mapping[str, str] = os.environ) -> Place:
    """The place of a folder. Never raises: what cannot be read counts as not there."""
    try:
        real = os.path.realpath(folder)
    except (OSError, ValueError):
        real = os.path.abspath("/")
    try:
        place = _repository(real)
    except (OSError, ValueError):
        place = None
    if place is None:
        place = Place(name_from(os.path.basename(real)), _text(real), "", "", True, _text(real))
    chosen = environment.get(VARIABLE, "").strip()
    return place.but(project=name_from(chosen), project_id=f"{CHOSEN}{_text(chosen)}") if chosen else place


def worktrees_over(folder: str) -> list[Worktree]:
    """The worktrees in which a real folder lies, the nearest first.

    There are several where one repository lies in another: a submodule, or a worktree inside of the main one.
    MAILSTOP_PROJECT plays no part. Never raises.
    """
    found: list[Worktree] = []
    while True:
        try:
            git = _git_over(folder)
        except (OSError, ValueError):
            git = None
        if git is None:
            return found
        if git.worktree:
            found.append(Worktree(name_from(_readable_name(git.common)), _text(git.common), git.worktree))
        above = os.path.dirname(git.worktree or git.common)  # without one it is in `.git` itself, say
        if len(above) >= len(folder):
            return found
        folder = above


class Worktree(Record):
    """One worktree. project, project_id: as of Place. top: its top folder, as the system names it."""

    project: str
    project_id: str
    top: str


class _Git(Record):
    """Git's folder for one worktree, the one that all of them share, and the worktree's top, empty without one."""

    folder: str
    common: str
    worktree: str


def branch_of(worktree: str) -> str:
    """What the top folder of a worktree has checked out now, as `Place.branch`; empty where there is no repository."""
    if not os.path.isabs(worktree):  # nobody said where it works
        return ""
    entry = os.path.join(worktree, ".git")
    try:
        git = _linked(entry) if os.path.isfile(entry) else entry
        return _text(checked_out(git)[0]) if git else ""
    except (OSError, ValueError):
        return ""


def _repository(folder: str) -> Place | None:
    git = _git_over(folder)
    if git is None:
        return None
    branch, attached = checked_out(git.folder)
    return Place(
        project=name_from(_readable_name(git.common)),
        project_id=_text(git.common),
        branch=_text(branch),
        worktree=_text(git.worktree),
        on_default_branch=attached
        and branch == default_branch(git.common, _setting(git.common, "init", "defaultbranch"), branch),
        folder=_text(folder),
    )


def _git_over(folder: str) -> _Git | None:
    """The nearest repository at a folder or above it."""
    here = folder
    while True:
        entry = os.path.join(here, ".git")
        if os.path.isfile(entry):
            git, worktree = _linked(entry), here
            if git is None:
                return None  # Git refuses to work here too
            break
        if _is_git_folder(entry):
            git, worktree = entry, here
            break
        if _is_git_folder(here):  # a bare repository, or inside of `.git`
            git, worktree = here, ""
            break
        here, below = os.path.dirname(here), here
        if here == below:
            return None
    common = _common(git)
    return _Git(git, common, worktree) if os.path.isdir(os.path.join(common, "objects")) else None


def _text(path: str) -> str:
    """A path as Unicode text; bytes of a name that are no UTF-8 are written out."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _is_git_folder(path: str) -> bool:
    # What Git itself asks for: HEAD, which may be a dangling symbolic link, objects, and references.
    return (
        os.path.lexists(os.path.join(path, "HEAD"))
        and (os.path.isdir(os.path.join(path, "refs")) or os.path.isfile(os.path.join(path, "commondir")))
        and (os.path.isdir(os.path.join(path, "objects")) or os.path.isfile(os.path.join(path, "commondir")))
    )


def _linked(entry: str) -> str | None:
    """Where a `.git` file, as in worktrees and submodules, points to; None when that is no repository."""
    line = line_of(entry)
    if not line.startswith("gitdir:"):
        return None
    git = os.path.realpath(os.path.join(os.path.dirname(entry), line.removeprefix("gitdir:").strip(" ")))
    return git if _is_git_folder(git) else None


def _common(git: str) -> str:
    shared = line_of(os.path.join(git, "commondir"))
    return os.path.realpath(os.path.join(git, shared)) if shared else os.path.realpath(git)


def _readable_name(common: str) -> str:
    """The name of the main worktree's folder, the same from all worktrees; of a bare repository its own."""
    chosen = _setting(common, "core", "worktree")  # a submodule's repository lies in its parent's
    if chosen:
        return os.path.basename(os.path.realpath(os.path.join(common, chosen)))
    name = os.path.basename(common)
    # `.git`, and `.bare` of people who keep all their worktrees beside each other
    return os.path.basename(os.path.dirname(common)) if name.startswith(".") else name.removesuffix(".git")


def _setting(common: str, section: str, key: str) -> str:
    """A setting of the repository's own configuration, the last one that counts; empty when it is not set."""
    found, inside = "", False
    for line in line_of(os.path.join(common, "config")).splitlines():
        line = line.strip()
        if line.startswith("["):
            title, _, line = line.partition("]")  # a setting may follow on the same line
            inside = title.lower() == f"[{section}"
        name, equals, value = line.partition("=")
        if inside and equals and name.strip().lower() == key:
            found = _unquoted(value.strip())
    return found


def _unquoted(value: str) -> str:
    """A value of git-config(1): quoted with backslash escapes, or plain up to a comment."""
    if not value.startswith('"'):
        return value.partition("#")[0].partition(";")[0].strip()
    kept = ""
    characters = iter(value[1:])
    for character in characters:
        if character == '"':
            break
        kept += character if character != "\\" else next(characters, "")
    return kept
