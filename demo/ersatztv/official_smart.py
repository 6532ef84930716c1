"""Smart collections of the official surface: the update's id is in the body, failures are 500."""

from __future__ import annotations

from . import dto, fields
from .answers import Answer, Row, nothing
from .official_failures import check_name, failed, shown
from .routes import Call, Routes
from .state import State, taken

routes = Routes("/api/collections/smart")


@routes.on("GET ")
def listing(call: Call) -> Answer:
    """List every smart collection."""
    return shown(list(call.state.smart.values()))


@routes.on("POST /new")
def create(call: Call) -> Answer:
    """Create a smart collection."""
    row = fields.body(call, dto.OFFICIAL_SMART)
    _check(call.state, row, 0)
    return _saved(call.state, row, call.state.smart.issue())


@routes.on("PUT /update")
def update(call: Call) -> Answer:
    """Set name and query of the smart collection that the body names."""
    row = fields.body(call, dto.OFFICIAL_SMART)
    _check(call.state, row, row["id"])
    if row["id"] not in call.state.smart:
        raise failed("SmartCollection does not exist.")
    return _saved(call.state, row, row["id"])


@routes.on("DELETE /delete/{id:int}")
def delete(call: Call) -> Answer:
    """Delete a smart collection."""
    key = call.path["id"]
    if call.state.smart.pop(key, None) is None:
        raise failed(f"SmartCollection {key} does not exist.")
    return nothing(200)


def _check(state: State, row: Row, but: int) -> None:
    check_name(row)
    if taken(state.smart, "name", row["name"], but):
        raise failed("SmartCollection name must be unique")


def _saved(state: State, row: Row, key: int) -> Answer:
    state.smart[key] = {"id": key, "name": row["name"], "query": row["query"]}
    return shown({"smartCollectionId": key, "id": key})
