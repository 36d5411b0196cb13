"""Lives and ancestors of real processes: dead ones, zombies, orphans, and those of other pid namespaces."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mailstop.clients.ancestry import ancestors
from mailstop.clients.life import Life, is_alive, life_of, my_life
from mailstop.clients.process import DEAD, process_of, start_of

needs_namespaces = pytest.mark.skipif(
    os.geteuid() != 0 or not shutil.which("unshare"), reason="only root may make a pid namespace here"
)


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    """A process that runs until its input ends."""
    process = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    yield process
    process.kill()
    process.communicate()


def living(pid: int) -> Life:
    life = life_of(pid)
    assert life is not None
    return life


def told_by(command: list[str], script: str, *arguments: str) -> dict[str, object]:
    """What a Python script prints as JSON, run by the command given."""
    done = subprocess.run(
        [*command, sys.executable, "-c", script, *arguments], check=True, capture_output=True, text=True
    )
    told: dict[str, object] = json.loads(done.stdout)
    return told


def test_a_running_process_lives(sleeper: subprocess.Popen[bytes]) -> None:
    assert is_alive(living(sleeper.pid)) is True
    assert start_of(sleeper.pid) == living(sleeper.pid).start


def test_a_killed_process_is_dead(sleeper: subprocess.Popen[bytes]) -> None:
    life = living(sleeper.pid)
    sleeper.kill()
    sleeper.wait()
    assert is_alive(life) is False


def test_a_zombie_is_dead(sleeper: subprocess.Popen[bytes]) -> None:
    life = living(sleeper.pid)
    sleeper.kill()
    os.waitid(os.P_PID, sleeper.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and nobody has collected it
    assert process_of(sleeper.pid) is not None
    assert start_of(sleeper.pid) == DEAD
    assert is_alive(life) is False


def test_a_zombie_has_no_life(sleeper: subprocess.Popen[bytes]) -> None:
    sleeper.kill()
    os.waitid(os.P_PID, sleeper.pid, os.WEXITED | os.WNOWAIT)
    assert life_of(sleeper.pid) is None


def test_a_stopped_process_lives(sleeper: subprocess.Popen[bytes]) -> None:
    sleeper.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, sleeper.pid, os.WSTOPPED | os.WNOWAIT)
    assert is_alive(living(sleeper.pid)) is True


def test_a_process_that_executes_another_program_keeps_its_life() -> None:
    script = "import os; from mailstop.clients.life import my_life; os.environ['L'] = repr(my_life())"
    after = "from mailstop.clients.life import my_life; import os; print(os.environ['L'] == repr(my_life()))"
    code = f"{script}; import sys; os.execv(sys.executable, [sys.executable, '-c', {after!r}])"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "True\n"


def test_the_ancestors_of_a_child_are_its_parents_in_order() -> None:
    script = "from mailstop.clients.ancestry import ancestors; print([above.pid for above in ancestors()])"
    done = subprocess.run(
        ["sh", "-c", 'echo $$; "$0" -c "$1"; :', sys.executable, script], check=True, capture_output=True, text=True
    )
    shell, chain = done.stdout.split("\n", 1)
    assert json.loads(chain)[:2] == [int(shell), os.getpid()]


def test_the_ancestors_of_an_orphan_leave_out_who_started_it() -> None:
    script = "from mailstop.clients.ancestry import ancestors; print(*[a.pid for a in ancestors()])"
    told, writer = os.pipe()
    gate, go = os.pipe()
    # The shell ends at once, and the process it leaves goes on only after that.
    orphan = 'exec 3<&0; (read _; exec "$0" -c "$1") <&3 &'
    subprocess.run(
        ["sh", "-c", orphan, sys.executable, script],
        check=True,
        stdin=gate,
        stdout=writer,
        start_new_session=True,
    )
    os.close(gate)
    os.close(writer)
    os.write(go, b"\n")
    os.close(go)
    with open(told) as chain:
        assert str(os.getpid()) not in chain.read().split()


def test_a_deep_chain_is_cut_at_64() -> None:
    script = """
import os, sys
from mailstop.clients.ancestry import ancestors
for _ in range(70):
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        os._exit(0)
print(len(ancestors()), flush=True)
"""
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert done.stdout == "64\n"


SEEN = """
import json, sys
from mailstop.clients.ancestry import ancestors
from mailstop.clients.life import Life, is_alive, my_life
mine = my_life()
outside = Life.from_dict(json.loads(sys.argv[1])) if sys.argv[1:] else mine
print(json.dumps({"mine": mine.as_dict(), "outside": is_alive(outside), "ancestors": len(ancestors()),
                  "me": is_alive(mine), "same": outside.is_same(outside.pid, outside.start)}))
"""
OWN_PROC = ["unshare", "--pid", "--fork", "--mount-proc"]
FOREIGN_PROC = ["unshare", "--pid", "--fork"]


@needs_namespaces
def test_inside_a_namespace_a_process_judges_itself() -> None:
    assert told_by(OWN_PROC, SEEN)["me"] is True


@needs_namespaces
def test_inside_a_namespace_nothing_outside_can_be_judged() -> None:
    assert told_by(OWN_PROC, SEEN, json.dumps(my_life().as_dict()))["outside"] is None


@needs_namespaces
def test_a_process_inside_a_namespace_cannot_be_judged_from_outside() -> None:
    inside = Life.from_dict(told_by(OWN_PROC, SEEN)["mine"])
    assert inside is not None
    assert is_alive(inside) is None


@needs_namespaces
def test_the_ancestors_outside_a_namespace_are_hidden() -> None:
    assert told_by(OWN_PROC, SEEN)["ancestors"] == 0


@needs_namespaces
def test_a_process_table_from_outside_is_not_taken_for_ones_own() -> None:
    seen = told_by(FOREIGN_PROC, SEEN, json.dumps(my_life().as_dict()))
    assert (seen["outside"], seen["me"]) == (None, None)


@needs_namespaces
def test_a_process_table_from_outside_still_shows_the_ancestors() -> None:
    seen = told_by(FOREIGN_PROC, SEEN, json.dumps(my_life().as_dict()))
    assert isinstance(seen["ancestors"], int)
    assert seen["ancestors"] > len(ancestors())
    assert seen["same"] is True


@needs_namespaces
def test_without_a_process_table_nothing_is_judged(tmp_path: Path) -> None:
    hidden = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh"]
    seen = told_by(hidden, SEEN, json.dumps(my_life().as_dict()))
    assert (seen["outside"], seen["me"], seen["ancestors"]) == (None, None, 0)
