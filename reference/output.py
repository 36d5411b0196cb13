"""The page of JSON output: what commands print with `--json`, from runs of them, and what each field says.

A field that is printed and not told of, or told of and not printed, fails the build.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from typing import Any

from mailstop.cli.entry import VERBS
from reference.fields import FIELDS, NAMED_BY_WHAT_THEY_HOLD
from reference.runs import STEPS, WITHOUT, Ran, ran
from reference.text import block, code, page, table

SECRET = "token"
TYPES = {str: "text", bool: "true or false", int: "number", float: "number", type(None): "null"}


def output() -> str:
    """Each command with an answer of its own, and its fields."""
    untold = set(VERBS) - {words[0] for _, _, words in STEPS} - set(WITHOUT)
    if untold:
        raise RuntimeError(f"reference/runs.py runs no {', '.join(sorted(untold))} for the page of JSON output")
    runs, used, unknown = ran(), set[str](), list[str]()
    parts = [part for run in runs for part in _run(run, used, unknown)]
    if unknown:
        raise RuntimeError(f"reference/fields.py does not say what these are: {', '.join(unknown)}")
    if unused := set(FIELDS) - used:
        raise RuntimeError(f"reference/fields.py tells of what nothing prints: {', '.join(sorted(unused))}")
    return page(
        "JSON output",
        "Every verb takes `--json` and prints one JSON value on one line. Texts are whole and exactly as they were"
        " sent; times are ISO 8601. Fields may be added in any version; those that are here stay. An error is an"
        " object too: [errors](errors.md).",
        "What follows was printed by these very commands when this page was built, in a home of its own, with lines"
        " broken for reading.",
        table(("verb", "what it prints"), [(code(verb), said) for verb, said in WITHOUT.items()]),
        *parts,
    )


def _run(run: Ran, used: set[str], unknown: list[str]) -> list[str]:
    rows = []
    for path, types in _fields(run).items():
        key = _key(run.title, path)
        if key is None:
            unknown.append(f"{run.title}: {path}")
            continue
        used.add(key)
        seen = " or ".join(sorted(types, key=lambda each: each == "null"))
        rows.append((code(path), "null here" if seen == "null" else seen, FIELDS[key]))
    ended = f"It ended with exit code {run.code}." if run.code else ""
    shown = json.dumps(_hidden(run.value), ensure_ascii=False, indent=2)
    return [
        f"## {run.title}",
        block("console", f"$ mailstop {shlex.join(run.words)} --json"),
        ended,
        block("json", shown),
        table(("field", "type", "what it says"), rows),
    ]


def _key(title: str, path: str) -> str | None:
    """Under what FIELDS tells of the field at that path of a command's answer."""
    names = path.split(".")
    ends = [".".join(names[start:]) for start in range(len(names))]
    keys = [f"{title}: {path}", *ends, _last(path)]
    return next((key for key in keys if key in FIELDS), None)


def _hidden(value: Any) -> Any:
    """The value, without a secret, though it was thrown away with its store."""
    return {**value, SECRET: "mailstop_…"} if isinstance(value, dict) and SECRET in value else value


def _last(path: str) -> str:
    return path.rpartition(".")[2].removesuffix("[]")


def _fields(run: Ran) -> dict[str, set[str]]:
    """The path of each field, and the types of what it was seen to hold. A list's items are all at one path."""
    found: dict[str, set[str]] = {}
    for path, kind in _walked(run.title, run.value, ""):
        found.setdefault(path, set()).add(kind)
    return found


def _walked(title: str, value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        if path and not path.endswith("[]"):
            yield path, "object"
        open_key = NAMED_BY_WHAT_THEY_HOLD.get(f"{title}: {path}") or NAMED_BY_WHAT_THEY_HOLD.get(path)
        for name, each in value.items():
            yield from _walked(title, each, f"{path}.{open_key or name}" if path else name)
    elif isinstance(value, list):
        yield path, "list"
        for each in value:
            if isinstance(each, dict):
                yield from _walked(title, each, f"{path}[]")
    else:
        yield path, TYPES[type(value)]
