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
    return place.but(project=name_from(chosen), project_id=f"name:{_text(chosen)}") if chosen else place


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
    if not os.path.isdir(os.path.join(common, "objects")):
        return None
    branch, attached = checked_out(git)
    return Place(
        project=name_from(_readable_name(common)),
        project_id=_text(common),
        branch=_text(branch),
        worktree=_text(worktree),
        on_default_branch=attached
        and branch == default_branch(common, _setting(common, "init", "defaultbranch"), branch),
        folder=_text(folder),
    )


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
