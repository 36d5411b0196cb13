"""The console script's code image: it makes itself, is never older than the sources, and is never needed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import mailstop

# Run a command as the console script does, and print how many of its modules came from the image.
COUNTING = """
import os, sys
from mailstop import launch
sys.argv = ["mailstop", *sys.argv[1:]]
ends = os._exit
def end(code):
    own = [module for name, module in sys.modules.items() if name.startswith("mailstop.")]
    image = [module for module in own if module.__spec__.cached == launch.image_path()]
    sys.stdout.flush()
    os.write(2, f"{len(image)} of {len(own)}".encode())
    ends(code)
os._exit = end
launch.script()
"""
ALONE = 1  # launch itself


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package, without an image."""
    folder = tmp_path / "site" / "mailstop"
    shutil.copytree(Path(mailstop.__file__).parent, folder, ignore=shutil.ignore_patterns("image.*"))
    return folder


def run(package: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = {"PYTHONPATH": str(package.parent), "HOME": str(package.parent), "PATH": "/usr/bin:/bin"}
    argv = [sys.executable, "-P", "-c", COUNTING, *words]
    return subprocess.run(argv, env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL)


def from_image(done: subprocess.CompletedProcess[str]) -> tuple[int, int]:
    assert done.returncode == 0, done.stderr
    image, _, own = done.stderr.partition(" of ")
    return int(image), int(own)


def image_of(package: Path) -> Path:
    return package / "__pycache__" / f"image.{sys.implementation.cache_tag}.bin"


def test_the_second_run_of_a_command_takes_all_its_modules_from_the_image(package: Path) -> None:
    first, second = run(package, "version"), run(package, "version")

    assert from_image(first)[0] == 0
    image, own = from_image(second)
    assert (image, own > 5) == (own - ALONE, True)
    assert second.stdout == first.stdout


def test_another_command_adds_its_own_modules_and_keeps_the_others(package: Path) -> None:
    run(package, "version")
    run(package, "who")

    for words in (["version"], ["who"]):
        image, own = from_image(run(package, *words))
        assert image == own - ALONE


def test_a_module_that_was_changed_is_loaded_as_it_is_now(package: Path) -> None:
    run(package, "version")
    module = package / "cli" / "version.py"
    text = module.read_text()
    assert "plugin for" in text

    module.write_text(text.replace("plugin for", "changed for"))
    changed, again = run(package, "version"), run(package, "version")

    assert "changed for" in changed.stdout
    assert changed.stdout == again.stdout
    assert from_image(again)[0] == from_image(again)[1] - ALONE


def test_a_copy_of_the_package_with_its_image_runs_its_own_code(package: Path) -> None:
    run(package, "version")
    copy = package.parents[1] / "elsewhere" / "mailstop"
    shutil.copytree(package, copy)
    module = copy / "cli" / "version.py"
    module.write_text(module.read_text().replace("plugin for", "changed for"))

    done, before = run(copy, "version"), run(package, "version")

    assert "changed for" in done.stdout
    assert "plugin for" in before.stdout


@pytest.mark.parametrize("part", [0.0, 0.001, 0.5, 0.99])
def test_a_torn_image_is_no_obstacle_and_heals(package: Path, part: float) -> None:
    whole = run(package, "version").stdout
    image = image_of(package)
    image.write_bytes(image.read_bytes()[: int(image.stat().st_size * part)])

    torn = run(package, "version")
    healed = run(package, "version")

    assert (torn.returncode, torn.stdout) == (0, whole)
    assert (healed.returncode, healed.stdout) == (0, whole)


def test_an_image_of_another_interpreter_is_not_used(package: Path) -> None:
    run(package, "version")
    image = image_of(package)
    image.write_bytes(b"\0\0\r\n" + image.read_bytes()[4:])

    assert from_image(run(package, "version"))[0] == 0


def test_where_nothing_can_be_written_the_command_does_without(package: Path) -> None:
    shutil.rmtree(package / "__pycache__", ignore_errors=True)
    (package / "__pycache__").touch()

    first, second = run(package, "version"), run(package, "version")

    assert (from_image(first)[0], from_image(second)[0]) == (0, 0)


def test_commands_that_write_it_at_once_leave_a_whole_one(package: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(lambda _: run(package, "version"), range(8)))

    assert {one.returncode for one in done} == {0}
    image, own = from_image(run(package, "version"))
    assert image == own - ALONE
    assert list(image_of(package).parent.glob("image.*")) == [image_of(package)]
