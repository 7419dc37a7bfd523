"""Streams of numbers that language models read."""

import json
import math
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

import firth
from firth.errors import CorpusError, OptionError
from firth.language.text import EOS, UNK, TextRules, encode_sentences, held_out_text, training_text
from firth.text.subwords import Subwords


def built(tmp_path, texts, **options):
    return firth.Corpus.build(texts, cache=tmp_path, tokens="whitespace", **options)


def test_rare_words_become_one_and_sentences_end(tmp_path):
    """a a b / a c: b and c occur once and become <unk>, counted twice; two ends.

    Counts a 3, </s> 2, <unk> 2: ids 0, 1, 2 by count, then spelling ("</s>" < "<unk>").
    """
    text = training_text(built(tmp_path, ["a a b", "a c"], min_count=2, unknown=UNK))
    assert list(text.vocabulary.words) == ["a", EOS, UNK]
    assert text.vocabulary.counts.tolist() == [3, 2, 2]
    assert text.ids.tolist() == [0, 0, 2, 1, 0, 2, 1]
    assert text.offsets.tolist() == [0, 4, 7]
    assert text.vocabulary.oov_share == 0
    assert (text.unk_id, text.eos_id) == (2, 1)


def test_without_ends_the_stream_is_the_corpus(tmp_path):
    text = training_text(built(tmp_path, ["a b a"], min_count=1), eos=False)
    assert list(text.vocabulary.words) == ["a", "b", UNK]
    assert text.ids.tolist() == [0, 1, 0]
    assert text.eos_id is None


def test_an_unknown_word_that_stands_in_the_text_takes_the_others_in(tmp_path):
    corpus = built(tmp_path, ["a <unk> a b"], min_count=2, unknown=UNK)
    assert dict(zip(corpus.vocabulary.words, corpus.vocabulary.counts.tolist(), strict=True)) == {"a": 2, UNK: 2}
    assert list(corpus) == [["a", UNK, "a", UNK]]


def test_stop_words_are_left_out_all_the_same(tmp_path):
    corpus = built(tmp_path, ["a the a b"], min_count=2, unknown=UNK, stop_words=("the",))
    assert list(corpus) == [["a", "a", UNK]]


@pytest.mark.parametrize("word", ["", "two words", 3])
def test_an_unknown_word_is_one_word(tmp_path, word):
    with pytest.raises(OptionError, match="unknown="):
        built(tmp_path, ["a a"], unknown=word)


def test_a_corpus_that_left_words_out_is_refused(tmp_path):
    with pytest.raises(CorpusError, match=r"left out 33\.3 % of its words.*unknown='<unk>'"):
        training_text(built(tmp_path, ["a a b"], min_count=2))


def test_held_out_text_and_single_sentences_are_read_alike(tmp_path):
    text = training_text(built(tmp_path, ["a a b", "b a"], min_count=1))
    held_out = held_out_text(["a x b"], text.vocabulary, text.rules)
    assert [text.vocabulary.words[i] for i in held_out.ids] == ["a", UNK, "b", EOS]
    assert encode_sentences(["a x b"], text.vocabulary, text.rules).ids.tolist() == held_out.ids.tolist()
    assert encode_sentences(["", "a"], text.vocabulary, text.rules).offsets.tolist() == [0, 1, 3]


def test_held_out_text_of_unknown_words_alone_is_refused(tmp_path):
    text = training_text(built(tmp_path, ["a a b"], min_count=1))
    with pytest.raises(CorpusError, match="none of the 2 words"):
        held_out_text(["x y x"], text.vocabulary, text.rules)


def test_a_part_keeps_the_vocabulary_and_cuts_sentences_where_it_must(tmp_path):
    """a a b </s> a c </s>, tokens 1 to 5: a b </s> | a c; the second sentence has lost its end."""
    text = training_text(built(tmp_path, ["a a b", "a c"], min_count=1))
    part = text.part(1, 6)
    assert part.ids.tolist() == text.ids[1:6].tolist()
    assert part.offsets.tolist() == [0, 3, 5]
    assert part.vocabulary is text.vocabulary
    assert text.part(4, 99).offsets.tolist() == [0, 3]
    assert training_text(part) is part
    assert held_out_text(part, text.vocabulary, text.rules) is part


