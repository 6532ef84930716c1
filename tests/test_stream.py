"""Reading JSON in chunks: what comes out is what json.loads and a plain pruning would give."""

from __future__ import annotations

import importlib.util
import json
import random
import re
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.scan import DEPTH
from engine.stream import JsonFault, RowReader, parse

BENCH = Path(__file__).parents[1] / "bench" / "stream.py"
CAP = 1 << 20
MEBIBYTE = 1 << 20

Discard = Sequence[tuple[str, ...]]


# --------------------------------------------------------------------------- the reference


def pruned(value: Any, here: Iterable[tuple[str, ...]], anywhere: Discard) -> Any:
    """A built value without the members that the paths name."""
    if isinstance(value, list):
        return [pruned(item, here, anywhere) for item in value]
    if not isinstance(value, dict):
        return value
    paths = {*here, *anywhere}
    return {
        key: pruned(item, [path[1:] for path in paths if path[0] == key and path[1:]], anywhere)
        for key, item in value.items()
        if (key,) not in paths
    }


def split(discard: Discard) -> tuple[Discard, Discard]:
    """The paths that start at a row, and those that start anywhere, bare."""
    fixed = [path for path in discard if path[0] != "**"]
    return fixed, [path[1:] for path in discard if path[0] == "**"]


def expected(value: Any, rows: tuple[str, ...], discard: Discard) -> tuple[bool, list[Any], Any]:
    """Whether there is a list, its rows, and what is outside it."""
    fixed, anywhere = split(discard)
    body = [pruned(value, (), anywhere)]
    parent: Any = body
    key: Any = 0
    for name in rows:
        if not isinstance(parent[key], dict) or name not in parent[key]:
            return False, [], body[0]
        parent, key = parent[key], name
    if not isinstance(parent[key], list):
        return False, [], body[0]
    found, parent[key] = parent[key], []
    return True, pruned(found, fixed, anywhere), body[0]


def read(
    pieces: Iterable[bytes], rows: tuple[str, ...] = (), discard: Discard = (), cap: int = CAP
) -> tuple[bool, list[Any], Any]:
    """What a RowReader makes of the pieces, in the form of `expected`."""
    reader = RowReader(rows, discard, row_bytes=cap)
    found = [row for piece in pieces for row, _ in reader.feed(piece)]
    reader.close()
    return reader.found, found, reader.skeleton


def cut(body: bytes, size: int = 65_536) -> Iterator[bytes]:
    """The body in chunks of one size."""
    return (body[at : at + size] for at in range(0, len(body), size))


# --------------------------------------------------------------------------- random documents

KEYS = ("user", "a", "rows", "", 'q"', "back\\", "é", "😀")
TEXTS = st.one_of(
    st.sampled_from([*KEYS, '"user":', "[{", "]}", ",:", "\\", 'x"y']), st.text(max_size=12)
)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    TEXTS,
)
KEY = st.sampled_from(KEYS)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.one_of(KEY, TEXTS), inner, max_size=5),
    ),
    max_leaves=25,
)
PATHS = st.lists(KEY, min_size=1, max_size=3).map(tuple)
DISCARDS = st.lists(st.one_of(PATHS, PATHS.map(lambda path: ("**", *path))), max_size=4)
DICE = st.integers(0, 2**32 - 1).map(random.Random)
ROWS = st.lists(st.sampled_from(KEYS[:3]), max_size=2).map(tuple)


@st.composite
def documents(draw: st.DrawFn, rows: tuple[str, ...]) -> Any:
    """A value that mostly has a list at `rows`."""
    if draw(st.integers(0, 4)) == 0:
        return draw(VALUES)
    value: Any = draw(st.lists(VALUES, max_size=5))
    for name in reversed(rows):
        value = {**draw(st.dictionaries(KEY, VALUES, max_size=2)), name: value}
    return value


def spelled(value: Any, dice: random.Random) -> str:
    """The value as JSON text with white space and escapes wherever the dice say so."""

    def blank() -> str:
        return "".join(dice.choices(" \t\r\n", k=dice.choice((0, 0, 0, 1, 4))))

    def string(text: str) -> str:
        short = json.dumps(text, ensure_ascii=False)[1:-1]
        return f'"{escaped(text) if dice.random() < 0.3 else short}"'

    match value:
        case str():
            text = string(value)
        case list():
            text = f"[{','.join(spelled(item, dice) for item in value)}{blank()}]"
        case dict():
            members = (
                f"{blank()}{string(key)}{blank()}:{spelled(item, dice)}"
                for key, item in value.items()
            )
            text = f"{{{','.join(members)}{blank()}}}"
        case _:
            text = json.dumps(value)
    return blank() + text + blank()


