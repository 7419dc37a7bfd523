"""The method `train` of readers: read the questions, create a module, run the training loop."""

import hashlib
import itertools
from collections.abc import Iterable, Sequence
from typing import Any, Unpack

import numpy as np

from firth.arguments import explained
from firth.errors import KindError, brief
from firth.neural.models.reading.data import Pair, pair_batches
from firth.neural.models.reading.examples import divided, questions_from, read_all, training_pairs
from firth.neural.models.reading.module import ReadingModule
from firth.neural.models.reading.options import ReadingOptions
from firth.neural.models.reading.passages import PassageReader
from firth.neural.models.reading.reading_model import ReadingModel
from firth.neural.models.reading.task import ReadingTask
from firth.neural.models.tags.tagger_model import TaggerModel
from firth.neural.models.tokens.embedders import embedders_digest, embedders_of
from firth.neural.models.tokens.features import cached_features
from firth.neural.models.tokens.options import with_vectors
from firth.neural.models.tokens.reader import TokenReader
from firth.neural.training.devices import new_parameters
from firth.neural.training.loop import fit_model
from firth.neural.training.options import RunArguments, RunConfig
from firth.neural.training.row_updates import sparse_gradients
from firth.text.running_text import sentences_and_tokens
from firth.timing import running_clock
from firth.vectors.word_vectors import WordVectors


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
    """Return a module with random parameters; torch's own random state is kept.

    Args:
        options: of the reader.
        reader: with its vocabulary.
        seed: of the parameters.
        vectors: given vectors.
        copies: numbers in memory per parameter: 1, or 2 in training.

    Raises:
        OptionError: the model needs more memory than this machine has, or no word has a vector.
    """
    with new_parameters(seed, copies):
        module: ReadingModule = options.build(reader.tokens, reader.tag_counts, vectors)
        return module


def _sentences(texts: Iterable[str]) -> Iterable[Sequence[str]]:
    for text in texts:
        places = itertools.chain.from_iterable(sentences_and_tokens(text))
        yield [text[start:end] for start, end in places]


def _digest(parts: Iterable[Sequence[Pair]], tokens: TokenReader, vectors: WordVectors | None) -> str:
    """Return a digest of the data of a run."""
    digest = hashlib.blake2b(digest_size=16)
    for pairs in parts:
        for pair in pairs:
            for passage in (pair.question, pair.paragraph):
                digest.update("\n".join(passage.sentence.forms).encode("utf-8", "surrogatepass"))
                for column in passage.tags:
                    digest.update(column.tobytes())
            digest.update(str(pair.span).encode())
    digest.update("\n".join([*tokens.words, *tokens.given]).encode("utf-8", "surrogatepass"))
    if vectors is not None:
        digest.update(np.ascontiguousarray(vectors.vectors).tobytes())
    digest.update(embedders_digest(tokens.embedders))
    return digest.hexdigest()
