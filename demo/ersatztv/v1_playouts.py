"""Playouts: the list, one, its upcoming items, create, update and delete."""

from __future__ import annotations

from . import dto, fields, views
from .answers import Answer, HttpError, Row, as_json, nothing
from .lineup import HORIZON, programmes
from .paging import flag, page
from .routes import Call, Routes
from .state import Playout, State

routes = Routes("/api/v1")

_FILE_KINDS = ("Sequential", "Scripted", "ExternalJson")


@routes.on("GET /playouts")
def listing(call: Call) -> Answer:
    """List a page of playouts whose channel name contains `query`.

    As in the official handler (GetPagedPlayoutsHandler), totalCount ignores the filter.
    """
    rows = [views.playout(call.state, each) for each in call.state.playouts.values()]
    wanted = call.query.get("query", "").casefold()
    kept = [row for row in rows if wanted in row["channelName"].casefold()]
    return as_json(page(call).of(kept, total=len(rows)))


@routes.on("GET /playouts/{id:int}")
def show(call: Call) -> Answer:
    """Read one playout."""
    return as_json(views.playout(call.state, _playout(call)))


@routes.on("GET /playouts/{id:int}/items")
def items(call: Call) -> Answer:
    """List a page of what is on now and comes next; fillers only on demand, gaps always."""
    playout, with_filler, wanted = _playout(call), flag(call, "showFiller"), page(call)
    now = call.state.clock()
    rows: list[Row] = [
        {
            "title": each.title,
            "start": views.moment(each.start),
            "finish": views.moment(each.finish),
            "duration": each.duration,
            "schedulingContext": None,
            "fillerKind": each.filler,
        }
        for each in programmes(call.state, playout, now, now + HORIZON)
        if with_filler or each.filler in ("None", None)
    ]
    return as_json(wanted.of(rows))


@routes.on("POST /playouts")
def create(call: Call) -> Answer:
    """Create and build a playout for a channel that has none."""
    state, row = call.state, fields.body(call, dto.PLAYOUT)
    errors = _faults(state, row)
    if errors:
        raise HttpError(422, errors=errors)
    if state.playout_of(row["channelId"]):
        raise HttpError(409, "Channel already has one playout")
    classic, kind = row["scheduleKind"] == "Classic", row["scheduleKind"]
    playout = Playout(
        state.playouts.issue(),
        row["channelId"],
        kind,
        schedule=row["programScheduleId"] if classic else None,
        file=row["scheduleFile"] if kind in _FILE_KINDS else None,
        built=state.clock(),
        success=True,
    )
    state.queue.append(f"build playout {playout.id}")
    state.playouts[playout.id] = playout
    return as_json({"playoutId": playout.id}, 201)


@routes.on("PUT /playouts/{id:int}")
def update(call: Call) -> Answer:
    """Set the schedule file if it is given; set the daily reset time, or clear it if omitted."""
    state, playout = call.state, _playout(call)
    row = fields.body(call, dto.PLAYOUT_UPDATE)
    file = row["scheduleFile"]
    if file and playout.kind in ("Sequential", "Scripted") and file not in state.files:
        raise HttpError(422, errors={"scheduleFile": ["Schedule file does not exist."]})
    playout.file = file or playout.file
    playout.rebuild = row["dailyRebuildTime"]
    return as_json(views.playout(state, playout))


@routes.on("DELETE /playouts/{id:int}")
def delete(call: Call) -> Answer:
    """Delete a playout; channel and schedule stay."""
    del call.state.playouts[_playout(call).id]
    return nothing(204)


def _playout(call: Call) -> Playout:
    return call.state.playouts.find(call.path["id"], "Playout")


def _faults(state: State, row: Row) -> dict[str, list[str]]:
    """What a new playout refers to and is not there, by field."""
    faults = {}
    if row["channelId"] not in state.channels:
        faults["channelId"] = ["Channel does not exist."]
    kind, schedule = row["scheduleKind"], state.schedules.get(row["programScheduleId"])
    if kind == "None":
        faults["scheduleKind"] = ["A playout needs a schedule kind."]
    if kind == "Classic" and schedule is None:
        faults["programScheduleId"] = ["Program schedule does not exist."]
    elif kind == "Classic" and schedule is not None and not schedule.items:
        faults["programScheduleId"] = ["Program schedule must have items"]
    if kind in _FILE_KINDS and row["scheduleFile"] not in state.files:
        faults["scheduleFile"] = ["Schedule file does not exist."]
    return faults
