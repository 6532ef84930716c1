"""FFmpeg profiles of the official surface (CreateFFmpegProfileHandler and its two siblings).

Settings that the handlers derive: no acceleration and format Copy without normalisation of the
video, format Copy without normalisation of the audio, eight bits for Mpeg2Video.
"""

from __future__ import annotations

from . import dto, fields, views
from .answers import Answer, Row, as_json, as_text, nothing
from .official_failures import check_name, failed, shown, wrapped
from .routes import Call, Routes
from .state import State, taken

routes = Routes("/api/ffmpeg")

_DEFAULT = 1


@routes.on("GET /profiles")
def listing(call: Call) -> Answer:
    """List the FFmpeg profiles."""
    return shown([views.profile(call.state, row) for row in call.state.profiles.values()])


@routes.on("POST /profiles/new")
def create(call: Call) -> Answer:
    """Create a profile; its name need not be unique."""
    row = fields.body(call, dto.PROFILE)
    check_name(row)
    _check(call.state, row)
    return _saved(call.state, row, call.state.profiles.issue())


@routes.on("PUT /profiles/update")
def update(call: Call) -> Answer:
    """Replace the profile that the body names."""
    row = fields.body(call, dto.PROFILE)
    key, name = row["ffmpegProfileId"], row["name"]
    if key not in call.state.profiles:
        raise failed("FFmpegProfile does not exist.")
    check_name(row)
    if taken(call.state.profiles, "name", name, key):
        raise failed(f'An ffmpeg profile named "{name}" already exists in the database')
    _check(call.state, row)
    return _saved(call.state, row, key)


@routes.on("DELETE /delete/{id:int}")
def delete(call: Call) -> Answer:
    """Delete a profile that is neither used nor the default; a refusal is 409 and a string."""
    state, key = call.state, call.path["id"]
    users = sum(row["ffmpegProfileId"] == key for row in state.channels.values())
    if users:
        noun = "channels" if users > 1 else "channel"
        return _refused(call, f"Cannot delete FFmpeg Profile that is used by {users} {noun}")
    if key == _DEFAULT:
        return _refused(call, "Cannot delete default FFmpeg Profile")
    if state.profiles.pop(key, None) is None:
        return _refused(call, f"FFmpegProfile {key} does not exist")
    return nothing(200)


def _check(state: State, row: Row) -> None:
    if row["threadCount"] < 0:
        raise failed("[ThreadCount] must be greater or equal to 0")
    key = row["resolutionId"]
    if not any(each["id"] == key for each in state.resolutions):
        raise failed(f"[Resolution] {key} does not exist")


def _saved(state: State, row: Row, key: int) -> Answer:
    settled = {**row, "id": key}
    if not row["normalizeVideo"]:
        settled.update(hardwareAcceleration="None", videoFormat="Copy")
    if not row["normalizeAudio"]:
        settled["audioFormat"] = "Copy"
    if row["videoFormat"] == "Mpeg2Video":
        settled["bitDepth"] = "EightBit"
    state.profiles[key] = settled
    return shown({"ffmpegProfileId": key, "id": key})


def _refused(call: Call, message: str) -> Answer:
    """A refusal: plain text, or a JSON string for a client that asks for JSON."""
    if "application/json" in call.headers.get("accept", ""):
        return as_json(wrapped(message), 409)
    return as_text(wrapped(message), 409)
