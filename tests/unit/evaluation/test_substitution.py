import gzip
import hashlib
import shutil
from itertools import permutations

import numpy as np
import pytest
from scipy.sparse import csr_array

from firth.errors import FormatError
from firth.evaluation.evaluate import evaluate
from firth.evaluation.substitution import generalised_average_precision, output_vectors, rank_scores
from firth.evaluation.suite import EvaluationOptions, Space
from firth.readers.lexical_substitution import read_substitutions
from firth.vectors.word_vectors import WordVectors

GOLD = (
    "bright.a 1 :: clever 3;well-lit 2;shining 1;clever  1;\n"
    "bright.a 2 :: light 2;shining 2;full of light 1;\n"
    "side.n 3 :: to hand 1;\n"
)
SENTENCES = (
    "bright.a\t1\t1\ta bright boy learns\n"
    "bright.a\t2\t2\tthe lamp brighter glows\n"
    "bright.a\t9\t0\tbright and early\n"
    "side.n\t3\t1\tthe side\n"
)
WORDS = ["bright", "clever", "shining", "light", "boy", "learns", "lamp", "glows"]
ROWS = [[1, 1], [3, 0], [0, 2], [-1, 1], [1, 0], [2, 0], [-2, 2], [-1, 1]]


def written(folder, gold=GOLD, sentences=SENTENCES, packed=False):
    (folder / "toy.gold").write_text(gold, encoding="utf-8")
    if packed:
        (folder / "toy.preprocessed.gz").write_bytes(gzip.compress(sentences.encode()))
    else:
        (folder / "toy.preprocessed").write_text(sentences, encoding="utf-8")
    return folder / "toy.gold"


@pytest.fixture
def vectors():
    return WordVectors(WORDS, np.array(ROWS, dtype=np.float32))


def test_gap_by_hand():
    """Gold a 3, b 1, ranked c a d b: a at rank 2 has the mean (0 + 3) / 2, b at 4 (0 + 3 + 0 + 1) / 4; best 3 + 4 / 2.

    (1.5 + 1) / 5 = 0.5. In the best order it is 1.
    """
    assert generalised_average_precision([3, 1, 4, 2], [3, 1, 0, 0]) == pytest.approx(0.5, abs=1e-15)
    assert generalised_average_precision([4, 3, 2, 1], [3, 1, 0, 0]) == pytest.approx(1)
    assert np.isnan(generalised_average_precision([1, 2], [0, 0]))


def naive(order, weights):
    """The program's sums, one rank at a time; `order` may leave candidates out."""
    got = total = 0.0
    for rank, place in enumerate(order, 1):
        total += weights[place]
        got += total / rank if weights[place] > 0 else 0
    best, total = 0.0, 0.0
    for rank, weight in enumerate(sorted((w for w in weights if w > 0), reverse=True), 1):
        total += weight
        best += total / rank
    return got / best


def test_gap_agrees_with_a_loop_also_where_candidates_are_not_ranked():
    random = np.random.default_rng(1)
    scores, weights = random.normal(size=(50, 12)), random.integers(0, 4, size=(50, 12)).astype(float)
    weights[:, 0] = 1
    scores[random.random(scores.shape) < 0.2] = np.nan
    found = generalised_average_precision(scores, weights)
    for row, own, figure in zip(scores, weights, found, strict=True):
        order = [i for i in np.argsort(-row) if not np.isnan(row[i])]
        assert figure == pytest.approx(naive(order, own), abs=1e-12)


@pytest.mark.parametrize("scores", [[1, 1, 1, 1, 1], [2, 2, 1, 1, 1], [3, 2, 2, 2, 1], [2, 2, 3, 3, 3]])
def test_equal_scores_have_the_mean_over_all_their_orders(scores):
    weights = [2, 0, 1, 0, 3]
    orders = [some for some in permutations(range(5)) if list(np.array(scores)[list(some)]) == sorted(scores)[::-1]]
    by_hand = np.mean([naive(some, weights) for some in orders])
    assert generalised_average_precision(scores, weights) == pytest.approx(by_hand, abs=1e-12)


def drawn(name, word):
    """A score that anyone can make again."""
    return int(hashlib.md5(f"{name} {word}".encode()).hexdigest()[:12], 16) / 16**12


@pytest.fixture
def copied(shared_data, tmp_path):
    """Return the copy of a set, of which nothing is known: of data sets that firth knows damage is not said."""

    def copied(name):
        for path in (shared_data / "relations/qvec-lexsub/lexsub/datasets").glob(name.replace(".gold", ".*")):
            shutil.copy(path, tmp_path)
        return tmp_path / name

    return copied


