"""Named entities of other programs: read and written with exact offsets; what does not meet is counted and listed.

The fixtures are our own, in shapes that the programs' exports have in public issue threads.
"""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import firth
from firth.documents.document import Document, Entity
from firth.documents.entity_alignment import LeftOutSpans
from firth.documents.entity_writing import text_and_offsets
from firth.errors import FormatError, OptionError
from firth.readers.conllu import DependencySentence

TEXT = "Ada met 👩🏽‍🚀 Zoë in Ankara.\r\nShe left Rome."  # astral characters, a combining mark, CRLF
SPANS = [[0, 3, "PER"], [TEXT.index("Zoë"), TEXT.index(" in"), "PER"], [TEXT.index("Rome"), len(TEXT) - 1, "LOC"]]
NAMES = ["Ada", "Zoë", "Rome"]
DICTS = [{"start": start, "end": end, "label": label} for start, end, label in SPANS]
RESULTS = [
    {
        "from_name": "label", "to_name": "text", "type": "labels", "id": "x",
        "value": {"start": start, "end": end, "text": TEXT[start:end], "labels": [label]},
    }
    for start, end, label in SPANS
]  # fmt: skip
SHAPES = {
    "spacy": [TEXT, {"entities": SPANS}],
    "prodigy": {"text": TEXT, "spans": DICTS, "_task_hash": 7, "answer": "accept", "tokens": [{"text": "Ada"}]},
    "doccano": {"id": 3, "text": TEXT, "label": SPANS, "Comments": []},
    "doccano-relations": {
        "text": TEXT,
        "entities": [{"id": 1, "start_offset": a, "end_offset": b, "label": label} for a, b, label in SPANS],
        "relations": [],
    },
    "label-studio": {
        "id": 1, "data": {"text": TEXT, "source": "a"},
        "annotations": [{"was_cancelled": True, "result": []}, {"was_cancelled": False, "result": RESULTS}],
        "predictions": [],
    },
    "label-studio-short": {"id": 1, "text": TEXT, "label": [result["value"] for result in RESULTS]},
}  # fmt: skip


def read(tmp_path, content, name="a.jsonl", **how):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return list(firth.read_documents(path, **how))


def named(document):
    return [(document.span_text(start, end), label) for start, end, label in document.entities]


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_of_characters(tmp_path, shape):
    expected = list(zip(NAMES, ["PER", "PER", "LOC"], strict=True))
    (found,) = read(tmp_path, json.dumps(SHAPES[shape]) + "\n")
    assert (found.text, named(found)) == (TEXT, expected)
    (listed,) = read(tmp_path, json.dumps([SHAPES[shape]]), "a.json")
    assert (listed.entities, listed.text) == (found.entities, TEXT)


def test_json_that_holds_a_list(tmp_path):
    item = SHAPES["spacy"]
    for content in ({"classes": ["PER"], "annotations": [item, None]}, {"version": 1, "data": [item]}, item):
        (found,) = read(tmp_path, json.dumps(content), "a.json")
        assert [name for name, _ in named(found)] == NAMES
    assert len(read(tmp_path, f"{json.dumps(item)}\n" * 2, "a.json")) == 2  # lines under this name


def test_paragraphs_of_spacy(tmp_path):
    tokens = [{"orth": "Ada", "ner": "U-PER"}, {"orth": "left", "ner": "-"}, {"orth": "."}]
    (found,) = read(tmp_path, json.dumps([{"id": 0, "paragraphs": [{"sentences": [{"tokens": tokens}]}]}]), "a.json")
    assert (found.tokens, found.entities) == (("Ada", "left", "."), (Entity(0, 1, "PER"),))


