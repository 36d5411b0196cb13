"""The one token of all clients of a server: where it comes from, and what refuses to start without one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mailstop.errors import BlankToken, TokenFileExposed, TokenFileUnreadable, TwoTokens, UnusableToken
from mailstop.resident import shared_token
from mailstop.resident.shared_token import take_shared_token


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file for a token, of this user alone."""
    path = tmp_path / "token"
    path.touch(mode=0o600)
    return path


def test_without_a_variable_there_is_none() -> None:
    assert take_shared_token({}) is None


def test_the_variable_s_token_is_stripped_and_gone_from_the_environment() -> None:
    environment = {"MAILSTOP_TOKEN": "  a-token\n", "HOME": "/home/me"}

    token = take_shared_token(environment)

    assert token is not None
    assert token.is_it("a-token")
    assert environment == {"HOME": "/home/me"}
    assert "a-token" not in repr(token)


def test_the_file_s_token_is_stripped(file: Path) -> None:
    file.write_text("\na-token \n")

    token = take_shared_token({"MAILSTOP_TOKEN_FILE": str(file)})

    assert token is not None
    assert token.is_it("a-token")
    assert "a-token" not in repr(token)


@pytest.mark.parametrize("blank", ["", " ", "\n\t "])
def test_a_blank_token_refuses_to_start(blank: str, file: Path) -> None:
    file.write_text(blank)
    environment = {"MAILSTOP_TOKEN": blank}

    with pytest.raises(BlankToken, match="MAILSTOP_TOKEN holds no token"):
        take_shared_token(environment)
    with pytest.raises(BlankToken, match=f"{file} holds no token"):
        take_shared_token({"MAILSTOP_TOKEN_FILE": str(file)})
    with pytest.raises(BlankToken, match="MAILSTOP_TOKEN_FILE holds no token"):
        take_shared_token({"MAILSTOP_TOKEN_FILE": blank})
    assert environment == {}


def test_two_tokens_refuse_to_start_even_if_one_is_blank(file: Path) -> None:
    file.write_text("a-token")
    for text in ("another", "a-token", ""):
        environment = {"MAILSTOP_TOKEN": text, "MAILSTOP_TOKEN_FILE": str(file)}
        with pytest.raises(TwoTokens):
            take_shared_token(environment)
        assert "MAILSTOP_TOKEN" not in environment


@pytest.mark.parametrize("text", ["two words", "a\nb", "é", "a\x00b", "\u202ea", "a\x7f"])
def test_a_token_that_no_header_carries_refuses_to_start(text: str, file: Path) -> None:
    file.write_text(text)
    with pytest.raises(UnusableToken) as refusal:
        take_shared_token({"MAILSTOP_TOKEN": text})
    with pytest.raises(UnusableToken):
        take_shared_token({"MAILSTOP_TOKEN_FILE": str(file)})
    assert text not in refusal.value.message


@pytest.mark.parametrize("wrong", ["", "a-toke", "a-token ", "A-TOKEN", "a-tokené", "é", "\ud800", "x" * 100_000])
def test_another_text_is_not_it(wrong: str) -> None:
    token = take_shared_token({"MAILSTOP_TOKEN": "a-token"})

    assert token is not None
    assert not token.is_it(wrong)


@settings(deadline=None)
@given(st.text())
def test_no_text_breaks_the_comparison(text: str) -> None:
    token = take_shared_token({"MAILSTOP_TOKEN": "a-token"})

    assert token is not None
    assert token.is_it(text) == (text == "a-token")


# -- files


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o660, 0o602, 0o620, 0o666])
def test_a_file_that_others_may_get_at_refuses_to_start(file: Path, mode: int) -> None:
    file.write_text("a-token")
    file.chmod(mode)

    with pytest.raises(TokenFileExposed, match=f"its mode is {mode:04o}.*chmod 600 "):
        take_shared_token({"MAILSTOP_TOKEN_FILE": str(file)})


@pytest.mark.parametrize("mode", [0o400, 0o600])
def test_a_file_of_this_user_alone_will_do(file: Path, mode: int) -> None:
    file.write_text("a-token")
    file.chmod(mode)

    assert take_shared_token({"MAILSTOP_TOKEN_FILE": str(file)})


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes files of another user's")
def test_a_file_of_another_user_refuses_to_start(file: Path) -> None:
    file.write_text("a-token")
    os.chown(file, 12345, -1)

    with pytest.raises(TokenFileExposed, match="belongs to user 12345"):
        take_shared_token({"MAILSTOP_TOKEN_FILE": str(file)})


def test_what_a_container_s_runtime_has_mounted_may_be_readable_there(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text("a-token")
    monkeypatch.setattr(shared_token, "MOUNTED", f"{file.parent}/")
    file.chmod(0o444)
    assert take_shared_token({"MAILSTOP_TOKEN_FILE": str(file)})

    file.chmod(0o446)
    with pytest.raises(TokenFileExposed):
        take_shared_token({"MAILSTOP_TOKEN_FILE": str(file)})


def test_it_is_the_file_behind_a_link_that_counts(file: Path) -> None:
    file.write_text("a-token")
    link = file.with_name("link")
    link.symlink_to(file)
    assert take_shared_token({"MAILSTOP_TOKEN_FILE": str(link)})

    file.chmod(0o644)
    with pytest.raises(TokenFileExposed):
        take_shared_token({"MAILSTOP_TOKEN_FILE": str(link)})


def test_what_is_no_small_regular_file_refuses_to_start(tmp_path: Path, file: Path) -> None:
    os.mkfifo(tmp_path / "fifo", 0o600)
    file.write_text("x" * 5000)
    cases = {
        "missing": "No such file",
        "fifo": "no regular file",
        ".": "no regular file",
        "token": "more than 4096 bytes",
        "token/below": "Not a directory",
        "nul\0": "embedded null",
    }
    for name, reason in cases.items():
        with pytest.raises(TokenFileUnreadable, match=reason):
            take_shared_token({"MAILSTOP_TOKEN_FILE": f"{tmp_path}/{name}"})
