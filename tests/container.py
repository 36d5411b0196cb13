"""What the Dockerfile and the compose file say, read without Docker."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[1]


@dataclass
class Stage:
    """One stage of a Dockerfile: its instructions, in order."""

    name: str
    instructions: list[tuple[str, str]] = field(default_factory=list)

    def all(self, keyword: str) -> list[str]:
        return [rest for word, rest in self.instructions if word == keyword]

    def last(self, keyword: str) -> str:
        return self.all(keyword)[-1]

    def words(self, keyword: str) -> list[str]:
        """The words of an instruction in JSON's form, behind its options."""
        value: list[str] = json.loads(self.last(keyword).partition("[")[1] + self.last(keyword).partition("[")[2])
        return value

    @property
    def environment(self) -> dict[str, str]:
        pairs = [word for line in self.all("ENV") for word in shlex.split(line)]
        return dict(pair.split("=", 1) for pair in pairs)


def stages() -> list[Stage]:
    """The stages of the Dockerfile; the last one is the image."""
    found = [Stage("")]
    for line in (ROOT / "Dockerfile").read_text().replace("\\\n", " ").splitlines():
        keyword, _, rest = line.strip().partition(" ")
        if keyword == "FROM":
            found.append(Stage(rest.rpartition(" AS ")[2]))
        if keyword and not keyword.startswith("#"):
            found[-1].instructions.append((keyword, rest.strip()))
    return found


def service() -> dict[str, Any]:
    """The one service of the compose file."""
    value: dict[str, Any] = compose()["services"]["mailstop"]
    return value


def compose() -> dict[str, Any]:
    value: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
    return value


def environment_in(home: Path, **more: str) -> dict[str, str]:
    """The variables of a process in the image, with the image's home in a folder and its programs as they are here."""
    found = stages()[-1].environment
    return {**found, "HOME": str(home), "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.defpath}", **more}


def as_the_images_user() -> list[str]:
    """What makes a command run under the image's uid, without any rights of root's."""
    if os.geteuid() != 0:
        return []
    unshare = shutil.which("unshare")
    assert unshare, "root needs unshare (util-linux) for this test, to run something without its rights"
    uid, _, gid = stages()[-1].last("USER").partition(":")
    return [unshare, "--user", f"--map-user={uid}", f"--map-group={gid}", "--"]
