"""Words in context: does a word have the same meaning in two sentences?

What: each occurrence of a word in a sentence gets a vector; the cosine of two of them estimates how similar their
meanings are. In word-in-context (WiC) both occurrences are of one word, and the question is whether they have the same
sense: yes above a threshold of the cosine. In similarity in context (SCWS) people scored pairs of two words, and the
metric is Spearman's rank correlation.

Objective: an encoder gives an occurrence of the word w with the context tokens c_1 ... c_n, at most `WINDOW` on either
side, a vector. With v scaled to length 1 and p(c) the relative frequency of the word in the corpus,

    word      v(w)                                       the same in every sentence: the baseline for context
    context   sum_i  a / (a + p(c_i))  v(c_i)            a = 1e-3, over the tokens with a vector
    both      v(w) + context / |context|

Source: Pilehvar and Camacho-Collados 2019, WiC: the word-in-context dataset, for the task and the threshold; Huang et
al. 2012, Improving word representations via global context and multiple word prototypes, for SCWS and the context
average; Arora, Liang and Ma 2017 for the weights.

Departures: Huang et al. weight context words by the tf-idf of their corpus; the weights here need word counts only. The
threshold is always chosen on the training set; the paper sometimes used the development set. For models with several
senses per word, the paper of SCWS averages over all pairs of senses (AvgSimC) or compares the most probable ones
(MaxSimC): `senses_in_context` makes encoders of both kinds.

Unknown words: a pair of which either word or either context has no vector is left out ("skip"), or has cosine 0
("count"); context words without a vector are skipped.

Cost: T D for T tokens; WiC has 100,000.

Word senses in context: represents an occurrence of a word by the sense it most probably has there.

What: makes a model with several vectors per word an `OccurrenceEncoder`, which is evaluated on word-in-context and on
similarity in context as any other.

Objective: for an occurrence of a word with the senses s in the context c,

    expected   sum_s p(s | c)  v_s / |v_s|, scaled to length 1
    likeliest  v_s / |v_s| of the s with the greatest p(s | c)

Source: Huang et al. 2012, Improving word representations via global context and multiple word prototypes, section 5.2:
AvgSimC is the product of two expected vectors before they are scaled, MaxSimC the product of two likeliest ones.

Departures: the expected vector is scaled to length 1. Otherwise the cosine of two occurrences of the same word would
fall with the uncertainty about each.

Lookup: a token is looked up as written, then in lower case, the rule of every other evaluation (`Space.find`); the
target word is last looked up by its lemma. Case has to fall back, because models of lower-cased text would otherwise
lose the first word of each sentence and every name in the context. The position of the word is passed on, so that
models that weight context words by distance do so here too.

Cost: that of `SenseVectors.disambiguate`, one call per different word.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError
from firth.evaluation.suite import EvaluationOptions, Score, Space, as_suite
from firth.readers.words_in_context import (
    Occurrence,
    OccurrencePair,
    ScoredOccurrences,
    SenseAgreement,
    WordInContext,
    read_words_in_context,
)
from firth.resampling import Floats, Mean, RankCorrelation, Sample
from firth.vectors.averages import smooth_weights, weighted_averages, word_bags
from firth.vectors.cosine import Matrix, unit
from firth.vectors.sense_vectors import SenseVectors

WINDOW = 10  # tokens on either side
Mask = npt.NDArray[np.bool_]
# Maps n occurrences to vectors (n, D) of length 1 or 0, and to a mask of those that have one.
OccurrenceEncoder = Callable[[Space, Sequence[Occurrence]], tuple[Matrix, Mask]]


def encode_word(space: Space, occurrences: Sequence[Occurrence]) -> tuple[Matrix, Mask]:
    """Return the vector of each word without its context: of the form in the sentence, else of the lemma.

    Returns:
        (n, D) vectors of length 1, zeros for unknown words, and (n,) whether each word is known.
    """
    matrix, has_vector = space.lookup([occurrence.tokens[occurrence.position] for occurrence in occurrences])
    lemmas, known_lemma = space.lookup([occurrence.word for occurrence in occurrences])
    return np.where(has_vector[:, None], matrix, lemmas), has_vector | known_lemma


def encode_context(space: Space, occurrences: Sequence[Occurrence]) -> tuple[Matrix, Mask]:
    """Return the weighted average of the words around each occurrence.

    Returns:
        (n, D) vectors of length 1, zeros where no context word is known, and (n,) whether each has one.
    """
    words, bags = word_bags([occurrence.context(WINDOW) for occurrence in occurrences])
    matrix, has_vector = space.lookup(words)
    weights = smooth_weights(space.vectors, space.rows(words))
    averages = weighted_averages(bags, matrix, weights, has_vector)
    return unit(averages), np.asarray(averages.any(axis=1))


def encode_word_and_context(space: Space, occurrences: Sequence[Occurrence]) -> tuple[Matrix, Mask]:
    """Return word and context in equal parts; see `encode_word` and `encode_context`."""
    words, known_words = encode_word(space, occurrences)
    contexts, known_contexts = encode_context(space, occurrences)
    return unit(words + contexts), known_words & known_contexts


ENCODERS: Mapping[str, OccurrenceEncoder] = {
    "word": encode_word,
    "context": encode_context,
    "both": encode_word_and_context,
}


def best_threshold(cosines: npt.ArrayLike, same: npt.ArrayLike) -> float:
    """Return the threshold with the highest accuracy: pairs with a greater cosine have the same sense.

    Args:
        cosines: (n,).
        same: (n,) answers.

    Returns:
        The middle between two adjacent cosines; of several that are equally good, the lowest; 0 for no pairs.
    """
    order = np.argsort(cosines, kind="stable")
    values, answers = np.asarray(cosines, dtype=np.float64)[order], np.asarray(same, dtype=bool)[order]
    if not len(values):
        return 0.0
    # Correct if the first k are answered no: the noes among them and the yeses among the others.
    correct = np.concatenate([[0], np.cumsum(~answers)]) + answers.sum() - np.concatenate([[0], np.cumsum(answers)])
    edges = np.concatenate([[values[0] - 1], (values[1:] + values[:-1]) / 2, [values[-1] + 1]])
    possible = np.concatenate([[True], values[1:] > values[:-1], [True]])  # equal cosines stay together
    return float(edges[np.where(possible, correct, -1).argmax()])


def pair_cosines(space: Space, pairs: Sequence[OccurrencePair], encode: OccurrenceEncoder) -> tuple[Floats, Mask]:
    """Return the cosine of the two occurrences of each pair.

    Args:
        pairs: n pairs.
        encode: the encoder.

    Returns:
        (n,) cosines, 0 where an occurrence has no vector, and (n,) whether both have one.
    """
    matrix, encoded = encode(space, list(chain.from_iterable(pairs)))
    cosines = np.einsum("nd,nd->n", matrix[::2], matrix[1::2], dtype=np.float64)
    encoded_pairs = encoded[::2] & encoded[1::2]
    return np.where(encoded_pairs, cosines, 0.0), encoded_pairs


@as_suite("context", ("wic-dev", "wic-test"), read_words_in_context)
def suite(space: Space, gold: WordInContext | ScoredOccurrences, options: EvaluationOptions) -> list[Score]:
    """Words in context: accuracy of same sense or not (WiC), or Spearman's correlation with human scores (SCWS)."""
    pairs = gold.pairs if isinstance(gold, ScoredOccurrences) else gold.test.pairs
    cosines_of = {name: pair_cosines(space, pairs, encode) for name, encode in ENCODERS.items()}
    encoded = cosines_of["both"][1]  # every encoder is scored on the same items
    mask = options.counted(encoded)
    scores = []
    for name, (cosines, _) in cosines_of.items():
        own = np.where(encoded, cosines, 0.0)[mask]
        if isinstance(gold, ScoredOccurrences):
            statistic = RankCorrelation(own, gold.scores[mask])
            scores.append(_score(f"spearman-{name}", Sample(mask, statistic), encoded))
        else:
            correct = (own > _threshold(space, gold.train, ENCODERS[name])) == gold.test.same[mask]
            sample = Sample(mask, Mean(correct.astype(np.float64)))
            scores.append(_score(f"accuracy-{name}", sample, encoded, gold.test.same[mask]))
    return scores


