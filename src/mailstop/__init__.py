"""mailstop: internal mail for coding agents."""

__version__ = "0.1.0"


def plugin_folder() -> str:
    """The folder of the plugin for Claude Code and Codex that comes with this version."""
    import os

    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "plugin", "mailstop")
