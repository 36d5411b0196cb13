"""Nobody types into a terminal: no source of ours can put a key, or a body, into a session's input.

Users of other tools lost the Enter key, accepted permission dialogs, and had drafts submitted and text run
by a shell, because a letter was typed into a terminal. So no code here may own a pseudo-terminal, push
input into one, start a terminal multiplexer, or open a terminal for writing. This reads the source; what it
forbids it must also find.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

import mailstop

SOURCE = Path(mailstop.__file__).parent

MODULES = {"pty", "tty", "termios", "curses", "readline", "pexpect", "ptyprocess", "libtmux", "pynput"}
CALLS = {"openpty", "forkpty", "login_tty", "posix_openpt", "grantpt", "unlockpt", "TIOCSTI"}
TIOCSTI = {0x5412, 0x80017472}  # Linux, macOS
PROGRAMS = {"tmux", "zellij", "byobu", "dtach", "abduco", "unbuffer", "reptyr", "ttyecho"}
PROGRAMS |= {"socat", "osascript", "xdotool", "ydotool", "wtype", "wezterm", "kitten"}
WORDS = {"screen", "script", "expect"}  # programs too, but common words: forbidden where a program stands
STARTING = ("exec", "spawn", "posix_spawn", "system", "popen", "run", "check_", "call", "which")
TERMINALS = ("/dev/tty", "/dev/pts", "/dev/pty", "/dev/ptmx", "/dev/console", "/proc/self/fd/0")
READING = {"O_RDONLY", "O_NOCTTY", "O_CLOEXEC", "O_NONBLOCK", "O_NOFOLLOW"}
WRITING = set("wax+")


def offences(source: str) -> list[str]:
    """What a Python source does that could type into a terminal."""
    nodes = list(ast.walk(ast.parse(source)))
    harmless = {id(node) for call in nodes if isinstance(call, ast.Call) for node in opened_to_read(call)}
    harmless |= {id(node.value) for node in nodes if isinstance(node, ast.Expr) and is_text(node.value)}
    return [found for node in nodes if id(node) not in harmless for found in offences_of(node)]


def is_text(node: ast.AST) -> bool:
    """Whether an expression is a bare text: standing alone, it is a docstring."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def offences_of(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Import(names=names):
            yield from (f"import {name.name}" for name in names if name.name.split(".")[0] in MODULES)
        case ast.ImportFrom(module=str(module), names=names):
            if module.split(".")[0] in MODULES:
                yield f"from {module} import"
            yield from (f"from {module} import {name.name}" for name in names if name.name in CALLS)
        case ast.Attribute(attr=name) | ast.Name(id=name) if name in CALLS:
            yield name
        case ast.List(elts=[ast.Constant(value=str(text)), *_]) if bare(text) in WORDS:
            yield text
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name), args=[ast.Constant(value=str(text)), *_]):
            if name.lower().startswith(STARTING) and bare(text) in WORDS:
                yield text
        case ast.Constant(value=int(number)) if number in TIOCSTI:
            yield "TIOCSTI"
        case ast.Constant(value=str(text)):
            yield from offences_in_text(text)


def offences_in_text(text: str) -> Iterator[str]:
    """A program that a text names where a shell would run it, or a terminal that it names at all."""
    words = text.split()
    commands = words[:1]
    for before, word in pairwise(words):
        if before in {"|", ";", "&&", "||", "exec", "command", "env", "sudo", "-c"}:
            commands.append(word)
        if bare(before) in WORDS and word.startswith("-"):
            yield text
    if any(bare(command) in PROGRAMS for command in commands):
        yield text
    if any(terminal in text for terminal in TERMINALS) or "TIOCSTI" in text:
        yield text


def bare(command: str) -> str:
    """The name of a program without its folder and quotes."""
    return command.strip("'\"").rsplit("/", 1)[-1]


def opened_to_read(call: ast.Call) -> Iterator[ast.AST]:
    """The path in `os.open(path, os.O_RDONLY | ...)`, `open(path)`, `os.stat(path)`: that types nothing."""
    match call:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="os"), attr="open"), args=[path, flags]):
            names = {node.attr for node in ast.walk(flags) if isinstance(node, ast.Attribute)}
            if "O_RDONLY" in names and names <= READING:
                yield path
        case ast.Call(func=ast.Name(id="open"), args=[path], keywords=[]):
            yield path
        case ast.Call(func=ast.Name(id="open"), args=[path, ast.Constant(value=str(mode))]):
            if not WRITING & set(mode):
                yield path
        case ast.Call(func=ast.Attribute(attr="stat" | "exists"), args=[path]):
            yield path


@pytest.mark.parametrize(
    "source",
    [
        "import pty",
        "import termios, os",
        "def late():\n    from tty import setraw",
        "from os import openpty",
        "os.forkpty()",
        "fcntl.ioctl(0, termios.TIOCSTI, b'x')",
        "fcntl.ioctl(0, 0x5412, b'x')",
        "subprocess.run(['tmux', 'send-keys', '-t', '1', line])",
        "subprocess.run(['/usr/bin/screen', '-X', 'stuff', line])",
        "os.system('tmux send-keys -t 1 hello')",
        "os.execvp('script', arguments)",
        "shutil.which('screen')",
        "Popen(['expect', path])",
        "os.system('screen -X stuff hello')",
        "run(['sh', '-c', 'cat letter | tmux load-buffer -'])",
        "open('/dev/tty', 'w').write(line)",
        "open('/dev/tty', 'r+')",
        "os.open('/dev/tty', os.O_RDWR)",
        "os.open('/dev/tty', os.O_RDONLY | os.O_RDWR)",
        "os.open('/dev/tty', flags)",
        "path = f'/dev/pts/{number}'",
        "Path('/dev/tty').write_text(line)",
    ],
)
def test_what_could_type_into_a_terminal_is_found(source: str) -> None:
    assert offences(source)


@pytest.mark.parametrize(
    "source",
    [
        '"""No tmux, no /dev/tty, no TIOCSTI."""',
        "def f():\n    '''screen'''",
        "os.open('/dev/tty', os.O_RDONLY | os.O_NOCTTY)",
        "open('/dev/tty')",
        "open('/dev/tty', 'rb')",
        "os.stat('/dev/tty')",
        "os.isatty(0)",
        "print('A letter is never typed into tmux')",
        "print('look at the screen')",
        "guards = {'expect': 3, 'script': 'none'}",
        "number = 0x5413",
    ],
)
def test_what_cannot_is_not(source: str) -> None:
    assert offences(source) == []


def test_no_source_of_ours_could_type_into_a_terminal() -> None:
    sources = sorted(SOURCE.rglob("*.py"))
    assert SOURCE / "doors" / "claude_monitor.py" in sources
    found = {str(path.relative_to(SOURCE)): offences(path.read_text()) for path in sources}
    assert {path: each for path, each in found.items() if each} == {}


def test_no_command_that_we_hand_to_a_client_could_type_into_a_terminal() -> None:
    """Hooks and monitors of the plugin are shell commands in files of their own."""
    handed = [path for path in SOURCE.rglob("*") if path.suffix in {".json", ".sh", ".toml", ".js"}]
    forbidden = [*TERMINALS, "TIOCSTI", "tmux", "screen -", "send-keys", "xdotool", "osascript"]
    found = {str(path): word for path in handed for word in forbidden if word in path.read_text()}
    assert found == {}
