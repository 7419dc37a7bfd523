"""The compiled step against central differences of its objective in float64, at every vector width of this processor.

With a rate of 1, what a step adds to a row is the derivative of J with respect to that row. Inputs are float32 numbers
below 1, which float64 holds exactly, so that a difference beyond 1e-6 is a wrong gradient and not rounding.
"""

import numpy as np
import pytest

from firth.kernels import step, step_emission
from firth.kernels.step import CLAMP
from firth.kernels.step_emission import most_hidden
from tests.gradients.steps import WIDTHS, derivative, objective, random_rows, random_signs, stage

TOLERANCE = 1e-6
OUTPUT_ROWS = [1, 2, 5, 6, 7, 11, 12, 16]  # below, at and above the groups of six that the kernel works in


def steps(width):
    return [(width, m) for m in range(1, most_hidden(width) + 1)]


every_step = pytest.mark.parametrize(("width", "m"), [step for width in WIDTHS for step in steps(width)])


def doubles(*arrays):
    return [array.astype(np.float64) for array in arrays]


@every_step
@pytest.mark.parametrize("n", OUTPUT_ROWS)
def test_a_step_adds_the_derivative(width, m, n):
    random = np.random.default_rng([width, m, n])
    dim = int(random.choice([16, 23, 40]))
    x, o, signs = random_rows(random, m, dim), random_rows(random, n, dim), random_signs(random, n)
    s = stage(width, x, o, signs)
    loss = s.score(rate=1)
    s.update()
    x, o = doubles(x, o)
    assert loss == pytest.approx(-objective(x, o, signs), rel=TOLERANCE)
    assert s.hidden[:, :dim] - x == pytest.approx(derivative(lambda v: objective(v, o, signs), x), abs=TOLERANCE)
    assert s.outputs[:, :dim] - o == pytest.approx(derivative(lambda v: objective(x, v, signs), o), abs=TOLERANCE)
    assert not s.hidden[:, dim:].any()
    assert not s.outputs[:, dim:].any()
    assert not s.zeros.any()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dim", [1, 3, 100, 300])
def test_every_number_of_a_row_takes_part(width, dim):
    random = np.random.default_rng(dim)
    x, o, signs = random_rows(random, 3, dim), random_rows(random, 6, dim), random_signs(random, 6)
    s = stage(width, x, o, signs)
    s.score(rate=1)
    s.update()
    x, o = doubles(x, o)
    assert s.hidden[:, :dim] - x == pytest.approx(derivative(lambda v: objective(v, o, signs), x), abs=TOLERANCE)
    assert s.outputs[:, :dim] - o == pytest.approx(derivative(lambda v: objective(x, v, signs), o), abs=TOLERANCE)


@pytest.mark.parametrize("width", WIDTHS)
def test_the_rate_scales_the_step(width):
    random = np.random.default_rng(0)
    x, o, signs = random_rows(random, 4, 32), random_rows(random, 6, 32), random_signs(random, 6)
    whole, quarter = stage(width, x, o, signs), stage(width, x, o, signs)
    for s, rate in ((whole, 1.0), (quarter, 0.25)):
        s.score(rate=rate)
        s.update()
    assert quarter.hidden[:, :32] - x == pytest.approx((whole.hidden[:, :32] - x) / 4, abs=TOLERANCE)
    assert quarter.outputs[:, :32] - o == pytest.approx((whole.outputs[:, :32] - o) / 4, abs=TOLERANCE)


@pytest.mark.parametrize("width", WIDTHS)
def test_rows_without_a_sign_stay_as_they_were(width):
    random = np.random.default_rng(1)
    x, o = random_rows(random, 5, 32), random_rows(random, 6, 32)
    s = stage(width, x, o, np.array([1, -1, 0, 0, -1, 0], dtype=np.float32))
    s.score(rate=1)
    s.update()
    assert s.outputs[[2, 3, 5]].tolist() == o[[2, 3, 5]].tolist()
    assert (s.outputs[[0, 1, 4]] != o[[0, 1, 4]]).any(1).all()
    alone = stage(width, x, o[[0, 1, 4]], np.array([1, -1, -1], dtype=np.float32))
    alone.score(rate=1)
    alone.update()
    assert s.hidden == pytest.approx(alone.hidden, abs=TOLERANCE)


