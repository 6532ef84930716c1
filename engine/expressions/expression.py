"""JMESPath expressions, compiled once: the only door to jmespath.

An expression is a closure over a JSON value (see `closures`), four to twelve times as fast as the
interpreter of the library, and a tree that can be asked what it reads and which traps it steps into
(see `trees`).  Everything that the library finds out late, an unknown function or a wrong number of
arguments, is found out here at compile time.
"""

from __future__ import annotations

import difflib
import itertools
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

import jmespath
from jmespath.exceptions import LexerError, ParseError
from jmespath.functions import Functions
from jmespath.lexer import Lexer
from jmespath.visitor import TreeInterpreter

from engine.errors import EngineError
from engine.expressions import closures, traps, trees
from engine.expressions.trees import Path, Tree
from engine.model import Json


@dataclass(eq=False)
class ExpressionFault(EngineError):  # noqa: N818 - a fault of the ledger, not of a call
    """An expression that cannot be compiled; `position` counts characters from 0."""

    text: str
    position: int
    problem: str

    def __str__(self) -> str:
        """The problem, the line of the expression, and a caret under the place."""
        start = self.text.rfind("\n", 0, self.position) + 1
        line = self.text[start:].partition("\n")[0]
        column = self.position - start
        return f"{self.problem} at column {column + 1}:\n  {line}\n  {' ' * column}^"


@dataclass(frozen=True, slots=True)
class Expression:
    """A compiled expression; two are equal when their texts are.

    `search` evaluates it over a JSON value, whose objects may be any mapping.  It answers None
    where nothing is found, where a function refuses its argument and where text is ordered against
    a number, and never raises.  What it answers may be part of the value or of the expression: it
    is to be read, not changed.
    """

    text: str
    search: Callable[[Json], Json] = field(compare=False, repr=False)
    tree: Tree = field(compare=False, repr=False)

    def reads(self) -> frozenset[Path]:
        """The paths, from the root, of all values that the expression may look at.

        Lists are passed through, `*` is every key of an object, and a path covers all under it:
        "rows[?type == `0`].id" reads ("rows", "type") and ("rows", "id"); "@" reads ().
        """
        return trees.reads(self.tree)

    def warnings(self) -> tuple[str, ...]:
        """One sentence for each trap of the language that the expression steps into."""
        return traps.find(self.tree, _REFUSALS)

    def dotted(self) -> Path | None:
        """() for "@", ("a", "b") for a plain "a.b", None for anything else."""
        return trees.dotted(self.tree)


@lru_cache(maxsize=4096)
def compile(text: str) -> Expression:  # noqa: A001 - callers read `expressions.compile`
    """Compile an expression, or raise the ExpressionFault that tells a maintainer what is wrong."""
    try:
        tree = _checked(text, _parse(text))
        run = closures.closure(tree, _INTERPRETER.visit)
    except RecursionError as error:
        raise ExpressionFault(text, 0, "nested too deeply") from error
    return Expression(text, run if trees.dotted(tree) is not None else _calm(run), tree)


def _calm(run: closures.Closure) -> closures.Closure:
    """A closure that answers None where a value of the wrong kind makes `run` raise."""

    def search(value: Json) -> Json:
        try:
            return run(value)
        except (TypeError, ValueError, ArithmeticError, RecursionError):
            return None

    return search


_INTERPRETER: Final[Any] = TreeInterpreter()

# --------------------------------------------------------------------------- reading the text


def _parse(text: str) -> Tree:
    _check_literals(text)
    try:
        return jmespath.compile(text).parsed
    except LexerError as error:
        problem = error.message[:1].lower() + error.message[1:]
        raise ExpressionFault(text, error.lexer_position, problem) from error
    except ParseError as error:
        raise _unexpected(text, error) from error
    except (ValueError, LookupError) as error:
        # An empty text, a number of thousands of digits.
        raise ExpressionFault(text, 0, "no expression can be read") from error


def _unexpected(text: str, error: ParseError) -> ExpressionFault:
    if not error.token_value:
        return ExpressionFault(text, len(text), "the expression ends too early")
    return ExpressionFault(text, error.lex_position, f"unexpected {str(error.token_value)!r}")


