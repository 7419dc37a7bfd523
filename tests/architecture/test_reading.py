"""What others may have written is read in one place: JSON, archives and packed files by `firth.storage.untrusted`, and
every file that a user names by `firth.storage.user_files`.
"""

import ast
import re
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src" / "firth"
TRUSTING = re.compile(r"json\.loads?\(|zipfile\.|tarfile\.|(?:gzip|bz2|lzma)\.(?:decompress|open)\(")
OWN = {
    "comparison/run.py",  # what one process of firth says to another
    "comparison/worker.py",
    "documents/processes.py",
    "documents/worker.py",
    "corpus/learned_tokens.py",  # a copy of the text, which it has just made
    "errors.py",  # what pip has written of the installation
    "vectors/io/detect.py",  # packs, and unpacks by `firth.storage.untrusted`
}


def test_nothing_else_reads_what_anybody_may_have_written():
    files = {str(path.relative_to(SOURCE)): path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py")}
    found = {name for name, text in files.items() if TRUSTING.search(text)}
    assert found - OWN == {"storage/untrusted.py"}


READING = {"read_bytes", "read_text", "memmap", "fromfile", "loadtxt", "genfromtxt", "safe_open", "memory_map"}
MAY_READ = re.compile(rf"\bopen\(|np\.load\(|{'|'.join(READING)}")
CLASSES = {"Corpus", "Subwords", "PhraseTable", "CooccurrenceMatrix", "cls", "os", "archive", "tarfile"}
OPEN_DIRECTLY = {
    "storage/user_files.py": "the one place",
    "storage/untrusted.py": "maps what it has opened",
    "corpus/columns.py": "Arrow maps what is open already",
    "sentences/row_files.py": "reads what it has opened, and syncs what it has written",
    "storage/checkpoints.py": "safetensors opens what was checked",
    "vectors/io/npy.py": "NumPy opens what was checked",
    "vectors/io/projector.py": "NumPy opens what was checked",
    "storage/files.py": "syncs what was written",
    "storage/integrity.py": "its own notes in the cache",
    "corpus/learned_tokens.py": "a copy of the text, which it has just made",
    "counts/unfinished.py": "its own file of a checkpoint, which was verified",
    "embeddings/glove.py": "a temporary file",
    "evaluation/tfidf.py": "firth's own code, and its cache",
    "explorer/maps.py": "its own cache",
    "neural/models/tokens/features.py": "its own cache, which was verified",
    "cluster/ray_crew.py": "its own note",
    "lazy.py": "firth's own files, from here on",
    "hints.py": "",
    "data/sets.py": "",
    "explorer/page_routes.py": "",
    "kernels/compiled.py": "",
    "kernels/native.py": "",
    "plots/map_page.py": "",
    "errors.py": "what pip has written of the installation",
    "data/documentation.py": "Python's own files",
    "comparison/worker.py": "what the system says of the process and the machine, from here on",
    "counts/counting.py": "",
    "neural/layers/products.py": "",
    "neural/training/devices.py": "",
}


def reads(call: ast.Call) -> bool:
    """Whether a call opens a file to read it."""
    function = call.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    owner = getattr(function.value, "id", "") if isinstance(function, ast.Attribute) else ""
    if name in READING or (owner, name) == ("np", "load"):
        return True
    modes = [each.value for each in call.args if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    chosen = any(isinstance(each, ast.IfExp) for each in call.args)  # between two modes, to write
    return name == "open" and owner not in CLASSES and not chosen and not set("".join(modes)) & set("wax+")


def test_users_files_are_opened_in_one_place():
    found = set()
    for path in SOURCE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if not MAY_READ.search(text):
            continue
        calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
        if any(map(reads, calls)):
            found.add(str(path.relative_to(SOURCE)))
    assert found == set(OPEN_DIRECTLY), "read a user's file by firth.storage.user_files.open_file"
