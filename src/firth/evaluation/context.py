"""Does a word mean the same here as there? Vectors of words in context, against people's judgements.

What: two occurrences of words, each in its sentence, get a vector each, whose cosine says how alike they are meant. In
word-in-context (WiC) the two are of one word, and the question is whether they share their sense: yes above a threshold
of the cosine. In similarity in context (SCWS) they are of two words that people scored, and the figure is Spearman's
rank correlation.

Objective: a reading gives an occurrence of the word w among the tokens c_1 ... c_n, at most `WINDOW` on either side,
its vector; with v brought to length 1 and p(c) the word's share of the corpus,

    word      v(w)                                       the same everywhere: what context must beat
    context   sum_i  a / (a + p(c_i))  v(c_i)            a = 1e-3, over the tokens that have a vector
    both      v(w) + context / |context|

Source: Pilehvar and Camacho-Collados 2019, WiC: the word-in-context dataset, for the task and the threshold; Huang et
al. 2012, Improving word representations via global context and multiple word prototypes, for SCWS and the context
average; Arora, Liang and Ma 2017 for the weights.

Departures: Huang et al. weight context words by tf-idf of their corpus; the weights here need word counts alone. The
threshold is chosen on the training part only, also where the paper chose it on the development part. Of vectors with
several senses the paper of SCWS takes the mean of all pairs of senses (AvgSimC) or the likeliest ones (MaxSimC): a
`Reading` that picks the sense by the context makes the latter of any such model.

Unknown words: an item whose two words, or whose two contexts, have no vector is left out ("skip"), or has the cosine 0
("count"); context words without a vector are passed over.

Cost: T D for T tokens; WiC has 100,000.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError
from firth.evaluation.files import PathLike, finite, lines
from firth.evaluation.suite import Figure, Setting, Space, Suite
from firth.resampling import Floats, Mean, RankCorrelation, Sample
from firth.vectors.averages import smooth_weights, weighted_averages, word_bags
from firth.vectors.neighbours import Matrix, unit

WINDOW = 10  # tokens on either side
Known = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Occurrence:
    """A word where it stands.

    Attributes:
        word: as the gold file names it, its lemma as a rule.
        tokens: of the sentence.
        place: which of them is the word.
    """

    word: str
    tokens: Sequence[str]
    place: int

    def around(self, window: int) -> list[str]:
        """Return the tokens beside the word.

        Args:
            window: at most so many on either side.
        """
        after = self.place + 1
        return [*self.tokens[max(0, self.place - window) : self.place], *self.tokens[after : after + window]]


Pair = tuple[Occurrence, Occurrence]
# The vectors of n occurrences, (n, D) of length 1 or 0, and which of them have one.
Reading = Callable[[Space, Sequence[Occurrence]], tuple[Matrix, Known]]


@dataclass(frozen=True)
class SameSense:
    """Pairs of occurrences of one word, and whether they have one sense.

    Attributes:
        pairs: n pairs.
        same: (n,) the answers.
    """

    pairs: Sequence[Pair]
    same: Known


@dataclass(frozen=True)
class WordInContext:
    """Pairs to be judged, and others to choose the threshold on.

    Attributes:
        judged: those that the figure is of.
        train: those that the threshold is chosen on.
    """

    judged: SameSense
    train: SameSense


@dataclass(frozen=True)
class ScoredOccurrences:
    """Pairs of occurrences of two words, and how alike people found them.

    Attributes:
        pairs: n pairs.
        scores: (n,) on any scale.
    """

    pairs: Sequence[Pair]
    scores: Floats


def words_alone(space: Space, occurrences: Sequence[Occurrence]) -> tuple[Matrix, Known]:
    """Return the vector of each word whatever stands around it: of the form in the sentence, or else of the lemma.

    Args:
        space: the vectors.
        occurrences: n of them.

    Returns:
        (n, D) vectors of length 1, zeros where there is none, and (n,) which have one.
    """
    matrix, has = space.take([one.tokens[one.place] for one in occurrences])
    lemmas, have = space.take([one.word for one in occurrences])
    return np.where(has[:, None], matrix, lemmas), has | have


def contexts(space: Space, occurrences: Sequence[Occurrence]) -> tuple[Matrix, Known]:
    """Return the weighted average of the words around each occurrence.

    Args:
        space: the vectors.
        occurrences: n of them.

    Returns:
        (n, D) vectors of length 1, zeros where no word around has a vector, and (n,) which have one.
    """
    words, bags = word_bags([one.around(WINDOW) for one in occurrences])
    matrix, known = space.take(words)
    weights = smooth_weights(space.vectors, space.find(words))
    averages = weighted_averages(bags, matrix, weights, known)
    return unit(averages), np.asarray(averages.any(axis=1))


def words_in_context(space: Space, occurrences: Sequence[Occurrence]) -> tuple[Matrix, Known]:
    """Return word and context in equal parts, see `words_alone` and `contexts`."""
    (own, has), (around, have) = words_alone(space, occurrences), contexts(space, occurrences)
    return unit(own + around), has & have


READINGS: Mapping[str, Reading] = {"word": words_alone, "context": contexts, "both": words_in_context}


def best_threshold(cosines: npt.ArrayLike, same: npt.ArrayLike) -> float:
    """Return the number that parts cosines best: above it most pairs are the same, below it most are not.

    Args:
        cosines: (n,).
        same: (n,) answers.

    Returns:
        The middle between two neighbouring cosines; of several that are as good the lowest; 0 for no pairs.
    """
    order = np.argsort(cosines, kind="stable")
    values, answers = np.asarray(cosines, dtype=np.float64)[order], np.asarray(same, dtype=bool)[order]
    if not len(values):
        return 0.0
    # Right when the first k are answered no: the noes among these and the yeses among the others.
    right = np.concatenate([[0], np.cumsum(~answers)]) + answers.sum() - np.concatenate([[0], np.cumsum(answers)])
    edges = np.concatenate([[values[0] - 1], (values[1:] + values[:-1]) / 2, [values[-1] + 1]])
    possible = np.concatenate([[True], values[1:] > values[:-1], [True]])  # equal cosines are not parted
    return float(edges[np.where(possible, right, -1).argmax()])


def read_contexts(path: PathLike) -> WordInContext | ScoredOccurrences:
    """Read pairs of words in context, in the formats of WiC and of SCWS.

    WiC: `word  N|V  i-j  sentence  sentence` between tabs, in a file with `.data.` in its name. The answers, T or F a
    line, are in the file with `.gold.` there. The pairs that the threshold is chosen on are in `train.data.txt`, in the
    same folder or in a folder `train` beside it.

    SCWS: `number  word  tag  word  tag  sentence  sentence  score ...` between tabs; `<b>` and `</b>` stand around the
    word in each sentence.

    Args:
        path: the file, UTF-8.

    Raises:
        FormatError: a line is in neither format, or a file that belongs to it is missing or does not fit.
        OSError: a file cannot be read.
    """
    rows = _fields(path)
    if len(rows[0][1]) >= 8:
        return _scored(rows, path)
    judged = _same_sense(Path(path), rows)
    train = _training_file(Path(path))
    return WordInContext(judged, _same_sense(train, _fields(train)))


def _fields(path: PathLike) -> list[tuple[int, list[str]]]:
    return [(number, line.split("\t")) for number, line in lines(path, comments=False)]


def _training_file(path: Path) -> Path:
    for file in (path.with_name("train.data.txt"), path.absolute().parent.parent / "train" / "train.data.txt"):
        if file.is_file() and not file.samefile(path):
            return file
    raise FormatError(
        f"{path}: no training pairs, which the threshold is chosen on; expected train.data.txt and train.gold.txt in "
        "the same folder, or in a folder 'train' beside it"
    )


def _same_sense(path: Path, rows: Sequence[tuple[int, list[str]]]) -> SameSense:
    if ".data." not in path.name:
        raise FormatError(f"{path}: pairs of contexts, expected a name with .data. in it, beside one with .gold.")
    gold = path.with_name(path.name.replace(".data.", ".gold."))
    if not gold.is_file():
        raise FormatError(f"{path}: no {gold.name} beside it; expected the answers there, T or F a line")
    pairs = [_pair(fields, f"{path} line {number}") for number, fields in rows]
    answers = lines(gold, comments=False)
    if len(answers) != len(pairs):
        raise FormatError(f"{gold}: {len(answers)} answers for {len(pairs)} pairs; expected one each")
    for number, answer in answers:
        if answer not in ("T", "F"):
            raise FormatError(f"{gold} line {number}: {answer!r}, expected T or F")
    return SameSense(pairs, np.array([answer == "T" for _, answer in answers]))


def _pair(fields: Sequence[str], where: str) -> Pair:
    if len(fields) != 5:
        raise FormatError(f"{where}: {len(fields)} fields, expected word, tag, i-j, sentence, sentence between tabs")
    places = fields[2].split("-")
    found = []
    for place, text in zip(places, fields[3:], strict=False):
        tokens = text.split()
        if not place.isdecimal() or int(place) >= len(tokens):
            raise FormatError(f"{where}: place {place!r}, expected a token of the sentence, 0 to {len(tokens) - 1}")
        found.append(Occurrence(fields[0], tokens, int(place)))
    if len(places) != 2:
        raise FormatError(f"{where}: places {fields[2]!r}, expected two, as in 3-0")
    return found[0], found[1]


def _scored(rows: Sequence[tuple[int, list[str]]], path: PathLike) -> ScoredOccurrences:
    pairs, scores = [], []
    for number, fields in rows:
        where = f"{path} line {number}"
        if len(fields) < 8:
            raise FormatError(
                f"{where}: {len(fields)} fields, expected number, two words and tags, two sentences, score"
            )
        pairs.append((_marked(fields[1], fields[5], where), _marked(fields[3], fields[6], where)))
        scores.append(finite(fields[7], where))
    return ScoredOccurrences(pairs, np.array(scores))


def _marked(word: str, text: str, where: str) -> Occurrence:
    before, start, rest = text.partition("<b>")
    own, end, after = rest.partition("</b>")
    if not (start and end and own.strip()):
        raise FormatError(f"{where}: no word between <b> and </b> in {text[:40]!r}; expected {word!r} there")
    left = before.split()
    # A word of several tokens is one here: what is around it is what counts.
    return Occurrence(word, [*left, "_".join(own.split()), *after.split()], len(left))


def cosines_of(space: Space, pairs: Sequence[Pair], reading: Reading) -> tuple[Floats, Known]:
    """Return how alike the two occurrences of each pair are.

    Args:
        space: the vectors.
        pairs: n pairs.
        reading: what gives an occurrence its vector.

    Returns:
        (n,) cosines, 0 where one has no vector, and (n,) whether both have one.
    """
    matrix, has = reading(space, list(chain.from_iterable(pairs)))
    found = np.einsum("nd,nd->n", matrix[::2], matrix[1::2], dtype=np.float64)
    known = has[::2] & has[1::2]
    return np.where(known, found, 0.0), known


def _judge(space: Space, gold: WordInContext | ScoredOccurrences, setting: Setting) -> list[Figure]:
    pairs = gold.pairs if isinstance(gold, ScoredOccurrences) else gold.judged.pairs
    made = {name: cosines_of(space, pairs, reading) for name, reading in READINGS.items()}
    known = made["both"][1]  # every reading counts the same items
    counted = np.ones(len(known), dtype=bool) if setting.unknown == "count" else known
    figures = []
    for name, (cosines, _) in made.items():
        own = np.where(known, cosines, 0.0)[counted]
        if isinstance(gold, ScoredOccurrences):
            statistic = RankCorrelation(own, gold.scores[counted])
            figures.append(_figure(f"spearman-{name}", Sample(counted, statistic), known))
        else:
            right = (own > _threshold(space, gold.train, READINGS[name])) == gold.judged.same[counted]
            sample = Sample(counted, Mean(right.astype(np.float64)))
            figures.append(_figure(f"accuracy-{name}", sample, known, gold.judged.same[counted]))
    return figures


def _figure(metric: str, sample: Sample, known: Known, same: Known | None = None) -> Figure:
    return Figure(
        metric=metric,
        sample=sample,
        covered=int(known.sum()),
        total=len(known),
        baseline=None if same is None or not len(same) else float(max(same.mean(), 1 - same.mean())),
        baseline_name="" if same is None else "majority",
        share=same is not None,
    )


def _threshold(space: Space, train: SameSense, reading: Reading) -> float:
    cosines, known = cosines_of(space, train.pairs, reading)
    return best_threshold(cosines[known], train.same[known])


SUITE = Suite(
    name="context",
    help="words in context: one sense or two, the share answered right; Spearman's correlation with people's scores",
    sets=("wic-dev", "wic-test"),
    read=read_contexts,
    judge=_judge,
)
