"""The method `train` of caption models: read features and captions, create a module, run the training loop."""

import hashlib
from typing import Any, Unpack

import numpy as np

from firth.arguments import explained
from firth.errors import OptionError
from firth.neural.models.captions.caption_model import CaptionModel
from firth.neural.models.captions.data import CaptionData, Shape, caption_data, read_captions, read_features
from firth.neural.models.translation.task import TranslationTask
from firth.neural.models.translation.units import Units, learn_units
from firth.neural.training.devices import new_parameters
from firth.neural.training.held_out import split_rows
from firth.neural.training.loop import fit_model
from firth.neural.training.options import RunArguments, RunConfig
from firth.timing import running_clock

EVAL_BATCH = 128  # captions per batch of an evaluation


@explained
def train_captioner(
    options: Any,
    features: Any,
    captions: Any,
    *,
    held_out: Any = None,
    held_out_captions: Any = None,
    **run: Unpack[RunArguments],
) -> CaptionModel:
    """Train a caption model.

    Args:
        options: `firth.Captioner`.
        features: (N, D) numbers, a vector per image, or (N, P, D), a grid of P cells per image. Each of the D features
            is standardised.
        captions: of each image a text, or a list of texts.
        held_out: features of images that select the best epoch. Without them a tenth of the images is held out, with
            all their captions.
        held_out_captions: their captions.
        **run: training options and circumstances of the run; see `RunConfig`.

    Returns:
        The model of the best evaluation on held-out captions: of the lowest cross entropy.

    Raises:
        KindError: the features are no array of numbers, or the captions no texts.
        ShapeError: the features have another shape, or there are not captions of as many images.
        CorpusError: a number is not finite, an image has no caption, or all captions are too long.
        OptionError: an option is out of its range, held-out images have no captions, or the checkpoint is of another
            run.
        DivergenceError: training diverged.
    """
    config = RunConfig.of(options.training, run)
    if (held_out is None) != (held_out_captions is None):
        raise OptionError("held_out and held_out_captions: one is given without the other; expected both or neither")
    with running_clock():
        grid, shape = read_features(features)
        texts = read_captions(captions, len(grid))
        if held_out is None:
            rows, judged_rows = split_rows(len(grid), config.seed, f"features: {len(grid)} image")
            judged_grid, judged_texts = grid[judged_rows], [texts[row] for row in judged_rows]
            grid, texts = grid[rows], [texts[row] for row in rows]
        else:
            judged_grid, _ = read_features(held_out, shape, "held_out")
            judged_texts = read_captions(held_out_captions, len(judged_grid), "held_out_captions")
        units = learn_units(
            [text for each in texts for text in each],
            options.units,
            options.size,
            min_count=options.min_count,
            lowercase=options.lowercase,
        )
        train = caption_data(grid, texts, units, options.max_length)
        judged = caption_data(judged_grid, judged_texts, units, options.max_length)
        module, facts = _fitted(options, shape, units, train, judged, config)
    return CaptionModel(module, options, units, shape, {"training": facts})


def _fitted(
    options: Any, shape: Shape, units: Units, train: CaptionData, judged: CaptionData, config: RunConfig
) -> tuple[Any, dict[str, Any]]:
    with new_parameters(config.seed, 2):
        module = options.build(shape, units)
    module.encoder.standardise(train.features)
    task = TranslationTask(
        module,
        train.batches(config.training.batch_size, seed=config.seed),
        judged.batches(EVAL_BATCH, shuffle=False),
        predictions=judged.tokens,
    )
    data = {"examples": _digest(units, train, judged), "images": len(train.features)}
    facts = {
        "captions": len(train.examples),
        "held_out_images": len(judged.features),
        "target_tokens": train.tokens,
        "dropped": {"long": train.dropped} if train.dropped else {},
    }
    return module, fit_model(task, options, config, data, facts=facts)


def _digest(units: Units, *parts: CaptionData) -> str:
    """Return a digest of the data of a run."""
    digest = hashlib.blake2b("\n".join(units.words).encode("utf-8", "surrogatepass"), digest_size=16)
    for part in parts:
        digest.update(str(part.features.shape).encode())
        digest.update(np.ascontiguousarray(part.features).view(np.uint8).data)
        for row, ids in part.examples:
            digest.update(row.to_bytes(8, "little") + len(ids).to_bytes(4, "little") + ids.tobytes())
    return digest.hexdigest()
