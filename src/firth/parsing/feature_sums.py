"""The first layer of a transition parser: sums of table rows, and their gradients.

What
    A state's hidden layer before the activation is the sum of 48 rows, one per feature, of tables that hold the
    products of vectors and weights (`firth.kernels.transition_states.Tables`).
Objective
    h_m = sum_i T[f_mi, i], and dT[f_mi, i] += dh_m.
Source
    Chen and Manning 2014, section 3.3, who do so when they parse; here training does, too.
Departures
    See above. In a batch of sentences the same word at the same position occurs in many states: this takes a tenth of
    the products of single states.
Cost
    48 additions of rows of H numbers per state, and again for the gradients.
"""

from firth.kernels.compiled import compiled
from firth.kernels.transition_states import LABELLED, NODES, Floats, Ints


@compiled
def sum_rows(
    features: Ints,  # (M, 48)
    words: Floats,  # (U, 18, H)
    tags: Floats,  # (tags, 18, H)
    labels: Floats,  # (L + 1, 12, H)
    sums: Floats,  # (M, H) written
) -> None:
    """Write the sums of the rows of each state."""
    for m in range(len(sums)):
        sums[m] = 0
        for i in range(NODES):
            _add(words[features[m, i], i], sums[m])
            _add(tags[features[m, NODES + i], i], sums[m])
        for i in range(LABELLED):
            _add(labels[features[m, 2 * NODES + i], i], sums[m])


@compiled
def add_gradients(
    features: Ints,  # (M, 48)
    gradients: Floats,  # (M, H) of the sums
    words: Floats,  # (U, 18, H) added to
    tags: Floats,  # (tags, 18, H) added to
    labels: Floats,  # (L + 1, 12, H) added to
) -> None:
    """Add the gradients of sums to those of their rows."""
    for m in range(len(gradients)):
        for i in range(NODES):
            _add(gradients[m], words[features[m, i], i])
            _add(gradients[m], tags[features[m, NODES + i], i])
        for i in range(LABELLED):
            _add(gradients[m], labels[features[m, 2 * NODES + i], i])


@compiled
def _add(row: Floats, to: Floats) -> None:
    """Add a row of H numbers to another."""
    for j in range(len(to)):
        to[j] += row[j]
