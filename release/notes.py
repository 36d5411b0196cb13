"""`python -m release.notes [VERSION]`: print what a version changes, as Markdown for the page of its release.

VERSION: as the changelog names it; without it, that of the package. Exit 1 where the changelog has no such section.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence

from release import ROOT, owner, package_version
from release.changelog import sections

_STARTS_A_LINE = re.compile(r"\s*([-*+] |\d+[.)] |#|\||>|$)")
_LINK = re.compile(r"(\[[^\]]+\]\()(?![a-z]+:|#)([^)\s]+\))")


def unwrapped(text: str) -> str:
    """The same Markdown with each paragraph on one line: on the page of a release every line break shows."""
    lines: list[str] = []
    in_code = False
    for line in text.splitlines():
        fence = line.lstrip().startswith("```")
        continues = bool(lines) and lines[-1].strip() != "" and not lines[-1].lstrip().startswith(("#", "```"))
        if in_code or fence or not continues or _STARTS_A_LINE.match(line):
            lines.append(line)
        else:
            lines[-1] += " " + line.strip()
        in_code ^= fence
    return "\n".join(lines)


def with_links_to(text: str, folder: str) -> str:
    """The same Markdown with links to the project's files that work outside of it. folder: its address."""
    return _LINK.sub(lambda link: f"{link[1]}{folder}/{link[2]}", text)


def notes(changelog: str, version: str, account: str = "") -> str:
    """What the changelog says of a version. account: where its pages are published, if that is settled.

    Raises KeyError with the versions that there are.
    """
    found = {section.version: section for section in sections(changelog)}
    if version not in found:
        raise KeyError(f"the changelog has no section {version}; it has: {', '.join(found)}")
    text = unwrapped(found[version].text)
    if account:
        place = f"v{version}" if found[version].date else "main"
        text = with_links_to(text, f"https://github.com/{account}/mailstop/blob/{place}")
    return text


def main(words: Sequence[str]) -> int:
    """Print them."""
    try:
        print(notes((ROOT / "CHANGELOG.md").read_text(), words[0] if words else package_version(), owner()))
    except KeyError as error:
        print(error.args[0], file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
