"""Cleaning: text that others wrote, as a model or a terminal may see it.

Nothing in cleaned text is invisible, moves a cursor, or can be read as a tag of the client or as a line of
the fence. What is changed shows that it was changed; ordinary text and code stay byte for byte. Cleaning
twice changes nothing.
"""

from __future__ import annotations

# What a reader does not see and a model does: Unicode's Default_Ignorable_Code_Point and the interlinear
# annotations (those above the first plane are in _hides); then C1, and the two separators that some readers
# take for a new line.
_HIDDEN = frozenset(
    chr(code)
    for first, last in (
        (0x00AD, 0x00AD),
        (0x034F, 0x034F),
        (0x061C, 0x061C),
        (0x115F, 0x1160),
        (0x17B4, 0x17B5),
        (0x180B, 0x180F),
        (0x200B, 0x200F),
        (0x202A, 0x202E),
        (0x2060, 0x206F),
        (0x3164, 0x3164),
        (0xFE00, 0xFE0F),
        (0xFEFF, 0xFEFF),
        (0xFFA0, 0xFFA0),
        (0xFFF0, 0xFFFB),
        (0x0080, 0x009F),
        (0x2028, 0x2029),
    )
    for code in range(first, last + 1)
)
_NON_JOINER, _JOINER = chr(0x200C), chr(0x200D)
_REPLACEMENT = "\ufffd"  # stands for half of a surrogate pair

# Control characters as their pictures: one visible character each, and no escape sequence survives.
_PICTURES = {code: 0x2400 + code for code in range(0x20) if code not in b"\t\n"} | {0x7F: 0x2421}

# Tags by which Claude Code 2.1.332 and Codex 0.171.0 tell a model who speaks (read in their programs), and
# those of a model's own turns and calls. Compared without the hyphens; a name also stands for all longer
# ones.
_TAGS = tuple(
    """
    system-reminder system-note system-message system-prompt system-instruction task-notification
    cross-session-message teammate-message agent-message user-message channel-message local-command-stdout
    local-command-stderr local-command-caveat command-name command-message command-args command-contents
    bash-input bash-stdout bash-stderr bash-exit-code persisted-output truncated-output interrupted-output
    total-tokens sandbox-violations tool-use-error tool-call tool-result function-calls function-results
    function-call function-result antml-function-calls antml-invoke antml-parameter antml im-start im-end
    user-prompt-submit-hook post-tool-use-hook hook-prompt user-memory-input claude-md user-claude-md
    cc-memory cc-automode pasted-content ide-selection ide-opened-file new-diagnostics fork-boilerplate
    coordinator-relay coordinator-task subagent-hand-back subagent-notification remote-review
    mcp-server-note mcp-resource mcp-polling slack-ping slack-tag-message fetched-web-content
    webhook-payload user-instructions environment-context turn-aborted user-action user-shell-command
    user-query user-verification-notice permissions-instructions developer-instructions
    managed-developer-instructions model-instructions skills-instructions plugins-instructions
    apps-instructions environments-instructions collaboration-mode context-window proposed-plan
    model-switch persistent-mode multi-agent-mode multi-agent-role codex-delegation codex-internal
    realtime-delegation agent-message-board
    """.replace("-", "").split()
)
_TAGS_WHOLE = frozenset(_TAGS)
# One ordinary word is a tag only where code would not have it: `<channel>`, not `List<Channel>`.
_TAG_WORDS = frozenset(("channel", "system", "instructions", "invoke", "tick", "skill"))
_LONGEST_TAG = 40  # letters that decide
_FARTHEST = 300  # characters looked at behind a bracket; a longer gap is shown, and leaves no tag
_OPENERS = "<＜﹤‹⟨〈〈❬❮❰˂ᐸ"
_BEFORE_NAME = "/|!?.:*@#&"
_IN_NAME = "-_.:"

# Lines by which a reader could be told that the letter has ended, without case and blanks.
_FENCE_LINES = ("===mailstop", "[systemnotification", "[requestinterrupted")

# Letters of other scripts that look like ours and do not decompose to them.
_LOOKALIKES = str.maketrans(
    "аеорсухкіјѕԁһӏвмнтԛԝѵαεικνορτυχɑɡıᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ",
    "aeopcyxkijsdhlbmhtqwvaeikvoptuxagiabcdefghijklmnoprstuvwyz",
)


def clean(text: str) -> str:
    r"""`text` as a reader may see it; lines and tabs stay, CRLF becomes a line's end.

    Control characters become their pictures (`␛`), invisible ones are named (`[U+202E]`) or counted, and a
    client's tag gets a backslash behind its bracket (`<\system-reminder>`), as Claude Code does it itself.
    """
    if _is_plain(text):
        return text
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    text = _without_tags(text.translate(_PICTURES))
    if "=" in text or "[" in text or not text.isascii():
        text = "\n".join("\\" + line if _is_fence_line(line) else line for line in text.split("\n"))
    shown = _visible(text)
    return shown if shown is text else _without_tags(shown)


def one_line(text: str, longest: int) -> str:
    """`text` cleaned, on one line, at most `longest` characters."""
    if len(text) <= longest and _is_plain(text):
        return text
    text = clean(text[: longest + 1]).replace("\n", "␊").replace("\t", " ")
    return text if len(text) <= longest else text[: longest - 1] + "…"


def in_quotes(text: str, longest: int) -> str:
    """`text` on one line, as `one_line` gives it, without the quote that a model is shown around it."""
    return one_line(text, longest).replace('"', "'")


