"""Channels: read, create, replace, delete, and reset of a channel's playout.

The side effects are upstream's (CreateChannelHandler, UpdateChannelHandler): a mirror runs
continuously, a channel that is no mirror has no source and no offset, a channel with a playout
stays generated, a disabled channel is not in the guide, a logo without a path is no logo.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from . import dto, fields, views
from .answers import Answer, HttpError, Row, as_json, nothing
from .lineup import span
from .routes import Call, Routes
from .state import State, taken

routes = Routes("/api/v1")

_HALF_DAY: Final = timedelta(hours=12)


@routes.on("GET /channels")
def listing(call: Call) -> Answer:
    """List every channel."""
    return as_json([_summary(call.state, row) for row in call.state.channels.values()])


@routes.on("GET /channels/{id:int}")
def show(call: Call) -> Answer:
    """Read one channel with all settings."""
    row = call.state.channels.find(call.path["id"], "Channel")
    return as_json(views.channel(call.state, row))


@routes.on("POST /channels")
def create(call: Call) -> Answer:
    """Create a channel; an omitted field takes its default."""
    row = fields.body(call, dto.CHANNEL)
    _accept(call.state, row, 0)
    key = call.state.channels.issue()
    call.state.channels[key] = {"id": key, **_settled(row), "graphicsElementIds": []}
    return as_json({"channelId": key, "id": key}, 201)


@routes.on("PUT /channels/{id:int}")
def replace(call: Call) -> Answer:
    """Replace every setting; an omitted field is written as its default or as nothing."""
    state, key = call.state, call.path["id"]
    state.channels.find(key, "Channel")
    row = fields.body(call, dto.CHANNEL_UPDATE)
    row["graphicsElementIds"] = list(row["graphicsElementIds"])
    if state.playout_of(key):
        row.update(playoutSource="Generated", mirrorSourceChannelId=None)
    _accept(state, row, key)
    state.channels[key] = {"id": key, **_settled(row)}
    return as_json(views.channel(state, state.channels[key]))


@routes.on("DELETE /channels/{id:int}")
def delete(call: Call) -> Answer:
    """Delete a channel with its playout and its session; a mirror of it loses its source."""
    state, key = call.state, call.path["id"]
    number = state.channels.find(key, "Channel")["number"]
    if playout := state.playout_of(key):
        del state.playouts[playout.id]
    state.sessions.pop(number, None)
    del state.channels[key]
    for row in state.channels.values():
        if row["mirrorSourceChannelId"] == key:
            row["mirrorSourceChannelId"] = None
    return nothing(204)


@routes.on("POST /channels/{id:int}/playout/reset")
def reset(call: Call) -> Answer:
    """Rebuild the playout of the channel with this id; 404 when it has none."""
    state, key = call.state, call.path["id"]
    state.channels.find(key, "Channel")
    playout = state.playout_of(key)
    if playout is None:
        raise HttpError(404, f"Channel {key} has no playout.")
    state.reset(playout)
    return nothing(200)


def _summary(state: State, row: Row) -> Row:
    logo = row["logo"] or {}
    return {**views.channel_summary(state, row), "logoPath": logo.get("path")}


def _settled(row: Row) -> Row:
    """The row with the side effects of upstream's handlers applied."""
    settled = {**row, "showInEpg": row["isEnabled"] and row["showInEpg"]}
    if row["playoutSource"] == "Mirror":
        settled["playoutMode"] = "Continuous"
    else:
        settled.update(mirrorSourceChannelId=None, playoutOffset=None)
    if not (row["logo"] or {}).get("path"):
        settled["logo"] = None
    return settled


def _accept(state: State, row: Row, key: int) -> None:
    """Refuse a number that is taken (409) and a reference to nothing (422)."""
    if taken(state.channels, "number", row["number"], key):
        raise HttpError(409, "Channel number must be unique")
    errors = {
        name: [f"{name} {row[name]} does not exist."]
        for name, known in (
            ("ffmpegProfileId", state.profiles),
            ("watermarkId", state.watermarks),
            ("fallbackFillerId", state.fallbacks),
        )
        if row[name] is not None and row[name] not in known
    }
    unknown = [each for each in row.get("graphicsElementIds", ()) if each not in state.graphics]
    if unknown:
        errors["graphicsElementIds"] = [
            f"Graphics element {each} does not exist." for each in unknown
        ]
    if row["playoutSource"] == "Mirror":
        errors |= _mirror_faults(state, row)
    if errors:
        raise HttpError(422, errors=errors)


def _mirror_faults(state: State, row: Row) -> dict[str, list[str]]:
    faults = {}
    source = state.channels.get(row["mirrorSourceChannelId"])
    if source is None:
        faults["mirrorSourceChannelId"] = ["Mirror source channel does not exist."]
    elif source["playoutSource"] != "Generated":
        faults["mirrorSourceChannelId"] = [
            "Mirror source channel must use generated playout source"
        ]
    if row["playoutOffset"] and abs(span(row["playoutOffset"])) > _HALF_DAY:
        faults["playoutOffset"] = ["Playout offset must not be greater than 12 hours"]
    return faults
