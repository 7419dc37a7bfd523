"""Texts in every form, corpora, counts and phrases."""

import bz2
import gzip
import io
import json
import lzma
import os
import shutil
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import firth
from tests.fuzz.outcomes import Reader, near
from tests.fuzz.readers import seeds


def contents(corpus: Any) -> Any:
    """Words, counts, ids and sentences."""
    some = [sentence for _, sentence in zip(range(50), corpus, strict=False)]
    return [
        list(corpus.vocabulary.words)[:300],
        np.asarray(corpus.vocabulary.counts)[:300],
        np.asarray(corpus.ids[:5000]),
        np.asarray(corpus.offsets[:1000]),
        some,
    ]


def trained(corpus: Any) -> Any:
    """Vectors after an epoch."""
    model = firth.Word2Vec(dim=4, epochs=1, sample=0)
    return np.asarray(model.train(corpus, seed=1, threads=1, progress=False).vectors)


def make_corpus(path: Path) -> None:
    """The folder of a corpus."""
    shutil.copytree(seeds.corpus().path, path)


def use_corpus(path: Path) -> Any:
    """Open, train, count."""
    corpus = firth.Corpus.open(path)
    cells = firth.Cooccurrence(window=2).count(corpus, cache=path.parent / "cells", progress=False)
    ngrams = firth.NgramLM(order=2, discount_fallback=True).train(corpus, progress=False)
    return [
        contents(corpus),
        trained(corpus),
        np.asarray(cells.values),
        near(ngrams.score(seeds.LINES[0])[0].log_probs),
    ]


def make_cache(path: Path) -> None:
    """A folder with a text file and the cache of its corpus."""
    path.mkdir()
    (path / "text.txt").write_text(seeds.TEXT, encoding="utf-8")
    os.utime(path / "text.txt", (10**9, 10**9))
    _build(path)


def _build(path: Path) -> Any:
    return firth.Corpus.build(path / "text.txt", cache=path / "cache", min_count=1, tokens="whitespace", progress=False)


def use_cache(path: Path) -> Any:
    """Build again, which finds what was built before, or builds it anew."""
    text = path / "text.txt"
    if text.is_file() or not os.path.lexists(text):  # and no pipe, which would wait for a reader
        text.write_text(seeds.TEXT, encoding="utf-8")
        os.utime(text, (10**9, 10**9))
    corpus = _build(path)
    return [contents(corpus), trained(corpus)]


def use_text(**how: Any) -> Callable[[Path], Any]:
    """Build a corpus of a text and train on it."""

    def use(path: Path) -> Any:
        cache = path.parent / "cache"
        corpus = firth.Corpus.build(path, cache=cache, min_count=1, progress=False, **how)
        return [contents(corpus), trained(corpus)]

    return use


