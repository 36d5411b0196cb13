"""Field: a home in which somebody types what a page shows: a repository, sessions in it, a script, and the person."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Self

from tests.clients.waiting import wait_for
from tests.docs_worlds import MADE, NUMBERED, NUMBERS, PERSON, PROGRAM, SCRIPT, Case, Page
from tests.http_served import Served
from tests.party import MAILSTOP, ClaudeParty, CompletedRun, Party, Person, Running
from tests.shown_commands import Command

FILES = {
    "Makefile": "test:\n\tfalse\n",
    "src/parser.py": "",
    "src/parser/lexer.py": "",
    "docs/index.md": "",
    "spec.md": "",
    "report.md": "",
}

# Run a command at a terminal of its own, type an answer wherever it asks, and print what it showed.
AT_TERMINAL = """
import json, os, pty, sys
answers = {end.encode(): answer.encode() + b"\\n" for end, answer in json.loads(sys.argv[1]).items()}
pid, terminal = pty.fork()
if not pid:
    os.execv(sys.argv[2], sys.argv[2:])
shown = b""
while True:
    try:
        shown += os.read(terminal, 4096)
    except OSError:
        break
    for end, answer in answers.items():
        if shown.endswith(end):
            os.write(terminal, answer)
os.write(1, shown)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""


