"""Ground: a home of its own, two seats, and a store with as many letters as a benchmark wants."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Self

BODY = "x" * 1024
FLOOR = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('SELECT n FROM letters LIMIT 1').fetchall()"


class Ground:
    """A temporary home; a context manager that removes it."""

    def __init__(self) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="mailstop-bench-"))
        scripts = Path(sys.executable).parent
        self.command = str(scripts / "mailstop")
        self.env = {"HOME": str(self.home), "PATH": f"{scripts}:/usr/bin:/bin", "LANG": "C.UTF-8"}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        shutil.rmtree(self.home, ignore_errors=True)

    def join(self, name: str) -> dict[str, str]:
        """A session of this process; gives the environment to act as it."""
        argv = [self.command, "join", name, "--export", "--pid", str(os.getpid()), "--json"]
        done = subprocess.run(argv, env=self.env, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL)
        token = json.loads(done.stdout)["export"].partition("=")[2]
        return {**self.env, "MAILSTOP_SESSION": token}

    @property
    def store(self) -> Path:
        """The store's file."""
        return self.home / ".local/share/mailstop/mailstop.db"

    def fill(self, letters: int, *, read: bool = True) -> None:
        """Add letters of a seat `past` to a seat `reader`, all of them read, the quick way."""
        with sqlite3.connect(self.store) as store:
            last = store.execute("SELECT coalesce(max(n), 0) FROM entries").fetchone()[0]
            data = json.dumps({"from": "past", "to": ["reader"], "kind": "note"}, separators=(",", ":"))
            numbers = (
                "WITH RECURSIVE numbers (n) AS (SELECT :last + 1 UNION ALL SELECT n + 1 FROM numbers "
                "WHERE n < :last + :letters) "
            )
            values = {"last": last, "letters": letters, "data": data, "body": BODY[:300], "shown": int(read)}
            store.execute(
                numbers + "INSERT INTO entries SELECT n, printf('%032x', n), 0, 'default', 'letters.default', 'letter',"
                " :data, :body FROM numbers",
                values,
            )
            store.execute(
                numbers + "INSERT INTO letters SELECT n, 'default', 'past', 0, NULL, n, NULL, 'all' FROM numbers",
                values,
            )
            store.execute(
                numbers + "INSERT INTO deliveries SELECT 'default', 'reader', n, 'shown', :shown, NULL FROM numbers",
                values,
            )
        store.close()

    def floor_script(self) -> str:
        """A console script, as installers write it, that opens the store and runs one query."""
        path = self.home / "floor"
        module = self.home / "floor_module.py"
        if not path.exists():
            module.write_text(f"def main():\n    {FLOOR}\n")
            path.write_text(
                f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(self.home)!r})\n"
                "from floor_module import main\nif __name__ == '__main__':\n    sys.exit(main())\n"
            )
            path.chmod(0o755)
        return str(path)


def run(argv: list[str], env: dict[str, str], text: str | None = None) -> None:
    """Run a whole process; what it prints is of no interest."""
    subprocess.run(
        argv,
        env=env,
        input=text.encode() if text is not None else None,
        stdin=subprocess.DEVNULL if text is None else None,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
