"""Supervised alignment: maps learned from a bilingual dictionary.

What: the vectors of both sides are normalised, and one of four maps is learned from the pairs. Optional refinement
learns it again from the pairs that it induces.

Objective: `firth.alignment.steps` has all four; the default, orthogonal, minimises the sum of |x W - z|^2.

Source: Xing, Wang, Liu and Lin 2015, "Normalized word embedding and orthogonal transform for bilingual word
translation"; Artetxe, Labaka and Agirre 2018 (AAAI), section 3, for the order of the steps and of normalisation;
Conneau et al. 2018 for refinement.

Departures: as in `firth.alignment.steps` and `firth.alignment.induction`.

Cost: almost nothing for the maps; 2 V W D flops for the r of all words, which CSLS needs.
"""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from firth.alignment.alignment import Alignment, align_spaces
from firth.alignment.cross_validation import cross_validate
from firth.alignment.dictionary import Dictionary, Pair
from firth.alignment.induction import refine_maps
from firth.alignment.steps import METHODS, NORMALISATIONS, Placement, normalise
from firth.arguments import explained
from firth.options import option, options_class
from firth.postprocess.transforms import checked_matrix
from firth.progress import Progress, reporting
from firth.vectors.word_vectors import WordVectors


@options_class
class Procrustes:
    """Options of alignment with a dictionary; `align` computes it."""

    method: str = option("orthogonal", "method that learns the map from the pairs", choices=tuple(METHODS))
    normalise: str = option(
        "unit-centre-unit", "normalisation of the vectors before mapping", choices=tuple(NORMALISATIONS)
    )
    refine: int = option(0, "iterations of refinement with induced pairs", minimum=0)
    refine_cutoff: int = option(20_000, "most frequent words per side in refinement", minimum=1)

    @explained
    def align(
        self,
        source: WordVectors,
        target: WordVectors,
        pairs: Iterable[Pair],
        *,
        threads: int | None = None,
        progress: Progress = None,
    ) -> Alignment:
        """Align two vector spaces.

        Args:
            source: source vectors, the most frequent words first.
            target: target vectors, the most frequent words first.
            pairs: (source word, target word) translations; pairs with unknown words are counted and skipped.
            threads: threads of refinement; None is one per processor.
            progress: where to report progress.

        Returns:
            The alignment. Its `metadata["left_out"]` and `["left_out_right"]` are the number of words held out in cross
            validation, and how many of them were translated correctly (`firth.alignment.cross_validation`).

        Warns:
            UserWarning: almost no held-out word was translated correctly, or translations hardly stand out
                (`firth.alignment.strength`).

        Raises:
            OptionError: no pair has two vectors, the pairs do not determine the map, the dimensions differ and the map
                is orthogonal, or vectors are built from n-grams.
            FormatError: a vector is not finite.
        """
        x, mean_x = normalise(checked_matrix(source), self.normalise)
        z, mean_z = normalise(checked_matrix(target), self.normalise)
        dictionary = Dictionary.of(source, target, pairs)
        with reporting(progress) as report:
            refined = refine_maps(
                x, z, dictionary.rows, METHODS[self.method],
                rounds=self.refine, cutoff=self.refine_cutoff, report=report, threads=threads,
            )  # fmt: skip
        placements = (
            Placement(self.normalise, mean_x, refined.maps[0]),
            Placement(self.normalise, mean_z, refined.maps[1]),
        )
        facts: dict[str, Any] = {**asdict(self), "pairs": dictionary.facts}
        if validation := cross_validate(x, z, dictionary.rows, METHODS[self.method]):
            validation.warn()
            facts |= {"left_out": validation.words, "left_out_right": validation.correct}
        if self.refine:
            facts |= {"pairs_of_rounds": refined.pairs, "likeness": refined.mean_cosines}
        return align_spaces((source, target), placements, dictionary.pairs, facts)