def escaped(text: str) -> str:
    """Every UTF-16 unit of the text as an escape of six bytes."""
    units = text.encode("utf-16-be").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def torn(body: bytes, dice: random.Random) -> Iterator[bytes]:
    """The body in chunks of random sizes, empty ones too."""
    while body:
        size = dice.choice((0, 1, 1, 2, 3, 7, 40, 1000))
        yield body[:size]
        body = body[size:]


# --------------------------------------------------------------------------- properties


@settings(max_examples=400, deadline=None)
@given(st.data(), ROWS, DISCARDS, DICE)
def test_rows_and_skeleton_equal_the_reference(
    data: st.DataObject, rows: tuple[str, ...], discard: Discard, dice: random.Random
) -> None:
    """Rows, the rest and `found` are those of json.loads, wherever the chunks end."""
    value = data.draw(documents(rows))
    body = spelled(value, dice).encode()

    got = read(torn(body, dice), rows, discard)

    assert expected(value, rows, discard) == got


@settings(max_examples=300, deadline=None)
@given(VALUES, DISCARDS, DICE)
def test_a_whole_body_equals_the_reference(
    value: Any, discard: Discard, dice: random.Random
) -> None:
    """A body read whole is that of json.loads without the discarded members."""
    body = spelled(value, dice).encode()

    got = parse(body, discard)

    assert pruned(value, *split(discard)) == got


@settings(max_examples=200, deadline=None)
@given(VALUES, st.lists(PATHS, max_size=3), DICE)
def test_rows_picked_later_are_pruned_at_any_object(
    value: Any, discard: Discard, dice: random.Random
) -> None:
    """Where an expression picks the rows, the paths start at every object."""
    body = spelled(value, dice).encode()

    got = parse(body, discard, rows=True)

    assert pruned(value, (), discard) == got


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text(st.characters(categories=["Cs", "Ll"]), max_size=8), max_size=4))
def test_a_surrogate_without_partner_is_replaced(texts: list[str]) -> None:
    """Lone escaped surrogates become U+FFFD, pairs become their character."""
    body = json.dumps([{text: text for text in texts}, *texts])

    got = parse(body.encode())

    mended = re.sub("[\ud800-\udfff]", "\ufffd", json.dumps(json.loads(body), ensure_ascii=False))
    assert json.loads(mended) == got


@settings(max_examples=300, deadline=None)
@given(
    st.text(st.sampled_from('{}[]",: \\a1-u0'), max_size=24),
    DICE,
    st.sampled_from([(), (("zz",),)]),
)
def test_text_is_refused_exactly_where_json_refuses_it(
    text: str, dice: random.Random, discard: Discard
) -> None:
    """As long as nothing is left out, the verdict on any text is that of json.loads."""
    try:
        want: Any = json.loads(text)
    except ValueError:
        want = JsonFault

    def attempt() -> Any:
        try:
            found, rows, skeleton = read(torn(text.encode(), dice), (), discard)
        except JsonFault:
            return JsonFault
        return rows if found else skeleton

    assert want == attempt()


# --------------------------------------------------------------------------- what is refused

WHOLE = [
    '[{"id":1,"user":{"x":[1,"]"]},"b":"\\"\\\\"},{"user":"a\\"b","c":null},{"user":-1.5e3}]',
    '{"total":2,"rows":[{"id":1,"list":[{"user":[[],{}]},{"b":2}]},3,"x",[]],"user":{"k":"}"}}',
    ' \n{"a" : {"rows" : [ ] } , "\\u0075ser" : [ "\\u00e9" , "é😀" ] } ',
    '"a string"',
    "null",
    "\ufeff[true]",
]
WATCHED = [("user",), ("**", "user"), ("list", "user")]


