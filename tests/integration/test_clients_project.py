"""Places of real repositories, made by Git itself."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from mailstop.clients.project import Place, place_of

Git = Callable[..., str]


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Git:
    """Run Git in a folder with nobody's settings, and return what it prints."""
    settings = tmp_path / "gitconfig"
    settings.write_text(
        '[user]\nname = a\nemail = a@example.org\n[init]\ndefaultBranch = main\n[protocol "file"]\nallow = always\n'
    )
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")

    def run(folder: Path, *arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    return run


@pytest.fixture
def repository(git: Git, tmp_path: Path) -> Path:
    """A repository `shop` with one commit on `main`."""
    return made(git, tmp_path / "work" / "shop")


def made(git: Git, folder: Path, *options: str) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "-q", *options)
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    return folder


def place(folder: Path, **environment: str) -> Place:
    return place_of(str(folder), environment)


def test_a_repository_is_a_project_named_like_its_folder(repository: Path) -> None:
    found = place(repository)
    assert (found.project, found.project_id) == ("shop", str(repository / ".git"))


def test_a_folder_deep_inside_belongs_to_its_repository(repository: Path) -> None:
    (repository / "a" / "b").mkdir(parents=True)
    found = place(repository / "a" / "b")
    assert (found.worktree, found.folder) == (str(repository), str(repository / "a" / "b"))


def test_all_worktrees_of_a_repository_are_one_project(git: Git, repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "-q", "-b", "feature", str(tmp_path / "elsewhere"))
    main, other = place(repository), place(tmp_path / "elsewhere")
    assert (other.project, other.project_id) == (main.project, main.project_id)


def test_a_worktree_has_its_own_branch(git: Git, repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "-q", "-b", "feature", str(tmp_path / "elsewhere"))
    found = place(tmp_path / "elsewhere")
    assert (found.branch, found.worktree, found.on_default_branch) == ("feature", str(tmp_path / "elsewhere"), False)


def test_worktrees_of_a_hidden_bare_repository_are_named_like_the_folder_around_it(git: Git, tmp_path: Path) -> None:
    origin = made(git, tmp_path / "origin")
    around = tmp_path / "shop"
    around.mkdir()
    git(around, "clone", "-q", "--bare", str(origin), ".bare")
    (around / ".git").write_text("gitdir: ./.bare\n")
    git(around, "worktree", "add", "-q", "-b", "feature", "feature")
    assert {place(around).project, place(around / "feature").project} == {"shop"}


def test_two_repositories_of_one_name_are_two_projects(git: Git, repository: Path, tmp_path: Path) -> None:
    other = made(git, tmp_path / "other" / "shop")
    assert place(other).project == place(repository).project
    assert place(other).project_id != place(repository).project_id


