"""Compiles LLVM IR to machine code once per processor; any Numba kernel can call the functions by their addresses.

Numba would compile the vector kernels again into every kernel that calls them, and its cache does not notice changes in
the file that emits them. Here the object code is cached in a file named after a digest of the emitting sources, the
processor and the compiler's version: next to this file, in `NUMBA_CACHE_DIR`, or in the user's cache folder. Cached
code runs unchecked, so a folder that other users can write to is not used.
"""

import contextlib
import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm
from llvmlite import ir

from firth.kernels import processor
from firth.storage.files import cache_folder, others_can_write, replacing_file

_ENGINES: list[Any] = []  # machine code lives as long as its engine
DIGEST = 16  # bytes of checksum before the object code


def compile_functions(
    name: str, names: Sequence[str], emit: Callable[[ir.Module], None], sources: Sequence[str]
) -> dict[str, int]:
    """Return the addresses of functions, from the cache or newly compiled.

    Args:
        name: prefix of the cached file's name.
        emit: adds the functions to a module; called only if the cache lacks them.
        sources: files that determine the code; a change in one makes a new cache entry.
    """
    cpu, features = processor.name(), processor.flags()
    key = hashlib.blake2b(digest_size=12)
    for part in (name, cpu, features, llvmlite.__version__, *(Path(s).read_text("utf-8") for s in sources)):
        key.update(part.encode() + b"\0")
    file = f"{name}-{key.hexdigest()}.o"
    code = _cached(file)
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=cpu, features=features, opt=3, reloc="pic", codemodel="small", jit=True
    )
    if code is None:
        module = ir.Module(name=name)
        module.triple = llvm.get_process_triple()
        emit(module)
        code = machine.emit_object(_optimised(module, machine))
        _keep(file, code)
    # One block of memory for all sections: code of the small model must lie within 2 GB of its constants.
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine, use_lmm=True)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    _ENGINES.append(engine)
    return {function: engine.get_function_address(function) for function in names}


def _optimised(module: ir.Module, machine: Any) -> Any:
    assembly = llvm.parse_assembly(str(module))
    assembly.verify()
    options = llvm.create_pipeline_tuning_options(speed_level=1)
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(assembly, builder)
    return assembly


def _folders() -> Iterator[Path]:
    if folder := os.environ.get("NUMBA_CACHE_DIR"):
        yield Path(folder)
        return
    yield Path(__file__).parent / "__pycache__"
    yield cache_folder("kernels")


def _cached(file: str) -> bytes | None:
    for folder in _folders():
        if others_can_write(folder):
            continue
        with contextlib.suppress(OSError):
            data = (folder / file).read_bytes()
            # The linker aborts the process on a damaged object file, so the checksum must match.
            if data[:DIGEST] == _digest(data[DIGEST:]):
                return data[DIGEST:]
    return None


def _digest(code: bytes) -> bytes:
    return hashlib.blake2b(code, digest_size=DIGEST).digest()


def _keep(file: str, code: bytes) -> None:
    for folder in _folders():
        if others_can_write(folder):
            continue
        # If the folder is not writable, the next process only compiles again, for a second.
        with contextlib.suppress(OSError):
            with replacing_file(folder / file) as out:
                out.write(_digest(code) + code)
            return
