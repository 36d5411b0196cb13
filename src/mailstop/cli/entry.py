"""Entry: from a command line to a verb, and from an error to an exit code.

Imports stay lean: this runs at every `check`. A verb's module is imported when it is called.
"""

from __future__ import annotations

import os
import sys

from mailstop import faults
from mailstop.cli.arguments import EVERYWHERE, explain, read
from mailstop.errors import MailstopError, OutputLost, Uncertain, UsageError
from mailstop.names import checked_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from mailstop.cli.arguments import Arguments
    from mailstop.cli.result import Result
    from mailstop.office import Office

# verb: what it does, in a line; the module of the same name holds it
VERBS = {
    "join": "take a seat",
    "leave": "leave the seat; its mail stays",
    "send": "write a letter to a seat",
    "reply": "answer a letter",
    "ask": "ask a seat, and wait for its one answer",
    "answer": "answer a question whose sender waits",
    "cancel": "withdraw a question",
    "asks": "list the questions that have no answer yet",
    "say": "write to everyone who reads a channel",
    "channels": "list the channels",
    "subscribe": "read a channel",
    "unsubscribe": "read a channel no longer",
    "kinds": "list the kinds of letters",
    "check": "show what is new",
    "read": "read history; changes nothing",
    "status": "say who I am here, or what became of a letter",
    "who": "list sessions and what they do, and empty seats with mail",
    "me": "show what others see of this session, and change it",
    "lead": "say who leads the project, lead it, or no longer",
    "watch": "print a line for each new letter",
    "bags": "list the bags",
    "budget": "show a bag's budget of letters; the person opens and closes it",
    "limits": "show what bounds the letters of a bag; the person sets it",
    "task": "give work, take it, say how far it is",
    "lease": "take files and names for a while, so that no other session does",
    "token": "make, list and revoke what clients show over the network",
    "import": "bring along what was written in postbag, in a lane, or in files of your own",
    "lane": "letters in plain files, for sessions that share a folder and no store",
    "export": "write what was written to a file: to read, to share, to bring elsewhere",
    "demo": "two programs and a person write to each other in a temporary home",
    "setup": "bring mailstop into the clients here, and take it out again",
    "doctor": "look for what is wrong, and mend it",
    "help": "explain a verb or a topic",
    "completion": "print what makes a shell complete mailstop's words",
    "version": "print the version",
    "serve": "serve the tools of MCP over HTTP",
    "mcp": "for clients: the tools of MCP, on standard input and output",
    "hook": "for clients: take a hook's event from standard input",
}
# verbs of which it may be in doubt whether anything was stored
WRITING = (
    *("send", "reply", "say", "ask", "answer", "cancel", "join", "me", "subscribe", "unsubscribe"),
    *("task", "lead", "lease", "budget", "limits", "token", "lane", "leave", "import"),
)
MAKING = ("join", "token", "import")  # verbs that may make the store, once they write to it
ALIASES = {"inbox": "check", "whoami": "status", "--version": "version", "-V": "version"}


def exit_code() -> int:
    """Run this process's command line, write out what it printed, and return its exit code.

    A hook ends with 0, whatever happens: 2 would stop its client's turn.
    """
    code = main()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except AttributeError:  # it is None: the caller closed it
            pass
        except (OSError, ValueError):
            code = code or 1
    return 0 if _is_hook(sys.argv[1:]) else code


