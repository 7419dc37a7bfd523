"""`firth plot`: vectors and figures as pictures, or as numbers for other programs to draw."""

import inspect
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from firth import plots
from firth.alignment.alignment import load_alignment
from firth.cli.arguments import AsJson, Poles, Quiet, Seed, SomeWords, Vectors, WordFile, flag, names, number, output
from firth.cli.flag_messages import RUNNING, in_flags
from firth.cli.flags import Group, add_command, as_command
from firth.cli.heat_tables import print_heat
from firth.cli.output import note, print_json, working
from firth.cli.plot_documents import command as document_command
from firth.cli.plot_documents import coref, entities, parse
from firth.cli.queries import Folder
from firth.cli.semantic_change import New, Old, compare_times
from firth.cli.senses import SenseFile, open_senses
from firth.cli.targets import check_writable
from firth.cli.texts import is_built_corpus, source_of
from firth.cli.vectors import chosen_words, lines, open_model, read_groups, read_objects, read_poles
from firth.comparison.saved import RUN, read_comparison
from firth.corpus.encoded import Corpus
from firth.counts.frequencies import word_frequencies
from firth.errors import OptionError
from firth.loading import load, load_vectors
from firth.plots.map import USUAL
from firth.plots.saving import check_target, missing_letters
from firth.runs.runs import Runs

GroupFile = Annotated[
    str | None,
    names("File that colours words by group: a word, a tab and its group per line, or JSON.", "FILE", "--groups"),
]
Method = Annotated[str | None, flag("Projection onto the plane.", "pca|stress|tsne|umap")]
PerWord = Annotated[int, number("Neighbours per word.")]
Chosen = Annotated[list[str], "the words that are named and those of --words"]
Grouped = Annotated[dict[str, list[str]] | None, "the groups of --groups"]
NO_WORDS = "no words to draw: name some, or give --words FILE or --groups FILE"


def word_map(
    vectors: Vectors,
    words: Chosen,
    groups: Grouped,
    method: Method = None,
    number: Annotated[int, number("Words to draw at most: the most frequent ones.")] = USUAL,
    stop_words: Annotated[
        bool, typer.Option("--stop-words", help='Draw words such as "the", "of" and "you", too.')
    ] = False,
    seed: Seed = 0,
    **common: Any,
) -> plots.Picture:
    """Draw a map of words: words with similar vectors are near each other.

    The words are those named, those of --words or those of --groups; by default the most frequent ones but for stop
    words: those with more than a thousandth of all occurrences. The default projection is stress for up to 200 words,
    else pca. Of runs, words whose neighbours are unstable are grey.
    """
    space = load_vectors(vectors, runs=True)
    return plots.word_map(
        space, words or None, groups=groups, method=method, number=number, stop_words=stop_words, seed=seed, **common
    )


def analogy(
    vectors: Vectors,
    words: Annotated[list[str] | None, names("Pairs of words: man king woman queen.", "A B")] = None,
    word_file: Annotated[
        str | None, names("File with two words per line; - for standard input.", "FILE", "--words")
    ] = None,
    **common: Any,
) -> plots.Picture:
    """Draw pairs of words as arrows, which are parallel if the vectors capture the relation."""
    flat = list(words or [])
    if len(flat) % 2:
        raise OptionError(f"{len(flat)} words: expected pairs, such as man king woman queen")
    pairs = [(flat[i], flat[i + 1]) for i in range(0, len(flat), 2)]
    for line_number, line in lines(word_file) if word_file else ():
        parts = line.split()
        if len(parts) != 2:
            raise OptionError(f"{word_file} line {line_number}: {line[:60]!r}; expected two words")
        pairs.append((parts[0], parts[1]))
    return plots.analogy_arrows(load_vectors(vectors), pairs, **common)


def neighbours(
    vectors: Vectors,
    words: Chosen,
    number: PerWord = 8,
    hops: Annotated[int, typer.Option(help="1: neighbours; 2: also the neighbours of neighbours.")] = 1,
    **common: Any,
) -> plots.Picture:
    """Draw words and their nearest neighbours as a network; thicker lines mean higher cosines."""
    space = load_vectors(vectors)
    return plots.neighbour_network(space, words, number=number, hops=hops, **common)


