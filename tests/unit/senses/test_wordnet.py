"""Sense retrofitting: worked by hand, against a solved system, and on the whole of WordNet."""

import numpy as np
import pytest

import firth
from firth.errors import FormatError, OptionError
from firth.readers.wordnet import WordNet
from firth.senses.wordnet import build_inventory

ENTRIES = """\
bank:
  n:
    sense:
    - id: 'bank%1:17:01::'
      synset: 1-n
    - id: 'bank%1:14:00::'
      synset: 2-n
  v:
    sense:
    - id: 'bank%2:40:00::'
      synset: 5-v
shore:
  n:
    sense:
    - id: 'shore%1:17:00::'
      synset: 1-n
institution:
  n:
    sense:
    - id: 'institution%1:14:00::'
      synset: 3-n
Bank:
  n:
    sense:
    - id: 'bank%1:15:00::'
      synset: 4-n
savings bank:
  n:
    sense:
    - id: 'savings_bank%1:14:00::'
      synset: 2-n
"""
NOUNS = """\
1-n:
  members:
  - bank
  - shore
2-n:
  hypernym:
  - 3-n
3-n:
  members:
  - institution
4-n:
  members:
  - Bank
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "entries-b.yaml").write_text(ENTRIES, encoding="utf-8")
    (tmp_path / "noun.group.yaml").write_text(NOUNS, encoding="utf-8")
    return tmp_path


@pytest.fixture
def vectors():
    rows = [[1, 0, 0, 0], [0, 2, 0, 0], [0, 0, 3, 0], [0, 0, 0, 1]]
    return firth.WordVectors(["bank", "shore", "institution", "zzyzx"], np.array(rows, dtype=np.float32))


def test_one_round_by_hand(folder, vectors):
    """bank 1-n is tied to shore by 1: half bank, half shore. bank 2-n stands below institution, by 1/2:
    (bank + institution / 2) / 1.5. bank 5-v and 4-n have no ties, and stay; zzyzx is in no synset."""
    senses = firth.WordNetSenses(rounds=1).fit(vectors, folder)
    found = {each.label: each.vector for each in senses.senses("bank")}
    assert list(found) == ["1-n", "2-n", "5-v", "4-n"]
    np.testing.assert_allclose(found["1-n"], [1 / 2, 1 / 2, 0, 0], atol=1e-7)
    np.testing.assert_allclose(found["2-n"], [2 / 3, 0, 1 / 3, 0], atol=1e-7)
    np.testing.assert_allclose(found["5-v"], [1, 0, 0, 0])
    np.testing.assert_allclose(senses.senses("institution")[0].vector, [1 / 3, 0, 2 / 3, 0], atol=1e-7)
    assert [(each.label, each.prior) for each in senses.senses("zzyzx")] == [("", 1.0)]
    np.testing.assert_allclose(senses.senses("zzyzx")[0].vector, [0, 0, 0, 1])


def test_many_rounds_end_at_the_least_of_the_objective(folder, vectors):
    """Two senses tied by beta, each alpha from its own: v_1 = ((1 + beta) u_1 + beta u_2) / (1 + 2 beta) for alpha 1;
    with beta = 1 that is 2/3 and 1/3, with beta = 1/2 it is 3/4 and 1/4."""
    senses = firth.WordNetSenses(rounds=100).fit(vectors, folder)
    np.testing.assert_allclose(senses.senses("shore")[0].vector, [1 / 3, 2 / 3, 0, 0], atol=1e-6)
    np.testing.assert_allclose(senses.senses("institution")[0].vector, [1 / 4, 0, 3 / 4, 0], atol=1e-6)


def test_priors_by_hand(folder, vectors):
    """Three nouns, 1, 1/2 and 1/3, of which Bank's stands behind bank's, and a verb, 1: of 17/6 in all."""
    priors = {each.label: each.prior for each in firth.WordNetSenses().fit(vectors, folder).senses("bank")}
    assert priors == pytest.approx({"1-n": 6 / 17, "2-n": 3 / 17, "5-v": 6 / 17, "4-n": 2 / 17})


def test_words_of_several_and_with_capitals():
    found = WordNet({"savings bank": [("n", "2-n")], "Bank": [("n", "4-n")], "bank": [("n", "1-n")]}, {})
    inventory = build_inventory(["savings_bank", "Bank", "bank", "BANK"], found)
    named = [inventory.names[s] if s >= 0 else "" for s in inventory.synsets]
    assert named == ["2-n", "4-n", "1-n", "4-n", ""]
    assert inventory.offsets.tolist() == [0, 1, 2, 4, 5]


def test_pairs_that_are_kept_apart(folder, vectors):
    """Neither the synonyms bank and shore nor, in the other order, the hypernym."""
    senses = firth.WordNetSenses().fit(vectors, folder, apart=[("bank", "shore"), ("institution", "bank"), ("a", "b")])
    assert senses.metadata["senses"]["ties"] == 0
    np.testing.assert_allclose(senses.senses("bank")[0].vector, [1, 0, 0, 0])
    one = firth.WordNetSenses().fit(vectors, folder, apart=[("bank", "institution")])
    assert one.metadata["senses"]["ties"] == 1


def test_as_a_solved_system():
    """A made-up net of sixty synsets: what two hundred rounds come to is the solution of the normal equations, built
    sense by sense from the definition."""
    random = np.random.default_rng(0)
    words = [f"w{i}" for i in range(80)]
    net = WordNet(
        {word: [("n", f"{s}-n") for s in random.permutation(60)[: random.integers(1, 4)]] for word in words},
        {f"{s}-n": [f"{random.integers(s)}-n"] if s else [] for s in range(60)},
    )
    rows = random.normal(size=(80, 6))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    inventory = build_inventory(words, net)
    chosen = firth.WordNetSenses(alpha=0.7, synonyms=0.9, hypernyms=0.4, rounds=200)
    found = chosen._retrofit(rows, inventory.words, chosen._edges(inventory, net))
    names = [inventory.names[s] for s in inventory.synsets]
    system = 0.7 * np.eye(len(names))
    for i, one in enumerate(names):
        for j, other in enumerate(names):
            beta = 0.9 * (one == other) if i != j else 0
            beta += 0.4 * (one != other and (other in net.hypernyms[one] or one in net.hypernyms[other]))
            system[i, i] += beta
            system[i, j] -= beta
    np.testing.assert_allclose(found, np.linalg.solve(system, 0.7 * rows[inventory.words]), atol=1e-6)


def test_a_context_tells_synsets_apart(folder):
    rows = np.eye(4, dtype=np.float32)
    space = firth.WordVectors(["bank", "shore", "institution", "the"], rows, counts=[50, 40, 30, 9000])
    senses = firth.WordNetSenses().fit(space, folder)
    labels = [each.label for each in senses.senses("bank")]
    assert labels[senses.disambiguate("bank", ["the", "shore"]).argmax()] == "1-n"
    assert labels[senses.disambiguate("bank", ["the", "institution"]).argmax()] == "2-n"


def test_what_is_no_wordnet_and_what_it_does_not_know(folder, tmp_path, vectors):
    with pytest.raises(FormatError, match=r"nowhere: not readable as WordNet .* `git clone https://"):
        firth.WordNetSenses().fit(vectors, tmp_path / "nowhere")
    foreign = firth.WordVectors(["ghoti"], np.ones((1, 2), dtype=np.float32))
    with pytest.raises(OptionError, match="none of the 1 words, such as 'ghoti'"):
        firth.WordNetSenses().fit(foreign, folder)
    with pytest.raises(OptionError, match="alpha=0"):
        firth.WordNetSenses(alpha=0)


def test_senses_of_english(shared_data):
    """Vectors at right angles: what words share comes from WordNet alone.

    car, automobile and motorcar stand in one synset: 3 v_i - v_j - v_k = u_i has the solution
    v_i = (u_i + u_1 + u_2 + u_3) / 4, so that two of them have the cosine (2 + 2 + 1) / (4 + 1 + 1) = 5/6.
    """
    words = ["car", "automobile", "motorcar", "plant", "factory", "flora", "xyzzy"]
    space = firth.WordVectors(words, np.eye(len(words), dtype=np.float32))
    senses = firth.WordNetSenses(rounds=60).fit(space, shared_data / "wordnet" / "oewn_yaml.tar.gz")
    assert senses.similarity("car", "automobile", how="max") == pytest.approx(5 / 6)
    works, living = (each.vector for each in senses.senses("plant")[:2])
    assert works[4] > 0.2 > living[4] == 0  # of factory
    assert living[5] > 0.2 > works[5] == 0  # of flora
    plant = {each.label for each in senses.senses("plant")}
    assert plant & {each.label for each in senses.senses("flora")}
    assert plant.isdisjoint(each.label for each in senses.senses("car"))
