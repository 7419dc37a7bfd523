"""`firth warm-up`: use every kernel once, so that none is compiled while somebody waits for an answer.

Numba keeps what it compiles on disk. What is used here is a text of a few words, and models of a few numbers.
"""

import contextlib
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

import firth
from firth import postprocess
from firth.cli.arguments import AsJson, Quiet
from firth.cli.output import show
from firth.comparison.models import vector_models
from firth.errors import MissingExtraError
from firth.progress import Status, reporting

SENTENCE = "the small word stands near another word and a long word stands apart"
LABELS = ["DET", "ADJ", "NOUN", "VERB", "ADP"]
TREE = "\n".join(
    f"{i}\t{word}\t{word}\t{LABELS[i % 5]}\t_\t_\t{head}\t{'root' if head == 0 else 'dep'}\t_\t_"
    for i, (word, head) in enumerate(zip(SENTENCE.split(), [3, 3, 4, 0, 4, 7, 5, 4, 11, 11, 12, 4, 12], strict=True), 1)
)
TREEBANK = f"# text = {SENTENCE}\n{TREE}\n\n" * 12
SMALL: dict[str, Any] = {"dim": 4, "epochs": 1}
QUIET: dict[str, Any] = {"progress": False, "threads": 1}
STAGE = "compiling kernels"


def warm_up(quiet: Quiet = False, json: AsJson = False) -> None:
    """Compile all kernels now, so that the first use of no model waits for the compiler.

    This takes minutes once; what is compiled stays on disk until firth, Numba or the processor changes. Where PyTorch
    is not installed, the kernels of neural models are left out.
    """
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="firth-", ignore_cleanup_errors=True) as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a text that teaches nothing
        with reporting(not quiet) as report:
            report(Status(stage=STAGE))
            steps = dict(_steps(Path(folder)))
            for i, use in enumerate(steps.values()):
                report(Status(stage=STAGE, done=i, total=len(steps), unit="steps", seconds=time.monotonic() - began))
                with contextlib.suppress(MissingExtraError):
                    use()
    seconds = time.monotonic() - began
    show(json, {"seconds": round(seconds, 1)}, f"All kernels are compiled ({seconds:.0f} s).")


def _steps(folder: Path) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield what is used, by name."""
    texts = [SENTENCE] * 24
    corpus = firth.Corpus.build(texts, min_count=1, cache=folder, progress=False)
    for name, model in vector_models().items():
        names = {field.name for field in fields(model.kind)} - set(model.preset)
        options = {key: value for key, value in SMALL.items() if key in names} | dict(model.preset)
        yield name, partial(model.kind(**options).train, corpus, **QUIET)
    vectors = firth.Word2Vec(**SMALL).train(corpus, deterministic=True, **QUIET)
    labelled = [(text, label) for text in texts for label in ("a", "b")]
    yield "runs", lambda: firth.bootstrap(firth.Word2Vec(**SMALL), corpus, runs=2, progress=False)
    yield "phrases", lambda: firth.Phrases().learn(corpus, progress=False)
    for kind in ("dm", "dbow"):
        yield f"documents, {kind}", partial(_infer_documents, kind, corpus, texts)
    yield "n-grams", lambda: _count_ngrams(texts, folder / "ngrams.firth")
    yield "classifier", lambda: firth.TextClassifier(**SMALL).train(labelled, **QUIET).predict(SENTENCE)
    yield "averages", lambda: firth.SentenceAverages(vectors).encode(texts)
    yield "index", lambda: vectors.index("lsh").query("small")
    yield "subwords", lambda: firth.Subwords.train(texts, size=260, kind="unigram").encode(SENTENCE)
    yield "atoms", lambda: firth.DiscourseAtoms(atoms=3).fit(vectors, progress=False)
    yield "alignment", lambda: firth.SelfLearning().align(vectors, vectors, progress=False)
    yield "counter-fitting", lambda: postprocess.counter_fit(vectors, [("small", "long")])
    yield "machine", lambda: firth.RBM(hidden=2, epochs=1).train([[0, 1], [1, 0]], progress=False).sample(1, steps=1)
    treebank = folder / "treebank.conllu"
    treebank.write_text(TREEBANK, "utf-8")
    yield "tokeniser", lambda: firth.LearnedTokeniser().train(treebank).document(SENTENCE)
    for name in ("Tagger", "BiaffineParser", "TransitionParser"):
        yield name, partial(_train_neural, name, treebank)


def _train_neural(name: str, treebank: Path) -> None:
    training = firth.TrainingOptions(epochs=1, batch_size=4)
    getattr(firth, name)().train(treebank, held_out=treebank, training=training, **QUIET)


def _infer_documents(architecture: str, corpus: firth.Corpus, texts: list[str]) -> None:
    firth.ParagraphVectors(architecture=architecture, **SMALL).train(corpus, **QUIET).infer(texts)


def _count_ngrams(texts: list[str], path: Path) -> None:
    model = firth.NgramLM(order=2, discount_fallback=True).train(texts, progress=False)
    model.perplexity(texts)
    model.next_words("small")
    model.save(path)
    firth.load(path)
