"""`firth lm`: train, score, generate, compare and mix language models."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.arguments import TEXT, AsJson, Overwrite, Quiet, Seed, Sources, TextFile, flag, names, number, output
from firth.cli.files import language_facts, print_facts
from firth.cli.flags import Flags, with_flags
from firth.cli.groups import commands
from firth.cli.language_train import check_model_target, train
from firth.cli.output import note, print_json, print_scores, scored, show, with_progress, working
from firth.cli.targets import check_file_target, check_folder_target, check_writable
from firth.cli.texts import READING, corpus_of, line_batches
from firth.corpus.encoded import Corpus
from firth.errors import OptionError
from firth.inference.generation_options import GenerationOptions
from firth.inference.search import BeamSearch
from firth.language.arpa import check_target
from firth.language.comparison import compare_models
from firth.language.files import load_language_model, save_language_model
from firth.language.generation import SEARCHES, TextGenerator
from firth.language.mixture import Mixture
from firth.language.model import LanguageModel, SentenceScore
from firth.options import one_case
from firth.storage.files import is_arpa, replacing_file

LINES = 1 << 12  # per batch
_READING = replace(READING, without=frozenset({"stop_words"}))

Model = Annotated[Path, names("A language model: a folder from firth lm train, or an ARPA file.", "MODEL")]
Models = Annotated[list[Path], names("Language models with the same vocabulary.", "MODEL...")]
Tokens = Annotated[
    str | None,
    flag(
        "How text is split, for an ARPA file that does not say: a rule, such as words, or a file of subwords. Default: "
        "whitespace.",
        "NAME",
        TEXT,
    ),
]
HeldOut = Annotated[Path, names("Text that no model was trained on.", "TEXT", "--held-out")]


def score(
    model: Model,
    text: TextFile,
    words: Annotated[bool, typer.Option("--words", help="Show the log-probability of each word.")] = False,
    tokens: Tokens = None,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Score sentences, one per line: log-probability in nats, perplexity, and the tokens.

    Each sentence is scored on its own, without the sentences before it.
    """
    scorer = _open(model, tokens, quiet)
    for lines in with_progress(line_batches(text, LINES), "scoring", quiet):
        for line, result in zip(lines, scorer.score(lines), strict=True):
            show(json, _score_facts(line, result), _score_line(result, words))


def perplexity(
    model: Model, text: Sources, tokens: Tokens = None, quiet: Quiet = False, json: AsJson = False, **reading: Any
) -> None:
    """Measure the perplexity of a text, with its interval."""
    scorer = _open(model, tokens, quiet)
    figure = scorer.perplexity(_held_out(scorer, text, reading, quiet), progress=not quiet)
    show(json, {"model": str(model), **figure.described()}, figure)


