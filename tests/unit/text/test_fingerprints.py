"""Fingerprints are of letters and digits alone."""

from firth.text.fingerprints import fingerprint, passage_fingerprints


def test_case_spaces_tokens_and_punctuation_do_not_count():
    assert len({fingerprint(text) for text in ("It's a film.", "it 's a FILM !", ["it's", "a", "film"])}) == 1


def test_letters_and_digits_of_any_script_count():
    texts = ("naïve", "naive", "10", "101", "фильм", "映画", "")
    assert len({fingerprint(text) for text in texts}) == len(texts)


def test_lone_surrogates_are_read():
    assert fingerprint("a\udc80") == fingerprint("a\udc80"), "not a letter, but no error"


def test_passages_are_found_whatever_their_case_and_length():
    text = 'i saw it . the film is bad , really bad . that is "all" . Go!'
    found = passage_fingerprints(text)
    for passage in ("the film is BAD, really bad", "that is all", "i saw it. The film is bad, really bad.", text):
        assert fingerprint(passage) in found
    assert fingerprint("the film is bad") not in found
    assert len(passage_fingerprints("one. two. three. four. five.", longest=2)) == 9
