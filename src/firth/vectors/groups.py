"""Questions asked of groups of words: how alike two groups are, who is in the middle, who is not one of them."""

from typing import Any

import numpy as np

from firth.errors import OptionError, brief
from firth.vectors import cosine, distance
from firth.vectors.distance import Document
from firth.vectors.lookup import Lookup
from firth.vectors.queries import has_vector, is_batch, keys_of


class Groups(Lookup):
    """What can be asked of lists of words."""

    def n_similarity(self, ws1: Any, ws2: Any) -> Any:
        """Return the cosine of the means of two lists of words; unknown words are left out.

        Two lists of lists are a batch, and answer with (B,) float64.

        Raises:
            OptionError: a list is empty.
        """
        ws1, ws2 = keys_of(ws1, "ws1"), keys_of(ws2, "ws2")
        if not (ws1 and ws2):
            raise OptionError("n_similarity of an empty list: expected at least one word on each side")
        one, other = (
            cosine.unit(np.atleast_2d(self.get_mean_vector(side, pre_normalize=False)).astype(np.float64))
            for side in (ws1, ws2)
        )
        cosines = np.einsum("bd,bd->b", one, other)
        return cosines if is_batch(ws1) or is_batch(ws2) else float(cosines[0])

    def rank_by_centrality(self, words: Any, use_norm: bool = True) -> Any:
        """Return words by their cosine with the mean of them all, most central first; unknown words are left out.

        Args:
            words: words; a list of lists is a batch.
            use_norm: whether every word counts by direction only.

        Returns:
            [(cosine, word), ...], or a list of such lists.

        Raises:
            OptionError: no word has a vector.
        """
        words = keys_of(words, "words")
        if is_batch(words):
            return [self.rank_by_centrality(some, use_norm) for some in words]
        known = [word for word in words if has_vector(self, word)]
        if not known:
            raise OptionError(f"none of {brief(list(words))} has a vector: expected at least one known word")
        matrix = self.get_vector(known, norm=use_norm).astype(np.float64)
        scores = matrix @ cosine.unit(matrix.mean(axis=0))
        return sorted(zip(scores.tolist(), known, strict=True), reverse=True)

    def doesnt_match(self, words: Any) -> Any:
        """Return the word that is least like the others; for a list of lists, that of each. Unknown words are left out.

        Raises:
            OptionError: no word has a vector.
        """
        ranked = self.rank_by_centrality(words)
        return [some[-1][1] for some in ranked] if is_batch(words) else ranked[-1][1]

    def wmdistance(self, document1: Any, document2: Any, norm: bool = True) -> Any:
        """Return the word mover's distance of two documents; unknown words are left out.

        Args:
            document1: a list of words; a list of lists is a batch.
            document2: the same.
            norm: whether to bring the vectors to length 1.

        Returns:
            A float, infinite where a document has no known word; for a batch a list of them.

        Raises:
            KindError: a document is a string instead of a list of words.

        Source: `firth.vectors.distance`.
        """
        if is_batch(document1) or is_batch(document2):
            return [self.wmdistance(one, other, norm) for one, other in zip(document1, document2, strict=True)]
        document1, document2 = keys_of(document1, "document1"), keys_of(document2, "document2")
        known = [[word for word in document if has_vector(self, word)] for document in (document1, document2)]
        if not all(known):
            return float("inf")
        return distance.between(self._shared(known[0], norm), self._shared(known[1], norm))

    def _shared(self, words: list[str], norm: bool) -> Document:
        distinct, weights = distance.shares(words)
        return self.get_vector(distinct, norm=norm).astype(np.float64), weights
