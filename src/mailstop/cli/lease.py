"""mailstop lease take|renew|release|list|check: files and names that one session has for a while."""

from __future__ import annotations

import os

from mailstop.cli.acts import refuse_unknown
from mailstop.cli.arguments import NUMBER, SECONDS, Option, Positional
from mailstop.cli.result import Result
from mailstop.errors import UsageError
from mailstop.names import DEFAULT_BAG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from mailstop.cli.arguments import Arguments, Parameter
    from mailstop.lease import Lease, Resource
    from mailstop.office import Office

PARAMETERS: tuple[Parameter, ...] = (
    Positional("act", "take|renew|release|list|check", "what to do; without it: list", needed=False),
    Positional("resources", "RESOURCE", "a path, a 'pattern', or name:WORD", needed=False, each=True),
    Option(("--ttl",), "take, renew: for how long, 1m to 24h: 90s, 30m, 2h (default 1h)", "DURATION"),
    Option(("--wait",), "take: when it is taken, wait until it is free, at most so many seconds", "S", kind=SECONDS),
    Option(("--shared",), "take, check: together with others who share it"),
    Option(("--note",), "take: what for, a line", "TEXT"),
    Option(("--all",), "renew, release: all that you hold"),
    Option(("--force",), "release: another's lease; the person's alone"),
    Option(("--term",), "renew, check: only what was taken as term N", "N", kind=NUMBER),
    Option(("--staged",), "check: the files that the next commit changes"),
    Option(("--mine",), "list: what you hold"),
    Option(("--project",), "list: only of this project", "PROJECT"),
)
EXAMPLES = """\
mailstop lease take src/parser 'docs/**/*.md' --ttl 2h --note 'new grammar'
mailstop lease take name:deploy --wait 300
mailstop lease check --staged
mailstop lease release --all"""