class Field:
    """The world of one page; a context manager."""

    def __init__(self, home: Path, page: Page) -> None:
        self.home = home
        self.repository = home / "app"
        self._page = page
        self._parties: dict[str, Party] = {}
        self._ending = ExitStack()
        self._sessions = 0
        self._server: Served | None = None
        self.programs = home / "programs"  # a PATH with no client on it

    def __enter__(self) -> Self:
        self.home.mkdir(mode=0o700)
        self.programs.mkdir()
        (self.programs / "mailstop").symlink_to(MAILSTOP)
        self._make_repository()
        for name, text in self._page.files.items():
            (self.home / name).parent.mkdir(parents=True, exist_ok=True)
            (self.home / name).write_text(text)
        for name in (self._page.by, *self._page.seats):
            self.party(name)
        return self

    def __exit__(self, *_exception: object) -> None:
        self._ending.close()

    # -- who is there

    def party(self, name: str) -> Party:
        """Who is called so; they come when they are first wanted."""
        seat, _, folder = name.removesuffix(PROGRAM).partition(" in ")
        if seat not in self._parties:
            kind = Party if name.endswith(PROGRAM) else {PERSON: Person, SCRIPT: Party}.get(name, ClaudeParty)
            made = kind(self.home)
            self._ending.callback(made.close)
            made.environment["PATH"] = f"{self.programs}:/usr/local/bin:/usr/bin:/bin"
            self._parties[seat] = made
            if isinstance(made, ClaudeParty):
                self._start(made, seat, folder)
            elif name.endswith(PROGRAM):
                made.join(seat)
        return self._parties[seat]

    def _start(self, made: ClaudeParty, seat: str, folder: str) -> None:
        self._sessions += 1
        if not folder:
            made.environment["MAILSTOP_SEAT"] = seat
        place = self.home / (folder or "app")
        opened = made.open(f"01a227bc-e031-7b73-a9b7-{self._sessions:012x}", cwd=str(place))
        assert opened.code == 0, opened.err

    def _make_repository(self) -> None:
        for name, text in FILES.items():
            path = self.repository / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        who = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
        for words in (["init", "-q", "-b", "main"], ["add", "."], [*who, "commit", "-q", "-m", "first"]):
            environment = {"HOME": str(self.home), "PATH": os.environ["PATH"]}
            subprocess.run(["git", *words], cwd=self.repository, env=environment, check=True)

    # -- what is typed

    def type(self, command: Command, case: Case) -> CompletedRun:
        """Run what a page shows, as its case says."""
        name = case.by or self._page.by
        me = self.party(name)
        for who, first in case.before:
            self._succeed(who, first)
        if case.serving and self._server is None:
            self._server = self._ending.enter_context(Served(self.party(SCRIPT)))
        text = self._filled(command.text, case, name.removesuffix(PROGRAM).partition(" in ")[0])
        with self._answering(case.answers):
            done = self._until(me, text, case) if case.until else self._to_the_end(me, text, case)
        return done

    def _to_the_end(self, me: Party, text: str, case: Case) -> CompletedRun:
        if case.types:
            types = {end: self._value(answer, "", answer) for end, answer in case.types.items()}
            argv = [sys.executable, "-c", AT_TERMINAL, json.dumps(types), *self._shell(text)]
        else:
            argv = self._shell(text)
        return me.call(argv, input="Some text.\n", cwd=self._place(me), environment=case.environment)

    def _until(self, me: Party, text: str, case: Case) -> CompletedRun:
        """Run what does not end until it has printed what it should, and end it by Ctrl-C."""
        output = self.home / f"output-{os.urandom(4).hex()}"
        environment = {**me.environment, **case.environment}
        argv = self._shell(f"exec {text.removeprefix('exec ')}")
        started = {"do": "start", "argv": argv, "output": str(output), "cwd": str(self._place(me)), "env": environment}
        running = Running(me, me._ask(started)["pid"], output)
        try:
            wait_for(f"{case.until!r} from {text}", lambda: any(case.until in line for line in running.lines))
        finally:
            code = running.interrupt()
        return CompletedRun(0 if code in (0, 130, -2) else code, output.read_bytes(), "")

    def _shell(self, text: str) -> list[str]:
        if not text.startswith("#!"):
            return ["/bin/sh", "-ec", text]
        script = self.home / "script.sh"
        script.write_text(text)
        script.chmod(0o755)
        return [str(script)]

    def _place(self, who: Party) -> Path:
        return self.repository if isinstance(who, ClaudeParty) else self.home

    def run(self, who: str, command: str) -> CompletedRun:
        """Run a command as somebody."""
        party = self.party(who)
        return party.call(["/bin/sh", "-ec", command], cwd=self._place(party))

    def _succeed(self, who: str, command: str) -> CompletedRun:
        done = self.run(who, command)
        assert done.code in (0, 4), f"{command}, before: {done.err}"  # 4: a question that nobody has answered yet
        return done

    # -- what stands for what

    def _filled(self, text: str, case: Case, me: str) -> str:
        words = {"SEAT": "reviewer", **dict.fromkeys(NUMBERED, ""), **case.instead}
        for word, what in words.items():
            pattern = rf"(?<!\w){re.escape(word)}(?!\w)"
            if re.search(pattern, text):
                text = re.sub(pattern, self._value(what, me, text), text)
        return text

    def _value(self, what: str, me: str, text: str) -> str:
        if what == "home":
            return str(self.home)
        what = what or next(made for start, made in NUMBERS.items() if text.startswith(start))
        if what not in MADE:
            return what
        who, command, keys = MADE[what]
        value: Any = json.loads(self._succeed(who.format(me=me), command.format(me=me)).raw)
        for key in keys:
            value = value[key]
        return str(value)

    def printed(self, text: str, case: Case) -> re.Pattern[str]:
        """What a page says that is printed, with any numbers, ids and blanks; lines may stand between its lines."""
        for word, what in case.printed_instead.items():
            text = text.replace(word, self._value(what, "", text))
        pattern = re.escape("\n".join(" ".join(line.split()) for line in text.strip().split("\n")))
        pattern = re.sub(r"\b[0-9a-f]{8}\b|\d+", lambda match: r"\d+" if match[0].isdigit() else "[0-9a-f]{8}", pattern)
        return re.compile(pattern.replace("\\\n", r"\s(?:.*\n)*\s*").replace("\\ ", r"\s+"))

    @contextmanager
    def _answering(self, who: str) -> Iterator[None]:
        """Have somebody answer the question that is about to be asked."""
        if not who:
            yield
            return
        party = self.party(who)
        self._succeed(who, "mailstop check")  # what came before; the question is then the only letter
        answered: list[CompletedRun] = []

        def answer() -> None:
            (letter,) = party.run("check", "--wait", "30", "--json").json["letters"]
            given = ("--choice", "1") if letter["choices"] else ("Yes.",)
            answered.append(party.run("answer", str(letter["n"]), *given))

        thread = threading.Thread(target=answer)
        thread.start()
        try:
            yield
        finally:
            thread.join()
        assert answered and answered[0].code == 0, answered


def is_there(program: str) -> bool:
    """Whether the system has a program."""
    return shutil.which(program) is not None
