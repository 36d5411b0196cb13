"""Which store and which bag a command means, and what it makes on the way, as postbag's checklist asks.

tests/checklists/postbag.py says which line asks for what.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.party import MAILSTOP, ClaudeParty, Party, Person

SeatAt = Callable[..., Party]
Arrive = Callable[[type[Party]], Party]
SESSION = "01a227bc-e031-7b73-a9b7-49711dc7b705"
VARIABLE = "MAILSTOP_STORE"
QUOTES = """it's a "store" of größe $(1)"""  # a folder that a shell would take apart


def default_store(party: Party) -> Path:
    return party.home / ".local" / "share" / "mailstop" / "mailstop.db"


def seats(party: Party, *words: str) -> list[str]:
    """The seats of the store that a command means."""
    run = party.run(*words, "who", "--all", "--json")
    assert run.code == 0, run.err
    return [each["seat"] for each in run.json["seats"]]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def made(home: Path) -> list[str]:
    """All below the home folder but the state folder, whatever else the test has put there."""
    return sorted(str(path) for path in home.rglob("*") if ".local/state" not in str(path) and path.name != ".local")


# -- which store


def test_the_option_comes_before_the_variable_and_that_before_the_default(
    arrive: Arrive, stranger: Party, own_home: Path
) -> None:
    for name in ("default", "variable", "option"):
        party = arrive(Party)
        party.join(f"by-{name}", *([] if name == "default" else ["--store", str(own_home / f"{name}.db")]))
    option = ("--store", str(own_home / "option.db"))

    assert seats(stranger) == ["by-default"]
    stranger.environment[VARIABLE] = str(own_home / "variable.db")
    assert seats(stranger) == ["by-variable"]
    assert seats(stranger, *option) == ["by-option"]
    assert seats(stranger, "--store", str(default_store(stranger))) == ["by-default"]


def test_an_empty_variable_counts_as_unset(seat: SeatAt, stranger: Party) -> None:
    seat("builder")
    stranger.environment[VARIABLE] = ""

    assert seats(stranger) == ["builder"]
    assert stranger.run("status", "--json").json["store"] == f"sqlite:///{default_store(stranger)}"


@pytest.mark.parametrize("given", ["some/where/mail.jsonl.odd", "~/some/where/mail.jsonl.odd"])
def test_a_relative_path_and_one_in_the_home_folder_are_shown_as_absolute_ones(
    arrive: Arrive, own_home: Path, given: str
) -> None:
    party = arrive(Party)
    party.environment[VARIABLE] = given

    party.join("builder")

    place = own_home / "some" / "where" / "mail.jsonl.odd"
    assert place.exists()
    assert party.run("status", "--json").json["store"] == f"sqlite:///{place}"


def test_dots_behind_a_link_lead_where_the_system_says(arrive: Arrive, own_home: Path) -> None:
    (own_home / "real" / "folder").mkdir(parents=True)
    (own_home / "link").symlink_to(own_home / "real" / "folder")

    arrive(Party).join("builder", "--store", f"{own_home}/link/../mail.db")

    assert (own_home / "real" / "mail.db").exists()
    assert not (own_home / "mail.db").exists()


def test_two_ways_to_one_file_are_one_store(arrive: Arrive, stranger: Party, own_home: Path) -> None:
    (own_home / "real").mkdir()
    (own_home / "link").symlink_to(own_home / "real")
    arrive(Party).join("builder", "--store", str(own_home / "real" / "mail.db"))
    arrive(Party).join("reviewer", "--store", str(own_home / "link" / "mail.db"))

    for path in ("real/mail.db", "link/mail.db", "real/../link/mail.db"):
        assert seats(stranger, "--store", str(own_home / path)) == ["builder", "reviewer"]


UNUSABLE = ("~nobody-of-that-name/mail.db", "bell\x07.db", "a\nb.db", "postgres://host/db", "sqlite:///")


@pytest.mark.parametrize("value", UNUSABLE)
@pytest.mark.parametrize("verb", [("join", "builder", "--export"), ("send", "builder", "hello"), ("bags",)])
def test_what_names_no_store_is_refused_in_one_printable_line_and_nothing_is_made(
    stranger: Party, value: str, verb: tuple[str, ...]
) -> None:
    before = made(stranger.home)
    for words, environment in (((*verb, "--store", value), {}), (verb, {VARIABLE: value})):
        run = stranger.call([MAILSTOP, *words], environment=environment)
        assert (run.code, run.out) == (5, "")
        assert run.err.count("\n") == 1
        assert run.err.rstrip("\n").isprintable()
    assert made(stranger.home) == before


