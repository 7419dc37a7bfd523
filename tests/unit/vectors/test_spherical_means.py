"""Spherical k-means beside a search through all partings, and when it stops parting."""

from itertools import product

import numpy as np
import pytest

from firth.vectors.cosine import unit
from firth.vectors.spherical_means import as_many_as_differ, parted


def turned(*degrees):
    angles = np.radians(degrees)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def random():
    return np.random.default_rng(0)


def test_four_arrows_by_hand():
    """At 0, 10, 20 and 90 degrees: the parts are {0, 10, 20}, whose mean points to 10, and {90}. Cosines with the
    centres are cos 10, 1, cos 10 and 1, in the mean (2 + 2 cos 10) / 4 = 0.992404; the centres are 80 degrees apart."""
    found = parted(turned(0, 10, 20, 90), 2, 4, random())
    assert found.labels.tolist() == [0, 0, 0, 1]
    assert found.quality == pytest.approx(0.992404, abs=1e-6)
    assert found.closest() == pytest.approx(np.cos(np.radians(80)))
    assert found.smallest() == 0.25
    assert found.centres == pytest.approx(turned(10, 90))


@pytest.mark.parametrize("seed", range(5))
def test_as_good_as_the_best_of_all_partings(seed):
    """Of 9 rows there are 3^9 labellings; each is worth the sum of the lengths of its parts' sums, over 9."""
    rows = unit(np.random.default_rng(seed).normal(size=(9, 3)))
    best = max(
        sum(np.linalg.norm(rows[np.array(labels) == part].sum(axis=0)) for part in range(3))
        for labels in product(range(3), repeat=9)
    )
    found = parted(rows, 3, 60, random())
    assert found.quality == pytest.approx(best / 9, abs=1e-9)
    assert (np.matmul(rows, found.centres.T).argmax(axis=1) == found.labels).all()


def test_more_starts_are_no_worse():
    rows = unit(np.random.default_rng(3).normal(size=(200, 4)))
    qualities = [parted(rows, 8, starts, random()).quality for starts in (1, 5, 25)]
    assert qualities[0] <= qualities[1] <= qualities[2]
    assert qualities[0] < qualities[2]


def test_equal_rows_leave_no_part_empty_of_a_centre():
    found = parted(np.tile(turned(30), (6, 1)), 3, 2, random())
    assert found.quality == pytest.approx(1)
    assert found.closest() == pytest.approx(1)
    assert np.isfinite(found.centres).all()


class TestHowMany:
    rows = np.concatenate([turned(*np.linspace(-8, 8, 40)), turned(*np.linspace(82, 98, 20)), turned(200, 201)])

    def asked(self, **how):
        how = {"alike": 0.2, "least": 0.0, "starts": 8, "random": random(), **how}
        return as_many_as_differ(self.rows, 4, **how)

    def test_as_many_as_differ(self):
        """Centres at 0, 90 and 200 degrees: cosines 0, cos 110 < 0 and cos 160 < 0. A fourth would stand within 16
        degrees of another."""
        found = self.asked()
        assert found.centres == pytest.approx(turned(0, 90, 200.5), abs=1e-3)
        assert np.bincount(found.labels).tolist() == [40, 20, 2]

    def test_small_parts_do_not_count(self):
        """2 rows of 62 are 3 %."""
        assert len(self.asked(least=0.05).centres) == 2

    def test_nothing_differs(self):
        found = self.asked(alike=-0.9)
        assert (len(found.centres), found.closest(), found.smallest()) == (1, -1, 1)
