"""Pairs of words as a mapping, and what is no pairs."""

import numpy as np
import pytest

import firth
from firth.alignment.dictionary import Dictionary


def test_a_mapping_gives_pairs_and_a_path_does_not():
    vectors = firth.WordVectors(["the", "cat"], np.eye(2, dtype=np.float32))
    assert Dictionary.of(vectors, vectors, {"the": "cat"}).pairs == (("the", "cat"),)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"pairs='gold.tsv' is a str; expected pairs of words; .*read_word_pairs"):
        Dictionary.of(vectors, vectors, "gold.tsv")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="pairs=None; expected pairs of words"):
        Dictionary.of(vectors, vectors, None)  # type: ignore[arg-type]
