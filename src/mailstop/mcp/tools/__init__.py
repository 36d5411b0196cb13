"""The tools: one table, a file a tool, whatever carries them.

Each file holds one TOOL. It knows the office and no transport: a call comes in as `tool.Call` and goes out as
`tool.Answer`. A file that is there is named in NAMES, in the order in which clients list the tools.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.mcp.tools.tool import Tool

NAMES = ("me", "who", "send", "check", "read", "ask", "answer", "task", "lead", "lease")


def find(name: str) -> Tool | None:
    """The tool of that name; its file is loaded when it is first asked for."""
    if name not in NAMES:
        return None
    found: Tool = __import__(f"mailstop.mcp.tools.{name}", fromlist=["TOOL"]).TOOL
    return found


def everything() -> list[Tool]:
    """All tools."""
    return [tool for name in NAMES if (tool := find(name))]
