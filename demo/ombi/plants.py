"""Values for the fields that the contract marks as secret, private or as a destination."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Plants:
    """Where secrets come from: each field of each row gets its own, the same in every run."""

    prefix: str | None

    def value(self, field: str, row: int | str = "") -> str:
        """The secret of one field, `demo-secret-user-access-token-3`; `row` tells rows apart."""
        slug = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", field).lower()
        tail = f"{slug}-{row}" if row != "" else slug
        return f"demo-secret-{tail}" if self.prefix is None else f"{self.prefix}-{tail}"

    def address(self, field: str, row: int | str, plain: str) -> str:
        """A destination or a personal address: `plain` in the demo, planted in a canary test."""
        return plain if self.prefix is None else self.value(field, row)
