"""`firth translate`: train translators, translate texts, test translations."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.annotators import Summary, Training, commands, open_model
from firth.cli.arguments import AsJson, OneThread, Quiet, TextFile, names
from firth.cli.output import following, print_json, working
from firth.cli.texts import line_batches
from firth.errors import FormatError

LINES = 256  # texts that are sorted by length and translated before they are printed

Translator = Annotated[Path, names("A translator: a folder that firth wrote.", "MODEL")]
Pairs = Annotated[
    list[Path],
    names("SOURCE and TARGET, a text per line; or one file: a table between tabs, JSON lines, or TMX.", "FILE"),
]
Languages = Annotated[
    tuple[str, str] | None,
    typer.Option(
        help="Languages of source and target, where a file has several: --languages de en.", metavar="SOURCE TARGET"
    ),
]
Others = Annotated[
    list[Path] | None,
    typer.Option("--ensemble", help="A further translator; the mean of all is used. Can be repeated.", metavar="MODEL"),
]
Beam = Annotated[int, typer.Option(help="Number of beams; 1 for greedy search.")]
Penalty = Annotated[
    float | None, typer.Option(help="Exponent of the length normalisation of Wu et al. 2016. Default: means per token.")
]
Longest = Annotated[int | None, typer.Option(help="Maximum length in tokens. Default: that of the model.")]
Least = Annotated[int, typer.Option(help="Minimum length in tokens.")]
Precision = Annotated[str, typer.Option(help="Precision of matrix products: fp32 or bf16, which is faster.")]
Dictionary = Annotated[
    Path | None, typer.Option(help="Words for unknown words: source and target between tabs.", metavar="FILE")
]
Unknown = Annotated[
    str | None, typer.Option(help="Unknown words: kept, copied from the source, from the dictionary, or spelled.")
]


def summary(model: Any) -> Summary:
    """Return what is told of a translator that was trained."""
    facts = model.metadata["training"]
    sizes = {"source_size": len(model.source), "target_size": len(model.target)}
    dropped = {"dropped": facts["dropped"]}
    told = f"{len(model.source):,} {model.options.source_units} to {len(model.target):,} {model.options.target_units}"
    left_out = ", ".join(f"{count:,} {reason}" for reason, count in facts["dropped"].items() if count)
    read = f"{facts['target_tokens']:,} target tokens" + (f" (left out: {left_out})" if left_out else "")
    return Summary(told, {**sizes, **dropped}, "pairs", read, ("target_tokens",), "{} nats per token")


train = Training(
    group="translate",
    what="translator",
    kind="firth-translator",
    homes=("firth.neural.models.translation.",),
    default="attention",
    source=Pairs,
    held_out="Pairs that choose the best epoch; repeat it for SOURCE and TARGET. Default: a tenth of the pairs.",
    about="Train a translator on pairs of texts.",
    summary=summary,
    vectors=False,
    several=True,
    extra={"languages": Languages},
).command()


def _opened(model: Path, others: Sequence[Path] | None, quiet: bool) -> Any:
    with working(f"reading {model}", quiet):
        several = [open_model(path, "a translator") for path in (model, *(others or ()))]
    if len(several) == 1:
        return several[0]
    import firth

    return firth.TranslationEnsemble(several)


def _dictionary(path: Path | None) -> dict[str, str] | None:
    if path is None:
        return None
    entries = dict[str, str]()
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        word, tab, other = line.partition("\t")
        if not tab and line.strip():
            raise FormatError(f"{path} line {number:,}: no tab; expected a word and its translation between tabs")
        entries[word.strip()] = other.strip()
    return entries


def _options(system: Any, longest: int | None, least: int, ngram: int | None, temperature: float | None) -> Any:
    from firth.inference.generation_options import GenerationOptions

    usual = system.models[0].options.max_length + 1
    usual_temperature = 1.0 if temperature is None else temperature
    return GenerationOptions(
        max_length=longest or usual, min_length=least, no_repeat_ngram=ngram, temperature=usual_temperature
    )


def _predict(
    model: Translator,
    texts: TextFile,
    ensemble: Others = None,
    beam: Beam = 5,
    n_best: Annotated[int, typer.Option(help="Translations per text; each with its line and score.")] = 1,
    length_penalty: Penalty = None,
    max_length: Longest = None,
    min_length: Least = 0,
    no_repeat_ngram: Annotated[int | None, typer.Option(help="N-grams of this length occur once.")] = None,
    temperature: Annotated[
        float | None, typer.Option(help="Sample with this temperature in place of beam search, unless it is 1.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of sampling.")] = 0,
    unknown: Unknown = None,
    dictionary: Dictionary = None,
    refuse_long: Annotated[
        bool, typer.Option("--refuse-long", help="Stop at a text that is too long, in place of truncating it.")
    ] = False,
    attention: Annotated[bool, typer.Option("--attention", help="With --json: attention of each token.")] = False,
    batch_size: Annotated[int, typer.Option(help="Texts that are searched together.")] = 64,
    precision: Precision = "fp32",
    threads: OneThread = None,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Translate texts, one a line: a line each, in the same order.

    Lines are printed as they are finished; Ctrl-C keeps them. With --n-best, a line holds the number of the text, the
    score and the translation, between tabs.
    """
    system, table = _opened(model, ensemble, quiet), _dictionary(dictionary)
    options = _options(system, max_length, min_length, no_repeat_ngram, temperature)
    number = 0
    for lines in following(lines_of(texts), "translating", quiet):
        found = system.translate(
            lines,
            beam=beam,
            length_penalty=length_penalty,
            n_best=n_best,
            options=options,
            unknown=unknown,
            dictionary=table,
            truncate=not refuse_long,
            return_attention=attention,
            seed=seed + number,
            batch_size=batch_size,
            precision=precision,
            threads=threads,
        )
        for source, each in zip(lines, found, strict=True):
            number += 1
            show(number, source, each, n_best, json)
        sys.stdout.flush()


