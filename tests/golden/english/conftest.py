"""The text as firth reads it."""

import pytest

import firth
from tests.golden.english.text import MIN_COUNT, TEXT


@pytest.fixture(scope="session")
def corpus(tmp_path_factory):
    return firth.Corpus.build(TEXT, min_count=MIN_COUNT, cache=tmp_path_factory.mktemp("english"), progress=False)
