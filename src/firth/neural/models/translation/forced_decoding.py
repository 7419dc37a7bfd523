"""Forced decoding: the scores and the attention of translations that are given.

What: the decoder reads the tokens of a target in place of its own; nothing is searched.
Objective: log P(y | x) = sum_t log P(y_t | y_1 .. y_t-1, x), the end included.
Source: the gold target of OpenNMT, which fairseq calls a scored reference and Marian forced decoding.
Departures: words that the model does not know are scored as unknown words, and counted in a warning.
Cost: that of a step of training without gradients.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from firth.errors import CorpusError, OptionError, ShapeError, counted, warn_caller
from firth.inference.ensemble import mixed
from firth.neural.models.translation.data import Pair, Source
from firth.neural.models.translation.scorer import Search, Translation
from firth.neural.models.translation.units import UNKNOWN
from firth.text.inputs import check_items, check_text


def check_targets(targets: Any, texts: Sequence[str], search: Search, **searched: Any) -> list[str]:
    """Return the checked targets of texts.

    Args:
        searched: arguments of `translate` that only a search has, by their names.

    Raises:
        CorpusError: a text or its target is empty, or a target is no text.
        OptionError: something is asked of a search.
        ShapeError: there are not as many targets as texts.
    """
    given = [name for name, value in searched.items() if value is not None]
    given += ["n_best"] * (search.n_best > 1) + ["options"] * search.sampling
    if given:
        raise OptionError(f"targets with {given[0]}: translations that are given are not searched for; leave out one")
    items: list[str] = list(check_items(targets, "targets"))
    if len(items) != len(texts):
        raise ShapeError(f"{len(items):,} targets for {counted(len(texts), 'text')}; expected as many")
    for number, pair in enumerate(zip(texts, items, strict=True), 1):
        check_text(pair[1], f"target {number:,}")
        if empty := [name for name, text in zip(("text", "target"), pair, strict=True) if not text.strip()]:
            raise CorpusError(f"{empty[0]} {number:,} is empty, and such a pair has no score; leave out both of it")
    return items


def forced_translations(
    system: Any, sources: Sequence[Sequence[Source]], targets: Sequence[str], search: Search, **shown: Any
) -> list[Translation]:
    """Return targets as translations, with their scores.

    Args:
        system: `TranslationSystem`.
        sources: of the texts, as each model reads them.
        shown: threads and progress.
    """
    first, weights = system.models[0], system.weights
    by_model = [
        [model.reader.pair_of(source, target) for source, target in zip(read, targets, strict=True)]
        for model, read in zip(system.models, sources, strict=True)
    ]
    pairs = by_model[0]
    warn_unknown(pairs)
    scored = [model.token_scores(own, **shown) for model, own in zip(system.models, by_model, strict=True)]
    scores = [mixed(np.stack(by_token), weights) for by_token in zip(*scored, strict=True)]
    attentive = search.attention or search.beams.coverage_penalty
    attention = [weights for pair in pairs for weights in first.attention_of([pair])] if attentive else []
    return [
        Translation(
            target,
            tuple(first.target.split(target)),
            tuple(first.reader.words_of(pair.source)),
            search.beams.score(float(own.sum()), len(own), list(attention[row]) if attention else ()),
            float(own.sum()),
            attention=attention[row] if search.attention else None,
            token_log_probs=own,
        )
        for row, (target, pair, own) in enumerate(zip(targets, pairs, scores, strict=True))
    ]


def warn_unknown(pairs: Sequence[Pair]) -> None:
    """Warn the caller that words of targets are unknown to the model, if any are."""
    by_pair = [int((pair.target == UNKNOWN).sum()) for pair in pairs]
    if sum(by_pair):
        few = f"{counted(sum(by_pair), 'token')} of {sum(map(bool, by_pair)):,} of {counted(len(pairs), 'target')}"
        warn_caller(f"{few} are unknown to the model, and scored as <unk>")