def test_a_text_of_other_words_is_no_held_out_text(tmp_path):
    one = training_text(built(tmp_path, ["a b"], min_count=1))
    other = training_text(built(tmp_path, ["a c"], min_count=1))
    with pytest.raises(CorpusError, match="read the text with the model's `read`"):
        held_out_text(other, one.vocabulary, one.rules)


def test_characters_of_a_text_are_counted_with_its_ends(tmp_path):
    """naïve a / b: 7 + 1 code points, and two ends; without ends 8. Text that comes as tokens had characters once."""
    file = tmp_path / "text.txt"
    file.write_text("naïve a\nb\n", encoding="utf-8")
    for source in (file, ["naïve a", "b"]):
        corpus = firth.Corpus.build(source, cache=tmp_path, tokens="whitespace", min_count=1)
        assert training_text(corpus).characters == 10
        assert training_text(corpus, eos=False).characters == 8
    text = training_text(corpus)
    assert held_out_text(["a b", "naïve"], text.vocabulary, text.rules).characters == 10
    assert encode_sentences(["a b", "naïve"], text.vocabulary, text.rules).characters == 10
    assert held_out_text([["a", "b"]], text.vocabulary, text.rules).characters is None


def test_pieces_of_words_are_read_again_by_the_rules_alone(tmp_path):
    pytest.importorskip("tokenizers", reason="tokenizers is not installed: pip install 'firth[subword]'")
    lines = ["the cat sat on the mat", "the dog sat on the log"]
    subwords = firth.Subwords.train(lines, 270)
    text = training_text(firth.Corpus.build(lines, cache=tmp_path, tokens=subwords, min_count=1))
    rules = TextRules(**json.loads(json.dumps(asdict(text.rules))))
    assert "the" not in repr(rules)
    held_out = held_out_text(["the cat sat"], text.vocabulary, rules)
    words = [text.vocabulary.words[i] for i in held_out.ids[:-1]]
    assert words == subwords.tokenize("the cat sat")
    assert rules.join(words) == "the cat sat"
    assert encode_sentences(["the cat sat"], text.vocabulary, rules).ids.tolist() == held_out.ids.tolist()
    assert TextRules().join(["the", "cat"]) == "the cat"


def test_a_model_over_pieces_knows_all_of_them(tmp_path):
    """Bytes that the text does not hold are words that count 0; no text is unknown, and none hides its characters."""
    pytest.importorskip("tokenizers", reason="tokenizers is not installed: pip install 'firth[subword]'")
    lines = ["the cat sat on the mat", "the dog sat on the log"]
    subwords = firth.Subwords.train(lines, 270)
    text = training_text(firth.Corpus.build(lines, cache=tmp_path, tokens=subwords, min_count=1))
    assert set(text.vocabulary.words) == {*subwords.vocabulary, UNK, EOS}
    model = firth.NgramLM(order=3, discount_fallback=True).train(text)
    model.save(tmp_path / "pieces.ngrams")
    found = firth.load(tmp_path / "pieces.ngrams").perplexity(["東京 über alles"])
    assert (found.unknown, found.characters) == (0, 14)
    assert found.bits_per_character == pytest.approx(found.nats / math.log(2) / 14)
    (written,) = model.generate("the cat", search="greedy")
    assert written.startswith("the cat")
    assert "Ġ" not in written


