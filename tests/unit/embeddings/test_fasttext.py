"""Subwords: what words share by their letters, vectors of unseen words, and what stays as it was."""

import numpy as np
import pytest

import firth
from firth.embeddings.fasttext import Subwords
from firth.errors import DivergenceError, OptionError, ShapeError
from firth.vectors.character_ngrams import Hashing

STEMS, ENDINGS = ["walk", "talk", "jump", "sing"], ["er", "ing", "ed"]


@pytest.fixture(scope="module")
def inflected(built):
    """Stems stand among words of their topic, whatever their ending: walker, walking and walked near topic0 words."""
    random = np.random.default_rng(0)
    sentences = []
    for stem, ending in zip(random.integers(0, 4, 4000), random.integers(0, 3, 4000), strict=True):
        topic = [f"{'pqrs'[stem] * 3}{i}" for i in random.integers(0, 9, 4)]
        sentences.append([*topic[:2], STEMS[stem] + ENDINGS[ending], *topic[2:]])
    return built(sentences)


OPTIONS = {"dim": 20, "sample": 0, "epochs": 2, "buckets": 20_000}


@pytest.mark.parametrize("architecture", ["skipgram", "cbow"])
@pytest.mark.parametrize("objective", ["negative", "hierarchical", "softmax"])
def test_an_unseen_form_lies_with_its_stem(architecture, objective, inflected):
    """walks was never seen: it is nearer to the words of walk's topic than to those of any other."""
    # With larger steps CBOW learns this small text by heart, and its means of many words say little of one.
    rate = 0.05 if architecture == "skipgram" else 0.01
    model = firth.FastText(architecture=architecture, objective=objective, lr=rate, **OPTIONS)
    vectors = model.train(inflected, threads=2, progress=False)
    assert f"{STEMS[0]}s" not in vectors.key_to_index
    for place, stem in enumerate(STEMS):
        nearness = [
            np.mean(vectors.similarity(f"{stem}s", [f"{letter * 3}{i}" for i in range(9)])) for letter in "pqrs"
        ]
        assert np.argmax(nearness) == place, (stem, nearness)
    assert (vectors.output_vectors is None) == (objective == "hierarchical")


def test_rows_of_words_and_of_n_grams(inflected):
    vectors = firth.FastText(**OPTIONS).train(inflected, threads=1, progress=False)
    used = vectors.ngrams.used
    assert np.array_equal(used, np.unique(vectors.ngrams.hashing.buckets_of(vectors.words)[1]))
    assert vectors.own.shape == vectors.vectors.shape
    sums, counts, _ = vectors.ngrams.sums(vectors.words)
    assert vectors.vectors == pytest.approx((sums + vectors.own) / (counts + 1)[:, None], abs=1e-6)
    assert vectors.counts.tolist() == inflected.vocabulary.counts.tolist()


def test_words_of_one_topic_come_together(pairs):
    vectors = firth.FastText(dim=20, sample=0, epochs=3, max_n=0).train(pairs, threads=2, progress=False)
    near = [other[0] for i in range(20) for other, _ in vectors.most_similar(f"a{i}", topn=10)]
    assert near.count("a") > 0.9 * len(near)


def test_a_table_of_florets(inflected):
    """All rows are those of n-grams and of whole words, hashed; a word has none of its own."""
    model = firth.FastText(hashing="floret", hash_count=2, **{**OPTIONS, "buckets": 2000})
    vectors = model.train(inflected, threads=1, progress=False)
    assert vectors.own is None
    assert vectors.ngrams.hashing == Hashing(3, 6, 2000, 2)
    sums, counts, _ = vectors.ngrams.sums(vectors.words)
    assert vectors.vectors == pytest.approx(sums / counts[:, None], abs=1e-6)
    assert vectors.similarity("walks", "walker") > vectors.similarity("walks", "singer")


def test_rows_by_hand():
    """a a: words ab and abc with n = 3. <ab is shared; words' own rows are 0 and 1, n-grams follow in order of use."""
    how = Hashing(3, 3, 10**9)
    subwords = Subwords.of(["ab", "abc"], how)
    assert subwords.starts.tolist() == [0, 3, 7]
    assert subwords.rows.tolist() == [0, 2, 3, 1, 2, 4, 5]  # ab: itself <ab ab>; abc: itself <ab abc bc>
    _, buckets = how.buckets_of(["ab", "abc"])
    assert subwords.buckets.tolist() == list(dict.fromkeys(buckets.tolist()))


