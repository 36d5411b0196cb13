"""JSON text in and out, without importing `json`.

`json` compiles regular expressions at import, which costs a third of a `check`. Its C accelerator needs none
of them: `_json` is what `json` itself runs on CPython. Where it is missing, `json` does the work. A property
test holds both to the same results.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_make_scanner: Any
try:
    from _json import encode_basestring as _quote
    from _json import make_encoder as _make_encoder
    from _json import make_scanner as _make_scanner
except ImportError:  # an interpreter without the accelerator
    _make_scanner = None

_SPACE = " \t\n\r"


class _Rules:
    """What the scanner asks for: Python's numbers, and no NaN or Infinity, which JSON does not know."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    array_hook = None  # asked for by Python 3.15
    parse_float = float
    parse_int = int

    @staticmethod
    def parse_constant(name: str) -> Any:
        """Refuse NaN and Infinity. Raises ValueError."""
        raise ValueError(f"{name} is not JSON")


# Made once: it keeps nothing from one text to the next.
_scan: Any = _make_scanner(_Rules) if _make_scanner else None


def _refuse(value: object) -> Any:
    raise TypeError(f"{type(value).__name__} is not JSON")


def loads(text: str | bytes) -> Any:
    """The value of a JSON text. Raises ValueError for anything else, however deep or long it is."""
    if isinstance(text, bytes):
        text = text.decode("utf-8")
    if _scan is None:
        import json

        return json.loads(text, parse_constant=_Rules.parse_constant)
    start = len(text) - len(text.lstrip(_SPACE))
    try:
        value, end = _scan(text, start)
    except StopIteration as stop:
        raise ValueError(f"not JSON at character {stop.value}") from None
    except SystemError:  # CPython's accelerator takes its error's class from a `json` that nobody has imported yet
        import json

        return json.loads(text, parse_constant=_Rules.parse_constant)
    except RecursionError:
        raise ValueError("JSON nested too deeply") from None
    if text[end:].strip(_SPACE):
        raise ValueError(f"not JSON at character {end}")
    return value


def dumps(value: object) -> str:
    """Compact JSON text, characters beyond ASCII as they are.

    Raises ValueError for NaN, Infinity and cycles, TypeError for what has no JSON form.
    """
    if _make_scanner is None:
        import json

        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    encode = _make_encoder({}, _refuse, _quote, None, ":", ",", False, False, False)
    return "".join(encode(value, 0))
