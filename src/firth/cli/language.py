"""`firth lm`: language models trained, judged, mixed, compared, and let write."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.files import language_facts, print_facts
from firth.cli.flags import Flags, add_command, with_flags
from firth.cli.language_train import check_model_target, train
from firth.cli.output import AsJson, Quiet, note, paragraphs, print_json, print_scores, scored
from firth.cli.targets import check_file_target, check_folder_target, check_writable
from firth.cli.texts import Cache, Column, Sources, corpus_of, line_batches
from firth.corpus.encoded import Corpus
from firth.errors import OptionError
from firth.inference.beam_search import BeamSearch
from firth.inference.generation_options import GenerationOptions
from firth.language.arpa import check_target
from firth.language.comparison import compare_models
from firth.language.files import is_arpa, load_language_model, save_language_model
from firth.language.generation import SEARCHES, TextGenerator
from firth.language.mixture import Mixture
from firth.language.model import LanguageModel
from firth.language.scores import SentenceScore
from firth.storage.files import replacing_file

LINES = 1 << 12  # scored at once

Model = Annotated[Path, typer.Argument(help="A language model of firth lm train, or an ARPA file.", metavar="MODEL")]
Models = Annotated[list[Path], typer.Argument(help="Language models of one vocabulary.", metavar="MODEL...")]
HeldOut = Annotated[Path, typer.Option(help="Text that no model was trained on.", metavar="TEXT", show_default=False)]


def score(
    model: Model,
    text: Annotated[str, typer.Argument(help="File with a sentence a line, or - for standard input.", metavar="FILE")],
    words: Annotated[bool, typer.Option("--words", help="Show the log-probability of each word.")] = False,
    json: AsJson = False,
) -> None:
    """Tell how likely sentences are, a line each: log-probability in nats, perplexity, and what the model read.

    Each sentence is scored by itself, as if nothing stood before it.
    """
    asked = load_language_model(model)
    for lines in line_batches(text, LINES):
        for line, found in zip(lines, asked.score(lines), strict=True):
            if json:
                print_json(_scored(line, found))
            else:
                print(_told(found, words))


def perplexity(
    model: Model,
    text: Sources,
    column: Column = None,
    cache: Cache = None,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Tell how well a model predicts a text, with its interval, and what was counted."""
    asked = load_language_model(model)
    found = asked.perplexity(_held_out(asked, text, column, cache, quiet), progress=not quiet)
    if json:
        print_json({"model": str(model), **found.described()})
    else:
        print(found)


