"""The unit tests stand where their source stands: `src/firth/a/b.py` is tested by `tests/unit/a/test_b.py`."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def sources_of(test: Path) -> list[Path]:
    """What a test file is for: `test_b.py` for `b.py`; `test_b_more.py` too, where b has several test files."""
    folder = ROOT / "src" / "firth" / test.parent
    name = test.stem.removeprefix("test_")
    return [source for source in folder.glob("*.py") if f"{name}_".startswith(f"{source.stem}_")]


def test_every_unit_test_has_its_source():
    unit = ROOT / "tests" / "unit"
    tests = [path.relative_to(unit) for path in unit.rglob("test_*.py")]
    assert tests
    assert [str(test) for test in tests if not sources_of(test)] == []
