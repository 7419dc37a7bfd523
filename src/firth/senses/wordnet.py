"""Sense retrofitting: one vector for each sense that WordNet lists, between its word and its synset's relatives.

What: every sense of a word begins as the word's vector, and moves towards the senses that WordNet ties it to: those of
its synset, and of the synsets above and below it.

Objective: with u_w the vector of word w, v_s that of its sense s and E the ties,

    sum_s [ alpha |v_s - u_word(s)|^2 ] + sum_{(s,t) in E} beta_st |v_s - v_t|^2

made small by rounds of

    v_s := (alpha u_word(s) + sum_t beta_st v_t) / (alpha + sum_t beta_st)

with beta 1 for senses of one synset and 1/2 for senses of synsets one of which stands above the other.

Source: Jauhar, Dyer and Hovy 2015, "Ontologically grounded multi-sense representation learning for semantic vector
space models", section 3.1, equations 2 and 3; ten rounds are theirs.

Departures: all senses move at once, where the authors' program moves one after the other: the limit is the same and no
order counts. Words have length 1 to begin with. An adjective's satellite stands below what it is similar to, where the
paper has nouns' and verbs' hypernyms alone. The paper's other method trains anew; AutoExtend (Rothe and Schuetze 2015)
needs no text either, but learns to write every word as a plain sum of its senses, of which a rare one takes as much as
a common one.

Priors: the files list senses by how common they are, within a part of speech, without counts. The n-th has 1 / n of its
part, as in Zipf's law, and parts of speech are alike.

Cost: 4 E D operations a round, of 130,000 ties for 84,000 words: reading WordNet's files takes longer than
the rounds.
"""

import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csr_array

from firth import options
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
    """The senses of V words, S of them, in Y synsets.

    Attributes:
        offsets: (V + 1,) where each word's senses begin.
        synsets: (S,) the number of each sense's synset, or -1 for a word that WordNet lacks.
        priors: (S,) shares, which sum to 1 for each word.
        names: Y synsets.
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
    """Sense retrofitting to WordNet: options that fit.

    Raises:
        OptionError: an option is out of its range.

    Source:
        Jauhar, Dyer and Hovy 2015; the module's docstring gives the formulas.
    """

    alpha: float = option(1.0, "weight of the word's own vector", minimum=0, exclusive=True)
    synonyms: float = option(1.0, "weight of each sense of the same synset", minimum=0)
    hypernyms: float = option(0.5, "weight of each sense of a synset above or below", minimum=0)
    rounds: int = option(10, "of moving all senses", minimum=1)

    def __post_init__(self) -> None:
        options.check(self)

    def fit(
        self,
        vectors: WordVectors,
        wordnet: str | os.PathLike[str],
        *,
        apart: Iterable[tuple[str, str]] = (),
        temperature: float = 0.1,
    ) -> SenseVectors:
        """Return vectors of the senses of words.

        Args:
            vectors: of any model.
            wordnet: Open English WordNet in YAML: a folder, or a .tar.gz of it.
            apart: pairs of words whose senses are not tied to each other, such as those that the result is judged by.
            temperature: what cosines of contexts with senses are divided by; the smaller, the less the priors count.

        Returns:
            Senses called by their synsets, such as "09236472-n", in WordNet's order; a word that WordNet lacks has one,
            its own vector, called "".

        Raises:
            FormatError: there is no WordNet at the path, or a vector is not finite.
            OptionError: WordNet has none of the words, `temperature` is not above 0, or the vectors are made of
                n-grams.
        """
        words: Floats = np.asarray(unit(np.asarray(checked_matrix(vectors), dtype=np.float64)), dtype=np.float64)
        read = read_wordnet(wordnet)
        inventory = take_inventory(vectors.words, read)
        if not (inventory.synsets >= 0).any():
            raise OptionError(
                f"WordNet has none of the {len(vectors):,} words, such as {vectors.words[0]!r}: expected English words"
            )
        ties = _without(self._ties(inventory, read), inventory.words, vectors, apart)
        found = self._moved(words, inventory.words, ties).astype(np.float32)
        facts = {"model": "wordnet", **asdict(self), "ties": int(ties.nnz // 2)}
        return SenseVectors(
            vectors.lexicon,
            inventory.offsets,
            found,
            priors=inventory.priors,
            reader=Centroids(
                words.astype(np.float32), smooth_weights(vectors, np.arange(len(words))), found, temperature
            ),
            counts=vectors.counts,
            labels=[inventory.names[synset] if synset >= 0 else "" for synset in inventory.synsets.tolist()],
            global_vectors=words.astype(np.float32),
            metadata={**vectors.metadata, "senses": facts},
        )

    def _ties(self, inventory: Inventory, read: WordNet) -> Any:
        """beta, (S, S)."""
        senses, synsets = len(inventory.synsets), len(inventory.names)
        listed = np.flatnonzero(inventory.synsets >= 0)
        holds = csr_array((np.ones(len(listed)), (listed, inventory.synsets[listed])), shape=(senses, synsets))
        number = {name: place for place, name in enumerate(inventory.names)}
        pairs = np.array(
            [
                (number[one], number[other])
                for one in number
                for other in read.hypernyms.get(one, ())
                if other in number
            ],
            dtype=np.int64,
        ).reshape(-1, 2)
        above = csr_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(synsets, synsets))
        related = ((above + above.T) > 0).astype(np.float64)
        ties = coo_array(holds @ (self.synonyms * holds.T) + holds @ (self.hypernyms * related) @ holds.T)
        row, column = ties.coords
        return coo_array((np.where(row == column, 0, ties.data), (row, column)), shape=ties.shape)

    def _moved(self, words: Floats, of_words: Rows, ties: Any) -> Floats:
        """The senses' vectors, (S, D)."""
        found, ties = words[of_words], csr_array(ties)
        tied = np.flatnonzero(np.diff(ties.indptr))  # the others stay where they are
        ties, own = ties[tied][:, tied], found[tied]
        total, moving = self.alpha + ties.sum(axis=1)[:, None], own
        for _ in range(self.rounds):
            moving = (self.alpha * own + ties @ moving) / total
        found[tied] = moving
        return found