def plain_line(text: str) -> str:
    """`text` cleaned and on one line, whatever its length; quotes stay, because it may hold a command to type."""
    return clean(text).replace("\n", "␊").replace("\t", " ")


def _is_plain(text: str) -> bool:
    """Whether nothing that is cleaned can be in it, as in most names and paths."""
    return text.isascii() and text.isprintable() and not ("<" in text or "=" in text or "[" in text)


# -- invisible characters ------------------------------------------------------------------------------------


def _visible(text: str) -> str:
    printable = text.replace("\n", "").replace("\t", "").isprintable()
    if text.isascii() or (printable and _HIDDEN.isdisjoint(text) and max(text) < "\U000e0000"):
        return text
    shown: list[str] = []
    hidden: list[str] = []
    before = ""
    for at, character in enumerate(text):
        if _hides(character) and not _belongs(character, before, text[at + 1 : at + 2]):
            hidden.append(character)
        else:
            if hidden:
                shown.append(_mark(hidden))
                hidden = []
            shown.append(_REPLACEMENT if "\ud800" <= character <= "\udfff" else character)
        before = character
    if hidden:
        shown.append(_mark(hidden))
    return "".join(shown)


def _hides(character: str) -> bool:
    if character < "\U00010000":
        return character in _HIDDEN
    code = ord(character)
    return 0xE0000 <= code <= 0xE0FFF or 0x1D173 <= code <= 0x1D17A or 0x1BCA0 <= code <= 0x1BCA3


def _belongs(character: str, before: str, after: str) -> bool:
    """Whether an invisible character does its work here: it shapes the one before it, or joins two."""
    if "\ufe00" <= character <= "\ufe0f":
        return before.isprintable() and before > " " and not _hides(before)
    if "\U000e0100" <= character <= "\U000e01ef":
        return "\u3400" <= before <= "\u9fff" or "\U00020000" <= before <= "\U0003ffff"
    if "\u180b" <= character <= "\u180f":
        return "\u1820" <= before <= "\u18aa"
    if character not in (_NON_JOINER, _JOINER):
        return False
    if "\u0600" <= before <= "\u1fff" and "\u0600" <= after <= "\u1fff":  # scripts that are written with them
        return not _hides(before) and not _hides(after)
    return character == _JOINER and (before == "\ufe0f" or _is_pictorial(before)) and _is_pictorial(after)


def _is_pictorial(character: str) -> bool:
    return "\u2190" <= character <= "\u2bff" or "\U0001f000" <= character <= "\U0001ffff"


def _mark(hidden: list[str]) -> str:
    return f"[U+{ord(hidden[0]):04X}]" if len(hidden) == 1 else f"[{len(hidden)} hidden characters]"


# -- tags of the client, lines of the fence ------------------------------------------------------------------


def _without_tags(text: str) -> str:
    pieces: list[str] = []
    start = 0
    for at in _openers(text):
        if _is_tag(text, at):
            pieces.append(text[start : at + 1])
            start = at + 1
    return "\\".join([*pieces, text[start:]]) if pieces else text


def _openers(text: str) -> list[int]:
    openers = "<" if text.isascii() else _OPENERS
    found: list[int] = []
    for opener in openers:
        at = text.find(opener)
        while at >= 0:
            found.append(at)
            at = text.find(opener, at + 1)
    return sorted(found)


def _is_tag(text: str, at: int) -> bool:
    """Whether the bracket at `at` opens a tag of a client, however it is spaced, spelled or split."""
    name, word, lead, spaced, stop = _tag(text[at + 1 : at + 1 + _FARTHEST])
    with_attributes = stop == "="
    if name.startswith(_TAGS) and (not spaced or with_attributes or name in _TAGS_WHOLE):
        return True
    if word not in _TAG_WORDS or lead not in ("", "/"):
        return False
    if spaced:
        return with_attributes or (name == word and stop == ">")
    in_code = not lead and at > 0 and (text[at - 1].isalnum() or text[at - 1] == "_")
    return name != word or with_attributes or not in_code


def _tag(text: str) -> tuple[str, str, str, bool, str]:
    """What stands behind a bracket, in small ASCII letters.

    The name without what separates its parts; its first word, where that ends as the word of a tag does; what
    stands before it; whether a blank follows the bracket, as in `a < b`; the character at which it ends.
    """
    name = word = lead = ""
    spaced = False
    for character in text:
        for plain in character if character.isascii() else _folded(character):
            if plain.isalnum():
                name += plain.lower()
            elif plain.isspace() and not name:
                spaced = True
            elif plain.isspace():
                word = word or name
            elif plain in _IN_NAME and name:
                word = word or "-"
            elif plain in _BEFORE_NAME and not name:
                lead += plain
            else:
                return name, word or (name if plain in "/>" else ""), lead, spaced, plain
        if len(name) >= _LONGEST_TAG:
            break
    return name, word or name, lead, spaced, ""


def _folded(character: str) -> str:
    """The ASCII that a character stands for to a reader; nothing for marks and invisible ones."""
    if character in _OPENERS:
        return "<"
    from unicodedata import normalize  # only for text that needs it

    return "".join(plain for plain in normalize("NFKD", character).lower().translate(_LOOKALIKES) if plain.isascii())


def _is_fence_line(line: str) -> bool:
    start = line[:_FARTHEST].lstrip()
    if not start or start[0].isalnum() or (start[0].isascii() and start[0] not in "=["):
        return False
    return _skeleton(start).startswith(_FENCE_LINES)


def _skeleton(text: str) -> str:
    if not text.isascii():
        text = "".join(character if character.isascii() else _folded(character) for character in text)
    return "".join(text.lower().split())
