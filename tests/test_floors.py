"""The house: which floor each module of the engine stands on, and who may import what."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ENGINE = Path(__file__).resolve().parents[1] / "engine"

# Imports point to the same floor or down.  A new module gets its place here; a package stands on one
# floor as a whole.
FLOORS: dict[int, str] = {
    0: "__init__ errors model",
    # what everything is told in: the catalogue, expressions, text, the environment
    1: "load expressions text environment variables",
    # pure: compiling the catalogue, and everything between arguments and a result
    2: "arguments bind build choice compile context contract forms groups hatches leaves lists naming "
    "operations paging plan refusals requests rows rules shapes uses verdicts",
    # one call: the network, answers as they arrive, the result
    3: "answers envelope excerpt execute fetch inflate markup outgoing prose reply scan steps stream "
    "verbatim watch wire",
    # around the calls: what serves, tells, checks and tries them
    4: "cases desk doctor explain faults grammar lines lint openapi resources",
    # the doors
    5: "__main__ cli handlers messages serve stdio terminal",
}
FLOOR = {name: floor for floor, names in FLOORS.items() for name in names.split()}

# The one module that imports a foreign library, and maps its exceptions to ours.
OWNERS = {
    "jmespath": "expressions.expression",
    "glom": "forms",
    "jsonschema_rs": "contract",
    "httpx": "wire",
    "jsonschema": "grammar",
    "referencing": "grammar",
    "tomli_w": "openapi.scaffold",
    "uvicorn": "terminal.host",
    "rich": "terminal.screen",
    "click": "cli",
    "mcp": "serve",
    "mcp_types": "serve",
}

UPSTREAM = re.compile("ombi|ersatz", re.IGNORECASE)


def module_of(path: Path) -> str:
    """The dotted name of a file below `engine`; a package is named by its folder."""
    parts = path.relative_to(ENGINE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and parts[:-1] else parts)


FILES = {module_of(path): path for path in ENGINE.rglob("*.py") if "_shipped" not in path.parts}
MODULES = sorted(FILES)


def floor(module: str) -> int:
    """The floor of a module: its package's."""
    return FLOOR[module.partition(".")[0]]


def imports(module: str) -> set[str]:
    """Every module that a module imports, at its top or within a function, by full name."""
    tree = ast.parse(FILES[module].read_text("utf-8"))
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} imports relatively"
            assert node.module is not None
            if node.module.partition(".")[0] == "engine":
                found |= {f"{node.module}.{alias.name}" for alias in node.names}
            else:
                found.add(node.module)
    return found


def own(module: str) -> set[str]:
    """The modules of the engine that a module imports."""
    named = (name.removeprefix("engine.") for name in imports(module) if name.startswith("engine."))
    return {nearest(name) for name in named} - {module}


def nearest(name: str) -> str:
    """The module that a name stands in: `from engine import __version__` reads the package itself."""
    while name and name not in FILES:
        name = name.rpartition(".")[0]
    return name or "__init__"


def test_every_module_has_its_floor() -> None:
    """The table is complete."""
    assert [] == [name for name in MODULES if name.partition(".")[0] not in FLOOR]


@pytest.mark.parametrize("module", MODULES)
def test_imports_point_down(module: str) -> None:
    """No module imports one of a higher floor."""
    upwards = {name for name in own(module) if floor(name) > floor(module)}

    assert set() == upwards


def test_imports_run_in_no_ring() -> None:
    """The modules can be put in an order in which each imports only earlier ones."""
    # A package is only the door of one of its modules: whoever stands inside does not come through it.
    waiting = {
        module: {name for name in own(module) if not module.startswith(f"{name}.")}
        for module in MODULES
    }
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
