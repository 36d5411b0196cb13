"""Resources: what a word means that somebody types to take, release or look up.

| the word                              | is read as                                                        |
|---------------------------------------|-------------------------------------------------------------------|
| `name:deploy`                         | the name `deploy`                                                 |
| `path:app/[id]`                       | that very path, whatever characters it holds                      |
| `glob:src/*.py`                       | a pattern                                                         |
| anything that is there                | that path                                                         |
| else with `*`, `?` or `[`             | a pattern                                                         |
| else with `/` or `.`                  | a path that is not there yet                                      |
| any other                             | a name                                                            |

A path covers what lies below it. Before a pattern, which matches whole paths, it counts what the path is: a file is
only itself. One that is not there is a folder, unless its name has an ending as in `new.py` and no `/` follows.

A path is followed through symbolic links as far as it is there, and then taken from the top of its worktree: in all
worktrees of a repository it is the same one. It has further addresses, so that a folder covers what lies below it
across the borders of repositories: one in each repository that holds that one, as a submodule's does, and its absolute
path on this machine. Where the file system takes capital letters and small ones for the same, so do we; that is found
out by a look at a name that is there.
"""

from __future__ import annotations

import os

from mailstop import errors
from mailstop.clients.life import machine_id
from mailstop.clients.project import worktrees_over
from mailstop.lease import ALL_BELOW, GLOB, NAME, PATH, Address, Resource
from mailstop.lines import is_line, line_rule
from mailstop.patterns import folded, is_wild, parsed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from mailstop.clients.project import Place, Worktree

LONGEST_NAME = 200  # characters
LONGEST_PATH = 4096  # bytes, as the kernel's
LONGEST_GLOB = 500  # characters
_LONGEST_QUOTE = 80  # characters of a refused word that its refusal repeats


def folds_case(folder: str) -> bool:
    """Whether the file system of a real folder takes capital letters and small ones for the same.

    The nearest name with letters that is there, in the other case, leads to the same file. macOS: untried.
    """
    while True:
        above, name = os.path.split(folder)
        other = name.swapcase()
        if other != name:
            try:
                there = os.lstat(folder)
            except OSError:  # not there yet
                folder = above
                continue
            try:
                same = os.lstat(os.path.join(above, other))
            except OSError:
                return False
            return (there.st_dev, there.st_ino) == (same.st_dev, same.st_ino)
        if above == folder:
            return False
        folder = above


