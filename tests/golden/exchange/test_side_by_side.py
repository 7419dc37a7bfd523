"""Ten things that users of other programs do, in their code and in ours: the same results, and ours is no longer.

Both codes run in one folder and leave `result`. They are measured alike, as Python writes out their syntax trees: one
statement per line, so that neither layout nor comments count. Lines are counted without imports; characters with them,
as everything has to be typed. Options that only make the comparison exact (seeds, threads) are in both.

Ours run in the default suite. Theirs need `.[test,peers]` (gensim, fastText) and `programs` (sentence-transformers,
datasets, spaCy); a pair whose program is missing skips.
"""

import ast
import csv
import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import firth

SHIPS = ["ship", "boat", "yacht", "ferry", "canoe"]
FRUIT = ["apple", "pear", "plum", "cherry", "grape"]
TEMPLATES = {
    "sea": [(SHIPS, "the rough sea carries a {}"), (SHIPS, "a {} sails along the coast"), (SHIPS, "the {} has a crew")],
    "food": [(FRUIT, "the cook bakes a {} pie"), (FRUIT, "a {} is ripe and sweet"), (FRUIT, "the {} grows on a tree")],
}


@dataclass(frozen=True)
class Pair:
    """What users do with a package, and with firth.

    Attributes:
        package: the module that `theirs` needs.
        theirs, ours: code that leaves `result`.
        same: whether two results, theirs and ours, say the same.
        right: whether a result is what the text says.
    """

    name: str
    package: str
    theirs: str
    ours: str
    same: Callable[[Any, Any], bool]
    right: Callable[[Any], bool]


def equal(theirs, ours):
    return theirs == ours


def close(theirs, ours):
    return np.allclose(theirs, ours, rtol=1e-4, atol=1e-5)


def find_the_same(theirs, ours):
    """Among three neighbours, at most one differs."""
    return len({word for word, _ in theirs} & {word for word, _ in ours}) >= 2


def are_ships(neighbours):
    return {word for word, _ in neighbours} < set(SHIPS) and all(score > 0.5 for _, score in neighbours)


def texts_and_labels():
    """1,200 texts with their subject; one label in twenty is wrong."""
    draw = random.Random(1)
    rows = []
    for _ in range(1200):
        label = draw.choice(["sea", "food"])
        words, template = draw.choice(TEMPLATES[label])
        text = template.format(draw.choice(words))
        rows.append((text, draw.choice(["sea", "food"]) if draw.random() < 0.1 else label))
    return rows


