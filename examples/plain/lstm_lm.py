"""An LSTM language model of characters in one file, with its gradients written out.

    python examples/plain/lstm_lm.py [TEXT]

Without TEXT (or with "-") it reads firth's own pages. At each step t the network reads character w_t and predicts the
next. What it knows of the text so far is in two vectors, the state h and the cell c. Three gates between 0 and 1
decide, number by number, what enters the cell (i), what stays in it (f), and what of it is shown (o):

    x = E[w_t]                                     the vector of the character
    i, f, g, o = W x + R h_{t-1} + b               cut into four; then sigma of i, f and o, and tanh of g
    c_t = f c_{t-1} + i g,    h_t = o tanh(c_t)    products number by number
    p(. | w_1 ... w_t) = softmax(U h_t + d),       loss = mean of -log p(w_{t+1} | w_1 ... w_t)

The cell is what makes it learn: c_{t-1} reaches c_t by a product with f alone, so that with f near 1 the gradient comes
back through many steps without fading. Each line of `forward` has its derivative in `backward`, in reverse order. The
text is cut into B streams, read side by side, T characters at a time (truncated back-propagation through time): the
state goes on to the next T characters, the gradient does not go back to the last.

Source: Hochreiter and Schmidhuber 1997, "Long short-term memory"; Gers, Schmidhuber and Cummins 2000 (the gate f);
Zaremba, Sutskever and Vinyals 2014 for language models; Kingma and Ba 2015, "Adam". The fast one: `firth.RecurrentLM`.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Weights = dict[str, Floats]
State = tuple[Floats, Floats]  # h and c, (B, H) each
Step = tuple[Floats, ...]  # what `backward` needs of a step, in the order in which `step` computes it


def sigmoid(z: Floats) -> Floats:
    """Return the logistic function."""
    return 1 / (1 + np.exp(-z))


def softmax(z: Floats) -> Floats:
    """Return exp(z) over its sum in each row; the largest is taken away first, so that nothing overflows."""
    e = np.exp(z - z.max(1, keepdims=True))
    return np.asarray(e / e.sum(1, keepdims=True))


def step(w: Weights, ids: Ints, state: State) -> tuple[State, Step]:
    """Read (B,) characters; the last of the step are the (B, V) probabilities of the next ones."""
    h, c = state
    x = w["E"][ids]  # (B, D)
    i, f, g, o = np.split(x @ w["W"].T + h @ w["R"].T + w["b"], 4, axis=1)  # (B, 4 H), then (B, H) four times
    i, f, g, o = sigmoid(i), sigmoid(f), np.tanh(g), sigmoid(o)
    new_c = f * c + i * g
    tanh_c = np.tanh(new_c)
    new_h = o * tanh_c
    return (new_h, new_c), (x, h, c, i, f, g, o, tanh_c, new_h, softmax(new_h @ w["U"].T + w["d"]))


def forward(w: Weights, ids: Ints, targets: Ints, state: State) -> tuple[float, list[Step], State]:
    """Return the mean loss of (B, T) characters, given (B, T) next ones; the steps; and the state at the end."""
    steps, loss = [], 0.0
    for t in range(ids.shape[1]):
        state, s = step(w, ids[:, t], state)
        loss -= float(np.log(s[-1][np.arange(len(ids)), targets[:, t]]).sum())
        steps.append(s)
    return loss / ids.size, steps, state


def backward(w: Weights, ids: Ints, targets: Ints, steps: list[Step]) -> Weights:
    """Return the derivatives of the loss with respect to all weights; dz stands for dloss/dz."""
    d = {name: np.zeros_like(array) for name, array in w.items()}
    dh, dc = np.zeros_like(steps[0][1]), np.zeros_like(steps[0][2])  # what later steps want of h and c; so far, nothing
    for t in reversed(range(len(steps))):
        x, h, c, i, f, g, o, tanh_c, new_h, p = steps[t]
        dz = p.copy()  # softmax and logarithm together: p - 1 at the target, p elsewhere
        dz[np.arange(len(ids)), targets[:, t]] -= 1
        dz /= ids.size
        d["U"] += dz.T @ new_h
        d["d"] += dz.sum(0)
        dh = dh + dz @ w["U"]
        dc = dc + dh * o * (1 - tanh_c**2)  # h = o tanh(c), and tanh' = 1 - tanh^2
        di, df, dg, do = dc * g, dc * c, dc * i, dh * tanh_c
        # sigma' = sigma (1 - sigma); (B, 4 H) in the order of W's rows
        da = np.hstack([di * i * (1 - i), df * f * (1 - f), dg * (1 - g**2), do * o * (1 - o)])
        d["W"] += da.T @ x
        d["R"] += da.T @ h
        d["b"] += da.sum(0)
        np.add.at(d["E"], ids[:, t], da @ w["W"])  # add.at: a character may stand in several rows
        dh, dc = da @ w["R"], dc * f  # for the step before
    return d


def train(ids: Ints, V: int, B: int = 16, T: int = 32, D: int = 32, H: int = 100, epochs: int = 4) -> Weights:
    """Return weights trained by Adam."""
    rng = np.random.default_rng(0)
    shapes = {"E": (V, D), "W": (4 * H, D), "R": (4 * H, H), "b": (4 * H,), "U": (V, H), "d": (V,)}
    w = {name: rng.uniform(-1, 1, shape) / np.sqrt(H) for name, shape in shapes.items()}
    means, squares = ({name: np.zeros_like(array) for name, array in w.items()} for _ in range(2))
    length = (len(ids) - 1) // B
    streams, targets = (ids[k : k + B * length].reshape(B, length) for k in (0, 1))  # targets are one further on
    total = 0
    for epoch in range(epochs):
        state, losses = (np.zeros((B, H)), np.zeros((B, H))), []
        for start in range(0, length, T):
            part = slice(start, start + T)
            loss, steps, state = forward(w, streams[:, part], targets[:, part], state)
            losses.append(loss)
            total += 1
            for name, gradient in backward(w, streams[:, part], targets[:, part], steps).items():
                # Adam: the mean gradient over the root of its mean square, both corrected for their start at 0.
                means[name] += 0.1 * (gradient - means[name])
                squares[name] += 0.01 * (gradient**2 - squares[name])
                m, v = means[name] / (1 - 0.9**total), squares[name] / (1 - 0.99**total)
                w[name] -= 0.01 * m / (np.sqrt(v) + 1e-8)
        print(f"epoch {epoch + 1}: loss {np.mean(losses):.3f} nats a character")
    return w


def generate(w: Weights, first: int, length: int, rng: np.random.Generator) -> list[int]:
    """Draw characters one by one, each read before the next is drawn."""
    ids, state = [first], (np.zeros((1, w["R"].shape[1])), np.zeros((1, w["R"].shape[1])))
    for _ in range(length):
        state, s = step(w, np.array(ids[-1:]), state)
        ids.append(int(rng.choice(len(s[-1][0]), p=s[-1][0])))
    return ids


def main(arguments: Sequence[str] | None = None) -> None:
    """Train on the first 100,000 characters of a text, and write some."""
    name = [*(sys.argv[1:] if arguments is None else arguments), "-"][0]
    root = Path(__file__).resolve().parents[2]
    paths = [root / "README.md", *sorted(root.glob("docs/tasks/*.md"))] if name == "-" else [Path(name)]
    if not all(path.is_file() and path.stat().st_size for path in paths):
        sys.exit(f"{name}: missing or empty; expected a text in UTF-8")
    text = "\n".join(path.read_text(encoding="utf-8") for path in paths)[:100_000]
    characters = sorted(set(text))
    ids = np.array([characters.index(character) for character in text])
    w = train(ids, len(characters))
    print("".join(characters[i] for i in generate(w, int(ids[0]), 400, np.random.default_rng(0))))


if __name__ == "__main__":
    main()