def test_tags_and_numbers_of_classes(tmp_path):
    """datasets of Hugging Face: numbers need the names of their classes."""
    words, numbers = ["Ada", "Byron", "left"], [1, 2, 0]
    tagged = json.dumps({"id": "7", "tokens": words, "ner_tags": ["B-PER", "I-PER", "O"]})
    (found,) = read(tmp_path, tagged)
    assert (found.name, found.entities, found.tokens) == ("7", (Entity(0, 2, "PER"),), tuple(words))
    numbered = json.dumps({"tokens": words, "ner_tags": numbers})
    with pytest.raises(FormatError, match=r"line 1: ner_tags are numbers, .* dataset_info\.json beside the file"):
        read(tmp_path, numbered)
    classes = {"names": ["O", "B-PER", "I-PER"], "_type": "ClassLabel"}
    info = {"features": {"tokens": {}, "pos_tags": {"names": ["X"]}, "ner_tags": {"feature": classes}}}
    rows = {"features": [{"name": "ner_tags", "type": {"feature": classes}}], "rows": [{"row": json.loads(numbered)}]}
    (of_rows,) = read(tmp_path, json.dumps(rows), "rows.json")
    (tmp_path / "dataset_info.json").write_text(json.dumps(info), encoding="utf-8")
    (found,) = read(tmp_path, numbered)
    assert found.entities == of_rows.entities == (Entity(0, 2, "PER"),)
    with pytest.raises(FormatError, match="ner_tags has the number 3; expected one from 0 to 2"):
        read(tmp_path, numbered.replace("2, 0", "3, 0"))


def test_parquet_with_names_of_classes(tmp_path):
    """As `datasets.Dataset.to_parquet` writes it."""
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'firth[arrow]'")
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed: pip install 'firth[arrow]'")
    classes = {"feature": {"names": ["O", "B-PER"], "_type": "ClassLabel"}, "_type": "Sequence"}
    features = json.dumps({"info": {"features": {"ner_tags": classes}}})
    table = pyarrow.table({"id": ["0", "1"], "tokens": [["Ada", "left"], []], "ner_tags": [[1, 0], []]})
    parquet.write_table(table.replace_schema_metadata({"huggingface": features}), tmp_path / "a.parquet")
    first, second = firth.read_documents(tmp_path / "a.parquet")
    assert (first.tokens, first.entities, second.sentences) == (("Ada", "left"), (Entity(0, 1, "PER"),), ())
    with pytest.raises(FormatError, match="not a Parquet file"):
        read(tmp_path, "no", "b.parquet")


def test_a_long_text_in_a_table(tmp_path):
    (found,) = read(tmp_path, f"text,start,end,label\n{'Ada left. ' * 14_000},0,3,PER\n", "a.csv")
    assert len(found.text) == 140_000


def test_spans_that_do_not_meet_tokens_are_counted_and_listed(tmp_path):
    spans = [[0, 3, "PER"], [0, 2, "X"], [4, 8, "PER"], [-1, 3, "X"], [20, 40, "X"], [5, 5, "X"], [3, 4, "X"]]
    with pytest.warns(UserWarning, match="white space at the ends of 1 span was left out"):  # noqa: SIM117
        with pytest.warns(
            LeftOutSpans, match=r"left out 5 of 7 spans: 3 are empty or outside the text, 2 do not meet"
        ) as told:
            (found,) = read(tmp_path, json.dumps({"text": "Ada met Zoë.", "entities": spans}))
    assert named(found) == [("Ada", "PER"), ("met", "PER")]
    (warning,) = [each.message for each in told if isinstance(each.message, LeftOutSpans)]
    assert "(1: 'Ad' [0:2] X; 1: 'Ada' [-1:3] X; " in str(warning)
    assert [(each.place, each.start, each.end) for each in warning.spans] == [
        (1, 0, 2), (1, -1, 3), (1, 20, 40), (1, 5, 5), (1, 3, 4),
    ]  # fmt: skip
    assert warning.spans[0].problem == "do not meet the borders of tokens"


def test_offsets_of_javascript_are_converted(tmp_path):
    """doccano and Label Studio count units of UTF-16, where a character beyond the first plane is two."""
    text = "😀😀 Ada met Zoë."
    units = {"text": text, "label": [[5, 8, "PER"], [13, 16, "PER"]]}
    with pytest.warns(UserWarning, match="offsets of 1 text count units of UTF-16 and were converted"):
        (found,) = read(tmp_path, json.dumps(units))
    assert [name for name, _ in named(found)] == ["Ada", "Zoë"]


def test_the_text_of_a_span_is_compared(tmp_path):
    """Label Studio repeats it, with one space for several."""
    value = {"start": 4, "end": 17, "text": "Ada Lovelace", "labels": ["PER", "X"]}
    other = {"start": 0, "end": 3, "text": "had", "labels": ["PER"]}
    task = {"data": {"t": "Say Ada  Lovelace."}, "annotations": [{"result": [{"value": value}, {"value": other}]}]}
    with pytest.warns(LeftOutSpans, match="left out 1 of 3 spans: 1 have another text"):
        (found,) = read(tmp_path, json.dumps(task))
    assert named(found) == [("Ada  Lovelace", "PER"), ("Ada  Lovelace", "X")]


