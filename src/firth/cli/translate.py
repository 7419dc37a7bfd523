"""`firth translate`: train translators, translate texts, test translations, learn candidate lists."""

import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

import typer

from firth.cli.arguments import TEXT, AsJson, OneThread, Overwrite, Quiet, Seed, TextFile, flag, names, output
from firth.cli.flags import Flags, with_flags
from firth.cli.groups import commands
from firth.cli.output import on_a_line, print_json, show, with_progress, working
from firth.cli.targets import check_folder_target
from firth.cli.texts import READ_TABLES, line_batches
from firth.cli.training import Report, Run, Summary, TrainCommand
from firth.cli.vectors import open_model
from firth.errors import CorpusError, FormatError, OptionError, ShapeError, brief, counted, warn_caller
from firth.inference.generation_options import GenerationOptions
from firth.readers.lines import numbered_lines
from firth.readers.parallel import ParallelTexts, read_parallel
from firth.storage.files import check_exists

LINES = 256  # texts that are sorted by length and searched together before they are printed

Beam = Annotated[int, typer.Option(help="Number of beams; 1 for greedy search.")]
Attention = Annotated[bool, typer.Option("--attention", help="With --json: attention of each token.")]
Together = Annotated[int, typer.Option(help="Texts that are searched together.")]


def print_generated(
    texts: str,
    generate: Callable[..., Sequence[Any]],
    doing: str,
    *,
    seed: int,
    n_best: int,
    quiet: bool,
    json: bool,
    aligned: Mapping[str, Path | None] = MappingProxyType({}),
) -> None:
    """Print what is generated from the lines of a file as it is finished, in their order.

    Args:
        doing: what the progress says, such as "translating".
        aligned: files with a line for each text, by the arguments of `generate` that take them.
    """
    number, many = 0, 1 if texts == "-" and sys.stdin.isatty() else LINES
    files = {name: (path, line_batches(str(path), many)) for name, path in aligned.items() if path is not None}
    for lines in with_progress(line_batches(texts, many), doing, quiet):
        more = {name: next(batches, []) for name, (_, batches) in files.items()}
        for name, given in more.items():
            _check_aligned(files[name][0], number + len(given), texts, number + len(lines))
        with counting_from(number, texts):
            results = generate(lines, seed=seed + number, **more)
        for source, best in zip(lines, results, strict=True):
            number += 1
            _show(number, source, best, n_best, json, scored="targets" in more)
        sys.stdout.flush()
    for path, batches in files.values():
        _check_aligned(path, number + len(next(batches, [])), texts, number)


def _check_aligned(path: Path, lines: int, texts: str, expected: int) -> None:
    if lines != expected:
        few, many = sorted([(lines, str(path)), (expected, texts)])
        raise ShapeError(
            f"{few[1]} ends after {counted(few[0], 'line')}, {many[1]} does not; expected a line for each text"
        )


@contextlib.contextmanager
def counting_from(number: int, texts: str) -> Iterator[None]:
    """Let an error that counts the texts of a batch say after which line of a file the batch begins."""
    try:
        yield
    except (CorpusError, OptionError, ShapeError) as error:
        if number:
            error.args = (f"{error}; counted from line {number + 1:,} of {texts}",)
        raise


def _show(number: int, source: str, best: Any, n_best: int, json: bool, *, scored: bool = False) -> None:
    """Print what was generated from a text.

    Args:
        scored: whether the number of the text and the score are printed, also of one result.
    """
    several = (best, *best.others)
    if json:
        shown = [
            {"text": result.text, "score": result.score, "log_prob": result.log_prob, "tokens": result.tokens}
            | ({} if result.token_log_probs is None else {"token_log_probs": result.token_log_probs.tolist()})
            | ({} if result.attention is None else {"attention": result.attention.round(4).tolist()})
            for result in several
        ]
        tokens = {"source_tokens": best.source_tokens} if best.attention is not None else {}
        print_json({"source": source, **tokens, **(shown[0] if n_best == 1 else {"translations": shown})})
    elif n_best == 1 and not scored:
        print(on_a_line(best.text))
    else:
        for result in several:
            print(f"{number}\t{result.score:.4f}\t{on_a_line(result.text)}")


