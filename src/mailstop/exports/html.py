"""HTML: conversations as one file to read and share. It loads nothing from anywhere, and nothing in a letter runs.

Each text of a letter is escaped, cleaned of invisible and reordering characters, and set apart so that its writing
direction reaches nothing beside it. Besides, the page forbids its browser everything but its own style and script, by
their digests.
"""

from __future__ import annotations

import base64
import hashlib
import html
import os

from mailstop.cleaning import clean, plain_line
from mailstop.exports.lines import time_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mailstop.exports.conversation import Written

_FOLDER = os.path.dirname(__file__)


def document(head: list[str], conversations: Iterable[Iterable[Written]], last: Callable[[], str]) -> Iterator[str]:
    """The page, piece by piece. See `markdown.document`."""
    yield _beginning(head)
    for conversation in conversations:
        is_first = True
        for written in conversation:
            if is_first:
                yield _heading(written)
            yield _letter(written, is_first=is_first)
            is_first = False
        yield "" if is_first else "</section>\n"
    script = _file("page.js")
    told = f"<p>{_text(last())}</p>"
    yield f'</main>\n<footer id="end" class="quiet">{told}</footer>\n<script>{script}</script>\n</body>\n</html>\n'


def _file(name: str) -> str:
    with open(os.path.join(_FOLDER, name), encoding="utf-8") as file:
        return file.read()


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _beginning(head: list[str]) -> str:
    style, script = _file("page.css"), _file("page.js")
    policy = (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; base-uri 'none';"
        " form-action 'none'"
    )
    return f"""\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>Letters</title>
<style>{style}</style>
</head>
<body>
<header class="page" id="top">
<h1>Letters</h1>
{"".join(f'<p class="quiet">{_text(line)}</p>' for line in head)}
<nav id="conversations" hidden><details><summary>Conversations</summary><ol id="list"></ol></details></nav>
</header>
<div class="find" hidden><div><label for="find">Find</label>
<input id="find" type="search" autocomplete="off" spellcheck="false">
<span id="found" class="quiet" role="status"></span></div></div>
<main>
"""


def _heading(written: Written) -> str:
    letter = written.letter
    return f'<section id="c{letter.n}">\n<h2>{_text(written.subject)}</h2>\n'


def _letter(written: Written, *, is_first: bool) -> str:
    letter = written.letter
    at = str(time_text(letter.at))
    when = (
        f'<time datetime="{at}">{at[:16].replace("T", " ")} UTC</time>' if letter.at else "<span>an unknown time</span>"
    )
    meta = [
        f'<a href="#n{letter.n}">{letter.n}</a>',
        f'<span class="from">{_text(written.sender)} → {_text(written.whom)}</span>',
        when,
    ]
    if letter.ref is not None:
        meta.append(f'<a href="#n{letter.ref}">answers {letter.ref}</a>')
    meta += [f"<span>{_text(label)}</span>" for label in written.labels]
    meta += [f"<span>{_text(seat)}: {_text(state)}</span>" for seat, state in written.states]
    artifacts = "".join(f"<li>{_text(each)}</li>" for each in letter.artifacts)
    named = f'<ul class="artifacts">{artifacts}</ul>\n' if artifacts else ""
    kind = "" if is_first else ' class="reply"'
    body = html.escape(clean(letter.body))
    # The newline behind <pre> is the one that HTML drops there.
    return (
        f'<article id="n{letter.n}"{kind}>\n<div class="meta">{"".join(meta)}</div>\n'
        f'<pre dir="auto">\n{body}</pre>\n{named}</article>\n'
    )


def _text(text: str) -> str:
    """A text of one line, apart from what stands beside it."""
    return f"<bdi>{html.escape(plain_line(text))}</bdi>"
