"""The recipe at toy size: pseudowords of two and three topics are found, and plain words have fewer senses."""

import json

import numpy as np
import pytest


@pytest.fixture(scope="module")
def line(recipe, tmp_path_factory):
    return recipe["main"](["--toy", "--cache", str(tmp_path_factory.mktemp("cache"))])[0]


def test_sources_are_among_the_neighbours_of_atoms(line):
    assert line["of-2"][50] >= 0.9
    assert line["of-3"][100] >= 0.9
    assert all(line["all"][few] <= line["all"][more] for few, more in ((20, 50), (50, 100), (100, 200)))


def test_pseudowords_have_more_senses_than_plain_words(line):
    for floor in (0.15, 0.2, 0.25):
        assert line["two-or-more"][floor] > 0.25 + 1 - line["controls-one"][floor] - 0.01


def test_groups_are_of_like_frequencies(recipe, tmp_path):
    import firth

    corpus = firth.Corpus.build(recipe["toy_text"](0), cache=tmp_path, progress=False)
    groups, plain = recipe["drawn_words"](corpus, 10, 1, 10_000, 0)
    counts = np.asarray(corpus.vocabulary.counts)
    assert sorted(map(len, groups)) == [2] * 5 + [3] * 5
    assert all(counts[group].max() <= 2 * counts[group].min() for group in groups)
    drawn = [i for group in groups for i in group]
    assert len({*drawn, *plain}) == len(drawn) + len(plain)
    merged, names = recipe["merged"](corpus, groups, 0, tmp_path)
    now = dict(zip(merged.vocabulary.words, np.asarray(merged.vocabulary.counts), strict=True))
    first = [corpus.vocabulary.words[i] for i in groups[0]]
    assert now[names[0]] + sum(now[word] for word in first) == counts[groups[0]].sum()
    assert 0.4 < now[names[0]] / counts[groups[0]].sum() < 0.6


def test_one_object_a_seed(recipe, tmp_path, capsys):
    recipe["main"](["--toy", "--json", "--cache", str(tmp_path)])
    assert json.loads(capsys.readouterr().out)["pseudowords"] == 30
