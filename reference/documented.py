"""Documented: what a name that may be imported takes, gives and says of itself, by its signature and docstring."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator
from typing import Any

from mailstop.records import Record
from reference.text import block

LONGEST = 100  # characters of a signature on one line


def documented(name: str, members: Iterable[str] | None = None) -> str:
    """A class with its public members, or those that are named, or a function. name: with its module."""
    module, _, own = name.rpartition(".")
    found = getattr(__import__(module, fromlist=[own]), own)
    parts = [f"### {own}", block("python", f"from {module} import {own}")]
    if not inspect.isclass(found):
        return "\n\n".join([*parts, block("python", _signature(own, found)), said(found)])
    parts += [block("python", _made(own, found)), said(found)]
    for each in members if members is not None else _public(found):
        parts += [_member(own, each, inspect.getattr_static(found, each))]
    return "\n\n".join(part for part in parts if part)


def public_names(module: Any) -> list[str]:
    """The functions and classes that a module itself makes public, as they stand there."""
    own = [
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and (inspect.isfunction(value) or inspect.isclass(value))
        and value.__module__ == module.__name__
        and value.__doc__
    ]
    return sorted(own, key=lambda name: inspect.getsourcelines(getattr(module, name))[1])


def said(found: Any) -> str:
    """A docstring as Markdown. Lines are joined; what is indented, or a table, stays as it is."""
    text = inspect.cleandoc(found.__doc__ or "")
    return re.sub(r"(?<![`\w])\*(?=\w)", r"\\*", text)


def _public(kind: type) -> Iterator[str]:
    if hasattr(kind, "__enter__"):
        return
    for name, value in vars(kind).items():
        if not name.startswith("_") and (inspect.isfunction(value) or isinstance(value, property)) and said(value):
            yield name


def _member(own: str, name: str, value: Any) -> str:
    if isinstance(value, property):
        assert value.fget
        gives = value.fget.__annotations__.get("return", "Any")
        return f"#### {own}.{name}\n\n{block('python', f'{name}: {gives}')}\n\n{said(value)}"
    return f"#### {own}.{name}\n\n{block('python', _signature(name, value))}\n\n{said(value)}"


def _made(name: str, kind: type) -> str:
    """How an instance is made. Of a record: its fields."""
    if issubclass(kind, Record):
        types = {
            field: kinds
            for each in reversed(kind.__mro__)
            for field, kinds in each.__dict__.get("__annotations__", {}).items()
        }
        fields = [f"{field}: {types[field]}{_default(kind._defaults, field)}" for field in kind.fields]
        return _written(f"class {name}", fields, "")
    if issubclass(kind, dict):
        return "\n".join(
            [f"class {name}(TypedDict):", *(f"    {key}: {_bare(each)}" for key, each in kind.__annotations__.items())]
        )
    if issubclass(kind, Exception):
        return f"class {name}({kind.__bases__[0].__name__})"
    return _signature(f"class {name}", kind)


def _default(defaults: dict[str, Any], field: str) -> str:
    return f" = {defaults[field]!r}" if field in defaults else ""


def _signature(name: str, found: Any) -> str:
    signature = inspect.signature(found)
    parameters, bare = [], False
    for each in signature.parameters.values():
        if each.name == "self":
            continue
        if each.kind is each.KEYWORD_ONLY and not bare:
            parameters.append("*")
            bare = True
        types = f": {_bare(each.annotation)}" if each.annotation is not each.empty else ""
        default = (
            "" if each.default is each.empty else f" = {_shown(each.default)}" if types else f"={_shown(each.default)}"
        )
        parameters.append(f"{each.name}{types}{default}")
    gives = signature.return_annotation
    return _written(
        name, parameters, "" if gives is signature.empty or name.startswith("class") else f" -> {_bare(gives)}"
    )


def _bare(annotation: Any) -> str:
    if isinstance(annotation, type) and not hasattr(annotation, "__args__"):
        return annotation.__name__
    return str(getattr(annotation, "__forward_arg__", annotation))


def _shown(default: Any) -> str:
    return default.__name__ if inspect.isfunction(default) else repr(default)


def _written(name: str, parameters: list[str], gives: str) -> str:
    """A signature, on several lines where it is long."""
    line = f"{name}({', '.join(parameters)}){gives}"
    if len(line) <= LONGEST:
        return line
    return f"{name}(\n" + "".join(f"    {each},\n" for each in parameters) + f"){gives}"
