"""A real Chromium, driven over its own pipe (`--remote-debugging-pipe`: JSON ended by NUL on descriptors 3 and 4)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, Self

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


def program() -> str:
    """Its path. Without one the test is skipped, but for CI, which installs one."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None and os.environ.get("CI") != "true":
        pytest.skip("there is no Chromium on PATH")
    assert found, "CI installs Chromium"
    return found


class Browser:
    """One page in a browser of its own, with an empty profile and no network. A context manager that ends it.

    events: what the browser has told of the page so far.
    """

    def __init__(self, profile: Path, *, dark: bool = False, width: int = 1000) -> None:
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()
        argv = [
            *(program(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"),
            *(f"--user-data-dir={profile}", "--host-resolver-rules=MAP * ~NOTFOUND", "--remote-debugging-pipe"),
            "about:blank",
        ]
        # The shell puts the pipes where the browser looks for them.
        shell = f'exec "$0" "$@" 3<&{to_browser} 4>&{from_browser}'
        self._process = subprocess.Popen(
            ["/bin/bash", "-c", shell, *argv],
            pass_fds=(to_browser, from_browser),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": str(profile)},
        )
        os.close(to_browser)
        os.close(from_browser)
        self._held, self._count, self._session = b"", 0, ""
        self.events: list[dict[str, Any]] = []
        target = next(each for each in self.ask("Target.getTargets")["targetInfos"] if each["type"] == "page")
        attached = self.ask("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=False)
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.ask("Emulation.setEmulatedMedia", features=features)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._read)
        os.close(self._write)

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Call a method of the browser's, and return its result."""
        self._count += 1
        session = {"sessionId": self._session} if self._session else {}
        request = {"id": self._count, "method": method, "params": params, **session}
        os.write(self._write, json.dumps(request).encode() + b"\0")
        while True:
            message = self._message()
            if message.get("id") == self._count:
                assert "error" not in message, message
                result: dict[str, Any] = message["result"]
                return result
            self.events.append(message)

    def open(self, path: Path) -> None:
        """Load a file, to its end."""
        self.ask("Page.navigate", url=path.as_uri())
        while not any(each.get("method") == "Page.loadEventFired" for each in self.events):
            self.events.append(self._message())

    def value(self, expression: str) -> Any:
        """What an expression gives in the page."""
        told = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in told, told
        return told["result"].get("value")

    @property
    def loaded(self) -> list[str]:
        """All that the page has asked for."""
        return [
            each["params"]["request"]["url"]
            for each in self.events
            if each.get("method") == "Network.requestWillBeSent"
        ]

    @property
    def complaints(self) -> list[str]:
        """What the browser has said against the page."""
        return [each["params"]["entry"]["text"] for each in self.events if each.get("method") == "Log.entryAdded"]

    def _message(self) -> dict[str, Any]:
        while b"\0" not in self._held:
            chunk = os.read(self._read, 1 << 16)
            assert chunk, "the browser has ended"
            self._held += chunk
        text, _, self._held = self._held.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        return message
