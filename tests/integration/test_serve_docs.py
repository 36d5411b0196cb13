"""The program in docs/serve.md is a client, as it stands there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.clients.waiting import wait_for
from tests.party import Person
from tests.serve_inside import Inside

PAGE = Path(__file__).parents[2] / "docs" / "serve.md"


def test_the_program_of_the_page_writes_and_answers(inside: Inside, person: Person, tmp_path: Path) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
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
