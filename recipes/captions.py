"""Captions of generated scenes: one to four shapes with colours, sizes and relations.

A scene has shapes in different cells of a 4 x 4 grid, moved a little inside their cells, on a noisy background; 48 x 48
pixels. Its features are those of a fixed random convolution, 128 filters of 5 x 5 pixels: their mean and their maximum
in each of the 16 cells, as 64 principal components of equal variance (without that, the first vary thousands of times
as much as those that tell shapes). Five captions name its shapes, from the left to the right, two and two with their
relation; templates, synonyms and the order of a pair vary. Figures, on other scenes: of the attributes (size, colour,
shape) of all shapes the share that the caption names right, extra shapes counted as wrong; the share of stated
relations that hold; BLEU-4 against five captions. The control gives each image's caption to another image. `--plot`
draws where the decoder looks at each word.

    python recipes/captions.py -o captioner.firth             # a quarter of an hour of one slow core
    python recipes/captions.py --gate-bias --attention none   # other kinds of conditioning
    python recipes/captions.py --toy
"""

import argparse
import functools
import itertools
import json
from dataclasses import dataclass, replace

import numpy as np
import sacrebleu

import firth

SIDE, CELL = 4, 12  # cells of a side, pixels of a cell's side
FILTERS, DIM = 128, 64  # of the convolution, features per cell
COLOURS = {
    "red": (0.9, 0.1, 0.1), "green": (0.1, 0.7, 0.2), "blue": (0.15, 0.25, 0.9), "yellow": (0.95, 0.9, 0.1),
    "white": (1.0, 1.0, 1.0), "purple": (0.6, 0.15, 0.7),
}  # fmt: skip
SHAPES = ("circle", "square", "triangle", "cross")
SIZES = {"small": 3, "large": 5}  # half of the width in pixels
SYNONYMS = {
    "small": ("small", "little"), "large": ("large", "big"), "left of": ("left of", "to the left of"),
    "right of": ("right of", "to the right of"), "above": ("above", "over"), "below": ("below", "under"),
}  # fmt: skip
INVERSE = {"left of": "right of", "right of": "left of", "above": "below", "below": "above"}
BEGINNINGS = (
    "", "there is {}", "the picture shows {}", "you can see {}", "we find {}", "here is {}", "look at {}",
    "in this scene is {}",
)  # fmt: skip
JOINTS = (" , and ", " ; then ", " and also ", " , with ", " . there is also ")


@dataclass(frozen=True)
class Thing:
    """A shape at a cell (row, column)."""

    size: str
    colour: str
    shape: str
    row: int
    column: int

    @property
    def attributes(self):
        return self.size, self.colour, self.shape


