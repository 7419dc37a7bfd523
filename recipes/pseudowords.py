"""Pseudowords: evaluates sense models on words that are merged from two or three words.

Two or three random words of similar frequency are replaced by one pseudoword in the whole text; this is repeated for a
few hundred pseudowords. The original word of each occurrence is known, and a sense model should recover it: the figure
is the adjusted Rand index (ARI) of its senses against the original words, 0 for chance or one sense, at best 1. As a
control, as many unmerged words of the same frequencies should mostly keep one sense.

    python recipes/pseudowords.py wiki.txt --models sense-clusters mssg:senses=3 adagram --seeds 0 1 2
    python recipes/pseudowords.py --toy                       # a text of its own, in seconds

A model is a name of `firth train` with options after colons, or `atoms` (skip-gram, then its discourse atoms).
"""

import argparse
import json
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

import firth
from firth.comparison import trainer
from firth.corpus import derive
from firth.evaluation import adjusted_rand, paired_f, v_measure
from firth.senses import contexts_at, find_occurrences

FIGURES = ("ari", "ari-pooled", "v-measure", "paired-f", "two-or-more", "controls-one", "senses", "words/s")


def toy_text(seed, topics=30, words=26, sentences=24_000):
    """Sentences of ten words, each of one topic; every word belongs to one."""
    random = np.random.default_rng(seed)
    names = np.array(
        [
            [f"t{chr(97 + topic // 26)}{chr(97 + topic % 26)}{chr(97 + word)}" for word in range(words)]
            for topic in range(topics)
        ]
    )
    return [
        names[topic, random.integers(0, words, size=10)].tolist() for topic in random.integers(0, topics, sentences)
    ]


def stand_together(corpus, ids):
    """Co-occurrences of each two words in a sentence, relative to chance (at least 1)."""
    lookup = np.full(len(corpus.vocabulary), -1)
    lookup[ids] = np.arange(len(ids))
    words = lookup[corpus.ids]
    sentences = np.repeat(np.arange(len(corpus)), np.diff(corpus.offsets))[words >= 0]
    words = words[words >= 0]
    incidence = csr_array((np.ones(len(words), np.float32), (words, sentences)), shape=(len(ids), len(corpus)))
    incidence.data[:] = 1
    frequency = incidence.sum(axis=1)
    return (incidence @ incidence.T).toarray() / np.maximum(np.outer(frequency, frequency) / len(corpus), 1)


def drawn_words(corpus, count, least, most, seed):
    """Groups of two or three words to merge, and as many control words, all of similar frequencies.

    Words of a group are unrelated: they co-occur in sentences at most twice as often as by chance and do not share
    their first three letters.
    """
    random = np.random.default_rng(seed)
    words, counts = np.array(corpus.vocabulary.words), corpus.vocabulary.counts
    fits = [i for i, word in enumerate(words) if word.isalpha() and len(word) > 3 and least <= counts[i] <= most]
    fits = np.array(fits)[random.permutation(len(fits))]
    together, free = stand_together(corpus, fits), np.ones(len(fits), dtype=bool)
    groups, controls = [], []
    for number in range(count):
        first = int(free.argmax())
        alike = np.flatnonzero(free & (np.abs(np.log2(counts[fits] / counts[fits[first]])) <= 1)).tolist()
        group = [first]
        for i in alike:
            strange = together[i, group].max() <= 2 and not any(words[fits[i]][:3] == words[fits[j]][:3] for j in group)
            if len(group) < 2 + number % 2 and strange:
                group.append(i)
        groups.append(fits[group].tolist())
        control = next(i for i in alike if i not in group)
        controls.append(int(fits[control]))
        free[[*group, control]] = False
    return groups, controls


def merged(corpus, groups, cache):
    """The corpus with each group as one word, named after all of them, and these names."""
    words, numbers = list(corpus.vocabulary.words), np.arange(len(corpus.vocabulary), dtype=np.int32)
    for group in groups:
        words[group[0]] = "+".join(corpus.vocabulary.words[i] for i in group)
        numbers[group] = group[0]

    def blocks(size=2**15):
        counts = np.zeros(len(words), dtype=np.int64)
        for first in range(0, len(corpus), size):
            ends = corpus.offsets[first : first + size + 1]
            ids = numbers[corpus.ids[ends[0] : ends[-1]]]
            counts += np.bincount(ids, minlength=len(words))
            yield np.insert(ids, ends[1:] - ends[0], -1).astype(np.int32), counts

    return derive(corpus, words, blocks(), min_count=1, max_size=None, cache=cache), [
        words[group[0]] for group in groups
    ]