def lines_of(texts: str) -> Iterator[list[str]]:
    """Yield the texts of a file in batches; of a terminal one by one."""
    many = 1 if texts == "-" and sys.stdin.isatty() else LINES
    return line_batches(texts, many, damaged="strict")


def show(number: int, source: str, best: Any, n_best: int, json: bool) -> None:
    """Print what was generated from a text."""
    several = (best, *best.others)
    if json:
        shown = [
            {"text": each.text, "score": each.score, "log_prob": each.log_prob, "tokens": each.tokens}
            | ({} if each.attention is None else {"attention": each.attention.round(4).tolist()})
            for each in several
        ]
        tokens = {"source_tokens": best.source_tokens} if best.attention is not None else {}
        print_json({"source": source, **tokens, **(shown[0] if n_best == 1 else {"translations": shown})})
    elif n_best == 1:
        print(best.text.replace("\n", " "))
    else:
        for each in several:
            print(f"{number}\t{each.score:.4f}\t{each.text}")


def _test(
    model: Translator,
    source: Pairs,
    ensemble: Others = None,
    languages: Languages = None,
    beam: Beam = 5,
    length_penalty: Penalty = None,
    unknown: Unknown = None,
    dictionary: Dictionary = None,
    metrics: Annotated[str, typer.Option(help="Metrics with commas between; all for all.")] = "bleu,chrf",
    lowercase: Annotated[bool, typer.Option("--lowercase", help="Ignore case.")] = False,
    batch_size: Annotated[int, typer.Option(help="Texts that are searched together.")] = 64,
    precision: Precision = "fp32",
    threads: OneThread = None,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Translate the sources of pairs and score the translations: BLEU and chrF, with intervals."""
    report = _opened(model, ensemble, quiet).test(
        source,
        languages=languages,
        beam=beam,
        length_penalty=length_penalty,
        unknown=unknown,
        dictionary=_dictionary(dictionary),
        metrics=metrics.split(","),
        lowercase=lowercase,
        batch_size=batch_size,
        precision=precision,
        threads=threads,
        progress=not quiet,
    )
    print(report.to_json() if json else report)


translate = commands("Translators: train on pairs, translate, test.", train=train, predict=_predict, test=_test)
