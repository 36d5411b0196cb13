"""task: give work to a seat or into the project's pool, take it, say how far it is, and look."""

from __future__ import annotations

import os

from mailstop.acts.tasks import ALL, GIVEN, MINE, POOL, standing_text
from mailstop.cleaning import one_line, plain_line
from mailstop.fence_tasks import RULE, seat_name, task_page, title_text
from mailstop.mcp.schema import Takes, checked_for
from mailstop.mcp.tools.send import recipients_told
from mailstop.mcp.tools.tool import FLAG, NUMBER, ROOM, TEXT, TEXTS, Answer, Call, Tool, as_many_as_fit, size
from mailstop.names import DEFAULT_BAG, LONGEST
from mailstop.rules.settlements import return_ms
from mailstop.rules.tasks import COMPLETE, MOVES, PROGRESS, place_of
from mailstop.task import DEFAULT_PRIORITY, LEAST_URGENT, LONGEST_TITLE, Order
from mailstop.times import clock_text
from mailstop.wording import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mailstop.acts.tasks import Account, Changed, Tasks
    from mailstop.task import Task

MOST_LISTED = 100
MOST_STEPS = 50

_GIVING = ("to", "body", "priority", "artifacts", "issue", "key", "term", "bag")
_TAKES = {
    "give": Takes(("title",), _GIVING),
    **{
        act: Takes(("number",), ("body", "bag", *(("artifacts",) if act in (COMPLETE, PROGRESS) else ())))
        for act in MOVES
    },
    "take": Takes((), ("number", "bag")),
    "return": Takes(("number",), ("body", "bag")),
    "reassign": Takes(("number",), ("to", "body", "bag")),
    "list": Takes((), ("whose", "open", "bag")),
    "show": Takes(("number",), ("bag",)),
}


def run(call: Call) -> Answer:
    """Do what the action says."""
    action, office = call.given("action"), call.office
    checked_for(action, call.arguments, _TAKES[action], "task")
    if action == "list":
        return _listed(call)
    if action == "show":
        return _shown(office.tasks.account(call.given("number"), bag=call.given("bag"), steps=MOST_STEPS))
    if action == "take":
        changed = office.tasks.take(call.given("number"), bag=call.given("bag"))
        return _shown(office.tasks.account(changed.task.n, steps=MOST_STEPS), "it is yours")
    if action == "give":
        return _given(call)
    return _changed(_done(call, office.tasks, action))


def _given(call: Call) -> Answer:
    order = Order(
        to=_seat(call),
        title=call.given("title"),
        detail=call.given("body", ""),
        priority=call.given("priority", DEFAULT_PRIORITY),
        artifacts=tuple(call.given("artifacts", ())),
        issue=call.given("issue", ""),
        key=call.given("key"),
    )
    office = call.office
    changed = office.tasks.give(order, bag=call.given("bag", DEFAULT_BAG), term=call.given("term"))
    task, note = changed.task, "" if changed.new else "; it was given before with this key"
    if task.holder and task.empty_since:
        back = clock_text(task.empty_since + return_ms(office.store, task.bag))
        note += f"; nobody sits there: unless somebody does, it comes back to you at {back}"
    return _changed(changed, note)


def _done(call: Call, tasks: Tasks, action: str) -> Changed:
    """Move a task on, give it back, or let it go elsewhere."""
    n, body, bag = call.given("number"), call.given("body", ""), call.given("bag")
    if action == "return":
        return tasks.give_back(n, body, bag=bag)
    if action == "reassign":
        return tasks.reassign(n, _seat(call), body, bag=bag)
    return tasks.move(n, action, body, artifacts=tuple(call.given("artifacts", ())), bag=bag)


def _seat(call: Call) -> str:
    """The seat that is named; empty: the pool of the project."""
    name: str = call.given("to", "")
    return name.strip().removeprefix("@")


def _changed(changed: Changed, note: str = "") -> Answer:
    """Where a task is after an act, and what became of the letter that tells of it."""
    task, sent = changed.task, changed.sent
    where = f"with {place_of(task)}" if task.holder else place_of(task)
    text = f"task {task.n} is {task.state}" + ("" if task.is_over else f", {where}") + note
    data: dict[str, Any] = {**_task(task)}
    if sent:
        data["letter"] = sent.letter.n
        data["recipients"] = recipients_told(sent.recipients)
        told = [f"{each['seat']}: {each['state']}" for each in data["recipients"]]
        text += f"\nletter {sent.letter.n} tells of it: {', '.join(told)}"
    if changed.note:  # of a pool: who may take it from there
        text += f"; {plain_line(changed.note)}"
    if not changed.new:
        data["again"] = True
    return Answer({**data, "text": text}, text)


