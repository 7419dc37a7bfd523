"""Answers of a model of dialogue, trained on novels, under each control of decoding.

A paragraph of direct speech followed by another one is a pair of turns: a prompt and its answer. What stands between
the quotation marks of a paragraph is its turn, so that "said he" is left out; narration between two paragraphs ends a
conversation. The marks of each novel are found: double or single, straight or curly. Whole novels are held out.

A translator learns to answer. The table has a row per control: how likely the answers are to the model, how varied they
are, how often they repeat themselves, how many are one of the five most frequent answers, and the same of what people
in the novels said. Mutual information (Li et al. 2016, MMI-bidi) ranks beams by log p(answer | prompt) + log p(prompt |
answer), for which a second translator learns to guess the prompt. Minimum Bayes risk selects the sample that shares
most words with the others.

    python recipes/dialogue.py --pairs turns.tsv                    # only the pairs, of LitBank's novels in FIRTH_DATA
    python recipes/dialogue.py -o models --minutes 14 --backward-minutes 7 --tagger tagger.firth --table dialogue.md
    python recipes/dialogue.py --text books/*.txt -o models
    python recipes/dialogue.py --toy
"""

import argparse
import itertools
import json
import os
import random
import re
import tarfile
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

import firth

MAX_WORDS = 20  # of an answer, with punctuation; of a prompt its last 30 are kept
MAX_PROMPT = 30
ALL = 1 << 30  # top_k: plain sampling
METRICS = ("distinct-1", "distinct-2", "entropy-2", "text-entropy", "tag-entropy-3", "repeated-3", "top-5", "words")
# For each style the opening mark and the closing one. A single mark closes only behind punctuation, since it is an
# apostrophe, too, and a straight one opens only at the start of a word.
_BEHIND = r"(?<=[.,!?;:—\-…)])"
STYLES = {
    "double": ('"', '"'),
    "curly": ("“", "”"),
    "single": (r"(?<!\w)'(?=\w|—|-)", rf"{_BEHIND}'(?!\w)"),
    "curly single": ("‘", rf"{_BEHIND}’(?!\w)"),
}
_PASSAGE = {name: re.compile(f"(?:{opening})(.+?)(?:({closing})|$)") for name, (opening, closing) in STYLES.items()}
_START = {name: re.compile(opening) for name, (opening, _) in STYLES.items()}
PLAIN = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'", "—": " - ", "–": " - ", "…": "..."})
_TOKEN = re.compile(r"'?\w+(?:['.-]\w+)*|\.{3}|[^\w\s]")


def novels():
    """The hundred novels of LitBank, from the folder of public data, by name."""
    with tarfile.open(Path(os.environ["FIRTH_DATA"]) / "books" / "litbank-novels.tar.gz") as archive:
        for member in archive:
            if member.name.startswith("original/") and member.name.endswith(".txt"):
                yield Path(member.name).stem, archive.extractfile(member).read().decode("utf-8", "replace")


def paragraphs(text):
    """Paragraphs, each on one line, without the marks of emphasis."""
    text = text.replace("_", "").replace("--", "—")
    return [" ".join(each.split()) for each in re.split(r"\n\s*\n", text) if each.strip()]


def style_of(parts):
    """The style of quotation that starts most paragraphs."""
    counts = {name: sum(bool(start.match(each)) for each in parts) for name, start in _START.items()}
    return max(counts, key=counts.get)


def spoken(part, style):
    """What is said in a paragraph, and whether it goes on in the next one; nothing for narration.

    A paragraph is spoken if it starts or ends with a quotation: words in quotation marks inside narration are mostly
    titles, or irony.
    """
    found = list(_PASSAGE[style].finditer(part))
    if not found or (found[0].start() > 0 and found[-1].end() < len(part)):
        return "", False
    return " ".join(each[1].strip() for each in found), found[-1][2] is None


