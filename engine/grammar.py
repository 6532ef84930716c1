"""The grammar: each TOML file of a catalogue against its schema, every fault with file and key.

The schemas are `schemas/*.json`, which editors read too.  This is the only importer of jsonschema, and a
start of the shipped catalogue does not come here: it was checked when it was built.
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any, Final

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import ValidationError
from referencing import Registry, Resource

from engine import expressions
from engine.errors import Finding
from engine.faults import Broken, Place, dotted, tell
from engine.model import Json, Table

SCHEMAS: Final = Path(__file__).with_name("schemas")

_KINDS: Final = (
    ("tools.toml", "tools"),
    ("ledger/shared/inputs.toml", "inputs"),
    ("ledger/shared/groups.toml", "groups"),
    ("ledger/shared/verdicts.toml", "verdicts"),
    ("ledger/shared/*.toml", None),
    ("ledger/*/*.toml", "tool"),
    ("ledger/*/*/*.toml", "table"),
    ("projections/origins.toml", "origins"),
    ("projections/labels.toml", "labels"),
    ("projections/art.toml", "art"),
    ("projections/*.toml", "projection"),
    ("tests/cases/*/*.toml", "case"),
)
"""Files of a catalogue and their schemas; the first pattern that fits decides."""


def findings(roots: Iterable[Path]) -> Iterator[Finding]:
    """Every fault of every TOML file of these catalogues; file names are relative to their root."""
    for root in roots:
        for file in files(root):
            table, fault = read(root, file)
            yield from check(file, table) if fault is None else (fault,)


def files(root: Path) -> list[str]:
    """The TOML files of a catalogue, relative to its root."""
    found = [root / "tools.toml"] if (root / "tools.toml").is_file() else []
    for folder in ("ledger", "projections", "tests/cases"):
        found += sorted((root / folder).rglob("*.toml"))
    return [path.relative_to(root).as_posix() for path in found]


def read(root: Path, file: str) -> tuple[Table, Finding | None]:
    """A TOML file, and what is wrong with it as one."""
    try:
        return tomllib.loads((root / file).read_text("utf-8")), None
    except OSError:
        return {}, Finding(file, "", "the file cannot be read")
    except UnicodeDecodeError:
        return {}, Finding(file, "", "the file is not UTF-8")
    except tomllib.TOMLDecodeError as error:
        return {}, Finding(file, "", f"not TOML: {error}")


def kind(file: str) -> str | None:
    """The schema that a file must meet, by its place in the catalogue; None where no file belongs."""
    path = PurePosixPath(file)
    return next((name for pattern, name in _KINDS if path.match(pattern)), None)


def check(file: str, table: Table) -> list[Finding]:
    """The faults of one file, each once, in the order of its keys."""
    name = kind(file)
    if name is None:
        return [Finding(file, "", "a catalogue has no file here", "see docs/ledger-reference.md")]
    foreign = dict(_foreign(table))
    told = [(place, problem, "") for place, problem in foreign.items()]
    broken = sorted(_broken(name, table), key=lambda one: _order(one.place))
    told += [one for each in broken for one in tell(each) if one[0] not in foreign]
    return [
        Finding(file, dotted(place), problem, hint) for place, problem, hint in dict.fromkeys(told)
    ]


def schema(name: str) -> dict[str, Any]:
    """One schema file as JSON."""
    found: dict[str, Any] = json.loads((SCHEMAS / f"{name}.schema.json").read_text("utf-8"))
    return found


def _order(place: Place) -> list[tuple[bool, str | int]]:
    """A sort key for places, in which an index may meet a key."""
    return [(isinstance(part, str), part) for part in place]


def _foreign(value: Json, place: Place = ()) -> Iterator[tuple[Place, str]]:
    """What TOML has and JSON has not."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _foreign(inner, (*place, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _foreign(inner, (*place, index))
    elif isinstance(value, float) and not math.isfinite(value):
        yield place, "must be a finite number"
    elif not isinstance(value, str | int | float):
        yield place, "is a date of TOML: write it as text"


# --------------------------------------------------------------------------- jsonschema


def _broken(name: str, table: Table) -> Iterator[Broken]:
    """Every broken keyword: an error of jsonschema without jsonschema."""
    for error in _validator(name).iter_errors(table):
        yield Broken(
            keyword=str(error.validator),
            rule=error.validator_value,
            schema=error.schema if isinstance(error.schema, Mapping) else {},
            value=error.instance,
            place=tuple(error.absolute_path),
            of_key=_of_key(error),
            cause=str(error.cause or ""),
        )


def _of_key(error: ValidationError) -> bool:
    """Whether the error is about the name of a key: its way through the schema ends in `propertyNames`."""
    way = [part for part in error.absolute_schema_path if part != "$ref"]
    return way[-2:-1] == ["propertyNames"]


@cache
def _validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(schema(name), registry=_registry(), format_checker=_formats())


@cache
def _registry() -> Registry[Any]:
    """The schema files by name, which is how they refer to each other; nothing is fetched."""
    names = [path.name.removesuffix(".schema.json") for path in SCHEMAS.glob("*.json")]
    return Registry().with_resources(
        (f"{name}.schema.json", Resource.from_contents(schema(name))) for name in names
    )


@cache
def _formats() -> FormatChecker:
    checker = FormatChecker(formats=())
    checker.checks("jmespath", raises=expressions.ExpressionFault)(_expression)
    checker.checks("sort", raises=expressions.ExpressionFault)(_sort)
    checker.checks("regex", raises=re.error)(_regex)
    checker.checks("group", raises=re.error)(_group)
    return checker


def _expression(value: object) -> bool:
    return not isinstance(value, str) or bool(expressions.compile(value))


def _sort(value: object) -> bool:
    return not isinstance(value, str) or bool(expressions.compile(value.removeprefix("-")))


def _regex(value: object) -> bool:
    return not isinstance(value, str) or bool(re.compile(value))


def _group(value: object) -> bool:
    return not isinstance(value, str) or re.compile(value).groups > 0
