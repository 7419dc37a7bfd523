"""The module of a dependency parser: sentences to trees."""

import abc
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch

from firth.readers.conllu import DependencySentence

Numbers = npt.NDArray[np.integer]
NumberedTree = tuple[Numbers, Numbers]  # (T,) heads from 1, 0 for the root; (T,) numbers of relations


class ParserModule(torch.nn.Module, abc.ABC):
    """A module that parses, with its vocabulary."""

    @abc.abstractmethod
    def parse(self, sentences: Sequence[DependencySentence], *, beam: int | None = None) -> list[NumberedTree]:
        """Return the tree of each sentence: one root, no cycle.

        Args:
            sentences: of at least one word each; their trees are not looked at.
            beam: width, of a module with a beam; None for its own.
        """
