"""`mailstop lease` by real processes, in real repositories, and in a hook of Git's."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from mailstop import bells
from tests.clients.waiting import wait_for
from tests.integration.test_hot_path import assert_lean, imported
from tests.party import MAILSTOP, ClaudeParty, CompletedRun, Party, Person

SeatAt = Callable[..., Party]
SESSION = "01a227bc-e031-7b73-a9b7-49711dc7b705"


@pytest.fixture
def git(own_home: Path, stranger: Party) -> Callable[..., CompletedRun]:
    """Run Git in a folder."""
    (own_home / ".gitconfig").write_text("[user]\nname = a\nemail = a@example.org\n[init]\ndefaultBranch = main\n")

    def run(folder: Path, *words: str, party: Party = stranger) -> CompletedRun:
        return party.call(["git", *words], cwd=folder)

    return run


@pytest.fixture
def shop(git: Callable[..., CompletedRun], own_home: Path) -> Path:
    """A repository with `src/a.py` and `src/b.py`."""
    folder = own_home / "shop"
    (folder / "src").mkdir(parents=True)
    git(folder, "init", "-q")
    for name in ("src/a.py", "src/b.py"):
        (folder / name).write_text("first\n")
    git(folder, "add", "-A")
    assert git(folder, "commit", "-q", "-m", "first").code == 0
    return folder


def lease(party: Party, folder: Path, *words: str, input: str | bytes = b"") -> CompletedRun:
    return party.run("lease", *words, cwd=folder, input=input)


def taken(party: Party, folder: Path, *words: str) -> None:
    run = lease(party, folder, "take", *words)
    assert run.code == 0, run.err


# -- take, renew, release, list


def test_what_is_taken_is_told_with_its_term_and_how_each_word_was_read(seat: SeatAt, shop: Path) -> None:
    builder = seat("builder")

    run = lease(builder, shop, "take", "src/a.py", "deploy", "docs/*.md", "--json")

    assert run.code == 0
    term = run.json["term"]
    assert [(each["resource"], each["read_as"], each["term"], each["new"]) for each in run.json["leases"]] == [
        ("src/a.py", "path", term, True),
        ("name:deploy", "name", term, True),
        ("docs/*.md", "glob", term, True),
    ]
    assert [each["why"] for each in run.json["leases"]] == [
        "it is there",
        "it is one word, and no file here",
        "it has wildcards, and is not there",
    ]
    assert [each["project"] for each in run.json["leases"]] == ["shop"] * 3
    again = lease(builder, shop, "take", "src/a.py")
    assert again.out.startswith("src/a.py renewed until ")
    assert again.out.endswith(f", term {term}\n")


def test_another_is_refused_and_told_who_has_it_since_when_and_how_to_go_on(seat: SeatAt, shop: Path) -> None:
    taken(seat("builder"), shop, "src", "--note", "new grammar")

    run = lease(seat("reviewer"), shop, "take", "src/a.py")

    assert (run.code, run.out) == (1, "")
    assert run.err.startswith("mailstop: src is held by seat builder (a program) since ")
    shown = (" until ", "note: new grammar", "Nothing was taken", "repeat it with --wait SECONDS")
    for part in (*shown, "mailstop send builder -"):
        assert part in run.err


def test_a_program_is_told_who_holds_what(seat: SeatAt, shop: Path) -> None:
    taken(seat("builder"), shop, "src", "docs/", "--note", "new grammar")

    run = lease(seat("reviewer"), shop, "take", "src/a.py", "docs/x.md", "name:x", "--json")

    assert run.code == 1
    assert run.json["error"]["code"] == "lease_taken"
    found = [(each["resource"], each["seat"], each["note"]) for each in run.json["error"]["taken"]]
    assert found == [("src", "builder", "new grammar"), ("docs", "builder", "new grammar")]
    assert lease(seat("critic"), shop, "check", "name:x").code == 0


def test_worktrees_of_one_repository_share_their_leases(
    seat: SeatAt, shop: Path, git: Callable[..., CompletedRun], own_home: Path
) -> None:
    assert git(shop, "worktree", "add", "-q", str(own_home / "other"), "-b", "other").code == 0
    taken(seat("builder"), shop, "src/a.py", "name:deploy")

    reviewer = seat("reviewer")

    assert lease(reviewer, own_home / "other" / "src", "take", "a.py").code == 1
    assert lease(reviewer, own_home / "other", "take", "src/b.py").code == 0


def test_names_are_those_of_the_repository_one_is_in_else_of_the_sessions_project(
    claude: ClaudeParty, seat: SeatAt, shop: Path, own_home: Path
) -> None:
    claude.open(SESSION, cwd=str(shop))
    (own_home / "elsewhere").mkdir()

    run = lease(claude, own_home / "elsewhere", "take", "name:deploy", "--json")

    assert run.json["leases"][0]["project"] == "shop"
    reviewer = seat("reviewer")  # which joined in its home folder
    assert lease(reviewer, shop / "src", "check", "name:deploy").code == 1
    assert lease(reviewer, own_home, "check", "name:deploy").code == 0


def test_names_are_those_of_the_project_that_the_person_has_set(seat: SeatAt, shop: Path, own_home: Path) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    for party in (builder, reviewer):
        party.environment["MAILSTOP_PROJECT"] = "everything"

    taken(builder, shop, "name:deploy")

    assert lease(reviewer, own_home, "check", "name:deploy").code == 1


def test_a_lease_is_renewed_released_and_listed(seat: SeatAt, shop: Path) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    taken(builder, shop, "src/a.py", "deploy")
    taken(reviewer, shop, "docs/")

    renewed = lease(builder, shop, "renew", "--all", "--ttl", "1h30m")
    listed = lease(builder, shop, "list", "--json").json["leases"]
    mine = lease(builder, shop, "list", "--mine", "--json").json["leases"]
    released = lease(builder, shop, "release", "src/a.py")

    assert len(renewed.lines) == 2
    assert [(each["resource"], each["seat"], each["mine"]) for each in listed] == [
        ("src/a.py", "builder", True),
        ("name:deploy", "builder", True),
        ("docs", "reviewer", False),
    ]
    assert [each["resource"] for each in mine] == ["src/a.py", "name:deploy"]
    assert released.out == "src/a.py released\n"
    assert lease(builder, shop, "release", "--all").out == "name:deploy released\n"
    assert lease(builder, shop, "release", "--all").out == "you hold no lease\n"
    assert lease(builder, shop, "renew", "--all").code == 3


def test_a_list_is_of_one_project_or_of_all(seat: SeatAt, shop: Path, own_home: Path) -> None:
    builder = seat("builder")
    taken(builder, shop, "src/a.py")
    taken(builder, own_home, "./notes.txt")

    everything = lease(builder, shop, "list", "--json").json["leases"]
    of_project = lease(builder, shop, "list", "--project", "shop", "--json").json["leases"]

    assert [each["resource"] for each in everything] == ["src/a.py", str(own_home / "notes.txt")]
    assert [each["resource"] for each in of_project] == ["src/a.py"]
    assert lease(builder, shop, "--bag", "default").lines[0].split()[0] == "resource"
    assert lease(builder, shop, "list", "--bag", "nope").code == 3


def test_a_bare_word_that_was_taken_as_a_name_is_released_also_when_a_file_of_that_name_came(
    seat: SeatAt, shop: Path
) -> None:
    builder = seat("builder")
    taken(builder, shop, "deploy")
    (shop / "deploy").touch()

    assert lease(builder, shop, "renew", "deploy").code == 0
    assert lease(builder, shop, "release", "deploy").out == "name:deploy released\n"


def test_a_stale_term_is_refused(seat: SeatAt, shop: Path) -> None:
    builder = seat("builder")
    term = lease(builder, shop, "take", "src/a.py", "--json").json["term"]
    assert lease(builder, shop, "check", "src/a.py", "--term", str(term)).code == 0
    lease(builder, shop, "release", "--all")
    now = lease(builder, shop, "take", "src/a.py", "--json").json["term"]

    renewed = lease(builder, shop, "renew", "src/a.py", "--term", str(term))
    checked = lease(builder, shop, "check", "src/a.py", "--term", str(term))
    lease(builder, shop, "release", "--all")
    free = lease(builder, shop, "check", "src/a.py", "--term", str(term))

    assert (renewed.code, checked.code, free.code) == (1, 1, 1)
    assert f"Term {term} does not hold src/a.py" in renewed.err
    assert checked.out.startswith(f"stale: src/a.py: term {term} does not hold it; src/a.py is held by seat builder (")
    assert checked.out.endswith(f", term {now}\n")
    assert free.out == f"stale: src/a.py: term {term} does not hold it; nobody holds it now\n"


def test_a_taking_of_what_one_holds_tells_the_term_that_holds_all_of_it_or_none(seat: SeatAt, shop: Path) -> None:
    builder = seat("builder")
    first = lease(builder, shop, "take", "src/a.py", "--json").json["term"]

    again = lease(builder, shop, "take", "src/a.py", "--json").json
    mixed = lease(builder, shop, "take", "src/a.py", "src/b.py", "--json").json

    assert again["term"] == first
    assert mixed["term"] is None
    assert [(each["term"] == first, each["new"]) for each in mixed["leases"]] == [(True, False), (False, True)]


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["grab", "src"], 2, "lease has no act 'grab'"),
        (["relese", "src"], 2, "nearest: release"),
        (["take"], 2, "take what?"),
        (["release"], 2, "release what?"),
        (["release", "src", "--all"], 2, "release what?"),
        (["take", "src", "--mine"], 2, "--mine is for list, not for take"),
        (["check", "src", "--ttl", "2h"], 2, "--ttl is for take and renew, not for check"),
        (["take", "src", "--ttl", "30"], 2, "say the unit"),
        (["take", "src", "--ttl", "1h30"], 2, "say the unit"),
        (["take", "src", "--ttl", "-1h"], 2, ""),
        (["take", "src", "--ttl", "25h"], 1, "at most 24 hours"),
        (["take", "src", "--ttl", "59s"], 1, "at least 1 minute"),
        (["take", "src", "--wait", "x"], 2, ""),
        (["take", "src/[z-a]"], 1, "wrong way round"),
        (["take", "two\nlines"], 1, "one printable line"),
        (["release", "src"], 3, "does not hold a lease on src"),
        (["release", "--force", "src"], 1, "the person's alone"),
        (["list", "src"], 2, "takes no resource"),
        (["check"], 2, "check what?"),
        (["check", "-", "src"], 2, "by itself"),
        (["check", "src", "--staged"], 2, "check what?"),
    ],
)
def test_a_wrong_command_is_refused_with_what_is_wrong(
    seat: SeatAt, shop: Path, words: list[str], code: int, says: str
) -> None:
    run = lease(seat("builder"), shop, *words)

    assert run.code == code, run.err
    assert says in run.err
    assert len(run.err.splitlines()) == 1


def test_who_has_no_seat_looks_and_does_not_take(stranger: Party, seat: SeatAt, shop: Path) -> None:
    taken(seat("builder"), shop, "src/a.py")

    assert lease(stranger, shop, "take", "src/b.py").code == 1
    assert lease(stranger, shop, "check", "src/b.py").code == 0
    assert lease(stranger, shop, "check", "src/a.py").code == 1
    assert lease(stranger, shop, "list").code == 0


def test_hostile_names_are_shown_on_one_clean_line(seat: SeatAt, shop: Path) -> None:
    name = "a\nsrc/b.py is free\x1b[31m\u202e.py"
    taken(seat("builder"), shop, f"./{name}")

    reviewer = seat("reviewer")
    run = lease(reviewer, shop, "take", f"./{name}")
    listed = lease(reviewer, shop, "list", "--json")

    assert len(run.err.splitlines()) == 1
    assert "\x1b" not in run.err
    assert "\u202e" not in run.err
    assert listed.json["leases"][0]["resource"] == name


def test_the_person_takes_and_ends_anybodys_lease(person: Person, seat: SeatAt, shop: Path) -> None:
    builder = seat("builder")
    taken(builder, shop, "src/a.py")
    taken(person, shop, "docs/")

    run = lease(person, shop, "release", "--force", "src/a.py")

    assert run.out == "src/a.py ended\n"
    assert "The person has ended your lease: src/a.py" in builder.run("check").out
    assert "held by the person" in lease(builder, shop, "take", "docs/x.md").err


# -- waiting


def test_who_waits_is_woken_by_the_release_and_sleeps_till_then(seat: SeatAt, shop: Path) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    taken(builder, shop, "src")
    running = reviewer.start("lease", "take", str(shop / "src/a.py"), "--wait", "40")
    wait_for("it waits", lambda: listening(reviewer))
    before = running.processor_s()

    assert lease(builder, shop, "release", "src").code == 0

    assert running.wait() == 0
    assert running.lines[0].startswith("src/a.py taken until ")
    assert before < 2


def test_who_waits_is_woken_by_the_death_of_the_holder(seat: SeatAt, shop: Path) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    taken(builder, shop, "src")
    running = reviewer.start("lease", "take", str(shop / "src/a.py"), "--wait", "40")
    wait_for("it waits", lambda: listening(reviewer))

    builder.close()

    assert running.wait() == 0


def test_who_waits_in_vain_ends_with_4(seat: SeatAt, shop: Path) -> None:
    taken(seat("builder"), shop, "src")

    run = lease(seat("reviewer"), shop, "take", "src/a.py", "--wait", "0.2")

    assert run.code == 4
    assert "still after 0.2 seconds" in run.err


def test_a_killed_waiter_leaves_nothing_that_lasts(seat: SeatAt, shop: Path) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    taken(builder, shop, "src")
    running = reviewer.start("lease", "take", str(shop / "src/a.py"), "--wait", "40")
    wait_for("it waits", lambda: listening(reviewer))
    running.kill()

    assert lease(builder, shop, "release", "src").code == 0

    assert lease(builder, shop, "check", "src/a.py").code == 0
    assert not listening(reviewer)
    assert [name for name in bells.ringing() if name.startswith("lease-")] == []


def listening(party: Party) -> bool:
    """Whether anybody waits for a lease."""
    from mailstop.engines.sqlite.store import SQLiteStore
    from mailstop.session import WAITING

    with SQLiteStore(str(party.home / ".local/share/mailstop/mailstop.db")) as store:
        return bool(store.board.under(WAITING))


# -- check


def test_a_check_has_three_answers(seat: SeatAt, shop: Path) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    taken(builder, shop, "src/a.py")

    assert lease(builder, shop, "check", "src/a.py").out == "free: 1 checked, 1 of them yours\n"
    assert lease(reviewer, shop, "check", "src/b.py").code == 0
    told = lease(reviewer, shop, "check", "src/a.py", "src/b.py")
    assert told.code == 1
    assert told.out.startswith("taken: src/a.py is held by seat builder (a program) since ")
    (builder.home / ".local/share/mailstop/mailstop.db").write_bytes(b"no store" * 1000)
    unknown = lease(reviewer, shop, "check", "src/a.py")
    assert unknown.code == 5
    assert unknown.err.startswith("mailstop: Whether it is taken cannot be told: ")


def test_a_check_tells_programs_of_each_path(seat: SeatAt, shop: Path) -> None:
    taken(seat("builder"), shop, "src/a.py", "--note", "new grammar")

    run = lease(seat("reviewer"), shop, "check", "src/a.py", "src/b.py", "--json")

    assert (run.code, run.json["state"]) == (1, "taken")
    assert [(each["resource"], each["state"]) for each in run.json["checked"]] == [
        ("src/a.py", "taken"),
        ("src/b.py", "free"),
    ]
    assert run.json["checked"][0]["leases"][0]["note"] == "new grammar"


@pytest.mark.parametrize("separator", ["\n", "\0"])
def test_paths_come_on_standard_input_one_a_line_or_with_a_0_behind_each(
    seat: SeatAt, shop: Path, separator: str
) -> None:
    taken(seat("builder"), shop, "src/a.py")
    reviewer = seat("reviewer")

    assert lease(reviewer, shop, "check", "-", input=f"src/b.py{separator}src/[a].py{separator}").code == 0
    assert lease(reviewer, shop, "check", "-", input=f"src/b.py{separator}src/a.py{separator}").code == 1
    assert lease(reviewer, shop, "check", "-").out == "free: there is nothing to check\n"


def test_a_path_that_is_not_utf_8_cannot_be_told(seat: SeatAt, shop: Path) -> None:
    run = lease(seat("builder"), shop, "check", "-", input=b"src/b.py\0src/\xff\0")

    assert run.code == 5
    assert r"src/\xff" in run.err
    assert "not UTF-8" in run.err


def test_where_there_is_no_store_nothing_is_taken_and_none_is_made(stranger: Party, shop: Path) -> None:
    assert lease(stranger, shop, "check", "src/a.py").code == 0
    assert not (stranger.home / ".local/share/mailstop").exists()


def test_a_store_that_cannot_be_opened_is_not_taken_for_a_free_path(stranger: Party, seat: SeatAt, shop: Path) -> None:
    seat("builder")
    stranger.environment["MAILSTOP_STORE"] = "postgres://nowhere"

    assert lease(stranger, shop, "check", "src/a.py").code == 5


def test_a_caller_in_doubt_is_told_what_is_free_and_not_what_may_be_its_own(
    stranger: Party, seat: SeatAt, shop: Path
) -> None:
    taken(seat("builder"), shop, "src/a.py")
    stranger.environment["MAILSTOP_SESSION"] = "0" * 32  # of nobody

    assert lease(stranger, shop, "check", "src/b.py").code == 0
    doubt = lease(stranger, shop, "check", "src/a.py")
    assert doubt.code == 5
    assert "cannot be told" in doubt.err


def test_an_answer_nobody_reads_keeps_its_exit_code(seat: SeatAt, shop: Path) -> None:
    taken(seat("builder"), shop, "src/a.py")

    run = seat("reviewer").call(["sh", "-c", f"{{ {MAILSTOP} lease check src/a.py; echo $? >&2; }} | true"], cwd=shop)

    assert run.err.split()[-1] == "1"


def test_a_check_is_lean(seat: SeatAt, shop: Path) -> None:
    run, modules = imported(seat("builder"), "lease", "check", str(shop / "src/a.py"))

    assert run.code == 0
    assert_lean(modules)


# -- Git's hook, with the line that docs/leases.md gives


def hook_of(page_section: str) -> str:
    """The hook that a section of docs/leases.md shows."""
    page = (Path(__file__).parents[2] / "docs" / "leases.md").read_text()
    return page.partition(f"## {page_section}")[2].partition("```sh\n")[2].partition("```")[0]


@pytest.fixture
def hooked(shop: Path) -> Path:
    """The repository with the hook of the page."""
    hook = shop / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(hook_of("Before each commit"))
    hook.chmod(0o755)
    return shop


def commits(party: Party, folder: Path, name: str, *words: str) -> CompletedRun:
    """Change a file, and commit it."""
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(os.urandom(4).hex())
    party.environment["PATH"] = f"{Path(MAILSTOP).parent}:{os.environ['PATH']}"
    assert party.call(["git", "add", "-A"], cwd=folder).code == 0
    return party.call(["git", "commit", "-q", "-m", "x", *words], cwd=folder)


def test_a_commit_of_what_another_has_taken_is_stopped(seat: SeatAt, hooked: Path) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    taken(builder, hooked, "src")

    stopped = commits(reviewer, hooked, "src/a.py")

    assert stopped.code != 0
    assert "src is held by seat builder" in stopped.out + stopped.err
    assert commits(builder, hooked, "src/a.py").code == 0


def test_a_commit_of_what_is_free_or_ones_own_passes(seat: SeatAt, hooked: Path) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    taken(builder, hooked, "src/*.py")
    taken(reviewer, hooked, "docs/")

    assert commits(reviewer, hooked, "docs/x.md").code == 0
    assert commits(reviewer, hooked, "src/[a].md").code == 0


def test_a_file_that_was_renamed_or_deleted_counts_with_its_old_name(
    seat: SeatAt, hooked: Path, git: Callable[..., CompletedRun]
) -> None:
    taken(seat("builder"), hooked, "src/a.py")
    reviewer = seat("reviewer")
    reviewer.environment["PATH"] = f"{Path(MAILSTOP).parent}:{os.environ['PATH']}"

    git(hooked, "mv", "src/a.py", "src/c.py")
    assert reviewer.call(["git", "commit", "-q", "-m", "x"], cwd=hooked).code == 1
    git(hooked, "reset", "-q", "--hard")
    git(hooked, "rm", "-q", "src/a.py")
    assert reviewer.call(["git", "commit", "-q", "-m", "x"], cwd=hooked).code == 1


def test_a_hook_in_a_worktree_looks_at_the_leases_of_the_repository(
    seat: SeatAt, hooked: Path, git: Callable[..., CompletedRun], own_home: Path
) -> None:
    assert git(hooked, "worktree", "add", "-q", str(own_home / "other"), "-b", "other").code == 0
    taken(seat("builder"), hooked, "src/a.py")
    reviewer = seat("reviewer")

    assert commits(reviewer, own_home / "other", "src/a.py").code == 1
    assert commits(reviewer, own_home / "other", "src/a.py", "--no-verify").code == 0
    assert commits(reviewer, own_home / "other", "src/b.py").code == 0


def test_a_hook_that_cannot_be_told_says_so_and_lets_the_commit_pass(seat: SeatAt, hooked: Path) -> None:
    reviewer = seat("reviewer")
    (reviewer.home / ".local/share/mailstop/mailstop.db").write_bytes(b"no store" * 1000)

    run = commits(reviewer, hooked, "src/a.py")

    assert run.code == 0
    assert "cannot be told" in run.err


def test_a_hook_of_nobody_in_particular_looks_too(stranger: Party, seat: SeatAt, hooked: Path) -> None:
    taken(seat("builder"), hooked, "src/a.py")

    assert commits(stranger, hooked, "src/a.py").code == 1


def test_staged_files_are_told_from_a_folder_below_the_top_too(seat: SeatAt, shop: Path) -> None:
    taken(seat("builder"), shop, "src/a.py")
    reviewer = seat("reviewer")
    (shop / "src" / "a.py").write_text("second\n")
    reviewer.call(["git", "add", "-A"], cwd=shop)

    assert lease(reviewer, shop / "src", "check", "--staged").code == 1


def test_what_is_staged_cannot_be_told_outside_of_a_repository(seat: SeatAt, own_home: Path) -> None:
    run = lease(seat("builder"), own_home, "check", "--staged")

    assert run.code == 5
    assert "git could not say what is staged" in run.err
