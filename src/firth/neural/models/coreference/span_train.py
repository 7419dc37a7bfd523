"""The method `train` of end-to-end coreference: read documents, create a module, run the training loop."""

import dataclasses
import hashlib
from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np

from firth.arguments import explained
from firth.documents.document import Document
from firth.neural.models.coreference.sources import has_singletons, split_documents
from firth.neural.models.coreference.span_data import document_batches, read_document
from firth.neural.models.coreference.span_model import SpanCoreferenceModel
from firth.neural.models.coreference.span_options import SpanOptions
from firth.neural.models.coreference.span_task import SpanTask
from firth.neural.models.tokens.options import with_vectors
from firth.neural.models.tokens.reader import TokenReader
from firth.neural.training.loop import fit_model
from firth.neural.training.options import RunArguments, RunConfig
from firth.neural.training.row_updates import sparse_gradients
from firth.timing import running_clock
from firth.vectors.word_vectors import WordVectors


@explained
def train_span_model(
    options: SpanOptions,
    documents: Any,
    *,
    held_out: Any = None,
    vectors: WordVectors | None = None,
    **run: Unpack[RunArguments],
) -> SpanCoreferenceModel:
    """Train an end-to-end model on documents with coreference chains; it finds mentions and their antecedents.

    Args:
        options: of the model.
        documents: documents, or files of them: CoNLL-U, JSONL, or the columns of CoNLL-2012 (a file, a folder, a tar
            archive).
        held_out: documents that select the best epoch, likewise. Without them a tenth of the training documents is held
            out; test data never select a model.
        vectors: word vectors that are kept, or to start from (`embedding`).
        **run: training options and circumstances of the run; see `RunConfig`.

    Returns:
        The model of the best evaluation on held-out documents: by the mean F1 of MUC, B-cubed and CEAF-e.

    Raises:
        CorpusError: the source is missing or holds no chain of two mentions.
        FormatError: a file is damaged; the message names the line.
        OptionError: an option is out of its range, or the checkpoint is of another run.
        DivergenceError: training diverged.
    """
    config = RunConfig.of(options.training, run)
    with running_clock():
        train, judged = split_documents(documents, held_out, config.seed)
        options = _settled(options, train, vectors)
        reader = options.learn_reader((sentence for document in train for sentence in document.sentences), vectors)
        return _trained(options, train, judged, reader, config, vectors)


def _trained(
    options: SpanOptions,
    train: Sequence[Document],
    judged: Sequence[Document],
    reader: TokenReader,
    config: RunConfig,
    vectors: WordVectors | None,
) -> SpanCoreferenceModel:
    width = options.max_width
    read, held_out = ([read_document(document, reader, width) for document in each] for each in (train, judged))
    module = options.build(reader, config.seed, vectors, copies=2)
    task = SpanTask(
        module,
        document_batches(read, reader, width, seed=config.seed),
        document_batches(held_out, reader, width, shuffle=False),
        [document.clusters for document in judged],
        mention_weight=options.mention_weight,
        singletons=bool(options.singletons),
    )
    data = {"documents": _digest([*train, *judged], reader, vectors)}
    with sparse_gradients(module, config.training):
        facts = fit_model(task, options, config, data)
    facts |= {
        "documents": len(read),
        "mentions": sum(each.mentions for each in read),
        "mentions_left_out": sum(each.mentions - len(each.chains) for each in read),
        "held_out_documents": len(held_out),
    }
    return SpanCoreferenceModel(module, options, reader, {"training": facts})


def _settled(options: SpanOptions, documents: Sequence[Document], vectors: WordVectors | None) -> SpanOptions:
    """Return the options with the width of given vectors, and with what the documents say of singletons."""
    options = with_vectors(options, vectors, needed=False)
    if options.singletons is not None:
        return options
    return dataclasses.replace(options, singletons=has_singletons(documents))


def _digest(documents: Sequence[Document], reader: TokenReader, vectors: WordVectors | None) -> str:
    """Return a digest of the data of a run."""
    digest = hashlib.blake2b(digest_size=16)
    for document in documents:
        digest.update(f"{document}\n{document.clusters}\n".encode("utf-8", "surrogatepass"))
    digest.update("\n".join([*reader.words, *reader.given]).encode("utf-8", "surrogatepass"))
    if vectors is not None:
        digest.update(np.ascontiguousarray(vectors.vectors).tobytes())
    return digest.hexdigest()
