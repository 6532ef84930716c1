"""Hatches: how they are found, and for each shipped one what it finds, falls back to, and gives up on."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from engine import load
from engine.compile import Compiler
from engine.context import Context
from engine.errors import LedgerError
from engine.hatches import Hatches
from engine.model import ABSENT

HATCHES = Hatches([load.shipped()])


def run(name: str, row: Any, **context: Any) -> Any:
    """What a hatch makes, a list where it yields, and the notes in `context["noted"]`."""
    noted = context.pop("noted", None)
    told = Context(input=context.pop("input", {}), **context)
    made = HATCHES.form(name)(row, told)
    if noted is not None:
        noted += told.note.all()
    return list(made) if hasattr(made, "__next__") else made


def test_every_shipped_hatch_is_used_and_every_used_one_is_there() -> None:
    """No function in projections/hatches lies about, and none is missing, over all variants."""
    ledgers = [load.read(variants={"ersatztv": variant}) for variant in ("v1", "official")]
    used = {
        name
        for ledger in ledgers
        for plan in Compiler(ledger).plans().values()
        for operation in plan.operations
        for name in hatches_of(operation)
    }

    assert set(HATCHES.names()) == used


def test_every_shipped_hatch_is_tested() -> None:
    """Each is called by its name in this file, or in those of the guide and of the writes."""
    told = "".join(
        (Path(__file__).parent / name).read_text("utf-8")
        for name in (
            "test_hatches.py",
            "test_guide.py",
            "test_write_hatches.py",
            "test_settings_sections.py",
        )
    )

    def called(name: str) -> bool:
        module, _, function = name.partition(".")
        return f'"{name}"' in told or (f'f"{module}.{{' in told and f'"{function}"' in told)

    assert [] == [name for name in HATCHES.names() if not called(name)]


@pytest.mark.parametrize("raised", ["SystemExit(3)", "KeyboardInterrupt", "GeneratorExit"])
@pytest.mark.parametrize("verb", ["return", "yield"])
def test_a_hatch_cannot_end_more_than_its_call(tmp_path: Path, raised: str, verb: str) -> None:
    """What a hatch raises on purpose is an error like any other, also while it yields."""
    folder = tmp_path / "projections" / "hatches"
    folder.mkdir(parents=True)
    body = f"    if row is None:\n        raise {raised}\n    {verb} []\n"
    (folder / "odd.py").write_text(f"def end(row, context):\n{body}")

    with pytest.raises(RuntimeError, match=r"^odd\.end raised \w+$"):
        Hatches([tmp_path]).form("odd.end")(None, Context(input={}))


def test_what_a_hatch_module_prints_or_ends_stays_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Loading it writes nothing to standard output, and an exit there is a finding."""
    folder = tmp_path / "projections" / "hatches"
    folder.mkdir(parents=True)
    (folder / "loud.py").write_text("print('hello')\n\n\ndef one(row, context):\n    return 1\n")
    (folder / "gone.py").write_text("import sys\n\nsys.exit(7)\n")
    hatches = Hatches([tmp_path])

    got = hatches.form("loud.one")(None, Context(input={}))

    assert (1, "") == (got, capsys.readouterr().out)
    with pytest.raises(LedgerError, match="cannot be loaded: SystemExit"):
        hatches.form("gone.any")


def hatches_of(operation: Any) -> set[str]:
    """The hatches that an operation's forms name."""
    bindings = [one.binding for one in (*operation.before, *operation.after)]
    bindings += [operation.binding] if operation.binding else []
    forms = [form for one in bindings for form in (*one.path.values(), *one.query.values())]
    forms += [one.body for one in bindings if one.body is not None]
    forms += [form for rule in operation.refuse for form in rule.forms]
    forms += [one for one in (operation.shape, operation.take) if one is not None]
    if operation.selection is not None and operation.selection.row is not None:
        forms.append(operation.selection.row)
    return {name for form in forms for part in form.walk() for name in part.hatches}


def test_every_hatch_says_what_it_does_and_why_in_python() -> None:
    """The reason why TOML cannot say it stands in the docstring of each."""
    for name in HATCHES.names():
        told = HATCHES.form(name).__doc__ or ""
        assert "In Python" in told, name


# --------------------------------------------------------------------------- loading


