"""Reftable: Git's binary store of references, where a repository has no files under refs/.

Repositories made with `git init --ref-format=reftable` have one, and so do all those that Git 3 makes. The
format is Git's Documentation/technical/reftable; only what says which references there are is read: the
tables of the stack, newest first, and in each the blocks of references, which come before everything else.
"""

from __future__ import annotations

import os

from mailstop.clients.small_file import read_small

_LARGEST_TABLE = 64 * 1024 * 1024  # bytes
_HASH_BYTES = {b"": 20, b"sha1": 20, b"s256": 32}


def references(folder: str) -> dict[str, str]:
    """All references of a stack of tables by name: the commit in hex, or the reference that a symbolic one names.

    Empty where there is none or it is damaged.
    """
    found: dict[bytes, str] = {}
    stack = (read_small(os.path.join(folder, "tables.list")) or b"").split()
    try:
        for name in reversed(stack):
            table = read_small(os.path.join(folder, os.fsdecode(name)), largest=_LARGEST_TABLE)
            if table is None:
                return {}  # compacted away while we read, or gone
            for reference, target in _records(table):
                found.setdefault(reference, target)  # what a newer table says hides what an older one says
    except (ValueError, IndexError, KeyError):
        return {}
    return {os.fsdecode(reference): target for reference, target in found.items() if target}


def _records(table: bytes) -> list[tuple[bytes, str]]:
    """Each reference of one table and what it names; a deleted one names nothing.

    Raises ValueError if damaged.
    """
    if table[:4] != b"REFT" or table[4] not in (1, 2):
        raise ValueError("not a table")
    block_bytes = int.from_bytes(table[5:8], "big")  # 0: blocks follow each other without padding
    first = 24 if table[4] == 1 else 28
    hash_bytes = _HASH_BYTES[table[24:first]]
    records: list[tuple[bytes, str]] = []
    start, at = 0, first
    while table[at : at + 1] == b"r":
        # In the first block, lengths count from the start of the file.
        length = int.from_bytes(table[at + 1 : at + 4], "big")
        end = start + length
        restarts = int.from_bytes(table[end - 2 : end], "big")
        _read_block(table, at + 4, end - 2 - 3 * restarts, hash_bytes, records)
        start += block_bytes or length
        at = start
    return records


def _read_block(table: bytes, at: int, end: int, hash_bytes: int, records: list[tuple[bytes, str]]) -> None:
    name = b""
    while at < end:
        shared, at = _number(table, at)
        suffix, at = _number(table, at)
        name = name[:shared] + table[at : at + (suffix >> 3)]
        _, at = _number(table, at + (suffix >> 3))  # when it was written
        kind = suffix & 7
        if kind == 0:  # deleted
            records.append((name, ""))
        elif kind in (1, 2):  # a commit; an annotated tag and its commit
            records.append((name, table[at : at + hash_bytes].hex()))
            at += kind * hash_bytes
        elif kind == 3:  # symbolic
            length, at = _number(table, at)
            records.append((name, os.fsdecode(table[at : at + length])))
            at += length
        else:
            raise ValueError("an unknown kind of record")


def _number(table: bytes, at: int) -> tuple[int, int]:
    """A number of variable length, as in Git's pack files, and where it ends."""
    value = table[at] & 0x7F
    while table[at] & 0x80:
        at += 1
        value = (value + 1) << 7 | table[at] & 0x7F
    return value, at + 1
