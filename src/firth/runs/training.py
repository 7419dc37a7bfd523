"""Train a model several times on documents drawn anew: `firth.bootstrap`.

What: a run draws documents with replacement, or takes the text as it is, and trains with a seed of its own and one
thread. As many runs as there are threads go on side by side and share nothing but the corpus, so the same seed gives
the same bits with any number of threads, and twice as many threads take half as long. Inside `firth.Cluster.lend` its
workers train the runs, with the same bits.

Source: Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapter 6; Antoniak and Mimno 2018, "Evaluating the
stability of embedding-based word similarities".

Departures: options that depend on the size of the text are chosen once, from the whole of it: a run on a sample that is
a little shorter is trained in the same way. The vocabulary and the order of its words stay those of the whole, too.

Cost: R trainings on one thread each; per thread the memory of one training, and a sample on disk.
"""

import dataclasses
import functools
import os
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from firth.arguments import explained
from firth.corpus.as_corpus import as_corpus, opened_by_worker
from firth.corpus.encoded import Corpus
from firth.corpus.options import TextArguments
from firth.corpus.size_defaults import chosen_options, log_advice, log_choice
from firth.embeddings.trainer import result_type
from firth.errors import OptionError, brief, warn_caller
from firth.kernels.threads import usable_threads
from firth.options import check_whole, wrong_kind
from firth.progress import Progress, check_progress
from firth.randomness import check_seed, generator
from firth.runs import files
from firth.runs.files import Head
from firth.runs.pool import Meter, on_workers, side_by_side
from firth.runs.run import Run
from firth.runs.runs import Runs
from firth.runs.samples import DOCUMENTS, RESAMPLES, check_units, sampled, units_of
from firth.training_facts import text_facts
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors
from firth.workers import lent


@explained
def bootstrap(
    model: Any,
    corpus: Corpus | Any,
    *,
    runs: int = 20,
    resample: str = "documents",
    seed: int = 0,
    threads: int | None = None,
    progress: Progress = None,
    checkpoint: str | os.PathLike[str] | None = None,
    **text: Unpack[TextArguments],
) -> Runs:
    """Train a model several times, each time on documents drawn with replacement.

    A document is a file of several, a text of several, or a row of a table. Of a single file each sentence, by default
    each line, is taken for one.

    Args:
        model: the options of any model that learns word vectors, such as `firth.Word2Vec(dim=100)`. Of fastText's, the
            vectors of the vocabulary are kept, and not those of its n-grams.
        corpus: an encoded corpus, or whatever `Corpus.build` takes. It is encoded once.
        runs: number of runs. With 20, a 95 % interval reaches from the least to the greatest figure; 40 tell more.
        resample: "documents", or "none" to vary the seed of the training alone.
        seed: random seed of all runs; run 7 is the same among 10 and among 40.
        threads: runs at one time, each with one thread; None is one per processor. Inside `firth.Cluster.lend`
            its workers train them instead, each run in one process.
        checkpoint: folder that each run is saved in when it is finished. A later call with the same corpus, options and
            seed goes on, also with more runs. Its runs are mapped, and take no memory. None keeps them in memory.
        **text: options of `Corpus.build` for a text that is not encoded yet, such as min_count=2, column="body".

    Returns:
        The runs. After Ctrl-C those that are finished.

    Raises:
        OptionError: the model learns something else than word vectors, an argument is out of its range, the corpus is a
            single document, or the folder holds something else.
        CorpusError: the text cannot be read, or has no words.
        KeyboardInterrupt: no run was finished.

    Warns:
        UserWarning: there are few documents, or some runs are missing because of Ctrl-C.
    """
    plan = Plan.make(model, corpus, runs, resample, seed, threads, progress, text)
    folder = None if checkpoint is None else Path(checkpoint)
    finished = _kept(plan, folder)
    missing = [number for number in range(1, runs + 1) if number not in finished]
    meter = Meter(runs, len(finished))

    def keep(number: int, run: Run) -> None:
        if folder is not None:
            files.write_run(folder, run, plan.head)
            run = dataclasses.replace(run, matrix=run.matrix.part(slice(0)))  # read from the folder in the end
        finished[number] = run

    if (workers := lent()) is None:
        side_by_side(missing, functools.partial(_one, plan), keep, meter, usable_threads(threads), progress)
    else:
        on_workers(workers, missing, _one_in_worker, plan.sent(), keep, meter, progress)
    if not finished:
        raise KeyboardInterrupt
    stopped = len(finished) < runs
    if stopped:
        again = "train again" if folder is None else "the same call goes on"
        warn_caller(f"interrupted: {len(finished)} of {runs} runs are finished and kept; {again} for the others")
    if folder is not None:
        finished = {run.number: run for run in files.read_runs(folder, plan.head)}
    return Runs(plan.head, [finished[number] for number in sorted(finished)], {"interrupted": True} if stopped else {})


