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

from firth.alignment.chance import Chance, against_chance, corrected
from firth.alignment.contrast_result import Contrast
from firth.alignment.groups import Groups, read_texts
from firth.alignment.semantic_change import Pair, aligned
from firth.arguments import explained
from firth.corpus.encoded import Corpus
from firth.corpus.options import TextArguments
from firth.corpus.size_defaults import chosen_options, log_advice, log_choice
from firth.errors import OptionError, RareWordError, brief, warn_caller
from firth.kernels.threads import usable_threads
from firth.options import check_whole, wrong_kind
from firth.progress import Progress, check_progress
from firth.randomness import check_seed, generator
from firth.runs.estimates import interval
from firth.runs.pool import Meter, side_by_side, vanishing_folder
from firth.runs.samples import drawn, log_sentences, units_of
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
    words: Sequence[str] = (),
    permutations: int = 20,
    runs: int = 20,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress = None,
    **text: Unpack[TextArguments],
) -> Contrast:
    """Compare what words mean in two groups of documents, with p-values and intervals.

    `firth.contrast_series` compares three groups or more, and `firth.periods` divides files by their years.

    A document is a file of several, a text of several, or a row of a table. If each group is a single file, each
    sentence, by default each line, is taken for one.

    Args:
        model: the options of any model that learns word vectors, such as `firth.Word2Vec(dim=100)`.
        first: documents: an encoded corpus, or whatever `Corpus.build` takes.
        second: documents of the other group.
        names: of the two groups.
        words: words that will be asked for: if none of them can be compared, the error comes before the training.
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
        UnknownWordError: there are `words`, and none of them can be compared.
        KeyboardInterrupt: too few permutations were finished.

    Warns:
        UserWarning: there are few documents or permutations, or some are missing because of Ctrl-C.
    """
    if isinstance(names, str) or not isinstance(names, Sequence) or not all(isinstance(n, str) for n in names):
        raise wrong_kind("names", names, "two names, such as ('men', 'women')")
    if len(names) != 2 or len({*names}) != 2 or not all(names):
        raise OptionError(f"names={brief(names)}: expected two different names, such as ('men', 'women')")
    design = Design(permutations, runs, seed, threads, progress, words)
    (only,) = contrasts(model, {names[0]: first, names[1]: second}, [(names[0], names[1])], design, text)
    return only


class Design(NamedTuple):
    """How groups are compared; see `contrast`."""

    permutations: int
    runs: int
    seed: int
    threads: int | None
    progress: Progress
    words: Sequence[str] = ()

    @property
    def number(self) -> int:
        """The number of pairs of trainings for two groups."""
        return 1 + self.permutations + self.runs


def contrasts(
    model: Any, sources: Mapping[str, Any], pairs: Sequence[tuple[str, str]], design: Design, text: Mapping[str, Any]
) -> list[Contrast]:
    """Compare groups of documents two by two, with one correction for the words of all pairs.

    Args:
        sources: the documents of each group by its name.
        pairs: names of groups.
        text: options of `Corpus.build`.
    """
    _check(model, design)
    count = usable_threads(design.threads)
    with vanishing_folder() as folder:
        defaults = getattr(type(model), "corpus_options", None)
        parts, limits = read_texts(
            list(sources.values()), text, defaults=defaults, threads=count, progress=design.progress
        )
        by_name = dict(zip(sources, parts, strict=True))
        studies = []
        for i, pair in enumerate(pairs):
            (own := folder / str(i)).mkdir()
            studies.append(Groups.of([by_name[name] for name in pair], pair, limits, own))
        _check_words(studies, design.words)
        _say(sum(len(units_of(part)) for part in parts), studies[0].unit, design.permutations)
        model = _chosen(model, min(min(groups.tokens) for groups in studies))
        plans = [Plan(model, groups, _documents(groups, design), design.seed) for groups in studies]
        finished: dict[int, Measured] = {}
        numbers = range(design.number * len(pairs))
        meter = Meter(len(numbers), noun="pairs of trainings", each=2)
        side_by_side(numbers, partial(_measured, plans), finished.__setitem__, meter, count, design.progress)
    measured = [
        {k: finished[n] for k in range(design.number) if (n := k * len(pairs) + i) in finished}
        for i in range(len(pairs))
    ]
    return _results(plans, measured, design)


def _documents(groups: Groups, design: Design) -> list[tuple[Ints, Ints]]:
    again = (groups.resampled(_seed(design.seed, f"run {r}")) for r in range(design.runs))
    return [groups.given(), *groups.divisions(design.permutations, design.seed), *again]


