"""Routes as data: deadlines that grow, and what a route keeps when it goes another way."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mailstop.engines.row import Row
from mailstop.rules.routes import MONITOR, QUEUE, SEALED, SOCKET, TURN, VISIT, Route, route_key, routes_of

DOORS = (MONITOR, SOCKET, QUEUE)
ROUTE = Route("default", "reader", "id", MONITOR)


def waits(route: Route, times: int) -> list[int]:
    """The waits of a running turn, in milliseconds, when it is looked at again and again."""
    found = []
    for _ in range(times):
        route = route.later(0)
        assert route.due is not None
        found.append(route.due)
    return found


def test_a_running_turn_is_looked_at_after_a_second_and_then_ever_more_slowly() -> None:
    assert waits(ROUTE, 7) == [1_000, 2_000, 4_000, 8_000, 16_000, 20_000, 20_000]


def test_a_ring_that_went_astray_says_nothing_about_the_turn_that_runs_now() -> None:
    rung = ROUTE.again(0).again(0).again(0)

    assert waits(rung, 1) == [1_000]
    assert rung.later(0).rung is False


def test_looks_at_a_turn_say_nothing_about_the_rings_after_it() -> None:
    looked_at = ROUTE.later(0).later(0).later(0)

    assert looked_at.by(MONITOR).attempts == 0
    assert looked_at.by(MONITOR).again(0).due == 20_000


def test_a_ring_by_another_door_counts_on() -> None:
    assert ROUTE.again(0).again(0).by(SOCKET).attempts == 2


@given(st.sampled_from((*DOORS, TURN, VISIT, SEALED)), st.integers(0, 10_000), st.integers(0, 1 << 50))
def test_no_deadline_is_ever_beyond_fifteen_minutes_or_now(way: str, attempts: int, now: int) -> None:
    route = ROUTE.but(way=way, attempts=attempts)

    for due in (route.again(now).due, route.later(now).due):
        assert due is not None
        assert now < due <= now + 15 * 60_000


@given(
    way=st.sampled_from((*DOORS, TURN)),
    rung=st.booleans(),
    shown=st.booleans(),
    attempts=st.integers(0, 100),
    due=st.none() | st.integers(0, 1 << 50),
)
def test_a_route_comes_back_from_its_row(way: str, rung: bool, shown: bool, attempts: int, due: int | None) -> None:
    route = ROUTE.but(way=way, n=7, rung=rung, shown=shown, attempts=attempts, due=due)
    put = route.put()

    assert Route.of(Row(put.key, {**put.value, "of a newer program": 1}, 1, put.due)) == route


@given(st.text(st.characters(codec="utf-8"), min_size=1), st.text(st.characters(codec="utf-8"), min_size=1))
def test_no_name_leads_to_the_claims_of_another(bag: str, seat: str) -> None:
    assert route_key(bag, seat, "id").startswith(routes_of(bag, seat))
    assert route_key(bag, seat, "id").count("/") == 3
    if (bag, seat) != ("default", "reader"):
        assert not route_key(bag, seat, "id").startswith(routes_of("default", "reader"))
