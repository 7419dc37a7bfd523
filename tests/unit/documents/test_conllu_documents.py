"""Documents in CoNLL-U: entities, chains, places; and what nobody changed, byte for byte."""

import random
import tarfile

import pytest

from firth.documents.conllu_documents import conllu_sentences, document_conllu, document_of, read_conllu_documents
from firth.documents.document import Document, Entity
from firth.documents.files import write_documents
from firth.documents.jsonl import document_from_json, document_json
from firth.errors import FormatError
from firth.readers.conllu import DependencySentence, read_conllu

MARKED = """# newdoc id = letters
# global.Entity = eid-etype-head
# sent_id = 1
1\tAda\t_\tPROPN\t_\t_\t2\tnsubj\t_\tEntity=(e1-person-1)|NER=B-PER|X
2\tmet\t_\tVERB\t_\t_\t0\troot\t_\t_
3\tMr\t_\tPROPN\t_\t_\t2\tobj\t_\tEntity=(e2--1|ner=B-PER
4\tHill\t_\tPROPN\t_\t_\t3\tflat\t_\tEntity=e2)|SpaceAfter=No|ner=E-PER
5\t.\t_\tPUNCT\t_\t_\t2\tpunct\t_\t_

1\tHer\t_\tPRON\t_\t_\t2\tnmod\t_\tEntity=(e3--2(e1--1)
2\tson\t_\tNOUN\t_\t_\t3\tnsubj\t_\tEntity=e3)
3\tleft\t_\tVERB\t_\t_\t0\troot\t_\t_

# newdoc
1\tOh\t_\tINTJ\t_\t_\t_\t_\t_\t_

"""


def read(folder, text):
    (folder / "in.conllu").write_text(text, "utf-8")
    return list(read_conllu_documents(folder / "in.conllu"))


def written(folder, documents):
    write_documents(folder / "out.conllu", documents)
    return (folder / "out.conllu").read_text("utf-8")


def bare(document):
    """The document without what its rows say."""
    sentences = [DependencySentence.of(sentence.words) for sentence in document.sentences]
    return Document(sentences, document.name, document.text, document.offsets, document.entities, document.clusters)


def test_entities_and_chains(tmp_path):
    first, second = read(tmp_path, MARKED)
    assert first.name == "letters"
    assert first.entities == (Entity(0, 1, "PER"), Entity(2, 4, "PER"))
    assert first.clusters == (((0, 1), (5, 6)), ((2, 4),), ((5, 7),))
    assert (second.name, second.clusters, second.tokens) == ("", (), ("Oh",))


def test_what_nobody_changed_is_written_byte_for_byte(tmp_path):
    assert written(tmp_path, read(tmp_path, MARKED)) == MARKED
    assert written(tmp_path, read(tmp_path, MARKED.partition("# newdoc\n")[2])) == MARKED.partition("# newdoc\n")[2]


def test_changes_leave_all_else(tmp_path):
    first, second = read(tmp_path, MARKED)
    other = first.annotated(clusters=[[(0, 1), (5, 7)], [(5, 6)]])
    changed = [
        (a, b)
        for a, b in zip(MARKED.split("\n"), written(tmp_path, [other, second]).split("\n"), strict=True)
        if a != b
    ]
    assert [(a.split("\t")[9], b.split("\t")[9]) for a, b in changed] == [
        ("Entity=(e1-person-1)|NER=B-PER|X", "Entity=(e1-PER-1)|NER=B-PER|X"),
        ("Entity=(e2--1|ner=B-PER", "ner=B-PER"),
        ("Entity=e2)|SpaceAfter=No|ner=E-PER", "SpaceAfter=No|ner=E-PER"),
        ("Entity=(e3--2(e1--1)", "Entity=(e1--2(e2--1)"),
        ("Entity=e3)", "Entity=e1)"),
    ]
    fewer = first.annotated(entities=[(2, 4, "X")], clusters=[])
    text = written(tmp_path, [fewer, second])
    assert "Entity=" not in text
    assert "3\tMr\t_\tPROPN\t_\t_\t2\tobj\t_\tNER=B-X" in text
    assert read(tmp_path, text) == [Document(tuple(read_conllu(tmp_path / "out.conllu", trees=False))[:2], "letters",
        entities=[(2, 4, "X")]), second]  # fmt: skip