@pytest.mark.parametrize("value", UNUSABLE)
def test_the_option_comes_before_a_variable_that_names_no_store(arrive: Arrive, own_home: Path, value: str) -> None:
    party = arrive(Party)
    party.environment[VARIABLE] = value

    party.join("builder", "--store", str(own_home / "mail.db"))

    assert seats(party, "--store", str(own_home / "mail.db")) == ["builder"]


def test_a_home_folder_that_cannot_be_printed_is_refused_unless_the_store_is_chosen(
    stranger: Party, own_home: Path
) -> None:
    odd = {"HOME": f"{own_home}/a\nb"}

    refused = stranger.call([MAILSTOP, "join", "builder", "--export"], environment=odd)
    chosen = stranger.call([MAILSTOP, "bags", "--store", str(own_home / "mail.db")], environment=odd)

    assert refused.code == 5
    assert refused.err.rstrip("\n").isprintable()
    assert chosen.code == 0
    assert not (own_home / "a\nb" / ".local" / "share").exists()


@pytest.mark.parametrize("bag", ["Not A Name", "a/b", "../x", "a\nb", "", "x" * 64])
def test_what_is_no_name_is_no_bag_and_nothing_is_made(seat: SeatAt, bag: str) -> None:
    builder = seat("builder")

    for words in (("join", "other"), ("send", "human", "hello"), ("read",), ("check",)):
        run = builder.run("--bag", bag, *words)
        assert (run.code, run.out) == (1, ""), words
        assert run.err.count("\n") == 1

    assert [each["bag"] for each in builder.run("bags", "--json").json["bags"]] == ["default"]


# -- who makes a store and a bag


LOOKS = (
    ("read",),
    ("who",),
    ("bags",),
    ("bags", "--resume"),
    ("status",),
    ("check", "--peek"),
    ("read", "--search", "x"),
)
ACTS = (
    ("check",),
    ("check", "--wait", "0"),
    ("send", "builder", "hello"),
    ("send", "builder", "hello", "--hold"),
    ("reply", "3", "hello"),
    ("leave",),
    ("read", "3"),
)


@pytest.mark.parametrize("who", ["stranger", "person"])
def test_no_look_and_no_act_but_a_join_makes_a_store(stranger: Party, person: Person, own_home: Path, who: str) -> None:
    party = {"stranger": stranger, "person": person}[who]
    for words in (*LOOKS, *ACTS):
        for store in ([], ["--store", str(own_home / "new" / "mail.db")]):
            run = party.run(*words, *store)
            assert "Traceback" not in run.err
            assert run.code in (0, 1, 3, 5), words

    assert made(own_home) == []


@pytest.mark.parametrize("words", LOOKS)
def test_a_store_that_nobody_has_made_reads_as_an_empty_one(person: Person, words: tuple[str, ...]) -> None:
    assert person.run(*words).code == 0


def test_who_would_write_into_a_store_that_nobody_has_made_is_told_how_one_is_made(person: Person) -> None:
    for words in (("send", "builder", "hello", "--hold"), ("check", "--wait", "5")):
        run = person.run(*words)
        assert run.code == 5
        assert "The first to join makes it: mailstop join NAME" in run.err


@pytest.mark.parametrize(
    "words",
    [
        ("join", "human", "--export"),
        ("join", "Not A Name", "--export"),
        ("join", "", "--export"),
        ("join", "builder", "--export", "--bag", "Not A Name"),
        ("join", "builder"),
        ("join", "builder", "--export", "--pid", "4000000"),
    ],
)
def test_a_join_that_is_refused_makes_nothing(stranger: Party, own_home: Path, words: tuple[str, ...]) -> None:
    assert stranger.run(*words).code in (1, 2)

    assert made(own_home) == []


def test_the_first_to_join_makes_the_store_for_this_user_alone_whatever_the_umask(
    stranger: Party, own_home: Path
) -> None:
    (own_home / "shared").mkdir()
    (own_home / "shared").chmod(0o755)
    place = own_home / "shared" / "one" / "two" / "mail.db"

    joining = 'umask 0; exec "$0" join builder --export --store "$1"'
    assert stranger.call(["sh", "-c", joining, MAILSTOP, str(place)]).code == 0

    assert mode(place) == 0o600
    assert [mode(folder) for folder in (place.parent, place.parent.parent)] == [0o700, 0o700]
    assert mode(own_home / "shared") == 0o755
    assert all(mode(file) & 0o077 == 0 for file in place.parent.iterdir())


def test_of_several_that_make_the_store_at_once_all_have_their_seats_in_it(arrive: Arrive, stranger: Party) -> None:
    parties = [arrive(Party) for _ in range(4)]

    with ThreadPoolExecutor(len(parties)) as pool:
        list(pool.map(lambda at: parties[at].join(f"seat-{at}"), range(len(parties))))

    assert seats(stranger) == [f"seat-{at}" for at in range(len(parties))]


