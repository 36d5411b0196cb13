"""The architecture page names every module there is, and none that is not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import mailstop

SOURCE = Path(mailstop.__file__).parent
PAGE = SOURCE.parents[1] / "docs" / "architecture.md"


def named_in_layers() -> set[str]:
    """The paths in the table of layers, braces expanded: `rules/{a,b}.py` names two."""
    table = PAGE.read_text().split("## Layers")[1].split("## Nouns")[0]
    paths = set()
    for code in re.findall(r"`([^`]+)`", table):
        beginning, brace, rest = code.partition("{")
        inner, _, ending = rest.partition("}")
        for name in inner.split(",") if brace else [""]:
            paths.add(f"{beginning}{name}{ending}")
    return paths


def test_every_module_and_package_has_its_layer_on_the_page() -> None:
    named = named_in_layers()
    top = {path.name if path.suffix else f"{path.name}/" for path in SOURCE.iterdir() if not path.name.startswith("_")}
    missing = {name for name in top - {"py.typed", "plugin/"} if not any(path.startswith(name) for path in named)}

    assert missing == set()


@pytest.mark.parametrize(
    "folder", ["rules", "engines", "doors", "clients", "checkup", "mcp", "setup", "resident", "scripted"]
)
def test_every_module_of_a_folder_is_on_the_page(folder: str) -> None:
    modules = {str(path.relative_to(SOURCE)) for path in (SOURCE / folder).rglob("[!_]*.py")}

    assert modules - named_in_layers() == set()


def test_the_page_names_nothing_that_is_not_there() -> None:
    paths = [path for path in named_in_layers() if "/" in path or path.endswith(".py")]

    assert [path for path in paths if not (SOURCE / path).exists()] == []
