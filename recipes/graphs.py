"""Graph networks on citations, and on graphs of words and documents, beside linear models.

Cora and Citeseer, papers that cite each other: 20 labels per class are learned, 500 others select the epoch, 1,000 are
judged, in the usual division (Yang et al. 2016). R8, news of Reuters: TextGCN (Yao et al. 2019), with a tenth of the
training documents to select the epoch, beside TF-IDF with a linear classifier. Each row is a run with one seed; the
last row of a task has the mean.

    python recipes/graphs.py cora citeseer r8 --data FOLDER     # with graphs/planetoid and documents/r8.tar.gz
    python recipes/graphs.py cora --seeds 20 --model gat --data FOLDER
    python recipes/graphs.py toy
"""

import argparse
import collections
import io
import json
import pickle
import tarfile
import time
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array, csr_matrix
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, TfidfVectorizer
from sklearn.svm import LinearSVC

import firth


class Restricted(pickle.Unpickler):
    """Reads SciPy matrices, NumPy arrays, dictionaries and lists only: other pickles can run any program."""

    def find_class(self, module, name):
        known = {
            "csr_matrix": csr_matrix,
            "_reconstruct": np._core.multiarray._reconstruct,
            "ndarray": np.ndarray,
            "dtype": np.dtype,
            "defaultdict": collections.defaultdict,
            "list": list,
        }
        if name not in known:
            raise pickle.UnpicklingError(f"{module}.{name}: expected arrays, matrices and dictionaries only")
        return known[name]


def planetoid(path, name):
    """Edges, features, labels, and the numbers of training, held-out and test nodes of "cora" or "citeseer"."""
    with tarfile.open(path) as archive:
        content = {
            m.name.rpartition(".")[2]: archive.extractfile(m).read() for m in archive if f"ind.{name}." in m.name
        }
    parts = ("x", "tx", "allx", "ty", "ally", "graph")
    read = {part: Restricted(io.BytesIO(content[part]), encoding="latin1").load() for part in parts}
    test = np.array(content["index"].split(), dtype=int)
    known, nodes = len(read["ally"]), len(read["graph"])
    features, labels = np.zeros((nodes, read["tx"].shape[1]), np.float32), np.zeros((nodes, read["ty"].shape[1]))
    features[:known], labels[:known] = read["allx"].toarray(), read["ally"]
    features[test], labels[test] = read["tx"].toarray(), read["ty"]  # of Citeseer, some nodes have neither
    pairs = np.array([(node, other) for node, others in read["graph"].items() for other in others])
    edges = csr_array((np.ones(len(pairs)), tuple(pairs.T)), shape=(nodes, nodes))
    edges = ((edges + edges.T) > 0).astype(np.float32)
    features /= np.maximum(features.sum(1, keepdims=True), 1)
    train = read["x"].shape[0]
    return edges, csr_array(features), labels.argmax(1), np.arange(train), np.arange(train, train + 500), test


def only(labels, rows):
    """Labels of some nodes, -1 for the others."""
    return np.where(np.isin(np.arange(len(labels)), rows), labels, -1)


def citations(name, args):
    """A row per seed of a network on a graph of citations."""
    edges, features, labels, train, held_out, test = planetoid(args.data / "graphs/planetoid/planetoid.tar.gz", name)
    known = only(labels, [*train, *held_out])
    options = {"gcn": firth.GCN(), "gat": firth.GAT()}[args.model]
    for seed in range(args.seeds):
        began = time.perf_counter()
        model = options.train(edges, features, known, held_out=held_out, seed=seed, progress=False)
        seconds, right = time.perf_counter() - began, model.test(edges, features, only(labels, test))
        yield {"task": name, "model": args.model, "seed": seed, **figures(right.accuracy), "seconds": round(seconds, 1)}


def figures(accuracy):
    return {"accuracy": round(100 * float(accuracy), 2)}


def r8(path):
    """Texts and labels of the training and the test documents."""
    with tarfile.open(path) as archive:
        for part in ("train", "test"):
            lines = archive.extractfile(f"data/R8/{part}.txt").read().decode().splitlines()
            labels, texts = zip(*(line.split("\t", 1) for line in lines), strict=True)
            yield list(texts), list(labels)


def documents(train, test, args):
    """A row for the linear classifier, and a row per seed of TextGCN."""
    stop_words = tuple(sorted(ENGLISH_STOP_WORDS))
    vectors = TfidfVectorizer(sublinear_tf=True, min_df=1)
    linear = LinearSVC().fit(vectors.fit_transform(train[0]), train[1])
    yield {"task": "r8", "model": "tf-idf, linear", **figures(linear.score(vectors.transform(test[0]), test[1]))}
    options = firth.TextGCN(min_count=args.min_count, stop_words=stop_words)
    for seed in range(args.seeds):
        began = time.perf_counter()
        model = options.train(*train, unlabelled=test[0], seed=seed, progress=False)
        seconds, right = time.perf_counter() - began, model.test(*test)
        yield {
            "task": "r8", "model": "textgcn", "seed": seed, **figures(right.accuracy), "seconds": round(seconds, 1),
            "nodes": model.metadata["training"]["nodes"], "epochs": len(model.metadata["training"]["rows"]),
        }  # fmt: skip


def toy():
    """Documents of two topics, with words of their own and words of both."""
    random = np.random.default_rng(0)
    topics = [["ship", "sea", "port", "sail"], ["farm", "wheat", "cow", "barn"]]
    both = ["new", "old", "market", "price", "year"]
    texts = [" ".join(random.choice([*topics[number % 2], *both], 12)) for number in range(60)]
    labels = [("shipping", "farming")[number % 2] for number in range(60)]
    return (texts[:20], labels[:20]), (texts[20:], labels[20:])


def with_means(rows):
    """Rows, and the mean and standard deviation of those with seeds."""
    found = []
    for row in rows:
        found += [row["accuracy"]] if "seed" in row else []
        yield row
    if found:
        facts = {"mean": round(float(np.mean(found)), 2), "deviation": round(float(np.std(found)), 2)}
        yield {"task": row["task"], "model": row["model"], "seeds": len(found), **facts}


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", nargs="+", choices=["cora", "citeseer", "r8", "toy"])
    parser.add_argument("--data", type=Path, help="folder with graphs/planetoid and documents/r8.tar.gz")
    parser.add_argument("--model", choices=["gcn", "gat"], default="gcn", help="of Cora and Citeseer")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--min-count", type=int, default=5, help="of words of R8")
    args = parser.parse_args(argv)
    results = []
    for task in args.tasks:
        if task == "toy":
            args.min_count, args.seeds, rows = 1, 1, documents(*toy(), args)
        else:
            rows = documents(*r8(args.data / "documents/r8.tar.gz"), args) if task == "r8" else citations(task, args)
        for row in with_means(rows):
            results.append(row)
            print(json.dumps(row), flush=True)
    return results


if __name__ == "__main__":
    main()
