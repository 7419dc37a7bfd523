"""Freezes what peers make of the text: `python -m tests.golden.english.make`, from the root of the repository.

It needs gensim 4.4, scikit-learn, tokenizers and KenLM: the Python package, and lmplz (of March 2025) on the PATH. What
is trained at random is trained `SEEDS` times in one thread. Frozen are the mean cosines of all pairs of content words,
or of documents, and how far the mean of `GROUP` seeds is from the mean of all others: what a program that trains alike
is apart by chance.
"""

import json
import subprocess
import tempfile
from collections import Counter
from importlib.metadata import version
from itertools import chain
from pathlib import Path

import numpy as np

from tests.golden.english.measure import GROUP, difference
from tests.golden.english.text import MIN_COUNT, TEXT, content_words, documents, parts, sentences
from tests.golden.likeness import cosines

FILE = Path(__file__).with_name("answers.json")
SEEDS = 24
OPTIONS = {"vector_size": 30, "window": 5, "sample": 1e-3, "epochs": 20, "min_count": MIN_COUNT, "workers": 1}
WORDS: dict[str, dict] = {
    "skipgram": {"alpha": 0.05, "sg": 1},
    "skipgram, slowly": {"alpha": 0.0125, "sg": 1},
    "cbow": {"alpha": 0.05, "sg": 0},
    "hierarchical skipgram": {"alpha": 0.05, "sg": 1, "hs": 1, "negative": 0},
    "hierarchical cbow": {"alpha": 0.05, "sg": 0, "hs": 1, "negative": 0},
}
SUBWORDS = {"alpha": 0.05, "sg": 1, "ns_exponent": 0.5, "min_n": 3, "max_n": 6, "bucket": 20_000}
DOCUMENTS: dict[str, dict] = {
    "dbow": {"alpha": 0.0125, "epochs": 40, "dm": 0},
    "dm": {"alpha": 0.05, "dm": 1, "dm_mean": 1},
}
LONGEST = 60  # documents whose cosines are compared
ORDERS = (2, 3)
PIECES = 600
COMPONENTS, WINDOW, SMOOTHING = 20, 5, 0.75
ATOMS, SPARSITY, ROUNDS = 60, 4, 15


def main() -> None:
    told = {"versions": {name: version(name) for name in ("gensim", "scikit-learn", "tokenizers", "kenlm")}}
    told |= words() | subwords() | pages()
    told |= {"ppmi": ppmi(told["words"]), "ngrams": ngrams(), "merges": merges()}
    lines = [f"{json.dumps(name)}: {json.dumps(answer)}" for name, answer in told.items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="ascii")


def over_seeds(trained: list[np.ndarray]) -> dict:
    """The mean of the cosines of all seeds, and the differences of groups of seeds from the others."""
    found = np.array([cosines(matrix) for matrix in trained], dtype=np.float64)
    groups = [range(i, i + GROUP) for i in range(0, len(found), GROUP)]
    apart = [difference(found[[*group]].mean(0), np.delete(found, [*group], axis=0).mean(0)) for group in groups]
    return {"cosines": found.mean(0).round(4).tolist(), "apart": np.round(apart, 5).tolist()}


def given(alpha: float, seed: int, **more) -> dict:
    """What a model of gensim is given."""
    return {**OPTIONS, "alpha": alpha, "min_alpha": alpha * 1e-4, "seed": seed, **more}


def words() -> dict:
    from gensim.models import Word2Vec

    told = {}
    for name, options in WORDS.items():
        models = [Word2Vec(sentences(), **given(seed=seed, **options)).wv for seed in range(1, SEEDS + 1)]
        chosen = content_words(models[0].index_to_key)
        told[name] = over_seeds([model[chosen] for model in models])
    return {"words": chosen, "tree": tree_of(models[0]), **told}


def tree_of(model) -> dict:
    """gensim's tree over all words, by the children of each inner node, as `firth.WordTree.from_children` takes it."""
    every, children = model.index_to_key, np.full((len(model) - 1, 2), -1)
    for i, word in enumerate(every):
        nodes, turns = model.get_vecattr(word, "point"), model.get_vecattr(word, "code")
        children[nodes.astype(int), turns] = [*(len(every) + nodes[1:].astype(int)), i]
    return {"words": every, "children": children.tolist()}


