"""Sense retrofitting: one vector per WordNet sense, between its word's vector and the senses related to it.

What: every sense of a word begins with the word's vector, and moves towards the senses of its synset, of the hypernyms
and of the hyponyms.

Objective: with u_w the vector of word w, v_s that of its sense s and E the edges between related senses,

    sum_s [ alpha |v_s - u_word(s)|^2 ] + sum_{(s,t) in E} beta_st |v_s - v_t|^2

minimised by rounds of

    v_s := (alpha u_word(s) + sum_t beta_st v_t) / (alpha + sum_t beta_st)

with beta 1 for senses of the same synset and 1/2 for senses of a synset and its hypernym.

Source: Jauhar, Dyer and Hovy 2015, "Ontologically grounded multi-sense representation learning for semantic vector
space models", section 3.1, equations 2 and 3; ten rounds are theirs.

Departures: all senses move at once; in the authors' program one moves after the other, which has the same limit. Word
vectors are normalised first. An adjective satellite counts as a hyponym of its head; the paper uses hypernyms of nouns
and verbs alone. The paper's other method trains a new model. AutoExtend (Rothe and Schuetze 2015) needs no text either,
but represents every word as an unweighted sum of its senses, in which a rare sense counts as much as a common one.

Priors: the files order senses by frequency within a part of speech, without counts. The n-th sense has the weight 1 / n
(Zipf's law), with equal weights for the parts of speech.

Cost: 4 E D operations per round, with 130,000 edges for 84,000 words: reading WordNet's files takes longer.
"""

import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csr_array