def packed(pack: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    """The text, packed."""
    return lambda path: path.write_bytes(pack(seeds.TEXT.encode()))  # type: ignore[func-returns-value]


def _zstandard(text: bytes) -> bytes:
    import zstandard

    return bytes(zstandard.ZstdCompressor().compress(text))


def make_texts(path: Path) -> None:
    """A folder of texts of several kinds."""
    (path / "more").mkdir(parents=True)
    (path / "one.txt").write_text(seeds.TEXT, encoding="utf-8")
    (path / "more" / "two.txt.gz").write_bytes(gzip.compress(seeds.TEXT.encode(), mtime=0))
    (path / "rows.jsonl").write_text("".join(json.dumps({"text": line}) + "\n" for line in seeds.LINES[:9]), "utf-8")


def make_table(path: Path) -> None:
    """The lines as one column of a table, beside another."""
    rows = [{"id": i, "text": line} for i, line in enumerate(seeds.LINES)]
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    elif path.suffix in (".csv", ".tsv"):
        mark = "," if path.suffix == ".csv" else "\t"
        lines = [f"id{mark}text", *(f'{row["id"]}{mark}"{row["text"]}"' for row in rows)]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    else:
        import pyarrow
        import pyarrow.feather
        import pyarrow.parquet

        table = pyarrow.Table.from_pylist(rows)
        if path.suffix == ".parquet":
            pyarrow.parquet.write_table(table, path)
        else:
            pyarrow.feather.write_feather(table, str(path), compression="uncompressed")


def table(suffix: str) -> Reader:
    """A table's reader."""
    name = f"table-{suffix}"
    needs = "pyarrow" if suffix in ("parquet", "arrow") else ""
    return Reader(
        name=name, make=make_table, use=use_text(column="text"), path=f"seed.{suffix}", cost=0.02, needs=needs
    )


def make_labelled(path: Path) -> None:
    """Texts with fastText's labels."""
    lines = [f"__label__{'xy'[i % 2]} {line}" for i, line in enumerate(seeds.LINES)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def use_labelled(path: Path) -> Any:
    """Train a classifier."""
    model = firth.TextClassifier(dim=4, epochs=1, word_ngrams=1)
    found = model.train(path, seed=1, threads=1, progress=False)
    return [list(found.labels)[:50], near(found.probabilities("w0 w1")), list(found.words)[:100]]


def make_brown(path: Path) -> None:
    """A small archive like NLTK's."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("brown/README", "a corpus")
        archive.writestr("brown/ca01", "The/at jury/nn said/vbd\n\nIt/pps ran/vbd ./.\n")
        archive.writestr("brown/cr09", "Words/nns and/cc words/nns\n" * 20)


def use_brown(path: Path) -> Any:
    """Read it all."""
    from firth.readers.brown import read_brown

    return list(read_brown(path))


ENTRIES = """dog:
  n:
    sense:
    - id: 'dog%1:05:00::'
      synset: 02086723-n
cat:
  n:
    sense:
    - id: 'cat%1:05:00::'
      synset: 02124272-n
"""
SYNSETS = """02086723-n:
  definition:
  - a dog
  hypernym:
  - 00001740-n
02124272-n:
  hypernym:
  - 00001740-n
00001740-n:
  definition:
  - something
"""


def make_wordnet(path: Path) -> None:
    """A few entries, as a folder or an archive."""
    files = {"entries-a.yaml": ENTRIES, "noun.animal.yaml": SYNSETS}
    if path.suffix != ".gz":
        path.mkdir()
        for name, text in files.items():
            (path / name).write_text(text, encoding="utf-8")
        return
    with tarfile.open(path, "w:gz") as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(f"yaml/{name}")
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))


def use_wordnet(path: Path) -> Any:
    """Read words, synsets, and the groups within groups."""
    from firth.readers.wordnet import hypernym_groups, read_wordnet

    found = read_wordnet(path)
    return [dict(found.senses), dict(found.hypernyms), repr(hypernym_groups(path))[:5000]]


def make_counts(path: Path) -> None:
    """The folder of a matrix of counts."""
    firth.Cooccurrence(window=2).count(seeds.corpus(), cache=path.parent / "made", progress=False).save(path)
    shutil.rmtree(path.parent / "made")


def use_counts(path: Path) -> Any:
    """Open, look words up, and make vectors of it."""
    matrix = firth.CooccurrenceMatrix.open(path)
    words = list(matrix.vocabulary.words)
    made = firth.GloVe(dim=4, epochs=1).train(matrix, seed=1, threads=1, progress=False)
    parts = [np.asarray(part) for part in (matrix.rows, matrix.columns, matrix.values)]
    return [words, parts, near(matrix[words[0], words[1]]), near(made.vectors), near(matrix.to_scipy().sum())]


def make_phrases(path: Path) -> None:
    """Phrases found in the text."""
    firth.Phrases(threshold=0.01, min_count=1).learn(seeds.corpus(), threads=1, progress=False).save(path)


def use_phrases(path: Path) -> Any:
    """Join words by them."""
    found = firth.PhraseTable.open(path)
    return [found.join(list(seeds.LINES[0].split())), contents(found.apply(seeds.corpus(), cache=path.parent / "c"))]


READERS = (
    Reader(name="corpus-folder", make=make_corpus, use=use_corpus, own=True, cost=0.04),
    Reader(name="corpus-cache", make=make_cache, use=use_cache, own=True, cost=0.04),
    Reader(name="counts-folder", make=make_counts, use=use_counts, own=True, cost=0.02),
    Reader(name="phrases", make=make_phrases, use=use_phrases, path="seed.json", cost=0.03),
    Reader(name="text", make=packed(bytes), use=use_text(), path="seed.txt", cost=0.02),
    Reader(name="text-whitespace", make=packed(bytes), use=use_text(tokens="whitespace"), path="seed.txt", cost=0.02),
    Reader(
        name="text-gz",
        make=packed(lambda text: gzip.compress(text, mtime=0)),
        use=use_text(),
        path="seed.txt.gz",
        cost=0.02,
    ),
    Reader(name="text-bz2", make=packed(bz2.compress), use=use_text(), path="seed.txt.bz2", cost=0.02),
    Reader(name="text-xz", make=packed(lzma.compress), use=use_text(), path="seed.txt.xz", cost=0.02),
    Reader(
        name="text-zst",
        make=packed(_zstandard),
        use=use_text(tokens="whitespace"),
        path="seed.txt.zst",
        cost=0.02,
        needs="zstandard",
    ),
    Reader(name="texts-folder", make=make_texts, use=use_text(), cost=0.02),
    *map(table, ("csv", "tsv", "jsonl", "parquet", "arrow")),
    Reader(name="labelled-texts", make=make_labelled, use=use_labelled, path="seed.txt", cost=0.01),
    Reader(name="brown", make=make_brown, use=use_brown, path="seed.zip"),
    Reader(name="wordnet-folder", make=make_wordnet, use=use_wordnet),
    Reader(name="wordnet-archive", make=make_wordnet, use=use_wordnet, path="seed.tar.gz"),
)
