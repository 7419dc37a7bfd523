"""What holds of every n-gram model, whatever its smoothing."""

import numpy as np

import firth
from firth.language.text import training_text


def text_of(sentences, folder, *, eos=True):
    """Sentences, or a path, as training text of which every word is kept."""
    corpus = firth.Corpus.build(sentences, cache=folder, tokens="whitespace", min_count=1)
    return training_text(corpus, eos=eos)


def prompts_of(text, many, seed=0):
    """Beginnings of sentences: half as they stand in the text, half of words drawn at random."""
    rng = np.random.default_rng(seed)
    seen = []
    for _ in range(many // 2):
        sentence = rng.integers(len(text.offsets) - 1)
        begin, end = text.offsets[sentence : sentence + 2]
        seen.append(text.ids[begin : begin + rng.integers(end - begin)].tolist())
    words = np.flatnonzero(np.arange(len(text.vocabulary)) != text.eos_id)
    unseen = [rng.choice(words, rng.integers(1, 7)).tolist() for _ in range(many - len(seen))]
    return seen + unseen


def check_sums(model, text, many=200):
    """Distributions sum to one and hold what `log_probs` gives; a state moved on is that of the longer prompt."""
    prompts = prompts_of(text, many)
    scores, states = model.start(prompts)
    assert scores.shape == (many, len(model.vocabulary))
    np.testing.assert_allclose(np.exp(scores).sum(axis=1), 1, rtol=0, atol=1e-6)
    following = np.random.default_rng(1).integers(len(model.vocabulary), size=many)
    for prompt, row, word in zip(prompts, scores, following.tolist(), strict=True):
        ids = np.array([*prompt, word], np.int32)
        one = type(text)(text.vocabulary, ids, np.array([0, len(ids)]), text.rules)
        assert model.log_probs(one)[-1] == row[word]
    rows = np.arange(many)[::-3]
    moved, _ = model.advance(model.reorder(states, rows), following[rows])
    longer, _ = model.start([[*prompts[i], int(following[i])] for i in rows])
    ends = following[rows] == text.eos_id
    np.testing.assert_array_equal(moved[~ends], longer[~ends])
