"""The page of what may be imported."""

from __future__ import annotations

from mailstop import lanes
from reference.documented import documented, public_names
from reference.text import block, page

# What a program on the store may lean on: the office, what it takes and gives, and its further subjects.
OFFICE: dict[str, tuple[str, ...] | None] = {
    "mailstop.cli.opening.opened": None,
    "mailstop.office.Office": (
        "session",
        "seats",
        "join",
        "leave",
        "send",
        "reply",
        "letter",
        "offer",
        "handed",
        "waiting",
        "reading",
        "asks",
        "channels",
        "tasks",
        "leases",
        "leaders",
        "budgets",
    ),
    "mailstop.letter.Draft": None,
    "mailstop.letter.Letter": None,
    "mailstop.office.Sent": None,
    "mailstop.rules.tellings.Told": None,
    "mailstop.rules.offers.Terms": None,
    "mailstop.rules.offers.Offer": None,
    "mailstop.reading.Reading": None,
    "mailstop.acts.asks.Asks": ("ask", "resume", "look", "answer", "cancel", "listed"),
    "mailstop.acts.channels.Channels": ("say", "subscribe", "unsubscribe", "listing", "history"),
    "mailstop.acts.tasks.Tasks": ("give", "move", "give_back", "reassign", "take", "listed", "account"),
    "mailstop.acts.leases.Leases": ("reader", "take", "renew", "release", "mine", "standing", "check"),
    "mailstop.acts.leaders.Leaders": ("post", "others", "claim", "release"),
    "mailstop.acts.budgets.Budgets": ("allowance",),
}
EXAMPLE = """
from mailstop import errors
from mailstop.cli.opening import opened
from mailstop.letter import Draft

with opened(None) as office:  # the store and the session of this process
    try:
        sent = office.send(Draft(to=("reviewer",), body="The build is done."))
    except errors.NotFound as error:  # no such seat
        raise SystemExit(error.message)
    print(sent.letter.n, [(told.seat, told.state) for told in sent.recipients])
"""
RUN = """
eval "$(mailstop join ci --export)"
python3 build_done.py
mailstop leave
"""


def python() -> str:
    """What may be imported, and how long it stays as it is."""
    return page(
        "Python",
        "Most programs run commands with `--json`: [JSON output](json.md). What can be imported is here. Names that are"
        " not here may change with any version. Nothing of it is asynchronous.",
        "## The package",
        documented("mailstop.plugin_folder"),
        "## The office",
        "The office is what all commands ask: one for a caller and a store. Until version 1.0 its names may change with"
        " a minor version; CHANGELOG says so. A program is a session once it has joined; `build_done.py` is",
        block("python", EXAMPLE.strip()),
        "and is run by",
        block("sh", RUN.strip()),
        "What is refused is an error of [the one tree](errors.md), in `mailstop.errors`: its class, `message`, `code`,"
        " `exit_code` and `facts`.",
        *(documented(name, members) for name, members in OFFICE.items()),
        "## Lanes",
        "`mailstop/lanes.py` is one file on the standard library, which may be copied: [how it is used](../lanes.md)."
        " All its names without an underscore stay as they are.",
        *(documented(f"mailstop.lanes.{name}") for name in public_names(lanes)),
    )
