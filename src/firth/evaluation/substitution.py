"""Which word could stand here instead? Candidates ranked in a sentence, against the substitutes that people gave.

What: a word t stands in a sentence among the words C. Its candidates s are all substitutes that people gave for it
anywhere in the set; those that they gave here, and more of them, should be ranked first.

Objective: a ranking's figure is its generalised average precision. With the gold weight x_i (how many people gave it,
or 0) of the candidate at rank i, I(x) = 1 where x > 0, and y the gold weights in their best order:

    GAP = sum_i I(x_i) mean(x_1 ... x_i)  /  sum_i I(y_i) mean(y_1 ... y_i)

Candidates are ranked by, with pcos = (cos + 1) / 2,

    cosine   cos(s, t)                                                   the sentence is not looked at
    add      (cos(s, t) + sum_C cos(s, c)) / (|C| + 1)
    baladd   (|C| cos(s, t) + sum_C cos(s, c)) / (2 |C|)
    mult     (pcos(s, t) prod_C pcos(s, c)) ^ (1 / (|C| + 1))
    balmult  (pcos(s, t)^|C| prod_C pcos(s, c)) ^ (1 / (2 |C|))

Source: Melamud, Levy and Dagan 2015, A simple word embedding model for lexical substitution, table 1, for the scores;
Kishida 2005, Property of average precision and its generalization, and Thater, Furstenau and Pinkal 2010 for GAP;
McCarthy and Navigli 2007 (LST-07) and Kremer et al. 2014 (CoInCo) for the sets.

Departures: C are the tokens at most `WINDOW` to either side that have a vector, not the neighbours in a parse; c is the
output vector of a word where the model has one, as in the paper, and else the input vector. Candidates are looked up as
the lemmas that they are; the paper takes the best of all their forms. Equal scores share their ranks: GAP is then what
to expect of a random order, and with all equal it is the random baseline, without drawing anything.

Multiword candidates (with a space or a hyphen) are left out of candidates and gold, as in the paper's program; so are
sentences without any other substitute. Unknown words: a sentence whose word, or a candidate of it, has no vector is
left out ("skip"), or stays ("count"): such a candidate is then not ranked and adds nothing, and without a vector of the
word itself GAP is 0, both as in the paper's program.

Cost: N sentences with M candidates and a window of W take 2 N M W D operations.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from firth.errors import FormatError
from firth.evaluation.context import Known, Occurrence, words_alone
from firth.evaluation.files import PathLike, lines
from firth.evaluation.suite import Figure, Setting, Space, Suite
from firth.resampling import Floats, Mean, Sample
from firth.vectors.averages import word_bags
from firth.vectors.neighbours import Matrix, unit

WINDOW = 5  # tokens on either side
CHANCE = "random"
_TINY = 1e-12  # in place of a pcos of 0, whose logarithm does not exist


@dataclass(frozen=True)
class Target:
    """A word, its candidates, and the sentences that it stands in.

    Attributes:
        candidates: m single words, sorted.
        names: k names of sentences, as in "bright.a 1".
        occurrences: the word in each of them.
        weights: (k, m) how many people gave each candidate for each sentence; every row has one above 0.
    """

    candidates: Sequence[str]
    names: Sequence[str]
    occurrences: Sequence[Occurrence]
    weights: Floats


def generalised_average_precision(scores: npt.ArrayLike, weights: npt.ArrayLike) -> Floats:
    """Return the GAP of rankings, equal scores sharing their ranks.

    Args:
        scores: (..., m) of each ranking's candidates, the greatest ranked first; NaN for one that is not ranked.
        weights: (..., m) gold weights, 0 for candidates that are not gold.

    Returns:
        (...) from 0 to 1; NaN where no weight is above 0.

    Source:
        Kishida 2005, equation 8; the mean over the orders of equal scores is exact, see `_expected`.
    """
    given, gold = np.broadcast_arrays(np.asarray(scores, dtype=np.float64), np.asarray(weights, dtype=np.float64))
    shape = given.shape[:-1]
    given, gold = (some.reshape(-1, some.shape[-1]) for some in (given, gold))
    order = np.argsort(-given, axis=1, kind="stable")  # NaN stands last
    ranked, x = np.take_along_axis(given, order, axis=1), np.take_along_axis(gold, order, axis=1)
    best = -np.sort(-gold, axis=1)
    places = np.arange(1, gold.shape[1] + 1)
    most = np.where(best > 0, np.cumsum(best, axis=1) / places, 0).sum(axis=1)
    reached = np.where(np.isnan(ranked), 0, _expected(ranked, x)).sum(axis=1)
    with np.errstate(invalid="ignore"):
        found: Floats = reached / most
    return np.asarray(np.reshape(found, shape))


def _expected(ranked: Floats, x: Floats) -> Floats:
    """(k, m) what each rank is expected to add, I(x_i) mean(x_1 ... x_i), when equal scores are ordered at random.

    At the i-th of m equal places, of which r have weights above 0 that sum to W, after a places with the sum S: the
    candidate there is gold with chance r / m, weighs W / m on average, and for each of the i - 1 before it in the group
    an ordered pair of a gold candidate and any other adds (r W - W) / (m (m - 1)).
    """
    k, n = ranked.shape
    starts = np.concatenate([np.ones((k, 1), dtype=bool), ranked[:, 1:] != ranked[:, :-1]], axis=1)
    group = np.cumsum(starts.ravel()) - 1  # groups of equal scores, over all rows
    first = np.flatnonzero(starts.ravel())
    m, r, w = (np.bincount(group, weights=some.ravel())[group].reshape(k, n) for some in (np.ones((k, n)), x > 0, x))
    places = np.tile(np.arange(1, n + 1), (k, 1))
    inside = places - places.ravel()[first][group].reshape(k, n)  # i - 1
    before = (np.cumsum(x, axis=1) - x).ravel()[first][group].reshape(k, n)  # S
    pairs = np.where(m > 1, (r * w - w) / np.maximum(m * (m - 1), 1), 0)
    added: Floats = (r / m * before + w / m + inside * pairs) / places
    return added


def rank_scores(candidates: Matrix, targets: Matrix, contexts: Matrix, bags: csr_array) -> dict[str, Floats]:
    """Return the scores of a word's candidates in several sentences, by each way of combining word and context.

    Args:
        candidates: (m, D) of length 1.
        targets: (k, D) of length 1: the word in each sentence.
        contexts: (u, D) of length 1: the different words around.
        bags: (k, u) how often each of these stands around the word in each sentence.

    Returns:
        (k, m) scores by name: cosine, add, baladd, mult, balmult.

    Source:
        Melamud, Levy and Dagan 2015, table 1.
    """
    own = (targets @ candidates.T).astype(np.float64)
    around = (contexts @ candidates.T).astype(np.float64)
    size = np.asarray(bags.sum(axis=1), dtype=np.float64)[:, None]  # |C|
    total, product = bags @ around, bags @ _log_pcos(around)
    log_own, twice = _log_pcos(own), np.maximum(2 * size, 1)
    weight = np.where(size > 0, size, 1)  # without a context the word alone is left
    return {
        "cosine": own,
        "add": (own + total) / (size + 1),
        "baladd": (weight * own + total) / twice,
        "mult": np.exp((log_own + product) / (size + 1)),
        "balmult": np.exp((weight * log_own + product) / twice),
    }


def _log_pcos(cosines: Floats) -> Floats:
    return np.asarray(np.log(np.maximum((cosines + 1) / 2, _TINY)))


def read_substitutions(path: PathLike) -> list[Target]:
    """Read a lexical substitution set: substitutes in one file, sentences in another.

    Substitutes: `word.tag number :: substitute count;substitute count;` a line, in a file whose name ends in `.gold`.
    Sentences: `word.tag  number  place  tokens` between tabs, in the file with `.preprocessed` in that place, plain or
    packed (`.gz`). The candidates of a word are all its substitutes in the file.

    Args:
        path: the file of substitutes, UTF-8; what is not, as in some lines of the published files, reads as U+FFFD.

    Returns:
        A target a word and tag, in the order of the file.

    Raises:
        FormatError: a line is not in its format, a sentence is missing, or no substitute is a single word.
        OSError: a file cannot be read.
    """
    sentences = _sentences(Path(path))
    gathered: dict[str, list[tuple[tuple[str, str], dict[str, float]]]] = {}
    for number, line in lines(path, damaged="replace", comments=False):
        name, weights = _gold(line, f"{path} line {number}")
        if name not in sentences:
            raise FormatError(f"{path} line {number}: {' '.join(name)} has no sentence in the file beside it")
        if weights:
            lemma = ".".join(name[0].split(".")[:2])  # bar.n and bar.n.v are one
            gathered.setdefault(lemma, []).append((name, weights))
    if not gathered:
        raise FormatError(f"{path}: no substitute of one word; expected lines as 'bright.a 1 :: clever 3;light 1;'")
    return [_target(all_, sentences) for all_ in gathered.values()]


def _target(
    gathered: Sequence[tuple[tuple[str, str], Mapping[str, float]]], sentences: Mapping[tuple[str, str], Occurrence]
) -> Target:
    candidates = sorted({word for _, weights in gathered for word in weights})
    table = np.array([[weights.get(word, 0.0) for word in candidates] for _, weights in gathered])
    return Target(
        candidates, [" ".join(name) for name, _ in gathered], [sentences[name] for name, _ in gathered], table
    )


def _gold(line: str, where: str) -> tuple[tuple[str, str], dict[str, float]]:
    """The name of a line, and the weights of its single words."""
    name, mark, rest = line.partition("::")
    key, _, number = name.strip().rpartition(" ")
    if not (mark and key):
        raise FormatError(f"{where}: expected 'word.tag number :: substitute count;substitute count;'")
    weights: dict[str, float] = {}
    for part in filter(str.strip, rest.split(";")):
        substitute, space, count = part.rstrip().rpartition(" ")
        if not (space and count.isdecimal()):
            raise FormatError(f"{where}: {part!r}, expected a substitute and its count")
        # CoInCo has an empty substitute, which says nothing; LST-07 has some with a space too many at the end, which
        # the program reads as several words: a second "arrive " must not replace the first.
        word = substitute.lstrip()
        if word and " " not in word and "-" not in word:
            weights[word] = float(count)
    return (key, number), weights


def _sentences(path: Path) -> dict[tuple[str, str], Occurrence]:
    beside = path.with_suffix(".preprocessed")
    files = [file for file in (beside, beside.with_name(beside.name + ".gz")) if file.is_file()]
    if path.suffix != ".gold" or not files:
        raise FormatError(f"{path}: expected a name that ends in .gold, and {beside.name} beside it with the sentences")
    found = {}
    for number, line in lines(files[0], damaged="replace", comments=False):
        fields = line.split("\t")
        tokens = fields[-1].split()
        if len(fields) != 4 or not fields[2].isdecimal() or int(fields[2]) >= len(tokens):
            raise FormatError(
                f"{files[0]} line {number}: expected 'word.tag  number  place  tokens' between tabs, the place one of "
                "the tokens from 0"
            )
        found[fields[0], fields[1]] = Occurrence(fields[0].split(".")[0], tokens, int(fields[2]))
    return found


def output_side(space: Space, words: Sequence[str]) -> tuple[Matrix, Known]:
    """Return the output vectors of words where a model keeps one a word, or else their input vectors.

    Args:
        space: the vectors. The output rows of hierarchical softmax are nodes of its tree, and no words'.
        words: n words.

    Returns:
        (n, D) of length 1, zeros for words without one, and (n,) which have one.
    """
    output = space.vectors.output_vectors
    training = space.vectors.metadata.get("training", {})
    nodes = training.get("options", {}).get("objective") == "hierarchical"
    if output is None or output.shape != space.vectors.vectors.shape or nodes:
        return space.take(words)
    rows = space.find(words)
    has = rows >= 0
    matrix = np.zeros((len(rows), space.dim), dtype=np.float32)
    matrix[has] = output[rows[has]]
    return unit(matrix), has


@dataclass(frozen=True)
class _Scene:
    """The vectors of a set: of its candidates, of its words where they stand, and of the words around them."""

    candidates: Matrix  # (m, D) of all targets, one after the other
    known: Known  # (m,)
    targets: Matrix  # (k, D) of all occurrences
    has: Known  # (k,)
    contexts: Matrix  # (u, D) of the different words around
    bags: csr_array  # (k, u)


def _scene(space: Space, gold: Sequence[Target]) -> _Scene:
    occurrences = [one for target in gold for one in target.occurrences]
    candidates, known = space.take([word for target in gold for word in target.candidates])
    targets, has = words_alone(space, occurrences)
    around, bags = word_bags([one.around(WINDOW) for one in occurrences])
    contexts, there = output_side(space, around)
    return _Scene(candidates, known, targets, has, contexts[there], csr_array(bags[:, np.flatnonzero(there)]))


def _gaps(scene: _Scene, target: Target, first: int, row: int) -> tuple[dict[str, Floats], Known]:
    """The GAP of each sentence of a target, and whether all its words are known."""
    own, places = slice(row, row + len(target.occurrences)), slice(first, first + len(target.candidates))
    nearby = csr_array(scene.bags[own])
    columns = np.unique(nearby.indices)
    scores = rank_scores(
        scene.candidates[places], scene.targets[own], scene.contexts[columns], csr_array(nearby[:, columns])
    )
    unranked = np.where(scene.has[own, None] & scene.known[places], 0.0, np.nan)
    rankings = np.stack([*(one + unranked for one in scores.values()), np.zeros_like(unranked)])
    gaps = generalised_average_precision(rankings, target.weights)
    return dict(zip([*scores, CHANCE], gaps, strict=True)), scene.has[own] & scene.known[places].all()


def _judge(space: Space, gold: Sequence[Target], setting: Setting) -> list[Figure]:
    scene = _scene(space, gold)
    firsts = np.cumsum([0, *(len(target.candidates) for target in gold)]).tolist()
    rows = np.cumsum([0, *(len(target.occurrences) for target in gold)]).tolist()
    found = [_gaps(scene, target, firsts[i], rows[i]) for i, target in enumerate(gold)]
    known = np.concatenate([one for _, one in found])
    counted = np.ones(len(known), dtype=bool) if setting.unknown == "count" else known
    gaps = {name: np.concatenate([one[name] for one, _ in found])[counted] for name in found[0][0]}
    chance = gaps.pop(CHANCE)
    return [
        Figure(
            metric=f"gap-{name}",
            sample=Sample(counted, Mean(own)),
            covered=int(known.sum()),
            total=len(known),
            baseline=float(chance.mean()) if len(chance) else None,
            baseline_name="random",
        )
        for name, own in gaps.items()
    ]


SUITE = Suite(
    name="substitution",
    help="substitutes of words in sentences, ranked: generalised average precision",
    sets=("lst-07",),
    read=read_substitutions,
    judge=_judge,
)
