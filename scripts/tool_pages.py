# ruff: noqa: INP001 - imported by the script beside it
"""The tools for people: docs/tools.md out of tools.toml and the ledger.

A tool is told by what it answers with, its operations, its inputs and the requests that it may send.
Operations with the same value of `view` or `action` are one line, as they are for a client.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from marks import anchor, code, escaped, table
from tool_operations import groups, inputs, operations, pages
from tool_requests import files, requests

from engine import load
from engine.compile import Compiler
from engine.model import Json, Server
from engine.plan import Plan

TARGET = Path(__file__).resolve().parent.parent / "docs" / "tools.md"

EFFECTS = {
    "read": "Reads.",
    "write": "Writes; what was there stays.",
    "destroy": "Writes, destructive: it replaces or removes, or cannot be taken back.",
}
SHORT = {"read": "reads", "write": "writes", "destroy": "destructive"}

INTRO = """\
# The tools

<!-- Written by scripts/reference out of tools.toml and the ledger: change it there. -->

What each tool takes, what it answers with, and what it asks of its server.

{contents}

## How to read this

**Operations.**  A tool that does several things is told which one by `view` (reads) or `action` (writes).
An input that the chosen one does not take is refused, never dropped.  `*` marks what must be given; what
stands in brackets after an input holds for that operation only.

**Effects.**  A tool that reads changes nothing.  Tools that write are listed and served only when they are
turned on (`OMBI_ALLOW_WRITES`, `ERSATZTV_ALLOW_WRITES`); a client is told which of them are destructive.
Repeatable is a write that does no more the second time than it did the first time.

**Pages.**  `upstream`: the server is asked for the page.  `local`: the server sends the whole list, and the
page is cut from it here.  `none`: everything comes at once, without `offset` and `limit`.  The unit says
what is counted.

**Requests** stand in the order in which they are sent.  *If needed*: the arguments or an earlier answer
decide.  *For each row*: once for every row of the page.  *Page by page*: a bounded search through a list.
*When refused*: asked to tell why.  What stands in braces is an input, or what the brackets behind a route
say; `{{each.value}}` is an id of the row, `{{scan.size}}` and `{{scan.offset}}` are the page of a search.
"""

RESULTS = """\
## Results

Answers of tools with result families are objects: `ok`, `operation` (the name of the tool), `data` (one of
its families), `error` where `ok` is false, `warnings`, `truncated` and `correlation_id`.  What the server
does not say is absent, never null, 0 or false; `total`, `has_more` and `next_offset` of a page alone are
null where nobody knows.  The other tools answer with the text of their server.
"""


@dataclass(frozen=True, slots=True)
class Section:
    """The tools of one API of a server, in the catalogue's order."""

    server: Server
    plans: tuple[Plan, ...]

    @property
    def title(self) -> str:
        """Its heading."""
        server = self.server
        return f"{server.title} ({server.variant})" if server.variant else server.title

    def heading(self, plan: Plan) -> str:
        """The heading of a tool: a name that another section has too says which API this is."""
        first = self.server.variant in (None, next(iter(self.server.variants), None))
        return plan.name if first else f"{plan.name} ({self.server.variant})"


def tools() -> str:
    """The whole document."""
    parts = list(sections())
    links = [f"- [{one.title}](#{anchor(one.title)}): {counted(one)}" for one in parts]
    contents = "\n".join([*links, "- [Results](#results): what the objects of an answer hold"])
    told = [INTRO.format(contents=contents), *(section(one) for one in parts), results(parts)]
    return "\n".join(part.rstrip() + "\n" for part in told)


def sections() -> Iterator[Section]:
    """Every API of every server."""
    for name, server in load.servers().items():
        for variant in server.variants or (None,):
            ledger = load.read((), {} if variant is None else {name: variant})
            compiler = Compiler(ledger)
            own = (one for one, entry in ledger.entries.items() if entry.server == name)
            yield Section(ledger.servers[name], tuple(compiler.plan(one) for one in own))


def counted(one: Section) -> str:
    """How many tools there are, and how many things they do."""
    number = sum(len(groups(plan)) for plan in one.plans)
    more = f", {number} operations" if number > len(one.plans) else ""
    return f"{len(one.plans)} tools{more}"


# --------------------------------------------------------------------------- sections and tools


def section(one: Section) -> str:
    """An overview, then tool after tool."""
    server = one.server
    lines = [f"## {one.title}", ""]
    if server.variant is not None:
        about = server.variants[server.variant].about
        lines += [f"Served by {about}: `{server.env}_API={server.variant}`.", ""]
    rows = (
        (f"[`{plan.name}`](#{anchor(one.heading(plan))})", SHORT[plan.effect], brief(plan))
        for plan in one.plans
    )
    lines += table(("tool", "effect", "what for"), rows)
    for plan in one.plans:
        lines += ["", f"### {one.heading(plan)}", "", *tool(plan)]
    return "\n".join(lines)


def summary(plan: Plan) -> str:
    """What a tool is for, without the generated lines."""
    told: str = plan.listed["description"]
    return escaped(told.partition("\n")[0])


def brief(plan: Plan) -> str:
    """The first sentence of it."""
    return summary(plan).partition(". ")[0].rstrip(".") + "."


def tool(plan: Plan) -> Iterator[str]:
    """Everything about one tool."""
    yield from (summary(plan), "", facts(plan))
    if plan.select is not None:
        yield from ("", *operations(plan))
    rows = list(inputs(plan))
    if rows:
        yield from ("", *table(("input", "takes", "unless given", "meaning"), rows))
    yield from ("", *requests(plan))
    for name in dict.fromkeys(one for each in plan.operations for one in each.tables):
        yield from ("", *files(plan, name))


def facts(plan: Plan) -> str:
    """Effect, families, and how a tool without a choice of operations pages."""
    told = [EFFECTS[plan.effect]]
    told += ["Repeatable."] if plan.repeatable and plan.effect != "read" else []
    if plan.families:
        told.append(f"Answers with {', '.join(family(one) for one in plan.families)}.")
    else:
        told.append(f"Answers with the text of {plan.server.title}.")
    if plan.select is None and plan.operations[0].page is not None:
        told.append(f"Pages: {pages(plan.operations)}.")
    return " ".join(told)


def family(name: str) -> str:
    """A family, as a link to what it holds."""
    return f"[`{name}`](#results)"


# --------------------------------------------------------------------------- results


def results(parts: Sequence[Section]) -> str:
    """The envelope, the families, and the records in them."""
    plans = [plan for part in parts for plan in part.plans if plan.families]
    names = dict.fromkeys(one for plan in plans for one in plan.families)
    defs = plans[0].definitions
    families = ([code(one), holds(defs[one])] for one in names)
    records = ([code(one), holds(defs[one])] for one in defs if one not in names)
    lines = [RESULTS, *table(("family", "beside its `kind`"), families)]
    return "\n".join(
        [*lines, "", "What they are made of:", "", *table(("part", "members"), records)]
    )


def holds(definition: Mapping[str, Json]) -> str:
    """The members of a definition, with the part that each is made of."""
    needed = definition.get("required", ())
    members = definition["properties"].items()
    return ", ".join(
        f"{code(name)}{'*' if name in needed else ''}{made_of(one)}"
        for name, one in members
        if name != "kind" or "const" not in one
    )


def made_of(schema: Mapping[str, Json]) -> str:
    """The part that a member is, or is a list of."""
    inner = schema.get("items", schema)
    name = inner.get("$ref", "").rpartition("/")[2]
    if not name:
        return ""
    return f" (list of {name})" if inner is not schema else f" ({name})"
