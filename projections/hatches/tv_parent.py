"""The parent of a recently requested show.

TOML cannot say it: the feed names a child and a provider id, and which parent is meant depends on all
parents that were scanned: the child decides, a provider id only when exactly one parent carries it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Row = Mapping[str, Any]

_LOST = "The parent request of a show could not be found: its target id is 0 and takes no write."


def target(row: Row, context: Any) -> dict[str, Any]:
    """The parent as a target; id 0 and a note when no parent fits.

    In Python because three matches are tried one after the other over all scanned parents.
    """
    parent = _parent(row, context.steps.get("parents"))
    if parent is None:
        context.note(_LOST)
    return {"kind": "tv_parent", "id": parent["id"] if parent else 0}


def identifiers(row: Row, context: Any) -> list[dict[str, str]]:
    """The child id, the feed's provider id and the parent's own ids, each once.

    In Python because the namespace of `mediaId` follows from the parent that was found.
    """
    parent = _parent(row, context.steps.get("parents"))
    found = [
        ("ombi_tv_child", _number(row.get("requestId"))),
        (_namespace(row, parent), _number(row.get("mediaId"))),
        *(_ids_of(parent) if parent else []),
    ]
    kept = dict.fromkeys((space, value) for space, value in found if value)
    return [{"namespace": space, "value": value} for space, value in kept]


def _parent(row: Row, parents: Any) -> Row | None:
    """The child's own parent, else the only one with this provider id (TMDB first, then TVDB)."""
    child, provider = _number(row.get("requestId")), _number(row.get("mediaId"))
    known = [one for one in _objects(parents) if _number(one.get("id"))]
    tests: list[Callable[[Row], bool]] = [
        lambda one: (
            child in {_number(each.get("id")) for each in _objects(one.get("childRequests"))}
        ),
        lambda one: _number(one.get("externalProviderId")) == provider,
        lambda one: _number(one.get("tvDbId")) == provider,
    ]
    wanted = [child, provider, provider]
    for value, test in zip(wanted, tests, strict=True):
        fits = [one for one in known if value and test(one)]
        if len(fits) == 1:
            return fits[0]
    return None


def _namespace(row: Row, parent: Row | None) -> str:
    """What `mediaId` is: a TMDB id unless the parent says otherwise."""
    if parent is None:
        return "tmdb"
    provider = _number(row.get("mediaId"))
    if provider == _number(parent.get("externalProviderId")):
        return "tmdb"
    return "tvdb" if provider == _number(parent.get("tvDbId")) else "provider_unknown"


def _ids_of(parent: Row) -> list[tuple[str, str]]:
    imdb = parent.get("imdbId")
    return [
        ("ombi_tv_parent", _number(parent.get("id"))),
        ("tmdb", _number(parent.get("externalProviderId"))),
        ("tvdb", _number(parent.get("tvDbId"))),
        ("imdb", imdb if isinstance(imdb, str) and imdb.startswith("tt") else ""),
    ]


def _objects(value: Any) -> list[Mapping[str, Any]]:
    """The objects of a list; none of what is no list."""
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def _number(value: Any) -> str:
    """A positive integer, sent as a number or as text, in text; empty for anything else."""
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = int(value)
    return str(value) if type(value) is int and value > 0 else ""
