"""Scores of CoNLL 2018: by hand, of nothing wrong, and those of its program on damaged text."""

import pytest

from firth.errors import FormatError
from firth.evaluation import score_pipeline
from firth.readers.conllu import DependencySentence, read_conllu

GOLD = """
1	He	he	PRON	PRP	Case=Nom|Foo=Bar	2	nsubj:pass	_	_
2	goes	go	VERB	VBZ	_	0	root	_	_
3	to	_	ADP	IN	_	4	case	_	_
4	Rome	Rome	PROPN	NNP	Number=Sing	2	obl	_	_

1-2	au	_	_	_	_	_	_	_	_
1	à	à	ADP	_	_	3	case	_	_
2	le	le	DET	_	_	3	det	_	_
3	bar	bar	NOUN	_	_	0	root	_	_
"""


def sentences(text):
    """The sentences of CoNLL-U without comments."""
    return [
        DependencySentence(tuple(tuple(line.split("\t")) for line in block.splitlines()))
        for block in text.strip("\n").split("\n\n")
    ]


def scores_of(*changes, gold=GOLD):
    """The scores of gold with some strings replaced."""
    system = gold
    for before, after in changes:
        assert before in system
        system = system.replace(before, after)
    return score_pipeline(sentences(gold), sentences(system))


def test_gold_is_right(tmp_path):
    scores = scores_of()
    names = "Tokens Sentences Words UPOS XPOS UFeats AllTags Lemmas UAS LAS CLAS MLAS BLEX"
    assert list(scores.rows) == names.split()
    for name, score in scores.rows.items():
        assert (score.precision, score.recall, score.f1, score.interval) == (1, 1, 1, (1, 1)), name
        assert score.aligned_accuracy == (None if name in ("Tokens", "Sentences", "Words") else 1)
    (tmp_path / "gold.conllu").write_text(GOLD.lstrip() + "\n")
    assert score_pipeline(tmp_path / "gold.conllu", sentences(GOLD)).rows == scores.rows


def f1_of(scores, *names):
    return [round(scores[name].f1, 12) for name in names]


def test_subtypes_features_of_languages_and_missing_lemmas_do_not_matter():
    scores = scores_of(("nsubj:pass", "nsubj"), ("|Foo=Bar", ""), ("to	_", "to	too"))
    assert f1_of(scores, "LAS", "MLAS", "UFeats", "Lemmas", "BLEX") == [1, 1, 1, 1, 1]


def test_a_wrong_lemma_counts_for_content_words():
    scores = scores_of(("go	VERB", "goe	VERB"))
    assert f1_of(scores, "Lemmas", "BLEX", "MLAS") == [round(6 / 7, 12), 0.75, 1]  # of 4 words of content


def test_a_function_word_counts_for_its_head():
    """The tag of "to" is wrong: MLAS loses "Rome", which it belongs to, and nothing else of content."""
    scores = scores_of(("ADP	IN", "SCONJ	IN"))
    assert f1_of(scores, "UPOS", "XPOS", "AllTags", "CLAS", "MLAS") == [round(6 / 7, 12), 1, round(6 / 7, 12), 1, 0.75]


def test_content_words_are_those_of_each_side():
    scores = scores_of(("4	case", "4	advmod"))
    assert (scores["CLAS"].precision, scores["CLAS"].recall, scores["CLAS"].aligned_accuracy) == (0.8, 1, 1)
    assert f1_of(scores, "LAS", "MLAS") == [round(6 / 7, 12), round(2 * 3 / 9, 12)]  # "Rome" lacks a function word


def test_an_unknown_relation_is_none_of_content():
    scores = scores_of(("obl", "strange"))
    assert (scores["CLAS"].precision, scores["CLAS"].recall) == (1, 0.75)


def test_a_token_in_place_of_words():
    """Whoever leaves out the words of "au" finds 5 of 7 words; the head of nothing is wrong, for "bar" is the root."""
    scores = scores_of(
        (
            "1-2	au	_	_	_	_	_	_	_	_\n1	à	à	ADP	_	_	3",
            "1	au	à	ADP	_	_	2",
        ),
        ("2	le	le	DET	_	_	3	det	_	_\n3	bar", "2	bar"),
    )
    assert f1_of(scores, "Tokens", "Sentences") == [1, 1]
    words = scores["Words"]
    assert (words.precision, words.recall, words.f1) == (5 / 6, 5 / 7, 10 / 13)
    assert scores["LAS"].aligned_accuracy == 1
    assert f1_of(scores, "MLAS") == [round(2 * 3 / 8, 12)]  # the function words of "bar" are missing


