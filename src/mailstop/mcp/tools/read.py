"""read: one letter with what became of it, a conversation, a channel, what a search finds, or the history of a bag.

Reading changes nothing, and proves nothing.
"""

from __future__ import annotations

import os

from mailstop.cleaning import in_quotes
from mailstop.errors.tools import InvalidArguments
from mailstop.fence_history import Reader, history_page, matches_page
from mailstop.fence_tools import part_of
from mailstop.mcp.schema import LARGEST
from mailstop.mcp.tools.tool import NUMBER, ROOM, TEXT, Answer, Call, Tool, size
from mailstop.names import DEFAULT_BAG, in_bag
from mailstop.wording import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mailstop.fence_history import Page
    from mailstop.history import History

DEFAULT_LAST = 20
MOST = 200  # letters, joins and leaves of one page; more do not fit, however short they are
LONGEST_TITLE = 80  # characters of a search that are repeated


def run(call: Call) -> Answer:
    """Show one letter, a conversation, a channel, what a search finds, or a bag."""
    named = [name for name in ("number", "thread", "channel", "search") if name in call.arguments]
    if len(named) > 1:
        raise _wrong(f"{' and '.join(named)} exclude each other")
    if "number" in call.arguments:
        if "before" in call.arguments or "last" in call.arguments:
            raise _wrong("one letter has no pages: offset goes on inside of a long one")
        return _letter(call, call.given("number"))
    if "offset" in call.arguments:
        raise _wrong("offset goes with number")
    return _history(call)


def _wrong(problem: str) -> InvalidArguments:
    return InvalidArguments(problem=problem, tool="read", takes=", ".join(_PROPERTIES))


# -- one letter ------------------------------------------------------------------------------------------------------


def _letter(call: Call, n: int) -> Answer:
    """A letter from `offset` on, as much of it as fits, and what is proved of it."""
    office = call.office
    account = office.reading.account(n, bag=call.given("bag"))
    letter = account.letter
    offset = call.given("offset", 0)
    if offset >= len(letter.body):
        raise _wrong(f"letter {n} has {counted(len(letter.body), 'character')}")
    own = [seat.name for seat in office.seats() if seat.bag == letter.bag]
    recipients = [
        f"{each.seat}: {each.state}" + (f" by letter {each.answered}" if each.answered else "")
        for each in account.deliveries
    ]
    told = recipients[:50] + ([f"{len(recipients) - 50} more"] if len(recipients) > 50 else [])
    if letter.imported:
        told = ["imported: given to nobody here"]

    def data(text: str, following: int | None) -> dict[str, Any]:
        more = {} if following is None else {"offset": following}
        return {"text": text, "recipients": told, **more}

    text, following = part_of(
        letter,
        offset,
        now_ms=office.clock(),
        nonce=os.urandom(4).hex(),
        addressed=any(name in own for name in letter.to),
        fits=lambda text, following: size(data(text, following)) <= ROOM,
    )
    return Answer(data(text, following), f"{text}\n\nwhere it stands: {', '.join(told)}")


# -- many ------------------------------------------------------------------------------------------------------------


def _history(call: Call) -> Answer:
    reading, bag = call.office.reading, call.given("bag")
    page = {"before": call.given("before"), "last": min(call.given("last", DEFAULT_LAST), MOST)}
    search, thread = call.given("search"), call.given("thread")
    if search is not None:
        history = reading.search(search, bag=bag, **page)
        title = f'letters that hold "{in_quotes(search, LONGEST_TITLE)}" (one of them whole: read with its number)'
    elif thread is not None:
        history = reading.read(thread=thread, bag=bag, **page)
        title = f"the conversation of letter {thread}"
    elif "channel" in call.arguments:
        bag = bag or DEFAULT_BAG
        channel, history = call.office.channels.history(call.given("channel"), bag=bag, **page)
        title = f"#{channel}{in_bag(bag)}"
    else:
        bag = bag or DEFAULT_BAG
        history = reading.read(bag=bag, **page)
        title = f"bag {bag}"
    if not history.records:
        text = f"{title}: nothing{' before it' if 'before' in call.arguments else ''}"
        return Answer({"text": text, "before": None}, text)
    about = None if search is not None or thread is not None else bag
    shown = _page(history, title, search, about)
    data = _data(shown)
    return Answer(data, shown.text)


def _data(page: Page) -> dict[str, Any]:
    return {"text": page.text, "before": page.shown[0].n if page.older and page.shown else None}


def _page(history: History, title: str, search: str | None, bag: str | None) -> Page:
    """As much of a history as fits, the newest first of all."""
    reader = Reader(os.urandom(4).hex(), ROOM, bag, tools=True)
    more = "read with before"
    while True:
        if search is not None:
            page = matches_page(history, search, title, more, reader)
        else:
            page = history_page(history, title, more, reader)
        over = size(_data(page)) - ROOM
        assert reader.limit_bytes is not None
        if over <= 0 or reader.limit_bytes < over:
            return page
        reader = reader.but(limit_bytes=reader.limit_bytes - over)


_PROPERTIES = {
    "number": NUMBER,
    "offset": NUMBER,
    "thread": NUMBER,
    "channel": TEXT,
    "search": TEXT,
    "bag": TEXT,
    "before": NUMBER,
    "last": NUMBER,
}

TOOL = Tool(
    name="read",
    description="History; changes nothing. number: a letter and what became of it, from offset on. thread: its"
    " conversation. search: words. before, last: pages.",
    act=run,
    properties=_PROPERTIES,
    ranges={"offset": (0, LARGEST)},
    always=("text",),
    reads_only=True,
)
