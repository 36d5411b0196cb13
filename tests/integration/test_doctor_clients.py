"""mailstop doctor about the clients that are here, what they were given, and who else works in the project."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

import mailstop
from mailstop import __version__, config
from mailstop.checkup import files, store
from mailstop.setup import plugin_copy
from tests.integration.conftest import SeatAt
from tests.party import MAILSTOP, CompletedRun, Party

NFS = "nfs"


def check(run: CompletedRun, name: str) -> dict[str, Any]:
    """One check of a run with --json."""
    (found,) = [one for one in run.json["checks"] if one["name"] == name]
    value: dict[str, Any] = found
    return value


def program(folder: Path, name: str, script: str) -> Path:
    """A program of that name in a folder, which is made."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def doctor(party: Party, *folders: Path) -> CompletedRun:
    """Run the doctor with these folders at the front of PATH."""
    path = ":".join([*map(str, folders), party.environment["PATH"]])
    return party.call([MAILSTOP, "doctor", "--json"], environment={"PATH": path})


@pytest.fixture
def market(own_home: Path) -> Path:
    """Where the plugin lies that setup gives clients."""
    return own_home / ".config/mailstop/plugin"


# -- versions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "said", "title", "mend"),
    [
        ("claude", "2.1.9 (Claude Code)", "Claude Code", "claude update"),
        ("codex", "codex-cli 0.148.0", "Codex", "npm install --global @openai/codex@latest"),
    ],
)
def test_a_client_that_is_too_old_is_told(
    stranger: Party, tmp_path: Path, name: str, said: str, title: str, mend: str
) -> None:
    program(tmp_path / "bin", name, f"echo '{said}'")

    run = doctor(stranger, tmp_path / "bin")

    assert (run.code, check(run, title)["state"], check(run, title)["mend"]) == (1, "failed", mend)
    assert "older than" in check(run, title)["found"]


def test_a_client_that_is_newer_than_any_that_was_tried_is_fine_and_said_so(stranger: Party, tmp_path: Path) -> None:
    program(tmp_path / "bin", "claude", "echo '2.9.0 (Claude Code)'")

    run = doctor(stranger, tmp_path / "bin")

    assert run.code == 0
    assert "was tried with 2.1." in check(run, "Claude Code")["found"]


def test_a_client_that_does_not_say_its_version_is_told(stranger: Party, tmp_path: Path) -> None:
    program(tmp_path / "bin", "claude", "exit 1")

    assert check(doctor(stranger, tmp_path / "bin"), "Claude Code")["state"] == "warning"


def test_two_installations_of_two_versions_are_told_with_the_version_of_each(stranger: Party, tmp_path: Path) -> None:
    first = program(tmp_path / "first", "mailstop", "echo mailstop 0.9.1")
    second = program(tmp_path / "second", "mailstop", "echo mailstop 0.8.2")

    found = check(doctor(stranger, first.parent, second.parent), "command")

    assert found["state"] == "warning"
    assert f"{first} (0.9.1) is run, {second} (0.8.2)" in found["found"]
    assert found["mend"] == f"rm {second}"


def test_who_has_a_client_and_no_plugin_is_told_how_to_get_it(stranger: Party, tmp_path: Path) -> None:
    claude = program(tmp_path / "bin", "claude", "echo '2.1.332 (Claude Code)'")

    found = check(doctor(stranger, claude.parent), "plugin")

    assert (found["state"], found["mend"]) == ("ok", "mailstop setup claude")
    assert "the person" not in found["found"]


# -- the plugin ------------------------------------------------------------------------------------------------------


def test_a_plugin_that_is_current_is_fine(stranger: Party, market: Path) -> None:
    plugin_copy.write(MAILSTOP, str(market))

    assert check(stranger.run("doctor", "--json"), "plugin")["state"] == "ok"


