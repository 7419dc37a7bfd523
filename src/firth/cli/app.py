"""The program `firth`: which command is meant, and what its end looks like to the shell.

Only the file of the command that runs is imported: `firth neighbours` never waits for the compiler that `firth train`
needs, and `firth --help` waits for neither.

Exit status: 0 done, 1 failed (one sentence on standard error), 2 not understood, 128 and the number of the signal where
one ended the program: 130 for Ctrl-C, 143 for SIGTERM. A signal that comes when the work is done changes nothing.
"""

import atexit
import errno
import importlib
import io
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from typing import Annotated, Any, NoReturn, TextIO, cast

import typer

import firth
from firth.cli.flag_messages import RUNNING, in_flags
from firth.cli.flags import SETTINGS, Commands, add_command
from firth.cli.output import complain, sentence
from firth.errors import FirthError
from firth.progress import Unfailing
from firth.signals import exit_status, ignore_signals, interruptible
from firth.spelling import one_spelling

INTERRUPTED = 130  # what typer makes of any KeyboardInterrupt
HUNG_UP = 129
WINDOWS = os.name == "nt"

# Panel of `firth --help`: name of a command: its module, the function or app there, and its line of help.
PANELS = {
    "Train": {
        "train": ("train", "train", "Train word vectors on text."),
        "compare": ("compare", "compare", "Train several models on one text and compare them."),
        "phrases": ("phrases", "phrases", "Find phrases such as 'new york', to train on as words."),
        "align": ("align", "align", "Map the vectors of two languages into one space."),
        "split-senses": ("split_senses", "split_senses", "Turn word vectors into one vector per word sense."),
        "distil": ("distil", "distil", "Turn a contextual encoder into one vector per word."),
        "warm-up": ("warm_up", "warm_up", "Compile all kernels now, so that no first use waits."),
        "demo": ("demo", "demo", "Try it: train on Python's documentation, draw a map."),
    },
    "Query": {
        "neighbours": ("queries", "neighbours", "Show the words most similar to a word."),
        "similarity": ("queries", "similarity", "Show how similar two words are."),
        "analogy": ("queries", "analogy", "Complete an analogy: A is to B as C is to which word?"),
        "antonyms": ("antonyms", "antonyms", "Find the antonyms (opposites) of words."),
        "senses": ("senses", "senses", "Show the senses of a word, and which one a sentence means."),
        "translate-words": ("queries", "translate_words", "Translate words with aligned vectors."),
        "index": ("index", "index", "Build an index that speeds up the search for neighbours."),
    },
    "Sentences": {
        "encode": ("search", "encode", "Write the vectors of texts to a file."),
        "search": ("search", "search", "Find the texts that are nearest in meaning to a query."),
        "duplicates": ("search", "duplicates", "Find pairs of texts that say nearly the same."),
        "clusters": ("search", "clusters", "Group texts by meaning."),
    },
    "Texts": {
        "report": ("report", "report", "Write a page about a text: its words, a map, neighbours, two groups."),
        "concordance": ("concordance", "concordance", "Show every occurrence of a word in its context."),
        "keywords": ("keywords", "keywords", "Show the words that a text has more often than another."),
        "collocations": ("keywords", "collocations", "Show the words that stand near a word more than by chance."),
    },
    "Inspect": {
        "info": ("files", "info", "Describe a file: vectors, a corpus or a language model."),
        "plot": ("plot", "plot", "Draw maps of words, learning curves and comparisons."),
        "axis": ("axis", "axis", "Place words between two poles, such as cold and hot."),
        "semantic-change": ("semantic_change", "semantic_change", "Show which words changed their meaning over time."),
        "contrast": ("contrast", "contrast", "Show which words two groups of texts use differently, with p-values."),
        "bias": ("bias", "bias", "Measure social bias in vectors, for example by gender."),
        "explain": ("explain", "explain", "Show which words of a text a model's answer comes from."),
    },
    "Evaluate": {
        "evaluate": ("evaluate", "evaluate", "Score vectors on similarity, analogies and other test sets."),
        "diversity": ("diversity", "diversity", "Measure how varied texts are, for example generated ones."),
    },
    "Text models": {
        "lm": ("lists", "language", "Language models: train, score, generate, compare and mix."),
        "classify": ("classify", "classify", "Text classifiers: train, predict, test and shrink."),
        "coref": ("coref", "coref", "Coreference: train, predict, test."),
        "tag": ("tag", "tag", "Taggers of words (tags, entities): train, predict, test."),
        "parse": ("parse", "parse", "Dependency parsers: train, predict and test."),
        "pipeline": ("pipeline", "pipeline", "Pipelines from raw text to trees: train on a treebank, test."),
        "translate": ("translate", "translate", "Translators of texts: train, predict, test."),
        "summarize": ("summarize", "summarize", "Summarizers of texts: train, predict, test."),
        "answer": ("answer", "answer", "Answers that stand in a text: train, predict, test."),
        "pretrain": ("lists", "pretrain", "Contextual encoders: pretrain on raw text."),
        "substitutes": ("substitutes", "substitutes", "Words that fit a place in a sentence: train, predict, test."),
        "sentences": ("lists", "sentences", "Sentence encoders: train on raw text."),
        "annotate": ("annotate", "annotate", "Annotate text: tags, entities, trees, coreference."),
        "subwords": ("subwords", "subwords", "Subword tokenisers: train, encode and decode."),
    },
    "Serve": {
        "explore": ("explore", "explore", "Look at models in the browser: maps, words, texts."),
        "shell": ("shell", "shell", "Ask for words at a prompt: neighbours, sums, axes, maps."),
        "serve": ("serve", "serve", "Serve models over HTTP, for other programs."),
    },
    "Files": {
        "data": ("data", "data", "Named data sets and a sample text: list and get."),
        "convert": ("files", "convert", "Convert vectors to another file format."),
        "push": ("hub", "push", "Upload a model to the Hugging Face hub."),
        "pull": ("hub", "pull", "Download a model from the Hugging Face hub."),
        "postprocess": ("postprocess", "postprocess", "Improve vectors: centre, whiten, reduce, combine, retrofit."),
        "debias": ("bias", "debias", "Reduce social bias in vectors and measure what is left."),
        "quantise": ("postprocess", "quantise", "Make vectors four to eight times smaller."),
    },
}
COMMANDS = {name: command for panel in PANELS.values() for name, command in panel.items()}


