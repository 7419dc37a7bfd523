"""Word senses as clusters of contexts: occurrences are relabelled by cluster, and vectors are trained again.

What: ordinary vectors are trained first. The contexts of each word, as averages of vectors, are clustered by spherical
k-means. Every occurrence in the corpus is replaced by its word and the number of its cluster, and skip-gram on this
text gives a vector per sense.

Objective: the context of an occurrence, with words c_i at a distance of d_i, at most `context_window`, is

    x = sum_i idf(c_i) / d_i  W (v_{c_i} - mu),      idf(c) = log( (1 + sentences) / sentences with c )

and `firth.vectors.spherical_means` clusters the directions of the x. mu is the mean of the words in contexts. With E
the principal directions of the contexts of random occurrences and l their variances, W = l^(-1/4) E^T, half of a
whitening. An occurrence has the sense whose centre has the highest cosine with its x.

Source: Huang, Socher, Manning and Ng 2012, Improving word representations via global context and multiple word
prototypes, section 3; Reisinger and Mooney 2010, Multi-prototype vector-space models of word meaning, for the clusters.

Departures:
- Distant words count less, and contexts are half-whitened. On pseudowords with a known number of senses, the adjusted
  Rand index was 0.33 for the paper's flat average of ten words, 0.38 with 1 / d, 0.45 with both; full whitening gives
  less than half of that.
- The number of senses is found per word (`senses="adaptive"`): as many as have centres whose cosines stay below
  `merge_above`. The paper has ten for every word. With 0.2, about seven in ten ordinary words keep one sense.
- Contexts are sampled, at most `max_contexts` per word. A word with fewer than `min_contexts` keeps one sense, because
  centres of few contexts are far apart by chance; so do words beyond the `sense_words` most frequent.
- The vectors are those of skip-gram; the paper's come from a ranking model with document contexts.
- Probabilities of senses: the cosine of a context with a centre, divided by `temperature`, plus the log prior.

Cost: two trainings; between them one pass over the corpus to sample contexts, k-means with 2 E contexts k starts flops
per word and iteration, and one pass to relabel. Memory besides that of training: 8 bytes per sampled occurrence.
"""

import dataclasses
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from firth import options
from firth.corpus.as_corpus import derive
from firth.corpus.encoded import Corpus
from firth.embeddings import window_options
from firth.embeddings.trainer import CorpusTrainer, TrainingArguments
from firth.embeddings.word2vec import Word2Vec
from firth.errors import OptionError
from firth.kernels.compiled import compiled
from firth.kernels.threads import one_blas_thread
from firth.options import Preset, option, options_class
from firth.postprocess.linear import principal_components
from firth.progress import Status, reporting
from firth.randomness import generator
from firth.senses.occurrences import Occurrences, contexts_at, find_occurrences
from firth.vectors.cosine import Matrix, unit
from firth.vectors.queries import gather
from firth.vectors.sense_readers import Centroids
from firth.vectors.sense_vectors import SenseVectors
from firth.vectors.spherical_means import as_many_as_differ, parted
from firth.vectors.word_vectors import WordVectors

SPREAD = 20_000  # occurrences whose contexts give the covariance
BLOCK = 2**14  # sentences relabelled at once
BATCH = 2**16  # contexts computed at once
MARK = "\x1f"  # between a word and the number of its sense, during training


