"""What JMESPath does with values: truth, equality, order, and its functions.

The same answers as jmespath 1.1 (visitor.py, functions.py), its oddities included.  Where jmespath
raises its ValueError for a value of the wrong kind, these raise TypeError or ValueError.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final, TypeAlias

from engine.model import Json

Key: TypeAlias = Callable[[Json], Json]


def member(value: Json, name: str) -> Json:
    """The value under a key of an object, a read-only mapping included, or None."""
    if isinstance(value, dict):
        return value.get(name)
    if value is None or not isinstance(value, Mapping):
        return None
    return value.get(name)


def truthy(value: Json) -> bool:
    """Whether a value counts as true: not null, not false, not an empty text, list or object."""
    return bool(value) or (isinstance(value, (int, float)) and value is not False)


def same(left: Json, right: Json) -> bool:
    """Equality that tells 0 from false and 1 from true; inside lists and objects it does not."""
    return isinstance(left, bool) is isinstance(right, bool) and bool(left == right)


def is_ordered(value: Json) -> bool:
    """Whether `<` takes a value: text and numbers, not booleans."""
    return isinstance(value, (str, int, float)) and not isinstance(value, bool)


ORDERS: Final[Mapping[str, Callable[[Json, Json], bool]]] = {
    "lt": operator.lt,
    "lte": operator.le,
    "gt": operator.gt,
    "gte": operator.ge,
}


def typed(value: Json, *kinds: type) -> Json:
    """The value itself, if it is of one of these kinds; else TypeError."""
    if not isinstance(value, kinds):
        raise TypeError(f"{type(value).__name__} is none of {kinds}")
    return value


# --------------------------------------------------------------------------- functions


def _not_null(*values: Json) -> Json:
    for value in values:
        if value is not None:
            return value
    return None


def _merge(first: Json, *others: Json) -> Json:
    # jmespath checks the kind of the first argument only; `update` refuses most of the others.
    merged = dict(typed(first, dict))
    for other in others:
        merged.update(other)
    return merged


def _join(glue: Json, parts: Json) -> Json:
    return typed(glue, str).join(typed(parts, list))


def _type(value: Json) -> Json:
    names = {str: "string", bool: "boolean", list: "array", dict: "object"}
    return names.get(type(value)) or ("null" if value is None else "number")


FUNCTIONS: Final[Mapping[str, Callable[..., Json]]] = {
    "not_null": _not_null,
    "length": lambda value: len(typed(value, str, list, dict)),
    "contains": lambda whole, part: part in typed(whole, str, list),
    "starts_with": lambda text, start: typed(text, str).startswith(typed(start, str)),
    "ends_with": lambda text, end: typed(text, str).endswith(typed(end, str)),
    "merge": _merge,
    "keys": lambda value: list(typed(value, dict)),
    "values": lambda value: list(typed(value, dict).values()),
    "join": _join,
    "to_array": lambda value: value if isinstance(value, list) else [value],
    "type": _type,
}
"""Functions over the values of their arguments."""


def _keys(rows: Sequence[Json], key: Key) -> list[Json]:
    keys = [key(row) for row in rows]
    if not all(is_ordered(found) for found in keys):
        raise TypeError("a key is neither text nor a number")
    return keys


def _sort_by(rows: Sequence[Json], key: Key) -> Json:
    keys = _keys(rows, key)
    return [rows[place] for place in sorted(range(len(rows)), key=keys.__getitem__)]


def _best_by(best: Callable[..., int], rows: Sequence[Json], key: Key) -> Json:
    keys = _keys(rows, key)
    return rows[best(range(len(rows)), key=keys.__getitem__)] if rows else None


KEYED: Final[Mapping[str, Callable[[Sequence[Json], Key], Json]]] = {
    "sort_by": _sort_by,
    "max_by": partial(_best_by, max),
    "min_by": partial(_best_by, min),
}
"""Functions over a list and a key that is evaluated for each of its rows."""
