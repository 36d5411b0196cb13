"""Unit: the file by which systemd or launchd keeps `mailstop serve` running for one user.

It holds no secret: MAILSTOP_TOKEN is never written into it, and where that is set, there is no unit, for its server
would let in whoever comes; a token's file is named. It names the command by the path that a person types, not by what
that leads to now, so an upgrade changes nothing.

What of systemd's hardening is left out, and why: whatever gives the service a mount or user namespace of its own
(PrivateTmp, ProtectSystem, ProtectHome, PrivateUsers, ...), because mailstop asks /proc who lives and rings sockets
that clients keep in /tmp; MemoryDenyWriteExecute and RestrictNamespaces, because a door starts a vendor's program.
"""

from __future__ import annotations

import os
import sys

from mailstop import config, errors
from mailstop.resident.allowed import HOSTS, ORIGINS
from mailstop.resident.shared_token import TOKEN, TOKEN_FILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NAME = "mailstop"
SYSTEMD, LAUNCHD = "systemd", "launchd"
LABEL = "mailstop.serve"  # what launchd calls it
# What decides how the server works and where its mail is; nothing else is handed on, and no secret is among them.
KEPT = (
    *(config.STORE, "MAILSTOP_HTTP_HOST", "MAILSTOP_HTTP_PORT", HOSTS, ORIGINS, TOKEN_FILE),
    *("XDG_DATA_HOME", "XDG_CONFIG_HOME", "PATH"),
)
STOPS_S = 10  # a server ends within five seconds
MOST_STARTS, WITHIN_S, AGAIN_S = 5, 60, 2

_SYSTEMD = """\
# Made by: mailstop serve --unit. Put it into ~/.config/systemd/user/mailstop.service (mkdir -p that folder), then:
#   systemctl --user daemon-reload && systemctl --user enable --now mailstop
#   loginctl enable-linger      to keep it running while you are not logged in
# A token for all clients: put it into a file of mode 0600, and name that below: Environment=MAILSTOP_TOKEN_FILE=PATH
[Unit]
Description=mailstop: internal mail for coding agents, over HTTP
StartLimitIntervalSec={within}
StartLimitBurst={starts}

[Service]
Type=exec
ExecStart={command}
{environment}\
Restart=on-failure
RestartSec={again}
# Refused, or called wrongly: to try again would change nothing.
RestartPreventExitStatus=1 2
TimeoutStopSec={stops}
UMask=0077
LimitCORE=0
NoNewPrivileges=yes
LockPersonality=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
SystemCallArchitectures=native

[Install]
WantedBy=default.target
"""


def unit_text(words: Sequence[str], environment: Mapping[str, str], *, system: str | None = None) -> str:
    """The unit or plist that runs `mailstop serve` with these words. system: SYSTEMD or LAUNCHD; None for this one's.

    Raises TokenOfUnit where there is a shared token that it would lose, and UsageError for a value that no such file
    can hold.
    """
    if TOKEN in environment:
        raise errors.TokenOfUnit()
    command = [stable_command(environment), "serve", *words]
    kept = {name: environment[name] for name in KEPT if environment.get(name)}
    if TOKEN_FILE in kept:
        kept[TOKEN_FILE] = os.path.abspath(kept[TOKEN_FILE])
    for value in (*command, *kept.values()):
        if not value.isprintable():
            raise errors.UsageError(reason=f"a unit cannot hold {value[:80]!r}")
    if config.STORE in kept:  # it runs in another folder than this
        kept[config.STORE] = config.store_url(kept[config.STORE])
    if (system or (LAUNCHD if sys.platform == "darwin" else SYSTEMD)) == LAUNCHD:
        return _plist(command, kept)
    return _SYSTEMD.format(
        command=" ".join([_quoted(command[0]), *(_quoted(word.replace("$", "$$")) for word in command[1:])]),
        environment="".join(f"Environment={_quoted(f'{name}={value}')}\n" for name, value in kept.items()),
        within=WITHIN_S,
        starts=MOST_STARTS,
        again=AGAIN_S,
        stops=STOPS_S,
    )


def stable_command(environment: Mapping[str, str]) -> str:
    """The path of `mailstop` that stays when it is upgraded: where PATH finds this very installation, as a rule a link;
    else beside the interpreter."""
    own = os.path.join(os.path.dirname(sys.executable), NAME)
    called = sys.argv[0] if os.path.basename(sys.argv[0]) == NAME else own
    for folder in environment.get("PATH", "").split(os.pathsep):
        found = os.path.join(folder, NAME)
        if os.path.isabs(folder) and os.access(found, os.X_OK) and _is_same(found, called, own):
            return found
    return os.path.abspath(called)


def _is_same(path: str, *others: str) -> bool:
    return os.path.realpath(path) in {os.path.realpath(other) for other in others}


def _quoted(word: str) -> str:
    """A word of a systemd unit that means itself (systemd.syntax(7), systemd.unit(5) on specifiers)."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'


def _plist(command: Sequence[str], environment: Mapping[str, str]) -> str:
    from plistlib import dumps

    log = os.path.join(config.state_folder(), "serve.log")
    values = {
        "Label": LABEL,
        "ProgramArguments": list(command),
        "EnvironmentVariables": dict(environment),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": 10,
        "ExitTimeOut": STOPS_S,
        "ProcessType": "Background",
        "Umask": 0o077,
        "SoftResourceLimits": {"Core": 0},
        "HardResourceLimits": {"Core": 0},
        "StandardOutPath": log,
        "StandardErrorPath": log,
    }
    return dumps(values).decode()
