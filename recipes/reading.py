"""Answers to questions about paragraphs of Wikipedia (SQuAD 1.1): the attentive reader, BiDAF, and baselines.

Readers start from word vectors that are trained on text of yours, such as a dump of Wikipedia. Each is trained with
and without what it is known for: the attentive reader without the features that match question and paragraph, BiDAF
without attention. A tenth of the articles for training selects the epoch; the development articles are the test. Two
baselines of the paper of SQuAD stand beside them: the sentence and span with the most words of the question (sliding
window), and a logistic regression over all spans. The open domain asks the same questions of all paragraphs at once.

    python recipes/reading.py squad/ vectors wiki.txt -o vectors.firth
    python recipes/reading.py squad/ attentive --vectors vectors.firth -o attentive.firth     # 55 minutes
    python recipes/reading.py squad/ bidaf --vectors vectors.firth -o bidaf.firth
    python recipes/reading.py squad/ test attentive.firth bidaf.firth
    python recipes/reading.py squad/ baselines
    python recipes/reading.py squad/ open attentive.firth --vectors vectors.firth

The folder holds squad-train-v1.1.json.gz and squad-dev-v1.1.json.gz (Rajpurkar et al. 2016, CC BY-SA 4.0).
"""

import argparse
import random
import zlib
from collections import Counter
from pathlib import Path

import numpy as np

import firth
from firth.evaluation import score_answers
from firth.readers import read_questions
from firth.text import sentences_and_tokens, unicode_tokens

MODELS = {  # name: options, their learning rate
    "attentive": (firth.Reader, {}),
    "no-match": (firth.Reader, {"match": False}),
    "bidaf": (firth.BiDAF, {}),
    "to-question": (firth.BiDAF, {"attention": "to-question"}),
    "no-attention": (firth.BiDAF, {"attention": "none"}),
}
CANDIDATES = 8  # tokens of a span of the logistic regression, at most
FEATURES = 1 << 18
WH = {"who", "whom", "whose", "what", "which", "when", "where", "why", "how", "in", "many", "much"}


def arguments(given):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("squad", type=Path)
    parser.add_argument("what", choices=(*MODELS, "vectors", "test", "baselines", "open"))
    parser.add_argument("files", nargs="*", type=Path, help="text for vectors; readers to test")
    parser.add_argument("--vectors", type=Path, help="word vectors to start from; for open also to search with")
    parser.add_argument("--dim", type=int, default=100, help="width of word vectors")
    parser.add_argument("--hidden", type=int, default=96)
    parser.add_argument("--minutes", type=float, default=55)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--questions", type=int, help="use so many questions only")
    parser.add_argument("--precision", default="fp32")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-o", "--output", type=Path)
    return parser.parse_args(given)


def read(folder, part, count, seed=0):
    """The questions of a part of SQuAD, or some of them at random: whole paragraphs."""
    path = next(each for each in (folder / f"squad-{part}-v1.1.json{end}" for end in ("", ".gz")) if each.exists())
    questions = list(read_questions(path))
    if count is None:
        return questions
    paragraphs = sorted({each.paragraph for each in questions})
    random.Random(seed).shuffle(paragraphs)
    order = {text: number for number, text in enumerate(paragraphs)}
    return sorted(questions, key=lambda each: order[each.paragraph])[:count]


def train(args):
    kind, changes = MODELS[args.what]
    vectors = None if args.vectors is None else firth.load(args.vectors)
    options = kind(dim=args.dim, hidden=args.hidden, **changes)
    training = kind.training
    how = {"minutes": args.minutes, "epochs": args.epochs, "precision": args.precision}
    training = firth.TrainingOptions(**{**vars(training), **how})
    model = options.train(
        read(args.squad, "train", args.questions), vectors=vectors, training=training, seed=args.seed, progress=True
    )
    model.save(args.output)
    print(model.metadata["training"]["best"], flush=True)
    return model


def report(name, questions, answers):
    scores = score_answers(answers, [[each.text for each in question.answers] for question in questions])
    print(f"{name}: {scores}", flush=True)
    return scores


def test(args):
    questions = read(args.squad, "dev", args.questions)
    return {
        str(path): report(path.stem, questions, list(firth.load(path).predict(named(questions)).values()))
        for path in args.files
    }


def named(questions):
    """Questions with names of their own, for some of SQuAD's are not unique."""
    return [
        type(each)(each.question, each.paragraph, each.answers, str(number)) for number, each in enumerate(questions)
    ]


def open_domain(args):
    """The same questions of all paragraphs: five are read for each, found by words or by vectors."""
    questions = read(args.squad, "dev", args.questions)
    texts = sorted({each.paragraph for each in questions})
    indexes = {"TF-IDF": firth.TfidfIndex(texts, progress=False)}
    if args.vectors is not None:
        indexes["mean of word vectors"] = firth.TextIndex(firth.load(args.vectors), texts, progress=False)
    asked, found = [each.question for each in questions], {}
    for name, index in indexes.items():
        hits = [
            question.paragraph in [match.text for match in matches]
            for question, matches in zip(questions, index.search(asked, 5), strict=True)
        ]
        print(f"{name}: {100 * np.mean(hits):.1f} % of the right paragraphs among five", flush=True)
        for path in args.files:
            answers = firth.load(path).answer_from(asked, index, paragraphs=5, progress=True)
            found[path.stem, name] = report(f"{path.stem}, {name}", questions, [each.text for each in answers])
    return found


# Baselines


