"""Lint: the shipped catalogue has no finding, and each rule finds what it is for."""

import inspect
from pathlib import Path

import faultbook
import pytest

from engine import grammar, lint, load
from engine.compile import Compiler
from engine.errors import Finding, LedgerError
from engine.lint.survey import Survey

ROOT = load.shipped()
FILES = grammar.files(ROOT)
TOOLS = [file for file in FILES if grammar.kind(file) == "tool"]
RULES = {rule.__name__: rule for rule in lint.RULES}
FAULTS = [fault for fault in faultbook.read() if fault.rule != "grammar"]


@pytest.fixture(name="shipped", scope="module")
def _shipped():
    """The findings of the shipped catalogue."""
    return lint.check()


@pytest.fixture(name="catalogue")
def _catalogue(tmp_path, monkeypatch):
    """Makes an edited copy of the base catalogue the shipped one."""

    def build(edits=()):
        root = faultbook.build(tmp_path / "catalogue", edits)
        monkeypatch.setattr(load, "shipped", lambda: root)
        return root

    return build


def told(findings):
    """Findings as a maintainer reads them."""
    return [str(one) for one in findings]


# --------------------------------------------------------------------------- the shipped catalogue


@pytest.mark.parametrize("file", TOOLS, ids=[Path(file).stem for file in TOOLS])
def test_a_shipped_tool_has_no_finding(file, shipped):
    """The ledger file of each tool is free of faults."""
    assert [] == told(one for one in shipped if one.file == file)


def test_nothing_else_of_the_shipped_catalogue_has_a_finding(shipped):
    """Neither has tools.toml, what tools share, or what they are projected with."""
    assert [] == told(one for one in shipped if one.file not in TOOLS)


# --------------------------------------------------------------------------- rules


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_fault_is_found(fault, catalogue):
    """A broken catalogue has exactly the findings expected, and the fault's own rule is among the finders."""
    catalogue(fault.edit)
    ledger = load.read()

    by_rule = set(told(RULES[fault.rule](Survey(ledger))))

    assert list(fault.expect) == told(lint.findings(ledger))
    assert by_rule
    assert by_rule <= set(fault.expect)


def test_every_rule_has_a_fault():
    """No rule is without a catalogue that it finds something in."""
    assert set(RULES) == {fault.rule for fault in FAULTS}


@pytest.mark.parametrize("rule", lint.RULES, ids=RULES)
def test_a_rule_says_what_it_is(rule):
    """The docstring of a rule is the rule: a sentence."""
    first = (inspect.getdoc(rule) or "").split("\n\n")[0]

    assert first.endswith((".", ":"))


def test_faults_have_names_of_their_own():
    """A failing fault can be told from every other."""
    names = [str(fault) for fault in faultbook.read()]

    assert len(names) == len(set(names))


def test_the_base_of_the_faults_has_none(catalogue):
    """What is found after an edit comes from the edit, by files and by a ledger that was read."""
    catalogue()

    assert [] == lint.check()
    assert [] == lint.findings(load.read())


def test_a_description_has_its_bound(catalogue):
    """The lines of all operations count, which no single summary shows."""
    line = "Books of the cellar" + " and more" * 100 + "."
    edit = {"file": "ledger/shelf/read_books.toml", "find": "Books of the cellar.", "put": line}
    catalogue([edit])

    problem = "the description has 1204 characters with its operations: at most 1024"
    assert [f"ledger/shelf/read_books.toml: summary: {problem}"] == told(lint.check())


# --------------------------------------------------------------------------- what stands in the way


def test_a_broken_tool_is_left_out_of_what_the_rules_see(catalogue):
    """Its own fault is told, and that nothing else uses its shapes now is not."""
    edit = {"file": "ledger/shelf/write_books.toml", "find": "verdict = [", "put": "verdikt = ["}
    catalogue([edit])

    problem = "operation.rename.verdikt: no key of this name (did you mean 'verdict'?)"
    assert [f"ledger/shelf/write_books.toml: {problem}"] == told(lint.check())


def test_a_broken_shared_file_stops_the_rules(catalogue):
    """While a file that others build on is broken, only the grammar speaks."""
    catalogue(
        [
            {"file": "ledger/shared/inputs.toml", "find": "default = 0,", "put": "defalt = 0,"},
            {"file": "ledger/plain/plain_drop.toml", "find": "{id}", "put": "{ident}"},
        ]
    )

    assert [
        "ledger/shared/inputs.toml: offset.defalt: no key of this name (did you mean 'default'?)"
    ] == told(lint.check())