@every_step
def test_no_update_of_a_row_that_stands_twice_is_lost(width, m):
    """An output row gets every place's update, exactly; so does a hidden row.

    The gradient of a hidden row is summed from output rows of which one may have been updated already in this step: it
    differs from the derivative by the second order of the rate, which 1/4096 makes invisible beside a lost update.
    """
    random = np.random.default_rng(m)
    rate, dim = 2.0**-12, 32
    x, o = random_rows(random, max(1, m // 2), dim), random_rows(random, 4, dim)
    hidden_places = random.integers(0, len(x), m)
    output_places = random.integers(0, 4, 13)
    signs = random_signs(random, 13)
    s = stage(width, x, o, signs, hidden_places, output_places)
    loss = s.score(rate=rate)
    gradients = np.zeros((m, s.hidden.shape[1]), np.float32)
    room = stage(width, gradients, o, signs, output_places=output_places)  # rows of zeros show small sums exactly
    s.update(room.hidden_table)

    places, tables = doubles(x, o)
    x_each, o_each = places[hidden_places], tables[output_places]
    assert loss == pytest.approx(-objective(x_each, o_each, signs), rel=TOLERANCE)
    by_place = derivative(lambda v: objective(x_each, v, signs), o_each)
    expected = np.zeros((4, dim))
    np.add.at(expected, output_places, by_place)
    # Up to m additions a place, each rounded to half a unit in the last place of a number below 1.
    rounding = m * np.bincount(output_places).max() * 2.0**-25
    assert (s.outputs[:, :dim] - tables) / rate == pytest.approx(expected, abs=max(1e-3, rounding / rate))
    by_row = derivative(lambda v: objective(v, o_each, signs), x_each)
    assert room.hidden[:, :dim] / rate == pytest.approx(by_row, abs=1e-2)

    together = stage(width, x, o, signs, hidden_places, output_places)
    together.score(rate=rate)
    together.update()
    expected = np.zeros(x.shape)
    np.add.at(expected, hidden_places, by_row)
    assert (together.hidden[:, :dim] - places) / rate == pytest.approx(expected, abs=1e-2)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("m", [1, 2, 3, 7, 10, 25])
def test_mean_step_add_is_the_derivative_of_cbow(width, m):
    """h = 1/M sum_m v_m: the derivative of J with respect to each context row is 1/M of that with respect to h."""
    random = np.random.default_rng(m)
    dim = 40
    v, o, signs = random_rows(random, m, dim), random_rows(random, 6, dim), random_signs(random, 6)
    rows = stage(width, v, o, signs)
    hidden = rows.mean(rows.hidden_table, 1 / m)
    assert hidden[0, :dim] == pytest.approx(v.astype(np.float64).mean(0), abs=TOLERANCE)

    s = stage(width, hidden[:, :dim], o, signs)
    gradient = stage(width, np.zeros((1, dim), np.float32), o, signs)
    s.score(rate=1)
    s.update(gradient.hidden_table)
    rows.add(rows.hidden_table, gradient.hidden, 1 / m)

    v, o = doubles(v, o)
    expected = derivative(lambda rows: objective(rows.mean(-2, keepdims=True), o, signs), v)
    assert rows.hidden[:, :dim] - v == pytest.approx(expected, abs=TOLERANCE)
    mean = v.mean(0, keepdims=True)
    assert s.outputs[:, :dim] - o == pytest.approx(derivative(lambda w: objective(mean, w, signs), o), abs=TOLERANCE)
    assert s.hidden[0, :dim].tolist() == hidden[0, :dim].tolist()  # h itself is not trained
    assert not gradient.hidden.any()  # cleared for the next step


@pytest.mark.parametrize("width", WIDTHS)
def test_a_context_word_that_stands_twice_gets_its_share_twice(width):
    random = np.random.default_rng(3)
    v = random_rows(random, 2, 16)
    s = stage(width, v, v, np.ones(2, dtype=np.float32), hidden_places=[0, 1, 0])
    mean = s.mean(s.hidden_table, 1 / 3)
    assert mean[0] == pytest.approx((2 * v[0] + v[1]) / 3, abs=TOLERANCE)
    row = random_rows(random, 1, 16)
    gradient = stage(width, row, v, np.ones(2, dtype=np.float32))
    s.add(s.hidden_table, gradient.hidden, 0.5)
    assert s.hidden[0] == pytest.approx(v[0] + row[0], abs=TOLERANCE)
    assert s.hidden[1] == pytest.approx(v[1] + row[0] / 2, abs=TOLERANCE)


def one_score(width, score, sign):
    """A step of one hidden and one output row whose product is `score`: the loss, and rate * s * sigma(-s score)."""
    x, o = np.zeros((2, 1, 16), np.float32)
    x[0, 0], o[0, 0] = score, 1
    s = stage(width, x, o, np.array([sign], np.float32))
    loss = s.score(rate=1)
    s.update()
    return loss, float(s.outputs[0, 0] - 1) / score


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("sign", [1, -1])
def test_the_logistic_is_right_to_float32_over_its_whole_range(width, sign):
    """sigma(-z) for z from -60 to 60, against float64: 1e-6 of itself, where word2vec.c's table is off by 1e-2."""
    for score in np.concatenate([np.linspace(-30, 30, 121), [-59.5, 59.5]]):
        z = sign * score
        loss, _ = one_score(width, score, sign) if score else (np.log(2), 0)
        # A probability near 1 is rounded to 2^-24 before its logarithm is taken.
        assert loss == pytest.approx(np.logaddexp(0, -z), rel=TOLERANCE, abs=2**-23)
    x, o = np.zeros((2, 6, 16), np.float32)
    scores = np.linspace(-30, 30, 6, dtype=np.float32)
    x[0, 0] = 1
    o[:, 0] = scores
    s = stage(width, x[:1], o, np.full(6, sign, np.float32))
    s.score(rate=1)
    targets = stage(width, np.zeros((1, 16), np.float32), o, s.signs)
    s.outputs[:, 1] = 2.0 ** np.arange(6)  # of which sums tell the coefficients apart
    s.update(targets.hidden_table)
    coefficients = sign / (1 + np.exp(sign * scores.astype(np.float64)))
    assert s.outputs[:, 0] - scores == pytest.approx(coefficients, abs=4e-6)  # 30 + c rounds by 2e-6
    assert targets.hidden[0, 1] == pytest.approx(coefficients @ 2.0 ** np.arange(6), rel=TOLERANCE)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("score", [1e3, -1e3, 1e30, -1e30])
def test_a_score_out_of_range_gives_finite_steps(width, score):
    loss, coefficient = one_score(width, np.float32(score), 1)
    assert loss == pytest.approx(CLAMP if score < 0 else 0, abs=1e-4)
    assert 0 <= coefficient <= 1


@pytest.mark.parametrize("width", WIDTHS)
def test_sums_over_millions_of_predictions_stay_exact(width):
    """200,000 steps of 5 x 6 predictions in one running product, against 200,000 times the float64 sum."""
    random = np.random.default_rng(7)
    x, o, signs = random_rows(random, 5, 16, 2.0), random_rows(random, 6, 16, 2.0), np.array([1, *[-1] * 5], "f4")
    s = stage(width, x, o, signs)
    loss = s.score(rate=0, times=200_000)
    assert loss == pytest.approx(-200_000 * objective(*doubles(x, o), signs), rel=TOLERANCE)
    assert s.score(rate=0) == pytest.approx(loss / 200_000, rel=TOLERANCE)  # reading it emptied it


@pytest.mark.parametrize("width", WIDTHS)
def test_widths_agree(width):
    random = np.random.default_rng(9)
    x, o, signs = random_rows(random, 6, 48), random_rows(random, 6, 48), random_signs(random, 6)
    narrow, wide = stage(4, x, o, signs), stage(width, x, o, signs)
    losses = [s.score(rate=0.5) for s in (narrow, wide)]
    for s in (narrow, wide):
        s.update()
    assert losses[0] == pytest.approx(losses[1], rel=TOLERANCE)
    assert narrow.hidden == pytest.approx(wide.hidden, abs=TOLERANCE)
    assert narrow.outputs == pytest.approx(wide.outputs, abs=TOLERANCE)


@pytest.mark.parametrize("width", [16, 8, 4])
def test_an_empty_likelihood_has_the_length_that_is_read(width, monkeypatch):
    monkeypatch.setattr(step, "WIDTH", width)
    likelihood = step.new_likelihood()
    assert likelihood.tolist() == [1.0] * width + [0.0] * width
    assert step.take_loss(likelihood, likelihood[width:].view(np.int32)) == 0


@every_step
@pytest.mark.parametrize("n", [1, 6, 7, 12, 21, 41])
def test_coefficients_stay_in_their_room(width, m, n, monkeypatch):
    random = np.random.default_rng(0)
    x, o = random_rows(random, m, 16), random_rows(random, n, 16)
    s = stage(width, x, o, random_signs(random, n))
    s.coefficients = np.full(100 * (n + 20), np.nan, dtype=np.float32)
    s.coefficients = s.coefficients[-s.coefficients.ctypes.data % 64 // 4 :]
    s.score(rate=1)
    written = np.flatnonzero(~np.isnan(s.coefficients)).max() + 1
    monkeypatch.setattr(step, "WIDTH", width)
    monkeypatch.setattr(step, "MOST_HIDDEN", most_hidden(width))
    assert m * n <= written <= step.coefficient_floats(n)


@pytest.mark.parametrize(("width", "registers"), [(16, 32), (8, 16), (4, 16), (4, 32)])
def test_coefficients_have_room_on_every_processor(width, registers, monkeypatch):
    """Also on ARM, whose four lanes come with 32 registers: no other processor lays a step out so."""
    monkeypatch.setattr(step_emission, "registers", lambda width: registers)
    monkeypatch.setattr(step, "WIDTH", width)
    monkeypatch.setattr(step, "MOST_HIDDEN", most_hidden(width))
    for m in range(1, most_hidden(width) + 1):
        rows, vectors = step_emission.layout(m, width)
        assert step_emission.GROUP % rows == 0
        assert vectors * width >= rows * m
        for n in range(1, 50):
            groups = -(-n // step_emission.GROUP)
            assert groups * step_emission.GROUP // rows * vectors * width <= step.coefficient_floats(n)
