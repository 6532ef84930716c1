"""Correcting what is stored of a request: PUT copies some members and resets those left out.

The answer is the whole entity, with the tokens of every user in it. An embedded user that is sent
back without its streaming country is a 400; an unknown id is a null reference.
"""

from __future__ import annotations

from ..answers import Row, crash, invalid
from ..calls import Call, Document
from ..routing import route
from ..shapes import entities


@route("PUT", "/api/v1/Request/movie", role="power_user")
def movie(call: Call) -> Row:
    """Overwrite eleven members of a movie request."""
    body = _document(call)
    row = call.state.movies.get(body.integer("id"))
    if row is None:
        raise crash()
    row |= {name: body.boolean(name) for name in ("approved", "available")}
    row |= {name: body.raw(name) for name in ("denied", "issues")}
    row |= {name: body.text(name) for name in ("deniedReason", "imdbId", "overview", "posterPath")}
    row |= {name: body.integer(name) for name in ("qualityOverride", "rootPathOverride")}
    row["issueId"] = body.optional("issueId")
    return entities.movie(call.state, row, call.who)


@route("PUT", "/api/v1/Request/tv", role="power_user")
def tv(call: Call) -> Row:
    """Overwrite seven members of a TV parent."""
    body = _document(call)
    row = call.state.parents.get(body.integer("id"))
    if row is None:
        raise crash()
    row["tvDbId"] = body.integer("tvDbId")
    row |= {name: body.text(name) for name in ("imdbId", "overview", "posterPath", "background")}
    row |= {name: body.optional(name) for name in ("qualityOverride", "rootFolder")}
    return entities.parent(call.state, row, call.who, None)


def _document(call: Call) -> Document:
    body = call.document()
    user = body.raw("requestedUser")
    if isinstance(user, dict) and not Document(user).raw("streamingCountry"):
        raise invalid({"RequestedUser.StreamingCountry": ["The field is required."]})
    return body
