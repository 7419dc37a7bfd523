"""Where training runs and in what precision; how many threads; a random state of its own."""

import contextlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch.nn.modules.module import register_module_parameter_registration_hook

from firth.errors import OptionError
from firth.kernels.threads import usable_threads
from firth.neural.training.options import TrainingOptions
from firth.randomness import torch_seed

DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16}


@dataclass(frozen=True)
class Machine:
    """What training runs on.

    Attributes:
        device: where tensors are.
        precision: of products, as in `TrainingOptions`.
    """

    device: torch.device
    precision: str = "fp32"

    def arithmetic(self) -> contextlib.AbstractContextManager[Any]:
        """Return a context in which products have the precision asked for; sums and losses keep 32 bits."""
        if self.precision == "fp32":
            return contextlib.nullcontext()
        return torch.autocast(self.device.type, dtype=DTYPES[self.precision])

    @property
    def scales(self) -> bool:
        """Whether gradients are too small for the precision unless the loss is scaled up."""
        return self.precision == "fp16"


PROCESSOR = Machine(torch.device("cpu"))


def chosen_machine(training: TrainingOptions) -> Machine:
    """Return what options ask for.

    Args:
        training: says device and precision.

    Raises:
        OptionError: a GPU was asked for and there is none; or fp16 without one, which no processor is fast at.
    """
    found = torch.cuda.is_available()
    if training.device == "cuda" and not found:
        raise OptionError("device='cuda': PyTorch finds no GPU that it can use here; expected one, or device='cpu'")
    kind = "cuda" if found and training.device != "cpu" else "cpu"
    if training.precision == "fp16" and kind == "cpu":
        raise OptionError("precision='fp16': it needs a GPU, and training runs on the CPU; use 'bf16' or 'fp32'")
    return Machine(torch.device(kind), training.precision)


@contextlib.contextmanager
def torch_threads(threads: int | None) -> Iterator[int]:
    """Let torch compute in a number of threads, and in as many as before afterwards.

    None is one thread. A second one only pays where matrices are large (a width of 500 and more) and the other
    processor is idle: PyTorch's threads wait for one another many times a step, and where one of them has to share its
    processor, small steps have been measured 20 times slower in two threads than in one. One thread also gives the
    same bits every time.

    Args:
        threads: how many, at least 1, or None.

    Yields:
        The number in use.

    Raises:
        OptionError: `threads` is not a whole number of at least 1.
    """
    wanted, before = usable_threads(1 if threads is None else threads), torch.get_num_threads()
    torch.set_num_threads(wanted)
    try:
        yield wanted
    finally:
        torch.set_num_threads(before)


@contextlib.contextmanager
def no_subnormals() -> Iterator[None]:
    """Let a processor take numbers below 1.2e-38 for 0, and not so afterwards unless it was so before.

    Gradients of attention hold them: where a step sees one key, the true gradient of its score is 0, and what comes
    out is a rest of 1e-40. A product of matrices that meets such numbers takes ten times as long.
    """
    before = bool(torch.tensor(1e-39) * 1 == 0)
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(before)


def memory_here() -> int | None:
    """Return the bytes of memory that this process may use at most, or None where the system does not say."""
    found = []
    with contextlib.suppress(AttributeError, ValueError, OSError):
        found.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    with contextlib.suppress(OSError, ValueError):  # of a container; "max" where it has no limit
        found.append(int(Path("/sys/fs/cgroup/memory.max").read_text()))
    return min(found, default=None)


@contextlib.contextmanager
def within_memory(copies: int = 1) -> Iterator[None]:
    """Refuse what this machine has no memory for, before it is taken.

    Args:
        copies: numbers that are kept for each parameter made inside: in training, 2 with its gradient.

    Raises:
        OptionError: the parameters made so far need more memory than there is, or torch cannot get memory for more.
    """
    limit, needed = memory_here(), 0

    def count(_: torch.nn.Module, __: str, parameter: Any) -> None:
        nonlocal needed
        needed += 0 if parameter is None else parameter.numel() * parameter.element_size()
        if limit is not None and copies * needed > limit:
            raise OptionError(_too_large(copies * needed, limit))

    hook = register_module_parameter_registration_hook(count)
    try:
        yield
    except RuntimeError as error:
        asked = _NO_MEMORY.search(str(error))
        if asked is None:
            raise
        raise OptionError(_too_large(copies * (needed + int(asked[1])), limit)) from error
    finally:
        hook.remove()


_NO_MEMORY = re.compile(r"can't allocate memory: you tried to allocate (\d+) bytes")


def _too_large(needed: int, limit: int | None) -> str:
    here = "" if limit is None else f"; this machine has {limit / 1e9:,.1f} GB"
    return (
        f"the model needs at least {needed / 1e9:,.1f} GB of memory{here}: expected a smaller one; lower its widths, "
        "such as hidden and dim, its layers or its vocabulary"
    )


def kept_randomness(machine: Machine) -> contextlib.AbstractContextManager[Any]:
    """Return a context that leaves torch's generators as it found them.

    Args:
        machine: whose generator is kept besides the processor's.
    """
    devices = [torch.cuda.current_device()] if machine.device.type == "cuda" else []
    return torch.random.fork_rng(devices=devices)


@contextlib.contextmanager
def own_randomness(seed: int, name: str, machine: Machine = PROCESSOR) -> Iterator[None]:
    """Give torch's generators a stream of their own, and their old states back afterwards.

    Args:
        seed: the caller's.
        name: what the stream is for, as in `firth.randomness.generator`.
        machine: whose generator is meant besides the processor's.
    """
    with kept_randomness(machine):
        torch.manual_seed(torch_seed(seed, name))
        yield


@contextlib.contextmanager
def deterministic(machine: Machine) -> Iterator[None]:
    """Choose what gives the same bits every time, where a GPU has it; one thread of a processor does so anyway.

    Args:
        machine: what is trained on.
    """
    if machine.device.type == "cpu":
        yield
        return
    before = torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()
    checks: Any = torch.utils.deterministic  # its one property has no annotation
    filling = checks.fill_uninitialized_memory
    torch.use_deterministic_algorithms(True, warn_only=True)
    checks.fill_uninitialized_memory = False  # a check for others' mistakes, and a slow one
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before[0], warn_only=before[1])
        checks.fill_uninitialized_memory = filling