Translator = Annotated[Path, names("A translator: a folder that firth wrote.", "MODEL")]
Pairs = Annotated[
    list[Path],
    names("SOURCE and TARGET, a text per line; or one file: a table between tabs, JSON lines, or TMX.", "FILE"),
]
Languages = Annotated[
    tuple[str, str] | None,
    flag("Languages of source and target, where a file has several: --languages de en.", "SOURCE TARGET"),
]
Columns = Annotated[
    tuple[str, str] | None,
    flag(
        "Columns of source and target in a table, or keys in JSON lines: names, or numbers from 1.",
        "SOURCE TARGET",
        panel=TEXT,
    ),
]
Others = Annotated[
    list[Path] | None,
    typer.Option("--ensemble", help="A further translator; the mean of all is used. Can be repeated.", metavar="MODEL"),
]
Penalty = Annotated[
    float | None, flag("Exponent of the length normalisation of Wu et al. 2016. Default: means per token.")
]
Longest = Annotated[int | None, flag("Maximum length in tokens. Default: that of the model.", panel="Generation")]
Precision = Annotated[
    str,
    typer.Option(
        help="Precision of matrix products: fp32, or bf16, which is faster on processors with bf16 instructions."
    ),
]
Dictionary = Annotated[Path | None, flag("Words for unknown words: source and target between tabs.", "FILE")]
Glossary = Annotated[
    Path | None, flag("Terms with the translation that must be used: source and target between tabs.", "FILE")
]
Unknown = Annotated[str | None, flag("Unknown words: kept, copied from the source, from the dictionary, or spelled.")]
_GENERATION = Flags(GenerationOptions, "Generation", without=frozenset({"max_length"}))


def read_pairs(
    files: Sequence[Path],
    languages: tuple[str, str] | None = None,
    columns: tuple[str, str] | None = None,
    **table: Any,
) -> ParallelTexts:
    """Return the pairs of one file, or of two.

    Args:
        languages: as for `read_parallel`.
    """
    source, target = (files, None) if len(files) > 2 else (*files, None)[:2]
    return read_parallel(source, target, languages=languages, columns=columns, **table)


def report(run: Run, model: Any) -> Report:
    """Report on the training of a translator, or of the one in a summarizer."""
    trained, model = model, getattr(model, "translator", model)
    facts = model.metadata["training"]
    sizes = {"source_size": len(model.source), "target_size": len(model.target)}
    dropped = {"dropped": facts["dropped"]}
    units = model.options.source_units, model.options.target_units
    described = f"{len(model.source):,} {units[0]} to {len(model.target):,} {units[1]}"
    left_out = ", ".join(f"{count:,} {reason}" for reason, count in facts["dropped"].items() if count)
    read = f"{facts['target_tokens']:,} target tokens" + (f" (left out: {left_out})" if left_out else "")
    summary = Summary(described, {**sizes, **dropped}, "pairs", read, ("target_tokens",), "{} nats per token")
    return summary.report(run, trained)


def held_out_pairs(files: str) -> Any:
    """Return the flag for held-out pairs."""
    text = f"Pairs that choose the best epoch; repeat it for {files}. Default: a tenth of the pairs."
    return flag(text, "FILE")


def train_on_pairs(run: Run, source: Sequence[Path], held_out: Sequence[Path] | None, **options: Any) -> Any:
    """Train on the pairs of one file, or of two; the arguments are those of `read_pairs`."""
    options |= READ_TABLES.select(run.values)
    held_out_pairs = None if held_out is None else read_pairs(held_out, **options)
    return run.train(read_pairs(source, **options), held_out=held_out_pairs)


def _train(
    run: Run,
    source: Pairs,
    held_out: Annotated[list[Path] | None, held_out_pairs("SOURCE and TARGET")] = None,
    *,
    languages: Languages = None,
    columns: Columns = None,
) -> Any:
    """Train a translator on pairs of texts."""
    return train_on_pairs(run, source, held_out, languages=languages, columns=columns)


train = TrainCommand(
    group="translate", what="translator", homes=("firth.neural.models.translation.",), default="attention",
    kinds=("firth-translator",), train=_train, report=report,
    flags=lambda model: (READ_TABLES,),
).command()  # fmt: skip


def _opened(model: Path, further: Sequence[Path] | None, quiet: bool) -> Any:
    with working(f"reading {model}", quiet):
        several = [open_model(path, "a translator") for path in (model, *(further or ()))]
    if len(several) == 1:
        return several[0]
    import firth

    return firth.TranslationEnsemble(several)


def _dictionary(path: Path | None, what: str = "dictionary") -> dict[str, str] | None:
    if path is None:
        return None
    check_exists(path, f"a {what}: a word and its translation per line, between tabs")
    entries, several = dict[str, str](), dict[str, None]()
    for number, line in numbered_lines(path, comments=False):
        parts = [part.strip() for part in line.split("\t")]
        if len(parts) != 2:
            problem = "no tab" if len(parts) == 1 else f"{len(parts)} columns"
            raise FormatError(f"{path} line {number:,}: {problem}; expected a word and its translation between tabs")
        word, translation = parts
        if entries.get(word, translation) != translation:
            several[word] = None
        entries[word] = translation
    if several:
        words = f"{counted(len(several), 'word')} {'has' if len(several) == 1 else 'have'} several translations"
        warn_caller(f"{path}: {words}, such as {brief(next(iter(several)))}; the last one counts")
    return entries


def _check_phrases(phrases: Sequence[str]) -> None:
    """Check that no forced phrase is a file of translations."""
    for phrase in phrases:
        if {".", "/"} & set(phrase) and os.path.isfile(phrase):  # noqa: PTH113 - false of a text that no path can be
            raise OptionError(
                f"--forced {phrase}: expected a word or phrase that each translation contains; to score the "
                f"translations of a file, give --targets {phrase}"
            )


