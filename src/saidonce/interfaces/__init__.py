"""Doors: commands, HTTP, MCP, the worker, integrations with other libraries, and the views that they share.

In: what people and programs type, post or call. Out: answers as typed views, pages, exit codes.
May touch: everything; they check, call one flow, and show the result.
Start reading: `cli/__init__.py`, `http/server.py`, `mcp/server.py`, `worker/jobs.py`.
"""
