"""ARPA files: what is written, what is read."""

import gzip
import math

import numpy as np
import pytest

import firth
from firth.errors import FormatError, OptionError
from firth.language.arpa import read
from firth.language.ngram_lm import NgramLM
from tests.unit.language.ngram_checks import check_sums, text_of

BIGRAMS = r"""\data\
ngram 1=4
ngram 2=3

\1-grams:
-1	<unk>
-99	<s>	-0.5
-0.5	a	-0.25
-0.3	</s>

\2-grams:
-0.2	<s> a
-0.4	a a
-0.1	a </s>

\end\
"""


def written(folder, text, name="m.arpa"):
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def test_scores_by_hand(tmp_path):
    """<s> a x </s>: -0.2; x is unknown, -0.25 after a and -1 alone; <unk> </s> backs off with weight 1, -0.3."""
    model = firth.NgramModel.from_arpa(written(tmp_path, BIGRAMS), tokens="whitespace")
    assert list(model.vocabulary.words) == ["</s>", "<unk>", "a"]
    assert model.rules.eos
    found = model.log_probs(model.token_ids(["a x"])) / math.log(10)
    assert found == pytest.approx([-0.2, -1.25, -0.3], abs=1e-6)


@pytest.mark.parametrize("name", ["m.arpa", "m.arpa.gz"])
@pytest.mark.parametrize("eos", [True, False])
def test_a_file_gives_the_same_model_back(tmp_path, name, eos):
    text = text_of(["a b a c a b", "b a b c", "a a é", "c b a d"], tmp_path, eos=eos)
    model = NgramLM(order=3, discount_fallback=True).train(text)
    model.to_arpa(tmp_path / name)
    again = firth.NgramModel.from_arpa(tmp_path / name)
    assert again.rules.eos == eos
    assert sorted(again.vocabulary.words) == sorted(model.vocabulary.words)
    assert again.trie.sizes.tolist() == model.trie.sizes.tolist()
    for k in (1, 2, 3):
        assert by_words(again, k) == by_words(model, k)


def by_words(model, order):
    names, rows = [*model.vocabulary.words, "<s>"], np.arange(model.trie.rows(order).start, model.trie.rows(order).stop)
    grams = [tuple(names[i] for i in ngram) for ngram in model.trie.ngrams(rows, order).tolist()]
    weights = model.trie.log_backoff[rows].tolist() if order < model.order else [0.0] * len(rows)
    return dict(zip(grams, zip(model.trie.log_prob[rows].tolist(), weights, strict=True), strict=True))


def test_the_file_of_a_small_model(tmp_path):
    """Orders, counts, tabs between fields, spaces between words, weights below the top order alone."""
    model = firth.NgramModel.from_arpa(written(tmp_path, BIGRAMS), tokens="whitespace")
    model.to_arpa(tmp_path / "again.arpa")
    lines = (tmp_path / "again.arpa").read_text(encoding="utf-8").splitlines()
    assert lines.pop(0).startswith("# firth text rules: ")
    assert lines[:5] == ["\\data\\", "ngram 1=4", "ngram 2=3", "", "\\1-grams:"]
    assert [line.split("\t")[1] for line in lines[5:9]] == ["</s>", "<unk>", "a", "<s>"]
    assert [len(line.split("\t")) for line in lines[5:9]] == [3] * 4
    assert lines[8].startswith("-99\t<s>\t-0.50000")
    assert lines[9:11] == ["", "\\2-grams:"]
    assert [len(line.split("\t")) for line in lines[11:14]] == [2] * 3
    assert lines[14:] == ["", "\\end\\"]


def test_suffixes_that_a_pruned_file_lacks(tmp_path):
    """a b c without b c, and without a b: both are put in as backing off has them.

    p(c | a b) = 10^-0.1 as it stands. p(b | a) = 10^(-0.3 - 0.7), p(c | b) = 10^(-0.2 - 0.6), also behind another a,
    and p(a | a b) = 10^(0 - 0.2 - 0.5): a b itself has no weight.
    """
    words = "-0.5\ta\t-0.3\n-0.7\tb\t-0.2\n-0.6\tc\n-2\t<unk>\n-99\t<s>\n-1\t</s>\n"
    lines = f"\\data\\\nngram 1=6\nngram 2=1\nngram 3=1\n\n\\1-grams:\n{words}\n"
    lines += "\\2-grams:\n-0.4\tc a\n\n\\3-grams:\n-0.1\ta b c\n\n\\end\\\n"
    model = firth.NgramModel.from_arpa(written(tmp_path, lines), tokens="whitespace")
    assert model.trie.sizes.tolist() == [6, 3, 1]
    ids = model.vocabulary.ids
    scores, _ = model.start([[ids["a"], ids["b"]], [ids["a"], ids["a"]], [ids["b"]]])
    found = scores / math.log(10)
    assert found[0, [ids["c"], ids["a"]]] == pytest.approx([-0.1, -0.7], abs=1e-6)
    assert found[1, ids["b"]] == pytest.approx(-1.0, abs=1e-6)
    assert found[2, ids["c"]] == pytest.approx(-0.8, abs=1e-6)


