"""The page of the tools of MCP, from the table that the server reads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from mailstop.mcp import tools as every
from mailstop.mcp.tools.tool import Tool
from reference.text import block, code, page, table

HINTS = {
    "readOnlyHint": "changes nothing",
    "destructiveHint": "destroys something",
    "idempotentHint": "twice does no more than once",
    "openWorldHint": "reaches beyond the store",
}


def tools() -> str:
    """Each tool as a client is told of it."""
    described = [tool.described for tool in every.everything()]
    size = len(json.dumps(described, ensure_ascii=False, separators=(",", ":")).encode())
    return page(
        "Tools of MCP",
        f"What `tools/list` answers, over standard input and output and over HTTP: {len(described)} tools, {size}"
        " bytes together. How they are added to a client, how calls wait and what is proved by them is in [the"
        " guide](../mcp.md). A refused call has `isError` and says `code`, `message` and `next`; the codes are those"
        " of [errors](errors.md).",
        *(part for tool in every.everything() for part in _tool(tool)),
    )


def _tool(tool: Tool) -> list[str]:
    described = tool.described
    hints: Mapping[str, bool] = described["annotations"]
    told = [f"{code(name)}: {'' if value else 'not '}{HINTS[name]}" for name, value in hints.items()]
    rows = [
        (code(name), _type(schema), "yes" if name in tool.required else "no", _bounds(tool, name, schema))
        for name, schema in tool.properties.items()
    ]
    return [
        f"## {tool.name}",
        f"> {tool.description.replace('<', '&lt;').replace('*', chr(92) + '*')}",
        table(("argument", "type", "needed", "what it may be"), rows) if rows else "It takes no arguments.",
        f"Each answer has {', '.join(map(code, tool.always))}." if tool.always else "",
        f"Hints: {'; '.join(told)}.",
        "As the client is told:",
        block("json", json.dumps(described, ensure_ascii=False, indent=2)),
    ]


def _type(schema: Mapping[str, Any]) -> str:
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    items = f" of {schema['items']['type']}s" if "items" in schema else ""
    return " or ".join(types) + items


def _bounds(tool: Tool, name: str, schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return ", ".join(map(code, schema["enum"]))
    least, most = tool.ranges.get(name, (None, None))
    return f"{least} to {most}" if least is not None else ""
