"""Semantic search: the texts whose vectors point in the direction of a query's vector.

What: texts and queries are encoded by the same model, and ranked by the cosine of their vectors, through any index of
    word vectors: exact search, hash tables or a graph.
Cost: exact search takes N D multiplications per query.
"""

import abc
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np

from firth.arguments import explained
from firth.hints import Hinted
from firth.options import check_whole
from firth.progress import Progress
from firth.sentences.encoded_texts import encoded_texts
from firth.text.inputs import Text, checked_texts
from firth.vectors.cosine import Matrix
from firth.vectors.index.index import Index, build_index
from firth.vectors.index.options import IndexArguments
from firth.vectors.word_vectors import WordVectors


@dataclass(frozen=True)
class TextMatch:
    """A text that a search found.

    Attributes:
        row: its index among the texts, from 0.
    """

    row: int
    score: float
    text: Text


class SearchableTexts(Hinted, abc.ABC):
    """Texts that can be searched.

    Attributes:
        texts: N texts.
    """

    texts: Sequence[Text]

    def __len__(self) -> int:
        return len(self.texts)

    @explained
    def search(self, queries: Text | Sequence[Text], topn: int = 10) -> Any:
        """Return the texts that answer a query best.

        Args:
            queries: a text, or a list of texts.
            topn: number of texts per query.

        Returns:
            [TextMatch, ...], best first; for a list of queries a list of such lists. Nothing for a query without a
            known word.

        Raises:
            OptionError: `topn` is below 1.
            ArgumentTypeError: `queries` is neither a text nor a list of texts.
        """
        if isinstance(queries, str):
            return self.search([queries], topn)[0]
        check_whole("topn", topn)
        return self._found(checked_texts(queries, "queries"), topn)

    @abc.abstractmethod
    def _found(self, queries: Sequence[Text], topn: int) -> list[list[TextMatch]]:
        """Return the matches of each query, best first."""


class TextIndex(SearchableTexts):
    """Texts that can be searched by meaning.

    Args:
        model: an encoder (a model with `encode`), or word vectors, which are averaged.
        texts: N texts. Those without a known word are never found.
        vectors: (N, D) vectors of the texts by this model, if they are known, for example from `firth.encode_file`.
        kind: of the index: "exact", "lsh" or "hnsw".
        batch_size: texts that are encoded at once; None for the model's default.
        progress: how to show progress; see `firth.progress`.
        options: of that kind of index, as in `firth.WordVectors.index`.

    Attributes:
        texts: the texts, in order of rows.

    Raises:
        ArgumentTypeError: the model gives texts no vectors, or `texts` is not a list of texts.
        OptionError: there is no such kind or option of an index.
        ShapeError: the given vectors have another shape.
        CorpusError: no text has a known word.
        MissingExtraError: "hnsw" needs usearch.
    """

    def __init__(
        self,
        model: Any,
        texts: Sequence[Text],
        *,
        vectors: Matrix | None = None,
        kind: str = "exact",
        batch_size: int | None = None,
        progress: Progress = None,
        **options: Unpack[IndexArguments],
    ) -> None:
        encoded = encoded_texts(model, texts, vectors, batch_size=batch_size, progress=progress)
        self.texts = encoded.texts
        self._encoder, self._rows = encoded.encoder, encoded.rows
        self._index = index_of(encoded.directions, kind, **options)

    def __repr__(self) -> str:
        return f"<TextIndex: {len(self):,} texts x {self._encoder.dim}, {self._index.kind}>"

    def _found(self, queries: Sequence[Text], topn: int) -> list[list[TextMatch]]:
        """Return the matches of each query; see `SearchableTexts`."""
        vectors = self._encoder.encode(queries, progress=False)
        neighbours = self._index.query(np.asarray(vectors, dtype=np.float32), topn)
        return [
            [
                TextMatch(int(self._rows[row]), float(score), self.texts[int(self._rows[row])])
                for row, score in zip(rows, scores, strict=True)
                if row >= 0 and vector.any()
            ]
            for rows, scores, vector in zip(neighbours.rows.tolist(), neighbours.scores.tolist(), vectors, strict=True)
        ]


def index_of(directions: Matrix, kind: str, **options: Unpack[IndexArguments]) -> Index:
    """Return an index of vectors (N, D), whose words are their numbers."""
    return build_index(WordVectors(list(map(str, range(len(directions)))), directions), kind, **options)
