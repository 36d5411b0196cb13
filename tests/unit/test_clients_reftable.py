from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailstop.clients import reftable

# What Git 2.47.3 wrote for a repository with the branches `other` and `trunk`, the latter checked out.
TABLE = bytes.fromhex(
    "524546540100100000000000000000010000000000000003720000800023484541440010726566732f68656164732f7472756e6b0080"
    "01726566732f68656164732f6f74686572022fc74b6b2bf8dfc977b8d73acd9af0e05e7224740b297472756e6b012fc74b6b2bf8dfc9"
    "77b8d73acd9af0e05e72247400001c00003400026700017278da63c8f470757461f80f017f19b000fde3ded9da3fee9f2cdf71ddeaec"
    "ac0f0fe28a544a181399131d925aafafff1ccbc020929c9f9b9b59a2a091999759929998a369a550c1c5d0e059949a56ac9f919a9852"
    "ac9f5f92915a04b3e50fb1b64806a7a6a628241927259ba7989b29e42666e69500716a51b12112dba1b41848eae5e517a516e454ea25"
    "ea160375e9c274e9a55624e616e4a442dd2a9d549498979c61a5e05c949a5802343dad283f57a1a4a8342f9b8bbb104cd32230185818"
    "1862199800210285185245465401001000000000000000000100000000000000030000000000000000000000000000000000000000"
    "000000000000000000800000000000000000dbb4d0c6"
)
COMMIT = "2fc74b6b2bf8dfc977b8d73acd9af0e05e722474"


@pytest.fixture
def stack(tmp_path: Path) -> Path:
    (tmp_path / "one.ref").write_bytes(TABLE)
    (tmp_path / "tables.list").write_text("one.ref\n")
    return tmp_path


def test_the_references_that_git_wrote_are_read(stack: Path) -> None:
    assert reftable.references(str(stack)) == {
        "HEAD": "refs/heads/trunk",
        "refs/heads/other": COMMIT,
        "refs/heads/trunk": COMMIT,
    }


def test_a_deletion_in_a_newer_table_hides_a_reference(stack: Path) -> None:
    records = b"\x00" + _number(16 << 3) + b"refs/heads/other" + b"\x00"
    (stack / "two.ref").write_bytes(_table(records))
    (stack / "tables.list").write_text("one.ref\ntwo.ref\n")
    assert "refs/heads/other" not in reftable.references(str(stack))


def test_a_stack_with_a_missing_table_tells_nothing(stack: Path) -> None:
    (stack / "tables.list").write_text("one.ref\nmissing.ref\n")
    assert reftable.references(str(stack)) == {}


def test_a_folder_without_a_stack_tells_nothing(tmp_path: Path) -> None:
    assert reftable.references(str(tmp_path)) == {}


@given(st.data())
def test_no_damage_breaks_the_reading(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    damaged = bytearray(TABLE)
    for _ in range(data.draw(st.integers(1, 8))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    folder = tmp_path_factory.getbasetemp() / "damaged"
    folder.mkdir(exist_ok=True)
    (folder / "one.ref").write_bytes(damaged[: data.draw(st.integers(0, len(damaged)))])
    (folder / "tables.list").write_text("one.ref\n")
    reftable.references(str(folder))


def _number(value: int) -> bytes:
    """Git's number of variable length, for values below 16,512."""
    return bytes([value]) if value < 128 else bytes([0x80 | (value - 128) >> 7, (value - 128) & 0x7F])


def _table(records: bytes) -> bytes:
    """A table with one block of references, as the format describes it."""
    ending = (28).to_bytes(3, "big") + (1).to_bytes(2, "big")  # one restart, at the first record
    length = 28 + len(records) + len(ending)
    header = b"REFT\x01" + (4096).to_bytes(3, "big") + bytes(16)
    return header + b"r" + length.to_bytes(3, "big") + records + ending
