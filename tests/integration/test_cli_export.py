"""`mailstop export`, by real processes."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tests.party import ClaudeParty, Party, Person

SeatAt = Callable[..., Party]
SECRET = "glpat-" + "x7Kq" * 6
HOSTILE = (
    "</pre></article><script>alert(1)</script><img src=x onerror=alert(2)> & \u202etxt.exe \x1b[31m "
    "<!-- --> \"quotes\" 'single' ]]> <style>*{display:none}</style> javascript:alert(3)"
)


@pytest.fixture
def mail(seat: SeatAt) -> Party:
    """A store with a conversation, a hostile letter, and one in another bag; give who wrote it."""
    builder, reviewer = seat("builder"), seat("reviewer")
    first = builder.send("reviewer", "please look\nat this")
    assert reviewer.run("reply", str(first), "I did", "--artifact", "<b>a.py</b>").code == 0
    builder.send("reviewer", HOSTILE)
    builder.send("reviewer", f"the token is {SECRET}")
    other = seat("tester", "--bag", "other")
    assert other.run("send", "--bag", "other", "human", "elsewhere").code == 0
    return builder


def lines_of(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.split("\n")[:-1]]


def bodies(text: str) -> list[str]:
    return [line["body"] for line in lines_of(text) if "letter" in line]


def test_all_bags_go_to_standard_output_or_one(mail: Party) -> None:
    everything = mail.run("export")
    one = mail.run("export", "--bag", "other")

    assert (everything.code, everything.err) == (0, "")
    assert bodies(everything.out)[:2] == ["please look\nat this", "I did"]
    assert bodies(everything.out)[-1] == "elsewhere"
    assert bodies(one.out) == ["elsewhere"]
    assert mail.run("export", "--bag", "nowhere").code == 3
    assert mail.run("export", "--thread", "999").code == 3


def test_a_file_is_of_its_writer_alone_and_is_not_overwritten(mail: Party, own_home: Path) -> None:
    file = own_home / "mail.jsonl"

    first = mail.run("export", "--output", str(file), "--json")
    before = file.read_bytes()
    again = mail.run("export", "--output", str(file))

    assert (first.code, first.json["letters"], first.json["bytes"]) == (0, 5, len(before))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert (again.code, "--force" in again.err) == (1, True)
    assert file.read_bytes() == before
    mail.send("reviewer", "one more")
    assert mail.run("export", "--output", str(file), "--force").code == 0
    assert bodies(file.read_text())[-1] == "one more"
    assert [each.name for each in own_home.iterdir() if each.name.endswith(".part")] == []


def test_what_is_no_plain_file_is_never_replaced_and_a_folder_that_is_not_there_is_said(
    mail: Party, own_home: Path
) -> None:
    pipe, target = own_home / "pipe", own_home / "target"
    os.mkfifo(pipe)
    target.write_text("kept")
    (own_home / "link").symlink_to(target)

    for name in ("pipe", "link", "."):
        assert mail.run("export", "--output", str(own_home / name), "--force").code == 5, name
    missing = mail.run("export", "--output", str(own_home / "no" / "where"))
    assert (missing.code, "No such file" in missing.err) == (5, True)
    assert target.read_text() == "kept"


def test_a_store_is_never_replaced_by_an_export(mail: Party, own_home: Path) -> None:
    before = mail.run("export").out
    store = next(own_home.rglob("mailstop.db"))
    (own_home / "linked").symlink_to(store)

    for path in (store, Path(f"{store}.lock"), Path(f"{store}-wal"), own_home / "linked"):
        told = mail.run("export", "--output", str(path), "--force")
        assert (told.code, "no export replaces it" in told.err) == (1, True), path
    assert bodies(mail.run("export").out) == bodies(before)


def test_a_dash_means_standard_output(mail: Party, own_home: Path) -> None:
    told = mail.run("export", "--output", "-")

    assert (told.code, len(bodies(told.out))) == (0, 5)
    assert not (own_home / "-").exists()


def test_an_export_is_brought_into_another_store_and_exported_from_there_the_same(
    mail: Party, person: Person, own_home: Path
) -> None:
    text = mail.run("export").out
    (own_home / "mail.jsonl").write_text(text)
    other = ("--store", str(own_home / "other.db"))
    assert person.run("import", "jsonl", "mail.jsonl", "--dry-run", *other).code in (0, 5)
    assert person.run("join", "nobody", "--export", *other).code == 0

    told = person.run("import", "jsonl", "mail.jsonl", *other, "--json")

    assert told.code == 0, told.err
    assert (told.json["imports"][0]["letters"], told.json["imports"][0]["left_out"]) == (5, [])
    again = person.run("export", *other).out
    assert [line for line in lines_of(again)[1:-1] if "letter" in line] == [
        line for line in lines_of(text)[1:-1] if "letter" in line
    ]
    number = next(line["letter"] for line in lines_of(text) if line.get("body") == "elsewhere")
    assert "elsewhere" in person.run("read", number, *other).out
    assert person.run("check", *other).out.find("please look") < 0


def test_what_the_other_store_reported_of_a_letter_is_told_as_that(mail: Party, person: Person, own_home: Path) -> None:
    lines = lines_of(mail.run("export").out)
    line = next(each for each in lines if "letter" in each)
    line["receipts"] = [
        {"seat": "reviewer", "state": "shown", "at": "2026-11-29T20:01:12.031Z", "evidence": "the \x1b[31m hook"},
        {"seat": "reviewer", "state": "praised\n", "at": 5},
        {"seat": 5, "state": "shown"},
        "shown",
    ]
    (own_home / "mail.jsonl").write_text("".join(json.dumps(each) + "\n" for each in lines))
    other = ("--store", str(own_home / "other.db"))
    person.run("join", "nobody", "--export", *other)
    assert person.run("import", "jsonl", "mail.jsonl", *other).code == 0

    status, read = person.run("status", line["letter"], *other), person.run("read", line["letter"], *other)

    assert "  reported by its store, and not proved here:" in status.lines
    assert any(each.startswith("    2026-11-29T20:01:12.031Z  reviewer shown: ") for each in status.lines), status.out
    assert status.lines[-1] == "  it was given to nobody here"
    assert "\x1b" not in status.out + read.out
    assert 'reported by its store, and not proved here: reviewer "praised' in read.out
    told = person.run("status", line["letter"], *other, "--json").json
    assert (told["recipients"], [each["state"] for each in told["reported"]]) == ([], ["shown", "praised\n"])


def test_what_makes_no_sense_is_refused(mail: Party, claude: ClaudeParty) -> None:
    for words in (
        ["--format", "pdf"],
        ["--force"],
        ["--json"],
        ["--since", "yesterday"],
        ["--since", ""],  # an unset variable of a script, which would else mean everything
        ["--output", ""],
        ["--scrub", "--no-scrub"],
        ["--no-scrub"],
    ):
        assert mail.run("export", *words).code == 2, words
    claude.open("01a227bc-e031-7b73-a9b7-49711dc7b705")
    inside = claude.run("export")
    assert (inside.code, inside.out, "--output" in inside.err) == (2, "", True)
    assert claude.run("export", "--output", "mail.jsonl").code == 0


def test_only_what_is_new_may_be_exported(mail: Party) -> None:
    assert len(bodies(mail.run("export", "--since", "1h").out)) == 5
    assert bodies(mail.run("export", "--since", "2099-01-01").out) == []


def test_what_looks_like_a_secret_is_replaced_where_that_is_asked_for_and_in_html_always(mail: Party) -> None:
    plain, scrubbed = mail.run("export"), mail.run("export", "--scrub")
    page, open_page = mail.run("export", "--format", "html"), mail.run("export", "--format", "html", "--no-scrub")

    assert SECRET in plain.out and SECRET in open_page.out
    assert SECRET not in scrubbed.out and SECRET not in page.out
    assert "[removed: GitLab token]" in page.out
    assert lines_of(scrubbed.out)[-1]["end"]["scrubbed"] == {"GitLab token": 1}
    assert "1 likely secret replaced (GitLab token 1)" in page.out
    assert "1 likely secret" in page.err and "a net with holes" in page.err


def test_names_that_others_chose_are_looked_at_too(person: Person, own_home: Path) -> None:
    row = {"from": f"ann {SECRET}", "to": [f"bob {SECRET}"], "kind": SECRET, "body": "hello"}
    (own_home / "mail.jsonl").write_text(json.dumps(row) + "\n")
    assert person.run("import", "jsonl", "mail.jsonl").code == 0

    for kind in ("jsonl", "markdown", "html"):
        assert person.run("export", "--format", kind, "--scrub", "--output", f"out.{kind}").code == 0
        text = (own_home / f"out.{kind}").read_text()
        assert SECRET not in text.replace("\\", "") and "hello" in text, kind


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_standard_output_that_cannot_be_written_is_said_not_to_be_whole(mail: Party) -> None:
    told = mail.call(["sh", "-c", f"exec {mail.mailstop} export > /dev/full"])

    assert (told.code, "not whole" in told.err, "--output FILE" in told.err) == (5, True, True)


def test_markdown_keeps_a_letter_s_text_from_meaning_anything(mail: Party) -> None:
    text = mail.run("export", "--format", "markdown").out

    assert text.startswith("# Letters\n")
    inside, outside = False, list[str]()
    for line in text.split("\n"):
        if line.startswith("```"):
            inside = not inside
        elif not inside:
            outside.append(line)
    assert not inside
    assert "<" not in "\n".join(outside).replace("\\<", "")
    assert "\u202e" not in text and "\x1b" not in text
    assert "at this" in text


# -- the page --------------------------------------------------------------------------------------------------------

_EMPTY = {"meta", "input", "br", "hr", "link", "img"}
_KNOWN = {
    *("html", "head", "meta", "title", "style", "body", "header", "h1", "h2", "p", "bdi", "nav", "details", "summary"),
    *("ol", "ul", "li", "div", "label", "input", "span", "main", "section", "article", "a", "time", "pre", "footer"),
    "script",
}


class Page(HTMLParser):
    """Reads a page strictly: each tag is one that the page may hold, and is closed where it has to be."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in _KNOWN, tag
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names))
        assert not [name for name in names if name.startswith("on") or name in ("src", "srcdoc", "action", "style")]
        self.tags.append((tag, dict(attrs)))
        if tag not in _EMPTY:
            self.open.append(tag)
            self.texts.setdefault(tag, []).append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1] == tag, (self.open, tag)
        self.open.pop()

    def handle_data(self, data: str) -> None:
        for tag in self.open:
            self.texts[tag][-1] += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(f"a declaration: {data}")


