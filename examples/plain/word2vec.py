"""word2vec in one file: skip-gram and CBOW with negative sampling.

    python examples/plain/word2vec.py [TEXT] [--cbow]

Without TEXT (or with "-") it reads firth's own pages. Every word w has two vectors: v_w, used where w stands in a
context, and u_w, used where w is predicted. Training pulls v of a context word towards u of the word in the middle of
its window (the centre), and pushes it away from u of K random words (the noise). With sigma(x) = 1 / (1 + e^-x), a
centre w, its context c_1 ... c_M and its noise n_1 ... n_K, we climb

    skip-gram   J = sum_m [ log sigma(v_{c_m} . u_w) + sum_k log sigma(-v_{c_m} . u_{n_k}) ]
    CBOW        J = log sigma(h . u_w) + sum_k log sigma(-h . u_{n_k}),     h = 1/M sum_m v_{c_m}

Both are sums over pairs (h_m, u_j) of a "hidden" row and an "output" row with a sign, +1 for the centre and -1 for
noise: log sigma(sign * h . u). Skip-gram has M hidden rows a window, the v's themselves, and CBOW has one, their mean.

Source: Mikolov, Sutskever, Chen, Corrado and Dean 2013, "Distributed representations of words and phrases and their
compositionality", equation 4 and section 2.3 (subsampling); Mikolov et al. 2013, "Efficient estimation of word
representations in vector space", section 3.1 (CBOW) and 3.2 (windows of random width). Goldberg and Levy 2014 derive
the objective slowly. `firth.Word2Vec` is the fast one.
"""

import argparse
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Window = tuple[int, list[int], list[int]]  # the centre, the context, the noise: ids of words


def sigmoid(x: Floats) -> Floats:
    """Return the logistic function."""
    return 1 / (1 + np.exp(-x))


def keep_probabilities(counts: Sequence[int], sample: float) -> Floats:
    """Return (V,) probabilities that a token is read: sqrt(t / f) + t / f, f its word's frequency and t = `sample`.

    "the" says little about its neighbours, and there is so much of it. The second term is word2vec.c's.
    """
    ratio = (sample or np.inf) * sum(counts) / np.asarray(counts, float)  # t / f; a sample of 0 keeps all
    return np.minimum(1, np.sqrt(ratio) + ratio)


def noise_probabilities(counts: Sequence[int], exponent: float = 0.75) -> Floats:
    """Return (V,) probabilities of noise words, as counts^(3/4): rare words come a little more often."""
    powers = np.asarray(counts, float) ** exponent
    return np.asarray(powers / powers.sum())


def logistic(scores: Floats, signs: Floats) -> tuple[Floats, Floats]:
    """Return of each score x the loss -log sigma(sign x), and the slope of log sigma(sign x): sign sigma(-sign x).

    The slope is large where the model is wrong, and almost 0 where it is sure and right. A sign of 0 takes no part.
    """
    z = signs * scores
    return np.where(signs == 0, 0.0, np.logaddexp(0, -z)), signs * sigmoid(-z)


def gradients(h: Floats, u: Floats, signs: Floats) -> tuple[float, Floats, Floats]:
    """Return the loss -J of a window, and the derivatives of J by the hidden rows h (M, D) and output rows u (1+K, D).

    J is a sum over scores x = h_m . u_j, with dx/dh_m = u_j and dx/du_j = h_m; the chain rule does the rest.
    """
    loss, slopes = logistic(h @ u.T, signs)  # (M, 1 + K) both
    return float(loss.sum()), slopes @ u, slopes.T @ h


