"""Formats beside those of the fuzzer's table."""

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import firth
from tests.fuzz.outcomes import Reader
from tests.hashes import language, neural, seeds


def load(path: Path) -> Any:
    """Open whatever it is."""
    from firth.language.files import load_language_model

    return load_language_model(path)


def of_language_model(path: Path) -> Any:
    """What a model answers."""
    return language.of_model(load(path))


def model(name: str, make: Callable[[], Any]) -> Reader:
    """The folder of a language model that was trained."""
    return Reader(name=f"trained-{name}", make=lambda path: make().save(path), use=of_language_model)


def vectors(name: str, make: Callable[[], Any]) -> Reader:
    """The folder of vectors, with all that is kept with them."""
    return Reader(
        name=f"trained-{name}",
        make=lambda path: make().save(path),
        use=lambda path: list(seeds.of_vectors(firth.load(path)).values()),
    )


def senses(name: str, make: Callable[[], Any]) -> Reader:
    """The folder of vectors of senses."""
    return Reader(
        name=f"trained-{name}",
        make=lambda path: make().save(path),
        use=lambda path: list(seeds.of_senses(firth.load(path)).values()),
    )


def train(trainer: Callable[[], Any]) -> Callable[[], Any]:
    """A trainer of vectors, run on the text."""
    return lambda: trainer().train(seeds.corpus(), **seeds.HOW)


class StoppedError(Exception):
    """Breaks a training off."""


def neural_checkpoint(name: str, make: Callable[[], Any], **training: Any) -> Reader:
    """The state of a neural training broken off after its first evaluation."""

    def begin(path: Path, progress: Any) -> Any:
        from firth.neural.training import checkpoints

        ratio, checkpoints.COST_RATIO = checkpoints.COST_RATIO, 0
        try:
            return neural.fit(make(), training, checkpoint=path, progress=progress)
        finally:
            checkpoints.COST_RATIO = ratio

    def write(path: Path) -> None:
        def stop(status: Any) -> None:
            if (path / "training.safetensors").exists():
                raise StoppedError

        with contextlib.suppress(StoppedError):
            begin(path, stop)

    return Reader(
        name=f"checkpoint-{name}", make=write, use=lambda path: list(neural.parameters(begin(path, False)).values())
    )


def embedding_checkpoint(name: str, make: Callable[[], Any]) -> Reader:
    """The state of a training of vectors broken off in its second epoch."""

    def stop(status: Any) -> None:
        if "epoch 2" in status.stage:
            raise StoppedError

    def write(path: Path) -> None:
        with contextlib.suppress(StoppedError):
            make().train(seeds.corpus(), seed=1, threads=1, checkpoint=path, progress=stop)

    def use(path: Path) -> Any:
        return np.asarray(make().train(seeds.corpus(), seed=1, threads=1, checkpoint=path, progress=False).vectors)

    return Reader(name=f"checkpoint-{name}-english", make=write, use=use)


def sentence_averages(path: Path) -> None:
    """Sentence vectors that learned from a text."""
    firth.SentenceAverages.learn(seeds.vectors(), seeds.LINES[:50]).save(path)


