"""mailstop doctor: who am I here, and what would wake me; a letter to myself by each way; what is wrong, what mends it.

The letter to oneself wakes no model: each door is tried up to where its vendor would start a turn, and the letter is
given to the caller here. With --look nothing is sent, and without --mend and --rebuild nothing else is changed,
whatever state the store is in. Where the store is not sound no letter is sent either.

Exit code 0: nothing failed, though there may be warnings, and each way that should work was proved; 5: something about
the store failed; 1: something else did; 4: nothing failed, and a way could not be proved from here.
"""

from __future__ import annotations

import os
import shlex
import sys

from mailstop import config
from mailstop.checkup import callers, files, installed, interpreter, settings, store
from mailstop.checkup.finding import DOCTOR, FAILED, OPEN, WARNING, Finding, of_person
from mailstop.checkup.trial import Trial, hindrance, try_all
from mailstop.cleaning import one_line
from mailstop.cli import check
from mailstop.cli.arguments import Option
from mailstop.cli.letter_json import composed, letter_json
from mailstop.cli.progress import Progress
from mailstop.cli.result import Result
from mailstop.clients import life, program
from mailstop.clients.caller import CLIENT, OF_CLAUDE, OF_CODEX, identify
from mailstop.clients.stores import option_for, store_of
from mailstop.engines import is_absent, reopen_store
from mailstop.engines.sqlite.inspection import Look, LookedAt
from mailstop.errors import DoubtfulCaller, InvalidStore, MailstopError, StoreUnavailable
from mailstop.office import Office
from mailstop.resident import checkup as server
from mailstop.wording import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from mailstop.checkup.finding import Route
    from mailstop.cli.arguments import Arguments
    from mailstop.clients.caller import Caller
    from mailstop.fence import Delivery
    from mailstop.letter import Letter

PARAMETERS = (
    Option(("--look",), "only look: send no letter to yourself"),
    Option(("--mend",), "compile modules, set modes right, sweep out what ended sessions left, set hook errors aside"),
    Option(("--rebuild",), "fold the index again; of a damaged store make a new one, and keep the damaged one"),
)
EXAMPLES = """\
mailstop doctor
mailstop doctor --look --json
mailstop doctor --mend"""
NEEDS_NO_STORE = True
UNUSED = ("--bag",)

LONGEST = 600  # characters of one finding
UNPROVED = 4
_INDENT = " " * 10
_LETTER_BYTES = 4000


def run(args: Arguments) -> Result:
    """Mend what was asked for, then look at everything, and try the ways."""
    life.make_nothing()
    trial = Trial(why_not="--look: none was sent")
    with Progress(shown=not args.json) as progress:
        who, caller = _caller()
        try:
            url, source = _chosen(who, args.store)
        except InvalidStore as error:
            by_variable = not args.store and config.STORE in os.environ
            mend = f"unset {config.STORE}" if by_variable else ""
            url, source, chosen = "", "", [Finding("store", FAILED, error.message, mend)]
        done = _mended(url, progress) if args.mend else []
        if args.rebuild and url:
            done.append(store.rebuild(url, progress.stage))
        if url:
            command = f"{DOCTOR} --store {shlex.quote(args.store)}" if args.store else DOCTOR
            checked = store.check(url, source, progress.stage, command=command)
            chosen = [*checked.findings]
            if who and checked.readable:
                caller += callers.seat(who, url)
                caller += callers.bags(who, url, callers.here())
            caller.append(callers.worktrees(who, url, callers.here()))
        progress.stage("looking at the clients")(0, 0)
        own = [interpreter.versions(), interpreter.compiled(), interpreter.command()]
        own += installed.findings(sealed=bool(who and who.sandboxed))
        store_failed = any(one.state == FAILED for one in chosen)
        if args.rebuild:
            trial = Trial(why_not="none is sent with --rebuild")
        elif not args.look:
            progress.stage("trying each way")(0, 0)
            trial = _tried(who, url, args, hindered=store_failed)
        served = server.found(url) if url else None
    option = option_for(who, url) if who else ""
    chosen.append(server.version(served, option))
    if served and served.address and not args.look:
        trial = trial.but(
            routes=(*trial.routes, server.route(served, sealed=bool(who and who.sandboxed), option=option))
        )
    found = [*caller, *chosen, *own, *files.findings(), settings.kinds()]
    if who and who.who == CLIENT:
        found = [one.but(found=of_person(one.found, one.mend)) for one in found]
        trial = trial.but(routes=tuple(one.but(found=of_person(one.found, one.mend)) for one in trial.routes))
    result = _result(done, found, trial, store_failed=store_failed)
    return result.but(written=lambda: _written(who, url, trial)) if trial.offer else result


