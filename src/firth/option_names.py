"""Messages for unknown option names: the right name, and the place where the option belongs.

Users of gensim, fastText or PyTorch write `vector_size=100, workers=4`.
All code that reads option names uses this module.
"""

import difflib
import inspect
import re
import reprlib
import typing
from collections.abc import Iterable, Mapping
from dataclasses import Field, fields
from typing import Any

# From names in gensim, fastText, scikit-learn, PyTorch and Hugging Face; of several names, the first that there is.
SYNONYMS: dict[str, str | tuple[str, ...]] = {
    "vector_size": "dim",
    "size": "dim",
    "n_components": ("latent", "dim", "hidden"),
    "embedding_dim": "dim",
    "d_model": "dim",
    "alpha": "lr",
    "learning_rate": "lr",
    "min_alpha": "lr_end_factor",
    "iter": "epochs",
    "epoch": "epochs",
    "num_train_epochs": "epochs",
    "ws": "window",
    "n": "order",
    "window_size": "window",
    "sg": "architecture",
    "dm": "architecture",
    "model": "architecture",
    "hs": "objective",
    "loss": "objective",
    "neg": "negative",
    "ns_exponent": "noise_exponent",
    "cbow_mean": "combine",
    "dbow_words": "words",
    "t": "sample",
    "minn": "min_n",
    "maxn": "max_n",
    "bucket": "buckets",
    "wordNgrams": "word_ngrams",
    "minCount": "min_count",
    "max_vocab_size": "max_size",
    "max_final_vocab": "max_size",
    "workers": "threads",
    "thread": "threads",
    "n_jobs": ("threads", "workers"),
    "random_state": "seed",
    "optimizer": "optimiser",
    "seq_len": "bptt",
    "max_grad_norm": "clip_norm",
    "clip": "clip_norm",
    "hidden_size": ("hidden", "dim"),
    "units": ("hidden", "dim"),
    "num_layers": "layers",
    "num_heads": "heads",
    "nhead": "heads",
    "dim_feedforward": "ffn_dim",
    "d_ff": "ffn_dim",
    "tied": "tie_weights",
    "tie_word_embeddings": "tie_weights",
    "max_new_tokens": "max_length",
    "num_beams": "beams",
    "num_beam_groups": "groups",
    "no_repeat_ngram_size": "no_repeat_ngram",
    "tokenizer": "tokens",
    "tokenize": "tokens",
    "tokenise": "tokens",
    "lowercase": "tokens",
    "token_pattern": "tokens",
    "analyzer": "tokens",
    "stopwords": "stop_words",
    "unk_token": "unknown",
    "vocab_size": "max_size",
    "max_features": "max_size",
    "min_df": "min_count",
    "min_freq": "min_count",
    "min_frequency": "min_count",
    "text_column": "column",
    "cache_dir": "cache",
    "n_embd": "dim",
    "embedding_size": ("embedding_dim", "dim"),
    "n_layer": "layers",
    "n_layers": "layers",
    "num_hidden_layers": "layers",
    "n_head": "heads",
    "n_heads": "heads",
    "num_attention_heads": "heads",
    "n_inner": "ffn_dim",
    "intermediate_size": "ffn_dim",
    "n_positions": "context",
    "n_ctx": "context",
    "block_size": "context",
    "max_position_embeddings": ("context", "max_length"),
    "max_seq_length": ("max_length", "window"),
    "doc_stride": "window",
    "max_answer_len": "longest",
    "max_answer_length": "longest",
    "version_2_with_negative": "no_answer",
    "handle_impossible_answer": "no_answer",
    "z_dim": "latent",
    "latent_dim": "latent",
    "latent_size": "latent",
    "num_embeddings": "codes",
    "beta": "annealing",
    "kl_weight": "annealing",
    "hidden_channels": "hidden",
    "hash_size": "bits",
    "n_features": "bits",
    "activation_function": "activation",
    "hidden_act": "activation",
    "resid_pdrop": "dropout",
    "hidden_dropout_prob": "dropout",
    "per_device_train_batch_size": "batch_size",
    "train_batch_size": "batch_size",
    "warmup_steps": "warmup",
    "lr_scheduler_type": "schedule",
    "optim": "optimiser",
    "eval_steps": "evaluate_every",
    "early_stopping_patience": "patience",
    "num_epochs": "epochs",
    "n_epochs": "epochs",
    "max_epochs": "epochs",
    "n_iter": "epochs",
    "max_iter": "epochs",
    "num_threads": "threads",
    "num_workers": ("threads", "workers"),
    "num_processes": ("threads", "workers"),
    "threads": "workers",
    "cluster": "address",
    **dict.fromkeys(("hosts", "cluster_address"), ("address", "cluster")),
    "vectors_lockf": "freeze",
    "frozen": "freeze",
    "negative_samples": "negative",
    "subsample": "sample",
    "ents": "entities",
    "coref_clusters": "clusters",
    "keep_singletons": "singletons",
    "max_span_width": "max_width",
    "spans_per_word": "kept",
    "top_span_ratio": "kept",
    "max_antecedents": "antecedents",
    "mlm_probability": "mask_rate",
    "masked_lm_prob": "mask_rate",
    "whole_word_masking": "masking",
    "whole_word_mask": "masking",
    "generator_dim": "generator",
    "generator_size": "generator",
    "generator_hidden_size": "generator",
    **dict.fromkeys(
        ("model_name", "model_name_or_path", "pretrained_model_name_or_path"), ("embed", "start", "encoder")
    ),
    "num_output_representations": "output",
    "fp16": "precision",
    "bf16": "precision",
    "max_steps": "epochs",
    "num_train_steps": "epochs",
    "resume": "checkpoint",
    "resume_from_checkpoint": "checkpoint",
    "checkpoint_dir": "checkpoint",
    **dict.fromkeys(("ckpt", "ckpt_dir", "ckpt_path", "checkpoint_path"), "checkpoint"),
}
TRAINED_ELSEWHERE = dict.fromkeys(  # what is no argument of the `train` of a model
    ("cluster", "hosts", "cluster_address", "merge_every"),
    "firth.Cluster(address=...).train(model, text) trains on a cluster, and firth.Cluster(...).build(text) reads there",
)
PUBLIC_NAMES = {  # from names of gensim, fastText, scikit-learn and Hugging Face: names of firth
    "Parser": "TransitionParser(...).train('train.conllu'), and load(path) for a trained parser",
    "DependencyParser": "TransitionParser(...).train('train.conllu'), and load(path) for a trained parser",
    **dict.fromkeys(
        ("CorefModel", "Coref", "CoreferenceModel", "CoreferenceResolver", "CorefResolver", "coref"),
        "Coreference(...).train(documents), or SpanCoreference, and load(path) for a trained model",
    ),
    "PointerNet": "PointerNetwork",
    **dict.fromkeys(("BernoulliRBM", "RestrictedBoltzmannMachine"), "RBM"),
    **dict.fromkeys(("VAE", "TextVAE", "VariationalAutoencoder"), "SentenceVAE"),
    **dict.fromkeys(("CaptionModel", "ImageCaptioner", "ShowAttendTell"), "Captioner"),
    **dict.fromkeys(
        ("AttentiveReader", "DocumentReader", "DocReader", "QuestionAnswering", "ReadingComprehension"),
        "Reader(...).train('train.json'), or BiDAF, and load(path) for a trained reader",
    ),
    **dict.fromkeys(("BidirectionalAttentionFlow", "BIDAF", "BiDaf"), "BiDAF"),
    **dict.fromkeys(("TfidfRetriever", "TfidfDocRanker", "BM25", "Retriever"), "TfidfIndex(texts), or TextIndex"),
    "GCNConv": "GCN",
    "GATConv": "GAT",
    "TextGraph": "TextGCN, or word_document_graph(texts) for the graph alone",
    "Doc": "Document",
    "Span": "Document: spans are pairs of numbers of tokens, (start, end)",
    "pipeline": "annotate(text, tagger=..., parser=..., coref=...)",
    "Pipeline": "annotate(text, tagger=..., parser=..., coref=...)",
    "displacy": "plots.dependency_arcs(document), plots.entity_spans or plots.coreference_chains",
    **dict.fromkeys(
        ("NER", "NERTagger", "SequenceTagger", "SequenceLabeler", "POSTagger", "PosTagger", "CRF", "BiLSTMCRF"),
        "Tagger(...).train('train.txt'), and load(path) for a trained tagger",
    ),
    "KeyedVectors": "WordVectors",
    "Word2VecKeyedVectors": "WordVectors",
    "Vectors": "WordVectors",
    "Doc2Vec": "ParagraphVectors",
    "LsiModel": "LatentSemanticAnalysis",
    "LSA": "LatentSemanticAnalysis",
    "TruncatedSVD": "LatentSemanticAnalysis",
    "PPMI": "AssociationVectors",
    "SkipGram": "Word2Vec",
    "Skipgram": "Word2Vec",
    "CBOW": "Word2Vec",
    "skipgram": "Word2Vec",
    "cbow": "Word2Vec",
    "train": "Word2Vec(...).train(text)",
    "fit": "Word2Vec(...).train(text)",
    "models": "Word2Vec, firth.FastText and so on: all names are in firth itself",
    "TaggedDocument": "ParagraphVectors(...).train(texts)",
    "simple_preprocess": "Corpus.build",
    "tokenize": "Corpus.build",
    "corpora": "Corpus.build",
    "Vocab": "Corpus.build(text).vocabulary",
    "Dictionary": "Corpus.build(text).vocabulary",
    "LSI": "LatentSemanticAnalysis",
    "downloader": "from_hub for models, firth.data.get for data sets",
    "api": "from_hub for models, firth.data.get for data sets",
    "datasets": "data",
    "load_dataset": "data.get",
    "AutoModel": "load(folder), or firth.from_hub(name) for a model of the hub",
    "PretrainedEncoder": "MaskedLM(...).train(text), and load(folder) for a pretrained encoder",
    "AutoTokenizer": "load(folder).pieces, or firth.WordPieces",
    "BertTokenizer": "WordPieces",
    "AutoModelForSequenceClassification": "EncoderClassifier",
    "BertForSequenceClassification": "EncoderClassifier",
    "SentenceTransformer": "SimCSE(...).train(texts), or load(path), and then model.encode(texts)",
    "encode": "load(path).encode(texts), or encode_file",
    "semantic_search": "TextIndex",
    "paraphrase_mining": "near_duplicates",
    "community_detection": "cluster_texts",
    "SentEval": "evaluate",
    "senteval": "evaluate",
    "InferSent": "RecurrentClassifier",
    "BiLSTM": "RecurrentClassifier",
    "LSTMClassifier": "RecurrentClassifier",
    "TextCNN": "CNNClassifier",
    "VDCNN": "VDCNNClassifier",
    "TreeLSTM": "TreeLSTMClassifier",
    "BERT": "MaskedLM",
    "Bert": "MaskedLM",
    "BertModel": "MaskedLM",
    "BertForMaskedLM": "MaskedLM",
    "QuickThought": "SkipThought",
    "IntegratedGradients": "explain",
    "Saliency": "explain",
    "captum": "explain",
    "shap": "explain",
    "most_similar": "load(path).most_similar(word)",
    "similarity": "load(path).similarity(word, other)",
    "tsne": "plots.word_map",
    "umap": "plots.word_map",
    "plot": "plots",
    "Phraser": "PhraseTable",
    "LineSentence": "Corpus.build",
    "PathLineSentences": "Corpus.build",
    "Text8Corpus": "Corpus.build",
    "Tokenizer": "Subwords",
    "BPE": "Subwords",
    "SentencePieceProcessor": "Subwords",
    "SentencePieceTrainer": "Subwords",
    "train_supervised": "TextClassifier",
    "train_unsupervised": "FastText",
    "load_model": "load",
    "load_facebook_model": "load",
    "load_word2vec_format": "load",
    "from_pretrained": "load",
    "LSTM": "RecurrentLM",
    "GRU": "RecurrentLM",
    "RNN": "RecurrentLM",
    "Transformer": "TransformerLM",
    "GPT": "TransformerLM",
    "GPT2LMHeadModel": "TransformerLM",
    "TrainingArguments": "TrainingOptions",
    "Trainer": "TrainingOptions",
    "GenerationConfig": "GenerationOptions",
    "WEAT": "bias.weat",
}
_SPELLINGS = {"neighbor": "neighbour", "center": "centre", "color": "colour", "summaris": "summariz"} | {
    f"{stem}iz": f"{stem}is"
    for stem in ("categor", "equal", "factor", "initial", "neutral", "normal", "optim", "quant", "token")
}
_OTHER_SPELLING = re.compile("|".join(_SPELLINGS))
TEXTS = ("sentences", "corpus_iterable", "corpus_file", "documents", "corpus", "texts")  # gensim's names for the text
TEXT_OPTIONS = (  # options of `Corpus.build`, which everything that trains on a text accepts, too
    "min_count", "max_size", "stop_words", "unknown", "tokens", "language", "sentences", "markup", "join_hyphens",
    "keep_empty", "column", "cache",
    "separator", "quoting", "header", "on_error",
)  # fmt: skip


