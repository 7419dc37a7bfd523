"""An n-gram language model in one file, with modified Kneser-Ney smoothing.

    python examples/plain/ngram_lm.py [TEXT]

Without TEXT (or with "-") it reads firth's own pages. The probability of a word w depends on the n - 1 words before it,
h. Counting alone gives unseen n-grams the probability 0, so a discount D is taken from each count, and what that frees,
gamma(h), goes to the distribution after h', which is h without its first word:

    p(w | h) = (c(h w) - D(c(h w))) / c(h .) + gamma(h) p(w | h'),      p(w | nothing before it) begins at 1 / V
    gamma(h) = (D_1 N_1(h .) + D_2 N_2(h .) + D_3 N_3+(h .)) / c(h .)   N_j(h .): how many words follow h j times
    Y = t_1 / (t_1 + 2 t_2),   D_j = j - (j + 1) Y t_(j+1) / t_j        t_j: how many n-grams have the count j

The idea of Kneser and Ney: below the longest n-grams, c(h w) is not how often h w occurs but how many different words
stand before it. "Francisco" is frequent, but hardly follows anything but "San"; where the model must guess without
having seen the word before, "Francisco" is a bad guess, and its small c says so.

Source: Kneser and Ney 1995, "Improved backing-off for m-gram language modeling"; Chen and Goodman 1998, "An empirical
study of smoothing techniques for language modeling", equations 23 to 26; Heafield et al. 2013 for BOS and
EOS. `firth.NgramLM` is the fast one.
"""

import math
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

BOS, EOS, UNK = "<s>", "</s>", "<unk>"  # before a sentence, after it, and any word that training has not seen
Ngram = tuple[str, ...]


def count_ngrams(sentences: Sequence[Sequence[str]], order: int) -> Counter[Ngram]:
    """Count the n-grams of one length. The context of a sentence's first words is cut off at BOS."""
    counts: Counter[Ngram] = Counter()
    for sentence in sentences:
        tokens = [BOS, *sentence, EOS]
        counts.update(tuple(tokens[i : i + order]) for i in range(len(tokens) - order + 1))
    return counts


def preceding_words(longer: Counter[Ngram]) -> Counter[Ngram]:
    """Return how many different words precede each n-gram, given the counts of those one word longer."""
    return Counter(ngram[1:] for ngram in longer)  # the keys: each longer n-gram counts once


def discounts(counts: Counter[Ngram]) -> list[float]:
    """Return what is taken from counts of 0, 1, 2, and 3 or more."""
    t = Counter(counts.values())  # counts of counts
    fallback = [0.0, 0.5, 1.0, 1.5]  # for texts that are too small to tell
    if not (t[1] and t[2] and t[3]):
        return fallback
    y = t[1] / (t[1] + 2 * t[2])
    d = [0.0, *(j - (j + 1) * y * t[j + 1] / t[j] for j in (1, 2, 3))]
    return d if all(0 <= d[j] <= j for j in range(4)) else fallback


class Followers(NamedTuple):
    """The words that follow a context h: c(h w) of each, c(h .), and gamma(h)."""

    counts: dict[str, int]
    total: int
    gamma: float


def followers_of(counts: dict[str, int], d: Sequence[float]) -> Followers:
    """Return the followers of a context: what is taken from their counts is free for the shorter context."""
    total = sum(counts.values())
    return Followers(counts, total, sum(d[min(count, 3)] for count in counts.values()) / total)


class NgramLM:
    """A model of order n: `p` is the probability of a word in its context."""

    def __init__(self, sentences: Sequence[Sequence[str]], order: int) -> None:
        self.order = order
        self.vocabulary = {UNK, EOS}.union(*sentences)
        self.discounts: list[list[float]] = []  # by length of n-gram, the list's first for unigrams
        self.followers: list[dict[Ngram, Followers]] = []  # likewise, of each context
        for n in range(1, order + 1):
            counts = count_ngrams(sentences, n)
            if n < order:
                before = preceding_words(count_ngrams(sentences, n + 1))
                # Nothing precedes BOS: n-grams that start with it keep their count.
                counts = Counter({g: c if g[0] == BOS else before[g] for g, c in counts.items()})
            counts.pop((BOS,), None)  # BOS is given, never predicted
            d = discounts(counts)
            by_context: dict[Ngram, dict[str, int]] = defaultdict(dict)
            for ngram, count in counts.items():
                by_context[ngram[:-1]][ngram[-1]] = count
            self.discounts.append(d)
            self.followers.append({context: followers_of(words, d) for context, words in by_context.items()})

    def p(self, word: str, context: Ngram) -> float:
        """Return the probability of a word after a context; a context longer than n - 1 words is cut at its left."""
        context = context[max(0, len(context) - self.order + 1) :]
        lower = self.p(word, context[1:]) if context else 1 / len(self.vocabulary)
        followers, d = self.followers[len(context)].get(context), self.discounts[len(context)]
        if followers is None:
            return lower  # the context is new: all mass goes to the shorter one
        count = followers.counts.get(word, 0)
        return (count - d[min(count, 3)]) / followers.total + followers.gamma * lower

    def log_probs(self, sentence: Sequence[str]) -> list[float]:
        """Return log p of each word of a sentence and of its end, in nats."""
        tokens = [BOS, *(word if word in self.vocabulary else UNK for word in sentence), EOS]
        return [math.log(self.p(tokens[i], tuple(tokens[:i]))) for i in range(1, len(tokens))]

    def perplexity(self, sentences: Sequence[Sequence[str]]) -> float:
        """Return exp of the mean -log p: among how many equally likely words the model seems to choose."""
        scores = [score for sentence in sentences for score in self.log_probs(sentence)]
        return math.exp(-sum(scores) / len(scores))

    def generate(self, rng: random.Random, longest: int = 30) -> list[str]:
        """Draw a sentence, word by word."""
        words, tokens = sorted(self.vocabulary - {UNK}), [BOS]
        while tokens[-1] != EOS and len(tokens) <= longest:
            tokens += rng.choices(words, [self.p(word, tuple(tokens)) for word in words])
        return [token for token in tokens if token not in (BOS, EOS)]


def main(arguments: Sequence[str] | None = None) -> None:
    """Train on nine tenths of a text, a sentence a line; print the perplexity of the rest, and sentences."""
    name = [*(sys.argv[1:] if arguments is None else arguments), "-"][0]
    root = Path(__file__).resolve().parents[2]
    paths = [root / "README.md", *sorted(root.glob("docs/tasks/*.md"))] if name == "-" else [Path(name)]
    if not all(path.is_file() and path.stat().st_size for path in paths):
        sys.exit(f"{name}: missing or empty; expected a text in UTF-8")
    lines = [line for path in paths for line in path.read_text(encoding="utf-8").lower().splitlines()]
    sentences = [words for line in lines if (words := re.findall(r"[^\W\d_]+", line))]
    held_out = sentences[::10]
    train = [sentence for number, sentence in enumerate(sentences) if number % 10]
    for order in (1, 2, 3, 4):
        model = NgramLM(train, order)
        perplexity = model.perplexity(held_out)
        print(f"order {order}: loss {math.log(perplexity):.3f} nats a word, perplexity {perplexity:.1f}")
    rng = random.Random(0)
    for _ in range(3):
        print(" ", *model.generate(rng))


if __name__ == "__main__":
    main()
