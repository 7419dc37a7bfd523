"""A cluster: its workers help with counting and reading, and train together."""

import contextlib
import inspect
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Unpack

from firth import options
from firth.arguments import explained
from firth.cluster.ray_workers import RayWorkers
from firth.cluster.replicated import Replicated
from firth.corpus.encoded import Corpus
from firth.corpus.options import BuildArguments
from firth.embeddings.trainer import CorpusTrainer
from firth.errors import OptionError, UnknownOptionError, brief
from firth.hints import synonym
from firth.options import option, options_class
from firth.progress import Progress
from firth.storage.checkpoints import checkpoint_of, make_folder
from firth.workers import lending, lent

ADDRESS = re.compile(r"(ray://)?[^/\s-][^/\s]*:[0-9]{1,5}")  # address of a head


@options_class
class Cluster:
    """Workers on one machine or several, which read, count and train together.

    Source:
        Moritz et al. 2018, "Ray: a distributed framework for emerging AI applications"; `firth.cluster.replicated`.
    """

    workers: int | None = option(None, "number of workers; by default one per processor of the cluster", minimum=1)
    address: str = option(
        "local", "address of a Ray cluster, 'auto' for the one of this machine, 'local' to start one for the time being"
    )
    merge_every: int = option(
        4096, "words of each shard between two merges of the most frequent words, at most", minimum=64
    )

    def __post_init__(self) -> None:
        options.check(self)
        if self.address not in ("auto", "local") and not ADDRESS.fullmatch(self.address):
            raise OptionError(
                f"address={self.address!r}: expected 'auto' for the cluster of this machine, 'local' to start one "
                "here, or the host and port of its head, such as 'head.example:6379' (ray://host:port for a client)"
            )

    @contextlib.contextmanager
    def lend(self) -> Iterator[None]:
        """Let the workers help with what runs in this context.

        Inside it, `Corpus.build` lets workers read the files of a text, `Cooccurrence.count` and the models that count
        co-occurrences let them count the rows of some words each, n-gram models the n-grams that begin with some words,
        `firth.bootstrap` lets them train the runs, and neural models with as many `processes` as there are
        workers train there. Results have the same bits as without. A piece whose worker is lost is done again. Other
        trainings are not changed: `train` has those of word vectors.

        Raises:
            ClusterError: the cluster cannot be reached, or a piece of work is lost again and again.
            OptionError: it has fewer processors than requested workers.
            MissingExtraError: Ray is not installed.
        """
        with self._workers() as workers, lending(workers):
            yield

    @explained
    def build(
        self,
        source: Any,
        *,
        cache: str | os.PathLike[str] | None = None,
        column: str | int | None = None,
        progress: Progress = None,
        **options: Unpack[BuildArguments],
    ) -> Corpus:
        """Build a corpus whose files are read by the workers: `Corpus.build` inside `lend`.

        Args:
            source: files that all machines see; FIRTH_CACHE or `cache=` names a folder that they see, too. Any other
                source is read here.
            cache: folder of built corpora, which all machines see.
            column: the column with texts or lists of tokens of a table.
            **options: of `Corpus.build`.

        Returns:
            The corpus, with the same bits as when it is built here.

        Raises:
            ClusterError: the cluster cannot be reached, or workers are lost again and again.
            CorpusError: see `Corpus.build`; or a machine does not see the folder.
            OptionError: an option is unknown or out of its range.
            MissingExtraError: Ray is not installed.
        """
        with self.lend():
            return Corpus.build(source, cache=cache, column=column, progress=progress, **options)

    def train(self, model: Any, *data: Any, **arguments: Any) -> Any:
        """Train a model on the cluster.

        `firth.Word2Vec`, `FastText` and `StructuredWord2Vec` train in all workers, see `firth.cluster.replicated`. A
        worker that is lost is replaced, or the others take its shards; its training since the last merge of
        all rows is trained again, so that the result is the same. If this process is lost, a later call with the same
        `checkpoint` goes on.

        Models of counts (GloVe, PPMI and its kin, n-grams) count on the cluster and are computed here. Neural models
        train data parallel, each worker with a part of every batch; after a loss they go on from the checkpoint, or
        else from the beginning.

        A text is encoded, and checkpoints are written, in folders that all machines share: FIRTH_CACHE or `cache=`
        names the first.

        Args:
            model: the model.
            *data: the data for its `train`: an encoded corpus, or whatever `Corpus.build` takes.
            **arguments: of its `train`: `seed`, `start`, `freeze`, `progress`, `checkpoint`, options of `Corpus.build`.

        Returns:
            What the model's `train` returns. For the first three, `metadata["training"]["cluster"]` has the number of
            workers and merges, the megabytes of rows that travelled, and how many workers were lost.

        Raises:
            OptionError: the model has no such training, or there are more workers than processors.
            ClusterError: the cluster cannot be reached, or workers are lost again and again.
            MissingExtraError: Ray is not installed.
            CorpusError: the text cannot be read, or the corpus is not on a folder that all machines share.
        """
        mode = None if isinstance(model, type) else how_on_cluster(model)
        if mode is None:
            raise OptionError(
                f"model={brief(model)}: no training on a cluster; expected firth.Word2Vec(...), FastText(...) or "
                "StructuredWord2Vec(...), a model of counts (GloVe, AssociationVectors, NgramLM), or a neural model; "
                "then the text"
            )
        _check_arguments(model, mode, arguments)
        with self._workers() as workers:
            if (folder := checkpoint_of(arguments.get("checkpoint"))) is not None:
                make_folder(Path(folder))
            if mode == "replicas":
                return Replicated(workers, self.merge_every).train(model, *data, **arguments)
            if mode == "processes":
                training = arguments.get("training") or model.training
                if training.processes not in (1, count := workers.count):
                    raise OptionError(
                        f"processes={training.processes} on a cluster with workers={count}: expected 1, or as many; "
                        "each worker is one process"
                    )
                arguments["training"] = replace(training, processes=count)
            with lending(workers):
                return model.train(*data, **arguments)

    @contextlib.contextmanager
    def _workers(self) -> Iterator[RayWorkers]:
        """Hire workers, or use those that are lent."""
        hired = lent()
        if isinstance(hired, RayWorkers) and hired.serves(self.address, self.workers):
            yield hired
            return
        with RayWorkers(self.address, self.workers) as workers:
            yield workers


