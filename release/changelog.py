"""The changelog: a section for each version, newest first."""

from __future__ import annotations

import re
from dataclasses import dataclass

UNRELEASED = "Unreleased"
_HEADING = re.compile(r"^## \[(?P<version>[^\]]+)\](?: - (?P<date>\d{4}-\d\d-\d\d))?[ \t]*$", re.MULTILINE)
_TARGETS = re.compile(r"^\[[^\]]+\]: \S+$", re.MULTILINE)  # where the links of headings lead, at the page's end


@dataclass(frozen=True)
class Section:
    """What one version changes. date: empty for what is not released yet."""

    version: str
    date: str
    text: str


def sections(changelog: str) -> list[Section]:
    """Every section, as it stands there."""
    headings = list(_HEADING.finditer(changelog))
    ends = [heading.start() for heading in headings[1:]] + [len(changelog)]
    return [
        Section(heading["version"], heading["date"] or "", _TARGETS.sub("", changelog[heading.end() : end]).strip())
        for heading, end in zip(headings, ends, strict=True)
    ]
