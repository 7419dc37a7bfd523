from firth.comparison.models import models_in


def test_names_are_found_where_their_trainers_live():
    found = models_in(["firth.language."])
    assert found["kneser-ney"].kind.__name__ == "NgramLM"
    assert found["kneser-ney"].preset == {"smoothing": "kneser-ney"}
    assert not {"skipgram", "lstm"} & set(found)
    assert models_in(["firth.nowhere."]) == {}
