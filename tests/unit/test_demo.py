from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from mailstop.cli import demo
from mailstop.cli.arguments import Arguments


class Party:
    """A party whose shell cannot be ended."""

    closed: list[str] = []  # noqa: RUF012

    def __init__(self, name: str, home: str, *, quiet: bool) -> None:
        self.name = name

    def close(self) -> None:
        self.closed.append(self.name)
        raise OSError("it does not end")


def test_whatever_fails_every_shell_is_ended_and_the_home_is_gone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(demo, "Party", Party)
    monkeypatch.setattr(demo, "_scenes", lambda *parties, quiet: {})

    with pytest.raises(OSError, match="it does not end"):
        demo.run(Arguments({"json": True, "clients": False, "claude": None, "codex": None}))

    assert sorted(Party.closed) == ["builder", "reviewer"]
    assert list(tmp_path.glob("mailstop-demo-*")) == []
