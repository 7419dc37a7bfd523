"""A restricted Boltzmann machine of digits: features for a linear model, and likelihood beside independent units.

The digits are those that scikit-learn holds, 8 x 8 pixels. Features: each digit also moved by a pixel in four
directions, pixels as probabilities, as in scikit-learn's example; logistic regression on pixels, on our features, and
on those of scikit-learn's BernoulliRBM with the same sizes. Likelihood: a unit per pixel, on where the pixel is darker
than half, or three units per pixel for four levels of grey; log Z by annealed importance sampling, with its interval.
Beside it, the likelihood of independent units, and of independent pixels with two or four levels.

    python recipes/digits_rbm.py
    python recipes/digits_rbm.py --speed        # seconds of an epoch of both, in turns
    python recipes/digits_rbm.py --toy
"""

import argparse
import json
import statistics
import time

import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.neural_network import BernoulliRBM

import firth
from firth.sklearn import RBMFeatures


def moved(rows):
    """Images and what is moved by a pixel: left, right, up, down."""
    images = np.pad(rows.reshape(-1, 8, 8), ((0, 0), (1, 1), (1, 1)))
    places = ((1, 1), (1, 2), (1, 0), (2, 1), (0, 1))
    return np.concatenate([images[:, y : y + 8, x : x + 8].reshape(-1, 64) for y, x in places])


def features(args):
    """Accuracy of logistic regression on pixels and on features, one row per seed."""
    pixels, labels = load_digits(return_X_y=True)
    rows, labels = moved(pixels / 16).astype(np.float32), np.tile(labels, 5)
    if args.toy:
        rows, labels = rows[::10], labels[::10]
    for seed in range(args.seeds):
        train, test, train_labels, test_labels = train_test_split(rows, labels, test_size=0.2, random_state=seed)
        how = {"random_state": seed}
        models = {
            "ours": RBMFeatures(hidden=args.hidden, epochs=args.epochs, lr=args.lr, **how),
            "scikit-learn": BernoulliRBM(n_components=args.hidden, n_iter=args.epochs, learning_rate=args.lr, **how),
        }
        value = score(train, train_labels, test, test_labels, 100)
        yield {"task": "accuracy", "seed": seed, "model": "pixels", "value": value}
        for name, model in models.items():
            encoded = model.fit_transform(train)
            value = score(encoded, train_labels, model.transform(test), test_labels, 6000)
            yield {"task": "accuracy", "seed": seed, "model": name, "value": value}


def score(train, labels, test, test_labels, strength):
    """Accuracy in per cent; the inverse penalties are those of scikit-learn's example, here fitted to convergence."""
    model = LogisticRegression(C=strength, solver="lbfgs", max_iter=5000).fit(train, labels)
    return round(100 * model.score(test, test_labels), 2)


def likelihood(args):
    """Nats per digit of test digits: independent units and pixels, and machines."""
    pixels = load_digits().data
    pixels = pixels[np.random.default_rng(0).permutation(len(pixels))]
    for thresholds in ((7,), (3, 7, 11)):
        rows = (pixels[:, :, None] > np.array(thresholds)).astype(np.float32)
        (train, test), levels = np.split(rows.reshape(len(rows), -1), [1500]), rows.sum(2).astype(int)
        for algorithm in ("cd", "pcd"):
            options = firth.RBM(hidden=args.hidden, algorithm=algorithm, epochs=args.likelihood_epochs, lr=0.05)
            machine = options.train(train, progress=False)
            estimate = machine.annealed_log_partition(temperatures=100 if args.toy else 10_000)
            value = float(machine.log_likelihood(test, log_partition=estimate).mean())
            yield {
                "task": "likelihood", "model": algorithm, "levels": len(thresholds) + 1, "value": round(value, 2),
                "independent_units": round(float(machine.independent_log_likelihood(test).mean()), 2),
                "independent_pixels": round(independent_pixels(levels[:1500], levels[1500:], len(thresholds) + 1), 2),
                "log_partition": [round(each, 2) for each in (estimate.value, estimate.low, estimate.high)],
                "seconds": round(machine.metadata["training"]["seconds"], 1),
            }  # fmt: skip


def independent_pixels(train, test, levels):
    """Nats per digit if each pixel has one of its levels, independently of the others."""
    counts = np.stack([(train == level).sum(0) for level in range(levels)]) + 1
    return float(np.take_along_axis(np.log(counts / counts.sum(0)), test, 0).sum(1).mean())


def speed(args):
    """Median seconds of an epoch, both in turns."""
    for kind in (np.float32, np.float64):
        rows = moved(load_digits().data / 16).astype(kind)
        for hidden in (100, 256):
            seconds = {"ours": [], "scikit-learn": []}
            for _ in range(args.rounds):
                for name, model in (
                    ("ours", RBMFeatures(hidden=hidden, epochs=1, algorithm=args.algorithm)),
                    ("scikit-learn", BernoulliRBM(n_components=hidden, n_iter=1)),
                ):
                    began = time.perf_counter()
                    model.fit(rows)
                    seconds[name].append(time.perf_counter() - began)
            ours, theirs = (statistics.median(each[1:]) for each in seconds.values())
            yield {
                "task": "speed", "hidden": hidden, "dtype": np.dtype(kind).name, "ours": round(ours, 4),
                "scikit-learn": round(theirs, 4), "ratio": round(theirs / ours, 2),
            }  # fmt: skip


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hidden", type=int, default=100)
    parser.add_argument("--epochs", type=int, default=10, help="of the features")
    parser.add_argument("--lr", type=float, default=0.06, help="of the features")
    parser.add_argument("--likelihood-epochs", type=int, default=500)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--speed", action="store_true", help="speed only")
    parser.add_argument("--algorithm", choices=("cd", "pcd"), default="pcd", help="of ours; scikit-learn has pcd only")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--toy", action="store_true", help="few digits, seconds")
    args = parser.parse_args(arguments)
    if args.toy:
        args.seeds, args.likelihood_epochs, args.hidden = 1, 20, 30
    rows = []
    for row in speed(args) if args.speed else (each for part in (features, likelihood) for each in part(args)):
        rows.append(row)
        print(json.dumps(row), flush=True)
    return rows


if __name__ == "__main__":
    main()