def _generate(
    model: Model,
    prompt: Annotated[
        str, typer.Argument(help="How texts begin; - for a prompt a line of standard input.", metavar="PROMPT")
    ] = "",
    number: Annotated[int, typer.Option("--number", "-n", help="How many texts of each prompt.")] = 1,
    search: Annotated[str, typer.Option(help="How words are chosen.", metavar="|".join(SEARCHES))] = "sample",
    seed: Annotated[int, typer.Option(help="Of what is drawn; one seed gives the same texts.")] = 0,
    unknown: Annotated[bool, typer.Option("--unknown", help="Let <unk> be written.")] = False,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Write texts that begin with a prompt, a line each, as the model reads words."""
    asked = load_language_model(model)
    generation = GenerationOptions(**_GENERATION.select(options))
    how = _search(search, number, _BEAM.select(options))
    generator = TextGenerator(asked, asked.vocabulary, asked.rules, asked.spells)
    for beginning in [line for lines in line_batches("-", LINES) for line in lines] if prompt == "-" else [prompt]:
        words = generator.prompt(beginning)
        for each in generator.continuations(words, number, generation, how, seed=seed, unknown=unknown):
            text = generator.text(words, each.ids)
            if json:
                print_json({"prompt": beginning, "text": text, "log_prob": each.log_prob, "ended": each.ended})
            else:
                print(text)


_GENERATION, _BEAM = Flags(GenerationOptions, "Generation"), Flags(BeamSearch, "Beam search")


def next_words(
    model: Model,
    prompt: Annotated[str, typer.Argument(help="What stands before.", metavar="PROMPT")] = "",
    number: Annotated[int, typer.Option("--number", "-k", help="How many words.")] = 10,
    json: AsJson = False,
) -> None:
    """Show the likeliest next words, with their probabilities; </s> is the end of the sentence."""
    found = load_language_model(model).next_words(prompt, number)
    if json:
        print_json({"prompt": prompt, "next": scored(found)})
    else:
        print_scores(found)


def compare(
    models: Models,
    held_out: HeldOut,
    column: Column = None,
    cache: Cache = None,
    seed: Annotated[int, typer.Option(help="Of the draws of intervals.")] = 0,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Set language models beside each other on one text: perplexities, ratios with paired intervals, mixtures."""
    named = _named(models)
    source = _held_out(next(iter(named.values())), [str(held_out)], column, cache, quiet)
    found = compare_models(named, source, seed=seed, progress=not quiet)
    if json:
        for row in found.described():
            print_json(row)
    else:
        print(found)


def mix(
    models: Models,
    held_out: HeldOut,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to save the mixture in.", metavar="OUT")],
    column: Column = None,
    cache: Cache = None,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Mix language models, with the weights that predict a held-out text best; measure it on yet another."""
    check_model_target(out, [], counts=False)
    named = _named(models)
    parts = list(named.values())
    found = Mixture.fit(parts, _held_out(parts[0], [str(held_out)], column, cache, quiet), progress=not quiet)
    found.metadata.setdefault("name", out.stem)
    found.save(out)
    weights = dict(zip(named, found.weights.tolist(), strict=True))
    if json:
        print_json({"model": str(out), "weights": weights})
    else:
        print(f"{out}: " + " + ".join(f"{weight:.3f} {name}" for name, weight in weights.items()))


def report(
    models: Models,
    held_out: HeldOut,
    out: Annotated[Path, typer.Option("--out", "-o", help="Page to write, .html.", metavar="FILE")],
    samples: Annotated[int, typer.Option(help="Texts that each model writes.", min=0)] = 3,
    prompt: Annotated[str, typer.Option(help="How they begin.")] = "",
    column: Column = None,
    cache: Cache = None,
    seed: Annotated[int, typer.Option(help="Of texts and of the draws of intervals.")] = 0,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Make a page about language models: perplexities beside each other, how they learned, what they write.

    Models that count, such as n-grams, are level lines among the curves of those that learned.
    """
    if out.suffix != ".html":
        raise OptionError(f"{out}: expected a name that ends in .html")
    check_writable(out)
    # plots is imported for this command alone: the others need not wait for it.
    from firth.plots.language_report import language_report

    named = _named(models)
    source = _held_out(next(iter(named.values())), [str(held_out)], column, cache, quiet)
    page = language_report(named, source, samples=samples, prompt=prompt, seed=seed, progress=not quiet)
    with replacing_file(out) as file:
        file.write(page.encode("utf-8", "backslashreplace"))
    if json:
        print_json({"page": str(out), "models": list(named)})
    else:
        note(f"{out}: {', '.join(named)}")


def convert(
    model: Model,
    out: Annotated[Path, typer.Argument(help="Folder, or ARPA file (.arpa, .arpa.gz), to write.", metavar="OUT")],
    json: AsJson = False,
) -> None:
    """Write n-grams as an ARPA file, which other programs read, or an ARPA file as a folder, which opens at once."""
    if not is_arpa(out):
        check_folder_target(out)
    else:
        check_file_target(out, check_target)
    found = load_language_model(model)
    save_language_model(found, out)
    if json:
        print_json({"model": str(out), "words": len(found.vocabulary)})
    else:
        note(f"{out}: {found!r}")


def info(model: Model, json: AsJson = False) -> None:
    """Say what a language model is, and how it was made."""
    facts = language_facts(model, load_language_model(model))
    if json:
        print_json(facts)
    else:
        print_facts(facts)


def _app() -> typer.Typer:
    app = typer.Typer(help="Train, judge, mix and compare language models, and let them write.")
    # What follows the name of a model is read by the model's own command.
    passed_on = {
        "allow_extra_args": True,
        "ignore_unknown_options": True,
        "allow_interspersed_args": False,
        "help_option_names": [],
    }
    app.command("train", help=paragraphs(train), context_settings=passed_on)(train)
    generate = with_flags(_generate, [_GENERATION, _BEAM])
    commands: dict[str, Callable[..., None]] = {
        "score": score,
        "perplexity": perplexity,
        "generate": generate,
        "next": next_words,
        "compare": compare,
        "mix": mix,
        "report": report,
        "convert": convert,
        "info": info,
    }
    for name, run in commands.items():
        add_command(app, name, run)
    return app


language = _app()


def _held_out(
    model: LanguageModel, sources: Sequence[str], column: str | None, cache: Path | None, quiet: bool
) -> Corpus:
    """Text, every word of it, read as a model reads."""
    how = {"min_count": 1, "tokens": model.rules.tokens, "sentences": model.rules.sentences}
    return corpus_of(sources, {}, stop_words=None, column=column, cache=cache, progress=not quiet, defaults=how)


def _named(paths: Sequence[Path]) -> dict[str, LanguageModel]:
    """Models by short names, or by paths where short ones say too little."""
    stems = [path.name.removesuffix(path.suffix) for path in paths]
    names = stems if len(set(stems)) == len(stems) else [str(path) for path in paths]
    if len(set(names)) < len(names):
        raise OptionError(f"{', '.join(names)}: a model is named twice; expected each once")
    return {name: load_language_model(path) for name, path in zip(names, paths, strict=True)}


def _search(search: str, number: int, beams: dict[str, Any]) -> str | BeamSearch:
    if beams and search != "beam":
        given = ", ".join(f"--{name.replace('_', '-')}" for name in beams)
        raise OptionError(f"{given} with --search {search}: expected with --search beam alone")
    return BeamSearch(**{"beams": max(number, BeamSearch().beams), **beams}) if search == "beam" else search


def _scored(line: str, found: SentenceScore) -> dict[str, Any]:
    return {
        "sentence": line,
        "log_prob": found.total,
        "perplexity": found.perplexity if found.tokens else None,
        "tokens": list(found.tokens),
        "log_probs": found.log_probs.tolist(),
    }


def _told(found: SentenceScore, words: bool) -> str:
    pairs = zip(found.tokens, found.log_probs.tolist(), strict=True)
    text = " ".join(f"{word}:{log_prob:.2f}" if words else word for word, log_prob in pairs)
    return f"{found.total:.3f}\t{found.perplexity:.2f}\t{text}"