def catalogue(root: Path, **modules: str) -> Path:
    """A catalogue with these hatch modules."""
    folder = root / "projections" / "hatches"
    folder.mkdir(parents=True)
    for name, code in modules.items():
        (folder / f"{name}.py").write_text(code, "utf-8")
    return root


def test_the_module_of_an_overlay_wins(tmp_path: Path) -> None:
    """The first catalogue that has the module serves all of its hatches."""
    one = catalogue(tmp_path / "one", mine="def f(row, context):\n    return 1\n")
    two = catalogue(tmp_path / "two", mine="def f(row, context):\n    return 2\n", other="X = 1\n")

    hatches = Hatches([one, two])

    assert 1 == hatches.form("mine.f")(None, None)
    assert ["mine.f"] == list(hatches.names())


def test_names_are_the_public_functions_of_a_module(tmp_path: Path) -> None:
    """What a module imports or keeps to itself is no hatch."""
    code = "from json import dumps\n\ndef f(row, context):\n    pass\n\ndef _g(row, context):\n    pass\n"

    assert ["mine.f"] == list(Hatches([catalogue(tmp_path, mine=code)]).names())


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("mine.missing", "projections/hatches/mine.py: missing: no hatch has this name"),
        ("mine.X", "projections/hatches/mine.py: X: no hatch has this name"),
        ("mine", "projections/hatches/mine.py: no hatch has this name"),
        ("none.f", "projections/hatches/none.py: no such hatch module"),
        ("broken.f", "projections/hatches/broken.py: cannot be loaded: SyntaxError"),
        ("failing.f", "projections/hatches/failing.py: cannot be loaded: RuntimeError"),
    ],
)
def test_a_hatch_that_cannot_be_loaded(tmp_path: Path, name: str, told: str) -> None:
    """File and name are told; of what a module raised only its kind."""
    root = catalogue(
        tmp_path, mine="X = 1\n", broken="def f(:\n", failing="raise RuntimeError('SENTINEL')\n"
    )

    with pytest.raises(LedgerError) as caught:
        Hatches([root]).form(name)

    assert told == str(caught.value)


# --------------------------------------------------------------------------- the parent of a show

PARENTS = [
    {"id": 7, "externalProviderId": 100, "tvDbId": 200, "imdbId": "tt7", "childRequests": [{"id": 55}]},
    {"id": 8, "externalProviderId": 101, "tvDbId": 100, "imdbId": "", "childRequests": [{"id": 56}]},
    {"id": 9, "externalProviderId": 102, "tvDbId": 200, "childRequests": None},
    {"id": 10, "externalProviderId": 103, "tvDbId": 0, "childRequests": [{"id": None}]},
    {"id": 0, "externalProviderId": 104, "childRequests": [{"id": 60}]},
]  # fmt: skip


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        # The child decides, whatever the provider id says.
        ({"requestId": 55, "mediaId": "101"}, 7),
        ({"requestId": 56, "mediaId": "100"}, 8),
        # Then the TMDB id of exactly one parent, before any TVDB id.
        ({"requestId": 99, "mediaId": "100"}, 7),
        ({"requestId": 99, "mediaId": 103}, 10),
        # Then the TVDB id of exactly one parent: 200 is that of two.
        ({"requestId": 99, "mediaId": "200"}, 0),
        ({"requestId": 99, "mediaId": "0"}, 0),
        ({"requestId": 99, "mediaId": None}, 0),
        ({"requestId": None, "mediaId": "x"}, 0),
        ({"requestId": 60, "mediaId": "104"}, 0),
        ({}, 0),
    ],
)
def test_the_parent_of_a_recent_show(row: Any, expected: int) -> None:
    """Found by child, then by the one parent of a provider id; else id 0 and one note."""
    noted: list[str] = []

    got = run("tv_parent.target", row, steps={"parents": PARENTS}, noted=noted)

    assert {"kind": "tv_parent", "id": expected} == got
    assert (1 if expected == 0 else 0) == len(noted)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (
            {"requestId": 55, "mediaId": "100"},
            "ombi_tv_child 55, tmdb 100, ombi_tv_parent 7, tvdb 200, imdb tt7",
        ),
        (
            {"requestId": 55, "mediaId": "200"},
            "ombi_tv_child 55, tvdb 200, ombi_tv_parent 7, tmdb 100, imdb tt7",
        ),
        (
            {"requestId": 55, "mediaId": "5"},
            "ombi_tv_child 55, provider_unknown 5, ombi_tv_parent 7, tmdb 100, tvdb 200, imdb tt7",
        ),
        ({"requestId": 77, "mediaId": "5"}, "ombi_tv_child 77, tmdb 5"),
        ({"requestId": 77, "mediaId": "0"}, "ombi_tv_child 77"),
        ({"requestId": 0, "mediaId": ""}, ""),
    ],
)
def test_the_ids_of_a_recent_show(row: Any, expected: str) -> None:
    """The feed's provider id is what the parent says it is, TMDB without one; each pair once."""
    got = run("tv_parent.identifiers", row, steps={"parents": PARENTS})

    assert expected == ", ".join(f"{one['namespace']} {one['value']}" for one in got)


