"""Folders: the same vectors again, folders of transformers, damage."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import FormatError
from firth.storage import tensors
from tests.unit.neural.models.pretraining.encoders import pieces, trained
from tests.unit.neural.models.sentences.encoders import sentences


@pytest.mark.parametrize("name", ["masked", "electra", "coco"])
def test_a_folder_gives_the_same_encoder(name, tmp_path):
    model = trained(name)
    model.save(tmp_path / "encoder")
    again = firth.load(tmp_path / "encoder")
    assert (again.encode(sentences(3)) == model.encode(sentences(3))).all()
    assert again.pieces == model.pieces
    assert again.config == model.config
    assert again.metadata["training"]["seed"] == 0
    if name == "masked":
        assert again.substitutes("The cat eats", 1) == model.substitutes("The cat eats", 1)
    if name == "electra":
        assert (again.replaced("The cat eats") == model.replaced("The cat eats")).all()


@pytest.fixture
def foreign(tmp_path):
    """A folder as transformers has it: no trace of firth."""
    folder = tmp_path / "bert"
    trained("masked").save(folder)
    config = json.loads((folder / "config.json").read_text())
    for name in ("format", "format_version", "firth_version", "metadata"):
        del config[name]
    (folder / "config.json").write_text(json.dumps(config))
    for name in ("checksums.json", "README.md"):
        (folder / name).unlink()
    return folder


def change(folder, **entries):
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, **entries}))


def rewrite(folder, change_names):
    arrays = {
        change_names(name): np.array(array) for name, array in tensors.mapped(folder / "model.safetensors").items()
    }
    with (folder / "new").open("wb") as file:
        tensors.write(file, arrays, {name: array.dtype for name, array in arrays.items()})
    (folder / "new").replace(folder / "model.safetensors")


def test_a_folder_of_transformers(foreign):
    model = firth.load(foreign)
    assert (model.encode(sentences(3)) == trained("masked").encode(sentences(3))).all()
    assert model.metadata["name"] == "bert"


def test_names_without_a_prefix_and_former_names(foreign):
    rewrite(foreign, lambda name: name.removeprefix("bert.").replace("LayerNorm.weight", "LayerNorm.gamma"))
    assert (firth.load(foreign).encode(["The cat"]) == trained("masked").encode(["The cat"])).all()


def test_a_vocabulary_of_lines(foreign):
    (foreign / "tokenizer.json").unlink()
    (foreign / "vocab.txt").write_text("\n".join(pieces().vocabulary) + "\n", encoding="utf-8")
    assert (firth.load(foreign).encode(["The café"]) == trained("masked").encode(["The café"])).all()
    (foreign / "vocab.txt").write_text("[UNK]\na\nb\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"without \[PAD\]"):
        firth.load(foreign)


def test_pickled_weights_are_refused_with_the_remedy(foreign):
    (foreign / "model.safetensors").rename(foreign / "pytorch_model.bin")
    with pytest.raises(FormatError, match=r"run any code.*save_pretrained"):
        firth.load(foreign)
    (foreign / "pytorch_model.bin").unlink()
    with pytest.raises(FormatError, match=r"no model\.safetensors"):
        firth.load(foreign)


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"hidden_size": 32}, "one of the two is from another model"),
        ({"hidden_size": 2**40}, "numbers; config.json says dim"),
        ({"num_hidden_layers": 10**9}, "tensors of 2 layers"),
        ({"max_position_embeddings": 23}, "position_embeddings"),
        ({"vocab_size": 10}, "vocabulary is of another model"),
        ({"vocab_size": "many"}, "vocab_size is 'many'"),
        ({"model_type": "roberta"}, "expected one of bert, electra"),
        ({"model_type": "electra", "embedding_size": 16}, "tensors of 0 layers"),
        ({"hidden_act": "silu"}, "activation='silu'"),
        ({"num_attention_heads": 3}, "heads=3"),
        ({"layer_norm_eps": -1}, "norm_eps=-1"),
        ({"hidden_dropout_prob": 7.0}, "dropout=7"),
        ({"position_embedding_type": "relative_key"}, "expected 'absolute'"),
    ],
)
def test_a_config_of_another_model(foreign, entries, message):
    change(foreign, **entries)
    with pytest.raises(FormatError, match=message):
        firth.load(foreign)


def test_numbers_beyond_single_precision_are_refused(foreign):
    """They are finite as they stand in the file, and infinite in the encoder."""
    arrays = {name: np.array(array) for name, array in tensors.mapped(foreign / "model.safetensors").items()}
    name = "bert.encoder.layer.0.output.dense.bias"
    arrays[name] = arrays[name].astype(np.float64)
    for number, sound in ((0.5, True), (1e300, False)):
        arrays[name][3] = number
        with (foreign / "model.safetensors").open("wb") as file:
            tensors.write(file, arrays, {name: array.dtype for name, array in arrays.items()})
        if sound:
            assert firth.load(foreign).module.blocks.blocks[0].down_proj.bias[3] == number
            continue
        with pytest.raises(FormatError, match=r"'encoder.layer.0.output.dense.bias' holds NaN, infinity, or numbers"):
            firth.load(foreign)


def test_a_folder_of_bfloat16(foreign):
    """Half of the bytes of each number: eight significant bits."""
    path, model = foreign / "model.safetensors", trained("masked")
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header, place, halves = json.loads(content[8 : 8 + length]), 0, []
    for name, entry in header.items():
        if name != "__metadata__":
            start, end = entry["data_offsets"]
            halves.append(np.frombuffer(content[8 + length :][start:end], "<u4") >> 16)
            entry["dtype"], entry["data_offsets"] = "BF16", [place, place + (end - start) // 2]
            place += (end - start) // 2
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + np.concatenate(halves).astype("<u2").tobytes())
    again = firth.load(foreign)
    for name, parameter in again.module.state_dict().items():
        np.testing.assert_allclose(parameter, model.module.state_dict()[name], rtol=2**-7)
    assert again.substitutes("The cat eats", 1)[0][0] in dict(model.substitutes("The cat eats", 1))


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="the system has no devices as files")
@pytest.mark.parametrize("name", ["config.json", "tokenizer.json"])
def test_a_file_that_is_a_device_is_refused(foreign, name):
    (foreign / name).unlink()
    (foreign / name).symlink_to("/dev/null")
    with pytest.raises(firth.FirthError):
        firth.load(foreign)


def test_a_missing_tensor_and_no_vocabulary(foreign):
    rewrite(foreign, lambda name: name.replace("layer.1.output.dense.bias", "layer.1.output.other"))
    with pytest.raises(FormatError, match=r"no tensor 'encoder.layer.1.output.dense.bias'"):
        firth.load(foreign)
    (foreign / "tokenizer.json").unlink()
    with pytest.raises(FormatError, match=r"neither tokenizer.json nor vocab.txt"):
        firth.load(foreign)


def test_a_folder_is_replaced_and_others_are_not(tmp_path):
    trained("masked").save(tmp_path / "encoder")
    trained("masked").save(tmp_path / "encoder")
    shutil.rmtree(tmp_path / "encoder")
    (tmp_path / "encoder").mkdir()
    (tmp_path / "encoder" / "notes").write_text("mine")
    with pytest.raises(firth.FirthError, match="folder of something else"):
        trained("masked").save(tmp_path / "encoder")


def test_an_output_layer_of_its_own_is_left_out(foreign):
    """Its probabilities would be other ones than those of transformers."""
    arrays = {name: np.array(array) for name, array in tensors.mapped(foreign / "model.safetensors").items()}
    table = arrays["bert.embeddings.word_embeddings.weight"]
    for weight, kept in ((table, True), (table + 1, False)):
        arrays["cls.predictions.decoder.weight"] = weight
        with (foreign / "new").open("wb") as file:
            tensors.write(file, arrays, {name: array.dtype for name, array in arrays.items()})
        (foreign / "new").replace(foreign / "model.safetensors")
        if kept:
            assert firth.load(foreign).head is not None
            continue
        with pytest.warns(UserWarning, match="the output layer has weights of its own"):
            assert firth.load(foreign).head is None


def test_decoders_are_refused(foreign):
    change(foreign, is_decoder=True)
    with pytest.raises(FormatError, match="is_decoder: its tokens attend to earlier ones only"):
        firth.load(foreign)
