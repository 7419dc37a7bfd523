"""Models of token lists know their own words again when strings are given to them later."""

import json
from pathlib import Path

import pytest

import firth

LISTS = [["The", "Cat", "Sat"], ["The", "Dog", "Ran"]] * 20


def test_a_language_model_of_token_lists_knows_its_words_again():
    model = firth.NgramLM(order=2, discount_fallback=True).train(LISTS, min_count=1)
    assert model.score("The Cat Sat")[0].tokens == ("The", "Cat", "Sat", "</s>")
    assert "Cat" in dict(model.next_words("The"))
    assert model.perplexity(["The Dog Ran"]).unknown == 0
    assert model.rules.tokens == "whitespace"


def test_documents_of_token_lists_know_their_words_again(recwarn):
    documents = firth.ParagraphVectors(dim=4, epochs=1).train(LISTS, min_count=1, threads=1)
    assert documents.infer("The Cat Sat").any()
    assert not [warning for warning in recwarn if "no word" in str(warning.message)]


def test_the_rule_can_be_named_and_files_of_token_lists_have_it(tmp_path: Path):
    path = tmp_path / "lists.jsonl"
    path.write_text("".join(json.dumps({"text": tokens}) + "\n" for tokens in LISTS))
    assert firth.Corpus.build(path, min_count=1, cache=tmp_path).options.tokens == "whitespace"
    assert firth.Corpus.build(LISTS, min_count=1, cache=tmp_path, tokens="text8").options.tokens == "text8"
    assert firth.Corpus.build(["The Cat", "sat"] * 2, min_count=1, cache=tmp_path).options.tokens == "words"


def test_texts_without_a_known_word_are_warned_of():
    vectors = firth.Word2Vec(dim=4, epochs=1, sample=0).train(LISTS, min_count=1, threads=1)
    with pytest.warns(UserWarning, match="1 of 2 texts have no known word"):
        firth.sentence_vectors(vectors, ["xx yy", ["The", "Cat"]], weighting="mean")


@pytest.mark.parametrize("wrong", [5, None, "A.firth", {"a": 5}])
def test_what_is_no_vectors_is_not_judged(wrong: object, tmp_path: Path):
    with pytest.raises(TypeError, match="expected word vectors, or a model with encode"):
        firth.evaluate(wrong, data=tmp_path)  # where no set lies
