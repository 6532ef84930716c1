"""The log files and the project's news."""

from __future__ import annotations

from ..answers import Answer, as_json, encode
from ..calls import Call
from ..routing import route
from ..seeds import logs

_NEWS = """<h1>News from the <em>harbour</em></h1>
<p>Ombi 4.60 is out &amp; about:<br>see <a href="https://releases.demo.invalid/4.60">the notes</a>.</p>
<script>alert("not text")</script>
<style>p { color: teal }</style>
<ul><li>Quieter foghorn</li><li>Faster <code>tide</code> tables</li></ul>
<!-- nobody reads this -->
"""


@route("GET", "/api/v2/System/news", role="admin")
def news(call: Call) -> Answer:
    """HTML in a string."""
    return _prose(call, _NEWS)


@route("GET", "/api/v2/System/logs", role="admin")
def files(call: Call) -> list[str]:
    """The names of the log files, the newest name first."""
    return sorted(logs.files(call.state), reverse=True)


@route("GET", "/api/v2/System/logs/{name}", role="admin")
def file(call: Call) -> Answer:
    """A whole file; names are exact."""
    text = logs.files(call.state).get(call.text("name"))
    if text is None:
        return _missing()
    return _prose(call, text)


def _prose(call: Call, text: str) -> Answer:
    """A string: bare text, unless nothing but JSON is accepted."""
    if call.headers.get("accept") == "application/json":
        return as_json(text)
    return Answer(200, text.encode(), (("content-type", "text/plain; charset=utf-8"),))


def _missing() -> Answer:
    body = {
        "type": "https://tools.ietf.org/html/rfc9110#section-15.5.5",
        "title": "Not Found",
        "status": 404,
        "traceId": "00-00000000000000000000000000000002-0000000000000002-00",
    }
    kind = ("content-type", "application/problem+json; charset=utf-8")
    return Answer(404, encode(body), (kind,))
