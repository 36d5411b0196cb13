"""mailstop setup: bring mailstop into the clients that are installed here, and take it out again.

Nothing is changed that was not shown and agreed to: at a terminal it asks for each thing; --yes agrees to all that is
marked as safe; --preview only shows. It is the person's alone, because it widens what sessions may do without asking.
"""

from __future__ import annotations

import os
import sys

from mailstop import config, errors
from mailstop.cleaning import plain_line
from mailstop.cli.arguments import Option, Positional
from mailstop.cli.result import Result
from mailstop.clients import life
from mailstop.clients.caller import CLIENT, OTHER_AGENTS, identify
from mailstop.setup import claude, codex, command, mcp_client, plan, plugin_copy
from mailstop.setup.offer import PLUGIN
from mailstop.setup.plan import Plan
from mailstop.setup.record import backups_folder
from mailstop.setup.target import Target, removal, take_out, target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mailstop.cli.arguments import Arguments
    from mailstop.setup.command import Command
    from mailstop.setup.offer import Offer
    from mailstop.setup.plan import Change

PARAMETERS = (
    Positional("what", "claude|codex|mcp", "what to set up; without it: what is set up", needed=False),
    Option(("--client",), "with mcp: which client", "CLIENT"),
    Option(("--scope",), "for all that you do (default), or for you in this folder alone", "user|project"),
    Option(("--preview",), "only show what would be changed"),
    Option(("--yes",), "agree to all that is marked as safe, without asking"),
    Option(("--with",), "agree to this too; may be repeated", "OFFER", each=True),
    Option(("--without",), "leave this out; may be repeated", "OFFER", each=True),
    Option(("--remove",), "take out what setup has put in; without a client: all of it"),
)
EXAMPLES = """\
mailstop setup
mailstop setup claude
mailstop setup codex --preview
mailstop setup codex --yes --with trust
mailstop setup mcp --client cursor
mailstop setup --remove"""
NEEDS_NO_STORE = True
UNUSED = ("--bag",)

DONE, WOULD, MADE, LEFT = "done before", "would be done", "done", "left out"
_INDENT = "    "
_CANNOT = "it cannot be done here: "


def run(args: Arguments) -> Result:
    """Show, ask, do."""
    life.make_nothing()
    if args.preview and args.yes:
        raise errors.UsageError(reason="--preview shows, --yes does: one of them")
    if not args.what and (args.scope or args.client):
        raise errors.UsageError(reason="--scope and --client go with what is to be set up or taken out")
    if args.what is None and not args.remove:
        return _overview()
    chosen = target(args.what, args.client, args.scope) if args.what else None
    if not args.preview:
        _require_person()
        if not args.yes and (args.json or not _has_terminal()):
            raise errors.NobodyToAsk()
    return _removed(args, chosen) if args.remove else _set_up(args, chosen)


def _require_person() -> None:
    """Raise PersonOnly in a session of any client."""
    if identify(os.environ).who == CLIENT or any(os.environ.get(name) for name in OTHER_AGENTS):
        raise errors.PersonOnly(act="Changing what clients do")


def _has_terminal() -> bool:
    return bool(sys.stdin and sys.stdin.isatty() and sys.stderr and sys.stderr.isatty())


# -- putting in ------------------------------------------------------------------------------------------------------


def _set_up(args: Arguments, chosen: Target | None) -> Result:
    assert chosen is not None
    lasting = command.lasting()
    store = config.chosen_store(args.store) or config.default_store()
    if chosen.name == codex.NAME and sys.stderr and sys.stderr.isatty():
        _say("asking Codex what it would have its person trust ...")
    offers = chosen.offers(lasting.path, store)
    _check_names(args, offers)
    planned = Plan(chosen.use, lasting.path)
    told = [_offered(args, chosen, planned, offer) for offer in offers]
    if not args.preview and planned.offers:
        chosen.apply(planned)
    warnings = [*chosen.warnings, *_about(lasting)]
    data = {
        "client": chosen.client or chosen.name,
        "scope": chosen.project or "user",
        "command": lasting.path,
        "offers": told,
        "warnings": warnings,
        "files": [change.file.path for change in planned.changes],
    }
    return Result(data, "\n".join(_told(args, chosen, told, warnings, planned)))


