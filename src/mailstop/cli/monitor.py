"""Monitor: what rings for a Claude Code session, run by the client itself as its plugin's monitor.

It sleeps on the session's bell. A line that it prints becomes a prompt of the client, whose hook then shows the
letters. It holds a lock that senders test, lives no longer than its client, and uses no CPU while nothing happens: its
timer is armed only while work is due in the store.

It never ends before its client, whatever goes wrong: Claude Code would wake the model to tell it so. A second monitor
of the same session waits, and rings once the first is gone.
"""

from __future__ import annotations

import os
import select
import sys

from mailstop import __version__, fence
from mailstop.clients.caller import CLIENT, Caller
from mailstop.clients.claude_code import told_by
from mailstop.clients.life import life_of
from mailstop.clients.registry import bell_name, claude_of
from mailstop.doors.base import NOTIFIED, Outcome
from mailstop.doors.claude_monitor import Listening
from mailstop.engines import reopen_store
from mailstop.errors import MailstopError
from mailstop.hooks.entry import log
from mailstop.office import Office
from mailstop.times import now_ms
from mailstop.watcher import Watcher, process_end_fd

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from mailstop.clients.life import Life
    from mailstop.clients.registry import Registration

RETRY_S = 5.0  # after the store could not be opened
SECOND_S = 60.0  # how often a second monitor looks whether the first is gone


class Monitor:
    """The monitor of one session."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._pid = told_by(environment).pid or os.getppid()
        self._bell = bell_name("claude", pid=self._pid)
        self._said = ""  # what went wrong last

    def run(self) -> None:
        """Ring until the client ends."""
        life = life_of(self._pid)
        if life is None:
            return
        try:
            end = process_end_fd(self._pid)
        except ProcessLookupError:
            return
        while life_of(self._pid) == life:
            wait_s = SECOND_S
            try:
                with Listening(self._bell) as listening:
                    if not listening.already:
                        self._serve(life, end)
                        self._client_ended(life)
                        return
            except BrokenPipeError:
                raise  # the client has ended
            except Exception as error:
                log(error, "monitor")
                wait_s = RETRY_S
            _sleep(wait_s if end is not None else min(wait_s, RETRY_S), end)

    def _serve(self, life: Life, end: int | None) -> None:
        """Sleep on the bell until the client ends."""
        also = [] if end is None else [end]
        wait_s: float | None = 0.0
        with Watcher(self._bell) as watcher:
            while True:
                woken = watcher.wait(wait_s, also)
                if any(descriptor in woken.ready for descriptor in also) or life_of(self._pid) != life:
                    return
                wait_s = self._look(life)
                if end is None:  # the kernel cannot tell the client's end: look now and then
                    wait_s = min(wait_s or RETRY_S, RETRY_S)

    def _client_ended(self, life: Life) -> None:
        """Tell of what the client's end leaves open: one that was killed has said nothing itself."""
        registration = claude_of(life.pid, life.start)
        if registration is None:
            return
        try:
            with reopen_store(registration.store) as store:
                office = Office(store, _caller(registration))
                office.seats_changed(*office.seats())
        except (MailstopError, BlockingIOError) as error:
            log(error, "monitor")

    def _look(self, life: Life) -> float | None:
        """Ring for what waits, do what is due, and return after how many seconds to look again; None: when rung."""
        registration = claude_of(life.pid, life.start)
        if registration is None:  # SessionStart rings the bell once it has written it
            return None
        try:
            with reopen_store(registration.store) as store:
                return self._ring(Office(store, _caller(registration)))
        except (MailstopError, BlockingIOError) as error:
            if str(error) != self._said:  # not the same line every few seconds
                self._said = str(error)
                log(error, "monitor")
            return RETRY_S

    def _ring(self, office: Office) -> float | None:
        office.do_due_work()
        office.probes.answer(__version__)
        found = office.to_announce()
        if found:
            numbers = [letter.n for _, letter, _ in found]
            line = fence.ring_line(numbers, found[0][1].sender)
            begun = office.announcing(found)
            sys.stdout.write(line + "\n")
            sys.stdout.flush()
            office.announced(begun, Outcome(NOTIFIED, "the session's monitor printed the line"))
        due = office.store.board.next_due()
        return None if due is None else max(0.05, (due - now_ms()) / 1000)


def _sleep(seconds: float, end: int | None) -> None:
    """Sleep, less long when the client ends."""
    poll = select.poll()
    if end is not None:
        poll.register(end, select.POLLIN)
    poll.poll(seconds * 1000)


def _caller(registration: Registration) -> Caller:
    return Caller(CLIENT, "claude", registration.client_session, registration.life, registration)