@pytest.mark.parametrize("rows", [(), ("rows",), ("a", "rows")])
@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize("text", WHOLE)
def test_a_body_that_is_cut_is_refused(text: str, size: int, rows: tuple[str, ...]) -> None:
    """No strict beginning of a document passes for one, streamed or whole."""
    body = text.rstrip().encode()

    read(cut(body, size), rows, WATCHED)
    for end in range(len(body)):
        with pytest.raises(JsonFault):
            read(cut(body[:end], size), rows, WATCHED)
        with pytest.raises(JsonFault):
            parse(body[:end], WATCHED)


@pytest.mark.parametrize(
    "rubbish", ["x", "]", "}", ",", "[]", "{}", '"s"', '"s', "0", "\0", "\x0b", "\xa0"]
)
@pytest.mark.parametrize("text", WHOLE)
def test_anything_after_the_end_is_refused(text: str, rubbish: str) -> None:
    """A document is followed by white space only."""
    body = (text + " " + rubbish).encode()

    for rows in ((), ("rows",)):
        with pytest.raises(JsonFault):
            read(cut(body, 5), rows, WATCHED)
    with pytest.raises(JsonFault):
        parse(body, WATCHED)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "[1,]",
        "[,1]",
        "[1,,2]",
        "[1 2]",
        "[1}",
        "[1}2]",
        "[{\0}]",
        "[{]}",
        "[{}{}]",
        '[{"a":1,}]',
        '[{"a" 1}]',
        "[nul]",
        "[01]",
        '["a\tb"]',
        '["\\x"]',
        "[\ufeff1]",
        "<html></html>",
        '[{"user":1,}]',
        '[{"user":1 "b":2}]',
        '[{"a":1 "user":2}]',
        '[{,"user":2}]',
        '[{"user":1,,"b":2}]',
        '[{"user":,"b":2}]',
        '[{"user" 1}]',
        '[{"user":1 2}]',
        '[{"user":{}{}}]',
        '[{"user":}]',
        '[{"user"}]',
    ],
)
def test_broken_text_is_refused(text: str) -> None:
    """What json.loads refuses is refused, also right beside a discarded member."""
    with pytest.raises(JsonFault):
        read(cut(text.encode(), 4), (), WATCHED)
    with pytest.raises(JsonFault):
        parse(text.encode(), WATCHED)


@pytest.mark.parametrize(
    "body",
    [b'["\xff"]', b'["\xed\xa0\x80"]', b'["\xc3"]', '["a"]'.encode("utf-16"), b'{"\xc3\\n":1}'],
    ids=["stray byte", "raw surrogate", "half a character", "UTF-16", "half a key"],
)
def test_only_utf8_is_read(body: bytes) -> None:
    """Bytes that are not strict UTF-8 are refused."""
    with pytest.raises(JsonFault):
        read([body])
    with pytest.raises(JsonFault):
        parse(body)


def test_a_number_of_too_many_digits_is_refused() -> None:
    """An integer of more than 4300 digits is refused, one of 4300 is read."""
    assert [10**4299] == parse(b"[1%b]" % (b"0" * 4299))
    with pytest.raises(JsonFault):
        parse(b"[1%b]" % (b"0" * 4300))


def test_kept_nesting_is_bounded() -> None:
    """DEPTH levels are read, and one of plain values below; more are refused, whole or streamed."""
    fits = b"[" * DEPTH + b"]" * DEPTH

    assert json.loads(fits) == parse(fits)
    for extra in (2, 100_000):
        deep = b"[" * extra + fits + b"]" * extra
        with pytest.raises(JsonFault, match="nested deeper than 256 levels"):
            parse(deep)
        with pytest.raises(JsonFault, match="nested deeper than 256 levels"):
            read(cut(b"[%b]" % deep))


def test_discarded_nesting_is_not_bounded() -> None:
    """What is left out may be nested without limit, and costs no recursion."""
    deep = b'[{"user":%b,"b":1}]' % (b'[{"a":' * 100_000 + b"0" + b"}]" * 100_000)

    assert (True, [{"b": 1}], []) == read(cut(deep), (), WATCHED)
    assert [{"b": 1}] == parse(deep, WATCHED)


def test_the_caps_bound_a_row_and_the_rest_apart() -> None:
    """A row or a skeleton beyond `row_bytes` is refused; a discarded part does not count."""
    wide = b'{"user":"%b","rows":[{"user":"%b","a":1}],"b":2}' % (b"x" * 500, b"y" * 500)
    long_row = b'{"rows":[{"a":"%b"}]}' % (b"x" * 500)
    long_rest = b'{"rows":[],"a":"%b"}' % (b"x" * 500)

    assert (True, [{"a": 1}], {"rows": [], "b": 2}) == read([wide], ("rows",), WATCHED, 100)
    for body in (long_row, long_rest):
        with pytest.raises(JsonFault, match="larger than 100 bytes"):
            read(cut(body, 10), ("rows",), WATCHED, 100)


