"""What readers share: the interface of their modules, scores with and without an answer, losses."""

import abc
import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Unpack

import torch
from torch import nn

from firth.arguments import explained
from firth.errors import KindError, brief
from firth.evaluation.answers import f1
from firth.neural.layers.state import State
from firth.neural.models.reading.data import Pair, PassageReader, ReadingBatch, pair_batches
from firth.neural.models.reading.examples import ReadQuestions, divided, questions_from, read_all, training_pairs
from firth.neural.models.reading.predict import ReadingModel, found_spans, windows_of
from firth.neural.models.tagging.predict import TaggerModel
from firth.neural.models.tokens.embedder import TokenEmbedder
from firth.neural.models.tokens.embedders import embedders_digest, embedders_of
from firth.neural.models.tokens.features import cached_features
from firth.neural.models.tokens.files import COUNTS, restored_reader
from firth.neural.models.tokens.options import TokenOptions, with_vectors
from firth.neural.models.tokens.reader import FIRST, TokenReader
from firth.neural.saved import read_module, read_options
from firth.neural.supervised import digest
from firth.neural.training.batching import Buckets
from firth.neural.training.devices import new_parameters
from firth.neural.training.loop import fit_model
from firth.neural.training.options import RunArguments, RunConfig, TrainingOptions
from firth.neural.training.row_updates import sparse_gradients
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import Batches, StepOutput
from firth.options import option, options_class
from firth.registry import restored
from firth.storage.model_folder import ModelFolder
from firth.text.running_text import sentences_and_tokens
from firth.timing import running_clock
from firth.vectors.word_vectors import WordVectors

EVAL_BATCH = 64  # questions per batch of an evaluation


@dataclass(frozen=True, eq=False)
class SpanScores:
    """Scores of the starts and ends of answers.

    Attributes:
        starts: (B, T), minus infinity at padding.
        attention: (B, T, Q) weights of the words of the question for each word of the paragraph.
    """

    starts: torch.Tensor
    ends: torch.Tensor
    attention: torch.Tensor


class ReadingModule(nn.Module, abc.ABC):
    """Scores of the starts and ends of answers.

    Attributes:
        tags: a table of each target of taggers.
        tag_width: width of the vectors of all tags of a word.
        no_answer: (2,) scores of no start and no end; None if each question has an answer.

    Source:
        Levy et al. 2017, section 4, for the scores of no answer.
    """

    def __init__(self, options: "ReadingOptions", embedder: TokenEmbedder, tags: tuple[int, ...]) -> None:
        super().__init__()
        self.embedder = embedder
        self.tags = nn.ModuleList(nn.Embedding(count + FIRST, options.column_dim) for count in tags)
        self.tag_width = options.column_dim * len(tags)
        self.no_answer = nn.Parameter(torch.zeros(2)) if options.no_answer else None

    @abc.abstractmethod
    def forward(self, batch: ReadingBatch) -> SpanScores:
        """Return the scores of a batch."""

    def tag_vectors(self, batch: ReadingBatch) -> list[torch.Tensor]:
        """Return of each target of taggers (B, T, width) vectors of the tags of paragraphs."""
        return [table(ids) for table, ids in zip(self.tags, batch.tags, strict=True)]

    def losses(self, batch: ReadingBatch) -> torch.Tensor:
        """Return the (B,) negative log probabilities of the right starts and ends."""
        losses = [
            nn.functional.cross_entropy(scores, batch.spans[:, side], reduction="none")
            for side, scores in enumerate(self.extended(self(batch)))
        ]
        return torch.stack(losses).sum(0)

    def extended(self, scores: SpanScores) -> tuple[torch.Tensor, torch.Tensor]:
        """Return (B, T + 1) scores of starts and of ends, the last of which is that of no answer."""
        sides = (scores.starts.float(), scores.ends.float())
        rows = len(scores.starts)
        none = sides[0].new_full((2,), -torch.inf) if self.no_answer is None else self.no_answer
        start, end = (
            torch.cat([side, none[number].expand(rows, 1).to(side.dtype)], 1) for number, side in enumerate(sides)
        )
        return start, end


def with_padding(scores: torch.Tensor, inside: torch.Tensor) -> torch.Tensor:
    """Return (B, T) scores, minus infinity where there is no token."""
    return scores.masked_fill(~inside, -torch.inf)


