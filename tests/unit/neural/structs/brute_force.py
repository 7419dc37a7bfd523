"""All structures of a small problem, one by one."""

import itertools
import math


def sequences(tags, transitions, first, last):
    """Each tag sequence of one text with its score; arguments are nested lists."""
    T, K = len(tags), len(first)
    for path in itertools.product(range(K), repeat=T):
        score = first[path[0]] + last[path[-1]] + sum(tags[t][path[t]] for t in range(T))
        yield path, score + sum(transitions[i][j] for i, j in itertools.pairwise(path))


def log_sum(scores):
    scores = list(scores)
    highest = max(scores)
    return highest + math.log(sum(math.exp(score - highest) for score in scores)) if highest > -math.inf else highest


def probabilities(structures):
    """Each structure with its probability."""
    every = list(structures)
    total = log_sum(score for _, score in every)
    return {structure: math.exp(score - total) for structure, score in every}


def segmentations(pieces, transitions, first, last):
    """Each segmentation of one sequence, as (end, length, label) less 1, with its score."""
    T, L, K = len(pieces), len(pieces[0]), len(first)
    for cuts in itertools.product((False, True), repeat=T - 1):
        ends = [t for t, cut in enumerate(cuts, start=1) if cut] + [T]
        lengths = [end - start for start, end in zip([0, *ends], ends, strict=False)]
        if max(lengths) > L:
            continue
        for labels in itertools.product(range(K), repeat=len(ends)):
            parts = tuple((end - 1, length - 1, k) for end, length, k in zip(ends, lengths, labels, strict=True))
            score = first[labels[0]] + last[labels[-1]] + sum(pieces[t][length][k] for t, length, k in parts)
            yield parts, score + sum(transitions[i][j] for i, j in itertools.pairwise(labels))


def trees(arcs, *, projective):
    """Each tree with one word below the root, as the heads of words 1 to n, with its score; `arcs` are nested lists."""
    n = len(arcs) - 1
    for heads in itertools.product(range(n + 1), repeat=n):
        if heads.count(0) == 1 and is_tree(heads) and (not projective or is_projective(heads)):
            yield heads, sum(arcs[head][word] for word, head in enumerate(heads, start=1))


def is_tree(heads):
    for word in range(1, len(heads) + 1):
        seen, at = set(), word
        while at:
            if at in seen:
                return False
            seen.add(at)
            at = heads[at - 1]
    return True


def is_projective(heads):
    arcs = [(min(head, word), max(head, word)) for word, head in enumerate(heads, start=1)]
    return not any(a < c < b < d for a, b in arcs for c, d in arcs)
