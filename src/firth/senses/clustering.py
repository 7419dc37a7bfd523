"""Senses by clusters of contexts: words are relabelled by the kind of context they stand in, and trained anew.

What: ordinary vectors are trained first. The contexts of each word, as averages of vectors, are parted by spherical
k-means; in the corpus every occurrence becomes its word and the number of its part; skip-gram on that text gives a
vector a sense.

Objective: the context of an occurrence with words c_i, d_i places from it, at most `context_window` on either side, is

    x = sum_i idf(c_i) / d_i  W (v_{c_i} - mu),      idf(c) = log( (1 + sentences) / sentences with c )

of which `firth.senses.spherical_means` parts the directions. mu is the mean of the words in contexts; with E the
directions of the contexts of random occurrences and l their variances, W = l^(-1/4) E^T, half of what whitening is.
An occurrence has the sense whose centre has the greatest cosine with its x.

Source: Huang, Socher, Manning and Ng 2012, Improving word representations via global context and multiple word
prototypes, section 3; Reisinger and Mooney 2010, Multi-prototype vector-space models of word meaning, for the clusters.

Departures:
- Words further off count less, and contexts are taken half-whitened. On pseudowords with their number of senses given
  the adjusted Rand index was 0.33 for the paper's flat average of ten words, 0.38 with 1 / d, 0.45 with both; whole
  whitening gives less than half of it.
- The number of senses is found for each word (`senses="adaptive"`), where the paper has ten for every word: as many as
  have centres whose cosines stay below `alike`. With 0.2, some seven in ten words that nobody merged keep one.
- Contexts are sampled, at most `contexts` a word. A word with fewer than `least_contexts` keeps one sense, for the
  centres of few contexts are far apart by chance; so do words after the `sense_words` most frequent.
- The vectors trained are skip-gram's, where the paper's come from a ranking model with documents.
- Probabilities: a context's cosine with a centre is divided by `temperature`, and the prior counts.

Cost: two trainings, and between them one pass over the corpus to sample contexts, k-means with
2 E contexts k starts flops a word and round, and one pass to relabel. Memory beside that of training: 8 bytes a sampled
occurrence.
"""

import dataclasses
import functools
import os
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from firth import options
from firth.corpus.as_corpus import as_corpus
from firth.corpus.derived import derive
from firth.corpus.encoded import Corpus
from firth.embeddings.word2vec import Word2Vec
from firth.errors import OptionError
from firth.kernels.compiled import compiled
from firth.kernels.threads import one_blas_thread, usable_threads
from firth.options import Preset, option, options_class
from firth.postprocess.linear import spread_of
from firth.progress import Progress, Status, reporting
from firth.randomness import generator
from firth.senses.occurrences import Occurrences, contexts_at, find_occurrences
from firth.senses.spherical_means import as_many_as_differ, parted
from firth.vectors.neighbours import Matrix, unit
from firth.vectors.queries import gather
from firth.vectors.sense_readers import Centroids
from firth.vectors.sense_vectors import SenseVectors
from firth.vectors.word_vectors import WordVectors

SPREAD = 20_000  # occurrences whose contexts tell how contexts lie
BLOCK = 2**14  # sentences relabelled at once
BATCH = 2**16  # contexts made at once
MARK = "\x1f"  # between a word and the number of its sense, while it is trained


