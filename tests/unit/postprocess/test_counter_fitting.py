"""Counter-fitting: one step by hand, and a plain loop over the paper's terms beside the compiled one."""

import numpy as np
import pytest

from firth import postprocess
from firth.errors import OptionError
from firth.postprocess import CounterFitting
from firth.vectors.word_vectors import WordVectors


def last(vectors):
    return vectors.metadata["postprocessing"][-1]


def test_one_step_by_hand():
    """a = (1, 0), b = (0, 1) are synonyms at the distance 1 > 0. The gradient of a is 0.1 (cos a - b) = (0, -0.1), so a
    becomes (1, 0.1) over its length, and b the mirror image: the cosine is 0.2 / 1.01. c stands in no list."""
    vectors = WordVectors(["a", "b", "c"], [[1.0, 0], [0, 1], [-3, -4]])
    result = postprocess.counter_fit(vectors, [("a", "b")], options=CounterFitting(epochs=1))
    assert result["a"] == pytest.approx(np.array([1, 0.1]) / 1.01**0.5)
    assert result["b"] == pytest.approx(np.array([0.1, 1]) / 1.01**0.5)
    assert result["c"] == pytest.approx(np.array([-0.6, -0.8]))
    assert last(result)["objective"] == pytest.approx([0.1, 0.1 * (1 - 0.2 / 1.01)])
    assert last(result)["words_moved"] == 2


def test_the_step_is_the_mean_of_the_terms_by_hand():
    """a = (1, 0) has two synonyms, (0, 1) and (0, -1): the mean of two gradients that cancel leaves it where it is; the
    others take a step of their own."""
    vectors = WordVectors(["a", "b", "c"], [[1.0, 0], [0, 1], [0, -1]])
    result = postprocess.counter_fit(vectors, [("a", "b"), ("c", "a")], options=CounterFitting(epochs=1))
    assert result["a"].tolist() == [1, 0]
    assert result["b"] == pytest.approx(np.array([0.1, 1]) / 1.01**0.5)


def random_vectors(size=60, dim=8, dtype=np.float64):
    """Words in clusters, so that there are neighbours to keep."""
    random = np.random.default_rng(1)
    centres = random.normal(size=(6, dim))
    rows = centres[random.integers(0, 6, size)] + 0.25 * random.normal(size=(size, dim))
    return WordVectors([f"w{i}" for i in range(size)], rows.astype(dtype))


def random_pairs(count, seed, size=60):
    rows = np.random.default_rng(seed).integers(0, size, (count, 2))
    return [(f"w{i}", f"w{j}") for i, j in rows]


def naive(vectors, synonyms, antonyms, how):
    """Mrksic et al., equations 1 to 4, term by term over Python's own pairs; the mean of the gradients a step."""
    q = {word: vectors.get_vector(word, norm=True).copy() for word in vectors.words}
    apart = {frozenset(pair) for pair in antonyms if pair[0] != pair[1]}
    near = {frozenset(pair) for pair in synonyms if pair[0] != pair[1]} - apart
    listed = set().union(*apart, *near)
    terms = [(*sorted(pair), -how.k_antonyms, how.delta) for pair in apart]
    terms += [(*sorted(pair), how.k_synonyms, how.gamma) for pair in near]
    kept = set()
    for u in listed:
        for w, cosine in vectors.most_similar(u, topn=how.neighbours):
            if 1 - cosine <= how.rho and frozenset((u, w)) not in apart:
                kept.add((min(u, w), max(u, w)))
    terms += [(u, w, how.k_neighbours, 1 - float(q[u] @ q[w])) for u, w in kept]
    for _ in range(how.epochs):
        steps = {word: [] for word in vectors.words}
        for u, w, k, margin in terms:
            cosine = float(q[u] @ q[w])
            if k * (1 - cosine - margin) > 1e-12:
                steps[u].append(k * (cosine * q[u] - q[w]))
                steps[w].append(k * (cosine * q[w] - q[u]))
        for word, gradients in steps.items():
            if gradients:
                q[word] = q[word] - np.mean(gradients, axis=0)
                q[word] = q[word] / np.linalg.norm(q[word])
    return np.stack([q[word] for word in vectors.words]), len(kept)


def test_plain_loop_over_the_papers_terms():
    vectors, how = random_vectors(), CounterFitting(epochs=5, neighbours=4)
    synonyms, antonyms = random_pairs(40, 2), random_pairs(20, 3)
    expected, kept = naive(vectors, synonyms, antonyms, how)
    result = postprocess.counter_fit(vectors, synonyms, antonyms, how)
    assert kept > 30
    assert last(result)["neighbour_pairs"] == kept
    assert result.vectors == pytest.approx(expected, abs=1e-10)


def test_synonyms_come_near_antonyms_part_and_neighbours_stay():
    vectors = random_vectors(dtype=np.float32)
    synonyms = random_pairs(15, 2)
    antonyms = [(word, vectors.most_similar(word, topn=1)[0][0]) for word in vectors.words[:10]]
    result = postprocess.counter_fit(vectors, synonyms, antonyms, CounterFitting(neighbours=2))
    loose = postprocess.counter_fit(vectors, synonyms, antonyms, CounterFitting(k_neighbours=0))
    near = [pair for pair in synonyms if pair[0] != pair[1]]

    def mean(space, pairs):
        return np.mean([space.similarity(*pair) for pair in pairs])

    assert mean(result, near) > mean(vectors, near) + 0.3
    assert mean(result, antonyms) < mean(vectors, antonyms) - 0.3
    alike = [(word, vectors.most_similar(word, topn=1)[0][0]) for word in {word for pair in near for word in pair}]
    assert mean(result, alike) > mean(loose, alike)
    assert last(result)["objective"][1] < 0.5 * last(result)["objective"][0]
    assert result.vectors.dtype == np.float32
    assert result.norms == pytest.approx(1)


def test_a_pair_that_is_both_counts_as_antonym():
    vectors = WordVectors(["a", "b"], [[1.0, 0], [0.8, 0.6]])
    result = postprocess.counter_fit(vectors, [("a", "b")], [("b", "a")])
    assert result.similarity("a", "b") < 0.1
    assert last(result)["synonyms"]["used"] == 0


def test_the_order_of_the_pairs_does_not_count():
    vectors, synonyms, antonyms = random_vectors(), random_pairs(40, 2), random_pairs(20, 3)
    one = postprocess.counter_fit(vectors, synonyms, antonyms)
    other = postprocess.counter_fit(vectors, [(b, a) for a, b in reversed(synonyms)], [*antonyms[3:], *antonyms])
    assert np.array_equal(one.vectors, other.vectors)


def test_no_pairs_and_options_out_of_their_range():
    vectors = random_vectors()
    with pytest.raises(OptionError, match="no pairs to counter-fit to: expected synonyms, antonyms, or both"):
        postprocess.counter_fit(vectors)
    with pytest.raises(OptionError, match="none of 1 pairs of antonyms has two words with vectors"):
        postprocess.counter_fit(vectors, random_pairs(5, 2), [("up", "down")])
    with pytest.raises(OptionError, match="rho=3: expected a finite number from 0 to 2"):
        CounterFitting(rho=3)
