# ruff: noqa: INP001 - a script of its own
"""The ledger's reference: docs/ledger-reference.md out of the schemas, the rules, and entries of the ledger.

Keys, their order and what they mean come from engine/schemas; the order of a schema's properties is the
order in which a file is best written.  Examples are copied from the catalogue as it is.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from engine import build, grammar, lint

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "ledger-reference.md"

Schema = Mapping[str, Any]

FILES = (
    ("tools.toml", "tools"),
    ("ledger/<server>/<tool>.toml", "tool"),
    ("ledger/<server>/<table>/<value>.toml", "table"),
    ("ledger/shared/inputs.toml", "inputs"),
    ("ledger/shared/groups.toml", "groups"),
    ("ledger/shared/verdicts.toml", "verdicts"),
    ("projections/<definition>.toml", "projection"),
    ("projections/origins.toml", "origins"),
    ("projections/labels.toml", "labels"),
    ("projections/art.toml", "art"),
    ("tests/cases/<server>/<tool>.toml", "case"),
)

EXAMPLES = {
    "tool": (
        ("ledger/ombi/read_media.toml", "[operation.credits_movie]", "A read that puts two lists together."),
        (
            "ledger/ombi/read_media.toml",
            "[operation.credits_tv]",
            "One that extends it, and asks for every row of the window.",
        ),
        (
            "ledger/ombi/write_settings.toml",
            "[operation.patch]",
            "A write: read, refuse, change, read back. Its routes come from a table file.",
        ),
        ("ledger/ersatztv/ersatztv_list_playouts.toml", "", "A whole file on a server whose answers are told as they come."),
    ),
    "table": (("ledger/ombi/settings/issues.toml", "", "A section of settings."),),
    "inputs": (("ledger/shared/inputs.toml", "limit ", "An input that every paged tool takes."),),
    "verdicts": (("ledger/shared/verdicts.toml", "[[engine_result]]", "An answer that says in itself whether it worked."),),
    "projection": (("projections/request.toml", "[tv_child]", "A shape that extends another one."),),
    "origins": (("projections/origins.toml", "[origin.tv_request]", "Rows of one kind of route."),),
    "labels": (("projections/labels.toml", "[request_type]", "Codes and their words."),),
}

INTRO = """\
# The ledger

<!-- Written by scripts/reference out of engine/schemas: change it there. -->

A catalogue is a directory with `tools.toml`, `ledger/` and `projections/`: everything that the engine
knows of servers and tools.  The shipped one lies in this repository; an overlay, named with
`--catalogue`, adds tools to it or replaces some, and its names are looked up first.