@pytest.mark.parametrize(
    "parents",
    [None, [], [5, "x", None, []], [{"id": 1, "childRequests": 5}], [{"childRequests": [5]}]],
)
def test_parents_that_are_none(parents: Any) -> None:
    """A scan that failed or brought something else finds nothing, and breaks nothing."""
    row = {"requestId": 1, "mediaId": "2"}
    steps = {} if parents is None else {"parents": parents}

    assert 0 == run("tv_parent.target", row, steps=steps)["id"]
    assert [("ombi_tv_child", "1"), ("tmdb", "2")] == [
        (one["namespace"], one["value"]) for one in run("tv_parent.identifiers", row, steps=steps)
    ]


# --------------------------------------------------------------------------- seasons of a show

SHOW = {
    "seasonRequests": [
        {"seasonNumber": 1, "episodes": [{"episodeNumber": 1}, {"episodeNumber": 2}]},
        {"seasonNumber": 2, "episodes": []},
        {"seasonNumber": 3, "episodes": None},
    ]
}


@pytest.mark.parametrize(
    ("seasons", "expected"),
    [
        ([{"season_number": 1}], []),
        ([{"season_number": 1, "episodes": [1, 2]}], []),
        ([{"season_number": 2}], ["seasons[0].season_number"]),
        ([{"season_number": 3, "episodes": [1]}], ["seasons[0].season_number"]),
        ([{"season_number": 1}, {"season_number": 9}], ["seasons[1].season_number"]),
        ([{"season_number": 1, "episodes": [2, 3, 4]}], ["seasons[0].episodes[1]", "seasons[0].episodes[2]"]),
    ],
)  # fmt: skip
def test_seasons_that_a_show_does_not_have(seasons: Any, expected: list[str]) -> None:
    """Each one is told with its own place in the arguments."""
    given = {"scope": "seasons", "seasons": seasons}

    got = run("tv_seasons.faults", None, input=given, steps={"show": SHOW})

    assert expected == [place for place, _ in got]


@pytest.mark.parametrize("show", [None, {}, {"seasonRequests": None}, {"seasonRequests": 5}, [], "x",
                                  {"seasonRequests": [5, {"seasonNumber": [1], "episodes": [5]}]}])  # fmt: skip
def test_a_show_without_seasons(show: Any) -> None:
    """Nothing that is asked for is there, whatever came in place of the show."""
    given = {"scope": "seasons", "seasons": [{"season_number": 1}]}

    got = run("tv_seasons.faults", None, input=given, steps={"show": show})

    assert [("seasons[0].season_number", "the show has no episodes in season 1")] == got


def test_no_seasons_are_looked_at_without_the_scope() -> None:
    """Another scope asks for none."""
    assert [] == run("tv_seasons.faults", None, input={"scope": "all"})


# --------------------------------------------------------------------------- settings

TABLE = {
    "allow": ["/enabled", "/a~1b", "/list/*/name", "/when", "/days"],
    "patch": {
        "/enabled": "boolean",
        "/days": {"integer": [1, 10]},
        "/title": "text",
        "/when": "date-time",
        "/count": "integer",
        "/branch": {"label": "branch"},
        "/deep/flag": "boolean",
        "/mode": {"text": ["fast", "slow"]},
        "/roles/*": "text",
    },
}
DOCUMENT = {
    "enabled": False,
    "a/b": "x",
    "list": [{"name": "n", "key": "SENTINEL"}],
    "apiKey": "SENTINEL",
    "nothing": None,
    "empty": {},
    "when": None,
}