def one_spelling(name: str) -> str:
    """Return a command or flag in firth's spelling: `optimiser` for `optimizer`, `clip-norm` for `clip_norm`."""
    return _OTHER_SPELLING.sub(lambda match: _SPELLINGS[match[0]], name.replace("_", "-"))


def synonym(name: str, names: Iterable[str]) -> str | None:
    """Return the valid name for a name in another library, or None."""
    names = list(names)
    return next((other for other in _others(name) if other in names), None)


def _others(name: str) -> tuple[str, ...]:
    """Return what a name in another library may be called here."""
    other = SYNONYMS.get(name, ())
    return (other,) if isinstance(other, str) else other


def suggestion(name: str, names: Iterable[str]) -> str:
    """Return the end of a message about an unknown name: the nearest valid names, or all of them."""
    names = list(names)
    other = synonym(name, names)
    if other is not None:
        return f"use {other}"
    near = near_names(name, names)
    return f"did you mean {' or '.join(near)}?" if near else f"expected one of {', '.join(names) or 'none'}"


def near_names(name: str, names: Iterable[str]) -> list[str]:
    """Return at most three valid names that are spelled nearly like a name."""
    return difflib.get_close_matches(name, list(names), cutoff=0.61)  # temperature is not nearly generator: 0.6


def explained(kind: Any, unnamed: Iterable[Any], wrong: Mapping[str, Any]) -> str:
    """Return the message about invalid arguments of an options class, one per line.

    Args:
        kind: the class; its fields are made by `firth.options.option`.
        unnamed: positional arguments.
        wrong: keyword arguments that are not fields.
    """
    options = {field.name: field for field in fields(kind)}
    verb = next((verb for verb in ("train", "learn") if hasattr(kind, verb)), None)
    train = inspect.signature(getattr(kind, verb)).parameters if verb else {}
    lines = [
        f"{name}={reprlib.repr(value)}: {_place(kind.__name__, name, value, options, verb or '', train)}"
        for name, value in wrong.items()
    ]
    for value in unnamed:
        example = next((f"{name}={_example(field, value)}" for name, field in options.items()), "")
        text = f"; {_text_to(verb, kind.__name__)}" if verb else ""
        lines.append(f"{reprlib.repr(value)}: {kind.__name__} takes options by name, such as {example}{text}")
    return "\n".join(lines)


