"""Vectors of senses."""

from typing import Any

import numpy as np

import firth
from tests.hashes import seeds
from tests.hashes.registry import case, variants

SMALL: dict[str, Any] = {"dim": 8, "epochs": 2, "sample": 1e-3}
variants(
    "sense-clusters",
    lambda **options: seeds.of_senses(
        firth.SenseClusters(**{**SMALL, "min_contexts": 20, **options}).train(seeds.corpus(), **seeds.HOW)
    ),
    {"adaptive": {}, "fixed": {"senses": "fixed", "max_senses": 2}, "alike": {"merge_above": 0.9, "n_init": 2}},
)
variants(
    "multi-sense",
    lambda **options: seeds.of_senses(
        firth.MultiSenseSkipGram(**{**SMALL, "epochs": 4, **options}).train(seeds.corpus(), **seeds.HOW)
    ),
    {
        "mssg": {},
        "np-mssg": {"growing": True, "opening": 0.5},
        "three": {"senses": 3, "merge_above": 1.0, "min_share": 0.0, "warm_up": 0.25, "whiten": 0.0},
    },
)
variants(
    "adagram",
    lambda **options: seeds.of_senses(
        firth.AdaGram(**{**SMALL, "epochs": 4, **options}).train(seeds.corpus(), **seeds.HOW)
    ),
    {"learned": {}, "huffman": {"tree": "huffman", "max_senses": 3}, "all": {"merge_above": 1.0, "min_share": 0.0}},
)


@case("discourse-atoms")
def atoms() -> Any:
    """Atoms, what words are made of, and senses."""
    learned = firth.DiscourseAtoms(atoms=30, sparsity=3, rounds=4).fit(seeds.vectors(), **seeds.HOW)
    words = list(seeds.vectors().words)[:4]
    return {
        "atoms": np.asarray(learned.atoms),
        "chosen": np.asarray(learned.indices),
        "codes": np.asarray(learned.codes),
        "nearest": [learned.nearest(atom, 5) for atom in range(3)],
        "shares": [learned.senses(word) for word in words],
        "numbers": np.asarray(learned.num_senses()),
        **seeds.of_senses(learned.sense_vectors()),
    }


@case("wordnet-senses")
def wordnet_senses() -> Any:
    """Senses of a small WordNet."""
    with seeds.folder() as folder:
        seeds.small_wordnet(folder / "wordnet")
        fitted = firth.WordNetSenses(rounds=3).fit(seeds.vectors(), folder / "wordnet")
        apart = [tuple(list(seeds.vectors().words)[:2])]
        other = firth.WordNetSenses(alpha=0.5, hypernyms=0.0).fit(seeds.vectors(), folder / "wordnet", apart=apart)
    return {**seeds.of_senses(fitted), "apart vectors": np.asarray(other.vectors)}


@case("readers/wordnet")
def wordnet() -> Any:
    """The whole of WordNet, and groups within groups."""
    import os
    from pathlib import Path

    from firth.readers.wordnet import hypernym_groups, read_wordnet

    path = Path(os.environ["FIRTH_DATA"], "wordnet", "oewn_yaml.tar.gz")
    known = read_wordnet(path)
    with seeds.folder() as folder:
        seeds.small_wordnet(folder / "wordnet")
        groups = repr(hypernym_groups(folder / "wordnet"))
    return {
        "senses": sorted((word, [tuple(each) for each in senses]) for word, senses in known.senses.items()),
        "above": sorted((synset, list(above)) for synset, above in known.hypernyms.items()),
        "groups": groups,
    }


@case("senses/in-context")
def in_context() -> Any:
    """Vectors of the senses that are meant in sentences."""
    from firth.evaluation.senses import senses_in_context
    from firth.evaluation.suite import EvaluationOptions, Space
    from firth.readers.words_in_context import Occurrence

    trained = firth.MultiSenseSkipGram(**SMALL).train(seeds.corpus(), **seeds.HOW)
    words = list(trained.words)[:6]
    occurrences = [Occurrence(word, (*words[:i], word, *words[i:]), i) for i, word in enumerate(words)]
    single = trained.single()
    answer = {}
    for name, encode in (
        ("expected", senses_in_context(trained)),
        ("likeliest", senses_in_context(trained, "likeliest")),
    ):
        answer[name] = [np.asarray(each) for each in encode(Space(single, EvaluationOptions()), occurrences)]
    return answer
