"""mailstop setup, as whoever calls it sees it; with the clients themselves it is tried in tests/clients."""

from __future__ import annotations

import json
import os
import re
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mailstop.faults import VARIABLE
from mailstop.setup import mcp_client, plugin_copy
from tests.party import AS_OWNER, MAILSTOP, ClaudeParty, CompletedRun, Party, Person

SETTINGS = '{\n\t"model": "opus",\n\t"permissions": {"allow": ["Bash(ls:*)"], "deny": []}\n}\n'
RULES = ["Bash(mailstop:*)", "mcp__plugin_mailstop_mailstop"]


@pytest.fixture
def user(stranger: Party) -> Party:
    """Give somebody's script, without a terminal, who has Claude Code's settings."""
    write(stranger.home / ".claude/settings.json", SETTINGS)
    return stranger


def write(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def everything(folder: Path) -> dict[str, bytes | None]:
    """Every file and folder, with what is in it."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
        if "output-" not in path.name
    }


def setup(party: Party, *words: str, **options: Any) -> CompletedRun:
    done = party.run("setup", *words, **options)
    assert done.code == 0, done.err
    return done


# -- showing and doing -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in mcp_client.names() if mcp_client.client(name).programs])
def test_a_client_whose_configuration_has_a_folder_is_found_without_a_program(user: Party, name: str) -> None:
    def others() -> list[str]:
        return [one["name"] for one in setup(user, "--json").json["others"]]

    before = others()
    Path(mcp_client.client(name).file(None)).parent.mkdir(parents=True)

    assert (before, others()) == ([], [name])


def test_without_words_it_says_which_clients_are_here_and_changes_nothing(user: Party) -> None:
    before = everything(user.home)

    told = setup(user, "--json").json

    assert [client["name"] for client in told["clients"]] == ["claude", "codex"]
    assert all(not client["set_up_for"] for client in told["clients"])
    assert told["command"] == MAILSTOP
    assert everything(user.home) == before


def test_where_no_client_is_found_it_says_how_another_one_takes_part(stranger: Party) -> None:
    told = stranger.call([MAILSTOP, "setup"], environment={"PATH": "/usr/bin:/bin"})

    assert "mailstop setup mcp --client NAME" in told.out


def test_a_preview_shows_every_line_and_changes_nothing(user: Party) -> None:
    before = everything(user.home)

    shown = setup(user, "claude", "--preview").out

    assert '+\t"permissions": {"allow": ["Bash(ls:*)", "Bash(mailstop:*)"], "deny": []},' in shown
    assert '"mailstop@mailstop": true' in shown and "why: " in shown
    assert shown.endswith("nothing was changed\n")
    assert everything(user.home) == before


def test_what_is_set_up_is_what_was_shown_and_keeps_every_line(user: Party) -> None:
    shown = setup(user, "claude", "--preview", "--json").json

    done = setup(user, "claude", "--yes", "--json").json

    assert [one["diff"] for one in done["offers"]] == [one["diff"] for one in shown["offers"]]
    assert {one["state"] for one in done["offers"]} == {"done"}
    text = (user.home / ".claude/settings.json").read_text()
    data = json.loads(text)
    assert text.startswith('{\n\t"model": "opus",\n\t"permissions": {"allow": ["Bash(ls:*)", ')
    assert data["permissions"] == {"allow": ["Bash(ls:*)", *RULES], "deny": []}
    assert data["enabledPlugins"] == {"mailstop@mailstop": True}
    folder = data["extraKnownMarketplaces"]["mailstop"]["source"]["path"]
    assert folder == str(user.home / ".config/mailstop/plugin")
    assert plugin_copy.files(MAILSTOP)["mailstop/.mcp.json"] == Path(folder, "mailstop/.mcp.json").read_bytes()


def test_once_more_changes_nothing(user: Party) -> None:
    setup(user, "claude", "--yes")
    before = everything(user.home)

    again = setup(user, "claude", "--yes", "--json").json

    assert {one["state"] for one in again["offers"]} == {"done before"}
    assert everything(user.home) == before


@pytest.mark.parametrize("text", [SETTINGS, SETTINGS.replace("\n", "\r\n"), "\ufeff" + SETTINGS, "{}", "", "{\n}\n"])
def test_taking_it_out_leaves_the_home_as_it_was_byte_for_byte(user: Party, text: str) -> None:
    write(user.home / ".claude/settings.json", text)
    before = everything(user.home)
    setup(user, "claude", "--yes")
    assert everything(user.home) != before

    setup(user, "--remove", "--yes")

    assert everything(user.home) == before


def test_taking_it_out_of_a_home_without_settings_leaves_none(stranger: Party) -> None:
    before = everything(stranger.home)
    setup(stranger, "claude", "--yes")
    setup(stranger, "mcp", "--client", "cursor", "--yes")

    setup(stranger, "--remove", "--yes")

    assert everything(stranger.home) == before


def test_taking_it_out_keeps_what_was_changed_meanwhile(user: Party) -> None:
    settings = user.home / ".claude/settings.json"
    setup(user, "claude", "--yes")
    text = settings.read_text().replace('"opus"', '"sonnet"').replace('["Bash(ls:*)", ', '["Bash(ls:*)", "Read", ')
    settings.write_text(text)

    setup(user, "claude", "--remove", "--yes")

    assert settings.read_text() == SETTINGS.replace('"opus"', '"sonnet"').replace(
        '["Bash(ls:*)"', '["Bash(ls:*)", "Read"'
    )


def test_what_was_set_up_before_a_change_and_after_it_is_taken_out_together(user: Party) -> None:
    settings = user.home / ".claude/settings.json"
    setup(user, "claude", "--yes", "--without", "tools")
    settings.write_text(settings.read_text().replace('"opus"', '"sonnet"'))
    setup(user, "claude", "--yes")

    setup(user, "claude", "--remove", "--yes")

    assert settings.read_text() == SETTINGS.replace('"opus"', '"sonnet"')


def test_a_rule_that_the_person_had_before_stays_when_the_rest_goes(user: Party) -> None:
    text = SETTINGS.replace("Bash(ls:*)", "Bash(mailstop:*)")
    settings = write(user.home / ".claude/settings.json", text)
    setup(user, "claude", "--yes")

    setup(user, "claude", "--remove", "--yes")

    assert settings.read_text() == text


def test_mode_owner_and_links_of_a_file_stay(user: Party) -> None:
    link, real = user.home / ".claude/settings.json", user.home / "dotfiles/settings.json"
    link.unlink()
    write(real, SETTINGS).chmod(0o640)
    link.symlink_to(real)

    setup(user, "claude", "--yes")

    assert link.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert "mailstop" in real.read_text()


def test_for_one_project_only_its_own_settings_of_the_person_name_the_plugin(user: Party) -> None:
    project = user.home / "project"
    project.mkdir()
    before = everything(user.home)

    setup(user, "claude", "--scope", "project", "--yes", cwd=project)

    local = json.loads((project / ".claude/settings.local.json").read_text())
    own = json.loads((user.home / ".claude/settings.json").read_text())
    assert local == {"enabledPlugins": {"mailstop@mailstop": True}, "permissions": {"allow": RULES}}
    assert set(own) - set(json.loads(SETTINGS)) == {"extraKnownMarketplaces"}
    setup(user, "claude", "--scope", "project", "--remove", "--yes", cwd=project)
    assert everything(user.home) == before


def test_what_two_need_goes_with_the_last(user: Party) -> None:
    project = user.home / "project"
    project.mkdir()
    before = everything(user.home)
    setup(user, "claude", "--yes")
    settings = (user.home / ".claude/settings.json").read_bytes()
    setup(user, "claude", "--scope", "project", "--yes", cwd=project)

    setup(user, "claude", "--scope", "project", "--remove", "--yes", cwd=project)
    assert (user.home / ".claude/settings.json").read_bytes() == settings

    setup(user, "claude", "--scope", "user", "--remove", "--yes")
    assert everything(user.home) == before


def test_moved_folders_are_followed(user: Party) -> None:
    user.environment["CLAUDE_CONFIG_DIR"] = str(user.home / "moved")
    user.environment["XDG_CONFIG_HOME"] = str(user.home / "xdg")

    setup(user, "claude", "--yes")

    data = json.loads((user.home / "moved/settings.json").read_text())
    assert data["extraKnownMarketplaces"]["mailstop"]["source"]["path"] == str(user.home / "xdg/mailstop/plugin")
    assert (user.home / ".claude/settings.json").read_text() == SETTINGS
    del user.environment["CLAUDE_CONFIG_DIR"]
    assert setup(user, "claude", "--remove", "--yes").out == "nothing of mailstop is set up for Claude Code\n"


# -- asking ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def person_with_settings(person: Person) -> Person:
    write(person.home / ".claude/settings.json", SETTINGS)
    return person


# Run a command at a terminal, and answer each question in turn; print what it showed.
AT_TERMINAL = """
import os, pty, sys
answers = sys.argv[1].split(",")
pid, terminal = pty.fork()
if not pid:
    os.execv(sys.argv[2], sys.argv[2:])
shown = b""
while True:
    try:
        shown += os.read(terminal, 4096)
    except OSError:
        break
    if shown.endswith((b"[Y/n] ", b"[y/N] ")):
        os.write(terminal, answers.pop(0).encode() + b"\\n" if answers else b"\\x04")
os.write(1, shown)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""


def at_terminal(person: Person, answers: str, *words: str) -> CompletedRun:
    return person.call([sys.executable, "-c", AT_TERMINAL, answers, MAILSTOP, "setup", *words])


def test_at_a_terminal_each_thing_is_shown_with_its_reason_and_asked_for(person_with_settings: Person) -> None:
    settings = person_with_settings.home / ".claude/settings.json"

    done = at_terminal(person_with_settings, "y,n,", "claude")

    assert done.code == 0
    assert done.out.count("why: ") == done.out.count("Do this? [Y/n]") == 3
    data = json.loads(settings.read_text())
    assert data["permissions"]["allow"] == ["Bash(ls:*)", RULES[1]]
    assert "left out: the allow rule Bash(mailstop:*)" in done.out


def test_whoever_declines_the_plugin_is_not_asked_for_what_builds_upon_it(person_with_settings: Person) -> None:
    done = at_terminal(person_with_settings, "n,n", "claude")

    assert (done.code, done.out.count("Do this?")) == (0, 2)
    assert (person_with_settings.home / ".claude/settings.json").read_text() == SETTINGS


def test_the_end_of_the_input_agrees_to_nothing(person_with_settings: Person) -> None:
    before = everything(person_with_settings.home)

    assert at_terminal(person_with_settings, "perhaps", "claude").code == 0
    assert everything(person_with_settings.home) == before


def test_taking_out_is_shown_and_asked_for_too(person_with_settings: Person) -> None:
    before = everything(person_with_settings.home)
    setup(person_with_settings, "claude", "--yes")
    between = everything(person_with_settings.home)

    assert "nothing was changed" in at_terminal(person_with_settings, "n", "--remove").out
    assert everything(person_with_settings.home) == between
    assert "mailstop is taken out" in at_terminal(person_with_settings, "y", "--remove").out
    assert everything(person_with_settings.home) == before


# -- two at once, and the sudden end ---------------------------------------------------------------------------------

PUTTING_IN = ("setup copied the plugin", "setup written down", "setup written")
TAKING_OUT = ("setup taken out", "setup forgotten")


@pytest.mark.parametrize("point", PUTTING_IN)
def test_whoever_is_killed_while_setting_up_can_go_on_or_take_it_out(user: Party, point: str) -> None:
    before = everything(user.home)
    killed = user.call([MAILSTOP, "setup", "claude", "--yes"], environment={VARIABLE: point})
    assert killed.code < 0 or killed.code > 128
    json.loads((user.home / ".claude/settings.json").read_text())

    setup(user, "claude", "--yes")
    data = json.loads((user.home / ".claude/settings.json").read_text())
    assert data["permissions"]["allow"] == ["Bash(ls:*)", *RULES]
    setup(user, "--remove", "--yes")

    assert everything(user.home) == before


@pytest.mark.parametrize("point", TAKING_OUT)
def test_whoever_is_killed_while_taking_out_can_do_it_again(user: Party, point: str) -> None:
    before = everything(user.home)
    setup(user, "claude", "--yes")
    user.call([MAILSTOP, "setup", "--remove", "--yes"], environment={VARIABLE: point})

    setup(user, "claude", "--yes")
    setup(user, "--remove", "--yes")

    assert everything(user.home) == before


def test_several_at_once_set_up_what_one_would(user: Party) -> None:
    before = everything(user.home)
    runs = [user.start("setup", "mcp", "--client", name, "--yes") for name in ("cursor", "kiro", "zed", "vscode")]

    assert [run.wait() for run in runs] == [0, 0, 0, 0]
    assert MAILSTOP in (user.home / ".kiro/settings/mcp.json").read_text()
    setup(user, "--remove", "--yes")

    assert everything(user.home) == before


def test_without_a_terminal_nothing_is_done_that_nobody_agreed_to(user: Party) -> None:
    before = everything(user.home)

    for words in (["claude"], ["claude", "--remove"], ["claude", "--json"]):
        assert user.run("setup", *words).code == 2
    assert everything(user.home) == before


def test_a_client_session_may_look_and_may_not_change(
    own_home: Path, arrive: Callable[[type[ClaudeParty]], ClaudeParty]
) -> None:
    session = arrive(ClaudeParty)
    session.open("01a227bc-e031-7b73-a9b7-49711dc7b705")
    before = everything(own_home)

    assert session.run("setup").code == 0
    assert session.run("setup", "claude", "--preview").code == 0
    for words in (["claude", "--yes"], ["mcp", "--client", "cursor", "--yes"], ["--remove", "--yes"]):
        refused = session.run("setup", *words)
        assert (refused.code, "the person's alone" in refused.err) == (1, True)
    assert everything(own_home) == before


# -- what is refused -------------------------------------------------------------------------------------------------

BAD: dict[str, tuple[str | bytes, str]] = {
    "a comment": ('{ // mine\n  "model": "opus"\n}\n', "line 1, column 3"),
    "cut off": ('{\n  "model": "opus",\n', "line 3, column 1"),
    "a key twice": ('{\n  "model": "opus",\n  "model": "sonnet"\n}\n', "line 3, column 3: the key 'model'"),
    "no object": ("[]\n", "line 1, column 1: an object was expected"),
    "not UTF-8": (b'{"model": "\xff"}', "its byte 11 is not UTF-8"),
    "another marketplace": (
        '{"extraKnownMarketplaces": {"mailstop": {"source": {"source": "github", "repo": "a/b"}}}}',
        "has extraKnownMarketplaces.mailstop already, and it is not mailstop's",
    ),
    "rules that are none": ('{"permissions": {"allow": "Bash"}}', "has permissions.allow already"),
    "permissions that are none": ('{"permissions": []}', "has permissions already"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_read_or_is_anothers_is_left_untouched(user: Party, case: str) -> None:
    text, told = BAD[case]
    write(user.home / ".claude/settings.json", text)
    before = everything(user.home)

    refused = user.run("setup", "claude", "--yes")

    assert refused.code == 1
    assert told in refused.err and "Nothing was changed" in refused.err
    assert everything(user.home) == before


@pytest.mark.parametrize("kind", ["folder", "pipe", "denied"])
def test_a_place_where_no_file_can_be_read_is_left_untouched(user: Party, kind: str) -> None:
    path = user.home / ".claude/settings.json"
    if kind == "denied":
        path.chmod(0)
    else:
        path.unlink()
        path.mkdir() if kind == "folder" else os.mkfifo(path)

    refused = user.call([*AS_OWNER, MAILSTOP, "setup", "claude", "--yes"])

    assert (refused.code, f"{path} cannot be read" in refused.err) == (1, True)
    assert not (user.home / ".config").exists()


def test_where_nothing_can_be_written_nothing_stays(user: Party) -> None:
    (user.home / ".claude/settings.json").unlink()
    (user.home / ".claude/settings.json").symlink_to("/proc/nowhere/settings.json")
    before = everything(user.home)

    refused = user.run("setup", "claude", "--yes")

    assert (refused.code, "cannot be written" in refused.err) == (1, True)
    assert everything(user.home) == before


@pytest.mark.parametrize(
    "words",
    [
        ["cursor"],
        ["claude", "--preview", "--yes"],
        ["claude", "--scope", "team"],
        ["claude", "--client", "cursor"],
        ["mcp"],
        ["--scope", "user"],
        ["claude", "--yes", "--with", "nothing"],
        ["mcp", "--client", "windsurf", "--scope", "project", "--yes"],
    ],
)
def test_words_that_make_no_sense_are_refused(user: Party, words: list[str]) -> None:
    assert user.run("setup", *words).code == 2


def test_an_unknown_client_is_named_with_the_nearest(user: Party) -> None:
    refused = user.run("setup", "mcp", "--client", "curser", "--yes")

    assert (refused.code, "nearest: cursor" in refused.err) == (3, True)


def test_a_deny_rule_of_the_person_is_named(user: Party) -> None:
    write(user.home / ".claude/settings.json", '{"permissions": {"deny": ["Bash(mailstop:*)"]}}')

    assert "deny Bash(mailstop:*)" in setup(user, "claude", "--preview").out


# -- clients that take no plugin -------------------------------------------------------------------------------------


def texts(form: str, path: tuple[str, ...]) -> dict[str, str]:
    """Configurations as people have them."""
    if form == "toml":
        name = ".".join(path)
        return {
            "remarks": f"# mine\na = 1 # one\n\n[{name}.other]\ncommand = 'x' # two\n\n[z]\n",
            "no end of the line": "a = 1",
        }
    inner = '{\n\t   "other": {"command": "x"}\n  }'
    for key in reversed(path):
        inner = f'{{\n\t"{key}": {inner}\n }}'
    remarks = (
        {"remarks": inner.replace("{", "{ // why", 1).replace('"x"}', '"x",}, /* it */')} if form == "jsonc" else {}
    )
    return {"odd indentation": inner, "nothing": "{}", "lines of Windows": inner.replace("\n", "\r\n"), **remarks}


CASES = [
    pytest.param(name, text, id=f"{name}: {case}")
    for name in mcp_client.names()
    for case, text in texts(mcp_client.client(name).format, mcp_client.client(name).path).items()
]


@pytest.mark.parametrize(("name", "text"), CASES)
def test_a_client_gets_the_server_beside_others_and_loses_it_without_a_trace(user: Party, name: str, text: str) -> None:
    one = mcp_client.client(name)
    file = write(Path(one.file(None)), text)

    setup(user, "mcp", "--client", name, "--yes")

    made = file.read_text()
    assert MAILSTOP in made and '"mcp"' in made
    assert all(line.strip().rstrip("}") in made for line in text.splitlines() if line.strip())
    setup(user, "mcp", "--client", name, "--yes")
    assert file.read_text() == made
    setup(user, "mcp", "--client", name, "--remove", "--yes")
    assert file.read_bytes() == text.encode()


@pytest.mark.parametrize("name", mcp_client.names())
def test_a_server_of_our_name_that_is_anothers_stays(user: Party, name: str) -> None:
    one = mcp_client.client(name)
    value: Any = {"command": "/usr/bin/other", "args": []}
    text = f"[{'.'.join(one.path)}.mailstop]\ncommand = '/usr/bin/other'\n"
    for key in reversed((*one.path, "mailstop")):
        value = {key: value}
    file = write(Path(one.file(None)), text if one.format == "toml" else json.dumps(value))
    before = file.read_bytes()

    refused = user.run("setup", "mcp", "--client", name, "--yes")

    assert (refused.code, "it is not mailstop's: " in refused.err) == (1, True)
    assert file.read_bytes() == before


@pytest.mark.parametrize("name", mcp_client.names())
def test_a_server_of_ours_elsewhere_is_brought_here_and_back_with_what_else_it_says(user: Party, name: str) -> None:
    one = mcp_client.client(name)
    server = json.loads(json.dumps(one.server).replace("{command}", "/old/bin/mailstop"))
    value: Any = {**server, "note": "mine"}
    text = "".join(f"{key} = {json.dumps(each)} # mine\n" for key, each in value.items())
    for key in reversed((*one.path, "mailstop")):
        value = {key: value}
    text = f"[{'.'.join(one.path)}.mailstop]\n{text}" if one.format == "toml" else json.dumps(value, indent=4)
    file = write(Path(one.file(None)), text)

    setup(user, "mcp", "--client", name, "--yes")
    made = file.read_text()
    assert MAILSTOP in made and "/old/" not in made and "mine" in made

    setup(user, "mcp", "--client", name, "--remove", "--yes")
    assert file.read_text() == text


@pytest.mark.parametrize("name", mcp_client.names())
def test_every_client_says_where_its_form_comes_from(name: str) -> None:
    one = mcp_client.client(name)

    assert one.source.startswith("https://")
    assert all(path.startswith("/") for path in one.files)
    assert one.project is None or not one.project.startswith("/")


# -- an upgrade, another user's home, and what the page says ----------------------------------------------------------


def test_after_an_upgrade_it_is_said_that_the_plugin_is_another_and_once_more_mends_it(user: Party) -> None:
    setup(user, "claude", "--yes")
    hooks = user.home / ".config/mailstop/plugin/mailstop/hooks/hooks.json"
    current = hooks.read_bytes()
    hooks.write_text("{}")

    assert "with the plugin of another version or command: mailstop setup claude" in setup(user).out
    again = {one["name"]: one["state"] for one in setup(user, "claude", "--yes", "--json").json["offers"]}

    assert again == {"plugin": "done", "commands": "done before", "tools": "done before"}
    assert hooks.read_bytes() == current


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_what_root_sets_up_in_anothers_home_belongs_to_that_user(user: Party) -> None:
    for path in (user.home, *user.home.rglob("*")):
        os.chown(path, 4242, 4243)

    setup(user, "claude", "--yes")
    setup(user, "mcp", "--client", "cursor", "--yes")

    made = [user.home / ".config", user.home / ".cursor", user.home / ".claude"]
    for path in [inner for folder in made for inner in (folder, *folder.rglob("*"))]:
        facts = path.stat()
        assert (path, facts.st_uid, facts.st_gid) == (path, 4242, 4243)


PAGE = Path(__file__).parents[2] / "docs" / "setup.md"


def test_every_command_on_the_page_is_one(user: Party) -> None:
    commands = re.findall(r"^mailstop (setup[^#\n]*?)\s*(?:#.*)?$", PAGE.read_text(), re.MULTILINE)
    assert len(commands) >= 8

    for command in commands:
        done = user.run(*command.split(), "--preview")
        missing = "codex" in command and "--remove" not in command
        assert (command, done.code) == (command, 3 if missing else 0)


def test_the_page_lists_every_client_with_its_files() -> None:
    rows = {
        name: row
        for row in PAGE.read_text().splitlines()
        if row.startswith("| `")
        for name in re.findall("`([^`]+)`", row)
    }

    for name in mcp_client.names():
        one = mcp_client.client(name)
        assert one.files[-1].replace(os.environ["HOME"], "~") in rows[name]
        assert (one.project or "–") in rows[name]