def _predict(
    model: Translator,
    texts: TextFile,
    ensemble: Others = None,
    beam: Beam = 5,
    n_best: Annotated[int, typer.Option(help="Translations per text; each with its line and score.")] = 1,
    length_penalty: Penalty = None,
    max_length: Longest = None,
    seed: Seed = 0,
    prefixes: Annotated[Path | None, flag("How each translation begins, a line for each text.", "FILE")] = None,
    forced: Annotated[
        list[str] | None,
        flag("Forced phrase: a word or phrase that each translation contains. Can be repeated.", "TEXT"),
    ] = None,
    glossary: Glossary = None,
    targets: Annotated[
        Path | None,
        flag("Forced decoding: scores of given translations, a line for each text, in place of a search.", "FILE"),
    ] = None,
    unknown: Unknown = None,
    dictionary: Dictionary = None,
    refuse_long: Annotated[
        bool, typer.Option("--refuse-long", help="Stop at a text that is too long, in place of truncating it.")
    ] = False,
    attention: Attention = False,
    batch_size: Together = 64,
    precision: Precision = "fp32",
    threads: OneThread = None,
    quiet: Quiet = False,
    json: AsJson = False,
    **generation: Any,
) -> None:
    """Translate texts, one a line: a line each, in the same order.

    Lines are printed as they are finished; Ctrl-C keeps them. With --n-best, a line holds the number of the text, the
    score and the translation, between tabs; with --targets, too. With --temperature, --top-k, --top-p or --min-p
    translations are sampled.
    """
    _check_phrases(forced or ())
    if attention and not json:
        raise OptionError("--attention is a part of JSON; give --json, too, or draw it with firth plot attention")
    system, table = _opened(model, ensemble, quiet), _dictionary(dictionary)
    longest = system.models[0].options.max_length + 1 if max_length is None else max_length
    options = GenerationOptions(max_length=longest, **_GENERATION.select(generation))
    generate = partial(
        system.translate,
        beam=beam,
        length_penalty=length_penalty,
        n_best=n_best,
        options=options,
        forced=forced or None,
        glossary=_dictionary(glossary, "glossary"),
        unknown=unknown,
        dictionary=table,
        truncate=not refuse_long,
        return_attention=attention,
        batch_size=batch_size,
        precision=precision,
        threads=threads,
    )
    print_generated(
        texts,
        generate,
        "translating",
        seed=seed,
        n_best=n_best,
        quiet=quiet,
        json=json,
        aligned={"prefixes": prefixes, "targets": targets},
    )


def _test(
    model: Translator,
    source: Pairs,
    ensemble: Others = None,
    languages: Languages = None,
    columns: Columns = None,
    beam: Beam = 5,
    length_penalty: Penalty = None,
    glossary: Glossary = None,
    unknown: Unknown = None,
    dictionary: Dictionary = None,
    metrics: Annotated[str, typer.Option(help="Metrics with commas between; all for all.")] = "bleu,chrf",
    lowercase: Annotated[bool, typer.Option("--lowercase", help="Ignore case.")] = False,
    batch_size: Together = 64,
    precision: Precision = "fp32",
    threads: OneThread = None,
    quiet: Quiet = False,
    json: AsJson = False,
    **table: Any,
) -> None:
    """Translate the sources of pairs and score the translations: BLEU and chrF, with intervals."""
    pairs = read_pairs(source, languages, columns, **READ_TABLES.select(table))
    report = _opened(model, ensemble, quiet).test(
        pairs,
        beam=beam,
        length_penalty=length_penalty,
        glossary=_dictionary(glossary, "glossary"),
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


def _candidates(
    model: Translator,
    source: Pairs,
    output: Annotated[Path, output("Folder to save the model with candidate lists in.")],
    languages: Languages = None,
    columns: Columns = None,
    per_token: Annotated[int, typer.Option(help="Likely translations of each source token.")] = 10,
    frequent: Annotated[int, typer.Option(help="Number of the most frequent target tokens.")] = 500,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
    json: AsJson = False,
    **table: Any,
) -> None:
    """Learn candidate lists from the training pairs: translations become faster, and some differ.

    The output layer then scores likely translations of the source's tokens and frequent tokens only.
    """
    check_folder_target(output, overwrite=overwrite)
    pairs = read_pairs(source, languages, columns, **READ_TABLES.select(table))
    system = _opened(model, None, quiet)
    with working("learning candidate lists", quiet):
        system = system.with_candidates(pairs, per_token=per_token, frequent=frequent)
    system.save(output)
    show(
        json,
        {"path": str(output), "tokens": len(system.source), "per_token": per_token, "frequent": frequent},
        f"{output}: {len(system.source):,} source tokens x {per_token}, {frequent:,} frequent target tokens",
    )


translate = commands(
    "Translators: train on pairs, translate, test.",
    train=train,
    predict=with_flags(_predict, [_GENERATION]),
    test=with_flags(_test, [READ_TABLES]),
    candidates=with_flags(_candidates, [READ_TABLES]),
)