@pytest.mark.parametrize(
    "text", ["Ada met  Mr. Hill.\n\nHe\tsaid: | \\n \n", "\n  a b", "a ", "a", "a\u2003b", " é☃.\r\nx"]
)
def test_the_raw_text_and_its_places_are_kept(tmp_path, text):
    document = Document.from_text(text, name="n")
    (found,) = read(tmp_path, written(tmp_path, [document]))
    assert (found.text, found.offsets, found.tokens, found.name) == (text, document.offsets, document.tokens, "n")
    assert written(tmp_path, [found]) == written(tmp_path, [document])


def test_places_of_multiword_tokens(tmp_path):
    rows = [("1-2", "Vámonos"), ("1", "Vamos"), ("2", "nos"), ("3-4", "al"), ("3", "a"), ("4", "el"), ("5", "mar")]
    sentence = DependencySentence(tuple((number, form, *["_"] * 8) for number, form in rows))
    places = ((1, 8), (1, 8), (9, 11), (9, 11), (11, 14))
    text = written(tmp_path, [Document([sentence], "", "¡Vámonos almar", places)])
    assert "1-2\tVámonos" + "\t_" * 7 + "\tstart_char=1|end_char=8|SpacesBefore=¡\n1\tVamos" + "\t_" * 8 + "\n" in text
    assert "3-4\tal" + "\t_" * 7 + "\tstart_char=9|end_char=11|SpaceAfter=No\n" in text
    (found,) = read(tmp_path, text)
    assert found.offsets == places
    assert found.text == "¡Vámonos almar"


def test_places_of_other_forms_are_not_taken(tmp_path):
    text = "1\tCafé\t_\t_\t_\t_\t_\t_\t_\tstart_char=0|end_char={}\n\n"
    assert read(tmp_path, text.format(4))[0].offsets == ((0, 4),)
    assert read(tmp_path, text.format(5))[0].offsets == ()
    assert read(tmp_path, text.format("x"))[0].text == ""


def test_nested_chains_are_read_back(tmp_path):
    clusters = [[(0, 3), (1, 2), (4, 6)], [(0, 2), (5, 6)], [(2, 4)], [(0, 6), (3, 4)]]
    document = Document([DependencySentence.of([*"abcdef"])], clusters=clusters)
    (found,) = read(tmp_path, written(tmp_path, [document]))
    assert found.clusters == document.clusters


def test_crossing_mentions_are_read_back(tmp_path):
    """Whatever the spans are, also many of one chain that cross one another."""
    rng = random.Random(0)
    parts = 0
    for _ in range(100):
        spans = {tuple(sorted(rng.sample(range(9), 2))) for _ in range(9)}
        chains = [[span for span in spans if sum(span) % 3 == number] for number in range(3)]
        document = Document([DependencySentence.of([*"abcdefgh"])], clusters=chains)
        text = document_conllu(document).decode()
        parts += "[2/2]" in text
        assert document_of(conllu_sentences(document), "").clusters == document.clusters
    assert parts >= 10


def test_four_mentions_that_cross_in_a_path_and_all_one_another(tmp_path):
    words = [DependencySentence.of([*"abcdefgh"])]
    for chain in ([(0, 2), (1, 4), (3, 6), (5, 8)], [(0, 4), (1, 5), (2, 6), (3, 7)], [(0, 3), (1, 6), (2, 8), (5, 7)]):
        document = Document(words, clusters=[chain])
        assert read(tmp_path, written(tmp_path, [document]))[0].clusters == document.clusters
    short = [(0, 2), (1, 3), (1, 4), (0, 5), (2, 4)]
    assert read(tmp_path, written(tmp_path, [Document(words, clusters=[short])]))[0].mentions == tuple(
        sorted(short, key=lambda span: (span[0], -span[1]))
    )


