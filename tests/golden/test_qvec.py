"""QVec and QVec-CCA are those of the authors' programs, to the six digits that these print."""

import pytest

from firth.evaluation.evaluate import evaluate
from firth.loading import load
from tests.golden.qvec_small import CASES, write

# What `python tests/golden/qvec_small.py FOLDER` printed, with SciPy 1.17.1 and scikit-learn 1.9.1.
FROZEN = {"wide": {"qvec": 10.5961, "qvec-cca": 0.939808}, "narrow": {"qvec": 1.81321, "qvec-cca": 0.860239}}


@pytest.mark.parametrize("case", CASES)
def test_figures_are_the_authors(case, tmp_path):
    vectors, oracle = write(case, tmp_path)
    found = {row.metric: row for row in evaluate(load(vectors, format="glove"), suites={"qvec": oracle}).rows}
    for metric, expected in FROZEN[case].items():
        assert found[metric].value == pytest.approx(expected, rel=1e-5)
        assert found[metric].baseline < 0.8 * expected