def senses(
    vectors: SenseFile,
    words: Chosen,
    number: Annotated[int, number("Neighbours per sense.")] = 8,
    method: Method = None,
    seed: Seed = 0,
    **common: Any,
) -> plots.Picture:
    """Draw the senses of words among their neighbours, one colour per sense."""
    space = open_senses(vectors)
    return plots.sense_map(space, words, number=number, method=method, seed=seed, **common)


def sense_words(
    vectors: SenseFile,
    word: Annotated[str, names("The word.", "WORD")],
    number: Annotated[int, number("Neighbours per sense.")] = 8,
    among: Annotated[int, typer.Option(help="Search this many of the most frequent words.")] = 20_000,
    **common: Any,
) -> plots.Picture:
    """Draw the senses of a word as bar charts of their nearest words."""
    space = open_senses(vectors)
    return plots.sense_words(space, word, number=number, among=among, **common)


def similarity(
    vectors: Vectors,
    words: Chosen,
    groups: Grouped,
    order: Annotated[
        str, typer.Option(help="Similar words side by side, or the given order.", metavar="clusters|given")
    ] = "clusters",
    **common: Any,
) -> plots.Picture:
    """Draw the cosines of all pairs of words as a heat map; without -o on the terminal."""
    space = load_vectors(vectors)
    return plots.similarity_heat_map(space, words, groups=groups, order=order, **common)


def axis(
    vectors: Vectors,
    *,
    poles: Poles = None,
    words: Chosen,
    groups: Grouped,
    number: Annotated[int, number("Words to draw at most, the most frequent ones.")] = USUAL,
    **common: Any,
) -> plots.Picture:
    """Draw words between two poles; with --poles twice, in the plane of two axes. Of runs, with intervals."""
    ends = [read_poles(pair) for pair in poles or []]
    if len(ends) not in (1, 2):
        raise OptionError(f"{len(ends)} axes: expected --poles A:B once, or twice for a plane")
    space, second = load_vectors(vectors, runs=True), ends[1] if len(ends) == 2 else None
    return plots.word_axis(space, ends[0], words, second=second, groups=groups, number=number, **common)


def curve(
    models: Annotated[list[str], names("Models that firth trained, or folders of firth compare.", "MODEL")],
    relative: Annotated[
        bool,
        typer.Option("--relative", help="Draw the loss relative to the first epoch, to compare unlike objectives."),
    ] = False,
    loss: Annotated[
        str,
        typer.Option(
            help="sample: loss on a fixed sample of the text after each epoch. training: mean over each epoch, which "
            "may rise while vectors improve. Of neural models, sample adds the loss on held-out data.",
            metavar="sample|training",
        ),
    ] = "sample",
    **common: Any,
) -> plots.Picture:
    """Draw learning curves: the loss per epoch of one or more models."""
    facts: dict[str, Any] = {}
    shown = _model_names(models)
    for path in models:
        if (Path(path) / RUN).exists():
            facts |= {row["model"]: row for row in read_comparison(path).rows}
        else:
            metadata = getattr(load(path), "metadata", {})
            facts[shown[path]] = {**metadata, **metadata.get("training", {})}  # with phases after the first training
    return plots.training_curves(facts, loss=loss, relative=relative, **common)


def _model_names(paths: Sequence[str]) -> dict[str, str]:
    """Return the name of each model for a legend: its file without the ending, and folders where two agree."""
    parts = {path: [*Path(path).parts[:-1], Path(path).stem] for path in paths}
    names: dict[str, str] = {}
    for path, own in parts.items():
        rivals = [part for part in parts.values() if part != own]
        length = next((n for n in range(1, len(own)) if all(part[-n:] != own[-n:] for part in rivals)), len(own))
        names[path] = "/".join(own[-length:])
    return names if len(set(names.values())) == len(names) else {path: path for path in names}