def test_mentions_in_parts_and_on_empty_nodes(tmp_path):
    values = ["(e1[1/2]-x)", "(e2", "(e1[2/2]-x)", "e2)"]
    lines = [f"{i}\tw\t_\t_\t_\t_\t_\t_\t_\tEntity={value}\n" for i, value in enumerate(values, 1)]
    empty = "4.1\t_\t_\t_\t_\t_\t_\t_\t_\tEntity=(e3)(e1)\n"
    (found,) = read(tmp_path, "".join(lines) + empty + "5\tw" + "\t_" * 8 + "\n\n")
    assert found.clusters == (((0, 3),), ((1, 4),))


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("Entity=e1)", "a mention of e1 closes at word 1 and is nowhere open"),
        ("Entity=(e1-x", "a mention of e1 opens at word 1 only"),
        ("Entity=(e1[1/2])", r"the mention of e1 that opens at word 1 has 2 parts; expected e1\[2/2\] after it"),
        ("Entity=(e1[2/2])", r"e1\[2/2\] opens at word 1; expected parts from \[1/2\] on"),
        ("Entity=(e1[3/2])", r"e1\[3/2\] opens at word 1; expected parts"),
        ("Entity=(e1[1/3])(e1[3/3])", r"e1\[3/3\] opens at word 1; expected parts"),
        ("Entity=e1", "Entity=e1 at word 1; expected brackets as in CorefUD"),
        ("NER=PER", "the tag 'PER': expected O"),
        ("Entity=(e1)(e1)", None),
    ],
)
def test_what_is_no_annotation(tmp_path, value, problem):
    text = f"# newdoc id = d\n1\tw\t_\t_\t_\t_\t_\t_\t_\t{value}\n\n"
    if problem is None:
        assert read(tmp_path, text)[0].clusters == (((0, 1),),)
        return
    with pytest.raises(FormatError, match=rf"in\.conllu document d: {problem}"):
        read(tmp_path, text)


def test_what_conllu_cannot_say():
    document = Document([DependencySentence.of([*"ab"]), DependencySentence.of([*"cd"])], "d")
    with pytest.raises(FormatError, match=r"d: Entity.*Y.* overlaps Entity.*; write JSONL"):
        document_conllu(document.annotated(entities=[(0, 2, "X"), (1, 2, "Y")]))
    with pytest.raises(FormatError, match=r"expected no '\|'"):
        document_conllu(document.annotated(entities=[(0, 2, "X|Y")]))
    with pytest.raises(FormatError, match="over the end of a sentence at token 2"):
        document_conllu(document.annotated(entities=[(1, 3, "X")]))


def test_a_place_far_from_the_one_before_takes_no_memory(tmp_path):
    """As many characters as a place leaves unsaid would be made, 300 MB for one line."""
    row = "1\tw" + "\t_" * 7 + "\tstart_char={}|end_char={}\n\n"
    for start, known in ((2, True), (10_000, True), (10_001, False), (300_000_000, False)):
        text = row.format(start, start + 1)
        (found,) = read(tmp_path, text)
        assert (found.text, found.offsets) == ((" " * start + "w", ((start, start + 1),)) if known else ("", ()))
        assert written(tmp_path, [found]) == text


@pytest.mark.parametrize(
    ("comment", "begins", "name"),
    [
        ("# newdoc", True, ""),
        ("#newdoc id=b", True, "b"),
        ("# newdoc id = a = b", True, "a = b"),
        ("# newdoc id", True, ""),
        ("# newdoc date = 3", True, ""),
        ("# newdocfoo", False, ""),
        ("# newdocs = 3", False, ""),
        ("# newpar", False, ""),
    ],
)
def test_comments_that_begin_a_document(tmp_path, comment, begins, name):
    row = "1\tw" + "\t_" * 8 + "\n\n"
    text = f"{row}{comment}\n{row}"
    found = read(tmp_path, text)
    assert [each.name for each in found] == (["", name] if begins else [""])
    assert written(tmp_path, found) == text
    document = Document([sentence for each in found for sentence in each.sentences])
    assert read(tmp_path, written(tmp_path, [document]))[0].tokens == ("w", "w")


