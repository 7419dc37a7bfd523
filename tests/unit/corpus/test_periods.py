import numpy as np
import pytest

import firth
from firth.errors import CorpusError, OptionError

NAMES = ("1815_emma.txt", "b1849.txt", "1850 villette.txt", "x_1899_2.txt", "1900.txt", "12345_1922.txt")


@pytest.fixture
def novels(tmp_path):
    for name in NAMES:
        (tmp_path / name).write_text("a b")
    return tmp_path


def test_files_are_divided_by_the_year_in_their_names(novels):
    divided = firth.periods(novels, [1850, 1900])
    assert {name: [path.name for path in paths] for name, paths in divided.items()} == {
        "before 1850": ["1815_emma.txt", "b1849.txt"],
        "1850 to 1899": ["1850 villette.txt", "x_1899_2.txt"],
        "from 1900": ["12345_1922.txt", "1900.txt"],
    }
    assert firth.periods(novels, np.array([1850, 1900])) == divided
    assert [*firth.periods(str(novels / "*.txt"), [1850])] == ["before 1850", "from 1850"]


def test_the_first_year_may_be_the_one_in_which_the_files_begin(novels):
    assert [*firth.periods(novels, [1815, 1850, 1900])] == ["1815 to 1849", "1850 to 1899", "from 1900"]
    with pytest.raises(CorpusError, match="no file is 1700 to 1799: the 6 files"):
        firth.periods(novels, [1700, 1800])


@pytest.mark.parametrize("years", [[], [1900, 1850], [1850, 1850], ["1850"], [True], 1850, "1850"])
def test_wrong_years(novels, years):
    with pytest.raises(OptionError, match="expected years in which periods begin, ascending"):
        firth.periods(novels, years)


def test_what_cannot_be_divided(novels):
    with pytest.raises(CorpusError, match="no file is before 1800: the 6 files are from 1815 to 1922; expected other"):
        firth.periods(novels, [1800])
    with pytest.raises(OptionError, match="years need files"):
        firth.periods(["a text", "another"], [1850])
    (novels / "undated.txt").write_text("a")
    with pytest.raises(
        CorpusError, match=r"undated.txt: no year in the name; expected a year in the name of each file"
    ):
        firth.periods(novels, [1850])
