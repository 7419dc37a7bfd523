"""A map of words as one HTML file, which opens without a server and without the network.

It holds `page/scatter.js` as it is, the words and their places; the places are rounded to a four-thousandth of the map.
"""

import html
import json
import re
from importlib.resources import files
from typing import Any

import numpy as np

from firth.explorer.maps import Floats, Groups, packed

SAVED = "saved.html"
PART = re.compile(r"@(title|caption|data|scatter)@")  # of page/saved.html


def page_of(vectors: Any, name: str, found: tuple[Floats, str], groups: Groups, *, most: int) -> str:
    """Return a page with a map.

    Args:
        vectors: of the words.
        name: of the model.
        found: (n, 2) places of the first words, and how to read them.
        groups: of the words.
        most: words at most.
    """
    places, caption = found
    n = min(most, len(places))
    middle = (places[:n].max(0) + places[:n].min(0)) / 2
    widest = float(np.abs(places[:n] - middle).max()) or 1.0
    rounded = np.round((places[:n] - middle) * (32_000 / widest)).astype(np.int16)
    data = {"words": vectors.words[:n], "places": packed(rounded), "groups": packed(groups.labels[:n])}
    folder = files("firth.explorer") / "page"
    parts = {
        "title": html.escape(f"{n:,} words of {name}"),
        "caption": html.escape(caption),
        "data": json.dumps(data, ensure_ascii=True).replace("<", "\\u003c"),
        "scatter": (folder / "scatter.js").read_text(encoding="utf-8"),
    }
    return PART.sub(lambda found: parts[found[1]], (folder / SAVED).read_text(encoding="utf-8"))
