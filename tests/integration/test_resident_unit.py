"""The unit for systemd and the plist for launchd: taken by their readers, without a secret, and of a lasting path."""

from __future__ import annotations

import configparser
import os
import plistlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mailstop.errors import TokenOfUnit, UsageError
from mailstop.resident.unit import KEPT, LAUNCHD, SYSTEMD, stable_command, unit_text

SECRET = "5ecre7-token"
SYSTEMD_ANALYZE = shutil.which("systemd-analyze")


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """What a person may have set."""
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": str(tmp_path),
        "MAILSTOP_TOKEN_FILE": str(tmp_path / "a token"),
        "MAILSTOP_HTTP_HOST": "0.0.0.0",
        "ANTHROPIC_API_KEY": SECRET,
    }


def parsed(text: str) -> configparser.RawConfigParser:
    parser = configparser.RawConfigParser(strict=False, delimiters=("=",), comment_prefixes=("#",))
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(text)
    return parser


def verified(text: str, folder: Path) -> None:
    """Let systemd itself look at a unit; elsewhere it is only parsed."""
    assert parsed(text).has_option("Service", "ExecStart")
    if SYSTEMD_ANALYZE is None:
        return
    unit = folder / "mailstop.service"
    unit.write_text(text)
    command = [SYSTEMD_ANALYZE, "verify", "--user", "--man=no", "--generators=no", str(unit)]
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(folder), "SYSTEMD_LOG_LEVEL": "warning"}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=30)
    assert (run.returncode, [line for line in run.stderr.splitlines() if str(unit) in line or unit.name in line]) == (
        0,
        [],
    ), run.stderr


def test_systemd_takes_the_unit(environment: dict[str, str], tmp_path: Path) -> None:
    verified(unit_text([], environment, system=SYSTEMD), tmp_path)


def test_systemd_takes_words_that_need_quoting(environment: dict[str, str], tmp_path: Path) -> None:
    words = ["--store", 'sqlite:////srv/100% "mail" $HOME/\\ é\'s.db']

    text = unit_text(words, environment, system=SYSTEMD)

    verified(text, tmp_path)
    assert '100%% \\"mail\\" $$HOME/\\\\ é\'s.db"' in text


@pytest.mark.skipif(SYSTEMD_ANALYZE is None, reason="systemd-analyze is not here")
def test_systemd_s_look_finds_what_is_wrong(environment: dict[str, str], tmp_path: Path) -> None:
    wrong = (
        unit_text([], environment, system=SYSTEMD).replace("Type=exec", "Type=exce").replace("UMask=0077", "UMaks=1")
    )

    with pytest.raises(AssertionError):
        verified(wrong, tmp_path)


def test_launchd_s_plist_says_the_same(environment: dict[str, str]) -> None:
    plist = plistlib.loads(unit_text(["--port", "9000"], environment, system=LAUNCHD).encode())

    assert plist["ProgramArguments"][1:] == ["serve", "--port", "9000"]
    assert os.access(plist["ProgramArguments"][0], os.X_OK)
    assert plist["EnvironmentVariables"]["MAILSTOP_HTTP_HOST"] == "0.0.0.0"
    assert plist["KeepAlive"] == {"SuccessfulExit": False}
    assert plist["Umask"] == 0o077
    assert plist["RunAtLoad"]


@pytest.mark.parametrize("system", [SYSTEMD, LAUNCHD])
def test_no_secret_is_in_it_and_a_tokens_file_is_named(
    environment: dict[str, str], system: str, tmp_path: Path
) -> None:
    text = unit_text([], environment, system=system)

    assert SECRET not in text
    assert f"{tmp_path}/a token" in text
    assert "MAILSTOP_TOKEN" not in KEPT


@pytest.mark.parametrize("value", [SECRET, ""])
def test_a_token_that_it_would_lose_is_refused_and_a_file_asked_for(environment: dict[str, str], value: str) -> None:
    for system in (SYSTEMD, LAUNCHD):
        with pytest.raises(TokenOfUnit, match="MAILSTOP_TOKEN_FILE=PATH mailstop serve --unit") as refused:
            unit_text([], {**environment, "MAILSTOP_TOKEN": value}, system=system)
        assert not value or value not in str(refused.value)