@pytest.mark.parametrize(
    ("least", "mean", "first"),
    [
        (0.0, 0.2998740345288362, [0.07523529411764705, 0.24137931034482757, 0.19333748443337487]),
        (0.2, 0.2628216869949474, [0.1203030303030303, 0.06034482758620689, 0.3432485322896282]),
    ],
)
def test_gap_of_the_reference_scorer(copied, least, mean, first):
    """The mean GAP and the first three, of orenmel/lexsub's scorer (lst_gap.py, no-mwe) on the same rankings of LST-07.

    The second ranking leaves a fifth of the candidates out: those whose score stands below .2 here, above .8 there.
    """
    gaps = []
    with pytest.warns(UserWarning, match=r"replaced by U\+FFFD"):
        targets = read_substitutions(copied("lst_all.gold"))
    for target in targets:
        scores = np.array([[drawn(name, word) for word in target.candidates] for name in target.names])
        scores[scores >= 1 - least] = np.nan
        gaps += zip(target.names, generalised_average_precision(scores, target.weights), strict=True)
    assert len(gaps) == 1986
    assert np.mean([gap for _, gap in gaps]) == pytest.approx(mean, abs=1e-12)
    assert [name for name, _ in gaps[:3]] == ["bright.a 1", "bright.a 2", "bright.a 3"]
    assert [gap for _, gap in gaps[:3]] == pytest.approx(first, abs=1e-12)


def test_scores_by_hand():
    """cos(s, t) = .6, cos(s, c) = 1 and 0, the second twice: |C| = 3.

    add (.6 + 1) / 4; baladd (3 * .6 + 1) / 6; with pcos .8, 1, .5: mult (.8 * 1 * .25) ^ (1/4), balmult (.8^3 * .25) ^
    (1/6).
    """
    s, t = np.array([[1, 0]], dtype=np.float32), np.array([[0.6, 0.8]], dtype=np.float32)
    found = rank_scores(s, t, np.eye(2, dtype=np.float32), csr_array(np.array([[1, 2]], dtype=np.float32)))
    by_hand = {
        "cosine": 0.6,
        "add": 1.6 / 4,
        "baladd": 2.8 / 6,
        "mult": (0.8 * 0.25) ** (1 / 4),
        "balmult": (0.8**3 * 0.25) ** (1 / 6),
    }
    assert {name: float(some[0, 0]) for name, some in found.items()} == pytest.approx(by_hand, abs=1e-6)


def test_without_context_every_score_ranks_as_the_cosine():
    random = np.random.default_rng(5)
    s, t = (random.normal(size=shape).astype(np.float32) for shape in ((6, 4), (2, 4)))
    s, t = s / np.linalg.norm(s, axis=1, keepdims=True), t / np.linalg.norm(t, axis=1, keepdims=True)
    found = rank_scores(s, t, np.zeros((0, 4), dtype=np.float32), csr_array((2, 0), dtype=np.float32))
    for some in found.values():
        assert (some.argsort(axis=1) == found["cosine"].argsort(axis=1)).all()
    assert found["baladd"] == pytest.approx(found["cosine"] / 1)


@pytest.mark.parametrize("packed", [False, True])
def test_reads_both_files(tmp_path, packed):
    """Candidates are the single words of all sentences; what has none of these is left out."""
    (target,) = read_substitutions(written(tmp_path, packed=packed))
    assert target.candidates == ["clever", "light", "shining"]
    assert target.names == ["bright.a 1", "bright.a 2"]
    assert target.weights.tolist() == [[3, 0, 1], [0, 2, 2]]
    assert (target.occurrences[1].word, target.occurrences[1].position) == ("bright", 2)


def test_one_word_with_two_tags_is_one_target(tmp_path):
    """As in the published sets: bar.n.v has the candidates of bar.n. An empty substitute says nothing."""
    gold = "bar.n 1 :: pub 2;; 1;\nbar.n.v 2 :: block 1;\n"
    (target,) = read_substitutions(written(tmp_path, gold, "bar.n\t1\t0\tbar\nbar.n.v\t2\t0\tbar\n"))
    assert target.candidates == ["block", "pub"]


def test_substitution_by_hand(vectors, tmp_path):
    """bright is at 45 degrees, clever at 0, shining at 90, light at 135: alone, clever and shining are as near.

    First sentence, gold clever 3, shining 1: both, then light: clever is first half of the time, (3 + 4/2) / 5 = 1, or
    second, (1 + 4/2) / 5 = .6: .8. Boy and learns (0 degrees) put clever first: 1. Second: brighter has no vector and
    bright stands in; gold light 2, shining 2: light is last, one of shining and clever first: (2 + 4/3) / (2 + 2) or
    (2/2 + 4/3) / 4: 17/24. lamp and glows (135 degrees) put clever last: 1.
    """
    gold = written(tmp_path)
    rows = {row.metric: row for row in evaluate(vectors, suites={"substitution": gold}).rows}
    assert {name: row.value for name, row in rows.items()} == pytest.approx(
        {"gap-cosine": (0.8 + 17 / 24) / 2, **dict.fromkeys(("gap-add", "gap-baladd", "gap-mult", "gap-balmult"), 1.0)}
    )
    row = rows["gap-add"]
    assert (row.set, row.covered, row.total, row.baseline_name) == ("toy", 2, 2, "random")


