"""Alignment by a dictionary: maps learned from pairs of words that translate each other.

What: the vectors of both sides are normalised, one of four maps is learned from the pairs, and, where that is asked
for, refined by the pairs that it finds itself.

Objective: `firth.alignment.steps` has the four; the usual one, orthogonal, has the least sum of |x W - z|^2.

Source: Xing, Wang, Liu and Lin 2015, "Normalized word embedding and orthogonal transform for bilingual word
translation"; Artetxe, Labaka and Agirre 2018 (AAAI), section 3, for the order of the steps and of normalisation;
Conneau et al. 2018 for refinement.

Departures: those of the steps and of refinement.

Cost: next to nothing for the maps; 2 V W D flops for the surroundings of all words, by which CSLS then asks at once.
"""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from firth.alignment.alignment import Alignment, aligned
from firth.alignment.cross_validation import left_out
from firth.alignment.dictionary import Dictionary, Pair
from firth.alignment.refine import refined
from firth.alignment.steps import METHODS, NORMALISATIONS, Placement, normalise
from firth.options import check, option, options_class
from firth.postprocess.transforms import checked_matrix
from firth.progress import Progress, reporting
from firth.vectors.word_vectors import WordVectors


@options_class
class Procrustes:
    """Options of alignment by a dictionary, which `align` carries out.

    Raises:
        OptionError: an option is out of its range.
    """

    method: str = option("orthogonal", "what is learned from the pairs", choices=tuple(METHODS))
    normalise: str = option("unit-centre-unit", "what is done to vectors first", choices=tuple(NORMALISATIONS))
    refine: int = option(0, "rounds of refinement by the pairs that the map finds itself", minimum=0)
    refine_cutoff: int = option(20_000, "most frequent words of each side that refinement looks among", minimum=1)

    def __post_init__(self) -> None:
        check(self)

    def align(
        self,
        source: WordVectors,
        target: WordVectors,
        pairs: Iterable[Pair],
        *,
        threads: int | None = None,
        progress: Progress = None,
    ) -> Alignment:
        """Return two spaces as one.

        Args:
            source: the one side's vectors, the most frequent words first.
            target: the other side's.
            pairs: (source word, target word) that translate each other; those with a word that has no vector are
                counted and left out.
            threads: of refinement; None is one a processor.
            progress: how to show it.

        Returns:
            The alignment. Its `metadata["left_out"]` and `["left_out_right"]` say how many words were left out for a
            check, and how many of them the other pairs translate rightly (`firth.alignment.cross_validation`).

        Warns:
            UserWarning: next to none of them, or translations hardly stand out (`firth.alignment.strength`).

        Raises:
            OptionError: no pair has two vectors, the pairs do not determine the map, the widths differ and the map is
                orthogonal, or vectors are built from n-grams.
            FormatError: a vector is not finite.
        """
        x, mean_x = normalise(checked_matrix(source), self.normalise)
        z, mean_z = normalise(checked_matrix(target), self.normalise)
        dictionary = Dictionary.of(source, target, pairs)
        with reporting(progress) as report:
            found = refined(
                x, z, dictionary.rows, METHODS[self.method],
                rounds=self.refine, cutoff=self.refine_cutoff, report=report, threads=threads,
            )  # fmt: skip
        placements = (
            Placement(self.normalise, mean_x, found.maps[0]),
            Placement(self.normalise, mean_z, found.maps[1]),
        )
        facts: dict[str, Any] = {**asdict(self), "pairs": dictionary.facts}
        if checked := left_out(x, z, dictionary.rows, METHODS[self.method]):
            checked.warn()
            facts |= {"left_out": checked.asked, "left_out_right": checked.right}
        if self.refine:
            facts |= {"pairs_of_rounds": found.pairs, "likeness": found.likeness}
        return aligned((source, target), placements, dictionary.pairs, facts)
