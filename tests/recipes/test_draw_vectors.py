"""Every kind of picture of vectors of a part of Wikipedia: like words are together, and jobs lean as they do."""

import lzma
from itertools import combinations, product
from statistics import mean

import pytest

import firth


def test_a_part(shared_data, recipe, tmp_path, capsys):
    """12 MB, so that it is quick: numbers are nearer to each other than to vehicles."""
    for module in ("matplotlib", "openTSNE"):
        pytest.importorskip(module, reason=f"{module} is not installed: pip install 'firth[plots,maps]'")
    text = tmp_path / "text.txt"
    with lzma.open(shared_data / "corpus" / "wiki.txt.xz") as file:
        text.write_bytes(file.read(12_000_000))
    corpus = firth.Corpus.build(text, progress=False)
    firth.Word2Vec(dim=30, epochs=3).train(corpus, threads=1, progress=False).save(tmp_path / "v.firth")
    drawn = recipe["main"]([str(tmp_path / "v.firth"), "-o", str(tmp_path / "pictures"), "--small"])
    assert {path.stem for path in (tmp_path / "pictures").iterdir()} == {f"plot-{name}" for name in drawn}
    cosines = {frozenset((row["a"], row["b"])): row["cosine"] for row in drawn["similarity"].rows}
    numbers, vehicles = ("one", "two", "three"), ("car", "truck", "bicycle")
    within = [cosines[frozenset(pair)] for pair in combinations(numbers, 2)]
    between = [cosines[frozenset(pair)] for pair in product(numbers, vehicles)]
    assert mean(within) > 0.15 + mean(between)
    leaning = {row["word"]: row["x"] for row in drawn["axis"].rows}
    assert leaning["nurse"] < leaning["engineer"]
    assert all((tmp_path / "pictures" / f"plot-{name}.png").stat().st_size < 80_000 for name in drawn)
