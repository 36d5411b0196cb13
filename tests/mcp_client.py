"""A client that the official SDK makes, as a program: it does what it is told on standard input and prints what came.

Run by a party, so that no coding client is above it. Input: JSON with `mode` (`legacy`, `auto` or a version),
`command`, and `steps`: each [method, arguments...] of the SDK's client. Output: JSON, one value for each step, after
what was agreed.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import anyio
from mcp import Client, MCPError, StdioServerParameters


async def main(told: dict[str, Any]) -> list[Any]:
    """Connect, do the steps, and return what came of each."""
    parameters = StdioServerParameters(command=told["command"][0], args=told["command"][1:], env=dict(os.environ))
    found: list[Any] = []
    async with Client(parameters, mode=told["mode"]) as client:
        found.append({"version": client.protocol_version, "instructions": client.instructions})
        for name, *arguments in told["steps"]:
            try:
                result = await getattr(client, name)(*arguments)
                found.append(result.model_dump(mode="json", by_alias=True, exclude_none=True))
            except MCPError as error:
                found.append({"error": error.code})
    return found


if __name__ == "__main__":
    print(json.dumps(anyio.run(main, json.load(sys.stdin))))
