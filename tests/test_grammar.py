"""The grammar: schemas that editors can use, files that meet them, and faults that say the way out."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import get_args

import faultbook
import pytest
from jsonschema import Draft202012Validator

from engine import build, errors, faults, grammar, load, verdicts
from engine.model import Json

ROOT = load.shipped()
SCHEMAS = sorted(path.name.removesuffix(".schema.json") for path in grammar.SCHEMAS.glob("*.json"))
GRAMMAR_FAULTS = [fault for fault in faultbook.read() if fault.rule == "grammar"]


def schemas(schema: Json, place: str = "") -> Iterator[tuple[str, Mapping[str, Json]]]:
    """A schema and every schema in it, with their places."""
    if not isinstance(schema, Mapping):
        return
    yield place, schema
    for key in ("properties", "$defs", "dependentSchemas"):
        for name, inner in schema.get(key, {}).items():
            yield from schemas(inner, f"{place}/{key}/{name}")
    for key in ("items", "additionalProperties", "if", "then", "else"):
        yield from schemas(schema.get(key), f"{place}/{key}")


def properties(schema: Json) -> Iterator[tuple[str, Mapping[str, Json]]]:
    """Every property that a schema declares, with its place; in an `if` it only names what is tested."""
    for place, one in schemas(schema):
        if "/if" not in place:
            for name, told in one.get("properties", {}).items():
                yield f"{place}/{name}", told


def described(name: str, schema: Mapping[str, Json]) -> bool:
    """Whether a schema has a description, its own or that of what it refers to."""
    while "description" not in schema and "$ref" in schema:
        file, _, way = schema["$ref"].partition("#")
        name = file.removesuffix(".schema.json") or name
        schema = grammar.schema(name)
        for key in way.strip("/").split("/"):
            schema = schema[key]
    return bool(schema.get("description"))


# --------------------------------------------------------------------------- the schemas


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_schema_is_one(name):
    """Each file is a valid schema of draft 2020-12."""
    Draft202012Validator.check_schema(grammar.schema(name))


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_property_is_described(name):
    """A maintainer can read what each key means; `not` only says where a key has no place."""
    bare = [
        place
        for place, told in properties(grammar.schema(name))
        if "not" not in told and not described(name, told)
    ]

    assert bare == []


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_example_meets_its_schema(name):
    """An example that stands beside a schema is valid under it."""
    validator = grammar._validator(name)

    wrong = [
        f"{place}: {json.dumps(example)}: {error.message}"
        for place, one in schemas(grammar.schema(name))
        for example in one.get("examples", ())
        for error in validator.evolve(schema=dict(one)).iter_errors(example)
    ]

    assert wrong == []


def test_the_form_words_are_those_of_the_engine():
    """The schema knows each form word with exactly the keys that may stand beside it."""
    defs = grammar.schema("forms")["$defs"]
    table = defs["table"]["dependentSchemas"]
    told = {word: set(one["if"]["propertyNames"]["enum"]) for word, one in table.items()}
    declared = {word: set(defs[word]["properties"]) for word in table}

    expected = {word: {word, *beside} for word, beside in build.WORDS.items()}
    assert expected == told
    assert expected == declared
    assert list(build.WORDS) == defs["table"]["if"]["propertyNames"]["not"]["enum"]


def test_the_lists_of_the_schemas_are_those_of_the_engine():
    """Codes and outcomes are the engine's own."""
    assert list(errors.CODES) == grammar.schema("forms")["$defs"]["code"]["enum"]
    rule = grammar.schema("verdicts")["$defs"]["rule"]["properties"]
    assert list(get_args(verdicts.Outcome)) == rule["then"]["enum"]


# --------------------------------------------------------------------------- the shipped files


@pytest.mark.parametrize("file", grammar.files(ROOT))
def test_every_shipped_file_meets_the_grammar(file):
    """No file of the catalogue has a fault, and its first line names the schema for editors."""
    table, fault = grammar.read(ROOT, file)

    assert fault is None
    assert [] == [str(one) for one in grammar.check(file, table)]


@pytest.mark.parametrize("file", [one for one in grammar.files(ROOT) if "cases" not in one])
def test_every_shipped_file_names_its_schema(file):
    """The `#:schema` comment leads an editor from the file to the schema that it is checked with."""
    first = (ROOT / file).read_text("utf-8").splitlines()[0]
    up = "../" * file.count("/")

    assert f"#:schema {up}engine/schemas/{grammar.kind(file)}.schema.json" == first


