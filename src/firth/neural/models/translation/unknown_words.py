"""What stands for unknown words in a translation.

What
    A decoder of words writes `<unk>` for a word that it does not know. It is kept, or replaced by the source word that
    it attends to most at this step, or by that word's entry in a dictionary. `spelled_words` spells words instead.
Objective
    y_t = d(x_s), s = arg max_s alpha_ts, with d the dictionary, or the word itself where it has no entry.
Source
    Luong et al. 2015, "Addressing the rare word problem in neural machine translation", section 3, with the attention
    of Jean et al. 2015, section 4.1, in place of positions that the model predicts.
Departures
    None.
Cost
    One pass of the decoder over the translations that hold unknown words.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.neural.models.translation.units import SPECIAL, UNKNOWN
from firth.options import wrong_kind

HOW = ("kept", "copied", "dictionary", "spelled")


def check_dictionary(dictionary: Any) -> None:
    """Check that a value is None, or a mapping of words to words.

    Raises:
        KindError: it is not; a path, for example, or a list of pairs.
    """
    expected = "words of the target by words of the source: {'Hund': 'dog'}"
    if dictionary is None:
        return
    if not isinstance(dictionary, Mapping):
        raise wrong_kind("dictionary", dictionary, expected)
    for word, other in dictionary.items():
        if not isinstance(word, str) or not isinstance(other, str):
            raise wrong_kind("dictionary, an entry", {word: other}, expected)


def replaced(
    tokens: Sequence[str],
    source: Sequence[str],
    attention: npt.NDArray[np.floating],
    dictionary: Mapping[str, str] | None = None,
) -> list[str]:
    """Return the tokens of a translation without unknown words.

    Args:
        tokens: T tokens.
        source: S tokens of the source, without its end.
        attention: (T, S or more) of each token over the source.
        dictionary: words of the target for words of the source; others are copied.
    """
    if not source:
        return list(tokens)
    entries = dictionary or {}
    words = [source[place] for place in np.asarray(attention)[: len(tokens), : len(source)].argmax(1)]
    return [
        entries.get(word, word) if token == SPECIAL[UNKNOWN] else token
        for token, word in zip(tokens, words, strict=True)
    ]
