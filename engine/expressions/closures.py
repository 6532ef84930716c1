"""JMESPath trees as closures: the same answers as jmespath's interpreter, without walking the tree.

A closure takes a JSON value and returns one, null being None; it raises TypeError or ValueError
where a function meets a value of the wrong kind.  One builder for each type of node, under the
node's name; nodes and functions that have none go to `fallback`, the interpreter itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final, TypeAlias

from engine.expressions.trees import CALL, Tree, dotted
from engine.expressions.values import (
    FUNCTIONS,
    KEYED,
    ORDERS,
    is_ordered,
    member,
    same,
    truthy,
    typed,
)
from engine.model import Json

Closure: TypeAlias = Callable[[Json], Json]
Build: TypeAlias = Callable[[Tree], Closure]
Builder: TypeAlias = Callable[[Tree, Build], Closure]
Fallback: TypeAlias = Callable[[Tree, Json], Json]


def closure(tree: Tree, fallback: Fallback) -> Closure:
    """Compile a tree; `fallback(node, value)` evaluates the nodes that no builder knows."""

    def build(node: Tree) -> Closure:
        builder = _builder(node)
        return builder(node, build) if builder else partial(fallback, node)

    return build(tree)


def _builder(node: Tree) -> Builder | None:
    if dotted(node) is not None:
        return _path
    if node["type"] == CALL:
        name = node["value"]
        return _call if name in FUNCTIONS else _keyed_call if name in KEYED else None
    return _BUILDERS.get(node["type"])


def _path(tree: Tree, _build: Build) -> Closure:
    names = dotted(tree) or ()
    if len(names) == 1:
        name = names[0]
        return lambda value: value.get(name) if isinstance(value, dict) else member(value, name)

    def path(value: Json) -> Json:
        for name in names:
            value = value.get(name) if isinstance(value, dict) else member(value, name)
        return value

    return path


def _literal(tree: Tree, _build: Build) -> Closure:
    constant = tree["value"]
    return lambda _value: constant


def _index(tree: Tree, _build: Build) -> Closure:
    place = tree["value"]

    def index(value: Json) -> Json:
        if not isinstance(value, list):
            return None
        return value[place] if -len(value) <= place < len(value) else None

    return index


def _slice(tree: Tree, _build: Build) -> Closure:
    part = slice(*tree["children"])
    return lambda value: value[part] if isinstance(value, list) else None


def _chain(tree: Tree, build: Build) -> Closure:
    steps = [build(child) for child in tree["children"]]

    def chain(value: Json) -> Json:
        for step in steps:
            value = step(value)
        return value

    return chain


def _projection(tree: Tree, build: Build) -> Closure:
    base, each = map(build, tree["children"])

    def projection(value: Json) -> Json:
        rows = base(value)
        if not isinstance(rows, list):
            return None
        return [found for row in rows if (found := each(row)) is not None]

    return projection


def _value_projection(tree: Tree, build: Build) -> Closure:
    base, each = map(build, tree["children"])

    def value_projection(value: Json) -> Json:
        table = base(value)
        if not isinstance(table, Mapping):
            return None
        return [found for row in table.values() if (found := each(row)) is not None]

    return value_projection


def _filter_projection(tree: Tree, build: Build) -> Closure:
    base, each, condition = map(build, tree["children"])

    def filter_projection(value: Json) -> Json:
        rows = base(value)
        if not isinstance(rows, list):
            return None
        return [
            found
            for row in rows
            if ((test := condition(row)) is True or truthy(test))
            and (found := each(row)) is not None
        ]

    return filter_projection


def _flatten(tree: Tree, build: Build) -> Closure:
    base = build(tree["children"][0])

    def flatten(value: Json) -> Json:
        rows = base(value)
        if not isinstance(rows, list):
            return None
        merged: list[Json] = []
        for row in rows:
            if isinstance(row, list):
                merged.extend(row)
            else:
                merged.append(row)
        return merged

    return flatten


def _comparator(tree: Tree, build: Build) -> Closure:
    left, right = map(build, tree["children"])
    if tree["value"] == "eq":
        return lambda value: same(left(value), right(value))
    if tree["value"] == "ne":
        return lambda value: not same(left(value), right(value))
    order = ORDERS[tree["value"]]

    def ordered(value: Json) -> Json:
        # Text against a number is a TypeError, as in jmespath.
        one, other = left(value), right(value)
        return order(one, other) if is_ordered(one) and is_ordered(other) else None

    return ordered


def _or(tree: Tree, build: Build) -> Closure:
    left, right = map(build, tree["children"])
    return lambda value: found if truthy(found := left(value)) else right(value)


def _and(tree: Tree, build: Build) -> Closure:
    left, right = map(build, tree["children"])
    return lambda value: right(value) if truthy(found := left(value)) else found


def _not(tree: Tree, build: Build) -> Closure:
    operand = build(tree["children"][0])
    return lambda value: not truthy(operand(value))


def _multi_select_list(tree: Tree, build: Build) -> Closure:
    members = [build(child) for child in tree["children"]]
    return lambda value: None if value is None else [run(value) for run in members]


def _multi_select_dict(tree: Tree, build: Build) -> Closure:
    pairs = [(pair["value"], pair["children"][0]) for pair in tree["children"]]
    members = [(name, build(child)) for name, child in pairs]

    def select(value: Json) -> Json:
        return None if value is None else {name: run(value) for name, run in members}

    fields = [(name, child["value"]) for name, child in pairs if child["type"] == "field"]
    return _pick(fields, select) if len(fields) == len(members) else select


def _pick(fields: Sequence[tuple[str, str]], select: Closure) -> Closure:
    """A multi-select of nothing but fields, which is most of them, asks an object directly."""

    def pick(value: Json) -> Json:
        if isinstance(value, dict):
            return {name: value.get(key) for name, key in fields}
        return select(value)

    return pick


def _call(tree: Tree, build: Build) -> Closure:
    function = FUNCTIONS[tree["value"]]
    arguments = [build(child) for child in tree["children"]]
    return lambda value: function(*[argument(value) for argument in arguments])


def _keyed_call(tree: Tree, build: Build) -> Closure:
    rows, expref = tree["children"]
    function, base, key = KEYED[tree["value"]], build(rows), build(expref["children"][0])
    return lambda value: function(typed(base(value), list), key)


_BUILDERS: Final[Mapping[str, Builder]] = {
    "literal": _literal,
    "index": _index,
    "slice": _slice,
    "subexpression": _chain,
    "index_expression": _chain,
    "pipe": _chain,
    "projection": _projection,
    "value_projection": _value_projection,
    "filter_projection": _filter_projection,
    "flatten": _flatten,
    "comparator": _comparator,
    "or_expression": _or,
    "and_expression": _and,
    "not_expression": _not,
    "multi_select_list": _multi_select_list,
    "multi_select_dict": _multi_select_dict,
}
