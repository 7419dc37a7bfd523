"""A training whose shards are on a cluster.

What: the text is encoded once, in a folder that all machines see; workers train replicas of the parameters on shards
of it, and merge them at fixed points (`firth.embeddings.replicas`). It is the training with `deterministic=True`, only
that merges are rarer, for each costs a request over the network, and their sums are weighted more carefully. The result
depends on the seed, the number of shards (four, or one per worker if there are more) and `merge_every`; not on the
number of workers up to four, on the machines or on their losses.

Source: Ji et al. 2016, "Parallelizing word2vec in shared and distributed memory"; Moritz et al. 2018, "Ray: a
distributed framework for emerging AI applications".

Cost: in a worker both matrices once, and once more for each of its shards; in the head three times.
"""

import dataclasses
import os
from pathlib import Path
from typing import Any, Unpack

from firth import options
from firth.arguments import explained
from firth.cluster.ray_crew import RayCrew, check_reachable, ray_session
from firth.cluster.remote import RemoteReplicas
from firth.cluster.worker import Job
from firth.corpus.options import TextArguments
from firth.embeddings.replicas import SHARDS
from firth.embeddings.trainer import CorpusTrainer, TrainingArguments, check_freeze, check_start
from firth.errors import OptionError, brief
from firth.options import option, options_class
from firth.progress import Progress
from firth.signals import finishing
from firth.storage.checkpoints import checkpoint_of, make_folder


@options_class
class Cluster:
    """Workers on one machine or several, which train together.

    Raises:
        OptionError: an option is out of its range.

    Source:
        Ji et al. 2016; the module docstring says what is different.
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

    @explained
    def train(
        self,
        model: CorpusTrainer[Any, Any],
        corpus: Any,
        *,
        seed: int = 0,
        start: Any = None,
        freeze: bool = False,
        progress: Progress = None,
        checkpoint: str | os.PathLike[str] | None = None,
        **text: Unpack[TextArguments],
    ) -> Any:
        """Train a model on the cluster.

        The text is encoded here, in a folder that all machines must share: FIRTH_CACHE or `cache=` names one. A worker
        that is lost is replaced, or the others take its shards; whatever it has trained since the last merge of all
        rows is trained again, so that the result is the same. If this process is lost, a later call with the same
        `checkpoint` goes on.

        Args:
            model: `firth.Word2Vec`, `FastText` or `StructuredWord2Vec`.
            corpus: an encoded corpus, or whatever `Corpus.build` takes.
            seed: random seed.
            start: vectors to continue from.
            freeze: keep every bit of the vectors of words that `start` has.
            progress: see `firth.progress`.
            checkpoint: folder for checkpoints.
            **text: options of `Corpus.build` for a text that is not encoded yet.

        Returns:
            What the model's `train` returns; `metadata["training"]["cluster"]` has the number of workers and merges,
            the megabytes of rows that travelled, and how many workers were lost.

        Raises:
            OptionError: the model has no such training, there are more workers than processors, or `freeze` is given
                without `start`.
            ClusterError: the cluster cannot be reached, or workers are lost again and again.
            MissingExtraError: Ray is not installed.
            CorpusError: the text cannot be read, or the corpus is not on a folder that all machines share.
        """
        if not isinstance(model, CorpusTrainer) or not model.any_threads:
            raise OptionError(
                f"model={brief(model)}: no training on a cluster; expected firth.Word2Vec(...), FastText(...) or "
                "StructuredWord2Vec(...), then the text"
            )
        if getattr(model, "tree", None) == "learned":
            raise OptionError("tree='learned': not on a cluster, for it takes two trainings; use tree='huffman'")
        check_start(start)
        check_freeze(freeze, start, type(model))
        check_reachable(self.address)
        arguments: TrainingArguments[Any] = TrainingArguments(
            seed=seed, threads=1, start=start, freeze=freeze, progress=progress, checkpoint=checkpoint,
            deterministic=True,
        )  # fmt: skip
        if (kept := checkpoint_of(checkpoint)) is not None:
            make_folder(Path(kept))
        prepared, data, arguments = model.prepare(corpus, text, arguments)
        with ray_session(self.address, self.workers) as (ray, workers):
            arguments = dataclasses.replace(arguments, parts=max(SHARDS, workers))
            sent = dataclasses.replace(arguments, progress=False, checkpoint=None)
            job = Job(prepared, data.path, data.fingerprint, sent, self.merge_every)
            crew = RayCrew(ray, job, workers)

            def run_here(run: Any) -> Any:
                replicas = RemoteReplicas(run, crew, self.merge_every)
                trained = run.train_with(replicas)
                trained.metadata["training"]["cluster"] = {
                    "workers": workers, "merges": replicas.merges, "lost": replicas.lost,
                    "megabytes": round(replicas.bytes / 1e6, 1),
                }  # fmt: skip
                return trained

            try:
                return prepared.train_on(data, dataclasses.replace(arguments, runner=run_here))
            finally:
                with finishing():
                    crew.close()
