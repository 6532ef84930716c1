"""Program schedules and their items."""

from __future__ import annotations

from . import dto, etags, fields
from .answers import Answer, HttpError, Row, as_json, nothing
from .routes import Call, Routes
from .state import Schedule, State

routes = Routes("/api/v1")


@routes.on("GET /schedules")
def listing(call: Call) -> Answer:
    """List every schedule."""
    return as_json([each.settings for each in call.state.schedules.values()])


@routes.on("POST /schedules")
def create(call: Call) -> Answer:
    """Create a schedule without items."""
    row = _settings(call, 0)
    key = call.state.schedules.issue()
    call.state.schedules[key] = Schedule({"id": key, **row}, [])
    return as_json(call.state.schedules[key].settings, 201)


@routes.on("GET /schedules/{id:int}")
def show(call: Call) -> Answer:
    """Read one schedule."""
    return as_json(_schedule(call).settings)


@routes.on("PUT /schedules/{id:int}")
def replace(call: Call) -> Answer:
    """Replace every setting; an omitted one is written as false, Strict or null."""
    schedule, key = _schedule(call), call.path["id"]
    schedule.settings = {"id": key, **_settings(call, key)}
    return as_json(schedule.settings)


@routes.on("DELETE /schedules/{id:int}")
def delete(call: Call) -> Answer:
    """Delete a schedule that no playout uses."""
    key = call.path["id"]
    _schedule(call)
    if any(playout.schedule == key for playout in call.state.playouts.values()):
        raise HttpError(409, "The schedule is used by a playout.")
    del call.state.schedules[key]
    return nothing(204)


@routes.on("GET /schedules/{id:int}/items")
def items(call: Call) -> Answer:
    """List the items of a schedule in order, with their entity tag."""
    schedule = _schedule(call)
    return as_json(schedule.items, etag=etags.tag(schedule.version))


def _schedule(call: Call) -> Schedule:
    return call.state.schedules.find(call.path["id"], "Schedule")


def _settings(call: Call, key: int) -> Row:
    """The settings of the body; upstream keeps treatCollectionsAsShows only with its companion."""
    row = fields.body(call, dto.SCHEDULE)
    _unique(call.state, row["name"], key)
    together = row["keepMultiPartEpisodesTogether"]
    return {**row, "treatCollectionsAsShows": together and row["treatCollectionsAsShows"]}


def _unique(state: State, name: str, but: int) -> None:
    if any(each.settings["name"] == name for key, each in state.schedules.items() if key != but):
        raise HttpError(409, "Schedule name must be unique")
