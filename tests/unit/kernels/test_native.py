"""Machine code is compiled once and cached; a stale, damaged or unusable cache costs only time."""

import ctypes

import pytest
from llvmlite import ir

from firth.kernels.native import compile_functions

I64 = ir.IntType(64)


def adding(number):
    """An emitter of one function, plus(x) = x + number, that counts its calls in `emitted`."""

    def emit(module):
        emit.calls += 1
        function = ir.Function(module, ir.FunctionType(I64, [I64]), "plus")
        builder = ir.IRBuilder(function.append_basic_block())
        builder.ret(builder.add(function.args[0], I64(number)))

    emit.calls = 0
    return emit


def call(addresses, x):
    return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(addresses["plus"])(x)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(folder))
    return folder


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "emitter.py"
    path.write_text("first", encoding="utf-8")
    return path


def compiled(emit, source):
    return compile_functions("tiny", ["plus"], emit, [str(source)])


def test_the_second_time_nothing_is_emitted(cache, source):
    first, second = adding(1), adding(1)
    assert call(compiled(first, source), 41) == 42
    assert [path.suffix for path in cache.iterdir()] == [".o"]
    assert call(compiled(second, source), 41) == 42
    assert (first.calls, second.calls) == (1, 0)


def test_a_changed_source_is_compiled_anew(cache, source):
    compiled(adding(1), source)
    source.write_text("second", encoding="utf-8")
    assert call(compiled(adding(2), source), 41) == 43
    assert len(list(cache.iterdir())) == 2


@pytest.mark.usefixtures("cache")
def test_addresses_stay_good_when_more_is_compiled(source):
    first = compiled(adding(1), source)
    source.write_text("second", encoding="utf-8")
    second = compiled(adding(2), source)
    assert (call(first, 0), call(second, 0)) == (1, 2)


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: data[:-1],
        lambda data: bytes(len(data)),
        lambda data: data[:100] + bytes([data[100] ^ 1]) + data[101:],
        lambda data: b"no object code at all",
    ],
    ids=["empty", "half", "one byte short", "zeros", "one bit", "text"],
)
def test_a_damaged_cache_is_compiled_anew_and_mended(cache, source, damage):
    compiled(adding(1), source)
    (path,) = cache.iterdir()
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    again = adding(1)
    assert call(compiled(again, source), 41) == 42
    assert again.calls == 1
    assert path.read_bytes() == whole


def test_a_folder_that_cannot_be_written_costs_only_time(tmp_path, source, monkeypatch):
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file" / "cache"))
    for _ in range(2):
        emit = adding(1)
        assert call(compiled(emit, source), 41) == 42
        assert emit.calls == 1
