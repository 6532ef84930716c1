"""The XMLTV guide of the ErsatzTV demo."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from xml.etree import ElementTree as ET

import pytest
from ersatztv_demo import NOON, ask, create_app


@pytest.fixture
def official():
    """A fresh demo of the official surface at a fixed noon."""
    return create_app(flavour="official", today=NOON)


def _guide(app, **options):
    response = ask(app, "GET /iptv/xmltv.xml", headers={}, **options)
    assert response.headers["content-type"] == "text/xml; charset=utf-8"
    return ET.fromstring(response.content)


def _moment(programme, name):
    return datetime.strptime(programme.get(name), "%Y%m%d%H%M%S %z")


def test_the_guide_lists_the_visible_channels_by_number(official):
    """Disabled channels and those without any playout are not in it; a mirror is."""
    channels = _guide(official).findall("channel")

    assert [each.findall("display-name")[1].text for each in channels] == [
        "2",
        "2.1",
        "10.1",
        "10.10",
        "99",
    ]
    assert [each.get("id") for each in channels[:3]] == [
        "C2.146.ersatztv.org",
        "C2.1.147.ersatztv.org",
        "C10.1.194.ersatztv.org",
    ]
    assert channels[2].findall("display-name")[2].text == "Harbour <i>Live</i>"


def test_the_guide_covers_now_without_a_gap(official):
    """Each channel has one programme on the air at noon and goes on for two days."""
    guide = _guide(official)

    for channel in guide.findall("channel"):
        rows = [
            each for each in guide.findall("programme") if each.get("channel") == channel.get("id")
        ]
        on = [each for each in rows if _moment(each, "start") <= NOON < _moment(each, "stop")]
        assert len(on) == 1
        assert _moment(rows[-1], "stop") >= NOON + timedelta(days=2)


def test_a_mirror_is_late_by_its_offset(official):
    """What channel 2 shows, channel 99 shows an hour later."""
    guide, hour = _guide(official), timedelta(hours=1)

    shown = [
        [
            (_moment(each, "start") - late, _moment(each, "stop") - late, each.findtext("title"))
            for each in guide.findall(f"programme[@channel='{channel}.ersatztv.org']")
            if NOON < _moment(each, "start") - late < NOON + timedelta(days=1)
        ]
        for channel, late in (("C2.146", timedelta()), ("C99.210", hour))
    ]

    assert shown[0] == shown[1]
    assert len(shown[0]) > 5


def test_an_episode_has_its_show_title_and_numbers(official):
    """A programme of a series has the show as title and both forms of the number."""
    episode = _guide(official).find("programme[episode-num]")

    numbers = {each.get("system"): each.text for each in episode.findall("episode-num")}
    season, number = re.fullmatch(r"S(\d\d)E(\d\d)", numbers["onscreen"]).groups()
    assert f"{int(season) - 1}.{int(number) - 1}.0/1" == numbers["xmltv_ns"]
    assert episode.findtext("category") == "Series"
    assert episode.find("previously-shown") is not None


def test_the_guide_links_below_the_mount_point(official):
    """Icon links carry the host and the prefix that the client used."""
    icons = [each.get("src") for each in _guide(official, root_path="/etv").iter("icon")]

    assert icons[0] == "http://demo/etv/iptv/logos/lantern.png"
