"""Recommends items with word2vec on shopping baskets, play lists or walks on a graph.

An item is a word, a basket a sentence. The last item of each basket is held out. The recommendations are the items
nearest to the mean vector of the other items, and a hit is a held-out item among the first ten (hit-rate@10). The
baseline needs no model: the ten most popular items that are not in the basket.

    python recipes/item_recommendation.py baskets.jsonl    # one JSON list of items per line
    python recipes/item_recommendation.py                  # an artificial shop: real figures will differ
    python recipes/item_recommendation.py --toy            # the same, small: a few seconds

Three options differ from those for text. The window is as wide as the longest basket, as items have no order. There
is no subsampling: a shop has no function words. And the noise exponent is worth a search: Caselles-Dupre, Lesaint
and Royo-Letelier 2018, "Word2vec applied to recommendation: hyperparameters matter", find that the best one lies far
from the 0.75 of text, often below zero, and that it and the number of epochs matter most.
"""

import argparse
import json
import random
from collections import Counter
from pathlib import Path

import firth

TOP = 10


def read_baskets(path):
    with Path(path).open(encoding="utf-8") as file:
        return [list(map(str, json.loads(line))) for line in file if line.strip()]


def made_up_baskets(count, items, seed):
    """Baskets from an artificial shop: most items come from one department, popular items more often."""
    random_state = random.Random(seed)
    departments = 20
    size = items // departments
    favourites = [1 / (rank + 3) for rank in range(size)]
    baskets = []
    for _ in range(count):
        home = random_state.randrange(departments)
        basket = []
        for rank in random_state.choices(range(size), favourites, k=random_state.randint(3, 10)):
            department = home if random_state.random() < 0.8 else random_state.randrange(departments)
            basket.append(f"item {department * size + rank}")
        baskets.append(list(dict.fromkeys(basket)))
    return baskets


def evaluate(baskets, exponent, dim, epochs, seed):
    """Hold out the last item of each basket; return the hit-rates of the model and of popularity, in percent."""
    baskets = [basket for basket in baskets if len(basket) > 2]
    training, held_out = [basket[:-1] for basket in baskets], [basket[-1] for basket in baskets]

    corpus = firth.Corpus.build(training, min_count=1, progress=False)
    model = firth.Word2Vec(
        dim=dim,
        window=max(map(len, training)),
        shrink_windows=False,
        sample=0,
        noise_exponent=exponent,
        epochs=epochs,
        lr=0.05,
    )
    vectors = model.train(corpus, seed=seed, progress=False)
    answers = vectors.most_similar(training, topn=TOP)  # a batch; a query's own items are excluded
    hits = sum(item in dict(recommended) for item, recommended in zip(held_out, answers, strict=True))

    popular = [
        item for item, _ in Counter(item for basket in training for item in basket).most_common(TOP + model.window)
    ]
    favourites = [[item for item in popular if item not in basket][:TOP] for basket in training]
    guesses = sum(item in recommended for item, recommended in zip(held_out, favourites, strict=True))
    return 100 * hits / len(training), 100 * guesses / len(training)


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Item recommendation by word2vec, beside popularity.")
    parser.add_argument("baskets", nargs="?", help="a file with a JSON list of items a line")
    parser.add_argument("--dim", type=int, default=50)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--toy", action="store_true", help="a small shop that is made up")
    args = parser.parse_args(arguments)
    if args.baskets:
        baskets = read_baskets(args.baskets)
    else:
        baskets = made_up_baskets(2_000 if args.toy else 30_000, 400 if args.toy else 2_000, args.seed)
        print(f"{len(baskets):,} made-up baskets")
    print(f"hit-rate@{TOP}, percent; by noise exponent")
    best = 0.0
    for exponent in (-0.5, 0.0, 0.75):
        hits, popularity = evaluate(baskets, exponent, args.dim, args.epochs, args.seed)
        best = max(best, hits)
        print(f"  {exponent:5}  {hits:5.1f}")
    print(f"popularity  {popularity:5.1f}")
    return best, popularity


if __name__ == "__main__":
    main()
