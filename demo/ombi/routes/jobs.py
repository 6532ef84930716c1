"""Background jobs: each answers true at once. Schedules are checked, and stored with the settings."""

from __future__ import annotations

from ..answers import Row
from ..calls import Call
from ..routing import route

_JOBS = (
    "update|plexuserimporter|embyuserimporter|jellyfinuserimporter|plexcontentcacher"
    "|plexrecentlyadded|embycontentcacher|embyrecentlyadded|jellyfincontentcacher|arrAvailability"
    "|autodeleterequests|clearmediaserverdata|plexwatchlist|newsletter"
)
_FIELDS = 7


@route("POST", f"/api/v1/Job/{{job:{_JOBS}}}", role="admin")
def start(call: Call) -> bool:
    """Start a job; clearing what is known of the media servers is done before anybody looks."""
    call.state.jobs.append(call.text("job"))
    if call.text("job") == "clearmediaserverdata":
        call.state.contents.clear()
    return True


@route("POST", "/api/v1/Settings/notifications/newsletterdatabase", role="admin")
def announced(call: Call) -> bool:
    """Enter every title as announced."""
    call.state.jobs.append("newsletterdatabase")
    return True


@route("POST", "/api/v1/Settings/testcron", role="admin")
def test_cron(call: Call) -> Row:
    """Whether a text is a Quartz schedule, as far as its number of fields tells."""
    expression = call.document().text("expression") or ""
    if len(expression.split()) == _FIELDS:
        return {"success": True, "message": None}
    return {"success": False, "message": f"CRON Expression {expression} is not valid"}