PAIRS = [
    Pair(
        "train and query",
        "gensim",
        theirs="""
from gensim.models import Word2Vec
from gensim.models.word2vec import LineSentence

model = Word2Vec(LineSentence("texts.txt"), vector_size=20, sg=1, sample=1e-2, epochs=20, seed=1, workers=1)
result = model.wv.most_similar("ship", topn=3)
""",
        ours="""
import firth

vectors = firth.Word2Vec(dim=20, sample=1e-2, epochs=20).train("texts.txt", seed=1, threads=1)
result = vectors.most_similar("ship", topn=3)
""",
        same=find_the_same,
        right=are_ships,
    ),
    Pair(
        "query vectors of a file",
        "gensim",
        theirs="""
from gensim.models import KeyedVectors

vectors = KeyedVectors.load_word2vec_format("vectors.txt")
odd = vectors.doesnt_match(["ship", "boat", "apple"])
((word, _),) = vectors.most_similar(positive=["ship", "pear"], negative=["boat"], topn=1)
result = [odd, word, round(float(vectors.similarity("ship", "boat")), 5)]
""",
        ours="""
import firth

vectors = firth.load("vectors.txt")
odd = vectors.doesnt_match(["ship", "boat", "apple"])
((word, _),) = vectors.most_similar(positive=["ship", "pear"], negative=["boat"], topn=1)
result = [odd, word, round(vectors.similarity("ship", "boat"), 5)]
""",
        same=equal,
        right=lambda result: result[0] == "apple" and result[1] in FRUIT and result[2] > 0.5,
    ),
    Pair(
        "save and load",
        "gensim",
        theirs="""
from gensim.models import KeyedVectors

vectors = KeyedVectors.load_word2vec_format("vectors.txt")
vectors.save_word2vec_format("saved.bin", binary=True)
result = KeyedVectors.load_word2vec_format("saved.bin", binary=True)["ship"]
""",
        ours="""
import firth

vectors = firth.load("vectors.txt")
vectors.save("saved.bin")
result = firth.load("saved.bin")["ship"]
""",
        same=np.array_equal,
        right=lambda row: row.shape == (20,) and np.array_equal(row, firth.load("vectors.txt")["ship"]),
    ),
    Pair(  # fastText 0.9.3 needs ten threads or more: with fewer it leaves a part of its vectors to chance
        "a classifier",
        "fasttext",
        theirs="""
import fasttext

model = fasttext.train_supervised("train.txt", dim=20, lr=0.5, epoch=5, seed=1, thread=12)
model.save_model("kinds.bin")
count, precision, recall = fasttext.load_model("kinds.bin").test("test.txt")
result = precision
""",
        ours="""
import firth

model = firth.TextClassifier(dim=20, lr=0.5, epochs=5, word_ngrams=1).train("train.txt", seed=1)
model.save("kinds.bin")
result = firth.load("kinds.bin").test("test.txt").precision
""",
        same=lambda theirs, ours: abs(theirs - ours) < 0.02,
        right=lambda precision: 0.9 < precision < 1,  # some labels are wrong
    ),
    Pair(
        "a pipeline",
        "sklearn",
        theirs="""
import polars
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

texts = polars.read_csv("texts.csv")
pipeline = make_pipeline(TfidfVectorizer(), TruncatedSVD(10, random_state=1), LogisticRegression())
result = cross_val_score(pipeline, texts["text"], texts["label"], cv=3).mean()
""",
        ours="""
import polars
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from firth.sklearn import LSAVectorizer

texts = polars.read_csv("texts.csv")
pipeline = make_pipeline(LSAVectorizer(dim=10, random_state=1), LogisticRegression())
result = cross_val_score(pipeline, texts["text"], texts["label"], cv=3).mean()
""",
        same=lambda theirs, ours: abs(theirs - ours) < 0.02,
        right=lambda accuracy: 0.9 < accuracy < 1,
    ),
    Pair(
        "vectors of texts",
        "sentence_transformers",
        theirs="""
from sentence_transformers import SentenceTransformer

model = SentenceTransformer("sentences", device="cpu")
result = model.encode(["The ship has a crew.", "A pear, ripe and sweet!"])
""",
        ours="""
import firth

model = firth.SentenceAverages.load("sentences")
result = model.encode(["The ship has a crew.", "A pear, ripe and sweet!"])
""",
        same=close,
        right=lambda rows: rows.shape == (2, 20) and rows.dtype == np.float32 and np.all(rows.any(axis=1)),
    ),
    Pair(
        "tokens of a data set",
        "datasets",
        theirs="""
from datasets import load_dataset

dataset = load_dataset("json", data_files="texts.jsonl", split="train", cache_dir="cache")
dataset = dataset.map(lambda row: {"tokens": row["text"].lower().split()})
result = list(dataset["tokens"])
""",
        ours="""
import firth

corpus = firth.Corpus.build("texts.jsonl", column="text", min_count=1, cache="cache")
result = list(corpus)
""",
        same=equal,
        right=lambda tokens: tokens == [text.split() for text, _ in texts_and_labels()],
    ),
    Pair(
        "counts of a column's words",
        "polars",
        theirs="""
import polars

texts = polars.read_csv("texts.csv")["text"]
words = texts.str.to_lowercase().str.extract_all(r"\\w+").explode()
result = dict(words.value_counts().iter_rows())
""",
        ours="""
import firth

words = firth.Corpus.build("texts.csv", column="text", min_count=1).vocabulary
result = dict(zip(words, words.counts))
""",
        same=equal,
        right=lambda counts: counts["crew"] == sum("crew" in text for text, _ in texts_and_labels()),
    ),
    Pair(
        "similar texts and words",
        "spacy",
        theirs="""
import spacy

nlp = spacy.load("pipeline")
alike = nlp("the ship has a crew").similarity(nlp("a boat sails along"))
keys, _, _ = nlp.vocab.vectors.most_similar(nlp.vocab["ship"].vector[None], n=4)  # scales that row in its table
result = [nlp.vocab.strings[key] for key in keys[0]][1:], alike
""",
        ours="""
import firth

vectors = firth.load("pipeline")
alike = vectors.n_similarity("the ship has a crew".split(), "a boat sails along".split())
result = [word for word, _ in vectors.most_similar("ship", topn=3)], alike
""",
        same=lambda theirs, ours: theirs[0] == ours[0] and close(theirs[1], ours[1]),
        right=lambda result: set(result[0]) < set(SHIPS) and 0.5 < result[1] < 1,
    ),
    Pair(
        "a layer of word vectors",
        "torch",
        theirs="""
import numpy
import torch

table = numpy.loadtxt("vectors.txt", dtype=str, skiprows=1, encoding="utf-8")
ids = {word: i for i, word in enumerate(table[:, 0])}
rows = torch.from_numpy(table[:, 1:].astype("float32"))
layer = torch.nn.Embedding.from_pretrained(rows, freeze=False)
result = layer(torch.tensor([ids["ship"], ids["pear"]])).tolist()
""",
        ours="""
import firth
import torch

vectors = firth.load("vectors.txt")
layer = vectors.to_torch()
result = layer(torch.tensor(vectors.get_index(["ship", "pear"]))).tolist()
""",
        same=equal,
        right=lambda rows: np.array_equal(np.float32(rows), firth.load("vectors.txt")[["ship", "pear"]]),
    ),
]
every_pair = pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair.package}-{pair.name.replace(' ', '-')}")


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    """A folder with the same texts in several formats, and with vectors learned from them."""
    folder = tmp_path_factory.mktemp("texts")
    rows = texts_and_labels()
    (folder / "texts.txt").write_text("".join(f"{text}\n" for text, _ in rows), encoding="utf-8")
    lines = [f"__label__{label} {text}\n" for text, label in rows]
    (folder / "train.txt").write_text("".join(lines[:900]), encoding="utf-8")
    (folder / "test.txt").write_text("".join(lines[900:]), encoding="utf-8")
    with (folder / "texts.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("text", "label"), *rows])
    lines = [json.dumps({"text": text, "label": label}) + "\n" for text, label in rows]
    (folder / "texts.jsonl").write_text("".join(lines), encoding="utf-8")
    vectors = firth.Word2Vec(dim=20, sample=1e-2, epochs=20).train(
        [text for text, _ in rows], seed=1, threads=1, progress=False
    )
    vectors.save(folder / "vectors.txt")
    vectors.save(folder / "pipeline", format="spacy")
    vectors.save(folder / "sentences", format="sentence-transformers")
    return folder


def result_of(code):
    variables = {}
    exec(code, variables)
    return variables["result"]


@pytest.fixture
def here(texts, monkeypatch):
    monkeypatch.chdir(texts)


def measured(code):
    """Lines without imports, and characters with them."""
    statements = ast.parse(code).body
    lines = [ast.unparse(each) for each in statements if not isinstance(each, ast.Import | ast.ImportFrom)]
    return len("\n".join(lines).splitlines()), len(ast.unparse(statements))


def test_ten_pairs_of_eight_programs():
    assert len(PAIRS) == 10
    assert len({pair.package for pair in PAIRS}) == 8


@every_pair
def test_ours_are_no_longer(pair):
    (our_lines, our_characters), (their_lines, their_characters) = measured(pair.ours), measured(pair.theirs)
    assert our_lines <= their_lines
    assert our_characters <= their_characters


@every_pair
def test_ours(pair, here):
    assert pair.right(result_of(pair.ours))


@pytest.mark.peer
@pytest.mark.filterwarnings("default")
@every_pair
def test_both(pair, here):
    name = pair.package.replace("_", "-")
    pytest.importorskip(pair.package, reason=f"{name} is not installed: pip install {name}")
    theirs, ours = result_of(pair.theirs), result_of(pair.ours)
    assert pair.right(theirs)
    assert pair.same(theirs, ours), (theirs, ours)
