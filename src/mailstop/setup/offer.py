"""Offer: something that setup can do for a client, with the reason why somebody would want it."""

from __future__ import annotations

from mailstop.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.setup.edit import Edit


PLUGIN = "plugin"  # the offer that others build upon


class FileEdit(Record):
    """An edit in a file. format: a key of config_file.FORMATS."""

    path: str
    format: str
    edit: Edit


class Offer(Record):
    """One thing to agree to.

    name: what it is called on the command line. why: for whoever decides. safe: --yes means it too. also: what happens
    beside the edits, in words.
    """

    name: str
    title: str
    why: str
    edits: tuple[FileEdit, ...]
    safe: bool = True
    also: tuple[str, ...] = ()
    makes: tuple[str, ...] = ()  # folders
    copies: bool = False  # the plugin into mailstop's own folder
    needs_plugin: bool = False
    hindered: str = ""  # why it cannot be done here
