"""Search: hits by media kind, raw id lists, and artists by name."""

from __future__ import annotations

from . import views
from .answers import Answer, HttpError, Row, as_json
from .media import KINDS, Item
from .paging import page
from .query import QueryError, found
from .routes import Call, Routes

routes = Routes("/api/v1")

_GROUP = 50
_ARTISTS = 10


@routes.on("GET /search")
def search(call: Call) -> Answer:
    """Search the index: for each kind the number of hits and the first fifty."""
    items = _found(call)
    groups: Row = {}
    for kind in KINDS:
        hits = [item for item in items if item.kind == kind.name]
        shown = [views.search_item(item) for item in hits[:_GROUP]]
        groups[kind.group] = {"totalCount": len(hits), "items": shown}
    return as_json(groups)


@routes.on("GET /search/all-items")
def all_items(call: Call) -> Answer:
    """List the ids of the hits: one list over all kinds, cut to the page, then put in buckets."""
    items = _found(call)
    shown = page(call, cap=1000, default=500).cut(items)
    buckets = {kind.bucket: [item.id for item in shown if item.kind == kind.name] for kind in KINDS}
    return as_json({"totalCount": len(items), **buckets})


@routes.on("GET /search/artists")
def artists(call: Call) -> Answer:
    """List at most ten artists whose name contains the text."""
    wanted = _query(call).casefold()
    names = [
        (item.title, item.id)
        for item in call.state.items.values()
        if item.kind == "Artist" and wanted in item.title.casefold()
    ]
    rows = [{"mediaItemId": key, "name": name} for name, key in sorted(names)[:_ARTISTS]]
    return as_json(rows)


def _found(call: Call) -> list[Item]:
    """The hits in the order of their kinds."""
    order = {kind.name: at for at, kind in enumerate(KINDS)}
    try:
        hits = found(_query(call), call.state.items.values())
    except QueryError as bad:
        raise HttpError(400, errors={"query": [str(bad)]}) from None
    return sorted(hits, key=lambda item: (order[item.kind], item.id))


def _query(call: Call) -> str:
    query = call.query.get("query", "")
    if not query.strip():
        raise HttpError(400, errors={"query": ["The query field is required."]})
    return query
