"""`firth plot KIND`: vectors and figures as pictures, and as numbers for whoever draws them otherwise."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from firth import plots
from firth.alignment.alignment import load_alignment
from firth.alignment.change import Change
from firth.cli.flags import add_command
from firth.cli.output import AsJson, note, print_json
from firth.cli.queries import Vectors
from firth.cli.senses import SenseFile, load_senses
from firth.cli.targets import check_writable
from firth.cli.word_lists import lines, read_groups, read_objects, read_poles, read_words
from firth.comparison import saved
from firth.errors import OptionError
from firth.plots.map import USUAL
from firth.plots.saving import check_target, missing_letters
from firth.vectors.io import load, load_vectors, load_words

Words = Annotated[list[str] | None, typer.Argument(help="Words to draw.", show_default=False, metavar="WORD")]
WordFile = Annotated[
    str | None, typer.Option("--words", help="File of words to draw, one a line; - for standard input.", metavar="FILE")
]
GroupFile = Annotated[
    str | None,
    typer.Option(
        "--groups", help="File that colours words: a word, a tab and its group a line, or JSON.", metavar="FILE"
    ),
]
Title = Annotated[str | None, typer.Option(help="Line above; by default it says what is shown.")]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="File to draw: .png, .svg, .pdf or .html.", show_default=False, metavar="FILE"),
]
NAME_SOME = "no words to draw: name some, or give --words FILE or --groups FILE"


def word_map(
    vectors: Vectors,
    words: Words = None,
    word_file: WordFile = None,
    group_file: GroupFile = None,
    method: Annotated[
        str | None,
        typer.Option(
            help="How vectors come onto the plane; by default stress for up to 200 words, pca for more.",
            metavar="pca|stress|tsne|umap",
        ),
    ] = None,
    number: Annotated[
        int | None,
        typer.Option("--number", "-n", help="Most words to draw, the most frequent; by default 1,000 of those given."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of tsne and umap.")] = 0,
    title: Title = None,
    output: Output = None,
    json: AsJson = False,
) -> None:
    """Draw a map: words near each other when their vectors are.

    Words are those named, those of --words, or those of --groups; with --number alone, the most frequent.
    """
    _check(output, json)
    given, groups = _words(words, word_file), _groups(group_file)
    if not given and groups is None and number is None:
        raise OptionError(f"{NAME_SOME}, or --number N for the N most frequent")
    space = load_vectors(vectors)
    if not given and groups is None:
        given = space.words
    picture = plots.word_map(
        space, given, groups=groups, method=method, number=USUAL if number is None else number, seed=seed, title=title
    )
    _deliver(picture, output, json)


def analogy(
    vectors: Vectors,
    words: Annotated[
        list[str] | None,
        typer.Argument(help="Pairs: man king woman queen.", show_default=False, metavar="A B"),
    ] = None,
    word_file: Annotated[
        str | None, typer.Option("--words", help="File of two words a line; - for standard input.", metavar="FILE")
    ] = None,
    title: Title = None,
    output: Output = None,
    json: AsJson = False,
) -> None:
    """Draw pairs of words as arrows, which run in parallel where the vectors know what the pairs share."""
    _check(output, json)
    flat = list(words or [])
    if len(flat) % 2:
        raise OptionError(f"{len(flat)} words: expected pairs, such as man king woman queen")
    pairs = [(flat[i], flat[i + 1]) for i in range(0, len(flat), 2)]
    for number, line in lines(word_file) if word_file else ():
        parts = line.split()
        if len(parts) != 2:
            raise OptionError(f"{word_file} line {number}: {line[:60]!r}; expected two words")
        pairs.append((parts[0], parts[1]))
    _deliver(plots.analogy_arrows(load_vectors(vectors), pairs, title=title), output, json)


def neighbours(
    vectors: Vectors,
    words: Words = None,
    word_file: WordFile = None,
    number: Annotated[int, typer.Option("--number", "-n", help="Neighbours of each word.")] = 8,
    hops: Annotated[int, typer.Option(help="1 for neighbours, 2 for those of neighbours too.")] = 1,
    title: Title = None,
    output: Output = None,
    json: AsJson = False,
) -> None:
    """Draw words and their nearest neighbours as a network: the thicker a line, the greater the cosine."""
    _check(output, json)
    given = _some(_words(words, word_file))
    picture = plots.neighbour_network(load_vectors(vectors), given, number=number, hops=hops, title=title)
    _deliver(picture, output, json)


def senses(
    vectors: SenseFile,
    words: Words = None,
    word_file: WordFile = None,
    number: Annotated[int, typer.Option("--number", "-n", help="Neighbours of each sense.")] = 8,
    method: Annotated[
        str | None, typer.Option(help="How vectors come onto the plane.", metavar="pca|stress|tsne|umap")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of tsne and umap.")] = 0,
    title: Title = None,
    output: Output = None,
    json: AsJson = False,
) -> None:
    """Draw the senses of words, each among its own neighbours and in a colour of its own."""
    _check(output, json)
    given = _some(_words(words, word_file))
    picture = plots.sense_map(load_senses(vectors), given, number=number, method=method, seed=seed, title=title)
    _deliver(picture, output, json)


def sense_words(
    vectors: SenseFile,
    word: Annotated[str, typer.Argument(help="Word whose senses to draw.", show_default=False, metavar="WORD")],
    number: Annotated[int, typer.Option("--number", "-n", help="Words of each sense.")] = 8,
    among: Annotated[int, typer.Option(help="Look through so many of the first words, the commonest.")] = 20_000,
    title: Title = None,
    output: Output = None,
    json: AsJson = False,
) -> None:
    """Draw the senses of a word, each with the words nearest to it as bars."""
    _check(output, json)
    picture = plots.sense_words(load_senses(vectors), word, number=number, among=among, title=title)
    _deliver(picture, output, json)


def similarity(
    vectors: Vectors,
    words: Words = None,
    word_file: WordFile = None,
    group_file: GroupFile = None,
    order: Annotated[
        str, typer.Option(help="Like words side by side, or as they are given.", metavar="clusters|given")
    ] = "clusters",
    title: Title = None,
    output: Output = None,
    json: AsJson = False,
) -> None:
    """Draw how alike words are, all against all, as a heat map of cosines."""
    _check(output, json)
    given, groups = _words(words, word_file), _groups(group_file)
    if groups is None:
        _some(given)
    picture = plots.similarity_heat_map(load_vectors(vectors), given, groups=groups, order=order, title=title)
    _deliver(picture, output, json)


def axis(
    vectors: Vectors,
    words: Words = None,
    poles: Annotated[
        list[str] | None,
        typer.Option(
            "--poles",
            help="Two poles, each a word or several between commas: woman:man, she,her:he,him. Twice for a plane.",
            show_default=False,
            metavar="A:B",
        ),
    ] = None,
    word_file: WordFile = None,
    group_file: GroupFile = None,
    number: Annotated[int, typer.Option("--number", "-n", help="Most words to draw, the most frequent.")] = USUAL,
    title: Title = None,
    output: Output = None,
    json: AsJson = False,
) -> None:
    """Draw where words stand between two poles, or in the plane of two such axes."""
    _check(output, json)
    given, groups = _words(words, word_file), _groups(group_file)
    if groups is None:
        _some(given)
    ends = [read_poles(one) for one in poles or []]
    if len(ends) not in (1, 2):
        raise OptionError(f"{len(ends)} axes: expected --poles A:B once, or twice for a plane")
    picture = plots.word_axis(
        load_vectors(vectors), ends[0], given, second=ends[1] if len(ends) == 2 else None, groups=groups,
        number=number, title=title,
    )  # fmt: skip
    _deliver(picture, output, json)


def curve(
    models: Annotated[
        list[str],
        typer.Argument(
            help="Vectors or classifiers that firth trained, or folders of firth compare.",
            show_default=False,
            metavar="MODEL",
        ),
    ],
    relative: Annotated[
        bool, typer.Option("--relative", help="Draw shares of the first epoch's loss: for unlike objectives.")
    ] = False,
    loss: Annotated[
        str,
        typer.Option(
            help="Loss to draw: sample (on a fixed sample of the text, after each epoch) or training (the mean over "
            "each epoch, which may rise while vectors become better)."
        ),
    ] = "sample",
    title: Title = None,
    output: Output = None,
    json: AsJson = False,
) -> None:
    """Draw the loss of each epoch, of one model or of several over one another."""
    _check(output, json)
    facts: dict[str, Any] = {}
    for path in models:
        if (Path(path) / saved.RUN).exists():
            facts |= {row["model"]: row for row in saved.read(path).rows}
        else:
            facts[path] = load(path).metadata.get("training", {})
    _deliver(plots.training_curves(facts, loss=loss, relative=relative, title=title), output, json)


def models(
    source: Annotated[
        str,
        typer.Argument(
            help="A folder of firth compare, or a file with the lines of firth evaluate --json, for one model or for "
            "several; - for standard input.",
            show_default=False,
            metavar="SOURCE",
        ),
    ],
    by: Annotated[
        str | None,
        typer.Option(help="Quality against seconds of training, or set below set.", metavar="time|set"),
    ] = None,
    title: Title = None,
    output: Output = None,
    json: AsJson = False,
) -> None:
    """Draw models side by side, with the intervals of their figures."""
    _check(output, json)
    if by not in (None, "time", "set"):
        raise OptionError(f"by={by!r}: expected time or set")
    if not Path(source).is_dir():
        if by == "time":
            raise OptionError(f"{source} knows no times: expected a folder of firth compare")
        _deliver(plots.models_by_set(read_objects(source), title=title), output, json)
        return
    found = saved.read(source)
    if by == "set":
        rows = [{**figure, "vectors": row["model"]} for row in found.rows for figure in row["figures"]]
        _deliver(plots.models_by_set(rows, title=title), output, json)
    else:
        _deliver(plots.models_by_time(found, title=title), output, json)


def bias(
    source: Annotated[
        str,
        typer.Argument(
            help="JSON lines with name and effect, and low, high and p where they are known; - for standard input.",
            show_default=False,
            metavar="FILE",
        ),
    ],
    title: Title = None,
    output: Output = None,
    json: AsJson = False,
) -> None:
    """Draw effects of bias below each other, with their intervals and probabilities."""
    _check(output, json)
    _deliver(plots.bias_summary(read_objects(source), title=title), output, json)


def translations(
    alignment: Annotated[str, typer.Argument(help="A folder of firth align.", show_default=False, metavar="DIR")],
    words: Words = None,
    word_file: WordFile = None,
    number: Annotated[int, typer.Option("--number", "-n", help="Translations of each word.")] = 1,
    title: Title = None,
    output: Output = None,
    json: AsJson = False,
) -> None:
    """Draw words of two languages in the space that they share, each tied to its nearest words of the other side."""
    _check(output, json)
    given = _some(_words(words, word_file))
    _deliver(plots.translation_map(load_alignment(alignment), given, number=number, title=title), output, json)


def semantic_change(
    old: Annotated[str, typer.Argument(help="Vectors of the older text.", show_default=False, metavar="OLD")],
    new: Annotated[str, typer.Argument(help="Vectors of the newer text.", show_default=False, metavar="NEW")],
    word: Annotated[str, typer.Argument(help="The word.", show_default=False, metavar="WORD")],
    number: Annotated[int, typer.Option("--number", "-n", help="Nearest words of each time.")] = 8,
    title: Title = None,
    output: Output = None,
    json: AsJson = False,
) -> None:
    """Draw the way of a word from one time to another, among its neighbours then and now."""
    _check(output, json)
    found = Change().measure(load_words(old), load_words(new))
    _deliver(plots.word_path(found, word, number=number, title=title), output, json)


def _app() -> typer.Typer:
    app = typer.Typer(help="Draw vectors and figures: PNG, SVG or PDF, or one page of HTML that needs no network.")
    kinds: dict[str, Callable[..., None]] = {
        "map": word_map, "analogy": analogy, "neighbours": neighbours, "senses": senses, "sense-words": sense_words,
        "similarity": similarity, "axis": axis, "curve": curve, "models": models, "bias": bias,
        "translations": translations, "semantic-change": semantic_change,
    }  # fmt: skip
    for name, run in kinds.items():
        add_command(app, name, run)
    return app


plot = _app()


def _check(output: Path | None, json: bool) -> None:
    """Make sure that what will be drawn has a place, before vectors are loaded."""
    if output is None and not json:
        raise OptionError("nowhere to draw: expected -o NAME.png, .svg, .pdf or .html, or --json for the numbers")
    if output is not None:
        check_target(output)
        check_writable(output)


def _words(words: Sequence[str] | None, path: str | None) -> list[str]:
    found = read_words(path) if path else []
    if path and not found:
        raise OptionError(f"{path} holds no words; expected one a line")
    return [*(words or []), *found]


def _groups(path: str | None) -> dict[str, list[str]] | None:
    if path is None:
        return None
    groups = read_groups(path)
    if not any(groups.values()):
        raise OptionError(f"{path} holds no words; expected a word, a tab and its group a line")
    return groups


def _some(words: list[str]) -> list[str]:
    if not words:
        raise OptionError(NAME_SOME)
    return words


def _deliver(picture: plots.Picture, output: Path | None, json: bool) -> None:
    for text in picture.notes:
        note(text)
    if output is not None:
        picture.save(output)
        if missing := missing_letters(picture, output):
            note(f"no installed font has {missing}: install one (such as Noto), or draw a page: {output.stem}.html")
    if json:
        for row in picture.rows:
            print_json(row)
    elif output is not None:
        print(f"{output}: {picture.title}")
