"""Whether two patterns have a path in common is what trying all paths says."""

from __future__ import annotations

import fnmatch
from functools import cache
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mailstop.patterns import folded, named, overlap, parsed
from tests.examples import up_to

NAMES = ["".join(letters) for length in (1, 2) for letters in product("ab", repeat=length)]
# Of patterns with at most three segments of at most two characters each, a path that is one of both need not be
# deeper than four, nor its names longer than two: a star need not stand for anything the other one has not.
PATHS = [path for depth in (0, 1, 2, 3, 4) for path in product(NAMES, repeat=depth)]


def matches(pattern: str, path: tuple[str, ...]) -> bool:
    """Whether the pattern stands for the path, by Python's own fnmatch for each name."""
    return stands_for(tuple(pattern.split("/")), path)


@cache
def stands_for(segments: tuple[str, ...], path: tuple[str, ...]) -> bool:
    if not segments:
        return not path
    if segments[0] == "**":
        return any(stands_for(segments[1:], path[skipped:]) for skipped in range(len(path) + 1))
    return bool(path) and _fits(path[0], segments[0]) and stands_for(segments[1:], path[1:])


@cache
def _fits(name: str, pattern: str) -> bool:
    return fnmatch.fnmatchcase(name, pattern)


characters = st.sampled_from(["a", "b", "*", "?", "[ab]", "[!a]", "[b-z]"])
segments = st.just("**") | st.lists(characters, min_size=1, max_size=2).map("".join).filter(lambda text: text != "**")
patterns = st.lists(segments, min_size=1, max_size=3).map("/".join)
plain_paths = st.lists(st.sampled_from(NAMES), min_size=1, max_size=4).map(tuple)


@settings(max_examples=up_to(200), deadline=None)
@given(patterns, patterns)
def test_two_patterns_overlap_when_there_is_a_path_that_is_one_of_both(first: str, second: str) -> None:
    found = any(matches(first, path) and matches(second, path) for path in PATHS)

    assert overlap(parsed(first), parsed(second)) == found
    assert overlap(parsed(second), parsed(first)) == found


@settings(max_examples=up_to(400), deadline=None)
@given(patterns, plain_paths)
def test_a_pattern_overlaps_a_file_that_it_matches(pattern: str, path: tuple[str, ...]) -> None:
    assert overlap(parsed(pattern), path) == matches(pattern, path)


@settings(max_examples=up_to(200), deadline=None)
@given(patterns, plain_paths)
def test_a_pattern_overlaps_a_folder_when_it_stands_for_it_or_for_something_in_it(
    pattern: str, folder: tuple[str, ...]
) -> None:
    found = any(matches(pattern, (*folder, *path)) for path in PATHS if len(path) < 4)

    assert overlap(parsed(pattern), (*folder, *parsed("**"))) == found


@pytest.mark.parametrize(
    ("first", "second", "does"),
    [
        ("src/*.py", "src/a*", True),
        ("src/*.py", "src/*.md", False),
        ("src/*.py", "lib/*.py", False),
        ("**/*.py", "src/deep/**", True),
        ("**/*.py", "**/*.md", False),
        ("*", "src/lib/a.py", False),
        ("**", "src/lib/a.py", True),
        ("src/*/a.py", "src/lib/b.py", False),
        ("**/test_*.py", "tests/**/*_b.py", True),
        ("[!a-y]x", "zx", True),
        ("[!a-z]x", "zx", False),
        ("[*]", "*", True),
        ("[*]", "a", False),
        ("[]a]", "]", True),
        ("[!]a]", "]", False),
        ("[a-]", "-", True),
        ("[!a]", "[]a]", True),
        ("a[b", "a[b", True),
        (".*", "**/.git*", True),
        ("*", ".hidden", True),
        ("a" * 200 + "*", "*" + "b" * 200, True),
    ],
)
def test_these_overlap_or_do_not(first: str, second: str, does: bool) -> None:
    assert overlap(parsed(first), parsed(second)) is does


def test_the_characters_of_a_name_are_no_wildcards() -> None:
    assert named("/app/[id]/*.tsx") == ("app", "[id]", "*.tsx")
    assert not overlap(named("/app/[id]"), named("/app/i"))


@pytest.mark.parametrize("pattern", ["[z-a]", "x[b-a]*", "[!\x00-\U0010ffff]"])
def test_a_set_that_stands_for_nothing_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"wrong way round|no character"):
        parsed(pattern)


@pytest.mark.parametrize(
    ("pattern", "path", "does"),
    [
        ("SRC/*.PY", "src/A.py", True),
        ("[A-Z]x", "qX", True),
        ("[!A-Z]x", "qX", False),
        ("[a-z]x", "QX", True),
        ("Ä*", "a\u0308b", True),  # as macOS writes it: a letter and its dots apart
        ("[ä]", "Ä", True),
        ("[A-z]", "_", True),
    ],
)
def test_where_case_is_folded_capital_letters_are_small_ones(pattern: str, path: str, does: bool) -> None:
    assert overlap(parsed(pattern, folds=True), named(folded(path))) is does


@settings(max_examples=up_to(200), deadline=None)
@given(patterns, plain_paths)
def test_where_case_is_folded_a_capital_pattern_stands_for_what_the_small_one_does(
    pattern: str, path: tuple[str, ...]
) -> None:
    capital = named(folded("/".join(path).upper()))

    assert overlap(parsed(pattern.upper(), folds=True), capital) == overlap(parsed(pattern), path)
