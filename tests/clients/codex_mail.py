"""What a Codex window does with mail in these tests: our plugin, trusted by its person, in Codex's default sandbox."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

from tests.clients.codex_session import CodexSession
from tests.clients.mail import PLUGIN
from tests.clients.waiting import wait_for
from tests.clients.world import World

REVIEW = b"need review"  # what a window asks while hooks wait for its person's trust
CHOSEN = "› 2.".encode()
QUIET_S = 0.5


def folders(world: World) -> list[Path]:
    """The folders that Codex's sandbox has to let mailstop write to: the store's and the bells'."""
    return [world.home / ".local/share/mailstop", world.home / ".local/state/mailstop"]


def install(world: World, *, roots: list[Path] | None = None, home: str = ".codex") -> None:
    """Install the plugin as its person does, and open the sandbox for `roots`, by default for what mailstop needs."""
    codex_home = world.codex_home(home)
    for words in (["marketplace", "add", str(PLUGIN.parent)], ["add", "mailstop@mailstop"]):
        done = world.run(world.codex_binary, "plugin", *words, env=codex_home.env)
        assert done.returncode == 0, done.stderr
    opened = json.dumps([str(root) for root in (folders(world) if roots is None else roots)])
    codex_home.configure(f"[sandbox_workspace_write]\nwritable_roots = {opened}")


def trust(world: World, session: CodexSession) -> None:
    """Answer the window's question with 2, "Trust all and continue", and wait until it has written that down."""
    screen = world.directory / f"{session.name}.screen"
    config = world.codex_home(session.codex_home.name).config
    wait_for("the question about hooks", lambda: screen.exists() and REVIEW in screen.read_bytes())
    # It throws away what was typed before the question, and gives up when a key comes in the middle of that.
    wait_for("a window that waits for an answer", lambda: time.time() - screen.stat().st_mtime > QUIET_S)
    session.terminal.press("2")
    wait_for("the choice", lambda: CHOSEN in screen.read_bytes())
    session.terminal.press("enter")
    wait_for("the hooks trusted", lambda: "trusted_hash" in config.read_text())
    session.wait_until_ready()


def codex_with_mail(
    world: World, name: str, prompt: str | None = "hello", *, home: str = ".codex", **options: object
) -> CodexSession:
    """A Codex window with our plugin, in a project folder of its own, after its first prompt: then it has a seat.

    The first window of a world asks for trust in the hooks, and gets it.
    """
    new = "mailstop@mailstop" not in world.codex_home(home).config.read_text()
    if new:
        install(world, home=home)
    session = world.codex(name, home=home, wait=not new, **options)  # type: ignore[arg-type]
    if new:
        trust(world, session)
    if prompt:
        session.say(prompt)
        session.wait_for_request(prompt.splitlines()[0])
    return session


def wait_until_at_rest(session: CodexSession) -> None:
    """Wait until the window itself has noticed that its turns are over: it takes no command before."""
    session.wait_until_idle()
    turns = transcript(session).count(b'"type":"task_complete"')
    wait_for("a window at rest", lambda: drawn(session).count("Worked for") >= turns)


def transcript(session: CodexSession) -> bytes:
    """What Codex has written down of the thread."""
    paths = list((session.codex_home / "sessions").rglob(f"rollout-*{session.thread}.jsonl"))
    assert len(paths) == 1, f"{len(paths)} transcripts of {session.name}"
    return paths[0].read_bytes()


def drawn(session: CodexSession) -> str:
    """What the window has written on its terminal, without what only moves and colours."""
    text = (session.world.directory / f"{session.name}.screen").read_bytes().decode("utf-8", "replace")
    return re.sub(r"\s+", " ", re.sub(r"\x1b\[[0-9;?>=<]*[ -/]*[@-~]", " ", text))
