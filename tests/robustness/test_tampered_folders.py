"""Folders whose numbers were changed on purpose, with checksums that fit: refused when they are opened."""

import json

import numpy as np
import pytest

import firth
from firth.embeddings.compositional import Composition, Tensor
from firth.errors import FormatError
from firth.storage import tensors
from tests.robustness.tampering import array_of, change, with_number
from tests.unit.vectors.test_sense_readers_sense_files import made as senses

TEXTS = [f"{'good nice' if i % 2 else 'bad poor'} word{i % 5} x" for i in range(30)]
LABELS = ["pos" if i % 2 else "neg" for i in range(30)]
WORDS = ["red", "blue", "green", "house", "garden", "tree"]


def words(seed=0):
    rows = np.random.default_rng(seed).normal(size=(6, 4)).astype(np.float32)
    return firth.WordVectors(WORDS, rows, counts=np.arange(6, 0, -1))


def set_fact(folder, name, value):
    """Change an entry of config.json, where a name may lead to one inside: "options.window"."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    *above, last = name.split(".")
    inside = config
    for key in above:
        inside = inside[key]
    inside[last] = value
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    (folder / "checksums.json").unlink(missing_ok=True)


@pytest.fixture(scope="module")
def seeds(tmp_path_factory):
    """A folder of each kind, by name."""
    folder = tmp_path_factory.mktemp("seeds")
    words().save(folder / "vectors")
    words().quantise("int8").save(folder / "int8")
    words().quantise("product").save(folder / "product")
    random = np.random.default_rng(0)
    tensor = Tensor(*(random.normal(size=shape) for shape in [(4, 2, 4), (4, 2, 4), (4,), (4, 4), (4, 4)]))
    Composition({"an": tensor}, words()).save(folder / "composition")
    firth.Procrustes().align(words(), words(1), [(word, word) for word in WORDS]).save(folder / "alignment")
    for reader in ("centroids", "tree"):
        senses(reader, labels=list("abcdef")).save(folder / reader)
    for loss in ("softmax", "hierarchical"):
        how = firth.TextClassifier(dim=4, epochs=1, buckets=50, word_ngrams=2, loss=loss)
        how.train(TEXTS, LABELS, threads=1, progress=False).save(folder / loss)
    corpus = firth.Corpus.build(TEXTS, cache=folder / "cache", min_count=1)
    firth.FastText(dim=4, epochs=1, sample=0, buckets=50, min_n=2, max_n=3).train(
        corpus, threads=1, progress=False
    ).save(folder / "subwords")
    firth.ParagraphVectors(dim=4, epochs=1, sample=0).train(corpus, threads=1, progress=False).save(
        folder / "documents"
    )
    return folder


@pytest.fixture
def copied(seeds, tmp_path):
    import shutil

    def copy(name):
        shutil.copytree(seeds / name, tmp_path / name)
        return tmp_path / name

    return copy


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("vectors", "embeddings"), ("int8", "scales"), ("product", "centroids"), ("composition", "u"),
        ("alignment", "target.map"), ("alignment", "source.around"), ("centroids", "centres"), ("tree", "outputs"),
        ("softmax", "inputs"), ("hierarchical", "outputs"), ("subwords", "ngram_rows"), ("documents", "outputs"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("number", [np.nan, -np.inf])
def test_numbers_that_are_not_finite(copied, kind, name, number):
    """The message names the tensor and the row."""
    folder = copied(kind)
    array = array_of(folder, name)
    row = len(array) - 1
    change(folder, **{name: with_number(array, (row, *[0] * (array.ndim - 1)), number)})
    with pytest.raises(FormatError, match=f"tensor '{name}' holds NaN or infinity in row {row:,}, expected finite"):
        firth.load(folder)


@pytest.mark.parametrize(
    ("kind", "name", "place", "number", "complaint"),
    [
        ("vectors", "counts", 0, -1, "tensor 'counts' holds numbers from -1"),
        ("vectors", "counts", slice(None), 2**61, "add up to less than 2.62"),
        ("alignment", "target.counts", 0, -1, "tensor 'target.counts' holds numbers from -1"),
        ("centroids", "offsets", 1, 2**62, "tensor 'offsets' does not rise from 0 to 6"),
        ("centroids", "offsets", 1, -(2**63), "tensor 'offsets' does not rise from 0 to 6"),
        ("tree", "tree_nodes", 0, 2**40, "tensor 'tree_nodes' holds numbers from"),
        ("tree", "tree_nodes", 0, -1, "tensor 'tree_nodes' holds numbers from -1"),
        ("tree", "tree_starts", 1, 2**62, "tensor 'tree_starts' does not rise"),
        ("tree", "tree_signs", 0, 0.5, "a turn other than 1 and -1"),
        ("softmax", "buckets", 0, 50, "tensor 'buckets' holds numbers from"),
        ("softmax", "buckets", 0, -3, "tensor 'buckets' holds numbers from -3"),
        ("softmax", "buckets", slice(None), 3, "a bucket with two rows"),
        ("softmax", "label_counts", 0, -1, "tensor 'label_counts' holds numbers from -1"),
        ("hierarchical", "label_counts", slice(None), 10**15, "a label with a count of 1,000,000,000,000,000"),
        ("documents", "counts", 0, 0, "tensor 'counts' holds numbers from 0"),
    ],
)
def test_whole_numbers_out_of_range(copied, kind, name, place, number, complaint):
    """Each of these was once a place in memory, a count of nothing, or an error of NumPy's later on."""
    folder = copied(kind)
    change(folder, **{name: with_number(array_of(folder, name), place, number)})
    with pytest.raises(FormatError, match=f"{complaint}.*copy or save it again"):
        firth.load(folder)


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        ("softmax", "dim", 0), ("softmax", "word_ngrams", 2**70), ("softmax", "max_n", -1), ("softmax", "dim", True),
        ("subwords", "ngrams.min_n", 0), ("subwords", "ngrams.hashes", 9), ("subwords", "dim", 0),
        ("documents", "options.epochs", 10**9), ("documents", "options.epochs", "ten"),
        ("documents", "options.window", 10**9), ("documents", "options.window", 0),
        ("documents", "options.negative", []),
        ("documents", "options.combine", "add"), ("documents", "options.objective", None),
        ("documents", "options.sample", -1.0), ("documents", "options.lr", "fast"), ("documents", "options.dim", 5),
        ("documents", "options.noise_exponent", 1e9), ("documents", "options.shrink_windows", 3),
        ("documents", "options", []), ("documents", "tokens", 7),
        ("alignment", "normalisations", ["unit", "other"]), ("alignment", "normalisations", [["unit"], "unit"]),
        ("alignment", "target", []), ("alignment", "source.metadata", "none"),
        ("vectors", "format", {"firth": 1}),
    ],
)  # fmt: skip
def test_facts_out_of_range(copied, kind, name, value):
    folder = copied(kind)
    set_fact(folder, name, value)
    with pytest.raises(FormatError, match=str(folder)):
        firth.load(folder, format="firth")


