"""The very commands that the Dockerfile and the compose file name, run under the image's uid in a home of its own.

What is not tried here is Docker itself: the image's layers, its volume, its network.
"""

from __future__ import annotations

import http.client
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mailstop.token import id_of
from tests.clients.waiting import wait_for
from tests.container import as_the_images_user, environment_in, service, stages
from tests.party import Person

IMAGE = stages()[-1]
SHARED = "5ecre7-of-all-clients"


def command(*words: str, environment: dict[str, str]) -> list[str]:
    """The image's entry point with these words, its program as it is found here."""
    program, *rest = IMAGE.words("ENTRYPOINT")
    found = shutil.which(program, path=environment["PATH"])
    assert found
    return [found, *rest, *words]


@pytest.fixture
def port() -> int:
    """A port that is free now; the image's own may be taken here."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        number: int = listener.getsockname()[1]
    return number


@pytest.fixture
def environment(own_home: Path, port: int) -> dict[str, str]:
    """The image's variables."""
    return environment_in(own_home, MAILSTOP_HTTP_PORT=str(port))


def is_well(environment: dict[str, str]) -> bool:
    """What the image's health check says."""
    program, *rest = IMAGE.words("HEALTHCHECK")
    words = [*as_the_images_user(), shutil.which(program, path=environment["PATH"]) or program, *rest]
    return subprocess.run(words, env=environment, timeout=30).returncode == 0


def status(port: int, path: str, token: str = "", method: str = "GET") -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    connection.request(method, path, headers=headers)
    number = connection.getresponse().status
    connection.close()
    return number


@contextmanager
def serving(environment: dict[str, str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The container's main process, while it is well."""
    words = [*as_the_images_user(), *command(*IMAGE.words("CMD"), environment=environment)]
    with log.open("wb") as output:
        server = subprocess.Popen(words, env=environment, stdout=output, stderr=subprocess.STDOUT)
    try:
        wait_for("the server is well", lambda: server.poll() is None and is_well(environment))
        yield server
    finally:
        server.kill()
        server.wait(30)


def test_without_a_token_it_does_not_start_and_says_what_to_do(environment: dict[str, str]) -> None:
    words = [*as_the_images_user(), *command(*IMAGE.words("CMD"), environment=environment)]

    run = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=50)

    assert run.returncode == 1
    assert "mailstop token create SEAT" in run.stderr
    assert run.stdout == ""


def test_with_a_token_s_file_it_runs_is_well_and_ends_when_it_is_told(
    environment: dict[str, str], own_home: Path, port: int, tmp_path: Path
) -> None:
    secret = own_home / "secret"
    secret.touch(mode=0o600)
    secret.write_text(f"{SHARED}\n")
    environment |= {**service()["environment"], "MAILSTOP_TOKEN_FILE": str(secret)}
    with serving(environment, tmp_path / "log") as server:
        assert status(port, "/healthz") == 200
        assert [status(port, path) for path in ("/mcp", "/metrics")] == [401, 401]
        assert status(port, "/metrics", SHARED) == 200
        assert status(port, "/mcp", SHARED) != 401
        server.send_signal(getattr(signal, IMAGE.last("STOPSIGNAL")))
        assert server.wait(30) == 0

    assert not is_well(environment)


def test_the_person_makes_the_first_token_and_then_it_starts(
    environment: dict[str, str], own_home: Path, port: int, tmp_path: Path
) -> None:
    class Inside(Person):
        """The person, at a terminal in the container."""

        wrapper = as_the_images_user()

    with Inside(own_home) as person:
        made = person.call(command("token", "create", "builder", environment=environment), environment=environment)
    assert made.code == 0, made.err
    text = made.out.strip()
    assert id_of(text)

    with serving(environment, tmp_path / "log"):
        assert status(port, "/metrics") == 401
        assert status(port, "/metrics", text) == 200


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="reads /proc")
def test_a_token_of_the_environment_is_seen_nowhere_while_it_runs(
    environment: dict[str, str], own_home: Path, port: int, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    environment["MAILSTOP_TOKEN"] = SHARED
    with serving(environment, log) as server:
        del environment["MAILSTOP_TOKEN"]
        assert status(port, "/metrics", SHARED) == 200
        assert status(port, f"/mcp?token={SHARED}", SHARED[:-1]) == 401
        seen = b"".join(Path(f"/proc/{server.pid}/{name}").read_bytes() for name in ("environ", "cmdline"))

    assert b"HOME=" in seen
    files = [path.read_bytes() for path in own_home.rglob("*") if path.is_file()]
    assert files
    assert [text for text in (seen, log.read_bytes(), *files) if SHARED[:-1].encode() in text] == []
