"""Record: frozen data without `dataclasses`.

Importing `dataclasses` costs more than starting the interpreter and SQLite together (it pulls in `inspect`),
and `typing` pulls in `re`; neither is affordable on the path of `send`, `check` and `hook`. A subclass reads,
and is type-checked, like a frozen dataclass with fields in order of declaration.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, ClassVar, Self, dataclass_transform
else:

    def dataclass_transform(**_settings):
        """What `typing` has under this name, at run time: nothing."""
        return lambda decorated: decorated


@dataclass_transform(frozen_default=True, kw_only_default=False)
class Record:
    """Base of immutable values: fields are the annotated names of the class body, defaults their values.

    Two records are equal when they are of one class and all fields are equal.
    """

    fields: ClassVar[tuple[str, ...]] = ()
    _defaults: ClassVar[dict[str, Any]] = {}
    __match_args__: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        # With `from __future__ import annotations` they are texts, evaluated by nobody.
        annotations = cls.__dict__.get("__annotations__", {}).items()
        own = (name for name, annotation in annotations if "ClassVar" not in str(annotation))
        cls.fields += tuple(name for name in own if name not in cls.fields)
        cls._defaults = {name: getattr(cls, name) for name in cls.fields if hasattr(cls, name)}
        cls.__match_args__ = cls.fields  # type: ignore[misc]  # which mypy takes a dataclass to do itself

    def __init__(self, *values: Any, **named: Any) -> None:
        # Twenty records are made for one letter: the common case takes no loop of ours.
        state, fields = self.__dict__, self.fields
        if len(values) < len(fields):
            state.update(self._defaults)
        if values:
            state.update(zip(fields, values))  # noqa: B905  # too many are found below
        if named:
            state.update(named)
        if len(state) != len(fields) or len(values) > len(fields) or (values and named):
            self._refuse_wrong(values, named)

    def _refuse_wrong(self, values: Sequence[Any], named: Mapping[str, Any]) -> None:
        """Raise TypeError for fields that are missing, unknown or given twice."""
        name = type(self).__name__
        if len(values) > len(self.fields):
            raise TypeError(f"{name} takes {len(self.fields)} fields, got {len(values)}")
        given = self.fields[: len(values)]
        for field in named:
            if field not in self.fields or field in given:
                raise TypeError(f"{name} has no field {field!r}, or got it twice")
        for field in self.fields:
            if field not in self.__dict__:
                raise TypeError(f"{name} needs {field!r}")

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen; use .but({name}=...)")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen; {name} stays")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.__dict__ == self.__dict__

    def __hash__(self) -> int:
        return hash((type(self), *(self.__dict__[name] for name in self.fields)))

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={self.__dict__[name]!r}" for name in self.fields)
        return f"{type(self).__name__}({values})"

    def but(self, **changes: Any) -> Self:
        """The same record with some fields changed."""
        return type(self)(**{**self.__dict__, **changes})

    def as_dict(self) -> dict[str, Any]:
        """The fields and their values, in order of declaration."""
        return {name: self.__dict__[name] for name in self.fields}
