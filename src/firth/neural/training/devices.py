"""Device and precision, threads, memory limits, and isolated random state."""

import contextlib
import functools
import os
import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch.nn.modules.module import register_module_parameter_registration_hook

from firth.errors import OptionError
from firth.kernels.threads import usable_threads
from firth.neural.training.options import TrainingOptions
from firth.randomness import torch_seed

Module = TypeVar("Module", bound=torch.nn.Module)
DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16}


@dataclass(frozen=True)
class Runtime:
    """Device and precision of a computation.

    Attributes:
        device: of the tensors.
        precision: of matrix products, as in `TrainingOptions`.
    """

    device: torch.device
    precision: str = "fp32"

    def autocast(self) -> contextlib.AbstractContextManager[Any]:
        """Return a context in which matrix products have this precision; sums and losses keep 32 bits."""
        if self.precision == "fp32":
            return contextlib.nullcontext()
        return torch.autocast(self.device.type, dtype=DTYPES[self.precision])

    @property
    def scales_loss(self) -> bool:
        """Whether gradients underflow in this precision unless the loss is scaled up."""
        return self.precision == "fp16"


CPU = Runtime(torch.device("cpu"))


def select_runtime(training: TrainingOptions) -> Runtime:
    """Return the device and precision that the options ask for.

    Raises:
        OptionError: there is no GPU for device="cuda"; or precision is fp16 without a GPU.
    """
    available = torch.cuda.is_available()
    if training.device == "cuda" and not available:
        raise OptionError("device='cuda': PyTorch finds no GPU that it can use here; expected one, or device='cpu'")
    kind = "cuda" if available and training.device != "cpu" else "cpu"
    return runtime_of(torch.device(kind), training.precision)


def runtime_of(device: torch.device, precision: str) -> Runtime:
    """Return a device with a precision; warn once of a processor that is slow in it.

    Raises:
        OptionError: there is no such precision, or it is fp16 without a GPU.
    """
    if precision not in ("fp32", *DTYPES):
        raise OptionError(f"precision={precision!r}: expected one of fp32, {', '.join(DTYPES)}")
    if precision == "fp16" and device.type == "cpu":
        raise OptionError("precision='fp16': it needs a GPU, and the model is on the CPU; use 'bf16' or 'fp32'")
    if precision == "bf16" and device.type == "cpu" and not processor_has_bf16():
        _warn_of_slow_bf16()
    return Runtime(device, precision)


def processor_has_bf16() -> bool:
    """Whether the processor has instructions for matrix products in bf16, as far as PyTorch knows."""
    supported = getattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", None)
    return supported is None or bool(supported())


@functools.cache
def _warn_of_slow_bf16() -> None:
    warnings.warn(
        "precision='bf16': this processor has no instructions for bf16 (AVX-512 or AMX), and takes up to 40 times as "
        "long as with precision='fp32'",
        stacklevel=3,
    )


@contextlib.contextmanager
def torch_threads(threads: int | None) -> Iterator[int]:
    """Set the number of torch's threads, and restore it afterwards.

    None is one thread. A second thread pays only if matrices are large (a width of 500 and more) and the other
    processor is idle. PyTorch's threads synchronise many times per step: where one of them shares its processor, small
    steps are many times slower with two threads than with one. One thread also gives the same bits every
    time.

    Yields:
        The number of threads.
    """
    count, before = usable_threads(1 if threads is None else threads), torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield count
    finally:
        torch.set_num_threads(before)


@contextlib.contextmanager
def no_subnormals() -> Iterator[None]:
    """Flush subnormal numbers (below 1.2e-38) to 0, and restore the setting afterwards.

    Gradients of attention contain them: where a step sees one key, the exact gradient of its score is 0, and the
    computed one is a remainder of 1e-40. A matrix product with such numbers takes ten times as long.
    """
    before = bool(torch.tensor(1e-39) * 1 == 0)
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(before)


def available_memory() -> int | None:
    """Return the memory limit of this process in bytes, or None if the system does not say."""
    limits = []
    with contextlib.suppress(AttributeError, ValueError, OSError):
        limits.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    with contextlib.suppress(OSError, ValueError):  # of a container; "max" where it has no limit
        limits.append(int(Path("/sys/fs/cgroup/memory.max").read_text("ascii")))
    return min(limits, default=None)


@contextlib.contextmanager
def within_memory(copies: int = 1) -> Iterator[None]:
    """Refuse to create modules that this machine has no memory for, before the memory is allocated.

    Args:
        copies: numbers in memory per parameter: 1, or 2 in training, with its gradient.

    Raises:
        OptionError: the parameters created inside need more memory than there is.
    """
    limit, needed = available_memory(), 0

    def count(_: torch.nn.Module, __: str, parameter: Any) -> None:
        nonlocal needed
        needed += 0 if parameter is None else parameter.numel() * parameter.element_size()
        if limit is not None and copies * needed > limit:
            raise OptionError(_too_large(copies * needed, limit))

    hook = register_module_parameter_registration_hook(count)
    try:
        yield
    except RuntimeError as error:
        match = _NO_MEMORY.search(str(error))
        if match is None:
            raise
        raise OptionError(_too_large(copies * (needed + int(match[1])), limit)) from error
    finally:
        hook.remove()


_NO_MEMORY = re.compile(r"can't allocate memory: you tried to allocate (\d+) bytes")


def _too_large(needed: int, limit: int | None) -> str:
    here = "" if limit is None else f"; this machine has {limit / 1e9:,.1f} GB"
    return (
        f"the model needs at least {needed / 1e9:,.1f} GB of memory{here}: expected a smaller one; reduce its widths "
        "(such as hidden and dim), its layers or its vocabulary"
    )


def preserve_rng(runtime: Runtime) -> contextlib.AbstractContextManager[Any]:
    """Return a context that restores torch's random state afterwards, on the CPU and on the runtime's device."""
    devices = [torch.cuda.current_device()] if runtime.device.type == "cuda" else []
    return torch.random.fork_rng(devices=devices)


@contextlib.contextmanager
def seeded_rng(seed: int, name: str, runtime: Runtime = CPU) -> Iterator[None]:
    """Seed torch's generators with a stream of their own, and restore their state afterwards.

    Args:
        runtime: whose device is seeded besides the CPU.
    """
    with preserve_rng(runtime):
        torch.manual_seed(torch_seed(seed, name))
        yield


@contextlib.contextmanager
def new_parameters(seed: int, copies: int = 1) -> Iterator[None]:
    """Draw the parameters of the modules created inside from a stream of their own, unless they exceed the memory.

    Args:
        copies: numbers in memory per parameter: 1, or 2 in training.
    """
    with seeded_rng(seed, "parameters"), within_memory(copies):
        yield


def new_module(seed: int, build: Callable[..., Module], *arguments: Any, copies: int = 1) -> Module:
    """Return what `build` makes of the arguments, with `new_parameters`; torch's own random state is kept."""
    with new_parameters(seed, copies):
        return build(*arguments)


@contextlib.contextmanager
def deterministic(runtime: Runtime) -> Iterator[None]:
    """Use deterministic algorithms on a GPU where it has them; one thread of a CPU is deterministic anyway."""
    if runtime.device.type == "cpu":
        yield
        return
    before = torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()
    settings: Any = torch.utils.deterministic  # its one property has no annotation
    filling = settings.fill_uninitialized_memory
    torch.use_deterministic_algorithms(True, warn_only=True)
    settings.fill_uninitialized_memory = False  # a check for others' mistakes, and a slow one
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before[0], warn_only=before[1])
        settings.fill_uninitialized_memory = filling