def test_documents_without_sentences(tmp_path):
    row = "1\tw" + "\t_" * 8 + "\n\n"
    text = f"# newdoc id = a\n\n# newdoc\n\n# newdoc id = b\n{row}# newdoc id = c\n\n"
    found = read(tmp_path, text)
    assert [(each.name, len(each)) for each in found] == [("a", 0), ("", 0), ("b", 1), ("c", 0)]
    assert written(tmp_path, found) == text
    assert read(tmp_path, written(tmp_path, [Document(())])) == [Document(())]
    (found,) = read(tmp_path, f"# newdoc id = a\n\n# sent_id = 1\n{row}")
    assert (found.name, found.sentences[0].comments) == ("a", ("newdoc id = a", "sent_id = 1"))
    with pytest.raises(FormatError, match="no sentences"):
        read(tmp_path, "# sent_id = 1\n\n")


def test_rows_whose_annotation_is_not_sound_are_written_anew(tmp_path):
    """JSONL may hold such rows; the document has what counts."""
    rows = (("1", "w", *["_"] * 7, "Entity=e1)|NER=PER|X=y"), ("2", "w", *["_"] * 7, "NER=I-X"))
    document = Document([DependencySentence(rows)], entities=[(1, 2, "X")], clusters=[[(0, 1)]])
    (found,) = read(tmp_path, written(tmp_path, [document]))
    assert (found.entities, found.clusters) == (document.entities, document.clusters)
    assert found.sentences[0].rows[0][9] == "Entity=(e1--)|X=y"


def test_a_name_of_several_lines_stays_in_its_comment(tmp_path):
    (found,) = read(tmp_path, written(tmp_path, [Document.from_text("Oh.", name="a\n1\tb")]))
    assert found.name == "a 1 b"
    assert found.sentences[0].comments[1] == "sent_id = a 1 b-1"
    with pytest.raises(FormatError, match=r"the document 'a' holds a lone surrogate, '\\ud800', which no UTF-8 file"):
        document_conllu(Document.from_text("a \ud800", name="a"))


def test_a_text_without_places_is_no_error(tmp_path):
    document = Document([DependencySentence.of(["a"])], text="a")
    assert read(tmp_path, written(tmp_path, [document]))[0].text == ""


@pytest.mark.slow
def test_gum(shared_data, tmp_path):
    """Documents of GUM, whose chains nest, cross and have parts: the same bytes; and the same chains, rewritten."""
    documents = mentions = 0
    with tarfile.open(shared_data / "dependencies" / "gum-dep" / "gum_dep.tar.gz") as archive:
        for member in archive.getmembers()[:80]:
            file = archive.extractfile(member)
            if file is None or not member.name.endswith(".conllu"):
                continue
            text = file.read().decode("utf-8")
            found = read(tmp_path, text)
            assert written(tmp_path, found) == text.rstrip("\n") + "\n\n"
            for document in found:
                documents += 1
                mentions += len(document.mentions)
                assert read(tmp_path, document_conllu(bare(document)).decode())[0].clusters == document.clusters
    assert documents > 30
    assert mentions > 5_000


def test_sentences_without_a_tree_and_damaged_ones(tmp_path):
    """Heads that form no tree stay in CoNLL-U, are none in JSONL, and are said; damaged sentences go."""
    row = "1\tAda\t_\t_\t_\t_\t7\tdep\t_\t_\n"
    text = f"# newdoc id = a\n1\tno row\n\n{row}\n# newdoc id = b\n{row}\n"
    (tmp_path / "in.conllu").write_text(text, encoding="utf-8")
    with pytest.warns(UserWarning, match="in.conllu: ") as told:
        found = list(read_conllu_documents(tmp_path / "in.conllu", on_error="skip"))
    assert [str(each.message).partition("in.conllu: ")[2][:44] for each in told] == [
        "skipped 1 of 3 sentences: line 2: 2 columns,",
        "read 2 sentences without heads, which form n",
    ]
    assert [(document.name, document.tokens) for document in found] == [("a", ("Ada",)), ("b", ("Ada",))]
    assert str(found[1].sentences[0]) == f"# newdoc id = b\n{row}".strip()
    assert document_from_json(document_json(found[1]), "").sentences[0].heads == ()
    with pytest.raises(FormatError, match="line 2: 2 columns"):
        list(read_conllu_documents(tmp_path / "in.conllu"))