def test_a_bag_that_nobody_has_joined_is_neither_written_to_nor_read_nor_made(seat: SeatAt) -> None:
    builder = seat("builder")

    for words in (("send", "human", "hello"), ("read",), ("who",), ("bags",)):
        run = builder.run(*words, "--bag", "nowhere")
        assert (run.code, run.out) == (3, "")
        assert "mailstop bags" in run.err

    assert [each["bag"] for each in builder.run("bags", "--json").json["bags"]] == ["default"]


def test_a_store_that_was_removed_is_not_made_again_by_a_letter_but_by_a_join(seat: SeatAt) -> None:
    builder = seat("builder")
    seat("reviewer")
    place = default_store(builder)
    for file in place.parent.iterdir():
        file.unlink()

    for words in (("send", "reviewer", "hello"), ("check",), ("read",), ("leave",)):
        run = builder.run(*words)
        assert run.code == 5
        assert f"The store {place}, where this session has its seat, is not there any more" in run.err
    assert not place.exists()

    command = run.err.rpartition("new one: ")[2].strip().replace("NAME", "builder").replace("mailstop", '"$0"')
    told = builder.call(["sh", "-c", f'{command} && "$0" status', MAILSTOP])
    assert told.lines[0].startswith("you are seat builder ")


# -- a store that others can get at


@pytest.mark.parametrize("open_mode", [0o640, 0o604, 0o660, 0o602, 0o400, 0o200])
def test_a_store_that_others_can_get_at_is_read_but_not_written_and_keeps_its_mode(
    seat: SeatAt, arrive: Arrive, open_mode: int
) -> None:
    builder = seat("builder")
    seat("reviewer")
    place = default_store(builder)
    place.chmod(open_mode)

    for words in (("send", "reviewer", "hello"), ("leave",), ("join", "another")):
        run = builder.run(*words)
        assert (run.code, run.out) == (5, ""), words
        assert run.err.count("\n") == 1
    assert arrive(Party).run("join", "third", "--export").code == 5
    assert mode(place) == open_mode

    if open_mode & 0o400:
        assert builder.run("who").code == 0
    place.chmod(0o600)
    assert builder.run("send", "reviewer", "hello").code == 0
    assert seats(builder) == ["builder", "reviewer"]


def test_the_command_that_a_refused_writer_is_told_takes_the_store_from_others(seat: SeatAt) -> None:
    builder = seat("builder")
    seat("reviewer")
    default_store(builder).chmod(0o644)

    refused = builder.run("send", "reviewer", "hello")
    assert "mailstop doctor --mend" in refused.err
    builder.run("doctor", "--mend")

    assert builder.run("send", "reviewer", "hello").code == 0


# -- commands that mailstop prints


def test_the_command_that_answers_a_letter_leads_to_its_store_whatever_the_shell_of_the_client_says(
    seat: SeatAt, claude: ClaudeParty, own_home: Path
) -> None:
    builder = seat("builder", "--bag", "parser")
    claude.open(SESSION)
    claude.run("join", "reviewer", "--bag", "parser")
    builder.send("reviewer", "does it work?", "--bag", "parser")
    claude.environment[VARIABLE] = str(own_home / "another.db")

    answered = claude.call(["sh", "-c", printed_reply(claude.run("check").lines), MAILSTOP])

    assert answered.code == 0
    assert builder.run("check", "--json").json["letters"][0]["body"] == "YOUR TEXT\n"
    assert not (own_home / "another.db").exists()


def test_the_command_that_answers_a_letter_runs_where_the_stores_path_has_quotes(
    arrive: Arrive, own_home: Path
) -> None:
    builder, reviewer = arrive(Party), arrive(Party)
    for party, name in ((builder, "builder"), (reviewer, "reviewer")):
        party.environment[VARIABLE] = str(own_home / QUOTES / "mail.db")
        party.join(name)
    builder.send("reviewer", "does it work?")

    assert reviewer.call(["sh", "-c", printed_reply(reviewer.run("check").lines), MAILSTOP]).code == 0

    assert builder.run("check", "--json").json["letters"][0]["body"] == "YOUR TEXT\n"