def main(words: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code."""
    words = list(sys.argv[1:] if words is None else words)
    if _is_hook(words):
        return _hook(words[1:])
    if sys.platform == "win32":
        print("mailstop: Windows is not supported; inside WSL 2 it works as on Linux", file=sys.stderr)
        return UsageError.exit_code
    wants_json = "--json" in words
    try:
        return _run(words)
    except BrokenPipeError:
        # The reader closed early, as `head` does; what it did not read counts as not handed.
        _drop_output()
        return 0
    except OutputLost as error:
        _drop_output()
        return _report(error, False)
    except MailstopError as error:
        return _report(_doubted(error, words), wants_json)
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        return _report(_failed(error, words), wants_json)


def _is_hook(words: Sequence[str]) -> bool:
    return bool(words) and words[0] == "hook"


def _hook(words: Sequence[str]) -> int:
    """Answer a client's hook. Never fails, not even where mailstop cannot run at all."""
    if words and words[0] in ("-h", "--help"):
        from mailstop.cli.overview import HOOK

        print(HOOK)
        return 0
    if sys.platform == "win32":
        return 0
    try:
        from mailstop.hooks.entry import main as hook

        hook(words)
    except (Exception, KeyboardInterrupt):
        pass
    return 0


def _failed(error: Exception, words: Sequence[str]) -> MailstopError:
    """What is said of a fault of our own; the log has the details. A verb that writes may have written by then."""
    from mailstop import config
    from mailstop.errors import Failed, FailedInDoubt
    from mailstop.hooks.entry import log

    verb = split(words)[1] or ""
    log(error, verb)
    what, file = f"{type(error).__name__}: {error}", config.log_file()
    if ALIASES.get(verb, verb) not in WRITING:
        return Failed(what=what, log=file)
    from mailstop.cli.doubt import look

    return FailedInDoubt(what=what, log=file, look=look(words))


def _doubted(error: MailstopError, words: Sequence[str]) -> MailstopError:
    """The error; of one that leaves in doubt whether anything was stored, with what the verb has to find out."""
    if type(error) is not Uncertain:
        return error
    from mailstop.cli.doubt import look

    return Uncertain(**{**error.details, "look": look(words)})


def _run(words: list[str]) -> int:
    leading, verb, rest = split(words)
    if verb is None and words:
        raise UsageError(reason=f"behind {words[-1]} a verb is missing. All verbs: mailstop --help")
    if verb is None or verb in ("-h", "--help"):
        from mailstop.cli.overview import overview

        print(overview())
        return 0
    name = ALIASES.get(verb, verb)
    if name not in VERBS:
        raise UsageError(reason=_unknown(verb))
    module = __import__(f"mailstop.cli.{name}", fromlist=["run"])
    unused = getattr(module, "UNUSED", ())
    parameters = (*module.PARAMETERS, *(one for one in EVERYWHERE if one.names[0] not in unused))
    args = read(parameters, [*leading, *rest])
    if args is None:
        from mailstop.cli.overview import epilog

        args = explain(name, VERBS[name], parameters, [*leading, *rest], epilog(getattr(module, "EXAMPLES", "")))
    if "--bag" not in unused and args.bag is not None:
        checked_name(args.bag, "bag")
    if getattr(module, "NEEDS_NO_STORE", False):
        code = _print(module.run(args), args)
        if getattr(module, "TELLS_WHAT_WAITS", False) and sys.stderr.isatty():
            __import__("mailstop.cli.opening", fromlist=["waiting_words"]).waiting_words()
        return code
    without_store = getattr(module, "without_store", None)
    result = without_store(args) if without_store else None
    if result is not None:
        return _print(result, args)
    with_office = __import__("mailstop.cli.opening", fromlist=["opened"])
    office: Office
    with with_office.opened(args.store, joins=name in MAKING) as office:
        try:
            office.called()
            code = _print(module.run(office, args), args)
        except OutputLost:
            raise
        except MailstopError as error:
            code = _report(_doubted(error, words), args.json)
        with_office.closing_words(office)
        return code


def split(words: Sequence[str]) -> tuple[list[str], str | None, list[str]]:
    """Global options that stand before the verb, the verb, and all behind it."""
    valued = {name for option in EVERYWHERE if option.value for name in option.names}
    position = 0
    while position < len(words):
        word = words[position]
        if word in valued:
            position += 2
        elif word.startswith("-") and word.partition("=")[0] in {name for one in EVERYWHERE for name in one.names}:
            position += 1
        else:
            return list(words[:position]), word, list(words[position + 1 :])
    return list(words), None, []


def _unknown(verb: str) -> str:
    from mailstop.names import nearest

    near = nearest(verb, [*VERBS, *ALIASES])
    meant = f"; nearest: {', '.join(near)}" if near else ""
    return f"there is no verb {verb!r}{meant}. All verbs: mailstop --help"


def _print(result: Result, args: Arguments) -> int:
    """Write the result, whole, and only then say that it was written."""
    if args.json:
        from mailstop.json_text import dumps

        output = (dumps(result.data) + "\n").encode("utf-8", "backslashreplace")
    elif result.raw is not None:
        output = result.raw
    else:
        output = (result.text + "\n").encode("utf-8", "backslashreplace") if result.text else b""
    try:
        _write(output)
    except BrokenPipeError:
        if not result.exit_code:
            raise
        _drop_output()  # an answer stands, whether or not it is read
        return result.exit_code
    faults.reach("output written")
    if result.written:
        result.written()
        faults.reach("recorded as handed")
    return result.exit_code


def _write(output: bytes) -> None:
    stream: Any = sys.stdout
    if stream is None:
        raise OutputLost(reason="standard output is closed")
    try:
        stream.flush()
        stream.buffer.write(output)
        stream.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:  # a full disk, say
        raise OutputLost(reason=error.strerror or str(error)) from None


def _drop_output() -> None:
    """Forget what could not be written, so that the end of the process does not try again."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _report(error: MailstopError, wants_json: bool) -> int:
    from mailstop.cleaning import plain_line

    message = plain_line(error.message)  # it may name a folder, or what another has chosen
    if wants_json:
        from mailstop.json_text import dumps

        try:
            value = {"error": {"code": error.code, "message": message, **error.facts}}
            _write((dumps(value) + "\n").encode("utf-8", "backslashreplace"))
        except (OutputLost, BrokenPipeError):
            _drop_output()
    elif sys.stderr is not None:
        print(f"mailstop: {message}", file=sys.stderr)
    return error.exit_code
