"""mailstop lease check: whether the caller may touch these files, for scripts and for Git's hooks.

Three answers with three exit codes: 0, they are free or the caller's; 1, another has taken one of them; 5, that cannot
be told. Whatever goes wrong is the third one: a hook must not take a fault for a holder, nor for none.
"""

from __future__ import annotations

import os
import sys

from mailstop.cli.opening import refuse_sealed, store_at
from mailstop.cli.result import Result
from mailstop.clients.caller import STRANGER, Caller, identify
from mailstop.clients.stores import store_of
from mailstop.errors import CannotTell, DoubtfulCaller, InvalidResource, MailstopError, UsageError
from mailstop.office import Office
from mailstop.rules.held import FREE, MINE, TAKEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from mailstop.cli.arguments import Arguments
    from mailstop.clients.resources import Reader
    from mailstop.lease import Resource
    from mailstop.rules.held import Verdict

LARGEST_INPUT = 64 << 20  # bytes


def check(args: Arguments) -> Result:
    """Look, and answer. Raises UsageError, and CannotTell for everything else that goes wrong."""
    if args.staged + bool(args.resources) != 1:
        raise UsageError(reason="check what? mailstop lease check PATH..., - for paths on standard input, or --staged")
    if "-" in args.resources and len(args.resources) > 1:
        raise UsageError(reason="- stands for all paths, on standard input, and by itself")
    try:
        return _checked(args)
    except (CannotTell, UsageError):
        raise
    except MailstopError as error:
        raise CannotTell(reason=error.message) from None
    except Exception as error:
        from mailstop import config
        from mailstop.hooks.entry import log

        log(error, "lease")
        reason = f"mailstop itself failed ({type(error).__name__}: {error}). The details are in {config.log_file()}"
        raise CannotTell(reason=reason) from None


def _checked(args: Arguments) -> Result:
    caller, doubt = _caller()
    url = store_of(caller, args.store)
    refuse_sealed(caller, url)
    with store_at(caller, url) as store:
        office = Office(store, caller)
        verdicts = office.leases.check(_resources(office, args), shared=args.shared, term=args.term)
        taken = [verdict for verdict in verdicts if verdict.state == TAKEN]
        if taken and doubt and args.term is None:  # it may be the caller's own
            raise doubt
        state = TAKEN if taken else FREE
        data = {"state": state, "checked": [_json(office, verdict) for verdict in verdicts]} if args.json else None
        return Result(data, _text(office, verdicts, taken, args.term), exit_code=1 if taken else 0)


def _text(office: Office, verdicts: Sequence[Verdict], taken: Sequence[Verdict], term: int | None) -> str:
    if taken:
        from mailstop.cli.lease_table import taken_text

        return taken_text(office, taken, term)
    mine = sum(verdict.state == MINE for verdict in verdicts)
    held = f", {mine} of them yours" if mine else ""
    return f"free: {len(verdicts)} checked{held}" if verdicts else "free: there is nothing to check"


def _caller() -> tuple[Caller, DoubtfulCaller | None]:
    """Who asks; where that is doubtful a stranger, who may look, and what is doubtful."""
    try:
        return identify(os.environ), None
    except DoubtfulCaller as doubt:
        return Caller(STRANGER), doubt


def _resources(office: Office, args: Arguments) -> list[Resource]:
    if args.staged:
        top, paths = _staged()
        reader = office.leases.reader(top)
        return [reader.path(path, file=True) for path in paths]
    reader = office.leases.reader(os.getcwd())
    if args.resources == ["-"]:
        return [reader.path(path) for path in _from_input()]
    return [_read(reader, word) for word in args.resources]


def _read(reader: Reader, word: str) -> Resource:
    """What a word of the command line means. Raises UsageError for one that means nothing; a file's name that no lease
    can be on means something, and whether it is taken cannot be told."""
    try:
        return reader.read(word)
    except InvalidResource as error:
        if any("\ud800" <= character <= "\udfff" for character in word):
            raise
        raise UsageError(reason=error.message) from None


def _from_input() -> list[str]:
    """The paths on standard input: with a byte 0 behind each where there is any, else one a line."""
    data = sys.stdin.buffer.read(LARGEST_INPUT + 1) if sys.stdin else b""
    if len(data) > LARGEST_INPUT:
        raise CannotTell(reason=f"standard input holds more than {LARGEST_INPUT} bytes of paths")
    return [os.fsdecode(path) for path in data.split(b"\0" if b"\0" in data else b"\n") if path]


def _staged() -> tuple[str, list[str]]:
    """The top of this worktree, and the files that differ between its HEAD and the index, where a file that was
    renamed has both names. Git tells, in the environment of its hook: a commit may have an index of its own."""
    import subprocess

    command = ["git", "diff", "--cached", "--name-only", "--no-renames", "--no-relative", "-z"]
    answers = []
    for words in (["git", "rev-parse", "--show-toplevel"], command):
        try:
            done = subprocess.run(words, capture_output=True, stdin=subprocess.DEVNULL, check=False)
        except OSError as error:
            raise CannotTell(reason=f"git cannot be run: {error.strerror}") from None
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
            raise CannotTell(reason=f"git could not say what is staged: {said or done.returncode}")
        answers.append(done.stdout)
    return os.fsdecode(answers[0].removesuffix(b"\n")), [os.fsdecode(path) for path in answers[1].split(b"\0") if path]


def _json(office: Office, verdict: Verdict) -> dict[str, object]:
    from mailstop.rules.held import lease_json

    resource = verdict.resource
    return {
        "resource": resource.shown,
        "kind": resource.kind,
        "given": resource.given or None,
        "why": resource.why or None,
        "state": verdict.state,
        "leases": [lease_json(office.store, lease) for lease in verdict.leases],
    }