def test_texts_that_nobody_accepted_are_no_gold(tmp_path):
    lines = [
        SHAPES["prodigy"] | {"answer": "reject"},
        {"data": {"text": "a"}, "annotations": [], "predictions": [{"result": []}]},
        SHAPES["doccano"],
    ]
    with pytest.warns(UserWarning, match="2 texts without accepted annotation left out"):
        (found,) = read(tmp_path, "\n".join(map(json.dumps, lines)))
    assert found.name == "3"


@pytest.mark.parametrize(
    ("facts", "problem"),
    [
        ({"text": "a"}, "an object with 'text'; expected a document of firth"),
        ({"text": "a", "label": ["good"]}, r"a span 'good'; expected \[start, end, label\]"),
        ({"text": "a", "spans": [{"start": 0, "end": 1, "label": ""}]}, "a span without a label"),
        ({"text": "a", "spans": [{"start": "0", "end": 1, "label": "X"}]}, "expected whole numbers of characters"),
        ({"tokens": ["a"], "ner_tags": []}, "0 tags for 1 token"),
        ({"tokens": ["a"], "ner_tags": ["PER"]}, "the tag 'PER'"),
        (["a", {"cats": {}}, 3], "as spaCy has it"),
        ({"data": {"text": "a"}, "annotations": 3}, "3; expected a list of annotations"),
        ({"data": {"text": "a"}, "annotations": [{"result": 0.5}]}, "0.5; expected a list of annotations"),
        ({"data": {"n": 3}, "annotations": [{}]}, "expected one, as in"),
        ({"paragraphs": [{"sentences": [{"tokens": [{}]}]}]}, "paragraphs without sentences of tokens"),
    ],
)
def test_what_has_no_shape_is_refused_or_skipped(tmp_path, facts, problem):
    with pytest.raises(FormatError, match=f"line 2: .*{problem}"):
        read(tmp_path, f"{json.dumps(SHAPES['spacy'])}\n{json.dumps(facts)}\n")
    with pytest.warns(UserWarning, match=f"skipped 1 of 2 documents: line 2: .*{problem}"):
        assert len(read(tmp_path, f"{json.dumps(SHAPES['spacy'])}\n{json.dumps(facts)}\n", on_error="skip")) == 1


def test_tables_of_words(tmp_path):
    """The set on Kaggle numbers a sentence in its first row only."""
    table = 'Sentence #,Word,POS,Tag\nSentence: 1,Ada,NNP,B-PER\n,",",PUNCT,O\nSentence: 2,Rome,NNP,B-LOC\n'
    (found,) = read(tmp_path, table, "a.csv")
    assert [sentence.words for sentence in found.sentences] == [("Ada", ","), ("Rome",)]
    assert found.entities == (Entity(0, 1, "PER"), Entity(2, 3, "LOC"))
    (found,) = read(tmp_path, "token;ner\nAda;B-PER\n;\nleft;O\n", "a.csv")
    assert [sentence.words for sentence in found.sentences] == [("Ada",), ("left",)]
    with pytest.warns(UserWarning, match="skipped 1 of 2 sentences: line 4: 3 cells, expected 2"):
        read(tmp_path, "word,tag\nAda,B-PER\n,\nleft,O,x\n", "a.csv", on_error="skip")


def test_tables_of_spans(tmp_path):
    rows = "id,text,start,end,label\n1,Ada met Zoë.,0,3,PER\n1,Ada met Zoë.,8,11,PER\n2,Nobody.,,,\n"
    first, second = read(tmp_path, rows, "a.csv")
    assert (named(first), named(second)) == ([("Ada", "PER"), ("Zoë", "PER")], [])
    cell = json.dumps([SHAPES["label-studio"]["annotations"][1]["result"][0]["value"]]).replace('"', '""')
    (found,) = read(tmp_path, f'text,id,label\n"Ada met, Zoë.",1,"{cell}"\n', "a.csv")
    assert named(found) == [("Ada", "PER")]
    with pytest.raises(FormatError, match="the columns text, stars; expected word and tag; or text, start, end"):
        read(tmp_path, "text,stars\na,1\n", "a.csv")


