"""Sticks: by hand, against SciPy's digamma, and against draws of Beta variables."""

import numpy as np
import pytest
from numba import njit
from scipy.special import digamma as exact

from firth.kernels.stick_breaking import digamma, expected_logs, expected_parts


@njit
def _logs(counts, senses, alpha, m, out):
    expected_logs(counts, senses, alpha, m, out)


def logs(counts, word, alpha, m):
    out = np.full(counts.shape[1], np.nan)
    _logs(counts[word].ctypes.data, counts.shape[1], alpha, m, out.ctypes.data)
    return out


@njit
def digammas(values):
    return np.array([digamma(x) for x in values])


def test_digamma_is_scipys_to_1e_11():
    values = np.exp(np.linspace(np.log(1e-4), np.log(1e7), 2000))
    np.testing.assert_allclose(digammas(values), exact(values), rtol=1e-14, atol=1.1e-11)


def test_parts_by_hand():
    """Three senses with 3, 1 and 0 occurrences, alpha 1.

    a_1 = 1 + 3, b_1 = 1 + 1: the first is expected to take 4/6 = 2/3 of the stick.
    a_2 = 1 + 1, b_2 = 1 + 0: the second takes 2/3 of what is left, 2/9; the last has the rest, 1/9.
    """
    parts = expected_parts(np.array([[3.0, 1.0, 0.0]]), 1.0)
    np.testing.assert_allclose(parts, [[2 / 3, 2 / 9, 1 / 9]], rtol=1e-15)


def test_logs_by_hand():
    """The same stick: psi(n + 1) - psi(n) = 1/n, so that every difference of digammas is a sum of fractions.

    E log beta_1 = psi(4) - psi(6) = -(1/4 + 1/5) = -9/20;  E log(1 - beta_1) = psi(2) - psi(6) = -(1/2 + 1/3 + 9/20)
    E log beta_2 = psi(2) - psi(3) = -1/2;                  E log(1 - beta_2) = psi(1) - psi(3) = -3/2
    """
    left = -(1 / 2 + 1 / 3 + 9 / 20)
    found = logs(np.array([[3.0, 1.0, 0.0]]), 0, 1.0, 3)
    np.testing.assert_allclose(found, [-9 / 20, left - 1 / 2, left - 3 / 2], atol=1e-10)


def test_only_the_requested_senses_are_written():
    found = logs(np.array([[9.0, 9.0, 9.0], [3.0, 1.0, 0.0]]), 1, 1.0, 2)
    assert np.isfinite(found[:2]).all()
    assert np.isnan(found[2])


@pytest.mark.parametrize("alpha", [0.05, 0.7, 3.0])
def test_logs_and_parts_are_the_means_of_draws(alpha):
    counts = np.array([[4.0, 0.5, 7.0, 2.0]])
    random = np.random.default_rng(3)
    behind = counts[0].sum() - np.cumsum(counts[0])
    # The logarithm of a Beta variable that may be as small as e^-1000 is drawn as a difference of log Gammas.
    beta, rest = (_log_gammas(random, a, 400_000) for a in (1 + counts[0, :3], alpha + behind[:3]))
    total = np.logaddexp(beta, rest)
    log_beta, log_rest = beta - total, rest - total
    before = np.cumsum(np.concatenate([np.zeros((len(beta), 1)), log_rest], axis=1), axis=1)
    log_pi = before + np.concatenate([log_beta, np.zeros((len(beta), 1))], axis=1)
    error = log_pi.std(axis=0) / len(beta) ** 0.5
    assert (np.abs(logs(counts, 0, alpha, 4) - log_pi.mean(axis=0)) < 4 * error).all()
    pi = np.exp(log_pi)
    assert (np.abs(expected_parts(counts, alpha)[0] - pi.mean(axis=0)) < 4 * pi.std(axis=0) / len(beta) ** 0.5).all()


def _log_gammas(random, shapes, draws):
    """log of Gamma(a) is that of Gamma(a + 1) + log(uniform) / a."""
    size = (draws, len(shapes))
    return np.log(random.gamma(shapes + 1, size=size)) + np.log(random.random(size)) / shapes
