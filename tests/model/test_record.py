"""A `NamedTuple` of ours is one of `typing` to everybody who uses it."""

from __future__ import annotations

import pickle
import typing

import pytest

from evalcontract.model import startup as record


class Ours(record.NamedTuple):
    """A point."""

    x: int
    y: list[str] | None = None
    name: str = "a"

    @property
    def double(self) -> int:
        """Twice x."""
        return 2 * self.x

    @classmethod
    def zero(cls) -> Ours:
        """Return the first."""
        return cls(0)


class Typings(typing.NamedTuple):
    """A point."""

    x: int
    y: list[str] | None = None
    name: str = "a"


def test_it_has_what_a_named_tuple_has() -> None:
    for attribute in ("_fields", "_field_defaults", "__match_args__", "__slots__", "__doc__"):
        assert getattr(Ours, attribute) == getattr(Typings, attribute)
    assert typing.get_type_hints(Ours) == typing.get_type_hints(Typings)
    assert (Ours.__name__, Ours.__qualname__, Ours.__module__) == ("Ours", "Ours", __name__)
    assert Ours.__mro__[1:] == Typings.__mro__[1:] == (tuple, object)


def test_its_values_are_those_of_a_named_tuple() -> None:
    ours = Ours(1, name="b")
    assert tuple(ours) == tuple(Typings(1, name="b"))
    assert repr(ours) == "Ours(x=1, y=None, name='b')"
    assert ours._replace(x=2)._asdict() == {"x": 2, "y": None, "name": "b"}
    assert (ours.double, Ours.zero().x) == (2, 0)
    assert not hasattr(ours, "__dict__")
    assert pickle.loads(pickle.dumps(ours)) == ours  # noqa: S301 - our own


def test_a_value_that_is_missing_is_refused() -> None:
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        Ours()  # type: ignore[call-arg]
