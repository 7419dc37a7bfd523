"""`firth demo`: from text to a map of words, on text that every installation has."""

import itertools
import shlex
import tempfile
import time
from pathlib import Path
from typing import Annotated

import typer

from firth.cli.arguments import AsJson, Quiet
from firth.cli.output import note, print_json, scored, show
from firth.cli.targets import check_folder_target, check_writable
from firth.corpus.encoded import Corpus
from firth.data.documentation import paragraphs
from firth.embeddings.word2vec import Word2Vec
from firth.errors import MissingExtraError, OptionError
from firth.plots import word_map
from firth.plots.map import text_map
from firth.storage.model_folder import is_model_folder
from firth.vectors.word_vectors import WordVectors

# A small corpus needs many passes, and CBOW does better on it than skip-gram.
MODEL = Word2Vec(architecture="cbow", dim=100, epochs=15, sample=3e-4)
MIN_COUNT = 15
WORDS = ("list", "string", "array", "integer", "error", "file", "thread", "eigenvalues", "lowercase", "socket")
ANALOGIES = (
    ("array", "arrays", "list"),
    ("minimum", "smallest", "maximum"),
    ("sin", "sine", "cos"),
    ("read", "reading", "write"),
)
THEMES = ("list", "string", "matrix", "integer", "error", "file", "thread", "random")
VECTORS, MAP = "python.firth", "map.png"
TITLE = "Words that firth learned from Python's own documentation"
SHOWN = 6


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the vectors and the map.")] = Path(
        "firth-demo"
    ),
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Try firth: train on the documentation of Python and its libraries, and show the results.

    Nothing is downloaded. The vectors and a map of words go to the folder firth-demo.
    """
    _check(output)
    vectors = _train(not quiet)
    vectors.save(output / VECTORS)
    _show_neighbours(vectors, json)
    _show_analogies(vectors, json)
    _show_map(vectors, output / MAP, json)
    if not json:
        _say_what_next(output / VECTORS)


def _check(output: Path) -> None:
    if output.exists() and not (output / VECTORS).exists() and (not output.is_dir() or any(output.iterdir())):
        raise OptionError(f"{output} exists and is not from a demo; expected a new name: firth demo -o NAME")
    if (output / MAP).exists() and not is_model_folder(output / VECTORS):
        raise OptionError(f"{output / MAP} is not from a demo; expected a new name: firth demo -o NAME")
    check_folder_target(output / VECTORS, overwrite=True)
    check_writable(output / MAP)


def _train(progress: bool) -> WordVectors:
    began = time.monotonic()
    say = note if progress else _silent
    say("Reading the documentation of Python and of the libraries beside it. Nothing is downloaded.")
    with tempfile.TemporaryDirectory(prefix="firth-", ignore_cleanup_errors=True) as cache:
        corpus = Corpus.build(paragraphs(), min_count=MIN_COUNT, cache=cache, progress=progress)
        size = f"{corpus.num_tokens:,} words, {len(corpus.vocabulary):,} different"
        say(f"Training on {size}, in {MODEL.epochs} passes.")
        vectors = MODEL.train(corpus, progress=progress)
    vectors.metadata["name"] = "python"
    say(f"Done in {time.monotonic() - began:.0f} seconds.\n")
    return vectors


def _silent(text: str) -> None:
    """Show nothing."""


def _show_neighbours(vectors: WordVectors, json: bool) -> None:
    words = [word for word in WORDS if word in vectors]
    answers = vectors.similar_by_word(words, topn=SHOWN)
    if json:
        for word, answer in zip(words, answers, strict=True):
            print_json({"query": word, "neighbours": scored(answer)})
        return
    print("Words and their nearest neighbours")
    width = max(map(len, words), default=0)
    for word, answer in zip(words, answers, strict=True):
        print(f"  {word:<{width}}  {', '.join(neighbour for neighbour, _ in answer)}")


def _show_analogies(vectors: WordVectors, json: bool) -> None:
    questions = [words for words in ANALOGIES if all(word in vectors for word in words)]
    if not json:
        print("\nAnalogies")
    for a, b, c in questions:
        answers = vectors.analogy(a, b, c, n=3)
        show(
            json,
            {"a": a, "b": b, "c": c, "method": "add", "answers": scored(answers)},
            f"  {a} is to {b} as {c} is to {', '.join(word for word, _ in answers)}",
        )


def _groups(vectors: WordVectors) -> dict[str, list[str]]:
    """The words of the map: a few themes, each with its neighbours."""
    themes = [theme for theme in THEMES if theme in vectors]
    answers = vectors.similar_by_word(themes, topn=SHOWN)
    return {theme: [word for word, _ in answer] for theme, answer in zip(themes, answers, strict=True)}


def _show_map(vectors: WordVectors, path: Path, json: bool) -> None:
    groups = _groups(vectors)
    try:
        coloured = {theme: [theme, *members] for theme, members in groups.items()}
        word_map(vectors, groups=coloured, heads=list(groups), title=TITLE).save(path)
    except MissingExtraError as missing:
        if json:
            return
        words = dict.fromkeys([*groups, *itertools.chain.from_iterable(groups.values())])
        print(f"\nA map (as a picture: {str(missing).rpartition(': ')[2]})\n")
        print(text_map(vectors, list(words)))
        return
    show(json, {"map": str(path)}, f"\nMap of words: {path}")


def _say_what_next(path: Path) -> None:
    quoted = shlex.quote(str(path))
    print(
        f"""
Next
  firth neighbours {quoted} dictionary random   query these vectors
  firth train skipgram YOUR-TEXTS -o my.firth          train on your own text: files, folders, .gz, .jsonl, ...
  firth evaluate my.firth                              compare the vectors with human judgements"""
    )
