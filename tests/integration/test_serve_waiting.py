"""Calls over HTTP that wait: what they hold meanwhile, and what becomes of letters whose reader is gone."""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import pytest

from mailstop.resident.workers import READERS, WRITERS
from tests.clients.waiting import wait_for
from tests.http_served import Connection, Served, check, waiting
from tests.party import Party, Person
from tests.serve_inside import Inside

SeatAt = Callable[..., Party]
MANY = 45


def median_ms(connection: Connection) -> float:
    """How long a look takes."""
    times = []
    for _ in range(15):
        began = time.perf_counter()
        connection.told("who")
        times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)


def test_forty_five_calls_that_wait_hold_no_thread_and_slow_nothing(served: Served, person: Person) -> None:
    look = served.connect().initialize()
    alone = median_ms(look)
    threads = served.threads
    seats = [served.joined(f"seat-{number}") for number in range(MANY)]
    with ExitStack() as stack:
        opened = [stack.enter_context(one.begin(check(45, one))) for one in seats]
        wait_for("all of them wait", lambda: waiting(served) == MANY)

        # They list 45 seats more by now, so it is not the same look; that it takes no turn of theirs is what counts.
        crowded = median_ms(look)
        assert crowded < alone + 100
        assert served.threads <= threads + WRITERS + READERS
        for number in range(MANY):
            person.send(f"seat-{number}", f"letter for {number}") if number in (0, MANY - 1) else None

        for number in (0, MANY - 1):
            answer = b""
            while b'"result"' not in answer:
                answer += opened[number].recv(65536)
            assert f"letter for {number}".encode() in answer
        wait_for("the others wait on", lambda: waiting(served) == MANY - 2)


def test_forty_five_questions_that_wait_hold_no_thread_and_slow_nothing(served: Served, seat: SeatAt) -> None:
    peer, look = seat("peer"), served.connect().initialize()
    alone = median_ms(look)
    threads = served.threads
    seats = [served.joined(f"seat-{number}") for number in range(MANY)]
    with ExitStack() as stack:
        for one in seats:
            asking = {"name": "ask", "arguments": {"to": "peer", "body": f"May {one.id} go?", "wait": 45}}
            stack.enter_context(one.begin(one.numbered("tools/call", asking)))
        wait_for("all of them wait", lambda: waiting(served) == MANY)

        assert median_ms(look) < alone + 100
        assert served.threads <= threads + WRITERS + READERS
        questions = peer.run("asks", "--given", "--json").json["questions"]
        assert len(questions) == MANY
        peer.run("answer", str(questions[0]["n"]), "yes")
        wait_for("the others wait on", lambda: waiting(served) == MANY - 1)


def test_waiting_costs_no_processor_time(served: Served) -> None:
    ann = served.joined("ann")
    with ann.begin(check(45, ann)):
        wait_for("it waits", lambda: waiting(served) == 1)
        clock = served._running.processor_s
        before, until = clock(), time.monotonic() + 2.0
        wait_for("two seconds have passed", lambda: time.monotonic() > until)
        assert clock() - before <= 0.1


def test_a_call_that_waits_is_answered_as_soon_as_a_letter_comes(inside: Inside, seat: SeatAt) -> None:
    peer, ann = seat("peer"), inside.joined("ann")
    found: list[dict[str, Any]] = []
    thread = threading.Thread(target=lambda: found.append(ann.told("check", wait=40)))
    thread.start()
    wait_for("it waits", lambda: waiting(inside) == 1)
    began = time.monotonic()

    n = peer.send("ann", "here it is")
    thread.join()

    assert found[0]["letters"] == [n]
    assert time.monotonic() - began < 20


def test_a_call_that_waits_in_vain_says_so_when_its_time_is_over(inside: Inside) -> None:
    assert inside.joined("ann").told("check", wait=1)["letters"] == []


def test_who_wants_to_know_is_told_that_a_call_still_waits(inside: Inside) -> None:
    ann = inside.joined("ann")

    ann.told("check", wait=1, meta={"progressToken": "mine"})

    (progress,) = ann.unasked
    assert progress["method"] == "notifications/progress"
    assert progress["params"]["progressToken"] == "mine"
    assert progress["params"]["total"] == 1


def test_a_call_that_is_cancelled_waits_no_more_and_keeps_no_letter(inside: Inside, person: Person) -> None:
    ann = inside.joined("ann")
    request = check(45, ann)
    with ann.begin(request):
        wait_for("it waits", lambda: waiting(inside) == 1)
        told = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": request["id"]}}
        assert ann.post(told).status == 202
        wait_for("it waits no more", lambda: waiting(inside) == 0)

    n = person.send("ann", "later")
    assert ann.told("check")["letters"] == [n]


def test_letters_whose_answer_the_client_throws_away_are_offered_again(inside: Inside, person: Person) -> None:
    ann = inside.joined("ann")
    n = person.send("ann", "hello")
    assert ann.told("check")["letters"] == [n]

    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": ann._last}}
    assert ann.post(cancelled).status == 202

    wait_for("it is offered again", lambda: ann.told("check")["letters"] == [n])


