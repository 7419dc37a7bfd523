"""context2vec beside skip-gram vectors of the same corpus: substitutes of words in their sentences.

Trains both on the same text, and ranks the candidates of a lexical substitution set (LST-07) with both: generalised
average precision with intervals. Skip-gram vectors rank by the mean of the cosines with the words around, the word
itself among them (add) and in other ways; see `firth.evaluation.substitution`.

    python recipes/context2vec.py TEXT... --gold lst_all.gold --minutes 20 --precision bf16 -o c2v.firth
"""

import argparse
import json
from pathlib import Path

import firth

SHOWN = (
    "the sun was very [] that day",
    "she is a very [] student",
    "they [] the meeting because of the storm",
    "the [] of the river was covered with grass",
    "the [] refused to lend them more money",
)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", nargs="+")
    parser.add_argument("--gold", nargs="+", default=["lst-07"], help="sets of lexical substitution")
    parser.add_argument("--dim", type=int, default=300)
    parser.add_argument("--hidden", type=int, default=300)
    parser.add_argument("--max-size", type=int, default=50_000, help="vocabulary size")
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=40)
    parser.add_argument("--lr", type=float, default=0.001)
    parser.add_argument("--precision", default="fp32")
    parser.add_argument("--threads", type=int, default=1, help="for the skip-gram vectors")
    parser.add_argument("--model", type=Path, help="a saved model, in place of training")
    parser.add_argument("-o", "--output", type=Path)
    args = parser.parse_args()
    corpus = firth.Corpus.build(args.corpus, unknown="<unk>", max_size=args.max_size, sentences="punctuation")
    print(f"{corpus.num_tokens:,} words, {len(corpus):,} sentences", flush=True)
    static = firth.Word2Vec(architecture="skipgram", dim=args.dim, window=5, negative=10, epochs=3).train(
        corpus, threads=args.threads, progress=False
    )
    gold = args.gold
    print(firth.evaluate({"skip-gram": static}, suites={"substitution": gold}), flush=True)
    model = firth.load(args.model) if args.model else train(args, corpus)
    for sentence in SHOWN:
        print(sentence, ", ".join(word for word, _ in model.substitutes(sentence, n=8)), sep=": ")
    print(model.test(gold), flush=True)


def train(args, corpus):
    options = firth.Context2Vec(dim=args.dim, hidden=args.hidden)
    training = firth.TrainingOptions(
        epochs=args.epochs, minutes=args.minutes, lr=args.lr, precision=args.precision, batch_size=64, optimiser="adam",
        schedule="linear", warmup=200, clip_norm=5.0,
    )  # fmt: skip
    model = options.train(corpus, training=training)
    facts = model.metadata["training"]
    print(json.dumps({name: facts[name] for name in ("sentences", "seconds", "best")}), flush=True)
    if args.output:
        model.save(args.output)
    return model


if __name__ == "__main__":
    main()