def main() -> NoReturn:
    """Run the program on the arguments of the process, and leave it."""
    arguments, debug = _without_debug(sys.argv[1:])
    _steady_streams()
    warnings.showwarning = _show_warning
    os.environ.setdefault("PYTHONSAFEPATH", "1")  # in the processes of several GPUs the current folder holds no code
    # It runs last: Python then spends tenths of a second on freeing modules, where a signal would take the status.
    atexit.register(ignore_signals)
    status = 1
    try:
        with interruptible():
            status = _run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output, such as `head`, has ended
        _drop_output()
    except (FirthError, OSError, MemoryError) as error:
        if isinstance(error, OSError) and error.errno == errno.EIO and exit_status() == HUNG_UP:
            _drop_output()  # what was to be shown on the terminal that is gone
            sys.exit(HUNG_UP)
        if debug:
            traceback.print_exc()
        complain(sentence(error))
    except KeyboardInterrupt:
        status = exit_status()
    sys.exit(status)


def _drop_output() -> None:
    """Send what is left of the output to a place that takes it: Python flushes it once more when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _steady_streams() -> None:
    """Make sure that what cannot be shown is no reason to fail, nor to lose what hours of training have learned."""
    for name in ("stdin", "stdout", "stderr"):  # None where the shell has closed it; its number must not be a file's
        if getattr(sys, name) is None:
            handle = os.open(os.devnull, os.O_RDONLY if name == "stdin" else os.O_WRONLY)
            setattr(sys, name, os.fdopen(handle, "r" if name == "stdin" else "w", encoding="utf-8"))
    if WINDOWS and "PYTHONIOENCODING" not in os.environ:
        for stream in (sys.stdin, sys.stdout):  # of a file or pipe, which other programs read as UTF-8
            if isinstance(stream, io.TextIOWrapper) and not stream.isatty():
                stream.reconfigure(encoding="utf-8")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a word that this terminal cannot show is shown by its code
    sys.stderr = cast("TextIO", Unfailing(sys.stderr))


def _without_debug(arguments: Sequence[str]) -> tuple[list[str], bool]:
    """Take `--debug` out wherever it stands: one adds it to the end of a line that has just failed."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    return [word for i, word in enumerate(arguments) if word != "--debug" or i > end], "--debug" in arguments[:end]


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    complain(f"warning: {in_flags(str(message), RUNNING)}")


def _run(arguments: list[str]) -> int:
    try:
        build_app(arguments)(arguments, prog_name="firth")
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
        return exit_status() if status == INTERRUPTED else status
    return 0


def build_app(arguments: Sequence[str]) -> typer.Typer:
    """Return the program. Only the command that the arguments name is imported; the others have their line of help."""
    app = typer.Typer(
        name="firth",
        cls=Commands,
        help="Learn word vectors and language models from raw text; query, evaluate and draw them.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings=SETTINGS,
    )
    app.callback()(_globals)
    completing = "_FIRTH_COMPLETE" in os.environ
    command_name = next((one_spelling(word) for word in arguments if not word.startswith("-")), None)
    for panel, commands in PANELS.items():
        for name, (module, function, line) in commands.items():
            run = _load(module, function) if completing or name == command_name else _not_loaded
            shown: dict[str, Any] = {"short_help": line, "rich_help_panel": panel}
            if isinstance(run, typer.Typer):  # a command of commands
                app.add_typer(run, name=name, no_args_is_help=True, **shown)
            else:
                add_command(app, name, run, no_args_is_help=name not in ("demo", "warm-up"), **shown)
    return app


def _load(module: str, function: str) -> Callable[..., None] | typer.Typer:
    run: Callable[..., None] | typer.Typer = getattr(importlib.import_module(f"firth.cli.{module}"), function)
    return run


def _not_loaded() -> None:
    raise AssertionError("a command ran that the arguments do not name first")


def _print_version(requested: bool) -> None:
    if requested:
        print(f"firth {firth.__version__}")
        raise typer.Exit


def _globals(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error. Accepted anywhere.")] = False,
) -> None:
    """Take the flags that every command shares."""
