"""mailstop doctor: look for what is wrong, say what mends it, and mend it when asked.

Without --mend and --rebuild nothing is made and nothing is changed, whatever state the store is in.
Exit code 0: nothing failed, though there may be warnings; 5: something about the store failed; 1: something else did.
"""

from __future__ import annotations

import os
import shlex

from mailstop import config
from mailstop.checkup import callers, files, interpreter, settings, store
from mailstop.checkup.finding import DOCTOR, FAILED, WARNING, Finding
from mailstop.cleaning import one_line
from mailstop.cli.arguments import Option
from mailstop.cli.progress import Progress
from mailstop.cli.result import Result
from mailstop.clients import life
from mailstop.clients.caller import identify
from mailstop.clients.stores import store_of
from mailstop.errors import DoubtfulCaller, InvalidStore, StoreUnavailable
from mailstop.wording import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.cli.arguments import Arguments
    from mailstop.clients.caller import Caller

PARAMETERS = (
    Option(("--mend",), "compile modules, take mailstop's files from others, sweep out what ended sessions left"),
    Option(("--rebuild",), "fold the index again; of a damaged store make a new one, and keep the damaged one"),
)
NEEDS_NO_STORE = True
UNUSED = ("--bag",)

LONGEST = 600  # characters of one finding
_INDENT = " " * 10


def run(args: Arguments) -> Result:
    """Mend what was asked for, then look at everything."""
    life.make_nothing()
    with Progress(shown=not args.json) as progress:
        who, caller = _caller()
        try:
            url, source = _chosen(who, args.store)
        except InvalidStore as error:
            url, source, chosen = "", "", [Finding("store", FAILED, error.message)]
        done = _mended(url, progress) if args.mend else []
        if args.rebuild and url:
            done.append(store.rebuild(url, progress.stage))
        if url:
            command = f"{DOCTOR} --store {shlex.quote(args.store)}" if args.store else DOCTOR
            checked = store.check(url, source, progress.stage, command=command)
            chosen = [*checked.findings]
            if who and checked.readable:
                caller += callers.seat(who, url)
            caller.append(callers.worktrees(url, callers.here()))
    own = [interpreter.versions(), interpreter.compiled(), interpreter.command()]
    return _result(
        done, [*own, *chosen, *files.findings(), settings.kinds(), *caller], any(one.state == FAILED for one in chosen)
    )


def _caller() -> tuple[Caller | None, list[Finding]]:
    try:
        who = identify(os.environ)
    except DoubtfulCaller as error:
        return None, [Finding("caller", FAILED, error.message)]
    return who, [callers.caller(who)]


def _chosen(who: Caller | None, option: str | None) -> tuple[str, str]:
    """Which store is meant, and who says so: the same order as every verb's. Raises InvalidStore."""
    url = store_of(who, option) if who else config.chosen_store(option) or config.default_store()
    config.store_path(url)
    if option:
        return url, "--store"
    if who and who.registration and url == who.registration.store:
        return url, "this session's"
    return url, "MAILSTOP_STORE" if os.environ.get(config.STORE) else "the default"


def _mended(url: str, progress: Progress) -> list[str]:
    done = [interpreter.compile_modules(progress.stage("compiling")), *files.mend()]
    try:
        done += store.mend(url) if url else []
    except StoreUnavailable:  # the findings will tell
        pass
    return [text for text in done if text] or ["there was nothing to mend"]


def _result(done: list[str], findings: list[Finding], store_failed: bool) -> Result:
    failed = [one for one in findings if one.state == FAILED]
    warnings = [one for one in findings if one.state == WARNING]
    data = {"ok": not failed, "done": done, "checks": [one.as_dict() for one in findings]}
    lines = [f"{'done':<{len(_INDENT)}}{one_line(text, LONGEST)}" for text in done]
    lines += [line for one in findings for line in _lines(one)]
    lines.append(_verdict(len(failed), len(warnings)))
    return Result(data, "\n".join(lines), (5 if store_failed else 1) if failed else 0)


def _lines(finding: Finding) -> list[str]:
    first, *more = [one_line(line, LONGEST) for line in finding.found.split("\n")]
    lines = [f"{finding.state:<{len(_INDENT)}}{finding.name}: {first}", *(f"{_INDENT}  {line}" for line in more)]
    return [*lines, f"{_INDENT}mend: {finding.mend}"] if finding.mend else lines


def _verdict(failed: int, warnings: int) -> str:
    if not failed and not warnings:
        return "all is well"
    parts = [counted(failed, "check") + " failed"] if failed else []
    parts += [counted(warnings, "warning")] if warnings else []
    return ", ".join(parts)
