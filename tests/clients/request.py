"""A request to the scripted model, which the package has for its demo too."""

from __future__ import annotations

from mailstop.scripted.request import Request

__all__ = ["Request"]
