"""The demo Ombi as tests use it: loaded by path, one application per `Ombi`, a client in it."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import sys
from datetime import datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import openapi

ROOT = Path(__file__).parents[1] / "demo" / "ombi"
TODAY = datetime(2026, 11, 30, 9, 0, 0)  # noqa: DTZ001 - the demo's clock is naive UTC
KEY = {"ApiKey": "demo-key", "Accept": "application/json"}

# Members cut by reference-loop handling, and problem details, which list only what applies.
CONTRACT = openapi.exact(
    "ombi",
    "ChildRequests.parentRequest",
    "IssueComments.issues",
    "NotificationUserId.user",
    "ValidationProblem",
    "ProblemDetails",
    "PlexAddUserResult.error",
)


def _load() -> ModuleType:
    """Load the package by path under a private name, as the product does."""
    name = "_demo_ombi_under_test"
    spec = importlib.util.spec_from_file_location(
        name, ROOT / "__init__.py", submodule_search_locations=[str(ROOT)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


DEMO = _load()
ROUTING = sys.modules["_demo_ombi_under_test.routing"]

V1, V2 = "/api/v1", "/api/v2"


class Ombi:
    """One application and a client for it, which sends the key unless told otherwise."""

    def __init__(self, **options: Any) -> None:
        self.app = DEMO.create_app(**{"today": TODAY} | options)
        self.state = self.app.state

    def send(
        self,
        verb: str,
        path: str,
        body: Any = None,
        headers: dict[str, str] = KEY,
        root_path: str = "",
    ) -> httpx.Response:
        """Send one request."""

        async def go() -> httpx.Response:
            transport = httpx.ASGITransport(app=self.app, root_path=root_path)
            async with httpx.AsyncClient(transport=transport, base_url="http://demo") as client:
                content = None if body is None else json.dumps(body).encode()
                pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
                return await client.request(verb, path, content=content, headers=pairs)

        return asyncio.run(go())

    def get(self, path: str, user: str | None = None) -> Any:
        """The JSON of a GET that must succeed."""
        headers = KEY | ({"UserName": user} if user else {})
        answer = self.send("GET", path, headers=headers)
        assert 200 == answer.status_code, answer.text
        return answer.json()

    def post(self, path: str, body: Any = None, user: str | None = None) -> Any:
        """The JSON of a POST that must answer 200."""
        headers = KEY | ({"UserName": user} if user else {})
        answer = self.send("POST", path, body, headers)
        assert 200 == answer.status_code, answer.text
        return answer.json()

    def film(self, title: str) -> int:
        """The TMDB id of an invented movie."""
        return next(film.id for film in self.state.films.values() if film.title == title)

    def show(self, title: str) -> int:
        """The TMDB id of an invented show."""
        return next(show.id for show in self.state.shows.values() if show.title == title)
