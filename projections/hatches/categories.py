"""Categories of issues: how many issues a deletion would take along.

TOML cannot say it: a count of the rows that match an argument is no comparison of two values.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def in_use(_row: Any, context: Any) -> Iterator[tuple[str, str]]:
    """One (field, sentence) pair where issues are in the category and nobody said to delete them.

    In Python because it counts rows by an argument.
    """
    wanted = context.input["category_id"]
    rows = (one for one in context.steps["issues"] if isinstance(one, dict))
    count = sum(1 for one in rows if one.get("issueCategoryId") == wanted)
    if count and not context.input["delete_issues"]:
        told = "1 issue is" if count == 1 else f"{count} issues are"
        yield "delete_issues", f"{told} in this category: delete_issues true deletes them too"