def scene(random):
    """Things from the left to the right, the upper first."""
    count = int(random.integers(1, 5))
    cells = sorted(random.choice(SIDE * SIDE, count, replace=False), key=lambda cell: (cell % SIDE, cell // SIDE))
    names = (tuple(SIZES), tuple(COLOURS), SHAPES)
    return [Thing(*(str(random.choice(each)) for each in names), int(cell) // SIDE, int(cell) % SIDE) for cell in cells]


def inside(shape, x, y, half):
    """Where a shape is, given places around its centre."""
    square = (abs(x) <= half) & (abs(y) <= half)
    if shape == "circle":
        return x**2 + y**2 <= (half + 0.3) ** 2
    if shape == "triangle":
        return square & (abs(x) <= (y + half) / 2)
    return square & ((abs(x) <= half / 3) | (abs(y) <= half / 3)) if shape == "cross" else square


def render(things, random):
    """(48, 48, 3) pixels from 0 to 1."""
    pixels = 0.4 + random.normal(0, 0.03, (SIDE * CELL, SIDE * CELL, 3))
    places = np.arange(SIDE * CELL)
    for thing in things:
        half = SIZES[thing.size]
        spare = CELL // 2 - half  # of the cell
        y, x = (
            place * CELL + (CELL - 1) / 2 + random.integers(-spare, spare + 1) for place in (thing.row, thing.column)
        )
        mask = inside(thing.shape, places[None] - x, places[:, None] - y, half)
        pixels[mask] = np.array(COLOURS[thing.colour]) + random.normal(0, 0.03, (int(mask.sum()), 3))
    return pixels


def filtered(pixels):
    """(16, 256) what random filters find in each cell, on average and at most."""
    size = 5
    filters = np.random.default_rng(0).normal(0, 1 / size, (size * size * 3, FILTERS)).astype(np.float32)
    grid = (pixels - 0.4).reshape(SIDE, CELL, SIDE, CELL, 3).swapaxes(1, 2).reshape(-1, CELL, CELL, 3)
    patches = np.lib.stride_tricks.sliding_window_view(grid.astype(np.float32), (size, size), axis=(1, 2))
    found = np.maximum(patches.reshape(SIDE * SIDE, -1, 3 * size * size) @ filters, 0)
    return np.concatenate([found.mean(1), found.max(1)], 1)


@functools.cache
def principal():
    """Mean of filtered cells, and (256, 64) their principal components, each divided by its deviation."""
    random = np.random.default_rng(1_000_000)
    found = np.concatenate([filtered(render(scene(random), random)) for _ in range(500)]).astype(np.float64)
    variances, components = np.linalg.eigh(np.cov(found.T))  # ascending
    return found.mean(0), (components / np.sqrt(variances.clip(1e-12)))[:, -DIM:]


def cells(pixels):
    """(16, 64) features of the cells."""
    mean, components = principal()
    return ((filtered(pixels) - mean) @ components).astype(np.float32)


def relation(one, other):
    """Where one thing is from another: by the longer distance, sideways if both are equal."""
    down, right = one.row - other.row, one.column - other.column
    if abs(right) >= abs(down):
        return "left of" if right < 0 else "right of"
    return "above" if down < 0 else "below"


def caption(things, random):
    """One caption, in words at random."""

    def said(name):
        options = SYNONYMS.get(name, (name,))
        return options[int(random.integers(len(options)))]

    def named(thing):
        return f"a {said(thing.size)} {thing.colour} {thing.shape}"

    parts = []
    for first in range(0, len(things), 2):
        pair = things[first : first + 2]
        if len(pair) == 2 and random.random() < 0.3:
            pair = pair[::-1]
        parts.append(f" {said(relation(*pair)) if len(pair) == 2 else ''} ".join(map(named, pair)))
    text = JOINTS[int(random.integers(len(JOINTS)))].join(parts)
    return (BEGINNINGS[int(random.integers(len(BEGINNINGS)))] or "{}").format(text)


def generated(count, seed, captions=5):
    """Scenes, their features (N, 16, 64), and captions of each."""
    random = np.random.default_rng(seed)
    scenes = [scene(random) for _ in range(count)]
    features = np.stack([cells(render(things, random)) for things in scenes])
    return scenes, features, [[caption(things, random) for _ in range(captions)] for things in scenes]


def read(text):
    """Attributes of the shapes that a caption names, and (number, relation, number) of those that it relates."""
    plain = {other: name for name, others in SYNONYMS.items() for other in others}
    words = text.replace("to the left", "left").replace("to the right", "right").split()
    found, relations, between = [], [], []
    for place, word in enumerate(words):
        if word in SHAPES and place >= 2:
            found.append((plain.get(words[place - 2], words[place - 2]), words[place - 1], word))
            related = [
                plain[each] for each in (" ".join(between), " ".join(between[:2]), *between[:1]) if each in plain
            ]
            if related and related[0] in INVERSE and len(found) > 1:
                relations.append((len(found) - 2, related[0], len(found) - 1))
            between = []
        elif found:
            between.append(word)
    return found, relations


def judged(things, text):
    """Attributes that are right, all attributes, relations that hold, all relations; of the best assignment."""
    found, relations = read(text)
    size = max(len(things), len(found))
    best = (0, 0)
    for order in itertools.permutations(range(size)):  # thing i is described by shape order[i]
        pairs = [(thing, place) for thing, place in zip(things, order, strict=False) if place < len(found)]
        right = sum(sum(map(str.__eq__, thing.attributes, found[place])) for thing, place in pairs)
        at = {place: thing for thing, place in pairs}
        holds = sum(a in at and b in at and relation(at[a], at[b]) == name for a, name, b in relations)
        best = max(best, (right, holds))
    return best[0], 3 * size, best[1], len(relations)


def figures(model, count, seed, beams):
    """Figures on new scenes, and of captions given to other images."""
    scenes, features, references = generated(count, seed)
    found = [each.text for each in model.caption(features, beam=beams)]
    shuffled = np.roll(found, 1).tolist()
    for name, texts in (("images", found), ("shuffled images", shuffled)):
        right, attributes, holds, relations = np.sum(
            [judged(*each) for each in zip(scenes, texts, strict=True)], axis=0
        )
        bleu = sacrebleu.corpus_bleu(texts, list(map(list, zip(*references, strict=True))), tokenize="none", force=True)
        yield {
            "captions of": name, "scenes": count, "beams": beams, "attributes": round(100 * right / attributes, 2),
            "relations": round(100 * holds / max(relations, 1), 2), "bleu": round(bleu.score / 100, 3),
        }  # fmt: skip


def plot(model, path, seed):
    """Draw where the decoder looks at each word of the caption of a scene."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    random = np.random.default_rng(seed)
    things = next(each for each in iter(lambda: scene(random), None) if len(each) == 3)
    pixels = render(things, random)
    (one,) = model.caption(cells(pixels)[None], return_attention=True)
    columns = 6
    rows = -(-(len(one.tokens) + 1) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(2 * columns, 2.2 * rows))
    for axis in axes.flat:
        axis.axis("off")
    axes.flat[0].imshow(pixels.clip(0, 1))
    axes.flat[0].set_title("scene")
    for axis, token, weights in zip(axes.flat[1:], one.tokens, one.attention, strict=False):
        shade = np.kron(weights.reshape(SIDE, SIDE), np.ones((CELL, CELL)))
        axis.imshow(pixels.clip(0, 1) * (0.25 + 0.75 * shade[..., None] / weights.max()))
        axis.set_title(token)
    figure.savefig(path, dpi=80, bbox_inches="tight")


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--toy", action="store_true", help="few scenes and a small model; seconds")
    parser.add_argument("-o", "--output", help="folder of the model")
    parser.add_argument("--scenes", type=int, default=4000, help="to train on")
    parser.add_argument("--test", type=int, default=500, help="scenes to judge by")
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--minutes", type=float, help="limit of the training")
    parser.add_argument("--hidden", type=int, default=128)
    parser.add_argument("--lr", type=float, default=0.004)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--no-initial-state", action="store_true")
    parser.add_argument("--gate-bias", action="store_true")
    parser.add_argument("--attention", default="additive")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--checkpoint", help="file to save the training in, to go on from")
    parser.add_argument("--plot", help="picture to write")
    args = parser.parse_args(argv)
    if args.toy:
        args.scenes, args.test, args.epochs, args.hidden = 60, 20, 3, 32
    options = firth.Captioner(
        hidden=args.hidden,
        initial_state=not args.no_initial_state,
        gate_bias=args.gate_bias,
        attention=args.attention,
        dropout=args.dropout,
    )
    training = replace(
        options.training, epochs=args.epochs, lr=args.lr, batch_size=args.batch_size, minutes=args.minutes
    )
    _, features, captions = generated(args.scenes, args.seed)
    model = options.train(features, captions, training=training, seed=args.seed, checkpoint=args.checkpoint)
    if args.output:
        model.save(args.output)
    if args.plot:
        plot(model, args.plot, args.seed + 2)
    results = []
    for row in figures(model, args.test, args.seed + 1, 1 if args.toy else 5):
        seconds = round(model.metadata["training"]["seconds"])
        results.append({**row, "training_seconds": seconds})
        print(json.dumps(results[-1]), flush=True)
    return results


if __name__ == "__main__":
    main()