Each file begins with a `#:schema` comment, so that an editor with a TOML language server completes keys
and marks mistakes.  `engine check` says the same and then looks [across files](#what-engine-check-knows).
Keys are best written in the order in which they stand here; `*` marks those that cannot be left out.
"""

ROOTS = """\
## Expressions

An expression is a [JMESPath](https://jmespath.org), always a whole text.  What it searches depends on
where it stands; what it does not find is absent, and absent stays absent in both directions: an absent
argument sends nothing, an absent field is not told.

| searches | where it stands | what it sees |
|---|---|---|
| the body | `rows`, `join`, `scan.rows`, `page.total`, `page.bound` | the answer as it came |
| an answer | `when` and `message` of a verdict | `{status, body}` |
| a row | shapes, `row`, `keep`, `sort`, `distinct`, `by` of a join, `each.value` | one row |
| the context | `needed`, `until`, `refuse`, `warn`, `path`, `query`, `header`, `body`, `user`, `take`, and `rows` of an operation without a route | `input`, `page` (`offset`, `limit`), `server` (`key`, `user`: whether they are set), loaded tables, each step under its own name, `complete.<step>` (whether a scan reached the end); after the main request also `main` and `rows` |

The language has traps, which `engine check` finds: `a || b` loses false, and keeps 0 (`not_null(a, b)`
takes the first that is there); a function fails on null, and with it the whole expression
(`not_null(list, \\`[]\\`)`); `!a.b` negates `a` alone (`!(a.b)`); `to_string(null)` is the text "null".
JMESPath has no variables: comparing two things is never an expression but a form or a refusal.
"""


@dataclass(slots=True)
class Page:
    """One chapter: its tables in order, each heading once; `waiting` are objects still to be told."""

    name: str
    lines: list[str] = field(default_factory=list)
    told: set[str] = field(default_factory=set)
    waiting: list[tuple[str, str, Schema]] = field(default_factory=list)


def reference() -> str:
    """The whole document."""
    parts = [INTRO, files(), *(chapter(place, name) for place, name in FILES)]
    parts += [ROOTS, forms(), words(), rules()]
    return "\n".join(part.rstrip() + "\n" for part in parts)


def files() -> str:
    """Which files there are."""
    rows = []
    for place, name in FILES:
        title = grammar.schema(name)["title"]
        rows.append(f"| `{place}` | [{title}](#{anchor(title)}) |")
    return "\n".join(["| file | what it is |", "|---|---|", *rows])


# --------------------------------------------------------------------------- chapters


def chapter(place: str, name: str) -> str:
    """The keys of one kind of file, object by object, then examples."""
    schema = grammar.schema(name)
    page = Page(name, [f"## {schema['title']}", "", f"`{place}`", "", sentence(schema)])
    tell(page, schema)
    while page.waiting:
        heading, file, inner = page.waiting.pop(0)
        if heading not in page.told:
            page.told.add(heading)
            page.lines += ["", f"### {heading}", "", sentence(inner)]
            tell(Page(file, page.lines, page.told, page.waiting), inner)
    for file, start, about in EXAMPLES.get(name, ()):
        page.lines += ["", f"{about} `{file}`:", "", "```toml", excerpt(file, start), "```"]
    return "\n".join(page.lines)


def tell(page: Page, schema: Schema) -> None:
    """The table of an object's keys; the objects in them wait for their own."""
    needed = {*schema.get("required", ()), *needed_by_case(schema)}
    keys = {key: one for key, one in schema.get("properties", {}).items() if "not" not in one}
    if keys:
        page.lines += ["", "| key | value | meaning |", "|---|---|---|"]
    for key, one in keys.items():
        star = "*" if key in needed else ""
        meaning = sentence(followed(page.name, one)[1] | one)
        page.lines.append(f"| `{key}`{star} | {value(page, one)} | {meaning} |")
    rest = schema.get("additionalProperties")
    if isinstance(rest, Mapping):
        about = sentence(followed(page.name, rest)[1] | rest)
        other = "any other name" if keys else "a name"
        if not keys:
            page.lines += ["", "| key | value | meaning |", "|---|---|---|"]
        page.lines.append(f"| {other} | {value(page, rest)} | {about} |")
    if "examples" in schema and keys:
        told = " or ".join(f"`{toml(one)}`" for one in schema["examples"])
        page.lines += ["", f"For example {told}."]


def needed_by_case(schema: Schema) -> set[str]:
    """Keys of which one is needed are not starred: the text says so."""
    return set(schema.get("else", {}).get("required", ())) if "then" not in schema else set()


def value(page: Page, schema: Schema) -> str:
    """What a key takes, in a few words; an object gets a table of its own."""
    file, target = followed(page.name, schema)
    title = target.get("title") or schema.get("title")
    if "properties" in target or (isinstance(target.get("additionalProperties"), Mapping) and title):
        return object_value(page, file, target, title)
    if file == "forms" and title:
        return f"[{bare(title)}](#{anchor(FORM_ANCHORS.get(title, 'words'))})"
    return plain(Page(file, page.lines, page.told, page.waiting), target, title)


FORM_ANCHORS = {
    "an expression": "expressions",
    "a value form": "value forms",
    "a value form or a list of them": "value forms",
    "a form in a table": "value forms",
    "an object of value forms": "value forms",
}


def object_value(page: Page, file: str, target: Schema, title: str | None) -> str:
    if title is None:
        inner = ", ".join(
            f"`{key}`{'*' if key in target.get('required', ()) else ''}: {value(page, one)}"
            for key, one in target["properties"].items()
        )
        return f"table of {inner}"
    if file == "forms":
        return f"[{bare(title)}](#value-forms)"
    page.waiting.append((bare(title), file, target))
    return f"[{bare(title)}](#{anchor(bare(title))})"


def plain(page: Page, schema: Schema, title: str | None) -> str:
    """A value that is no object."""
    if "enum" in schema:
        return ", ".join(f"`{toml(one)}`" for one in schema["enum"])
    if "const" in schema:
        return f"`{toml(schema['const'])}`"
    kinds = schema.get("type", "any value")
    kinds = [kinds] if isinstance(kinds, str) else list(kinds)
    told = [kind(page, schema, one) for one in kinds]
    text = bare(title) if title and kinds == ["string"] else " or ".join(dict.fromkeys(told))
    return text + bounds(schema)


WORDS = {"string": "text", "boolean": "true or false", "array": "list", "object": "table"}


def kind(page: Page, schema: Schema, name: str) -> str:
    """One type of a value, with what is in it."""
    if name == "array":
        inner = schema.get("items", schema.get("then", {}).get("items", {}))
        return f"list of {value(page, inner)}" if inner else "list"
    if name == "object":
        return table(page, schema)
    branch = schema.get("then", {}) if schema.get("if") == {"type": name} else {}
    return value(page, branch) if branch else WORDS.get(name, name)


def table(page: Page, schema: Schema) -> str:
    inner = schema.get("additionalProperties")
    if isinstance(inner, Mapping):
        return f"table of {value(page, inner)}"
    branch = schema.get("else", {})
    if "$ref" in branch or "properties" in branch:
        return value(page, branch)
    return "table"


def bounds(schema: Schema) -> str:
    """The least and the greatest of a number."""
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        return f", {low} to {high}"
    return f", at least {low}" if low is not None else ""


# --------------------------------------------------------------------------- forms, words, rules


def forms() -> str:
    """The value forms, with the keys that go with each word."""
    defs = grammar.schema("forms")["$defs"]
    lines = ["## Value forms", "", sentence(defs["form"])]
    lines += ["The list of words is closed; what they cannot say is a hatch.", ""]
    lines += ["| word | beside it | meaning | example |", "|---|---|---|---|"]
    for word, beside in build.WORDS.items():
        one = defs[word]
        keys = ", ".join(f"`{key}`{'*' if key in one['required'] else ''}" for key in beside)
        examples = "<br>".join(f"`{toml(each)}`" for each in one["examples"]).replace("|", "\\|")
        lines.append(f"| `{word}` | {keys} | {sentence(one)} | {examples} |")
    lines += ["", "What stands beside a word:", ""]
    for word, beside in build.WORDS.items():
        for key in beside:
            about = sentence(followed("forms", defs[word]["properties"][key])[1] | defs[word]["properties"][key])
            lines.append(f"- `{key}` of `{word}`: {about}")
    return "\n".join(lines)


def words() -> str:
    """Routes, names, sentences and the like."""
    defs = grammar.schema("forms")["$defs"]
    lines = ["## Words", "", "| value | what it is | example |", "|---|---|---|"]
    for name, one in defs.items():
        if name not in build.WORDS and one.get("type") in ("string", "number") and name != "expression":
            examples = ", ".join(f"`{toml(each)}`" for each in one.get("examples", ()))
            listed = f" One of {plain(Page('forms'), one, None)}." if "enum" in one else ""
            lines.append(f"| {bare(one['title'])} | {sentence(one)}{listed} | {examples} |")
    return "\n".join(lines)


def rules() -> str:
    """What is checked across files, by the docstrings of the rules."""
    lines = ["## What engine check knows", ""]
    lines += ["First each file is checked by the grammar above; then these rules look across files.", ""]
    seen: list[str] = []
    for rule in lint.RULES:
        if rule.__module__ not in seen:
            seen.append(rule.__module__)
            about = first(import_module(rule.__module__).__doc__)
            lines += ["", f"**{about.removeprefix('Rules about ').removeprefix('The rule about ')[:1].upper()}{about.removeprefix('Rules about ').removeprefix('The rule about ')[1:]}**", ""]
        lines.append(f"- {' '.join(inspect.getdoc(rule).split())}")
    return "\n".join(lines)


# --------------------------------------------------------------------------- text


def followed(name: str, schema: Schema) -> tuple[str, dict[str, Any]]:
    """A schema with its references followed, and the file that it stands in."""
    seen: dict[str, Any] = {}
    while "$ref" in schema:
        seen = {**{key: one for key, one in schema.items() if key != "$ref"}, **seen}
        file, _, way = schema["$ref"].partition("#")
        name = file.removesuffix(".schema.json") or name
        schema = grammar.schema(name)
        for key in way.strip("/").split("/"):
            schema = schema[key]
    return name, {**schema, **{key: one for key, one in seen.items() if key in ("description", "examples")}}


def sentence(schema: Schema) -> str:
    """A description that can stand in a table."""
    return str(schema.get("description", "")).replace("|", "\\|")


def first(doc: str | None) -> str:
    """The first line of a docstring."""
    return (doc or "").splitlines()[0]


def bare(title: str) -> str:
    """A noun without its article."""
    return re.sub(r"^(an?|the) ", "", title)


def anchor(title: str) -> str:
    """The anchor of a heading as Markdown renderers make it."""
    return re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-")


def toml(value: Any) -> str:
    """A value as TOML writes it in a line."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f"'{value}'" if ("\\" in value or '"' in value) else json.dumps(value)
    if isinstance(value, Mapping):
        inner = ", ".join(f"{_key(key)} = {toml(one)}" for key, one in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, Sequence):
        return f"[{', '.join(map(toml, value))}]"
    return str(value)


def _key(key: str) -> str:
    return key if re.fullmatch(r"[\w-]+", key) else json.dumps(key)


def excerpt(file: str, start: str) -> str:
    """A file, or the part of it that begins with `start` and ends before the next part of another name."""
    lines = (ROOT / file).read_text("utf-8").splitlines()
    if not start:
        return "\n".join(lines)
    begin = next(i for i, line in enumerate(lines) if line.startswith(start))
    if not start.startswith("["):
        return lines[begin]
    return "\n".join(_part(lines[begin:], start.strip("[]"))).rstrip()


def _part(lines: Sequence[str], name: str) -> Iterator[str]:
    """The lines up to the next heading of another name, without the comment that belongs to that one."""
    end = len(lines)
    for index, line in enumerate(lines):
        heading = line.split("#")[0].strip().strip("[]")
        if line.startswith("[") and heading != name and not heading.startswith(f"{name}."):
            end = index
            break
    while end > 1 and (not lines[end - 1].strip() or lines[end - 1].startswith("#")):
        end -= 1
    yield from lines[:end]


def main(arguments: Sequence[str]) -> int:
    """Write the file, or with --check say whether it is current."""
    made = reference()
    if "--check" not in arguments:
        TARGET.parent.mkdir(exist_ok=True)
        TARGET.write_text(made, "utf-8")
        return 0
    current = TARGET.is_file() and TARGET.read_text("utf-8") == made
    if not current:
        sys.stderr.write("docs/ledger-reference.md is not current: run scripts/reference\n")
    return 0 if current else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
