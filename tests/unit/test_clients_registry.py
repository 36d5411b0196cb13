from __future__ import annotations

import os
import stat
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailstop import bells, config
from mailstop.clients import registry
from mailstop.clients.life import Life, is_alive, my_life
from mailstop.clients.registry import Registration, bell_name
from mailstop.clients.small_file import read_small
from mailstop.names import is_name
from mailstop.session import Session

THREAD = "01a227bc-e031-7b73-a9b7-49711dc7b705"
TOKEN = "0123456789abcdef" * 2


def registration(client: str = "claude", client_session: str = "c0ffee", **changes: object) -> Registration:
    details = {"codex_home": "/home/ann/.codex"} if client == "codex" else {"socket": "/run/1.sock"}
    made = Registration(client, client_session, "s-1", "sqlite:////x/m.db", my_life(), "/work", details)
    return made.but(**changes)


@pytest.fixture
def dead() -> Life:
    mine = my_life()
    return mine.but(start=mine.start - 1)


def file_of(one: Registration) -> Path:
    return Path(registry.folder(), one.file_name)


def test_a_client_finds_its_registration_by_its_process() -> None:
    registry.write(registration())
    assert registry.claude_of(os.getpid(), my_life().start) == registration()


def test_a_process_that_got_the_pid_later_finds_nothing() -> None:
    registry.write(registration())
    assert registry.claude_of(os.getpid(), my_life().start + 1) is None


def test_a_thread_finds_its_registration_by_its_id() -> None:
    registry.write(registration("codex", THREAD))
    assert registry.codex_of(THREAD) == registration("codex", THREAD)


def test_a_program_finds_its_registration_by_its_token() -> None:
    registry.write(registration("program", TOKEN))
    assert registry.program_of(TOKEN) == registration("program", TOKEN)


def test_one_client_has_one_registration_however_often_it_starts() -> None:
    registry.write(registration())
    registry.write(registration(client_session="after-clear"))
    assert [one.client_session for one in registry.everyone()] == ["after-clear"]


def test_two_processes_of_one_pid_in_two_containers_do_not_overwrite_each_other() -> None:
    registry.write(registration())
    registry.write(registration(client_session="other", life=my_life().but(namespace="7")))
    assert len(registry.everyone()) == 2


def test_registrations_are_for_this_user_only() -> None:
    registry.write(registration())
    modes = [stat.S_IMODE(os.stat(path).st_mode) for path in (registry.folder(), file_of(registration()))]
    assert modes == [0o700, 0o600]


def test_nothing_half_written_is_left_behind() -> None:
    registry.write(registration())
    assert os.listdir(registry.folder()) == [registration().file_name]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"client": "claude"}', b"[" * 100_000])
def test_a_torn_or_strange_file_counts_as_not_there(content: bytes) -> None:
    registry.write(registration())
    file_of(registration()).write_bytes(content)
    assert registry.claude_of(os.getpid(), my_life().start) is None


def test_a_symbolic_link_is_not_followed(tmp_path: Path) -> None:
    registry.write(registration())
    moved = file_of(registration()).rename(tmp_path / "elsewhere.json")
    file_of(registration()).symlink_to(moved)
    assert registry.everyone() == []


def test_a_fifo_in_the_folder_stops_nobody() -> None:
    registry.write(registration())
    os.mkfifo(Path(registry.folder(), "claude-1-1-x.json"))
    assert len(registry.everyone()) == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_another_users_file_counts_as_not_there() -> None:
    registry.write(registration())
    os.chown(file_of(registration()), 4242, 4242)
    assert registry.everyone() == []


def test_a_file_under_another_clients_name_is_not_believed() -> None:
    registry.write(registration("codex", THREAD))
    file = file_of(registration("codex", THREAD))
    file.rename(file.with_name(f"codex-{THREAD.replace('7', '8')}.json"))
    assert registry.everyone() == []


@pytest.mark.parametrize("name", ["../../etc/passwd", "", "a/b", "a\0b", "ä", "x" * 200])
def test_no_session_id_leads_out_of_the_folder(name: str) -> None:
    assert registry.codex_of(name) is None
    with pytest.raises(ValueError):
        registry.write(registration("codex", name))


def test_a_claude_code_that_did_not_say_its_session_can_be_registered() -> None:
    registry.write(registration(client_session=""))
    assert registry.claude_of(os.getpid(), my_life().start) == registration(client_session="")


def test_a_removed_registration_is_gone() -> None:
    registry.write(registration())
    registry.remove(registration())
    assert registry.everyone() == []


def test_removing_twice_is_no_error() -> None:
    registry.remove(registration())


def test_a_thread_that_went_on_elsewhere_keeps_its_registration(dead: Life) -> None:
    registry.write(registration("codex", THREAD))
    registry.remove(registration("codex", THREAD, life=dead))
    assert registry.everyone() == [registration("codex", THREAD)]


def test_a_sweep_takes_the_dead_and_leaves_the_living(dead: Life) -> None:
    registry.write(registration())
    gone = registration("program", TOKEN, life=dead)
    registry.write(gone)
    assert registry.sweep() == [gone]
    assert registry.everyone() == [registration()]


def test_a_sweep_leaves_who_cannot_be_judged() -> None:
    registry.write(registration(life=my_life().but(namespace="7")))
    assert registry.sweep() == []
    assert len(registry.everyone()) == 1


