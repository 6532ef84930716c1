"""Overrides of the downloader's profile and folder."""

from __future__ import annotations

from ..answers import Row, crash
from ..calls import Call
from ..routing import route
from ..shapes.results import MISSING, result


@route("PUT", "/api/v1/Request/tv/quality/{requestId:int}/{qualityId:int}", role="power_user")
def quality(call: Call) -> bool:
    """Set a TV parent's quality profile."""
    _parent(call)["qualityOverride"] = call.integer("qualityId")
    return True


@route("PUT", "/api/v1/Request/tv/root/{requestId:int}/{rootFolderId:int}", role="power_user")
def root(call: Call) -> bool:
    """Set a TV parent's root folder."""
    _parent(call)["rootFolder"] = call.integer("rootFolderId")
    return True


@route("POST", "/api/v2/Requests/movie/advancedoptions", role="power_user")
def movie(call: Call) -> Row:
    """Set both overrides of a movie request; what is left out becomes 0."""
    body = call.document()
    row = call.state.movies.get(body.integer("requestId"))
    if row is None:
        return result(error=MISSING)
    row["qualityOverride"] = body.integer("qualityOverride")
    row["rootPathOverride"] = body.integer("rootPathOverride")
    return result(ok=True)


@route("POST", "/api/v2/Requests/tv/advancedoptions", role="power_user")
def tv(call: Call) -> Row:
    """Set the overrides of a TV parent; the language profile only when positive."""
    body = call.document()
    row = call.state.parents.get(body.integer("requestId"))
    if row is None:
        return result(code="RequestDoesNotExist", error=MISSING)
    row["qualityOverride"] = body.integer("qualityOverride")
    row["rootFolder"] = body.integer("rootPathOverride")
    if body.integer("languageProfile") > 0:
        row["languageProfile"] = body.integer("languageProfile")
    return result(ok=True)


def _parent(call: Call) -> Row:
    row = call.state.parents.get(call.integer("requestId"))
    if row is None:
        raise crash()
    return row