@options_class
class SenseClusters:
    """Senses by clusters of contexts (Huang 2012): options that train.

    Raises:
        OptionError: an option is out of its range.

    Source:
        Huang et al. 2012; the module's docstring gives the formulas and every departure.
    """

    presets: ClassVar = {
        "sense-clusters": Preset("Word senses as clusters of the contexts a word stands in (Huang et al. 2012)."),
    }
    common_options: ClassVar = ("senses", "max_senses", "dim", "window", "negative", "epochs", "lr")

    senses: str = option(
        "adaptive", "whether each word has as many senses as differ, or max_senses", choices=("adaptive", "fixed")
    )
    max_senses: int = option(4, "senses of a word, at most", minimum=1, maximum=1000)
    alike: float = option(0.2, "cosine from which on two centres count as one sense", minimum=-1, maximum=1)
    least_share: float = option(0.05, "share of a word's contexts that a sense has at least", minimum=0, maximum=0.5)
    sense_words: int = option(50_000, "words that may have several senses, the most frequent ones", minimum=0)
    contexts: int = option(1000, "occurrences a word whose contexts are looked at, at most", minimum=2)
    least_contexts: int = option(200, "occurrences of a word that may have several senses, at least", minimum=2)
    context_window: int = option(10, "words on each side that a context is made of", minimum=1)
    starts: int = option(4, "random starts of k-means", minimum=1)
    temperature: float = option(0.1, "what cosines with centres are divided by", minimum=0, exclusive=True)
    dim: int = option(100, "width of the vectors, in numbers", minimum=1)
    window: int = option(5, "words on each side of the centre word, in training", minimum=1)
    negative: int = option(5, "noise words a prediction", minimum=1)
    sample: float = option(
        1e-4, "relative frequency above which words are thinned out; 0 keeps all", minimum=0, maximum=1
    )
    epochs: int = option(5, "passes over the corpus, of each of the two trainings", minimum=1)
    lr: float = option(0.025, "learning rate at the start", minimum=0, exclusive=True)

    def __post_init__(self) -> None:
        options.check(self)
        if self.senses == "fixed" and self.least_contexts < self.max_senses:
            raise OptionError(
                f"least_contexts={self.least_contexts} for max_senses={self.max_senses}: expected as many at least"
            )

    def train(
        self,
        corpus: Corpus | Any,
        *,
        seed: int = 0,
        threads: int | None = None,
        start: WordVectors | None = None,
        progress: Progress = None,
        checkpoint: str | os.PathLike[str] | None = None,
        **text: Any,
    ) -> SenseVectors:
        """Train vectors of senses on a corpus.

        Args:
            corpus: the encoded text, or whatever `Corpus.build` takes: a path, texts, lists of tokens, a table.
            seed: of every random draw; with one thread it decides every bit of the result.
            threads: how many; by default one a processor.
            start: ordinary vectors to make contexts of, of any width; they are trained where None. Words that they lack
                do not count in a context.
            progress: None for a bar on a terminal, True, False, or a function of `firth.progress.Status`.
            checkpoint: a folder in which the states of the two trainings are kept; what lies between is done again.
            **text: options of `Corpus.build` for a text that is no corpus yet, such as min_count=2, column="body".

        Returns:
            The senses, the commonest of a word first, with `metadata["training"]`: what skip-gram says of its run, the
            seconds of all steps, and under "clusters" how many words were looked at, have several senses, or have too
            few contexts.

        Raises:
            CorpusError: the text cannot be read, or leaves no words.
            OptionError: `threads` is below one, `start` knows no word, or the checkpoint is of another run.
            DivergenceError: numbers or loss grew as no learning could make them.
        """
        count, began = usable_threads(threads), time.monotonic()
        corpus = as_corpus(corpus, text, progress=progress)
        learn = functools.partial(self._skipgram().train, seed=seed, threads=count, progress=progress)
        first, second = (None if checkpoint is None else Path(checkpoint) / name for name in ("words", "senses"))
        known = learn(corpus, checkpoint=first) if start is None else start
        if start is None and known.metadata["training"]["interrupted"]:
            return one_each(known)
        with reporting(progress) as report:
            report(Status(stage="looking at contexts"))
            space = _Space.of(corpus, known, self.context_window, seed)
            words = _looked_at(corpus, self)
            centres = _all_centres(space, words, self, seed, count)
            report(Status(stage="relabelling"))
            relabelled = _relabelled(space, centres, count)
        found = learn(relabelled, checkpoint=second)
        facts = {
            **found.metadata["training"],
            "options": {"model": "sense-clusters", **dataclasses.asdict(self)},
            "seconds": round(time.monotonic() - began, 3),
            "corpus": corpus.fingerprint,
            "clusters": {
                "words": len(words),
                "several_senses": sum(len(some) > 1 for some in centres.values()),
                "too_few_contexts": int((corpus.vocabulary.counts < self.least_contexts).sum()),
            },
        }
        return _senses(space, centres, found, self.temperature, facts)

    def _skipgram(self) -> Word2Vec:
        taken = {name: getattr(self, name) for name in ("dim", "window", "negative", "sample", "epochs", "lr")}
        return Word2Vec(**taken)


