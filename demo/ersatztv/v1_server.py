"""What the server says of itself: version, sessions, FFmpeg profiles and resolutions."""

from __future__ import annotations

from . import views
from .answers import Answer, HttpError, as_json
from .routes import Call, Routes

routes = Routes("/api/v1")


@routes.on("GET /version")
def version(call: Call) -> Answer:
    """Tell the API version and the application version."""
    return as_json({"apiVersion": 3, "appVersion": "v26.4.0-demo"})


@routes.on("GET /sessions")
def sessions(call: Call) -> Answer:
    """List the active HLS sessions."""
    return as_json(views.sessions(call.state))


@routes.on("GET /ffmpeg/profiles")
def profiles(call: Call) -> Answer:
    """List the FFmpeg profiles."""
    return as_json([views.profile(call.state, row) for row in call.state.profiles.values()])


@routes.on("GET /ffmpeg/profiles/{id:int}")
def profile(call: Call) -> Answer:
    """Read one FFmpeg profile."""
    row = call.state.profiles.find(call.path["id"], "FFmpegProfile")
    return as_json(views.profile(call.state, row))


@routes.on("GET /ffmpeg/resolution/by-name/{name}")
def resolution(call: Call) -> Answer:
    """Look up a resolution by its exact name."""
    name = call.path["name"]
    row = next((row for row in call.state.resolutions if row["name"] == name), None)
    if row is None:
        raise HttpError(404, "No resolution has this name.")
    return as_json(row)
