"""The small text that cases share, its corpora, and vectors trained on it."""

import contextlib
import functools
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import firth

ENGLISH = Path(__file__).resolve().parents[1] / "golden" / "english" / "text.txt"
LINES = ENGLISH.read_text(encoding="utf-8").splitlines()[:400]
HELD_OUT = ENGLISH.read_text(encoding="utf-8").splitlines()[400:440]
HOW: dict[str, Any] = {"seed": 1, "threads": 1, "progress": False}


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    """A temporary folder."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


@functools.cache
def _cache() -> Any:
    return tempfile.TemporaryDirectory()


def build(source: Any = None, **options: Any) -> Any:
    """The corpus of the text, with some options."""
    source = LINES if source is None else source
    return firth.Corpus.build(source, cache=_cache().name, progress=False, **{"min_count": 2, **options})


@functools.cache
def corpus() -> Any:
    """The corpus of the text."""
    return build()


@functools.cache
def counts() -> Any:
    """Co-occurrences of the text."""
    return firth.Cooccurrence(window=4).count(corpus(), threads=1, cache=_cache().name, progress=False)


@functools.cache
def vectors(seed: int = 1) -> Any:
    """Skip-gram vectors of the text's words."""
    model = firth.Word2Vec(dim=8, epochs=4, sample=0)
    return model.train(corpus(), seed=seed, threads=1, progress=False)


@functools.cache
def subwords() -> Any:
    """FastText vectors of the text's words."""
    return firth.FastText(dim=8, epochs=2, sample=0, buckets=200).train(corpus(), **HOW)


@functools.cache
def random_vectors(words: tuple[str, ...], dim: int = 8, seed: int = 0) -> Any:
    """Vectors of named words, drawn."""
    rows = np.random.default_rng(seed).normal(size=(len(words), dim)).astype(np.float32)
    return firth.WordVectors(list(words), rows, counts=list(range(1000 + len(words), 1000, -1)))


def of_vectors(trained: Any) -> dict[str, Any]:
    """What trained vectors hold: words, rows, output rows, counts, loss per epoch."""
    answer: dict[str, Any] = {"words": list(trained.words), "vectors": np.asarray(trained.vectors)}
    for name in ("output_vectors", "counts"):
        value = getattr(trained, name, None)
        if value is not None:
            answer[name] = np.asarray(value)
    for name, value in getattr(trained, "attributes", {}).items():
        answer[f"attribute {name}"] = np.asarray(value)
    answer["loss"] = trained.metadata.get("training", {}).get("loss")
    return answer


def of_senses(trained: Any) -> dict[str, Any]:
    """What vectors of senses hold, and what they answer."""
    words = list(trained.words)
    polysemous = [word for word in words if len(trained.senses(word)) > 1][:5] or words[:3]
    answer: dict[str, Any] = {
        "words": words,
        "vectors": np.asarray(trained.vectors),
        "priors": np.asarray(trained.priors),
        "offsets": np.asarray(trained.offsets),
        "labels": trained.labels,
        "senses": [[(each.number, each.label, each.prior) for each in trained.senses(word)] for word in polysemous],
        "neighbours": [trained.sense_neighbours(word, 0, topn=5) for word in polysemous],
        "single": np.asarray(trained.single().vectors),
        "apart": list(trained.apart().words),
        "similarity": trained.similarity(polysemous[0], polysemous[-1]),
    }
    if trained.reader is not None:
        answer["read"] = [np.asarray(trained.disambiguate(word, [words[:4], words[5:9], []])) for word in polysemous]
    return answer


def small_wordnet(path: Path) -> None:
    """A folder of WordNet's YAML, with words of the text as nouns in two levels of groups."""
    words = [word for word in corpus().vocabulary.words if word.isascii() and word.isalpha()][:60]
    path.mkdir()
    entries, synsets = [], ["00000001-n:\n  definition:\n  - everything\n"]
    synsets += [f"0000010{i}-n:\n  definition:\n  - a group\n  hypernym:\n  - 00000001-n\n" for i in range(6)]
    for i, word in enumerate(words):
        second = f"    - id: '{word}%1:00:01::'\n      synset: 0002{i:04d}-n\n" if i % 3 == 0 else ""
        entries.append(
            f"'{word}':\n  n:\n    sense:\n    - id: '{word}%1:00:00::'\n      synset: 0001{i:04d}-n\n{second}"
        )
        synsets.append(
            f"0001{i:04d}-n:\n  definition:\n  - a thing\n  hypernym:\n  - 0000010{i % 6}-n\n"
            f"  members:\n  - {word}\n  - {words[(i + 7) % len(words)]}\n"
        )
        if second:
            synsets.append(
                f"0002{i:04d}-n:\n  definition:\n  - another\n  hypernym:\n  - 0000010{(i + 1) % 6}-n\n"
                f"  members:\n  - {word}\n  - {words[(i + 11) % len(words)]}\n"
            )
    (path / "entries-a.yaml").write_text("".join(entries), encoding="utf-8")
    (path / "noun.thing.yaml").write_text("".join(synsets), encoding="utf-8")
