# ruff: noqa: INP001 - a script of its own
"""The ledger's reference: docs/ledger-reference.md out of the schemas, the rules, and the ledger itself.

Keys, their order and what they mean come from engine/schemas; the order of a schema's properties is the
order in which a file is best written.  Examples are copied from the catalogue as it is.  The script
writes docs/tools.md as well (tool_pages.py).
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

import tool_pages
from marks import anchor, code, escaped

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

LISTS = "A read that puts two lists together."
EACH = "One that extends it, and asks for every row of the window."
WRITE = "A write: read, refuse, change, read back. Its routes come from a table file."
PLAIN = "A whole file on a server whose answers are told as they come."

EXAMPLES = {
    "tool": (
        ("ledger/ombi/read_media.toml", "[operation.credits_movie]", LISTS),
        ("ledger/ombi/read_media.toml", "[operation.credits_tv]", EACH),
        ("ledger/ombi/write_settings.toml", "[operation.patch]", WRITE),
        ("ledger/ersatztv/ersatztv_list_playouts.toml", "", PLAIN),
    ),
    "table": (("ledger/ombi/settings/issues.toml", "", "A section of settings."),),
    "inputs": (("ledger/shared/inputs.toml", "limit ", "An input that every paged tool takes."),),
    "verdicts": (
        ("ledger/shared/verdicts.toml", "[[engine_result]]", "An answer that says it itself."),
    ),
    "projection": (
        ("projections/request.toml", "[tv_child]", "A shape that extends another one."),
    ),
    "origins": (("projections/origins.toml", "[origin.tv_request]", "Rows of one kind of route."),),
    "labels": (("projections/labels.toml", "[request_type]", "Codes and their words."),),
}
"""Kind of file -> (file, where the part begins, what it shows)."""

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
| an answer | `when` and `message` of a verdict | see [verdict rule](#verdict-rule) |
| a row | shapes, `row`, `keep`, `sort`, `distinct`, `by` of a join, `each.value` | one row |
| the context | `needed`, `until`, `refuse`, `warn`, `path`, `query`, `header`, `body`, `user`, `take`, and `rows` of an operation without a route | `input`, `page` (`offset`, `limit`), `server` (`key`, `user`: whether they are set), loaded tables, each step under its own name, `complete.<step>` (whether a scan reached the end); after the main request also `main` and `rows` |

The language has traps, which `engine check` finds: `a || b` loses false, and keeps 0 (`not_null(a, b)`
takes the first that is there); a function fails on null, and with it the whole expression (a guard:
`a && length(a)`); `!a.b` negates `a` alone (`!(a.b)`); `to_string(null)` is the text "null".
JMESPath has no variables: comparing two things is never an expression but a form or a refusal.
"""  # noqa: E501 - a row of a table is one line


@dataclass(slots=True)
class Page:
    """What is being written: `waiting` are objects (heading, file, schema) that still need a table.

    `told` are the headings of the whole document: what several files hold is told once.
    """

    lines: list[str] = field(default_factory=list)
    told: set[str] = field(default_factory=set)
    waiting: list[tuple[str, str, Schema]] = field(default_factory=list)


def reference() -> str:
    """The whole document."""
    page = Page()
    parts = [INTRO, files(), *(chapter(page, place, name) for place, name in FILES)]
    parts += [ROOTS, forms(), words(), rules()]
    return "\n".join(part.rstrip() + "\n" for part in parts)


def files() -> str:
    """Which files there are."""
    rows = [f"| `{place}` | [{title(name)}](#{anchor(title(name))}) |" for place, name in FILES]
    return "\n".join(["| file | what it is |", "|---|---|", *rows])


def title(name: str) -> str:
    """The heading of a kind of file."""
    told: str = grammar.schema(name)["title"]
    return told.partition(":")[0]


# --------------------------------------------------------------------------- chapters


def chapter(page: Page, place: str, name: str) -> str:
    """The keys of one kind of file, object by object, then examples."""
    schema = grammar.schema(name)
    about = sentence(schema).removeprefix(escaped(f"{place}: "))
    page.lines = [f"## {title(name)}", "", f"`{place}`", "", about[:1].upper() + about[1:]]
    tell(page, name, schema)
    while page.waiting:
        heading, file, inner = page.waiting.pop(0)
        if heading not in page.told:
            page.told.add(heading)
            page.lines += ["", f"### {heading}"]
            page.lines += ["", sentence(inner)] if "description" in inner else []
            tell(page, file, inner)
    for file, start, told in EXAMPLES.get(name, ()):
        page.lines += ["", f"{told} `{file}`:", "", "```toml", excerpt(file, start), "```"]
    return "\n".join(page.lines)


def tell(page: Page, file: str, schema: Schema) -> None:
    """The table of an object's keys; the objects in them wait for their own."""
    needed, rest = schema.get("required", ()), schema.get("additionalProperties")
    rows = [
        (f"`{key}`{'*' if key in needed else ''}", one)
        for key, one in schema.get("properties", {}).items()
        if "not" not in one
    ]
    if isinstance(rest, Mapping):
        rows.append(("any other name" if rows else "a name", rest))
    if rows:
        page.lines += ["", "| key | value | meaning |", "|---|---|---|"]
    for key, one in rows:
        about = one if "description" in one else followed(file, one)[1]
        page.lines.append(f"| {key} | {value(page, file, one)} | {sentence(about)} |")
    if "examples" in schema:
        page.lines += [
            "",
            f"For example {' or '.join(code(toml(one)) for one in schema['examples'])}.",
        ]


