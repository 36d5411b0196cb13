"""Protocol: the table of tools as the official SDK serves it, both eras of MCP over streamable HTTP.

What it says and refuses is what `mailstop mcp` says: the same names, schemas, results, instructions and capabilities.
"""

from __future__ import annotations

import threading
from functools import partial
from typing import Any, cast

import mcp_types as types
from mcp import MCPError
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import NotificationOptions, Server

from mailstop import __version__
from mailstop.mcp import tools
from mailstop.mcp.messages import INVALID_PARAMS
from mailstop.mcp.protocol import CHANNEL, INSTRUCTIONS, NEW, OLD, SERVER
from mailstop.resident.calls import Asked
from mailstop.resident.exchanges import IN_SCOPE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.resident.callers import Bearer, Callers
    from mailstop.resident.calls import Calls
    from mailstop.resident.exchanges import Exchange
    from mailstop.resident.news import News

_KEPT = CacheHint(ttl_ms=3_600_000, scope="public")  # the table changes with the program only

Context = ServerRequestContext[Any, Any]


class Protocol(Server[Any]):
    """The SDK's server, with our tools."""

    def __init__(self, calls: Calls, callers: Callers, news: News) -> None:
        super().__init__(
            SERVER["name"],
            version=__version__,
            title=SERVER["title"],
            instructions=INSTRUCTIONS,
            cache_hints={"tools/list": _KEPT},
            get_tool_input_schema=_schema_of,
            on_list_tools=self._list,
            on_call_tool=self._call,
        )
        self._calls, self._callers, self._news = calls, callers, news
        described = [types.Tool.model_validate(tool.described) for tool in tools.everything()]
        self._listed = types.ListToolsResult(tools=described)
        self.middleware.clear()  # the SDK's own tells of each call to whoever traces; nobody does here
        self.add_request_handler("server/discover", types.RequestParams, self._discover)
        self.add_notification_handler("notifications/cancelled", types.CancelledNotificationParams, self._cancelled)

    def get_capabilities(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
        *,
        protocol_version: str | None = None,
    ) -> types.ServerCapabilities:
        """What this server offers: the SDK's own account, and the channel of Claude Code."""
        return super().get_capabilities(
            notification_options,
            {**(experimental_capabilities or {}), CHANNEL: {}},
            extensions,
            protocol_version=protocol_version,
        )

    async def _discover(self, context: Context, _params: types.RequestParams) -> types.DiscoverResult:
        """What the new era asks for first. To who brings no token that says who it is, the old era is advertised: only
        there a connection is a session. Who asks in the new era all the same may look."""
        exchange, _ = _where(context)
        known = exchange.bearer is not None and exchange.bearer.kind in ("seat", "human")
        return types.DiscoverResult(
            supported_versions=[*NEW, *OLD] if known else list(OLD),
            capabilities=self.get_capabilities(protocol_version=context.protocol_version),
            instructions=INSTRUCTIONS,
            ttl_ms=_KEPT.ttl_ms if known else 0,
            cache_scope="private",
        )

    async def _list(self, _context: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        if params is not None and params.cursor is not None:
            raise MCPError(code=INVALID_PARAMS, message="there is one page of tools: no cursor")
        return self._listed

    async def _call(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        tool = tools.find(params.name)
        if tool is None:
            raise MCPError(
                code=INVALID_PARAMS, message=f"Unknown tool: {params.name[:80]}", data={"tools": list(tools.NAMES)}
            )
        exchange, connection = _where(context)
        connected = self._callers.who(connection, exchange.bearer)
        wants_progress = context.meta is not None and context.meta.get("progress_token") is not None
        asked = Asked(
            connected,
            exchange,
            connection,
            str(context.request_id),
            tool,
            params.arguments or {},
            partial(context.session.report_progress, message=f"{tool.name} waits") if wants_progress else None,
            threading.Lock(),
        )
        result = await self._calls.call(asked)
        if connection:
            self._news.called(connected, connection, context.session)
        if context.protocol_version in NEW:
            result["resultType"] = "complete"
        return cast("types.CallToolResult", result)  # the SDK takes what goes over the wire, too

    async def _cancelled(self, context: Context, params: types.CancelledNotificationParams) -> None:
        exchange, connection = _where(context)
        connected = self._callers.who(connection, exchange.bearer)
        self._calls.cancelled(connected, connection, str(params.request_id))


def _where(context: Context) -> tuple[Exchange, str]:
    """The exchange over HTTP in which a message came, and the connection that it belongs to. In the new era there is
    none: an id that such a request names was checked by nobody."""
    request: Any = context.request
    exchange: Exchange = request.scope[IN_SCOPE]
    return exchange, "" if context.protocol_version in NEW else exchange.connection


def _schema_of(name: str) -> dict[str, Any] | None:
    tool = tools.find(name)
    return tool.input_schema if tool else None


def user_of(bearer: Bearer) -> AuthenticatedUser:
    """Who sends a token, as the SDK wants to know it: it lets nobody else use the connection."""
    who = f"{bearer.kind}/{bearer.bag}/{bearer.seat}"
    return AuthenticatedUser(AccessToken(token="", client_id=who, scopes=[]))