@dataclass(frozen=True, eq=False)
class _Space:
    """A corpus whose contexts have directions.

    Attributes:
        corpus: the text.
        vectors: (V, E) W (v - mu) of its words, zeros for a word without a vector.
        weights: (V,) idf.
        window: words on each side.
    """

    corpus: Corpus
    vectors: npt.NDArray[np.float32]
    weights: npt.NDArray[np.float32]
    window: int

    @classmethod
    def of(cls, corpus: Corpus, known: WordVectors, window: int, seed: int) -> "_Space":
        words = list(corpus.vocabulary.words)
        has = np.array([known.lexicon.row_of(word) is not None for word in words])
        if not has.any():
            raise OptionError("start has no word of the corpus: expected vectors of its words")
        vectors = np.asarray(gather(known, words, "zero"), dtype=np.float32)
        weights = (_idf(corpus) * has).astype(np.float32)
        shares = weights * corpus.vocabulary.counts
        mean = shares @ vectors / max(float(shares.sum()), 1e-30)
        space = cls(corpus, np.where(has[:, None], vectors - mean, 0).astype(np.float32), weights, window)
        random = generator(seed, "contexts of any word")
        places = np.sort(random.choice(corpus.num_tokens, min(SPREAD, corpus.num_tokens), replace=False))
        spread = spread_of(space.at(places))
        kept = spread.variances > 1e-6 * max(float(spread.variances[0]), 1e-30)  # others are rounding
        turned = space.vectors @ (spread.directions[:, kept] * spread.variances[kept] ** -0.25)
        return dataclasses.replace(space, vectors=np.ascontiguousarray(turned, dtype=np.float32))

    def at(self, places: npt.NDArray[np.int64]) -> Matrix:
        """(B, E) directions of the contexts of places; zeros where nothing around counts."""
        return unit(contexts_at(self.corpus, places, self.window).sums(self.weights, self.vectors, decay=1.0))


def _idf(corpus: Corpus) -> npt.NDArray[np.float64]:
    often = np.zeros(len(corpus.vocabulary), dtype=np.int64)
    _count_sentences(corpus.ids, corpus.offsets, often, np.full(len(often), -1, dtype=np.int64))
    return np.asarray(np.log((1 + len(corpus)) / np.maximum(often, 1)))


@compiled
def _count_sentences(
    ids: Any,  # (N,) int32
    offsets: Any,  # (sentences + 1,) int64
    often: Any,  # (V,) int64, sentences with each word, counted
    last: Any,  # (V,) int64, the sentence that each word was last seen in
) -> None:
    for sentence in range(len(offsets) - 1):
        for t in range(offsets[sentence], offsets[sentence + 1]):
            if last[ids[t]] != sentence:
                last[ids[t]] = sentence
                often[ids[t]] += 1


def _blocks(corpus: Corpus) -> Iterator[tuple[int, int]]:
    return pairwise([*range(0, len(corpus), BLOCK), len(corpus)])


def _looked_at(corpus: Corpus, how: SenseClusters) -> npt.NDArray[np.int64]:
    """The words that may have several senses; a corpus numbers words from the most frequent on."""
    enough = int((corpus.vocabulary.counts >= how.least_contexts).sum())
    return np.arange(min(enough, how.sense_words if how.max_senses > 1 else 0))


def _all_centres(
    space: _Space, words: npt.NDArray[np.int64], how: SenseClusters, seed: int, threads: int
) -> dict[int, Matrix]:
    """The centres of every word that has several senses."""
    found = find_occurrences(space.corpus, words, how.contexts, seed=seed)

    def centres(number: int) -> Matrix:
        return _centres(space, found, number, how, generator(seed, f"clusters {number}"))

    with one_blas_thread(), ThreadPoolExecutor(threads) as pool:
        made = pool.map(centres, range(len(words)))
        return {int(word): some for word, some in zip(words, made, strict=True) if len(some) > 1}


