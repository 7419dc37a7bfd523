"""Pairs of words in context: WiC (same sense or not) and SCWS (scored by people)."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from firth.arguments import names_files
from firth.errors import FormatError
from firth.readers.lines import PathLike, Row, numbered_lines, score_of


@dataclass(frozen=True)
class Occurrence:
    """A word in a sentence.

    Attributes:
        word: the word as the gold file names it, usually its lemma.
        position: index of the word in `tokens`.
    """

    word: str
    tokens: Sequence[str]
    position: int

    def context(self, window: int) -> list[str]:
        """Return the tokens around the word, at most `window` on either side."""
        after = self.position + 1
        return [*self.tokens[max(0, self.position - window) : self.position], *self.tokens[after : after + window]]

    def clip(self, window: int) -> "Occurrence":
        """Return the word in a shorter sentence: at most `window` tokens on either side."""
        start = max(0, self.position - window)
        return Occurrence(self.word, self.tokens[start : self.position + window + 1], self.position - start)


OccurrencePair = tuple[Occurrence, Occurrence]


@dataclass(frozen=True)
class SenseAgreement:
    """Pairs of occurrences of one word, and whether both have the same sense.

    Attributes:
        same: (n,) the answers.
    """

    pairs: Sequence[OccurrencePair]
    same: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class WordInContext:
    """A word-in-context set: test pairs, and training pairs to choose the threshold.

    Attributes:
        train: the pairs on which the threshold is chosen.
    """

    test: SenseAgreement
    train: SenseAgreement


@dataclass(frozen=True)
class ScoredOccurrences:
    """Pairs of occurrences of two words with human similarity scores.

    Attributes:
        scores: (n,) on any scale.
    """

    pairs: Sequence[OccurrencePair]
    scores: npt.NDArray[np.float64]


@names_files
def read_words_in_context(path: PathLike) -> WordInContext | ScoredOccurrences:
    """Read pairs of words in context, in the format of WiC or of SCWS.

    WiC: tab-separated `word  N|V  i-j  sentence  sentence`, in a file with `.data.` in its name. The answers, T or F
    per line, are in the file with `.gold.` in its place. The training pairs are in `train.data.txt`, in the same
    folder or in a sibling folder `train`.

    SCWS: tab-separated `number  word  tag  word  tag  sentence  sentence  score ...`; `<b>` and `</b>` mark the word in
    each sentence.

    Args:
        path: the file, UTF-8.

    Raises:
        FormatError: a line has neither format, or a file that belongs to it is missing or does not match.
        OSError: a file cannot be read.
    """
    rows = _rows(path)
    if len(rows[0][1]) >= 8:
        return _read_scws(rows, path)
    test = _read_wic(Path(path), rows)
    train = _training_file(Path(path))
    return WordInContext(test, _read_wic(train, _rows(train)))


def _rows(path: PathLike) -> list[Row]:
    return [(number, line.split("\t")) for number, line in numbered_lines(path, comments=False)]


def _training_file(path: Path) -> Path:
    for file in (path.with_name("train.data.txt"), path.absolute().parent.parent / "train" / "train.data.txt"):
        if file.is_file() and not file.samefile(path):
            return file
    raise FormatError(
        f"{path}: no training pairs to choose the threshold on; expected train.data.txt and train.gold.txt in the same "
        "folder, or in a folder 'train' beside it"
    )


def _read_wic(path: Path, rows: Sequence[Row]) -> SenseAgreement:
    if ".data." not in path.name:
        raise FormatError(f"{path}: pairs of contexts, expected a name with .data. in it, beside one with .gold.")
    gold = path.with_name(path.name.replace(".data.", ".gold."))
    if not gold.is_file():
        raise FormatError(f"{path}: no {gold.name} beside it; expected a file with the answers, T or F per line")
    pairs = [_wic_pair(fields, f"{path} line {number}") for number, fields in rows]
    answers = numbered_lines(gold, comments=False)
    if len(answers) != len(pairs):
        raise FormatError(f"{gold}: {len(answers)} answers for {len(pairs)} pairs; expected one each")
    for number, answer in answers:
        if answer not in ("T", "F"):
            raise FormatError(f"{gold} line {number}: {answer!r}, expected T or F")
    return SenseAgreement(pairs, np.array([answer == "T" for _, answer in answers]))


def _wic_pair(fields: Sequence[str], where: str) -> OccurrencePair:
    if len(fields) != 5:
        raise FormatError(f"{where}: {len(fields)} fields, expected word, tag, i-j, sentence, sentence between tabs")
    positions = fields[2].split("-")
    pair = []
    for position, text in zip(positions, fields[3:], strict=False):
        tokens = text.split()
        if not position.isdecimal() or int(position) >= len(tokens):
            raise FormatError(f"{where}: position {position!r}, expected a token number from 0 to {len(tokens) - 1}")
        pair.append(Occurrence(fields[0], tokens, int(position)))
    if len(positions) != 2:
        raise FormatError(f"{where}: positions {fields[2]!r}, expected two, as in 3-0")
    return pair[0], pair[1]


def _read_scws(rows: Sequence[Row], path: PathLike) -> ScoredOccurrences:
    pairs, scores = [], []
    for number, fields in rows:
        where = f"{path} line {number}"
        if len(fields) < 8:
            raise FormatError(
                f"{where}: {len(fields)} fields, expected number, two words and tags, two sentences, score"
            )
        pairs.append((_marked_word(fields[1], fields[5], where), _marked_word(fields[3], fields[6], where)))
        scores.append(score_of(fields[7], where))
    return ScoredOccurrences(pairs, np.array(scores))


def _marked_word(word: str, text: str, where: str) -> Occurrence:
    before, start, rest = text.partition("<b>")
    own, end, after = rest.partition("</b>")
    if not (start and end and own.strip()):
        raise FormatError(f"{where}: no word between <b> and </b> in {text[:40]!r}; expected {word!r} there")
    tokens = before.split()
    # A word of several tokens becomes one token: only the context counts.
    return Occurrence(word, [*tokens, "_".join(own.split()), *after.split()], len(tokens))


@names_files
def read_sense_key(path: PathLike) -> dict[str, dict[str, str]]:
    """Read a key: `word occurrence sense`, one occurrence per line, as in `access.n access.n.15 access.n.6`.

    A line may give several senses with weights, as in `access.n.6/0.8 access.n.2/0.2`. The sense with the greatest
    weight counts; of equal ones, the first.

    Args:
        path: the file, UTF-8.

    Returns:
        The sense of each occurrence of each word.

    Raises:
        FormatError: a line has another format, or an occurrence is listed twice; the message gives its number.
        OSError: the file cannot be read.
    """
    senses: dict[str, dict[str, str]] = {}
    for number, line in numbered_lines(path):
        fields = line.split()
        if len(fields) < 3:
            raise FormatError(f"{path} line {number}: {len(fields)} fields, expected 'word occurrence sense'")
        word, occurrence, *tags = fields
        if occurrence in senses.setdefault(word, {}):
            raise FormatError(f"{path} line {number}: {occurrence} is listed twice; expected one line each")
        weights = [_weight(tag, number, path) for tag in tags]
        senses[word][occurrence] = max(weights, key=lambda pair: pair[1])[0]
    return senses


def _weight(tag: str, number: int, path: PathLike) -> tuple[str, float]:
    sense, slash, weight = tag.rpartition("/")
    if not slash:
        return tag, 1.0
    try:
        return sense, float(weight)
    except ValueError:
        raise FormatError(f"{path} line {number}: weight {weight!r} of {tag!r}, expected a number") from None
