"""Launch: the console script. It runs a command with the code of all its modules read from one file, the code image.

Python finds, opens and checks the compiled file of each module by itself, eleven system calls for each of fifty; of a
whole `send` that was a tenth. The image, beside the compiled files, holds copies of them: a module then costs two.
It is valid as they are: what is used of it was compiled from the source that lies there now, by its size and time of
change, and by this interpreter. It makes itself: a command that had to load a module the other way adds it at its end.

It also remembers which modules one imports at its head, and runs those first, without the rites of importing: they
were a third of what loading a module takes. What it remembers is a hint. The import statements stand as they are, and
find what is missing themselves.

This module imports nothing, and has no annotations that would: `__future__` itself comes from the image.
"""

import marshal
import os
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER, SourceFileLoader
from _thread import _count as other_threads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, ModuleType
    from typing import Any, NoReturn

_PACKAGE = os.path.dirname(os.path.abspath(__file__))
_LENGTH = 8  # bytes of the number that says how long the index is
_USUAL = 32_768  # bytes that hold the index, as a rule
_ALSO = "__future__"  # all our modules import it


class CodeImage:
    """Finds modules in the image; one of `sys.meta_path`."""

    def __init__(self, path: str) -> None:
        self.path = path
        # name: offset, length, the source's place in the package, its time and size, what it imports at its head, if
        # that is known; each of these after those that it imports itself
        self.index: dict[str, tuple[int, int, str, int, int, tuple[str, ...] | None]] = {}
        self._ran: list[str] = []  # the modules from here, each after those that it imports
        self._heads: dict[str, tuple[str, ...]] = {}  # what was found out now of what modules import
        self._descriptor, self._begin = -1, len(MAGIC_NUMBER) + _LENGTH
        try:
            self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            head = os.pread(self._descriptor, _USUAL, 0)
            if head.startswith(MAGIC_NUMBER):
                length = int.from_bytes(head[len(MAGIC_NUMBER) : self._begin], "little")
                if self._begin + length > len(head):
                    head = os.pread(self._descriptor, self._begin + length, 0)
                self.index = marshal.loads(head[self._begin : self._begin + length])
                self._begin += length
        except (OSError, EOFError, ValueError, TypeError):  # none yet, or a torn one: Python's own way is there
            self.index = {}

    def find_spec(self, name: str, _path: "Any" = None, _target: "Any" = None) -> "ModuleSpec | None":
        """Where a module comes from; None for what the image does not hold as it is now."""
        if name not in self.index:
            return None
        _, _, place, changed, size, _ = self.index[name]
        source = os.path.join(_PACKAGE, place)
        if _facts(source) != (changed, size):
            del self.index[name]
            return None
        is_package = source.endswith("__init__.py")
        spec = ModuleSpec(name, _Loader(name, source, self), origin=source, is_package=is_package)
        spec.has_location, spec.cached = True, self.path
        if is_package:
            spec.submodule_search_locations = [os.path.dirname(source)]
        return spec

    def run_head(self, name: str) -> None:
        """Run what a module imports at its head, as far as it is not there."""
        if other_threads():  # which could import the same at the same time: the rites see to that
            return
        for each in self.index[name][-1] or ():
            if each not in sys.modules:
                self._run(each)

    def _run(self, name: str) -> None:
        """Do what importing a module does, for one that nobody else imports meanwhile."""
        spec = self.find_spec(name)
        parent, _, last = name.rpartition(".")
        code = self.code(name) if spec and (not parent or parent in sys.modules) else None
        if spec is None or code is None:
            return
        module = type(sys)(name)
        told = {"__spec__": spec, "__loader__": spec.loader, "__package__": spec.parent}
        module.__dict__.update(told, __file__=spec.origin, __cached__=spec.cached)
        if spec.submodule_search_locations is not None:
            module.__path__ = spec.submodule_search_locations
        sys.modules[name] = module
        try:
            exec(code, module.__dict__)
        except BaseException:
            del sys.modules[name]
            raise
        if parent:
            setattr(sys.modules[parent], last, module)
        self._ran.append(name)

    def ran(self, name: str, before: int) -> None:
        """A module has been run. before: how many had been when it began."""
        if name in self.index and self.index[name][-1] is None:
            self._heads[name] = tuple(self._ran[before:])
        self._ran.append(name)

    @property
    def count(self) -> int:
        """How many modules have been run from here."""
        return len(self._ran)

    def code(self, name: str) -> "CodeType | None":
        """The code of a module; None where it cannot be read any more."""
        offset, length, *_ = self.index[name]
        try:
            code: CodeType = marshal.loads(self._read(offset, length))
        except (OSError, EOFError, ValueError, TypeError):
            return None
        return code

    def _read(self, offset: int, length: int) -> bytes:
        return os.pread(self._descriptor, length, self._begin + offset)

    def keep(self) -> None:
        """Add the modules that were loaded in Python's own way. Whoever may not write there does without."""
        if sys.dont_write_bytecode or sys.pycache_prefix or sys.flags.optimize:
            return
        loaded = {name: module for name, module in sys.modules.items() if name.startswith("mailstop.") or name == _ALSO}
        unknown = [module for name, module in loaded.items() if name not in self.index]
        if not (unknown or self._heads) or not os.access(os.path.dirname(self.path), os.W_OK):
            return
        new = {module.__name__: (*kept, None) for module in unknown if (kept := _compiled(module))}
        if not (new or self._heads):
            return
        heads = {name: self._heads.get(name, at[-1]) for name, at in self.index.items()}
        known = {name: (self._read(*at[:2]), *at[2:-1], heads[name]) for name, at in self.index.items()}
        try:
            _write(self.path, {**known, **new})
        except OSError:
            return