def _check_arguments(model: Any, mode: str, arguments: Mapping[str, Any]) -> None:
    """Answer to arguments that belong elsewhere."""
    own = ("workers", "address", "merge_every")
    takes = inspect.signature(model.train).parameters.keys() - {"threads" if mode != "counts" else "", "deterministic"}
    for name, value in arguments.items():
        if name not in takes and value is not None and (other := name if name in own else synonym(name, own)):
            shown = brief(value)
            raise UnknownOptionError(f"{name}={shown}: an option of Cluster: Cluster({other}={shown}).train(...)")
        if mode != "counts" and name == "deterministic":
            raise OptionError(f"deterministic={brief(value)}: on a cluster the seed decides every bit; leave it out")
        if mode == "replicas" and name in (field.name for field in fields(model)):
            raise OptionError(
                f"{name}={brief(value)}: an option of the model: firth.{type(model).__name__}({name}={brief(value)})"
            )


def how_on_cluster(model: Any) -> str | None:
    """Return how a model, or its class, trains on a cluster: "replicas", "counts", "processes" or not at all: None."""
    kind = model if isinstance(model, type) else type(model)
    if issubclass(kind, CorpusTrainer) and kind.any_threads:
        return "replicas"
    if getattr(model, "counts_in_pieces", False):
        return "counts"
    return "processes" if hasattr(getattr(model, "training", None), "processes") else None