class Reader:
    """Reads words as resources; it looks at each folder once."""

    def __init__(
        self, folder: str, names_of: Callable[[], Place], *, folds: Callable[[str], bool] = folds_case
    ) -> None:
        """folder: where paths begin that are not absolute. names_of: says in whose project names are."""
        self._folder = folder
        self._names_of = names_of
        self._folds = folds
        self._known: dict[str, tuple[bool, list[Worktree]]] = {}

    def read(self, word: str) -> Resource:
        """The resource that a word means. Raises InvalidResource."""
        for prefix, reading in (("name:", self.name), ("path:", self.path), ("glob:", self.glob)):
            if word.startswith(prefix):
                return reading(word.removeprefix(prefix)).but(given=word, why=f"it begins with {prefix}")
        if self._is_there(word):
            return self.path(word).but(given=word, why="it is there")
        if is_wild(word):
            return self.glob(word).but(given=word, why="it has wildcards, and is not there")
        if "/" in word or "." in word:
            return self.path(word).but(given=word, why="it has a / or a dot")
        return self.name(word).but(given=word, why="it is one word, and no file here")

    def other(self, word: str) -> Resource | None:
        """What a bare word would mean had a file of that name come, or gone; None for a word that says what it is."""
        if not word or "/" in word or "." in word or is_wild(word) or ":" in word:
            return None
        return self.name(word) if self._is_there(word) else self.path(word)

    def _is_there(self, word: str) -> bool:
        try:
            return bool(word) and os.path.lexists(os.path.join(self._folder, word))
        except ValueError:  # a byte 0
            return False

    def name(self, text: str) -> Resource:
        """A name. Raises InvalidResource."""
        if not 0 < len(text) <= LONGEST_NAME or not text.isprintable() or text != text.strip():
            wrong = line_rule(text, LONGEST_NAME)
            if is_line(text, LONGEST_NAME) and text.strip():
                wrong += "; this one has blanks at its ends"
            reason = f"a name is {wrong}"
            raise errors.InvalidResource(text=text[:_LONGEST_QUOTE], reason=reason)
        place = self._names_of()
        # A name has no parts, whatever it holds: its slashes are written so that they part nothing.
        at = Address(f"name:{place.project_id}", "/" + text.replace("=", "==").replace("/", "=-"))
        return Resource(NAME, f"name:{text}", place.project, place.project_id, (at,))

    def path(self, text: str, *, file: bool = False) -> Resource:
        """That very path. file: that it is one, unless a folder is there. Raises InvalidResource."""
        real = self._real(text)
        is_folder = os.path.isdir(real) or not (file or os.path.lexists(real) or _is_named_as_file(text))
        shown, project, project_id, at = self._lies(real, ALL_BELOW if is_folder else "")
        return Resource(PATH, shown, project, project_id, at)

    def glob(self, text: str) -> Resource:
        """A pattern. Raises InvalidResource."""
        if not text or len(text) > LONGEST_GLOB:
            reason = f"a pattern has at most {LONGEST_GLOB} characters, and at least one"
            raise errors.InvalidResource(text=text[:_LONGEST_QUOTE], reason=reason)
        segments = text.split("/")
        first = next((at for at, segment in enumerate(segments) if is_wild(segment)), len(segments))
        beginning = "/".join(segments[:first]) or ("/" if first else ".")
        wild = [segment for segment in segments[first:] if segment not in ("", ".")]
        if ".." in wild:
            raise errors.InvalidResource(text=text[:_LONGEST_QUOTE], reason="nothing leads up (..) behind a wildcard")
        real = self._real(beginning)
        if not wild or set(wild) == {ALL_BELOW}:
            return self.path(beginning if not wild else f"{beginning.rstrip('/')}/")
        pattern = "/".join(_text(segment) for segment in wild)
        try:
            parsed(pattern)
        except ValueError as error:
            raise errors.InvalidResource(text=text[:_LONGEST_QUOTE], reason=str(error)) from None
        shown, project, project_id, at = self._lies(real, pattern)
        return Resource(GLOB, shown, project, project_id, at)

    def _real(self, text: str) -> str:
        """The absolute path behind all symbolic links that are there."""
        path = _text(text)
        if not text or "\0" in text or len(path.encode()) > LONGEST_PATH:
            reason = f"a path has at most {LONGEST_PATH} bytes, at least one, and none that is 0"
            raise errors.InvalidResource(text=text[:_LONGEST_QUOTE], reason=reason)
        return _text(os.path.realpath(os.path.join(self._folder, path)))

    def _lies(self, real: str, pattern: str) -> tuple[str, str, str, tuple[Address, ...]]:
        """Where a real path lies: how it is shown, its project, that one's id, its addresses."""
        folds, worktrees = self._looked_at(real)
        at = [self._address("repository", each.project_id, real, each.top, pattern, folds) for each in worktrees]
        at.append(self._address("machine", machine_id(), real, "/", pattern, folds))
        wild = pattern if pattern != ALL_BELOW else ""
        if not worktrees:
            return os.path.join(real, wild) if wild else real, "", "", tuple(at)
        nearest = worktrees[0]
        inside = os.path.relpath(real, nearest.top)
        shown = inside if not wild else wild if inside == "." else f"{inside}/{wild}"
        return shown, nearest.project, nearest.project_id, tuple(at)

    def _looked_at(self, real: str) -> tuple[bool, list[Worktree]]:
        """Whether case is folded there, and the worktrees in which it lies."""
        folder = real if os.path.isdir(real) else os.path.dirname(real)
        if folder not in self._known:
            self._known[folder] = (self._folds(folder), worktrees_over(folder))
        return self._known[folder]

    def _address(self, kind: str, whose: str, real: str, top: str, pattern: str, folds: bool) -> Address:
        below = real[len(top.rstrip("/")) :].rstrip("/")
        if folds:
            return Address(f"{kind}:{folded(whose)}", folded(below), pattern, True)
        return Address(f"{kind}:{whose}", below, pattern)


def _is_named_as_file(text: str) -> bool:
    """Whether a path looks as if it were a file's: its name has an ending, and no `/` follows."""
    return "." in os.path.basename(text).lstrip(".")


def _text(word: str) -> str:
    """The word itself when it is Unicode. Raises InvalidResource for a name of other bytes, which no index can hold."""
    try:
        word.encode()
    except UnicodeEncodeError:
        reason = "its name is not UTF-8; take the folder in which it lies"
        raise errors.InvalidResource(text=os.fsencode(word)[-_LONGEST_QUOTE:], reason=reason) from None
    return word
