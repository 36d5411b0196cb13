"""The first minute of a new user: from the wheel of mailstop to a second session that is woken, step by step.

What is typed is what docs/tutorial.md says at its end, in its order; each step ends when what it is for can be seen.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.clients.mail import answering
from tests.clients.peer import wait_until_listening
from tests.clients.plan import Call, Plan
from tests.clients.request import Request
from tests.clients.seats import seated
from tests.clients.world import World
from tests.shelf import put_needed, put_wheel

PIP = [str(Path(sys.base_prefix) / "bin/python3"), "-m", "pip"]
SENTENCE = "Ask the session api with mailstop which port its server will listen on."
QUESTION = "Which port will your server listen on?"
ANSWER = "Port 9090."
LETTER = f"mailstop send api --needs-reply - <<'MAIL'\n{QUESTION}\nMAIL"


@dataclass(frozen=True)
class Step:
    """typed: what the user types, or says to a session; empty where they only watch. until: what ends it."""

    typed: str
    until: str
    seconds: float


class FirstMinute:
    """A user's first minute in a world whose home knows nothing of mailstop. `live` does it all."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.steps: list[Step] = []

    def live(self) -> None:
        """Do each step, and note how long it took."""
        world = self.world
        shelf = world.directory / "shelf"
        put_wheel(shelf)
        put_needed(shelf, "mailstop")
        environment = world.directory / "environment"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
        world.path = [str(environment / "bin"), str(world.claude_binary.parent)]
        world.model.decide = self._decide

        with self._step("`pip install mailstop`", "it is installed"):
            self._install(environment, shelf)
        with self._step("`mailstop setup claude --yes`", "Claude Code is set up"):
            done = world.run("mailstop", "setup", "claude", "--yes", env=world.claude_env)
            assert done.returncode == 0, done.stderr
        with self._step("`claude`, in the folder `api`", "the session sits at its seat, and its monitor listens"):
            api = world.claude("api")
            seated(world, "api")
            wait_until_listening(api)
        with self._step("`claude`, in the folder `web`", "the same"):
            web = world.claude("web")
            seated(world, "web")
            wait_until_listening(web)
        with self._step("the sentence, to `web`", "the model of `api`, woken, has the letter"):
            web.say(SENTENCE)
            self.woken = api.wait_for_request(QUESTION)
        with self._step("", "the model of `web`, woken, has the answer"):
            self.answered = web.wait_for_request(ANSWER)

    def _install(self, environment: Path, shelf: Path) -> None:
        target = ["--python", str(environment / "bin/python"), "--quiet", "--disable-pip-version-check"]
        found = ["install", "--no-index", "--find-links", str(shelf), "mailstop"]
        done = self.world.run(*PIP, *target, *found)
        assert done.returncode == 0, done.stderr

    def _decide(self, request: Request) -> Plan | None:
        """The models: that of `web` does as it is told, that of `api` answers the letter."""
        if request.session == "web" and not request.is_side and SENTENCE in request.news:
            return Plan(calls=(Call.shell(LETTER),))
        return answering(ANSWER, session="api")(request)

    @contextmanager
    def _step(self, typed: str, until: str) -> Iterator[None]:
        begun = time.monotonic()
        yield
        self.steps.append(Step(typed, until, time.monotonic() - begun))

    @property
    def commands(self) -> list[str]:
        """What was typed into a shell."""
        return [step.typed for step in self.steps if step.typed.startswith("`")]


def table(steps: list[Step]) -> str:
    """The steps as a table of Markdown."""
    rows = [f"| {step.typed or '–'} | {step.until} | {step.seconds:.1f} |" for step in steps]
    whole = sum(step.seconds for step in steps)
    return "\n".join(["| you type | until | seconds |", "|---|---|---|", *rows, f"| | all together | {whole:.1f} |"])