def _score(metric: str, sample: Sample, encoded: Mask, same: Mask | None = None) -> Score:
    return Score(
        metric=metric,
        sample=sample,
        covered=int(encoded.sum()),
        total=len(encoded),
        baseline=None if same is None or not len(same) else float(max(same.mean(), 1 - same.mean())),
        baseline_name="" if same is None else "majority",
        share=same is not None,
    )


def _threshold(space: Space, train: SenseAgreement, encode: OccurrenceEncoder) -> float:
    cosines, encoded = pair_cosines(space, train.pairs, encode)
    return best_threshold(cosines[encoded], train.same[encoded])


METHODS = ("expected", "likeliest")


def senses_in_context(senses: SenseVectors, method: str = "expected", *, window: int = WINDOW) -> OccurrenceEncoder:
    """Return an encoder that represents an occurrence of a word by its sense in context.

    Args:
        senses: the model.
        method: "expected" or "likeliest"; the module's docstring has the formulas.
        window: context size: tokens on either side of the word.

    Returns:
        An encoder for `pair_cosines`. It uses `senses` and ignores the space it is given.

    Raises:
        OptionError: `method` is unknown.
    """
    if method not in METHODS:
        raise OptionError(f"method={method!r}: expected {' or '.join(METHODS)}")

    def encode(_: Space, occurrences: Sequence[Occurrence]) -> tuple[Matrix, Mask]:
        matrix = np.zeros((len(occurrences), senses.dim), dtype=np.float32)
        encoded = np.zeros(len(occurrences), dtype=bool)
        rows_of = dict[str, list[int]]()
        for row, occurrence in enumerate(occurrences):
            token = occurrence.tokens[occurrence.position]
            word = next((form for form in (token, token.lower(), occurrence.word) if form in senses), None)
            if word is not None:
                rows_of.setdefault(word, []).append(row)
        for word, rows in rows_of.items():
            matrix[rows] = _sense_vectors(senses, word, [occurrences[row].clip(window) for row in rows], method)
            encoded[rows] = True
        return matrix, encoded & matrix.any(axis=1)

    return encode


def _sense_vectors(senses: SenseVectors, word: str, occurrences: Sequence[Occurrence], method: str) -> Matrix:
    contexts = [list(occurrence.tokens) for occurrence in occurrences]
    p = senses.disambiguate(word, contexts, [occurrence.position for occurrence in occurrences])
    if method == "likeliest":
        p = np.eye(p.shape[1])[p.argmax(axis=1)]
    return unit(p.astype(np.float32) @ unit(np.asarray(senses.vectors[senses.rows(word)], dtype=np.float32)))
