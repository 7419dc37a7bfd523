"""The method `train` of coreference of given mentions: read documents, create a module, run the training loop."""

import dataclasses
import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Unpack

import numpy as np

from firth.arguments import explained
from firth.neural.models.coreference.cluster_module import ClusterModule
from firth.neural.models.coreference.cluster_task import ClusterTask
from firth.neural.models.coreference.coreference_model import CoreferenceModel
from firth.neural.models.coreference.options import CoreferenceOptions
from firth.neural.models.coreference.pair_data import PairItem, PairReader, pair_batches
from firth.neural.models.coreference.pair_module import PairModule
from firth.neural.models.coreference.pair_task import PairTask
from firth.neural.models.coreference.sources import has_singletons, split_documents
from firth.neural.models.tokens.options import with_vectors
from firth.neural.training.loop import fit_model
from firth.neural.training.options import RunArguments, RunConfig
from firth.neural.training.row_updates import sparse_gradients
from firth.storage.checkpoints import checkpoint_of
from firth.timing import running_clock
from firth.vectors.word_vectors import WordVectors


@explained
def train_coreference(
    options: CoreferenceOptions,
    documents: Any,
    *,
    held_out: Any = None,
    vectors: WordVectors | None = None,
    **run: Unpack[RunArguments],
) -> CoreferenceModel:
    """Train a model on documents with coreference chains.

    Args:
        options: of the model.
        documents: documents, or files of them: CoNLL-U, JSONL, or the columns of CoNLL-2012 (a file, a folder, a tar
            archive).
        held_out: documents that select the best epoch, likewise. Without them a tenth of the training documents is held
            out; test data never select a model.
        vectors: word vectors to start from.
        **run: training options and circumstances of the run; see `RunConfig`.

    Returns:
        The model of the best evaluation on held-out documents.

    Raises:
        CorpusError: the source is missing or holds no chain of two mentions.
        FormatError: a file is damaged; the message names the line.
        OptionError: an option is out of its range, or the checkpoint is of another run.
        DivergenceError: training diverged.
    """
    config = RunConfig.of(options.training, run)
    options = with_vectors(options, vectors, needed=False)
    with running_clock():
        train, judged = split_documents(documents, held_out, config.seed)
        if options.singletons is None:
            options = dataclasses.replace(options, singletons=has_singletons(train))
        tokens = options.learn_reader((sentence for document in train for sentence in document.sentences), vectors)
        reader = PairReader(tokens, options.nearest, options.matching)
        items, held = [reader.item(document) for document in train], [reader.item(document) for document in judged]
        digest = {"examples": _digest([*items, *held], vectors)}
        ranker = options.build_ranker(tokens, config.seed, vectors, copies=2)
        facts = _ranked(options, ranker, items, held, config, digest)
        module: PairModule | ClusterModule = ranker
        if options.objective == "clusters":
            module = options.build_clusters(ranker, config.seed)
            facts = {**_merged(options, module, items, held, config, digest), "ranking": facts}
        facts |= {
            "documents": len(items),
            "mentions": sum(len(item.inputs) for item in items),
            "held_out_documents": len(held),
        }
        return CoreferenceModel(module, options, reader, {"training": facts})


def _ranked(
    options: CoreferenceOptions,
    module: PairModule,
    items: Sequence[PairItem],
    held: Sequence[PairItem],
    config: RunConfig,
    digest: Mapping[str, str],
) -> dict[str, Any]:
    """Train a module that scores pairs, and return the facts of the training."""
    batches = pair_batches(items, batch_size=config.training.batch_size, seed=config.seed)
    task = PairTask(module, batches, options.losses(), held)
    with sparse_gradients(module, config.training):
        return fit_model(task, options, config, digest)


def _merged(
    options: CoreferenceOptions,
    module: ClusterModule,
    items: Sequence[PairItem],
    held: Sequence[PairItem],
    config: RunConfig,
    digest: Mapping[str, str],
) -> dict[str, Any]:
    """Train the merging of clusters, and return the facts of the training."""
    config = config.with_training(epochs=options.merging_epochs, lr=options.merging_lr)
    if whole := checkpoint_of(config.checkpoint):
        config = dataclasses.replace(config, checkpoint=whole.below("merging"))
    batches = pair_batches(items, batch_size=config.training.batch_size, seed=config.seed)
    return fit_model(ClusterTask(module, batches, held), options, config, digest)


def _digest(items: Sequence[PairItem], vectors: WordVectors | None) -> str:
    """Return a digest of the data of a run."""
    digest = hashlib.blake2b(digest_size=16)
    for item in items:
        for tensor in (item.inputs.words.words, item.inputs.spans, item.inputs.pairs, item.chains):
            digest.update(tensor.numpy().tobytes())
    if vectors is not None:
        digest.update(np.ascontiguousarray(vectors.vectors).tobytes())
    return digest.hexdigest()
