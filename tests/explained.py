"""The explanations that are compared with golden texts; `python tests/explained.py` writes the texts anew.

Line numbers and the version are masked before the text is laid out: an edit above an entry changes none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from engine import __version__, environment, explain, load
from engine.compile import Compiler
from engine.explain import Explanation, rehearse, render, render_rehearsal
from engine.explain.rehearse import Rehearsal
from engine.load import Ledger
from engine.plan import Plan

GOLDEN = Path(__file__).resolve().parent / "golden"


@dataclass(frozen=True)
class Call:
    """A call of a tool under some environment, None being none at all."""

    tool: str
    arguments: Mapping[str, Any]
    variables: Mapping[str, str] | None = field(default=None)


CALLS = {
    "recent": Call("read_requests", {"view": "recent"}),
    "settings-patch": Call(
        "write_settings",
        {
            "action": "patch",
            "section": "issues",
            "revision": "3f",
            "changes": [{"name": "/enabled", "value": "true"}],
        },
        {
            "OMBI_ALLOW_WRITES": "true",
            "OMBI_API_KEY": "key-sentinel",
            "OMBI_URL": "https://mila:pw-sentinel@media.example/ombi",
        },
    ),
    "user-update": Call(
        "write_users",
        {"action": "update", "user_id": "u-1", "email": "", "password": "pw-sentinel"},
        {"OMBI_ALLOW_WRITES": "true"},
    ),
    "create-tv": Call(
        "write_request_create",
        {
            "action": "tv",
            "tmdb_id": 1399,
            "scope": "seasons",
            "seasons": [{"season_number": 1, "episodes": [1, 2]}, {"season_number": 2}],
        },
    ),
    "browse-tv": Call(
        "read_discover",
        {"view": "browse", "media": "tv", "feed": "trending", "offset": 20},
        {"OMBI_REQUEST_TIMEOUT_SECONDS": "45"},
    ),
    "credits-tv": Call(
        "read_media", {"view": "credits", "media": "tv", "person_id": 31, "person_name": "Ida Vale"}
    ),
    "custom-order": Call(
        "ersatztv_update_collection_custom_order",
        {
            "id": 3,
            "ifMatch": '"4"',
            "mediaItemCustomOrders": [{"mediaItemId": 7, "customIndex": 0}],
        },
        {"ERSATZTV_ALLOW_WRITES": "true"},
    ),
    "totals": Call("read_request_stats", {"view": "totals"}),
    "group": Call("read_issues", {"view": "provider_summary"}),
    "refused": Call(
        "read_requests", {"view": "list", "media": "movie", "status": "pending", "limit": 500}
    ),
    "overview": Call("read_reference", {}),
}

FEED = [
    {"requestId": 55, "type": 0, "title": "Low Tide", "mediaId": "920001", "approved": True, "denied": False,
     "requestDate": "2026-11-05T00:00:00Z", "overview": "A harbour town. " * 8},
    {"requestId": 8, "type": 1, "title": "Glass", "mediaId": "910001", "requestDate": "0001-01-01T00:00:00"},
]  # fmt: skip
"""What answers the main request of the first rehearsal."""

CASE = """
[[case]]
name      = "a recent show is led to its parent"
arguments = { view = "recent", media = "tv" }

[[case.exchange]]
request = "GET /api/v2/Requests/recentlyRequested"
json    = [{ requestId = 55, type = 0, title = "Low Tide", mediaId = "920001", approved = true }]

[[case.exchange]]
request = "GET /api/v1/Request/tv/25/0/2/0/0"
json    = { collection = [{ id = 7, title = "Low Tide", externalProviderId = 920001, tvDbId = 400756, childRequests = [{ id = 55 }] }] }

[case.expect]
ok = true
"""


@cache
def ledger() -> Ledger:
    """The shipped ledger."""
    return load.read()


@cache
def compiler() -> Compiler:
    """Its compiler."""
    return Compiler(ledger())


@cache
def plan(tool: str) -> Plan:
    """One of its tools, compiled."""
    return compiler().plan(tool)


def explained(call: Call) -> Explanation:
    """The explanation of a call."""
    told = None if call.variables is None else environment.read(ledger().servers, call.variables)
    return explain.describe(plan(call.tool), call.arguments, told, ledger())


def masked(told: Any) -> Any:
    """JSON without what an unrelated edit changes."""
    if isinstance(told, dict):
        return {key: masked(one) for key, one in told.items()}
    if isinstance(told, list):
        return [masked(one) for one in told]
    if not isinstance(told, str):
        return told
    return re.sub(r"(\.(?:toml|py)):\d+", r"\1:N", told).replace(f"/{__version__}", "/V")


def text(call: Call) -> str:
    """The text of an explanation, masked."""
    return render.render(Explanation(**masked(explained(call).as_json())))


def rehearsed(responses: rehearse.Responses, arguments: Mapping[str, Any]) -> str:
    """The text of a rehearsal of read_requests, masked."""
    told = rehearse.rehearse(plan("read_requests"), arguments, responses, ledger())
    return render_rehearsal.render(Rehearsal(**masked(told.as_json())))


def case_file(root: Path) -> Path:
    """CASE as a case file of a catalogue at `root`."""
    path = root / "tests" / "cases" / "ombi" / "read_requests.toml"
    path.parent.mkdir(parents=True)
    path.write_text(CASE, "utf-8")
    return path


def texts(root: Path) -> dict[str, str]:
    """Every golden text by its name; `root` is an empty directory."""
    answer = rehearse.Responses("feed.json", main=FEED)
    cases = rehearse.read(case_file(root), ledger())
    return {
        **{name: text(call) for name, call in CALLS.items()},
        "rehearsal-main": rehearsed(answer, {"view": "recent"}),
        "rehearsal-case": rehearsed(cases, {}),
    }


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        for name, made in texts(Path(folder)).items():
            (GOLDEN / f"explain-{name}.txt").write_text(made, "utf-8")
