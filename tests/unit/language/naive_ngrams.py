"""N-grams counted over dictionaries of tuples, for the formulas of smoothings as they are written down."""

import math
from collections import Counter

import numpy as np
import pytest

from tests.unit.language.ngram_checks import prompts_of, text_of

SENTENCES = ["a b a c a b", "b a b c", "a a b", "c b a d", "d", "a b a b c e", "e a d b", "f b a", "a c"]


class Counted:
    """c(h w) of all n-grams of a text, with one `BOS` before each sentence."""

    def __init__(self, text, order):
        self.size, self.begin, self.order = len(text.vocabulary), len(text.vocabulary), order
        self.counts = [Counter() for _ in range(order + 1)]
        for first, last in zip(text.offsets[:-1], text.offsets[1:], strict=True):
            words = (self.begin, *text.ids[first:last].tolist())
            for k in range(1, order + 1):
                self.counts[k].update(words[i : i + k] for i in range(len(words) - k + 1))
        del self.counts[1][(self.begin,)]

    def after(self, context):
        """The words seen after a context, and how often each."""
        found = self.counts[len(context) + 1]
        return {g[-1]: c for g, c in found.items() if g[:-1] == context}

    def of_counts(self, k):
        """How many n-grams of order k count 1, 2 and so on."""
        return Counter(self.counts[k].values())


def check_formula(tmp_path, options, probability, eos=True, sentences=SENTENCES):
    """Every word after many contexts, seen and unseen, has the probability that the formula gives it.

    Args:
        probability: a function of what was counted, a context as long as the order lets it be, and a word.
    """
    text = text_of(sentences, tmp_path, eos=eos)
    counted, model = Counted(text, options.order), options.train(text, progress=False)
    prompts = prompts_of(text, 60)
    scores, _ = model.start(prompts)
    for prompt, row in zip(prompts, scores, strict=True):
        whole = (counted.begin, *prompt)
        context = whole[max(len(whole) + 1 - options.order, 0) :]
        found = [probability(counted, context, word) for word in range(counted.size)]
        assert math.fsum(found) == pytest.approx(1, abs=1e-9)
        np.testing.assert_allclose(np.exp(row), found, rtol=2e-6)
