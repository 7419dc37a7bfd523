"""Language models that count, mixtures, searches and scores."""

import functools
from typing import Any

import numpy as np

import firth
from tests.hashes import seeds
from tests.hashes.registry import case, variants

TRAIN, TEST = seeds.LINES[:250], seeds.HELD_OUT


def of_model(model: Any) -> dict[str, Any]:
    """Scores, perplexity, next words, and texts."""
    perplexity = model.perplexity(TEST)
    read = model.encode(TEST[:5])
    return {
        "words": list(model.vocabulary.words),
        "scores": [(list(score.tokens), np.asarray(score.log_probs)) for score in model.score([*TEST[:5], ""])],
        "log_probs": np.asarray(model.log_probs(read)),
        "perplexity": [
            perplexity.value,
            perplexity.without_unknown,
            perplexity.bits_per_token,
            perplexity.bits_per_word,
            perplexity.bits_per_character,
            perplexity.interval(seed=1),
        ],
        "next": model.next_words("the", topn=5),
        "sampled": model.generate("the", n=2, options=firth.GenerationOptions(max_length=6), seed=1),
        "greedy": model.generate("a", options=firth.GenerationOptions(max_length=6), search="greedy"),
    }


@functools.cache
def trained(**options: Any) -> Any:
    """A model of n-grams."""
    model = firth.NgramLM(**{"order": 3, "discount_fallback": True, **options})
    return model.train(list(TRAIN), threads=1, progress=False, min_count=1)


variants(
    "ngrams",
    lambda **options: of_model(trained(**options)),
    {
        "kneser-ney": {},
        "kneser-ney-5": {"order": 5},
        "kneser-ney-1-discount": {"discounts": 1},
        "absolute": {"smoothing": "absolute"},
        "absolute-backoff": {"smoothing": "absolute", "interpolated": False},
        "katz": {"smoothing": "katz", "cutoff": 4},
        "jelinek-mercer": {"smoothing": "jelinek-mercer"},
        "good-turing": {"smoothing": "good-turing"},
        "add-k": {"smoothing": "add-k", "add": 0.1},
        "no-ends": {"eos": False},
        "unigrams": {"order": 1},
    },
)


@case("ngrams/vocabulary")
def limited() -> Any:
    """A model with unknown words, tokens between spaces."""
    model = firth.NgramLM(order=3, discount_fallback=True)
    return of_model(model.train(list(TRAIN), threads=1, progress=False, min_count=2, tokens="whitespace"))


@case("ngrams/arpa")
def arpa() -> Any:
    """The bytes of an ARPA file, and what is read of it."""
    with seeds.folder() as folder:
        trained().to_arpa(folder / "model.arpa")
        model = firth.NgramModel.from_arpa(folder / "model.arpa", tokens="unicode")
        return {"bytes": (folder / "model.arpa").read_bytes(), **of_model(model)}


@case("mixture")
def mixture() -> Any:
    """Weights that are fitted, and what the models predict together."""
    models = [trained(), trained(order=2, smoothing="absolute"), trained(order=1)]
    fitted = firth.Mixture.fit(models, TEST, progress=False)
    fixed = of_model(firth.Mixture(models[:2], [0.3, 0.7]))["scores"]
    return {"weights": np.asarray(fitted.weights), **of_model(fitted), "fixed": fixed}


CONTROLS: dict[str, dict[str, Any]] = {
    "temperature": {"temperature": 0.7},
    "cold": {"temperature": 0.0},
    "top-k": {"top_k": 5},
    "top-p": {"top_p": 0.8},
    "min-p": {"min_p": 0.1},
    "all": {"temperature": 1.3, "top_k": 40, "top_p": 0.95, "min_p": 0.01},
    "repetition": {"repetition_penalty": 1.5},
    "no-repeat": {"no_repeat_ngram": 2},
    "lengths": {"min_length": 8},
}


def generated(**controls: Any) -> Any:
    """Samples, and the greedy text where nothing is drawn."""
    options = firth.GenerationOptions(**{"max_length": 12, **controls})
    answer = {"samples": trained().generate("the", n=4, options=options, seed=3)}
    if not options.samples:
        answer["greedy"] = trained().generate("the", options=options, search="greedy")
        answer["beams"] = trained().generate("the", n=3, options=options, search="beam")
    return answer


variants("generation/controls", generated, CONTROLS)
variants(
    "generation/beam",
    lambda n=3, **beam: {
        "plain": trained().generate(
            "the", n=n, options=firth.GenerationOptions(max_length=8), search=firth.BeamSearch(**beam)
        ),
        "controlled": trained().generate(
            "a",
            n=n,
            search=firth.BeamSearch(**beam),
            options=firth.GenerationOptions(max_length=10, min_length=4, no_repeat_ngram=2, repetition_penalty=1.2),
        ),
    },
    {
        "plain": {},
        "wu": {"length_normalisation": "wu", "length_power": 0.8},
        "none": {"length_normalisation": "none", "beams": 3},
        "diverse": {"groups": 3, "beams": 6, "diversity_penalty": 0.8, "n": 6},
        "one": {"beams": 1, "n": 1},
    },
)


@case("generation/searches")
def searches() -> Any:
    """The searches themselves, over several prompts and an ensemble."""
    from firth.inference import beam_search, ensemble, sampling

    one, other = trained(), trained(smoothing="absolute")
    prompts = [one.encode([text]).ids[:2].tolist() for text in TEST[:3]] + [[]]
    stop = [one.vocabulary.ids["</s>"]] if "</s>" in one.vocabulary else []
    controls = firth.GenerationOptions(max_length=7)
    joined = ensemble.Ensemble((one, other), np.array([0.5, 0.5]))

    def of(continuations: Any) -> Any:
        return [(list(map(int, each.ids)), float(each.log_prob)) for each in continuations]

    return {
        "greedy": of(sampling.greedy_search(one, prompts, controls, stop=stop)),
        "sample": of(sampling.sample(one, prompts, controls, stop=stop, seed=5)),
        "beam": [
            of(each) for each in beam_search.beam_search(one, prompts, controls, firth.BeamSearch(beams=4), stop=stop)
        ],
        "diverse": [
            of(each)
            for each in beam_search.beam_search(one, prompts, controls, firth.BeamSearch(beams=4, groups=2), stop=stop)
        ],
        "ensemble": [
            of(each)
            for each in beam_search.beam_search(joined, prompts, controls, firth.BeamSearch(beams=4), stop=stop)
        ],
        "ensemble greedy": of(sampling.greedy_search(joined, prompts, controls, stop=stop)),
    }


@case("language/comparison")
def comparison() -> Any:
    """Models judged on one text."""
    from firth.language.comparison import compare_models

    table = compare_models({"three": trained(), "two": trained(order=2)}, TEST, seed=1, progress=False)
    return [list(row.values()) for row in table.described()]
