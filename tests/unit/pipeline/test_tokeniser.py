"""A tokeniser that learned from a treebank: tokens, sentences, words with places; saving."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

import firth
from firth.errors import ArgumentTypeError, FormatError, OptionError
from firth.kernels import boundaries as kernels
from firth.pipeline.pipeline import PipelineModel
from firth.pipeline.raw_text import raw_text
from firth.readers.conllu import DependencySentence
from tests.unit.pipeline.treebanks import treebank


@pytest.fixture(scope="module")
def tokeniser():
    return firth.LearnedTokeniser().train(treebank(120), seed=1)


def test_new_text_is_divided_as_in_the_treebank(tokeniser):
    """No rule knows that `M.` ends no sentence: the treebank says so."""
    raw = raw_text(treebank(40, seed=5))
    assert tokeniser.spans(raw.text) == raw.tokens


def test_words_of_multiword_tokens_share_their_place(tokeniser):
    text = "M. Blanc aime le livre du jardin. M. Durand voit le chat au parc!"
    document = tokeniser.document(text, name="a b")
    assert [sentence.words[4:8] for sentence in document.sentences] == [
        ("livre", "de", "le", "jardin"), ("chat", "à", "le", "parc"),
    ]  # fmt: skip
    assert document.sentences[0].multiword_tokens == ((6, 7, "du"),)
    assert document.offsets[5] == document.offsets[6]
    assert text[slice(*document.offsets[5])] == "du"
    assert document.sentences[1].comment_lines[0] == "# sent_id = a b-2"


def test_every_character_but_white_space_is_in_one_token(tokeniser):
    random = np.random.default_rng(0)
    letters = list("abéM.!? \n\t'’-—«»()1,:;…漢字ß\u0301😀")
    for size in (1, 2, 7, 60, 300):
        text = "".join(letters[i] for i in random.integers(len(letters), size=size))
        spans = [span for sentence in tokeniser.spans(text) for span in sentence]
        assert "".join("".join(text[start:end].split()) for start, end in spans) == "".join(text.split())
        assert all(before[1] <= after[0] for before, after in itertools.pairwise(spans))
    assert tokeniser.spans("") == tokeniser.spans(" \n\n ") == []


@pytest.mark.parametrize(
    "text", ['M. Blanc aime " le livre " du jardin.', "M. Blanc aime ( le livre ) du jardin.", "M. Blanc aime 3 chats."]
)
def test_no_sentence_ends_with_what_never_ended_one(tokeniser, text):
    """The treebank has neither quotation marks, brackets nor figures; its sentences end with final marks."""
    assert [len(sentence) for sentence in tokeniser.spans(f"{text} Le chat voit le parc!")] == [
        len(text.split()) + 1,
        6,
    ]


def test_tokenisers_from_before_final_marks_do_not_use_them(tokeniser, tmp_path):
    """The rows of the feature were those of other features; the row of white space had all labels."""
    weights = np.zeros_like(tokeniser.weights)
    mask = np.uint64(len(weights) - 1)
    for kind, wide in itertools.product(range(kernels.KINDS), (0, 1)):
        weights[kernels.hashed(92, np.uint64(kind), np.uint64(wide), mask), kernels.LAST] = 9
    allowed = np.full_like(tokeniser.allowed, 7)
    for known in (True, False):
        allowed[kernels.SPACE, kernels.OUTSIDE] = 3 if known else 7
        replace(tokeniser, weights=weights, allowed=allowed).save(tmp_path / "t")
        assert len(firth.load(tmp_path / "t").spans("Go. Now.")) == (2 if known else 1)
    assert kernels.knows_final_marks(tokeniser.allowed)


def test_an_empty_line_ends_a_sentence(tokeniser):
    assert len(tokeniser.spans("M. Blanc aime\n\nle livre")) == 2
    assert len(tokeniser.spans("M. Blanc aime\nle livre")) == 1


def test_lines_may_be_sentences_or_words(tokeniser):
    text = "M. Blanc aime le livre du jardin. M. Durand\n\n  voit le chat\n"
    document = tokeniser.document(text, lines="sentence")
    assert [len(sentence) for sentence in document.sentences] == [11, 3]  # of its words, with those of "du"
    assert text[slice(*document.offsets[-1])] == "chat"
    words = tokeniser.document("du\tX\nM.\n\nchat\n", lines="word")
    assert [sentence.words for sentence in words.sentences] == [("du", "M."), ("chat",)]
    with pytest.raises(OptionError, match="expected 'sentence' or 'word'"):
        tokeniser.spans("a", lines="page")


def test_tokens_with_spaces_are_learned():
    words = ["chủ tịch", "xã", "nói", "."]
    sentences = [DependencySentence.of([*words[: 1 + k % 3], "."]) for k in range(60)]
    with pytest.warns(UserWarning, match="the treebank has a space after every token"):
        tokeniser = firth.LearnedTokeniser().train(sentences)
    text = "chủ tịch xã ."
    assert [text[start:end] for start, end in tokeniser.spans(text)[0]] == ["chủ tịch", "xã", "."]


def test_a_seed_determines_the_bits_and_a_folder_keeps_them(tokeniser, tmp_path):
    again = firth.LearnedTokeniser().train(treebank(120), seed=1)
    assert again.weights.tobytes() == tokeniser.weights.tobytes()
    tokeniser.save(tmp_path / "t")
    restored = firth.load(tmp_path / "t")
    text = raw_text(treebank(20, seed=9)).text
    assert restored.document(text) == tokeniser.document(text)
    assert restored.metadata == tokeniser.metadata


def test_text_that_no_file_can_hold_is_divided(tokeniser):
    assert tokeniser.spans("le \ud800 parc") == [[(0, 2), (3, 4), (5, 9)]]


def test_a_share_of_features_that_cannot_be_drawn_is_refused():
    with pytest.raises(OptionError, match=r"dropout=0.3: expected one of 0.0, 0.25, 0.5"):
        firth.LearnedTokeniser(dropout=0.3)


def test_what_is_no_text_or_no_folder_is_refused(tokeniser, tmp_path):
    with pytest.raises(ArgumentTypeError, match="7: expected a text"):
        tokeniser.document(7)
    with pytest.raises(ArgumentTypeError, match="name"):
        tokeniser.document("a", name=7)
    tokeniser.save(tmp_path / "t")
    (tmp_path / "t" / "tokens.json").write_text("{}", encoding="utf-8")
    with pytest.raises(FormatError):
        firth.load(tmp_path / "t")


def test_characters_without_width_stay_with_their_token(tokeniser):
    """Unless the treebank has them, as Persian ones have zero-width joiners."""
    plain = "M. Blanc aime le livre du jardin."
    text = "\u200bM. Bl\u00adanc aime\u200b le\ufeff \u200b livre du jardin\u2060.\u200b"
    (sentence,) = tokeniser.spans(text)
    invisible = str.maketrans("", "", "\u200b\u00ad\ufeff\u2060")
    found = [text[start:end].translate(invisible) for start, end in sentence]
    (expected,) = tokeniser.spans(plain)
    assert found == [plain[start:end] for start, end in expected]
    assert tokeniser.spans("\u200b") == []


def test_a_text_of_another_script_is_told(tokeniser, tmp_path):
    """Once a file, and once for texts in memory."""
    assert tokeniser.unseen("M. BLANC voit l'été ъъ.") == {"ъ": 2, "'": 1}
    with pytest.warns(UserWarning, match=r"^76.9% of the characters \('А', 'л', 'е'\) are in no token .* script$"):
        firth.annotate(["Александр М.", "M."], tokeniser=tokeniser)
    (tmp_path / "ru.txt").write_text("Александр\n\n" * 9, "utf-8")
    (tmp_path / "fr.txt").write_text("M. Blanc aime le livre.", "utf-8")
    files, pipeline = [tmp_path / "ru.txt", tmp_path / "fr.txt"], PipelineModel(tokeniser, None, None)
    with pytest.warns(UserWarning, match=r"ru\.txt: 100\.0% of the characters") as told:
        firth.annotate_files(files, tmp_path / "a.conllu", pipeline=pipeline, longest=30, progress=False)
    assert len(told) == 1


def test_a_text_that_is_not_that_of_the_tokens_is_told():
    texts = ["# text = M. Durand aime  le livre ."]
    sentences = [replace(sentence, comment_lines=tuple(texts)) for sentence in treebank(2)] + treebank(40)
    problem = r"the text of 2 of 42 sentences is not that of its tokens, such as that of sentence 1: 'M\. Durand aime"
    with pytest.warns(UserWarning, match=problem):
        firth.LearnedTokeniser(epochs=1).train(sentences)
    written = raw_text(sentences[:1]).text
    right = [replace(sentences[0], comment_lines=(f"# text = {written.replace(' ', '  ')} ",)), *sentences[2:]]
    firth.LearnedTokeniser(epochs=1).train(right)
