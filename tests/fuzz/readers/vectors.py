"""Vectors in every format, and indexes of them."""

import functools
import gzip
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import firth
from firth.errors import FormatError
from tests.fuzz.outcomes import Reader, near
from tests.fuzz.readers import seeds


def asked(vectors: Any) -> Any:
    """What vectors of words answer: their words, rows, neighbours, analogies, a gold set."""
    words = list(vectors.words)[:200]
    answer: list[Any] = [words, np.asarray(vectors.vectors[:500]), vectors.dim]
    if words and vectors.dim:
        nearest = vectors.most_similar(words[0], topn=3)
        answer += [[word for word, _ in nearest], near([score for _, score in nearest])]
        answer += [near(vectors.similarity(words[0], words[-1])), near(vectors[words[-1]])]
        if vectors.counts is not None:
            answer.append(np.asarray(vectors.counts)[:500])
        if len(words) > 3:
            answer.append([word for word, _ in vectors.analogy(words[0], words[1], words[2], n=2)])
    return answer


def asked_subwords(vectors: Any) -> Any:
    """What vectors with subwords answer besides: vectors of words never seen."""
    made = [near(vectors[word]) for word in ("w77", "unseen", "é")]
    return [asked(vectors) if len(vectors.words) else [], made]


def load(path: Path) -> Any:
    """Open, then ask."""
    return asked(firth.load(path))


def load_subwords(path: Path) -> Any:
    """Open, then ask."""
    return asked_subwords(firth.SubwordVectors.load(path))


def saved(format: str, **how: Any) -> Callable[[Path], None]:
    """Write the small vectors in a format."""
    return lambda path: seeds.vectors().save(path, format=format, **how)


def packed(make: Callable[[Path], None]) -> Callable[[Path], None]:
    """Write the same, packed."""

    def write(path: Path) -> None:
        make(path.with_suffix(""))
        path.write_bytes(gzip.compress(path.with_suffix("").read_bytes(), mtime=0))
        path.with_suffix("").unlink()

    return write


def with_tree(path: Path) -> None:
    """Vectors of hierarchical softmax, with their tree and output vectors."""
    model = firth.Word2Vec(dim=4, epochs=1, objective="hierarchical", sample=0)
    model.train(seeds.corpus(), seed=1, threads=1, progress=False).save(path)


def use_attributes(path: Path) -> Any:
    """Ask, and look at everything else that is kept with the vectors."""
    vectors = firth.load(path)
    more = {name: np.asarray(value) for name, value in vectors.attributes.items()}
    outputs = vectors.output_vectors
    return [asked(vectors), more, None if outputs is None else np.asarray(outputs)]


def with_counts(path: Path) -> None:
    """gensim's pair of files: vectors, and the counts beside them."""
    path.mkdir()
    seeds.vectors().save_word2vec_format(path / "vectors.txt", path / "counts.txt")


def use_counts(path: Path) -> Any:
    """Open as gensim does."""
    return asked(firth.WordVectors.load_word2vec_format(path / "vectors.txt", path / "counts.txt"))


def with_words(path: Path) -> None:
    """NumPy's matrix, and the words beside it."""
    path.mkdir()
    seeds.vectors().save(path / "vectors.npy")


def use_npy(path: Path) -> Any:
    """Open the matrix."""
    return load(path / "vectors.npy")


@functools.cache
def _indexed(kind: str) -> Any:
    options = {"lsh": {"tables": 2, "bits": 2}, "exact": {"csls": 2}, "hnsw": {}}[kind]
    return seeds.vectors().index(kind, **options)


def index(kind: str) -> Reader:
    """An index of the small vectors."""

    def use(path: Path) -> Any:
        found = firth.load_index(path, seeds.vectors())
        answers = found.query(["w0", "w1", "the"], k=5)
        one = found.query(np.ones(4, dtype=np.float32), k=14)
        return [answers.words, near(answers.scores), one.words, near(one.scores), repr(found.options)]

    return Reader(
        name=f"index-{kind}",
        make=lambda path: _indexed(kind).save(path),
        use=use,
        own=True,
        reseal=reseal_index,
        needs="usearch" if kind == "hnsw" else "",
    )


