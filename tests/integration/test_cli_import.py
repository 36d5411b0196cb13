"""`mailstop import`, by real processes: what comes across, what is told, and what is left as it was."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from mailstop import lanes
from tests.party import AS_OWNER, MAILSTOP, CompletedRun, Party, Person
from tests.postbag_ledgers import FIRST, GENERATIONS, LEFT, NAMED, SECRETS, row, write

SeatAt = Callable[..., Party]


@pytest.fixture
def ledger(own_home: Path) -> Path:
    """The default ledger of postbag, of its last generation."""
    return write(own_home / ".postbag/ledger.jsonl", LEFT)


def bodies(run: CompletedRun) -> list[str]:
    """The bodies that `read --json` has printed."""
    return [record["body"] for record in run.json["records"] if record["type"] == "letter"]


def as_it_lies(path: Path) -> tuple[bytes, int, int]:
    """A file's bytes, time of change and mode."""
    status = path.stat()
    return path.read_bytes(), status.st_mtime_ns, status.st_mode


# -- postbag


def test_the_default_ledger_comes_into_the_default_bag_and_makes_the_store(person: Person, ledger: Path) -> None:
    run = person.run("import", "postbag")

    assert (run.code, run.err) == (0, "")
    assert run.lines[0] == f"{ledger}: 3 letters and 4 other records imported into bag default"
    read = person.run("read", "--json")
    assert bodies(read) == ['two\nlines, über, "quotes"', "the last word", "by hand"]


def test_history_shows_who_wrote_when_and_that_it_was_imported(person: Person, ledger: Path) -> None:
    person.run("import", "postbag")

    lines = person.run("read").lines

    assert lines[1].endswith("postbag:ada joined (imported from postbag; Claude Code)")
    assert any(
        line.endswith("postbag:bob -> postbag:ada (imported, postbag:2; final)") and "2026-07-01" in line
        for line in lines
    )


@pytest.mark.parametrize("generation", GENERATIONS)
def test_a_ledger_of_each_generation_comes_across_and_stays_as_it_is(
    person: Person, own_home: Path, generation: str
) -> None:
    path = write(own_home / "old.jsonl", GENERATIONS[generation])
    before = as_it_lies(path)

    run = person.run("import", "postbag", str(path), "--json")

    assert run.code == 0
    (told,) = run.json["imports"]
    assert told["letters"] + told["moves"] == len(GENERATIONS[generation].splitlines())
    assert (told["bag"], told["left_out_count"], told["changed_count"]) == ("old", 0, 0)
    assert as_it_lies(path) == before


def test_a_ledger_that_only_its_owner_may_read_is_read_by_its_owner_and_no_mode_is_changed(
    person: Person, own_home: Path
) -> None:
    path = write(own_home / "old.jsonl", FIRST)
    path.chmod(0o400)

    assert person.run("import", "postbag", str(path)).code == 0
    assert path.stat().st_mode & 0o777 == 0o400


def test_no_secret_of_a_ledger_gets_into_the_store_or_onto_the_screen(
    person: Person, own_home: Path, ledger: Path
) -> None:
    write(own_home / ".postbag/bags/named.jsonl", NAMED)

    run = person.run("import", "postbag", "--all")
    told = person.run("read", "--json").raw + person.run("read", "--bag", "named").raw + run.raw + run.err.encode()

    assert [secret for secret in SECRETS if secret.encode() in told] == []
    files = [path for path in (own_home / ".local").rglob("*") if path.is_file()]
    assert files
    assert [path for path in files for secret in SECRETS if secret.encode() in path.read_bytes()] == []


def test_whoever_imports_is_told_that_secrets_lie_in_the_ledger(person: Person, ledger: Path) -> None:
    run = person.run("import", "postbag")

    assert "  tokens and sockets of sessions lie in clear in 1 line of that file; they were not copied." in run.out
    assert person.run("import", "postbag", "--json").json["imports"][0]["secrets_in_source"] == 1


