"""Hatches: plain functions `(row, context) -> value` for what TOML cannot say.

They stand in `projections/hatches/<module>.py` of a catalogue and are loaded by path; the overlay's
module wins over the shipped one.  Their names are `module.function`.
"""

from __future__ import annotations

import importlib.util
import inspect
import sys
from asyncio import CancelledError
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from functools import wraps
from pathlib import Path
from types import ModuleType

from engine.context import Context
from engine.errors import Finding, LedgerError
from engine.forms import Run
from engine.model import Json


def _contained(name: str, hatch: Run) -> Run:
    """The hatch, unable to end more than its call: what it raises on purpose is an error like any other."""

    @wraps(hatch)
    def run(row: Json, context: Context) -> Json:
        try:
            made = hatch(row, context)
            # A hatch that yields runs here, not wherever its values are looked at.
            return list(made) if isinstance(made, Iterator) else made
        except (SystemExit, KeyboardInterrupt, GeneratorExit, CancelledError) as error:
            raise RuntimeError(f"{name} raised {type(error).__name__}") from error

    return run


class Hatches:
    """The hatches of the catalogues, loaded when they are first named."""

    def __init__(self, roots: Sequence[Path]) -> None:
        """`roots` are catalogue directories, overlays first."""
        self._roots = roots
        self._modules: dict[str, ModuleType] = {}

    def form(self, name: str) -> Run:
        """The function `module.function`.  Raises LedgerError when there is none."""
        module, _, function = name.partition(".")
        file = f"projections/hatches/{module}.py"
        found = getattr(self._module(module), function, None)
        if not inspect.isfunction(found):
            raise LedgerError((Finding(file, function, "no hatch has this name"),))
        return _contained(name, found)

    def names(self) -> Iterator[str]:
        """Every public hatch of every catalogue."""
        files = {path.stem for root in self._roots for path in self._folder(root).glob("*.py")}
        for module in sorted(files):
            for name, value in vars(self._module(module)).items():
                own = getattr(value, "__module__", None) == self._module(module).__name__
                if inspect.isfunction(value) and own and not name.startswith("_"):
                    yield f"{module}.{name}"

    @staticmethod
    def _folder(root: Path) -> Path:
        return root / "projections" / "hatches"

    def _module(self, name: str) -> ModuleType:
        if name not in self._modules:
            self._modules[name] = self._load(name)
        return self._modules[name]

    def _load(self, name: str) -> ModuleType:
        file = next(
            (p for root in self._roots if (p := self._folder(root) / f"{name}.py").is_file()), None
        )
        spec = importlib.util.spec_from_file_location(f"_hatch_{name}", file) if file else None
        if spec is None or spec.loader is None:
            raise LedgerError(
                (Finding(f"projections/hatches/{name}.py", "", "no such hatch module"),)
            )
        module = importlib.util.module_from_spec(spec)
        try:
            # What a module prints is no data of ours.
            with redirect_stdout(sys.stderr):
                spec.loader.exec_module(module)
        except (Exception, SystemExit) as error:
            problem = f"cannot be loaded: {type(error).__name__}"
            raise LedgerError((Finding(f"projections/hatches/{name}.py", "", problem),)) from error
        return module
