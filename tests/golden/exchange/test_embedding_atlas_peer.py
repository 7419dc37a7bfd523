"""embedding-atlas itself serves the Parquet file: its command starts, and its server gives the columns back."""

import io
import json
import shutil
import socket
import subprocess
import time
import urllib.request

import numpy as np
import pyarrow.parquet
import pytest

import firth
from firth import plots

pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("default")]

needs_command = pytest.mark.skipif(
    not shutil.which("embedding-atlas"), reason="embedding-atlas is not installed: pip install embedding-atlas"
)


def get(address):
    with urllib.request.urlopen(address, timeout=10) as answer:
        return answer.read()


@needs_command
def test_its_server_reads_the_file(tmp_path):
    rows = np.random.default_rng(0).normal(size=(30, 8)).astype(np.float32)
    vectors = firth.WordVectors([f"w{i}" for i in range(30)], rows, counts=range(60, 30, -1))
    path = tmp_path / "v.parquet"
    plots.embedding_atlas(vectors, path, method="pca", neighbours=4)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    columns = ["--text", "word", "--x", "x", "--y", "y", "--neighbors", "neighbors"]
    command = ["embedding-atlas", str(path), *columns, "--host", "127.0.0.1", "--port", str(port), "--no-auto-port"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        address = f"http://127.0.0.1:{port}/data"
        for _ in range(240):
            assert process.poll() is None, process.stdout.read().decode()
            try:
                facts = json.loads(get(f"{address}/metadata.json"))
                break
            except OSError:
                time.sleep(0.5)
        assert facts["props"]["data"]["projection"] == {"x": "x", "y": "y"}
        assert facts["props"]["data"]["neighbors"] == "neighbors"
        data = get(f"{address}/dataset.parquet")
        table = pyarrow.parquet.read_table(io.BytesIO(data))
        assert table["word"].to_pylist() == vectors.words
        near = vectors.most_similar("w0", topn=4)
        assert [vectors.words[i] for i in table["neighbors"][0].as_py()["ids"]] == [word for word, _ in near]
    finally:
        process.terminate()
        process.communicate(timeout=10)