def subwords() -> dict:
    """FastText of gensim, which takes seeds; the authors' program knows a word more, the sentence's end."""
    from gensim.models import FastText

    models = [FastText(sentences(), **given(seed=seed, **SUBWORDS)).wv for seed in range(1, SEEDS + 1)]
    return {"fasttext": over_seeds([model[content_words(model.index_to_key)] for model in models])}


def pages() -> dict:
    from gensim.models.doc2vec import Doc2Vec, TaggedDocument

    tagged = [TaggedDocument([*chain.from_iterable(page)], [i]) for i, page in enumerate(documents())]
    longest = sorted(np.argsort([-len(page.words) for page in tagged], kind="stable")[:LONGEST].tolist())
    told = {"documents": longest}
    for name, options in DOCUMENTS.items():
        models = [Doc2Vec(tagged, **given(seed=seed, **options)).dv for seed in range(1, SEEDS + 1)]
        told[name] = over_seeds([model.vectors[longest] for model in models])
    return told


def ppmi(chosen: list[str]) -> dict:
    """Positive pointwise mutual information, counted pair by pair, and scikit-learn's singular values of it."""
    from sklearn.decomposition import TruncatedSVD

    counts = Counter(word for sentence in sentences() for word in sentence)
    known = sorted(word for word, count in counts.items() if count >= MIN_COUNT)
    number = {word: i for i, word in enumerate(known)}
    met = np.zeros((len(known), len(known)))
    for sentence in sentences():
        ids = [number[word] for word in sentence if word in number]
        for p, one in enumerate(ids):
            for q in range(max(p - WINDOW, 0), min(p + WINDOW + 1, len(ids))):
                met[one, ids[q]] += p != q
    power = met.sum(0) ** SMOOTHING
    with np.errstate(divide="ignore"):
        table = np.maximum(np.log(met) - np.log(met.sum(1, keepdims=True)) - np.log(power / power.sum()), 0)
    decomposition = TruncatedSVD(COMPONENTS + 1, algorithm="arpack", random_state=0)
    rows = (decomposition.fit_transform(table) / np.sqrt(decomposition.singular_values_))[:, :COMPONENTS]  # U S^(1/2)
    return {
        "cells": int((table > 0).sum()),
        "values": decomposition.singular_values_.tolist(),
        "cosines": cosines(rows[[number[word] for word in chosen]]).round(8).tolist(),
        "left by atoms": left_by_atoms(rows),
    }


def left_by_atoms(rows: np.ndarray) -> float:
    """What scikit-learn's atoms leave of centred vectors of length 1: the mean square, each coded by a few of them."""
    from sklearn.decomposition import MiniBatchDictionaryLearning, sparse_encode

    rows = rows - rows.mean(axis=0)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    learner = MiniBatchDictionaryLearning(ATOMS, alpha=0.3, fit_algorithm="cd", max_iter=ROUNDS, random_state=0)
    atoms = learner.fit(rows).components_
    atoms /= np.linalg.norm(atoms, axis=1, keepdims=True)
    codes = sparse_encode(rows, atoms, algorithm="omp", n_nonzero_coefs=SPARSITY)
    return float(((rows - codes @ atoms) ** 2).sum(axis=1).mean())


def ngrams() -> dict:
    """Of lmplz's models of orders 2 and 3, the probability that KenLM gives each sentence held out, in log10."""
    import kenlm

    learned, judged = ([" ".join(sentence) for sentence in part] for part in parts())
    told = {}
    with tempfile.TemporaryDirectory() as folder:
        for order in ORDERS:
            path = Path(folder, f"{order}.arpa")
            command = ["lmplz", "-o", str(order), "-S", "200M"]
            made = subprocess.run(command, input="\n".join(learned) + "\n", capture_output=True, text=True, check=True)
            path.write_text(made.stdout, encoding="ascii")
            model = kenlm.Model(str(path))
            told[str(order)] = [round(model.score(line), 5) for line in judged]
    return told


def merges() -> list[list[str]]:
    """What tokenizers' byte-level BPE merges, in order, within firth's chunks of text in plain letters."""
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

    chunks = Regex(r" ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+")
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(chunks, "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=PIECES, min_frequency=2, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(TEXT.read_text(encoding="ascii").splitlines(keepends=True), trainer)
    return json.loads(tokenizer.to_str())["model"]["merges"]


if __name__ == "__main__":
    main()
