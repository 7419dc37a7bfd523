"""Skip-thought vectors of novels, and what shows that they learn from the order of the sentences.

Four encoders are judged alike, on frozen vectors: the trained one; the untrained one, with the same word vectors and a
new random network; one trained as long on the same sentences in random order; and averages of word vectors. The sets
are those of SentEval: relatedness of SICK, and MR, CR, SUBJ, MPQA and TREC, with TF-IDF beside them. With word vectors
of another text (--wider) the vocabulary is expanded: words that the encoder never read are shown with their nearest
neighbours among those that it did, and the expanded encoder is judged, too.

    python recipes/skip_thought.py --minutes 50 -o models       # novels, one thread: 50 minutes for each training
    python recipes/skip_thought.py --minutes 50 -o models --only trained --wider wikipedia.firth
    python recipes/skip_thought.py --text 'books/*.txt' --minutes 50 -o models
    python recipes/skip_thought.py --toy

A model that is found in the folder is not trained again, and a training that was interrupted goes on. --toy prints the
loss on held-out text of a toy language, with the sentences in their order and without.
"""

import argparse
import json
import os
import tarfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

import firth
from firth.neural import SentenceEncoder, WordEmbedding, new_module
from firth.randomness import generator

FIVE = ("mr", "cr", "subj", "mpqa", "trec")
NEW = ("tomatoes", "airport", "airline", "hockey", "motorcycle", "helicopter", "toddler", "computer")
SUITES = {"sentences": list(FIVE), "sentence-pairs": ["sick"]}


def novels():
    """The hundred novels of LitBank, from the folder of public data: each is a document."""
    with tarfile.open(Path(os.environ["FIRTH_DATA"]) / "books" / "litbank-novels.tar.gz") as archive:
        for member in archive:
            if member.name.startswith("original/") and member.name.endswith(".txt"):
                yield archive.extractfile(member).read().decode("utf-8", "replace")


def toy_text(seed, documents=40, sentences=12, topics=6, words=5):
    """Documents that go through topics in turn: the words of a sentence say which topic comes next."""
    random, texts = np.random.default_rng(seed), []
    for topic in random.integers(0, topics, documents).tolist():
        lines = [
            " ".join(f"t{(topic + i) % topics}w{word}" for word in random.integers(0, words, random.integers(2, 6)))
            for i in range(sentences)
        ]
        texts.append(". ".join(line.capitalize() for line in lines) + ".")
    return texts


def corpus_of(text, limit=None):
    """The text, split into sentences, with the words that the encoder reads."""
    return firth.Corpus.build(
        text,
        sentences="punctuation",
        keep_empty=True,
        unknown="<unk>",
        **({} if limit is None else {"max_size": limit}),
    )


def shuffled(corpus, seed):
    """The same sentences in random order, as one document."""
    random = generator(seed, "order of sentences")
    filled = np.flatnonzero(np.diff(corpus.offsets) > 0)
    words, ids, offsets = corpus.vocabulary.words, corpus.ids, corpus.offsets
    lists = ([words[i] for i in ids[offsets[s] : offsets[s + 1]]] for s in random.permutation(filled).tolist())
    return firth.Corpus.build(lists, tokens="words", min_count=1)


def untrained(model, seed):
    """The same encoder with a random network and the same input vectors."""
    module = new_module(seed, model.options.build_module, model.vocabulary)
    tables = [layer for layer in model.module.modules() if isinstance(layer, WordEmbedding)]
    fresh = [layer for layer in module.modules() if isinstance(layer, WordEmbedding)]
    with torch.no_grad():
        for layer, table in zip(fresh, tables, strict=True):
            layer.weight.copy_(table.weight)
    return SentenceEncoder(module, model.options, model.vocabulary, model.rules)


def toy(seed):
    """Mean loss per word of the neighbours in held-out text, with the sentences in order and shuffled."""
    options = firth.SkipThought(dim=12, hidden=24, output="importance:samples=16")
    training = firth.TrainingOptions(epochs=3, batch_size=16, lr=0.03, schedule="linear")
    held_out, losses = toy_text(seed + 1, documents=8), {}
    in_order = corpus_of(toy_text(seed))
    for name, corpus in (("in order", in_order), ("shuffled", shuffled(in_order, seed))):
        if name == "shuffled":
            held_out = shuffled(firth.Corpus.build(held_out, sentences="punctuation", min_count=1), seed)
        model = options.train(corpus, held_out=held_out, training=training, seed=seed)
        losses[name] = model.metadata["training"]["best"]["held_out_loss"]
        print(f"{name}: {losses[name]:.3f} nats per word")
    return losses