@pytest.mark.parametrize("shape", ["spacy", "prodigy", "doccano", "label-studio", "label-studio.json", "spacy.json"])
def test_written_and_read_again(tmp_path, shape):
    (document,) = read(tmp_path, json.dumps(SHAPES["doccano"]))
    name, _, ending = shape.partition(".")
    path = tmp_path / f"out.{ending or 'jsonl'}"
    firth.write_documents(path, [document, Document.from_text("Nobody.")], shape=name)
    first, second = firth.read_documents(path)
    assert (first.text, first.entities, first.offsets) == (document.text, document.entities, document.offsets)
    assert (second.text, second.entities) == ("Nobody.", ())
    if ending:
        assert len(json.loads(path.read_text("utf-8"))) == 2
        firth.write_documents(path, [], shape=name)
        assert json.loads(path.read_text("utf-8")) == []


@pytest.mark.parametrize(("name", "shape"), [("out.jsonl", "hugging-face"), ("out.csv", None)])
def test_tags_written_and_read_again(tmp_path, name, shape):
    sentences = tuple(DependencySentence.of(words) for words in (["Ada", '"', ","], ["New", "York"]))
    document = Document(sentences, entities=(Entity(0, 1, "PER"), Entity(3, 5, "LOC")))
    firth.write_documents(tmp_path / name, [document], shape=shape)
    found = list(firth.read_documents(tmp_path / name))
    assert [sentence.words for each in found for sentence in each.sentences] == [each.words for each in sentences]
    assert [label for each in found for _, _, label in each.entities] == ["PER", "LOC"]
    for entities in ((Entity(0, 2, "A"), Entity(1, 2, "B")), (Entity(2, 4, "A"),)):
        with pytest.raises(FormatError, match=r"overlaps the entity before it|goes over the end of a sentence"):
            firth.write_documents(tmp_path / name, [document.annotated(entities=entities)], shape=shape)


def test_shapes_and_endings(tmp_path):
    for name, shape in (("a.conllu", "spacy"), ("a.csv", "spacy"), ("a.jsonl", "brat"), ("a.json", "hugging-face")):
        with pytest.raises(OptionError, match=f"shape='{shape}'"):
            firth.write_documents(tmp_path / name, [], shape=shape)


def test_tokens_without_a_text_get_spaces():
    row = ("1", "Ada", *["_"] * 7, "SpaceAfter=No")
    sentence = DependencySentence((row, ("2", ".", *["_"] * 8)))
    assert text_and_offsets(Document((sentence, sentence))) == ("Ada. Ada.", [(0, 3), (3, 4), (5, 8), (8, 9)])


def test_the_tokens_of_prodigy_stay(tmp_path):
    """Its spans meet them, where they would not meet those of the rules; what does not cover the text is not read."""
    text = "Ichiro21 can't.\n\nmargiela/raf left"
    places = [(0, 6), (6, 8), (9, 12), (12, 14), (14, 15), (17, 25), (25, 26), (26, 29), (30, 34)]
    tokens = [{"text": text[a:b], "start": a, "end": b, "id": i} for i, (a, b) in enumerate(places)]
    tokens.insert(5, {"text": "\n\n", "start": 15, "end": 17, "id": 9})  # spaCy's white space
    facts = {"text": text, "tokens": tokens, "spans": [{"start": 0, "end": 6, "label": "PER", "score": 0.5}]}
    (found,) = read(tmp_path, json.dumps(facts))
    assert found.offsets == tuple(places)
    assert [each.words[0] for each in found.sentences] == ["Ichiro", "margiela"]
    assert (named(found), found.confidences) == ([("Ichiro", "PER")], (0.5,))
    firth.write_documents(tmp_path / "b.jsonl", [found], shape="prodigy")
    assert list(firth.read_documents(tmp_path / "b.jsonl")) == [found]
    for damage in (tokens[1:], [*tokens[:3], *tokens[2:]], [{"text": "Ichiro21"}], [*tokens[1:], tokens[0]]):
        with pytest.warns(LeftOutSpans, match="1 do not meet the borders of tokens"):
            (other,) = read(tmp_path, json.dumps(facts | {"tokens": damage}))
        assert other.tokens == Document.from_text(text).tokens