# -- looking ---------------------------------------------------------------------------------------------------------


def _listed(call: Call) -> Answer:
    whose, only_open = call.given("whose", ALL), call.given("open", False)
    listing = call.office.tasks.listed(whose, only_open=only_open, bag=call.given("bag"), limit=MOST_LISTED)
    found = [_task(task) for task in listing.tasks]

    def composed(tasks: list[dict[str, Any]]) -> dict[str, Any]:
        more = listing.more or len(tasks) < len(found)
        lines = [RULE, *map(_line, tasks)] if tasks else ["no tasks"]
        lines += ["there are more: whose, open and bag narrow it"] if more else []
        return {"text": "\n".join(lines), "tasks": tasks, **({"more": True} if more else {})}

    data = composed(as_many_as_fit(found, composed))
    return Answer(data, data["text"])


def _task(task: Task) -> dict[str, Any]:
    """A task for a client. at: where it is."""
    return {
        "n": task.n,
        "state": task.state,
        "title": one_line(task.title, LONGEST_TITLE),
        "priority": task.priority,
        "from": one_line(task.giver, LONGEST),
        **({"holder": one_line(task.holder, LONGEST)} if task.holder else {}),
        **({"pool": one_line(task.project or task.home, LONGEST)} if task.is_pooled else {}),
        **({"bag": one_line(task.bag, LONGEST)} if task.bag != DEFAULT_BAG else {}),
        **({"seat_empty": True} if task.empty_since and not task.is_over else {}),
    }


def _line(task: dict[str, Any]) -> str:
    where = f"with {seat_name(task['holder'])}" if "holder" in task else f"pool of {task.get('pool', 'nobody')}"
    empty = " (empty)" if "seat_empty" in task else ""
    title = title_text(task["title"])
    return (
        f"task {task['n']} {title}: {task['state']}, {where}{empty}, priority {task['priority']}, from {task['from']}"
    )


def _shown(account: Account, note: str = "") -> Answer:
    """A task with its history: as much of its detail, and as many steps, the newest first of all, as fit."""
    nonce = os.urandom(4).hex()
    known = _task(account.task)
    rest = account.task.detail

    def data(detail: str, steps: int) -> dict[str, Any]:
        left = len(rest) - len(detail)
        task = account.task.but(detail=f"{detail}\n[{counted(left, 'character')} left out]" if left else detail)
        shown = account.steps[len(account.steps) - steps :]
        page = task_page(
            task,
            standing_text(account),
            shown,
            older=account.older or len(shown) < len(account.steps),
            nonce=nonce,
            tools=True,
        )
        return {**known, "text": f"task {task.n}: {note}\n\n{page}" if note else page}

    steps = len(account.steps)
    while steps > 1 and size(data("", steps)) > ROOM:
        steps //= 2
    fits, too_long = 0, min(len(rest), ROOM) + 1
    while too_long - fits > 1:
        middle = (fits + too_long) // 2
        if size(data(rest[:middle], steps)) <= ROOM:
            fits = middle
        else:
            too_long = middle
    found = data(rest[:fits], steps)
    return Answer(found, found["text"])


_PROPERTIES = {
    "action": {"type": "string", "enum": [*_TAKES]},
    "number": NUMBER,
    "to": TEXT,
    "title": TEXT,
    "body": TEXT,
    "priority": NUMBER,
    "artifacts": TEXTS,
    "issue": TEXT,
    "key": TEXT,
    "term": NUMBER,
    "whose": {"type": "string", "enum": [ALL, MINE, GIVEN, POOL]},
    "open": FLAG,
    "bag": TEXT,
}

TOOL = Tool(
    name="task",
    description="Give work to a seat (no to: your project's pool), move it on, take from the pool, list, show."
    " body: detail, or what the other side is told. priority: 0 first, to 4. term: only while you"
    " lead in it.",
    act=run,
    properties=_PROPERTIES,
    required=("action",),
    ranges={"priority": (0, LEAST_URGENT)},
    always=("text",),
    stores=True,
)
