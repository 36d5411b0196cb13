"""What words mean in real repositories, made by Git itself: worktrees, symbolic links, submodules."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from mailstop.clients.project import place_of
from mailstop.clients.resources import Reader, folds_case
from mailstop.errors import InvalidResource
from mailstop.lease import GLOB, NAME, PATH, Address, Resource

Git = Callable[..., None]


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Git:
    """Run Git in a folder with nobody's settings."""
    settings = tmp_path / "gitconfig"
    settings.write_text('[user]\nname = a\nemail = a@example.org\n[protocol "file"]\nallow = always\n')
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")

    def run(folder: Path, *arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)

    return run


@pytest.fixture
def shop(git: Git, tmp_path: Path) -> Path:
    """A repository with `src/a.py`, `src/deep/`, and a file `deploy`."""
    folder = made(git, tmp_path / "work" / "shop")
    (folder / "src" / "deep").mkdir(parents=True)
    for name in ("src/a.py", "src/deep/b.py", "deploy"):
        (folder / name).touch()
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "files")
    return folder


def made(git: Git, folder: Path) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    return folder


def read(folder: Path, word: str) -> Resource:
    """What a word means to somebody who works in a folder."""
    return Reader(str(folder), lambda: place_of(str(folder), {})).read(word)


def in_repository(resource: Resource, repository: Path) -> Address:
    """Its address in a repository."""
    (found,) = (at for at in resource.at if at.scope == f"repository:{repository}/.git")
    return found


@pytest.mark.parametrize(
    ("word", "kind", "shown"),
    [
        ("src/a.py", PATH, "src/a.py"),
        ("./src//deep/../a.py", PATH, "src/a.py"),
        ("src/", PATH, "src"),
        (".", PATH, "."),
        ("deploy", PATH, "deploy"),  # it is there
        ("./new", PATH, "new"),
        ("new/", PATH, "new"),
        ("new.py", PATH, "new.py"),
        ("new", NAME, "name:new"),
        ("release 1", NAME, "name:release 1"),
        ("name:deploy", NAME, "name:deploy"),
        ("path:new", PATH, "new"),
        ("src/*.py", GLOB, "src/*.py"),
        ("**/*.py", GLOB, "**/*.py"),
        ("src/./*/b.py/", GLOB, "src/*/b.py"),
        ("src/**", PATH, "src"),
        ("glob:**", PATH, "."),
        ("name:*", NAME, "name:*"),
    ],
)
def test_a_word_is_read_by_the_first_rule_that_holds(shop: Path, word: str, kind: str, shown: str) -> None:
    resource = read(shop, word)

    assert (resource.kind, resource.shown, resource.project) == (kind, shown, "shop")
    assert resource.given == word
    assert resource.why


def test_a_file_that_is_there_is_that_file_though_its_name_has_wildcards(shop: Path) -> None:
    (shop / "app" / "[id]").mkdir(parents=True)
    (shop / "app" / "[id]" / "page.tsx").touch()

    assert read(shop, "app/[id]/page.tsx").kind == PATH
    assert read(shop, "app/[id]/*.tsx").kind == GLOB
    assert read(shop, "app/[ab]/page.tsx").kind == GLOB


def test_relative_paths_begin_where_one_is_and_are_shown_from_the_top(shop: Path) -> None:
    assert read(shop / "src", "a.py").shown == "src/a.py"
    assert read(shop / "src", "../deploy").shown == "deploy"
    assert read(shop / "src" / "deep", "*.py").shown == "src/deep/*.py"
    assert read(shop / "src", str(shop / "src" / "a.py")).shown == "src/a.py"


def test_all_worktrees_of_a_repository_share_their_paths(git: Git, shop: Path, tmp_path: Path) -> None:
    git(shop, "worktree", "add", "-q", str(tmp_path / "elsewhere"), "-b", "other")

    assert read(tmp_path / "elsewhere", "src/a.py").key == read(shop, "src/a.py").key
    assert read(tmp_path / "elsewhere" / "src", "*.py").key == read(shop, "src/*.py").key


def test_a_worktree_inside_of_the_main_one_shares_them_too(git: Git, shop: Path) -> None:
    git(shop, "worktree", "add", "-q", ".worktrees/other", "-b", "other")
    inner = shop / ".worktrees" / "other"

    assert read(inner, "src/a.py").key == read(shop, "src/a.py").key
    assert [at.literal for at in read(inner, "src/a.py").at if at.scope.startswith("repository:")] == [
        "/src/a.py",
        "/.worktrees/other/src/a.py",
    ]


def test_symbolic_links_are_followed_as_far_as_they_are_there(shop: Path, tmp_path: Path) -> None:
    (shop / "link").symlink_to("src")
    (shop / "a-link.py").symlink_to("src/a.py")
    (tmp_path / "work" / "same-shop").symlink_to("shop")
    (shop / "nowhere").symlink_to("src/not/there")

    assert read(shop, "link/a.py").key == read(shop, "src/a.py").key
    assert read(shop, "a-link.py").key == read(shop, "src/a.py").key
    assert read(tmp_path / "work" / "same-shop", "src/a.py").key == read(shop, "src/a.py").key
    assert read(shop, "link/new/c.py").shown == "src/new/c.py"
    assert read(shop, "link/*.py").key == read(shop, "src/*.py").key
    assert read(shop, "nowhere").shown == "src/not/there"


