"""Judgement of vectors, senses and texts; comparisons of models; readers of annotated data."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

import firth
from firth.evaluation.report import LEGEND
from tests.hashes import seeds
from tests.hashes.registry import case, variants

FORMER_LEGEND = (
    "* best   = no significant difference from the best\n"
    "(p >= 0.05 by the paired bootstrap, for correlations by Steiger's test; Holm's correction over the line)"
)  # below the tables that were recorded


def figures(report: Any) -> list[Any]:
    """All values of a report."""
    return [list(json.loads(line).values()) for line in report.to_json().splitlines() if line]


def judged(suite: str, *files: str, words: int = 4000, **how: Any) -> Any:
    """Drawn vectors on the beginning of a public set; the file that is named first is judged."""
    with seeds.folder() as folder:
        known: dict[str, None] = {}
        for file in files:
            path = Path(os.environ["FIRTH_DATA"], file)
            text = path.read_text(encoding="utf-8", errors="replace").splitlines()[:300]
            (folder / path.name).write_text("\n".join(text) + "\n", encoding="utf-8")
            cleaned = "".join(c if c.isalnum() or c in "-'" else " " for c in "\n".join(text))
            known.update(dict.fromkeys(cleaned.split()))
            known.update(dict.fromkeys(cleaned.lower().split()))
        lexicon = list(known)[:words]
        kept = tuple(word for i, word in enumerate(lexicon) if i % 11)  # some words have no vector
        vectors = {"one": seeds.random_vectors(kept, 10), "two": seeds.random_vectors(kept, 6, seed=1)}
        report = firth.evaluate(
            vectors, suites={suite: folder / Path(files[0]).name}, resamples=50, seed=1, progress=False, **how
        )
        return {"figures": figures(report), "table": str(report).replace(LEGEND, FORMER_LEGEND)}


variants(
    "evaluation",
    lambda files, **how: judged(files[0], *files[1:], **how),
    {
        "similarity": {"files": ("similarity", "similarity/EN-RG-65.txt")},
        "similarity-counted": {"files": ("similarity", "similarity/EN-SemEval17.csv"), "unknown": "count"},
        "analogies": {"files": ("analogies", "analogy/questions-words.txt")},
        "categorisation": {"files": ("categorisation", "categorisation/ap.csv")},
        "outliers": {"files": ("outliers", "outlier/8-8-8.csv")},
        "qvec": {"files": ("qvec", "relations/qvec-lexsub/qvec/oracles/semcor_noun_verb.supersenses.en")},
        "context": {
            "files": ("context", "wic/dev/dev.data.txt", "wic/dev/dev.gold.txt", "wic/train/train.data.txt",
                      "wic/train/train.gold.txt"),
        },
        "sentences": {"files": ("sentences", "sentence/sentclass/TREC.test.all")},
    },
)  # fmt: skip


@case("evaluation/sense-induction")
def induction() -> Any:
    """Clusters of occurrences against gold ones."""
    from firth.evaluation.sense_induction import adjusted_rand, paired_f, score, supervised_recall
    from firth.readers.sense_keys import read_sense_key

    random = np.random.default_rng(0)
    gold, model = [], []
    for word in ("bank.n", "run.v", "line.n"):
        for i in range(30):
            gold.append(f"{word} {word}.{i} {word}.s{int(random.integers(3))}")
            model.append(f"{word} {word}.{i} {word}.c{int(random.integers(4))}")
    with seeds.folder() as folder:
        (folder / "gold.key").write_text("\n".join(gold) + "\n")
        (folder / "model.key").write_text("\n".join(model) + "\n")
        report = score(folder / "gold.key", folder / "model.key", resamples=50, seed=1)
        key = read_sense_key(folder / "gold.key")
    one, other = random.integers(3, size=40), random.integers(4, size=40)
    return {
        "key": repr(key),
        "figures": figures(report),
        "measures": [paired_f(one, other), adjusted_rand(one, other)],
        "recall": [float(each) for each in np.ravel(supervised_recall(one, other))],
    }


@case("evaluation/sentences-of-texts")
def linear_models() -> Any:
    """Logistic and ridge regression along their penalties, significance, intervals."""
    from firth.evaluation import linear, significance

    random = np.random.default_rng(2)
    rows = random.normal(size=(60, 6))
    labels = (rows[:, 0] + 0.5 * random.normal(size=60) > 0).astype(np.int64)
    logistic = linear.logistic_path(rows, labels, (0.1, 1.0, 10.0))
    ridge = linear.ridge_path(rows, rows[:, 1] * 2, (0.1, 1.0, 10.0))
    return {
        "logistic": [[np.asarray(each.coefficients), np.asarray(each.intercepts)] for each in logistic],
        "ridge": [np.asarray(each.predict(rows)) for each in ridge],
        "folds": np.asarray(linear.stratified_folds(labels, 5, seed=1)),
        "wilson": significance.wilson_interval(7, 19),
        "steiger": significance.steiger(0.5, 0.3, 0.6, 40),
        "holm": significance.holm([0.01, 0.04, 0.03]),
        "bh": significance.benjamini_hochberg([0.01, 0.04, 0.03]),
    }


@case("diversity")
def diversity() -> Any:
    """Diversity of lines, n-grams and words."""
    texts = [line for line in seeds.LINES if line]
    answer = []
    for patterns in ("line", 2, 3, str.split):
        made = firth.diversity(texts, patterns=patterns, resamples=20, seed=1)
        answer.append(
            [made.total, made.patterns, made.distinct, made.unseen, made.effective, made.expected_patterns(50)]
        )
    return answer


@case("comparison")
def comparison() -> Any:
    """Models trained in processes of their own, without what was timed."""
    with seeds.folder() as folder:
        (folder / "pairs.txt").write_text("the\tof\t3\na\tin\t2\nthe\tin\t1\nof\tto\t2.5\n")
        made = firth.compare(
            seeds.corpus(), ["skipgram", "cbow:window=2"], folder / "out", common={"dim": 8, "epochs": 2}, seed=1,
            threads=1, sets={"similarity": folder / "pairs.txt"}, progress=False,
        )  # fmt: skip
    return [[row["model"], row["loss"], repr(row["figures"])] for row in made.rows]


@case("readers/brown")
def brown() -> Any:
    """The beginning of the Brown corpus."""
    import itertools

    from firth.readers.brown import read_brown

    paths = sorted(Path(os.environ["FIRTH_DATA"], "language", "brown").rglob("*.zip"))
    return list(itertools.islice(read_brown(paths[0]), 300))


@case("readers/labelled")
def labelled() -> Any:
    """Labelled pairs and pairs of words of public sets."""
    from firth.postprocess.word_pairs import read_word_pairs
    from firth.relations.labelled import read_labelled_pairs

    data = Path(os.environ["FIRTH_DATA"], "relations")
    pairs = read_labelled_pairs(data / "antsyn" / "noun-pairs.val")
    return {
        "pairs": [list(map(str, pair)) for pair in pairs.pairs],
        "antonyms": np.asarray(pairs.antonyms),
        "words": [list(map(str, pair)) for pair in read_word_pairs(data / "counter-fitting" / "ppdb_antonyms.txt")],
    }
