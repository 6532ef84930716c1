"""RequestEngineResult: the business answer of request writes, with HTTP 200 for good and bad."""

from __future__ import annotations

from ..answers import Row

NO_PERMISSION = "You do not have the correct permissions!"
NOT_ON_BEHALF = "You do not have the correct permissions to request on behalf of users!"
MISSING = "Request does not exist"


def result(
    *, ok: bool = False, message: str | None = None, error: str | None = None,
    code: str | None = None, request_id: int = 0,
) -> Row:  # fmt: skip
    """One answer; `isError` is computed from the error text and the code."""
    return {
        "result": ok,
        "message": message,
        "isError": bool(error) or code is not None,
        "errorMessage": error,
        "errorCode": code,
        "requestId": request_id,
    }
