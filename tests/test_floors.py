"""The house: which floor each module of the engine stands on, and who may import what."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ENGINE = Path(__file__).resolve().parents[1] / "engine"

# Imports point to the same floor or down.  A new module gets its place here.
FLOORS: dict[int, str] = {
    0: "__init__ errors model",
    # what everything is told in: the catalogue, expressions, text, the environment
    1: "load expressions closures trees traps values text environment variables",
    # pure: compiling the catalogue, and everything between arguments and a result
    2: "arguments bind build compile context contract forms groups hatches leaves lists naming "
    "operations paging plan refusals requests rows rules shapes uses verdicts",
    # one call: the network, answers as they arrive, the result
    3: "answers envelope excerpt execute fetch inflate markup outgoing prose reply scan steps stream "
    "verbatim watch wire",
    # around the calls: what serves, tells, checks and tries them
    4: "casefiles cases described desk doctor documents draft draft_case draft_shape endpoints explain "
    "faults flat foresight grammar layout lines "
    "lint lint_choice lint_discards lint_expressions lint_forms lint_inputs lint_names "
    "lint_requests lint_resources lint_rows lint_shapes lint_steps lint_tables lint_tools "
    "logs outbound outline overview parity places proposal reading rehearse render render_line "
    "render_rehearsal resources samples scaffold scene schematics specimen spots standin story "
    "streams survey tabular told typed upstream wording",
    # the doors
    5: "__main__ beginning cli commands comparing examining handlers host messages opening screen serve stdio "
    "upkeep",
}
FLOOR = {name: floor for floor, names in FLOORS.items() for name in names.split()}

# The one module that imports a foreign library, and maps its exceptions to ours.
OWNERS = {
    "jmespath": "expressions",
    "glom": "forms",
    "jsonschema_rs": "contract",
    "httpx": "wire",
    "jsonschema": "grammar",
    "referencing": "grammar",
    "tomli_w": "scaffold",
    "uvicorn": "host",
    "rich": "screen",
    "click": "cli",
    "mcp": "serve",
    "mcp_types": "serve",
}

UPSTREAM = re.compile("ombi|ersatz", re.IGNORECASE)

MODULES = sorted(path.stem for path in ENGINE.glob("*.py"))


def imports(module: str) -> set[str]:
    """Every module that a module imports, at its top or within a function, by full name."""
    tree = ast.parse((ENGINE / f"{module}.py").read_text("utf-8"))
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} imports relatively"
            assert node.module is not None
            if node.module == "engine":
                found |= {f"engine.{alias.name}" for alias in node.names}
            else:
                found.add(node.module)
    return found


def own(module: str) -> set[str]:
    """The modules of the engine that a module imports."""
    names = {name.split(".")[1] for name in imports(module) if name.startswith("engine.")}
    # `from engine import __version__` reads the package itself.
    return {name if name in MODULES else "__init__" for name in names} - {module}


def test_every_module_has_its_floor() -> None:
    """The table is complete."""
    assert [] == [name for name in MODULES if name not in FLOOR]


@pytest.mark.parametrize("module", MODULES)
def test_imports_point_down(module: str) -> None:
    """No module imports one of a higher floor."""
    upwards = {name for name in own(module) if FLOOR[name] > FLOOR[module]}

    assert set() == upwards


def test_imports_run_in_no_ring() -> None:
    """The modules can be put in an order in which each imports only earlier ones."""
    waiting = {module: own(module) for module in MODULES}
    while waiting:
        free = [module for module, needed in waiting.items() if not needed & waiting.keys()]
        assert free, f"a ring among {sorted(waiting)}"
        for module in free:
            del waiting[module]


@pytest.mark.parametrize("module", MODULES)
def test_a_foreign_library_has_one_owner(module: str) -> None:
    """What is neither ours nor Python's is imported by the module that owns it."""
    roots = {name.partition(".")[0] for name in imports(module)}
    foreign = roots - {"engine"} - sys.stdlib_module_names

    assert dict.fromkeys(foreign, module) == {name: OWNERS.get(name) for name in foreign}


def test_the_engine_knows_no_upstream() -> None:
    """No file of the engine names a server, the shipped catalogue aside."""
    naming = [
        path.relative_to(ENGINE).as_posix()
        for path in ENGINE.rglob("*")
        if path.suffix in (".py", ".json") and "_shipped" not in path.parts
        if UPSTREAM.search(path.read_text("utf-8"))
    ]

    assert [] == naming


def loaded(*modules: str) -> set[str]:
    """What a fresh Python has imported after these modules."""
    code = f"import sys; import {', '.join(modules)}; print(*sys.modules)"
    told = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=ENGINE.parent
    ).stdout
    return set(told.split())


def test_listing_tools_loads_nothing_heavy() -> None:
    """What a listing does not need is imported at the first call."""
    heavy = {
        "httpx",
        "glom",
        "jsonschema",
        "referencing",
        "rich",
        "click",
        "mcp",
        "uvicorn",
        "anyio",
    }

    assert set() == heavy & loaded("engine.desk")


def test_a_call_loads_no_more_than_the_network() -> None:
    """Glom's door is for explaining, jsonschema for checking a catalogue: no call needs either."""
    assert set() == {"glom", "jsonschema", "referencing", "mcp"} & loaded("engine.execute")
