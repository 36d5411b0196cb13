"""mailstop import postbag|lane|jsonl ...: bring along what was written elsewhere, as history (docs/moving-in.md).

Sources are only read. Doing it again adds nothing, so that an import that was interrupted is gone on with by doing it
again. Only the person imports; anybody may look what an import would bring: --dry-run.
"""

from __future__ import annotations

import os
from functools import partial

from mailstop.cleaning import one_line, plain_line
from mailstop.cli.acts import refuse_unknown
from mailstop.cli.arguments import Option, Positional
from mailstop.cli.progress import Progress
from mailstop.cli.result import Result
from mailstop.errors import MailstopError, StoreUnavailable, Uncertain, UsageError
from mailstop.names import DEFAULT_BAG, in_bag
from mailstop.records import Record
from mailstop.wording import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from mailstop.acts.importing import Account
    from mailstop.cli.arguments import Arguments
    from mailstop.office import Office
    from mailstop.past import Changed, LeftOut, Reader

PARAMETERS = (
    Positional("act", "postbag|lane|jsonl", "what it is"),
    Positional(
        "sources",
        "PATH",
        "postbag: ledgers, or bags of its own (default: as postbag chooses); lane: its folder; jsonl: files",
        needed=False,
        each=True,
    ),
    Option(("--all",), "postbag: all ledgers of this home folder, each into the bag of its name"),
    Option(
        ("--map",),
        "jsonl: which key holds what: from, to, body, at, number, ref, kind, ...; FIELD==TEXT holds for every line",
        "FIELD=KEY,...",
    ),
    Option(("--as",), "what stands before old numbers, as in postbag:142 (default: postbag, lane, jsonl)", "NAME"),
    Option(("--dry-run", "--preview"), "store nothing; say what would be stored, and what left out"),
)
ACTS = ("postbag", "lane", "jsonl")

EXAMPLES = """\
mailstop import postbag --all --dry-run       what is there, and what would be left out
mailstop import postbag --all
mailstop import postbag ~/old/ledger.jsonl --bag parser
mailstop import lane work/lane --bag parser
mailstop import jsonl mail.jsonl --map from=author,to==everyone,body=message.text,at=ts
mailstop import jsonl export.jsonl            what mailstop export has written, each letter into its bag unless --bag
mailstop read postbag:142                     an imported letter by its old number"""

LONGEST_PATH = 200  # characters
LONGEST_REASON = 300
MOST_SHOWN = 20  # lines that are named one by one in text; --json names more


class Job(Record):
    """One source. bag: where to; None: as its letters say. open: makes its reader. path: of the source, for people."""

    path: str
    bag: str | None
    open: Callable[[], Reader]


class Failure(Record):
    """A source that could not be read, or not to its end."""

    path: str
    error: MailstopError


def run(office: Office, args: Arguments) -> Result:
    """Import each source, and tell what became of it."""
    refuse_unknown("import", args.act, ACTS)
    if args.all and args.act != "postbag":
        raise UsageError(reason=f"--all is for postbag, not for {args.act}")
    if args.map is not None and args.act != "jsonl":
        raise UsageError(reason=f"--map is for jsonl, not for {args.act}")
    jobs = _JOBS[args.act](args)
    if not args.dry_run:
        office.require_person("Importing letters")
    done: list[tuple[Account, int]] = []
    failed: list[Failure] = []
    with Progress(shown=not args.json) as progress:
        for job in jobs:
            try:
                reader = job.open()
                stage = progress.stage(f"importing {one_line(os.path.basename(job.path), 40)}")
                account = office.importing.take(reader, bag=job.bag, preview=args.dry_run, progress=stage)
                done.append((account, reader.secrets))
            except (StoreUnavailable, Uncertain):
                raise
            except MailstopError as error:
                failed.append(Failure(job.path, error))
    if not done and len(failed) == 1:
        raise failed[0].error
    return Result(_json(done, failed), _text(done, failed), failed[0].error.exit_code if failed else 0)


# -- which sources ----------------------------------------------------------------------------------------------------


def _postbag(args: Arguments) -> list[Job]:
    from mailstop.sources import postbag

    if args.all and args.sources:
        raise UsageError(reason="--all takes all ledgers of this home folder, so name none")
    if args.all:
        ledgers = postbag.all_ledgers()
        if not ledgers:
            raise UsageError(reason="there is no ledger of postbag in this home folder; name one by its path")
    else:
        ledgers = [postbag.ledger(text) for text in args.sources] or [postbag.selected()]
    name = args.__dict__["as"] or postbag.KIND
    return [Job(each.path, args.bag or each.bag, partial(postbag.LedgerReader, each.path, name)) for each in ledgers]


