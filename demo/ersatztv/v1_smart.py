"""Smart collections: a name and a search query."""

from __future__ import annotations

from . import dto, fields
from .answers import Answer, HttpError, as_json, nothing
from .routes import Call, Routes
from .state import taken

routes = Routes("/api/v1")


@routes.on("GET /smart-collections")
def listing(call: Call) -> Answer:
    """List every smart collection."""
    return as_json(list(call.state.smart.values()))


@routes.on("POST /smart-collections")
def create(call: Call) -> Answer:
    """Create a smart collection."""
    row = fields.body(call, dto.SMART)
    if taken(call.state.smart, "name", row["name"]):
        raise HttpError(409, "SmartCollection name must be unique")
    key = call.state.smart.issue()
    call.state.smart[key] = {"id": key, **row}
    return as_json(call.state.smart[key], 201)


@routes.on("GET /smart-collections/{id:int}")
def show(call: Call) -> Answer:
    """Read one smart collection."""
    return as_json(call.state.smart.find(call.path["id"], "SmartCollection"))


@routes.on("PUT /smart-collections/{id:int}")
def replace(call: Call) -> Answer:
    """Set name and query; both are required."""
    key = call.path["id"]
    call.state.smart.find(key, "SmartCollection")
    row = fields.body(call, dto.SMART)
    if taken(call.state.smart, "name", row["name"], key):
        raise HttpError(409, "SmartCollection name must be unique")
    call.state.smart[key] = {"id": key, **row}
    return nothing(204)


@routes.on("DELETE /smart-collections/{id:int}")
def delete(call: Call) -> Answer:
    """Delete a smart collection that no schedule item uses."""
    state, key = call.state, call.path["id"]
    state.smart.find(key, "SmartCollection")
    rows = (row for schedule in state.schedules.values() for row in schedule.items)
    if any(row["smartCollectionId"] == key for row in rows):
        raise HttpError(409, "The smart collection is used by a schedule.")
    del state.smart[key]
    return nothing(204)
