"""The commands by which the pages say to install mailstop, and those that stand behind them as another way."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

import mailstop
from tests.clients.waiting import wait_for
from tests.distribution.conftest import UV
from tests.distribution.user import PIPX, User
from tests.shelf import ROOT, put_needed, put_wheel
from tests.shown_commands import pages, shown

pytestmark = pytest.mark.timeout(240)  # an environment is made, and on a busy machine that takes its time


def shown_installs() -> Iterator[str]:
    """Each command once; `# or: pipx install .` is one too."""
    for page in pages():
        for command in (command for block in shown(page) for command in block.commands):
            typed, _, said = command.text.partition(" #")
            yield from re.findall(r"^(?:uv tool|pipx) install .*\S", typed.strip())
            yield from re.findall(r"or: (pipx install \S+)", said)


INSTALLS = sorted(set(shown_installs()))


@pytest.fixture(scope="module")
def full_shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder that stands for the package index: with all that mailstop needs, and its server, and its build."""
    folder = tmp_path_factory.mktemp("index") / "shelf"
    put_wheel(folder)
    put_needed(folder, "mailstop[serve]", "hatchling", "pip")
    return folder


def test_the_pages_show_how_to_install() -> None:
    assert {"uv tool install --compile-bytecode .", "pipx install ."} <= set(INSTALLS)


@pytest.mark.parametrize("typed", INSTALLS)
def test_what_a_page_says_installs_a_mailstop_that_runs(typed: str, full_shelf: Path, tmp_path: Path) -> None:
    with User(tmp_path / "user", full_shelf) as user:
        program, *words = shlex.split(typed)
        done = user.call([{"uv": UV, "pipx": PIPX}[program], *words], cwd=ROOT)
        assert done.code == 0, done.err

        assert user.mailstop_says("--version").lines[0].startswith(f"mailstop {mailstop.__version__} ")
        if "[serve]" in typed:
            assert served_at(user).startswith("serving ")


def served_at(user: User) -> str:
    """Start the server of what is installed, and return what it says first."""
    started = {"do": "start", "argv": [str(user.shim), "serve", "--port", "0"], "cwd": str(user.home)}
    output = user.home / "output"
    user._ask({**started, "output": str(output), "env": user.environment})
    return wait_for("the server says where it serves", lambda: output.read_text().partition("\n")[0])
