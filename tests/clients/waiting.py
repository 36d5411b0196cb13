"""Waiting for a condition, in place of sleeping; the package has it for its demo too."""

from __future__ import annotations

from mailstop.scripted.waiting import wait_for

__all__ = ["wait_for"]