def _place(
    kind: str,
    name: str,
    value: Any,
    options: Mapping[str, Field[Any]],
    verb: str,
    train: Mapping[str, inspect.Parameter],
) -> str:
    """Return where a missing option belongs: another name, `train`, the text, or nowhere."""
    places = (_place_of(kind, name, other, value, options, verb, train) for other in _others(name) or (name,))
    elsewhere = TRAINED_ELSEWHERE.get(name) if verb == "train" else None
    return next(filter(None, places), f"{kind} has no such option; {elsewhere or suggestion(name, options)}")


def _place_of(
    kind: str,
    name: str,
    other: str,
    value: Any,
    options: Mapping[str, Field[Any]],
    verb: str,
    train: Mapping[str, inspect.Parameter],
) -> str | None:
    """Return where `other`, which `name` may stand for, belongs; None for nowhere."""
    if other in options:
        return f"{kind} has no such option; use {other} ({_meaning(options[other])})"
    if name in TEXTS and train and not (name in TEXT_OPTIONS and isinstance(value, str)):
        return _text_to(verb, kind)
    if other in TEXT_OPTIONS and "tokens" in train:
        return f"an option of the text: {kind}(...).{verb}(text, {other}=...) or Corpus.build(text, {other}=...)"
    if other in list(train)[2:]:  # after self and the text
        return f"an argument of {verb}: {kind}(...).{verb}(text, {other}=...)"
    for parameter in train.values():
        for part in typing.get_args(parameter.annotation) or (parameter.annotation,):
            field = getattr(part, "__dataclass_fields__", {}).get(other)
            if field is not None and field.metadata:
                inner = f"{parameter.name}={part.__name__}({other}=...)"
                return f"an option of {part.__name__}: {kind}(...).{verb}(text, {inner})"
    return None


def _text_to(verb: str, kind: str) -> str:
    return f"pass the text to {verb}: {kind}(...).{verb}(text)"


def _example(field: Field[Any], given: Any) -> str:
    """Return a value of an option: its default, or what was given where the default is None and that may be meant."""
    meant = field.default is None and type(given) in typing.get_args(field.type)
    return reprlib.repr(given if meant else field.default)


def _meaning(field: Field[Any]) -> str:
    if field.metadata.get("choices"):
        return " or ".join(map(repr, field.metadata["choices"]))
    what: str = field.metadata.get("help", "")
    return what.partition(";")[0]
