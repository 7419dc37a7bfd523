"""Discourse atoms: are the senses of a word among the atoms that its vector is a sum of?

On average every second occurrence of two or three words of similar frequency is replaced by a pseudoword. Its expected
senses are thus known, and its sources keep their own vectors. A pseudoword is recovered if each of its sources
is among the neighbours of one of its atoms: the so many words, of those that atoms were learned from, that are nearest
to it. Beside it stand the word's own neighbours, without atoms, as many as all its atoms have together; and how many
pseudowords have two senses or more, and how many plain words of like frequencies keep one, as the least share of an
atom that counts as a sense is raised.

    python recipes/discourse_atoms.py wiki.txt --seeds 0 1 2
    python recipes/discourse_atoms.py --toy
"""

import argparse
import json
import time

import numpy as np

import firth
from firth.corpus import derive

NEIGHBOURS = (20, 50, 100, 200)
FLOORS = (0.1, 0.15, 0.2, 0.25, 0.3)


def toy_text(seed, topics=40, words=15, sentences=8000):
    """Sentences of ten words, each of one topic; every word belongs to one."""
    random = np.random.default_rng(seed)
    return [
        [f"t{topic}w{word}" for word in random.integers(0, words, 10)]
        for topic in random.integers(0, topics, sentences)
    ]


def drawn_words(corpus, count, least, most, seed):
    """Groups of two and of three words, half and half, and as many words to be left alone, all of like frequencies."""
    words, counts = corpus.vocabulary.words, np.asarray(corpus.vocabulary.counts)
    usable = [
        i for i in np.flatnonzero((counts >= least) & (counts <= most)) if words[i].isalnum() and len(words[i]) > 2
    ]
    free = np.random.default_rng(seed).permutation(usable).tolist()
    groups = []
    while len(groups) < count:
        group = [free.pop()]
        for i in range(len(free) - 1, -1, -1):
            if len(group) == 2 + (len(groups) >= count / 2):
                break
            if all(0.5 <= counts[free[i]] / counts[one] <= 2 for one in group):
                group.append(free.pop(i))
        groups.append(group)
    return groups, free[:count]


def merged(corpus, groups, seed, cache):
    """The corpus with half of the groups' words written as one, and what these are called."""
    names = ["_".join(corpus.vocabulary.words[i] for i in group) for group in groups]
    words = [*corpus.vocabulary.words, *names]
    pseudoword_of = np.full(len(corpus.vocabulary), -1)
    for number, group in enumerate(groups):
        pseudoword_of[group] = len(corpus.vocabulary) + number
    random = np.random.default_rng(seed)

    def blocks(sentences=20_000):
        counts = np.zeros(len(words), dtype=np.int64)
        for start in range(0, len(corpus), sentences):
            ends = corpus.offsets[start : start + sentences + 1]
            ids = np.array(corpus.ids[ends[0] : ends[-1]])
            replaced = (pseudoword_of[ids] >= 0) & (random.random(len(ids)) < 0.5)
            ids[replaced] = pseudoword_of[ids[replaced]]
            counts += np.bincount(ids, minlength=len(words))
            yield np.insert(ids, ends[1:] - ends[0], -1).astype(np.int32), counts

    return derive(corpus, words, blocks(), min_count=1, max_size=None, cache=cache), names


def recovered(atoms, names, sources):
    """Which pseudowords have all their sources among so many neighbours of their atoms; and of the word itself."""
    rows = {}
    for name, expected in zip(names, sources, strict=True):
        senses = atoms.senses(name, topn=max(NEIGHBOURS))
        plain = [
            word for word, _ in atoms.vectors.first(atoms.train_words).most_similar(atoms.vectors[name], topn=1001)
        ]
        for most in NEIGHBOURS:
            near = {word for sense in senses for word, _ in sense.words[:most]}
            own = set(plain[: most * len(senses) + 1])
            rows.setdefault(most, []).append((near.issuperset(expected), own.issuperset(expected)))
    return {most: np.mean(each, axis=0) for most, each in rows.items()}


def measure(source, seed, args):
    """The figures of one seed."""
    original = firth.Corpus.build(source, progress=False, cache=args.cache)
    groups, plain = drawn_words(original, args.pseudowords, args.least, args.most, seed)
    corpus, names = merged(original, groups, seed, args.cache)
    sources = [[original.vocabulary.words[i] for i in group] for group in groups]
    vectors = firth.Word2Vec(dim=args.dim).train(corpus, seed=seed, threads=args.threads, progress=False)
    began = time.perf_counter()
    learning = firth.DiscourseAtoms(atoms=args.atoms, words=args.words)
    atoms = learning.fit(vectors, seed=seed, threads=args.threads, progress=False)
    figures = {"seed": seed, "tokens": corpus.num_tokens, "words": len(vectors), "pseudowords": len(names)}
    figures |= {
        "left": round(atoms.vectors.metadata["senses"]["left"], 4),
        "seconds": round(time.perf_counter() - began, 1),
    }
    for kind in (2, 3):
        some = [i for i, group in enumerate(groups) if len(group) == kind]
        each = recovered(atoms, [names[i] for i in some], [sources[i] for i in some])
        figures[f"of-{kind}"] = {most: round(float(share), 3) for most, (share, _) in each.items()}
        figures[f"of-{kind}-without-atoms"] = {most: round(float(share), 3) for most, (_, share) in each.items()}
    figures["all"] = {most: round((figures["of-2"][most] + figures["of-3"][most]) / 2, 3) for most in NEIGHBOURS}
    places = [atoms.vectors.key_to_index[name] for name in names]
    controls = [atoms.vectors.key_to_index[original.vocabulary.words[i]] for i in plain]
    figures["two-or-more"] = {floor: round(float((atoms.num_senses(floor)[places] > 1).mean()), 3) for floor in FLOORS}
    figures["controls-one"] = {
        floor: round(float((atoms.num_senses(floor)[controls] == 1).mean()), 3) for floor in FLOORS
    }
    return figures


def table(lines):
    """The figures as a table, one column a seed."""
    rows = [("figure", *(f"seed {line['seed']}" for line in lines))]
    for name in ("of-2", "of-2-without-atoms", "of-3", "of-3-without-atoms", "all", "two-or-more", "controls-one"):
        rows += [(f"{name} @ {key}", *(f"{line[name][key]:.3f}" for line in lines)) for key in lines[0][name]]
    return "\n".join("| " + " | ".join(row) + " |" for row in [rows[0], ("---", *["---:"] * len(lines)), *rows[1:]])


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", nargs="?", help="a file of text; none with --toy")
    parser.add_argument("--toy", action="store_true", help="a small text made up of topics")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--pseudowords", type=int, default=200)
    parser.add_argument("--least", type=int, default=400, help="times that a source occurs")
    parser.add_argument("--most", type=int, default=5000)
    parser.add_argument("--atoms", type=int, default=2000)
    parser.add_argument("--words", type=int, default=20_000, help="that atoms are learned from")
    parser.add_argument("--dim", type=int, default=100)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--cache", help="folder of built corpora")
    parser.add_argument("--json", action="store_true", help="one object a seed instead of a table")
    args = parser.parse_args(arguments)
    if args.toy:
        args.pseudowords, args.least, args.atoms, args.dim, args.threads = 30, 1, 50, 30, 1
    elif not args.text:
        parser.error("expected a text, or --toy")
    lines = []
    for seed in args.seeds:
        lines.append(measure(toy_text(seed) if args.toy else args.text, seed, args))
        if args.json:
            print(json.dumps(lines[-1]), flush=True)
    if not args.json:
        print(table(lines))
    return lines


if __name__ == "__main__":
    main()