def test_a_link_out_of_the_repository_is_what_it_leads_to(shop: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (shop / "out").symlink_to(outside)

    resource = read(shop, "out/x.py")

    assert (resource.shown, resource.project) == (str(outside / "x.py"), "")
    assert [at.scope.partition(":")[0] for at in resource.at] == ["machine"]


def test_a_path_outside_of_any_repository_is_absolute_on_this_machine(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()

    resource = read(plain, "./notes.txt")

    assert resource.shown == str(plain / "notes.txt")
    assert resource.key.literal == str(plain / "notes.txt")


def test_a_file_of_a_submodule_lies_in_its_parent_too(git: Git, shop: Path, tmp_path: Path) -> None:
    library = made(git, tmp_path / "work" / "library")
    git(shop, "submodule", "add", "-q", str(library), "vendor/library")

    resource = read(shop, "vendor/library/x.py")

    assert resource.project == "library"
    assert in_repository(resource, shop).literal == "/vendor/library/x.py"


def test_two_repositories_of_one_name_have_different_files(git: Git, shop: Path, tmp_path: Path) -> None:
    other = made(git, tmp_path / "other" / "shop")

    assert read(other, "./src/a.py").key != read(shop, "src/a.py").key
    assert read(other, "name:deploy").key != read(shop, "name:deploy").key


def test_a_file_under_git_itself_has_its_place_on_the_machine(shop: Path) -> None:
    resource = read(shop, ".git/config")

    assert in_repository(resource, shop).literal == "/.git/config"


@pytest.mark.parametrize(
    ("word", "rule"),
    [
        ("", "one printable line"),
        ("path:", "at least one"),
        ("glob:", "at least one"),
        ("src/*/../b", "behind a wildcard"),
        ("[z-a].py", "wrong way round"),
        ("a\0b/", "none that is 0"),
        ("a\0b", "one printable line"),
        ("name:two\nlines", "one printable line"),
        ("name:\u202ename", "one printable line"),
        ("name: x", "blanks"),
        ("x" * 201, "at most 200"),
        ("./" + "x" * 4096, "at most 4096 bytes"),
        ("*" + "x" * 500, "at most 500"),
        (os.fsdecode(b"src/\xff.py"), "not UTF-8"),
        (os.fsdecode(b"\xff*"), "not UTF-8"),
        (os.fsdecode(b"name:\xff"), "one printable line"),
    ],
)
def test_what_cannot_be_taken_is_refused_with_the_rule(shop: Path, word: str, rule: str) -> None:
    with pytest.raises(InvalidResource, match=rule):
        read(shop, word)


def test_a_folder_whose_name_is_not_utf_8_is_refused(shop: Path) -> None:
    folder = os.fsencode(shop) + b"/\xff"
    os.mkdir(folder)

    with pytest.raises(InvalidResource, match=r"\\xff.*not UTF-8"):
        read(Path(os.fsdecode(folder)), "./a.py")


@pytest.mark.parametrize("name", ["a\nb.py", "it's.py", 'a"b.py', "\u202eyp.a", "a b.py", "$(x).py", "ä.py", "-x.py"])
def test_any_name_of_a_file_is_kept_exactly(shop: Path, name: str) -> None:
    (shop / name).touch()

    assert read(shop, f"./{name}").shown == name
    assert read(shop, f"./{name}").key.literal == f"/{name}"


def test_this_file_system_tells_capital_letters_from_small_ones(shop: Path) -> None:
    (shop / "SRC").mkdir()

    assert not folds_case(str(shop / "src"))
    assert not folds_case(str(shop / "not" / "there"))
    assert not folds_case("/")
    assert read(shop, "SRC/a.py").key != read(shop, "src/a.py").key


def test_where_the_other_case_leads_to_the_same_file_case_is_folded(shop: Path) -> None:
    os.link(shop / "deploy", shop / "DEPLOY")  # what such a file system would say of it

    assert folds_case(str(shop / "deploy"))


def test_where_case_is_folded_a_file_is_the_same_in_both(shop: Path) -> None:
    reader = Reader(str(shop), lambda: place_of(str(shop), {}), folds=lambda _folder: True)

    assert reader.path("SRC/A.PY").key == reader.path("src/a.py").key
    assert reader.path("Ä.py").key == reader.path("a\u0308.py").key
    assert reader.path("SRC/A.PY").shown == "SRC/A.PY"
    assert reader.glob("SRC/*.py").at[0].folds


def test_a_bare_word_means_the_other_thing_once_a_file_came_or_went(shop: Path) -> None:
    reader = Reader(str(shop), lambda: place_of(str(shop), {}))

    for word, kind in (("deploy", NAME), ("new", PATH)):
        other = reader.other(word)
        assert other is not None
        assert other.kind == kind
    assert [reader.other(word) for word in ("src/a.py", "name:deploy", "*", "")] == [None] * 4