def test_all_ledgers_come_each_into_the_bag_of_its_name(person: Person, own_home: Path, ledger: Path) -> None:
    write(own_home / ".postbag/bags/first.jsonl", FIRST)
    write(own_home / ".postbag/bags/named.jsonl", NAMED)

    run = person.run("import", "postbag", "--all", "--json")

    assert [(told["bag"], told["letters"]) for told in run.json["imports"]] == [
        ("default", 3),
        ("first", 4),
        ("named", 3),
    ]
    assert {bag["bag"]: bag["letters"] for bag in person.run("bags", "--json").json["bags"]} == {
        "default": 3,
        "first": 4,
        "named": 3,
    }


def test_one_ledger_that_cannot_be_read_does_not_keep_the_others_out(
    person: Person, own_home: Path, ledger: Path
) -> None:
    (own_home / ".postbag/bags").mkdir()
    os.mkfifo(own_home / ".postbag/bags/fifo.jsonl")

    run = person.run("import", "postbag", "--all", "--json")

    assert run.code == 1
    assert [told["letters"] for told in run.json["imports"]] == [3]
    assert [told["code"] for told in run.json["failed"]] == ["source_unavailable"]


def test_what_was_left_out_is_told_line_by_line(person: Person, own_home: Path) -> None:
    path = write(own_home / "old.jsonl", row(1) + "{oops\n" + row(3, "postcard") + row(4) + row(5)[:-5])

    run = person.run("import", "postbag", str(path))

    assert run.lines[1:5] == [
        "  left out: 3",
        "    line 2: it is not JSON",
        "    line 3: its kind is 'postcard', which no postbag writes",
        "    line 5: it has no end: it is being written, or whoever wrote it died",
    ]


def test_to_import_again_adds_only_what_is_new(person: Person, own_home: Path) -> None:
    path = write(own_home / "old.jsonl", row(1) + row(2))
    person.run("import", "postbag", str(path), "--bag", "default")
    write(path, row(1) + row(2) + row(3))

    run = person.run("import", "postbag", str(path), "--bag", "default")

    assert run.lines[:2] == [f"{path}: 1 letter imported into bag default", "  here already: 2"]
    assert bodies(person.run("read", "--json")) == ["letter 1", "letter 2", "letter 3"]


# -- old numbers


def test_a_letter_is_read_by_its_old_number(person: Person, own_home: Path) -> None:
    person.run("import", "postbag", str(write(own_home / "old.jsonl", FIRST)), "--bag", "default")

    read = person.run("read", "postbag:2", "--json").json

    assert read["body"] == "the only one, of a time without zone"
    assert (read["from"], read["to"], read["recipients"]) == ("postbag:claude", ["postbag:codex"], [])
    assert read["imported"] == {
        "source": "postbag",
        "number": "2",
        "from": "claude",
        "to": ["codex"],
        "channel": None,
        "record": 5,
        "answers": None,
        "note": "letter 1 of 1 in exchange 1",
    }


def test_nobody_is_told_to_answer_it(person: Person, own_home: Path) -> None:
    person.run("import", "postbag", str(write(own_home / "old.jsonl", FIRST)), "--bag", "default")

    shown = person.run("read", "postbag:1")
    refused = person.run("reply", str(person.run("read", "postbag:1", "--json").json["n"]), "my answer")

    assert "mailstop reply" not in shown.out
    assert refused.code == 1
    assert "it was imported, and whoever wrote it there has no seat here" in refused.err


def test_a_store_into_which_was_imported_is_sound(person: Person, ledger: Path) -> None:
    person.run("import", "postbag")

    checks = {check["name"]: check["state"] for check in person.run("doctor", "--json").json["checks"]}
    assert checks["store"] == "ok"
    assert person.run("doctor", "--rebuild").code == 0
    assert bodies(person.run("read", "--json")) == ['two\nlines, über, "quotes"', "the last word", "by hand"]


