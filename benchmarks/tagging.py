"""Speed of taggers in words per second, on one thread: training and prediction.

    python -m benchmarks.tagging FILE                measure, and write results/tagging/speed.jsonl and speed.md
    python -m benchmarks.tagging FILE --flair        with flair, which must be importable
    python -m benchmarks.tagging --table             write the table again from the runs on disk

FILE holds columns, such as those of CoNLL-2002. Contenders take turns in each round. All are BiLSTM-CRFs of one size:
word vectors of 100, characters by LSTMs of 25 in each direction, LSTMs of 200, BIOES tags, batches of 16, and Adam.
"""

import argparse
import importlib.util
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from benchmarks.turns import Contender, SpeedTable, counting
from firth.neural.models.tagging.data import TaggedExamples, encoded, read_tagged, tag_batches
from firth.neural.models.tagging.predict import TaggerModel
from firth.neural.models.tagging.tag_set import TagSet, learn_tag_set
from firth.neural.models.tagging.tagger import Tagger
from firth.neural.models.tokens.reader import TokenInputs, TokenReader, learn_token_reader, words_of
from firth.neural.training.devices import new_module
from firth.neural.training.optimisers import make_optimiser
from firth.neural.training.row_updates import sparse_gradients
from firth.readers.span_tags import spans_of

RESULTS = Path(__file__).parent / "results" / "tagging"
BATCH, SENTENCES, ROUNDS, LR = 16, 640, 5, 0.001
OPTIONS = Tagger(
    targets="ner", characters="lstm", char_dim=25, char_width=25, extra_words=0, word_dropout=0.0, hidden=200,
    spelling=False,
)  # fmt: skip
Jobs = tuple[Callable[[], object], Callable[[], object]]  # training on all sentences, prediction of all

PYTORCH = "PyTorch, pytorch-crf"
LEGEND = """BiLSTM-CRF: word vectors of 100, characters by LSTMs of 25, LSTMs of 200, BIOES tags; {sentences} sentences,
{batch} to a batch, Adam; one thread, float32, in processor time. Contenders take turns; a figure is the median of
{rounds} rounds (least - greatest). "Ratio" is firth to the contender, the median over rounds. Written by `python -m
benchmarks.tagging`.

{machine}; torch {torch}.
"""
TABLE = SpeedTable(
    title="# Taggers: words a second",
    legend=LEGEND,
    unit="words",
    columns={"job": "", "contender": "contender"},
    other=lambda names: (names[0], "firth"),
    inverse=True,
)


def firth_jobs(examples: TaggedExamples, reader: TokenReader, known: TagSet) -> Jobs:
    """Training and prediction as firth does them."""
    module = new_module(0, OPTIONS.build, reader, [known])
    items = [reader.read(sentence) for sentence in examples.sentences]
    batches = tag_batches(reader, items, encoded(examples, [known]), batch_size=BATCH)
    with sparse_gradients(module, Tagger.training):
        optimiser = make_optimiser(module, "adam", lr=LR)
    model = TaggerModel(module, OPTIONS, reader, [known])

    def train() -> None:
        module.train()
        with sparse_gradients(module, Tagger.training):
            for batch in batches.epoch(0):
                loss = module.losses(batch.inputs, batch.tags).sum() / int(batch.inputs.lengths.sum())
                optimiser.zero_grad(set_to_none=True)
                loss.backward()
                optimiser.step()
        module.eval()

    return train, lambda: model.predict(examples.sentences)


class PlainTagger(nn.Module):
    """A BiLSTM-CRF as a page of PyTorch: packed LSTMs over characters and words, and the CRF of pytorch-crf."""

    def __init__(self, words: int, characters: int, tags: int) -> None:
        super().__init__()
        from torchcrf import CRF

        self.words, self.characters = nn.Embedding(words, 100), nn.Embedding(characters, 25)
        self.by_character = nn.LSTM(25, 25, bidirectional=True, batch_first=True)
        self.project, self.dropout = nn.Linear(50, 25), nn.Dropout(0.5)
        self.lstm = nn.LSTM(125, 200, bidirectional=True, batch_first=True)
        self.output, self.crf = nn.Linear(400, tags), CRF(tags, batch_first=True)

    def forward(self, inputs: TokenInputs) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the scores of tags, and which places are words."""
        assert inputs.spellings is not None
        assert inputs.forms is not None
        mask = torch.arange(inputs.words.shape[1]) < inputs.lengths.unsqueeze(1)
        spelled = inputs.spellings[inputs.forms[mask]].long()  # each word of the batch, as often as it occurs
        packed = pack_padded_sequence(
            self.characters(spelled), (spelled != 0).sum(1), batch_first=True, enforce_sorted=False
        )
        ends = self.by_character(packed)[1][0]
        of_characters = torch.zeros(*mask.shape, 25)
        of_characters[mask] = self.project(torch.cat([ends[0], ends[1]], 1))
        x = self.dropout(torch.cat([self.words(inputs.words), of_characters], 2))
        sentences = pack_padded_sequence(x, inputs.lengths, batch_first=True, enforce_sorted=False)
        h, _ = pad_packed_sequence(self.lstm(sentences)[0], batch_first=True)
        return self.output(self.dropout(h)), mask


def plain_jobs(examples: TaggedExamples, reader: TokenReader, known: TagSet) -> Jobs:
    """Training and prediction by a page of PyTorch, over firth's batches."""
    module = PlainTagger(len(reader), len(reader.characters) + 4, len(known))
    optimiser = torch.optim.Adam(module.parameters(), lr=LR)
    items = [reader.read(sentence) for sentence in examples.sentences]
    batches = tag_batches(reader, items, encoded(examples, [known]), batch_size=BATCH)

    def train() -> None:
        module.train()
        for batch in batches.epoch(0):
            scores, mask = module(batch.inputs)
            loss = -module.crf(scores, batch.tags[0], mask=mask, reduction="token_mean")
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()

    def predict() -> None:
        module.eval()
        with torch.no_grad():
            for batch in batches.epoch(0):
                scores, mask = module(batch.inputs)
                module.crf.decode(scores, mask=mask)

    return train, predict