@dataclass(frozen=True)
class Plan:
    """What a run needs to know.

    Attributes:
        model: the options, none of which is left to the size of the text.
        corpus: None where a plan travels to another process.
        head: the words, and how the runs are trained.
    """

    model: Any
    corpus: Corpus | None
    resample: str
    seed: int
    head: Head

    @classmethod
    def make(
        cls,
        model: Any,
        corpus: Any,
        runs: int,
        resample: str,
        seed: int,
        threads: int | None,
        progress: Progress,
        text: Mapping[str, Any],
    ) -> "Plan":
        """Check the arguments and read the text.

        Raises:
            OptionError: `resample` is unknown.
        """
        check_model(model)
        check_whole("runs", runs, 2)
        check_seed(seed)
        check_progress(progress)
        if resample not in RESAMPLES:
            raise OptionError(f"resample={brief(resample)}: expected {' or '.join(map(repr, RESAMPLES))}")
        defaults = getattr(type(model), "corpus_options", None)
        corpus = as_corpus(corpus, text, defaults=defaults, threads=usable_threads(threads), progress=progress)
        if resample == DOCUMENTS:
            check_units(corpus, runs)
        log_advice(model, corpus.num_tokens)
        if chosen := chosen_options(model, corpus.num_tokens):
            log_choice(chosen, corpus.num_tokens)
            model = dataclasses.replace(model, **chosen)
        units = units_of(corpus)
        facts = {
            "runs": runs,
            "resample": resample,
            "documents": len(units),
            **({} if corpus.documents is not None else {"document": "sentence"}),
            "division": f"{zlib.crc32(np.ascontiguousarray(units.borders).data):08x}",
            "seed": seed,
            "model": type(model).__name__,
            "options": {name: _plain(value) for name, value in dataclasses.asdict(model).items()},
            **text_facts(corpus),
            "min_count": corpus.options.min_count,
            "corpus": corpus.fingerprint,
        }
        return cls(model, corpus, resample, seed, Head(list(corpus.vocabulary.words), corpus.vocabulary.counts, facts))

    def sent(self) -> "tuple[Plan, Path, str]":
        """Return what a worker needs: the plan, and the folder and fingerprint of the corpus, which it opens itself."""
        assert self.corpus is not None
        return dataclasses.replace(self, corpus=None), self.corpus.path.absolute(), self.corpus.fingerprint

    def run_seed(self, number: int) -> int:
        """Return the seed of a run, which does not depend on how many there are."""
        return int(generator(self.seed, f"run {number}").integers(2**32))


def check_model(model: Any) -> None:
    """Check that a model learns word vectors.

    Raises:
        OptionError: it learns something else.
        ArgumentTypeError: it is no model.
    """
    if isinstance(model, type) or not hasattr(model, "train") or not dataclasses.is_dataclass(model):
        raise wrong_kind("model", model, "the options of a model, such as firth.Word2Vec(dim=100)")
    if result_type(type(model)) not in (WordVectors, SubwordVectors):
        learns = getattr(result_type(type(model)), "__name__", "something else")
        raise OptionError(
            f"{type(model).__name__} learns {learns}: expected a model that learns word vectors, such as "
            "firth.Word2Vec, GloVe, FastText or AssociationVectors"
        )


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, bool | int | float | str | list | tuple) else repr(value)


def _kept(plan: Plan, folder: Path | None) -> dict[int, Run]:
    """Return the runs that a folder holds already; make it ready for the others."""
    if folder is None:
        return {}
    before = files.read_head(folder)
    other = before is not None and before.identity != plan.head.identity
    if before is not None and other and files.holds_runs(folder):
        names = [
            name for name in {**before.facts, **plan.head.facts}
            if name != "runs" and before.facts.get(name) != plan.head.facts.get(name)
        ]  # fmt: skip
        raise OptionError(
            f"{folder} holds runs with another {' and another '.join(names) or 'vocabulary'}; expected those of this "
            "call: name another folder, or delete this one"
        )
    if before is None or other or before.asked < plan.head.asked:
        files.write_head(folder, plan.head, {})
    return {run.number: run for run in files.read_runs(folder, plan.head)}


def _one_in_worker(plan: Plan, path: Path, fingerprint: str, number: int, scratch: Path, meter: Meter) -> Run | None:
    """Train a run in a worker of a cluster, on a corpus in a folder that all machines see."""
    return _one(dataclasses.replace(plan, corpus=opened_by_worker(path, fingerprint)), number, scratch, meter)


def _one(plan: Plan, number: int, scratch: Path, meter: Meter) -> Run | None:
    """Train a run; None if it was asked to stop before its end."""
    assert plan.corpus is not None
    corpus = plan.corpus
    if plan.resample == DOCUMENTS:
        corpus = sampled(corpus, plan.run_seed(number), scratch)
    arguments: Any = {"seed": plan.run_seed(number), "threads": 1, "progress": meter.of(number)}
    vectors = plan.model.train(corpus, **arguments)
    if vectors.metadata.get("training", {}).get("interrupted"):
        return None
    words = vectors.known if isinstance(vectors, SubwordVectors) else vectors
    return Run.of(number, words, corpus.vocabulary)
