"""The Dockerfile and the compose file agree with each other and with the project; Docker itself is not here."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import tomllib
from fnmatch import fnmatch
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from mailstop.resident.allowed import Allowed
from mailstop.resident.shared_token import MOUNTED
from tests.container import ROOT, as_the_images_user, compose, environment_in, service, stages

IMAGE = stages()[-1]


def test_the_image_runs_as_nobody_who_is_root() -> None:
    uid, _, gid = IMAGE.last("USER").partition(":")

    assert int(uid) > 0
    assert int(gid) > 0
    keywords = [keyword for keyword, _ in IMAGE.instructions]
    assert keywords.index("USER") > max(index for index, keyword in enumerate(keywords) if keyword == "RUN")
    assert "user" not in service(), "the compose file leaves it at that"


def test_all_that_the_build_copies_is_there_and_reaches_it() -> None:
    rules = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and not line.startswith("#")]
    copied = [word for line in stages()[1].all("COPY") for word in shlex.split(line)[:-1]]

    assert copied
    for path in copied:
        assert (ROOT / path).exists()
        ignored = False
        for rule in rules:
            if fnmatch(path, rule.removeprefix("!")):
                ignored = not rule.startswith("!")
        assert not ignored, path
    for secret in ("mailstop-token", ".env", ".git", ".venv", "tests", "compose.yaml"):
        assert not any(rule == f"!{secret}" for rule in rules)


def test_what_the_wheel_is_built_from_is_copied() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    copied = {word for line in stages()[1].all("COPY") for word in shlex.split(line)[:-1]}
    needed = {"pyproject.toml", project["project"]["readme"], *project["project"]["license-files"]}
    needed |= {Path(path).parts[0] for path in project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]}

    assert needed <= copied
    assert "serve" in project["project"]["optional-dependencies"]
    assert '"/source[serve]"' in stages()[1].last("RUN")


def test_the_mail_lies_in_the_volume_and_is_the_users_alone() -> None:
    volume = IMAGE.last("VOLUME")

    assert IMAGE.environment["HOME"] == volume == IMAGE.last("WORKDIR")
    assert IMAGE.last("RUN") == f"install -d -m 0700 -o 65532 -g 65532 {volume}"
    assert service()["volumes"] == [f"mailstop:{volume}"]
    assert "mailstop" in compose()["volumes"]


@pytest.mark.skipif(shutil.which("install") is None, reason="without GNU's install")
def test_the_command_that_makes_the_volume_s_folder_works(tmp_path: Path) -> None:
    words = shlex.split(IMAGE.last("RUN"))[:-1]
    words = [word for word, before in zip(words, ["", *words], strict=False) if not {word, before} & {"-o", "-g"}]

    subprocess.run([*words, str(tmp_path / "data")], check=True)

    assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700


def test_the_ports_are_one() -> None:
    port = IMAGE.last("EXPOSE")

    assert IMAGE.environment["MAILSTOP_HTTP_PORT"] == port
    (published,) = service()["ports"]
    assert published.split(":") == ["127.0.0.1", port, port]


def test_a_token_is_required_and_named_by_its_file() -> None:
    (secret,) = service()["secrets"]

    assert service()["environment"]["MAILSTOP_TOKEN_FILE"] == f"{MOUNTED}{secret}"
    assert compose()["secrets"][secret]["file"]
    text = (ROOT / "compose.yaml").read_text() + (ROOT / "Dockerfile").read_text()
    assert "MAILSTOP_TOKEN=" not in text
    assert "MAILSTOP_TOKEN:" not in text


def test_the_names_and_origins_in_the_compose_file_are_taken() -> None:
    allowed = Allowed.of(IMAGE.environment["MAILSTOP_HTTP_HOST"], service()["environment"])

    assert allowed.is_host("mailstop:8471"), "other services of the network call it that"
    assert allowed.is_host("127.0.0.1:8471")


def test_nothing_more_than_needed_is_allowed_to_the_container() -> None:
    told = service()

    assert (told["read_only"], told["cap_drop"], told["security_opt"]) == (True, ["ALL"], ["no-new-privileges:true"])
    assert told["tmpfs"] == ["/tmp"]


# -- the health check, by its very words


class Health(BaseHTTPRequestHandler):
    """Answers as a server that is well, or not."""

    status = 200

    def do_GET(self) -> None:
        self.send_response(self.status if self.path == "/healthz" else 404)
        self.end_headers()

    def log_message(self, *_words: object) -> None:
        pass


def check(home: Path, port: int, **more: str) -> int:
    """Run the image's health check; its exit code."""
    words = [*as_the_images_user(), *IMAGE.words("HEALTHCHECK")]
    variables = environment_in(home, MAILSTOP_HTTP_PORT=str(port), **more)
    words[-len(IMAGE.words("HEALTHCHECK"))] = shutil.which(IMAGE.words("HEALTHCHECK")[0], path=variables["PATH"]) or ""
    return subprocess.run(words, env=variables, cwd=home, timeout=30).returncode


@pytest.mark.parametrize(("status", "code"), [(200, 0), (503, 1), (401, 1)])
def test_the_health_check_tells_a_server_that_is_well_from_one_that_is_not(
    tmp_path: Path, status: int, code: int
) -> None:
    server = HTTPServer(("127.0.0.1", 0), type("Told", (Health,), {"status": status}))
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        proxied = {"http_proxy": "http://192.0.2.1:1", "HTTP_PROXY": "http://192.0.2.1:1"}
        assert check(tmp_path, server.server_port, **proxied) == code
    finally:
        server.shutdown()
        thread.join()
        server.server_close()

    assert check(tmp_path, server.server_port) == 1, "and from one that is not there"