@pytest.mark.parametrize("architecture", ["skipgram", "cbow"])
def test_a_seed_decides_every_bit_of_one_thread(zipf, architecture):
    model = firth.FastText(architecture=architecture, dim=16, epochs=1, buckets=5000)
    one, same, other = (model.train(zipf, seed=seed, threads=1, progress=False) for seed in (1, 1, 2))
    assert one.vectors.tobytes() == same.vectors.tobytes() != other.vectors.tobytes()
    assert one.ngrams.rows().tobytes() == same.ngrams.rows().tobytes() != other.ngrams.rows().tobytes()


def test_going_on_from_vectors(inflected, built, tmp_path):
    """Rows of old words, known again or not, are gone on from; new words and n-grams join them."""
    model = firth.FastText(**OPTIONS)
    first = model.train(inflected, threads=1, progress=False)
    first.save(tmp_path / "v.firth")
    again = model.train(inflected, threads=1, start=firth.load(tmp_path / "v.firth"), progress=False)
    assert again.metadata["training"]["loss"][0] < first.metadata["training"]["loss"][0]
    other = built([["walker", "brandnew"] * 5] * 10)
    grown = model.train(other, threads=1, start=first, progress=False)
    assert set(grown.words) == {*first.words, "brandnew"}
    untouched = "qqq1"
    assert grown[untouched] == pytest.approx(first[untouched], abs=1e-6)
    assert np.abs(grown["walker"] - first["walker"]).max() > 1e-3


def test_what_nobody_can_go_on_from(inflected):
    model = firth.FastText(**OPTIONS)
    first = model.train(inflected, threads=1, progress=False)
    with pytest.raises(ShapeError, match="width 20, the options ask for dim=10"):
        firth.FastText(**{**OPTIONS, "dim": 10}).train(inflected, start=first, progress=False)
    with pytest.raises(OptionError, match="use those of start"):
        firth.FastText(**{**OPTIONS, "min_n": 2}).train(inflected, start=first, progress=False)
    with pytest.raises(OptionError, match="lost n-grams to quantisation"):
        model.train(inflected, start=first.quantise(), progress=False)
    with pytest.raises(OptionError, match="start is WordVectors, expected SubwordVectors"):
        model.train(inflected, start=first.known, progress=False)


def test_checkpoints_go_on_to_the_same_bits(zipf, tmp_path):
    options = {"dim": 16, "buckets": 5000}
    whole = firth.FastText(epochs=2, **options).train(zipf, threads=1, progress=False)
    model = firth.FastText(epochs=2, **options)
    stopped = []

    def stop_after_an_epoch(status):
        stopped.append(status)
        if "epoch 2" in status.stage and not any("epoch 2" in one.stage for one in stopped[:-1]):
            raise KeyboardInterrupt

    with pytest.warns(UserWarning, match="interrupted in epoch 2"):
        model.train(zipf, threads=1, progress=stop_after_an_epoch, checkpoint=tmp_path / "state")
    again = model.train(zipf, threads=1, progress=False, checkpoint=tmp_path / "state")
    assert again.vectors.tobytes() == whole.vectors.tobytes()


def test_a_learning_rate_that_explodes(zipf):
    with pytest.raises(DivergenceError, match=r"training diverged .* use a smaller learning rate"):
        firth.FastText(dim=16, epochs=3, lr=1e4, buckets=5000).train(zipf, threads=1, progress=False)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"min_n": 4, "max_n": 3}, "min_n=4, max_n=3: expected max_n of at least min_n"),
        ({"min_n": 0}, "min_n=0: expected a whole number of at least 1"),
        ({"max_n": -1}, "max_n=-1"),
        ({"buckets": 0}, "buckets=0"),
        ({"buckets": 2**31}, "buckets=2147483648"),
        ({"objective": "nce"}, "objective='nce': expected one of negative, hierarchical, softmax"),
        ({"hashing": "md5"}, "hashing='md5': expected one of fasttext, floret"),
        ({"hash_count": 5}, "hash_count=5"),
        ({"architecture": "dm"}, "architecture='dm'"),
    ],
)
def test_options_out_of_range(options, told):
    with pytest.raises(OptionError, match=told):
        firth.FastText(**options)
