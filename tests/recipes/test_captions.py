"""Generated scenes: pictures, captions that are read back, figures, and a toy run."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
pytest.importorskip("sacrebleu", reason="sacrebleu is not installed: pip install 'firth[generation]'")


def test_toy(recipe):
    rows = recipe["main"](["--toy", "--scenes", "150"])
    assert [row["captions of"] for row in rows] == ["images", "shuffled images"]
    assert all(0 <= row["attributes"] <= 100 for row in rows)


def test_true_captions_are_all_right(recipe):
    """What the captions say is read back, and holds."""
    scenes, features, captions = recipe["generated"](40, 0)
    assert features.shape == (40, 16, 64)
    for things, texts in zip(scenes, captions, strict=True):
        for text in texts:
            right, attributes, holds, relations = recipe["judged"](things, text)
            assert right == attributes == 3 * len(things)
            assert holds == relations == len(things) // 2


def test_wrong_captions(recipe):
    Thing, judged = recipe["Thing"], recipe["judged"]
    things = [Thing("small", "red", "circle", 0, 0), Thing("large", "blue", "square", 3, 0)]
    assert judged(things, "a little red circle above a big blue square") == (6, 6, 1, 1)
    assert judged(things, "a big blue square under a small red circle") == (6, 6, 1, 1)
    assert judged(things, "a small red circle to the left of a large blue square") == (6, 6, 0, 1)
    assert judged(things, "a small red circle") == (3, 6, 0, 0)
    assert judged(things, "a small red circle , and a large blue square , and a small red cross") == (6, 9, 0, 0)
    assert judged(things, "a large red square over a small blue circle") == (4, 6, 0, 1)  # two of each


def test_each_cell_has_features_of_its_own(recipe):
    """A square changes those of its cell only; noise is small beside it."""
    thing, random = recipe["Thing"]("large", "red", "square", 1, 2), np.random.default_rng(0)
    empty, one = (recipe["cells"](recipe["render"](things, random)) for things in ([], [thing]))
    changes = abs(one - empty).max(1)
    assert changes.argmax() == 1 * 4 + 2


def test_features_have_no_scale_of_their_own(recipe):
    """Mean 0, variance 1 and no correlation over new scenes, more or less."""
    _, features, _ = recipe["generated"](300, 3)
    found = np.cov(features.reshape(-1, 64).T)
    assert abs(np.diag(found) - 1).max() < 0.5
    assert abs(found - np.diag(np.diag(found))).max() < 0.35
    assert abs(features.mean((0, 1))).max() < 0.15