ACTS = ("take", "renew", "release", "list", "check")
# option: for which acts it is
_FOR = {
    "ttl": ("take", "renew"),
    "wait": ("take",),
    "shared": ("take", "check"),
    "note": ("take",),
    "all": ("renew", "release"),
    "force": ("release",),
    "term": ("renew", "check"),
    "staged": ("check",),
    "mine": ("list",),
    "project": ("list",),
}
_UNITS = {"s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}


def without_store(args: Arguments) -> Result | None:
    """A check, which has an answer also where there is no store, and so opens it itself; None for any other act.

    Raises UsageError for what is none.
    """
    act = args.act or "list"
    if "" in args.resources and act != "list":
        raise UsageError(reason=f"an empty word stands for nothing: mailstop lease {act} PATH...")
    refuse_unknown("lease", act, ACTS)
    for option, acts in _FOR.items():
        if act not in acts and getattr(args, option) not in (None, False):
            raise UsageError(reason=f"--{option} is for {' and '.join(acts)}, not for {act}")
    if act == "check":
        from mailstop.cli.lease_check import check

        return check(args)
    return None


def run(office: Office, args: Arguments) -> Result:
    """Do one of the other acts."""
    return _DOING[args.act or "list"](office, args)


def duration_ms(text: str | None) -> int | None:
    """The milliseconds of a duration such as 90s, 30m, 2h, 1h30m, 30d. Raises UsageError."""
    if text is None:
        return None
    total, digits = 0, ""
    for character in text.strip().lower():
        if character.isascii() and character.isdigit() and len(digits) < 9:
            digits += character
        elif digits and character in _UNITS:
            total += int(digits) * _UNITS[character]
            digits = ""
        else:
            break
    else:
        if total and not digits:
            return total
    raise UsageError(reason=f"{text!r} is no duration: say the unit, as in 90s, 30m, 2h, 1h30m")


def _take(office: Office, args: Arguments) -> Result:
    from mailstop.rules.leases import Wish

    if not args.resources:
        raise UsageError(reason="take what? mailstop lease take PATH...")
    wanted = _read(office, args.resources)
    wish = Wish(tuple(wanted), duration_ms(args.ttl), args.shared, args.note or "")
    took = office.leases.take(wish, bag=args.bag or DEFAULT_BAG, wait_s=args.wait)
    by_key = {lease.resource.key: lease for lease in took.leases}
    leases = [by_key[resource.key] for resource in wanted]
    terms = {lease.term for lease in leases}
    data = {
        "term": terms.pop() if len(terms) == 1 else None,  # of several takings none holds all of it
        "leases": [
            {**_lease_json(office, lease), **_reading(resource), "new": lease.term == took.term}
            for lease, resource in zip(leases, wanted, strict=True)
        ],
    }
    return Result(data, "\n".join(_took_text(lease, took.term) for lease in took.leases))


def _renew(office: Office, args: Arguments) -> Result:
    chosen = _chosen(office, args, "renew")
    bag, ttl = args.bag or DEFAULT_BAG, duration_ms(args.ttl)
    renewed = office.leases.renew(chosen, bag=bag, ttl=ttl, term=args.term)
    return Result({"leases": [_lease_json(office, lease) for lease in renewed]}, _lines(renewed, "renewed"))


def _release(office: Office, args: Arguments) -> Result:
    if args.force:
        if not args.resources or args.all:
            raise UsageError(reason="--force ends leases that you name: mailstop lease release --force PATH...")
        ended = office.leases.force(_read(office, args.resources))
        return Result({"leases": [_lease_json(office, lease) for lease in ended]}, _lines(ended, "ended"))
    chosen = _chosen(office, args, "release")
    released = office.leases.release(chosen, bag=args.bag or DEFAULT_BAG)
    text = _lines(released, "released") or "you hold no lease"
    return Result({"leases": [_lease_json(office, lease) for lease in released]}, text)


def _list(office: Office, args: Arguments) -> Result:
    from mailstop.cli.lease_table import leases_text

    if args.resources:
        raise UsageError(reason="list takes no resource; of one it says more: mailstop lease check PATH")
    if args.bag is not None:
        office.checked_bag(args.bag)
    own = {lease.id for lease in office.leases.mine()}
    found = [
        lease
        for lease in office.leases.standing()
        if (not args.mine or lease.id in own)
        and args.bag in (None, lease.bag)
        and args.project in (None, lease.resource.project, lease.resource.project_id)
    ]
    if args.project is not None and not found:
        office.reading.checked_project(args.project)
    data = {"leases": [{**_lease_json(office, lease), "mine": lease.id in own} for lease in found]}
    return Result(data, leases_text(office, found, own))


def _chosen(office: Office, args: Arguments, act: str) -> list[Resource] | None:
    """What the words mean among what the caller holds; None for all of it."""
    if bool(args.resources) == args.all:
        raise UsageError(reason=f"{act} what? mailstop lease {act} PATH..., or --all for all that you hold")
    if args.all:
        return None
    held = {lease.resource.key for lease in office.leases.mine()}
    reader = office.leases.reader(os.getcwd())
    chosen = []
    for word in args.resources:
        resource = reader.read(word)
        # A file of that name may have come, or gone, since a bare word was taken.
        others = (reader.other(word) if resource.key not in held else None) or resource
        chosen.append(others if others.key in held else resource)
    return chosen


def _read(office: Office, words: Sequence[str]) -> list[Resource]:
    reader = office.leases.reader(os.getcwd())
    return [reader.read(word) for word in words]


def _lease_json(office: Office, lease: Lease) -> dict[str, object]:
    from mailstop.rules.held import lease_json

    return lease_json(office.store, lease)


def _reading(resource: Resource) -> dict[str, object]:
    return {"given": resource.given, "read_as": resource.kind, "why": resource.why}


def _took_text(lease: Lease, term: int) -> str:
    from mailstop.times import clock_text

    act = "taken" if lease.term == term else "renewed"
    shared = ", shared" if lease.shared else ""
    return _clean(f"{lease.resource.label} {act} until {clock_text(lease.until)}, term {lease.term}{shared}")


def _lines(leases: Sequence[Lease], act: str) -> str:
    from mailstop.times import clock_text

    until = [f" until {clock_text(lease.until)}, term {lease.term}" if act == "renewed" else "" for lease in leases]
    return "\n".join(_clean(f"{lease.resource.label} {act}{rest}") for lease, rest in zip(leases, until, strict=True))


def _clean(line: str) -> str:
    if line.isascii() and line.isprintable():
        return line
    from mailstop.cleaning import plain_line

    return plain_line(line)


_DOING = {"take": _take, "renew": _renew, "release": _release, "list": _list}