def trained(spec, corpus, common, seed, threads):
    """Senses of a model, and its training speed in words per second."""
    if spec.partition(":")[0] == "atoms":
        vectors = trainer("skipgram", common).train(corpus, seed=seed, threads=threads, progress=False)
        atoms = firth.DiscourseAtoms(atoms=min(2000, len(vectors) // 10))
        senses = atoms.fit(vectors, seed=seed, threads=threads, progress=False).sense_vectors()
        facts = vectors.metadata["training"]
    else:
        senses = trainer(spec, common).train(corpus, seed=seed, threads=threads, progress=False)
        facts = senses.metadata["training"]
    return senses, facts["words"] / max(facts["seconds"], 1e-9)


def judged(senses, corpus, original, names, controls, args):
    """The figures of one model on one text."""
    ids = [corpus.vocabulary.ids[name] for name in names]
    occurrences = find_occurrences(corpus, ids, args.occurrences, seed=args.seed)
    rows = np.array([senses.lexicon.rows.get(word, -1) for word in corpus.vocabulary.words])
    options = senses.metadata["training"]["options"]
    window = options.get("context_window", args.context)
    pairs = []
    for number, name in enumerate(names):
        places = occurrences.of(number)
        contexts = contexts_at(corpus, places, window).renumbered(rows)
        pairs.append((original.ids[places], senses.probabilities(name, contexts).argmax(axis=1)))
    aris, sizes = [adjusted_rand(*pair) for pair in pairs], [len(truth) for truth, _ in pairs]
    num_senses = [len(senses.senses(name)) for name in names]
    plain = [len(senses.senses(original.vocabulary.words[i])) for i in controls]
    return {
        "ari": np.mean(aris),
        "ari-pooled": np.average(aris, weights=sizes),
        "v-measure": np.mean([v_measure(*pair) for pair in pairs]),
        "paired-f": np.mean([paired_f(*pair) for pair in pairs]),
        "two-or-more": np.mean(np.array(num_senses) >= 2),
        "controls-one": np.mean(np.array(plain) == 1),
        "senses": np.mean(num_senses),
    }


def measure(source, args):
    """One line of figures a model."""
    original = firth.Corpus.build(source, min_count=args.min_count, progress=False, cache=args.cache)
    groups, controls = drawn_words(original, args.pseudowords, args.least, args.most, args.seed)
    corpus, names = merged(original, groups, args.cache)
    common = {"dim": args.dim, "window": args.window, "epochs": args.epochs, "sample": args.sample}
    lines = []
    for spec in args.models:
        senses, speed = trained(spec, corpus, common, args.seed, args.threads)
        if args.save:
            senses.save(args.save / f"{spec.replace(':', ',')}-{args.seed}.firth")
        figures = {**judged(senses, corpus, original, names, controls, args), "words/s": speed}
        lines.append(
            {"model": spec, "seed": args.seed, **{key: round(float(value), 4) for key, value in figures.items()}}
        )
        print(
            f"{spec:24}"
            + "".join(f"{figures[name]:14,.3f}" if name != "words/s" else f"{speed:14,.0f}" for name in FIGURES),
            flush=True,
        )
    return lines


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Models of senses on words that were merged.")
    parser.add_argument("text", nargs="?", help="a file of text; none with --toy")
    parser.add_argument("--toy", action="store_true", help="a small text made up of topics, and small models")
    parser.add_argument("--models", nargs="+", default=["sense-clusters", "mssg", "np-mssg", "adagram", "atoms"])
    parser.add_argument("--pseudowords", type=int, default=200, help="number of pseudowords and of control words")
    parser.add_argument("--least", type=int, default=300, help="minimum count of a merged or control word")
    parser.add_argument("--most", type=int, default=10_000, help="maximum count of a merged or control word")
    parser.add_argument("--occurrences", type=int, default=1000, help="maximum evaluated occurrences per pseudoword")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--dim", type=int)
    parser.add_argument("--window", type=int, default=5)
    parser.add_argument(
        "--context", type=int, default=10, help="context words on each side, for models without such an option"
    )
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--sample", type=float)
    parser.add_argument("--min-count", type=int, default=5)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--cache", help="folder of built corpora")
    parser.add_argument("--save", type=Path, help="folder to keep the trained senses in")
    parser.add_argument("--results", type=Path, help="file of JSON lines to add the figures to")
    args = parser.parse_args(arguments)
    if args.toy:
        parser.set_defaults(pseudowords=12, least=50, dim=40, epochs=5, sample=0.0, threads=1)
        args = parser.parse_args(arguments)
    elif args.text is None:
        parser.error("a text is missing; or pass --toy")
    print(f"{'':24}" + "".join(f"{name:>14}" for name in FIGURES))
    lines = []
    for seed in args.seeds:
        args.seed = seed
        lines += measure(toy_text(seed) if args.toy else [Path(args.text)], args)
    if args.results:
        with args.results.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps({**line, "version": firth.__version__}) + "\n" for line in lines)
    return lines


if __name__ == "__main__":
    main()
