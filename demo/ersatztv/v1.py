"""The versioned surface: /api/v1, every route behind X-Api-Key."""

from __future__ import annotations

from . import (
    v1_channels,
    v1_collections,
    v1_libraries,
    v1_playouts,
    v1_schedules,
    v1_search,
    v1_server,
    v1_smart,
)

ROUTES = (
    *v1_channels.routes,
    *v1_collections.routes,
    *v1_libraries.routes,
    *v1_playouts.routes,
    *v1_schedules.routes,
    *v1_search.routes,
    *v1_server.routes,
    *v1_smart.routes,
)
