"""What a person types at a terminal, as the arguments of a tool.

`limit=5` is an integer because the tool's input says so.  A value that does not fit its type stays
text: the engine's own check then refuses it, in the words that every other caller gets.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.errors import MistypedError
from engine.model import Json

_INTEGER = re.compile(r"-?[0-9]{1,20}")
_NUMBER = re.compile(r"-?[0-9]{1,20}(?:\.[0-9]{1,20})?")
_WORDS = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Given:
    """A tool, `NAME=VALUE` words, and one JSON object or None, as they were typed."""

    tool: str
    words: Sequence[str]
    text: str | None

    def arguments(self, kinds: Mapping[str, str]) -> dict[str, Json]:
        """The arguments of words and object together; a name may stand once.

        `kinds` are the JSON Schema types of the tool's inputs by name.  Raises MistypedError.
        """
        found = {} if self.text is None else _object(self.text)
        for word in self.words:
            name, sign, value = word.partition("=")
            if not sign or not name:
                raise MistypedError(f"{_shown(word)} is not ARGUMENT=VALUE.")
            if name in found:
                raise MistypedError(f"{_shown(name)} is given twice.")
            found[name] = _value(name, value, kinds.get(name, "string"))
        return found


def _object(text: str) -> dict[str, Json]:
    value = _json("--args", text)
    if not isinstance(value, dict):
        raise MistypedError('--args takes a JSON object such as {"limit": 5}.')
    return value


def _value(name: str, text: str, kind: str) -> Json:
    """The text as a value of its input's type."""
    if kind in ("array", "object"):
        return _json(name, text)
    if kind != "string" and text == "null":
        return None
    if kind == "boolean":
        return _WORDS.get(text, text)
    if kind == "integer" and _INTEGER.fullmatch(text):
        return int(text)
    if kind == "number" and _NUMBER.fullmatch(text):
        return json.loads(text) if _INTEGER.fullmatch(text) is None else int(text)
    return text


def _json(name: str, text: str) -> Json:
    """Strict JSON: NaN, infinity and a repeated member are refused."""
    try:
        return json.loads(text, parse_constant=_unknown, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        raise MistypedError(f'{name} takes JSON text such as [1, 2] or {{"id": 3}}.') from None


def _unknown(word: str) -> Json:
    raise ValueError(word)


def _once(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a member is repeated")
    return members


def _shown(word: str) -> str:
    """A word of the command line, short and on one line."""
    return json.dumps(word if len(word) <= 60 else word[:59] + "…", ensure_ascii=False)
