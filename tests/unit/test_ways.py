from __future__ import annotations

from mailstop.rules import routes
from mailstop.rules.ways import WORDS, words_of

WAYS = {routes.MONITOR, routes.SOCKET, routes.QUEUE, routes.TURN, routes.VISIT, routes.LATER, routes.SEALED}


def test_every_way_has_words_for_everybody_who_asks() -> None:
    assert set(WORDS) == WAYS
    assert all(text for words in WORDS.values() for text in words.as_dict().values())


def test_a_way_of_a_newer_program_is_spoken_of_as_none() -> None:
    assert words_of("carrier pigeon") == WORDS[routes.VISIT]
