"""Play: two sessions of real clients write to each other. Run as a program, in a process of its own:

    python -P -m mailstop.scripted.play FOLDER CLAUDE CODEX QUIET

FOLDER is empty; CLAUDE and CODEX are paths of programs, empty for one that takes no part. It ends when its standard
input does, with all that it started, and then removes the folder, as whoever started it may have been killed. What
happened stands in FOLDER/account.json at its end.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import ExitStack

from mailstop.scripted import seal
from mailstop.scripted.model import Model
from mailstop.scripted.plan import Call, Plan
from mailstop.scripted.sessions import ClaudeSession, CodexSession
from mailstop.scripted.stage import Stage
from mailstop.scripted.waiting import wait_for
from mailstop.setup import installed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mailstop.scripted.request import Request
    from mailstop.scripted.sessions import Session

ACCOUNT = "account.json"
PATIENCE_S = 60.0  # for one step; Codex without a window looks at its queue every ten seconds
REMOVING_S = 10.0
PROMPT = "Ask the reviewer whether parser.py survives an empty file."
HELLO = "You review what others ask you about."
QUESTION = "Does parser.py survive an empty file?"
ANSWER = "Yes: it returns an empty list. See test_empty."
SEND = f"mailstop send reviewer --needs-reply - <<'EOF'\n{QUESTION}\nEOF"
_REPLY = re.compile(r"^(mailstop reply (\d+) .*?<<'(\w+)')\nYOUR TEXT\n\3$", re.MULTILINE)
_STORED = re.compile(r"letter (\d+) stored")


def decide(request: Request) -> Plan | None:
    """The whole mind of the model: it sends what it is asked to, and answers the question as its letter says."""
    reply = _REPLY.search(request.news)
    if reply and QUESTION in request.news:
        return Plan(calls=(Call.shell(f"{reply[1]}\n{ANSWER}\n{reply[3]}"),))
    if PROMPT in request.news:
        return Plan(calls=(Call.shell(SEND),))
    return None


class Play:
    """The play, from the first prompt to the ledger."""

    def __init__(self, stage: Stage, programs: dict[str, str], *, quiet: bool) -> None:
        self.stage = stage
        self._programs = programs
        self._quiet = quiet

    def run(self, ending: ExitStack, *, sealed: bool) -> dict[str, Any]:
        """Play it, and give an account."""
        where = "a network that has nothing but loopback" if sealed else "loopback, and no proxy to anywhere else"
        self._scene(f"Real clients, a scripted model on {self.stage.model.url}, {where}")
        builder, reviewer = self._cast(ending)
        versions = {name: installed.at(path).version for name, path in self._programs.items()}
        self._scene(
            " and ".join(f"{one.title} {versions[one.client]} at seat {one.name}" for one in (builder, reviewer))
        )
        began = time.monotonic()
        builder.say(PROMPT)
        self._tell(f"\nThe person tells builder: {PROMPT}")
        asked = self._number(builder, "builder's model runs", SEND)
        question = self._woken(reviewer, QUESTION, time.monotonic())
        answered = self._number(reviewer, "reviewer's model runs", f"mailstop reply {asked} - ...")
        answer = self._woken(builder, ANSWER, time.monotonic())
        self._wait_until_shown(answered)
        self._scene("What is proved of both letters, and all that the ledger holds")
        for words in (["status", str(asked)], ["status", str(answered)], ["read"]):
            self._tell(f"\n$ mailstop {' '.join(words)}")
            self._tell(_quoted(self._mailstop(*words)))
        return {
            "clients": {one.name: one.title for one in (builder, reviewer)},
            "versions": versions,
            "sealed": sealed,
            "asked": asked,
            "answered": answered,
            "woken_after_s": {"reviewer": question, "builder": answer},
            "played_s": round(time.monotonic() - began, 1),
        }

    def _cast(self, ending: ExitStack) -> tuple[Session, Session]:
        """The two: one of each client where both are here."""
        claude, codex = self._programs.get("claude", ""), self._programs.get("codex", "")
        if codex:
            self.stage.settle_codex(codex)

        def start(name: str, *, of_codex: bool) -> Session:
            session: Session = (CodexSession if of_codex else ClaudeSession)(
                self.stage, name, codex if of_codex else claude
            )
            ending.callback(session.end)
            return session

        builder = start("builder", of_codex=not claude)
        reviewer = start("reviewer", of_codex=bool(codex))
        reviewer.say(HELLO)  # a thread of Codex has its seat from its first prompt on
        wait_for("the reviewer at its seat, at rest", lambda: self._is_at_rest(reviewer), PATIENCE_S)
        return builder, reviewer

    def _is_at_rest(self, session: Session) -> bool:
        """Whether it has a seat, and its turn is over."""
        self._alive(session)
        seats = json.loads(self._mailstop("who", "--json") or "{}").get("seats", [])
        return any(one["seat"] == session.name and one.get("turn") != "busy" for one in seats)

    def _number(self, session: Session, what: str, command: str) -> int:
        """The number of the letter that the session's model has stored."""
        self._tell(f"\n{what}:\n{_quoted(command)}")

        def stored() -> tuple[int, str] | None:
            self._alive(session)
            for request in self._requests(session):
                for text in request.tool_results:
                    if found := _STORED.search(text):
                        return int(found[1]), text[found.start() :]
            return None

        number, text = wait_for(f"a letter of {session.name}", stored, PATIENCE_S)
        self._tell(_quoted(text))
        return number

    def _woken(self, session: Session, body: str, began: float) -> float:
        """Wait until the session's model is sent the letter with this body; after how many seconds it was."""

        def shown() -> Request | None:
            self._alive(session)
            return next((one for one in self._requests(session) if f"\n{body}\n=== mailstop" in one.news), None)

        request = wait_for(f"{session.name} woken", shown, PATIENCE_S)
        seconds = round(time.monotonic() - began, 1)
        self._tell(
            f"\n{session.name} is woken; its model is sent, {seconds:g} s later:\n{_quoted(_letter(request.news))}"
        )
        return seconds

    def _wait_until_shown(self, n: int) -> None:
        def shown() -> bool:
            told = json.loads(self._mailstop("status", str(n), "--json") or "{}")
            return any(each["state"] == "shown" for one in told.get("recipients", []) for each in one["receipts"])

        wait_for(f"letter {n} proved shown", shown, PATIENCE_S)

    def _requests(self, session: Session) -> list[Request]:
        return [one for one in self.stage.model.requests if not one.is_side and session.asks(one)]

    def _alive(self, session: Session) -> None:
        if session.process.poll() is not None:
            raise session.has_ended()

    def _mailstop(self, *words: str) -> str:
        """What a program that has not joined is told."""
        done = subprocess.run(
            [self.stage.command, *words],
            env=self.stage.env,
            cwd=self.stage.projects,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout.rstrip("\n")

    def _scene(self, what: str) -> None:
        self._tell(f"\n== {what}")

    def _tell(self, text: str) -> None:
        if not self._quiet:
            print(text, flush=True)


def _quoted(text: str) -> str:
    return "\n".join(f"  | {line}" for line in text.rstrip("\n").split("\n"))


def _letter(news: str) -> str:
    """The letter in what a model was sent, without what the client put around it."""
    begin = news.find("mailstop: a letter")
    end = re.search(r"=== mailstop \w+ end ===", news[begin:])
    return news[begin : begin + end.end()] if begin >= 0 and end else news.strip()


def main(words: list[str]) -> int:
    """Play, and leave the account."""
    folder, claude, codex, quiet = words
    sealed = seal.close()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(130))
    threading.Thread(target=_end_with_input, daemon=True).start()
    account: dict[str, Any]
    try:
        with ExitStack() as ending:  # each step of it is taken, whatever another one raises
            model = Model(decide)
            ending.callback(model.close)
            programs = {name: path for name, path in (("claude", claude), ("codex", codex)) if path}
            stage = Stage(os.path.join(folder, "stage"), model)
            os.environ.update(stage.env)  # for what is run by others' code: nothing here is the user's
            account = Play(stage, programs, quiet=bool(quiet)).run(ending, sealed=sealed)
    except Exception as error:
        account = {"failed": str(error) or type(error).__name__}
    finally:
        if _over:
            remove(folder)
    with open(os.path.join(folder, ACCOUNT), "w", encoding="utf-8") as file:
        json.dump(account, file)
    return 1 if "failed" in account else 0


_over: list[bool] = []  # whether the input has ended


def _end_with_input() -> None:
    """Whoever started this has it end by closing its input, or by dying."""
    while os.read(0, 4096):  # not by sys.stdin, whose lock the end of the interpreter would want
        continue
    _over.append(True)
    os.kill(os.getpid(), signal.SIGTERM)


def remove(folder: str) -> None:
    """Remove a folder; a child of a client may still be writing there for a moment."""
    end = time.monotonic() + REMOVING_S
    while os.path.exists(folder) and time.monotonic() < end:
        shutil.rmtree(folder, ignore_errors=True)
        time.sleep(0.02)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