def test_its_status_says_where_it_comes_from_and_claims_nothing(person: Person, own_home: Path) -> None:
    path = write(own_home / "old.jsonl", FIRST)
    person.run("import", "postbag", str(path), "--bag", "default")

    status = person.run("status", "postbag:2")

    first, second, *rest = status.lines
    assert first.endswith(" postbag:2: imported, record 5 of its file")
    assert second.startswith("  brought here ") and second.endswith(f" by the person, from {path}")
    assert rest == [
        '  its source says: "letter 1 of 1 in exchange 1"',
        "  what became of it there is not known; it was given to nobody here",
    ]
    told = person.run("status", "postbag:2", "--json").json
    assert (told["recipients"], told["imported"]["path"]) == ([], str(path))


def test_a_conversation_is_read_by_an_old_number(person: Person, own_home: Path) -> None:
    lane = own_home / "lane"
    first = lanes.send(lane, from_role="builder", to_role="qc", kind="question", msg="ready?")
    lanes.send(lane, from_role="qc", to_role="builder", kind="note", msg="yes", ref=first["id"])
    person.run("import", "lane", str(lane))

    assert bodies(person.run("read", "--thread", f"lane:{first['id']}", "--json")) == ["ready?", "yes"]


@pytest.mark.parametrize("verb", ["read", "status"])
def test_an_old_number_that_nothing_had_is_not_found(person: Person, ledger: Path, verb: str) -> None:
    person.run("import", "postbag")

    run = person.run(verb, "postbag:99")

    assert (run.code, run.out) == (3, "")
    assert run.err.startswith("mailstop: No letter was imported as 'postbag:99'.")


def test_a_session_reads_imported_letters_within_the_fence(person: Person, seat: SeatAt, ledger: Path) -> None:
    person.run("import", "postbag")
    builder = seat("ada")

    assert builder.run("check").out == "no new letters\n"
    shown = builder.run("read", "postbag:1").out
    assert shown.startswith("mailstop: imported from another system; who wrote it is not proved here.")
    assert 'from "postbag:ada", imported (postbag:1)' in shown
    assert "mailstop reply" not in shown


def test_nobody_is_listed_who_was_only_imported(person: Person, ledger: Path) -> None:
    person.run("import", "postbag")

    told = person.run("who", "--all", "--json").json

    assert [seat["seat"] for seat in told["seats"] if seat["seat"] != "human"] == []


# -- lanes, and files made by hand


def test_a_lane_comes_across_and_stays_as_it_is(person: Person, own_home: Path) -> None:
    lane = own_home / "lane"
    lanes.send(lane, from_role="builder", to_role="qc", kind="build-task", msg="one", needs_reply=True)
    lanes.send(lane, from_role="qc", to_role="builder", kind="note", msg="two")
    lanes.check(lane, role="qc")
    files = sorted((lane / "_sync").iterdir())
    before = [as_it_lies(file) for file in files]

    run = person.run("import", "lane", str(lane), "--bag", "parser")

    assert run.lines[0] == f"{lane}: 2 letters imported into bag parser"
    assert sorted((lane / "_sync").iterdir()) == files
    assert [as_it_lies(file) for file in files] == before
    assert bodies(person.run("read", "--bag", "parser", "--json")) == ["one", "two"]


def test_a_file_made_by_hand_comes_across_by_a_map(person: Person, own_home: Path) -> None:
    path = own_home / "mail.jsonl"
    path.write_text('{"who": "a", "text": "hi", "sent": 1764459000}\n{"who": "b", "text": "ho"}\n')

    run = person.run("import", "jsonl", str(path), "--map", "from=who,to==all,body=text,at=sent", "--as", "chat")

    assert run.lines[0] == f"{path}: 2 letters imported into bag default"
    read = person.run("read", "chat:1", "--json").json
    assert (read["from"], read["to"], read["at"]) == ("chat:a", ["chat:all"], "2025-11-29T23:30:00.000Z")