def test_a_sweep_takes_who_could_not_be_judged_for_a_month() -> None:
    other = registration(life=my_life().but(namespace="7"))
    registry.write(other)
    os.utime(file_of(other), (0, time.time() - 31 * 24 * 3600))
    registry.sweep()
    assert registry.everyone() == []


def test_a_sweep_leaves_a_file_that_is_just_being_written() -> None:
    registry.write(registration())
    Path(registry.folder(), ".1-ab.new").write_bytes(b"{")
    registry.sweep()
    assert Path(registry.folder(), ".1-ab.new").exists()


def test_without_a_folder_there_is_nobody() -> None:
    assert (registry.everyone(), registry.sweep(), registry.claude_pids()) == ([], [], set())


@given(st.text(), st.integers(1, 2**22), st.sampled_from(registry.CLIENTS))
def test_every_bell_has_a_legal_name(home: str, pid: int, client: str) -> None:
    assert is_name(bell_name(client, pid=pid, codex_home="/" + home.replace("\0", ""), token=TOKEN))


def test_two_ways_to_write_one_codex_home_are_one_bell(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    names = {bell_name("codex", codex_home=str(tmp_path) + end) for end in ("", "/", "//", "/.", "/link")}
    assert len(names) == 1


def test_two_codex_homes_have_two_bells() -> None:
    assert bell_name("codex", codex_home="/a-b") != bell_name("codex", codex_home="/a/b")


def test_both_bells_of_a_codex_home_are_found_below_its_own_path(tmp_path: Path) -> None:
    home = str(tmp_path / ".codex")
    registered = registration("codex", THREAD, details={"codex_home": home})
    registry.write(registered)
    link = f"{config.state_folder()}/homes{home}/{registry.LINK}"

    for name, path in ((registered.bell, link), (bells.prompt_bell(registered.bell), f"{link}{config.PROMPT_BELL}")):
        assert not Path(path).exists()
        bells.ring(name)
        assert Path(path).exists()


def test_a_codex_home_that_leads_upwards_makes_no_link() -> None:
    registry.write(registration("codex", THREAD, details={"codex_home": "/../../../../../../tmp/x"}))
    assert not Path(config.state_folder(), "homes").exists()


def test_who_registers_while_a_sweep_judges_its_predecessor_keeps_its_file(
    dead: Life, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry.write(registration("program", TOKEN, life=dead))

    def meanwhile(life: Life) -> bool | None:
        registry.write(registration("program", TOKEN))
        return is_alive(life)

    monkeypatch.setattr("mailstop.clients.registry.is_alive", meanwhile)

    assert registry.sweep() == []
    assert registry.everyone() == [registration("program", TOKEN)]


def test_who_registers_in_the_last_moment_before_a_removal_keeps_its_file(
    dead: Life, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry.write(registration("program", TOKEN, life=dead))
    move = os.rename

    def meanwhile(path: str, aside: str) -> None:
        registry.write(registration("program", TOKEN))
        move(path, aside)

    monkeypatch.setattr(os, "rename", meanwhile)

    assert registry.sweep() == []
    assert os.listdir(registry.folder()) == [registration("program", TOKEN).file_name]


def test_a_removal_leaves_who_registers_while_it_looks(dead: Life, monkeypatch: pytest.MonkeyPatch) -> None:
    registry.write(registration(life=my_life()))
    look = registry._read

    def meanwhile(name: str) -> Registration | None:
        found = look(name)
        registry.write(registration(client_session="after-clear", life=dead.but(pid=os.getpid())))
        return found

    monkeypatch.setattr(registry, "_read", meanwhile)
    registry.remove(registration())

    assert file_of(registration()).exists()


def threads(count: int, **changes: object) -> None:
    """Register that many threads of one CODEX_HOME."""
    for number in range(count):
        registry.write(registration("codex", f"{number:08d}-e031-7b73-a9b7-49711dc7b705", **changes))


def test_the_stores_of_a_bell_are_those_of_all_its_threads() -> None:
    threads(3, store="sqlite:////x/one.db")
    threads(1, store="sqlite:////x/two.db")
    threads(1, store="sqlite:////x/other.db", details={"codex_home": "/home/ann/.other"})

    assert registry.stores_of(registration("codex", THREAD).bell) == {"sqlite:////x/one.db", "sqlite:////x/two.db"}


def test_the_stores_of_a_bell_are_found_at_the_same_cost_however_many_threads_there_were(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bell = registration("codex", THREAD).bell
    read: list[str] = []

    def counted(path: str, **terms: object) -> bytes | None:
        read.append(path)
        return read_small(path, **terms)  # type: ignore[arg-type]

    threads(1)
    monkeypatch.setattr("mailstop.clients.registry.read_small", counted)
    registry.stores_of(bell)
    before = len(read)
    threads(50)
    read.clear()

    assert registry.stores_of(bell) == {"sqlite:////x/m.db"}
    assert len(read) == before


def test_a_store_in_which_no_thread_was_registered_for_a_month_is_forgotten() -> None:
    bell = registration("codex", THREAD).bell
    threads(1)
    (noted,) = Path(config.state_folder(), "stores", bell).iterdir()
    os.utime(noted, (0, time.time() - 31 * 24 * 3600))
    registry.sweep()

    assert registry.stores_of(bell) == set()


def test_a_registration_says_of_a_session_what_its_doors_need() -> None:
    session = Session("s-1", "claude", "c0ffee", {}, "bell", folder="/work", details={"socket": "/run/1.sock"})

    assert Registration.of(session, store="sqlite:////x/m.db", life=my_life()) == registration()
