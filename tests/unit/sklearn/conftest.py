import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed: pip install 'firth[sklearn]'")


@pytest.fixture(scope="session")
def questions(shared_data):
    """The first 1,500 training questions of TREC and its test questions, with their labels: ABBR, DESC, ..."""
    parts = []
    for part in ("train", "test"):
        lines = (shared_data / "sentence" / "sentclass" / f"TREC.{part}.all").read_bytes().decode("latin-1")
        labels, texts = zip(*(line.split(" ", 1) for line in lines.splitlines()[:1500]), strict=True)
        parts += [list(texts), list(labels)]
    return parts