# -- whose act it is, and how it is refused


def test_a_session_and_a_stranger_may_look_and_only_the_person_imports(
    seat: SeatAt, stranger: Party, person: Person, ledger: Path
) -> None:
    for party in (seat("builder"), stranger):
        refused = party.run("import", "postbag")
        assert (refused.code, refused.out) == (1, "")
        assert "Importing letters" in refused.err

        look = party.run("import", "postbag", "--dry-run", "--json")
        assert look.code == 0
        assert (look.json["imports"][0]["letters"], look.json["imports"][0]["dry_run"]) == (3, True)

    assert bodies(person.run("read", "--json")) == []


@pytest.mark.parametrize("option", ["--dry-run", "--preview"])
def test_a_preview_makes_no_store(person: Person, own_home: Path, ledger: Path, option: str) -> None:
    run = person.run("import", "postbag", option)

    assert run.lines[0] == f"{ledger}: 3 letters and 4 other records would be imported into bag default"
    assert not (own_home / ".local/share/mailstop").exists()


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["postbox"], 2, "import has no act 'postbox'; nearest: postbag"),
        (["postbag", "x", "--all"], 2, "so name none"),
        (["postbag", "--all"], 2, "there is no ledger of postbag in this home folder"),
        (["postbag", "nowhere"], 3, "There is no "),
        (["postbag", "/nowhere.jsonl"], 3, "There is no /nowhere.jsonl"),
        (["lane"], 2, "which lane?"),
        (["lane", "/nowhere"], 3, "There is no /nowhere/_sync"),
        (["jsonl"], 2, "which file?"),
        (["jsonl", "/nowhere"], 3, "There is no /nowhere"),
        (["jsonl", "/dev/null", "--map", "x=y"], 2, "'x=y' maps nothing"),
        (["lane", "/tmp", "--map", "from=x"], 2, "--map is for jsonl"),
        (["lane", "/tmp", "--all"], 2, "--all is for postbag"),
        (["postbag", "/etc/hostname", "--bag", "No Bag"], 1, ""),
        (["postbag", "/etc/hostname", "--as", "a:b"], 1, "cannot be the name of a source"),
    ],
)
def test_what_cannot_be_imported_is_refused_in_one_line(person: Person, words: list[str], code: int, told: str) -> None:
    run = person.run("import", *words)

    assert (run.code, run.out) == (code, "")
    assert told in run.err and run.err.count("\n") == 1


def test_a_source_that_may_not_be_read_is_refused(person: Person, own_home: Path) -> None:
    path = write(own_home / "old.jsonl", FIRST)
    path.chmod(0)

    run = person.call([*AS_OWNER, MAILSTOP, "import", "postbag", str(path)])

    assert (run.code, run.out) == (1, "")
    assert "cannot be imported: it cannot be read: Permission denied" in run.err


def test_what_stands_in_a_source_acts_on_no_terminal(person: Person, own_home: Path) -> None:
    bad = row(1, **{"from": "a\x1b[2J", "body": "x\x1b[31m"}) + row(2, "\x1b[2J")
    path = write(own_home / "old.jsonl", bad)

    shown = person.run("import", "postbag", str(path), "--bag", "default", terminal=True).out
    shown += person.run("read", terminal=True).out

    assert "\x1b" not in shown


def test_on_a_terminal_it_is_told_how_far_an_import_is(person: Person, own_home: Path) -> None:
    path = own_home / "mail.jsonl"
    path.write_text("".join(json.dumps({"body": f"letter {n}", "from": "a", "to": "b"}) + "\n" for n in range(40_000)))

    shown = person.run("import", "jsonl", str(path), terminal=True).out

    assert "importing mail.jsonl [#" in shown and " %" in shown
    assert f"{path}: 40000 letters imported into bag default" in shown
