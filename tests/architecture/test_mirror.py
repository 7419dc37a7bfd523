"""The unit tests stand where their source stands: `src/firth/a/b.py` is tested by `tests/unit/a/test_b.py`."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_unit_test_has_its_source():
    unit = ROOT / "tests" / "unit"
    tests = [path.relative_to(unit) for path in unit.rglob("test_*.py")]
    assert tests
    sources = [ROOT / "src" / "firth" / path.with_name(path.name.removeprefix("test_")) for path in tests]
    assert [str(source.relative_to(ROOT)) for source in sources if not source.is_file()] == []