def kept(path, make):
    """The model at a path, made and saved if there is none."""
    if not path.exists():
        model = make()
        if not model.metadata.get("training", {}).get("interrupted"):
            model.save(path)
        return model
    return firth.load(path)


def trained_models(args):
    """The encoders by name."""
    folder = Path(args.output)
    folder.mkdir(parents=True, exist_ok=True)
    text = list(novels()) if args.text is None else args.text
    corpus = corpus_of(text, args.words)
    vectors = kept(folder / "words", lambda: firth.Word2Vec(dim=args.dim).train(corpus, seed=args.seed, threads=1))
    options = firth.SkipThought(
        dim=args.dim, hidden=args.hidden, encoder=args.encoder, max_length=args.max_length, output=args.output_layer
    )
    training = replace(
        options.training, minutes=args.minutes, batch_size=args.batch_size, epochs=args.epochs, precision=args.precision
    )
    models = {"averages": firth.SentenceAverages(vectors, "mean")}
    for name in args.only or ("trained", "shuffled"):
        text_of = corpus if name == "trained" else shuffled(corpus, args.seed)
        models[name] = kept(
            folder / f"{args.encoder}-{name}",
            lambda text_of=text_of, name=name: options.train(
                text_of,
                vectors=vectors,
                training=training,
                seed=args.seed,
                checkpoint=folder / f"{args.encoder}-{name}.state",
            ),
        )
    if "trained" in models:
        models["untrained"] = untrained(models["trained"], args.seed + 1)
    return models


def show_expansion(model, larger, words):
    """Neighbours of words that the encoder never read, among those that it did."""
    space, new = model.word_vectors(), larger.added
    print(f"{len(model.vocabulary):,} words read, {len(new):,} added")
    for word in (word for word in words if word in new):
        near = [other for other, _ in space.similar_by_vector(new[word], topn=7) if other != "<unk>"]
        print(f"  {word}: {', '.join(near[:6])}")


def main(argv=None):
    """Train, evaluate and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--toy", action="store_true", help="a toy language; seconds")
    parser.add_argument("--text", help="files of running text; by default LitBank's novels in FIRTH_DATA")
    parser.add_argument("-o", "--output", default="skip-thought-models", help="folder of the models")
    parser.add_argument("--only", nargs="+", choices=["trained", "shuffled"], help="train only these")
    parser.add_argument("--wider", help="word vectors of a larger text, which expand the vocabulary")
    parser.add_argument("--show", nargs="+", default=NEW, help="words whose neighbours are shown, if they are new")
    parser.add_argument("--minutes", type=float, help="limit of each training")
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--encoder", default="uni", choices=["uni", "bi", "combine"])
    parser.add_argument("--dim", type=int, default=300)
    parser.add_argument("--hidden", type=int, default=600)
    parser.add_argument("--words", type=int, default=20_000, help="words that the encoder reads")
    parser.add_argument("--max-length", type=int, default=40)
    parser.add_argument("--output-layer", default="importance:samples=1024")
    parser.add_argument("--batch-size", type=int, default=128)
    parser.add_argument("--precision", default="fp32", choices=["fp32", "bf16"])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--results", help="file that the rows of the evaluation are appended to, as JSON")
    args = parser.parse_args(argv)
    if args.toy:
        return toy(args.seed)
    models = trained_models(args)
    if args.wider and "trained" in models:
        models["expanded"] = models["trained"].expand(firth.load(args.wider))
        show_expansion(models["trained"], models["expanded"], args.show)
    report = firth.evaluate(models, suites=SUITES, seed=args.seed)
    print(report)
    if args.results:
        with Path(args.results).open("a", encoding="utf-8") as file:
            for row in report.rows:
                file.write(json.dumps({**vars(args), **vars(row)}) + "\n")
    return report


if __name__ == "__main__":
    main()
