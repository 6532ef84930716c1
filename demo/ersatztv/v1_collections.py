"""Manual collections: the list, their items, and the custom order behind an entity tag."""

from __future__ import annotations

from . import dto, etags, fields, views
from .answers import Answer, HttpError, as_json, nothing
from .media import KINDS
from .paging import page
from .routes import Call, Routes
from .state import Collection, State

routes = Routes("/api/v1")


@routes.on("GET /collections")
def listing(call: Call) -> Answer:
    """List a page of collections whose name contains `query`.

    As in the official handler (GetPagedCollectionsHandler), totalCount ignores the filter.
    """
    rows = [views.collection(each) for each in call.state.collections.values()]
    wanted = call.query.get("query", "").casefold()
    kept = [row for row in rows if wanted in row["name"].casefold()]
    return as_json(page(call).of(kept, total=len(rows)))


@routes.on("POST /collections")
def create(call: Call) -> Answer:
    """Create an empty collection."""
    name = fields.body(call, dto.COLLECTION)["name"]
    _unique(call.state, name, 0)
    key = call.state.collections.issue()
    call.state.collections[key] = Collection(key, name, custom=False, members={})
    return as_json(views.collection(call.state.collections[key]), 201)


@routes.on("GET /collections/{id:int}")
def show(call: Call) -> Answer:
    """Read one collection without its items."""
    return as_json(views.collection(_collection(call)))


@routes.on("PUT /collections/{id:int}")
def update(call: Call) -> Answer:
    """Rename a collection; an omitted or null useCustomPlaybackOrder stays as it is."""
    collection = _collection(call)
    row = fields.body(call, dto.COLLECTION_UPDATE)
    _unique(call.state, row["name"], collection.id)
    collection.name = row["name"]
    collection.custom = row.get("useCustomPlaybackOrder", collection.custom)
    return nothing(204)


@routes.on("DELETE /collections/{id:int}")
def delete(call: Call) -> Answer:
    """Delete a collection that no schedule item uses."""
    collection = _collection(call)
    if any(
        row["collectionId"] == collection.id
        for schedule in call.state.schedules.values()
        for row in schedule.items
    ):
        raise HttpError(409, "The collection is used by a schedule.")
    del call.state.collections[collection.id]
    return nothing(204)


@routes.on("GET /collections/{id:int}/items")
def items(call: Call) -> Answer:
    """List a page of a collection's items with the entity tag of the whole collection."""
    collection = _collection(call)
    rows = page(call).of(views.members(call.state, collection))
    return as_json(rows, etag=etags.tag(collection.version))


@routes.on("POST /collections/{id:int}/items")
def add(call: Call) -> Answer:
    """Add items; what is a member stays as it is, one unknown id refuses them all."""
    collection = _collection(call)
    row = fields.body(call, dto.COLLECTION_ITEMS)
    errors: dict[str, list[str]] = {}
    for kind in KINDS:
        unknown = [key for key in row[kind.bucket] if not _is(call.state, key, kind.name)]
        if unknown:
            errors[kind.bucket] = [f"{kind.name} {key} does not exist." for key in unknown]
    if errors:
        raise HttpError(422, errors=errors)
    wanted = dict.fromkeys(key for kind in KINDS for key in row[kind.bucket])
    added = {key: None for key in wanted if key not in collection.members}
    if added:
        collection.members |= added
        collection.version += 1
    return nothing(204)


@routes.on("DELETE /collections/{id:int}/items/{mediaItemId:int}")
def remove(call: Call) -> Answer:
    """Take one item out of a collection."""
    collection, key = _collection(call), call.path["mediaItemId"]
    if key not in collection.members:
        raise HttpError(404, f"Media item {key} is not in the collection.")
    del collection.members[key]
    collection.version += 1
    return nothing(204)


@routes.on("PUT /collections/{id:int}/custom-order")
def reorder(call: Call) -> Answer:
    """Replace the whole custom order; an item that is left out loses its position."""
    collection = _collection(call)
    etags.demand(call, collection.version)
    rows = fields.body(call, dto.CUSTOM_ORDER)["mediaItemCustomOrders"]
    indices = {row["mediaItemId"]: row["customIndex"] for row in rows}
    strangers = [key for key in indices if key not in collection.members]
    if strangers:
        messages = [f"Media item {key} is not in the collection." for key in strangers]
        raise HttpError(422, errors={"mediaItemCustomOrders": messages})
    collection.members = {key: indices.get(key) for key in collection.members}
    collection.version += 1
    return nothing(204, etags.tag(collection.version))


def _collection(call: Call) -> Collection:
    return call.state.collections.find(call.path["id"], "Collection")


def _unique(state: State, name: str, but: int) -> None:
    if any(each.name == name for key, each in state.collections.items() if key != but):
        raise HttpError(409, "Collection name must be unique")


def _is(state: State, key: int, kind: str) -> bool:
    return key in state.items and state.items[key].kind == kind
