"""Shown commands: what the README, the documentation and the plugin's skills show to type.

A block of commands is fenced as `sh` (what is typed) or `console` (`$ command`, with what it prints below); in skills
and slash commands, where each token counts, it is indented. Everything else that is fenced says what it is, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import mailstop
from mailstop.cli.entry import VERBS

ROOT = Path(__file__).parents[1]
PLUGIN = Path(mailstop.plugin_folder())
TYPED, WITH_OUTPUT = "sh", "console"

_FENCED = re.compile(r"^(?P<edge>```+)(?P<language>\w*)\n(?P<text>.*?)^(?P=edge)$", re.MULTILINE | re.DOTALL)
_INDENTED = re.compile(r"(?<=\n\n)(?: {4}\S[^\n]*\n)(?: {4}[^\n]*\n)*")
_SPAN = re.compile(r"(?<!`)`([^`]+)`(?!`)")
_INNER = re.compile(r"(?:\$\(|[|&;] )(mailstop [^()|&;]*)")
# `ask --resume 142` is one too; `check` alone may be a tool, or a word.
_IS_ONE = re.compile(rf"(?:[A-Z_]+=\S+ )?mailstop |(?:{'|'.join(VERBS)}) (?:\S+ )*--\w")
_HERE_DOCUMENT = re.compile(r"<<'?(\w+)'?")
# What the next line needs of this one: a shell that goes on.
_ONE_SHELL = re.compile(r"^(?:#!|cd |eval |\w+=\S*(?: +#.*)?$|\w+=\$\()", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced or indented block. line: where it begins; text: without the fence, or the indent."""

    page: Path
    line: int
    language: str
    text: str

    @property
    def place(self) -> str:
        """Where it stands, for people."""
        return f"{name_of(self.page)}:{self.line}"

    @property
    def commands(self) -> list[Command]:
        """What is typed, one after the other; a single one where the lines need each other's shell."""
        if self.language == WITH_OUTPUT:
            return list(_with_output(self))
        if _ONE_SHELL.search(self.text):
            return [Command(self, self.text)]
        return [Command(self, text) for text in _apart(self.text)]


@dataclass(frozen=True)
class Command:
    """What is typed at once; printed: what the page says that it prints, where it does."""

    block: Block
    text: str
    printed: str | None = None


def pages() -> list[Path]:
    """Every page that is looked at."""
    skills = [*PLUGIN.glob("skills/*/SKILL.md"), *PLUGIN.glob("commands/*.md")]
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted(skills)]


def name_of(page: Path) -> str:
    """How a page is called: its path in the repository, or in the plugin."""
    return str(page.relative_to(PLUGIN if page.is_relative_to(PLUGIN) else ROOT))


def blocks(page: Path) -> list[Block]:
    """All fenced blocks of a page, and those that are indented; these count as typed in what belongs to the plugin."""
    text = page.read_text()
    found = [(match.start(), match["language"], match["text"]) for match in _FENCED.finditer(text)]
    language = TYPED if page.is_relative_to(PLUGIN) else ""
    unfenced = _FENCED.sub(lambda match: re.sub(r"[^\n]", "x", match[0]), text)  # each character stays at its place
    for match in _INDENTED.finditer(unfenced):
        found.append((match.start(), language, re.sub(r"^ {4}", "", match[0], flags=re.MULTILINE)))
    return [Block(page, text.count("\n", 0, at) + 1, language, inner) for at, language, inner in sorted(found)]


def shown(page: Path) -> list[Block]:
    """Its blocks of commands."""
    return [block for block in blocks(page) if block.language in (TYPED, WITH_OUTPUT)]


def spans(page: Path) -> list[str]:
    """The commands that stand within its sentences and tables, each once."""
    prose = re.sub(r"^ {4}.*$", "", _FENCED.sub("", page.read_text()), flags=re.MULTILINE)
    found = [" ".join(span.split()).replace("\\|", "|") for span in _SPAN.findall(prose)]
    whole = [span if "mailstop" in span else f"mailstop {span}" for span in found if _IS_ONE.match(span)]
    return list(dict.fromkeys([*whole, *(inner for span in found for inner in _INNER.findall(span))]))


def _apart(text: str) -> Iterator[str]:
    lines = iter(text.splitlines())
    for line in lines:
        if not line.strip() or line.startswith("#"):
            continue
        whole = [line]
        while whole[-1].endswith("\\"):
            whole.append(next(lines))
        if match := _HERE_DOCUMENT.search(line):
            whole += iter(lambda: next(lines), match[1])
            whole.append(match[1])
        yield "\n".join(whole)


def _with_output(block: Block) -> Iterator[Command]:
    typed, *rest = block.text.removeprefix("$ ").split("\n$ ")
    assert block.text.startswith("$ "), f"{block.place} does not begin with a prompt"
    for command in (typed, *rest):
        line, _, printed = command.partition("\n")
        yield Command(block, line, printed)