@pytest.mark.parametrize("pivots", [[["a"]], [["a", "b", "c"]], ["ab"], [[1, 2]], {"a": "b"}, [None]])
def test_pivots_that_are_no_pairs(copied, pivots):
    folder = copied("alignment")
    (folder / "pivots.json").write_text(json.dumps(pivots), encoding="utf-8")
    (folder / "checksums.json").unlink(missing_ok=True)
    with pytest.raises(FormatError, match=r"pivots\.json that does not hold pairs of words"):
        firth.load(folder)


def test_attributes_that_are_no_lists(copied):
    folder = copied("vectors")
    for content in ('{"kind": 3}', "[1]", '{"kind": [1, 2, 3, 4, 5, 6]}'):
        (folder / "attributes.json").write_text(content, encoding="utf-8")
        (folder / "checksums.json").unlink(missing_ok=True)
        with pytest.raises(FormatError, match=r"attributes\.json with"):
            firth.load(folder)


def test_buckets_that_do_not_ascend(copied):
    folder = copied("subwords")
    buckets = array_of(folder, "ngram_buckets")
    change(folder, ngram_buckets=buckets[::-1].copy())
    with pytest.raises(FormatError, match="'ngram_buckets' does not ascend"):
        firth.load(folder)


def test_endless_n_grams_of_characters_take_no_memory(copied):
    """The options of a folder, or of a fastText file, say how long n-grams may be; the words say how long they are."""
    folder = copied("subwords")
    before = firth.load(folder)["unheard"]
    set_fact(folder, "ngrams.max_n", 2**31)
    after = firth.load(folder)["unheard"]
    assert after.shape == before.shape
    folder = copied("softmax")
    set_fact(folder, "word_ngrams", 2**30)
    assert firth.load(folder).predict("good nice x")


