"""The official surface: unversioned /api and the XMLTV guide, without any authentication."""

from __future__ import annotations

from . import official_general, official_guide, official_internal, official_profiles, official_smart

ROUTES = (
    *official_general.routes,
    *official_guide.routes,
    *official_internal.routes,
    *official_profiles.routes,
    *official_smart.routes,
)