from firth import options
from firth.arguments import names_files
from firth.errors import OptionError
from firth.options import option, options_class
from firth.postprocess.transforms import checked_matrix
from firth.readers.wordnet import PARTS_OF_SPEECH, WordNet, read_wordnet
from firth.vectors.averages import smooth_weights
from firth.vectors.cosine import unit
from firth.vectors.sense_readers import Centroids
from firth.vectors.sense_vectors import SenseVectors
from firth.vectors.word_vectors import WordVectors

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Inventory:
    """S senses of V words, in Y synsets.

    Attributes:
        offsets: (V + 1,) start of each word's senses.
        synsets: (S,) number of each sense's synset, or -1 for a word missing in WordNet.
        priors: (S,) prior probabilities, summing to 1 per word.
        names: names of the Y synsets.
    """

    offsets: Rows
    synsets: Rows
    priors: Floats
    names: list[str]

    @property
    def words(self) -> Rows:
        """(S,) the word of each sense."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))


@options_class
class WordNetSenses:
    """Sense retrofitting to WordNet.

    Raises:
        OptionError: an option is out of range.

    Source:
        Jauhar, Dyer and Hovy 2015; the module's docstring gives the formulas.
    """

    alpha: float = option(1.0, "weight of the word's own vector", minimum=0, exclusive=True)
    synonyms: float = option(1.0, "weight of each sense of the same synset", minimum=0)
    hypernyms: float = option(0.5, "weight of each sense of a hypernym or hyponym", minimum=0)
    rounds: int = option(10, "number of rounds; each moves all senses", minimum=1)

    def __post_init__(self) -> None:
        options.check(self)

    @names_files
    def fit(
        self,
        vectors: WordVectors,
        wordnet: str | os.PathLike[str],
        *,
        apart: Iterable[tuple[str, str]] = (),
        temperature: float = 0.1,
    ) -> SenseVectors:
        """Return sense vectors.

        Args:
            vectors: word vectors of any model.
            wordnet: Open English WordNet in YAML: a folder, or a .tar.gz of it.
            apart: pairs of words whose senses are not connected, for example the pairs of an evaluation set.
            temperature: divisor of the cosines of contexts with senses; the smaller, the less the priors count.

        Returns:
            Senses labelled by their synsets, such as "09236472-n", in WordNet's order; a word missing in WordNet has
            one sense, its own vector, with the label "".

        Raises:
            FormatError: there is no WordNet at the path, or a vector is not finite.
            OptionError: WordNet has none of the words, `temperature` is not above 0, or the vectors are composed of
                n-grams.
        """
        words: Floats = np.asarray(unit(np.asarray(checked_matrix(vectors), dtype=np.float64)), dtype=np.float64)
        net = read_wordnet(wordnet)
        inventory = build_inventory(vectors.words, net)
        if not (inventory.synsets >= 0).any():
            raise OptionError(
                f"WordNet has none of the {len(vectors):,} words, such as {vectors.words[0]!r}: expected English words"
            )
        edges = _without(self._edges(inventory, net), inventory.words, vectors, apart)
        senses = self._retrofit(words, inventory.words, edges).astype(np.float32)
        facts = {"model": "wordnet", **asdict(self), "ties": int(edges.nnz // 2)}
        return SenseVectors(
            vectors.lexicon,
            inventory.offsets,
            senses,
            priors=inventory.priors,
            reader=Centroids(
                words.astype(np.float32), smooth_weights(vectors, np.arange(len(words))), senses, temperature
            ),
            counts=vectors.counts,
            labels=[inventory.names[synset] if synset >= 0 else "" for synset in inventory.synsets.tolist()],
            global_vectors=words.astype(np.float32),
            metadata={**vectors.metadata, "senses": facts},
        )

    def _edges(self, inventory: Inventory, net: WordNet) -> Any:
        """The weights beta, (S, S)."""
        senses, synsets = len(inventory.synsets), len(inventory.names)
        rows = np.flatnonzero(inventory.synsets >= 0)
        members = csr_array((np.ones(len(rows)), (rows, inventory.synsets[rows])), shape=(senses, synsets))
        number = {name: row for row, name in enumerate(inventory.names)}
        pairs = np.array(
            [
                (number[name], number[hypernym])
                for name in number
                for hypernym in net.hypernyms.get(name, ())
                if hypernym in number
            ],
            dtype=np.int64,
        ).reshape(-1, 2)
        above = csr_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(synsets, synsets))
        related = ((above + above.T) > 0).astype(np.float64)
        edges = coo_array(members @ (self.synonyms * members.T) + members @ (self.hypernyms * related) @ members.T)
        row, column = edges.coords
        return coo_array((np.where(row == column, 0, edges.data), (row, column)), shape=edges.shape)

    def _retrofit(self, words: Floats, of_words: Rows, edges: Any) -> Floats:
        """Return the vectors of the senses, (S, D)."""
        senses, edges = words[of_words], csr_array(edges)
        rows = np.flatnonzero(np.diff(edges.indptr))  # senses without edges do not move
        edges, own = edges[rows][:, rows], senses[rows]
        total, vectors = self.alpha + edges.sum(axis=1)[:, None], own
        for _ in range(self.rounds):
            vectors = (self.alpha * own + edges @ vectors) / total
        senses[rows] = vectors
        return senses


def build_inventory(words: Iterable[str], wordnet: WordNet) -> Inventory:
    """Return the WordNet senses of words.

    Args:
        words: V words. "_" in a word means a space. A word without capitals also has, after its own senses, those of
            its spellings with capitals: china has those of China.
    """
    folded = dict[str, list[str]]()
    for word in wordnet.senses:
        folded.setdefault(word.lower().replace(" ", "_"), []).append(word)
    number = dict[str, int]()
    counts, synsets, priors = list[int](), list[int](), list[float]()
    for word in words:
        senses = list(_senses_of(word, wordnet, folded))
        total = sum(share for _, share in senses)
        counts.append(max(len(senses), 1))
        synsets += [number.setdefault(name, len(number)) for name, _ in senses] or [-1]
        priors += [share / total for _, share in senses] or [1.0]
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return Inventory(offsets, np.array(synsets, dtype=np.int64), np.array(priors), list(number))


def _senses_of(word: str, wordnet: WordNet, folded: dict[str, list[str]]) -> Iterator[tuple[str, float]]:
    """Yield the distinct synsets of a word, with the weight 1 / n for the n-th of its part of speech."""
    spellings = folded.get(word, [word] if word in wordnet.senses else [])
    if word != word.lower():
        plain = word.replace("_", " ")
        spellings = [plain] if plain in wordnet.senses else []
    ranks, synsets = dict.fromkeys(PARTS_OF_SPEECH, 0), set[str]()
    for spelling in sorted(spellings, key=lambda spelled: (spelled != word, spelled)):
        for part, synset in wordnet.senses[spelling]:
            if synset not in synsets:
                synsets.add(synset)
                ranks[part] = ranks.get(part, 0) + 1
                yield synset, 1 / ranks[part]


def _without(edges: Any, of_words: Rows, vectors: WordVectors, pairs: Iterable[tuple[str, str]]) -> Any:
    """Return the edges without those between the senses of some pairs of words."""
    rows = [(vectors.get_index(first, -1), vectors.get_index(second, -1)) for first, second in pairs]
    forbidden = np.array(
        [(a, b) for first, second in rows for a, b in ((first, second), (second, first))], dtype=np.int64
    )
    row, column = edges.coords
    mask = edges.data != 0
    if len(forbidden):
        forbidden = forbidden[(forbidden >= 0).all(axis=1)]
        keys = of_words[row] * len(vectors) + of_words[column]
        mask &= ~np.isin(keys, forbidden[:, 0] * len(vectors) + forbidden[:, 1])
    return coo_array((edges.data[mask], (row[mask], column[mask])), shape=edges.shape)