def test_a_model_that_was_read_sums_to_one(english_text, tmp_path):
    lines = english_text.read_text(encoding="ascii").splitlines()
    text = text_of(lines[:1000], tmp_path)
    NgramLM(order=3).train(text).to_arpa(tmp_path / "m.arpa.gz")
    model = firth.NgramModel.from_arpa(tmp_path / "m.arpa.gz")
    check_sums(model, model.read([line.split() for line in lines[1000:]]))


def test_other_ways_of_writing_the_same(tmp_path):
    """Words before the head, blank lines, carriage returns, spaces for tabs, <UNK>, no <s>, no <unk>."""
    text = "made by hand\n\n" + BIGRAMS.replace("<unk>", "<UNK>").replace("\n", "\r\n").replace("\t", "  ")
    assert read(written(tmp_path, text)).words == ["</s>", "<unk>", "a"]
    bare = "\\data\\\nngram 1=1\n\\1-grams:\n-0.5\ta\n\\end\\\n"
    model = firth.NgramModel.from_arpa(written(tmp_path, bare), tokens="whitespace")
    assert list(model.vocabulary.words) == ["<unk>", "a"]
    assert not model.rules.eos
    assert model.log_probs(model.token_ids(["a b"])) / math.log(10) == pytest.approx([-0.5, -100], abs=1e-5)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("-0.4\ta a\n", "", r"line 14: 2 2-grams, expected 3 as in \\data\\"),
        ("-0.4\ta a\n", "-0.4\ta a\n-0.4\ta <unk>\n", r"line 15: '-0\.1\\ta </s>', expected \\end\\ after 2 orders"),
        ("ngram 1=4", "ngram 1=3", r"line 9: '-0\.3\\t</s>', expected \\2-grams:"),
        ("ngram 1=4\n", "", r"line 2: 'ngram 2=3', expected the number of 1-grams"),
        ("ngram 1=4\nngram 2=3\n", "", r"line 3: '.*1-grams:', expected ngram 1="),
        ("\\2-grams", "\\3-grams", r"line 11: '.*3-grams:', expected .2-grams:"),
        ("-0.4\ta a", "-0.4\ta", r"line 13: 2 fields, expected a number, 2 words"),
        ("-0.4\ta a", "-0.4\ta a\t1\t2", r"line 13: 5 fields"),
        ("-0.4\ta a", "minus\ta a", r"line 13: 'minus', expected a number"),
        ("-0.4\ta a", "nan\ta a", r"line 13: 'nan', expected a number"),
        ("-0.25\n", "x\n", r"line 8: 'x', expected a number"),
        ("-0.4\ta a", "-0.4\ta b", r"line 13: the word 'b' is not among the 1-grams"),
        ("-0.4\ta a", "0.4\ta a", r"line 13: 0\.4, expected the log10 of a probability"),
        ("-0.4\ta a", "-0.4\ta <s>", r"line 13: <s> after another word"),
        ("-0.4\ta a", "-0.4\t<s> a", r"line 13: the same n-gram as in line 12"),
        ("-1\t<unk>", "-1\ta", r"line 8: the same n-gram as in line 6"),
        ("\\end\\\n", "", r"line 15: the file ends, expected \\end\\"),
        ("\\data\\", "data", r"no line \\data\\"),
    ],
)
def test_files_that_are_wrong(tmp_path, old, new, complaint):
    assert old in BIGRAMS
    with pytest.raises(FormatError, match=complaint) as caught:
        firth.NgramModel.from_arpa(written(tmp_path, BIGRAMS.replace(old, new, 1)))
    assert "m.arpa" in str(caught.value)


@pytest.mark.parametrize("share", [0.0, 0.02, 0.3, 0.55, 0.7, 0.9, 0.97])
def test_files_that_are_cut_short(tmp_path, share):
    with pytest.raises(FormatError, match=r"m\.arpa"):
        firth.NgramModel.from_arpa(written(tmp_path, BIGRAMS[: int(share * len(BIGRAMS))]))


