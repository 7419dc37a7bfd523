"""Commands and models under the names that they have in other programs, for the message about an unknown one."""

_WORD_VECTORS = {
    "word2vec": "skipgram or cbow",
    "w2v": "skipgram or cbow",
    "sgns": "skipgram",
    "sg": "skipgram",
    "skip-gram": "skipgram",
    "hs": "hierarchical",
    "fast-text": "fasttext",
    "doc2vec": "paragraph",
    "d2v": "paragraph",
    "paragraph2vec": "paragraph",
    "paragraph-vectors": "paragraph",
    "pv-dm": "paragraph",
    "pv-dbow": "paragraph",
    "wang2vec": "structured",
    "pmi": "ppmi",
    "svd": "ppmi or lsa",
    "lsi": "lsa",
    "hal": "coals",
    "sense2vec": "mssg or adagram",
}
_LANGUAGE_MODELS = {
    "kn": "kneser-ney",
    "kenlm": "kneser-ney",
    "lmplz": "kneser-ney",
    "ngram": "kneser-ney",
    "n-gram": "kneser-ney",
    "kneserney": "kneser-ney",
    "mkn": "kneser-ney",
    "bigram": "kneser-ney --order 2",
    "trigram": "kneser-ney --order 3",
    "rnnlm": "rnn",
    "elman": "rnn",
    "gpt": "transformer",
    "gpt2": "transformer",
    "nanogpt": "transformer",
    "decoder": "transformer",
    "nnlm": "feedforward",
    "nplm": "feedforward",
    "mlp": "feedforward",
    "lbl": "log-bilinear",
    "awd-lstm": "lstm",
}


def _after(command: str, models: dict[str, str]) -> dict[str, str]:
    """Return what to type for each model after the name of a command."""
    return {name: " or ".join(f"{command} {each}" for each in ours.split(" or ")) for name, ours in models.items()}


SYNONYMS: dict[str, dict[str, str]] = {  # of each group of commands: other name: what to type after the group's name
    "firth": {
        **dict.fromkeys(("nn", "knn", "nearest", "most-similar", "similar", "similar-words"), "neighbours"),
        **dict.fromkeys(("analogies", "compute-accuracy"), "analogy"),
        **dict.fromkeys(("distance", "sim", "cosine"), "similarity"),
        **dict.fromkeys(("eval", "score", "benchmark", "word-pairs"), "evaluate"),
        **_after("train", _WORD_VECTORS),
        **{name: f"train {name}" for name in ("skipgram", "cbow", "glove", "fasttext", "ppmi", "lsa")},
        **_after("lm train", _LANGUAGE_MODELS),
        **{name: f"lm train {name}" for name in ("kneser-ney", "rnn", "lstm", "gru", "transformer")},
        **dict.fromkeys(("fit", "learn"), "train skipgram or lm train lstm or classify train"),
        "doesnt-match": "neighbours",
        "supervised": "classify train",
        **{name: f"classify {name}" for name in ("predict", "test")},
        "predict-prob": "classify predict --json",
        **{name: f"lm {name}" for name in ("generate", "perplexity", "next")},
        **dict.fromkeys(("ppl", "query"), "lm perplexity"),
        **dict.fromkeys(("sample", "complete"), "lm generate"),
        **dict.fromkeys(("tokenise", "encode"), "subwords encode"),
        **dict.fromkeys(("bpe", "sentencepiece", "tokeniser", "learn-bpe"), "subwords train"),
        "word2phrase": "phrases",
        **dict.fromkeys(("phraser", "collocations", "bigrams"), "phrases"),
        **dict.fromkeys(("visualise", "visualize", "map", "tsne", "umap", "draw"), "plot"),
        **dict.fromkeys(("describe", "show", "stats", "inspect"), "info"),
        **dict.fromkeys(("export", "print-word-vectors", "dump", "save"), "convert"),
        "translate": "translate-words",
        **dict.fromkeys(("muse", "vecmap", "procrustes", "map-embeddings"), "align"),
        **dict.fromkeys(("weat", "fairness"), "bias"),
        "retrofit": "postprocess",
        "antonym": "antonyms",
        "help": "--help",
        "version": "--version",
    },
    "firth train": _WORD_VECTORS,
    "firth lm train": _LANGUAGE_MODELS,
    "firth lm": {
        **dict.fromkeys(("ppl", "evaluate", "eval", "test", "query"), "perplexity"),
        **dict.fromkeys(("sample", "gen", "complete"), "generate"),
        **_after("train", _LANGUAGE_MODELS),
        "interpolate": "mix",
        "predict": "next",
    },
    "firth classify": {
        **dict.fromkeys(("supervised", "fit"), "train"),
        "predict-prob": "predict --json",
        **dict.fromkeys(("evaluate", "eval", "score"), "test"),
    },
    "firth subwords": {
        **dict.fromkeys(("bpe", "learn", "learn-bpe", "fit"), "train"),
        **dict.fromkeys(("apply", "apply-bpe", "tokenise"), "encode"),
    },
}


def meant(group: str, name: str) -> str | None:
    """Return what to type for a command or model of another program, such as "firth neighbours" for "nn".

    Args:
        group: the command that the name follows, such as "firth train".
        name: in lower case, with hyphens.
    """
    found = SYNONYMS.get(group, {}).get(name)
    return None if found is None else " or ".join(f"{group} {each}" for each in found.split(" or "))