def test_pieces_of_other_tokenizers_are_told_as_they_are(tmp_path):
    """A tokenizer that firth did not make: its pieces may be cut in any way, and are joined by spaces."""
    library = pytest.importorskip("tokenizers", reason="tokenizers is not installed: pip install 'firth[subword]'")
    tokenizer = library.Tokenizer(library.models.WordLevel({"the": 0, "cat": 1, "[UNK]": 2}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = library.pre_tokenizers.Whitespace()
    text = training_text(firth.Corpus.build(["the cat", "cat the cat"], cache=tmp_path, tokens=tokenizer, min_count=1))
    assert set(text.vocabulary.words) == {"the", "cat", UNK, EOS}
    assert text.rules.join(["the", "cat"]) == "the cat"
    held_out = held_out_text(["the dog"], text.vocabulary, text.rules)
    assert [text.vocabulary.words[i] for i in held_out.ids] == ["the", UNK, EOS]


LINES = ["a a a b b x", "a b y <unk>", "b a x z"]


def test_a_limited_text_is_that_of_a_corpus_with_these_limits(tmp_path):
    """The same ids of the same words, but the rest is not lost: x, y and z are kept as they are written."""
    for limits in ({"min_count": 3}, {"max_size": 2}, {"min_count": 2, "max_size": 9}):
        built_so = training_text(built(tmp_path, LINES, **{"min_count": 1, **limits}, unknown=UNK))
        text = training_text(built(tmp_path, LINES, min_count=1), limits, spelled=True)
        assert list(text.vocabulary.words) == list(built_so.vocabulary.words)
        assert text.vocabulary.counts.tolist() == built_so.vocabulary.counts.tolist()
        assert text.vocabulary.total == built_so.vocabulary.total
        assert text.ids.tolist() == built_so.ids.tolist()
        assert text.offsets.tolist() == built_so.offsets.tolist()
        assert built_so.unknown_words == ()
        assert built_so.input_ids.tolist() == built_so.ids.tolist()
        assert set(text.unknown_words) == {"x", "y", "z"} - set(text.vocabulary.words)


def spelled(text):
    """What is read, word by word."""
    words = [*text.vocabulary.words, *text.unknown_words]
    return " ".join(words[i] for i in text.input_ids)


def test_unknown_words_keep_their_spelling(tmp_path):
    corpus = built(tmp_path, LINES, min_count=1)
    text = training_text(corpus, {"min_count": 3}, spelled=True)
    read = "a a a b b x </s> a b y <unk> </s> b a x z </s>"
    assert spelled(text) == read
    held_out = held_out_text(["a q b", "x <unk> q"], text.vocabulary, text.rules)
    assert spelled(held_out) == "a q b </s> x <unk> q </s>"
    assert sorted(held_out.unknown_words) == ["q", "x"]
    assert spelled(encode_sentences(["a q b", "", "x q"], text.vocabulary, text.rules)) == "a q b </s> </s> x q </s>"
    for start, stop in ((0, 5), (5, 7), (6, 14), (9, 99)):
        assert spelled(text.part(start, stop)) == " ".join(read.split()[start:stop])
        assert text.part(start, stop).ids.tolist() == text.ids[start:stop].tolist()


def test_without_ends_unknown_words_keep_their_spelling_too(tmp_path):
    text = training_text(built(tmp_path, LINES, min_count=1), {"max_size": 1}, eos=False, spelled=True)
    assert spelled(text) == " ".join(LINES)


def test_words_that_a_corpus_left_out_have_lost_their_spelling(tmp_path):
    """z and y occur once and are <unk> to the corpus; b, which only the limit makes unknown, keeps its spelling."""
    text = training_text(built(tmp_path, LINES, min_count=2, unknown=UNK), {"max_size": 1}, spelled=True)
    assert list(text.vocabulary.words) == [UNK, "a", EOS]
    assert spelled(text) == "a a a b b x </s> a b <unk> <unk> </s> b a x <unk> </s>"


def test_limits_come_with_a_corpus_alone(tmp_path):
    corpus = built(tmp_path, LINES, min_count=1)
    with pytest.raises(OptionError, match="max_size given with a LanguageText"):
        training_text(training_text(corpus), {"max_size": 2}, spelled=True)
    with pytest.raises(OptionError, match="min_count=0: expected"):
        training_text(corpus, {"min_count": 0}, spelled=True)
    with pytest.raises(OptionError, match="tokens given with a corpus that is built already"):
        training_text(corpus, {"tokens": "unicode"}, spelled=True)


# Subwords and characters: what they count, and the text that they write.

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "english"
ENGLISH = (GOLDEN / "text.txt").read_text(encoding="utf-8").splitlines()[:400]
HELD_OUT = ["Größe, in “quotes”!", "a  b"]


@pytest.fixture(scope="module", params=["subwords", "characters"])
def model(request, tmp_path_factory):
    pytest.importorskip("tokenizers", reason="tokenizers is not installed: pip install 'firth[subword]'")
    cache = tmp_path_factory.mktemp("cache")
    corpus = firth.Corpus.build(ENGLISH, tokens=request.param, cache=cache)
    return firth.NgramLM(order=3, discount_fallback=True).train(corpus, threads=1, progress=False)


def test_bits_per_character_by_hand(model):
    """19 and 4 characters, and two ends of sentences; the same from a part of a text, which is counted anew."""
    figure = model.perplexity(HELD_OUT)
    assert (figure.characters, figure.unknown, figure.unit) == (25, 0, model.rules.unit)
    assert figure.bits_per_character == pytest.approx(
        -model.log_probs(model.token_ids(HELD_OUT)).sum() / math.log(2) / 25
    )
    assert figure.bits_per_word is None
    text = model.token_ids(HELD_OUT)
    part = model.perplexity(text.part(0, len(text)))
    assert part.characters == 25
    told = str(figure)
    assert f"{figure.words} {model.rules.unit} and 2 sentence ends\nbits: " in told
    assert "unknown" not in told


def test_text_is_written_as_it_is_read(model):
    for text in [*ENGLISH[:20], *HELD_OUT, "# A *title*, with (signs)"]:
        assert model.rules.join([model.vocabulary.words[i] for i in model.token_ids([text]).ids[:-1]]) == text


def test_what_is_generated_continues_the_prompt_in_characters_of_the_text(model):
    letters = set("".join(ENGLISH)) | set("The ")
    texts = model.generate("The", n=20, seed=3, options=firth.GenerationOptions(max_length=40, temperature=3.0))
    assert all(text.startswith("The") and set(text) <= letters | {"\ufffd"} for text in texts)
    if model.rules.unit == "subwords":
        assert model.generate("The ", search="greedy") == model.generate("The", search="greedy")


def test_unseen_bytes_are_never_generated(model):
    counts = np.asarray(model.vocabulary.counts)
    unseen = {model.vocabulary.words[i] for i in np.flatnonzero(counts == 0)}
    assert {"ÿ", "þ"} <= unseen
    allowed = "".join(
        model.generate("", n=50, seed=1, options=firth.GenerationOptions(max_length=30, temperature=50.0))
    )
    assert not {"\0", "\x01", "\x02", "\x7f", "\r"} & set(allowed)


def test_tokens_of_other_libraries_are_joined_by_their_decoder():
    tokenizers = pytest.importorskip("tokenizers", reason="tokenizers is not installed: pip install 'firth[subword]'")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordPiece({"[UNK]": 0, "play": 1, "##ing": 2, "now": 3}))
    tokenizer.decoder = tokenizers.decoders.WordPiece()
    assert TextRules(tokens=tokenizer.to_str()).join(["play", "##ing", "now"]) == "playing now"
    assert TextRules(tokens=tokenizer.to_str()).unit == "subwords"
    assert TextRules(tokens="whitespace").join(["a", "東", "京"]) == "a 東 京"
    assert TextRules().join(["a", "東", "京"]) == "a 東京"


def test_given_subwords_keep_rare_ones():
    pytest.importorskip("tokenizers", reason="tokenizers is not installed: pip install 'firth[subword]'")
    subwords = Subwords.train(ENGLISH, 400)
    model = firth.NgramLM(order=2, discount_fallback=True).train(ENGLISH, tokens=subwords, threads=1, progress=False)
    assert model.perplexity(ENGLISH[:5]).unknown == 0


PLAY = "ROMEO:\nAy me!\n\nJULIET:\r\nO Romeo\n"


@pytest.mark.parametrize("tokens", ["characters", "subwords"])
def test_line_breaks_of_a_text_that_is_one_sentence_are_tokens(tmp_path, tokens):
    """They are predicted, and stand in the text that tokens are joined to; a model's rules keep that they are."""
    (tmp_path / "play.txt").write_bytes(PLAY.encode())
    text = training_text(tmp_path / "play.txt", {"sentences": "text", "tokens": tokens, "cache": tmp_path})
    assert text.rules.line_breaks
    words = [text.vocabulary.words[i] for i in text.ids.tolist()]
    assert words[-1] == EOS
    assert text.rules.join(words[:-1]) == "ROMEO:\nAy me!\n\nJULIET:\nO Romeo"
    rules = TextRules.from_config(json.loads(json.dumps(text.rules.described())))
    assert rules == text.rules
    again = held_out_text(tmp_path / "play.txt", text.vocabulary, rules)
    assert again.ids.tolist() == text.ids.tolist()
    assert encode_sentences(["ROMEO:\nAy me!"], text.vocabulary, rules).unknown_words == ()


def test_text_is_read_with_the_language_the_markup_and_the_hyphens_of_training(tmp_path):
    """Tags are no words, a German abbreviation ends no sentence, and a divided word is whole: later as in training."""
    options = {"markup": True, "language": "de", "sentences": "paragraph", "join_hyphens": True, "min_count": 1}
    (tmp_path / "a.txt").write_text("<b>Der Dampf-\nkessel</b> ist z.&nbsp;B. neu.\n", encoding="utf-8")
    text = training_text(tmp_path / "a.txt", {**options, "cache": tmp_path})
    rules = TextRules.from_config(json.loads(json.dumps(text.rules.described())))
    assert rules == text.rules
    assert repr(rules).endswith("eos=True, language='de', markup=True, join_hyphens=True)")
    again = held_out_text(tmp_path / "a.txt", text.vocabulary, rules)
    assert (again.ids.tolist(), again.unknown_words) == (text.ids.tolist(), ())
    assert "join_hyphens" not in replace(rules, sentences="line").corpus_options()


def test_damaged_rules_are_refused():
    plain = {"tokens": "words", "sentences": "line", "eos": True}
    for name, value in {"language": 3, "markup": "yes", "join_hyphens": "no"}.items():
        with pytest.raises(TypeError, match="invalid text rules"):
            TextRules.from_config({**plain, name: value})
    assert TextRules.from_config(plain).described() == plain


def test_line_breaks_as_spaces(tmp_path):
    """As they were in corpora and models that are older than the option, and among words."""
    play = ["a b\nc"]
    old = {"tokens": firth.Subwords.characters(play).rules, "sentences": "text", "eos": True}
    model = TextRules.from_config(old)
    assert (model.line_breaks, model.described()) == (False, old)
    corpus = firth.Corpus.build(play, min_count=1, cache=tmp_path, **model.corpus_options())
    assert list(corpus) == [["a", "Ġ", "b", "Ġ", "c"]]
    off = firth.Corpus.build(
        play, tokens="characters", sentences="text", line_breaks=False, min_count=1, cache=tmp_path
    )
    assert list(off) == list(corpus)
    words = training_text(play, {"sentences": "text", "min_count": 1, "cache": tmp_path})
    assert not words.rules.line_breaks
    assert [words.vocabulary.words[i] for i in words.ids.tolist()] == ["a", "b", "c", EOS]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"line_breaks": True, "tokens": "characters"}, "line_breaks=True with sentences='line': .* sentences='text'"),
        ({"line_breaks": True, "sentences": "text"}, "line_breaks=True with tokens='words'.* tokens='subwords'"),
    ],
)
def test_line_breaks_where_there_are_none(options, expected):
    with pytest.raises(OptionError, match=expected):
        firth.Corpus.build(["a b"], **options)


def test_held_out_text_of_another_language_is_noticed(tmp_path):
    text = training_text(built(tmp_path, ["a b c d"], min_count=1, unknown=UNK))
    with pytest.warns(UserWarning, match="8 of 11 tokens of the held-out text are unknown to the model; expected text"):
        held_out_text(["a x y z x y", "x y z b c"], text.vocabulary, text.rules)
    held_out_text(["a x y"] * 3, text.vocabulary, text.rules)  # too few to say