def spans_of(text):
    """Tokens of a text with their places, and the numbers of their sentences."""
    sentences = sentences_and_tokens(text)
    places = [place for sentence in sentences for place in sentence]
    return places, np.repeat(np.arange(len(sentences)), [len(each) for each in sentences])


def candidates(text):
    """Spans of at most eight tokens within a sentence that begin and end with a word: first and last token."""
    places, sentence = spans_of(text)
    word = [text[start].isalnum() for start, _ in places]
    return places, sentence, [
        (i, j)
        for i in range(len(places))
        for j in range(i, min(i + CANDIDATES, len(places)))
        if sentence[i] == sentence[j] and word[i] and word[j]
    ]  # fmt: skip


def sliding_window(question):
    """The answer of the sliding window (Richardson, Burges and Renshaw 2013): rare shared words near a span."""
    text = question.paragraph
    places, _, spans = candidates(text)
    words = [text[start:end].lower() for start, end in places]
    counts = Counter(words)
    asked = set(unicode_tokens(question.question))
    weight = np.array([np.log1p(1 / counts[word]) if word in asked else 0.0 for word in words])
    total = np.concatenate([[0.0], weight.cumsum()])
    reach = len(asked)

    def score(span):
        i, j = span
        near = total[min(j + 1 + reach, len(words))] - total[max(i - reach, 0)]
        inside = total[j + 1] - total[i]
        return near - 2 * inside  # words of the question are not in its answer

    if not spans:
        return ""
    i, j = max(spans, key=lambda span: (score(span), span[0] - span[1]))
    return text[places[i][0] : places[j][1]]


def shape(word):
    return "number" if word[:1].isdigit() else "name" if word[:1].isupper() else "word" if word.isalpha() else "mark"


def features(question):
    """Hashed features of each candidate span, after Rajpurkar et al. 2016, section 5.1, without syntax."""
    text = question.paragraph
    places, sentence, spans = candidates(text)
    words = [text[start:end] for start, end in places]
    lower = [word.lower() for word in words]
    asked = unicode_tokens(question.question)
    wh = " ".join([word for word in asked if word in WH][:2])
    counts, known = Counter(lower), set(asked)
    weight = np.array([1 / counts[word] if word in known else 0.0 for word in lower])
    in_sentence = np.bincount(sentence, weight, minlength=1)
    total = np.concatenate([[0.0], weight.cumsum()])
    rows = []
    for i, j in spans:
        left = lower[i - 1] if i and sentence[i - 1] == sentence[i] else "^"
        right = lower[j + 1] if j + 1 < len(words) and sentence[j + 1] == sentence[j] else "$"
        near = total[min(j + 6, len(words))] - total[j + 1] + total[i] - total[max(i - 5, 0)]
        kinds = " ".join(shape(word) for word in words[i : j + 1][:3])
        names = [
            f"sentence {min(int(2 * in_sentence[sentence[i]]), 12)}",
            f"near {min(int(2 * near), 8)}",
            f"inside {min(int(total[j + 1] - total[i]), 3)}",
            f"length {j - i} {wh}",
            f"kinds {kinds} {j - i} {wh}",
            f"left {left} {wh}",
            f"right {right} {wh}",
            f"asked left {left in known}",
            f"asked right {right in known}",
            f"first {lower[i]} {wh}",
            f"last {lower[j]} {wh}",
        ]
        rows.append([zlib.crc32(name.encode()) % FEATURES for name in names])
    return places, spans, np.array(rows, dtype=np.int64).reshape(-1, 11)


def logistic_regression(train_questions, test_questions, epochs=3):
    """Answers of a logistic regression over candidate spans: a softmax over the spans of each paragraph."""
    weights, squares = np.zeros(FEATURES), np.full(FEATURES, 1e-6)
    for epoch in range(epochs):
        for question in random.Random(epoch).sample(train_questions, len(train_questions)):
            places, spans, rows = features(question)
            answer = question.answers[0]
            right = [
                number
                for number, (i, j) in enumerate(spans)
                if places[i][0] == answer.start and places[j][1] == answer.end
            ]
            if not right:
                continue
            scores = weights[rows].sum(1)
            slope = np.exp(scores - scores.max())
            slope /= slope.sum()
            slope[right[0]] -= 1
            gradient = np.bincount(rows.ravel(), np.repeat(slope, rows.shape[1]), minlength=FEATURES)
            touched = np.unique(rows)
            squares[touched] += gradient[touched] ** 2
            weights[touched] -= 0.1 * gradient[touched] / np.sqrt(squares[touched])
    found = []
    for question in test_questions:
        places, spans, rows = features(question)
        i, j = spans[int(weights[rows].sum(1).argmax())] if spans else (0, 0)
        found.append(question.paragraph[places[i][0] : places[j][1]] if spans else "")
    return found


def baselines(args):
    train_questions = read(args.squad, "train", args.questions or 20_000)
    questions = read(args.squad, "dev", args.questions)
    return {
        "sliding window": report("sliding window", questions, [sliding_window(each) for each in questions]),
        "logistic": report("logistic regression", questions, logistic_regression(train_questions, questions)),
    }


def main(given=None):
    args = arguments(given)
    if args.what == "vectors":
        options = firth.Word2Vec(dim=args.dim, epochs=10)
        vectors = options.train(args.files[0], seed=args.seed, threads=1, progress=True)
        vectors.save(args.output)
        return vectors
    how = {"test": test, "open": open_domain, "baselines": baselines}
    return how.get(args.what, train)(args)


if __name__ == "__main__":
    main()
