"""Shelf: a folder from which pip, pipx and uv install without a network, filled from the environment of the tests."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
OURS = "mailstop"


def put_wheel(folder: Path) -> None:
    """Build the wheel of this checkout into a folder."""
    built = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(built, cwd=ROOT, check=True, capture_output=True)


def put_needed(folder: Path, *requirements: str) -> None:
    """Put there what these packages need, and themselves, but for mailstop: as they are installed here."""
    folder.mkdir(exist_ok=True)
    wanted = [Requirement(requirement) for requirement in requirements]
    seen: set[tuple[str, frozenset[str]]] = set()
    while wanted:
        one = wanted.pop()
        found = (canonicalize_name(one.name), frozenset(one.extras))
        if found in seen:
            continue
        seen.add(found)
        package = metadata.distribution(one.name)
        if found[0] != OURS:
            _pack(package, folder)
        for line in package.requires or []:
            needed = Requirement(line)
            extras = one.extras or {""}
            if needed.marker is None or any(needed.marker.evaluate({"extra": extra}) for extra in extras):
                wanted.append(needed)


def _pack(package: metadata.Distribution, folder: Path) -> None:
    """Make an installed package into a wheel again."""
    tag = re.findall(r"^Tag: (\S+)$", package.read_text("WHEEL") or "", re.MULTILINE)[-1]
    name = canonicalize_name(package.metadata["Name"]).replace("-", "_")
    files = {str(file): file for file in package.files or [] if file.suffix != ".pyc" and ".." not in file.parts}
    with zipfile.ZipFile(folder / f"{name}-{package.version}-{tag}.whl", "w") as wheel:
        for path, file in files.items():
            data = Path(str(package.locate_file(file))).read_bytes()
            if file.name == "RECORD":
                lines = data.decode().splitlines(keepends=True)
                data = "".join(line for line in lines if line.partition(",")[0] in files).encode()
            wheel.writestr(path, data)