def _check_names(args: Arguments, offers: list[Offer]) -> None:
    known = [offer.name for offer in offers]
    if unknown := [name for name in (*getattr(args, "with"), *args.without) if name not in known]:
        reason = f"there is nothing called {', '.join(unknown)} to agree to; there is: {', '.join(known)}"
        raise errors.UsageError(reason=reason)


def _offered(args: Arguments, chosen: Target, planned: Plan, offer: Offer) -> dict[str, Any]:
    """Offer one thing, take it in if it is agreed to, and say what became of it."""
    told: dict[str, Any] = {"name": offer.name, "title": offer.title, "why": offer.why, "safe": offer.safe}
    if offer.hindered:
        return {**told, "state": LEFT, "diff": [], "also": [f"{_CANNOT}{offer.hindered}"]}
    if chosen.is_done(offer, planned):
        return {**told, "state": DONE, "diff": [], "also": []}
    diff = [line for change in planned.changes_of(offer) for line in change.diff]
    told |= {"diff": diff, "also": list(offer.also)}
    is_left = offer.name in args.without or (offer.needs_plugin and not _has_plugin(args, chosen, planned))
    if is_left or not _agreed(args, offer, diff):
        return {**told, "state": LEFT}
    planned.agree(offer)
    return {**told, "state": WOULD if args.preview else MADE}


def _has_plugin(args: Arguments, chosen: Target, planned: Plan) -> bool:
    """Whether the plugin is there, or was agreed to before what builds upon it."""
    return any(one.name == PLUGIN for one in planned.offers) or (PLUGIN not in args.without and plan.has(chosen.use))


def _agreed(args: Arguments, offer: Offer, diff: list[str]) -> bool:
    if offer.name in getattr(args, "with") or (offer.safe and (args.yes or args.preview)):
        return True
    if args.yes or args.preview:
        return False
    _say(*_lines({**offer.as_dict(), "diff": diff}))
    return _ask(f"Do this? {'[Y/n]' if offer.safe else '[y/N]'} ", default=offer.safe)


def _about(lasting: Command) -> list[str]:
    told = [lasting.warning] if lasting.warning else []
    if not lasting.on_path:
        folder = os.path.dirname(lasting.path)
        told.append(f"your shell does not find mailstop, so commands of sessions will not: put {folder} on PATH")
    return told


def _told(args: Arguments, chosen: Target, told: list[dict[str, Any]], warnings: list[str], planned: Plan) -> list[str]:
    lines = []
    for one in told:
        if args.preview and one["state"] != DONE:
            lines += [*_lines(one if one["state"] == WOULD else {**one, "title": _not_by_itself(one)}), ""]
        else:
            lines.append(f"{one['state']}: {one['title']}{_how_to(one)}")
    lines += [f"note: {plain_line(text)}" for text in warnings]
    if args.preview:
        return [*lines, "nothing was changed"]
    if planned.changes:
        lines.append(f"the files as they were lie in {backups_folder()}; mailstop setup --remove takes all out again")
    if planned.offers:
        lines.append(f"it holds for sessions of {chosen.title} that start from now on")
    return lines


def _not_by_itself(one: dict[str, Any]) -> str:
    return f"{one['title']} (not done by --yes; it takes --with {one['name']})"


def _how_to(one: dict[str, Any]) -> str:
    if one["state"] != LEFT:
        return ""
    hindered = [text for text in one["also"] if text.startswith(_CANNOT)]
    return f" ({plain_line(hindered[0])})" if hindered else f" (--with {one['name']})"


def _lines(one: dict[str, Any]) -> list[str]:
    """An offer in full."""
    lines = [f"{one['name']}: {one['title']}", f"{_INDENT}why: {one['why']}"]
    lines += [f"{_INDENT}also: {plain_line(text)}" for text in one["also"]]
    return lines + [f"{_INDENT}{line}" for line in one["diff"]]