def reseal_index(path: Path) -> None:
    """Compute the seal of an index anew: it needs no key, so that anybody can."""
    from firth.storage import tensors
    from firth.vectors.index.files import _seal

    arrays = {name: np.array(array) for name, array in tensors.mapped(path).items()}
    arrays.pop("seal", None)
    arrays["seal"] = _seal(arrays)
    with path.open("wb") as file:
        tensors.write(file, arrays, {name: array.dtype for name, array in arrays.items()})


def quantised(kind: str) -> Callable[[Path], None]:
    """Vectors as codes."""
    return lambda path: seeds.vectors().quantise(kind).save(path)


def runs(path: Path) -> None:
    """Two runs of a small model, on all lines."""
    model = firth.Word2Vec(dim=4, epochs=1, sample=0)
    firth.bootstrap(model, seeds.corpus(), runs=2, seed=1, resample="none", checkpoint=path, progress=False)


def use_runs(path: Path) -> Any:
    """Ask runs; a damaged one, which a warning names and leaves out, is refused here."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        several = firth.load(path)
    for warning in said:
        raise FormatError(str(warning.message))
    first = several.words[0]
    near_first = [(n.word, near([n.similarity, n.low, n.high]), n.share) for n in several.most_similar(first, 3)]
    return [near_first, [asked(run) for run in several], near(several.similarity(first, several.words[1]).value)]


READERS = (
    Reader(name="runs-folder", make=runs, use=use_runs, own=True, cost=0.01),
    Reader(name="vectors-folder", make=saved("firth"), use=use_attributes, own=True),
    Reader(name="vectors-half", make=saved("firth", dtype="float16"), use=use_attributes, own=True),
    Reader(name="vectors-tree", make=with_tree, use=use_attributes, own=True),
    Reader(name="vectors-int8", make=quantised("int8"), use=use_attributes, own=True),
    Reader(name="vectors-product", make=quantised("product"), use=use_attributes, own=True),
    Reader(name="word2vec-text", make=saved("word2vec"), use=load, path="seed.txt"),
    Reader(name="word2vec-text-gz", make=packed(saved("word2vec")), use=load, path="seed.txt.gz"),
    Reader(name="word2vec-binary", make=saved("word2vec-binary"), use=load, path="seed.bin"),
    Reader(name="word2vec-binary-gz", make=packed(saved("word2vec-binary")), use=load, path="seed.bin.gz"),
    Reader(name="word2vec-counts", make=with_counts, use=use_counts),
    Reader(name="glove", make=saved("glove"), use=load, path="seed.glove"),
    Reader(
        name="fasttext-vec", make=lambda path: seeds.subwords().save(path, format="word2vec"), use=load, path="seed.vec"
    ),
    Reader(name="subwords-folder", make=lambda path: seeds.subwords().save(path), use=load_subwords, own=True),
    Reader(
        name="subwords-quantised", make=lambda path: seeds.subwords().quantise().save(path), use=load_subwords, own=True
    ),
    Reader(
        name="fasttext-bin",
        make=lambda path: seeds.subwords().save(path, format="fasttext"),
        use=load_subwords,
        path="seed.bin",
    ),
    Reader(
        name="fasttext-ftz",
        make=lambda path: seeds.subwords().quantise().save(path, format="fasttext"),
        use=load_subwords,
        path="seed.ftz",
    ),
    Reader(
        name="floret",
        make=lambda path: (
            firth.FastText(dim=4, epochs=1, buckets=20, min_n=2, max_n=3, sample=0, hashing="floret")
            .train(seeds.corpus(), seed=1, threads=1, progress=False)
            .save(path, format="floret")
        ),
        use=load_subwords,
        path="seed.floret",
    ),
    Reader(name="npy", make=with_words, use=use_npy),
    Reader(name="parquet", make=saved("parquet"), use=load, path="seed.parquet", needs="pyarrow"),
    Reader(name="projector", make=saved("projector"), use=load),
    Reader(name="sentence-transformers", make=saved("sentence-transformers"), use=load),
    Reader(name="spacy", make=saved("spacy"), use=load),
    index("exact"),
    index("lsh"),
    index("hnsw"),
)