def settings(name: str, row: Any = None, *changes: Any, **more: Any) -> Any:
    """A hatch of settings, with a section's table and these changes."""
    told = [{"name": one, "value": value} for one, value in changes]
    given = {**({"changes": told} if changes else {}), **more.pop("given", {})}
    return run(f"settings.{name}", row, input=given, tables={"settings": TABLE}, **more)


def test_values_of_a_section() -> None:
    """Allowed leaves with escaped pointers and indices; nothing else is told."""
    assert [
        {"name": "/enabled", "value": False},
        {"name": "/a~1b", "value": "x"},
        {"name": "/list/0/name", "value": "n"},
    ] == settings("values", DOCUMENT)


def test_values_below_a_prefix() -> None:
    """A prefix is the pointer itself or what stands below it, not what only begins like it."""
    document = {"enabled": True, "enabledToo": True, "list": [{"name": "n"}]}

    got = settings("values", document, given={"prefix": "/enabled"})

    assert [{"name": "/enabled", "value": True}] == got
    assert [{"name": "/list/0/name", "value": "n"}] == settings(
        "values", document, given={"prefix": "/list"}
    )


def test_pointers_that_are_withheld() -> None:
    """Every leaf that is not told is named, without its value, nulls and empty ones too."""
    document = {**DOCUMENT, "list2": [], "when": None}

    got = settings("omitted", document)

    assert ["/list/0/key", "/apiKey", "/nothing", "/empty", "/list2"] == got


def test_an_empty_array_of_what_may_be_told_is_not_withheld() -> None:
    """There is nothing in it that a caller is kept from."""
    assert [] == settings("omitted", {"list": [], "enabled": True})


@pytest.mark.parametrize("row", [None, [], "x", 5, {}])
def test_a_section_that_is_none(row: Any) -> None:
    """Whatever came in place of a document has no value to tell."""
    assert [] == settings("values", row)


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("/enabled", "true", None),
        ("/enabled", "True", "must be true or false"),
        ("/enabled", "1", "must be true or false"),
        ("/enabled", '"true"', "must be true or false"),
        ("/days", "10", None),
        ("/days", "11", "must be an integer from 1 to 10"),
        ("/days", "1.0", "must be an integer from 1 to 10"),
        ("/days", "true", "must be an integer from 1 to 10"),
        ("/days", "x", "must be an integer from 1 to 10"),
        ("/count", "-3", None),
        ("/count", "3.5", "must be an integer of 32 bits"),
        ("/count", "2147483648", "must be an integer of 32 bits"),
        ("/title", "a bare word", None),
        ("/title", '"quoted"', None),
        ("/title", "true", None),
        ("/title", "", None),
        ("/when", "2026-01-05T00:00:00Z", None),
        ("/when", '"2026-01-05T00:00"', None),
        ("/when", "null", None),
        ("/when", "2026-01-05", "must be an ISO 8601 date and time, or null"),
        ("/when", "soon", "must be an ISO 8601 date and time, or null"),
        ("/branch", "0", None),
        ("/branch", "develop", "must be the raw integer that read_settings shows"),
        ("/branch", "-1", "must be the raw integer that read_settings shows"),
        ("/deep/flag", "false", None),
        ("/mode", "slow", None),
        ("/mode", '"fast"', None),
        ("/mode", "medium", "must be one of fast, slow"),
        ("/roles", '["a", "b"]', None),
        ("/roles", "[]", None),
        ("/roles", "a", "must be a JSON array, which replaces the whole field"),
        ("/roles", '["a", 1]', "has an element that must be text"),
        ("/count", "[" * 20_000, "must be an integer of 32 bits"),
    ],
)
def test_the_type_of_a_change(name: str, value: str, told: str | None) -> None:
    """A value is JSON text of the field's type; a bare word is text where the field is text."""
    got = settings("faults", None, (name, value))

    assert ([] if told is None else [("changes[0].value", f"the value of {name} {told}")]) == got