def _say(*lines: str) -> None:
    print(*lines, sep="\n", file=sys.stderr)


def _ask(question: str, *, default: bool) -> bool:
    while True:
        print(question, end="", file=sys.stderr, flush=True)
        answer = sys.stdin.readline()
        if not answer:  # the end of the input is no agreement
            _say("")
            return False
        word = answer.strip().lower()
        if word in ("", "y", "yes", "n", "no"):
            return word in ("y", "yes") if word else default


# -- taking out ------------------------------------------------------------------------------------------------------


def _removed(args: Arguments, chosen: Target | None) -> Result:
    removed = removal(chosen, args.scope)
    whom = chosen.title if chosen else "any client"
    if not removed.is_any:
        return Result({"removed": [], "state": DONE}, f"nothing of mailstop is set up for {whom}")
    changes = [change for change in removed.changes if change.is_one]
    lines = [line for change in changes for line in change.diff]
    state, text = WOULD, [*lines, "nothing was changed"]
    if not args.preview:
        if not args.yes:
            _say(*lines)
        state = MADE if args.yes or _ask("Take this out? [Y/n] ", default=True) else LEFT
        text = ["nothing was changed"]
    if state == MADE:
        take_out(removed)
        text = [_outcome(change) for change in changes] + [f"mailstop is taken out of {whom}"]
    return Result({"removed": [change.file.path for change in changes], "diff": lines, "state": state}, "\n".join(text))


def _outcome(change: Change) -> str:
    return f"{'removed' if change.raw is None else 'restored'} {plain_line(change.file.path)}"


# -- what is there ---------------------------------------------------------------------------------------------------


def _overview() -> Result:
    """Which clients are here, and what is set up."""
    try:
        lasting = command.lasting()
    except errors.NoLastingCommand as error:
        lasting = command.Command("", error.message, True)
    clients = [_client(Target(name, None, None), lasting.path) for name in (claude.NAME, codex.NAME)]
    others = [{"name": one.name, "title": one.title, "set_up": _is_set_up(one)} for one in mcp_client.here()]
    warnings = _about(lasting)
    data = {"command": lasting.path, "clients": clients, "others": others, "warnings": warnings}
    lines = [f"{one['title']} {one['version'] or ''}".rstrip() + f": {one['text']}" for one in clients]
    for one in others:
        how = "its tools are set up" if one["set_up"] else f"mailstop setup mcp --client {one['name']}"
        lines.append(f"{one['title']}: {how}")
    if not others and not any(one["program"] for one in clients):
        lines.append("Any other client of MCP: mailstop setup mcp --client NAME")
    return Result(data, "\n".join([*lines, *(f"note: {plain_line(text)}" for text in warnings)]))


def _client(one: Target, path: str) -> dict[str, Any]:
    found = one.program
    uses = sorted({use for kept in plan.records().values() for made in kept.made for use in made.uses})
    whom = [use.removeprefix(one.prefix) for use in uses if use.startswith(one.prefix)]
    is_current = not path or plugin_copy.is_current(path)
    if one.name == codex.NAME and path and is_current:
        is_current = codex.has_copy(path)
    verb = f"mailstop setup {one.name}"
    if not whom:
        text = f"not set up: {verb}" if found else "not found on PATH"
    else:
        text = f"set up for {', '.join('you' if each == 'user' else each for each in whom)}"
        text += "" if is_current else f", with the plugin of another version or command: {verb}"
    return {
        "name": one.name,
        "title": one.title,
        "program": found.path if found else None,
        "version": found.version if found else None,
        "set_up_for": whom,
        "plugin": plugin_copy.version() or None,
        "plugin_is_current": is_current,
        "text": text,
    }


def _is_set_up(one: mcp_client.MCPClient) -> bool:
    return plan.has(Target("mcp", one.name, None).use)
