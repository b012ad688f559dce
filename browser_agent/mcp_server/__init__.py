"""The MCP server: the browser tools over stdio, for every client that speaks the protocol.

The only part that imports ``mcp``. It adds no tool of its own and decides nothing about pages:
tools come from ``tools/catalog.py``, Results from the browser's door.
"""
