"""Target: a client, and for whom it is set up: what can be done there, what is done, and how it is taken out."""

from __future__ import annotations

from mailstop import errors
from mailstop.names import LONGEST, nearest
from mailstop.records import Record
from mailstop.setup import claude, codex, installed, mcp_client, plan
from mailstop.setup.offer import PLUGIN
from mailstop.setup.places import claude_folder, codex_folder, here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.setup.installed import Program
    from mailstop.setup.offer import Offer

MCP = "mcp"
CLIENTS = (claude.NAME, codex.NAME, MCP)
PROJECT, USER = "project", "user"


class Target(Record):
    """name: of CLIENTS. client: with MCP, of which client. project: the folder that it is for; None for all of the
    user's.
    """

    name: str
    client: str | None
    project: str | None

    @property
    def title(self) -> str:
        """What its makers call the client."""
        if self.name == MCP:
            return mcp_client.client(str(self.client)).title
        return {claude.NAME: claude.TITLE, codex.NAME: codex.TITLE}[self.name]

    @property
    def use(self) -> str:
        """For whom, as the record has it."""
        return f"{self.prefix}{self.project or USER}"

    @property
    def prefix(self) -> str:
        """What every use of this client in this configuration of its begins with."""
        folders = {claude.NAME: claude_folder, codex.NAME: codex_folder}
        return f"{self.name} {folders[self.name]() if self.name in folders else self.client} "

    @property
    def program(self) -> Program | None:
        """The client's program, where setup knows one."""
        return {claude.NAME: installed.claude, codex.NAME: installed.codex}.get(self.name, lambda: None)()

    def offers(self, command: str, store: str) -> list[Offer]:
        """What can be done. Raises ClientMissing, ClientFailed, UsageError, UnknownClient."""
        if self.name == claude.NAME:
            return claude.offers(self.project, command)
        if self.name == codex.NAME:
            return codex.offers(self.project, command, store)
        return [mcp_client.client(str(self.client)).offer(self.project, command)]

    def is_done(self, offer: Offer, planned: plan.Plan) -> bool:
        """Whether nothing is left to do. Raises NotReadable, NotFormed, NotOurs."""
        taken_in = self.name != codex.NAME or offer.name != PLUGIN or codex.has_copy(planned.command)
        return planned.is_done(offer) and taken_in

    def apply(self, planned: plan.Plan) -> None:
        """Do what was agreed to. Raises what keeps it from being done."""
        is_codex = self.name == codex.NAME and any(offer.name == PLUGIN for offer in planned.offers)
        planned.apply(codex.install if is_codex else None)

    @property
    def warnings(self) -> list[str]:
        """What goes against it in the client's own configuration or version."""
        found = self.program
        oldest = {claude.NAME: claude.OLDEST, codex.NAME: codex.OLDEST}.get(self.name)
        told = []
        if self.name != MCP and found is None:
            told.append(f"{self.title} was not found on PATH")
        elif found and oldest and _numbers(found.version) < oldest:
            version = found.version or "of an unknown version"
            told.append(f"{self.title} {version}: mailstop needs {'.'.join(map(str, oldest))} or newer to wake it")
        if self.name == claude.NAME:
            told += [f"{rule} (in effect before what is allowed)" for rule in claude.denied(self.project)]
        return told


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) if part.isdigit() else 0 for part in version.split("-")[0].split(".")[:3])


def target(name: str, client: str | None, scope: str | None) -> Target:
    """What the words of a command line mean. Raises UsageError, UnknownClient."""
    if scope not in (None, USER, PROJECT):
        raise errors.UsageError(reason=f"--scope is user or project, not {scope!r}")
    if name not in CLIENTS:
        known = "" if name not in mcp_client.names() else f"; mailstop setup mcp --client {name}"
        near = nearest(name, CLIENTS)
        meant = f"; nearest: {', '.join(near)}" if near else ""
        reason = f"setup has no client {name[:LONGEST]!r}{known or meant}. There are: {', '.join(CLIENTS)}"
        raise errors.UsageError(reason=reason)
    if (name == MCP) != (client is not None):
        known = ", ".join(mcp_client.names())
        raise errors.UsageError(reason=f"--client NAME goes with setup mcp, and names one of: {known}")
    if client is not None:
        mcp_client.client(client)
    return Target(name, client, here() if scope == PROJECT else None)


def removal(of: Target | None, scope: str | None) -> plan.Removal:
    """The taking out of what was done for a client, of one scope if one is named; None: of everything."""
    if of is None:
        return plan.Removal(lambda _use: True)
    if scope:
        return plan.Removal(lambda use: use == of.use)
    return plan.Removal(lambda use: use.startswith(of.prefix))


def take_out(removed: plan.Removal) -> None:
    """Do it, and let the clients forget the copies that they made. Raises what keeps it from being done."""
    removed.apply()
    uses = {use for kept in plan.records().values() for one in kept.made if one.offer == PLUGIN for use in one.uses}
    if not any(use.startswith(Target(claude.NAME, None, None).prefix) for use in uses):
        claude.forget()
    if not any(use.startswith(Target(codex.NAME, None, None).prefix) for use in uses):
        codex.forget()
