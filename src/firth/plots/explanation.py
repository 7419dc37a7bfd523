"""The scores that attribution methods give the tokens of a text."""

from collections.abc import Sequence

import numpy as np

from firth.arguments import explained
from firth.errors import OptionError
from firth.explanation.explanation import Explanation
from firth.plots.picture import Axis, Lines, Picture, Points

MOST = 60  # tokens
_ROW, _APART = 0.34, 0.7  # inches per token; the part of a row that its methods share


@explained
def token_scores(explanations: Explanation | Sequence[Explanation], *, title: str | None = None) -> Picture:
    """Return the scores of a text's tokens, one token per line, a colour per method.

    Args:
        explanations: one explanation, or several of the same text by different methods, each divided by its largest
            absolute score.
        title: by default the answer that is explained.

    Raises:
        OptionError: there is no explanation, or they are of different texts.
    """
    several = [explanations] if isinstance(explanations, Explanation) else list(explanations)
    if not several:
        raise OptionError("no explanation to draw: expected at least one, as firth.explain returns it")
    first = several[0]
    if any(list(other.tokens) != list(first.tokens) for other in several):
        raise OptionError("explanations of different texts: expected one text, explained by several methods")
    shown = min(len(first), MOST)
    heights = np.arange(shown)[::-1].astype(np.float64)
    marks: list[Points | Lines] = [Lines(ends=np.array([[[0.0, -0.7], [0.0, shown - 0.3]]]), style="guide")]
    for number, explanation in enumerate(several):
        scores = (explanation.scores if len(several) == 1 else explanation.strengths)[:shown]
        bar_heights = heights + _APART * ((len(several) - 1) / 2 - number) / len(several)
        ends = np.stack([np.column_stack([x, bar_heights]) for x in (np.zeros(shown), scores)], axis=1)
        values = zip(explanation.tokens, scores, strict=False)
        hover = [f"{token}: {score:.4f} ({explanation.method})" for token, score in values]
        marks.append(Lines(ends=ends, style="interval", groups=[number] * shown))
        marks.append(
            Points(xy=np.column_stack([scores, bar_heights]), labels=hover, groups=[number] * shown, labelled=False)
        )
    return Picture(
        kind="explanation",
        title=f"{first.target} (p = {first.probability:.3f})" if title is None else title,
        marks=marks,
        groups=[explanation.method for explanation in several] if len(several) > 1 else [],
        rows=[
            {"token": token, "method": explanation.method, "score": float(score)}
            for explanation in several
            for token, score in zip(explanation.tokens, explanation.scores, strict=True)
        ],
        caption="To the right: for the answer; to the left: against it. Jacobian and attention have no sign.",
        notes=[f"the first {MOST} of {len(first):,} tokens are drawn"] if len(first) > MOST else [],
        x=Axis(name=first.method if len(several) == 1 else "score, largest = 1"),
        y=Axis(
            name="",
            low=-0.7,
            high=shown - 0.3,
            ticks=[(float(y), token) for y, token in zip(heights, first.tokens, strict=False)],
            grid=False,
        ),
        size=(9.0, 1.8 + _ROW * shown * max(1.0, len(several) / 3)),
    )
