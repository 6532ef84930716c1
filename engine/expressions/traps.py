"""The traps of JMESPath, found in a tree without running it.

The language drops false in `a || b`, reads an unquoted null as a field and `!a.b` as `(!a).b`, and
lets one null argument make a function fail, and with it the whole expression (parser.py and
functions.py of jmespath 1.1).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from engine.expressions.trees import CALL, Tree, dotted, in_order
from engine.model import Json

Refusals: TypeAlias = Mapping[str, tuple[bool, ...]]
"""For each function: which of its arguments it refuses to be null."""

# Nodes that are null when one child of theirs is: its place.
_NULL_AS: Final = {
    "or_expression": 1,
    "flatten": 0,
    "projection": 0,
    "filter_projection": 0,
    "value_projection": 0,
}

# Nodes that go on from their first child.
_AFTER: Final = frozenset(["subexpression", "flatten", "filter_projection", "value_projection"])

# Functions that answer null for some argument that they accept.
_MAYBE_NULL: Final = frozenset(["avg", "max", "min", "max_by", "min_by", "to_number"])


def find(tree: Tree, refusals: Refusals) -> tuple[str, ...]:
    """The traps of the language that a tree steps into, each once, in the order of the text."""
    return tuple(dict.fromkeys(_Linter(refusals).look(tree, _Scope())))


@dataclass(frozen=True, slots=True)
class _Scope:
    """Where a tree stands: what is known not to be null there, and what becomes of its value.

    tested   only its truth matters
    maybe    the current value (`@`) may be null
    proven   trees that are not null here
    """

    tested: bool = False
    maybe: bool = False
    proven: tuple[Tree, ...] = ()

    def inner(self, *, tested: bool = False, proven: tuple[Tree, ...] = ()) -> _Scope:
        """The scope of a tree whose `@` is another value than here."""
        return _Scope(tested=tested, maybe=True, proven=proven)


@dataclass(frozen=True, slots=True)
class _Linter:
    refusals: Refusals

    def look(self, tree: Tree, scope: _Scope) -> Iterator[str]:
        yield from self._own(tree, scope)
        for child, inner in self._children(tree, scope):
            yield from self.look(child, inner)

    def _own(self, tree: Tree, scope: _Scope) -> Iterator[str]:
        kind, name = tree["type"], tree.get("value")
        if kind == "field" and name in ("null", "true", "false"):
            yield f"{name} is read as a field: the literal is `{name}` between backticks"
        if kind == "or_expression" and not scope.tested and not _is_test(tree):
            yield "|| loses false and empty values and keeps 0: use not_null() or a comparison"
        if kind in _AFTER and tree["children"][0]["type"] == "not_expression":
            yield "! is read before a dot, [] and [?: put what it negates in parentheses"
        if kind == CALL and name == "to_string":
            yield 'to_string() makes the text "null" of null'
        for argument, refuses in zip(tree["children"], self._refusals(tree), strict=False):
            if refuses and self._maybe_null(argument, scope):
                what = _name(argument)
                yield f"{name}() fails where {what} is null: guard it with && or not_null()"

    def _refusals(self, tree: Tree) -> tuple[bool, ...]:
        """Which arguments of a call must not be null; more arguments are as the last one known."""
        known = self.refusals.get(tree["value"], ()) if tree["type"] == CALL else ()
        return known + known[-1:] * (len(tree["children"]) - len(known))

    def _children(self, tree: Tree, scope: _Scope) -> Iterator[tuple[Tree, _Scope]]:
        """Each child in the order of the text, with the scope that it stands in."""
        kind, children = tree["type"], in_order(tree)
        value = replace(scope, tested=False)
        match kind:
            case "or_expression":
                yield from ((child, scope) for child in children)
            case "and_expression":
                proven = (*scope.proven, *self._proven(children[0]))
                yield children[0], replace(scope, tested=True)
                yield children[1], replace(scope, proven=proven)
            case "not_expression":
                yield children[0], replace(scope, tested=True)
            case "filter_projection":
                base, condition, each = children
                yield base, value
                yield condition, scope.inner(tested=True)
                yield each, scope.inner(proven=self._proven(condition))
            case "subexpression" | "pipe" | "index_expression" | "projection" | "value_projection":
                yield children[0], value
                yield from ((child, scope.inner(tested=scope.tested)) for child in children[1:])
            case "expref":
                yield children[0], scope.inner()
            case "multi_select_list" | "multi_select_dict":
                # A multi-select of null is null before a member is looked at.
                yield from ((child, replace(value, maybe=False)) for child in children)
            case _:
                yield from ((child, value) for child in children)

    def _maybe_null(self, tree: Tree, scope: _Scope) -> bool:
        kind, children = tree["type"], tree["children"]
        if tree in scope.proven or _is_given(tree):
            return False
        if kind in _NULL_AS:
            return self._maybe_null(children[_NULL_AS[kind]], scope)
        if kind in ("pipe", "expref"):
            return self._maybe_null(children[-1], scope.inner())
        if kind == CALL:
            return self._call_maybe_null(tree, scope)
        at_current = ("current", "identity", "multi_select_list", "multi_select_dict")
        return scope.maybe if kind in at_current else True

    def _call_maybe_null(self, tree: Tree, scope: _Scope) -> bool:
        if tree["value"] == "not_null":
            return all(self._maybe_null(child, scope) for child in tree["children"])
        return tree["value"] in _MAYBE_NULL

    def _proven(self, tree: Tree) -> tuple[Tree, ...]:
        """The trees that are not null where `tree` holds."""
        kind, children = tree["type"], tree["children"]
        if kind == "and_expression":
            return tuple(found for child in children for found in self._proven(child))
        if kind == "comparator":
            return _compared(tree)
        if kind == CALL:
            refusals = zip(children, self._refusals(tree), strict=False)
            return (tree, *(child for child, refuses in refusals if refuses))
        return (tree,)


def _compared(tree: Tree) -> tuple[Tree, ...]:
    """The sides of a comparison that are not null where it holds; `type(x)` speaks of x."""
    left, right = tree["children"]
    if tree["value"] not in ("eq", "ne"):
        return (left, right)
    for side, other in ((left, right), (right, left)):
        if other["type"] == "literal" and _tells(tree["value"], side, other["value"]):
            typed = side["type"] == CALL and side["value"] == "type"
            return tuple(side["children"]) if typed else (side,)
    return ()


def _tells(comparison: str, side: Tree, literal: Json) -> bool:
    """Whether a comparison with a literal, where it holds, rules null out."""
    typed = side["type"] == CALL and side["value"] == "type"
    is_null = literal == "null" if typed else literal is None
    return is_null is (comparison == "ne")


def _is_given(tree: Tree) -> bool:
    """Whether a tree is never null, wherever it stands."""
    if tree["type"] == "literal":
        return tree["value"] is not None
    equality = tree["type"] == "comparator" and tree["value"] in ("eq", "ne")
    return equality or tree["type"] == "not_expression"


def _name(argument: Tree) -> str:
    """What to call an argument in a sentence: its path, that of a key, or no name at all."""
    path = dotted(argument["children"][0] if argument["type"] == "expref" else argument)
    return ".".join(path) if path else "an argument of it"


def _is_test(tree: Tree) -> bool:
    """Whether a tree yields nothing but true and false, so that `||` is a plain "or"."""
    if tree["type"] in ("or_expression", "and_expression"):
        return all(_is_test(child) for child in tree["children"])
    if tree["type"] == "literal":
        return isinstance(tree["value"], bool)
    is_call = tree["type"] == CALL and tree["value"] in ("contains", "starts_with", "ends_with")
    return is_call or tree["type"] in ("comparator", "not_expression")
