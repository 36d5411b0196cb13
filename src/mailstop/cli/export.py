"""mailstop export: what was written, as a file to read, to share, or to bring into another store."""

from __future__ import annotations

import sys

from mailstop import errors
from mailstop.cli.arguments import NUMBER, Option
from mailstop.cli.progress import Progress
from mailstop.cli.result import Result
from mailstop.errors import UsageError
from mailstop.wording import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from mailstop.acts.exporting import Snapshot
    from mailstop.cli.arguments import Arguments
    from mailstop.exports.conversation import Written
    from mailstop.exports.secrets import Scrubber
    from mailstop.office import Office

JSONL, MARKDOWN, HTML = "jsonl", "markdown", "html"
FORMATS = (JSONL, MARKDOWN, HTML)

PARAMETERS = (
    Option(
        ("--format",),
        "jsonl (default; mailstop import reads it), markdown, html (one file, to read and share)",
        "FORMAT",
    ),
    Option(("--output",), "the file to write, readable by you alone (default, and -: standard output)", "FILE"),
    Option(("--force",), "with --output: replace the file that is there"),
    Option(("--since",), "only what was written since: 2026-11-29, 2026-11-29T08:00, 12h, 7d", "TIME"),
    Option(("--thread",), "only the conversation that letter N belongs to", "N", kind=NUMBER),
    Option(("--scrub",), "replace what looks like a secret; html always does"),
    Option(("--no-scrub",), "html: leave everything as it was written"),
)

EXAMPLES = """\
mailstop export --output mail.jsonl       all bags; in another store: mailstop import jsonl mail.jsonl
mailstop export --bag parser --format html --output parser.html
mailstop export --format markdown --since 7d --scrub
mailstop export --thread 142 --format html --output thread.html"""


def run(office: Office, args: Arguments) -> Result:
    """Write the export, a piece at a time."""
    kind = args.format or JSONL
    if args.output == "":
        raise UsageError(reason="--output is empty: say which file, or leave it out for standard output")
    output = None if args.output == "-" else args.output  # as for most programs, no file of that name
    if kind not in FORMATS:
        raise UsageError(reason=f"there is no format {kind!r}. There are: {', '.join(FORMATS)}")
    if args.force and not output:
        raise UsageError(reason="--force replaces a file: say which with --output FILE")
    if args.json and not output:
        raise UsageError(
            reason="--json says what was written where, so it needs --output FILE; the format jsonl is JSON"
        )
    if office.caller.who == "client" and not output:  # unfenced, in the hands of a model
        raise UsageError(reason="in a session of a client, an export goes to a file: --output FILE")
    if args.scrub and args.no_scrub:
        raise UsageError(reason="--scrub and --no-scrub exclude each other")
    if args.no_scrub and kind != HTML:
        raise UsageError(reason=f"--no-scrub is for html; in {kind} nothing is replaced unless --scrub")
    from mailstop.acts.exporting import Wanted
    from mailstop.cli.export_since import since_ms

    since = since_ms(args.since, office.clock()) if args.since is not None else 0
    snapshot = office.exporting.snapshot(Wanted(args.bag, since, args.thread))
    scrubber = _scrubber(kind, args)
    count = _Count()
    with Progress(shown=bool(output) or not sys.stdout or not sys.stdout.isatty()) as progress:
        pieces = _pieces(snapshot, kind, scrubber, progress.stage("exporting"), count)
        size = _to_file(output, pieces, force=args.force) if output else _to_output(pieces)
    return _told(output, kind, count, size, scrubber)


class _Count:
    """How many letters were written."""

    letters = 0


def _scrubber(kind: str, args: Arguments) -> Scrubber | None:
    if not (args.scrub or (kind == HTML and not args.no_scrub)):
        return None
    from mailstop.exports.secrets import Scrubber

    return Scrubber()


def _told(output: str | None, kind: str, count: _Count, size: int, scrubber: Scrubber | None) -> Result:
    data: dict[str, Any] = {"format": kind, "output": output, "letters": count.letters, "bytes": size}
    text = f"{counted(count.letters, 'letter')} written"
    if scrubber:
        data["scrubbed"] = scrubber.counts
        text += f"; {scrubber.summary()}: a net with holes, so look at it before you share it"
    if output:
        return Result(data, f"{text}: {output}")
    if sys.stderr is not None and (scrubber or sys.stderr.isatty()):
        print(f"mailstop: {text}", file=sys.stderr)
    return Result(raw=b"")


