"""Pictures: the windows of a recording side by side, time running downwards, as SVG.

Nothing in them is fetched from anywhere: no font, no style, no script. Colours follow the reader's choice of light or
dark. A row is as wide as its columns, whatever font the reader has.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from wcwidth import wcswidth

from recordings.scenario import PERSON, Scenario
from recordings.stage import Event

CELL_W, CELL_H = 8, 18  # pixels
SIZE = 13  # of the letters
PADDING, TITLE_H, GAP = 14, 30, 12
FONTS = "ui-monospace, 'SFMono-Regular', Menlo, Consolas, 'Liberation Mono', 'DejaVu Sans Mono', monospace"
LIGHT = {
    "window": "#ffffff",
    "bar": "#f6f8fa",
    "edge": "#d0d7de",
    "text": "#1f2328",
    "said": "#0550ae",
    "name": "#57606a",
}
DARK = {
    "window": "#0d1117",
    "bar": "#161b22",
    "edge": "#30363d",
    "text": "#e6edf3",
    "said": "#79c0ff",
    "name": "#9198a1",
}


@dataclass(frozen=True)
class Placed:
    """A row at its place in a window. kind: the name of its style."""

    row: int
    kind: str
    text: str


def placed(scenario: Scenario, events: Sequence[Event]) -> dict[str, list[Placed]]:
    """Put the rows of each window where they belong: what happened later in another window stands lower."""
    windows: dict[str, list[Placed]] = {name: [] for name in scenario.windows}
    free = dict.fromkeys(windows, 0)
    begun = 0  # the row at which the latest event begins
    for number, event in enumerate(events):
        gap = 1 if event.typed and free[event.window] else 0
        below = 1 if number and events[number - 1].window != event.window else 0
        begun = max(free[event.window] + gap, begun + below)
        for offset, text in enumerate(event.rows):
            windows[event.window].append(Placed(begun + offset, "said" if event.typed else "text", text))
        free[event.window] = begun + len(event.rows)
    return windows


def drawn(scenario: Scenario, events: Sequence[Event]) -> str:
    """The picture."""
    windows = placed(scenario, events)
    last = max(each.row for rows in windows.values() for each in rows) + 1
    shown = min(last, scenario.rows)
    height = TITLE_H + 2 * PADDING + (shown + (2 if last > shown else 0)) * CELL_H
    width = scenario.columns * CELL_W + 2 * PADDING
    whole = len(windows) * width + (len(windows) - 1) * GAP
    parts = [*_head(scenario, whole, height)]
    for number, (name, rows) in enumerate(windows.items()):
        parts += _window(name, rows, number * (width + GAP), width, height, shown)
        if last > shown:
            parts.append(_row(number * (width + GAP), shown + 1, "name", f"... and {last - shown} more rows"))
    return "\n".join([*parts, "</svg>\n"])


def _head(scenario: Scenario, width: int, height: int) -> Iterator[str]:
    described = f'role="img" aria-labelledby="{scenario.name}-title {scenario.name}-desc"'
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" {described}>'
    yield f'<title id="{scenario.name}-title">{escape(scenario.title)}</title>'
    yield f'<desc id="{scenario.name}-desc">{escape(" ".join(scenario.description.split()))}</desc>'
    yield "<style>"
    yield f"text {{ font: {SIZE}px {FONTS}; white-space: pre; }}"
    yield f"{_colours(LIGHT)}\n@media (prefers-color-scheme: dark) {{\n{_colours(DARK)}\n}}"
    yield "</style>"


def _colours(of: dict[str, str]) -> str:
    areas = f".window {{ fill: {of['window']}; stroke: {of['edge']}; }} .bar {{ fill: {of['bar']}; }}"
    return f"{areas} " + " ".join(f".{kind} {{ fill: {of[kind]}; }}" for kind in ("text", "said", "name"))


def _window(name: str, rows: Sequence[Placed], left: int, width: int, height: int, shown: int) -> Iterator[str]:
    title = "terminal" if name == PERSON else f"seat {name}"
    yield f'<rect class="window" x="{left + 0.5}" y="0.5" width="{width - 1}" height="{height - 1}" rx="8"/>'
    yield f'<rect class="bar" x="{left + 1}" y="1" width="{width - 2}" height="{TITLE_H}" rx="7"/>'
    yield f'<text class="name" x="{left + width // 2}" y="20" text-anchor="middle">{escape(title)}</text>'
    yield from (_row(left, each.row, each.kind, each.text) for each in rows if each.text and each.row < shown)


def _row(left: int, row: int, kind: str, text: str) -> str:
    begins = len(text) - len(text.lstrip(" "))
    x = left + PADDING + begins * CELL_W
    y = TITLE_H + PADDING + row * CELL_H + SIZE
    written = text[begins:]
    # Else a font of another width than ours would not keep to the columns.
    width = f'textLength="{wcswidth(written) * CELL_W}" lengthAdjust="spacingAndGlyphs"'
    return f'<text class="{kind}" xml:space="preserve" x="{x}" y="{y}" {width}>{escape(written)}</text>'
