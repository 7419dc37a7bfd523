"""Hyperplane hashing: poor on random points with one table, good on words with several."""

import json
import lzma

import pytest

import firth


def test_toy(recipe, tmp_path):
    """Of 2,000 points some 125 lie in a bucket of 4 hyperplanes and some 8 in one of 8."""
    figures = recipe["main"](["--toy", "--results", str(tmp_path / "figures.jsonl")])
    few, many = figures
    assert 100 < few["scanned"] < 160
    assert 5 < many["scanned"] < 14
    assert few["mean_rank"] < many["mean_rank"]
    assert [json.loads(line) for line in (tmp_path / "figures.jsonl").read_text().splitlines()] == figures


def test_the_finding(recipe):
    """10,000 points of 128 numbers, one table: the best one found is some 23rd, the 15th with 5 planes, 27th with 6."""
    five, six = (recipe["one_table"](10_000, 128, bits, 1000, seed=1)["mean_rank"] for bits in (5, 6))
    assert 12 < five < 19
    assert 22 < six < 32


def trained(shared_data, tmp_path, size, threads=None, **options):
    with lzma.open(shared_data / "corpus" / "wiki.txt.xz") as file:
        (tmp_path / "text.txt").write_bytes(file.read(size))
    corpus = firth.Corpus.build(tmp_path / "text.txt", min_count=5, cache=tmp_path, progress=False)
    firth.Word2Vec(sample=1e-4, **options).train(corpus, seed=1, threads=threads, progress=False).save(
        tmp_path / "v.firth"
    )
    return str(tmp_path / "v.firth")


def of_tables(figures):
    """The figures of 16 tables, 50 probes: with the mean subtracted, and without."""
    return [each for each in figures if (each["options"].get("tables"), each["options"].get("probes")) == (16, 50)]


def test_words(recipe, shared_data, tmp_path):
    """4 MB of Wikipedia is little, and the vectors lie close together: nothing is told apart without centring."""
    pytest.importorskip("usearch", reason="usearch is not installed: pip install 'firth[ann]'")
    vectors = trained(shared_data, tmp_path, 4_000_000, dim=50, epochs=2, threads=1)
    figures = recipe["main"]([vectors, "--toy"])[2:]
    assert (figures[0]["recall"], figures[0]["scanned"]) == (1, 1)
    assert figures[2]["recall"] > 0.9  # HNSW with 64 candidates
    centred, plain = of_tables(figures)
    assert centred["recall"] > 0.9
    assert centred["scanned"] < 0.4 < plain["scanned"]


@pytest.mark.experiment
def test_wikipedia(recipe, shared_data, tmp_path):
    """All of it: 9 of the 10 nearest among 50,000 words of 100 numbers, a tenth of them looked at."""
    pytest.importorskip("usearch", reason="usearch is not installed: pip install 'firth[ann]'")
    figures = recipe["main"]([trained(shared_data, tmp_path, -1, dim=100, epochs=5)])[7:]
    centred, plain = of_tables(figures)
    assert centred["words"] == 50_000
    assert centred["recall"] >= 0.9
    assert centred["scanned"] <= 0.1
    assert plain["scanned"] > 1.5 * centred["scanned"]
