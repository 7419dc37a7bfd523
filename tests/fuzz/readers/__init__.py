"""The table of readers: every kind of file and folder that firth opens."""

from tests.fuzz.outcomes import Reader
from tests.fuzz.readers import contextual, corpora, gold, language, lists, models, pipelines, vectors

READERS: dict[str, Reader] = {
    reader.name: reader
    for readers in (
        corpora.READERS,
        vectors.READERS,
        models.READERS,
        language.READERS,
        contextual.READERS,
        gold.READERS,
        lists.READERS,
        pipelines.READERS,
    )
    for reader in readers
}
