"""An alignment: translations, other vectors, folders."""

import re

import numpy as np
import pytest

import firth
from firth.alignment.alignment import Alignment, align_spaces
from firth.alignment.procrustes import Procrustes
from firth.alignment.steps import Placement
from firth.errors import FormatError, OptionError, ShapeError, UnknownWordError
from firth.loading import load_vectors
from firth.vectors.csls import csls
from firth.vectors.word_vectors import WordVectors
from tests.unit.alignment.spaces import translations, twins


@pytest.fixture(scope="module")
def alignment():
    return Procrustes().align(*twins(noise=0.2), translations(0, 80), progress=False)


def test_by_hand():
    """One source word x = (1, 0); targets y = (.8, .6) and z = (.6, .8): cosines .8 and .6."""
    identity = Placement("none", np.zeros(2), np.eye(2))
    source = WordVectors(["x"], [[1.0, 0.0]])
    target = WordVectors(["y", "z"], [[0.8, 0.6], [0.6, 0.8]])
    found = align_spaces((source, target), (identity, identity), (), {})
    assert found.translate("x", 2, "cosine") == [("y", pytest.approx(0.8)), ("z", pytest.approx(0.6))]
    # r(x) = (.8 + .6) / 2 = .7; r(y) = .8, r(z) = .6: CSLS 1.6 - .7 - .8 = .1 and 1.2 - .7 - .6 = -.1.
    assert found.translate("x", 2) == [("y", pytest.approx(0.1)), ("z", pytest.approx(-0.1))]
    assert found.translate("z", 1, back=True) == [("x", pytest.approx(-0.1))]


def test_csls_is_that_of_the_matrix(alignment):
    table = csls(alignment.source.vectors, alignment.target.vectors)
    answers = alignment.translate(["a100", "a200"], 3)
    for word, answer in zip((100, 200), answers, strict=True):
        best = np.argsort(-table[word])[:3]
        assert [other for other, _ in answer] == [f"b{row}" for row in best]
        assert [score for _, score in answer] == pytest.approx(table[word][best], abs=1e-5)


def test_html_shows_sizes_and_translations(alignment):
    page = alignment._repr_html_()
    cells = re.findall("<td[^>]*>([^<]*)<", page)
    assert cells[:5] == ["A, 300 words", "B, 300 words", "20", "orthogonal", "80 pairs"]
    assert cells[5:7] == ["a0", ", ".join(word for word, _ in alignment.translate("a0", 3))]


def test_back_and_forth(alignment):
    assert alignment.translate("b150", 1, back=True)[0][0] == "a150"
    assert alignment.translate("b150", 1, "cosine", back=True)[0][0] == "a150"


def test_other_vectors_of_a_side(alignment):
    source, target = twins(noise=0.2)
    some = alignment.apply(source.first(5))
    assert some.vectors == pytest.approx(alignment.source.vectors[:5], abs=1e-6)
    other = alignment.apply(target.first(5), "target")
    assert other.vectors == pytest.approx(alignment.target.vectors[:5], abs=1e-6)
    assert some.metadata["postprocessing"][-1]["side"] == "source"
    with pytest.raises(OptionError, match="side='left'"):
        alignment.apply(source, "left")
    with pytest.raises(ShapeError, match="expected rows of dimension 20"):
        alignment.apply(WordVectors(["x"], [[1.0, 2.0]]))


def test_a_folder_and_back(alignment, tmp_path):
    alignment.save(tmp_path / "folder")
    found = firth.load(tmp_path / "folder")
    assert isinstance(found, Alignment)
    assert found.pivots == tuple(translations(0, 80))
    assert found.metadata == alignment.metadata
    assert np.array_equal(found.source.vectors, alignment.source.vectors)
    assert found.translate("a9", 3) == alignment.translate("a9", 3)
    assert found.apply(twins(noise=0.2)[0].first(3)).vectors == pytest.approx(found.source.vectors[:3], abs=1e-6)
    with pytest.raises(OptionError, match=r"holds an alignment.*translate-words"):
        load_vectors(tmp_path / "folder")


@pytest.mark.usefixtures("without_checksums")
def test_a_damaged_folder(alignment, tmp_path):
    alignment.save(tmp_path / "folder")
    (tmp_path / "folder" / "source-vocab.json").write_text("[]")
    with pytest.raises(FormatError, match=r"tensor 'source.embeddings'.*damaged"):
        firth.load(tmp_path / "folder")


def test_what_is_asked(alignment):
    with pytest.raises(UnknownWordError, match="'b3' is not"):
        alignment.translate("b3")
    with pytest.raises(OptionError, match="k=0"):
        alignment.translate("a3", 0)
    with pytest.raises(OptionError, match="metric='dot'"):
        alignment.translate("a3", 1, "dot")
    assert alignment.translate([]) == []
    assert repr(alignment) == "<Alignment: 300 and 300 words x 20, orthogonal>"