# --------------------------------------------------------------------------- faults


@pytest.mark.parametrize("fault", GRAMMAR_FAULTS, ids=str)
def test_a_fault_is_told_with_its_way_out(fault, tmp_path):
    """Each broken file is told with file, key, problem and hint, everything at once."""
    root = faultbook.build(tmp_path / "catalogue", fault.edit)

    assert list(fault.expect) == [str(one) for one in grammar.findings([root])]


def test_the_base_of_the_faults_has_none(tmp_path):
    """What is found after an edit comes from the edit."""
    assert [] == list(grammar.findings([faultbook.build(tmp_path / "catalogue")]))


def test_a_file_that_is_not_utf8_is_told(tmp_path):
    """An unreadable file is a finding, no exception."""
    (tmp_path / "tools.toml").write_bytes(b"title = '\xff'")

    assert ["tools.toml: the file is not UTF-8"] == [
        str(one) for one in grammar.findings([tmp_path])
    ]


def test_several_catalogues_are_checked_in_order(tmp_path):
    """The findings of an overlay come before those of what it lies over."""
    edit = {"file": "projections/art.toml", "find": "base ", "put": "bass "}
    over, under = (faultbook.build(tmp_path / name, [edit]) for name in ("over", "under"))

    told = [str(one) for one in grammar.findings([over, under])]

    assert ["projections/art.toml: bass: no key of this name (did you mean 'base'?)"] * 2 == told


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("tools.toml", "tools"),
        ("ledger/shared/inputs.toml", "inputs"),
        ("ledger/shared/groups.toml", "groups"),
        ("ledger/shared/verdicts.toml", "verdicts"),
        ("ledger/shared/other.toml", None),
        ("ledger/shelf/read_books.toml", "tool"),
        ("ledger/shelf/shops/main.toml", "table"),
        ("ledger/shelf/shops/main/deep.toml", None),
        ("ledger/stray.toml", None),
        ("projections/book.toml", "projection"),
        ("projections/labels.toml", "labels"),
        ("projections/origins.toml", "origins"),
        ("projections/art.toml", "art"),
        ("projections/deep/book.toml", None),
        ("tests/cases/shelf/read_books.toml", "case"),
    ],
)
def test_the_place_of_a_file_decides_its_schema(file, expected):
    """A file is what its directory says, and where no file belongs there is no schema."""
    assert expected == grammar.kind(file)


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ((), ""),
        (("operation", "list", "refuse", 0, "when"), "operation.list.refuse[0].when"),
        (("patch", "/enabled"), 'patch."/enabled"'),
        (("where", "a.b", "If-Match"), 'where."a.b".If-Match'),
    ],
)
def test_a_place_is_a_dotted_key(place, expected):
    """A place reads as TOML writes keys, with an index in brackets."""
    assert expected == faults.dotted(place)


@pytest.mark.parametrize(
    ("word", "known", "expected"),
    [
        ("sorting", ["sort", "size"], "did you mean 'sort'?"),
        ("x", ["sort", "size"], "known here: sort, size"),
        ("x", [], ""),
        ("x", [f"name{number}" for number in range(13)], ""),
    ],
)
def test_a_hint_is_the_near_word_or_a_few(word, known, expected):
    """A hint never lists more than a dozen words."""
    assert expected == faults.near(word, known)


def test_a_start_does_not_pay_for_the_grammar():
    """Reading and compiling the shipped catalogue imports neither jsonschema nor this module."""
    code = (
        "import sys; from engine import load; from engine.compile import Compiler; "
        "Compiler(load.read()).plans(); "
        "print([name for name in ('jsonschema', 'engine.grammar') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "[]" == done.stdout.strip()


def test_no_schema_is_without_files():
    """Each schema is for some file of a catalogue, or is what others refer to."""
    told = {name for _, name in grammar._KINDS if name is not None}

    assert {*told, "forms"} == set(SCHEMAS)


def test_schemas_refer_to_files_that_are_there():
    """A reference from one schema to another works for an editor too, which resolves it by path."""
    text = "\n".join(path.read_text("utf-8") for path in grammar.SCHEMAS.glob("*.json"))
    files = {part.split("#")[0] for part in text.split('"$ref": "')[1:]} - {""}

    assert {one for one in files if not Path(grammar.SCHEMAS / one).is_file()} == set()
