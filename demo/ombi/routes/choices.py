"""What forms of the web interface offer: categories of issues, countries."""

from __future__ import annotations

from ..answers import Row
from ..calls import Call
from ..routing import route

_COUNTRIES = (
    "AR", "AT", "AU", "BE", "BR", "CA", "CH", "CL", "CO", "CZ", "DE", "DK", "EC", "EE", "ES", "FI",
    "FR", "GB", "GR", "HU", "ID", "IE", "IN", "IT", "JP", "KR", "LT", "LV", "MX", "MY", "NL", "NO",
    "NZ", "PE", "PH", "PL", "PT", "RO", "RU", "SE", "SG", "TH", "TR", "US", "ZA",
)  # fmt: skip


@route("GET", "/api/v1/Issues/categories", role="user")
def categories(call: Call) -> list[Row]:
    """The categories of issues."""
    return [{"id": key, "value": name} for key, name in call.state.categories.items()]


@route("GET", "/api/v1/Identity/streamingcountry", role="user")
def countries(_call: Call) -> list[str]:
    """The countries of which Ombi knows where titles stream."""
    return list(_COUNTRIES)
