"""Caption models from their folders."""

from typing import Any

from firth.neural.models.captions.data import Shape
from firth.neural.models.captions.predict import CaptionModel
from firth.neural.models.translation.files import COUNTS, read_units
from firth.neural.models.translation.predict import UNITS
from firth.neural.saved import read_module, read_options
from firth.storage.model_folder import ModelFolder


def restore(content: ModelFolder) -> CaptionModel:
    """Return the model of a folder."""
    try:
        options: Any = read_options(content, __package__)
        shape = _shape(content)
        units = read_units(content, "target", options.units, lowercase=options.lowercase)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise content.damaged(f"config.json and {UNITS}.json do not describe a caption model ({error})") from error
    module = read_module(content, options, lambda: options.build(shape, units), other=COUNTS)
    return CaptionModel(module, options, units, shape, content.metadata)


def _shape(content: ModelFolder) -> Shape:
    cells, dim, grid = content.config["shape"]
    most = sum(array.size for array in content.arrays.values())
    whole = all(isinstance(each, int) and not isinstance(each, bool) for each in (cells, dim))
    if not whole or not isinstance(grid, bool) or not (1 <= cells <= most and 1 <= dim <= most):
        raise ValueError(f"shape={[cells, dim, grid]}")
    if not grid and cells != 1:
        raise ValueError(f"{cells} cells without a grid")
    return Shape(cells, dim, grid)