def flair_jobs(examples: TaggedExamples) -> Jobs:
    """The model of flair, without its trainer, which would only add to the time."""
    from flair.data import Dictionary, Sentence  # type: ignore[import-not-found]  # flair is not installed
    from flair.embeddings import CharacterEmbeddings, OneHotEmbeddings, StackedEmbeddings  # type: ignore[import-not-found]  # flair is not installed
    from flair.models import SequenceTagger  # type: ignore[import-not-found]  # flair is not installed

    sentences = []
    for words, tags in zip(examples.sentences, examples.tags["ner"], strict=True):
        sentence = Sentence(list(words_of(words)), use_tokenizer=False)
        for start, end, kind in spans_of(tags):
            sentence[start:end].add_label("ner", kind)
        sentences.append(sentence)
    vocabulary, characters, names = Dictionary(), Dictionary(), Dictionary(add_unk=False)
    for word in {word for words in examples.sentences for word in words_of(words)}:
        vocabulary.add_item(word)
        for character in word:
            characters.add_item(character)
    names.span_labels = True
    for kind in sorted({kind for tags in examples.tags["ner"] for _, _, kind in spans_of(tags)}):
        names.add_item(kind)
    stack = StackedEmbeddings([OneHotEmbeddings(vocabulary, embedding_length=100), CharacterEmbeddings(characters)])
    model = SequenceTagger(
        stack, names, "ner", hidden_size=200, reproject_embeddings=False, use_crf=True, tag_format="BIOES",
        dropout=0.5, word_dropout=0.0, locked_dropout=0.0,
    )  # fmt: skip
    optimiser = torch.optim.Adam(model.parameters(), lr=LR)
    ordered = sorted(sentences, key=len)
    batches = [ordered[start : start + BATCH] for start in range(0, len(ordered), BATCH)]

    def train() -> None:
        model.train()
        for batch in batches:
            loss, count = model.forward_loss(batch)
            optimiser.zero_grad()
            (loss / count).backward()
            optimiser.step()
            for sentence in batch:
                sentence.clear_embeddings()

    def predict() -> None:
        model.predict([Sentence(list(words_of(words)), use_tokenizer=False) for words in examples.sentences], BATCH)

    return train, predict


def contenders(path: Path, count: int, flair: bool) -> Iterator[tuple[str, Jobs]]:
    """The first one is firth."""
    examples = read_tagged(path, ["ner"])
    examples = examples.rows(range(min(count, len(examples))))
    known, reader = learn_tag_set(examples.tags["ner"], "bioes"), learn_token_reader(examples.sentences)
    yield "firth", firth_jobs(examples, reader, known)
    if importlib.util.find_spec("torchcrf") is not None:
        yield PYTORCH, plain_jobs(examples, reader, known)
    if flair:
        yield "flair", flair_jobs(examples)


def main(arguments: list[str] | None = None) -> None:
    """Measure, and write the table."""
    parser = argparse.ArgumentParser(description="words a second of taggers")
    parser.add_argument("file", type=Path, nargs="?", help="sentences in columns")
    parser.add_argument("--flair", action="store_true", help="measure flair, too")
    parser.add_argument("--table", action="store_true", help="write the table from the runs on disk alone")
    parser.add_argument("--sentences", type=int, default=SENTENCES)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args(arguments)
    file = options.out / "speed.jsonl"
    if not options.table:
        if options.file is None:
            parser.error("a file of columns is needed, unless --table is given")
        torch.set_num_threads(1)
        torch.manual_seed(1)
        options.out.mkdir(parents=True, exist_ok=True)
        sizes = {"batch": BATCH, "rounds": options.rounds, "sentences": options.sentences}
        TABLE.begin(file, sizes, torch=torch.__version__)
        jobs = list(contenders(options.file, options.sentences, options.flair))
        words = sum(map(len, read_tagged(options.file, ["ner"]).sentences[: options.sentences]))
        turns = [
            Contender((kind, name), partial(counting, pair[number], words))
            for number, kind in enumerate(("training", "prediction"))
            for name, pair in jobs
        ]
        TABLE.measure(turns, options.rounds, file)
    (options.out / "speed.md").write_text(TABLE.markdown(file), encoding="utf-8")


if __name__ == "__main__":
    main()
