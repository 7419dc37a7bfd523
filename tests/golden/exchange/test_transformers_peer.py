"""`transformers.AutoModel` and `AutoTokenizer` open firth's folders with the same results, and firth opens theirs."""

import numpy as np
import pytest

peer = pytest.importorskip("transformers", reason="transformers is not installed: pip install transformers")
torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("default")]

import firth

TEXTS = [
    "It is a truth universally acknowledged, that a single man in possession of a good fortune,",
    "must be in want of a wife.",
    "However little known the feelings or views of such a man may be on his first entering a neighbourhood,",
    "“My dear Mr. Bennet,” said his lady to him one day, “have you heard that Netherfield Park is let?”",
    "MR. BENNET’S DAUGHTERS; Mrs. Long's café... naïve 猫",
    "a",
]
NETWORK = {"dim": 32, "layers": 2, "heads": 4, "max_length": 64}
MODELS = {
    "masked": firth.MaskedLM(**NETWORK),
    "electra": firth.Electra(**NETWORK, embedding_dim=24),
    "coco": firth.CocoLM(**NETWORK),
}


@pytest.fixture(scope="module")
def encoders():
    how = firth.TrainingOptions(epochs=4, batch_size=8, lr=0.01, optimiser="adamw")
    return {name: model.train(TEXTS * 20, training=how, max_size=200, progress=False) for name, model in MODELS.items()}


def states_of(folder, texts):
    """The states of each text's tokens without padding, and their ids."""
    tokenizer, model = peer.AutoTokenizer.from_pretrained(folder), peer.AutoModel.from_pretrained(folder).eval()
    batch = tokenizer(texts, padding=True, return_tensors="pt")
    with torch.no_grad():
        states = model(**batch).last_hidden_state.numpy()
    lengths = batch["attention_mask"].sum(1).tolist()
    ids = batch["input_ids"].tolist()
    return [row[:n] for row, n in zip(states, lengths, strict=True)], [
        row[:n] for row, n in zip(ids, lengths, strict=True)
    ]


@pytest.mark.parametrize("name", list(MODELS))
def test_the_peer_opens_folders_of_firth(encoders, tmp_path, name):
    encoder = encoders[name]
    encoder.save(tmp_path / "encoder")
    states, ids = states_of(tmp_path / "encoder", TEXTS)
    assert [row[1:-1] for row in ids] == encoder.rows_of(TEXTS)
    np.testing.assert_allclose([row[1:-1].mean(0) for row in states], encoder.encode(TEXTS), atol=1e-4)
    np.testing.assert_allclose([row[0] for row in states], encoder.encode(TEXTS, pooling="cls"), atol=1e-4)


def test_the_peer_predicts_the_same_hidden_words(encoders, tmp_path):
    encoder = encoders["masked"]
    encoder.save(tmp_path / "encoder")
    model = peer.AutoModelForMaskedLM.from_pretrained(tmp_path / "encoder").eval()
    tokenizer = peer.AutoTokenizer.from_pretrained(tmp_path / "encoder")
    words = ["must", "be", "in", "want", "of", "a", "wife", "."]
    batch = tokenizer(" ".join([*words[:6], "[MASK]", *words[7:]]), return_tensors="pt")
    place = batch["input_ids"][0].tolist().index(tokenizer.mask_token_id)
    with torch.no_grad():
        chances = model(**batch).logits[0, place].softmax(0)
    for piece, chance in encoder.substitutes(words, 6, n=5):
        assert chance == pytest.approx(float(chances[tokenizer.convert_tokens_to_ids(piece)]), abs=1e-4)


def test_the_peer_finds_the_same_replaced_words(encoders, tmp_path):
    encoder = encoders["electra"]
    encoder.save(tmp_path / "encoder")
    model = peer.AutoModelForPreTraining.from_pretrained(tmp_path / "encoder").eval()
    tokenizer = peer.AutoTokenizer.from_pretrained(tmp_path / "encoder")
    words = ["must", "be", "in", "want", "of", "a", "wife", "."]
    batch = tokenizer(words, is_split_into_words=True, return_tensors="pt")
    with torch.no_grad():
        chances = model(**batch).logits[0].sigmoid().numpy()
    owners = batch.word_ids()
    expected = [max(chances[i] for i, owner in enumerate(owners) if owner == word) for word in range(len(words))]
    np.testing.assert_allclose(encoder.replaced(words), expected, atol=1e-4)


@pytest.mark.parametrize("kind", ["Bert", "Electra"])
def test_firth_opens_folders_of_the_peer(encoders, tmp_path, kind):
    pieces = encoders["masked"].pieces
    sizes = {
        "vocab_size": len(pieces), "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 3,
        "intermediate_size": 40, "max_position_embeddings": 70,
    }  # fmt: skip
    more = {"embedding_size": 16} if kind == "Electra" else {}
    torch.manual_seed(0)
    model = getattr(peer, f"{kind}Model")(getattr(peer, f"{kind}Config")(**sizes, **more))
    model.save_pretrained(tmp_path / "theirs")
    vocabulary = tmp_path / "vocab.txt"
    vocabulary.write_text("\n".join(pieces.vocabulary) + "\n", encoding="utf-8")
    peer.AutoTokenizer.from_pretrained(_saved(encoders["masked"], tmp_path)).save_pretrained(tmp_path / "theirs")
    opened = firth.load(tmp_path / "theirs")
    states, ids = states_of(tmp_path / "theirs", TEXTS)
    assert opened.rows_of(TEXTS) == [row[1:-1] for row in ids]
    np.testing.assert_allclose(opened.encode(TEXTS), [row[1:-1].mean(0) for row in states], atol=1e-4)
    (tmp_path / "theirs" / "tokenizer.json").unlink()
    vocabulary.rename(tmp_path / "theirs" / "vocab.txt")
    assert firth.load(tmp_path / "theirs").rows_of(TEXTS) == opened.rows_of(TEXTS)


def _saved(encoder, tmp_path):
    encoder.save(tmp_path / "firth")
    return tmp_path / "firth"