def test_a_classifier_without_buckets_has_no_n_grams(copied):
    """A bucket was once looked up in an empty table."""
    folder = copied("softmax")
    whole = array_of(folder, "inputs")
    words = len(json.loads((folder / "vocab.json").read_text(encoding="utf-8")))
    change(folder, inputs=whole[:words], buckets=np.zeros(0, np.int32))
    set_fact(folder, "bucket_count", 0)
    ((_, probability),) = firth.load(folder).predict("good nice bad poor x")
    assert 0 < probability < 1


def test_buckets_that_take_no_room_in_the_folder_take_none_in_memory(copied):
    folder = copied("softmax")
    set_fact(folder, "bucket_count", 2**31 - 1)
    with pytest.raises(FormatError, match=r"bytes that hold 2,147,483,647 buckets, which takes 8,589,934,588 bytes"):
        firth.load(folder)


def test_tensors_that_begin_anywhere(tmp_path):
    """Other writers do not align tensors to their numbers; compiled code needs that."""
    header = json.dumps({"a": {"dtype": "F64", "shape": [2], "data_offsets": [0, 16]}}).encode()
    header += b" " * (-(8 + len(header)) % 8 + 3)
    numbers = np.array([1.5, -2.5])
    (tmp_path / "x").write_bytes(len(header).to_bytes(8, "little") + header + numbers.tobytes())
    found = tensors.mapped(tmp_path / "x")["a"]
    assert found.flags.aligned
    assert found.tolist() == numbers.tolist()


@pytest.mark.parametrize("side", ["1e400", "-1e400", '"2"', "null", "1.5"])
def test_sides_of_tensors_that_are_no_numbers(tmp_path, side):
    header = f'{{"a": {{"dtype": "F32", "shape": [{side}], "data_offsets": [0, 8]}}}}'.encode()
    (tmp_path / "x").write_bytes(len(header).to_bytes(8, "little") + header + bytes(8))
    with pytest.raises(FormatError, match="a damaged safetensors header"):
        tensors.mapped(tmp_path / "x")


def test_a_fasttext_file_with_rows_that_are_not_finite(seeds, tmp_path):
    """Its matrices are mapped: what the words' vectors do not need is looked at when it is asked for."""
    vectors = firth.load(seeds / "subwords")
    vectors.save(tmp_path / "v.bin", format="fasttext")
    whole = bytearray((tmp_path / "v.bin").read_bytes())
    known = firth.load(tmp_path / "v.bin")
    places = known.ngrams.positions(np.arange(50))
    used = set(known.ngrams.hashing.buckets_of(known.words)[1].tolist())
    free = next(bucket for bucket in range(50) if bucket not in used and places[bucket] >= 0)
    outputs = 1 + 16 + 4 * len(known) * 4
    at = len(whole) - outputs - 4 * 4 * (50 - free)
    whole[at : at + 4] = np.float32(np.nan).tobytes()
    (tmp_path / "v.bin").write_bytes(whole)
    broken = firth.load(tmp_path / "v.bin")
    asked = next(word for word in (f"{a}{b}" for a in "abcdefghij" for b in "klmnopqrst") if free in
                 broken.ngrams.hashing.buckets_of([word])[1])  # fmt: skip
    with pytest.raises(FormatError, match=f"an n-gram row of '{asked}' holds NaN"):
        broken[asked]


def test_a_classifier_whose_numbers_are_beyond_all_sums(copied):
    folder = copied("softmax")
    change(folder, **{name: np.full_like(array_of(folder, name), 3e38) for name in ("inputs", "outputs")})
    with pytest.raises(FormatError, match="the classifier holds NaN, infinity, or numbers too large to sum"):
        firth.load(folder).predict("good nice")
