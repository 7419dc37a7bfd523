"""Maps as pages: words cannot leave their place, places and colours are those of the picture, no library is needed."""

import base64
import html
import json
import re
import sys

import numpy as np
import pytest

from firth import plots
from firth.errors import MissingExtraError, OptionError
from firth.plots.map_page import explore, grouped_page, is_map, map_page, picture_page
from firth.plots.projection import project
from firth.plots.word_groups import Groups
from firth.vectors.cosine import unit

HOSTILE = ["</script><script>alert(1)</script>", "@scatter@", '"', "\u2028", "<!--", "\ud800", "é"]


def data_of(page):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1])


def numbers(text, kind):
    return np.frombuffer(base64.b64decode(text), kind)


def places_of(data):
    return numbers(data["places"], "<i2").reshape(-1, 2).astype(float)


def test_words_stay_words(tmp_path):
    words = [*HOSTILE, *(f"w{n}" for n in range(5))]
    places = np.random.default_rng(0).standard_normal((10, 2)).astype("f4")
    page = grouped_page(words, (places, "a & b"), Groups(np.zeros(12, np.uint8), ["x"]), name="<b>").html
    assert data_of(page)["words"] == words[:10]
    assert page.count("</script>") == 2
    assert page.count("class Scatter") == 1
    assert "10 words of &lt;b&gt;" in page
    assert "a &amp; b" in page


def test_places_keep_their_proportions():
    places = np.array([[0.0, 5.0], [2.0, 5.5], [4.0, 6.0]])
    found = places_of(data_of(map_page(["a", "b", "c"], places, groups=np.zeros(3, int)).html))
    np.testing.assert_array_equal(found, [[-32000, -8000], [0, 0], [32000, 8000]])
    alone = map_page(["a"], np.array([[3.0, 3.0]]), groups=np.zeros(1, int))
    np.testing.assert_array_equal(places_of(data_of(alone.html)), [[0, 0]])


def test_a_picture_of_words_becomes_a_page(pictures):
    picture = pictures["map"]
    (points,) = picture.marks
    page = picture_page(picture)
    data = data_of(page.html)
    assert data["words"] == list(points.labels)
    scaled = np.asarray(points.xy) - (points.xy.max(0) + points.xy.min(0)) / 2
    np.testing.assert_allclose(
        places_of(data) * np.abs(scaled).max() / 32000, scaled, atol=np.abs(scaled).max() / 32000
    )
    assert data["names"] == ["colours", "house"]
    assert numbers(data["groups"], "<u2").tolist() == [points.group(i) for i in range(len(points.labels))]
    assert data["palette"] == ["", ""]
    assert [data["words"][i] for i in data["bold"]] == ["red"]
    assert page.title == picture.title


def test_words_of_no_group_are_grey(vectors):
    picture = plots.word_map(vectors, vectors.words, groups={"colours": ["red", "blue"]})
    data = data_of(picture_page(picture).html)
    grey = [
        w for w, g in zip(data["words"], numbers(data["groups"], "<u2"), strict=True) if data["palette"][g] == "#888888"
    ]
    assert grey == ["green", "house", "garden", "door"]


def test_only_maps_are_pages_of_this_kind(pictures):
    assert [name for name, picture in pictures.items() if is_map(picture)] == ["map"]


def test_a_map_is_saved_without_matplotlib(pictures, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    pictures["map"].save(tmp_path / "map.HTML")
    assert (tmp_path / "map.HTML").read_text(encoding="utf-8") == picture_page(pictures["map"]).html
    with pytest.raises(MissingExtraError, match="matplotlib"):
        pictures["dots"].save(tmp_path / "axis.html")


def test_a_notebook_shows_a_map(many, tmp_path):
    page = many.explore(number=50)
    data = data_of(page.html)
    assert data["words"] == many.words[:50]
    expected, _ = project(unit(np.asarray(many.vectors[:50])).astype(np.float64), "pca")
    found = places_of(data)
    assert np.corrcoef(found[:, 0], expected[:, 0])[0, 1] > 0.99999
    cell = page._repr_html_()
    assert html.unescape(re.search(r'srcdoc="([^"]*)"', cell)[1]) == page.html
    assert 'sandbox="allow-scripts"' in cell
    assert repr(page) == "MapPage(title='50 words')"
    page.save(tmp_path / "map.html")
    assert (tmp_path / "map.html").stat().st_size > 10_000


def test_wrong_arguments(many, vectors, tmp_path):
    with pytest.raises(OptionError, match=r"number=2: expected a whole number of at least 3"):
        many.explore(number=2)
    with pytest.raises(OptionError, match=r"number=20,001: expected at most 20,000"):
        many.explore(number=20_001)
    with pytest.raises(OptionError, match=r"2 words: expected at least 3"):
        vectors.first(2).explore()
    with pytest.raises(OptionError, match="method"):
        explore(many, method="mds")
    with pytest.raises(OptionError, match=r"ends in \.html"):
        vectors.explore().save(tmp_path / "map.png")