class Plan(NamedTuple):
    """What the pairs of trainings of two groups need to know.

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


def _check(model: Any, design: Design) -> None:
    check_model(model)
    check_whole("permutations", design.permutations, FEWEST)
    check_whole("runs", design.runs, 0)
    if design.runs == 1:
        raise OptionError("runs=1: expected at least 2 samples for an interval, or 0 for none")
    check_seed(design.seed)
    check_progress(design.progress)


def _check_words(studies: Sequence[Groups], words: Sequence[str]) -> None:
    """Refuse words of which none can be compared, before the training."""
    errors = [[groups.refusal(word) for groups in studies] for word in words]
    if errors and all(error is not None for of_word in errors for error in of_word):
        error = next((e for e in errors[0] if isinstance(e, RareWordError)), errors[0][0])
        assert error is not None
        raise error


def _say(documents: int, unit: str, permutations: int) -> None:
    if unit == "sentences":
        log_sentences(documents)
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


def _measured(plans: Sequence[Plan], number: int, scratch: Path, meter: Meter) -> Measured | None:
    """Train on both sides and measure the distances; None if it was asked to stop before its end.

    Args:
        plans: of all pairs of groups, which take turns.
    """
    k, turn = divmod(number, len(plans))
    plan = plans[turn]
    sides: list[WordVectors] = []
    counts: list[Ints] = []
    for side, documents in enumerate(plan.documents[k]):
        folder = scratch / str(side)
        folder.mkdir()
        corpus = drawn(plan.groups.corpus, documents, folder)
        arguments: Any = {
            "seed": _seed(plan.seed, f"pair {k} side {side}"), "threads": 1, "progress": meter.of(number, side),
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
    return Measured(distance, np.stack(counts), pair if k == 0 else None)


def _there(vectors: Any, corpus: Corpus) -> WordVectors:
    """Return the vectors of the words that stand in a text."""
    words: WordVectors = vectors.known if isinstance(vectors, SubwordVectors) else vectors
    vocabulary = corpus.vocabulary
    counts = np.array([vocabulary.counts[vocabulary.ids[word]] if word in vocabulary else 0 for word in words.words])
    rows = np.flatnonzero(counts)
    return WordVectors(Lexicon([words.words[row] for row in rows.tolist()]), words.vectors[rows], counts=counts[rows])


def _results(plans: Sequence[Plan], measured: Sequence[Mapping[int, Measured]], design: Design) -> list[Contrast]:
    """Return the contrast of each pair of groups.

    Args:
        measured: of each pair what is finished, by number.
    """
    nulls = [[of[k] for k in range(1, 1 + design.permutations) if k in of] for of in measured]
    agains = [[of[r] for r in range(1 + design.permutations, design.number) if r in of] for of in measured]
    if any(0 not in of for of in measured) or min(map(len, nulls)) < FEWEST:
        raise KeyboardInterrupt
    if interrupted := sum(map(len, measured)) < design.number * len(plans):
        warn_caller(
            f"interrupted: {min(map(len, nulls))} of {design.permutations} permutations and {min(map(len, agains))} of "
            f"{design.runs} runs are finished, and used"
        )
    observed = [of[0] for of in measured]
    chances = corrected([_chance(*parts) for parts in zip(plans, observed, nulls, strict=True)])
    return [
        _result(plan.groups, seen, again, chance, {
            **_facts(plan), "permutations": len(null), "runs": len(again), "interrupted": interrupted,
        })
        for plan, seen, null, again, chance in zip(plans, observed, nulls, agains, chances, strict=True)
    ]  # fmt: skip


def _chance(plan: Plan, observed: Measured, null: Sequence[Measured]) -> Chance:
    chance = against_chance(
        np.where(plan.groups.compared(), observed.distance, np.nan),
        observed.counts,
        np.stack([measured.distance for measured in null]),
        np.stack([measured.counts for measured in null]),
    )
    if not np.isfinite(chance.p).any():
        warn_caller(
            f"no word has a p-value: none stands on both sides of {FEWEST} random divisions; expected words that "
            "several documents of both groups have: use more documents, or shorter ones"
        )
    return chance


def _result(
    groups: Groups, observed: Measured, drawn_again: Sequence[Measured], chance: Chance, facts: dict[str, Any]
) -> Contrast:
    assert observed.pair is not None
    compared = groups.compared()
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
        metadata={"training": facts},
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


def _facts(plan: Plan) -> dict[str, Any]:
    groups = plan.groups
    return {
        "names": list(groups.tally.names),
        "documents": list(groups.sizes),
        "unit": groups.unit,
        "tokens": list(groups.tokens),
        "min_count": groups.tally.min_count,
        "model": repr(plan.model),
        "seed": plan.seed,
        **text_facts(groups.corpus),
    }
