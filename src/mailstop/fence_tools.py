"""Letters for whoever has tools instead of a shell: the part of the fence that says calls where it else says commands.

The same fixed text stands around the same cleaned bodies. How much fits is the caller's to say, who knows what a model
will be shown: within JSON a line's end takes two bytes. Pure, as the fence is.
"""

from __future__ import annotations

from mailstop.cleaning import clean, one_line
from mailstop.config import DELIVERY_BYTES
from mailstop.fence import (
    Delivery,
    beginning,
    choice_lines,
    heading,
    letter_block,
    lost_task,
    more_bytes,
    reply_due,
)
from mailstop.kinds import action_needed, kind_of
from mailstop.names import LONGEST, PERSON
from mailstop.wording import wait_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mailstop.letter import About, Letter


def deliver(
    letters: Sequence[Letter], *, now_ms: int, nonce: str, more: int, fits: Callable[[Delivery], bool]
) -> Delivery:
    """The text that hands letters to a model, as `fence.deliver` does. fits: whether so much can be given at once.

    The first letter that does not fit stays out with all after it. Only the oldest is ever cut, when it does not fit
    even alone; it is then shown in part. Where nothing fits, the text is empty.
    """
    given, blocks, left = Delivery("", left=len(letters) + more), [], len(letters) + more
    for count, letter in enumerate(letters, 1):
        if len(letter.body) > DELIVERY_BYTES:  # no need to clean all of it to know
            break
        blocks.append(_block(letter, clean(letter.body), now_ms=now_ms, nonce=nonce))
        numbers = tuple(each.n for each in letters[:count])
        longer = Delivery(_composed(letters[:count], blocks, left - count), numbers, (), left - count)
        if not fits(longer):
            break
        given = longer
    return given if given.whole or not letters else _cut(letters[0], left - 1, now_ms=now_ms, nonce=nonce, fits=fits)


def _cut(letter: Letter, left: int, *, now_ms: int, nonce: str, fits: Callable[[Delivery], bool]) -> Delivery:
    """The longest beginning of a letter that fits."""

    def given(room: int) -> Delivery:
        shown, omitted = beginning(letter.body, room)
        rest = f"{more_bytes(omitted)}: read with number {letter.n}"
        text = _block(letter, shown, rest, now_ms=now_ms, nonce=nonce) if shown else ""
        return Delivery(_composed([letter], [text], left) if text else "", (), (letter.n,) if text else (), left)

    room, too_much = 0, min(len(letter.body.encode()), DELIVERY_BYTES)
    while too_much - room > 1:
        middle = (room + too_much) // 2
        if fits(given(middle)):
            room = middle
        else:
            too_much = middle
    found = given(room)
    return found if found.part else Delivery("", left=left + 1)


def part_of(
    letter: Letter,
    offset: int,
    *,
    now_ms: int,
    nonce: str,
    addressed: bool,
    fits: Callable[[str, int | None], bool],
) -> tuple[str, int | None]:
    """A letter from one of its characters on, and where to go on; None at its end.

    addressed: whether it was written to the reader; to nobody else it says how to answer. fits: whether so much can be
    given at once, with the place where to go on.
    """

    def page(end: int) -> tuple[str, int | None]:
        following = end if end < len(letter.body) else None
        rest = "" if following is None else f"It goes on: read with number {letter.n} and offset {following}"
        if offset:
            rest = f"It began before, at offset 0. {rest}".rstrip()
        shown = clean(letter.body[offset:end])
        text = _block(letter, shown, rest, now_ms=now_ms, nonce=nonce, addressed=addressed and following is None)
        return f"{heading([letter], PERSON)}\n\n{text}", following

    end, too_far = offset + 1, len(letter.body)
    if too_far - offset <= DELIVERY_BYTES and fits(*(whole := page(too_far))):
        return whole
    too_far = min(too_far, offset + DELIVERY_BYTES)
    while too_far - end > 1:
        middle = (end + too_far) // 2
        if fits(*page(middle)):
            end = middle
        else:
            too_far = middle
    return page(end)


def nothing_fits(left: int) -> str:
    """What is said where letters wait and none of them can be given."""
    return f"mailstop: {wait_text(left, 'letter')}, and nothing of the oldest fits: read shows one by its number"


def waiting(count: int) -> str:
    """The line that says how many letters wait, beside whatever else a tool answers."""
    return f"{wait_text(count, 'letter')}: call check"


def _composed(letters: Sequence[Letter], blocks: Sequence[str], left: int) -> str:
    tail = [f"{wait_text(left, 'more letter')}: call check again"] if left else []
    return "\n\n".join([heading(letters, PERSON), *blocks, *tail])


def _block(letter: Letter, shown: str, rest: str = "", *, now_ms: int, nonce: str, addressed: bool = True) -> str:
    text = letter_block(letter, shown, now_ms=now_ms, nonce=nonce, person=PERSON, addressed=False, tools=True)
    lines = [text, rest, _closing(letter) if addressed else ""]
    return "\n".join(line for line in lines if line)


def _closing(letter: Letter) -> str:
    """How to go on with a letter: `fence` says the same in commands."""
    answer = f"send with ref {letter.n}"
    if letter.ends_budget:
        return "The last letter of this bag's budget: send no reply; only the person can continue."
    if letter.asks:
        return _asking(letter)
    if letter.final:
        return "This letter is final: send no reply, even if it asks for one."
    if letter.task and letter.task.brings and letter.task.holder in letter.to:
        return lost_task(letter) if letter.closed else _bringing(letter, letter.task)
    if not reply_due(letter):
        if letter.channel:
            asks = action_needed(letter.kind, letter.needs_reply)
            return f"{'Asked of all' if asks else 'No reply is needed'}; one goes to its author: {answer}"
        return f"No reply is needed. If one helps: {answer}"
    expects = kind_of(letter.kind).expects
    kind = "" if expects in (None, "any") else f" and, when done, kind {expects}"
    return f"A reply is needed: {answer}{kind}"


def _bringing(letter: Letter, task: About) -> str:
    """How the seat that a task comes to goes on with it. Of several readers the others are told of it."""
    whom = "To take it on" if len(letter.to) == 1 else f"Seat {one_line(task.holder, LONGEST)}"
    return (
        f"{whom}: task with action accept and number {task.n} (or need-input, reject, with a body). When done: action"
        " complete, with a body"
    )


def _asking(question: Letter) -> str:
    answer = f"answer with number {question.n}"
    if question.closed:
        return f"This question was {question.closed}: no answer is needed."
    if not question.choices:
        return f"Its sender waits for one answer: {answer}"
    return "\n".join([f"Its sender waits for one of these: {answer} and a choice", *choice_lines(question)])
