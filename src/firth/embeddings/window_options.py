"""The options that models over context windows share: name, help and range of each, written once.

Each function makes one field of an options class: `window: int = window_options.window()`. The defaults that are None
depend on the size of the corpus: see `firth.corpus.size_defaults`.
"""

from typing import Any

from firth.options import option


def dim() -> Any:
    """Width of the vectors."""
    return option(100, "dimension of the vectors", minimum=1)


def window(help: str = "words on each side of the centre word", maximum: int | None = None) -> Any:
    """Size of the context window."""
    return option(5, f"context window: {help}", minimum=1, maximum=maximum)


def negative(maximum: int | None = None) -> Any:
    """Number of negative samples."""
    return option(5, "negative samples per prediction", minimum=1, maximum=maximum)


def sample(default: float | None = None) -> Any:
    """Subsampling threshold; None if the size of the corpus decides."""
    help = "subsampling threshold: more frequent words, relative to all words, are randomly dropped; 0 keeps all"
    return option(default, help + _by_size(default), minimum=0, maximum=1)


def epochs(default: int | None = None, help: str = "passes over the corpus", maximum: int | None = None) -> Any:
    """Number of epochs; None if the size of the corpus decides."""
    return option(default, f"epochs: {help}{_by_size(default)}", minimum=1, maximum=maximum)


def lr(default: float | None, help: str = "", maximum: float | None = None) -> Any:
    """Initial learning rate; `help` names the defaults of a model that has several."""
    return option(default, f"initial learning rate{help}", minimum=0, maximum=maximum, exclusive=True)


def lr_end_factor(default: float | None = 1e-4, help: str = "") -> Any:
    """Final learning rate as a share of the initial one."""
    return option(default, f"final learning rate as a share of lr{help}", minimum=0, maximum=1)


def noise_exponent(default: float = 0.75) -> Any:
    """Exponent of the noise distribution."""
    help = "exponent of the noise distribution: negative samples are drawn from counts to this power"
    return option(default, help, minimum=-10, maximum=10)


def shrink_windows(default: bool = True) -> Any:
    """Whether window sizes are random."""
    return option(default, "draw the size of each window uniformly from 1 to the window option")


def shared_windows(default: int | None = 2, help: str = "", maximum: int | None = None) -> Any:
    """Number of windows that share negative samples."""
    help = f"consecutive windows that share their negative samples{help}"
    return option(default, help, minimum=1, maximum=maximum)


def _by_size(default: float | None) -> str:
    return "; by default chosen from the size of the corpus" if default is None else ""
