"""The resident: `mailstop serve`, the tools of MCP over HTTP for clients that start no process of their own.

A face beside `mcp/`, whose table of tools it serves: it translates and decides nothing. The protocol is the official
SDK's; what is here is who calls (`callers.py`), how calls run at an office that is synchronous (`workers.py`,
`calls.py`, `rings.py`), and what a server owes its machine: one per store, an end that loses nothing, health and
figures. The event loop never waits for a store, and no thread waits for a letter.
"""