@options_class
class SenseClusters(CorpusTrainer[WordVectors, SenseVectors]):
    """Word senses as clusters of contexts (Huang et al. 2012): the options, and `train`.

    A `start` has the vectors that contexts are made of, with any width; words that it lacks do not count. Without it
    they are trained first. `metadata["training"]` also has "clusters": how many words were clustered, have several
    senses, or have too few contexts.

    Source:
        Huang et al. 2012; the module docstring has the formulas and all departures.
    """

    presets: ClassVar = {
        "sense-clusters": Preset("Word senses as clusters of the contexts a word stands in (Huang et al. 2012).")
    }
    common_options: ClassVar = ("senses", "max_senses", "dim", "window", "negative", "epochs", "lr")

    senses: str = option(
        "adaptive", "senses per word: as many as differ, or always max_senses", choices=("adaptive", "fixed")
    )
    max_senses: int = option(4, "maximum number of senses of a word", minimum=1, maximum=1000)
    merge_above: float = option(
        0.2, "cosine of two centres at and above which they are one sense", minimum=-1, maximum=1
    )
    min_share: float = option(0.05, "minimum share of a word's contexts for a sense", minimum=0, maximum=0.5)
    sense_words: int = option(50_000, "number of most frequent words that may have several senses", minimum=0)
    max_contexts: int = option(1000, "maximum number of contexts sampled per word", minimum=2)
    min_contexts: int = option(200, "minimum number of occurrences for several senses", minimum=2)
    context_window: int = option(10, "words on each side that make a context", minimum=1)
    n_init: int = option(4, "random initialisations of k-means", minimum=1)
    temperature: float = option(0.1, "softmax temperature of the cosines with centres", minimum=0, exclusive=True)
    dim: int = window_options.dim()
    window: int = window_options.window("words on each side of the centre word, in training")
    negative: int = window_options.negative()
    sample: float = window_options.sample(1e-4)
    epochs: int = window_options.epochs(5, "passes over the corpus in each of the two trainings")
    lr: float = window_options.lr(0.025)

    def __post_init__(self) -> None:
        options.check(self)
        if self.senses == "fixed" and self.min_contexts < self.max_senses:
            raise OptionError(f"min_contexts={self.min_contexts}: expected at least max_senses={self.max_senses}")

    def train_on(self, corpus: Corpus, arguments: TrainingArguments[WordVectors]) -> SenseVectors:
        """Train on an encoded corpus; see `CorpusTrainer.train`."""
        began, seed, threads = time.monotonic(), arguments.seed, arguments.threads
        skipgram, afresh = self._skipgram(), dataclasses.replace(arguments, start=None)
        vectors = arguments.start
        if vectors is None:
            vectors = skipgram.train_on(corpus, afresh.with_subfolder("words"))
            if vectors.metadata["training"]["interrupted"]:
                return one_sense_per_word(vectors)
        with reporting(arguments.progress) as report:
            report(Status(stage="clustering contexts"))
            space = _ContextSpace.of(corpus, vectors, self.context_window, seed)
            words = _clustered_words(corpus, self)
            centres = _all_centres(space, words, self, seed, threads)
            report(Status(stage="relabelling"))
            relabelled = _relabelled(space, centres, threads)
        trained = skipgram.train_on(relabelled, afresh.with_subfolder("senses"))
        facts = {
            **trained.metadata["training"],
            "options": {"model": "sense-clusters", **dataclasses.asdict(self)},
            "seconds": round(time.monotonic() - began, 3),
            "corpus": corpus.fingerprint,
            "clusters": {
                "words": len(words),
                "several_senses": sum(len(rows) > 1 for rows in centres.values()),
                "too_few_contexts": int((corpus.vocabulary.counts < self.min_contexts).sum()),
            },
        }
        return _sense_vectors(space, centres, trained, self.temperature, facts)

    def _skipgram(self) -> Word2Vec:
        names = ("dim", "window", "negative", "sample", "epochs", "lr")
        return Word2Vec(**{name: getattr(self, name) for name in names})


