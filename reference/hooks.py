"""Hooks of MkDocs: pages made from the code, what GitHub draws and this site does not, and llms.txt."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # so that it can be built from any folder

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

from reference import llms
from reference.commands import commands
from reference.diagrams import as_tables
from reference.failures import exit_codes, failures
from reference.output import output
from reference.python import python
from reference.settings import configuration, kinds, topics
from reference.tools import tools

PAGES: dict[str, Callable[[], str]] = {
    "commands": commands,
    "configuration": configuration,
    "errors": failures,
    "exit-codes": exit_codes,
    "json": output,
    "kinds": kinds,
    "python": python,
    "tools": tools,
    "topics": topics,
}

_navigation: list[Navigation] = []


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the pages that are made."""
    for name, made in PAGES.items():
        files.append(File.generated(config, f"reference/{name}.md", content=made()))
    return files


def on_nav(nav: Navigation, *, config: MkDocsConfig, files: Files) -> Navigation:
    """Keep the navigation, of which llms.txt is made at the end."""
    _navigation[:] = [nav]
    return nav


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Tell what a diagram says by a table."""
    return as_tables(markdown)


def on_post_build(*, config: MkDocsConfig) -> None:
    """Write llms.txt and llms-full.txt."""
    (nav,) = _navigation
    site = Path(config.site_dir)
    (site / "llms.txt").write_text(llms.listed(nav, str(config.site_name), str(config.site_description)))
    (site / "llms-full.txt").write_text(llms.full(nav))
