"""Pointer networks on points of a plane: convex hulls and tours.

A network is trained on random points with the right answers, and judged on other points, also on larger sets than it
was trained on. Of hulls: the share of sequences that are exactly right, and the area of the polygon that was pointed at
as a share of the hull's, counting 0 for lines that cross. Of tours: their mean length, and that of the shortest ones.

    python recipes/pointer_networks.py hull -o hull.firth   # 5 to 10 points, a million sets: 25 minutes of one thread
    python recipes/pointer_networks.py tour -o tour.firth   # 5 points
    python recipes/pointer_networks.py hull --toy
"""

import argparse
import itertools
import json
from dataclasses import replace

import numpy as np
from scipy.spatial import ConvexHull

import firth


def hull_of(points):
    """Positions of the convex hull's corners, counter-clockwise from the lowest position."""
    corners = ConvexHull(points).vertices
    return np.roll(corners, -int(corners.argmin()))


def tours(size):
    """All tours from position 0, each in one of its two directions."""
    return np.array([(0, *rest) for rest in itertools.permutations(range(1, size)) if rest[0] < rest[-1]])


def lengths_of(points, order):
    """(n,) lengths of the closed tours through (n, T, 2) points in the order of (n, T) positions."""
    path = np.take_along_axis(points, order[..., None], 1)
    return np.linalg.norm(path - np.roll(path, -1, 1), axis=2).sum(1)


def shortest_tours(points):
    """(n, T) the shortest tour through each of (n, T, 2) points, by trying all."""
    every = tours(points.shape[1])
    lengths = np.stack([lengths_of(points, np.broadcast_to(tour, points.shape[:2])) for tour in every])
    return every[lengths.argmin(0)]


def instances(task, count, sizes, seed):
    """Random points of the unit square, with the right positions."""
    random = np.random.default_rng(seed)
    if task == "tour":
        points = random.random((count, sizes[0], 2))
        return list(points), list(shortest_tours(points))
    sets = [random.random((n, 2)) for n in random.integers(sizes[0], sizes[-1] + 1, count)]
    return sets, [hull_of(points) for points in sets]


def area(corners):
    """Area of a polygon (T, 2), by the shoelace formula."""
    x, y = corners.T
    return abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2


def crosses(corners):
    """Whether two sides of a polygon (T, 2) cross."""
    sides = list(zip(corners, np.roll(corners, -1, 0), strict=True))

    def left(a, b, c):
        return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])

    return any(
        left(a, b, c) * left(a, b, d) < 0 and left(c, d, a) * left(c, d, b) < 0
        for (a, b), (c, d) in itertools.combinations(sides, 2)
    )


def covered(points, positions):
    """Share of the hull's area in the polygon that was pointed at; 0 for lines that cross."""
    corners = points[positions]
    return 0.0 if len(corners) < 3 or crosses(corners) else area(corners) / area(points[hull_of(points)])


def judge(model, task, sizes, count, seed, beams):
    """Figures on new points."""
    points, right = instances(task, count, sizes, seed)
    scores = model.test(points, right, beams=beams, progress=False)
    found = model.predict(points, beams=beams)
    facts = {"task": task, "points": list(sizes), "sets": count, "beams": beams}
    facts |= {"exact": scores.exact, "low": scores.low, "high": scores.high}
    if task == "hull":
        shares = [covered(each, positions) for each, positions in zip(points, found, strict=True)]
        facts |= {"area": float(np.mean(shares)), "crossing": float(np.mean([share == 0 for share in shares]))}
    else:
        lengths = lengths_of(np.array(points), np.array(found)).mean()
        facts |= {"length": float(lengths), "shortest": float(lengths_of(np.array(points), np.array(right)).mean())}
    print(json.dumps(facts), flush=True)
    return facts


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=["hull", "tour"])
    parser.add_argument("--toy", action="store_true", help="a small network on few sets; seconds")
    parser.add_argument("-o", "--output", help="folder of the network")
    parser.add_argument("--sets", type=int, default=1_000_000, help="sets to train on")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--minutes", type=float, help="limit of the training")
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--lr", type=float, default=0.001)
    parser.add_argument("--test", type=int, default=10_000, help="sets to judge by")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--checkpoint", help="file to save the training in, to go on from")
    args = parser.parse_args(argv)
    if args.toy:
        args.sets, args.test, args.hidden, args.epochs, args.lr = 3_000, 200, 32, 5, 0.01
    sizes = {"hull": (3, 4) if args.toy else (5, 10), "tour": (4,) if args.toy else (5,)}[args.task]
    network = firth.PointerNetwork(hidden=args.hidden, order="distinct" if args.task == "hull" else "permutation")
    training = replace(network.training, epochs=args.epochs, minutes=args.minutes, lr=args.lr)
    if args.toy:
        training = replace(training, batch_size=32)
    points, right = instances(args.task, args.sets, sizes, args.seed)
    model = network.train(points, right, training=training, seed=args.seed, checkpoint=args.checkpoint)
    if args.output:
        model.save(args.output)
    results = [judge(model, args.task, sizes, args.test, args.seed + 1, beams) for beams in (1, 4)]
    if args.task == "hull":
        results.append(judge(model, args.task, (20,), args.test, args.seed + 2, 1))
    return results


if __name__ == "__main__":
    main()
