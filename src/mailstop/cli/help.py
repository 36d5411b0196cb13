"""mailstop help [TOPIC]: all verbs; one of them in full; or what is to be known of a topic."""

from __future__ import annotations

import os

from mailstop.cli.arguments import EVERYWHERE, Positional, parser
from mailstop.cli.entry import ALIASES, VERBS
from mailstop.cli.overview import HOOK, epilog, overview
from mailstop.cli.result import Result
from mailstop.errors import UsageError
from mailstop.names import nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.cli.arguments import Arguments, Parameter

PARAMETERS: tuple[Parameter, ...] = (Positional("topic", "TOPIC", "a verb or a topic; none: all verbs", needed=False),)
NEEDS_NO_STORE = True
UNUSED = ("--store", "--bag")

ENDING = ".txt"
MADE = "environment"  # the one topic that is no file: it is made of what each variable says


def run(args: Arguments) -> Result:
    """Print what is known of the topic. Raises UsageError for one that there is nothing of."""
    topic = args.topic
    if topic is None:
        text = f"{overview()}\n\nmailstop help TOPIC, of: {', '.join(topics())}"
        return Result({"topics": topics(), "verbs": list(VERBS)}, text)
    if topic in topics():
        text = text_of(topic)
        return Result({"topic": topic, "text": text}, text)
    verb = ALIASES.get(topic, topic)
    if verb not in VERBS:
        near = nearest(topic, [*topics(), *VERBS])
        meant = f"; nearest: {', '.join(near)}" if near else ""
        raise UsageError(reason=f"there is no help on {topic!r}{meant}. Topics: {', '.join(topics())}")
    text = HOOK if verb == "hook" else explained(verb)
    return Result({"topic": verb, "text": text}, text)


def topics() -> list[str]:
    """The topics, by name."""
    return sorted([MADE, *(name.removesuffix(ENDING) for name in os.listdir(_folder()) if name.endswith(ENDING))])


def text_of(topic: str) -> str:
    """What is known of one of the topics."""
    if topic == MADE:
        from mailstop.cli.variables import told

        return told()
    with open(os.path.join(_folder(), f"{topic}{ENDING}"), encoding="utf-8") as file:
        return file.read().rstrip("\n")


def explained(verb: str) -> str:
    """What `mailstop VERB --help` prints."""
    module = __import__(f"mailstop.cli.{verb}", fromlist=["PARAMETERS"])
    unused = getattr(module, "UNUSED", ())
    parameters = (*module.PARAMETERS, *(one for one in EVERYWHERE if one.names[0] not in unused))
    return parser(verb, VERBS[verb], parameters, epilog(getattr(module, "EXAMPLES", ""))).format_help().rstrip("\n")


def _folder() -> str:
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "topics")
