"""Lines of generated texts."""

import pytest

from firth.cli.translate import _show
from firth.neural.models.translation.scorer import Translation

PRINTED = {1: "a b  c\n", 2: "7\t0.0000\ta b  c\n7\t0.0000\td e \n"}


@pytest.mark.parametrize("n_best", [1, 2])
def test_line_breaks_and_tabs_of_a_text_are_printed_as_spaces(capsys, n_best):
    several = Translation("a\nb\r\tc", others=(Translation("d\te\n"),)[: n_best - 1])
    _show(7, "source", several, n_best, json=False)
    assert capsys.readouterr().out == PRINTED[n_best]
