"""What the command line tells people and programs: names as they are, whole words, and what is so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from mailstop.cli import doubt, entry
from mailstop.errors import FailedInDoubt, MailstopError, Uncertain
from tests.party import MAILSTOP, ClaudeParty, Party, Person

SeatAt = Callable[..., Party]
SESSION = "01a227bc-e031-7b73-a9b7-49711dc7b705"
QUOTED = 'Say "hello" & it\'s done'


# -- names as they are


def test_a_person_reads_what_others_wrote_with_its_own_quotes(seat: SeatAt, person: Person, own_home: Path) -> None:
    builder = seat("builder")
    seat("reviewer")
    builder.run("me", "--objective", QUOTED)
    builder.run("lease", "take", 'a "b".py', "--note", QUOTED)
    task = str(builder.run("task", "give", "reviewer", QUOTED, "--issue", QUOTED, "--json").json["task"]["n"])
    asked = str(builder.run("ask", "human", QUOTED, "--choice", QUOTED, "--wait", "0", "--json").json["n"])
    builder.run("send", "human", QUOTED, "--artifact", 'a "b".py', "--kind", 'ki"nd')

    for words in (
        ("who",),
        ("lease", "list"),
        ("task", "list"),
        ("task", "show", task),
        ("asks",),
        ("read", asked),
        ("read",),
        ("read", "--search", "hello"),
        ("check",),
    ):
        for terminal in (False, True):
            told = person.run(*words, terminal=terminal)
            assert told.code == 0, words
            shown = told.out if not terminal or words[0] == "check" else " ".join(map(str.strip, told.lines))
            assert QUOTED in shown, (words, terminal)
    assert 'a "b".py' in person.run("lease", "list").out
    assert 'ki"nd' in person.run("read").out


def test_a_model_reads_a_title_in_quotes_that_it_cannot_leave(seat: SeatAt) -> None:
    builder = seat("builder")
    builder.run("task", "give", "--pool", QUOTED)

    assert f'"{QUOTED.replace(chr(34), chr(39))}"' in builder.run("task", "list").out


def test_a_file_that_is_named_like_a_pattern_is_told_from_the_pattern(seat: SeatAt, person: Person) -> None:
    builder = seat("builder")
    (builder.home / "x*.py").touch()
    (builder.home / "name:deploy").touch()

    assert builder.run("lease", "take", "path:x*.py", "glob:y*.py", "path:name:deploy", "name:deploy").code == 0

    words = [line.split()[0] for line in person.run("lease", "list").lines[1:]]
    folder = str(builder.home)
    assert sorted(words) == sorted([f"path:{folder}/x*.py", f"{folder}/y*.py", f"{folder}/name:deploy", "name:deploy"])
    assert "path:" in builder.run("lease", "release", "path:x*.py").out


# -- tables on narrow terminals


@pytest.fixture
def crowd(seat: SeatAt) -> Party:
    """A party in a bag where there is something of everything, all of it short."""
    builder, reviewer = seat("builder"), seat("reviewer")
    task = str(builder.run("task", "give", "reviewer", "short title", "--json").json["task"]["n"])
    assert reviewer.run("task", "need-input", task, "which?").code == 0
    builder.run("ask", "reviewer", "short text", "--wait", "0")
    builder.run("lease", "take", "name:deploy", "--note", "short note")
    builder.run("say", "general", "hello")
    return builder


TABLES = (("who",), ("task", "list"), ("asks",), ("lease", "list"), ("channels",), ("limits",), ("kinds",), ("bags",))


@pytest.mark.parametrize("columns", [40, 60, 80, 100])
def test_nothing_that_is_short_is_ever_cut(crowd: Party, own_home: Path, columns: int) -> None:
    with Person(own_home, columns=columns) as person:
        for words in TABLES:
            told = person.run(*words, terminal=True)
            piped = person.run(*words)
            assert told.code == 0, words
            assert "…" not in told.out, words
            lines = [line for line in told.lines if "/" not in line]  # a path is one word
            assert max(map(len, lines)) <= columns, words
            cells = "\n".join(piped.lines[1:])  # the heading of a column that is empty need not be told
            assert [word for word in cells.split() if word != "-" and word not in told.out] == [], words


@pytest.mark.parametrize("columns", [40, 60, 80])
def test_of_long_texts_only_free_text_is_shortened(seat: SeatAt, own_home: Path, columns: int) -> None:
    builder = seat("builder")
    title = "a title of many words that goes on and on " * 4
    builder.run("task", "give", "--pool", title.strip())
    builder.run("lease", "take", "name:deploy", "--note", title.strip())

    with Person(own_home, columns=columns) as person:
        tasks = " ".join(map(str.strip, person.run("task", "list", terminal=True).lines))
        leases = " ".join(map(str.strip, person.run("lease", "list", terminal=True).lines))

    assert "submitted" in tasks
    assert f"pool of {builder.home.name}" in tasks
    assert "seat builder" in tasks
    assert "name:deploy" in leases
    assert "a program" in leases


def test_eighty_columns_say_where_a_session_works_how_it_stands_and_when_it_was_seen(
    crowd: Party, own_home: Path
) -> None:
    with Person(own_home, columns=80) as person:
        told = person.run("who", terminal=True).out

    assert all(word in told for word in ("worktree:", "status: active", "seen: alive", "woken by: nothing"))


# -- a session that would count for nothing


def test_a_session_that_would_not_count_for_the_shell_is_refused_with_what_to_type(
    seat: SeatAt, stranger: Party
) -> None:
    other = seat("other")

    refused = stranger.run("join", "builder", "--export", "--pid", str(other.pid))

    assert (refused.code, refused.out) == (2, "")
    assert f"process {other.pid} is not above this one" in refused.err
    assert 'eval "$(mailstop join builder --export)"' in refused.err
    assert "builder" not in other.run("who", "--all").out
    bound = stranger.run("join", "builder", "--export", "--pid", str(stranger.pid))
    assert bound.code == 0
    stranger.environment["MAILSTOP_SESSION"] = bound.out.strip().partition("=")[2]
    assert stranger.run("send", "other", "hello").code == 0


# -- what is said


LOOKS = (
    ("read", "--channel", "nope"),
    ("read", "999"),
    ("read", "--bag", "nope"),
    ("status", "999"),
    ("who", "--bag", "nope"),
    ("who", "--project", "nope"),
    ("bags", "--bag", "nope"),
    ("asks", "--bag", "nope"),
    ("channels", "--bag", "nope"),
    ("check", "--from", "nope"),
    ("task", "show", "999"),
    ("task", "list", "--bag", "nope"),
    ("lease", "list", "--project", "nope"),
    ("lead", "--project", "nope"),
    ("budget", "--bag", "nope"),
    ("limits", "--bag", "nope"),
)


@pytest.mark.parametrize("words", LOOKS, ids=" ".join)
def test_who_only_looks_is_not_told_that_nothing_was_stored(seat: SeatAt, words: Sequence[str]) -> None:
    refused = seat("builder").run(*words)

    assert (refused.code, refused.out) == (3, "")
    assert "Nothing was" not in refused.err


def test_who_writes_to_an_unknown_channel_is_told_so_and_how_to_make_it(seat: SeatAt) -> None:
    refused = seat("builder").run("say", "--channel", "nope", "hello")

    assert refused.code == 3
    assert "Nothing was stored. To make it, read it: mailstop subscribe NAME" in refused.err


def test_the_person_is_told_the_command_that_works_for_the_person(seat: SeatAt, person: Person) -> None:
    builder = seat("builder")

    for words in (("lead",), ("send", "leader", "hello")):
        told = person.run(*words)
        assert "To lead it: mailstop lead claim SEAT" in told.out + told.err, words
        told = builder.run(*words)
        assert "To lead it: mailstop lead claim" in told.out + told.err, words
        assert "claim SEAT" not in told.out + told.err, words
    assert person.run("lead", "claim", "builder").code == 0


def test_a_leader_that_writes_to_leader_is_told_who_that_is(seat: SeatAt) -> None:
    builder = seat("builder")
    assert builder.run("lead", "claim").code == 0

    for words in (("send", "leader", "hello"), ("ask", "leader", "hello"), ("task", "give", "leader", "do it")):
        refused = builder.run(*words)
        assert refused.code == 1, words
        assert "Seat 'builder' leads the project itself" in refused.err, words
        assert "to itself" not in refused.err
    assert "to itself" in builder.run("send", "builder", "hello").err


@pytest.mark.parametrize(
    "words",
    [
        ("task", "give", "reviewer", "a\x07b"),
        ("task", "give", "reviewer", "fine", "--issue", "a\x07b"),
        ("me", "--objective", "a\x07b"),
        ("send", "reviewer", "hello", "--key", "a\x07b"),
        ("send", "reviewer", "hello", "--kind", "a\x07b"),
        ("send", "reviewer", "hello", "--artifact", "a\x07b"),
        ("ask", "reviewer", "hello", "--choice", "a\x07b"),
        ("lease", "take", "name:x", "--note", "a\x07b"),
        ("lease", "take", "name:a\x07b"),
    ],
    ids=lambda words: " ".join(words[:2] + words[-2:-1]),
)
def test_a_line_that_is_refused_is_told_by_the_character_that_makes_it_so(seat: SeatAt, words: Sequence[str]) -> None:
    builder = seat("builder")
    seat("reviewer")

    refused = builder.run(*words)

    assert (refused.code, refused.out) == (1, "")
    assert "character 2 of this one is U+0007" in refused.err


def test_a_choice_too_many_is_refused_in_a_sentence(seat: SeatAt) -> None:
    refused = seat("builder").run("ask", "human", "which?", *("--choice", "a") * 2)

    assert refused.err == "mailstop: Refused because of the choices: each may be given once.\n"


def test_one_is_told_as_one(seat: SeatAt, person: Person) -> None:
    builder = seat("builder")

    assert "stored, 1 byte" in builder.run("send", "human", "x").lines[0]
    assert "within 1 second" in builder.run("ask", "human", "x", "--wait", "1").out
    assert builder.run("check", "--wait", "1").err == "mailstop: Nothing came within 1 second.\n"
    person.run("budget", "open", "--limit", "1")
    assert builder.run("send", "human", "x").code == 0
    assert "The budget of 1 letter is used up" in builder.run("send", "human", "x").err
    assert "budget 1 of 1 letter is used up" in builder.run("budget").out


@pytest.mark.parametrize("act", ["take", "renew", "release", "check"])
def test_an_empty_resource_is_wrong_usage(seat: SeatAt, stranger: Party, act: str) -> None:
    for party in (seat("builder"), stranger):
        refused = party.run("lease", act, "")
        assert (refused.code, refused.out) == (2, "")


@pytest.mark.parametrize("word", ["[z-a]*", "name:", "x" * 5_000 + "/"])
def test_a_word_that_stands_for_nothing_is_wrong_usage_of_a_check(seat: SeatAt, word: str) -> None:
    assert seat("builder").run("lease", "check", word).code == 2


def test_a_file_that_no_lease_can_be_on_is_none_of_which_a_check_can_tell(seat: SeatAt) -> None:
    builder = seat("builder")

    assert builder.call(["sh", "-c", '"$0" lease check "$(printf "a\\377b")"', MAILSTOP]).code == 5


@pytest.mark.parametrize("words", [("take", "name:deploy"), ("list",), ("release", "name:nothing")])
def test_what_waits_for_the_person_is_told_after_the_answer_and_once(
    seat: SeatAt, person: Person, words: Sequence[str]
) -> None:
    seat("builder").send("human", "please decide")

    told = person.run("lease", *words, terminal=True).lines

    assert told[-1] == "1 letter waits for you: mailstop check"
    assert len(told) > 1
    assert "".join(told).count("waits for you") == 1


def test_a_check_of_a_hook_says_nothing_of_letters(seat: SeatAt, person: Person) -> None:
    seat("builder").send("human", "please decide")

    assert person.run("lease", "check", "name:x", terminal=True).lines == ["free: 1 checked"]


def test_notices_are_mailstops_own_wherever_they_are_told(seat: SeatAt, person: Person) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    assert builder.run("lead", "claim").code == 0

    assert " mailstop itself -> #leader" in person.run("read", "--channel", "leader").out
    assert "from mailstop itself" in reviewer.run("check").out
    (line,) = (line for line in person.run("channels").lines if line.startswith("#leader"))
    assert "from mailstop itself, " in line
    for words in (("read", "--channel", "leader"), ("channels",)):
        assert "postmaster" not in person.run(*words).out


def test_a_task_that_was_given_back_by_mailstop_says_so_in_the_same_words(seat: SeatAt, person: Person) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    n = str(builder.run("task", "give", "reviewer", "do it", "--json").json["task"]["n"])
    reviewer.close()

    told = person.run("task", "show", n).out

    assert "mailstop itself: found the seat empty" in told


# -- for programs


def test_errors_hold_what_their_messages_say(seat: SeatAt) -> None:
    builder, reviewer, docs = seat("builder"), seat("reviewer"), seat("docs")
    asked = builder.run("ask", "reviewer", "which?", "--wait", "0", "--json").json["n"]
    answer = reviewer.run("answer", str(asked), "this", "--json").json["n"]
    task = builder.run("task", "give", "reviewer", "do it", "--json").json["task"]["n"]
    reviewer.run("lease", "take", "name:deploy")

    def told(*words: str, by: Party = builder) -> dict[str, object]:
        refused = by.run(*words, "--json")
        assert refused.code in (1, 3)
        error: dict[str, object] = refused.json["error"]
        return error

    error = told("say", "general", "hello", "--wake-all")
    assert (error["code"], error["count"], error["channel"]) == ("wakes_many", 2, "general")
    assert error["readers"] == ["docs", "reviewer"]
    error = told("answer", str(asked), "that", by=reviewer)
    assert (error["code"], error["n"], error["answer"], error["by"]) == ("already_answered", asked, answer, "reviewer")
    assert str(error["since"]).endswith("Z")
    error = told("task", "take", str(task), by=docs)
    assert (error["code"], error["n"], error["holder"], error["state"]) == ("task_taken", task, "reviewer", "submitted")
    error = told("lease", "take", "name:deploy")
    assert error["code"] == "lease_taken"
    assert [each["seat"] for each in error["taken"]] == ["reviewer"]  # type: ignore[attr-defined]
    error = told("send", "revewer", "hello")
    assert (error["code"], error["nearest"]) == ("unknown_seat", {"revewer": ["reviewer"]})
    error = told("read", "--channel", "genral")
    assert (error["code"], error["nearest"], error["bag"]) == ("unknown_channel", ["general"], "default")
    assert told("join", "reviewer", by=docs)["holder"]


def test_a_circle_is_told_with_who_waits_since_when(seat: SeatAt, arrive: Callable[[type[Party]], Party]) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    asking = builder.start("ask", "reviewer", "which?", "--wait", "40")
    question = _asked(reviewer)

    refused = reviewer.run("ask", "builder", "and which?")
    error = reviewer.run("ask", "builder", "and which?", "--json").json["error"]

    assert refused.code == 1
    assert f"builder waits for reviewer (question {question}) since " in refused.err
    assert error["circle"] == ["reviewer", "builder", "reviewer"]
    (wait,) = error["waits"]
    assert (wait["from"], wait["to"], wait["question"]) == ("builder", "reviewer", question)
    assert wait["since"].endswith("Z")
    asking.kill()


def _asked(party: Party) -> int:
    """The number of the question that waits for its answer, once one does."""
    found: list[int] = []
    while not found:
        questions = party.run("asks", "--given", "--json").json["questions"]
        found = [each["n"] for each in questions if each["waits"]]
    return found[0]


def test_an_answer_tells_which_question_it_answers_and_by_which_choice(seat: SeatAt) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    first = builder.run("ask", "reviewer", "which?", "--choice", "a", "--choice", "b", "--wait", "0", "--json").json[
        "n"
    ]
    second = builder.run("ask", "reviewer", "why?", "--wait", "0", "--json").json["n"]

    chosen = reviewer.run("answer", str(first), "--choice", "2", "--json").json
    written = reviewer.run("answer", str(second), "because", "--json").json

    assert (chosen["question"], chosen["choice"], chosen["ref"]) == (first, 2, first)
    assert (written["question"], written["choice"], written["ref"]) == (second, None, second)


# -- in doubt


def test_every_verb_that_writes_says_how_to_find_out_whether_it_did() -> None:
    assert set(doubt.LOOK) == set(entry.WRITING)
    for verb in entry.WRITING:
        told = doubt.look([verb])
        module = __import__(f"mailstop.cli.{verb}", fromlist=["PARAMETERS"])
        has_key = any("--key" in getattr(one, "names", ()) for one in module.PARAMETERS)
        assert "--key" not in told or has_key, verb
        assert "mailstop read" not in told or "--key" in told, verb


@pytest.mark.parametrize("error", [RuntimeError("no such luck"), Uncertain(reason="no such luck")])
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["lease", "take", "x"], "mailstop lease list --mine"),
        (["me", "--status", "done"], "mailstop me"),
        (["task", "complete", "3"], "mailstop task list"),
        (["task", "give", "qc", "do it"], "with the same --key"),
        (["send", "qc", "hello"], "with the same --key"),
    ],
)
def test_who_is_left_in_doubt_is_told_what_fits_the_verb(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    own_home: Path,
    words: list[str],
    told: str,
    error: Exception,
) -> None:
    def fails(*_words: object) -> None:
        raise error

    monkeypatch.setattr(entry, "_run", fails)

    assert entry.main(words) == FailedInDoubt.exit_code
    said = capsys.readouterr().err
    assert told in said
    assert ("--key" in said) == ("--key" in told)
    assert isinstance(error, MailstopError) or "no such luck" in said


def test_a_letter_that_brought_a_task_says_where_that_is_when_it_comes_late(seat: SeatAt, person: Person) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    seat("docs")
    first = builder.run("task", "give", "reviewer", "one", "--json").json
    gone, letter = str(first["task"]["n"]), str(first["letter"]["n"])
    over = str(builder.run("task", "give", "reviewer", "two", "--json").json["task"]["n"])
    kept = str(builder.run("task", "give", "reviewer", "three", "--json").json["task"]["n"])
    builder.run("task", "reassign", gone, "docs")
    builder.run("task", "cancel", over)

    told = reviewer.run("check").out

    assert f"Task {gone} is not for seat reviewer to do any more: it is with seat docs since " in told
    assert f"Task {over} is not for seat reviewer to do any more: it is canceled, by seat builder since " in told
    assert f"mailstop task accept {kept}" in told
    assert f"task accept {over}" not in told
    assert told.count(f"task accept {gone}") == 1, "only in the letter that lets it go to docs, for docs"
    assert f"Seat docs: mailstop task accept {gone}" in told
    assert " any more: it is with seat docs since " in person.run("read", letter).out


def test_a_session_that_starts_anew_is_not_told_to_answer_for_a_task_that_it_lost(
    seat: SeatAt, claude: ClaudeParty
) -> None:
    builder = seat("builder")
    claude.open(SESSION)
    assert claude.run("join", "reviewer").code == 0
    n = str(builder.run("task", "give", "reviewer", "one", "--json").json["task"]["n"])
    claude.hook("UserPromptSubmit", SESSION, prompt="hello")
    claude.hook("PostToolBatch", SESSION)
    assert "reply still due" in claude.hook("SessionStart", SESSION, source="clear").out
    builder.run("task", "cancel", n)

    told = claude.hook("SessionStart", SESSION, source="clear").out

    assert "this session is seat reviewer" in told
    assert "reply still due" not in told


# -- one thing is said in one way


@pytest.mark.parametrize(
    ("verb", "act", "told"),
    [
        ("task", "compleet", "task has no act 'compleet'; nearest: complete. There are: give, accept, "),
        ("lease", "tak", "lease has no act 'tak'; nearest: take. There are: take, renew, release, list, check"),
        ("lead", "clam", "lead has no act 'clam'; nearest: claim. There are: claim, release"),
        ("token", "revok", "token has no act 'revok'; nearest: revoke. There are: create, list, revoke"),
        ("budget", "opn", "budget has no act 'opn'; nearest: open. There are: open, close"),
        ("lane", "snd", "lane has no act 'snd'; nearest: send. There are: send, check, watch, doctor, bridge"),
        ("setup", "cluade", "setup has no client 'cluade'; nearest: claude, codex. There are: claude, codex, mcp"),
    ],
)
def test_an_act_that_a_verb_does_not_have_is_refused_with_all_that_it_has(
    seat: SeatAt, person: Person, verb: str, act: str, told: str
) -> None:
    run = (person if verb in ("setup", "token") else seat("builder")).run(verb, act, *(["."] if verb == "lane" else []))

    assert (run.code, run.err.startswith(f"mailstop: {told}")) == (2, True), run.err


def test_of_several_unknown_seats_each_is_told_in_a_sentence(seat: SeatAt) -> None:
    told = seat("builder").run("send", "bulder,nobody-else", "hello").err

    assert "There is no seat 'bulder' (nearest: builder). There is no seat 'nobody-else' (see: mailstop who). " in told


def test_an_unknown_project_is_told_without_saying_that_it_is_unclear(seat: SeatAt) -> None:
    told = seat("builder").run("who", "--project", "prj")

    assert (told.code, told.err.startswith("mailstop: There is no project 'prj' (")) == (3, True), told.err


def test_who_waits_for_a_lease_no_time_at_all_is_told_of_none(seat: SeatAt) -> None:
    seat("builder").run("lease", "take", "name:deploy")

    told = seat("other").run("lease", "take", "name:deploy", "--wait", "0")

    assert told.code == 4
    assert "0 seconds" not in told.err


def test_behind_a_command_to_copy_stands_no_full_stop(seat: SeatAt) -> None:
    builder, reader = seat("builder"), seat("reader")
    own = builder.send("reader", "hello")
    reader.run("task", "give", "builder", "Mend it")
    task = builder.run("task", "list", "--json").json["tasks"][0]["n"]
    builder.run("task", "accept", str(task))

    assert builder.run("reply", str(own), "again").err.endswith("To write to a seat: mailstop send SEAT -\n")
    needs = builder.run("task", "need-input", str(task), "").err
    assert f"(mailstop task need-input {task} TEXT)" in needs


def test_an_answer_without_a_text_is_not_told_of_a_letter(seat: SeatAt) -> None:
    told = seat("builder").call(["sh", "-c", f"{MAILSTOP} answer 1 </dev/null"])

    assert (told.code, told.err) == (
        2,
        "mailstop: there is no text: give -, and the text on standard input, or --body-file PATH\n",
    )


def test_a_budget_for_a_bag_that_nobody_has_been_in_is_opened_and_that_is_said(seat: SeatAt, person: Person) -> None:
    seat("builder")

    assert person.run("budget", "open", "--bag", "nobag").out.endswith("; nobody has been in bag nobag yet\n")
    assert "nobody has been" not in person.run("budget", "open").out
