"""gensim's two evaluations, with its results: word pairs against human scores, and analogies.

The functions are methods of `firth.WordVectors`. Use `firth.evaluate` for your own results: it has confidence
intervals, coverage and every common file format. These two keep the reading rules and the results of gensim 4.4, so
that figures can be compared with published ones. Departure: all analogies are one batch of queries, which changes the
time and not the answers.
"""

import io
from collections.abc import Callable
from typing import Any

import numpy as np

from firth.errors import FormatError, OptionError
from firth.storage.user_files import open_file
from firth.vectors.similar_words import most_similar, most_similar_cosmul
from firth.vectors.similarity import similarity
from firth.vectors.space import Path, VectorSpace

CANDIDATES = 5  # answers searched for the first that is neither unknown nor part of the question


def evaluate_word_pairs(
    space: VectorSpace,
    pairs: Path,
    delimiter: str = "\t",
    encoding: str = "utf8",
    restrict_vocab: int | None = 300_000,
    case_insensitive: bool = True,
    dummy4unknown: bool = False,
) -> tuple[Any, Any, float]:
    """Return how well cosines follow people's judgements: gensim's figures; `firth.evaluate` says more.

    Args:
        pairs: a file with two words and a score a line.
        delimiter: what stands between them.
        encoding: the encoding of the file.
        restrict_vocab: number of words to use, from the first.
        case_insensitive: whether to compare upper-case forms; the first word of each form counts.
        dummy4unknown: whether a pair with an unknown word counts as similarity 0 instead of being left out.

    Returns:
        (Pearson's result, Spearman's result, share of pairs with unknown words in per cent); the results are
        SciPy's, with the statistic first and the p-value second.

    Raises:
        FormatError: no line can be used.
    """
    from scipy import stats

    rows = _usable(space, restrict_vocab, case_insensitive)
    gold: list[float] = []
    covered: list[tuple[int, int] | None] = []  # rows of the two words; None where one is unknown
    unknown = 0
    for line in _lines(pairs, encoding):
        fields = None if line.startswith("#") else _read_pair(line.upper() if case_insensitive else line, delimiter)
        if fields is None:
            continue
        first, second, score = fields
        if first in rows and second in rows:
            covered.append((rows[first], rows[second]))
        else:
            unknown += 1
            if not dummy4unknown:
                continue
            covered.append(None)
        gold.append(score)
    if not gold:
        raise FormatError(
            f"{pairs}: no pair of two known words and a score; expected lines 'word{delimiter}word{delimiter}score'"
        )
    cosines = np.zeros(len(gold))
    positions = [i for i, pair in enumerate(covered) if pair is not None]
    known_pairs = [pair for pair in covered if pair is not None]
    cosines[positions] = similarity(space, [first for first, _ in known_pairs], [second for _, second in known_pairs])
    share = 100.0 * unknown / (len(gold) if dummy4unknown else len(gold) + unknown)
    return stats.pearsonr(gold, cosines), stats.spearmanr(gold, cosines), share


def _lines(path: Path, encoding: str) -> list[str]:
    with io.TextIOWrapper(open_file(path), encoding=encoding) as file:
        return list(file)  # str.splitlines would also split at characters that words may hold


def _read_pair(line: str, delimiter: str) -> tuple[str, str, float] | None:
    try:
        first, second, score = line.split(delimiter)
        return first, second, float(score)
    except ValueError:
        return None


def evaluate_word_analogies(
    space: VectorSpace,
    analogies: Path,
    restrict_vocab: int | None = 300_000,
    case_insensitive: bool = True,
    dummy4unknown: bool = False,
    similarity_function: str = "most_similar",
) -> tuple[float, list[dict[str, Any]]]:
    """Return how many analogies come out right: gensim's figures; `firth.evaluate` says more.

    Args:
        analogies: a file with ": section" lines and four words a line.
        restrict_vocab: number of words to use, from the first.
        case_insensitive: whether to compare upper-case forms; the first word of each form counts.
        dummy4unknown: whether a question with an unknown word counts as wrong instead of being left out.
        similarity_function: "most_similar" or "most_similar_cosmul".

    Returns:
        (accuracy from 0 to 1, [{"section", "correct": [(a, b, c, d), ...], "incorrect": [...]}, ..., the total]).

    Raises:
        FormatError: a question stands before the first section, or there is none.
        OptionError: there is no such similarity function.
    """
    asks: dict[str, Callable[..., Any]] = {"most_similar": most_similar, "most_similar_cosmul": most_similar_cosmul}
    if similarity_function not in asks:
        raise OptionError(f"similarity_function={similarity_function!r}: expected one of {', '.join(asks)}")
    rows = _usable(space, restrict_vocab, case_insensitive)
    sections = _read_questions(analogies, case_insensitive)
    questions = [question for _, lines in sections for question in lines]
    covered = [question for question in questions if all(word in rows for word in question)]
    like = [[rows[b], rows[c]] for _, b, c, _ in covered]
    unlike = [[rows[a]] for a, _, _, _ in covered]
    ask = asks[similarity_function]
    answers = ask(space, like, unlike, topn=CANDIDATES, restrict_vocab=restrict_vocab) if covered else []
    right = {
        question: _first_usable([word for word, _ in answer], question, rows, case_insensitive) == question[3]
        for question, answer in zip(covered, answers, strict=True)
    }
    results = [_section(name, lines, right, dummy4unknown) for name, lines in sections]
    total = {
        "section": "Total accuracy",
        "correct": [question for section in results for question in section["correct"]],
        "incorrect": [question for section in results for question in section["incorrect"]],
    }
    scored = len(total["correct"]) + len(total["incorrect"])
    return (len(total["correct"]) / scored if scored else 0.0), [*results, total]


Question = tuple[str, ...]  # a, b, c and the expected d


def _read_questions(path: Path, case_insensitive: bool) -> list[tuple[str, list[Question]]]:
    sections: list[tuple[str, list[Question]]] = []
    for number, line in enumerate(_lines(path, "utf8"), start=1):
        if line.startswith(": "):
            sections.append((line.lstrip(": ").strip(), []))
            continue
        if not sections:
            raise FormatError(f"{path} line {number}: {line[:60]!r}, expected a line ': name of the section' first")
        question = tuple((line.upper() if case_insensitive else line).split())
        if len(question) == 4:
            sections[-1][1].append(question)
    if not any(lines for _, lines in sections):
        raise FormatError(f"{path}: no analogy found, expected lines of four words under ': section' lines")
    return sections


def _usable(space: VectorSpace, restrict_vocab: int | None, case_insensitive: bool) -> dict[str, int]:
    """Return the rows of the first words, by upper-case form where case does not count; the first form wins."""
    words = space.words[:restrict_vocab]
    forms = (word.upper() for word in words) if case_insensitive else words
    rows: dict[str, int] = {}
    for row, form in enumerate(forms):
        rows.setdefault(form, row)
    return rows


def _first_usable(words: list[str], question: Question, rows: dict[str, int], case_insensitive: bool) -> str | None:
    """Return the first answer that is usable and not part of the question, else the last one, as gensim does."""
    form = None
    for word in words:
        form = word.upper() if case_insensitive else word
        if form in rows and form not in question[:3]:
            break
    return form


def _section(name: str, questions: list[Question], right: dict[Question, bool], dummy4unknown: bool) -> dict[str, Any]:
    scorable = [question for question in questions if question in right or dummy4unknown]
    return {
        "section": name,
        "correct": [question for question in scorable if right.get(question, False)],
        "incorrect": [question for question in scorable if not right.get(question, False)],
    }