def train_window(v: Floats, u: Floats, window: Window, lr: float, *, cbow: bool = False) -> float:
    """Take one step up the gradient for a window, in place, and return its loss before the step."""
    centre, context, noise = window
    outputs = [centre, *noise]
    # Noise that is the centre itself takes no part: it would ask for both signs at once.
    signs = np.array([1.0, *[0.0 if word == centre else -1.0 for word in noise]])
    h = v[context].mean(0, keepdims=True) if cbow else v[context]  # (1, D) or (M, D)
    loss, dh, du = gradients(h, u[outputs], signs)
    # add.at, not +=: a word that stands twice in the window gets both of its gradients. In CBOW every context word gets
    # the whole gradient of the mean, as in word2vec.c; the true one is divided by M.
    np.add.at(v, context, lr * dh)
    np.add.at(u, outputs, lr * du)
    return loss


def windows(
    ids: Sequence[int], keep: Floats, noise: Floats, rng: np.random.Generator, window: int = 5, negative: int = 5
) -> Iterator[Window]:
    """Yield the windows of a sentence of word ids, after subsampling."""
    kept = [word for word in ids if rng.random() < keep[word]]
    cumulative = np.cumsum(noise)
    for t, centre in enumerate(kept):
        reach = int(rng.integers(1, window + 1))  # near words count more: they are in more of the windows
        context = kept[max(0, t - reach) : t] + kept[t + 1 : t + reach + 1]
        if context:
            draws = np.searchsorted(cumulative, rng.random(negative), side="right")  # (K,) by their probabilities
            yield centre, context, np.minimum(draws, len(noise) - 1).tolist()


def train(
    sentences: Sequence[Sequence[int]], counts: Sequence[int], dim: int = 50, epochs: int = 3, *, cbow: bool = False
) -> tuple[Floats, Floats]:
    """Return the input vectors v and the output vectors u, (V, D) each."""
    rng, lr = np.random.default_rng(0), 0.05
    v, u = (rng.random((len(counts), dim)) * 2 - 1) / dim, np.zeros((len(counts), dim))
    keep, noise = keep_probabilities(counts, 1e-3), noise_probabilities(counts)
    for epoch in range(epochs):
        loss, size = 0.0, 0
        for number, ids in enumerate(sentences):
            rate = lr * (1 - (epoch + number / len(sentences)) / epochs)  # falls in a straight line
            for window in windows(ids, keep, noise, rng):
                loss += train_window(v, u, window, rate, cbow=cbow)
                size += 1 if cbow else len(window[1])
        print(f"epoch {epoch + 1}: loss {loss / max(size, 1):.4f} nats a prediction")  # begins at 6 log 2 = 4.16
    return v, u


def neighbours(v: Floats, word: int, count: int = 6) -> list[int]:
    """Return the words whose vectors have the largest cosines with that of a word."""
    directions = v / np.linalg.norm(v, axis=1, keepdims=True)
    return list(np.argsort(-directions @ directions[word])[1 : count + 1])  # the first is the word itself


def main(arguments: Sequence[str] | None = None) -> None:
    """Train on a text and print the neighbours of frequent words."""
    parser = argparse.ArgumentParser()
    parser.add_argument("text", nargs="?", default="-", help="a text, a sentence a line; default: firth's pages")
    parser.add_argument("--cbow", action="store_true", help="CBOW in place of skip-gram")
    options = parser.parse_args(arguments)
    pages = Path(__file__).resolve().parents[2]
    paths = [pages / "README.md", *sorted(pages.glob("docs/tasks/*.md"))] if options.text == "-" else [options.text]
    lines = [line for path in paths for line in Path(path).read_text(encoding="utf-8").lower().splitlines()]
    sentences = [re.findall(r"[^\W\d_]+", line) for line in lines]
    counted = Counter(word for sentence in sentences for word in sentence).most_common()
    words = [word for word, count in counted if count >= 5]
    ids = {word: number for number, word in enumerate(words)}
    numbers = [[ids[word] for word in sentence if word in ids] for sentence in sentences]
    counts = [count for _, count in counted[: len(words)]]
    print(f"{sum(counts):,} tokens of {len(words):,} words")
    v, _ = train(numbers, counts, cbow=options.cbow)
    for word in words[20:200:15]:
        print(f"{word:>12}: {', '.join(words[row] for row in neighbours(v, ids[word]))}")


if __name__ == "__main__":
    main()