@options_class
class ReadingOptions(TokenOptions, abc.ABC):
    """Options of a reader: what all kinds have.

    Raises:
        OptionError: an option is out of its range.
    """

    training: ClassVar[TrainingOptions]

    no_answer: bool = option(False, "questions may have no answer, as in SQuAD 2.0")
    longest: int = option(15, "tokens of an answer at most", minimum=1)
    window: int = option(400, "tokens of a paragraph that are read together; longer ones are read in parts", minimum=2)
    word_dropout: float = option(
        0.0, "word dropout: a word of count n is read as unknown with probability a / (a + n); this is a", minimum=0
    )

    @abc.abstractmethod
    def build(self, reader: TokenReader, tags: tuple[int, ...], vectors: WordVectors | None) -> Any:
        """Return a module with random parameters from torch's default generator."""


class ReadingTask:
    """A module with its questions; implements `firth.neural.training.task.Task`.

    Attributes:
        unit: "questions".
        eval_predictions: number of held-out questions.
    """

    def __init__(
        self,
        module: ReadingModule,
        batches: Batches,
        *,
        options: ReadingOptions,
        tokens: TokenReader,
        held_out: ReadQuestions,
        pairs: Sequence[Pair],
    ) -> None:
        self.module: torch.nn.Module = module
        self.batches, self.unit, self.eval_predictions = batches, "questions", len(held_out.questions)
        self._reader, self._options, self._tokens, self._held_out = module, options, tokens, held_out
        self._losses: Buckets[Pair] = pair_batches(tokens, pairs, batch_size=EVAL_BATCH, shuffle=False)
        self._count = len(pairs)

    def step(self, batch: ReadingBatch, state: State, progress: TrainingProgress) -> StepOutput:
        """Return the mean loss of a batch; see `Task.step`."""
        losses = self._reader.losses(batch)
        return StepOutput(losses.mean(), losses.detach().sum(dtype=torch.float64), len(losses))

    def evaluate(self) -> Mapping[str, float]:
        """Return 1 - F1 of the answers to held-out questions, and their loss in nats."""
        device = next(self.module.parameters()).device
        losses = [self._reader.losses(batch.to(device)) for batch in self._losses.epoch(0)]
        read = self._held_out
        windows = [
            windows_of(asked, [paragraph], self._options.window)
            for asked, paragraph in zip(read.asked, read.paragraphs, strict=True)
        ]
        found = found_spans(self._reader, self._tokens, windows, longest=self._options.longest)
        scores = []
        for question, spans in zip(read.questions, found, strict=True):
            answer = "" if spans[0].no_answer else question.paragraph[spans[0].start : spans[0].end]
            scores.append(f1(answer, [each.text for each in question.answers]))
        loss = sum(float(each.sum(dtype=torch.float64)) for each in losses) / self._count
        return {"loss": loss, "error": 1 - sum(scores) / len(scores)}