def models(
    source: Annotated[
        str,
        names(
            "Folder of firth compare, or file with the output of firth evaluate --json; - for standard input.", "SOURCE"
        ),
    ],
    against: Annotated[
        str | None,
        typer.Option("--by", help="Draw quality against training time, or each test set.", metavar="time|set"),
    ] = None,
    **common: Any,
) -> plots.Picture:
    """Draw a comparison of models, with the intervals of their figures."""
    if against not in (None, "time", "set"):
        raise OptionError(f"by={against!r}: expected time or set")
    if not Path(source).is_dir():
        if against == "time":
            raise OptionError(f"{source} holds no times: expected a folder of firth compare")
        figures = read_objects(source)
        shown = _model_names([str(row["vectors"]) for row in figures if "vectors" in row])
        for row in figures:
            row.update({"vectors": shown[str(row["vectors"])]} if "vectors" in row else {})
        return plots.models_by_set(figures, **common)
    comparison = read_comparison(source)
    if against == "set":
        rows = [{**figure, "vectors": row["model"]} for row in comparison.rows for figure in row["figures"]]
        return plots.models_by_set(rows, **common)
    return plots.models_by_time(comparison, **common)


def bias(
    source: Annotated[
        str, names("JSON lines with name and effect, and optionally low, high and p; - for standard input.", "FILE")
    ],
    **common: Any,
) -> plots.Picture:
    """Draw the effect sizes of bias tests, with intervals and p-values."""
    return plots.bias_summary(read_objects(source), **common)


def translations(
    alignment: Folder, words: Chosen, number: Annotated[int, number("Translations per word.")] = 1, **common: Any
) -> plots.Picture:
    """Draw words of two languages in their shared space, each linked to its translations."""
    return plots.translation_map(load_alignment(alignment), words, number=number, **common)


def attention(
    model: Annotated[Path, names("A translator or summarizer with attention.", "MODEL")],
    text: Annotated[str, names("The text to translate, or to summarize.", "TEXT")],
    target: Annotated[
        str | None, flag("A translation, whose attention is drawn in place of that of the best one.", "TEXT")
    ] = None,
    beam: Annotated[int, typer.Option(help="Number of beams; 1 for greedy search.")] = 5,
    **common: Any,
) -> plots.Picture:
    """Draw what each word of a translation attends to; without -o on the terminal."""
    if os.path.isfile(text):  # noqa: PTH113 - false of a text that no path can be
        raise OptionError(f"{text} is a file; expected a text, in quotation marks")
    if not text.strip():
        raise OptionError("an empty text; expected one to translate, in quotation marks")
    opened = open_model(model, "a translator", "a summarizer")
    translator = getattr(opened, "translator", opened)
    translation = translator.translate(text, beam=beam, targets=target, return_attention=True)
    source, target = translator.source.shown(translation.source_tokens), translator.target.shown(translation.tokens)
    return plots.attention_heat_map(translation.attention, source, target, **common)


def frequency(
    corpus: Annotated[str, names("Text: a folder or glob of files; a table; or a corpus folder.", "CORPUS")],
    words: Annotated[list[str], names("Words.", "WORD")],
    years: Annotated[
        bool, typer.Option("--years", help="By the year in the name of each file, its first number of four digits.")
    ] = False,
    **common: Any,
) -> plots.Picture:
    """Draw how often words occur in each file, or over the years."""
    source = Corpus.open(corpus) if is_built_corpus([corpus]) else source_of([corpus])
    return plots.word_frequency(word_frequencies(source, words, years=years), **common)


def stability(vectors: Vectors, **common: Any) -> plots.Picture:
    """Draw how stable the neighbours of words are over the runs of firth train --runs, by frequency."""
    runs = load_vectors(vectors, runs=True)
    if not isinstance(runs, Runs):
        raise OptionError(f"{vectors} holds one training; expected several, from firth train with --runs")
    return plots.neighbour_stability(runs, **common)


def semantic_change(
    old: Old,
    new: New,
    word: Annotated[str, names("The word.", "WORD")],
    number: Annotated[int, number("Neighbours per time.")] = 8,
    **common: Any,
) -> plots.Picture:
    """Draw the path of a word between two times, among its neighbours then and now."""
    change = compare_times(old, new)
    return plots.word_path(change, word, number=number, **common)


