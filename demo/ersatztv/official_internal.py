"""The routes that upstream keeps for its own scanner, scripts and troubleshooting page.

The demo plays nothing and builds nothing by script: there is no recording to fetch and no active
build, and that is what these routes answer.
"""

from __future__ import annotations

from .answers import Answer, HttpError, as_text, nothing
from .routes import Call, Routes

routes = Routes("/api")

_SCRIPT_POSTS = [
    "add_collection",
    "add_marathon",
    "add_multi_collection",
    "add_playlist",
    "create_playlist",
    "add_search",
    "add_smart_collection",
    "add_show",
    "add_all",
    "add_count",
    "add_duration",
    "pad_to_next",
    "pad_until",
    "pad_until_exact",
    "start_epg_group",
    "stop_epg_group",
    "graphics_on",
    "graphics_off",
    "watermark_on",
    "watermark_off",
    "pre_roll_on",
    "pre_roll_off",
    "skip_items",
    "skip_to_item",
    "wait_until_exact",
    "wait_until",
]
_SCRIPT_GETS = ("context", "peek_next/{content}")
_BUILD = "/scripted/playout/build/{buildId}"


@routes.on("GET /troubleshoot/playback.m3u8")
@routes.on("GET /troubleshoot/playback/archive")
@routes.on("GET /troubleshoot/playback/sample/{mediaItemId:int}")
def no_recording(call: Call) -> Answer:
    """Refuse: there is nothing to play or to pack."""
    raise HttpError(404)


@routes.on("POST /scan/{scanId}/progress")
@routes.on("POST /scan/{scanId}/items/reindex")
@routes.on("POST /scan/{scanId}/items/remove")
def scanner(call: Call) -> Answer:
    """Take a scanner's report; upstream answers 200 for an unknown scan too."""
    return nothing(200)


def no_build(call: Call) -> Answer:
    """Refuse: no build with this id is active."""
    return as_text(f"Active build engine not found for build {call.path['buildId']}.", 404)


for _action in _SCRIPT_POSTS:
    routes.on(f"POST {_BUILD}/{_action}")(no_build)
for _action in _SCRIPT_GETS:
    routes.on(f"GET {_BUILD}/{_action}")(no_build)