def test_a_stale_plugin_is_told(stranger: Party, market: Path) -> None:
    plugin_copy.write(MAILSTOP, str(market))
    manifest = market / "mailstop/.claude-plugin/plugin.json"
    manifest.write_text(manifest.read_text().replace(__version__, "0.0.1"))

    run = stranger.run("doctor", "--json")

    assert (run.code, check(run, "plugin")["state"]) == (1, "failed")
    assert "is of mailstop 0.0.1: it is stale" in check(run, "plugin")["found"]


@pytest.mark.parametrize("client", ["claude", "codex"])
def test_a_plugin_that_starts_what_is_gone_is_told_with_the_command_for_the_client_that_has_it(
    stranger: Party, market: Path, own_home: Path, client: str
) -> None:
    plugin_copy.write("/opt/gone/bin/mailstop", str(market))
    if client == "claude":
        (own_home / ".claude").mkdir()
        settings = {"enabledPlugins": {"mailstop@mailstop": True}}
        (own_home / ".claude/settings.json").write_text(json.dumps(settings))

    run = stranger.run("doctor", "--json")

    assert run.code == 1
    assert "start /opt/gone/bin/mailstop, which is not there" in check(run, "plugin")["found"]
    assert check(run, "plugin")["mend"] == f"mailstop setup {client}"


def test_a_command_that_will_not_last_is_told(stranger: Party, market: Path, tmp_path: Path) -> None:
    """As `uvx mailstop doctor` would be: its environment lies in a cache."""
    plugin_copy.write(MAILSTOP, str(market))
    cached = tmp_path / ".cache" / "uv" / "bin"
    program(cached, "mailstop", f'exec "{MAILSTOP}" "$@"')
    (cached / "python").symlink_to(os.path.realpath(sys.executable))
    source = str(Path(mailstop.__file__).parents[1])

    run = stranger.call(
        [str(cached / "python"), "-m", "mailstop", "doctor", "--json"],
        environment={"PATH": f"{cached}:/usr/bin:/bin", "PYTHONPATH": source},
    )

    assert check(run, "plugin")["state"] == "warning"
    assert "is in a cache that its tool clears" in check(run, "plugin")["found"]
    assert check(run, "plugin")["mend"] == "uv tool install mailstop"


# -- who else works here ---------------------------------------------------------------------------------------------


def test_sessions_of_one_project_in_bags_that_do_not_meet_are_told(seat: SeatAt) -> None:
    builder = seat("builder")
    seat("reviewer", "--bag", "release")

    found = check(builder.run("doctor", "--json"), "bags")

    assert found["state"] == "warning"
    assert "reviewer in bag release" in found["found"]
    assert found["mend"] == "mailstop join NAME --bag release"


def test_a_session_that_sits_in_one_bag_of_ours_as_well_is_none_of_these(seat: SeatAt) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    reviewer.join("reviewer", "--bag", "release")

    assert check(builder.run("doctor", "--json"), "bags")["state"] == "ok"


# -- where things lie ------------------------------------------------------------------------------------------------


def test_a_store_on_a_network_file_system_is_a_failure(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test may mount one; what the kernel would say is put in its place."""
    monkeypatch.setattr(store, "network_kind", lambda _folder: NFS)
    url = config.default_store()

    checked = store.check(url, "the default", lambda _text: lambda _done, _total: None, command="mailstop doctor")

    assert [one.state for one in checked.findings if one.name == "file system"] == ["failed"]
    assert checked.findings[-1].mend == f"export MAILSTOP_STORE=/var/tmp/mailstop-{os.geteuid()}/mailstop.db"


def test_bells_on_a_network_file_system_are_told(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path(config.state_folder()).mkdir(parents=True, mode=0o700)
    monkeypatch.setattr(files, "network_kind", lambda _folder: NFS)

    (found,) = [one for one in files.findings() if one.name == "file system of bells"]

    assert found.state == "warning"
    assert "sessions of this machine alone" in found.found
