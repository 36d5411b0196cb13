"""TOML edited as text: what is added means what it should, nothing else moves, and taking it out leaves no trace."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailstop.setup.edit import Edit, Malformed, Occupied
from mailstop.setup.toml_format import TOMLFormat

FORM = TOMLFormat()
MARKET = Edit(("marketplaces", "mailstop"), {"source_type": "local", "source": '/a "b"/c'})
PLUGIN = Edit(("plugins", "mailstop@mailstop"), {"enabled": True}, is_ours=lambda found: isinstance(found, dict))
TOOLS = Edit(("plugins", "mailstop@mailstop", "mcp_servers", "mailstop"), {"default_tools_approval_mode": "approve"})
ROOTS = Edit(("sandbox_workspace_write", "writable_roots"), ["/data", "/state"], adds=True)
EDITS = (MARKET, PLUGIN, TOOLS, ROOTS)

TEXTS = {
    "nothing": "",
    "no end of the line": "a = 1",
    "remarks": "# mine\na = 1 # one\n\n[b] # two\nc = 'x'\n# the end\n",
    "a plugin that is off": '[plugins."mailstop@mailstop"]\nenabled = false # for now\n\n[z]\n',
    "a sandbox": "[sandbox_workspace_write] # mine\nnetwork_access = true\n\n[b]\nc=1\n",
    "a heading with blanks": "  [ sandbox_workspace_write ]\n  network_access = true\n",
    "a heading at the end": "[sandbox_workspace_write]",
    "roots": '[sandbox_workspace_write]\nwritable_roots=["/q"]',
    "roots on lines": '[sandbox_workspace_write]\nwritable_roots = [\n  "/q", # why\n  "/data",\n]\n[c]\n',
    "roots of Windows": '[sandbox_workspace_write]\r\nwritable_roots = [\r\n    "/q"\r\n  ]\r\n[c]\r\n',
    "dotted keys": "sandbox_workspace_write.network_access = true\n[c]\n",
    "a table in line": "sandbox_workspace_write = {network_access = true} # x\n",
    "a heading in a text": 'a = """\n[sandbox_workspace_write]\n"""\n[sandbox_workspace_write]\nb = 1\n',
    "a list of tables": "[[marketplace]]\na = 1\n[[marketplace]]\na = 2\n",
}


def with_all(text: str, edits: tuple[Edit, ...] = EDITS) -> tuple[str, list[dict[str, Any]]]:
    notes = []
    for edit in edits:
        text, note = FORM.with_edit(text, edit)
        notes.append(note)
    return text, notes


def without_all(text: str, notes: list[dict[str, Any]], edits: tuple[Edit, ...] = EDITS) -> str:
    for edit, note in reversed(list(zip(edits, notes, strict=True))):
        text = FORM.without(text, edit, note) if note else text
    return text


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_the_lines_stay_and_taking_the_edits_out_leaves_the_text_as_it_was(text: str) -> None:
    made, notes = with_all(text)

    data = tomllib.loads(made)
    assert data["marketplaces"]["mailstop"] == MARKET.value
    assert data["plugins"]["mailstop@mailstop"]["enabled"] is True
    assert {"/data", "/state"} <= set(data["sandbox_workspace_write"]["writable_roots"])
    assert [line for line in text.splitlines() if line.startswith("#") and line not in made] == []
    assert ("\r\n" in text) == ("\r\n" in made)
    assert with_all(made)[0] == made, "once is enough"
    assert without_all(made, notes) == text


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_what_a_client_writes_behind_stays_and_means_the_same(text: str) -> None:
    made, notes = with_all(text)
    more = '\n[tui]\nx = 1\n\n[hooks.state."mailstop@mailstop:hooks/hooks.json:stop:0:0"]\ntrusted_hash = "sha256:1"\n'

    left = without_all(made + more, notes)

    assert tomllib.loads(left) == {**tomllib.loads(text), **tomllib.loads(more)}
    assert left.startswith(text.rstrip("\r\n")) and left.endswith(more)


def test_a_text_that_was_written_anew_loses_only_what_is_ours() -> None:
    made, notes = with_all("a = 1\n[sandbox_workspace_write]\nwritable_roots = ['/q']\n")
    anew = made.replace('"/data", "/state"', '"/state",   "/data", "/r"')
    anew = anew.replace("source = '/a \"b\"/c'", "source='/else'").replace('source = "/a', 'source  =  "/a')

    left = tomllib.loads(without_all(anew, notes))

    assert left == {"a": 1, "sandbox_workspace_write": {"writable_roots": ["/q", "/r"]}}


def test_what_stood_there_already_is_nobodys_edit_and_stays() -> None:
    text = '[sandbox_workspace_write]\nwritable_roots = ["/state", "/data"]\n'

    assert FORM.with_edit(text, ROOTS) == (text, {})


@pytest.mark.parametrize(
    ("text", "edit"),
    [
        ("[marketplaces.mailstop]\nsource_type = 'git'\nsource = 'https://example.org'\n", MARKET),
        ("marketplaces = 1\n", MARKET),
        ("marketplaces = {}\n", MARKET),
        ("[sandbox_workspace_write]\nwritable_roots = '/q'\n", ROOTS),
        ("[[sandbox_workspace_write]]\n", ROOTS),
    ],
)
def test_where_something_else_stands_nothing_is_written(text: str, edit: Edit) -> None:
    with pytest.raises(Occupied):
        FORM.with_edit(text, edit)


@pytest.mark.parametrize(
    ("text", "position"),
    [("a = 1\na = 2\n", 11), ("[a]\n[a]\n", 6), ("a = \n", 4), ("a = 'x\n", 6), ("\na b = 1", 3), ("a = [1, 2", 9)],
)
def test_what_is_no_toml_is_refused_with_the_place(text: str, position: int) -> None:
    with pytest.raises(Malformed) as refused:
        FORM.with_edit(text, MARKET)

    assert abs(refused.value.position - position) <= 1


# -- any text --------------------------------------------------------------------------------------------------------

_REMARKS = st.sampled_from(["", "", " # why", "   #[a]"])
_VALUES = st.sampled_from(
    ["1", "'x'", '"[a]"', "[1, 2]", "[\n  1, # one\n  2,\n]", "{b = 1}", '"""\n[a]\n"""', "2026-11-29"]
)
_HEADINGS = st.lists(
    st.sampled_from(["a", "sandbox_workspace_write", "plugins.other", "marketplaces.other", '"quo ted"', "c.d.e"]),
    unique=True,
    max_size=4,
)


@st.composite
def _text(draw: st.DrawFn) -> str:
    lines = []
    for heading in ["", *draw(_HEADINGS)]:
        lines += [f"[{heading}]{draw(_REMARKS)}"] if heading else []
        for key in draw(st.lists(st.sampled_from(["k", "l", "m"]), unique=True, max_size=2)):
            lines.append(f"{key} = {draw(_VALUES)}{draw(_REMARKS)}")
        lines += [""] * draw(st.integers(0, 2))
    return draw(st.sampled_from(["\n", "\r\n"])).join(lines)


@given(text=_text())
def test_any_text_gets_the_edits_or_keeps_every_character(text: str) -> None:
    made, notes = with_all(text)

    assert without_all(made, notes) == text
