"""What the check-up tells to mend a finding with is a command: what it begins with can be run."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import mailstop

ROOT = Path(mailstop.__file__).parent
FILES = [*sorted((ROOT / "checkup").glob("*.py")), ROOT / "resident/checkup.py", ROOT / "cli/doctor.py"]
ALSO = [ROOT / "clients/stores.py"]  # whose functions give some of the commands
MAKERS = {"Finding": 3, "Route": 5, "but": None}  # where the mend stands among the arguments
FOUND = "/a/program/that/was/found"
# Told only where they are there, or where what is to be mended came by them.
THEIRS = {"claude", "npm", "uv", "pipx", "sudo", "timedatectl", FOUND}
FOUND_BY = {"sys.executable", "program.path", "shlex.quote(sys.executable)", "shlex.quote(python)"}

TREES = {file: ast.parse(file.read_text()) for file in [*FILES, *ALSO]}
FUNCTIONS = {
    node.name: (file, node) for file, tree in TREES.items() for node in tree.body if isinstance(node, ast.FunctionDef)
}
CALLS = [node for tree in TREES.values() for node in ast.walk(tree) if isinstance(node, ast.Call)]
CALLERS = {
    id(call): (file, function)
    for file, tree in TREES.items()
    for function in tree.body
    if isinstance(function, ast.FunctionDef)
    for call in ast.walk(function)
    if isinstance(call, ast.Call)
}
CONSTANTS = {
    target.id: node.value
    for file in FILES
    for node in TREES[file].body
    if isinstance(node, ast.Assign)
    for target in node.targets
    if isinstance(target, ast.Name)
}


def called(call: ast.Call) -> str:
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def argument(call: ast.Call, name: str, place: int | None) -> list[ast.expr]:
    named = [each.value for each in call.keywords if each.arg == name]
    return named or (call.args[place : place + 1] if place is not None else [])


def begins(value: ast.expr, function: ast.FunctionDef) -> Iterator[str]:
    """How the text of an expression may begin."""
    if ast.unparse(value) in FOUND_BY:
        yield FOUND
    elif isinstance(value, ast.Constant):
        yield str(value.value)
    elif isinstance(value, ast.JoinedStr):
        yield from texts(value, function)
    elif isinstance(value, ast.IfExp):
        yield from begins(value.body, function)
        yield from begins(value.orelse, function)
    elif isinstance(value, ast.Dict):
        for each in value.values:
            yield from begins(each, function)
    elif isinstance(value, ast.Subscript):
        yield from begins(value.value, function)
    elif isinstance(value, ast.GeneratorExp):
        same = ast.unparse(value.elt) == ast.unparse(value.generators[0].target)
        yield from begins(value.generators[0].iter if same else value.elt, function)
    elif isinstance(value, ast.Attribute) and value.attr == "mend":
        return  # that of another finding
    elif isinstance(value, ast.Name):
        yield from of_name(value.id, function)
    elif isinstance(value, ast.Call) and called(value) == "next":
        for each in value.args:
            yield from begins(each, function)
    elif isinstance(value, ast.Call) and called(value) in FUNCTIONS:
        of = FUNCTIONS[called(value)][1]
        for node in ast.walk(of):
            if isinstance(node, ast.Return) and node.value:
                yield from begins(node.value, of)
    else:
        raise AssertionError(f"{function.name}: what {ast.unparse(value)} begins with cannot be told")


def texts(value: ast.JoinedStr, function: ast.FunctionDef) -> Iterator[str]:
    """Of a text with pieces filled in: its first piece, with what stands right behind it."""
    first, *rest = value.values
    behind = str(rest[0].value) if rest and isinstance(rest[0], ast.Constant) else ""
    for beginning in begins(first.value if isinstance(first, ast.FormattedValue) else first, function):
        if beginning or not behind.startswith(" "):  # a word that is empty is asked for first, and none is told then
            yield beginning + behind


def of_name(name: str, function: ast.FunctionDef) -> Iterator[str]:
    """What is assigned to a name in a function, what its callers give for it, or what the module says."""
    values = [node.value for node in ast.walk(function) if isinstance(node, ast.Assign) and names(node, name)]
    values += [n.value for n in ast.walk(function) if isinstance(n, ast.NamedExpr) and n.target.id == name]
    for value in values:
        yield from begins(value, function)
    places = [each.arg for each in function.args.args]
    if name in (*places, *(each.arg for each in function.args.kwonlyargs)):
        place = places.index(name) if name in places else None
        for call in CALLS:
            if called(call) == function.name and id(call) in CALLERS:
                for value in argument(call, name, place):
                    yield from begins(value, CALLERS[id(call)][1])
    elif not values:
        assert name in CONSTANTS, f"{function.name}: {name} is assigned nowhere"
        yield from begins(CONSTANTS[name], function)


def names(node: ast.Assign, name: str) -> bool:
    return any(isinstance(target, ast.Name) and target.id == name for target in node.targets)


MENDS = sorted(
    {
        (f"{file.relative_to(ROOT)}:{call.lineno}", text)
        for call in CALLS
        if called(call) in MAKERS and id(call) in CALLERS
        for file, function in [CALLERS[id(call)]]
        if file in FILES
        for value in argument(call, "mend", MAKERS[called(call)])
        for text in begins(value, function)
        if text
    }
)


def test_the_commands_were_found() -> None:
    told = {text for _, text in MENDS}

    assert len(MENDS) > 40
    assert {"mailstop doctor --mend", "claude --continue", "unset ", "kill -9 ", "sudo chown ", "chmod go-w "} <= told


@pytest.mark.parametrize(("place", "text"), MENDS, ids=[" ".join(mend) for mend in MENDS])
def test_what_mends_begins_with_a_program_that_is_there(place: str, text: str) -> None:
    first = text.split()[0]
    known = subprocess.run(["/bin/sh", "-c", 'command -v -- "$1"', "sh", first], stdout=subprocess.DEVNULL, check=False)

    assert first in {"mailstop", *THEIRS} or known.returncode == 0


@pytest.mark.parametrize(("place", "text"), MENDS, ids=[" ".join(mend) for mend in MENDS])
def test_what_mends_is_no_prose(place: str, text: str) -> None:
    assert ", " not in text
    assert not text.endswith("--help")
