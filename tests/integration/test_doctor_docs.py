"""The page about letters that are not shown: each command on it is run."""

from __future__ import annotations

import re
from pathlib import Path

from mailstop.checkup.finding import FAILED, OPEN, PROVED
from tests.integration.conftest import SeatAt
from tests.party import MAILSTOP

PAGE = Path(__file__).parents[2] / "docs" / "doctor.md"


def test_every_command_of_the_page_does_what_it_says(seat: SeatAt) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    n = reviewer.send("builder", "please look")
    blocks = re.findall(r"^```sh\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    inline = re.findall(r"`(mailstop [^`]+)`", PAGE.read_text())
    commands = {line for block in blocks for line in block.splitlines()} | set(inline)
    environment = {"PATH": f"{Path(MAILSTOP).parent}:/usr/bin:/bin"}
    not_run = {"mailstop serve", "mailstop mcp"}  # they serve until they are ended

    for command in sorted(commands - not_run):
        words = re.sub(r"\bN\b", str(n), command).replace("SEAT", "reviewer")
        run = builder.call(["/bin/sh", "-c", words], environment=environment)
        assert run.code == 0, (words, run.out, run.err)
    assert len(commands) >= 6


def test_the_page_names_the_states_of_a_way() -> None:
    assert f"`state`: `{PROVED}`,\n`{FAILED}` or `{OPEN}`" in PAGE.read_text()
