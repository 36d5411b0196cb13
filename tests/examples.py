"""How many examples a test of properties tries: a fifth of them in `make quick`, all in `make test` and so in CI."""

from __future__ import annotations

import os

USUAL = 100  # of a test that does not say how many
FEW = os.environ.get("MAILSTOP_EXAMPLES") == "few"


def up_to(many: int) -> int:
    """So many, or a fifth of them."""
    return many // 5 if FEW else many
