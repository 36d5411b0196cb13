"""`mailstop token`, by real processes: a token is printed once, listed without its text, and revoked by its id."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mailstop.token import digest_of, id_of
from tests.party import MAILSTOP, ClaudeParty, Party, Person

SeatAt = Callable[..., Party]
SESSION = "01a227bc-e031-7b73-a9b7-49711dc7b705"


def files_that_hold(text: str, folder: Path) -> list[Path]:
    """The files below a folder that hold a text."""
    files = [file for file in folder.rglob("*") if file.is_file()]
    assert files
    return [file for file in files if text.encode() in file.read_bytes()]


def test_a_token_stands_alone_on_standard_output_and_is_explained_beside_it(seat: SeatAt, person: Person) -> None:
    seat("builder")

    run = person.run("token", "create", "builder", "--expires", "30d")

    assert run.code == 0
    (text,) = run.lines
    assert id_of(text)
    assert run.err.startswith(f"token {id_of(text)} for seat builder, until 20")
    assert run.err.endswith("It is shown this once.\n")
    assert text not in run.err


def test_it_can_be_sent_into_a_file(seat: SeatAt, person: Person, own_home: Path) -> None:
    seat("builder")

    made = person.call(["sh", "-c", f"umask 077; exec '{MAILSTOP}' token create human > my-token"])

    assert (made.code, made.out) == (0, "")
    (listed,) = person.run("token", "list", "--json").json["tokens"]
    assert id_of((own_home / "my-token").read_text().strip()) == listed["id"]


def test_a_program_gets_it_as_json(person: Person) -> None:
    made = person.run("token", "create", "human", "--json")

    assert (made.json["seat"], made.json["bag"], made.json["expires"], made.json["state"]) == (
        "human",
        None,
        None,
        "counts",
    )
    assert id_of(made.json["token"]) == made.json["id"]
    assert made.err == ""


def test_its_text_is_nowhere_but_where_it_was_printed(seat: SeatAt, person: Person, own_home: Path) -> None:
    seat("builder")
    text = person.run("token", "create", "builder").out.strip()
    secret = text.rpartition("_")[2]

    listed = person.run("token", "list")
    as_json = person.run("token", "list", "--json")
    revoked = person.run("token", "revoke", id_of(text))
    said = person.run("token", "revoke", text[:-1])
    printed = "".join(run.out + run.err for run in (listed, as_json, revoked, person.run("read"), person.run("doctor")))

    assert id_of(text) in listed.out
    assert secret not in printed
    assert digest_of(text) not in printed
    assert said.code == 3
    assert secret[:4] not in said.out + said.err, "also where somebody types part of the text in place of the id"
    assert files_that_hold(secret, own_home) == []
    assert [file.name for file in files_that_hold(digest_of(text), own_home) if "mailstop.db" in file.name]


def test_tokens_are_listed_with_how_they_stand(seat: SeatAt, person: Person) -> None:
    seat("builder")
    assert person.run("token").out == "no tokens\n"
    ids = [
        person.run("token", "create", *words, "--json").json["id"]
        for words in (("builder",), ("critic", "--bag", "side", "--expires", "12h"), ("human",))
    ]
    person.run("token", "revoke", ids[0])

    heading, *rows = person.run("token", "list").lines

    assert heading.split() == ["token", "for", "bag", "state", "created", "expires", "last", "used"]
    assert [row.split()[:4] for row in rows] == [
        [ids[0], "builder", "default", "revoked"],
        [ids[1], "critic", "side", "counts"],
        [ids[2], "human", "all", "counts"],
    ]
    assert [row.split()[-1] for row in rows] == ["never"] * 3
    listed = person.run("token", "list", "--bag", "side", "--json").json["tokens"]
    assert [(each["id"], each["bag"], each["used"]) for each in listed] == [
        (ids[1], "side", None),
        (ids[2], None, None),
    ]


def test_revoking_says_what_was_done_and_whether_it_was_done_before(seat: SeatAt, person: Person) -> None:
    seat("builder")
    token_id = person.run("token", "create", "builder", "--json").json["id"]

    assert person.run("token", "revoke", token_id).out == f"token {token_id} for seat builder is revoked\n"
    again = person.run("token", "revoke", token_id)
    assert (again.code, again.out.partition("; it was since ")[0]) == (
        0,
        f"token {token_id} for seat builder is revoked",
    )
    as_json = person.run("token", "revoke", token_id, "--json").json
    assert (as_json["state"], as_json["new"]) == ("revoked", False)
    other = person.run("token", "create", "builder").out.strip()
    assert person.run("token", "revoke", other, "--json").json["id"] == id_of(other), "its text does, if it leaked"
    unknown = person.run("token", "revoke", token_id[:-1])
    assert (unknown.code, unknown.out) == (3, "")
    assert f"nearest: {token_id}" in unknown.err


def test_a_token_that_leaked_is_revoked_by_its_text_on_standard_input(seat: SeatAt, person: Person) -> None:
    """An argument would show it to other users, and keep it in the shell's history."""
    seat("builder")
    text = person.run("token", "create", "builder").out.strip()

    revoked = person.run("token", "revoke", "-", input=f"{text}\n")

    assert (revoked.code, revoked.out) == (0, f"token {id_of(text)} for seat builder is revoked\n")
    assert person.run("token", "revoke", "-", "--json", input=id_of(text)).json["new"] is False, "so is its id"