@dataclass(frozen=True, eq=False)
class _ContextSpace:
    """A corpus with the vectors that contexts are made of.

    Attributes:
        vectors: (V, E) W (v - mu) of its words, zeros for words without a vector.
        weights: (V,) idf.
    """

    corpus: Corpus
    vectors: npt.NDArray[np.float32]
    weights: npt.NDArray[np.float32]
    window: int

    @classmethod
    def of(cls, corpus: Corpus, start: WordVectors, window: int, seed: int) -> "_ContextSpace":
        words = list(corpus.vocabulary.words)
        has = np.array([word in start.lexicon.rows for word in words])
        if not has.any():
            raise OptionError("start has no word of the corpus; expected vectors of its words")
        vectors = np.asarray(gather(start, words, "zero"), dtype=np.float32)
        weights = (_idf(corpus) * has).astype(np.float32)
        shares = weights * corpus.vocabulary.counts
        mean = shares @ vectors / max(float(shares.sum()), 1e-30)
        space = cls(corpus, np.where(has[:, None], vectors - mean, 0).astype(np.float32), weights, window)
        random = generator(seed, "contexts of any word")
        positions = np.sort(random.choice(corpus.num_tokens, min(SPREAD, corpus.num_tokens), replace=False))
        pca = principal_components(space.at(positions))
        mask = pca.variances > 1e-6 * max(float(pca.variances[0]), 1e-30)  # smaller ones are rounding errors
        turned = space.vectors @ (pca.directions[:, mask] * pca.variances[mask] ** -0.25)
        return dataclasses.replace(space, vectors=np.ascontiguousarray(turned, dtype=np.float32))

    def at(self, positions: npt.NDArray[np.int64]) -> Matrix:
        """Return the (B, E) directions of the contexts at `positions`; zeros where no word counts."""
        return unit(contexts_at(self.corpus, positions, self.window).sums(self.weights, self.vectors, decay=1.0))


def _idf(corpus: Corpus) -> npt.NDArray[np.float64]:
    frequency = np.zeros(len(corpus.vocabulary), dtype=np.int64)
    _count_sentences(corpus.ids, corpus.offsets, frequency, np.full(len(frequency), -1, dtype=np.int64))
    return np.asarray(np.log((1 + len(corpus)) / np.maximum(frequency, 1)))


@compiled
def _count_sentences(
    ids: Any,  # (N,) int32
    offsets: Any,  # (sentences + 1,) int64
    frequency: Any,  # (V,) int64, number of sentences with each word, updated
    last: Any,  # (V,) int64, the last sentence with each word, updated
) -> None:
    for sentence in range(len(offsets) - 1):
        for t in range(offsets[sentence], offsets[sentence + 1]):
            if last[ids[t]] != sentence:
                last[ids[t]] = sentence
                frequency[ids[t]] += 1


def _blocks(corpus: Corpus) -> Iterator[tuple[int, int]]:
    return pairwise([*range(0, len(corpus), BLOCK), len(corpus)])


def _clustered_words(corpus: Corpus, model: SenseClusters) -> npt.NDArray[np.int64]:
    """Return the words that may have several senses; words are numbered by descending frequency."""
    enough = int((corpus.vocabulary.counts >= model.min_contexts).sum())
    return np.arange(min(enough, model.sense_words if model.max_senses > 1 else 0))


def _all_centres(
    space: _ContextSpace, words: npt.NDArray[np.int64], model: SenseClusters, seed: int, threads: int
) -> dict[int, Matrix]:
    """Return the centres of every word with several senses."""
    occurrences = find_occurrences(space.corpus, words, model.max_contexts, seed=seed)

    def centres(number: int) -> Matrix:
        return _centres(space, occurrences, number, model, generator(seed, f"clusters {number}"))

    with one_blas_thread(), ThreadPoolExecutor(threads) as pool:
        results = pool.map(centres, range(len(words)))
        return {int(word): rows for word, rows in zip(words, results, strict=True) if len(rows) > 1}


def _centres(
    space: _ContextSpace, occurrences: Occurrences, number: int, model: SenseClusters, random: np.random.Generator
) -> Matrix:
    rows = space.at(occurrences.of(number))
    rows = rows[rows.any(axis=1)]
    if len(rows) < model.min_contexts or len(rows) < model.max_senses:
        return rows[:0]
    if model.senses == "fixed":
        return parted(rows, model.max_senses, model.n_init, random).centres
    return as_many_as_differ(
        rows, model.max_senses, alike=model.merge_above, least=model.min_share, starts=model.n_init, random=random
    ).centres


