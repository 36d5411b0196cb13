"""References: what a Git repository has checked out, and which branches it has, read from its files."""

from __future__ import annotations

import os

from mailstop.clients import reftable
from mailstop.clients.small_file import read_small

_HASH = frozenset("0123456789abcdef")
_LARGEST_PACKED = 64 * 1024 * 1024  # bytes; a repository with half a million references
_SEVERAL = "?"  # no branch can be named so


def line_of(path: str) -> str:
    """The content of a file of one line, without what ends the line; empty where there is none."""
    return os.fsdecode(read_small(path, largest=64 * 1024) or b"").rstrip("\r\n")


def checked_out(git: str) -> tuple[str, bool]:
    """What HEAD of a Git folder names, and whether that is a branch; a branch without a commit yet is one too.

    The first ten digits of the commit when no branch is checked out, empty when it cannot be read.
    """
    head = os.path.join(git, "HEAD")
    # HEAD as a symbolic link is how Git wrote it before 2005 and what it still reads.
    target = f"ref: {os.readlink(head)}" if os.path.islink(head) else line_of(head)
    if target == "ref: refs/heads/.invalid":  # what stands in HEAD when the references are in a reftable
        held = reftable.references(os.path.join(git, "reftable")).get("HEAD", "")
        target = f"ref: {held}" if held.startswith("refs/") else held
    if target.startswith("ref:"):
        name = target.removeprefix("ref:").strip()
        return name.removeprefix("refs/heads/"), name.startswith("refs/heads/")
    return (target[:10], False) if len(target) in (40, 64) and _HASH.issuperset(target) else ("", False)


def default_branch(common: str, chosen: str, current: str) -> str:
    """The branch that the others start from: what origin says, else `chosen`, main or master, whichever is there.

    Else the only one, which is the `current` one where there is no commit yet; `?` when none of this tells.
    """
    branches = _Branches(common)
    origin = branches.of_origin()
    if origin:
        return origin
    for name in (chosen, "main", "master"):
        if name and branches.has(name):
            return name
    return branches.only() or current


class _Branches:
    """The local branches of a repository: loose files and lines of packed-refs, or a reftable."""

    def __init__(self, common: str) -> None:
        self.common = common
        self.heads = os.fsencode(os.path.join(common, "refs", "heads"))
        self.packed = read_small(os.path.join(common, "packed-refs"), largest=_LARGEST_PACKED) or b""
        self.table = reftable.references(os.path.join(common, "reftable"))

    def of_origin(self) -> str:
        """The branch that origin starts from, as a clone has noted it."""
        line = line_of(os.path.join(self.common, "refs", "remotes", "origin", "HEAD")).removeprefix("ref:").strip()
        line = line or self.table.get("refs/remotes/origin/HEAD", "")
        return line.removeprefix("refs/remotes/origin/") if line.startswith("refs/remotes/origin/") else ""

    def has(self, name: str) -> bool:
        return (
            f"refs/heads/{name}" in self.table
            or os.path.isfile(os.path.join(self.heads, os.fsencode(name)))
            or b" refs/heads/" + os.fsencode(name) + b"\n" in self.packed
        )

    def only(self) -> str:
        names = {os.fsencode(name).partition(b"refs/heads/")[2] for name in self.table}
        names.update(line.partition(b" refs/heads/")[2] for line in self.packed.splitlines())
        for folder, _, files in os.walk(self.heads):
            names.update(os.path.relpath(os.path.join(folder, file), self.heads) for file in files)
            if len(names) > 2:
                break
        names.discard(b"")
        if len(names) > 1:
            return _SEVERAL
        return os.fsdecode(names.pop()) if names else ""