def _lane(args: Arguments) -> list[Job]:
    from mailstop.sources import lane

    if not args.sources:
        raise UsageError(reason="which lane? mailstop import lane DIR")
    name = args.__dict__["as"] or lane.KIND
    bag = args.bag or DEFAULT_BAG
    return [Job(path, bag, partial(lane.LaneReader, path, name)) for path in args.sources]


def _jsonl(args: Arguments) -> list[Job]:
    from mailstop.sources import export, jsonl

    if not args.sources:
        raise UsageError(reason="which file? mailstop import jsonl FILE")
    given = args.__dict__["as"] or ""
    ways = jsonl.mapping(args.map) if args.map is not None else {}
    jobs = []
    for path in args.sources:
        if args.map is None and export.begins(path):
            jobs.append(Job(path, args.bag, partial(export.ExportReader, path, given)))
        else:
            reader = partial(jsonl.FileReader, path, given or jsonl.KIND, ways)
            jobs.append(Job(path, args.bag or DEFAULT_BAG, reader))
    return jobs


_JOBS: dict[str, Callable[[Arguments], list[Job]]] = {"postbag": _postbag, "lane": _lane, "jsonl": _jsonl}


# -- what became of them ----------------------------------------------------------------------------------------------


def _json(done: Sequence[tuple[Account, int]], failed: Sequence[Failure]) -> dict[str, Any]:
    imports = []
    for account, secrets in done:
        value = {name: getattr(account, name) for name in ("bag", "letters", "moves", "here", "elsewhere")}
        imports.append(
            {
                **account.source.as_dict(),
                **value,
                "last": account.last or None,
                "dry_run": not account.written,
                "left_out": [one.as_dict() for one in account.left_out],
                "left_out_count": account.left_out_count,
                "changed": [one.as_dict() for one in account.changed],
                "changed_count": account.changed_count,
                "secrets_in_source": secrets,
            }
        )
    failures = [{"path": one.path, "code": one.error.code, "message": one.error.message} for one in failed]
    return {"imports": imports, "failed": failures}


def _text(done: Sequence[tuple[Account, int]], failed: Sequence[Failure]) -> str:
    parts = [_account_text(account, secrets) for account, secrets in done]
    parts += [plain_line(one.error.message) for one in failed]
    letters = sum(account.letters for account, _ in done if account.written)
    if letters:
        name, bag = done[0][0].source.name, done[0][0].bag
        option = f" --bag {bag}" if bag and in_bag(bag) else ""
        parts.append(
            "They are history: nobody is woken, and nothing waits. "
            f"To read: mailstop read{option}; one by its old number: mailstop read {name}:NUMBER"
        )
    return "\n\n".join(parts)


def _account_text(account: Account, secrets: int) -> str:
    what = [counted(account.letters, "letter")]
    if account.moves:
        what.append(counted(account.moves, "other record"))
    verb = "imported" if account.written else "would be imported"
    path = one_line(account.source.path, LONGEST_PATH)
    lines = [f"{path}: {' and '.join(what)} {verb} into {f'bag {account.bag}' if account.bag else 'their bags'}"]
    if account.here:
        lines.append(f"  here already: {account.here}{_elsewhere(account)}")
    lines += _listed("left out", account.left_out, account.left_out_count)
    lines += _listed("changed", account.changed, account.changed_count)
    if secrets:
        lines.append(
            f"  tokens and sockets of sessions lie in clear in {counted(secrets, 'line')} of that file; they were not "
            "copied. Whoever reads it can write into those sessions while they live: keep it private, or delete it"
        )
    return "\n".join(lines)


def _elsewhere(account: Account) -> str:
    bags = ", ".join(f"{count} in bag {bag}" for bag, count in account.elsewhere.items())
    return f" ({bags})" if bags else ""


def _listed(title: str, items: Sequence[LeftOut | Changed], count: int) -> list[str]:
    if not count:
        return []
    lines = [f"  {title}: {count}"]
    lines += [f"    {one_line(one.place, 80)}: {one_line(one.reason, LONGEST_REASON)}" for one in items[:MOST_SHOWN]]
    if count > MOST_SHOWN:
        lines.append(
            f"    and {counted(count - MOST_SHOWN, 'more line')}; --json names {min(count, len(items))} of them"
        )
    return lines