@pytest.mark.parametrize(
    "given", ["", "\n", "mailstop_0123abcd_", "a b", "5ecre7", "0" * 9, "x" * 100_000, b"\xff\x00"]
)
def test_what_is_no_token_on_standard_input_is_refused_and_not_repeated(person: Person, given: str | bytes) -> None:
    refused = person.run("token", "revoke", "-", input=given)

    assert (refused.code, refused.out) == (2, "")
    assert "what stands on standard input is no token, and no id of one" in refused.err
    assert isinstance(given, bytes) or len(given) < 5 or given not in refused.err


@pytest.mark.parametrize("words", [("create", "builder"), ("create", "human"), ("list",), ("revoke", "0123abcd"), ()])
def test_no_session_no_program_and_no_stranger_has_to_do_with_tokens(
    seat: SeatAt, claude: ClaudeParty, stranger: Party, person: Person, words: tuple[str, ...]
) -> None:
    claude.open(SESSION)
    for party in (seat("builder"), claude, stranger):
        refused = party.run("token", *words)
        assert (refused.code, refused.out) == (1, "")
        assert "is the person's alone" in refused.err
    assert person.run("token", "--json").json == {"tokens": []}


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("craete", "builder"), 2, "nearest: create"),
        (("create",), 2, "for whom?"),
        (("revoke",), 2, "which?"),
        (("list", "builder"), 2, "list takes no 'builder'"),
        (("list", "--expires", "30d"), 2, "--expires is for create"),
        (("revoke", "0123abcd", "--bag", "default"), 2, "an id says which token it is"),
        (("create", "human", "--bag", "default"), 2, "without --bag"),
        (("create", "builder", "--expires", "30"), 2, "say the unit"),
        (("create", "builder", "--expires", "soon"), 2, "say the unit"),
        (("create", "builder", "--expires", "1s"), 1, "at least 1 minute"),
        (("create", "builder", "--expires", "999999999w"), 1, "at most 10 years"),
        (("create", "leader"), 1, "nobody's seat"),
        (("create", "Builder"), 1, "is no name for a seat"),
        (("create", "builder", "--bag", "a b"), 1, "is no name for a bag"),
        (("revoke", "0123abcd"), 3, "mailstop token list"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line_and_leaves_nothing(
    person: Person, seat: SeatAt, words: tuple[str, ...], code: int, said: str
) -> None:
    seat("builder")

    refused = person.run("token", *words)

    assert (refused.code, refused.out) == (code, "")
    assert said in refused.err
    assert refused.err.count("\n") == 1 or code == 2
    assert person.run("token", "list", "--json").json == {"tokens": []}


def test_the_first_token_makes_the_store_and_a_look_does_not(person: Person, own_home: Path) -> None:
    store = own_home / ".local/share/mailstop/mailstop.db"
    assert person.run("token", "list", "--json").json == {"tokens": []}
    assert person.run("token", "revoke", "0123abcd").code == 3
    assert person.run("token", "create", "leader").code == 1
    assert not store.exists()

    made = person.run("token", "create", "builder")

    assert made.code == 0, made.err
    assert store.stat().st_mode & 0o777 == 0o600
    assert [each["seat"] for each in person.run("token", "list", "--json").json["tokens"]] == ["builder"]
