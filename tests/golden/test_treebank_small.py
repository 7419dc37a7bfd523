"""Taggers and parsers at their defaults on fifty sentences of a treebank, beside peers.

FROZEN holds the figures of python-crfsuite with the features of its tutorial (accuracy of parts of speech) and of
UDPipe 1.4 at its defaults (LAS with gold tags), which learned from the same sentences and were tested on the same 300.
"""

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.evaluation.dependencies import score_trees
from firth.pipeline.raw_text import raw_text
from firth.readers.conllu import read_conllu

FROZEN = {"python-crfsuite": 0.7309, "UDPipe": 0.5088}


@pytest.fixture(scope="module")
def german(shared_data):
    """Sentences to learn from, and those to judge on."""
    folder = shared_data / "dependencies" / "UD_German-GSD"
    train, test = (list(read_conllu(folder / f"de_gsd-ud-{part}.conllu.gz")) for part in ("dev", "test"))
    return train[:50], test[:300]


def test_the_tagger_is_better_than_its_peer(german):
    """Measured: 0.810 on the first 300 sentences."""
    train, test = german
    found = firth.Tagger().train(train, seed=1, threads=1, progress=False).predict([s.words for s in test])
    right = sum(
        tag == gold for s, p in zip(test, found, strict=True) for tag, gold in zip(p.tags["upos"], s.tags, strict=True)
    )
    assert right / sum(map(len, test)) > FROZEN["python-crfsuite"] + 0.04


def test_the_parser_is_better_than_its_peer(german):
    """Measured: 0.572 on the first 300 sentences."""
    train, test = german
    parser = firth.TransitionParser().train(train, seed=1, threads=1, progress=False)
    las = score_trees(test, {"gold": list(parser.predict(test))}).rows["gold"].las
    assert las > FROZEN["UDPipe"] + 0.03


def test_sentences_of_text_with_marks_that_the_treebank_lacks(shared_data):
    """300 sentences of Turkish have no quotation mark. Measured: 0.93; 0.87 where one could end a sentence."""
    folder = shared_data / "dependencies" / "UD_Turkish-IMST"
    train, test = (list(read_conllu(folder / f"tr_imst-ud-{part}.conllu.gz", trees=False)) for part in ("train", "dev"))
    raw = raw_text(test)
    found = {(spans[0][0], spans[-1][1]) for spans in firth.LearnedTokeniser().train(train[:300]).spans(raw.text)}
    gold = {(spans[0][0], spans[-1][1]) for spans in raw.tokens}
    assert 2 * len(found & gold) / (len(found) + len(gold)) > 0.92
