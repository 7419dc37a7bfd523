"""Vocabulary expansion: input vectors for words that an encoder never read, from any word vectors.

What: a linear map from trained word vectors to the encoder's input vectors. It is fitted to the words that both know;
    every other word of the vectors is mapped, and read like any word of the training text.
Objective: with u_w the vector and v_w the input vector of each shared word w,

    W, b = argmin sum_w |W u_w + b - v_w|^2,      v'_w = W u_w + b  for all other words

Source: Kiros et al. 2015, "Skip-thought vectors", section 2.2; Mikolov, Le and Sutskever 2013, "Exploiting similarities
    among languages for machine translation", for the map.
Departures: the paper has no b; its program fits one. `<unk>` and `</s>` are not fitted.
Cost: n E' (E' + E) multiplications for n shared words of widths E' and E, and a factorisation of E' x E'.
"""

from collections.abc import Sequence

import numpy as np

from firth.errors import OptionError
from firth.language.text import EOS, UNK
from firth.vectors.word_vectors import WordVectors


def mapped_words(vectors: WordVectors, known: WordVectors, words: Sequence[str] | None = None) -> WordVectors:
    """Return words with the input vectors that the map gives them.

    Args:
        vectors: of the words to add and of shared words, (n, E').
        known: input vectors of the encoder's words, (V, E).
        words: to add; None for all words of `vectors` that the encoder does not know.

    Raises:
        OptionError: fewer words are shared than the map has columns, or there is nothing to add.
        UnknownWordError: one of the words has no vector.
    """
    own = {word: row for word, row in known.key_to_index.items() if word not in (UNK, EOS)}
    pairs = [(row, own[word]) for word, row in vectors.key_to_index.items() if word in own]
    if len(pairs) <= vectors.dim:
        raise OptionError(
            f"{len(pairs):,} of the encoder's {len(own):,} words have a vector: expected more than the width of the "
            f"vectors, {vectors.dim}; use vectors of the same language and case"
        )
    wanted = [word for word in vectors.words if word not in own] if words is None else list(dict.fromkeys(words))
    wanted = [word for word in wanted if word not in known.key_to_index]
    if not wanted:
        raise OptionError("no words to add: the encoder knows all of them; use vectors with a larger vocabulary")
    theirs, ours = (np.array(rows) for rows in zip(*pairs, strict=True))
    matrix = np.asarray(vectors.vectors, dtype=np.float64)
    x, y = matrix[theirs], np.asarray(known.vectors, dtype=np.float64)[ours]
    x_mean, y_mean = x.mean(0), y.mean(0)
    weights = np.linalg.lstsq(x - x_mean, y - y_mean, rcond=None)[0]  # (E', E)
    rows = np.array([vectors.get_index(word) for word in wanted])
    added = (matrix[rows] - x_mean) @ weights + y_mean
    return WordVectors(wanted, added.astype(np.float32))
