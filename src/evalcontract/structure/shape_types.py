"""The types of shapes, as Python says them; msgspec, which reads them, comes in when it has to.

It takes longer to import than a pattern of YAML takes to be made, which asks for the same shapes.
"""

from __future__ import annotations

import typing
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Union

from evalcontract.structure.applied import UnfitError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcontract.structure.shape import Field


class Limits(NamedTuple):
    """The bounds of a value, as `msgspec.Meta` calls them; None where there is none."""

    ge: int | None = None
    gt: int | None = None
    le: int | None = None
    lt: int | None = None
    min_length: int | None = None
    max_length: int | None = None


def limited(type_: Any, limits: dict[str, Any]) -> Any:
    """Return a type with bounds."""
    return Annotated[type_, Limits(**limits)] if limits else type_


def struct_of(fields: Iterable[tuple[str, Field]]) -> Any:
    """Return the type of a mapping of these keys and no others, for msgspec to read.

    Raises:
        UnfitError: it cannot be had.

    """
    import msgspec  # slow to import

    typed: list[tuple[str, Any] | tuple[str, Any, Any]] = []
    names: dict[str, str] = {}
    try:
        for key, field in fields:
            names[field.attribute] = key
            type_ = _readable(field.shape.type)
            if field.is_optional:
                types = (type_, msgspec.UnsetType)
                typed.append((field.attribute, Union[types], msgspec.UNSET))  # noqa: UP007
            else:
                typed.append((field.attribute, type_))
        return msgspec.defstruct(
            "Row", typed, rename=names, forbid_unknown_fields=True, gc=False, kw_only=True
        )
    except (TypeError, ValueError):
        raise UnfitError from None


def _readable(type_: Any) -> Any:
    """Return a type with the bounds in it as msgspec knows them."""
    import msgspec  # slow to import

    origin, parts = typing.get_origin(type_), typing.get_args(type_)
    if origin is Annotated:
        inner, limits = parts
        return Annotated[_readable(inner), msgspec.Meta(**limits._asdict())]
    if origin is Union:
        return Union[tuple(map(_readable, parts))]  # noqa: UP007
    if origin in (list, dict):
        return origin[tuple(map(_readable, parts))]
    return type_
