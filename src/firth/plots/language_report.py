"""A report on language models as one HTML page: learning curves, held-out perplexity, samples."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from firth.errors import OptionError
from firth.inference.generation_options import GenerationOptions
from firth.language.comparison import LanguageComparison, ModelPair, compare_models
from firth.language.model import LanguageModel
from firth.language.perplexity import Perplexity
from firth.plots.learning import learning_curves
from firth.plots.report_page import note, report_page, safe, svg, table
from firth.progress import Progress


def language_report(
    models: Mapping[str, LanguageModel],
    source: Any,
    *,
    samples: int = 3,
    words: int = 40,
    prompt: str = "",
    seed: int = 0,
    progress: Progress = None,
) -> str:
    """Return an HTML report on language models with one vocabulary.

    Args:
        models: by name, at least one; n-gram models are the baselines.
        source: held-out text; see `firth.language.text.held_out_text`.

    Raises:
        OptionError: there are no models, or their vocabularies or text rules differ.
    """
    if not models:
        raise OptionError("no models; expected at least one to report on")
    if len(models) == 1:
        ((name, model),) = models.items()
        comparison = LanguageComparison({name: model.perplexity(source, progress=progress)}, ())
    else:
        comparison = compare_models(models, source, seed=seed, progress=progress)
    title = f"Language models: {', '.join(models)}"
    parts = [
        *_perplexities(models, comparison),
        *_pairs(comparison.pairs),
        *_curves(models, comparison),
        *_samples(models, samples, words, prompt, seed),
        *_making(models),
    ]
    return report_page(title, parts)


def _perplexities(models: Mapping[str, LanguageModel], comparison: LanguageComparison) -> Iterable[str]:
    figures = comparison.figures
    first = next(iter(figures.values()))
    yield "<h2>Perplexity of the held-out text</h2>"
    rows = [(name, *_figures(figure), *_run(models[name])) for name, figure in figures.items()]
    head = ("model", "perplexity", "95 %", "without unknown words", "bits per token", "minutes trained", "words/s")
    yield table(head, rows)
    yield note(
        f"{first.tokens:,} tokens are predicted: {first.words:,} {first.unit}, {first.unknown:,} of them unknown, read "
        f"as <unk>, and {first.eos:,} sentence ends. Intervals are the bootstrap's over sentences."
    )


def _figures(figure: Perplexity) -> tuple[str, ...]:
    low, high = figure.interval()
    between = "" if math.isnan(low) else f"{low:,.1f} to {high:,.1f}"
    return f"{figure.value:,.2f}", between, f"{figure.without_unknown:,.2f}", f"{figure.bits_per_token:.3f}"


def _run(model: LanguageModel) -> tuple[str, str]:
    facts = model.metadata.get("training", {})
    seconds, predicted = facts.get("seconds"), facts.get("predictions")
    if not seconds or not predicted:
        return "", ""
    return f"{seconds / 60:,.1f}", f"{predicted / seconds:,.0f}"


def _pairs(pairs: Sequence[ModelPair]) -> Iterable[str]:
    if not pairs:
        return
    yield "<h2>Two at a time</h2>"
    rows = []
    for pair in pairs:
        better, worse = pair.names
        low, high = pair.interval
        between = "" if math.isnan(low) else f"{low:.3f} to {high:.3f}"
        both = f"{pair.mixture:,.2f}", f"{pair.weight:.2f}"
        rows.append((f"{worse} / {better}", f"{pair.ratio:.3f}", between, f"{pair.correlation:.2f}", *both))
    yield table(("models", "ratio", "95 %", "losses correlate", "perplexity mixed", "weight of the better"), rows)
    yield note("If the interval of a ratio contains 1, the difference is not significant. A mixture far below both "
                "models shows that they err in different places.")  # fmt: skip


def _curves(models: Mapping[str, LanguageModel], comparison: LanguageComparison) -> Iterable[str]:
    rows = {name: model.metadata.get("training", {}).get("rows", []) for name, model in models.items()}
    curves = {name: losses for name, losses in rows.items() if losses}
    if not curves:
        return
    # Curves show each model's own held-out text; horizontal lines show this page's.
    baselines = {name: figure.value for name, figure in comparison.figures.items() if name not in curves}
    yield "<h2>How they learned</h2>"
    yield svg(learning_curves(curves, baselines))
    yield note("Curves show the perplexity of the text that each model was evaluated on in training; horizontal lines "
                "show that of this page's held-out text.")  # fmt: skip


def _samples(models: Mapping[str, LanguageModel], samples: int, words: int, prompt: str, seed: int) -> Iterable[str]:
    if not samples:
        return
    yield "<h2>What they write</h2>"
    options = GenerationOptions(max_length=words)
    for name, model in models.items():
        yield f"<h3>{safe(name)}</h3>"
        yield from (
            f"<blockquote>{safe(text)}</blockquote>" for text in model.generate(prompt, samples, options, seed=seed)
        )
    yield note(f"Sampled word by word from the models' probabilities, seed {seed}; not selected.")


def _making(models: Mapping[str, LanguageModel]) -> Iterable[str]:
    yield "<h2>How they were made</h2>"
    rows = [(name, repr(model).strip("<>"), _options(model)) for name, model in models.items()]
    yield table(("model", "what", "options"), rows, left=True)


def _options(model: LanguageModel) -> str:
    options = model.metadata.get("training", {}).get("options", {})
    return " ".join(f"{key}={value}" for key, value in options.items() if key != "model")