def test_the_random_baseline_is_the_mean_over_rankings(vectors, tmp_path):
    gold = written(tmp_path)
    (target,) = read_substitutions(gold)
    by_hand = np.mean([[naive(order, row) for order in permutations(range(3))] for row in target.weights])
    assert evaluate(vectors, suites={"substitution": gold}).rows[0].baseline == pytest.approx(by_hand)


@pytest.mark.filterwarnings("ignore:.*no item has all its words")
def test_policies_for_unknown_words(vectors, tmp_path):
    """Two words: of the second one, lamp, a candidate has no vector. Counted, that candidate is never reached.

    lamp: gold glint 2, light 1; light alone is ranked: (1 / 1) / (2 + 3 / 2) = 2 / 7. bright: 1, as above. A word
    without any vector has 0.
    """
    gold = written(
        tmp_path, "bright.a 1 :: clever 3;light 1;\nlamp.n 2 :: glint 2;light 1;\n", SENTENCES + "lamp.n\t2\t0\tlamp\n"
    )
    skipped, counted = (
        {row.metric: row for row in evaluate(vectors, suites={"substitution": gold}, unknown=policy).rows}["gap-add"]
        for policy in ("skip", "count")
    )
    assert (skipped.value, skipped.covered, skipped.total) == (pytest.approx(1), 1, 2)
    assert (counted.value, counted.covered) == (pytest.approx((1 + 2 / 7) / 2), 1)
    lost = WordVectors(["clever", "shining", "light", "boy"], np.eye(4, dtype=np.float32))
    rows = evaluate(lost, suites={"substitution": gold}, unknown="count").rows
    assert [row.value for row in rows] == [0] * 5


def test_context_words_are_looked_up_on_the_output_side_where_it_is_theirs(vectors):
    def side(output, **metadata):
        some = WordVectors(WORDS, vectors.vectors, output_vectors=output, metadata=metadata)
        return output_vectors(Space(some, EvaluationOptions()), ["boy", "unheard"])

    output = np.tile(np.array([[0, -2]], dtype=np.float32), (len(WORDS), 1))
    found, has = side(output)
    assert found.tolist() == [[0, -1], [0, 0]]
    assert has.tolist() == [True, False]
    own = [[1, 0], [0, 0]]
    assert side(None)[0].tolist() == own
    assert side(np.ones((len(WORDS), 20), dtype=np.float32))[0].tolist() == own  # of word order: wider
    assert side(output, training={"options": {"objective": "hierarchical"}})[0].tolist() == own  # nodes of a tree


@pytest.mark.parametrize(
    ("gold", "sentences", "message"),
    [
        ("", SENTENCES, r"toy.gold: empty"),
        ("bright.a 1 clever 3;\n", SENTENCES, r"toy.gold line 1: expected 'word.tag number :: "),
        ("bright.a 1 :: clever;\n", SENTENCES, r"line 1: ' clever', expected a substitute and its count"),
        ("bright.a 7 :: clever 2;\n", SENTENCES, r"line 1: bright.a 7 has no sentence"),
        ("bright.a 1 :: full of light 2;\n", SENTENCES, r"no substitute of one word"),
        (GOLD, "bright.a\t1\ta bright boy\n", r"toy.preprocessed line 1: expected 'word.tag"),
        (GOLD, "bright.a\t1\t9\ta bright boy\n", r"toy.preprocessed line 1"),
    ],
)
def test_what_is_no_set_of_substitutes_is_refused(tmp_path, gold, sentences, message):
    with pytest.raises(FormatError, match=message):
        read_substitutions(written(tmp_path, gold, sentences))


def test_sentences_that_are_missing(tmp_path):
    written(tmp_path)
    (tmp_path / "toy.preprocessed").unlink()
    with pytest.raises(FormatError, match=r"toy.preprocessed beside it"):
        read_substitutions(tmp_path / "toy.gold")


@pytest.mark.parametrize(
    ("name", "targets", "sentences"), [("lst_all.gold", 201, 1986), ("coinco_all.no_problematic.gold", 4248, 15365)]
)
def test_the_published_sets(shared_data, copied, name, targets, sentences):
    """Their candidates are those that the sets' own lists of candidates hold, single words only."""
    folder = shared_data / "relations/qvec-lexsub/lexsub/datasets"
    with pytest.warns(UserWarning, match=r"read as cp1252|replaced by U\+FFFD"):  # a cent sign; six lone quotes
        found = read_substitutions(copied(name))
    assert (len(found), sum(len(target.names) for target in found)) == (targets, sentences)
    listed, encoding = {"lst_all.gold": ("lst.gold.candidates", "utf-8")}.get(
        name, ("coinco.no_problematic.candidates", "cp1252")
    )
    lists = (line.partition("::") for line in (folder / listed).read_text(encoding, "replace").splitlines())
    single = {
        word: sorted(one for one in all_.split(";") if one and " " not in one and "-" not in one)
        for word, _, all_ in lists
    }
    different = [
        target.names[0]
        for target in found
        if single[".".join(target.names[0].split(".")[:2]).rsplit(" ", 1)[0]] != target.candidates
    ]
    assert different in ([], ["dais.N 7611"])  # whose list has the count of an empty substitute as a candidate