def test_a_symbolic_link_to_a_repository_is_the_same_project(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(repository)
    assert place(tmp_path / "link") == place(repository)


def test_a_submodule_is_a_project_of_its_own(git: Git, repository: Path, tmp_path: Path) -> None:
    library = made(git, tmp_path / "library")
    git(repository, "submodule", "--quiet", "add", str(library), "deps/lib")
    found = place(repository / "deps" / "lib")
    assert (found.project, found.project_id) == ("lib", str(repository / ".git" / "modules" / "deps" / "lib"))


def test_a_worktree_of_a_submodule_belongs_to_the_submodule(git: Git, repository: Path, tmp_path: Path) -> None:
    library = made(git, tmp_path / "library")
    git(repository, "submodule", "--quiet", "add", str(library), "lib")
    git(repository / "lib", "worktree", "add", "-q", "-b", "x", str(tmp_path / "lib-x"))
    assert place(tmp_path / "lib-x").project_id == place(repository / "lib").project_id


def test_a_bare_repository_is_a_project_without_a_worktree(git: Git, repository: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(repository), "shop.git")
    found = place(tmp_path / "shop.git")
    assert (found.project, found.worktree, found.branch) == ("shop", "", "main")


def test_a_repository_kept_apart_from_its_worktree_is_found(git: Git, tmp_path: Path) -> None:
    made(git, tmp_path / "shop", f"--separate-git-dir={tmp_path / 'kept'}")
    assert place(tmp_path / "shop").project_id == str(tmp_path / "kept")


def test_a_branch_with_slashes_is_read_whole(git: Git, repository: Path) -> None:
    git(repository, "checkout", "-q", "-b", "fix/a.b/c")
    assert place(repository).branch == "fix/a.b/c"


def test_without_a_branch_the_commit_stands_for_it(git: Git, repository: Path) -> None:
    git(repository, "checkout", "-q", "--detach")
    found = place(repository)
    assert (found.branch, found.on_default_branch) == (git(repository, "rev-parse", "HEAD")[:10], False)


def test_a_repository_without_a_commit_is_on_its_default_branch(git: Git, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "trunk")
    assert (place(tmp_path).branch, place(tmp_path).on_default_branch) == ("trunk", True)


def test_a_head_that_is_a_symbolic_link_is_followed(git: Git, repository: Path) -> None:
    git(repository, "branch", "old")
    (repository / ".git" / "HEAD").unlink()
    (repository / ".git" / "HEAD").symlink_to("refs/heads/old")
    assert place(repository).branch == "old"


def test_main_is_the_default_branch_where_nothing_else_says_so(git: Git, repository: Path) -> None:
    git(repository, "branch", "other")
    assert place(repository).on_default_branch is True


def test_master_is_the_default_branch_without_a_main(git: Git, tmp_path: Path) -> None:
    made(git, tmp_path / "old", "-b", "master")
    git(tmp_path / "old", "branch", "other")
    assert place(tmp_path / "old").on_default_branch is True


def test_the_default_branch_is_found_among_packed_references(git: Git, repository: Path) -> None:
    git(repository, "branch", "other")
    git(repository, "pack-refs", "--all")
    assert not (repository / ".git" / "refs" / "heads" / "main").exists()
    assert place(repository).on_default_branch is True


def test_the_only_branch_is_the_default_branch(git: Git, tmp_path: Path) -> None:
    made(git, tmp_path / "x", "-b", "whatever/it is".replace(" ", "-"))
    assert place(tmp_path / "x").on_default_branch is True


def test_of_two_branches_with_names_of_their_own_none_is_the_default(git: Git, tmp_path: Path) -> None:
    made(git, tmp_path / "x", "-b", "one")
    git(tmp_path / "x", "branch", "two")
    assert place(tmp_path / "x").on_default_branch is False


def test_the_repositorys_own_setting_comes_before_main(git: Git, repository: Path) -> None:
    git(repository, "checkout", "-q", "-b", "trunk")
    git(repository, "config", "init.defaultBranch", "trunk")
    assert place(repository).on_default_branch is True


def test_a_setting_that_names_no_branch_does_not_count(git: Git, repository: Path) -> None:
    git(repository, "branch", "other")
    git(repository, "config", "init.defaultBranch", "trunk")
    assert place(repository).on_default_branch is True


def test_what_origin_says_comes_first(git: Git, tmp_path: Path) -> None:
    origin = made(git, tmp_path / "origin", "-b", "develop")
    git(origin, "branch", "main")
    git(tmp_path, "clone", "-q", str(origin), "clone")
    clone = tmp_path / "clone"
    assert place(clone).on_default_branch is True
    git(clone, "checkout", "-q", "main")
    assert place(clone).on_default_branch is False


@pytest.mark.parametrize("name", ["a b", "it's", 'say "hi"', "new\nline", "$(x)", "ünï", "-rf", "*"])
def test_folders_may_be_called_anything(git: Git, tmp_path: Path, name: str) -> None:
    folder = made(git, tmp_path / name)
    git(folder, "worktree", "add", "-q", "-b", "x", str(tmp_path / f"{name}-x"))
    assert place(tmp_path / f"{name}-x").project_id == str(folder / ".git")


def test_a_name_that_is_no_utf8_becomes_text(git: Git, tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path) + b"/caf\xe9"
    os.mkdir(folder)
    git(Path(os.fsdecode(folder)), "init", "-q")
    assert place_of(os.fsdecode(folder), {}).project_id == f"{tmp_path}/caf\\xe9/.git"


def test_a_folder_named_like_the_person_is_no_seat_of_the_person(git: Git, tmp_path: Path) -> None:
    made(git, tmp_path / "human")
    assert place(tmp_path / "human").project == "human-1"


def test_a_folder_outside_of_any_repository_is_its_own_project(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    found = place(tmp_path / "notes")
    assert found == Place("notes", str(tmp_path / "notes"), "", "", True, str(tmp_path / "notes"))


def test_the_root_of_the_file_system_is_a_place_too() -> None:
    assert place_of("/", {}).folder == "/"


def test_a_variable_of_git_that_leaked_does_not_mislead(
    git: Git, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = made(git, tmp_path / "other")
    expected = place(repository)
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    assert place_of(str(repository), os.environ) == expected


def test_a_project_setting_overrides_what_is_found(repository: Path) -> None:
    found = place(repository, MAILSTOP_PROJECT="My Shop")
    assert (found.project, found.project_id, found.branch) == ("my-shop", "name:My Shop", "main")


def test_a_blank_project_setting_counts_as_none(repository: Path) -> None:
    assert place(repository, MAILSTOP_PROJECT=" ") == place(repository)


def test_an_empty_git_folder_is_no_repository(repository: Path) -> None:
    (repository / "sub" / ".git").mkdir(parents=True)
    assert place(repository / "sub").worktree == str(repository)


@pytest.mark.parametrize("content", [b"", b"gitdir:", b"gitdir: nowhere\n", b"\xff\0", b"gitdir: " + b"x/" * 40_000])
def test_a_broken_git_file_makes_a_folder_without_repository(repository: Path, content: bytes) -> None:
    (repository / "sub").mkdir()
    (repository / "sub" / ".git").write_bytes(content)
    assert place(repository / "sub").project_id == str(repository / "sub")


def test_a_worktree_whose_repository_is_gone_is_a_plain_folder(git: Git, repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "-q", "-b", "x", str(tmp_path / "x"))
    (repository / ".git").rename(tmp_path / "moved")
    assert place(tmp_path / "x").project_id == str(tmp_path / "x")


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\0", b"ref:", b"zzz", b"a" * 70_000])
def test_a_broken_head_leaves_the_branch_unknown(repository: Path, content: bytes) -> None:
    (repository / ".git" / "HEAD").write_bytes(content)
    found = place(repository)
    assert (found.project, found.branch, found.on_default_branch) == ("shop", "", False)


def test_a_folder_that_is_gone_still_has_a_place(tmp_path: Path) -> None:
    assert place(tmp_path / "gone").project == "gone"


def test_a_repository_with_a_reftable_is_read_like_any(git: Git, tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    try:
        git(folder, "init", "-q", "--ref-format=reftable", "-b", "trunk")
    except subprocess.CalledProcessError:
        pytest.skip("this Git is older than 2.45 and knows no reftable")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    assert (place(folder).branch, place(folder).on_default_branch) == ("trunk", True)