def test_changes_that_cannot_be_made() -> None:
    """Every one is told: what may not be written, what is named twice, what is of another type."""
    got = settings("faults", None, ("/apiKey", "x"), ("/enabled", "true"), ("/enabled", "false"))

    assert ["changes[0].name", "changes[2].name"] == [place for place, _ in got]
    assert "/enabled" in got[0][1]
    assert "is changed twice" in got[1][1]


def test_the_document_that_is_sent() -> None:
    """What was read with the changes in it; everything else, secrets too, as it was."""
    current = {"enabled": False, "apiKey": "k", "deep": {"other": 1}, "roles": ["x"]}

    got = settings(
        "merged", None, ("/enabled", "true"), ("/deep/flag", "true"), ("/title", "7"), ("/when", "null"),
        ("/roles", '["a"]'),
        steps={"current": current},
    )  # fmt: skip

    assert {
        "enabled": True,
        "apiKey": "k",
        "deep": {"other": 1, "flag": True},
        "title": "7",
        "when": None,
        "roles": ["a"],
    } == got
    assert (False, {"other": 1}, ["x"]) == (current["enabled"], current["deep"], current["roles"])


def test_a_change_below_what_is_null() -> None:
    """An object that is not there yet comes with its first member."""
    got = settings("merged", None, ("/deep/flag", "true"), steps={"current": {"deep": None}})

    assert {"deep": {"flag": True}} == got


@pytest.mark.parametrize(
    ("stored", "outcome", "affected"),
    [
        ({"enabled": True, "when": "2026-01-05T00:00:00"}, "completed", 2),
        ({"enabled": True, "when": "2026-01-05T00:00:00Z"}, "completed", 2),
        ({"enabled": True, "when": "2026-01-05T00:00:00.000Z"}, "completed", 2),
        ({"enabled": True, "when": "2026-01-06T00:00:00Z"}, "unknown", None),
        ({"enabled": 1, "when": "2026-01-05T00:00:00Z"}, "unknown", None),
        ({"enabled": False, "when": "2026-01-05T00:00:00Z"}, "unknown", None),
        ({}, "unknown", None),
        (None, "unknown", None),
        ([], "unknown", None),
        ("x", "unknown", None),
    ],
)
def test_what_is_read_back(stored: Any, outcome: str, affected: int | None) -> None:
    """Done only when every field holds what was sent, a date in whatever spelling."""
    changes = [("/enabled", "true"), ("/when", "2026-01-05T00:00:00Z")]
    steps = {} if stored is None else {"check": stored}

    assert outcome == settings("outcome", None, *changes, steps=steps)
    assert affected == settings("affected", None, *changes, steps=steps)


# --------------------------------------------------------------------------- programmes of a guide

NOW = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)


def programme(start: str, stop: str, **more: Any) -> dict[str, Any]:
    """A programme as XMLTV has it."""
    return {
        "start": start,
        "stop": stop,
        "channel": "C1.145.ersatztv.org",
        "title": [{"text": "T"}],
        **more,
    }


@pytest.mark.parametrize(
    ("start", "stop", "left"),
    [
        ("20260314113000 +0000", "20260314123000 +0000", 30),
        ("20260314123000 +0100", "20260314133100 +0100", 31),
        ("20260314120000", "20260314120059", 0),
        ("20260314120100", "20260314130000", None),
        ("20260314110000", "20260314120000", None),
        ("soon", "20260314130000", None),
        ("20269914120000", "20260314130000", None),
        ("20260314110000 +9999", "20260314130000", None),
        ("", "", None),
        (None, 5, None),
    ],
)
def test_what_is_on_now(start: Any, stop: Any, left: int | None) -> None:
    """Times are compared in whatever zone they are written in; what cannot be read is not on."""
    got = run("guide.on_now", programme(start, stop), now=NOW)

    assert left == (None if got is ABSENT else got["minutesLeft"])


@pytest.mark.parametrize(
    ("given", "start", "stop", "until"),
    [
        ({}, "20260314130000", "20260314140000", 60),
        ({}, "20260314113000", "20260314123000", -30),
        ({}, "20260314110000", "20260314120000", None),
        ({"hours": 1}, "20260314125900", "20260314140000", 59),
        ({"hours": 1}, "20260314130000", "20260314140000", None),
        ({"fromHours": 2, "hours": 1}, "20260314130000", "20260314140000", None),
        ({"fromHours": 2, "hours": 1}, "20260314143000", "20260314150000", 150),
    ],
)
def test_what_is_coming(given: Any, start: str, stop: str, until: int | None) -> None:
    """A programme counts when it touches the window that is asked for."""
    got = run("guide.coming", programme(start, stop), now=NOW, input=given)

    assert until == (None if got is ABSENT else got["minutesUntilStart"])


