from firth.comparison.named import named


def test_names_are_found_where_their_trainers_live():
    found = named(["firth.language."])
    assert found["kneser-ney"].kind.__name__ == "NgramLM"
    assert found["kneser-ney"].preset == {"smoothing": "kneser-ney"}
    assert not {"skipgram", "lstm"} & set(found)
    assert named(["firth.nowhere."]) == {}