def _centres(space: _Space, found: Occurrences, number: int, how: SenseClusters, random: np.random.Generator) -> Matrix:
    rows = space.at(found.of(number))
    rows = rows[rows.any(axis=1)]
    if len(rows) < how.least_contexts or len(rows) < how.max_senses:
        return rows[:0]
    if how.senses == "fixed":
        return parted(rows, how.max_senses, how.starts, random).centres
    return as_many_as_differ(
        rows, how.max_senses, alike=how.alike, least=how.least_share, starts=how.starts, random=random
    ).centres


def _relabelled(space: _Space, centres: Mapping[int, Matrix], threads: int) -> Corpus:
    """The corpus with each word of several senses as that word and the number of its sense."""
    corpus, names = space.corpus, list(space.corpus.vocabulary.words)
    firsts = np.full(len(names), -1, dtype=np.int64)  # of the senses' numbers
    for word, some in centres.items():
        firsts[word] = len(names)
        names += [f"{names[word]}{MARK}{number}" for number in range(len(some))]

    def block(ends: tuple[int, int]) -> npt.NDArray[np.int32]:
        starts = corpus.offsets[ends[0] : ends[1] + 1]
        ids = corpus.ids[starts[0] : starts[-1]].astype(np.int64)
        several = np.flatnonzero(firsts[ids] >= 0)
        ids[several] = firsts[ids[several]] + _nearest(space, centres, ids[several], several + starts[0])
        return np.insert(ids, starts[1:] - starts[0], -1).astype(np.int32)

    def counted() -> Iterator[tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]]:
        counts = np.zeros(len(names), dtype=np.int64)
        with one_blas_thread(), ThreadPoolExecutor(threads) as pool:
            for numbers in pool.map(block, _blocks(corpus)):
                counts += np.bincount(numbers[numbers >= 0], minlength=len(names))
                yield numbers, counts

    return derive(corpus, names, counted(), min_count=1, max_size=None, cache=corpus.path.parent)


def _nearest(
    space: _Space, centres: Mapping[int, Matrix], words: npt.NDArray[np.int64], places: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """The number of the sense at each of many places."""
    found = np.zeros(len(words), dtype=np.int64)
    for low in range(0, len(words), BATCH):
        rows = space.at(places[low : low + BATCH])
        order = np.argsort(words[low : low + BATCH], kind="stable")
        ends = np.flatnonzero(np.diff(words[low : low + BATCH][order], prepend=-1, append=-1))
        for start, end in pairwise(ends):
            some = order[start:end]
            found[low + some] = np.matmul(rows[some], centres[int(words[low + some[0]])].T).argmax(axis=1)
    return found


def one_each(known: WordVectors) -> SenseVectors:
    """Return what an interrupted training had learned before there were senses: one sense a word.

    Args:
        known: the vectors of the words.
    """
    size, facts = len(known), known.metadata
    return SenseVectors(
        known.words, np.arange(size + 1), known.vectors, priors=np.ones(size), counts=known.counts, metadata=facts
    )


def _senses(
    space: _Space, centres: Mapping[int, Matrix], found: WordVectors, temperature: float, facts: dict[str, Any]
) -> SenseVectors:
    """What was trained, word by word, the commonest sense first."""
    words, row_of = space.corpus.vocabulary.words, found.key_to_index
    assert found.counts is not None
    rows, means, sizes = [], [], []
    nothing = np.zeros(space.vectors.shape[1], dtype=np.float32)
    for word, name in enumerate(words):
        some = centres.get(word)
        names = [name] if some is None else [f"{name}{MARK}{number}" for number in range(len(some))]
        own = sorted((row_of[sense], number) for number, sense in enumerate(names) if sense in row_of)
        rows += [row for row, _ in own]  # rows are in the order of their counts
        means += [nothing if some is None else some[number] for _, number in own]
        sizes.append(len(own))
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    counts = found.counts[rows].astype(np.float64)
    return SenseVectors(
        words,
        offsets,
        found.vectors[rows],
        priors=counts / np.repeat(np.add.reduceat(counts, offsets[:-1]), sizes),
        reader=Centroids(space.vectors, space.weights, np.array(means), temperature, decay=1.0),
        counts=space.corpus.vocabulary.counts,
        metadata={"training": facts},
    )
