"""Internal mail for coding agents: live Claude Code and Codex sessions write to each other."""

__version__ = "0.1.0"
