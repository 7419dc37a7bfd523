"""Messages for unknown attributes: users of gensim, fastText and scikit-learn write `model.wv` or `model.fit`."""

import difflib
from collections.abc import Iterable, Mapping

_TRAIN = "vectors learn more words from a text by firth.Word2Vec(...).train(text, start=vectors)"
_NEIGHBOURS = "use most_similar(word, topn=10)"
_SENTENCES = "use firth.sentence_vectors(vectors, texts)"
VECTORS = {  # of word vectors
    "wv": "these are the vectors: write vectors.most_similar(...), not model.wv.most_similar(...)",
    "vocab": "use key_to_index",
    "vocabulary": "use words, counts and key_to_index",
    "index2word": "use index_to_key",
    "index2entity": "use index_to_key",
    "syn0": "use vectors",
    "syn1neg": "use output_vectors",
    "vectors_norm": "use get_normed_vectors()",
    "init_sims": "use fill_norms()",
    "word_vec": "use get_vector(word)",
    "shape": "use vectors.shape",
    "train": _TRAIN,
    "build_vocab": _TRAIN,
    "fit": _TRAIN,
    "neighbors": _NEIGHBOURS,
    "neighbours": _NEIGHBOURS,
    "nearest": _NEIGHBOURS,
    "nearest_neighbors": _NEIGHBOURS,
    "get_nearest_neighbors": _NEIGHBOURS,
    "get_analogies": "use analogy(a, b, c)",
    "get_word_vector": "use get_vector(word)",
    "get_sentence_vector": _SENTENCES,
    "encode": _SENTENCES,
    "get_words": "use words",
    "get_dimension": "use dim",
    "get_input_matrix": "use vectors",
    "save_model": "use save(path)",
    "save_pretrained": "use save(path)",
    "push_to_hub": "use firth.push_to_hub(vectors, 'owner/name')",
    "to_gensim": "use save_word2vec_format(path), then gensim's KeyedVectors.load_word2vec_format(path)",
    "to_spacy": "use save(folder, format='spacy')",
    "transform": _SENTENCES,
    "predict": "use most_similar(word); firth.TextClassifier learns labels of texts",
    "to_dict": "dict(zip(vectors.words, vectors.vectors)) makes one",
    "get": "write vectors[word] if word in vectors else None",
    "plot": "use firth.plots.word_map(vectors)",
    "evaluate": "use firth.evaluate(vectors)",
}
DOCUMENTS = {  # of document vectors
    "wv": "use words",
    "dv": "use documents",
    "docvecs": "use documents",
    "push_to_hub": "use firth.push_to_hub(documents, 'owner/name')",
    "infer_vector": "use infer(text), or encode(texts)",
}
CLASSIFIERS = {
    "fit": "use firth.TextClassifier(...).train(texts, labels)",
    "train": "use firth.TextClassifier(...).train(texts, labels)",
    "predict_proba": "use probabilities(texts)",
    "classes_": "use labels",
    "score": "use test(texts, labels)",
    "get_words": "use words",
    "get_labels": "use labels",
    "get_sentence_vector": "use encode([text])[0]",
    "sentence_vectors": "use encode(texts)",
    "quantize": "use quantise()",
    "save_model": "use save(path)",
    "save_pretrained": "use save(path)",
    "push_to_hub": "use firth.push_to_hub(classifier, 'owner/name')",
}
_CLASSIFIER = "use firth.CNNClassifier(...).train(texts, labels), or another class of options"
NEURAL_CLASSIFIERS = {
    **{name: answer for name, answer in CLASSIFIERS.items() if name not in ("quantize", "get_words")},
    "fit": _CLASSIFIER,
    "train": _CLASSIFIER,
}
TAGGERS = {
    "fit": "use firth.Tagger(...).train(sentences)",
    "train": "use firth.Tagger(...).train(sentences)",
    "tag": "use predict(sentences)",
    "predict_proba": "use marginals(sentences)",
    "probabilities": "use marginals(sentences), or predict(sentences, probabilities=True)",
    "evaluate": "use test(gold)",
    "labels": "use tags",
    "save_pretrained": "use save(path)",
    "push_to_hub": "use firth.push_to_hub(tagger, 'owner/name')",
}
CONTEXTS = {  # of context2vec
    "fit": "use firth.Context2Vec(...).train(text)",
    "train": "use firth.Context2Vec(...).train(text)",
    "wv": "use word_vectors()",
    "most_similar": "use substitutes(sentence, position), or word_vectors().most_similar(word)",
    "predict": "use substitutes(sentence, position)",
    "encode": "use context_vectors(places); firth.SimCSE learns vectors of whole texts",
    "context2vec": "use context_vector(sentence, position)",
    "evaluate": "use test()",
}
_DISTIL = "use firth.distil(encoder, text)"
_WORDS = "use encode_tokens(sentences)"
_ENCODER = "use firth.MaskedLM(...).train(text, start=encoder), or firth.EncoderClassifier(encoder=folder) for labels"
ENCODERS = {  # pretrained on text
    "fit": _ENCODER,
    "train": _ENCODER,
    "similarity": "cosines are those of encode(texts); use firth.TextIndex(encoder, texts).search(query)",
    "most_similar": "use firth.TextIndex(encoder, texts).search(query), or firth.distil(encoder, text) for words",
    "semantic_search": "use firth.TextIndex(encoder, texts).search(query)",
    **dict.fromkeys(("wv", "word_vectors", "get_input_embeddings"), _DISTIL),
    "predict": "use substitutes(sentence, position); firth.EncoderClassifier learns labels of texts",
    **dict.fromkeys(("fill_mask", "unmask"), "use substitutes(sentence, position)"),
    **dict.fromkeys(("tokenize", "tokenise"), "use pieces.tokenize(text)"),
    **dict.fromkeys(("tokenizer", "tokeniser"), "use pieces"),
    **dict.fromkeys(("embed_sentence", "embed_sentences", "last_hidden_state", "hidden_states"), _WORDS),
    **dict.fromkeys(("vocab", "vocabulary"), "use pieces.vocabulary"),
    **dict.fromkeys(("hidden_size", "get_sentence_embedding_dimension"), "use dim"),
    **dict.fromkeys(("max_seq_length", "max_length"), "use config.max_length"),
    "save_pretrained": "use save(path)",
    "push_to_hub": "use firth.push_to_hub(encoder, 'owner/name')",
}
BOLTZMANN_MACHINES = {
    "transform": "use encode(rows)",
    "fit": "use firth.RBM(...).train(rows)",
    "train": "use firth.RBM(...).train(rows)",
    "score_samples": "use log_likelihood(rows), or free_energy(rows)",
    "gibbs": "use sample(number)",
    "components_": "use weights, whose columns are the hidden units",
}
GRAPH_NETWORKS = {
    "fit": "use firth.GCN(...).train(edges, features, labels)",
    "train": "use firth.GCN(...).train(edges, features, labels)",
    "predict_proba": "use probabilities(edges, features)",
    "score": "use test(edges, features, labels)",
    "classes_": "use labels",
}
TEXT_INDEXES = {
    **dict.fromkeys(("query", "most_similar", "kneighbors", "closest_docs", "retrieve"), "use search(queries)"),
    **dict.fromkeys(("save", "load"), "an index is made anew from its texts, in seconds; it is not saved"),
    **dict.fromkeys(("fit", "transform", "fit_transform"), "the texts are given when it is made; use search(queries)"),
}
ANSWERS = {"answer": "use text", "context": "use words, with attention=True"}
_READER = "use firth.Reader(...).train('train.json')"
READERS = {
    "fit": _READER,
    "train": _READER,
    "read": "use answer(question, paragraph)",
    "ask": "use answer(question, paragraph)",
    "evaluate": "use test(gold)",
    "score": "use test(gold)",
    "n_best": "use answer(question, paragraph, n=5).others",
    "save_pretrained": "use save(path)",
    "push_to_hub": "use firth.push_to_hub(model, 'owner/name')",
}
AUTOENCODERS = {
    "fit": "use firth.SentenceVAE(...).train(texts)",
    "train": "use firth.SentenceVAE(...).train(texts)",
    "generate": "use sample(number), or decode(codes)",
    "reconstruct": "use decode(encode(texts))",
    "predict": "use decode(encode(texts))",
    "transform": "use encode(texts)",
    "evaluate": "use test(texts)",
    "score": "use test(texts)",
}
_TEXT_GCN = "use firth.TextGCN(...).train(texts, labels, unlabelled=others)"
TEXT_GRAPHS = {
    "fit": _TEXT_GCN,
    "train": _TEXT_GCN,
    "predict_proba": "use probabilities(texts)",
    "score": "use test(texts, labels)",
    "classes_": "use labels",
    "module": "the network is not kept, only what it computed: probabilities(texts), encode(texts), word_vectors()",
}
SENTENCE_ENCODERS = {
    "fit": "use firth.SimCSE(...).train(texts), or another class of options",
    "train": "use firth.SimCSE(...).train(texts), or another class of options",
    "similarity": "cosines are those of encode(texts); use firth.TextIndex(model, texts).search(query)",
    "most_similar": "use firth.TextIndex(model, texts).search(query), or word_vectors()",
    "semantic_search": "use firth.TextIndex(model, texts).search(query)",
    "predict": "encode(texts) gives vectors; firth.CNNClassifier learns labels of texts",
    "get_sentence_embedding_dimension": "use dim",
    "max_seq_length": "use options.max_length",
    "tokenize": "use rules",
    "wv": "use word_vectors()",
    "save_pretrained": "use save(path)",
    "push_to_hub": "use firth.push_to_hub(encoder, 'owner/name')",
}
_PARSER = "use firth.TransitionParser(...).train('train.conllu'), or another class of options"
PARSERS = {
    "fit": _PARSER,
    "train": _PARSER,
    "parse": "use predict(sentences)",
    "evaluate": "use test('dev.conllu')",
    "score": "use test('dev.conllu')",
    "labels": "use relations",
    "save_pretrained": "use save(path)",
    "push_to_hub": "use firth.push_to_hub(parser, 'owner/name')",
}
_CAPTIONER = "use firth.Captioner(...).train(features, captions)"
CAPTIONERS = {
    "fit": _CAPTIONER,
    "train": _CAPTIONER,
    **dict.fromkeys(("generate", "predict", "sample", "describe"), "use caption(features)"),
    "evaluate": "use test(features, captions)",
    "log_prob": "use score(features, captions)",
    "save_pretrained": "use save(path)",
    "push_to_hub": "use firth.push_to_hub(model, 'owner/name')",
}
_TRANSLATOR = "use firth.Translator(...).train(pairs)"
TRANSLATORS = {
    "fit": _TRANSLATOR,
    "train": _TRANSLATOR,
    "predict": "use translate(texts)",
    "generate": "use translate(texts)",
    "evaluate": "use test(pairs)",
    "log_prob": "use score(pairs)",
    **dict.fromkeys(("words", "vocab", "vocabulary"), "use source.words and target.words"),
    "summarize": "use translate(texts); firth.Summarizer(...).train(pairs) makes a model that summarizes",
    "save_pretrained": "use save(path)",
    "push_to_hub": "use firth.push_to_hub(model, 'owner/name')",
}
_SUMMARIZER = "use firth.Summarizer(...).train(pairs)"
SUMMARIZERS = {
    **TRANSLATORS,
    "fit": _SUMMARIZER,
    "train": _SUMMARIZER,
    "summarise": "use summarize(texts)",
    **dict.fromkeys(("translate", "summarize"), "use summarize(texts)"),
    "predict": "use summarize(texts)",
    "generate": "use summarize(texts)",
    **dict.fromkeys(("words", "vocab", "vocabulary"), "use translator.target.words"),
}
COREFERENCE = {  # models of it
    "fit": "use firth.Coreference(...).train(documents)",
    "train": "use firth.Coreference(...).train(documents)",
    **dict.fromkeys(
        ("resolve", "clusters", "predict_clusters", "coref_clusters", "coref_resolved", "get_clusters"),
        "use predict(document).clusters",
    ),
    "evaluate": "use test(documents)",
    "save_pretrained": "use save(path)",
    "push_to_hub": "use firth.push_to_hub(model, 'owner/name')",
}
_OF_SENTENCES = "of each sentence: document.sentences[0]"
ANNOTATED = {  # documents: names of spaCy and stanza
    "ents": "use entities",
    "noun_chunks": "firth.coreference.detection.find_mentions(document) returns the spans of noun phrases",
    "sents": "use sentences",
    "words": "use tokens",
    "coref_clusters": "use clusters",
    "coref_chains": "use clusters",
    "heads": f"heads are {_OF_SENTENCES}.heads, numbered from 1; 0 is the root",
    "tags": f"parts of speech are {_OF_SENTENCES}.tags",
    "pos": f"parts of speech are {_OF_SENTENCES}.tags",
    "lemmas": f"lemmas are {_OF_SENTENCES}.lemmas",
    "to_conll": "use firth.write_documents('file.conllu', [document])",
    "to_json": "use firth.write_documents('file.jsonl', [document])",
    "to_dict": "use firth.write_documents('file.jsonl', [document])",
    "save": "use firth.write_documents('file.conllu', [document])",
    "to_disk": "use firth.write_documents('file.jsonl', [document])",
}
SENTENCES = {  # of documents and treebanks
    "head": "use heads: numbers of words from 1, 0 for the root",
    "deprel": "use relations",
    "dep": "use relations",
    "deps": "use relations",
    "dep_": "use relations",
    "pos": "use tags",
    "pos_": "use tags",
    "upos": "use tags",
    "tag": "use tags",
    "tag_": "use language_tags",
    "xpos": "use language_tags",
    "lemma": "use lemmas",
    "lemma_": "use lemmas",
    "feats": "use features",
    "morph": "use features",
    "text": "use ' '.join(words)",
    "dependencies": "use zip(words, heads, relations)",
    "ents": "use entities of the document",
    "entities": "entities belong to the document: document.entities",
}
LANGUAGE_MODELS = {
    "encode": "n-gram models and mixtures give texts no vectors; token_ids(sentences) returns the ids of their tokens",
    "logprob": "use score(sentences)",
    "logscore": "use score(sentences)",
    "entropy": "use perplexity(text), whose nats are the cross-entropy",
    "fit": "use firth.NgramLM(...).train(texts), or another class of options",
    "train": "use firth.NgramLM(...).train(texts), or another class of options",
}

