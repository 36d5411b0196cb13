"""JSON edited as text: what is added means what it should, nothing else moves, and taking it out leaves no trace."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailstop.setup.edit import Edit, Malformed, Occupied
from mailstop.setup.json_format import JSONFormat

STRICT, LENIENT = JSONFormat(lenient=False), JSONFormat(lenient=True)
RULE = Edit(("permissions", "allow"), ["Bash(mailstop:*)"], adds=True)
TOOLS = Edit(("permissions", "allow"), ["mcp__mailstop"], adds=True)
PLUGIN = Edit(("enabledPlugins", "mailstop@mailstop"), True, is_ours=lambda found: found is False)
SERVER = Edit(("mcpServers", "mailstop"), {"command": "/a b/mailstop", "args": ["mcp"]})
EDITS = (PLUGIN, RULE, TOOLS, SERVER)

TEXTS = {
    "tabs and remarks": '{\n\t"a": 1, // one\n\t"permissions": {\n\t\t"allow": [\n\t\t\t"x" // why\n\t\t]\n\t}\n}',
    "no indentation": '{\n"a": [\n1\n],\n"permissions": {"allow": ["z"]}\n}\n',
    "odd indentation": '{ "a": 1,\n       "b": {"c"  :2},\n "permissions":\n  { "allow":\n [  "z","y" ] } }\n',
    "on one line": '{"a":1,"permissions":{"allow":["z"]}}',
    "with blanks": '{ "a": 1, "permissions": { "allow": [ "z" ] } }',
    "lines of Windows": '{\r\n    "a": 1,\r\n    "permissions": {\r\n        "deny": []\r\n    }\r\n}\r\n',
    "commas behind the last": '{\n  "a": 1,\n  "permissions": {\n    "allow": ["z",], // it\n  },\n  // the end\n}\n',
    "nothing": "{}",
    "nothing but a remark": "{ /* later */ }",
    "nothing but a remark on its line": "{ // later\n}\n",
    "an empty list": '{"permissions": {"allow": [\n]}}\n',
    "text beyond ASCII": '{\n  "ключ": "\u202eзначение \\" \\\\ { [ // /*"\n}',
}


def with_all(form: JSONFormat, text: str, edits: tuple[Edit, ...] = EDITS) -> tuple[str, list[dict[str, Any]]]:
    notes = []
    for edit in edits:
        text, note = form.with_edit(text, edit)
        notes.append(note)
    return text, notes


def without_all(form: JSONFormat, text: str, notes: list[dict[str, Any]], edits: tuple[Edit, ...] = EDITS) -> str:
    for edit, note in reversed(list(zip(edits, notes, strict=True))):
        text = form.without(text, edit, note) if note else text
    return text


def is_within(short: str, long: str) -> bool:
    """Whether every character of one text stands in the other, in this order."""
    rest = iter(long)
    return all(character in rest for character in short)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_every_character_stays_and_taking_the_edits_out_leaves_the_text_as_it_was(text: str) -> None:
    made, notes = with_all(LENIENT, text)

    assert is_within(text.replace("\n", "").replace(" ", "").replace("\r", ""), made)
    assert ("\r\n" in text) == ("\r\n" in made) and made.count("\n") - made.count("\r\n") in (0, made.count("\n"))
    assert without_all(LENIENT, made, notes) == text
    assert with_all(LENIENT, made)[0] == made, "once is enough"


def test_an_entry_goes_behind_the_remark_of_the_one_before_it() -> None:
    made, _ = LENIENT.with_edit('{\n  "a": 1 // one\n}\n', PLUGIN)

    assert made == '{\n  "a": 1, // one\n  "enabledPlugins": {\n    "mailstop@mailstop": true\n  }\n}\n'


def test_what_came_behind_an_edit_stays_when_the_edit_goes() -> None:
    made, notes = with_all(STRICT, '{\n  "a": 1\n}\n')
    changed = made.replace('"a": 1', '"a": 2').replace(
        '"mailstop@mailstop": true', '"mailstop@mailstop": true,\n    "other@market": true'
    )

    left = without_all(STRICT, changed, notes)

    assert left == '{\n  "a": 2,\n  "enabledPlugins": {\n    "other@market": true\n  }\n}\n'


def test_a_text_that_its_client_has_written_anew_loses_only_what_is_ours() -> None:
    made, notes = with_all(STRICT, '{"permissions": {"allow": ["Bash(ls:*)"]}, "model": "opus"}')
    rewritten = json.dumps({"theme": "dark", **json.loads(made)}, indent=2)

    left = without_all(STRICT, rewritten, notes)

    assert json.loads(left) == {"theme": "dark", "permissions": {"allow": ["Bash(ls:*)"]}, "model": "opus"}


def test_what_stood_there_already_is_nobodys_edit_and_stays() -> None:
    text = '{"permissions": {"allow": ["Bash(mailstop:*)"]}}'

    made, note = STRICT.with_edit(text, RULE)

    assert (made, note) == (text, {})


def test_a_value_of_ours_that_was_switched_off_is_switched_on_and_off_again() -> None:
    text = '{"enabledPlugins": {"mailstop@mailstop":   false}}'

    made, note = STRICT.with_edit(text, PLUGIN)

    assert json.loads(made)["enabledPlugins"] == {"mailstop@mailstop": True}
    assert STRICT.without(made, PLUGIN, note) == text


def test_a_server_of_ours_keeps_what_else_it_says_and_its_remarks() -> None:
    server = '"command": "/old/mailstop", // mine\n      "env": {"A": "b"}'
    text = f'{{\n  "mcpServers": {{\n    "mailstop": {{\n      {server}\n    }}\n  }}\n}}\n'
    edit = Edit(SERVER.path, SERVER.value, is_ours=lambda found: True)

    made, note = LENIENT.with_edit(text, edit)

    wanted = text.replace("/old/", "/a b/").replace('"b"}', '"b"},\n      "args": [\n        "mcp"\n      ]')
    assert made == wanted
    assert LENIENT.without(made, edit, note) == text


@pytest.mark.parametrize(
    "text",
    [
        '{"mcpServers": {"mailstop": {"command": "other"}}}',
        '{"mcpServers": []}',
        '{"mcpServers": {"mailstop": null}}',
        '{"mcpServers": "none"}',
    ],
)
def test_where_something_else_stands_nothing_is_written(text: str) -> None:
    with pytest.raises(Occupied):
        STRICT.with_edit(text, SERVER)


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ('{"a": 1, "a": 2}', 9),
        ('{"b": {"a": 1, "a": 2}}', 15),
        ("[]", 0),
        ('{"a": 1', 7),
        ('{"a": 1,}', 8),
        ('{"a" 1}', 5),
        ("{'a': 1}", 1),
        ('{"a": tru}', 6),
        ('{"a": 01}', 7),
        ('{"a": "x\n"}', 8),
        ("{} {}", 3),
        ("{ // remark\n}", 2),
        ("[" * 100_000, 201),
    ],
)
def test_what_is_no_json_is_refused_with_the_place(text: str, position: int) -> None:
    with pytest.raises(Malformed) as refused:
        STRICT.with_edit(text, RULE)

    assert refused.value.position == position


# -- any text --------------------------------------------------------------------------------------------------------

_BLANKS = st.sampled_from(["", " ", "\n", "\n  ", "\t", "\r\n", "\n\n \t"])
_REMARKS = st.sampled_from(["", "", "", "// why\n", "/* , } ] */", ' // "a": 1\n  '])
_KEYS = st.sampled_from(["a", "b", "permissions", "allow", "enabledPlugins", "mcpServers", "ключ", 'quo"te', ""])
_ATOMS = st.sampled_from(["1", "-0.5e3", "true", "false", "null", '"x"', '"\\u0041 // { \\" "', '"Bash(mailstop:*)"'])


@st.composite
def _text(draw: st.DrawFn, depth: int = 3) -> str:
    """A JSON text as somebody may have written it."""

    def gap() -> str:
        return draw(_BLANKS) + draw(_REMARKS) + draw(_BLANKS)

    def value(depth: int) -> str:
        if depth == 0 or draw(st.booleans()):
            return draw(_ATOMS)
        return holder(depth - 1, draw(st.booleans()))

    def entry(key: str, depth: int, is_object: bool) -> str:
        name = f"{json.dumps(key, ensure_ascii=False)}{gap()}:{gap()}" if is_object else ""
        return f"{gap()}{name}{value(depth)}{gap()}"

    def holder(depth: int, is_object: bool) -> str:
        keys = draw(st.lists(_KEYS, unique=True, max_size=4))
        inside = ",".join(entry(key, depth, is_object) for key in keys) if keys else gap()
        if keys and gap():
            inside += "," + gap()
        return f"{{{inside}}}" if is_object else f"[{inside}]"

    return gap() + holder(depth, True) + gap()


@given(text=_text())
def test_any_text_gets_the_edits_or_keeps_every_character(text: str) -> None:
    edits = []
    for edit in EDITS:
        try:
            LENIENT.with_edit(text, edit)
        except Occupied:
            continue
        edits.append(edit)
    before = LENIENT.data(text)

    made, notes = with_all(LENIENT, text, tuple(edits))

    wanted = before
    for edit in edits:
        wanted = edit.made_in(wanted) if not edit.is_in(wanted) else wanted
    assert LENIENT.data(made) == wanted
    assert without_all(LENIENT, made, notes, tuple(edits)) == text
