from __future__ import annotations

from tests.clients.world import World


def test_a_letter_in_the_inbox_socket_wakes_an_idle_claude(world: World) -> None:
    import time

    t = time.time()
    session = world.claude()
    print("ready", time.time() - t)
    t = time.time()
    session.write_to_inbox("letter 7")
    print("written", time.time() - t)
    world.wait_for_request("letter 7")
    print("request", time.time() - t)
    print(session.registry)
    session.wait_until_idle()
    for i in range(3):
        old = session.session_id
        t = time.time()
        session.clear()
        print("clear", time.time() - t)
    t = time.time()
    session.say("hello there")
    world.wait_for_request("hello there")
    print("say", time.time() - t)
    session.wait_until_idle()
    t = time.time()
    session.close()
    print("close", time.time() - t)
    for r in world.model.requests:
        print(r.number, r.path, r.is_side, dict(r.headers), [(e.speaker, e.text[:60]) for e in r.entries])
    assert 0
