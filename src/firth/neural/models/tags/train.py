"""The method `train` of taggers: read the sentences, create a module, run the training loop."""

import dataclasses
import hashlib
from collections.abc import Iterable, Sequence
from typing import Any, Unpack

import numpy as np

from firth.arguments import explained
from firth.errors import CorpusError
from firth.neural.models.tags.data import encoded, tag_batches
from firth.neural.models.tags.examples import Reading, TaggedExamples, default_target, listed, read_tagged
from firth.neural.models.tags.module import TaggerModule
from firth.neural.models.tags.options import TaggerOptions
from firth.neural.models.tags.tag_set import Ids, TagSet, check_notation, check_tags, learn_tag_set
from firth.neural.models.tags.tagger_model import TaggerModel
from firth.neural.models.tags.task import TagTask
from firth.neural.models.tokens.embedders import ContextualEmbedder, embedders_digest, embedders_of
from firth.neural.models.tokens.features import cached_features
from firth.neural.models.tokens.options import with_vectors
from firth.neural.models.tokens.reader import ReadSentence, TokenReader
from firth.neural.training.devices import new_parameters
from firth.neural.training.held_out import split_rows
from firth.neural.training.loop import fit_model
from firth.neural.training.options import RunArguments, RunConfig
from firth.neural.training.row_updates import sparse_gradients
from firth.storage.skipping import SKIP
from firth.timing import running_clock
from firth.vectors.word_vectors import WordVectors

EVAL_BATCH = 100  # sentences per batch of an evaluation


@explained
def train_tagger(
    options: TaggerOptions,
    source: Any,
    *,
    held_out: Any = None,
    vectors: WordVectors | None = None,
    embed: Any = None,
    on_error: str = SKIP,
    word_column: int | str | None = None,
    **run: Unpack[RunArguments],
) -> TaggerModel:
    """Train a tagger on sentences with tags.

    Args:
        options: of the tagger.
        source: a path or several: CoNLL-U if named .conllu, documents if named .jsonl, else columns with a word per
            line and an empty line between sentences. Or a list of `firth.readers.conllu.DependencySentence`, of
            `firth.Document`, of tuples (words, tags), or of lists of (word, tag); the tags of several targets are a
            dict.
        held_out: sentences that select the best epoch, in any form of `source`. Without them a tenth of the training
            sentences is held out; test data never select a model.
        vectors: word vectors to start from, or to keep (`embedding`).
        embed: vectors of words in context, beside those of the tagger's own: `firth.ELMo(model)`, `firth.TagLM(model)`,
            `firth.CoVe(translator)`, several in a list, or a trained encoder or its folder.
        on_error: "skip" damaged sentences and documents of files, count and list them; or "stop" at the first. Heads
            of CoNLL-U do not matter.
        word_column: number, from 1, or name of the column of words in files of columns. None is the first, or the
            second where the first one counts words.
        **run: training options and circumstances of the run; see `RunConfig`.

    Returns:
        The tagger of the best evaluation on held-out sentences: by F1 where tags mark spans, else by accuracy.

    Warns:
        UserWarning: tags of spans break the rules of their scheme, damaged sentences were skipped, or sentences of
            CoNLL-U are left out, for their words have no tags.

    Raises:
        CorpusError: the source is missing or holds no sentence, a target has one tag only, or `held_out` has others.
        FormatError: a file is damaged; the message names the line.
        OptionError: an option is out of its range, the data have no such target, or the checkpoint is of another run.
        DivergenceError: training diverged.
    """
    options = with_vectors(options, vectors)
    config, reading = RunConfig.of(options.training, run), Reading(on_error, word_column)
    with running_clock():
        source = listed(source)
        options = dataclasses.replace(options, targets=options.target_names or default_target(source))
        examples = read_tagged(source, options.target_names, reading)
        if held_out is None:
            rows = split_rows(len(examples), config.seed, f"{examples.name}: {len(examples)} sentence")
            examples, judged = (examples.rows(some) for some in rows)
        else:
            judged = read_tagged(held_out, options.target_names, reading)
        return _trained(options, examples, judged, config, vectors, embedders_of(embed))


