"""Which words mean something else in one group of documents than in another: `firth.contrast`.

What: a model is trained on each group, the two spaces are aligned, and each word has a distance, as in
`firth.SemanticChange`. What chance does is measured in the same way: the documents are divided at random into two
groups of the same sizes, again and again. `firth.alignment.chance` says what the p-values mean and what they assume.

Interval: documents are drawn with replacement within each group, `runs` times. The spread of the distances about their
mean is that of the interval about the distance. Their own values are not: a sample has 63 % of the distinct documents,
and its words move further by chance.

Source: Dubossarsky, Weinshall and Grossman 2017, "Outta control: laws of semantic change and inherent biases in word
representation models", for random groups as the control; Antoniak and Mimno 2018 for documents as the units; Efron and
Tibshirani 1993, An Introduction to the Bootstrap, chapter 8, for two samples.

Departures: options that depend on the size of the text are chosen once, from that of the smaller group. All trainings
have the words of both groups. Vectors are aligned by all words that stand on both sides.

Cost: 2 (1 + permutations + runs) trainings on one thread each, as many side by side as there are threads.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Unpack

import numpy as np
import numpy.typing as npt

from firth.alignment.chance import against_chance
from firth.alignment.contrast_result import Contrast
from firth.alignment.groups import Groups
from firth.alignment.semantic_change import Pair, aligned
from firth.arguments import explained
from firth.corpus.encoded import Corpus
from firth.corpus.options import TextArguments
from firth.corpus.size_defaults import chosen_options, log_advice, log_choice
from firth.errors import OptionError, brief, warn_caller
from firth.kernels.threads import usable_threads
from firth.options import check_whole, wrong_kind
from firth.progress import Progress, check_progress
from firth.randomness import check_seed, generator
from firth.runs.estimates import interval
from firth.runs.pool import Meter, side_by_side, vanishing_folder
from firth.runs.samples import drawn, log_sentences
from firth.runs.training import check_model
from firth.training_facts import text_facts
from firth.vectors.lexicon import Lexicon
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

ENOUGH = 19  # permutations without which no adjusted p is 0.05 or less
FEWEST = 4  # permutations without which there is no p at all
NAMES = ("first", "second")


@explained
def contrast(
    model: Any,
    first: Corpus | Any,
    second: Corpus | Any,
    *,
    names: tuple[str, str] = NAMES,
    permutations: int = 20,
    runs: int = 20,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress = None,
    **text: Unpack[TextArguments],
) -> Contrast:
    """Compare what words mean in two groups of documents, with p-values and intervals.

    A document is a file of several, a text of several, or a row of a table. If each group is a single file, each
    sentence, by default each line, is taken for one.

    Args:
        model: the options of any model that learns word vectors, such as `firth.Word2Vec(dim=100)`.
        first: documents: an encoded corpus, or whatever `Corpus.build` takes.
        second: documents of the other group.
        names: of the two groups.
        permutations: number of random divisions of the documents that show what chance does; at least 19 for a word to
            be significant after the correction for many words.
        runs: number of samples of documents for the intervals; 0 for no intervals, in half of the time.
        threads: trainings at one time, each with one thread; None is one per processor.
        **text: options of `Corpus.build` for texts that are not encoded yet; and `min_count`, the count that a word
            must have in each of the groups to be compared; by default 5.

    Returns:
        The words with their distances. After Ctrl-C with the permutations that are finished.

    Raises:
        OptionError: the model learns something else than word vectors, an argument is out of its range, a group is a
            single document, or the groups are read in different ways.
        CorpusError: a text cannot be read, or the groups have no common words.
        KeyboardInterrupt: too few permutations were finished.

    Warns:
        UserWarning: there are few documents or permutations, or some are missing because of Ctrl-C.
    """
    names = _checked(model, names, permutations, runs, seed, progress)
    count = usable_threads(threads)
    with vanishing_folder() as folder:
        defaults = getattr(type(model), "corpus_options", None)
        groups = Groups.read((first, second), names, text, folder, defaults=defaults, threads=count, progress=progress)
        divisions = groups.divisions(permutations, seed)
        _say(groups, permutations)
        model = _chosen(model, min(groups.tokens))
        documents = [groups.given(), *divisions, *(groups.resampled(_seed(seed, f"run {r}")) for r in range(runs))]
        finished: dict[int, Measured] = {}
        train = partial(_measured, Plan(model, groups, documents, seed))
        meter = Meter(len(documents), noun="pairs of trainings", each=2)
        side_by_side(range(len(documents)), train, finished.__setitem__, meter, count, progress)
    return _result(groups, finished, permutations, runs, _facts(model, groups, seed))


class Plan(NamedTuple):
    """What a pair of trainings needs to know.

    Attributes:
        documents: of the two sides of each pair: first the groups, then the permutations, then the runs.
    """

    model: Any
    groups: Groups
    documents: Sequence[tuple[Ints, Ints]]
    seed: int


@dataclass(frozen=True)
class Measured:
    """What a pair of trainings gives.

    Attributes:
        distance: (V,) of each word; NaN where one of the sides lacks it.
        counts: (2, V) on the two sides.
        pair: the vectors, of the groups alone.
    """

    distance: Floats
    counts: Ints
    pair: Pair | None


def _checked(model: Any, names: Any, permutations: int, runs: int, seed: int, progress: Progress) -> tuple[str, str]:
    check_model(model)
    check_whole("permutations", permutations, FEWEST)
    check_whole("runs", runs, 0)
    if runs == 1:
        raise OptionError("runs=1: expected at least 2 samples for an interval, or 0 for none")
    check_seed(seed)
    check_progress(progress)
    if isinstance(names, str) or not isinstance(names, Sequence) or not all(isinstance(n, str) for n in names):
        raise wrong_kind("names", names, "two names, such as ('men', 'women')")
    if len(names) != 2 or len({*names}) != 2 or not all(names):
        raise OptionError(f"names={brief(names)}: expected two different names, such as ('men', 'women')")
    return names[0], names[1]


def _say(groups: Groups, permutations: int) -> None:
    if groups.unit == "sentences":
        log_sentences(sum(groups.sizes))
    if permutations < ENOUGH:
        warn_caller(
            f"permutations={permutations}: no word can be significant after the correction for many words; expected "
            f"{ENOUGH} or more"
        )


def _chosen(model: Any, tokens: int) -> Any:
    """Return the model without options that are left to the size of the text."""
    log_advice(model, tokens)
    if not (chosen := chosen_options(model, tokens)):
        return model
    log_choice(chosen, tokens)
    return dataclasses.replace(model, **chosen)


def _seed(seed: int, name: str) -> int:
    return int(generator(seed, name).integers(2**32))


def _measured(plan: Plan, number: int, scratch: Path, meter: Meter) -> Measured | None:
    """Train on both sides and measure the distances; None if it was asked to stop before its end."""
    sides: list[WordVectors] = []
    counts: list[Ints] = []
    for side, documents in enumerate(plan.documents[number]):
        folder = scratch / str(side)
        folder.mkdir()
        corpus = drawn(plan.groups.corpus, documents, folder)
        arguments: Any = {
            "seed": _seed(plan.seed, f"pair {number} side {side}"), "threads": 1, "progress": meter.of(number, side),
        }  # fmt: skip
        vectors = plan.model.train(corpus, **arguments)
        if vectors.metadata.get("training", {}).get("interrupted"):
            return None
        sides.append(_there(vectors, corpus))
        counts.append(corpus.vocabulary.counts)
    pair = aligned(sides[0], sides[1])
    ids = plan.groups.corpus.vocabulary.ids
    distance = np.full(len(ids), np.nan)
    distance[[ids[word] for word in pair.words]] = pair.distances()
    return Measured(distance, np.stack(counts), pair if number == 0 else None)


def _there(vectors: Any, corpus: Corpus) -> WordVectors:
    """Return the vectors of the words that stand in a text."""
    words: WordVectors = vectors.known if isinstance(vectors, SubwordVectors) else vectors
    vocabulary = corpus.vocabulary
    counts = np.array([vocabulary.counts[vocabulary.ids[word]] if word in vocabulary else 0 for word in words.words])
    rows = np.flatnonzero(counts)
    return WordVectors(Lexicon([words.words[row] for row in rows.tolist()]), words.vectors[rows], counts=counts[rows])


def _result(
    groups: Groups, finished: Mapping[int, Measured], permutations: int, runs: int, facts: dict[str, Any]
) -> Contrast:
    null = [finished[k] for k in range(1, 1 + permutations) if k in finished]
    drawn_again = [finished[r] for r in range(1 + permutations, 1 + permutations + runs) if r in finished]
    if 0 not in finished or len(null) < FEWEST:
        raise KeyboardInterrupt
    if interrupted := len(finished) < 1 + permutations + runs:
        warn_caller(
            f"interrupted: {len(null)} of {permutations} permutations and {len(drawn_again)} of {runs} runs are "
            "finished, and used"
        )
    observed = finished[0]
    assert observed.pair is not None
    compared = groups.compared()
    chance = against_chance(
        np.where(compared, observed.distance, np.nan),
        observed.counts,
        np.stack([measured.distance for measured in null]),
        np.stack([measured.counts for measured in null]),
    )
    if not np.isfinite(chance.p).any():
        warn_caller(
            f"no word has a p-value: none stands on both sides of {FEWEST} random divisions; expected words that "
            "several documents of both groups have: use more documents, or shorter ones"
        )
    low, high = _interval(observed.distance, [measured.distance for measured in drawn_again])
    ids = groups.corpus.vocabulary.ids
    own_rows = {word: i for i, word in enumerate(observed.pair.words)}
    words = [word for word in observed.pair.words if compared[ids[word]]]
    rows, own = [ids[word] for word in words], [own_rows[word] for word in words]
    first, second = (
        WordVectors(list(words), side[own], counts=counts[rows], metadata={"name": name})
        for side, counts, name in zip(observed.pair[1:3], observed.counts, groups.tally.names, strict=True)
    )
    return Contrast(
        names=groups.tally.names, words=words, first=first, second=second, counts=observed.counts[:, rows],
        distance=observed.distance[rows], low=low[rows], high=high[rows], chance=chance.level[rows], z=chance.z[rows],
        p=chance.p[rows], adjusted=chance.adjusted[rows], q=chance.q[rows], tally=groups.tally,
        metadata={"training": {
            **facts, "permutations": len(null), "runs": len(drawn_again), "interrupted": interrupted,
        }},
    )  # fmt: skip


def _interval(observed: Floats, again: Sequence[Floats]) -> tuple[Floats, Floats]:
    """Return the ends of the intervals, (V,): NaN where less than two samples have a word."""
    if len(again) < 2:
        return np.full_like(observed, np.nan), np.full_like(observed, np.nan)
    distances = np.stack(again)
    finite = np.isfinite(distances)
    mean = np.where(finite, distances, 0).sum(axis=0) / np.maximum(finite.sum(axis=0), 1)
    low, high = interval(distances - mean)
    return np.maximum(observed + low, 0), observed + high


def _facts(model: Any, groups: Groups, seed: int) -> dict[str, Any]:
    return {
        "names": list(groups.tally.names),
        "documents": list(groups.sizes),
        "unit": groups.unit,
        "tokens": list(groups.tokens),
        "min_count": groups.tally.min_count,
        "model": repr(model),
        "seed": seed,
        **text_facts(groups.corpus),
    }