def test_sentences_cut_elsewhere():
    system = GOLD.replace(
        "2	goes	go	VERB	VBZ	_	0	root",
        "2	goes	go	VERB	VBZ	_	0	root	_	_\n\n1	",
    )
    first, _, second = system.partition("\n\n1	")
    second = (
        "1	to	_	ADP	IN	_	2	case	_	_\n2	Rome	Rome	PROPN	NNP	_	0	root	_	_\n\n"
        + GOLD.partition("\n\n")[2]
    )
    scores = score_pipeline(sentences(GOLD), sentences(f"{first}\n\n{second}"))
    assert (scores["Sentences"].precision, scores["Sentences"].recall) == (1 / 3, 1 / 2)
    assert f1_of(scores, "Tokens", "UAS") == [1, round(6 / 7, 12)]


def test_without_trees():
    bare = GOLD
    for number, relation in (
        ("2", "nsubj:pass"),
        ("0", "root"),
        ("4", "case"),
        ("2", "obl"),
        ("3", "case"),
        ("3", "det"),
    ):
        bare = bare.replace(f"{number}	{relation}", "_	_")
    given = score_pipeline(sentences(GOLD), sentences(bare))
    assert f1_of(given, "UPOS", "UAS", "CLAS", "BLEX") == [1, 0, 0, 0]
    neither = score_pipeline(sentences(bare), sentences(bare))
    assert list(neither.rows)[-1] == "Lemmas"
    assert str(neither).endswith(
        "7 gold words in 2 sentences; intervals over sentences; no scores of trees: gold has none"
    )
    with pytest.raises(FormatError, match="1 of 2 gold sentences have a tree, expected all or none"):
        score_pipeline([sentences(GOLD)[0], sentences(bare)[1]], sentences(GOLD))


def test_the_table():
    lines = str(scores_of(("go	VERB", "goe	VERB"))).splitlines()
    assert lines[0].split() == ["metric", "precision", "recall", "F1", "95", "%", "of", "F1", "aligned", "accuracy"]
    assert lines[2].split() == ["Tokens", *["100.00"] * 4, "to", "100.00"]
    assert lines[-2].split() == ["BLEX", "75.00", "75.00", "75.00", "66.67", "to", "100.00", "75.00"]
    assert lines[-1] == "7 gold words in 2 sentences; intervals over sentences"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            [("Rome	Rome", "Roma	Rome")],
            "the texts differ at character 12 without white space, in gold sentence 1: gold has 'egoestoRomeaubar', "
            "the system 'egoestoRomaaubar'; expected the same text",
        ),
        (
            [("3	bar", "3	barbar")],
            r"character 18 \(of 17 and 20\) without white space, in gold sentence 2: gold has 'oRomeaubar', ",
        ),
        ([("0	root", "1	root")], "system sentence 1: 0 roots; expected one tree, or '_' as every head"),
        ([("1-2	au", "1-2	\u00a0")], "system sentence 2: token 1 has no character but white space"),
    ],
)
def test_errors(changes, message):
    with pytest.raises(FormatError, match=message):
        scores_of(*changes)


def test_no_sentences():
    with pytest.raises(FormatError, match="no gold sentences"):
        score_pipeline([], [])


def test_the_seed_gives_the_interval():
    gold = sentences(GOLD) * 10
    wrong = sentences(GOLD.replace("go	VERB", "goe	VERB"))
    system = [*sentences(GOLD) * 5, *wrong * 5]
    intervals = [score_pipeline(gold, system, seed=seed)["BLEX"].interval for seed in (0, 0, *range(1, 6))]
    assert intervals[0] == intervals[1]
    assert len(set(intervals)) > 1
    assert 0.75 < intervals[0][0] < 1 - 5 / 40 < intervals[0][1] < 1


