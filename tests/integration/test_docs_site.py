"""The site of the documentation: what `make docs` builds holds all that the program can do, and loads nothing."""

from __future__ import annotations

import fcntl
import os
import re
import subprocess
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

from mailstop.cli.arguments import Option
from mailstop.cli.entry import VERBS
from mailstop.cli.help import topics
from mailstop.cli.variables import VARIABLES
from mailstop.kinds import KINDS
from mailstop.mcp import tools
from reference import output
from reference.diagrams import as_tables
from reference.failures import code_of, kinds
from reference.python import EXAMPLE, RUN
from reference.runs import Ran
from tests.party import Party

ROOT = Path(__file__).parents[2]
LOADED = {
    "script": "src",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "audio": "src",
    "video": "src",
    "embed": "src",
}
ELSEWHERE = re.compile(r"^(?:[a-z]+:)?//", re.IGNORECASE)


class Content(HTMLParser):
    """What a page holds: its ids, its words, what it loads, and the classes of its elements."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.loads: list[str] = []
        self.classes: set[str] = set()
        self.text = ""
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.ids.add(given.get("id", ""))
        self.classes.update(given.get("class", "").split())
        if tag in LOADED:
            self.loads.append(given.get(LOADED[tag], ""))
        if tag == "link" and given.get("rel") not in ("canonical", "next", "prev", "alternate"):
            self.loads.append(given.get("href", ""))

    def handle_data(self, data: str) -> None:
        self.text += data


def build(site: Path, *, config: Path = ROOT / "mkdocs.yml") -> subprocess.CompletedProcess[str]:
    """Build the site that a configuration describes."""
    of_this_session = ("MAILSTOP_", "CLAUDE", "CODEX")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(of_this_session)}
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--config-file", str(config), "--site-dir", str(site)],
        env={**kept, "NO_MKDOCS_2_WARNING": "1"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the folder of the built site; of several processes of one run of the suite one builds it."""
    folder = tmp_path_factory.getbasetemp()
    folder = (folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder) / "docs-site"
    with open(f"{folder}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "llms.txt").exists():
            built = build(folder)
            assert (built.returncode, "WARNING" in built.stderr) == (0, False), built.stderr
    return folder


@pytest.fixture(scope="session")
def page(site: Path) -> Callable[[str], Content]:
    """Give what a page of the reference holds, by its name."""
    return lambda name: Content(site / "reference" / f"{name}.html")


def test_each_verb_stands_in_the_reference_with_each_of_its_options(page: Callable[[str], Content]) -> None:
    content = page("commands")

    assert set(VERBS) - content.ids == set()
    modules = [__import__(f"mailstop.cli.{verb}", fromlist=["_"]) for verb in VERBS if verb != "hook"]
    options = {name for one in modules for each in one.PARAMETERS if isinstance(each, Option) for name in each.names}
    assert {name for name in options if name not in content.text} == set()


def test_each_tool_stands_in_the_reference_with_its_description(page: Callable[[str], Content]) -> None:
    content = page("tools")

    assert set(tools.NAMES) - content.ids == set()
    assert [tool.name for tool in tools.everything() if tool.description not in content.text] == []


def test_each_error_stands_in_the_reference_with_its_exit_code(page: Callable[[str], Content]) -> None:
    codes = {code_of(kind): kind.exit_code for kind in kinds()}

    assert set(codes) - page("errors").ids == set()
    assert [code for code in codes if code not in page("exit-codes").text] == []


def test_each_kind_variable_and_topic_stands_in_the_reference(page: Callable[[str], Content]) -> None:
    assert [kind for kind in KINDS if kind not in page("kinds").text] == []
    assert [each.name for each in VARIABLES if each.name not in page("configuration").text] == []
    assert set(topics()) - page("topics").ids == set()


def test_no_page_loads_anything_from_another_host(site: Path) -> None:
    pages = {path: Content(path) for path in site.rglob("*.html")}
    styles = [
        path for path in site.rglob("*.css") if re.search(r"(?:@import|url\()\s*[\"']?(?:https?:)?//", path.read_text())
    ]

    assert len(pages) > 30
    assert all(content.loads for content in pages.values())
    assert {
        (path.name, load) for path, content in pages.items() for load in content.loads if ELSEWHERE.match(load)
    } == set()
    assert styles == []
    # For these the theme's own script would fetch another one.
    assert [path.name for path, content in pages.items() if "mermaid" in content.classes] == []


def test_llms_txt_lists_every_page_once_and_says_something_of_each(site: Path) -> None:
    lines = re.findall(r"^- \[(.+)\]\((\S+)\): (.*)$", (site / "llms.txt").read_text(), re.MULTILINE)
    pages = {str(path.relative_to(site)) for path in site.rglob("*.html")} - {"404.html"}

    assert sorted(url for _, url, _ in lines) == sorted(pages)
    assert [title for title, _, said in lines if len(said) < 10 or said.endswith(":")] == []
    whole = (site / "llms-full.txt").read_text()
    assert {url for url in pages if f"<!-- {url} -->" not in whole} == set()


@pytest.mark.parametrize(
    ("text", "other", "complaint"),
    [
        ("[there](gone.md)", "", "gone.md"),
        ("[there](#gone)", "", "no such anchor"),
        ("text", "a page that no group names", 'not included in the "nav"'),
    ],
    ids=["a lost page", "a lost heading", "a page outside the navigation"],
)
def test_the_build_fails_by(tmp_path: Path, text: str, other: str, complaint: str) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "index.md").write_text(f"# Title\n\n{text}\n")
    if other:
        (docs / "other.md").write_text(f"# Other\n\n{other}\n")
    config = tmp_path / "mkdocs.yml"
    config.write_text(f"INHERIT: {ROOT / 'mkdocs.yml'}\ndocs_dir: docs\nhooks: []\nnav: [index.md]\n")

    built = build(tmp_path / "site", config=config)

    assert built.returncode == 1
    assert complaint in built.stderr


def test_a_field_of_json_that_nothing_tells_of_is_found() -> None:
    unknown: list[str] = []

    output._run(Ran("send", ("send",), 0, {"n": 3, "recipients": [{"seat": "b", "colour": "red"}]}), set(), unknown)

    assert unknown == ["send: recipients[].colour"]


def test_a_diagram_is_told_by_a_table_and_one_that_cannot_be_told_is_refused() -> None:
    assert as_tables("```mermaid\nstateDiagram-v2\n    [*] --> open: give\n```") == (
        "| from | to | by |\n| --- | --- | --- |\n| – | `open` | give |"
    )
    with pytest.raises(ValueError, match="pie title"):
        as_tables("```mermaid\npie title Pets\n```")


def test_the_program_of_the_page_about_python_writes_a_letter(seat: Callable[[str], Party], stranger: Party) -> None:
    reviewer = seat("reviewer")
    (stranger.home / "build_done.py").write_text(EXAMPLE)
    place = f"{Path(sys.executable).parent}:/usr/bin:/bin"

    run = stranger.call(["sh", "-ec", RUN], environment={"PATH": place})

    assert run.code == 0, run.err
    assert "The build is done." in reviewer.run("check").out