# -- what is written -------------------------------------------------------------------------------------------------


def _pieces(
    snapshot: Snapshot, kind: str, scrubber: Scrubber | None, progress: Callable[[int, int], None], count: _Count
) -> Iterator[str]:
    if kind == JSONL:
        yield from _lines(snapshot, scrubber, progress, count)
        return
    from mailstop.exports import html, markdown

    def counted_conversations() -> Iterator[Iterator[Written]]:
        for conversation in snapshot.conversations(progress):
            yield (_counted(written, scrubber, count) for written in conversation)

    def last() -> str:
        told = f"{counted(count.letters, 'letter')}. "
        if scrubber:
            return f"{told}What looks like a secret was replaced: {scrubber.summary()}. That is a net with holes."
        return f"{told}Nothing was looked for that may be a secret."

    write = html.document if kind == HTML else markdown.document
    yield from write(_head(snapshot, scrubber), counted_conversations(), last)


def _counted(written: Written, scrubber: Scrubber | None, count: _Count) -> Written:
    """A letter that is about to be written, without what looks like a secret."""
    count.letters += 1
    if scrubber is None:
        return written
    letter = written.letter
    artifacts = tuple(map(scrubber.text, letter.artifacts))
    letter = letter.but(body=scrubber.text(letter.body), artifacts=artifacts, kind=scrubber.text(letter.kind))
    if letter.imported:  # by names that anybody chose, and that are no seats
        letter = letter.but(sender=scrubber.text(letter.sender), to=tuple(map(scrubber.text, letter.to)))
    return written.but(letter=letter)


def _lines(
    snapshot: Snapshot, scrubber: Scrubber | None, progress: Callable[[int, int], None], count: _Count
) -> Iterator[str]:
    from mailstop.exports.lines import end, text_of

    yield text_of(snapshot.header())
    number = 0
    for line in snapshot.lines(progress):
        number += 1
        count.letters += "letter" in line
        yield text_of(scrubber.line(line) if scrubber else line)
    yield text_of(end(number, scrubber.counts if scrubber else None))


def _head(snapshot: Snapshot, scrubber: Scrubber | None) -> list[str]:
    """What the file is, a sentence each."""
    from mailstop.exports.lines import time_text

    wanted = snapshot.wanted
    which = f"bag {wanted.bag}" if wanted.bag else "all bags"
    if wanted.thread is not None:
        which = f"the conversation of letter {wanted.thread}"
    if wanted.since:
        which += f", since {time_text(wanted.since)}"
    told = f"Exported by mailstop on {snapshot.header()['exported']}: {which}."
    more = "Who wrote what is as the store has it; receipts are what was proved by then. Times are UTC."
    scrubbed = "What looks like a secret was replaced; how much, stands at the end." if scrubber else ""
    return [told, more, *([scrubbed] if scrubbed else [])]


# -- where it is written ---------------------------------------------------------------------------------------------


def _to_output(pieces: Iterator[str]) -> int:
    if sys.stdout is None:
        raise errors.OutputLost(reason="standard output is closed")
    size = 0
    try:
        for chunk in _chunks(pieces):
            sys.stdout.buffer.write(chunk)
            size += len(chunk)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise errors.ExportCutOff(reason=error.strerror or str(error)) from None
    return size


def _to_file(path: str, pieces: Iterator[str], *, force: bool) -> int:
    """Write a file whole or not at all, mode 0600, beside which nothing stays. Raises ExportExists, ExportIntoStore,
    ExportFailed."""
    from mailstop.cli.export_file import written

    return written(path, _chunks(pieces), force=force)


def _chunks(pieces: Iterator[str], size: int = 1 << 18) -> Iterator[bytes]:
    """The pieces as bytes, many at once."""
    held: list[bytes] = []
    length = 0
    for piece in pieces:
        held.append(piece.encode("utf-8", "backslashreplace"))
        length += len(held[-1])
        if length >= size:
            yield b"".join(held)
            held, length = [], 0
    yield b"".join(held)