def _relabelled(space: _ContextSpace, centres: Mapping[int, Matrix], threads: int) -> Corpus:
    """Return the corpus with every word of several senses replaced by the word and the number of its sense."""
    corpus, names = space.corpus, list(space.corpus.vocabulary.words)
    firsts = np.full(len(names), -1, dtype=np.int64)  # number of the first sense of each word
    for word, rows in centres.items():
        firsts[word] = len(names)
        names += [f"{names[word]}{MARK}{number}" for number in range(len(rows))]

    def block(ends: tuple[int, int]) -> npt.NDArray[np.int32]:
        starts = corpus.offsets[ends[0] : ends[1] + 1]
        ids = corpus.ids[starts[0] : starts[-1]].astype(np.int64)
        several = np.flatnonzero(firsts[ids] >= 0)
        ids[several] = firsts[ids[several]] + _nearest(space, centres, ids[several], several + starts[0])
        return np.insert(ids, starts[1:] - starts[0], -1).astype(np.int32)

    def blocks() -> Iterator[tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]]:
        counts = np.zeros(len(names), dtype=np.int64)
        with one_blas_thread(), ThreadPoolExecutor(threads) as pool:
            for numbers in pool.map(block, _blocks(corpus)):
                counts += np.bincount(numbers[numbers >= 0], minlength=len(names))
                yield numbers, counts

    return derive(corpus, names, blocks(), min_count=1, max_size=None, cache=corpus.path.parent)


def _nearest(
    space: _ContextSpace, centres: Mapping[int, Matrix], words: npt.NDArray[np.int64], positions: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Return the number of the sense at each position."""
    numbers = np.zeros(len(words), dtype=np.int64)
    for low in range(0, len(words), BATCH):
        rows = space.at(positions[low : low + BATCH])
        order = np.argsort(words[low : low + BATCH], kind="stable")
        ends = np.flatnonzero(np.diff(words[low : low + BATCH][order], prepend=-1, append=-1))
        for start, end in pairwise(ends):
            same = order[start:end]
            numbers[low + same] = np.matmul(rows[same], centres[int(words[low + same[0]])].T).argmax(axis=1)
    return numbers


def one_sense_per_word(vectors: WordVectors) -> SenseVectors:
    """Return one sense per word, the result of a training that is interrupted before there are senses."""
    size = len(vectors)
    return SenseVectors(
        vectors.words, np.arange(size + 1), vectors.vectors, priors=np.ones(size), counts=vectors.counts,
        metadata=vectors.metadata,
    )  # fmt: skip


def _sense_vectors(
    space: _ContextSpace,
    centres: Mapping[int, Matrix],
    word_vectors: WordVectors,
    temperature: float,
    facts: dict[str, Any],
) -> SenseVectors:
    """Group trained vectors by word, most frequent sense first."""
    words, row_of = space.corpus.vocabulary.words, word_vectors.key_to_index
    assert word_vectors.counts is not None
    rows, means, sizes = [], [], []
    nothing = np.zeros(space.vectors.shape[1], dtype=np.float32)
    for word, name in enumerate(words):
        own_centres = centres.get(word)
        names = [name] if own_centres is None else [f"{name}{MARK}{number}" for number in range(len(own_centres))]
        own = sorted((row_of[sense], number) for number, sense in enumerate(names) if sense in row_of)
        rows += [row for row, _ in own]  # rows are in the order of their counts
        means += [nothing if own_centres is None else own_centres[number] for _, number in own]
        sizes.append(len(own))
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    counts = word_vectors.counts[rows].astype(np.float64)
    return SenseVectors(
        words,
        offsets,
        word_vectors.vectors[rows],
        priors=counts / np.repeat(np.add.reduceat(counts, offsets[:-1]), sizes),
        reader=Centroids(space.vectors, space.weights, np.array(means), temperature, decay=1.0),
        counts=space.corpus.vocabulary.counts,
        metadata={"training": facts},
    )
