"""The path by which clients start mailstop: one that an upgrade leaves where it is."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from mailstop.errors import NoLastingCommand
from mailstop.setup import command


def environment(monkeypatch: pytest.MonkeyPatch, folder: Path) -> Path:
    """Let this run from an environment in that folder; return its command."""
    script = folder / "bin" / "mailstop"
    script.parent.mkdir(parents=True)
    script.write_text("#!/bin/sh\nexit 1\n")
    script.chmod(0o755)
    (folder / "bin" / "python").symlink_to(sys.executable)
    monkeypatch.setattr(sys, "executable", str(folder / "bin" / "python"))
    return script


def shim(folder: Path, script: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "mailstop").symlink_to(script)
    return folder / "mailstop"


@pytest.mark.parametrize("tool", [".local/share/uv/tools/mailstop", ".local/share/pipx/venvs/mailstop"])
@pytest.mark.parametrize("on_path", [True, False])
def test_a_tools_shim_goes_before_what_it_leads_to(
    own_home: Path, monkeypatch: pytest.MonkeyPatch, tool: str, on_path: bool
) -> None:
    script = environment(monkeypatch, own_home / tool)
    link = shim(own_home / ".local/bin", script)
    monkeypatch.setenv("PATH", f"{script.parent}:{link.parent if on_path else '/nonexistent'}")

    found = command.lasting()

    assert (found.path, found.warning) == (str(link), "")


def test_a_shim_in_a_folder_of_ones_own_is_found_by_its_variable(
    own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = environment(monkeypatch, own_home / ".local/share/uv/tools/mailstop")
    link = shim(own_home / "bin", script)
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.setenv("UV_TOOL_BIN_DIR", str(link.parent))

    found = command.lasting()

    assert (found.path, found.on_path) == (str(link), False)


def test_a_link_goes_before_a_folder_that_has_a_version_in_its_name(
    own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = environment(monkeypatch, own_home / "Cellar/mailstop/0.1.0/libexec")
    link = shim(own_home / "opt/bin", script)
    monkeypatch.setenv("PATH", f"{script.parent}:{link.parent}")

    assert command.lasting().path == str(link)


def test_where_there_is_no_other_a_folder_with_a_version_is_taken_and_said(
    own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = environment(monkeypatch, own_home / "installs/mailstop/0.1.0")
    monkeypatch.setenv("PATH", str(script.parent))

    found = command.lasting()

    assert found.path == str(script)
    assert "has a version in its name" in found.warning


def test_an_environment_of_ones_own_is_taken_as_it_is(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = environment(monkeypatch, own_home / "project/.venv")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")

    found = command.lasting()

    assert (found.path, found.warning, found.on_path) == (str(script), "", False)


@pytest.mark.parametrize("cache", [".cache/uv/archive-v0/x1", ".cache/pipx/abc", "elsewhere/archive-v0/x1"])
def test_what_runs_from_a_cache_is_not_given_to_clients(
    own_home: Path, monkeypatch: pytest.MonkeyPatch, cache: str
) -> None:
    script = environment(monkeypatch, own_home / cache)
    monkeypatch.setenv("PATH", str(script.parent))

    with pytest.raises(NoLastingCommand, match="uv tool install mailstop"):
        command.lasting()


def test_another_mailstop_on_the_path_is_not_this_one(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = own_home / "other" / "mailstop"
    other.parent.mkdir()
    other.write_text("#!/bin/sh\necho /somewhere/else\n")
    other.chmod(0o755)
    script = environment(monkeypatch, own_home / "project/.venv")
    monkeypatch.setenv("PATH", f"{other.parent}{os.pathsep}/usr/bin:/bin")

    assert command.lasting().path == str(script)


def test_a_shim_that_is_a_script_is_known_by_what_it_says(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import mailstop

    shims = own_home / "shims"
    shims.mkdir()
    (shims / "mailstop").write_text(
        f"#!/bin/sh\n[ \"$*\" = 'version --plugin' ] && echo '{mailstop.plugin_folder()}'\n"
    )
    (shims / "mailstop").chmod(0o755)
    script = environment(monkeypatch, own_home / "installs/mailstop/0.1.0")
    monkeypatch.setenv("PATH", f"{shims}:{script.parent}:/usr/bin:/bin")

    assert command.lasting().path == str(shims / "mailstop")
