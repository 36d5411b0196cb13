"""What docs/serve.md and docs/tokens.md say to type works as it stands there: programs, and lines for a shell."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from mailstop.cli import token
from mailstop.token import id_of
from tests.clients.waiting import wait_for
from tests.http_served import Served
from tests.party import MAILSTOP, Party, Person
from tests.serve_inside import Inside

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "serve.md"
TOKENS = DOCS / "tokens.md"


def blocks(language: str, section: str = "") -> list[str]:
    """The blocks of a language in docs/serve.md, or in one section of it."""
    text = PAGE.read_text()
    text = text.partition(f"{section}\n")[2].partition("\n## ")[0] if section else text
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def with_mailstop(person: Person) -> dict[str, str]:
    """An environment in whose PATH `mailstop` is."""
    return {"PATH": f"{os.path.dirname(MAILSTOP)}:/usr/bin:/bin", "HOME": str(person.home)}


def test_the_program_of_the_page_writes_and_answers(inside: Inside, person: Person, tmp_path: Path) -> None:
    program, _ = blocks("python")
    file = tmp_path / "client.py"
    file.write_text(program)

    with subprocess.Popen(
        [sys.executable, str(file), inside.address], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        wait_for("its letter has come", lambda: "The nightly run begins." in person.run("check").out)
        person.send("nightly", "Is it well?")
        out, errors = running.communicate(timeout=50)

    assert running.returncode == 0, errors
    assert out.startswith("letter ") and "Is it well?" in out
    assert "I have it." in person.run("check").out
    (seat,) = [each for each in person.run("who", "--all", "--json").json["seats"] if each["seat"] == "nightly"]
    assert seat["state"] == "empty"


def test_the_program_with_a_token_of_the_page_sits_at_the_seat_of_its_token(
    stranger: Party, person: Person, tmp_path: Path
) -> None:
    text = person.run("token", "create", "builder").out.strip()
    _, program = blocks("python")
    file = tmp_path / "client.py"
    file.write_text(program)

    with (
        Served(stranger) as served,
        subprocess.Popen(
            [sys.executable, str(file), served.address],
            env={**os.environ, "BUILDER_TOKEN": text},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as running,
    ):
        wait_for("its letter has come", lambda: "Built." in person.run("check").out)
        person.send("builder", "Well done.")
        out, errors = running.communicate(timeout=50)

    assert running.returncode == 0, errors
    assert out.startswith("seat builder\n")
    assert "Well done." in out


def test_the_lines_that_tell_clients_of_a_token_put_it_into_no_argument(person: Person, tmp_path: Path) -> None:
    adding, starting = blocks("sh", "### With a token")
    told = tmp_path / "told"
    for name in ("claude", "codex"):
        program = tmp_path / name
        program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$0" "$@" "$BUILDER_TOKEN" end >>"{told}"\n')
        program.chmod(0o755)
    (person.home / "builder.token").write_text("5ecre7\n")
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin"}

    added = person.call(["sh", "-ec", f"{adding}"], environment={**environment, "BUILDER_TOKEN": "5ecre7"})
    runs = [run.splitlines()[1:] for run in told.read_text().split("end\n")[:-1]]
    assert (added.code, len(runs)) == (0, 2), added.err
    for *arguments, variable in runs:
        assert variable == "5ecre7"
        assert "5ecre7" not in " ".join(arguments)
    assert "Authorization: Bearer ${BUILDER_TOKEN}" in runs[0]
    assert runs[1][-3:-1] == ["--bearer-token-env-var", "BUILDER_TOKEN"]

    told.unlink()
    assert person.call(["sh", "-ec", starting], environment=environment).code == 0
    assert [run.splitlines()[1:] for run in told.read_text().split("end\n")[:-1]] == [["5ecre7"], ["5ecre7"]]


@pytest.mark.parametrize("file", [".config/systemd/user/mailstop.service", "Library/LaunchAgents/mailstop.serve.plist"])
def test_the_lines_that_keep_a_server_running_need_no_folder_to_be_there(person: Person, file: str) -> None:
    section = TOKENS.read_text().partition("## Keeping a server running\n")[2].partition("\nprints a unit")[0]
    (lines,) = [each for each in re.findall(r"```sh\n(.*?)```", section, re.DOTALL) if file in each]
    assert not (person.home / file).parent.exists()

    run = person.call(["sh", "-ec", lines], environment=with_mailstop(person))

    assert run.code == 0, run.err
    assert "serve" in (person.home / file).read_text()


def test_the_example_that_keeps_the_persons_token_makes_a_file_of_their_own(person: Person) -> None:
    (line,) = [each for each in token.EXAMPLES.splitlines() if "my-token" in each]
    folder = person.home / ".config" / "mailstop"
    assert not folder.exists()

    run = person.call(["sh", "-ec", f"umask 022\n{line}"], environment=with_mailstop(person))

    assert run.code == 0, run.err
    assert id_of((folder / "my-token").read_text().strip())
    assert ((folder / "my-token").stat().st_mode & 0o777, folder.stat().st_mode & 0o777) == (0o600, 0o700)


def test_no_line_for_a_shell_has_a_token_as_an_argument() -> None:
    """`token revoke` reads the token itself from standard input."""
    for page in DOCS.glob("*.md"):
        assert "token revoke TOKEN" not in page.read_text()
    assert "mailstop token revoke - < " in TOKENS.read_text()
    assert "mailstop token revoke - < " in token.EXAMPLES