def tokens(gold):
    """Form, words and end of sentence of each token."""
    for sentence in gold:
        ranges = {first: (last, form) for first, last, form in sentence.multiword_tokens}
        words = [row for row in sentence.rows if row[0].isdecimal()]
        at = 1
        while at <= len(words):
            last, form = ranges.get(at, (at, words[at - 1][1]))
            yield form, words[at - 1 : last], last == len(words)
            at = last + 1


def damaged(gold):
    """The sentences with tokens split, merged into words or into multiword tokens, and cut elsewhere.

    Heads are as far before their words as in gold, else the word before; tags, features and lemmas are missing in turn.
    """
    cut, waiting = [], []
    for number, (form, words, ends) in enumerate(tokens(gold)):
        if not ends and (number % 17 == 3 or number % 29 == 5):
            waiting += [(form, words)]
            continue
        forms, rows = [each for each, _ in waiting] + [form], [row for _, each in waiting for row in each] + words
        form = "".join(forms)
        if number % 17 == 4:
            cut.append((form, rows[:1], False))
        elif number % 13 == 6 and len(form) > 1:
            cut += [(form[:1], rows[:1], False), (form[1:], rows[-1:], False)]
        else:
            cut.append((form, rows * (1 + (number % 31 == 7)), False))
        cut[-1] = (*cut[-1][:2], ends != (number % 41 == 8))
        waiting = []
    result, rows = [], []
    for form, words, ends in cut:
        first = sum(row[0].isdecimal() for row in rows)
        if len(words) > 1:
            rows.append((f"{first + 1}-{first + len(words)}", form, *["_"] * 8))
        for at, word in enumerate(words, first + 1):
            columns = [str(at), word[1] if len(words) > 1 else form, *word[2:]]
            columns[2 + at % 4] = "_" if at % 3 == 0 else columns[2 + at % 4]
            before = int(word[0]) - int(word[6])
            columns[6] = str(at - before if 0 < before < at else at - 1)
            columns[7] = "case" if at % 7 == 0 else word[7]
            rows.append(tuple(columns))
        if ends:
            result.append(DependencySentence(tuple(rows)))
            rows = []
    return result


OFFICIAL = {
    "Tokens": (0.7986618004866181, 0.7730350309096261, 0.7856394913986537, None),
    "Sentences": (0.3470319634703196, 0.5066666666666667, 0.41192411924119243, None),
    "Words": (0.8137117167743748, 0.8317059161401493, 0.8226104246555886, None),
    "UPOS": (0.7566732228153976, 0.773406088454911, 0.7649481607726175, 0.9299033149171271),
    "XPOS": (0.8137117167743748, 0.8317059161401493, 0.8226104246555886, 1.0),
    "UFeats": (0.7589210452374262, 0.7757036186099943, 0.7672205652606164, 0.9326657458563536),
    "AllTags": (0.701882551278449, 0.7174037909247559, 0.7095583013776452, 0.8625690607734806),
    "Lemmas": (0.7670694015172801, 0.7840321654221711, 0.7754580315296122, 0.9426795580110497),
    "UAS": (0.19780837313852206, 0.20218265364732912, 0.19997159494390002, 0.2430939226519337),
    "LAS": (0.17252037089069963, 0.17633543940264215, 0.1744070444539128, 0.21201657458563536),
    "CLAS": (0.32863274064990805, 0.3019718309859155, 0.3147386964180857, 0.3686382393397524),
    "MLAS": (0.06315144083384426, 0.05802816901408451, 0.060481503229594835, 0.07083906464924347),
    "BLEX": (0.3083997547516861, 0.28338028169014085, 0.2953611274221961, 0.3459422283356259),
}


def test_figures_of_the_program_of_conll_2018(shared_data):
    """What conll18_ud_eval.py gives for Sequoia's development set and what `damaged` makes of it."""
    gold = list(read_conllu(shared_data / "dependencies" / "UD_French-Sequoia" / "fr_sequoia-ud-dev.conllu.gz"))[:150]
    scores = score_pipeline(gold, damaged(gold))
    for name, (precision, recall, f1, accuracy) in OFFICIAL.items():
        score = scores[name]
        assert (score.precision, score.recall, score.f1) == pytest.approx((precision, recall, f1), abs=1e-12)
        assert score.aligned_accuracy == (None if accuracy is None else pytest.approx(accuracy, abs=1e-12))