class _Loader(SourceFileLoader):
    """Python's own loader of source files, but for where the code comes from."""

    def __init__(self, name: str, source: str, image: CodeImage) -> None:
        super().__init__(name, source)
        self._image = image

    def get_code(self, name: str) -> "CodeType | None":
        return self._image.code(name) or super().get_code(name)

    def exec_module(self, module: "ModuleType") -> None:
        name, before = module.__name__, self._image.count
        self._image.run_head(name)
        super().exec_module(module)
        self._image.ran(name, before)


def _facts(source: str) -> "tuple[int, int] | None":
    """What tells one version of a source file from another."""
    try:
        facts = os.stat(source)
    except OSError:
        return None
    return facts.st_mtime_ns, facts.st_size


def _compiled(module: "ModuleType") -> "tuple[bytes, str, int, int] | None":
    """A module's code and what it was compiled from; None where that is no file, or one that changes."""
    loader = getattr(module, "__loader__", None)
    source = getattr(module, "__file__", None)
    if not isinstance(loader, SourceFileLoader) or source is None:
        return None
    before = _facts(source)
    # What lies in the package is found beside this very module: a copy of the folder, with its image, is its own.
    place = os.path.relpath(source, _PACKAGE) if module.__name__ != _ALSO else source
    if before is None or place.startswith(os.pardir):
        return None
    try:
        code = loader.get_code(module.__name__)
    except (ImportError, OSError, SyntaxError):
        return None
    if code is None or _facts(source) != before:
        return None
    return marshal.dumps(code), place, *before


def _write(path: str, codes: "dict[str, tuple[bytes, str, int, int, tuple[str, ...] | None]]") -> None:
    """Put an image in the place of the one that is there, whole or not at all. Raises OSError."""
    offset, index = 0, {}
    for name, (code, *source) in codes.items():
        index[name] = (offset, len(code), *source)
        offset += len(code)
    head = marshal.dumps(index)
    fresh = f"{path}.{os.getpid()}"
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(MAGIC_NUMBER + len(head).to_bytes(_LENGTH, "little") + head)
            file.writelines(code for code, *_ in codes.values())
        os.replace(fresh, path)
    except BaseException:
        os.unlink(fresh)
        raise


def image_path() -> str:
    """Where the code image of this package lies."""
    return os.path.join(_PACKAGE, "__pycache__", f"image.{sys.implementation.cache_tag}.bin")


def script() -> "NoReturn":
    """The console script: run, and end at once. Collecting garbage and tidying the interpreter up cost a fifth of a
    `check`, and the system does both when the process ends."""
    import gc

    gc.disable()
    image = CodeImage(image_path())
    sys.meta_path.insert(0, image)
    from mailstop.cli.entry import exit_code

    code = exit_code()
    try:
        image.keep()
    finally:
        os._exit(code)
