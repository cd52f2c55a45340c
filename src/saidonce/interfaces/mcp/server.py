"""The server: lists and calls the tools, one at a time beside the event loop, over stdio or loopback HTTP."""

from __future__ import annotations

import json
import logging
import os
import re
import signal
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any, TypeVar

import anyio
import anyio.to_thread
import uvicorn
from mcp import MCPError, types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from saidonce import __version__
from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.errors import UsageError
from saidonce.interfaces.mcp.faults import NEXT, Code, Fault, fault, is_foreseen
from saidonce.interfaces.mcp.gate import KeyGate, check_may_write
from saidonce.interfaces.mcp.inputs import GetInput
from saidonce.interfaces.mcp.tools import QUOTED, TOOLS, get

INSTRUCTIONS = (
    "A knowledge base that says everything once. Search before you answer, cite blocks by id, and say so when there are"
    " no hits. A failed call returns error.code, error.message and error.next: do what `next` says and never fill the"
    " gap by yourself." + QUOTED
)

LOOPBACK = ("127.0.0.1", "localhost", "::1")
PATH = "/mcp"

_RESOURCE = "saidonce://block/{id}"
_RESOURCE_URI = re.compile(r"saidonce://block/([^/?#]{1,64})")

_log = logging.getLogger("saidonce.interfaces.mcp")

Context = ServerRequestContext[Any]
T = TypeVar("T")


class _Calls:
    """Runs blocking calls on the base in a worker thread, one after the other."""

    def __init__(self, base: KnowledgeBase) -> None:
        self.base = base
        self._limiter = anyio.CapacityLimiter(1)

    async def run(self, call: Callable[[], T]) -> T:
        return await anyio.to_thread.run_sync(call, limiter=self._limiter)

    async def list_tools(self, _ctx: Context, _params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[tool.as_listed() for tool in TOOLS.values()])

    async def call_tool(self, ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        tool = TOOLS.get(params.name)
        if tool is None:
            unknown = Fault(Code.UNKNOWN_TOOL, f"unknown tool {params.name[:80]!r}", NEXT[Code.UNKNOWN_TOOL])
            return _result(unknown.as_json(), is_error=True)
        try:
            arguments = tool.input.model_validate(params.arguments or {})
            if tool.writes and not getattr(arguments, "dry_run", False):
                check_may_write(ctx.request)
            answer = await self.run(partial(tool.call, self.base, arguments))
        except Exception as failed:  # noqa: BLE001 - the entry point: every failure of a call becomes a coded answer
            return _result(_log_fault(failed, tool.name).as_json(), is_error=True)
        return _result(answer.data())

    async def list_resources(
        self, _ctx: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=[])

    async def list_templates(
        self, _ctx: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(
            resource_templates=[
                types.ResourceTemplate(
                    uri_template=_RESOURCE,
                    name="block",
                    title="A block of the knowledge base",
                    description="A block by its id, as returned by the tool get; old ids resolve." + QUOTED,
                    mime_type="application/json",
                )
            ]
        )

    async def read_resource(self, _ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        named = _RESOURCE_URI.fullmatch(params.uri)
        if named is None:
            raise _protocol_error(Fault(Code.UNKNOWN_RESOURCE, "unknown resource", NEXT[Code.UNKNOWN_RESOURCE]))
        try:
            answer = await self.run(partial(get, self.base, GetInput(id=named.group(1))))
        except Exception as failed:  # noqa: BLE001 - the entry point, as for tools
            raise _protocol_error(_log_fault(failed, "resources/read")) from None
        written = types.TextResourceContents(uri=params.uri, mime_type="application/json", text=_json(answer.data()))
        return types.ReadResourceResult(contents=[written])


def server(base: KnowledgeBase) -> Server[Any]:
    """Make a server for a base; nothing is opened before a call needs it."""
    return _server(_Calls(base))


def serve_stdio(base: KnowledgeBase) -> None:
    """Serve one client over standard input and output until it hangs up, or a signal asks to stop."""
    try:
        anyio.run(_stdio, _Calls(base))
    finally:
        # Clients that hung up remind with SIGTERM after two seconds; an embedded database takes longer to stop.
        previous = signal.signal(signal.SIGTERM, signal.SIG_IGN)
        base.close()
        signal.signal(signal.SIGTERM, previous)


def serve_http(base: KnowledgeBase, host: str, port: int) -> None:
    """Serve clients of this machine over streamable HTTP at http://host:port/mcp until a signal asks to stop.

    Once the base has people, each request carries one of their keys.
    """
    app = KeyGate(server(base).streamable_http_app(host=host, streamable_http_path=PATH, json_response=True), base)
    previous = signal.signal(signal.SIGTERM, _interrupt)
    try:
        uvicorn.run(app, host=host, port=port, log_config=None, access_log=False, timeout_graceful_shutdown=5)
    finally:
        signal.signal(signal.SIGTERM, previous)


def parsed_address(address: str) -> tuple[str, int]:
    """Return host and port of an address such as 127.0.0.1:8766, loopback only.

    Raises:
        UsageError: it is another.
    """
    host, _, port = address.rpartition(":")
    host = host.strip("[]")
    if host not in LOOPBACK or not port.isdecimal() or not 0 < int(port) < 65_536:
        raise UsageError(
            f"{address!r} is not a loopback address; use HOST:PORT with host {', '.join(LOOPBACK)}; this server"
            " does not encrypt, so it must not be reachable from other machines"
        )
    return host, int(port)


def _server(calls: _Calls) -> Server[Any]:
    return Server(
        "saidonce",
        version=__version__,
        title="saidonce",
        description="A knowledge base that says everything once and loses nothing.",
        instructions=INSTRUCTIONS,
        on_list_tools=calls.list_tools,
        on_call_tool=calls.call_tool,
        on_list_resources=calls.list_resources,
        on_list_resource_templates=calls.list_templates,
        on_read_resource=calls.read_resource,
    )


async def _stdio(calls: _Calls) -> None:
    wired = _server(calls)
    async with anyio.create_task_group() as group:
        group.start_soon(_stop_on_signal, calls)
        async with stdio_server() as (incoming, outgoing):
            await wired.run(incoming, outgoing, wired.create_initialization_options())
        group.cancel_scope.cancel()


async def _stop_on_signal(calls: _Calls) -> None:
    """Wait for the running call, close the base, and exit.

    The thread that reads standard input cannot be woken, so the process has to be ended from here.
    """
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for number in signals:
            await calls.run(calls.base.close)
            os._exit(128 + number)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _log_fault(failed: Exception, where: str) -> Fault:
    failure = fault(failed)
    if is_foreseen(failed):
        _log.info("call.refused tool=%s code=%s", where, failure.code)
    else:
        _log.error("call.failed tool=%s", where, exc_info=failed)
    return failure


def _protocol_error(failure: Fault) -> MCPError:
    code = types.INTERNAL_ERROR if failure.code is Code.INTERNAL else types.INVALID_PARAMS
    return MCPError(code=code, message=failure.message, data=failure.as_json()["error"])


def _result(content: dict[str, Any], is_error: bool = False) -> types.CallToolResult:
    text = types.TextContent(type="text", text=_json(content))
    return types.CallToolResult(content=[text], structured_content=content, is_error=is_error)


def _json(content: dict[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False)
