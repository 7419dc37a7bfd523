"""gensim's two judgements, figure for figure: word pairs against people's scores, and analogies.

`firth.evaluate` is the one to use for results of one's own: it has intervals, coverage and every usual file. These two
keep the reading rules and the results of gensim 4.4, so that figures can be compared with published ones. Departure:
all analogies are asked in one batch, which changes their time, not their answers.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from firth.errors import FormatError, OptionError

if TYPE_CHECKING:
    from firth.vectors.questions import Questions

CANDIDATES = 5  # answers looked at for the first that is neither unknown nor part of the question


def word_pairs(
    space: "Questions",
    pairs: str | os.PathLike[str],
    delimiter: str,
    encoding: str,
    restrict_vocab: int | None,
    case_insensitive: bool,
    dummy4unknown: bool,
) -> tuple[Any, Any, float]:
    """Return Pearson's and Spearman's results and the share of unknown pairs; see `WordVectors.evaluate_word_pairs`.

    Args:
        space: the vectors.
        pairs: the file.
        delimiter: what stands between the columns.
        encoding: the encoding of the file.
        restrict_vocab: use the first so many words only.
        case_insensitive: whether to compare upper-case forms.
        dummy4unknown: whether a pair with an unknown word counts as similarity 0.

    Raises:
        FormatError: no line can be used.
    """
    from scipy import stats

    rows = _usable(space, restrict_vocab, case_insensitive)
    gold: list[float] = []
    known: list[tuple[int, int] | None] = []  # rows of the two words; None where one is unknown
    unknown = 0
    for line in _lines(pairs, encoding):
        read = None if line.startswith("#") else _read_pair(line.upper() if case_insensitive else line, delimiter)
        if read is None:
            continue
        one, other, score = read
        if one in rows and other in rows:
            known.append((rows[one], rows[other]))
        else:
            unknown += 1
            if not dummy4unknown:
                continue
            known.append(None)
        gold.append(score)
    if not gold:
        raise FormatError(
            f"{pairs}: no pair of two known words and a score; expected lines 'word{delimiter}word{delimiter}score'"
        )
    cosines = np.zeros(len(gold))
    places = [place for place, pair in enumerate(known) if pair is not None]
    found = [pair for pair in known if pair is not None]
    cosines[places] = space.similarity([one for one, _ in found], [other for _, other in found])
    share = 100.0 * unknown / (len(gold) if dummy4unknown else len(gold) + unknown)
    return stats.pearsonr(gold, cosines), stats.spearmanr(gold, cosines), share


def _lines(path: str | os.PathLike[str], encoding: str) -> list[str]:
    with Path(path).open(
        encoding=encoding
    ) as file:  # str.splitlines would also split at characters that words may hold
        return list(file)


def _read_pair(line: str, delimiter: str) -> tuple[str, str, float] | None:
    try:
        one, other, score = line.split(delimiter)
        return one, other, float(score)
    except ValueError:
        return None


def word_analogies(
    space: "Questions",
    analogies: str | os.PathLike[str],
    restrict_vocab: int | None,
    case_insensitive: bool,
    dummy4unknown: bool,
    similarity_function: str,
) -> tuple[float, list[dict[str, Any]]]:
    """Return the accuracy and the sections; see `WordVectors.evaluate_word_analogies`.

    Args:
        space: the vectors.
        analogies: the file.
        restrict_vocab: use the first so many words only.
        case_insensitive: whether to compare upper-case forms.
        dummy4unknown: whether a question with an unknown word counts as wrong.
        similarity_function: "most_similar" or "most_similar_cosmul".

    Raises:
        FormatError: a question stands before the first section, or there is none.
        OptionError: there is no such similarity function.
    """
    asks: dict[str, Callable[..., Any]] = {
        "most_similar": space.most_similar,
        "most_similar_cosmul": space.most_similar_cosmul,
    }
    if similarity_function not in asks:
        raise OptionError(f"similarity_function={similarity_function!r}: expected one of {', '.join(asks)}")
    rows = _usable(space, restrict_vocab, case_insensitive)
    sections = _read_questions(analogies, case_insensitive)
    questions = [question for _, asked in sections for question in asked]
    known = [question for question in questions if all(word in rows for word in question)]
    like = [[rows[b], rows[c]] for _, b, c, _ in known]
    unlike = [[rows[a]] for a, _, _, _ in known]
    ask = asks[similarity_function]
    answers = ask(like, unlike, topn=CANDIDATES, restrict_vocab=restrict_vocab) if known else []
    right = {
        question: _first_usable([word for word, _ in answer], question, rows, case_insensitive) == question[3]
        for question, answer in zip(known, answers, strict=True)
    }
    results = [_section(name, asked, right, dummy4unknown) for name, asked in sections]
    total = {
        "section": "Total accuracy",
        "correct": [question for section in results for question in section["correct"]],
        "incorrect": [question for section in results for question in section["incorrect"]],
    }
    judged = len(total["correct"]) + len(total["incorrect"])
    return (len(total["correct"]) / judged if judged else 0.0), [*results, total]


Question = tuple[str, ...]  # a, b, c and the expected d


def _read_questions(path: str | os.PathLike[str], case_insensitive: bool) -> list[tuple[str, list[Question]]]:
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
    if not any(asked for _, asked in sections):
        raise FormatError(f"{path}: no analogy found, expected lines of four words under ': section' lines")
    return sections


def _usable(space: "Questions", restrict_vocab: int | None, case_insensitive: bool) -> dict[str, int]:
    """Return the rows of the first so many words, by upper-case form where case does not count; the first form wins."""
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


def _section(name: str, asked: list[Question], right: dict[Question, bool], dummy4unknown: bool) -> dict[str, Any]:
    judged = [question for question in asked if question in right or dummy4unknown]
    return {
        "section": name,
        "correct": [question for question in judged if right.get(question, False)],
        "incorrect": [question for question in judged if not right.get(question, False)],
    }