def conversations(text):
    """Lists of turns in neighbouring paragraphs. A speech of several paragraphs is one turn."""
    parts, current, open_ended = paragraphs(text), [], False
    style = style_of(parts)
    for part in parts:
        turn, goes_on = spoken(part, style)
        if turn and open_ended and _START[style].match(part):
            current[-1] += " " + turn
        elif turn:
            current.append(turn)
        elif current:
            yield current
            current = []
        open_ended = goes_on
    if current:
        yield current


def plain(turn):
    """A turn in lower case, with straight marks and with spaces between words and punctuation; it ends no clause."""
    return " ".join(_TOKEN.findall(re.sub(r"[,;:\s—–-]+$", ".", turn).translate(PLAIN).lower()))


def pairs_of(text):
    """Pairs of a prompt, of which the last words are kept, and a short answer, without repetitions."""
    pairs = {}
    for turns in conversations(text):
        lines = [plain(turn) for turn in turns]
        for prompt, answer in itertools.pairwise(lines):
            prompt = " ".join(prompt.split()[-MAX_PROMPT:])
            if len(answer.split()) <= MAX_WORDS and re.search("[a-z]", prompt) and re.search("[a-z]", answer):
                pairs[prompt, answer] = None
    return list(pairs)


def parts_of(texts, seed):
    """Pairs of training, development and test novels; no pair is in two parts."""
    names = sorted(texts)
    random.Random(seed).shuffle(names)
    tests, judges = max(1, len(names) // 10), max(1, len(names) // 20)
    names = {"test": names[:tests], "development": names[tests : tests + judges], "training": names[tests + judges :]}
    parts, known = {}, set()
    for part in ("training", "development", "test"):
        pairs = dict.fromkeys(pair for name in names[part] for pair in pairs_of(texts[name]))
        parts[part] = [pair for pair in pairs if pair not in known]
        known |= pairs.keys()
        print(f"{part}: {len(parts[part]):,} pairs of {len(names[part])} novels", flush=True)
    return parts


def toy_novels(seed, novels=20):
    """Novels in which people ask for the colour of a thing; half of the answers are that they do not know."""
    numbers, texts = random.Random(seed), {}
    colours = ["red", "green", "blue", "black", "white", "brown", "grey", "pink"]
    for number in range(novels):
        lines = []
        for _ in range(60):
            thing, place = numbers.randrange(8), numbers.randrange(200)
            colour = colours[(thing + numbers.randrange(3)) % 8]
            answer = numbers.choice(["I do not know.", f"The thing{thing} is {colour}."])
            lines += [f"“What is thing{thing} of place{place}?” said he.", f"“{answer}”", "They were silent."]
        texts[f"novel {number}"] = "\n\n".join(lines)
    return texts


@dataclass(frozen=True)
class Speaker:
    """A model that answers, one that guesses the prompt of an answer, if there is one, and how they are used."""

    forward: object
    backward: object
    seed: int
    candidates: int

    def __call__(self, prompts, beams=1, *, normalisation="mean", **options):
        """The best answers."""
        search = firth.BeamSearch(beams=beams, length_normalisation=normalisation)
        return [found[0].text for found in self._found(prompts, search, 1, options)]

    def any_of(self, prompts, beams, **search):
        """One of the answers of a beam search, at random."""
        numbers = random.Random(self.seed)
        found = self._found(prompts, firth.BeamSearch(beams=beams, **search), beams, {})
        return [numbers.choice(each).text for each in found]

    def least_risk(self, prompts):
        """Of samples, the one that shares most words with the others."""
        samples = [replace(self, seed=seed)(prompts, top_k=ALL) for seed in range(self.candidates)]
        return [firth.minimum_bayes_risk(each, shared_words)[0].text for each in zip(*samples, strict=True)]

    def mutual_information(self, prompts):
        """Of the answers of a beam search, the one from which the prompt can be guessed best."""
        search = firth.BeamSearch(beams=self.candidates)
        found = [[each for each in some if each.text] for some in self._found(prompts, search, self.candidates, {})]
        pairs = [(each.text, prompt) for prompt, some in zip(prompts, found, strict=True) for each in some]
        scores = iter(self.backward.score(pairs).tolist())
        return [max(some, key=lambda each: each.log_prob + next(scores)).text if some else "" for some in found]

    def _found(self, prompts, search, n_best, options):
        """Answers of each prompt, best first."""
        found = self.forward.translate(
            prompts,
            beam=search,
            n_best=n_best,
            options=firth.GenerationOptions(max_length=2 * MAX_WORDS, **options),
            seed=self.seed,
            progress=None,
        )
        return [[each, *each.others] for each in found]


CONTROLS = {
    "greedy": lambda speaker, prompts: speaker(prompts),
    "5 beams": lambda speaker, prompts: speaker(prompts, 5),
    "20 beams": lambda speaker, prompts: speaker(prompts, 20),
    "5 beams, by their sums": lambda speaker, prompts: speaker(prompts, 5, normalisation="none"),
    "5 beams, at least 8 tokens": lambda speaker, prompts: speaker(prompts, 5, min_length=8),
    "5 beams, no pair of tokens twice": lambda speaker, prompts: speaker(prompts, 5, no_repeat_ngram=2),
    "5 beams, repetition penalty 1.5": lambda speaker, prompts: speaker(prompts, 5, repetition_penalty=1.5),
    "any of 10 beams": lambda speaker, prompts: speaker.any_of(prompts, 10),
    "any of 10 diverse beams": lambda speaker, prompts: speaker.any_of(prompts, 10, groups=10, diversity_penalty=1.0),
    "sampling": lambda speaker, prompts: speaker(prompts, top_k=ALL),
    "temperature 0.7": lambda speaker, prompts: speaker(prompts, temperature=0.7),
    "temperature 0.4": lambda speaker, prompts: speaker(prompts, temperature=0.4),
    "top-k, 20": lambda speaker, prompts: speaker(prompts, top_k=20),
    "nucleus, 0.9": lambda speaker, prompts: speaker(prompts, top_p=0.9),
    "minimum Bayes risk": lambda speaker, prompts: speaker.least_risk(prompts),
    "mutual information": lambda speaker, prompts: speaker.mutual_information(prompts),
}


def shared_words(one, other):
    """F1 of the words of two answers."""
    words, others = Counter(one.split()), Counter(other.split())
    return 2 * (words & others).total() / max(1, words.total() + others.total())


def loss_per_word(model, prompts, answers):
    """Negative log-likelihood of the answers that are not empty, in nats per word, their ends included."""
    pairs = [pair for pair in zip(prompts, answers, strict=True) if pair[1]]
    return -float(model.score(pairs).sum()) / sum(len(answer.split()) + 1 for _, answer in pairs)


def tags_by(tagger):
    """Function from texts to the tags of each."""
    return lambda texts: [each.tags[tagger.targets[0]] for each in tagger.predict(list(texts))]


def judge(speaker, pairs, tagger=None):
    """Answers of each control, and a row of figures of each, people first."""
    prompts = [prompt for prompt, _ in pairs]
    answers = {"people": [answer for _, answer in pairs]}
    for name, control in CONTROLS.items():
        if speaker.backward is not None or not name.startswith("mutual"):
            answers[name] = control(speaker, prompts)
            print(f"{name}: {answers[name][0]}", flush=True)
    metrics = [name for name in METRICS if tagger is not None or not name.startswith("tag")]
    tags = None if tagger is None else tags_by(tagger)
    report = firth.evaluate_generated(answers, metrics=metrics, tags=tags)
    rows = {name: {"loss": loss_per_word(speaker.forward, prompts, each)} for name, each in answers.items()}
    for row in report.rows:
        rows[row.vectors] |= {row.metric: row.value, f"{row.metric} interval": [row.low, row.high]}
    return answers, rows


def table_of(rows, prompts, answers, shown):
    """The figures and a few answers, in Markdown."""
    columns = [name for name in next(iter(rows.values())) if not name.endswith("interval")]
    lines = ["| answers of | " + " | ".join(columns) + " |", "|---|" + "---|" * len(columns)]
    lines += ["| " + " | ".join([name, *(f"{row[one]:.3f}" for one in columns)]) + " |" for name, row in rows.items()]
    for number in range(shown):
        lines += ["", f"**{prompts[number]}**", "", "| | |", "|---|---|"]
        lines += [f"| {name} | {each[number]} |" for name, each in answers.items()]
    return "\n".join(lines) + "\n"


def kept(path, make):
    """The model at a path, made and saved if there is none."""
    if path is not None and path.exists():
        return firth.load(path)
    model = make()
    if path is not None:
        model.save(path)
    return model


def trained(args, parts, backward):
    """The model that answers, or the one that guesses prompts."""
    name = "backward" if backward else "forward"
    minutes = args.backward_minutes if backward else args.minutes

    def make():
        options = firth.Translator(
            joint=True,
            target_size=args.units,
            tie_weights="all",
            input_feeding=False,
            hidden=args.hidden,
            dropout=args.dropout,
            label_smoothing=0.0,
        )
        training = replace(options.training, minutes=minutes, epochs=args.epochs, lr=args.lr)
        if args.toy:
            training = replace(training, batch_size=16, warmup=20)
        pairs, judged = ([pair[::-1] if backward else pair for pair in parts[of]] for of in ("training", "development"))
        path = args.output and Path(args.output) / f"{name}.state"
        return options.train(pairs, held_out=judged, training=training, seed=args.seed, checkpoint=path)

    return kept(args.output and Path(args.output) / name, make)


def main(argv=None):
    """Make pairs, train, answer and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--toy", action="store_true", help="a toy language; seconds")
    parser.add_argument("--text", nargs="+", help="files of novels, one each; by default LitBank's in FIRTH_DATA")
    parser.add_argument("--pairs", help="write the training pairs to this file, and train nothing")
    parser.add_argument("-o", "--output", help="folder of the models; those found there are not trained again")
    parser.add_argument("--minutes", type=float, help="limit of the training")
    parser.add_argument("--backward-minutes", type=float, help="of the model for mutual information; 0 for none")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--units", type=int, default=5000, help="number of subwords")
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--dropout", type=float, default=0.3)
    parser.add_argument("--lr", type=float, default=0.001)
    parser.add_argument("--test", type=int, default=1000, help="prompts to answer")
    parser.add_argument("--candidates", type=int, default=20, help="samples or beams that are ranked anew")
    parser.add_argument("--tagger", help="a tagger of parts of speech, for their patterns")
    parser.add_argument("--results", help="file that the rows are written to, as JSON")
    parser.add_argument("--table", help="file that the table is written to")
    parser.add_argument("--show", type=int, default=3, help="prompts whose answers the table shows")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args(argv)
    if args.toy:
        args.units, args.hidden, args.epochs, args.lr, args.test = 400, 32, 6, 0.01, 60
        texts = toy_novels(args.seed)
    elif args.text:
        texts = {path: Path(path).read_text(encoding="utf-8") for path in args.text}
    else:
        texts = dict(novels())
    parts = parts_of(texts, args.seed)
    if args.pairs:
        lines = "".join(f"{prompt}\t{answer}\n" for prompt, answer in parts["training"])
        Path(args.pairs).write_text(lines, encoding="utf-8")
        return parts
    forward = trained(args, parts, backward=False)
    backward = None if args.backward_minutes == 0 else trained(args, parts, backward=True)
    pairs = random.Random(args.seed).sample(parts["test"], min(args.test, len(parts["test"])))
    tagger = firth.load(args.tagger) if args.tagger else None
    answers, rows = judge(Speaker(forward, backward, args.seed, args.candidates), pairs, tagger)
    table = table_of(rows, [prompt for prompt, _ in pairs], answers, args.show)
    print(table)
    if args.table:
        Path(args.table).write_text(table, encoding="utf-8")
    if args.results:
        lines = "".join(json.dumps({"control": name, **row}) + "\n" for name, row in rows.items())
        Path(args.results).write_text(lines, encoding="utf-8")
    return rows


if __name__ == "__main__":
    main()