def _generate(
    model: Model,
    prompt: Annotated[
        str, typer.Argument(help="How texts begin; - reads one prompt per line from standard input.", metavar="PROMPT")
    ] = "",
    number: Annotated[int, number("Texts per prompt.")] = 1,
    search: Annotated[str, typer.Option(help="Decoding method.", metavar="|".join(SEARCHES))] = "sample",
    seed: Seed = 0,
    unknown: Annotated[bool, typer.Option("--unknown", help="Allow <unk> in the text.")] = False,
    forced: Annotated[
        list[str] | None, flag("Word or phrase that each text contains; several by repeating the flag.", "PHRASE")
    ] = None,
    tokens: Tokens = None,
    quiet: Quiet = False,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Generate texts that continue a prompt, one per line.

    Subwords and characters are joined to text as it is written; words by spaces. Where the model has line breaks among
    its tokens, a text may take several lines.
    """
    scorer = _open(model, tokens, quiet)
    generation = GenerationOptions(**_GENERATION.select(options))
    method = _search(search, number, _BEAM.select(options), forced or ())
    generator = TextGenerator.of(scorer)
    prompts = [line for lines in line_batches("-", LINES) for line in lines] if prompt == "-" else [prompt]
    for (beginning,) in with_progress(([text] for text in prompts), "generating", quiet):
        words = generator.prompt(beginning)
        for continuation in generator.continuations(
            words, number, generation, method, seed=seed, unknown=unknown, forced=forced or ()
        ):
            text = generator.text(words, continuation.ids)
            if json:
                shown = [*generator.tokens(words), *generator.tokens(continuation.ids)]
                facts: dict[str, Any] = {"prompt": beginning, "text": text, "tokens": shown}
                facts |= {name: getattr(continuation, name) for name in ("log_prob", "score", "ended")}
                print_json(facts)
            else:
                print(text)


_GENERATION = Flags(GenerationOptions, "Generation")
_BEAM = Flags(BeamSearch, "Beam search", without=frozenset({"coverage", "coverage_penalty"}))  # no source to cover


def next_words(
    model: Model,
    prompt: Annotated[str, typer.Argument(help="The words before.", metavar="PROMPT")] = "",
    number: Annotated[int, number("How many words to show.")] = 10,
    tokens: Tokens = None,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Show the most likely next words with their probabilities; </s> is the end of the sentence.

    A model of subwords shows subwords; a dot stands before those that go on with a word.
    """
    answer = _open(model, tokens, quiet).next_words(prompt, number)
    if json:
        print_json({"prompt": prompt, "next": scored(answer)})
    else:
        print_scores(answer)


def compare(
    models: Models,
    held_out: HeldOut,
    seed: Seed = 0,
    tokens: Tokens = None,
    quiet: Quiet = False,
    json: AsJson = False,
    **reading: Any,
) -> None:
    """Compare language models on one text: perplexities, ratios with paired intervals, mixtures."""
    scorers, text = _open_all(models, held_out, tokens, reading, quiet)
    comparison = compare_models(scorers, text, seed=seed, progress=not quiet)
    if json:
        for row in comparison.described():
            print_json(row)
    else:
        print(comparison)


def mix(
    models: Models,
    held_out: HeldOut,
    output: Annotated[Path, output("Folder to save the mixture in.")],
    tokens: Tokens = None,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
    json: AsJson = False,
    **reading: Any,
) -> None:
    """Mix language models with the weights that predict a held-out text best; measure the result on another text."""
    check_model_target(output, [], counts=False, overwrite=overwrite)
    scorers, text = _open_all(models, held_out, tokens, reading, quiet)
    mixture = Mixture.fit(list(scorers.values()), text, progress=not quiet)
    mixture.metadata.setdefault("name", output.stem)
    mixture.save(output)
    weights = dict(zip(scorers, mixture.weights.tolist(), strict=True))
    show(
        json,
        {"model": str(output), "weights": weights},
        f"{output}: " + " + ".join(f"{weight:.3f} {name}" for name, weight in weights.items()),
    )


def report(
    models: Models,
    held_out: HeldOut,
    output: Annotated[Path, output("HTML page to write.", "FILE")],
    samples: Annotated[int, typer.Option(help="Texts that each model generates.", min=0)] = 3,
    prompt: Annotated[str, typer.Option(help="How these texts begin.")] = "",
    seed: Seed = 0,
    tokens: Tokens = None,
    quiet: Quiet = False,
    json: AsJson = False,
    **reading: Any,
) -> None:
    """Write a page that compares language models: perplexities, learning curves, generated texts.

    N-gram models, which learn no curve, are horizontal lines among the curves.
    """
    if output.suffix != ".html":
        raise OptionError(f"{output}: expected a name that ends in .html")
    check_writable(output)
    from firth.plots.language_report import language_report  # slow to import; the other commands do not need it

    scorers, text = _open_all(models, held_out, tokens, reading, quiet)
    page = language_report(scorers, text, samples=samples, prompt=prompt, seed=seed, progress=not quiet)
    with replacing_file(output) as file:
        file.write(page.encode("utf-8", "backslashreplace"))
    show(json, {"page": str(output), "models": list(scorers)}, f"{output}: {', '.join(scorers)}", to=note)


def convert(
    model: Model,
    output: Annotated[Path, names("Folder or ARPA file (.arpa, .arpa.gz) to write.", "OUT")],
    tokens: Tokens = None,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Convert an n-gram model to an ARPA file, for other programs, or an ARPA file to a folder, which opens faster."""
    if not is_arpa(output):
        check_folder_target(output, overwrite=overwrite)
    else:
        check_file_target(output, check_target, overwrite=overwrite)
    scorer = _open(model, tokens, quiet)
    with working(f"writing {output}", quiet):
        save_language_model(scorer, output)
    show(json, {"model": str(output), "words": len(scorer.vocabulary)}, f"{output}: {scorer!r}", to=note)


def info(model: Model, tokens: Tokens = None, quiet: Quiet = False, json: AsJson = False) -> None:
    """Describe a language model: kind, size, options and training."""
    facts = language_facts(model, _open(model, tokens, quiet))
    if json:
        print_json(facts)
    else:
        print_facts(facts)


language = commands(
    "Language models: train, score, generate, compare and mix.",
    train=train,
    generate=with_flags(_generate, [_GENERATION, _BEAM]),
    next=next_words,
    score=score,
    **{run.__name__: with_flags(run, [_READING]) for run in (perplexity, compare, mix, report)},
    convert=convert,
    info=info,
)


def _open(path: Path, tokens: str | None, quiet: bool) -> LanguageModel:
    with working(f"reading {path}", quiet):
        return load_language_model(path, tokens=tokens)


def _open_all(
    paths: Sequence[Path], text: Path, tokens: str | None, reading: Mapping[str, Any], quiet: bool
) -> tuple[dict[str, LanguageModel], Corpus]:
    """Return models by name, or by path where names are equal, and the text that they are compared on."""
    stems = [path.name.removesuffix(path.suffix) for path in paths]
    labels = stems if len(set(stems)) == len(stems) else [str(path) for path in paths]
    if len(set(labels)) < len(labels):
        raise OptionError(f"{', '.join(labels)}: a model is named twice; expected each once")
    models = {label: _open(path, tokens, quiet) for label, path in zip(labels, paths, strict=True)}
    return models, _held_out(next(iter(models.values())), [str(text)], reading, quiet)


def _held_out(model: LanguageModel, sources: Sequence[str], reading: Mapping[str, Any], quiet: bool) -> Corpus:
    """A text with every word of it, tokenised as the model reads."""
    defaults = {**model.rules.corpus_options(), "min_count": 1}
    return corpus_of(sources, reading, progress=not quiet, defaults=defaults)


def _search(search: str, number: int, beams: dict[str, Any], forced: Sequence[str]) -> str | BeamSearch:
    search = one_case(search, SEARCHES)
    if search not in SEARCHES:
        raise OptionError(f"search={search!r}: expected one of {', '.join(SEARCHES)}")
    given = [*beams, *["forced"] * bool(forced)]
    if given and search != "beam":
        flags = ", ".join(f"--{name.replace('_', '-')}" for name in given)
        raise OptionError(f"{flags} with --search {search}: expected --search beam")
    if search != "beam" or not beams:
        return search
    return BeamSearch(**{"beams": max(number, BeamSearch().beams), **beams})


def _score_facts(line: str, result: SentenceScore) -> dict[str, Any]:
    return {
        "sentence": line,
        "log_prob": result.total,
        "perplexity": result.perplexity if result.tokens else None,
        "tokens": list(result.tokens),
        "log_probs": result.log_probs.tolist(),
    }


def _score_line(result: SentenceScore, words: bool) -> str:
    pairs = zip(result.tokens, result.log_probs.tolist(), strict=True)
    text = " ".join(f"{word}:{log_prob:.2f}" if words else word for word, log_prob in pairs)
    return f"{result.total:.3f}\t{result.perplexity:.2f}\t{text}"
