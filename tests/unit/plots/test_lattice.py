"""Drawings of lattices: a box per unit, frames around the best path."""

import xml.etree.ElementTree as ET

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth import plots
from firth.errors import OptionError
from firth.neural.models.lattices.predict import Lattice

SVG = "{http://www.w3.org/2000/svg}"


def small():
    """Of "a" and "<": one token each, or both as a chunk, which is more probable."""
    pieces = torch.full((1, 2, 2, 1), -torch.inf, dtype=torch.float64)
    pieces[0, 0, 0, 0], pieces[0, 1, 0, 0], pieces[0, 1, 1, 0] = -2.0, -2.0, -1.0
    return Lattice(["a", "<"], {(0, 1): "a", (1, 2): "<", (0, 2): "a<"}, pieces)


def test_every_unit_has_a_box_and_the_best_a_frame():
    drawing = plots.lattice(small())
    groups = list(ET.fromstring(drawing.svg).iter(f"{SVG}g"))
    boxes = {group.find(f"{SVG}text").text: group.find(f"{SVG}rect") for group in groups}
    assert set(boxes) == {"a", "<", "a<"}
    assert [group.find(f"{SVG}text").text for group in groups if group.get("class") == "best"] == ["a<"]
    left, width = (float(boxes["a<"].get(name)) for name in ("x", "width"))
    assert left == float(boxes["a"].get("x"))
    assert left + width == pytest.approx(float(boxes["<"].get("x")) + float(boxes["<"].get("width")))
    assert float(boxes["a<"].get("y")) < float(boxes["a"].get("y"))
    assert float(boxes["a<"].get("fill-opacity")) > float(boxes["a"].get("fill-opacity"))
    assert drawing.text.splitlines()[0] == "a<"
    assert len(drawing.text.splitlines()) == 3
    assert len(list(ET.fromstring(plots.lattice(small(), least=0.5).svg).iter(f"{SVG}g"))) == 1


def test_bad_input():
    with pytest.raises(OptionError, match="least=2"):
        plots.lattice(small(), least=2)