RECURRENT: dict[str, Any] = {"dim": 8, "hidden": 8, "layers": 2}
_READERS = (
    model("feedforward", lambda: neural.fit(firth.FeedForwardLM(order=3, dim=8, hidden=8, direct=True))),
    model(
        "log-bilinear",
        lambda: neural.fit(firth.LogBilinearLM(order=3, dim=8, context_matrices="diagonal", tie_weights=True)),
    ),
    model("log-bilinear-learned", lambda: neural.fit(firth.LogBilinearLM(dim=8, output="tree:tree=learned"))),
    model("log-bilinear-nce", lambda: neural.fit(firth.LogBilinearLM(dim=8, output="nce:samples=20:learn_z=true"))),
    model("rnn", lambda: neural.fit(firth.RecurrentLM(cell="rnn", dropout_kind="variational", **RECURRENT))),
    model("lstm-weights", lambda: neural.fit(firth.RecurrentLM(dropout_kind="weights", tie_weights=True, **RECURRENT))),
    model("gru-dense", lambda: neural.fit(firth.RecurrentLM(cell="gru", connection="dense", zoneout=0.1, **RECURRENT))),
    model("qrnn-highway", lambda: neural.fit(firth.RecurrentLM(cell="qrnn", connection="highway", **RECURRENT))),
    model("char-aware", lambda: neural.fit(firth.RecurrentLM(embedding="char-cnn", char_dim=5, **RECURRENT))),
    model("lstm-adaptive", lambda: neural.fit(firth.RecurrentLM(output="adaptive:cutoffs=20,60", **RECURRENT))),
    model("lstm-importance", lambda: neural.fit(firth.RecurrentLM(output="importance:samples=20", **RECURRENT))),
    *(
        model(
            f"transformer-{positions}",
            lambda positions=positions: neural.fit(
                firth.TransformerLM(
                    dim=8,
                    layers=2,
                    heads=2,
                    context=12,
                    ffn_dim=12,
                    positions=positions,
                    norm="post",
                    activation="relu",
                )
            ),
        )
        for positions in ("learned", "relative", "sinusoidal")
    ),
    model("ngrams-absolute", lambda: language.trained(smoothing="absolute", interpolated=False)),
    model("mixture-neural", lambda: firth.Mixture([neural.lstm(), _bigrams()], [0.6, 0.4])),
    neural_checkpoint("lstm", lambda: firth.RecurrentLM(dropout_kind="weights", **RECURRENT), schedule="cosine"),
    neural_checkpoint("transformer", lambda: firth.TransformerLM(dim=8, layers=1, heads=2, context=12), patience=2),
    neural_checkpoint(
        "sgd-vary-steps",
        lambda: firth.RecurrentLM(cell="gru", **RECURRENT),
        optimiser="sgd",
        vary_bptt=True,
        momentum=0.9,
        clip_norm=0.5,
    ),
    vectors(
        "cbow-hierarchical",
        train(lambda: firth.Word2Vec(dim=8, epochs=2, architecture="cbow", objective="hierarchical")),
    ),
    vectors(
        "skipgram-learned", train(lambda: firth.Word2Vec(dim=8, epochs=2, tree="learned", objective="hierarchical"))
    ),
    vectors("nce", train(lambda: firth.Word2Vec(dim=8, epochs=2, objective="nce"))),
    vectors("structured", train(lambda: firth.StructuredWord2Vec(dim=8, epochs=2))),
    vectors("cwindow", train(lambda: firth.StructuredWord2Vec(dim=8, epochs=2, architecture="cwindow"))),
    vectors("glove", lambda: firth.GloVe(dim=8, epochs=2).train(seeds.counts(), **seeds.HOW)),
    vectors("ppmi", train(lambda: firth.AssociationVectors(dim=8))),
    vectors(
        "fasttext-hierarchical", train(lambda: firth.FastText(dim=8, epochs=2, buckets=99, objective="hierarchical"))
    ),
    vectors("floret", train(lambda: firth.FastText(dim=8, epochs=2, buckets=99, hashing="floret"))),
    senses("multi-sense", train(lambda: firth.MultiSenseSkipGram(dim=8, epochs=2, sample=1e-3))),
    senses("multi-sense-growing", train(lambda: firth.MultiSenseSkipGram(dim=8, epochs=2, sample=1e-3, growing=True))),
    senses("adagram", train(lambda: firth.AdaGram(dim=8, epochs=2, sample=1e-3))),
    senses("sense-clusters", train(lambda: firth.SenseClusters(dim=8, epochs=2, min_contexts=20))),
    senses(
        "atoms",
        lambda: firth.DiscourseAtoms(atoms=20, sparsity=3, rounds=3).fit(seeds.vectors(), **seeds.HOW).sense_vectors(),
    ),
    embedding_checkpoint("cbow", lambda: firth.Word2Vec(dim=8, epochs=3, architecture="cbow")),
    embedding_checkpoint("hierarchical", lambda: firth.Word2Vec(dim=8, epochs=3, objective="hierarchical")),
    embedding_checkpoint("structured", lambda: firth.StructuredWord2Vec(dim=8, epochs=3)),
    embedding_checkpoint("glove", lambda: firth.GloVe(dim=8, epochs=3, window=3)),
    embedding_checkpoint("paragraph", lambda: firth.ParagraphVectors(dim=8, epochs=3)),
    embedding_checkpoint("multi-sense", lambda: firth.MultiSenseSkipGram(dim=8, epochs=3)),
    Reader(
        name="sentence-averages",
        make=sentence_averages,
        use=lambda path: np.asarray(firth.SentenceAverages.load(path).encode(seeds.HELD_OUT[:9])),
    ),
)


def _bigrams() -> Any:
    model_ = firth.NgramLM(order=2, discount_fallback=True)
    return model_.train(list(neural.TRAIN), threads=1, progress=False, min_count=2)


READERS: dict[str, Any] = {reader.name: reader for reader in _READERS}