@pytest.mark.parametrize(
    "text",
    [
        '{"rows":[1],"rows":[2]}',
        '{"rows":[1],"rows":null}',
        '{"a":{"rows":[1]},"a":{}}',
    ],
)
def test_a_list_that_comes_twice_is_refused(text: str) -> None:
    """Rows that were given out cannot be taken back by a second list under the same key."""
    rows = ("a", "rows") if '"a"' in text else ("rows",)

    with pytest.raises(JsonFault, match="twice"):
        read([text.encode()], rows)


def test_a_fault_says_one_sentence_without_content() -> None:
    """The problem is a sentence of our own, and so is its text; no cause is attached."""
    with pytest.raises(JsonFault) as caught:
        parse(b'{"token":"SENTINEL" SENTINEL}')

    assert "The answer is not valid JSON." == caught.value.problem == str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("text", ['[{"id":1,"theMovieDbId":"1"', '{"a":1', '{"user":[1', '"us'])
def test_a_cut_body_is_told_from_broken_text(text: str) -> None:
    """What ends too early is said to be cut, not to be no JSON."""
    with pytest.raises(JsonFault, match="ends before it is complete"):
        read([text.encode()], (), WATCHED)
    with pytest.raises(JsonFault, match="ends before it is complete"):
        parse(text.encode(), WATCHED)


# --------------------------------------------------------------------------- what is read


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("NaN", None),
        ('[{"a":NaN,"b":Infinity,"c":-Infinity,"d":1e999,"e":-1e999,"f":1e3}]', [
            {"a": None, "b": None, "c": None, "d": None, "e": None, "f": 1000.0}
        ]),
        ('["x\\ud83dy","\\ud83d\\ude00","\\\\ud83d"]', ["x\ufffdy", "😀", "\\ud83d"]),
        ('{"a":1,"a":2}', {"a": 2}),
        ("\ufeff{}", {}),
        ('{"\\u0075ser":1,"use\\u0072":2,"us\\/er":3}', {"us/er": 3}),
        ('{"user":1,"a":["user","\\u0075ser"],"b":"user"}', {"a": ["user", "user"], "b": "user"}),
        ('[{"user":1},[{"user":2,"c":3}]]', [{}, [{"c": 3}]]),
    ],
)  # fmt: skip
def test_what_a_body_reads_as(text: str, want: Any) -> None:
    """Non-finite numbers are None, lone surrogates U+FFFD, the last key counts, escapes match."""
    assert want == parse(text.encode(), [("user",)])


@pytest.mark.parametrize(
    "text",
    ['{"rows":null}', '{"rows":{}}', '{"rows":"x"}', '[{"rows":[1]}]', '{"a":{"rows":[1]}}', "3"],
)
def test_a_missing_list_leaves_the_whole_body(text: str) -> None:
    """Where the way leads to no list, nothing is found, and the skeleton is the body."""
    assert (False, [], json.loads(text)) == read([text.encode()], ("rows",))


def test_a_later_list_counts_where_an_earlier_key_held_none() -> None:
    """Of equal keys the last counts, so a null before the list does no harm."""
    body = b'{"rows":null,"rows":[1]}'

    assert (True, [1], {"rows": []}) == read([body], ("rows",))


def test_a_path_is_dropped_only_where_it_leads() -> None:
    """A path of two keys leaves the same name alone elsewhere, and passes through lists."""
    body = b'[{"s":1,"c":[{"s":2,"i":3},[{"s":4}]],"d":{"s":5}}]'

    got = read(cut(body, 3), (), [("c", "s")])

    assert (True, [{"s": 1, "c": [{"i": 3}, [{}]], "d": {"s": 5}}], []) == got


def test_a_path_from_anywhere_may_lead_into_the_list() -> None:
    """A path that begins outside the list goes on in its rows."""
    body = b'{"a":{"rows":[{"user":1,"b":[{"user":2}]}]}}'

    got = read(cut(body, 3), ("a", "rows"), [("**", "rows", "user"), ("**", "a", "rows", "b")])

    assert (True, [{}], {"a": {"rows": []}}) == got


