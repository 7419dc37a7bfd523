"""Questions about sentences: a summarizer that writes the question whose answer is marked, on SQuAD 1.1.

A source is the sentence that holds an answer, with marks around the answer; the target is the question. The questions
of the last articles select the epoch, those of the development set are the test. Questions are scored by BLEU and
ROUGE-L beside the sentence itself, which shares many of their words.

    python recipes/questions.py squad-train-v1.1.json.gz squad-dev-v1.1.json.gz -o questions.firth      # 25 minutes
    python recipes/questions.py squad-train-v1.1.json.gz squad-dev-v1.1.json.gz --set copying=false coverage=false
    python recipes/questions.py squad-train-v1.1.json.gz squad-dev-v1.1.json.gz --model questions.firth --show 20

The two files are train-v1.1.json and dev-v1.1.json of https://rajpurkar.github.io/SQuAD-explorer, plain or gzipped.
"""

import argparse
import gzip
import json
import time
from dataclasses import replace
from pathlib import Path

import firth
from firth.text import sentence_spans

BEGIN, END = "⟦", "⟧"  # around the answer; SQuAD does not have them
HELD_OUT = 20  # articles
METRICS = ("bleu", "rouge-l", "copied", "words")


def arguments(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("train", type=Path)
    parser.add_argument("test", type=Path)
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE", help="other options of the summarizer")
    parser.add_argument("--minutes", type=float, default=25)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--precision", default="fp32")
    parser.add_argument("--pairs", type=int, help="use so many questions of each part only")
    parser.add_argument("--model", type=Path, help="a saved model to score, in place of training")
    parser.add_argument("--show", type=int, default=5, help="questions of the test to print")
    parser.add_argument("-o", "--output", type=Path)
    return parser.parse_args(argv)


def articles(path):
    """The articles of a file of SQuAD."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        return json.load(file)["data"]


def marked(text, spans, start, end):
    """The sentence, or sentences, around an answer, with marks; None of an answer that is not within them."""
    around = [span for span in spans if span[0] < end and span[1] > start]
    if not around or around[0][0] > start or around[-1][1] < end:
        return None
    first, last = around[0][0], around[-1][1]
    return f"{text[first:start]}{BEGIN} {text[start:end]} {END}{text[end:last]}"


def questions(path_articles):
    """Pairs of a marked sentence and a question; of an answer that occurs several times, its first place is marked."""
    pairs = []
    for article in path_articles:
        for paragraph in article["paragraphs"]:
            text = paragraph["context"]
            spans = sentence_spans(text)
            for asked in paragraph["qas"]:
                answer = asked["answers"][0]
                start = answer["answer_start"]
                source = marked(text, spans, start, start + len(answer["text"]))
                if source is not None:
                    pairs.append((" ".join(source.split()), " ".join(asked["question"].split())))
    return pairs


def unmarked(source):
    """A sentence without its marks."""
    return source.replace(f"{BEGIN} ", "").replace(f" {END}", "")


def value(text):
    """The value of an option as it is written on the command line."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def train(args, pairs, held_out):
    how = {name: value(text) for name, text in (each.split("=", 1) for each in args.set)}
    summarizer = firth.Summarizer(**{"coverage": False, **how})
    training = replace(
        summarizer.training, minutes=args.minutes, epochs=args.epochs, precision=args.precision, batch_size=64
    )
    model = summarizer.train(pairs, held_out=held_out, training=training)
    facts = model.metadata["training"]
    print(json.dumps({name: facts[name] for name in ("pairs", "target_tokens", "seconds", "best")}), flush=True)
    if args.output:
        model.save(args.output)
    return model


def score(args, model, pairs):
    """BLEU and ROUGE-L of greedy search and of beam search beside the sentences themselves."""
    sources, references = zip(*pairs, strict=True)
    systems = {"sentence": [unmarked(source) for source in sources]}
    for beam in (1, 4):
        began = time.process_time()
        systems[f"beam {beam}"] = [
            str(each)
            for each in model.summarize(list(sources), beam=beam, options=firth.GenerationOptions(max_length=30))
        ]
        print(f"beam={beam}, {time.process_time() - began:.1f} s", flush=True)
    lower = [text.lower() for text in references]
    plain = [unmarked(source).lower() for source in sources]
    print(firth.evaluate_generated(systems, lower, sources=plain, metrics=METRICS, lowercase=True))
    for row in range(min(args.show, len(pairs))):
        print(f"\n{sources[row]}\n  asked:   {references[row]}\n  written: {systems['beam 4'][row]}")


def main(argv=None):
    args = arguments(argv)
    test = questions(articles(args.test))[: args.pairs]
    if args.model:
        model = firth.load(args.model)
    else:
        given = articles(args.train)
        pairs, held_out = (questions(part)[: args.pairs] for part in (given[:-HELD_OUT], given[-HELD_OUT:]))
        print(f"train: {len(pairs):,} questions, held_out: {len(held_out):,}, test: {len(test):,}", flush=True)
        model = train(args, pairs, held_out)
    score(args, model, test)


if __name__ == "__main__":
    main()
