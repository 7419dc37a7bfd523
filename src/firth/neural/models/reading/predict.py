"""A trained reader: the best spans of the scores of starts and ends, answers, scores, saving.

What
    All spans of at most L tokens, or the best of them.
Objective
    score(i, j) = s_i + e_j for i <= j < i + L, with the scores s of starts and e of ends.
Source
    Chen, Fisch, Weston and Bordes 2017, section 3.2 (prediction).
Cost
    T L sums.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import torch
from torch.nn.functional import pad

from firth.arguments import explained
from firth.errors import ArgumentTypeError, CorpusError, ShapeError, brief, brief_repr
from firth.evaluation.answers import AnswerScores, score_answers
from firth.finite import check_finite
from firth.hints import Hinted
from firth.neural.models.reading.data import Pair, Passage, PassageReader, collate
from firth.neural.models.reading.examples import questions_from
from firth.neural.models.tagging.predict import TaggerModel
from firth.neural.models.tokens.reader import COUNTS, TokenReader, restored_reader, write_reader
from firth.neural.prediction import batch_rows, in_batches
from firth.neural.saved import Field, Saved, SavedModel
from firth.options import check_whole
from firth.progress import Progress
from firth.readers.questions import Question, question_names
from firth.registry import restored
from firth.storage.model_folder import ModelFolder
from firth.text.inputs import check_items, check_no_file, check_text

TOKENS = 8192  # of paragraphs that are read together, padding included
BLOCK = 1000  # questions that are read together


def best_spans(
    starts: torch.Tensor, ends: torch.Tensor, *, max_answer_length: int, n: int = 1
) -> tuple[torch.Tensor, ...]:
    """Return the n best spans, best first: (B, n) scores, first and last tokens; fewer of texts that have fewer.

    The (B, T) scores of starts and ends are minus infinity at padding; so are those of spans that reach into it.
    """
    rows, steps = starts.shape
    scores = span_scores(starts, ends, max_answer_length=max_answer_length)
    width, flat_scores = scores.shape[2], scores.reshape(rows, -1)
    best, flat = flat_scores.topk(min(n, flat_scores.shape[1]), dim=1)
    firsts = flat // width
    return best, firsts, (firsts + flat % width).clamp(max=steps - 1)


def span_scores(starts: torch.Tensor, ends: torch.Tensor, *, max_answer_length: int) -> torch.Tensor:
    """Return (B, T, L) scores of the spans that start at a token and have 1 to L tokens, L at most T."""
    width = min(max_answer_length, starts.shape[1])
    return starts.unsqueeze(2) + pad(ends, (0, width - 1), value=-torch.inf).unfold(1, width, 1)


@dataclass(frozen=True, eq=False)
class FoundSpan:
    """A span that may be the answer.

    Attributes:
        score: s_i + e_j.
        probability: among all spans.
        paragraph: its number among those of the question.
        start: characters of the paragraph before it.
        end: characters up to its end.
        no_answer: whether it stands for no answer; start and end are 0 then.
    """

    score: float
    probability: float
    paragraph: int
    start: int
    end: int
    no_answer: bool = False


Window = tuple[int, Pair]  # the number of a paragraph, and a question with the paragraph or a part of it


def windows_of(question: Passage, paragraphs: Sequence[Passage], window: int) -> list[Window]:
    """Return a question with the parts of paragraphs; those of one paragraph overlap by half."""
    parts: list[Window] = []
    for number, paragraph in enumerate(paragraphs):
        step = max(window // 2, 1)
        firsts = range(0, max(len(paragraph) - window, 0) + step, step) if len(paragraph) > window else [0]
        whole = len(paragraph) <= window
        parts += [
            (number, Pair(question, paragraph if whole else paragraph.window(first, first + window)))
            for first in firsts
        ]
    return parts


@torch.no_grad()
def found_spans(
    module: Any,
    tokens: TokenReader,
    windows: Sequence[Sequence[Window]],
    *,
    max_answer_length: int,
    n: int = 1,
    attention: dict[int, npt.NDArray[np.float32]] | None = None,
) -> list[list[FoundSpan]]:
    """Return of each question up to n spans, best first, at least one.

    Args:
        windows: of each question, at least one part of a paragraph.
        attention: is filled with the (T, Q) attention of each part, by its number over all questions; None for none.
    """
    device = next(module.parameters()).device
    parts = [(question, *window) for question, of_question in enumerate(windows) for window in of_question]
    spans: list[list[FoundSpan]] = [[] for _ in windows]
    totals: list[list[float]] = [[] for _ in windows]
    for rows in batch_rows([len(pair.paragraph) for _, _, pair in parts], TOKENS, tokens=True):
        scores = module(collate(tokens, [parts[row][2] for row in rows]).to(device))
        starts, ends = scores.starts.float(), scores.ends.float()
        values, firsts, lasts = (
            column.tolist() for column in best_spans(starts, ends, max_answer_length=max_answer_length, n=n)
        )
        sums = log_totals(starts, ends, max_answer_length).tolist()
        check_finite(sums, "the reader", [parts[row][0] for row in rows], "paragraph of the batch, for question")
        for index, row in enumerate(rows):
            question, paragraph, pair = parts[row]
            totals[question].append(sums[index])
            if attention is not None:
                shape = len(pair.paragraph), len(pair.question)
                attention[row] = scores.attention[index, : shape[0], : shape[1]].float().cpu().numpy()
            for value, first, last in zip(values[index], firsts[index], lasts[index], strict=True):
                if value > -np.inf:
                    spans[question].append(FoundSpan(value, 0.0, paragraph, *pair.paragraph.answer(first, last)))
    none = None if module.no_answer is None else float(module.no_answer.double().sum())
    return [_ordered(of_question, sums, none, n) for of_question, sums in zip(spans, totals, strict=True)]


def log_totals(starts: torch.Tensor, ends: torch.Tensor, max_answer_length: int) -> torch.Tensor:
    """Return (B,) logs of the sums of exp(score) over the spans of at most `max_answer_length` tokens, in float64."""
    return span_scores(starts.double(), ends.double(), max_answer_length=max_answer_length).flatten(1).logsumexp(1)


def _ordered(spans: list[FoundSpan], totals: list[float], none: float | None, n: int) -> list[FoundSpan]:
    """Return the n best spans with their probabilities, with no answer among them if it has a score."""
    total = float(np.logaddexp.reduce(totals if none is None else [*totals, none]))
    best: dict[tuple[int, int, int], FoundSpan] = {}
    for span in sorted(spans, key=lambda span: -span.score):
        best.setdefault((span.paragraph, span.start, span.end), span)
    chosen = list(best.values())
    if none is not None:
        chosen = sorted([*chosen, FoundSpan(none, 0.0, 0, 0, 0, no_answer=True)], key=lambda span: -span.score)
    return [replace(span, probability=min(float(np.exp(span.score - total)), 1.0)) for span in chosen[:n]]


@dataclass(frozen=True, eq=False)
class ReadAnswer(Hinted):
    """The answer to a question.

    Attributes:
        text: as it stands in the paragraph; "" if the paragraph does not answer the question.
        start: characters of the paragraph before it.
        end: characters up to its end.
        score: of its start and end, which can be compared between paragraphs.
        probability: among all spans of the paragraphs.
        paragraph: number of the paragraph, where several were given.
        others: further answers, best first, if several were asked for.
        attention: (T, Q) weights of the words of the question for each word of the paragraph, if asked for.
        words: the T words of the paragraph, likewise.
        question: the Q words of the question, likewise.
    """

    text: str
    start: int
    end: int
    score: float
    probability: float
    paragraph: int = 0
    others: tuple["ReadAnswer", ...] = ()
    attention: npt.NDArray[np.float32] | None = None
    words: tuple[str, ...] = ()
    question: tuple[str, ...] = ()

    __repr__ = brief_repr

    def __str__(self) -> str:
        return self.text or "(no answer)"


def _write_reader(reader: PassageReader) -> Saved:
    saved, taggers = write_reader(reader.tokens), reader.taggers
    folders = dict(saved.subfolders)
    folders |= {f"model-{number}": tagger.save for number, tagger in enumerate(taggers, len(folders))}
    return replace(saved, config={**saved.config, "taggers": len(taggers)}, subfolders=folders)


def _read_reader(content: ModelFolder, options: Any) -> PassageReader:
    tokens, count = restored_reader(content), int(content.config["taggers"])
    first = len(tokens.embedders)
    try:
        taggers = tuple(restored(content.part(f"model-{number}")) for number in range(first, first + count))
    except OSError as error:
        raise ValueError(error) from error
    if not all(isinstance(tagger, TaggerModel) for tagger in taggers):
        raise ValueError("a model among its taggers is no tagger")
    return PassageReader(tokens, taggers)


class ReadingModel(SavedModel):
    """A trained reader, as `firth.Reader(...).train` returns it.

    Attributes:
        module: in evaluation mode.
        options: of the reader.
        reader: how it reads texts.
        metadata: JSON values: how it was trained.
    """

    kind: ClassVar = "firth-reader"
    what: ClassVar = "a reader"
    saved_fields: ClassVar = (Field("reader", _write_reader, _read_reader, (COUNTS,)),)
    reader: PassageReader

    def __repr__(self) -> str:
        return f"<ReadingModel: {type(self.options).__name__}, {len(self.words):,} words>"

    @property
    def words(self) -> Sequence[str]:
        """The V words that are looked up."""
        return self.reader.tokens.words

    @explained
    def answer(
        self,
        question: Any,
        paragraph: Any,
        *,
        n: int = 1,
        attention: bool = False,
        threads: int | None = None,
        progress: Progress = False,
    ) -> Any:
        """Return the answers to questions.

        Args:
            question: a text, or N texts.
            paragraph: a text, which all questions are about; or of one question several texts, of N questions as many
                texts or lists of texts. The best answer of all paragraphs of a question counts.
            n: answers of each question; the others are attributes of the best.
            attention: whether the attention of the answer's paragraph is returned, too, of at most `window` tokens.

        Returns:
            A `ReadAnswer`; of N questions a list.

        Raises:
            CorpusError: a question or all its paragraphs have no word.
            ArgumentTypeError: a question or a paragraph is no text.
            OptionError: n is below 1.
            ShapeError: there are other numbers of questions and paragraphs.
        """
        check_whole("n", n, 1)
        check_no_file(question, "question", "a question or a list of them")
        check_no_file(paragraph, "paragraph", "a paragraph or a list of them")
        if isinstance(question, str):
            given = [paragraph] if isinstance(paragraph, str) else paragraph
            texts = [_texts(given, "paragraph")]
            return self._answers([question], texts, n, attention, threads, progress)[0]
        questions = _texts(question, "question")
        if isinstance(paragraph, str):
            several: list[Any] = [paragraph] * len(questions)
        else:
            several = list(check_items(paragraph, "paragraph"))
        if len(several) != len(questions):
            raise ShapeError(f"{len(questions):,} questions and {len(several):,} paragraphs; expected as many")
        texts = [
            [item] if isinstance(item, str) else _texts(item, f"paragraph[{number}]")
            for number, item in enumerate(several)
        ]
        return self._answers(questions, texts, n, attention, threads, progress)

    @explained
    def answer_from(
        self,
        question: Any,
        index: Any,
        *,
        paragraphs: int = 5,
        n: int = 1,
        threads: int | None = None,
        progress: Progress = False,
    ) -> Any:
        """Return the answers to questions from texts that are searched first.

        Args:
            question: a text, or N texts.
            index: of texts: `firth.TfidfIndex(texts)`, which finds those with rare words of the question, or
                `firth.TextIndex(encoder, texts)`, which finds those near in meaning.
            paragraphs: texts that are read for each question.
            n: answers of each question; the others are attributes of the best.

        Returns:
            A `ReadAnswer`, whose `paragraph` is the row of its text in the index; of N questions a list. Where no text
            is found, the answer is "", with the row -1.

        Raises:
            CorpusError: a question has no word.
            ArgumentTypeError: a question is no text, or the index has no `search`.
            OptionError: `paragraphs` or n is below 1.

        Source:
            Chen, Fisch, Weston and Bordes 2017, section 3.
        """
        check_whole("paragraphs", paragraphs, 1)
        check_whole("n", n, 1)
        if not callable(getattr(index, "search", None)):
            raise ArgumentTypeError(
                f"index: found {brief(index)}; expected firth.TfidfIndex(texts) or firth.TextIndex(...)"
            )
        if isinstance(question, str):
            answers = self.answer_from(
                [question], index, paragraphs=paragraphs, n=n, threads=threads, progress=progress
            )
            return answers[0]
        questions = _texts(question, "question")
        for text, asked in zip(questions, replace(self.reader, taggers=()).read(questions), strict=True):
            _check_words(text, asked)
        matches = [
            [match for match in of_question if isinstance(match.text, str) and match.text.strip()]
            for of_question in index.search(questions, paragraphs)
        ]
        rows = [row for row, of_question in enumerate(matches) if of_question]
        texts = [[match.text for match in matches[row]] for row in rows]
        result = [ReadAnswer("", 0, 0, -np.inf, 0.0, -1)] * len(questions)
        answers = self._answers([questions[row] for row in rows], texts, n, False, threads, progress)
        for row, answer in zip(rows, answers, strict=True):
            further = tuple(replace(item, paragraph=matches[row][item.paragraph].row) for item in answer.others)
            result[row] = replace(answer, paragraph=matches[row][answer.paragraph].row, others=further)
        return result

    @explained
    def predict(self, questions: Any, *, threads: int | None = None, progress: Progress = None) -> dict[str, str]:
        """Return the answers to the questions of a file by their names, as SQuAD's official script reads them.

        Args:
            questions: in any form that `train` reads; answers do not matter. A question without a name has its number,
                from 0.

        Raises:
            CorpusError: there is no question, or one without a word.
            FormatError: a file or a row has another form, or two questions have the same name.
        """
        given = questions_from(questions, "questions")
        data, names = given.questions, question_names(given.questions, given.name)
        return dict(zip(names, self._best_texts(data, threads, progress), strict=True))

    @explained
    def test(self, gold: Any, *, seed: int = 0, threads: int | None = None, progress: Progress = None) -> AnswerScores:
        """Compare answers with the right ones: exact match and F1.

        Args:
            gold: questions with answers, in any form that `train` reads.
            seed: of the resamples of the confidence intervals.

        Raises:
            CorpusError: there is no question, or one without a word.
            FormatError: a file is damaged.
        """
        data = questions_from(gold, "gold").questions
        right = [[answer.text for answer in question.answers] for question in data]
        return score_answers(self._best_texts(data, threads, progress), right, seed=seed)

    def _best_texts(self, data: Sequence[Question], threads: int | None, progress: Progress) -> list[str]:
        asked, paragraphs = [item.question for item in data], [[item.paragraph] for item in data]
        return [answer.text for answer in self._answers(asked, paragraphs, 1, False, threads, progress)]

    def _answers(
        self,
        questions: Sequence[str],
        paragraphs: Sequence[Sequence[str]],
        n: int,
        attention: bool,
        threads: int | None,
        progress: Progress,
    ) -> list[ReadAnswer]:
        def read(rows: list[int]) -> list[ReadAnswer]:
            block = slice(rows[0], rows[-1] + 1)
            return self._block(questions[block], paragraphs[block], n, attention)

        shown: dict[str, Any] = {"stage": "reading", "unit": "questions", "threads": threads, "progress": progress}
        return in_batches(range(len(questions)), read, size=BLOCK, by_length=False, slow=True, **shown)

    def _block(
        self, questions: Sequence[str], paragraphs: Sequence[Sequence[str]], n: int, attention: bool
    ) -> list[ReadAnswer]:
        reader = replace(self.reader, numbers=type(self.reader.numbers)())  # grows with the texts
        texts = list(dict.fromkeys(itertools.chain.from_iterable(paragraphs)))
        passages = dict(zip(texts, reader.read(texts, tags=True), strict=True))
        windows = []
        for question, asked, of_question in zip(questions, reader.read(questions), paragraphs, strict=True):
            _check_words(question, asked)
            if not any(len(passages[text]) for text in of_question):
                raise CorpusError(f"the question {brief(question)}: its paragraph has no word; expected one at least")
            every = windows_of(asked, [passages[text] for text in of_question], self.options.window)
            windows.append([window for window in every if len(window[1].paragraph)])
        weights: dict[int, npt.NDArray[np.float32]] | None = {} if attention else None
        spans = found_spans(
            self.module,
            self.reader.tokens,
            windows,
            max_answer_length=self.options.max_answer_length,
            n=n,
            attention=weights,
        )
        answers, before = [], 0
        for of_question, best_of_question, parts in zip(paragraphs, spans, windows, strict=True):
            best, *further = (_answer(span, of_question) for span in best_of_question)
            shown: dict[str, Any] = {}
            if weights is not None:
                part = next(
                    (row for row, (number, pair) in enumerate(parts) if _covers(number, pair.paragraph, best)), 0
                )
                pair = parts[part][1]
                shown = {
                    "attention": weights[before + part],
                    "words": pair.paragraph.sentence.forms,
                    "question": pair.question.sentence.forms,
                }
            answers.append(replace(best, others=tuple(further), **shown))
            before += len(parts)
        return answers

    def _card(self) -> tuple[str, str, str]:
        example = 'print(model.answer("Who wrote it?", "Mary Shelley wrote it in 1818."))\n'
        return "A reader", f": {len(self.words):,} words", example


def _texts(values: Any, name: str) -> list[str]:
    texts = list(check_items(values, name))
    for number, text in enumerate(texts):
        check_text(text, f"{name}[{number}]")
    return texts


def _check_words(question: str, asked: Passage) -> None:
    if not len(asked):
        raise CorpusError(f"the question {brief(question)} has no word; expected one at least")


def _answer(span: FoundSpan, paragraphs: Sequence[str]) -> ReadAnswer:
    text = paragraphs[span.paragraph][span.start : span.end]
    return ReadAnswer(text, span.start, span.end, span.score, span.probability, span.paragraph)


def _covers(number: int, passage: Passage, answer: ReadAnswer) -> bool:
    """Whether an answer stands in a part of a paragraph."""
    first, last = passage.answer(0, len(passage) - 1)
    return number == answer.paragraph and first <= answer.start and answer.end <= last
