"""What a JMESPath tree says without being run: its nodes, its plain path, the fields it reads.

A tree is what jmespath's parser yields: a mapping with `type`, `children` and, mostly, `value`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

Tree: TypeAlias = Mapping[str, Any]
Path: TypeAlias = tuple[str, ...]
Paths: TypeAlias = frozenset[Path]

CALL: Final = "function_expression"

ANY: Final = "*"
"""The step of a path that stands for every key of an object."""

# Nodes whose value stands where their last child's does, or where they are themselves.
_STEPS: Final = frozenset(
    [
        "identity",
        "current",
        "index",
        "slice",
        "subexpression",
        "pipe",
        "index_expression",
        "flatten",
    ]
)
_PROJECTIONS: Final = frozenset(["projection", "filter_projection", "value_projection"])

# Functions whose answer is one of their arguments, or a list or object of parts of them.
_CHOOSING: Final = frozenset(["not_null", "to_array", "merge", "max", "min", "max_by", "min_by"])
_SORTING: Final = frozenset(["sort", "sort_by", "reverse"])
_PASSING: Final = _CHOOSING | _SORTING


def dotted(tree: Tree) -> Path | None:
    """The path of a plain `a.b`, the empty one for `@`; None for every other tree."""
    if tree["type"] in ("current", "identity"):
        return ()
    if tree["type"] == "field":
        return (tree["value"],)
    if tree["type"] != "subexpression":
        return None
    steps = [dotted(child) for child in tree["children"]]
    known = [step for step in steps if step is not None]
    return tuple(name for step in known for name in step) if len(known) == len(steps) else None


def walk(tree: Tree, parent: Tree | None = None) -> Iterator[tuple[Tree, Tree | None]]:
    """Every node with its parent, in the order of the text, a parent before its children."""
    yield tree, parent
    for child in in_order(tree):
        yield from walk(child, tree)


def in_order(tree: Tree) -> list[Tree]:
    """The children as the text has them: a filter's condition stands before what it projects."""
    if tree["type"] == "slice":
        return []
    if tree["type"] == "filter_projection":
        base, each, condition = tree["children"]
        return [base, condition, each]
    return list(tree["children"])


# --------------------------------------------------------------------------- what is read


def reads(tree: Tree) -> Paths:
    """The paths, from the root, of all values that the tree may look at.

    Lists are passed through: `rows[?type == '1'].id` reads `rows.type` and `rows.id`.  A path
    covers all that lies under it; the step `*` stands for every key.
    """
    reader = _Reader()
    reader.use(reader.reach(tree, frozenset({()})))
    return frozenset(reader.used | {path for path in reader.walked if not reader.covers(path)})


@dataclass(slots=True)
class _Reader:
    """Follows paths through a tree: `used` are looked at, over `walked` ones a projection runs."""

    used: set[Path] = field(default_factory=set)
    walked: set[Path] = field(default_factory=set)

    def use(self, paths: Paths) -> Paths:
        """Note that the values at these paths are looked at; what comes of it has no path."""
        self.used |= paths
        return frozenset()

    def covers(self, base: Path) -> bool:
        """Whether a used path says more than the list at `base` that it passes through."""
        return any(path[: len(base)] == base for path in self.used)

    def reach(self, tree: Tree, at: Paths) -> Paths:
        """The paths where the tree's value may stand, its root being at `at`."""
        kind = tree["type"]
        if kind == "field":
            return frozenset((*path, tree["value"]) for path in at)
        if kind in _STEPS:
            return self._through(in_order(tree), at)
        if kind in _PROJECTIONS:
            return self._project(tree, at)
        if kind in ("and_expression", "or_expression"):
            return self._choose(tree, at)
        if kind == CALL:
            return self._call(tree, at)
        for child in tree["children"]:
            self.use(self.reach(child, at))
        return frozenset()

    def _through(self, steps: Iterable[Tree], at: Paths) -> Paths:
        for step in steps:
            at = self.reach(step, at)
        return at

    def _project(self, tree: Tree, at: Paths) -> Paths:
        base, each, *condition = tree["children"]
        rows = self.reach(base, at)
        self.walked |= rows
        if tree["type"] == "value_projection":
            rows = frozenset((*path, ANY) for path in rows)
        for test in condition:
            self.use(self.reach(test, rows))
        return self.reach(each, rows)

    def _choose(self, tree: Tree, at: Paths) -> Paths:
        left, right = (self.reach(child, at) for child in tree["children"])
        self.use(left)
        return right | left if tree["type"] == "or_expression" else right

    def _call(self, tree: Tree, at: Paths) -> Paths:
        name, arguments = tree["value"], tree["children"]
        plain = (self.reach(child, at) for child in arguments if child["type"] != "expref")
        values: Paths = frozenset().union(*plain)
        exprefs = (child["children"] for child in arguments if child["type"] == "expref")
        keys: Paths = frozenset().union(*(self._through(key, values) for key in exprefs))
        if name == "map":
            self.walked |= values
            return keys
        self.use(keys)
        if name == "values":
            return frozenset((*path, ANY) for path in values)
        return values if name in _PASSING else self.use(values)