def test_sizes_are_those_of_the_pruned_rows() -> None:
    """A size counts the bytes of a row without its discarded parts and the blanks around it."""
    reader = RowReader((), [("user",)], row_bytes=CAP)

    rows = reader.feed(b'[ {"id":1} , {"id":2,"user":"%b"} , 345]' % (b"x" * 1000))

    assert [({"id": 1}, 8), ({"id": 2}, 10), (345, 3)] == rows


def test_rows_come_as_soon_as_they_end() -> None:
    """A row is given out by the chunk that holds the comma after it."""
    reader = RowReader(("rows",), (), row_bytes=CAP)

    got = [reader.feed(chunk) for chunk in (b'{"rows":[1', b'2,"a', b'",', b"[]]}")]

    assert [[], [(12, 2)], [("a", 3)], [([], 2)]] == got


# --------------------------------------------------------------------------- bounds


@pytest.mark.parametrize(
    ("start", "filling", "end"),
    [
        (b"[", b" ", b"1]"),
        (b'[{"user":', b" ", b"1}]"),
        (b'[{"user"', b" ", b":1}]"),
        (b'[{"user":"', b"\\\\", b'"}]'),
        (b'[{"', b"k", b'":1}]'),
        (b'[{"a":"', b'\\"', b'"}]'),
        (b'[{"user":', b"1", b"}]"),
    ],
    ids=["blanks", "before value", "before colon", "dropped text", "key", "text", "number"],
)
def test_long_runs_take_linear_time(start: bytes, filling: bytes, end: bytes) -> None:
    """Sixteen mebibytes of one thing pass in chunks of 2 KiB without a second look at any."""
    body = start + filling * (16 * MEBIBYTE // len(filling)) + end
    began = time.process_time()

    found, rows, _ = read(cut(body, 2048), (), WATCHED, 32 * MEBIBYTE)

    # Looking at a growing tail again with every chunk would take minutes.
    assert (True, 1) == (found, len(rows))
    assert time.process_time() - began < 4


def test_blanks_without_end_are_refused_at_the_cap() -> None:
    """A list of nothing but white space ends at `row_bytes`, not at the end of the body."""
    reader = RowReader((), (), row_bytes=CAP)
    reader.feed(b"[")

    for _ in range(CAP // 65_536):
        assert [] == reader.feed(b" " * 65_536)
    with pytest.raises(JsonFault, match="larger than"):
        reader.feed(b" ")


def traced_peak(pieces: Iterable[bytes], discard: Discard) -> tuple[int, float]:
    """How many rows came, and the most memory that was held meanwhile, in MiB."""
    reader = RowReader((), discard, row_bytes=CAP)
    tracemalloc.start()
    try:
        rows = sum(len(reader.feed(piece)) for piece in pieces)
        reader.close()
        return rows, tracemalloc.get_traced_memory()[1] / MEBIBYTE
    finally:
        tracemalloc.stop()


def test_a_discarded_string_is_not_held() -> None:
    """A string of 32 MiB that is left out passes through without being gathered."""
    filling = b"\\n" * 32_768
    pieces = [b'[{"user":"', *[filling] * 512, b'"}]']

    rows, peak = traced_peak(pieces, [("user",)])

    assert rows == 1
    assert peak < 0.5


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    """The benchmark as a module."""
    spec = importlib.util.spec_from_file_location("bench_stream", BENCH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_large_feed_is_read_in_little_memory(bench: ModuleType) -> None:
    """A feed of 12 MB gives 20 rows without their seasons, and takes less than 1 MiB."""
    body = b"".join(bench.answer(12))

    rows, peak = traced_peak(cut(body), bench.DISCARD)

    assert 11.5e6 < len(body) < 12.5e6
    assert rows == bench.ROWS == 20
    assert peak < 1
    first = read(cut(body), (), bench.DISCARD)[1][0]
    assert {**bench.show(0), "requestAll": False} == first


def test_the_benchmark_runs() -> None:
    """The benchmark reads every row over a real socket and prints its table."""
    command = [sys.executable, str(BENCH), "--megabytes=2", "--repeat=1"]

    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    assert "2 MB, rows read: 20" in done.stdout, done.stderr
    assert "socket and RowReader, 4 KiB chunks" in done.stdout
