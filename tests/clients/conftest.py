"""Fixtures for tests that drive real clients."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator

import pytest

from tests.clients.seal import NotSealed, is_sealed
from tests.clients.world import World


@pytest.fixture
def world() -> Iterator[World]:
    """A world of the test's own. Its folder is kept, and named in the report, when the test fails."""
    if not is_sealed() and os.environ.get("MAILSTOP_REQUIRE_CLIENTS") != "1":
        pytest.skip(str(NotSealed.__doc__))
    with World() as made:
        yield made


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    made = getattr(item, "funcargs", {}).get("world")
    if report.failed and isinstance(made, World):
        made.keep()
        report.sections.append(("world", f"kept for a look: {made.directory}"))
    return report