@explained
def train_reader(
    options: ReadingOptions,
    source: Any,
    *,
    held_out: Any = None,
    vectors: WordVectors | None = None,
    embed: Any = None,
    taggers: Any = None,
    **run: Unpack[RunArguments],
) -> ReadingModel:
    """Train a reader on questions whose answers stand in a paragraph.

    Args:
        options: `firth.Reader` or `firth.BiDAF`.
        source: the path of SQuAD's JSON or of JSON lines, several, or a list of `firth.readers.questions.Question` or
            of rows with `question`, `context` and `answers`.
        held_out: questions that select the best epoch, in any form of `source`. Without them, those about a tenth of
            the articles are held out, or of the paragraphs where articles have no titles; unless `no_answer`, of those
            with an answer.
        vectors: word vectors to start from, or to keep (`embedding`).
        embed: vectors of words in context; see `firth.Tagger.train`.
        taggers: a trained tagger, or several, whose tags of paragraphs are features.
        **run: training options and circumstances of the run; see `RunConfig`.

    Returns:
        The reader of the best evaluation on held-out questions, by F1.

    Warns:
        UserWarning: questions are left out, for they have no answer.

    Raises:
        CorpusError: there is no question, no question has an answer, or a question or a paragraph has no word.
        FormatError: a file is damaged, or an answer does not stand where its offset says; the message names it.
        KindError: the source is none of these.
        OptionError: an option is out of its range, or the checkpoint is of another run.
        DivergenceError: training diverged.
    """
    options = with_vectors(options, vectors)
    config = RunConfig.of(options.training, run)
    with running_clock():
        examples = questions_from(source)
        if held_out is None:
            examples, judged = divided(examples, config.seed, answered=not options.no_answer)
        else:
            judged = questions_from(held_out, "held_out")
        texts = dict.fromkeys(
            text for each in examples.questions for text in (each.paragraph, each.question)
        )  # each paragraph once
        tokens = options.learn_reader(_sentences(texts), vectors, embedders=embedders_of(embed))
        reader = PassageReader(tokens, taggers_of(taggers))
        train, held = (read_all(each, reader, progress=config.progress) for each in (examples, judged))
        pairs, held_pairs = (
            training_pairs(each, part.name, window=options.window, no_answer=options.no_answer, judged=part is judged)
            for each, part in ((train, examples), (held, judged))
        )
        module = new_module(options, reader, config.seed, vectors, copies=2)
        task = ReadingTask(
            module,
            pair_batches(tokens, pairs, batch_size=config.training.batch_size, seed=config.seed),
            options=options,
            tokens=tokens,
            held_out=held,
            pairs=held_pairs,
        )
        data = {"examples": _digest([pairs, held_pairs], tokens, vectors), "questions": len(pairs)}
        passages = dict.fromkeys((*train.asked, *train.paragraphs, *held.asked, *held.paragraphs))
        forms = (passage.sentence.forms for passage in passages)
        with cached_features(module, forms, config.progress), sparse_gradients(module, config.training):
            facts = fit_model(task, options, config, data)
        facts |= {
            "questions": len(pairs),
            "held_out_questions": len(judged.questions),
            "words": sum(len(passage) for passage in dict.fromkeys(train.paragraphs)),
        }
    return ReadingModel(module, options, reader, {"training": facts})


def taggers_of(taggers: Any) -> tuple[TaggerModel, ...]:
    """Return trained taggers as a tuple.

    Raises:
        KindError: one is none.
    """
    found = () if taggers is None else tuple(taggers) if isinstance(taggers, list | tuple) else (taggers,)
    for each in found:
        if not isinstance(each, TaggerModel):
            raise KindError(f"taggers: found {brief(each)}; expected a trained firth.Tagger, or a list of them")
    return found


def new_module(
    options: ReadingOptions, reader: PassageReader, seed: int, vectors: WordVectors | None = None, *, copies: int = 1
) -> ReadingModule:
    """Return a module with random parameters; torch's own random state is kept."""
    with new_parameters(seed, copies):
        module: ReadingModule = options.build(reader.tokens, reader.tag_counts, vectors)
        return module


def _sentences(texts: Iterable[str]) -> Iterable[Sequence[str]]:
    for text in texts:
        places = itertools.chain.from_iterable(sentences_and_tokens(text))
        yield [text[start:end] for start, end in places]


def _digest(parts: Iterable[Sequence[Pair]], tokens: TokenReader, vectors: WordVectors | None) -> str:
    """Return a digest of the data of a run."""
    passages = (
        ([("\n".join(each.sentence.forms), each.tags) for each in (pair.question, pair.paragraph)], str(pair.span))
        for pairs in parts
        for pair in pairs
    )
    return digest(passages, "\n".join([*tokens.words, *tokens.given]), vectors, embedders_digest(tokens.embedders))


def restore(content: ModelFolder) -> ReadingModel:
    """Return the reader of a folder."""
    tokens = restored_reader(content)
    try:
        options: Any = read_options(content, __package__)
        count = int(content.config["taggers"])
        first = len(tokens.embedders)
        taggers = tuple(restored(content.part(f"model-{number}")) for number in range(first, first + count))
        if not all(isinstance(tagger, TaggerModel) for tagger in taggers):
            raise ValueError("a tagger that is none")
    except (KeyError, TypeError, ValueError, OverflowError, OSError) as error:
        raise content.damaged(f"config.json does not describe a reader ({error})") from error
    reader = PassageReader(tokens, taggers)
    module = read_module(content, options, lambda: new_module(options, reader, seed=0), other=(COUNTS,))
    return ReadingModel(module, options, reader, content.metadata)
