"""Full and read-only disks, real ones. What was acknowledged stays; with room again, the next command works."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.faults.small_disk import FILLING, PartyOnSmallDisk, is_full, is_possible
from tests.faults.soundness import assert_sound, default_store, everything_new, stored_bodies
from tests.party import MAILSTOP, Party

needs_a_disk = pytest.mark.skipif(not is_possible(), reason="this system lets nobody mount a small disk (unshare)")
MOST = 100  # letters that may fit onto a full disk's last blocks


@pytest.fixture
def disk(own_home: Path, parties: ExitStack) -> PartyOnSmallDisk:
    """A party that has a small disk for its store."""
    party = PartyOnSmallDisk(own_home, default_store(own_home).parent)
    parties.callback(party.close)
    return party


def sent_until_it_fails(party: Party) -> tuple[list[str], str]:
    """Write to the reader until that is refused; the bodies that were acknowledged, and the last error."""
    acknowledged: list[str] = []
    for number in range(MOST):
        sent = party.run("send", "reader", f"letter {number}", "--key", f"key {number}")
        if sent.code:
            assert (sent.code, sent.out) == (5, "")
            return acknowledged, sent.err
        acknowledged.append(f"letter {number}")
    raise AssertionError("the disk is not full")


@needs_a_disk
@pytest.mark.parametrize("what", FILLING)
def test_a_send_to_a_full_disk_stores_nothing_and_says_so(
    what: str, disk: PartyOnSmallDisk, store: Path, tmp_path: Path
) -> None:
    disk.as_("reader")
    disk.as_("builder").run("send", "reader", "before")
    disk.fill(what)
    acknowledged, error = sent_until_it_fails(disk)
    disk.make_room()

    assert is_full(error, store)
    again = disk.run("send", "reader", f"letter {len(acknowledged)}", "--key", f"key {len(acknowledged)}", "--json")
    assert (again.code, again.err) == (0, "")
    expected = ["before", *acknowledged, f"letter {len(acknowledged)}"]
    assert everything_new(disk.as_("reader")) == expected
    copy = disk.copy_out(store, tmp_path / "copy")
    assert stored_bodies(copy) == expected
    assert_sound(copy)


@needs_a_disk
def test_a_send_to_a_disk_that_fills_while_others_have_the_store_open_loses_nothing(
    disk: PartyOnSmallDisk, store: Path, tmp_path: Path
) -> None:
    disk.as_("reader")
    waiting = disk.as_("watcher").start("check", "--wait", "50")  # keeps the log and its index in place
    disk.as_("builder").run("send", "reader", "before")
    disk.fill()
    acknowledged, error = sent_until_it_fails(disk)
    disk.make_room()

    assert is_full(error, store)
    assert disk.run("send", "watcher", "come").code == 0
    assert waiting.wait() == 0
    assert everything_new(disk.as_("reader")) == ["before", *acknowledged]
    assert_sound(disk.copy_out(store, tmp_path / "copy"))


@needs_a_disk
def test_a_check_on_a_full_disk_never_says_that_nothing_waits(disk: PartyOnSmallDisk, store: Path) -> None:
    disk.as_("reader")
    disk.as_("builder").run("send", "reader", "hello")
    disk.fill()
    checked = disk.as_("reader").run("check")
    disk.make_room()

    assert (checked.code, checked.out) == (5, "")
    assert is_full(checked.err, store)
    assert everything_new(disk) == ["hello"]


@needs_a_disk
def test_a_store_that_could_not_be_made_is_made_once_there_is_room(disk: PartyOnSmallDisk, store: Path) -> None:
    disk.fill()
    joined = disk.run("join", "builder", "--export")
    disk.make_room()

    assert (joined.code, joined.out) == (5, "")
    assert is_full(joined.err, store)
    assert disk.as_("builder").run("send", "reader", "hello", "--hold").code == 0


@needs_a_disk
def test_a_read_only_disk_is_told_in_a_sentence(disk: PartyOnSmallDisk, store: Path, tmp_path: Path) -> None:
    disk.as_("builder").run("send", "reader", "before", "--hold")
    disk.mount_read_only()

    sent = disk.run("send", "reader", "hello")

    assert (sent.code, sent.out) == (5, "")
    assert sent.err.startswith(f"mailstop: The store {store} cannot be used: ")
    assert sent.err.count("\n") == 1
    assert stored_bodies(disk.copy_out(store, tmp_path / "copy")) == ["before"]


@pytest.fixture
def state(own_home: Path, parties: ExitStack) -> PartyOnSmallDisk:
    """A party that has a small disk for bells, registrations and the log, and its store elsewhere."""
    party = PartyOnSmallDisk(own_home, own_home / ".local" / "state" / "mailstop")
    parties.callback(party.close)
    return party


@needs_a_disk
def test_with_a_full_state_folder_letters_are_still_sent_and_read(state: PartyOnSmallDisk, store: Path) -> None:
    state.as_("reader")
    state.as_("builder")
    state.fill()

    sent = state.run("send", "reader", "hello")

    assert (sent.code, sent.err) == (0, "")
    assert everything_new(state.as_("reader")) == ["hello"]
    assert_sound(store)


@needs_a_disk
def test_with_a_full_state_folder_a_join_says_what_is_wrong_and_takes_no_seat(state: PartyOnSmallDisk) -> None:
    state.fill()
    joined = state.run("join", "builder", "--export")
    state.make_room()

    assert (joined.code, joined.out) == (5, "")
    assert joined.err.startswith(f"mailstop: The folder {state.disk} cannot be written (No space left on device)")
    assert joined.err.count("\n") == 1
    state.as_("builder")


HOOKS = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolBatch", "Stop", "SessionEnd")


def ran(party: Party, name: str) -> tuple[int, str, str]:
    """Run a hook of the Claude Code that the party's process is given out for; its exit code, output and errors."""
    event = {"hook_event_name": name, "session_id": "s", "cwd": str(party.home), "prompt": "hello", "prompt_id": "t"}
    client = {"CLAUDE_PID": str(party.pid), "CLAUDECODE": "1"}
    run = party.call([MAILSTOP, "hook"], input=json.dumps(event), environment=client)
    return run.code, run.out, run.err