def test_a_tool_without_a_file_is_told(catalogue):
    """What cannot even be read is a finding too."""
    put = 'plain_list = { effect = "read" }\nplain_view = { effect = "read" }'
    catalogue(
        [{"file": "tools.toml", "find": 'plain_list = { effect = "read" }', "put": put}],
    )

    assert [f"ledger/plain/plain_view.toml: the file cannot be read ({load.PUBLISHED})"] == told(
        lint.check()
    )


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (LedgerError((Finding("ledger/x.toml", "a", "broken"),)), "ledger/x.toml: a: broken"),
        (KeyError("x"), "ledger/plain/plain_drop.toml: cannot be compiled: KeyError"),
        (RecursionError(), "ledger/plain/plain_drop.toml: cannot be compiled: RecursionError"),
    ],
    ids=["a finding of the compiler", "a missing key", "a ring"],
)
def test_what_only_compiling_finds_is_told(error, expected, catalogue, monkeypatch):
    """When no rule has found anything, the compiler has the last word."""
    catalogue()
    compiled = Compiler.plan

    def plan(self, name):
        if name == "plain_drop":
            raise error
        return compiled(self, name)

    monkeypatch.setattr(Compiler, "plan", plan)

    assert [expected] == told(lint.check())


def test_no_missing_line_makes_lint_raise(catalogue):
    """Whatever line is missing from a file, lint has findings or none, and no exception."""
    root = catalogue()
    for file in grammar.files(root):
        path = root / file
        lines = path.read_text("utf-8").splitlines(keepends=True)
        for index in range(0, len(lines), 9):
            path.write_text("".join(lines[:index] + lines[index + 1 :]), "utf-8")
            assert isinstance(lint.check(), list)
        path.write_text("".join(lines), "utf-8")


# --------------------------------------------------------------------------- overlays


def test_an_overlay_is_checked_over_the_shipped_catalogue(catalogue, tmp_path):
    """Names resolve in both, and the overlay's own faults are told."""
    catalogue()
    over = tmp_path / "over"
    (over / "ledger" / "plain").mkdir(parents=True)
    (over / "tools.toml").write_text('[tool.plain]\nplain_view = { effect = "read" }\n')
    text = 'summary = "View."\n\n[input]\nquery = { use = "quary" }\n\n[operation.view]\nroute = "GET /sign"\nquery = ["query"]\n'
    (over / "ledger" / "plain" / "plain_view.toml").write_text(text)

    problem = "input.query.use: no shared input named 'quary' (did you mean 'query'?)"
    assert [f"ledger/plain/plain_view.toml: {problem}"] == told(lint.check([over]))


def test_what_an_overlay_replaces_is_nobodys_fault(catalogue, tmp_path):
    """A shape of the shipped catalogue that lost its only tool to an overlay is no finding."""
    catalogue()
    over = tmp_path / "over"
    (over / "ledger" / "shelf").mkdir(parents=True)
    told_tool = '[tool.shelf]\nwrite_books = { effect = "destroy", families = ["mutation"] }\n'
    (over / "tools.toml").write_text(told_tool)
    text = (
        'summary = "Change books."\n\n[input]\n'
        'book_id = { type = "integer", minimum = 1, required = true, about = "Id of the book." }\n\n'
        '[operation.burn]\nroute = "DELETE /api/books/{book_id}"\nshape = "mutation.burnt"\n'
    )
    (over / "ledger" / "shelf" / "write_books.toml").write_text(text)
    (over / "projections").mkdir()
    (over / "projections" / "mutation.toml").write_text(
        '[burnt]\nmessage = "why"\n\n[ash]\nmessage = "why"\n'
    )

    assert ["projections/mutation.toml: ash: nothing uses this shape"] == told(lint.check([over]))


def test_an_overlay_file_that_is_not_listed_is_told(catalogue, tmp_path):
    """A ledger file in an overlay does nothing without a line in the overlay's own tools.toml."""
    catalogue()
    over = tmp_path / "over"
    (over / "ledger" / "plain").mkdir(parents=True)
    (over / "tools.toml").write_text("")
    (over / "ledger" / "plain" / "plain_drop.toml").write_text(
        (faultbook.BASE / "ledger" / "plain" / "plain_drop.toml").read_text()
    )

    assert [
        "ledger/plain/plain_drop.toml: tools.toml does not publish it (see [tool.plain])"
    ] == told(lint.check([over]))