def test_the_command_that_gives_a_seat_leads_to_the_bag_and_store_of_the_refused_act(
    arrive: Arrive, stranger: Party, own_home: Path
) -> None:
    place = own_home / QUOTES / "mail.db"
    arrive(Party).join("builder", "--store", str(place), "--bag", "parser")
    stranger.environment[VARIABLE] = str(own_home / "another.db")

    refused = stranger.run("send", "builder", "hello", "--store", str(place), "--bag", "parser")
    command = (
        refused.err.partition("first: ")[2].strip().replace("NAME", "reviewer").replace("mailstop join", '"$0" join')
    )
    told = stranger.call(["sh", "-c", command, MAILSTOP])

    assert (refused.code, told.code) == (1, 0)
    assert seats(stranger, "--store", str(place), "--bag", "parser") == ["builder", "reviewer"]


def printed_reply(lines: list[str]) -> str:
    """The command that answers a letter, as it was printed, for a shell whose $0 is mailstop."""
    begin = next(at for at, line in enumerate(lines) if line.startswith("mailstop reply "))
    return "\n".join(lines[begin : begin + 3]).replace("mailstop", '"$0"', 1) + "\n"


# -- one choice for each command


IN_ONE_PROCESS = """
import os, sys
from mailstop.cli.entry import main
for words in (["bags", "--json", "--store", sys.argv[1]], ["bags", "--json"], ["--store", sys.argv[1], "read", "9"],
              ["bags", "--json"], ["bags", "--json", "--bag", "Not A Name"], ["bags", "--json"]):
    main(words)
"""


def test_a_choice_counts_for_one_command_also_where_several_run_in_one_process(
    arrive: Arrive, stranger: Party, own_home: Path
) -> None:
    arrive(Party).join("builder")
    arrive(Party).join("tester", "--bag", "parser", "--store", str(own_home / "other.db"))

    run = stranger.call([sys.executable, "-c", IN_ONE_PROCESS, str(own_home / "other.db")])

    assert [[each["bag"] for each in bags] for line in run.lines if (bags := bags_of(line))] == [
        ["parser"],
        ["default"],
        ["default"],
        ["default"],
    ]


def bags_of(line: str) -> list[dict[str, str]]:
    import json

    found: list[dict[str, str]] = json.loads(line).get("bags", [])
    return found


WHILE_READING = """
import io, os, sys
class Input(io.BytesIO):
    def read(self, size=-1):
        os.environ["MAILSTOP_STORE"] = "another.db"
        os.chdir("/")
        return super().read(size)
sys.stdin = io.TextIOWrapper(Input(b"the body"))
from mailstop.cli.entry import main
sys.exit(main(["send", "reviewer", "-"]))
"""


def test_the_store_is_chosen_before_the_body_is_read(arrive: Arrive, own_home: Path) -> None:
    builder, reviewer = arrive(Party), arrive(Party)
    for party, name in ((builder, "builder"), (reviewer, "reviewer")):
        party.environment[VARIABLE] = "relative.db"
        party.join(name)

    sent = builder.call([sys.executable, "-c", WHILE_READING])

    assert sent.code == 0, sent.err
    assert reviewer.run("check", "--json").json["letters"][0]["body"] == "the body"
    assert not (own_home / "another.db").exists()


@pytest.mark.parametrize("words", [("send",), ("send", "reviewer", "-", "--nope"), ("raed",), ("read", "x")])
def test_a_usage_error_touches_neither_the_chosen_bag_nor_another(seat: SeatAt, words: tuple[str, ...]) -> None:
    builder = seat("builder")
    before = builder.run("bags", "--json").json

    for line in (("--bag", "nowhere", *words), (*words, "--bag", "nowhere")):
        run = builder.run(*line)
        assert (run.code, run.out) == (2, "")
        assert run.err.count("\n") == 1

    assert builder.run("bags", "--json").json == before


# -- refusals leave nothing open


def test_a_refused_store_leaves_no_descriptor_open_and_its_file_as_it_was(tmp_path: Path) -> None:
    from mailstop.engines.sqlite.store import SQLiteStore
    from mailstop.errors import StoreUnavailable

    places = {name: tmp_path / name for name in ("folder", "fifo", "text", "short")}
    places["folder"].mkdir()
    os.mkfifo(places["fifo"])
    places["text"].write_text("This is no database.\n" * 100)
    places["short"].write_bytes(b"SQLite format 3\0")
    before = descriptors()

    for place in places.values():
        with pytest.raises(StoreUnavailable):
            SQLiteStore(str(place))

    assert descriptors() == before
    assert places["text"].read_text() == "This is no database.\n" * 100
    assert places["short"].read_bytes() == b"SQLite format 3\0"


def descriptors() -> list[str]:
    """The files that this process has open, as Linux lists them."""
    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("only Linux lists the open files of a process in /proc")
    links = (os.path.join("/proc/self/fd", name) for name in os.listdir("/proc/self/fd"))
    return sorted(os.readlink(link) for link in links if os.path.lexists(link))
