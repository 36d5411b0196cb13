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
WITH_A_THREAD = f"import threading; threading.Thread(target=threading.Event().wait, daemon=True).start()\n{COUNTING}"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package, without an image."""
    folder = tmp_path / "site" / "mailstop"
    shutil.copytree(Path(mailstop.__file__).parent, folder, ignore=shutil.ignore_patterns("image.*"))
    return folder


def run(package: Path, *words: str, script: str = COUNTING, **more: str) -> subprocess.CompletedProcess[str]:
    env = {"PYTHONPATH": str(package.parent), "HOME": str(package.parent), "PATH": "/usr/bin:/bin", **more}
    argv = [sys.executable, "-P", "-c", script, *words]
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


def by_rites(package: Path, script: str = COUNTING) -> int:
    """How many modules of ours a command has the interpreter import, statement by statement."""
    done = run(package, "version", script=script, PYTHONPROFILEIMPORTTIME="1")
    assert done.returncode == 0, done.stderr
    return sum(line.rpartition("|")[2].strip().startswith("mailstop.") for line in done.stderr.splitlines())


def test_what_modules_import_at_their_head_is_run_without_the_rites_of_importing(package: Path) -> None:
    run(package, "version")
    all_of_them = by_rites(package)

    assert by_rites(package) < all_of_them / 2


def test_beside_another_thread_every_module_is_imported_with_its_lock(package: Path) -> None:
    run(package, "version")
    all_of_them = by_rites(package)

    assert by_rites(package, WITH_A_THREAD) == all_of_them


def test_a_module_that_fails_at_the_head_of_another_fails_as_its_import_does(package: Path) -> None:
    module = package / "records.py"
    module.write_text(
        module.read_text() + "\nimport os\nif 'BROKEN' in os.environ:\n    raise RuntimeError('broken')\n"
    )
    for _ in range(3):
        assert run(package, "version").returncode == 0

    broken = run(package, "version", BROKEN="1")

    assert broken.returncode != 0
    assert "RuntimeError: broken" in broken.stderr
    assert run(package, "version").returncode == 0


def test_a_module_that_imports_other_modules_by_now_finds_them(package: Path) -> None:
    for _ in range(3):
        run(package, "version")
    module = package / "cli" / "version.py"
    module.write_text(f"{module.read_text()}\nimport mailstop.limits\n")

    done = [run(package, "version") for _ in range(3)]

    assert [from_image(one)[1] for one in done] == [from_image(done[0])[1]] * 3
    assert from_image(done[2])[0] == from_image(done[2])[1] - ALONE
