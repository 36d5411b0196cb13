"""mailstop answer N [BODY|-|--choice K]: answer a question whose sender waits, once."""

from __future__ import annotations

from mailstop.cli.arguments import BODY, NUMBER, Option, Positional
from mailstop.cli.body import body_of
from mailstop.cli.result import Result
from mailstop.cli.send import sent_result
from mailstop.errors import UsageError
from mailstop.letter import Draft

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.cli.arguments import Arguments
    from mailstop.office import Office

PARAMETERS = (
    Positional("number", "N", "the number of the question", kind=NUMBER),
    *BODY,
    Option(("--choice",), "the choice of that number, where the question gives some", "K", kind=NUMBER),
    Option(("--artifact",), "a file the answer is about; may be repeated", "PATH", each=True),
    Option(("--key",), "store it once, however often this is repeated with the same key", "KEY"),
)

EXAMPLES = """\
mailstop answer 142 - <<'MAIL'
Yes: nothing calls it any more.
MAIL
mailstop answer 143 --choice 2"""


def run(office: Office, args: Arguments) -> Result:
    """Store the answer, and wake whoever waits for it."""
    if args.choice is not None and (args.body is not None or args.body_file is not None):
        raise UsageError(reason="a question is answered by a choice or by a text, not by both")
    body = "" if args.choice is not None else body_of(args)
    draft = Draft((), body, artifacts=tuple(args.artifact), key=args.key)
    sent = office.asks.answer(args.number, draft, choice=args.choice, bag=args.bag)
    question, result = office.letter(args.number), sent_result(sent)
    choice = question.choices.index(sent.letter.body) + 1 if question.choices else None
    return Result({**result.data, "question": question.n, "choice": choice}, result.text)