_QUOTED: Final = re.compile(
    r"""
      ' (?: [^'\\] | \\. )*+ '?
    | " (?: [^"\\] | \\. )*+ "?
    | ` (?P<literal> (?: [^`\\] | \\. )*+ ) `
    """,
    re.VERBOSE | re.DOTALL,
)


def _check_literals(text: str) -> None:
    """Refuse `word` for `"word"`: jmespath still reads it as text, and warns of it (JEP-12)."""
    for quoted in _QUOTED.finditer(text):
        if (literal := quoted["literal"]) is None:
            continue
        try:
            json.loads(literal.replace("\\`", "`"))
        except ValueError as error:
            problem = "no JSON between the backticks"
            raise ExpressionFault(text, quoted.start(), problem) from error


# --------------------------------------------------------------------------- checking the calls

_SIGNATURES: Final[Mapping[str, Any]] = {
    name: entry["signature"] for name, entry in Functions.FUNCTION_TABLE.items()
}

# `map` is the only function that takes an expression which may find null.
_REFUSALS: Final[traps.Refusals] = {
    name: tuple(
        bool(slot["types"]) and (name, slot["types"]) != ("map", ["expref"]) for slot in signature
    )
    for name, signature in _SIGNATURES.items()
}


def _checked(text: str, tree: Tree) -> Tree:
    """The tree itself, if every call in it can be made."""
    for node, parent in trees.walk(tree):
        if problem := _problem(node, parent):
            raise ExpressionFault(text, _place(text, tree, node), problem)
    return tree


def _problem(node: Tree, parent: Tree | None) -> str:
    """What is wrong with a call, or with an `&` outside of one; jmespath tells it only when run."""
    in_call = parent is not None and parent["type"] == trees.CALL
    if node["type"] == "expref" and not in_call:
        return "& stands outside of a function call"
    if node["type"] != trees.CALL:
        return ""
    name, arguments = node["value"], node["children"]
    if name not in _SIGNATURES:
        close = difflib.get_close_matches(name, _SIGNATURES, 1)
        return f"no function {name!r}" + "".join(f" (did you mean {near!r}?)" for near in close)
    return _miscount(name, arguments) or next(_misfits(name, arguments), "")


def _miscount(name: str, arguments: list[Tree]) -> str:
    signature = _SIGNATURES[name]
    wanted, given = len(signature), len(arguments)
    variadic: bool = signature[-1].get("variadic", False)
    if given == wanted or (variadic and given > wanted):
        return ""
    count = f"{wanted} argument" if wanted == 1 else f"{wanted} arguments"
    return f"{name}() takes {'at least ' if variadic else ''}{count}, not {given}"


def _misfits(name: str, arguments: list[Tree]) -> Iterator[str]:
    """The arguments that lack an `&` or have one too many."""
    slots = itertools.chain(_SIGNATURES[name], itertools.repeat({"types": []}))
    for number, (slot, argument) in enumerate(zip(slots, arguments, strict=False), 1):
        wanted, given = "expref" in slot["types"], argument["type"] == "expref"
        if wanted is not given:
            yield f"argument {number} of {name}() takes {'an' if wanted else 'no'} & before it"


def _place(text: str, tree: Tree, node: Tree) -> int:
    """Where a call or an `&` stands: trees have no positions, but tokens come in the same order."""
    kin = [other for other, _ in trees.walk(tree) if _mark(other) == _mark(node)]
    order = next(place for place, other in enumerate(kin) if other is node)
    tokens = itertools.pairwise(Lexer().tokenize(text))
    starts = [one["start"] for one, following in tokens if _opens(one, following, _mark(node))]
    return starts[order] if order < len(starts) else 0


def _mark(node: Tree) -> str:
    return "&" if node["type"] == "expref" else node["value"] if node["type"] == trees.CALL else ""


def _opens(token: Mapping[str, Any], following: Mapping[str, Any], mark: str) -> bool:
    called = token["type"] == "unquoted_identifier" and following["type"] == "lparen"
    return bool(token["value"] == mark and (called or token["type"] == "expref"))