def take_inventory(words: Iterable[str], wordnet: WordNet) -> Inventory:
    """Return the senses of words.

    Args:
        words: V of them. "_" in a word stands for a space; a word without capitals also has the senses of those that
            are written like it but with capitals, behind its own: china has those of China.
        wordnet: what was read.
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
    """Yield the synsets of a word, each once, with 1 / n for the n-th of its part of speech."""
    spellings = folded.get(word, [word] if word in wordnet.senses else [])
    if word != word.lower():
        plain = word.replace("_", " ")
        spellings = [plain] if plain in wordnet.senses else []
    ranks, seen = dict.fromkeys(PARTS_OF_SPEECH, 0), set[str]()
    for spelling in sorted(spellings, key=lambda each: (each != word, each)):
        for part, synset in wordnet.senses[spelling]:
            if synset not in seen:
                seen.add(synset)
                ranks[part] = ranks.get(part, 0) + 1
                yield synset, 1 / ranks[part]


def _without(ties: Any, of_words: Rows, vectors: WordVectors, pairs: Iterable[tuple[str, str]]) -> Any:
    """The ties but those of the senses of some pairs of words."""
    known = [(vectors.get_index(one, -1), vectors.get_index(other, -1)) for one, other in pairs]
    forbidden = np.array([(a, b) for one, other in known for a, b in ((one, other), (other, one))], dtype=np.int64)
    row, column = ties.coords
    joined = of_words[row] * len(vectors) + of_words[column]
    kept = ties.data != 0
    if len(forbidden):
        forbidden = forbidden[(forbidden >= 0).all(axis=1)]
        kept &= ~np.isin(joined, forbidden[:, 0] * len(vectors) + forbidden[:, 1])
    return coo_array((ties.data[kept], (row[kept], column[kept])), shape=ties.shape)
