"""Agreement of attribution methods: rank correlations of their scores, on a model and on a random one.

What: Kendall's tau between the absolute scores that two methods give the tokens of a text, averaged over texts. The
control is tau between the scores of the trained model and those of a model with random parameters: a method for which
it is high says little about what was learned.

Source: Kendall 1938 and 1945 (tau-b); Jain and Wallace 2019, section 4.1, for its use on attributions; Adebayo et al.
2018, section 4.1, for the randomised model.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import kendalltau

from firth.errors import brief_repr
from firth.explanation.explain import check_method, explain
from firth.explanation.explanation import Explainable
from firth.explanation.methods import METHODS

FEWEST = 3  # tokens of a text that is compared
ROUNDING = 1e-9  # relative to the largest score: smaller differences are ties


@dataclass(frozen=True, eq=False)
class Agreement:
    """Rank correlations between attribution methods.

    Attributes:
        methods: M names.
        tau: (M, M) mean of Kendall's tau-b over the texts.
        control: (M,) mean tau between the scores of the model and of one with random parameters, by method.
    """

    methods: Sequence[str]
    tau: npt.NDArray[np.float64]
    control: npt.NDArray[np.float64]
    texts: int

    __repr__ = brief_repr

    def __str__(self) -> str:
        width = max(map(len, self.methods))
        head = " " * width + "".join(f"  {name:>{max(len(name), 6)}}" for name in [*self.methods, "random"])
        rows = [
            f"{name:<{width}}"
            + "".join(
                f"  {value:>{max(len(other), 6)}.3f}"
                for other, value in zip([*self.methods, "random"], [*row, control], strict=True)
            )
            for name, row, control in zip(self.methods, self.tau, self.control, strict=True)
        ]
        return "\n".join([head, *rows])


def agreement(
    model: Explainable, texts: Sequence[str], methods: Sequence[str] | None = None, *, seed: int = 0
) -> Agreement:
    """Compare attribution methods on a model, and each with itself on a model with random parameters.

    Args:
        model: a classifier or a neural language model.
        texts: texts; those with fewer than three tokens are left out.
        methods: names; None for all but attention.
        seed: of the random parameters.

    Raises:
        OptionError: a method does not exist.
    """
    names = [name for name in METHODS if name != "attention"] if methods is None else list(methods)
    for name in names:
        check_method(name, 2)
    random: Any = model.randomised(seed)
    taus, controls = [], []
    for text in texts:
        target = model.explainable(text).target
        scores = [np.abs(explain(model, text, target=target, method=name).scores) for name in names]
        if len(scores[0]) < FEWEST:
            continue
        of_random = [np.abs(explain(random, text, target=target, method=name).scores) for name in names]
        taus.append([[_tau(first, second) for second in scores] for first in scores])
        controls.append([_tau(first, second) for first, second in zip(scores, of_random, strict=True)])
    empty = np.full((len(names), len(names)), np.nan), np.full(len(names), np.nan)
    tau, control = (np.mean(taus, axis=0), np.mean(controls, axis=0)) if taus else empty
    return Agreement(names, tau, control, len(taus))


def _tau(first: npt.NDArray[np.float64], second: npt.NDArray[np.float64]) -> float:
    """Return Kendall's tau-b, 0 where one of the two is constant."""
    if any(np.ptp(scores) <= ROUNDING * scores.max() for scores in (first, second)):
        return 0.0
    return float(kendalltau(first, second).statistic)
