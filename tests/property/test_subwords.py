"""Any Unicode text comes back as it was, whatever the tokeniser, and whether cuts are drawn at random or not."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firth.text.byte_level import chunks, to_bytes, to_characters
from firth.text.subwords import KINDS, Subwords

pytest.importorskip("tokenizers", reason="tokenizers is not installed: pip install 'firth[subword]'")

TEXTS = ["Ein Satz, und noch ein Satz.\n", "naïve café — 東京 हिन्दी\n", "x = 3.14  # half\n"] * 5
MADE = {kind: Subwords.train(TEXTS, 560 if kind == "wordpiece" else 300, kind=kind) for kind in KINDS}

# Any Unicode but lone surrogates; and text of what tokenisers stumble over.
ANY = st.text(st.characters(exclude_categories=["Cs"]))
HARD = st.lists(st.sampled_from([" ", "  ", "\n", "##", "…", "Ġ", "<unk>", "a", "é", "e\u0301", "1", "'", "\u2028"]))
TEXT = ANY | HARD.map("".join)


@pytest.mark.parametrize("kind", KINDS)
@given(text=TEXT)
@settings(max_examples=300, deadline=None)
def test_decode_undoes_encode(kind, text):
    assert MADE[kind].decode(MADE[kind].encode(text)) == text


@pytest.mark.parametrize("kind", KINDS)
@given(text=TEXT, sample=st.floats(0, 1), seed=st.integers(0, 1000))
@settings(max_examples=150, deadline=None)
def test_decode_undoes_encode_with_cuts_drawn(kind, text, sample, seed):
    assert MADE[kind].decode(MADE[kind].encode(text, sample=sample, seed=seed)) == text


@given(text=TEXT)
@settings(deadline=None)
def test_chunks_and_characters_keep_all(text):
    assert "".join(chunks(text)) == text
    assert to_bytes(map(to_characters, chunks(text))).decode() == text
