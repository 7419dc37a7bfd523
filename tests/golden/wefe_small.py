"""Small vectors and queries about bias, and what wefe says of them.

`python tests/golden/wefe_small.py` runs wefe 1.0.1 (NumPy 1.26, SciPy 1.12, scikit-learn) on the vectors that `made`
makes, and writes `tests/golden/wefe_small.json`, which `test_wefe.py` holds firth to. Where wefe draws at random it is
told not to: the classifier of RNSB trains on all words, by L-BFGS to its end, for liblinear draws the intercept to
zero; double-hard debiasing takes its components from an exact decomposition.
"""

import itertools
import json
from pathlib import Path

import numpy as np

FILE = Path(__file__).with_suffix(".json")
DIM, OTHERS = 20, 300
SETS = {"X": 8, "Y": 8, "A": 8, "B": 8, "more": 5}
PAIRS = [(f"she{i}", f"he{i}") for i in range(6)]
EQUAL = [(f"aunt{i}", f"uncle{i}") for i in range(4)]
SPECIFIC = ["queen", "king"]
KEPT = [word for pair in (*PAIRS, *EQUAL) for word in pair] + SPECIFIC
COUNT = 40  # most biased words of each side


def made() -> tuple[list[str], np.ndarray]:
    """Words and vectors (V, D) float32 of different lengths, which lean along one direction by different amounts."""
    random = np.random.default_rng(6)
    sets = [f"{name}{i}" for name, size in SETS.items() for i in range(size)]
    words = sets + KEPT + [f"w{i}" for i in range(OTHERS)]
    rows = random.normal(size=(len(words), DIM)) * np.geomspace(3, 0.5, DIM) + 0.4
    along = random.normal(size=DIM)
    lean = {"she": -2.5, "he": 2.5, "aun": -2, "unc": 2, "que": -2, "kin": 2, "X": 0.8, "Y": -0.8, "A": 0.6, "B": -0.6}
    for row, word in zip(rows, words, strict=True):
        own = next((by for name, by in lean.items() if word.startswith(name)), random.normal())
        row += own * along
    return words, rows.astype(np.float32)


def named(name: str) -> list[str]:
    """The words of a set."""
    return [f"{name}{i}" for i in range(SETS[name])]


def paired() -> tuple[list[str], list[str]]:
    """The words of the definitional pairs, side by side."""
    return [one for one, _ in PAIRS], [other for _, other in PAIRS]


def main() -> None:
    """Ask wefe, and freeze what it says."""
    import wefe
    from gensim.models import KeyedVectors
    from wefe.word_embedding_model import WordEmbeddingModel

    words, rows = made()

    def model(unit: bool = False, dtype: type = np.float64) -> WordEmbeddingModel:
        space = KeyedVectors(DIM, dtype=dtype)  # in single precision scikit-learn would compute in it
        space.add_vectors(words, rows / np.linalg.norm(rows, axis=1, keepdims=True) if unit else rows)
        return WordEmbeddingModel(space, "small")

    told = {"version": wefe.__version__, **figures(model()), **debiased(model, words)}
    FILE.write_text(json.dumps(told) + "\n", encoding="utf-8")


def figures(model) -> dict:
    """What wefe measures."""
    from sklearn.linear_model import LogisticRegression
    from wefe.metrics import ECT, MAC, RIPA, RND, RNSB, WEAT
    from wefe.query import Query

    x, y, a, b, more = (named(name) for name in SETS)
    she, he = paired()
    asked = Query([x, y], [a, b])
    solver = {"solver": "lbfgs", "tol": 1e-12, "max_iter": 100_000}
    found = {
        "weat": WEAT().run_query(asked, model),
        "rnd": RND().run_query(Query([x, y], [a]), model),
        "rnd-unit": RND().run_query(Query([x, y], [a]), model, normalize=True),
        "ripa": RIPA().run_query(Query([she, he], [a]), model),
        "ect": ECT().run_query(Query([x, y], [a + b]), model),
        "mac": MAC().run_query(Query([x, y, more], [a, b]), model),
        "rnsb": RNSB().run_query(
            Query([x, y, more], [a, b]), model, estimator=LogisticRegression, estimator_params=solver, holdout=False
        ),
    }
    return json.loads(json.dumps(found, default=float))


def debiased(model, words: list[str]) -> dict:
    """Rows of vectors that wefe debiased, of some words of every kind."""
    from sklearn.decomposition import PCA
    from wefe.debias.double_hard_debias import DoubleHardDebias
    from wefe.debias.half_sibling_regression import HalfSiblingRegression
    from wefe.debias.hard_debias import HardDebias

    single = np.float32  # the only one that wefe's HardDebias takes
    hard = HardDebias(pca_args={"n_components": 5}).fit(model(dtype=single), PAIRS, equalize_pairs=EQUAL)
    half = HalfSiblingRegression().fit(model(), KEPT, alpha=60)
    # wefe's double-hard takes the direction of vectors in their own lengths: these have length 1, as firth's.
    double = DoubleHardDebias(pca_args={"n_components": 5}, n_words=COUNT)
    double.pca_type = PCA(n_components=5, svd_solver="full")
    double.fit(model(unit=True), PAIRS, bias_representation=["he0", "she0"])
    double.target_words = double.get_target_words(model(unit=True), None, KEPT, COUNT, ["he0", "she0"])
    freed = {
        i: double._debias(double._drop_frecuency_features(i, model(unit=True))) for i in range(double.n_components)
    }
    some = [*itertools.islice(words, 0, None, 16), *KEPT]
    spaces = {"hard": hard.transform(model(dtype=single), ignore=KEPT), "half-sibling": half.transform(model())}
    found = {name: {word: _rounded(space[word]) for word in some} for name, space in spaces.items()}
    found["double-hard"] = {
        str(i): {word: _rounded(row) for word, row in itertools.islice(each.items(), 0, None, 8)}
        for i, each in freed.items()
    }
    return found


def _rounded(row) -> list[float]:
    return np.asarray(row, dtype=np.float64).round(8).tolist()


if __name__ == "__main__":
    main()
