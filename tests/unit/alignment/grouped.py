"""Generated groups of documents, in which pairs of words may have changed their meaning."""

import numpy as np

WORDS, TOPICS = 120, 6


def documents(number, seed, swapped=(), lines=6):
    """Documents of lines about one topic each: word i is of topic i % 6.

    Args:
        swapped: pairs of words that stand for each other in half of the documents.
    """
    random = np.random.default_rng(seed)
    law = 1 / (20 + np.arange(WORDS))
    shares = law * np.where(np.arange(WORDS) % TOPICS == np.arange(TOPICS)[:, None], 30, 1)
    shares /= shares.sum(axis=1, keepdims=True)
    other = np.arange(WORDS)
    for a, b in swapped:
        other[[a, b]] = b, a
    texts = []
    for document in range(number):
        rows = [random.choice(WORDS, 12, p=shares[topic]) for topic in random.integers(TOPICS, size=lines)]
        names = other if document % 2 else np.arange(WORDS)
        texts.append("\n".join(" ".join(f"w{names[i]}" for i in row) for row in rows))
    return texts


def auc(scores, positive):
    """The share of pairs in which a positive word has the higher score."""
    higher = scores[positive][:, None] - scores[~positive]
    return float(((higher > 0) + 0.5 * (higher == 0)).mean())
