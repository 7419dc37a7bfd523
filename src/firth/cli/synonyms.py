"""Commands, models and flags under their names in other programs, for the message about an unknown one."""

from collections.abc import Collection, Iterable
from pathlib import Path

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
    "lda": "lsa",
    "topics": "lsa",
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
    **{f"{order}{gram}": f"kneser-ney --order {order}" for order in range(1, 8) for gram in ("gram", "-gram")},
    "unigram": "kneser-ney --order 1",
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


_ENCODERS = {
    **dict.fromkeys(("skip-thought", "skipthought", "skip-thoughts"), "skip-thought"),
    **dict.fromkeys(("simcse", "sbert", "sentence-transformer"), "simcse"),
    **dict.fromkeys(("masked-lm", "mlm"), "masked-lm"),
}
_PRETRAINED = {
    **dict.fromkeys(("bert", "roberta", "mlm", "masked-lm", "maskedlm"), "masked"),
    **dict.fromkeys(("coco-lm", "cocolm"), "coco"),
}
MODELS = {  # after --model; of several, those that the command has
    **_ENCODERS,
    **dict.fromkeys(("bert", "roberta", "electra"), "masked-lm or encoder"),
    **dict.fromkeys(("pretrained", "transformers"), "encoder"),
    "maskedlm": "masked-lm",
    "supervised": "supervised-simcse",
    "sup-simcse": "supervised-simcse",
    **dict.fromkeys(("textcnn", "text-cnn", "kim", "kimcnn"), "cnn"),
    **dict.fromkeys(("bilstm", "blstm", "rnn", "gru", "infersent"), "lstm"),
    **dict.fromkeys(("vd-cnn", "char-cnn"), "vdcnn"),
    **dict.fromkeys(("treelstm", "tree"), "tree-lstm"),
}


def _after(command: str, models: dict[str, str]) -> dict[str, str]:
    """Return what to type for each model after the name of a command."""
    return {name: " or ".join(f"{command} {each}" for each in ours.split(" or ")) for name, ours in models.items()}


_TO_LANGUAGE_MODELS = {name: f"firth lm train {name}" for name in ("kneser-ney", "rnn", "lstm", "gru", "transformer")}
_TO_WORD_VECTORS = {name: f"firth train {name}" for name in ("skipgram", "cbow", "glove", "fasttext", "ppmi", "lsa")}
_TO_CLASSIFIERS = dict.fromkeys(("supervised", "classifier", "classify"), "firth classify train")

# Of each group of commands: other name: what to type after the group's name, or the whole command from "firth" on.
SYNONYMS: dict[str, dict[str, str]] = {
    "firth": {
        **dict.fromkeys(("nn", "knn", "nearest", "most-similar", "similar", "similar-words"), "neighbours"),
        **dict.fromkeys(("analogies", "word-analogy", "compute-accuracy"), "analogy"),
        **dict.fromkeys(("distance", "sim", "cosine"), "similarity"),
        **dict.fromkeys(("eval", "score", "benchmark", "word-pairs"), "evaluate"),
        **_after("train", _WORD_VECTORS),
        **_TO_WORD_VECTORS,
        **_after("lm train", _LANGUAGE_MODELS),
        **_TO_LANGUAGE_MODELS,
        **dict.fromkeys(("fit", "learn"), "train skipgram or lm train lstm or classify train"),
        "doesnt-match": "neighbours",
        **dict.fromkeys(("ner", "pos", "pos-tag", "tagger", "crf", "chunk"), "tag train or tag predict"),
        **dict.fromkeys(("parser", "dep", "depparse", "dependencies"), "parse train or parse predict"),
        "supervised": "classify train",
        **{name: f"classify {name}" for name in ("predict", "test")},
        "predict-prob": "classify predict --json",
        **{name: f"lm {name}" for name in ("generate", "perplexity", "next")},
        **dict.fromkeys(("ppl", "query"), "lm perplexity"),
        **dict.fromkeys(("sample", "complete"), "lm generate"),
        "tokenise": "subwords encode",
        **dict.fromkeys(("embed", "sentence-vectors", "print-sentence-vectors"), "encode"),
        **dict.fromkeys(("semantic-search", "find"), "search"),
        **dict.fromkeys(("deduplicate", "dedup", "near-duplicates", "paraphrase-mining"), "duplicates"),
        **dict.fromkeys(("cluster", "kmeans", "community-detection"), "clusters"),
        **dict.fromkeys(("attribute", "captum", "saliency"), "explain"),
        **dict.fromkeys(("senteval", "sts"), "evaluate"),
        **{name: f"sentences train --model {ours}" for name, ours in _ENCODERS.items()},
        **{name: f"pretrain {ours}" for name, ours in _PRETRAINED.items() if name not in _ENCODERS},
        **{name: f"pretrain {name}" for name in ("masked", "electra", "coco")},
        **dict.fromkeys(("fill-mask", "unmask"), "substitutes predict"),
        **dict.fromkeys(("bpe", "sentencepiece", "tokeniser", "learn-bpe"), "subwords train"),
        "word2phrase": "phrases",
        **dict.fromkeys(("phraser", "collocations", "bigrams"), "phrases"),
        **dict.fromkeys(("visualise", "visualize", "map", "tsne", "umap", "draw"), "plot"),
        **dict.fromkeys(("download", "fetch"), "pull or data get"),
        **dict.fromkeys(("describe", "show", "open", "load", "stats", "inspect"), "info"),
        **dict.fromkeys(("export", "print-word-vectors", "dump", "save"), "convert"),
        "translate": "translate-words",
        **dict.fromkeys(("muse", "vecmap", "procrustes", "map-embeddings"), "align"),
        **dict.fromkeys(("weat", "fairness"), "bias"),
        "retrofit": "postprocess",
        "antonym": "antonyms",
        "help": "--help",
        "version": "--version",
    },
    "firth train": {**_WORD_VECTORS, **_TO_LANGUAGE_MODELS, **_TO_CLASSIFIERS},
    "firth lm train": {**_LANGUAGE_MODELS, **_TO_WORD_VECTORS},
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
    "firth pretrain": {**_PRETRAINED, "elmo": "firth lm train elmo"},
    "firth coref": {
        "fit": "train",
        **dict.fromkeys(("resolve", "apply", "annotate"), "predict"),
        **dict.fromkeys(("evaluate", "eval", "score"), "test"),
    },
    "firth tag": {
        "fit": "train",
        **dict.fromkeys(("tag", "apply", "annotate"), "predict"),
        **dict.fromkeys(("evaluate", "eval", "score"), "test"),
    },
    "firth subwords": {
        **dict.fromkeys(("bpe", "learn", "learn-bpe", "fit"), "train"),
        **dict.fromkeys(("apply", "apply-bpe", "tokenise"), "encode"),
    },
}


