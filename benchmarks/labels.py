"""Labels of maps: firth's placement beside textalloc's and adjustText's.

    pip install textalloc adjustText
    python -m benchmarks.labels vectors.firth

Each contender places the labels of the most frequent words beside the same dots, with the same font and in the same
area. Counted are the labels that are shown, the pairs of them that overlap by more than a pixel, the dots that they
cover, and how far they are from their dots. textalloc runs as it comes and with labels at most 3 % of the width away.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from typing import Any

import adjustText
import numpy as np
import numpy.typing as npt
import textalloc
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

import firth
from firth.plots import still, word_map
from firth.plots.labels import place_labels

Floats = npt.NDArray[np.float64]
MAPS = ((100, "stress"), (100, "pca"), (300, "pca"), (300, "tsne"))  # words, projection
LIMIT = 60  # seconds, of adjustText


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vectors")
    vectors = firth.load(parser.parse_args().vectors, firth.WordVectors)
    print("| map | who | seconds | shown | overlaps | dots covered | mean distance, pixels |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for count, method in MAPS:
        for who, seconds, boxes, anchors, own in _placed(word_map(vectors, number=count, method=method)):
            figures = " | ".join(map(str, _measured(boxes, anchors, own)))
            print(f"| {count} words, {method} | {who} | {seconds:.2f} | {len(boxes)} | {figures} |", flush=True)


def _placed(picture: Any) -> Iterator[tuple[str, float, Floats, Floats, list[int]]]:
    """Yield who placed labels, the seconds, (k, 4) boxes, (n, 2) dots, and the dot of each box."""
    seen: dict[str, Any] = {}

    def watched(points: Any, anchors: Floats, sizes: Floats, radii: Floats, box: Any, *others: Any) -> Any:
        began = time.perf_counter()
        placement = place_labels(points, anchors, sizes, radii, box, *others)
        seen.update(
            seconds=time.perf_counter() - began, place=placement, anchors=anchors, sizes=sizes, edge=np.array(box)
        )
        return placement

    still.place_labels = watched
    with still.draw(picture):
        pass
    still.place_labels = place_labels
    labels, anchors, placement = list(picture.marks[0].labels), seen["anchors"], seen["place"]
    half = (seen["sizes"] - (4, 2)) / 2  # without the room around the text
    boxes = np.hstack([placement.middles - half, placement.middles + half])[placement.shown]
    yield "firth", seen["seconds"], boxes, anchors, np.flatnonzero(placement.shown).tolist()
    near = {"max_distance": 0.03, "min_distance": 0.006, "margin": 0.003, "nbr_candidates": 500}
    for name, options in (("textalloc", {}), ("textalloc, near", near)):
        figure, axes = _axes(picture, anchors, seen["edge"])
        seconds = _timed(
            lambda axes=axes, options=options: textalloc.allocate(
                axes, *anchors.T, labels, x_scatter=anchors[:, 0], y_scatter=anchors[:, 1], textsize=still.SMALL,
                draw_all=False, **options,
            )
        )  # fmt: skip
        yield name, seconds, _boxes(figure, axes, axes.texts), anchors, [labels.index(t.get_text()) for t in axes.texts]
    figure, axes = _axes(picture, anchors, seen["edge"])
    texts = [axes.text(x, y, label, fontsize=still.SMALL) for (x, y), label in zip(anchors, labels, strict=True)]
    seconds = _timed(lambda: adjustText.adjust_text(texts, x=anchors[:, 0], y=anchors[:, 1], ax=axes, time_lim=LIMIT))
    yield "adjustText", seconds, _boxes(figure, axes, texts), anchors, list(range(len(texts)))


def _axes(picture: Any, anchors: Floats, edge: Floats) -> tuple[Any, Any]:
    figure = Figure(figsize=picture.size, dpi=still.DPI)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, *(edge / (np.array(picture.size) * still.DPI))))
    axes.set(xlim=(0, edge[0]), ylim=(0, edge[1]))
    axes.scatter(*anchors.T, s=9)
    figure.draw_without_rendering()
    return figure, axes


def _timed(run: Callable[[], Any]) -> float:
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


def _boxes(figure: Any, axes: Any, texts: Any) -> Floats:
    extents = [Text.get_window_extent(text, figure.canvas.get_renderer()) for text in texts]
    corners = np.array([[[each.x0, each.y0], [each.x1, each.y1]] for each in extents])
    return np.asarray(axes.transData.inverted().transform(corners.reshape(-1, 2)).reshape(-1, 4))


def _measured(boxes: Floats, anchors: Floats, own: list[int]) -> tuple[int, int, str]:
    """Return the overlapping pairs, the covered dots, and the mean distance of labels from their dots."""
    lower, upper = boxes[:, :2], boxes[:, 2:]
    shared = np.minimum(upper[:, None], upper) - np.maximum(lower[:, None], lower)
    overlaps = int(np.triu((shared > 1).all(axis=2), 1).sum())
    covered = int(((anchors > lower[:, None]) & (anchors < upper[:, None])).all(axis=2).sum())
    dots = anchors[own]
    distance = np.hypot(*np.maximum(0, np.maximum(lower - dots, dots - upper)).T).mean()
    return overlaps, covered, f"{distance:.0f}"


if __name__ == "__main__":
    main()
