"""Every kind of picture of vectors of a part of Wikipedia: like words are together, and jobs lean as they do."""

import lzma
import re
from itertools import combinations, product
from pathlib import Path
from statistics import mean

import numpy as np
import pytest

import firth

FACTS = {"training": {"loss": [2.0, 1.5], "options": {}}}  # a curve of two epochs is drawn


def draw(recipe, vectors, folder):
    """What the recipe draws; every picture is there, and small."""
    for module in ("matplotlib", "openTSNE"):
        pytest.importorskip(module, reason=f"{module} is not installed: pip install 'firth[plots,maps]'")
    vectors.save(folder / "v.firth")
    drawn = recipe["main"]([str(folder / "v.firth"), "-o", str(folder / "pictures"), "--small"])
    assert {path.stem for path in (folder / "pictures").iterdir()} == {f"plot-{name}" for name in drawn}
    assert all((folder / "pictures" / f"plot-{name}.png").stat().st_size < 80_000 for name in drawn)
    return drawn


@pytest.mark.slow
def test_every_picture_is_drawn(recipe, tmp_path, capsys):
    """Vectors are random here: one for each word of the recipe's text, among which are all that it asks for."""
    words = list(dict.fromkeys(re.findall(r"[a-z]+", Path(recipe["__file__"]).read_text(encoding="utf-8"))))
    rows = np.random.default_rng(1).normal(size=(len(words), 10)).astype(np.float32)
    drawn = draw(recipe, firth.WordVectors(words, rows, counts=range(len(words), 0, -1), metadata=FACTS), tmp_path)
    assert {"map", "similarity", "axis"} <= set(drawn)


@pytest.mark.slow
def test_a_part(shared_data, recipe, tmp_path):
    """12 MB: numbers are nearer to each other than to vehicles."""
    text = tmp_path / "text.txt"
    with lzma.open(shared_data / "corpus" / "wiki.txt.xz") as file:
        text.write_bytes(file.read(12_000_000))
    corpus = firth.Corpus.build(text, progress=False)
    drawn = draw(recipe, firth.Word2Vec(dim=30, epochs=3).train(corpus, threads=1, progress=False), tmp_path)
    cosines = {frozenset((row["a"], row["b"])): row["cosine"] for row in drawn["similarity"].rows}
    numbers, vehicles = ("one", "two", "three"), ("car", "truck", "bicycle")
    within = [cosines[frozenset(pair)] for pair in combinations(numbers, 2)]
    between = [cosines[frozenset(pair)] for pair in product(numbers, vehicles)]
    assert mean(within) > 0.15 + mean(between)
    leaning = {row["word"]: row["x"] for row in drawn["axis"].rows}
    assert leaning["nurse"] < leaning["engineer"]
