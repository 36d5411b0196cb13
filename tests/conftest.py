"""What holds for every test: it never sees, and never touches, the mail of the person who runs it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.examples import USUAL, up_to

# The suite is also run from inside a coding client; its variables would make each test that client's session.
_OF_THE_PERSON = ("MAILSTOP_", "CLAUDE", "CODEX", "XDG_")
_CLIENT_TESTS = Path(__file__).parent / "clients"

# In CI the same examples each time: a red run is then about the change, not about luck. Elsewhere they are new ones at
# each run, and what fails is kept and tried again. How long one takes is never what a test is about.
PATIENT: dict[str, Any] = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
PATIENT["max_examples"] = up_to(USUAL)
settings.register_profile("ci", derandomize=True, print_blob=True, **PATIENT)
settings.register_profile("at hand", **PATIENT)
settings.load_profile("ci" if os.environ.get("CI") else "at hand")


@pytest.fixture(autouse=True)
def own_home(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the test an empty home folder, and no variable of mailstop or of a client.

    The tests of real clients build homes of their own and keep the clients in the user's cache: left alone.
    """
    home = tmp_path / "home"
    if request.path.is_relative_to(_CLIENT_TESTS):
        return home
    home.mkdir(mode=0o700)
    for name in list(os.environ):
        if name.startswith(_OF_THE_PERSON) and name != "MAILSTOP_REQUIRE_CLIENTS":
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    return home