def value(page: Page, file: str, schema: Schema) -> str:
    """What a key takes, in a few words; an object with a name gets a table of its own."""
    file, target = followed(file, schema)
    noun = bare(target.get("title", ""))
    if file == "forms" and noun:
        return f"[{noun}](#{FORM_ANCHORS.get(noun, 'words')})"
    if noun and ("properties" in target or isinstance(target.get("additionalProperties"), Mapping)):
        page.waiting.append((noun, file, target))
        return f"[{noun}](#{anchor(noun)})"
    return plain(page, file, target)


FORM_ANCHORS = {
    "expression": "expressions",
    "value form": "value-forms",
    "value form or a list of them": "value-forms",
    "form in a table": "value-forms",
}


def plain(page: Page, file: str, schema: Schema) -> str:
    """A value without a table of its own."""
    if "enum" in schema:
        return ", ".join(code(toml(one)) for one in schema["enum"])
    if "const" in schema:
        return code(toml(schema["const"]))
    kinds = schema.get("type", "any value")
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds == ["string"] and "title" in schema:
        return bare(schema["title"])
    told = dict.fromkeys(kind(page, file, schema, one) for one in kinds)
    return " or ".join(told) + bounds(schema)


WORDS = {"string": "text", "boolean": "true or false", "array": "list", "object": "table"}


def kind(page: Page, file: str, schema: Schema, name: str) -> str:
    """One type of a value, with what is in it."""
    branch = schema
    if "type" in schema.get("if", {}):
        branch = schema["then"] if schema["if"]["type"] == name else schema.get("else", schema)
    if branch is not schema and ("$ref" in branch or "enum" in branch):
        return value(page, file, branch)
    if name == "array":
        items = branch.get("items", schema.get("items"))
        return f"list of {value(page, file, items)}" if items else "list"
    if name == "object":
        return table(page, file, branch if "properties" in branch else schema)
    return WORDS.get(name, name)


def table(page: Page, file: str, schema: Schema) -> str:
    """An object without a name: its keys in a line."""
    needed, rest = schema.get("required", ()), schema.get("additionalProperties")
    keys = [
        f"`{key}`{'*' if key in needed else ''} = {value(page, file, one)}"
        for key, one in schema.get("properties", {}).items()
    ]
    if not isinstance(rest, Mapping):
        return f"table: {', '.join(keys)}" if keys else "table"
    inside = value(page, file, rest)
    return f"table: {', '.join(keys)}, any other name = {inside}" if keys else f"table of {inside}"


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
        examples = "<br>".join(code(toml(each)) for each in one["examples"])
        lines.append(f"| `{word}` | {keys} | {sentence(one)} | {examples} |")
    lines += ["", "What stands beside a word:", ""]
    for word, beside in build.WORDS.items():
        for key in beside:
            about = defs[word]["properties"][key]
            told = sentence(about if "description" in about else followed("forms", about)[1])
            lines.append(f"- `{key}` of `{word}`: {told}")
    return "\n".join(lines)


def words() -> str:
    """Routes, names, sentences and the like."""
    lines = ["## Words", "", "| value | what it is | example |", "|---|---|---|"]
    for name, one in grammar.schema("forms")["$defs"].items():
        if (
            name not in build.WORDS
            and name != "expression"
            and one.get("type") in ("string", "number")
        ):
            examples = ", ".join(code(toml(each)) for each in one.get("examples", ()))
            listed = f" One of {', '.join(one['enum'])}." if "enum" in one else ""
            lines.append(f"| {bare(one['title'])} | {sentence(one)}{listed} | {examples} |")
    return "\n".join(lines)


def rules() -> str:
    """What is checked across files, by the docstrings of the rules."""
    lines = ["## What engine check knows", ""]
    lines += ["Each file is checked by the grammar above; then these rules look across files."]
    chapters: dict[str, list[str]] = {}
    for rule in lint.RULES:
        told = " ".join((inspect.getdoc(rule) or "").split())
        chapters.setdefault(rule.__module__, []).append(f"- {told}")
    for module, told_rules in chapters.items():
        about = (import_module(module).__doc__ or "").splitlines()[0]
        lines += ["", about, "", *told_rules]
    return "\n".join(lines)


# --------------------------------------------------------------------------- text


def followed(file: str, schema: Schema) -> tuple[str, Schema]:
    """What a schema refers to, through all references, and the file where that stands."""
    while "$ref" in schema:
        name, _, way = schema["$ref"].partition("#")
        file = name.removesuffix(".schema.json") or file
        schema = grammar.schema(file)
        for key in way.strip("/").split("/"):
            schema = schema[key]
    return file, schema


def sentence(schema: Schema) -> str:
    """A description that can stand in a table."""
    return escaped(schema.get("description", ""))


def bare(noun: str) -> str:
    """A noun without its article."""
    return re.sub(r"^(an?|the) ", "", noun)


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
    """Write the files, or with --check say which of them are not current."""
    pages = {TARGET: reference(), tool_pages.TARGET: tool_pages.tools()}
    if "--check" not in arguments:
        for path, text in pages.items():
            path.write_text(text, "utf-8")
        return 0
    stale = [path for path, text in pages.items() if path.read_text("utf-8") != text]
    for path in stale:
        sys.stderr.write(f"{path.relative_to(ROOT)} is not current: run scripts/reference\n")
    return 1 if stale else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
