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
from typing import Any, Unpack

from firth.arguments import explained
from firth.cluster.ray_crew import RayCrew
from firth.cluster.ray_workers import RayWorkers
from firth.cluster.remote import RemoteReplicas
from firth.cluster.worker import Job
from firth.corpus.options import TextArguments
from firth.embeddings.replicas import SHARDS
from firth.embeddings.trainer import CorpusTrainer, TrainingArguments, check_freeze, check_start
from firth.errors import OptionError
from firth.progress import Progress
from firth.signals import finishing
from firth.workers import lending


@dataclasses.dataclass(frozen=True)
class Replicated:
    """Training whose shards the workers of a cluster own."""

    workers: RayWorkers
    merge_every: int

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
        """Train a model in all workers; see `firth.Cluster.train`.

        Args:
            model: with `any_threads`.
            corpus: an encoded corpus, or whatever `Corpus.build` takes.
            start: vectors to continue from.
            freeze: keep every bit of the vectors of words that `start` has.
            progress: see `firth.progress`.
            **text: options of `Corpus.build` for a text that is not encoded yet.

        Raises:
            OptionError: the model has no such training, there are more workers than processors, or `freeze` is given
                without `start`.
        """
        if getattr(model, "tree", None) == "learned":
            raise OptionError("tree='learned': not on a cluster, for it takes two trainings; use tree='huffman'")
        check_start(start)
        check_freeze(freeze, start, type(model))
        arguments: TrainingArguments[Any] = TrainingArguments(
            seed=seed,
            threads=1,
            start=start,
            freeze=freeze,
            progress=progress,
            checkpoint=checkpoint,
            deterministic=True,
        )
        with lending(self.workers):
            prepared, data, arguments = model.prepare(corpus, text, arguments)
        ray, count = self.workers.session()
        arguments = dataclasses.replace(arguments, parts=max(SHARDS, count))
        sent = dataclasses.replace(arguments, progress=False, checkpoint=None)
        job = Job(prepared, data.path.absolute(), data.fingerprint, sent, self.merge_every)
        crew = RayCrew(ray, job, count)

        def run_here(run: Any) -> Any:
            replicas = RemoteReplicas(run, crew, self.merge_every)
            trained = run.train_with(replicas)
            trained.metadata["training"]["cluster"] = {
                "workers": count, "merges": replicas.merges, "lost": replicas.lost,
                "megabytes": round(replicas.bytes / 1e6, 1),
            }  # fmt: skip
            return trained

        try:
            return prepared.train_on(data, dataclasses.replace(arguments, runner=run_here))
        finally:
            with finishing():
                crew.close()
