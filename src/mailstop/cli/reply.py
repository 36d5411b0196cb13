"""mailstop reply N [BODY|-]: answer a letter."""

from __future__ import annotations

from mailstop.cli.arguments import BODY, LABELS, NUMBER, Option, Positional
from mailstop.cli.body import body_of
from mailstop.cli.send import sent_result
from mailstop.letter import Draft

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.cli.arguments import Arguments
    from mailstop.cli.result import Result
    from mailstop.office import Office

PARAMETERS = (
    Positional("number", "N", "the number of the letter to answer", kind=NUMBER),
    *BODY,
    Option(("--all",), "also to the other recipients of N"),
    *LABELS,
)


EXAMPLES = """\
mailstop reply 142 - <<'MAIL'
It survives one: see test_empty.
MAIL
mailstop reply 142 --body-file answer.md"""


def run(office: Office, args: Arguments) -> Result:
    """Store the answer, in the bag of the letter it answers."""
    draft = Draft(
        to=(),
        body=body_of(args),
        kind="note" if args.kind is None else args.kind,
        needs_reply=args.needs_reply,
        final=args.final,
        artifacts=tuple(args.artifact),
        key=args.key,
    )
    return sent_result(office.reply(args.number, draft, to_all=args.all, bag=args.bag))
