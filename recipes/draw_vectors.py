"""Draws every kind of picture of some vectors: maps, arrows, a network, cosines, axes, curves, bias, models.

    python recipes/draw_vectors.py wiki.firth -o pictures                          # English vectors, any format
    python recipes/draw_vectors.py wiki.firth -o pictures --comparison wiki/       # also a folder of firth compare
    python recipes/draw_vectors.py wiki.firth -o docs/images --small               # pictures of the documentation

Words that the vectors lack are left out. The summary of bias is the association test of Caliskan, Bryson and Narayanan
2017 ("Semantics derived automatically from language corpora contain human-like biases"): how much nearer one list of
words is to one list of attributes than another list is, in standard deviations; with an interval by resampling words,
and the share of divisions of the words whose effect is as great (`firth.bias.weat`).
"""

import argparse
from pathlib import Path

import firth
from firth import bias, plots
from firth.comparison import read_comparison

GROUPS = {
    "animals": "cat dog horse cow sheep lion tiger wolf bear fish bird",
    "countries": "france germany italy spain japan china india brazil egypt canada",
    "jobs": "doctor nurse teacher lawyer engineer soldier farmer judge actor writer",
    "food": "bread cheese wine beer rice sugar meat milk coffee tea",
    "sciences": "physics chemistry biology mathematics geology astronomy psychology economics linguistics",
}
PAIRS = [("man", "king"), ("woman", "queen")]
CAPITALS = "france paris italy rome germany berlin spain madrid poland warsaw russia moscow"
ALIKE = "cat dog horse car truck bicycle red green blue one two three"
WOMEN, MEN = "she her woman mother", "he his man father"
JOBS = "nurse engineer doctor teacher soldier dancer singer poet model captain banker lawyer secretary chef"
PLEASANT = "love peace friend heaven happy pleasure gift honest joy wonderful"
UNPLEASANT = "abuse crash filth murder death poison hatred evil tragedy war"
CAREER = "executive management professional corporation salary office business career"
FAMILY = "home parents children family cousins marriage wedding relatives"
TESTS = {  # two lists of targets, then two of attributes; a positive effect ties the first to the first
    "flowers, insects: pleasant": (
        "rose tulip lily daisy orchid violet clover iris",
        "ant flea bee beetle wasp moth fly spider",
        PLEASANT,
        UNPLEASANT,
    ),
    "instruments, weapons: pleasant": (
        "guitar violin piano cello flute drum trumpet harp",
        "gun sword pistol rifle bomb knife cannon axe",
        PLEASANT,
        UNPLEASANT,
    ),
    "men, women: career": (
        "john paul mike kevin steve greg jeff bill",
        "amy joan lisa sarah diana kate ann donna",
        CAREER,
        FAMILY,
    ),
    "science, arts: men": (
        "science physics chemistry astronomy technology",
        "poetry art dance literature drama",
        MEN,
        WOMEN,
    ),
}


def biases(vectors):
    """The effect of each test, with its interval and p-value."""
    for name, lists in TESTS.items():
        *targets, one, other = (words.split() for words in lists)
        yield bias.weat(vectors, bias.Query.of(targets, [one, other], name)).row


def pictures(vectors, comparison=None):
    """Pictures with the names of their files."""
    groups = {name: words.split() for name, words in GROUPS.items()}
    yield "map", plots.word_map(vectors, groups=groups)
    yield "map-tsne", plots.word_map(vectors, vectors.words, method="tsne", number=300)
    yield "analogy", plots.analogy_arrows(vectors, PAIRS)
    yield (
        "capitals",
        plots.analogy_arrows(vectors, list(zip(CAPITALS.split()[::2], CAPITALS.split()[1::2], strict=True))),
    )
    yield "neighbours", plots.neighbour_network(vectors, ["river", "physics", "guitar"])
    yield "similarity", plots.similarity_heat_map(vectors, ALIKE.split())
    yield "axis", plots.word_axis(vectors, (WOMEN.split(), MEN.split()), JOBS.split())
    yield "plane", plots.word_axis(vectors, ("small", "large"), second=("wild", "tame"), groups=groups)
    yield "bias", plots.bias_summary(list(biases(vectors)))
    if comparison is None:
        yield "curve", plots.training_curves({"vectors": vectors.metadata["training"]})
        return
    comparison_table = read_comparison(comparison)
    yield "curve", plots.training_curves({row["model"]: row for row in comparison_table.rows}, relative=True)
    yield "models-time", plots.models_by_time(comparison_table)
    figures = [{**figure, "vectors": row["model"]} for row in comparison_table.rows for figure in row["figures"]]
    yield "models", plots.models_by_set(figures)


def shrink(path):
    """Make a picture small enough for a page: 900 pixels wide, at most 80 kB, in as many colours as that allows."""
    from PIL import Image  # comes with matplotlib

    with Image.open(path) as image:
        small = image.convert("RGB").resize((900, round(image.height * 900 / image.width)), Image.Resampling.LANCZOS)
    for colours in (256, 128, 64, 32, 16):
        small.quantize(colours, dither=Image.Dither.NONE, kmeans=1).save(path, optimize=True)
        if path.stat().st_size < 80_000:
            break


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Every kind of picture of some vectors.")
    parser.add_argument("vectors", help="vectors of English: a folder of firth's, or any other format")
    parser.add_argument("-o", "--output", type=Path, default=Path("pictures"), help="folder for the pictures")
    parser.add_argument("--comparison", help="a folder of firth compare, for curves and models")
    parser.add_argument("--small", action="store_true", help="900 pixels wide, in few colours")
    args = parser.parse_args(arguments)
    pictures_by_name = {}
    for name, picture in pictures(firth.load(args.vectors), args.comparison):
        path = args.output / f"plot-{name}.png"
        picture.save(path)
        if args.small:
            shrink(path)
        pictures_by_name[name] = picture
        print(f"{path}: {picture.title}", *picture.notes, sep="\n  ")
    return pictures_by_name


if __name__ == "__main__":
    main()
