"""The ErsatzTV demo as its tests use it: loaded by path, asked in process, held to its documents."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from datetime import UTC, datetime
from pathlib import Path

import httpx
import openapi

DEMO = Path(__file__).parents[1] / "demo" / "ersatztv"
NOON = datetime(2026, 3, 14, 12, 7, 30, tzinfo=UTC)
KEY = {"X-Api-Key": "demo-key"}


def _load():
    """Import the demo by its path under a private name, as the product does."""
    name = "_demo_ersatztv_under_test"
    spec = importlib.util.spec_from_file_location(
        name, DEMO / "__init__.py", submodule_search_locations=[str(DEMO)]
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


create_app = _load().create_app


def ask(app, request, body=None, *, headers=KEY, base="http://demo", **transport):
    """Send `VERB /path` and give the response; a body goes out as JSON, bytes as they are."""

    async def send():
        wire = httpx.ASGITransport(app, **transport)
        async with httpx.AsyncClient(transport=wire, base_url=base) as client:
            verb, path = request.split(" ", 1)
            if isinstance(body, bytes):
                typed = {"Content-Type": "application/json", **headers}
                return await client.request(verb, path, content=body, headers=typed)
            return await client.request(verb, path, json=body, headers=headers)

    return asyncio.run(send())


def v1(app, request, body=None, **headers):
    """Send `VERB /path` below /api/v1 with the key and, for header names, `if_match="..."`."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    verb, path = request.split(" ", 1)
    return ask(app, f"{verb} /api/v1{path}", body, headers={**KEY, **named})


def page(app, path, number, size):
    """One page below /api/v1 as (totalCount, rows)."""
    mark = "&" if "?" in path else "?"
    body = v1(app, f"GET {path}{mark}pageNum={number}&pageSize={size}").json()
    return body["totalCount"], body["page"]


def faults(name, request, response):
    """What the document has against an answer; a good answer may not have undeclared members."""
    verb, path = request.split(" ", 1)
    document = openapi.closed(name) if response.is_success else openapi.load(name)
    path = path.split("?")[0]
    return openapi.validate(document, verb, path, response.status_code, response.content)


def operation(name, request, prefix):
    """The operationId that serves `VERB /path` below the prefix."""
    verb, path = request.split(" ", 1)
    found = openapi.operation(openapi.load(name), verb, prefix + path.split("?")[0])
    return found["operationId"]


def documented(name):
    """Every (operationId, status) of a document."""
    return {
        (each["operationId"], int(status))
        for item in openapi.load(name)["paths"].values()
        for each in item.values()
        for status in each["responses"]
    }