def test_the_ids_of_requests_are_not_kept_however_long_they_are(inside: Inside, person: Person) -> None:
    ann = inside.joined("ann")
    n = person.send("ann", "hello")
    request = {**check(0, ann), "id": "x" * 1_000_000}

    (answer,) = ann.post(request).messages

    assert answer["result"]["structuredContent"]["letters"] == [n]
    assert not [given for each in inside.service.callers._known.values() for given in each.given]


def test_a_client_that_is_gone_while_its_call_waits_has_been_given_nothing(inside: Inside, person: Person) -> None:
    ann = inside.joined("ann")
    ann.begin(check(45, ann)).close()
    wait_for("nobody waits for it", lambda: waiting(inside) == 0)

    n = person.send("ann", "hello")

    assert ann.told("check")["letters"] == [n]


def test_what_a_call_gave_is_proved_by_the_next_call_of_the_same_session(
    inside: Inside, person: Person, stranger: Party
) -> None:
    ann = inside.joined("ann")
    n = person.send("ann", "hello")

    def state() -> str:
        (delivery,) = stranger.run("read", str(n), "--json").json["recipients"]
        return str(delivery["state"])

    assert state() == "stored"
    ann.told("check")
    wait_for("it was handed", lambda: state() == "handed")
    inside.joined("ben").told("who")
    assert state() == "handed"
    ann.told("who")
    assert state() == "shown"
    assert ann.told("check")["letters"] == []


def test_an_answer_says_how_many_letters_wait(inside: Inside, person: Person) -> None:
    ann = inside.joined("ann")
    person.send("ann", "hello")

    assert ann.told("who")["mail"].startswith("1 letter waits")


def test_a_question_over_http_gets_its_one_answer_while_its_asker_waits(inside: Inside, seat: SeatAt) -> None:
    peer, ann = seat("peer"), inside.joined("ann")
    found: list[dict[str, Any]] = []
    thread = threading.Thread(target=lambda: found.append(ann.told("ask", to="peer", body="May I?", wait=40)))
    thread.start()
    wait_for("it waits", lambda: waiting(inside) == 1)
    (question,) = peer.run("asks", "--given", "--json").json["questions"]

    assert peer.run("answer", str(question["n"]), "yes").code == 0
    thread.join()

    assert found[0]["state"] == "answered"
    assert "yes" in found[0]["text"]


def test_a_question_whose_asker_is_gone_is_waited_for_by_nobody_and_kept(inside: Inside, seat: SeatAt) -> None:
    peer, ann = seat("peer"), inside.joined("ann")
    asking = ann.numbered("tools/call", {"name": "ask", "arguments": {"to": "peer", "body": "May I?"}})
    with ann.begin(asking):
        wait_for("it waits", lambda: waiting(inside) == 1)
        (question,) = peer.run("asks", "--given", "--json").json["questions"]
        assert question["waits"]

    def still() -> bool:
        (asked,) = peer.run("asks", "--given", "--json").json["questions"]
        return not asked["waits"]

    wait_for("nobody waits for it", still)


def test_who_waits_for_an_answer_hears_at_once_that_the_session_that_was_asked_is_dead(
    inside: Inside, seat: SeatAt
) -> None:
    peer, ann = seat("peer"), inside.joined("ann")
    found: list[dict[str, Any]] = []
    thread = threading.Thread(target=lambda: found.append(ann.told("ask", to="peer", body="May I?", wait=40)))
    thread.start()
    wait_for("it waits", lambda: waiting(inside) == 1)
    began = time.monotonic()

    peer.close()
    thread.join()

    assert found[0]["state"] == "empty"
    assert time.monotonic() - began < 20


def test_what_a_connection_had_taken_is_free_when_it_closes(inside: Inside) -> None:
    ann, ben = inside.joined("ann"), inside.joined("ben")
    ann.told("lease", action="take", resources=["name:release"])
    assert ben.refused("lease", action="take", resources=["name:release"])["code"]

    ann.close()

    wait_for("it is free", lambda: not ben.call("lease", action="take", resources=["name:release"])["isError"])


@pytest.mark.parametrize("word", ["src", "src/parser.py", "path:src", "glob:*.py", "~/notes"])
def test_a_session_that_works_nowhere_takes_no_path_that_begins_there(inside: Inside, word: str) -> None:
    ann = inside.joined("ann")

    assert "works in no folder" in ann.refused("lease", action="take", resources=[word])["message"]
    assert ann.refused("lease", action="release", resources=[word])["code"] == "invalid_resource"
    ann.told("lease", action="take", resources=["/srv/parser", "glob:/srv/*.py", "name:release"])


def test_who_waits_for_what_another_connection_has_gets_it_when_that_one_closes(inside: Inside) -> None:
    ann, ben = inside.joined("ann"), inside.joined("ben")
    ann.told("lease", action="take", resources=["name:release"])
    found: list[dict[str, Any]] = []
    wish: dict[str, Any] = {"action": "take", "resources": ["name:release"], "wait": 40}
    thread = threading.Thread(target=lambda: found.append(ben.call("lease", **wish)))
    thread.start()
    wait_for("it waits", lambda: waiting(inside) == 1)
    began = time.monotonic()

    ann.close()
    thread.join()

    assert not found[0]["isError"], found
    assert time.monotonic() - began < 20