FIRST = {"firth train": "skipgram", "firth lm train": "kneser-ney", "firth plot": "map"}  # what files come after
_TEXTS = {"train", "input", "corpus", "text", "texts", "file", "train_file", "data"}
_FORMAT = "the name after -o gives the format: vectors.bin, or vectors.vec for text (firth convert)"
_COMMANDS = "each model is a command: firth train skipgram, firth train cbow"
_ANNOTATORS = {f"firth {group} train" for group in ("tag", "parse", "coref")}
_TEST_FILES = {"test", "test_file", "test_data", "test_files", "test_set"}
# Models that have --freeze and --merge-every, and those that have --cluster.
_WINDOWS = ("skipgram", "cbow", "hierarchical", "fasttext", "structured")
_ON_CLUSTERS = (*_WINDOWS, "glove", "ppmi", "coals")
_WORKERS = "use --threads for threads of this machine, or --cluster with --workers"
FLAGS = {  # of a command, or of all commands of a group
    **{f"firth train {model}": {"num_workers": _WORKERS, "num_processes": _WORKERS} for model in _ON_CLUSTERS},
    "firth train": {
        "binary": _FORMAT,
        "cbow": _COMMANDS,
        "sg": _COMMANDS,
        "model": _COMMANDS,
        "freeze": f"old vectors can stay as they are in: {', '.join(_WINDOWS)}",
        "merge_every": f"only word vectors that a cluster trains are merged: {', '.join(_WINDOWS)}",
        "cluster": f"a cluster trains {', '.join(_ON_CLUSTERS)}, and firth lm train; others in Python: firth.Cluster",
    },
    "firth pretrain": {
        "model": "each model is a command: firth pretrain masked, firth pretrain electra, firth pretrain coco",
        **dict.fromkeys(("whole_word_masking", "whole_word_mask"), "use --masking words"),
        **dict.fromkeys(("fp16", "bf16"), "use --precision bf16, or --precision fp16 on a GPU"),
        "max_steps": "use --epochs or --minutes",
    },
    "firth classify train": {"encoder": "add --model encoder"},
    "firth subwords train": dict.fromkeys(
        ("model", "model_type", "type", "algorithm"), "use --kind bpe, wordpiece or unigram"
    ),
}
ARGUMENTS = {
    "corpus": _TEXTS,
    "source": _TEXTS,
    "text": _TEXTS,
    "texts": _TEXTS,
    "file": _TEXTS,
    "target": {"o", "output", "out"},
}


def meant(group: str, name: str) -> str | None:
    """Return what to type for a command or model of another program, such as "firth neighbours" for "nn".

    Args:
        group: the command that the name follows, such as "firth train".
        name: in lower case, with hyphens.
    """
    found = SYNONYMS.get(group, {}).get(name)
    if found is None:
        return None
    return " or ".join(each if each.startswith("firth ") else f"{group} {each}" for each in found.split(" or "))


def meant_file(group: str, name: str) -> str | None:
    """Return what to type where a file stands in place of a command, such as `firth train texts`.

    Args:
        group: the command that the name follows, such as "firth train".
        name: as it was typed.
    """
    if group in FIRST and (Path(name).exists() or {".", "/"} & set(name)):
        return f"{group} {FIRST[group]} {name}"
    return None


def flag_advice(command: str, name: str, arguments: Collection[str], usage: Iterable[str]) -> str | None:
    """Return what to do in place of a flag of another program that is no flag here, or None.

    Args:
        command: the command that the flag follows, such as "firth train skipgram".
        name: of the flag, without dashes and with underscores.
        arguments: names of the command's arguments, which have no flag.
        usage: what the command takes, in order, such as "CORPUS" and "-o OUT".
    """
    if any(name in ARGUMENTS.get(argument, ()) for argument in arguments):
        return f"it needs no flag: {' '.join((command, *usage))}"
    if command in _ANNOTATORS and name in _TEST_FILES:
        return f"a trained model is tested by {command.removesuffix('train')}test MODEL FILE"
    group = command.rpartition(" ")[0]
    return next((FLAGS[each][name] for each in (command, group) if name in FLAGS.get(each, ())), None)
