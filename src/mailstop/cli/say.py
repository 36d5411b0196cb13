"""mailstop say [#CHANNEL] [BODY|-]: write to everyone who reads a channel."""

from __future__ import annotations

import os

from mailstop.cli.arguments import BODY, LABELS, NUMBER, Arguments, Option, Positional
from mailstop.cli.body import body_of
from mailstop.cli.result import Result
from mailstop.cli.send import recipient_text
from mailstop.errors import UsageError
from mailstop.kinds import kind_of
from mailstop.letter import Draft
from mailstop.names import DEFAULT_BAG
from mailstop.wording import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.office import Office, Sent
    from mailstop.rules.channels import Rest

PARAMETERS = (
    Positional(
        "where",
        "CHANNEL",
        "where, with or without its # (which a shell wants quoted); default: your project's channel. A word alone is "
        "the text, unless it is a channel or begins with #",
        needed=False,
    ),
    *BODY,
    Option(("--channel",), "where, as an option", "CHANNEL"),
    *LABELS,
    Option(("--ref",), "the letter this one refers to", "N", kind=NUMBER),
    Option(
        ("--wake-all",),
        "wake readers of all projects, as --wake-all=3; without the number, or with a wrong one, it is refused with "
        "how many they are",
        "N",
        kind=NUMBER,
        optional=True,
    ),
)

EXAMPLES = """\
mailstop say - <<'MAIL'
The build on main is green again.
MAIL
mailstop say general --kind fyi 'the docs moved to docs/'
mailstop say general --wake-all=3 --body-file freeze.md"""

MOST_LISTED = 10  # readers that are named one by one


def run(office: Office, args: Arguments) -> Result:
    """Store the letter, and wake those whom it is to wake."""
    bag = args.bag or DEFAULT_BAG
    channel, body = _channel_and_body(office, args, bag)
    kind = "note" if args.kind is None else args.kind
    if args.wake_all is not None and not kind_of(kind).wakes:
        raise UsageError(reason=f"a letter of the kind {kind} wakes nobody, so --wake-all has nothing to do")
    draft = Draft(
        to=(),
        body=body_of(Arguments({**vars(args), "body": body})),
        kind=kind,
        needs_reply=args.needs_reply,
        ref=args.ref,
        final=args.final,
        artifacts=tuple(args.artifact),
        key=args.key,
        channel=channel,
    )
    project = ""
    if office.is_person:  # who has no seat in a project: it is that of the folder they are in
        from mailstop.clients.project import place_of

        project = place_of(os.curdir).project_id
    return _said(office.channels.say(draft, bag=bag, wake_all=args.wake_all, project=project))


def _channel_and_body(office: Office, args: Arguments, bag: str) -> tuple[str, str | None]:
    """The channel that the command line names, empty where it names none, and the body that stands in it.

    A word alone is the body, unless it is a channel. Raises UsageError.
    """
    where, given, body = args.where, args.channel, args.body
    has_body = body is not None or args.body_file is not None
    if given is not None:
        if where is not None and has_body:
            raise UsageError(reason="the channel was given twice: as a word and as --channel")
        return given or "#", where if where is not None else body
    if where is None:
        return "", body
    named = where.startswith("#") and not any(map(str.isspace, where))  # a heading begins with "# "
    if has_body or named or office.channels.is_known(where, bag=bag):
        return where or "#", body
    return "", where


def _said(sent: Sent) -> Result:
    """What who said it is told: where, whom it wakes, and how many read it later."""
    letter, rest = sent.letter, sent.rest
    assert rest is not None
    data = {
        "n": letter.n,
        "id": letter.id,
        "ref": letter.ref,
        "channel": letter.channel,
        "recipients": [told.as_dict() for told in sent.recipients],
        "later": list(rest.live),
        "empty": rest.empty,
    }
    size = len(letter.body.encode("utf-8"))
    again = "" if sent.new else " (it was said before with this key)"
    final = ", final" if letter.final else ""
    lines = [f"letter {letter.n} said in #{letter.channel}, {counted(size, 'byte')}{final}{again}"]
    lines += [f"  {recipient_text(told)}" for told in sent.recipients[:MOST_LISTED]]
    if len(sent.recipients) > MOST_LISTED:
        lines.append(f"  and {len(sent.recipients) - MOST_LISTED} more: mailstop status {letter.n}")
    return Result(data, "\n".join([*lines, *_rest_lines(rest, bool(sent.recipients))]))


def _rest_lines(rest: Rest, others: bool) -> list[str]:
    lines = []
    if rest.live:
        named = ", ".join(rest.live[:MOST_LISTED])
        more = f" and {len(rest.live) - MOST_LISTED} more" if len(rest.live) > MOST_LISTED else ""
        lines.append(f"  not woken, read it when they next look: {named}{more}")
    if rest.empty:
        seats = f"{counted(rest.empty, 'empty seat')} {'keeps' if rest.empty == 1 else 'keep'}"
        lines.append(f"  {seats} it for who sits there next")
    return lines or ([] if others else ["  nobody else reads this channel now"])
