"""MCP: the tools of a session over the Model Context Protocol. A face: it translates and decides nothing.

`tools/` is one table, a file a tool, and knows no transport. What is here besides serves it over standard input and
output with the standard library alone, in process, one such process a session.
"""