@needs_a_disk
@pytest.mark.parametrize("place", ["disk", "state"])
def test_on_a_full_disk_no_hook_fails_its_client(place: str, request: pytest.FixtureRequest) -> None:
    party: PartyOnSmallDisk = request.getfixturevalue(place)
    assert ran(party, "SessionStart")[0] == 0
    party.fill()

    for name in HOOKS:
        code, out, err = ran(party, name)
        assert (code, err) == (0, ""), name
        assert out == "" or json.loads(out), name
    party.make_room()

    code, out, _ = ran(party, "SessionStart")
    assert "seat" in json.loads(out)["systemMessage"]


@needs_a_disk
@pytest.mark.parametrize("place", ["disk", "state"])
def test_a_session_that_starts_on_a_full_disk_is_told_why_it_has_no_mail(
    place: str, request: pytest.FixtureRequest
) -> None:
    party: PartyOnSmallDisk = request.getfixturevalue(place)
    party.fill()

    code, out, err = ran(party, "SessionStart")

    assert (code, err) == (0, "")
    assert str(party.disk) in json.loads(out)["systemMessage"]
    assert "not known" in json.loads(out)["hookSpecificOutput"]["additionalContext"]


def test_a_write_that_the_system_cuts_off_is_in_doubt_or_refused_and_then_stored_once(
    seat: Callable[[str], Party], store: Path
) -> None:
    reader, builder = seat("reader"), seat("builder")
    words = ["send", "reader", "-", "--key", "k"]
    limit_blocks = store.stat().st_size // 512
    limited = ["sh", "-c", f'ulimit -f {limit_blocks}; exec "$0" "$@"', MAILSTOP, *words]

    cut = builder.call(limited, input="x" * 200_000)

    assert cut.code in (5, 6), cut.err
    assert cut.err.count("\n") == 1
    assert builder.run(*words, input="x" * 200_000).code == 0
    assert stored_bodies(store) == ["x" * 200_000]
    assert len(everything_new(reader)) == 1
    assert_sound(store)
