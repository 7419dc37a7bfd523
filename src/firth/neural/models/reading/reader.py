"""What readers share: the interface of their modules, scores with and without an answer, losses."""

import abc
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Unpack

import torch
from torch import nn

from firth.arguments import explained
from firth.errors import ArgumentTypeError, brief
from firth.neural.models.reading.data import Pair, PassageReader, ReadingBatch, pair_batches
from firth.neural.models.reading.examples import questions_from, read_all, split, training_pairs
from firth.neural.models.reading.held_out import HeldOutQuestions
from firth.neural.models.reading.predict import ReadingModel
from firth.neural.models.tagging.predict import TaggerModel
from firth.neural.models.tokens.embedder import TokenEmbedder
from firth.neural.models.tokens.embedders import embedders_digest, embedders_of
from firth.neural.models.tokens.features import cached_features
from firth.neural.models.tokens.options import TokenOptions, with_vectors
from firth.neural.models.tokens.reader import FIRST, TokenReader
from firth.neural.supervised import SupervisedTask, digest, mean_loss
from firth.neural.training.devices import new_module
from firth.neural.training.loop import fit_model
from firth.neural.training.options import RunArguments, RunConfig, TrainingOptions
from firth.neural.training.row_updates import sparse_gradients
from firth.options import option, options_class
from firth.text.running_text import sentences_and_tokens
from firth.timing import running_clock
from firth.vectors.word_vectors import WordVectors


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
    """Options of a reader: what all kinds have."""

    training: ClassVar[TrainingOptions]

    no_answer: bool = option(False, "questions may have no answer, as in SQuAD 2.0")
    max_answer_length: int = option(15, "tokens of an answer at most", minimum=1)
    window: int = option(400, "tokens of a paragraph that are read together; longer ones are read in parts", minimum=2)
    word_dropout: float = option(
        0.0, "word dropout: a word of count n is read as unknown with probability a / (a + n); this is a", minimum=0
    )

    @abc.abstractmethod
    def build(self, reader: PassageReader, vectors: WordVectors | None = None) -> ReadingModule:
        """Return a module with random parameters from torch's default generator."""


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
        UserWarning: questions are left out, for they have no answer; or a limit in minutes is too short for evaluations
            on all held-out questions, which then read a sample of them.

    Raises:
        CorpusError: there is no question, no question has an answer, or a question or a paragraph has no word.
        FormatError: a file is damaged, or an answer does not stand where its offset says; the message names it.
        ArgumentTypeError: the source is none of these.
        OptionError: an option is out of its range, or the checkpoint is of another run.
        DivergenceError: training diverged.
    """
    options = with_vectors(options, vectors)
    config = RunConfig.of(options.training, run)
    with running_clock():
        examples = questions_from(source)
        if held_out is None:
            examples, validation = split(examples, config.seed, answered=not options.no_answer)
        else:
            validation = questions_from(held_out, "held_out")
        # each paragraph once
        texts = dict.fromkeys(text for item in examples.questions for text in (item.paragraph, item.question))
        tokens = options.learn_reader(_sentences(texts), vectors, embedders=embedders_of(embed))
        reader = PassageReader(tokens, taggers_of(taggers))
        train, held = (read_all(part, reader, progress=config.progress) for part in (examples, validation))
        kept: dict[str, Any] = {"window": options.window, "no_answer": options.no_answer}
        pairs = training_pairs(train, examples.name, **kept)
        held_pairs = training_pairs(held, validation.name, **kept, held_out=True)
        module: ReadingModule = new_module(config.seed, options.build, reader, vectors, copies=2)
        batches = pair_batches(tokens, pairs, batch_size=config.training.batch_size, seed=config.seed)
        evaluation = HeldOutQuestions(module, options, tokens, held, held_pairs, config)
        task = SupervisedTask(
            module=module,
            batches=batches,
            loss=lambda batch, progress: mean_loss(module.losses(batch)),
            figures=evaluation.figures,
            unit="questions",
            eval_predictions=len(validation.questions),
        )
        data = {"examples": _digest([pairs, held_pairs], tokens, vectors), "questions": len(pairs)}
        passages = dict.fromkeys((*train.asked, *train.paragraphs, *held.asked, *held.paragraphs))
        forms = (passage.sentence.forms for passage in passages)
        with cached_features(module, forms, config.progress), sparse_gradients(module, config.training):
            facts = fit_model(task, options, config, data)
        facts |= {
            "questions": len(pairs),
            "held_out_questions": evaluation.count,
            "words": sum(len(passage) for passage in dict.fromkeys(train.paragraphs)),
        }
    return ReadingModel(module, options, reader, {"training": facts})


def taggers_of(taggers: Any) -> tuple[TaggerModel, ...]:
    """Return trained taggers as a tuple."""
    models = () if taggers is None else tuple(taggers) if isinstance(taggers, list | tuple) else (taggers,)
    for model in models:
        if not isinstance(model, TaggerModel):
            raise ArgumentTypeError(
                f"taggers: found {brief(model)}; expected a trained firth.Tagger, or a list of them"
            )
    return models


def _sentences(texts: Iterable[str]) -> Iterable[Sequence[str]]:
    for text in texts:
        yield [text[start:end] for start, end in itertools.chain.from_iterable(sentences_and_tokens(text))]


def _digest(parts: Iterable[Sequence[Pair]], tokens: TokenReader, vectors: WordVectors | None) -> str:
    """Return a digest of the data of a run."""
    passages = (
        ([("\n".join(text.sentence.forms), text.tags) for text in (pair.question, pair.paragraph)], str(pair.span))
        for pairs in parts
        for pair in pairs
    )
    return digest(passages, "\n".join([*tokens.words, *tokens.given]), vectors, embedders_digest(tokens.embedders))