def test_packed_files_that_are_cut_short(tmp_path):
    packed = gzip.compress(BIGRAMS.encode())
    for many in (len(packed) // 2, 5):
        (tmp_path / "m.arpa.gz").write_bytes(packed[:many])
        with pytest.raises(FormatError, match=r"damaged gzip data"):
            firth.NgramModel.from_arpa(tmp_path / "m.arpa.gz")
    (tmp_path / "m.arpa.gz").write_text(BIGRAMS, encoding="utf-8")
    with pytest.raises(FormatError, match=r"damaged gzip data"):
        firth.NgramModel.from_arpa(tmp_path / "m.arpa.gz")


def test_a_word_with_a_space_has_no_place(tmp_path):
    corpus = firth.Corpus.build([["new york", "a"]], cache=tmp_path, min_count=1)
    model = NgramLM(order=1, discount_fallback=True).train(corpus)
    with pytest.raises(OptionError, match="an ARPA file cannot hold the word 'new york'"):
        model.to_arpa(tmp_path / "m.arpa")
    assert not (tmp_path / "m.arpa").exists()


def test_no_such_rule_for_words(tmp_path):
    with pytest.raises(OptionError, match="tokens='word'"):
        firth.NgramModel.from_arpa(written(tmp_path, BIGRAMS), tokens="word")


def words_model(folder, **options):
    corpus = firth.Corpus.build(["The Cat sat.", "A cat, the mat!"] * 3, cache=folder, min_count=1, **options)
    return NgramLM(order=2, discount_fallback=True).train(corpus)


@pytest.mark.parametrize("name", ["m.arpa", "m.arpa.gz"])
@pytest.mark.parametrize("options", [{}, {"tokens": "words:tr", "sentences": "paragraph"}, {"tokens": "characters"}])
def test_the_rules_of_the_text_stand_in_a_comment_before_the_data(tmp_path, name, options):
    """KenLM reads the file if all lines before the data begin with #; SRILM skips any."""
    model = words_model(tmp_path, **options)
    model.to_arpa(tmp_path / name)
    model.to_arpa(tmp_path / name)  # the file is known as one of ours
    again = firth.NgramModel.from_arpa(tmp_path / name)
    assert again.rules == model.rules
    assert again.perplexity(["The mat sat."]).value == pytest.approx(model.perplexity(["The mat sat."]).value, rel=1e-6)
    content = (tmp_path / name).read_bytes()
    comment, data, *_ = (gzip.decompress(content) if name.endswith(".gz") else content).splitlines()
    assert comment.startswith(b"# ")
    assert data == b"\\data\\"


def test_a_file_that_names_no_rule_is_said(tmp_path):
    path = written(tmp_path, BIGRAMS)
    with pytest.warns(UserWarning, match=r"m\.arpa: the file does not say .* tokens='whitespace' is assumed"):
        assert firth.NgramModel.from_arpa(path).rules.tokens == "whitespace"
    model = firth.NgramModel.from_arpa(path, tokens="words")
    assert model.rules.tokens == "words"
    assert model.score("A a!")[0].tokens == ("a", "a", "</s>")
    with pytest.raises(OptionError, match="tokens='subwords' is learned from a text; expected"):
        firth.NgramModel.from_arpa(path, tokens="subwords")


def test_a_rule_that_is_not_that_of_the_file(tmp_path):
    words_model(tmp_path).to_arpa(tmp_path / "m.arpa")
    assert firth.NgramModel.from_arpa(tmp_path / "m.arpa", tokens="words").rules.tokens == "words"
    with pytest.raises(OptionError, match=r"m\.arpa: tokens='text8', but the model reads text with tokens='words'"):
        firth.NgramModel.from_arpa(tmp_path / "m.arpa", tokens="text8")


@pytest.mark.parametrize(
    "rules", ["{", "[]", '{"tokens": "words"}', '{"tokens": 1, "sentences": "line", "eos": true}', "\udcff"]
)
def test_rules_that_are_damaged(tmp_path, rules):
    path = tmp_path / "m.arpa"
    path.write_bytes(f"# firth text rules: {rules}\n{BIGRAMS}".encode("utf-8", "surrogateescape"))
    with pytest.raises(FormatError, match=r"m\.arpa line 1: damaged text rules .*; delete the line"):
        firth.NgramModel.from_arpa(path)
