"""A language model small enough to work out by hand."""

import numpy as np

from firth.language.model import LanguageModel
from firth.language.text import EOS, UNK, TextRules
from firth.storage import model_folder
from firth.vocabulary import Vocabulary
from tests.unit.inference.toys import Table, random_table

WORDS = ["a", "b", EOS, UNK]
# After a, b, </s>, <unk>, and at the beginning: probabilities of a, b, </s>, <unk>.
TABLE = [[0.1, 0.5, 0.3, 0.1], [0.4, 0.1, 0.4, 0.1], [0.5, 0.3, 0.1, 0.1], [0.2, 0.2, 0.2, 0.4], [0.6, 0.2, 0.1, 0.1]]


class TableModel(LanguageModel):
    """Each word depends on the one before it in its sentence."""

    connected = False

    def __init__(self, table=TABLE, words=WORDS, rules=None):
        self.table = Table(table)
        self.vocabulary = Vocabulary(list(words), np.arange(len(words), 0, -1), 10)
        self.rules = rules or TextRules(tokens="whitespace", eos=EOS in words)
        self.metadata = {}
        self.asked = []

    def log_probs(self, text, *, progress=None):
        self.asked.append(len(text))
        before = np.concatenate([[0], text.ids[:-1]]) if len(text) else text.ids
        before[text.offsets[:-1][text.offsets[:-1] < len(text)]] = len(self.vocabulary)
        return self.table.logs[before, text.ids]

    def start(self, prompts):
        return self.table.start(prompts)

    def advance(self, state, ids):
        return self.table.advance(state, ids)

    def reorder(self, state, rows):
        return self.table.reorder(state, rows)

    def save(self, path):
        content = model_folder.ModelFolder(
            kind="firth-toy", arrays={"table": np.exp(self.table.logs)}, metadata=self.metadata
        )
        model_folder.write(path, content)


def restore(content):
    model = TableModel(content.array("table", (None, None)))
    model.metadata.update(content.metadata)
    return model


def random_model(seed, words=WORDS, **options):
    return TableModel(random_table(len(words), seed), words, **options)


def random_text(lines, seed, words="ab"):
    random = np.random.default_rng(seed)
    return [" ".join(random.choice(list(words), random.integers(1, 9))) for _ in range(lines)]
