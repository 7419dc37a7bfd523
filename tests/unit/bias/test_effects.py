"""Figures before and after, with the control."""

import pytest

from firth.bias import Query, hard_debias, weat
from firth.bias.effects import effects
from firth.bias.methods import BiasLists
from tests.unit.bias.planted import PAIR_LIST, planted


def test_before_and_after():
    vectors, *_ = planted(second=0.5)
    after = hard_debias(vectors, PAIR_LIST)
    x, y = ([f"w{i}" for i in range(start, 16, 2)] for start in (0, 1))
    she, he = ([pair[side] for pair in PAIR_LIST] for side in (0, 1))
    asked = Query.of([x, y], [she, he], "planted")
    found = effects(
        vectors, after, BiasLists(PAIR_LIST, neutral=x + y), [asked, Query.of([["no"], y], [she, he], "none")]
    )
    direct, test = found.changes
    assert direct.before.value > 0.5
    assert direct.after.value < 1e-6
    assert direct.fall == pytest.approx(1, abs=1e-5)
    assert test.before == weat(vectors, asked)
    assert test.after == weat(after, asked)
    assert test.row["fall"] == 1 - abs(test.after.value) / test.before.value
    assert abs(test.row["statistic_after"]) < 1e-4 < test.row["statistic_before"]
    assert found.left_out == ["none is left out: none of the 1 words of target set 'target 1' has a vector ('no'): "
                              "expected words in the language and the spelling of the vectors"]  # fmt: skip
    assert found.control.before.clusters == 1
    page = found._repr_html_()
    assert f'weat: planted</td><td style="text-align:right">{test.before.value:.3f}<' in page
    assert 'recovered by clusters</td><td style="text-align:right">1.000<' in page
    assert "none is left out" in page
    assert found.control.after.clusters > 0.7  # the second direction, which pairs do not show, is left