def test_other_annotation_is_counted(tmp_path):
    """Relations of Prodigy and doccano, and what else Label Studio has."""
    doccano = SHAPES["doccano-relations"] | {"relations": [{"from_id": 0, "to_id": 1, "type": "knows"}] * 2}
    results = [
        *RESULTS,
        {"type": "relation", "from_id": "x", "to_id": "y"},
        {"type": "choices", "value": {"choices": ["a"]}},
    ]
    task = SHAPES["label-studio"] | {"annotations": [{"result": results}]}
    with pytest.warns(UserWarning, match="other annotation than spans left out: 3 relations, 1 choices"):
        first, second = read(tmp_path, f"{json.dumps(doccano)}\n{json.dumps(task)}\n")
    assert named(first) == named(second)


def test_confidences_where_a_program_has_a_place_for_them(tmp_path):
    """Those that somebody accepted are no predictions any more."""
    (document,) = read(tmp_path, json.dumps(SHAPES["doccano"]))
    document = document.annotated(entities=document.entities, confidences=[0.9, 0.25, 1])
    rows = {}
    for shape in ("prodigy", "doccano", "label-studio-predictions", "label-studio", "spacy"):
        firth.write_documents(tmp_path / "b.jsonl", [document], shape=shape)
        rows[shape] = json.loads((tmp_path / "b.jsonl").read_text("utf-8"))
    assert [span["score"] for span in rows["prodigy"]["spans"]] == rows["doccano"]["confidences"] == [0.9, 0.25, 1]
    (prediction,) = rows["label-studio-predictions"]["predictions"]
    assert (prediction["score"], [each["score"] for each in prediction["result"]]) == (0.25, [0.9, 0.25, 1])
    assert "annotations" not in rows["label-studio-predictions"]
    assert "score" not in json.dumps([rows["label-studio"], rows["spacy"]])
    (predicted,) = read(tmp_path, json.dumps(rows["prodigy"]))
    assert (predicted.entities, predicted.confidences) == (document.entities, document.confidences)
    (accepted,) = read(tmp_path, json.dumps(rows["prodigy"] | {"answer": "accept"}))
    assert (accepted.entities, accepted.confidences) == (document.entities, ())
    rows["prodigy"]["spans"][0]["score"] = 7
    assert read(tmp_path, json.dumps(rows["prodigy"]))[0].confidences == ()


@settings(max_examples=20, deadline=None)
@given(st.data())
def test_spans_of_tokens_are_found_again(tmp_path_factory, data):
    """Spans -> file -> spans is the identity where spans meet tokens, whatever the characters between and in them."""
    words = data.draw(st.lists(st.sampled_from(["Ada", "😀", "Zoë", "नमस्ते", "𝔘nicode", "東"]), min_size=1, max_size=6))
    spaces = data.draw(st.lists(st.sampled_from([" ", "\r\n", "  ", "\n\n", "\u00a0"]), min_size=6, max_size=6))
    document = Document.from_text("".join(word + space for word, space in zip(words, spaces, strict=False)))
    place = st.integers(0, len(document))
    pairs = data.draw(st.lists(st.tuples(place, place), max_size=4))
    entities = [Entity(min(pair), max(pair), "X") for pair in dict.fromkeys(pairs) if pair[0] != pair[1]]
    document = document.annotated(entities=list(dict.fromkeys(entities)))
    path = tmp_path_factory.getbasetemp() / "spans.jsonl"
    for shape in ("spacy", "prodigy", "doccano", "label-studio"):
        firth.write_documents(path, [document], shape=shape)
        (found,) = firth.read_documents(path)
        assert (found.text, found.offsets, found.entities) == (document.text, document.offsets, document.entities)


def test_sentences_do_not_end_inside_entities(tmp_path):
    """`Tho.` is in no list of abbreviations, and the annotation shows that it is one."""
    text = "In York Maister Tho. Cromwell dyed. Anna wept. Bo left.\n\nRiga. Fell."
    start, last = text.index("Maister"), text.index("Bo left")
    labels = [[start, text.index(" dyed"), "PER"], [last, len(text) - 1, "EVENT"]]  # the latter has an empty line
    with pytest.warns(UserWarning, match=r"sentences were joined where 1 span went over .*'Maister Tho. Cromwell'"):
        (found,) = read(tmp_path, json.dumps({"text": text, "label": labels}))
    assert named(found)[0] == ("Maister Tho. Cromwell", "PER")
    assert [" ".join(sentence.words) for sentence in found.sentences] == [
        "In York Maister Tho . Cromwell dyed .", "Anna wept .", "Bo left .", "Riga .", "Fell ."
    ]  # fmt: skip
    assert str(found.sentences[0]).splitlines()[1] == "# text = In York Maister Tho. Cromwell dyed."