BIDIRECTIONAL = {  # language models
    **dict.fromkeys(
        ("encode", "encode_tokens", "embed_sentence", "embed_sentences", "embed_batch"),
        "use token_states(sentences): vectors of words in their context, layer by layer",
    ),
    "score": "use perplexity(text), or log_probs(model.read(text))",
    "generate": "a bidirectional model completes no text; firth.RecurrentLM(...).train(text) gives one that does",
    "fit": "use firth.BidirectionalLM(...).train(texts)",
    "train": "use firth.BidirectionalLM(...).train(texts)",
    "save_pretrained": "use save(path)",
    "push_to_hub": "use firth.push_to_hub(model, 'owner/name')",
}

_LOAD = "firth.load(path) opens a saved model"
LOADERS = {  # of classes of options
    "load": _LOAD,
    "load_model": _LOAD,
    "load_word2vec_format": _LOAD,
    "load_fasttext_format": _LOAD,
    "from_pretrained": f"{_LOAD}, firth.from_hub(name) one from the Hugging Face hub",
}


def no_attribute(kind: str, name: str, answers: Mapping[str, str], names: Iterable[str]) -> AttributeError:
    """Return the error for an attribute that an object lacks.

    Args:
        kind: name of the object's class.
        name: of the attribute.
        answers: what to write instead, by name.
        names: valid names; near ones are suggested.
    """
    problem = f"{kind!r} object has no attribute {name!r}"
    if name.startswith("_"):
        return AttributeError(problem)
    if name in answers:
        return AttributeError(f"{problem}; {answers[name]}")
    public = [each for each in names if not each.startswith("_")]
    near = difflib.get_close_matches(name, public, n=2, cutoff=0.75)
    return AttributeError(problem + (f"; did you mean {' or '.join(near)}?" if near else ""))
