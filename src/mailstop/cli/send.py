"""mailstop send SEAT[,SEAT...] [BODY|-]: write a letter."""

from __future__ import annotations

from mailstop.cli.arguments import BODY, LABELS, NUMBER, Option, Positional
from mailstop.cli.body import body_of
from mailstop.cli.result import Result
from mailstop.errors import UsageError
from mailstop.letter import Draft
from mailstop.names import DEFAULT_BAG
from mailstop.wording import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from mailstop.cli.arguments import Arguments
    from mailstop.office import Office, Sent
    from mailstop.rules.tellings import Told

PARAMETERS = (
    Positional("to", "SEAT", "to whom; several with commas between them", needed=False),
    *BODY,
    Option(("--to",), "to whom, as an option", "SEAT"),
    *LABELS,
    Option(("--ref",), "the letter this one refers to", "N", kind=NUMBER),
    Option(("--hold",), "let it wait for a seat that nobody has taken yet"),
)


EXAMPLES = """\
mailstop send reviewer --needs-reply - <<'MAIL'
Does the parser survive an empty file?
MAIL
mailstop send reviewer,docs --kind note --body-file report.md"""


def run(office: Office, args: Arguments) -> Result:
    """Store the letter and ring its recipients."""
    if not args.to:
        raise UsageError(reason="to whom? mailstop send SEAT -   (all seats: mailstop who)")
    to = tuple(name.strip() for name in args.to.split(","))
    if not all(to):
        raise UsageError(reason=f"an empty name in {args.to!r}: several seats stand with commas between them")
    draft = Draft(
        to=to,
        body=body_of(args),
        kind="note" if args.kind is None else args.kind,
        needs_reply=args.needs_reply,
        ref=args.ref,
        final=args.final,
        artifacts=tuple(args.artifact),
        key=args.key,
        hold=args.hold,
    )
    return sent_result(office.send(draft, bag=args.bag or DEFAULT_BAG))


def sent_result(sent: Sent) -> Result:
    """What a writer is told: the number, and for each recipient what is proved so far."""
    letter = sent.letter
    data = {
        "n": letter.n,
        "id": letter.id,
        "ref": letter.ref,
        "recipients": [told.as_dict() for told in sent.recipients],
        "hops": letter.hops,
        "budget": None,
    }
    size = len(letter.body.encode("utf-8"))
    again = "" if sent.new else " (it was stored before with this key)"
    final = ", final" if letter.final else ""
    budget = ""
    if letter.budget:
        from mailstop.cli.letter_json import budget_json, budget_text

        data["budget"], budget = budget_json(letter), f", {budget_text(letter)}"
    lines = [f"letter {letter.n} stored, {counted(size, 'byte')}{final}{budget}{again}"]
    return Result(data, "\n".join([*lines, *sent_lines(sent.recipients)]))


def sent_lines(recipients: Sequence[Told]) -> list[str]:
    """For each recipient a line that says what is proved there so far."""
    return [f"  {recipient_text(told)}" for told in recipients]


def recipient_text(told: Told) -> str:
    """What a writer is told of one recipient, on one line."""
    detail = told.detail
    if not detail.isprintable():  # a folder's name, say
        from mailstop.cleaning import plain_line

        detail = plain_line(detail)
    return f"{told.seat}: {told.state}{f'; {detail}' if detail else ''}"