def test_the_page_is_one_whole_document_that_loads_nothing_and_runs_nothing_of_a_letter(mail: Party) -> None:
    text = mail.run("export", "--format", "html").out
    page = Page(text)

    assert page.open == []
    assert len(page.texts["script"]) == len(page.texts["style"]) == 1
    targets = [attributes["href"] for tag, attributes in page.tags if tag == "a"]
    assert targets and all(str(target).startswith("#") for target in targets)
    policy = next(attributes for tag, attributes in page.tags if attributes.get("http-equiv"))["content"] or ""
    assert policy.startswith("default-src 'none'; style-src 'sha256-") and "unsafe" not in policy
    assert any(body.endswith("javascript:alert(3)") for body in page.texts["pre"])
    assert "\u202e" not in text and "\x1b" not in text and "[U+202E]" in text
    assert "http://" not in text and "https://" not in text


def test_the_policy_of_the_page_names_its_own_style_and_script_and_no_other(mail: Party) -> None:
    import base64
    import hashlib

    text = mail.run("export", "--format", "html").out
    for tag in ("style", "script"):
        inside = text.partition(f"<{tag}>")[2].partition(f"</{tag}>")[0]
        assert f"'sha256-{base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()}'" in text


def test_each_letter_of_the_page_can_be_reached_and_leads_to_what_it_answers(mail: Party) -> None:
    page = Page(mail.run("export", "--format", "html").out)

    places = [attributes["id"] for tag, attributes in page.tags if "id" in attributes]
    assert len(places) == len(set(places))
    links = {str(attributes["href"])[1:] for tag, attributes in page.tags if tag == "a"}
    assert links <= {*places, "top", "end"}
    assert len(page.texts["section"]) == 4 and len(page.texts["article"]) == 5
    conversation = page.texts["section"][0]
    assert "answers" in conversation and "I did" in conversation and "<b>a.py</b>" in conversation