HEAT_MAPS = (similarity, attention)  # pictures that a terminal can show


def _shared(
    title: Annotated[str | None, flag("Title. Default: a description of the picture.")] = None,
    output: Annotated[Path | None, output("File to draw: .png, .svg, .pdf or .html.", "FILE")] = None,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Declare the flags of every kind of picture."""


def _selection(words: SomeWords = None, word_file: WordFile = None, group_file: GroupFile = None) -> None:
    """Declare the arguments that choose words."""


def _parameters(draw: Callable[..., plots.Picture]) -> list[inspect.Parameter]:
    """Return the parameters of a command; what it takes as `Chosen` and `Grouped` comes from those of `_selection`."""
    words, word_file, group_file = inspect.signature(_selection).parameters.values()
    own: list[inspect.Parameter] = []
    for parameter in inspect.signature(draw).parameters.values():
        if parameter.annotation in (Chosen, Grouped):
            own += [words, word_file] if parameter.annotation is Chosen else [group_file]
        elif parameter.kind is not parameter.VAR_KEYWORD:
            own.append(parameter)
    return [*own, *inspect.signature(_shared).parameters.values()]


def _command(draw: Callable[..., plots.Picture]) -> Callable[..., None]:
    """Return the command that draws and saves a picture, or prints its numbers."""
    chooses = Chosen in [parameter.annotation for parameter in inspect.signature(draw).parameters.values()]

    def run(output: Path | None, quiet: bool, json: bool, **arguments: Any) -> None:
        if output is None and not json and draw not in HEAT_MAPS:
            raise OptionError("nowhere to draw: expected -o NAME.png, .svg, .pdf or .html, or --json for the numbers")
        if output is not None:
            check_target(output, plain=draw is word_map)
            check_writable(output)
        if chooses:
            arguments["words"] = chosen_words(arguments["words"], arguments.pop("word_file"))
            if "group_file" in arguments:
                arguments["groups"] = _groups(arguments.pop("group_file"))
            if draw is not word_map and not arguments["words"] and arguments.get("groups") is None:
                raise OptionError(NO_WORDS)
        with working("drawing", quiet):
            picture = draw(**arguments)
            if output is not None:
                picture.save(output)
        _report(picture, output, json)

    return as_command(run, draw, _parameters(draw))


def _app() -> typer.Typer:
    app = typer.Typer(
        cls=Group,
        help="Draw vectors and figures: PNG, SVG, PDF, or an HTML page that works offline. Annotated documents: parse "
        "as SVG, HTML or characters; entities and coref as HTML or characters. Attention and similarity: also on the "
        "terminal.",
    )
    kinds: dict[str, Callable[..., plots.Picture]] = {
        "map": word_map, "analogy": analogy, "neighbours": neighbours, "similarity": similarity, "axis": axis,
        "senses": senses, "sense-words": sense_words, "semantic-change": semantic_change,
        "translations": translations, "attention": attention, "curve": curve, "models": models, "bias": bias,
        "frequency": frequency, "stability": stability,
    }  # fmt: skip
    for name, draw in kinds.items():
        add_command(app, name, _command(draw))
    add_command(app, "parse", document_command(parse, svg=True))
    add_command(app, "entities", document_command(entities))
    add_command(app, "coref", document_command(coref))
    return app


plot = _app()


def _groups(path: str | None) -> dict[str, list[str]] | None:
    if path is None:
        return None
    groups = read_groups(path)
    if not any(groups.values()):
        raise OptionError(f"{path} holds no words; expected a word, a tab and its group per line")
    return groups


def _report(picture: plots.Picture, output: Path | None, json: bool) -> None:
    for text in picture.notes:
        note(in_flags(text, RUNNING))
    if output is not None and (missing := missing_letters(picture, output)):
        note(f"no installed font has {missing}: install one (such as Noto), or draw a page: {output.stem}.html")
    if json:
        for row in picture.rows:
            print_json(row)
    elif output is not None:
        print(f"{output}: {picture.title}")
    else:
        print_heat(picture)
