"""Output: what is known of standard output beside what is written there."""

from __future__ import annotations

import os
import stat


def pipe() -> list[int]:
    """Standard output when it is a pipe: the system tells when its reader is gone."""
    return [1] if stat.S_ISFIFO(os.fstat(1).st_mode) else []
