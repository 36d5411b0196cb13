"""A token is in no argument, no child's environment, no log and no byte of the store (claude-mailbox's H5)."""

from __future__ import annotations

import http.client
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mailstop import rules
from mailstop.engines.sqlite.store import SQLiteStore
from mailstop.times import now_ms
from mailstop.token import digest_of

ROOT = Path(__file__).parents[2]
SHARED = "5ecre7-of-all-clients"
WRONG = "mailstop_0123abcd_" + "5ecre7" * 10 + "5ecr"

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="reads /proc")


def asked(port: int, token: str, path: str = "/mcp") -> int:
    """The status of a request with this token."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("POST", path, b"{}", {"Authorization": f"Bearer {token}"})
    status = connection.getresponse().status
    connection.close()
    return status


@pytest.mark.parametrize("how", ["variable", "file"])
def test_a_shared_token_is_nowhere_but_in_its_file(tmp_path: Path, how: str) -> None:
    store, file = tmp_path / "mail.db", tmp_path / "token"
    file.touch(mode=0o600)
    file.write_text(SHARED + "\n")
    given = {"MAILSTOP_TOKEN": SHARED} if how == "variable" else {"MAILSTOP_TOKEN_FILE": str(file)}
    with SQLiteStore(str(store)) as open_store:
        own = rules.tokens.created(open_store, "builder", "default", lasts_ms=None, now=now_ms())[1]
    command = [sys.executable, "-m", "tests.gated_process", str(store)]
    with (
        (tmp_path / "log").open("wb") as log_file,
        subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, **given},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log_file,
        ) as server,
    ):
        assert server.stdout and server.stdin
        port, child = map(int, server.stdout.readline().split())
        statuses = [asked(port, token) for token in (SHARED, own, WRONG, SHARED[:-1])]
        seen = {
            f"{pid} {what}": Path(f"/proc/{pid}/{what}").read_bytes()
            for pid in (server.pid, child)
            for what in ("environ", "cmdline")
        }
        server.stdin.close()
        assert server.wait(30) == 0

    assert statuses == [200, 200, 401, 401]
    log = (tmp_path / "log").read_text()
    assert log.count("is refused: its token is unknown") == 2
    assert b"HOME=" in seen[f"{server.pid} environ"]
    stored = b"".join(path.read_bytes() for path in tmp_path.glob("mail.db*"))
    assert digest_of(own).encode() in stored
    secrets = (SHARED.encode(), SHARED[:-1].encode(), b"5ecre7", own.rpartition("_")[2].encode())
    everywhere = {**seen, "log": log.encode(), "store": stored}
    assert [place for place, text in everywhere.items() if any(secret in text for secret in secrets)] == []