def test_the_command_prints_no_unit_without_the_token_that_is_set(environment: dict[str, str]) -> None:
    command = [stable_command(environment), "serve", "--unit"]
    given = {**environment, "MAILSTOP_TOKEN": SECRET}

    run = subprocess.run(command, env=given, capture_output=True, text=True, timeout=30)

    assert (run.returncode, run.stdout) == (1, "")
    assert "MAILSTOP_TOKEN_FILE=PATH" in run.stderr
    assert SECRET not in run.stderr


def test_files_are_named_by_their_whole_paths(
    environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    relative = {"MAILSTOP_TOKEN_FILE": "token", "MAILSTOP_STORE": "mail.db"}
    text = unit_text([], {**environment, **relative}, system=SYSTEMD)

    assert f'Environment="MAILSTOP_TOKEN_FILE={tmp_path}/token"' in text
    assert f'Environment="MAILSTOP_STORE=sqlite:///{tmp_path}/mail.db"' in text


def test_it_starts_again_after_a_failure_and_not_after_a_refusal(environment: dict[str, str]) -> None:
    service = parsed(unit_text([], environment, system=SYSTEMD))["Service"]

    assert (service["Restart"], service["RestartPreventExitStatus"]) == ("on-failure", "1 2")
    assert service["NoNewPrivileges"] == "yes"


@pytest.mark.parametrize("value", ["a\nb", "a\x00b", "a\x1bb"])
def test_what_no_unit_can_hold_is_refused(environment: dict[str, str], value: str) -> None:
    for system in (SYSTEMD, LAUNCHD):
        with pytest.raises(UsageError, match="a unit cannot hold"):
            unit_text(["--store", value], environment, system=system)
        with pytest.raises(UsageError):
            unit_text([], {**environment, "MAILSTOP_STORE": value}, system=system)


def test_the_command_is_the_link_that_an_upgrade_leaves_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed, bin_folder, other = tmp_path / "1.0" / "mailstop", tmp_path / "bin", tmp_path / "other"
    for folder in (installed.parent, bin_folder, other):
        folder.mkdir()
    for path in (installed, other / "mailstop"):
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
    (bin_folder / "mailstop").symlink_to(installed)
    monkeypatch.setattr(sys, "argv", [str(installed)])

    assert stable_command({"PATH": f"relative:{other}:{bin_folder}"}) == str(bin_folder / "mailstop")
    assert stable_command({"PATH": str(other)}) == str(installed), "another installation is another program"
    assert stable_command({}) == str(installed)


def test_the_command_runs(environment: dict[str, str]) -> None:
    command = stable_command(environment)

    assert subprocess.run([command, "version"], capture_output=True, timeout=30).returncode == 0


WORDS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=60).filter(str.isprintable)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=st.lists(WORDS, max_size=3))
def test_any_words_come_through_launchd_s_plist(environment: dict[str, str], words: list[str]) -> None:
    plist = plistlib.loads(unit_text(words, environment, system=LAUNCHD).encode())

    assert plist["ProgramArguments"][2:] == words


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=st.lists(WORDS, max_size=3))
def test_any_words_come_through_systemd_s_rules_of_quoting(environment: dict[str, str], words: list[str]) -> None:
    line = parsed(unit_text(words, environment, system=SYSTEMD))["Service"]["ExecStart"]

    assert unquoted(line)[2:] == words


def unquoted(line: str) -> list[str]:
    """The words of a command line as systemd reads it, where each is in double quotes."""
    words, word, inside, position = [], "", False, 0
    while position < len(line):
        character = line[position]
        following = line[position + 1 : position + 2]
        if character == '"':
            if inside:
                words.append(word)
            word, inside = "", not inside
        elif character == "\\" or (character in "%$" and following == character):
            position += 1
            word += following
        else:
            assert inside or character == " "
            assert character not in "%$" or not inside
            word += character if inside else ""
        position += 1
    return words