def _caller() -> tuple[Caller | None, list[Finding]]:
    try:
        who = identify(os.environ)
    except DoubtfulCaller as error:
        claimed = [name for name in (*OF_CLAUDE, *OF_CODEX) if name in os.environ]
        ways = (f"unset {' '.join(names)}" for names in ([program.VARIABLE], claimed) if names)
        mend = next((way for way in ways if way in error.message), "")
        return None, [Finding("caller", FAILED, error.message, mend)]
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


# -- the letter to oneself -------------------------------------------------------------------------------------------


def _tried(who: Caller | None, url: str, args: Arguments, *, hindered: bool) -> Trial:
    if who is None:
        return Trial(why_not="it is not known who calls")
    if not url or hindered:
        return Trial(why_not="the store is not sound")
    try:
        if is_absent(url):
            return Trial(why_not="there is no store yet")
        if why_not := _hindrance(who, url):
            return Trial(why_not=why_not)
        with reopen_store(url) as opened:
            office = Office(opened, who)
            office.called()

            def as_json(letters: Sequence[Letter], more: int) -> Delivery:
                return composed(letters, more, _LETTER_BYTES, office.store_option)

            compose = as_json if args.json else None
            return try_all(office, compose=compose, call=who.call if args.json else "")
    except MailstopError as error:
        return Trial(why_not=f"it could not be sent: {error.message}", broken=True)


def _hindrance(who: Caller, url: str) -> str:
    """Why no letter is sent, by a look that changes nothing."""
    looked = Look(config.store_path(url))
    try:
        return hindrance(Office(LookedAt(looked), who), shows=bool(sys.stdout and sys.stdout.isatty()))
    finally:
        looked.close()


def _written(who: Caller | None, url: str, trial: Trial) -> None:
    """The letter was printed with the rest."""
    assert who is not None and trial.offer is not None
    with reopen_store(url) as opened:
        check.written(Office(opened, who), trial.offer)


# -- what is said ----------------------------------------------------------------------------------------------------


def _result(done: list[str], findings: list[Finding], trial: Trial, *, store_failed: bool) -> Result:
    states = [*(one.state for one in findings), *(one.state for one in trial.routes)]
    failed = states.count(FAILED) + trial.broken
    warnings, unproved = states.count(WARNING), states.count(OPEN)
    offered = trial.offer.letters if trial.offer else ()
    data: dict[str, Any] = {
        "ok": not failed and not unproved,
        "done": done,
        "checks": [one.as_dict() for one in findings],
        "letter": letter_json(offered[0]) if offered else None,
        "no_letter": trial.why_not or None,
        "routes": [one.as_dict() for one in trial.routes],
    }
    lines = [f"{'done':<{len(_INDENT)}}{one_line(text, LONGEST)}" for text in done]
    lines += [line for one in findings for line in _lines(one)]
    lines += _trial_lines(trial)
    lines.append(_verdict(failed, warnings, unproved))
    if offered and trial.offer:
        lines += ["", trial.offer.text]
    code = (5 if store_failed else 1) if failed else UNPROVED if unproved else 0
    return Result(data, "\n".join(lines), code)


def _trial_lines(trial: Trial) -> list[str]:
    if trial.letter:
        head = f"a letter to yourself, number {trial.letter.n}, which wakes no model; each way as far as that goes:"
    else:
        head = f"no letter to yourself: {one_line(trial.why_not, LONGEST)}"
    return [head, *(line for one in trial.routes for line in _route_lines(one))]


def _route_lines(route: Route) -> list[str]:
    took = f", {route.took_ms:g} ms" if route.took_ms is not None else ""
    lines = [f"{route.state:<{len(_INDENT)}}{route.name}: {one_line(route.found, LONGEST)}{took}"]
    if route.unproved:
        lines.append(f"{_INDENT}not proved: {one_line(route.unproved, LONGEST)}")
    return [*lines, f"{_INDENT}mend: {route.mend}"] if route.mend else lines


def _lines(finding: Finding) -> list[str]:
    first, *more = [one_line(line, LONGEST) for line in finding.found.split("\n")]
    lines = [f"{finding.state:<{len(_INDENT)}}{finding.name}: {first}", *(f"{_INDENT}  {line}" for line in more)]
    return [*lines, f"{_INDENT}mend: {finding.mend}"] if finding.mend else lines


def _verdict(failed: int, warnings: int, unproved: int = 0) -> str:
    if not failed and not warnings and not unproved:
        return "all is well"
    parts = [counted(failed, "check") + " failed"] if failed else []
    parts += [f"{counted(unproved, 'way')} not proved yet"] if unproved else []
    parts += [counted(warnings, "warning")] if warnings else []
    return ", ".join(parts)
