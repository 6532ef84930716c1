"""Who may call the demo Ombi, and which path reaches what, as in the real one."""

from __future__ import annotations

import pytest
from ombi_client import KEY, V1, V2, Ombi


@pytest.fixture(name="ombi")
def _ombi() -> Ombi:
    return Ombi()


ADMIN = f"{V1}/Settings/ombi"
OPEN = f"{V2}/Features"
USER = f"{V1}/Request/movie/total"


@pytest.mark.parametrize(
    ("path", "headers", "status", "body"),
    [
        (USER, {}, 401, b""),
        (OPEN, {}, 200, None),
        (USER, {"ApiKey": "DEMO-KEY"}, 200, None),
        (USER, {"ApiKey": ""}, 401, b"Invalid API Key"),
        (OPEN, {"ApiKey": "wrong"}, 401, b"Invalid API Key"),
        ("/api/v1/nowhere", {"ApiKey": "wrong"}, 401, b"Invalid API Key"),
        (f"{USER}?apikey=demo-key", {}, 200, None),
        (f"{USER}?APIKEY=wrong", {}, 401, b"Invalid API Key"),
        (f"{USER}?apikey=demo-key", {"ApiKey": "wrong"}, 401, b"Invalid API Key"),
        (ADMIN, KEY | {"UserName": "ada"}, 200, None),
        (ADMIN, KEY | {"UserName": "milo"}, 403, b""),
        (ADMIN, KEY | {"UserName": "Api"}, 403, b""),
        (USER, KEY | {"UserName": "MILO"}, 200, None),
        (USER, KEY | {"UserName": "Ada Alias"}, 401, b"Invalid User"),
        (USER, KEY | {"UserName": " "}, 401, b"Invalid User"),
        (USER, {"UserAccessToken": "demo-secret-user-access-token-3"}, 200, None),
        (USER, {"UserAccessToken": "wrong"}, 401, b"Invalid User Access Token"),
        (USER, {"UserAccessToken": ""}, 200, b"Invalid User Access Token"),
    ],
)
def test_access(
    ombi: Ombi, path: str, headers: dict[str, str], status: int, body: bytes | None
) -> None:
    """The key, the acting user and the token decide as upstream's middleware does."""
    answer = ombi.send("GET", path, headers=headers)

    assert status == answer.status_code
    assert body in (None, answer.content)


def test_refusals_say_what_they_are(ombi: Ombi) -> None:
    """A challenge carries its header; the middleware's texts carry no content type."""
    assert "Bearer" == ombi.send("GET", USER, headers={}).headers["www-authenticate"]
    assert "content-type" not in ombi.send("GET", USER, headers={"ApiKey": "x"}).headers


def test_non_ascii_user_names_arrive_as_utf_8(ombi: Ombi) -> None:
    """The acting user may be called José."""
    assert 200 == ombi.send("GET", USER, headers=KEY | {"UserName": "JOSÉ"}).status_code


def test_a_blank_user_name_acts_all_the_same(ombi: Ombi) -> None:
    """The client sees a 401 while the write took effect as the API identity."""
    body = {"name": "Movie4KRequests"}
    answer = ombi.send("POST", f"{V2}/Features/enable", body, KEY | {"UserName": ""})

    assert (401, b"Invalid User") == (answer.status_code, answer.content)
    assert ombi.state.features["Movie4KRequests"] is True


@pytest.mark.parametrize(
    ("verb", "path", "status", "kind"),
    [
        ("GET", "/", 200, "text/html"),
        ("GET", "/api/v1/nowhere", 200, "text/html"),
        ("HEAD", "/api/v1/nowhere", 200, "text/html"),
        ("GET", "//api/v2/Features", 200, "text/html"),
        ("GET", f"{V2}/Requests/movie/x/0/Title/asc", 200, "text/html"),
        ("GET", f"{V2}/Requests/movie/99999999999/0/Title/asc", 200, "text/html"),
        ("GET", f"{V2}/Requests/book/25/0/Title/asc", 200, "text/html"),
        ("GET", f"{V2}/Requests/album/unavailable/25/0/Title/asc", 200, "text/html"),
        ("POST", "/api/v1/nowhere", 500, "application/json"),
        ("DELETE", f"{V1}/RequestRetry/x", 500, "application/json"),
        ("PATCH", f"{V2}/Features", 405, None),
        ("GET", f"{V2}/Requests/tv/advancedoptions", 405, None),
        ("GET", "/API/V2/FEATURES/", 200, "application/json; charset=utf-8"),
    ],
)
def test_routing(ombi: Ombi, verb: str, path: str, status: int, kind: str | None) -> None:
    """Unknown paths are the web page, or the page's error; a known path under another verb is a 405."""
    answer = ombi.send(verb, path)

    assert (status, kind) == (answer.status_code, answer.headers.get("content-type"))


def test_the_page_needs_no_credentials_and_a_405_lists_the_verbs(ombi: Ombi) -> None:
    """HTML comes to strangers too; `Allow` names what the path knows."""
    page = ombi.send("GET", "/api/v1/nowhere", headers={})
    refused = ombi.send("PUT", f"{V1}/Settings/ombi")

    assert page.text.startswith("<!doctype html>")
    assert ("GET, POST", b"") == (refused.headers["allow"], refused.content)
    assert b"" == ombi.send("HEAD", "/").content


@pytest.mark.parametrize(
    ("root", "path", "status"),
    [
        ("/ombi", "/ombi/api/v2/Features", "application/json; charset=utf-8"),
        ("/ombi", "/OMBI/api/v2/Features", "application/json; charset=utf-8"),
        ("/ombi", "/api/v2/Features", "application/json; charset=utf-8"),
        ("/ombi", "/other/api/v2/Features", "text/html"),
        ("/ombi", "/ombination/api/v2/Features", "text/html"),
        ("", "/ombi/api/v2/Features", "text/html"),
    ],
)
def test_a_prefix_is_honoured(ombi: Ombi, root: str, path: str, status: str) -> None:
    """Below `root_path` and without it the same routes answer; other prefixes are the page."""
    assert status == ombi.send("GET", path, root_path=root).headers["content-type"]


def test_a_prefix_reaches_the_key_check(ombi: Ombi) -> None:
    """The middleware looks at the path below the prefix."""
    answer = ombi.send("GET", f"/ombi{OPEN}", headers={"ApiKey": "x"}, root_path="/ombi")

    assert 401 == answer.status_code


def test_an_encoded_slash_stays_in_its_segment(ombi: Ombi) -> None:
    """%2F cannot span segments; multi decodes its term once more, other searches do not."""
    flags = {"movies": True}
    slashed = ombi.post(f"{V2}/Search/multi/Day%2FNight%20Shift", flags)
    percent = ombi.post(f"{V2}/Search/multi/100%25%20Drizzle", flags)
    twice = ombi.post(f"{V2}/Search/multi/Day%252FNight", flags)

    assert ["Day/Night Shift at the Aquarium (2019)"] == [row["title"] for row in slashed]
    assert ["100% Drizzle, 0% Regret (2021)"] == [row["title"] for row in percent]
    assert slashed == twice
    assert [] == ombi.get(f"{V1}/Request/movie/search/Day%2FNight")
