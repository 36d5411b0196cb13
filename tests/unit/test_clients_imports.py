from __future__ import annotations

import subprocess
import sys

# Each of these costs more than a whole look for mail should.
HEAVY = {
    *("argparse", "asyncio", "ctypes", "dataclasses", "enum", "hashlib", "inspect", "json", "logging", "pathlib"),
    *("random", "re", "shutil", "socket", "struct", "subprocess", "tempfile", "typing", "uuid"),
}


def test_finding_out_who_calls_loads_no_heavy_module() -> None:
    script = (
        "import sys; before = set(sys.modules)\n"
        "from mailstop.clients import claude_code, codex, codex_window, program, project\n"
        "from mailstop.clients.caller import identify\n"
        "identify({})\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    # Without the site module, which may load anything for an editable installation.
    command = [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{script}"]
    loaded = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    assert "mailstop.clients.caller" in loaded
    assert not HEAVY & set(loaded)
