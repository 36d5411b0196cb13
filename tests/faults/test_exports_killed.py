"""kill -9 in an export: its file is whole or not there, and the store is as it was."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from pathlib import Path

from mailstop.faults import VARIABLE
from tests.party import Party


def test_an_export_that_is_killed_before_its_file_is_in_place_leaves_what_was_there(
    own_home: Path, seat: Callable[[str], Party]
) -> None:
    builder = seat("builder")
    builder.send("human", "hello")
    file = own_home / "mail.jsonl"
    file.write_text("what was there")
    builder.environment[VARIABLE] = "export written"

    killed = builder.run("export", "--output", str(file), "--force")

    assert killed.code == -signal.SIGKILL
    assert file.read_text() == "what was there"
    builder.environment.pop(VARIABLE)
    assert builder.run("export", "--output", str(file), "--force").code == 0
    assert json.loads(file.read_text().splitlines()[-1]) == {"end": {"lines": 2}}
