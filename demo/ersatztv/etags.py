"""Entity tags of versioned aggregates and the If-Match header (RFC 7232 sections 2.3 and 3.1)."""

from __future__ import annotations

import re

from .answers import HttpError
from .routes import Call

_TAG = r'(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"'
_LIST = re.compile(rf"\s*{_TAG}(?:\s*,\s*{_TAG})*\s*")


def tag(version: int) -> str:
    """The strong entity tag of a version."""
    return f'"{version}"'


def demand(call: Call, version: int) -> None:
    """Refuse the call unless its If-Match names this version; none or `*` lets it pass.

    A value outside the grammar is 400, a stale tag 412.  A weak tag never fits: the comparison is
    the strong one.
    """
    given = call.headers.get("if-match")
    if given is None or given.strip() == "*":
        return
    if not _LIST.fullmatch(given):
        raise HttpError(400, errors={"If-Match": ["The value is not a list of entity tags."]})
    if tag(version) not in re.findall(_TAG, given):
        raise HttpError(412, "The resource was changed since this entity tag was read.")
