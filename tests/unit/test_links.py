"""The links of the pages lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted(path.relative_to(ROOT) for path in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("**/*.md")])
LINK = re.compile(r"(?<!!)\[[^\]]+\]\(([^)\s]+)\)")
CODE = re.compile(r"```.*?```", re.DOTALL)


def text_of(page: Path) -> str:
    return CODE.sub("", page.read_text())


def anchors(page: Path) -> set[str]:
    """The names that GitHub gives the headings of a page."""
    headings = re.findall(r"^#+ +(.+?) *$", text_of(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links(page: Path) -> list[tuple[str, str]]:
    """The file and the heading of each link that does not leave the project; the file empty for the page itself."""
    found = (link.partition("#") for link in LINK.findall(text_of(ROOT / page)) if "://" not in link)
    return [(file, heading) for file, _, heading in found]


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_every_link_leads_to_a_file_that_is_there(page: Path) -> None:
    missing = [file for file, _ in links(page) if not (ROOT / page.parent / file).exists()]

    assert missing == []


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_every_link_into_a_page_leads_to_one_of_its_headings(page: Path) -> None:
    into = [(ROOT / page.parent / file if file else ROOT / page, heading) for file, heading in links(page) if heading]

    assert [(str(to), heading) for to, heading in into if to.suffix == ".md" and heading not in anchors(to)] == []


def test_the_pages_that_are_looked_at_have_links() -> None:
    assert len([link for page in PAGES for link in links(page)]) > 10


def test_the_pages_that_modules_name_are_there() -> None:
    named = {
        (str(module.relative_to(ROOT)), page)
        for module in (ROOT / "src").rglob("*.py")
        for page in re.findall(r"\bdocs/[\w\-/]+\.md", module.read_text())
    }

    assert {(module, page) for module, page in named if not (ROOT / page).exists()} == set()