@pytest.mark.parametrize(
    ("channel", "expected"),
    [
        ("C1.145.ersatztv.org", {"channelNumber": "1"}),
        ("C1.146.ersatztv.org", {"channel": "C1.146.ersatztv.org"}),
        ("x", {"channel": "x"}),
    ],
)
def test_the_number_of_a_channel(channel: str, expected: dict[str, str]) -> None:
    """It is hidden in the id; an id that does not hold it is told as it is."""
    got = run(
        "guide.on_now", programme("20260314110000", "20260314130000", channel=channel), now=NOW
    )

    assert expected == {key: got[key] for key in ("channelNumber", "channel") if key in got}


@pytest.mark.parametrize(
    ("channels", "expected"),
    [
        ([{"number": "1", "id": 4, "name": "One"}], (4, "One")),
        ([{"number": "1", "id": 4}, {"number": "1", "id": 5}], (None, None)),
        ([{"number": "2", "id": 4}], (None, None)),
        ([5, None, "x"], (None, None)),
        ({"number": "1"}, (None, None)),
        (None, (None, None)),
    ],
)
def test_the_channel_of_a_programme(channels: Any, expected: Any) -> None:
    """Id and name where exactly one channel of the list has the number."""
    steps = {} if channels is None else {"channels": channels}

    got = run("guide.with_channel", {"channelNumber": "1", "title": "T"}, steps=steps)

    assert expected == (got.get("channelId"), got.get("channelName"))
    assert "T" == got["title"]


# --------------------------------------------------------------------------- log files


def test_log_files_and_their_ids() -> None:
    """Each id leads back to its name; names of another kind are left out with a note."""
    noted: list[str] = []
    names = [
        "log-20260314.txt",
        "../etc/passwd.txt",
        "a b.txt",
        "x.log",
        5,
        None,
        "y" * 300 + ".txt",
    ]

    got = run("logs.files", names, noted=noted)

    assert ["log-20260314.txt"] == [one["name"] for one in got]
    assert "log-20260314.txt" == run("logs.name", None, input={"file_id": got[0]["file_id"]})
    assert ["Files with unusual names were left out."] == noted


@pytest.mark.parametrize("row", [None, {}, {"a.txt": 1}, "a.txt", 5, []])
def test_log_files_that_are_none(row: Any) -> None:
    """Whatever came in place of a list has no file."""
    assert [] == run("logs.files", row)


@pytest.mark.parametrize(
    "given",
    [
        "",
        "log.txt",
        "bG9n",
        "bG9nLnR4dA==",
        "bG9nLnR4dA\n",
        "Li4vYS50eHQ",
        "YS9iLnR4dA",
        "é",
        "====",
        "A",
    ],
)
def test_an_id_that_is_none(given: str) -> None:
    """Only what `files` gave stands for a name: one spelling, no path, no other ending."""
    got = run("logs.name", None, input={"file_id": given})

    assert got is None


# --------------------------------------------------------------------------- categories of issues


@pytest.mark.parametrize(
    ("issues", "delete", "expected"),
    [
        ([{"issueCategoryId": 3}], False, "1 issue is"),
        ([{"issueCategoryId": 3}] * 2, False, "2 issues are"),
        ([{"issueCategoryId": 3}], True, None),
        ([{"issueCategoryId": 4}, {}, 5, None], False, None),
        ([], False, None),
    ],
)
def test_a_category_that_holds_issues(issues: Any, delete: bool, expected: str | None) -> None:
    """They are counted and told, unless the caller says that they go too."""
    given = {"category_id": 3, "delete_issues": delete}

    got = run("categories.in_use", None, input=given, steps={"issues": issues})

    assert (expected is None) is (got == [])
    if expected:
        place, told = got[0]
        assert ("delete_issues", True) == (place, told.startswith(f"{expected} in this category"))
