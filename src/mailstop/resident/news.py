"""News: telling clients unasked that letters wait, by the experimental channel of Claude Code, where they take part.

Best effort and never evidence, as over standard input and output (`mcp/channel.py`): it goes out on the stream on which
a client listens, and nobody knows whether it does.
"""

from __future__ import annotations

import asyncio
from typing import Any

from mcp_types import Notification

from mailstop.errors import MailstopError
from mailstop.mcp import channel
from mailstop.mcp.protocol import Terms
from mailstop.resident.log import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcp.server.session import ServerSession

    from mailstop.engines.base import Store
    from mailstop.resident.callers import Callers, Connected
    from mailstop.resident.rings import Rings
    from mailstop.resident.workers import Workers


class News:
    """What is told to all connections of one server: a task for each that wants it, and none for the others."""

    def __init__(self, workers: Workers, callers: Callers, rings: Rings) -> None:
        self._workers, self._callers, self._rings = workers, callers, rings
        self._tasks: dict[tuple[Connected, str], asyncio.Task[None]] = {}

    def called(self, connected: Connected, connection: str, session: ServerSession) -> None:
        """A client has called, by a connection on which it can be told something."""
        key = connected, connection
        if connected.is_seated and key not in self._tasks and _wants(session):
            task = asyncio.ensure_future(self._tell(connected, session))
            self._tasks[key] = task
            task.add_done_callback(lambda done: self._told(key, done))
            # However it ends: it is closed, nobody calls, the server ends. The SDK has no other word for that.
            session._connection.exit_stack.callback(task.cancel)

    def over(self, connected: Connected) -> None:
        """A session has ended."""
        for (who, _), task in self._tasks.items():
            if who is connected:
                task.cancel()

    def close(self) -> None:
        """Tell nobody anything more."""
        for task in self._tasks.values():
            task.cancel()

    def _told(self, key: tuple[Connected, str], done: asyncio.Task[None]) -> None:
        if self._tasks.get(key) is done:
            del self._tasks[key]
        if not done.cancelled() and (error := done.exception()) is not None:
            log(error, "the channel")

    async def _tell(self, connected: Connected, session: ServerSession) -> None:
        """Tell a client of each letter that nothing else brings, once."""
        told = channel.Channel()
        registration = connected.caller.registration
        assert registration is not None

        def news(store: Store) -> list[dict[str, Any]]:
            return list(told.news(self._callers.as_it_is(connected, store)))

        with self._rings.listen(registration.bell) as rung:
            while True:
                rung.clear()
                try:
                    found = await self._workers.run(news)
                except MailstopError as error:
                    log(error, "the channel")
                    found = []
                for each in found:
                    notification = Notification[dict[str, Any], str](method=each["method"], params=each["params"])
                    await session.send_notification(notification)  # type: ignore[arg-type]  # none of the protocol's
                await rung.wait()


def _wants(session: ServerSession) -> bool:
    """Whether a client says that it takes part, or is a Claude Code, which says nothing."""
    params = session.client_params
    capabilities = session.client_capabilities
    told = capabilities.model_dump(by_alias=True, exclude_none=True) if capabilities else {}
    terms = Terms(session.protocol_version, params.client_info.name if params else "", told)
    return terms.wants_channel or terms.client == channel.OF_CLAUDE
