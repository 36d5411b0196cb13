"""llms.txt: the pages for a model that looks for one, and llms-full.txt: all of them in one file (llmstxt.org)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mkdocs.structure.nav import Navigation, Section
from mkdocs.structure.pages import Page

LONGEST = 200  # characters of what is said of a page


def listed(nav: Navigation, name: str, summary: str) -> str:
    """The pages of the site, by the groups of its navigation."""
    parts = [f"# {name}", f"> {summary}", "All pages in one file: [llms-full.txt](llms-full.txt)"]
    parts += [f"## {title}\n\n" + "\n".join(map(_line, pages)) for title, pages in _groups(nav)]
    return "\n\n".join(parts) + "\n"


def full(nav: Navigation) -> str:
    """The text of all pages, one behind the other."""
    texts = (f"<!-- {page.url} -->\n\n{(page.markdown or '').strip()}" for _, pages in _groups(nav) for page in pages)
    return "\n\n".join(texts) + "\n"


def _groups(nav: Navigation) -> Iterator[tuple[str, list[Page]]]:
    single = [item for item in nav.items if isinstance(item, Page)]
    yield "Overview", single
    for item in nav.items:
        if isinstance(item, Section):
            yield item.title, [page for page in nav.pages if item in page.ancestors]


def _line(page: Page) -> str:
    return f"- [{page.title}]({page.url}): {_said(page.markdown or '')}"


def _said(markdown: str) -> str:
    """The first sentence of a page's text, with what it announces behind a colon at its end."""
    paragraphs = (
        part for part in markdown.split("\n\n") if part.strip() and not part.startswith(("#", "```", "|", "Contents: "))
    )
    text = " ".join(next(paragraphs, "").split())
    if text.endswith(":"):
        text += " " + " ".join(re.split(r"^[*-] ", next(paragraphs, ""), flags=re.MULTILINE)).strip()
        text = " ".join(text.split())
    sentence = re.split(r"(?<=[.?]) ", text)[0]
    plain = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", sentence)
    return plain if len(plain) <= LONGEST else f"{plain[:LONGEST].rpartition(' ')[0]} …"
