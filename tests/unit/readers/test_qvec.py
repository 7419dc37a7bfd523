import pytest

from firth.errors import FormatError
from firth.readers.qvec import read_qvec


@pytest.mark.parametrize("weight", ["1" + "0" * 400, "-1" + "0" * 400, "1e400", "NaN", "true"])
def test_a_weight_that_no_float_holds(weight, tmp_path):
    path = tmp_path / "features.txt"
    path.write_text(f'cat\t{{"p": {weight}}}\n', encoding="utf-8")
    with pytest.raises(FormatError, match=r"features\.txt line 1: feature 'p' is .*, expected a finite number"):
        read_qvec(path)
