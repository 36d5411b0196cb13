"""One request to the scripted model, read alike whether it is Anthropic Messages or OpenAI Responses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from mailstop.scripted.plan import Json, Plan

Speaker = Literal["user", "system", "tool", "model"]
CALL_MARK = "puppet"


@dataclass(frozen=True, slots=True)
class Entry:
    """One piece of the conversation. ``system`` is what the client added (Codex says developer)."""

    speaker: Speaker
    text: str = ""
    call_id: str = ""


@dataclass(slots=True)
class Request:
    """One request as it came in. The names of the headers are in lower case.

    ``plan`` is set where the model was asked, ``answered`` when the whole answer was written.
    """

    number: int
    time: float
    path: str
    headers: Mapping[str, str]
    body: Json
    plan: Plan | None = None
    answered: bool = False
    entries: tuple[Entry, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.entries = tuple(_read(self.body))

    @property
    def client(self) -> Literal["claude", "codex"]:
        """Which client asks."""
        return "codex" if "input" in self.body else "claude"

    @property
    def session(self) -> str:
        """The name that the world gave a Claude Code session; for Codex the id of the thread."""
        if self.client == "codex":
            metadata = self.body.get("client_metadata") or {}
            return str(metadata.get("thread_id") or self.body.get("prompt_cache_key") or "")
        return self.path.strip("/").partition("/")[0]

    @property
    def agent(self) -> str:
        """The id of the subagent of Claude Code that asks; empty for the main conversation."""
        return self.headers.get("x-claude-code-agent-id", "")

    @property
    def is_side(self) -> bool:
        """Whether the client only wants something like a title: such requests offer no tools."""
        return not self.body.get("tools")

    @property
    def heard(self) -> list[str]:
        """All that others than the model said, results of tools included, oldest first."""
        return [entry.text for entry in self.entries if entry.speaker != "model"]

    @property
    def news(self) -> str:
        """What came after the model's last words or call: what this request is about."""
        texts: list[str] = []
        for entry in self.entries:
            if entry.speaker == "model":
                texts.clear()
            else:
                texts.append(entry.text)
        return "\n".join(texts)

    @property
    def spoken(self) -> list[str]:
        """What may hold a script: what people, letters and the client said, not the results of tools."""
        return [entry.text for entry in self.entries if entry.speaker in ("user", "system")]

    @property
    def tool_results(self) -> list[str]:
        """What the tools answered, oldest first."""
        return [entry.text for entry in self.entries if entry.speaker == "tool"]

    @property
    def answers_given(self) -> int:
        """How many of the model's answers in this history hold scripted calls."""
        ids = (entry.call_id for entry in self.entries if entry.speaker == "model")
        return len({call_id.split("_")[2] for call_id in ids if call_id.split("_")[1:2] == [CALL_MARK]})

    def holds(self, text: str) -> bool:
        """Whether the model was sent `text` by anyone but itself."""
        return any(text in heard for heard in self.heard)


def _read(body: Json) -> Iterator[Entry]:
    """Read the conversation of either protocol."""
    if isinstance(body.get("input"), list):
        for item in body["input"]:
            yield from _read_responses_item(item)
    for message in body.get("messages") or []:
        yield from _read_message(message)


def _read_message(message: Json) -> Iterator[Entry]:
    role, content = message.get("role"), message.get("content")
    speaker: Speaker = "model" if role == "assistant" else "system" if role == "system" else "user"
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
    for block in blocks:
        if block.get("type") == "tool_use":
            yield Entry("model", call_id=str(block.get("id")))
        elif block.get("type") == "tool_result":
            yield Entry("tool", _text(block.get("content")))
        else:
            yield Entry(speaker, _text([block]))


def _read_responses_item(item: Json) -> Iterator[Entry]:
    kind, role = item.get("type", "message"), item.get("role")
    if kind in ("function_call", "custom_tool_call"):
        yield Entry("model", call_id=str(item.get("call_id")))
    elif kind in ("function_call_output", "custom_tool_call_output"):
        yield Entry("tool", _text(item.get("output")))
    elif kind == "message":
        yield Entry("model" if role == "assistant" else "user" if role == "user" else "system", _text(item["content"]))


def _text(content: Any) -> str:
    """The text in a string, or in the blocks of a list."""
    if isinstance(content, str):
        return content
    return "\n".join(str(block["text"]) for block in content or [] if isinstance(block, dict) and "text" in block)
