"""The program `firth`: which command is meant, and what its end looks like to the shell.

Only the file of the command that runs is imported: `firth neighbors` never waits for the compiler that `firth train`
needs, and `firth --help` waits for neither.

Exit status: 0 done, 1 failed (one sentence on standard error), 2 not understood, 128 and the number of the signal where
one ended the program: 130 for Ctrl-C, 143 for SIGTERM.
"""

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
from firth.cli.flags import Commands
from firth.cli.output import complain, paragraphs, sentence
from firth.errors import FirthError
from firth.progress import Unfailing
from firth.signals import exit_status, interruptible

INTERRUPTED = 130  # what typer makes of any KeyboardInterrupt
HUNG_UP = 129

# Name: the module and the function that runs it, or the app of several, and the line that `firth --help` shows.
COMMANDS = {
    "train": ("train", "train", "Train word vectors on text."),
    "phrases": ("phrases", "phrases", "Find words that belong together, to train on as one."),
    "subwords": ("subwords", "subwords", "Learn pieces of words; write text as pieces, and back."),
    "neighbors": ("queries", "neighbors", "Show the words nearest to each word."),
    "index": ("index", "index", "Make an index of vectors, or compare kinds of index."),
    "similarity": ("queries", "similarity", "Show how alike two words are."),
    "analogy": ("queries", "analogy", "Complete: A is to B as C is to which word?"),
    "antonyms": ("antonyms", "antonyms", "Find the opposites of words by a text or labelled pairs."),
    "axis": ("axis", "axis", "Show where words stand between two poles."),
    "align": ("align", "align", "Bring two languages into one space, dictionary or none."),
    "translate-words": ("translations", "translate_words", "Translate words by an alignment."),
    "moved": ("change", "moved", "Show which words moved between two times of one language."),
    "senses": ("senses", "senses", "Show the senses of words, and which is meant where."),
    "classify": ("classify", "classify", "Train, ask, judge and shrink classifiers of texts."),
    "lm": ("language", "language", "Train, judge, mix language models; let them write."),
    "compare": ("compare", "compare", "Train several models on one text, judge them side by side."),
    "evaluate": ("evaluate", "evaluate", "Judge vectors on word similarity and analogies."),
    "diversity": ("diversity", "diversity", "Show how diverse texts are, by entropy of their patterns."),
    "bias": ("bias", "bias", "Measure what vectors hold against groups of people."),
    "debias": ("bias", "debias", "Take a bias out of vectors, and say what of it is left."),
    "convert": ("files", "convert", "Write vectors in another format."),
    "postprocess": ("postprocess", "postprocess", "Centre, whiten, reduce, join, retrofit, counter-fit them."),
    "quantize": ("postprocess", "quantize", "Make vectors four to eight times smaller."),
    "split-senses": ("split_senses", "split_senses", "Make vectors of senses from vectors of words."),
    "info": ("files", "info", "Say what a file of vectors or a corpus folder holds."),
    "plot": ("plot", "plot", "Draw maps, networks, axes, curves and comparisons."),
    "demo": ("demo", "demo", "Train on Python's own documentation to see how it goes."),
}


def main() -> NoReturn:
    """Run the program on the arguments of the process, and leave it."""
    arguments, debug = _without_debug(sys.argv[1:])
    _steady_streams()
    warnings.showwarning = _show_warning
    os.environ.setdefault("PYTHONSAFEPATH", "1")  # in the processes of several GPUs the current folder holds no code
    status = 1
    try:
        with interruptible():
            status = _run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:  # whoever read our output, such as `head`, has enough
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
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a word that this terminal cannot show is shown by its code
    sys.stderr = cast("TextIO", Unfailing(sys.stderr))


def _without_debug(arguments: Sequence[str]) -> tuple[list[str], bool]:
    """Take `--debug` out wherever it stands: one adds it to the end of a line that has just failed."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    return [word for i, word in enumerate(arguments) if word != "--debug" or i > end], "--debug" in arguments[:end]


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    complain(f"warning: {message}")


def _run(arguments: list[str]) -> int:
    try:
        build_app(arguments)(arguments, prog_name="firth")
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
        return exit_status() if status == INTERRUPTED else status
    return 0


def build_app(arguments: Sequence[str]) -> typer.Typer:
    """Return the program with the one command imported that the arguments name; the others have their line of help."""
    app = typer.Typer(
        name="firth",
        cls=Commands,
        help="Meaning from raw text: train, judge, inspect and serve word vectors.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_globals)
    completing = "_FIRTH_COMPLETE" in os.environ
    chosen = next((word for word in arguments if not word.startswith("-")), None)
    for name, (module, function, line) in COMMANDS.items():
        run = _load(module, function) if completing or name == chosen else _not_loaded
        if isinstance(run, typer.Typer):  # a command of commands
            app.add_typer(run, name=name, short_help=line, no_args_is_help=True)
        else:
            app.command(name, help=paragraphs(run), short_help=line, no_args_is_help=name != "demo")(run)
    return app


def _load(module: str, function: str) -> Callable[..., None] | typer.Typer:
    run: Callable[..., None] | typer.Typer = getattr(importlib.import_module(f"firth.cli.{module}"), function)
    return run


def _not_loaded() -> None:
    raise AssertionError("a command ran that the arguments do not name first")


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"firth {firth.__version__}")
        raise typer.Exit


def _globals(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and leave.", callback=_print_version, is_eager=True)
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error; may stand anywhere.")] = False,
) -> None:
    """Take the flags that every command shares."""