def _trained(
    options: TaggerOptions,
    examples: TaggedExamples,
    judged: TaggedExamples,
    config: RunConfig,
    vectors: WordVectors | None,
    embedders: tuple[ContextualEmbedder, ...],
) -> TaggerModel:
    sets = [_tag_set(options, target, tags, examples.name) for target, tags in examples.tags.items()]
    notations = {target: check_notation(tags, target, examples.name) for target, tags in examples.tags.items()}
    for target, known in zip(examples.tags, sets, strict=True):
        check_tags(known, judged.tags[target], target, judged.name, held_out=True)
    reader = options.learn_reader(examples.sentences, vectors, columns=options.read_columns, embedders=embedders)
    train, held_out = ([reader.read(sentence) for sentence in each.sentences] for each in (examples, judged))
    tags, held_out_tags = encoded(examples, sets), encoded(judged, sets)
    module = new_module(options, reader, sets, config.seed, vectors, copies=2)
    task = TagTask(
        module,
        tag_batches(reader, train, tags, batch_size=config.training.batch_size, seed=config.seed),
        tag_batches(reader, held_out, held_out_tags, batch_size=EVAL_BATCH, shuffle=False),
        gold=[
            [known.normal(each) for each in column] for known, column in zip(sets, judged.tags.values(), strict=True)
        ],
        sets=sets,
    )
    data = {"examples": _digest([(train, tags), (held_out, held_out_tags)], reader, vectors), "sentences": len(train)}
    sentences = (each.forms for each in (*train, *held_out))
    with cached_features(module, sentences, config.progress), sparse_gradients(module, config.training):
        facts = fit_model(task, options, config, data)
    facts |= {
        "held_out_sentences": len(held_out),
        "words": sum(map(len, train)),
        "broken_spans": sum(known.broken for known in sets),
        "notations": {target: notation for target, notation in notations.items() if notation},
    }
    return TaggerModel(module, options, reader, sets, {"training": facts})


def new_module(
    options: TaggerOptions,
    reader: TokenReader,
    sets: Sequence[TagSet],
    seed: int,
    vectors: WordVectors | None = None,
    *,
    copies: int = 1,
) -> TaggerModule:
    """Return a module with random parameters; torch's own random state is kept.

    Args:
        options: of the tagger.
        reader: with its vocabulary.
        sets: the tags of each target.
        seed: of the parameters.
        vectors: given vectors.
        copies: numbers in memory per parameter: 1, or 2 in training.

    Raises:
        OptionError: the model needs more memory than this machine has, or no word has a vector.
    """
    with new_parameters(seed, copies):
        return options.build(reader, sets, vectors)


def _tag_set(options: TaggerOptions, target: str, tags: Sequence[Sequence[str]], name: str) -> TagSet:
    """Return the tags of a target.

    Raises:
        CorpusError: there is one only.
    """
    known = learn_tag_set(tags, options.scheme)
    if len(known) < 2:
        raise CorpusError(
            f"{name}: all words have the tag {known.names[0]!r} of the target {target!r}; expected two tags or more"
        )
    return known


def _digest(
    parts: Iterable[tuple[Sequence[ReadSentence], Sequence[tuple[Ids, ...]]]],
    reader: TokenReader,
    vectors: WordVectors | None,
) -> str:
    """Return a digest of the data of a run."""
    digest = hashlib.blake2b(digest_size=16)
    for sentences, tags in parts:
        for sentence, numbers in zip(sentences, tags, strict=True):
            digest.update("\n".join(sentence.forms).encode("utf-8", "surrogatepass"))
            for column in (*sentence.columns, *numbers):
                digest.update(column.tobytes())
    digest.update("\n".join([*reader.words, *reader.given]).encode("utf-8", "surrogatepass"))
    if vectors is not None:
        digest.update(np.ascontiguousarray(vectors.vectors).tobytes())
    digest.update(embedders_digest(reader.embedders))
    return digest.hexdigest()
